//! `hookrail mcp`: between an MCP client and a server, for clients without hooks.
//!
//! Whatever passes is passed on byte for byte; calls of tools are held until the hooks have decided. Clients load a
//! project's variables into the environment, so that nothing that decides is taken from there.

mod guard;
mod lines;
mod message;
mod proxy;
mod server;
pub(crate) mod wrap;

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use hookrail::SessionEndReason;
use rustix::process::Signal;
use tokio::sync::mpsc::channel;
use tokio::time::{Instant, sleep, timeout};

use self::guard::Guard;
use self::lines::Lines;
use self::proxy::{Pipes, Proxy, write_lines};
use self::server::{END_GRACE, Server};
use crate::cli::Places;
use crate::commands::bridge::{nested, surroundings};
use crate::commands::serve::descriptor::Descriptor;
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::signals::{EndSignals, boxed};
use crate::terminal::printer::{Printer, escape_line};

/// How many lines may wait for each side.
const QUEUED: usize = 4;
/// What a server that has ended may have left in its pipe is read until nothing came for so long: what it started may
/// keep the pipe open.
const LAST_OUTPUT: Duration = Duration::from_millis(300);
/// How long the client may take to read the last answers, and hooks to see the end of the session.
const LAST_WORDS: Duration = Duration::from_millis(1500);
/// The exit code of shells for a program that cannot be started.
const NOT_STARTED: u8 = 127;

/// Passes messages between the client and the server until one of them ends.
pub(crate) fn run(server: &str, command: &[OsString], places: &Places) -> anyhow::Result<ExitStatus> {
    if nested::is_inside_bridge()
        && let Some((program, arguments)) = command.split_first()
    {
        // A hook started this client. Its calls are not asked about again.
        let error = std::process::Command::new(program).args(arguments).exec();
        return Ok(not_started(program, &error));
    }
    let runtime = crate::signals::runtime()?;
    let status = runtime.block_on(pass_messages(server, command, places));
    runtime.shutdown_background();
    status
}

fn not_started(program: &std::ffi::OsStr, error: &std::io::Error) -> ExitStatus {
    let program = escape_line(&program.to_string_lossy());
    Printer::new().message(format_args!("error: cannot start the server `{program}`: {error}"));
    ExitStatus::Native(NOT_STARTED)
}

async fn pass_messages(name: &str, command: &[OsString], places: &Places) -> anyhow::Result<ExitStatus> {
    let mut signals = EndSignals::listen().context("cannot listen to signals")?;
    let (server, to_server, from_server) = match Server::start(command) {
        Ok(started) => started,
        Err(error) => {
            return Ok(not_started(command.first().map(OsString::as_os_str).unwrap_or_default(), &error));
        }
    };
    let proxy = Arc::new(Proxy::new(guard(name, places), name));
    let (pipes, server_lines, client_lines) = {
        let ((to_server, server_lines), (to_client, client_lines)) = (channel(QUEUED), channel(QUEUED));
        (Pipes { to_server, to_client }, server_lines, client_lines)
    };
    let to_client = pipes.to_client.clone();
    let input = Lines::of(Descriptor::stdin().context("cannot read from stdin")?);
    let output = Descriptor::stdout().context("cannot write to stdout")?;
    let mut server_writer = tokio::spawn(boxed(write_lines(server_lines, to_server, true)));
    let mut client_writer = tokio::spawn(boxed(write_lines(client_lines, output, false)));
    let client_reader = tokio::spawn(boxed(Arc::clone(&proxy).read_client(input, pipes)));
    let mut server_reader =
        tokio::spawn(boxed(Arc::clone(&proxy).read_server(Lines::of(from_server), to_client.clone())));

    let (mut is_closed, mut is_client_gone) = (false, false);
    let code = loop {
        let grace = proxy.quiet_since().unwrap_or_else(Instant::now) + END_GRACE;
        tokio::select! {
            code = server.ended() => break code,
            signal = signals.next() => break end(&server, signal, &mut signals).await,
            // The client has closed its end, and every call that was held is decided.
            _ = &mut server_writer, if !is_closed => is_closed = true,
            _ = &mut client_writer, if !is_client_gone => {
                is_client_gone = true;
                client_reader.abort();
                proxy.give_up();
            }
            () = tokio::time::sleep_until(grace), if is_closed => {
                if proxy.quiet_since().is_some_and(|since| since.elapsed() >= END_GRACE) {
                    break end(&server, Signal::TERM, &mut signals).await;
                }
            }
        }
    };
    client_reader.abort();
    proxy.give_up();
    let mut pause = Box::pin(sleep(LAST_OUTPUT));
    loop {
        tokio::select! {
            _ = &mut server_reader => break,
            () = &mut pause => {
                if proxy.quiet_since().is_some_and(|since| since.elapsed() >= LAST_OUTPUT) {
                    server_reader.abort();
                    break;
                }
                pause.as_mut().reset(Instant::now() + LAST_OUTPUT);
            }
            _ = signals.next() => break,
        }
    }
    let last_words = async {
        proxy.finish_tasks().await;
        proxy.answer_the_rest(&to_client).await;
        drop(to_client);
        if !is_client_gone {
            let _ = timeout(LAST_WORDS, client_writer).await;
        }
        if let (Ok(guard), true) = (&proxy.guard, proxy.has_session()) {
            let _ = timeout(LAST_WORDS, guard.current().fire_session_end(SessionEndReason::Exit)).await;
        }
    };
    tokio::select! {
        () = last_words => {}
        _ = signals.next() => {}
    }
    if let Ok(guard) = &proxy.guard {
        guard.drain().await;
    }
    Ok(ExitStatus::Native(code))
}

/// The hooks that decide, or why every call is refused.
fn guard(name: &str, places: &Places) -> Result<Guard, String> {
    let places = surroundings::places(places)?;
    let context = Context::without_project(&places, |_| None).and_then(|user| user.in_project_of(None));
    let context = context.map_err(|error| format!("hookrail cannot work here: {error:#}"))?;
    Ok(Guard::load(context, name))
}

/// Ends the server with a signal; a second signal kills it.
async fn end(server: &Server, first: Signal, signals: &mut EndSignals) -> u8 {
    tokio::select! {
        code = server.end(first) => code,
        _ = signals.next() => {
            server.signal(Signal::KILL);
            server.ended().await
        }
    }
}
