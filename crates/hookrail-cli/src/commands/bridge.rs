//! `hookrail bridge`: another agent calls hookrail as its hook, in its own dialect.
//!
//! Whatever goes wrong here must not be read by the agent as an answer it is not: settings that cannot be used, a bad
//! payload and a panic are answered as a refusal in the agent's dialect at guarded events, and with a line on stderr
//! elsewhere.

mod call;
mod memory;
mod reaping;
mod stdin;

use std::io::{self, Write as _};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hookrail::components::{AgentEvents, ProcessedHookResult, TypedInput, parse_input};
use hookrail::{BlockCause, EventName, HookSession, JsonObject, UnusableSettings};
use hookrail_bridge::{
    Agent, BridgeEvent, NativeAnswer, SessionMemory, Verdict, answer, broken, read, time_budget,
};
use serde_json::Value;

pub(crate) use self::call::bridge_call;
use self::memory::MemoryStore;
use crate::cli::BridgeArgs;
use crate::context::Context;
use crate::display::home;
use crate::exit::ExitStatus;
use crate::findings;
use crate::hook_log::HookLog;
use crate::terminal::printer::escape_line;

/// Set for the hooks that a bridge runs: a bridge inside of a bridge answers nothing.
const INSIDE_BRIDGE: &str = "HOOKRAIL_BRIDGE";

/// The next step where the cause is not the user's settings.
const ASK_DOCTOR: &str = "In a terminal, outside of this agent, `hookrail doctor` looks at the whole chain.";

/// How long stdin is waited for where the command line does not name the event. Agents write it at once.
const UNNAMED_EVENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Answers one event of another agent.
/// There is no other way out of it than an answer: the exit code is part of the dialect.
pub(crate) fn run(args: &BridgeArgs, directory: Option<&Path>) -> ExitStatus {
    if std::env::var_os(INSIDE_BRIDGE).is_some_and(|value| !value.is_empty()) {
        return ExitStatus::Success;
    }
    let started = Instant::now();
    let mut stdin = Vec::new();
    let native = answer_or_refuse(args, &mut stdin, |stdin| {
        let timeout =
            args.event.as_deref().map_or(UNNAMED_EVENT_TIMEOUT, |event| time_budget(args.agent, event));
        stdin::read(stdin, started + timeout).context("cannot read stdin")?;
        respond(args, directory, stdin, started)
    });
    print(&native).unwrap_or_else(|error| {
        let why = format!("the answer cannot be written: {error}");
        let refusal = refuse(args, &stdin, &why);
        let _ = io::stderr().write_all(refusal.stderr.as_bytes());
        // An empty stdout and exit 0 would be read as no objection.
        ExitStatus::Native(if refusal.stdout.is_empty() { 1 } else { 2 })
    })
}

/// The answer that `work` comes to with what it read; a refusal in its place where it fails or panics.
fn answer_or_refuse(
    args: &BridgeArgs,
    stdin: &mut Vec<u8>,
    work: impl FnOnce(&mut Vec<u8>) -> anyhow::Result<NativeAnswer>,
) -> NativeAnswer {
    match std::panic::catch_unwind(AssertUnwindSafe(|| work(stdin))) {
        Ok(Ok(native)) => native,
        Ok(Err(error)) => refuse(args, stdin, &format!("{error:#}. {ASK_DOCTOR}")),
        Err(_) => {
            let why = "hookrail failed by its own fault; its message is on stderr.";
            refuse(args, stdin, &format!("{why} {ASK_DOCTOR}"))
        }
    }
}

/// A refusal in the agent's dialect, with the cause, at events that guard something; elsewhere a line on stderr.
fn refuse(args: &BridgeArgs, stdin: &[u8], why: &str) -> NativeAnswer {
    broken(args.agent, args.event.as_deref(), stdin, &escape_line(why))
}

/// Delivers the answer. Nothing depends on stderr, so that it may fail.
fn print(native: &NativeAnswer) -> io::Result<ExitStatus> {
    let mut out = io::stdout().lock();
    out.write_all(native.stdout.as_bytes()).and_then(|()| out.flush())?;
    let mut err = io::stderr().lock();
    let _ = err.write_all(native.stderr.as_bytes()).and_then(|()| err.flush());
    Ok(ExitStatus::Native(native.exit_code))
}

/// One event, from the payload to the answer. An `Err` becomes a refusal.
fn respond(
    args: &BridgeArgs,
    directory: Option<&Path>,
    stdin: &[u8],
    started: Instant,
) -> anyhow::Result<NativeAnswer> {
    let agent = args.agent;
    let mut event = match read(agent, args.event.as_deref(), stdin) {
        Ok(event) => event,
        Err(error) => {
            let why = format!("hookrail does not understand what {} sent: {error}.", agent.title());
            return Ok(refuse(args, stdin, &format!("{why} {ASK_DOCTOR}")));
        }
    };
    let user = Context::without_project(directory)?;
    if home(&user).is_none() {
        let why = "there is no home directory, so your hooks cannot be found; set HOME";
        return Ok(refuse(args, stdin, why));
    }
    let store = MemoryStore::of(&user, agent, event.session_id.as_deref());
    let memory = store.load();
    memory.recall(&mut event);
    let context = user.in_project_of(project_folder(agent, &event, &memory).as_deref())?;

    let log = Arc::new(HookLog::new(&context.state_dir()));
    log.set_project(context.project());
    log.set_agent(agent.as_str());
    let session = session(agent, &event, &context, &log, started);
    let settings = session.settings();
    if let Err(refusal) = findings::refuse_unusable(settings, &context) {
        let help = "In a terminal, outside of this agent, fix that file; `hookrail check` shows the place.";
        return Ok(refuse(args, stdin, &format!("{refusal:#}. {help}")));
    }
    let mut verdict = match event.event {
        Some(name) => match fire(&session, name, &event)? {
            Some(result) => verdict_of(&session, &result),
            None => Verdict::default(),
        },
        None => Verdict::default(),
    };
    let notices = findings::lines(settings, &context).into_iter().filter(|line| line.for_quiet);
    verdict.notices.extend(notices.map(|line| format!("hookrail: {}", line.text)));
    let native = store.answer(|memory| answer(agent, &event, &verdict, memory));
    log.bridged(&event.native_event, &native.strengthened);
    if let Some(system) = session.hook_system() {
        reaping::kill_after_grace(system);
    }
    Ok(native)
}

/// A session of the engine that answers within the time that the agent grants.
/// Hooks that take longer than the agent waits are ended early enough to answer for them.
fn session(
    agent: Agent,
    event: &BridgeEvent,
    context: &Context,
    log: &Arc<HookLog>,
    started: Instant,
) -> HookSession {
    let mut environment: Vec<_> = std::env::vars_os().collect();
    environment.push((INSIDE_BRIDGE.into(), "1".into()));
    let mut builder = context
        .engine(false, Some(log.clone()))
        // Refused above, in the agent's own dialect.
        .unusable_settings(UnusableSettings::Warn)
        .environment(environment)
        .answer_by(started + time_budget(agent, &event.native_event))
        .without_examples();
    if let Some(session_id) = &event.session_id {
        builder = builder.session_id(session_id);
    }
    let session = builder.build();
    log.set_session(session.session_id());
    session
}

/// Runs the hooks of an event; `None` when none listens.
/// The runtime is made only if a hook will run, since most events have none.
fn fire(
    session: &HookSession,
    name: EventName,
    event: &BridgeEvent,
) -> anyhow::Result<Option<ProcessedHookResult>> {
    let Some(system) = session.hook_system() else { return Ok(None) };
    system.initialize();
    let mut input = typed_input(name, &event.payload)?;
    input.base.also_matches.clone_from(&event.also_matches);
    stay_in_project(&mut input, session.working_dir());
    let fields = input.event();
    let handler = system.event_handler()?;
    if !handler.would_run(&fields, &input.base) {
        return Ok(None); // No runtime, no process.
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(handler.fire_with(&fields, &input.base, &input.extra));
    runtime.shutdown_background();
    Ok(Some(result))
}

/// An agent that changes its directory does not change its guards: the session's project wins over a `cwd` outside of
/// it, which hooks find under `agent`.
fn stay_in_project(input: &mut TypedInput, project: &Path) {
    let outside = input.base.cwd.as_ref().is_some_and(|cwd| {
        !cwd.canonicalize()
            .is_ok_and(|real| project.canonicalize().is_ok_and(|project| real.starts_with(project)))
    });
    if outside
        && let Some(cwd) = input.base.cwd.replace(project.to_owned())
        && let Some(Value::Object(agent)) = input.extra.get_mut("agent")
    {
        agent.insert("cwd".to_owned(), Value::from(cwd.to_string_lossy()));
    }
}

/// The bridge made this payload itself, so an error here is a gap in the dialect.
fn typed_input(name: EventName, payload: &JsonObject) -> anyhow::Result<TypedInput> {
    parse_input(name, Value::Object(payload.clone()))
        .with_context(|| format!("the payload does not fit {name}"))
}

/// What came of an event. Unlike the agent of this program, other agents apply all events unless the settings
/// exclude them; a guard that is missing refuses in any case.
fn verdict_of(session: &HookSession, result: &ProcessedHookResult) -> Verdict {
    let verdict = Verdict::from_result(result);
    if !session.settings().agent_events_or(AgentEvents::Apply).only_observes(result.event) {
        return verdict;
    }
    let block = verdict.block.filter(|block| block.cause == BlockCause::Failure);
    Verdict { block, messages: verdict.messages, ..Verdict::default() }
}

/// Where to search for the project: the folder in the agent's own variable, else where the session began.
fn project_folder(agent: Agent, event: &BridgeEvent, memory: &SessionMemory) -> Option<PathBuf> {
    let variable =
        hookrail_bridge::project_variable(agent).and_then(std::env::var_os).filter(|value| !value.is_empty());
    let named = [memory.cwd.as_ref(), event.cwd.as_ref()].into_iter().flatten().map(PathBuf::from);
    variable.map(PathBuf::from).into_iter().chain(named).find(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests;
