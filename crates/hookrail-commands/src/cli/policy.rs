//! `hookrail policy`: one signed set of hooks for many machines.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::shared::Format;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail policy make settings.json --version 7 --audience laptops --expires 2027-03-31 -o policy.json\n  minisign -S -m policy.json\n  sudo hookrail policy pull\n  hookrail policy status"
)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) action: PolicyAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyAction {
    /// Fetch the policy, verify it, and put it in force
    Pull(PullArgs),
    /// Show the policy that is in force
    Status(PolicyStatusArgs),
    /// Verify a document and the signature beside it
    Verify(VerifyArgs),
    /// Make a document of settings and files, to be signed with `minisign -S`
    Make(MakeArgs),
    /// Print units for systemd that pull the policy every quarter of an hour
    Unit,
}

#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    /// Where the document is; the signature is beside it with `.minisig` at the end [default: the `url` in the system's settings]
    #[arg(value_name = "URL|FILE")]
    pub(crate) from: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 the policy is in force, or none is named; 1 it is missing, cannot be used or has expired.\nJSON: {\"state\",\"file\",\"audience\",\"version\",\"issued\",\"expires\",\"folder\",\"url\",\"pulled\",\"why\"}"
)]
pub(crate) struct PolicyStatusArgs {
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The document; its signature is in FILE.minisig
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A minisign public key whose signature counts [default: those in the system's settings]
    #[arg(long, value_name = "KEY", requires = "audience")]
    pub(crate) key: Vec<String>,
    /// For which machines it must be made
    #[arg(long, value_name = "NAME", requires = "key")]
    pub(crate) audience: Option<String>,
}

#[derive(Debug, Args)]
#[command(disable_version_flag = true)]
pub(crate) struct MakeArgs {
    /// Settings with hooks, comments allowed
    #[arg(value_name = "SETTINGS")]
    pub(crate) settings: PathBuf,
    /// Higher than that of the last document
    #[arg(long, value_name = "N")]
    pub(crate) version: u64,
    /// For which machines it is made
    #[arg(long, value_name = "NAME")]
    pub(crate) audience: String,
    /// Until when it counts: a day, to its end in UTC, or a time such as 2027-03-31T12:00:00Z
    #[arg(long, value_name = "DATE")]
    pub(crate) expires: String,
    /// A file that hooks run as `$HOOKRAIL_POLICY_DIR/NAME`; may be given more than once
    #[arg(long, value_name = "NAME=PATH")]
    pub(crate) file: Vec<String>,
    /// Where to write the document
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
