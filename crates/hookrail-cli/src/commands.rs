//! One file for each command: `run(args, …, &mut Printer) -> anyhow::Result<ExitStatus>`.

pub(crate) mod completions;
