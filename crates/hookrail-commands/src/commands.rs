//! One file for each command: `run(args, …, &mut Printer) -> anyhow::Result<ExitStatus>`.
//!
//! A command parses nothing and prints through the [`Printer`](crate::terminal::printer::Printer) alone: data to
//! stdout, everything else to stderr. An `Err` is something that kept the command from its work. What it found out,
//! also something bad, is an exit status.

pub(crate) mod agent;
pub(crate) mod allow;
pub(crate) mod bridge;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod connect;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod facts;
mod failure_hint;
pub(crate) mod fire;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod keeper;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod mcp;
mod other_programs;
pub(crate) mod policy;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod serve;
mod sessions;
pub(crate) mod setup;
pub(crate) mod status;
pub(crate) mod statusline;
pub(crate) mod test;
pub(crate) mod toggle;
pub(crate) mod trust;
