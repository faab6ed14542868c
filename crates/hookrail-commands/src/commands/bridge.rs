//! `hookrail bridge`: another agent calls hookrail as its hook, in its own dialect.
//!
//! Whatever goes wrong here must not be read by the agent as an answer it is not: settings that cannot be used, a bad
//! payload and a panic are answered as a refusal in the agent's dialect at guarded events, and with a line on stderr
//! elsewhere.

mod call;
mod memory;
pub(crate) mod nested;
mod once;
mod reaping;
mod stdin;
pub(crate) mod surroundings;

use std::io::{self, Write as _};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hookrail::components::{CallReading, ProcessedHookResult, TypedInput, parse_input};
use hookrail::settings::AgentEvents;
use hookrail::settings::UnusableSettings;
use hookrail::{EventName, HookSession};
use hookrail_bridge::{
    Agent, BridgeEvent, NativeAnswer, Outcome, PROBE, SessionMemory, answer, broken, read, time_budget,
};
use serde_json::Value;

pub(crate) use self::call::bridge_call;
use self::memory::MemoryStore;
use crate::cli::{BridgeArgs, Places};
use crate::commands::allow::{KeptGrants, processes};
use crate::commands::check;
use crate::commands::connect::version::drift;
use crate::commands::keeper::client::KeeperClient;
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::findings;
use crate::hook_log::HookLog;
use crate::terminal::printer::escape_line;

/// The next step where the cause is not the user's settings.
const ASK_DOCTOR: &str = "In a terminal, outside of this agent, `hookrail doctor` shows what is wrong.";

/// The stacks of threads, as large as they usually are.
const STACK_SIZE: usize = 2 << 20;

/// How long stdin is waited for where the command line does not name the event. Agents write it at once.
const UNNAMED_EVENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Answers one event of another agent; nothing, where a hook of another bridge led here.
/// There is no other way out of it than an answer: the exit code is part of the dialect.
pub(crate) fn run(args: &BridgeArgs, places: &Places) -> ExitStatus {
    if nested::is_inside_bridge() {
        return ExitStatus::Success;
    }
    let started = Instant::now();
    let mut stdin = Vec::new();
    let native = answer_or_refuse(args, places, &mut stdin, |stdin| {
        let timeout =
            args.event.as_deref().map_or(UNNAMED_EVENT_TIMEOUT, |event| time_budget(args.agent, event));
        stdin::read(stdin, started + timeout).context("cannot read stdin")?;
        respond(args, places, stdin, started)
    });
    print(&native).unwrap_or_else(|error| {
        let why = format!("the answer cannot be written: {error}");
        let why = native.refusal.as_ref().map_or(why.clone(), |reason| format!("{reason} ({why})"));
        let refusal = refuse(args, &stdin, &why);
        let _ = io::stderr().write_all(refusal.stderr.as_bytes());
        // An empty stdout and exit 0 would be read as no objection.
        let is_refusal = native.refusal.is_some() || !refusal.stdout.is_empty();
        ExitStatus::Native(if is_refusal { 2 } else { 1 })
    })
}

/// Why there is no verdict, in whole sentences for the person.
struct NoVerdict(String);

impl From<anyhow::Error> for NoVerdict {
    fn from(error: anyhow::Error) -> Self {
        Self(format!("{error:#}. {ASK_DOCTOR}"))
    }
}

/// The answer that `work` comes to with what it read; a refusal in its place where it fails or panics. The log has a line
/// about such a refusal too.
fn answer_or_refuse(
    args: &BridgeArgs,
    places: &Places,
    stdin: &mut Vec<u8>,
    work: impl FnOnce(&mut Vec<u8>) -> Result<NativeAnswer, NoVerdict>,
) -> NativeAnswer {
    let why = match std::panic::catch_unwind(AssertUnwindSafe(|| work(stdin))) {
        Ok(Ok(native)) => return native,
        Ok(Err(NoVerdict(why))) => why,
        Err(_) => {
            format!("hookrail failed because of an error in itself; its message is on stderr. {ASK_DOCTOR}")
        }
    };
    let native = refuse(args, stdin, &why);
    if native.refusal.is_some() && stdin != PROBE.as_bytes() {
        // Whatever becomes of the log, the answer is a refusal.
        let _ = std::panic::catch_unwind(AssertUnwindSafe(|| log_refusal(args, places, stdin, &why)));
    }
    native
}

/// Writes down a refusal of which the engine knows nothing. What the call was about is left out: only settings that can be
/// used say whether texts may be logged.
fn log_refusal(args: &BridgeArgs, places: &Places, stdin: &[u8], why: &str) {
    let Ok(context) = surroundings::places(places).map(|places| Context::without_project(&places, |_| None))
    else {
        return;
    };
    let Ok(context) = context else { return };
    let event = read(args.agent, args.event.as_deref(), stdin).ok();
    let log = HookLog::new(&context.state_dir());
    log.set_agent(args.agent.as_str());
    if let Some(session_id) = event.as_ref().and_then(|event| event.session_id.as_deref()) {
        log.set_session(session_id);
    }
    if let Some(cwd) = event.as_ref().and_then(|event| real_folder(event.cwd.as_deref()?)) {
        log.set_project(&cwd);
    }
    let ours = event.as_ref().and_then(|event| event.event).map(EventName::as_str);
    let name = ours.or(args.event.as_deref()).unwrap_or("unknown");
    log.refused(name, event.as_ref().and_then(BridgeEvent::tool_name), why);
}

/// A refusal in the agent's dialect, with the cause, at events that guard something; elsewhere a line on stderr.
fn refuse(args: &BridgeArgs, stdin: &[u8], why: &str) -> NativeAnswer {
    broken(args.agent, args.event.as_deref(), stdin, &escape_line(why))
}

/// Delivers the answer. Nothing depends on stderr, so that it may fail.
fn print(native: &NativeAnswer) -> io::Result<ExitStatus> {
    if !native.stdout.is_empty() && is_null_device(&rustix::stdio::stdout()) {
        return Err(io::Error::other("stdout is closed"));
    }
    let mut out = io::stdout().lock();
    out.write_all(native.stdout.as_bytes()).and_then(|()| out.flush())?;
    let mut err = io::stderr().lock();
    let _ = err.write_all(native.stderr.as_bytes()).and_then(|()| err.flush());
    Ok(ExitStatus::Native(native.exit_code))
}

/// Whether nobody can read what is written there. A stdout that is closed when the program starts is seen as this device:
/// Rust opens it in its place, so that writing to it succeeds.
fn is_null_device(descriptor: &impl std::os::fd::AsFd) -> bool {
    let device = |stat: rustix::fs::Stat| {
        rustix::fs::FileType::from_raw_mode(stat.st_mode).is_char_device().then_some(stat.st_rdev)
    };
    let null = rustix::fs::stat("/dev/null").ok().and_then(device);
    null.is_some() && rustix::fs::fstat(descriptor).ok().and_then(device) == null
}

/// One event, from the payload to the answer. An error becomes a refusal.
fn respond(
    args: &BridgeArgs,
    places: &Places,
    stdin: &[u8],
    started: Instant,
) -> Result<NativeAnswer, NoVerdict> {
    let mut event = read(args.agent, args.event.as_deref(), stdin).map_err(|error| {
        let title = args.agent.title();
        NoVerdict(format!("hookrail does not understand what {title} sent: {error}. {ASK_DOCTOR}"))
    })?;
    let agent = event.agent;
    let places = surroundings::places(places).map_err(NoVerdict)?;
    let user = Context::without_project(&places, |_| None)?;
    let store = MemoryStore::of(&user, agent, event.session_id.as_deref());
    let memory = store.load();
    memory.recall(&mut event);
    let begins = matches!(event.event, Some(EventName::SessionStart | EventName::BeforeAgent));
    if begins || memory.above.is_empty() {
        // Looked for at prompts and the like: an agent that continues a session is another process.
        event.above = processes::of_agent();
    }
    let folder = project_folder(agent, &event, &memory, &user);
    let context = user.in_project_of(folder.as_deref())?;
    if once::is_answered_by_other(args, &event, stdin, folder.as_deref(), &context) {
        return Ok(answer(agent, &event, &Outcome::default(), &SessionMemory::lost()));
    }

    let log = Arc::new(HookLog::new(&context.state_dir()));
    log.set_project(context.project());
    log.set_agent(agent.as_str());
    let grants = Arc::new(KeptGrants::new(&context.state_dir(), Some(agent)));
    let keeper = Arc::new(KeeperClient::new(&places, &context));
    let session = session(agent, &event, &context, &log, started, &grants, &keeper);
    let settings = session.settings();
    if let Err(refusal) = findings::refuse_unusable(settings, &context) {
        let help = "In a terminal, outside of this agent, fix that file; `hookrail check` shows the place.";
        return Err(NoVerdict(format!("{refusal:#}. {help}")));
    }
    let mut outcome = match event.event {
        Some(name) => match fire(&session, name, &event)? {
            Some(result) => outcome_of(&session, &result),
            None => Outcome::default(),
        },
        None => Outcome::default(),
    };
    let unread = match &event.reading {
        Some(CallReading::Unreadable(why)) if outcome.effects.block.is_none() => Some(why.clone()),
        _ => None,
    };
    outcome.notices.extend(grants.problem().map(|problem| format!("hookrail: {problem}")));
    let notices = findings::lines(settings, &context).into_iter().filter(|line| line.for_quiet);
    outcome.notices.extend(notices.map(|line| format!("hookrail: {}", line.text)));
    if event.event.is_some_and(EventName::is_agent_event) {
        // Looked for at prompts and the like: that is often enough, and a tool call does not wait for it.
        let errors = check::errors_outside_of_project(settings, &context);
        outcome.notices.extend(errors.into_iter().map(|error| format!("hookrail: {error}")));
    }
    let mut native = store.answer(|memory| answer(agent, &event, &outcome, memory));
    if let (Some(why), None) = (&unread, &event.native_tool) {
        native.stderr.extend(["hookrail: ", &escape_line(why), "\n"]);
    }
    native.strengthened.extend(unread);
    native.strengthened.extend(keeper.problem());
    log.bridged(&event.native_event, &native.strengthened);
    if event.event == Some(EventName::SessionStart)
        && let Some(note) = drift(agent, &surroundings::trusted_path(&context), &context)
    {
        log.version(&note);
    }
    if let Some(system) = session.hook_system() {
        reaping::kill_after_grace(system);
    }
    // The process ends now: freeing every rule first would only take time. Workers end when they are dropped.
    if session.hook_system().is_none_or(|system| system.workers().is_empty()) {
        std::mem::forget(session);
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
    grants: &Arc<KeptGrants>,
    keeper: &Arc<KeeperClient>,
) -> HookSession {
    let mut builder = context
        .engine(false, Some(log.clone()))
        // Refused above, in the agent's own dialect.
        .unusable_settings(UnusableSettings::Warn)
        .environment_from(surroundings::lazily(context, surroundings::environment))
        .trusted_path(surroundings::lazily(context, surroundings::trusted_path))
        .answer_by(started + time_budget(agent, &event.native_event))
        .grants(grants.clone())
        .keeper(keeper.clone())
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
) -> Result<Option<ProcessedHookResult>, NoVerdict> {
    let Some(system) = session.hook_system() else { return Ok(None) };
    system.initialize();
    let handler = system.event_handler().context("the hooks cannot be read")?;
    if let (true, None, Some(CallReading::Unreadable(why))) =
        (name.has_tool(), &event.native_tool, &event.reading)
    {
        // Any guard may be meant for it.
        let may_be_meant = name.is_guarded() && session.listens_to(name);
        return if may_be_meant { Err(NoVerdict(why.clone())) } else { Ok(None) };
    }
    let input = typed_event(name, event, session.working_dir())?;
    let fields = input.event();
    if !handler.would_run(&fields, &input.base) {
        return Ok(None); // No runtime, no process.
    }
    let mut firing = std::pin::pin!(handler.fire_with(&fields, &input.base, &input.extra));
    if handler.asks_only_rules(&fields, &input.base)
        && let Poll::Ready(result) = firing.as_mut().poll(&mut TaskContext::from_waker(Waker::noop()))
    {
        return Ok(Some(result)); // Rules wait for nothing.
    }
    // Without a size of our own the environment says how large stacks are, and so whether a thread can be had.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().thread_stack_size(STACK_SIZE).build();
    let runtime = runtime.context("hooks cannot be run")?;
    let result = runtime.block_on(firing);
    runtime.shutdown_background();
    Ok(Some(result))
}

/// The event as the engine takes it.
pub(crate) fn typed_event(
    name: EventName,
    event: &BridgeEvent,
    project: &Path,
) -> anyhow::Result<TypedInput> {
    // The bridge made this payload itself, so an error here is a gap in the dialect.
    let mut input = parse_input(name, Value::Object(event.payload.clone()))
        .with_context(|| format!("the payload does not fit {name}"))?;
    input.base.also_matches.clone_from(&event.also_matches);
    input.base.reading.clone_from(&event.reading);
    stay_in_project(&mut input, project);
    Ok(input)
}

/// An agent that changes its directory does not change its guards: the session's project wins over a `cwd` outside of
/// it, which hooks find under `agent`. Relative paths of the call start there all the same.
fn stay_in_project(input: &mut TypedInput, project: &Path) {
    let outside = input.base.cwd.as_ref().is_some_and(|cwd| {
        cwd != project
            && !cwd
                .canonicalize()
                .is_ok_and(|real| project.canonicalize().is_ok_and(|project| real.starts_with(project)))
    });
    if outside && let Some(cwd) = input.base.cwd.replace(project.to_owned()) {
        if let Some(Value::Object(agent)) = input.extra.get_mut("agent") {
            agent.insert("cwd".to_owned(), Value::from(cwd.to_string_lossy()));
        }
        input.base.call_directory = Some(cwd);
    }
}

/// What came of an event. Unlike the agent of this program, other agents apply all events unless the settings
/// exclude them.
pub(crate) fn outcome_of(session: &HookSession, result: &ProcessedHookResult) -> Outcome {
    Outcome::of(result, session.settings().agent_events_or(AgentEvents::Apply))
}

/// Where to search for the project: where the session began, or in the folder above it that the agent's own variable
/// names. A project can put that variable into the environment itself, so that it leads neither elsewhere nor past an
/// approved project.
fn project_folder(
    agent: Agent,
    event: &BridgeEvent,
    memory: &SessionMemory,
    user: &Context,
) -> Option<PathBuf> {
    let began = [&memory.cwd, &event.cwd].into_iter().flatten().find_map(real_folder)?;
    let variable = hookrail_bridge::project_variable(agent).and_then(std::env::var_os);
    let Some(named) = variable.and_then(|folder| real_folder(&folder)) else { return Some(began) };
    if named == began || !began.starts_with(&named) {
        return Some(began);
    }
    let approved = user.approvals().list_projects().unwrap_or_default();
    let passed = approved.into_iter().map(|project| project.path);
    let passed = passed.filter(|project| began.starts_with(project) && project.starts_with(&named));
    Some(passed.max_by_key(|project| project.as_os_str().len()).unwrap_or(named))
}

/// An absolute path to a folder, without links.
fn real_folder(path: impl AsRef<Path>) -> Option<PathBuf> {
    let path = path.as_ref();
    path.canonicalize().ok().filter(|real| path.is_absolute() && real.is_dir())
}

#[cfg(test)]
mod tests;
