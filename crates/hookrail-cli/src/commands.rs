//! One file for each command: `run(args, …, &mut Printer) -> anyhow::Result<ExitStatus>`.

pub(crate) mod agent;
pub(crate) mod bridge;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod connect;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod facts;
pub(crate) mod fire;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod replay;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod test;
pub(crate) mod toggle;
pub(crate) mod trust;
