//! `hookrail serve`: the hook system for hosts in other languages.
//!
//! Both limits protect the server from its clients: requests beyond the first wait, lines beyond the second are refused.

use std::path::PathBuf;

use clap::Args;
use hookrail::components::{NatsHook, ServiceUrl};

use super::shared::TrustFlag;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail serve\n  hookrail serve --socket /run/user/1000/hookrail.sock\n  hookrail serve --nats tls://nats.example --credentials service.nk\n  hookrail serve --new-key service.nk"
)]
pub(crate) struct ServeArgs {
    /// Listen on this Unix socket instead of stdin and stdout
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Answer the `remote` hooks of other machines, over this NATS server
    #[arg(long, value_name = "URL", conflicts_with = "socket", value_parser = nats_url)]
    pub(crate) nats: Option<ServiceUrl>,
    /// The subject that is asked
    #[arg(long, value_name = "SUBJECT", requires = "nats", default_value = NatsHook::DEFAULT_SUBJECT, value_parser = subject)]
    pub(crate) subject: String,
    /// The group of services that share the work
    #[arg(long, value_name = "NAME", requires = "nats", default_value = "hookrail", value_parser = subject)]
    pub(crate) queue: String,
    /// A NATS credentials file, or a file with the seed of an nkey
    #[arg(long, value_name = "FILE", requires = "nats")]
    pub(crate) credentials: Option<PathBuf>,
    /// Make a key for `credentials` in this new file, print the public half for the NATS server, and end
    #[arg(long, value_name = "FILE", conflicts_with_all = ["nats", "socket"])]
    pub(crate) new_key: Option<PathBuf>,
    /// Requests worked on at once; further ones wait
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) max_in_flight: u32,
    /// Longest line accepted, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 64 * 1024 * 1024, value_parser = clap::value_parser!(u64).range(1024..))]
    pub(crate) max_line_bytes: u64,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}

fn nats_url(text: &str) -> Result<ServiceUrl, String> {
    let url = ServiceUrl::parse(text).map_err(|why| format!("the address {why}"))?;
    match url.scheme() {
        "nats" | "tls" => Ok(url),
        _ => Err("the address must begin with `nats://` or `tls://`".to_owned()),
    }
}

fn subject(text: &str) -> Result<String, String> {
    if NatsHook::is_subject(text) {
        Ok(text.to_owned())
    } else {
        Err("write words with dots between them, like hookrail.decide".to_owned())
    }
}
