//! One file for each command: `run(args, …, &mut Printer) -> anyhow::Result<ExitStatus>`.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod toggle;
