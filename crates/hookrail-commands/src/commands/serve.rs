//! `serve`: the message bus over JSON Lines, on stdin and stdout or on a Unix socket; or for other machines, over NATS.
//!
//! One task per client reads lines and writes answers. Events without hooks are answered on the spot; hooks run in
//! tasks of their own. Everything that waits is bounded: the length of a line, the requests in flight, the answers
//! that a client has not read yet.

mod connection;
pub(crate) mod descriptor;
mod engines;
mod lines;
#[cfg(feature = "nats")]
mod nats;
mod outbox;
mod signals;
mod socket;

#[cfg(feature = "nats")]
use std::fs::File;
#[cfg(feature = "nats")]
use std::io::Write as _;
#[cfg(feature = "nats")]
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::net::UnixListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use self::descriptor::Descriptor;
use self::engines::Engines;
use self::lines::LineMemory;
use self::signals::Phase;
use self::socket::BoundSocket;
use crate::cli::ServeArgs;
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::signals::boxed;
use crate::terminal::printer::Printer;

/// How many lines of the greatest length may be unfinished at once, over all clients.
const LONGEST_LINES: usize = 4;
/// How long the end of killed hooks is waited for.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);
/// The wait after a failed accept, most often because no descriptor is free.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What all clients share.
struct Server {
    /// The hook system that is in force, and older ones that still work.
    engines: Engines,
    /// One permit for each request whose hooks may run now.
    in_flight: Arc<Semaphore>,
    max_line_bytes: usize,
    /// For the unfinished lines of all clients.
    line_memory: Arc<LineMemory>,
    phase: watch::Receiver<Phase>,
}

/// Serves until the input ends or a signal comes.
pub(crate) fn run(args: &ServeArgs, context: &Context) -> anyhow::Result<ExitStatus> {
    if let Some(file) = &args.new_key {
        return new_key(file);
    }
    // One thread: requests without hooks are most of them, and waking another thread costs more than they do.
    let runtime = crate::signals::runtime()?;
    let status = runtime.block_on(serve(args, context));
    // Nothing is left to run unless it was killed, and then nothing is worth waiting for.
    runtime.shutdown_background();
    status
}

/// Writes the secret half of a new key to a new file, and prints the public one.
#[cfg(feature = "nats")]
fn new_key(file: &Path) -> anyhow::Result<ExitStatus> {
    let key = hookrail_remote::NewKey::make().map_err(anyhow::Error::msg)?;
    let written = File::options().create_new(true).write(true).mode(0o600).open(file);
    let written = written.and_then(|mut file| writeln!(file, "{}", key.seed));
    written.with_context(|| format!("cannot write `{}`", file.display()))?;
    Printer::new().data(&key.public)?;
    Ok(ExitStatus::Success)
}

#[cfg(not(feature = "nats"))]
fn new_key(_: &Path) -> anyhow::Result<ExitStatus> {
    anyhow::bail!("this program was built without NATS")
}

/// Sets everything up, takes clients, and waits for what still runs. A first signal stops taking requests, a second one
/// kills hooks.
async fn serve(args: &ServeArgs, context: &Context) -> anyhow::Result<ExitStatus> {
    let (phases, phase) = watch::channel(Phase::Running);
    let signals = signals::ServeSignals::listen().context("cannot listen to signals")?;
    // After the signals: from the moment that its file exists, a request to end removes it again.
    let socket = args.socket.as_deref().map(BoundSocket::bind).transpose()?;
    let max_line_bytes = usize::try_from(args.max_line_bytes).unwrap_or(usize::MAX);
    let server = Arc::new(Server {
        engines: Engines::load(
            context.clone(),
            args.trust.trust_hooks,
            args.nats.as_ref().map(|_| args.subject.clone()),
        )?,
        in_flight: Arc::new(Semaphore::new(usize::try_from(args.max_in_flight).unwrap_or(usize::MAX))),
        max_line_bytes,
        line_memory: LineMemory::new(max_line_bytes.saturating_mul(LONGEST_LINES)),
        phase: phase.clone(),
    });
    let signal_task = tokio::spawn(boxed(signals.handle(phases, Arc::clone(&server))));
    let engines = Arc::clone(&server);
    let noted = tokio::spawn(boxed(async move { engines.engines.note_workers().await }));

    let mut clients = JoinSet::new();
    let work = async {
        match (socket, &args.nats) {
            #[cfg(feature = "nats")]
            (_, Some(url)) => nats::serve(&server, url, args).await?,
            #[cfg(not(feature = "nats"))]
            (_, Some(_)) => anyhow::bail!("this program was built without NATS"),
            (None, None) => serve_stdio(&server, &mut clients)?,
            (Some(socket), None) => accept_clients(&server, &mut clients, socket).await?,
        }
        while clients.join_next().await.is_some() {}
        server.engines.drain(false).await;
        anyhow::Ok(())
    };
    let status = tokio::select! {
        done = work => done.map(|()| ExitStatus::Success),
        () = signals::reached(phase.clone(), Phase::Killed) => {
            // Every hook's task is notified as well and drops its hooks, which kills them.
            let gone = async {
                while clients.join_next().await.is_some() {}
                server.engines.drain(true).await;
            };
            let _ = tokio::time::timeout(KILL_TIMEOUT, gone).await;
            Ok(ExitStatus::Interrupted)
        }
    };
    signal_task.abort();
    noted.abort();
    status
}

/// The one client is the parent process.
fn serve_stdio(server: &Arc<Server>, clients: &mut JoinSet<()>) -> anyhow::Result<()> {
    let input = Descriptor::stdin().context("cannot read from stdin")?;
    let output = Descriptor::stdout().context("cannot write to stdout")?;
    clients.spawn(boxed(connection::serve_client(Arc::clone(server), input, output)));
    Ok(())
}

/// Takes clients until a signal ends it. The socket's file is gone afterwards.
async fn accept_clients(
    server: &Arc<Server>,
    clients: &mut JoinSet<()>,
    mut socket: BoundSocket,
) -> anyhow::Result<()> {
    let listener = UnixListener::from_std(socket.listener()?).context("cannot listen on the socket")?;
    print_message(format_args!(
        "listening on {}",
        crate::terminal::printer::escape_line(&socket.path.to_string_lossy())
    ));
    let mut has_warned = false;
    loop {
        let accepted = tokio::select! {
            () = signals::reached(server.phase.clone(), Phase::Stopping) => break,
            // Collected as they go, so that a long-lived server does not keep a record of each.
            Some(_) = clients.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        if let Err(why) = socket::same_user(&stream) {
            if !std::mem::replace(&mut has_warned, true) {
                print_message(format_args!("warning: refused a client: {why}"));
            }
            continue;
        }
        if let Ok((input, output)) = Descriptor::both_halves(stream) {
            clients.spawn(boxed(connection::serve_client(Arc::clone(server), input, output)));
        }
    }
    Ok(())
}

/// Prints a message on stderr. Tasks have no printer of their own.
fn print_message(text: impl std::fmt::Display) {
    Printer::new().message(text);
}
