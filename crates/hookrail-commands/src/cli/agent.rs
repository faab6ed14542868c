//! `hookrail agent`: the agent itself.
//!
//! The flags that other agents have too are called as they are there (`-p`, `--approval-mode`, `--output-format`).

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::TrustFlag;
use crate::terminal::agent_ui::OutputFormat;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail agent -p 'What does this project do?'\n  echo 'Fix the typo in README.md' | hookrail agent --approval-mode auto_edit\n  hookrail agent --replay session.jsonl -p 'offline'"
)]
pub(crate) struct AgentArgs {
    /// The prompt; without it, stdin, or an interactive prompt on a terminal
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// What may run without asking
    #[arg(long, value_enum, default_value_t)]
    pub(crate) approval_mode: ApprovalMode,
    /// The model's name
    #[arg(long, value_name = "NAME", default_value = "gemini-2.5-flash")]
    pub(crate) model: String,
    /// Where the model's API is; else `GOOGLE_GEMINI_BASE_URL`, else Google's
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Answer from this file instead of a model
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    pub(crate) replay: Option<PathBuf>,
    /// Write what the model answers into this file, for a later replay
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// How the answer is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) output_format: OutputFormat,
    /// Where the session log goes
    #[arg(long, value_name = "FILE")]
    pub(crate) session_log: Option<PathBuf>,
    /// How many model calls a prompt may take
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: u32,
    /// History size in bytes past which the oldest turns are summarised
    #[arg(long, value_name = "BYTES", default_value_t = 1_000_000)]
    pub(crate) history_budget: u64,
    /// Print nothing but the answer and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}

/// What may run without asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ApprovalMode {
    /// Read-only tools
    #[default]
    Default,
    /// Also file edits
    AutoEdit,
    /// Everything
    Yolo,
}
