//! A pager for long output on a terminal, as `git log` has one.

use std::io::{self, Write as _};
use std::process::{Child, Command, Stdio};

use super::printer::Printer;
use super::screen::is_stdout_shown;

/// A pager that shows what is printed from now on.
pub(crate) struct Pager {
    child: Child,
    /// Ctrl-C is for the pager while it runs: without us it and the shell would read the same keyboard.
    _interrupts: Option<crate::signals::EventLoop>,
}

impl Printer {
    /// Lets a pager show what is printed on stdout; `None` where nobody would see it, or where no pager is wanted or there.
    pub(crate) fn start_pager(&mut self) -> Option<Pager> {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        if is_dumb || !is_stdout_shown() {
            return None;
        }
        let chosen = std::env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
        if matches!(chosen.trim(), "" | "cat") {
            return None;
        }
        let mut command = Command::new("/bin/sh");
        // `exec` fails with 127 for a program that is not there; that is asked first, as text would be lost with it.
        let program = chosen.split_whitespace().next().unwrap_or_default().to_owned();
        let found = Command::new("/bin/sh")
            .args(["-c", "command -v -- \"$1\" >/dev/null 2>&1", "sh", &program])
            .stdin(Stdio::null())
            .status();
        if !found.is_ok_and(|status| status.success()) {
            return None;
        }
        command.arg("-c").arg(format!("exec {chosen}")).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            // Quits if everything fits, keeps colours, leaves the text on the screen.
            command.env("LESS", "FRX");
        }
        let mut child = command.spawn().ok()?;
        let input = child.stdin.take()?;
        let input: Box<dyn io::Write + Send> = Box::new(io::BufWriter::new(input));
        let is_plain = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
        self.redirect(if is_plain { Box::new(anstream::StripStream::new(input)) } else { input });
        Some(Pager { child, _interrupts: interrupts() })
    }
}

impl Pager {
    /// Waits until the person is done with it.
    pub(crate) fn wait(mut self, printer: &mut Printer) {
        let _ = printer.flush();
        printer.abandon_stdout();
        let _ = self.child.wait();
        let _ = io::stdout().flush();
    }
}

/// Keeps Ctrl-C from ending this program; the handler stays once it is there.
fn interrupts() -> Option<crate::signals::EventLoop> {
    let runtime = crate::signals::runtime().ok()?;
    let listening = {
        let _entered = runtime.enter();
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).is_ok()
    };
    listening.then_some(runtime)
}
