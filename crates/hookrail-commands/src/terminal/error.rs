//! How an error is printed: what failed, why, and what helps.

use crate::exit::{ExitStatus, Hinted};
use crate::terminal::printer::{ClosedPipe, Printer, escape_line};

/// Prints an error with its causes and, where there is one, a hint; gives the exit status for it.
/// A pipe that was closed, as by `| head`, is not an error: its reader has read enough.
pub(crate) fn report(error: &anyhow::Error) -> ExitStatus {
    if error.is::<ClosedPipe>() {
        return ExitStatus::Success;
    }
    let mut printer = Printer::new();
    printer.message(format_args!("error: {}", escape_line(&error.to_string())));
    for cause in error.chain().skip(1) {
        printer.message(format_args!("caused by: {}", escape_line(&cause.to_string())));
    }
    let Some(Hinted { hint, status, .. }) = error.downcast_ref::<Hinted>() else {
        return ExitStatus::Failure;
    };
    printer.message(format_args!("hint: {}", escape_line(hint)));
    *status
}
