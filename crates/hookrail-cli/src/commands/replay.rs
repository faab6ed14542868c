//! stub
use crate::cli::ReplayArgs;
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::printer::Printer;
pub(crate) fn run(_: &ReplayArgs, _: &Context, _: &mut Printer) -> anyhow::Result<ExitStatus> { Ok(ExitStatus::Success) }
