//! `hookrail agent`: one session of the agent, from the prompt to the exit code.
//!
//! The agent itself prints nothing. Here are its parts put together: the prompt, the model, the terminal, the two logs,
//! and what signals do to it.

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context as _;
use hookrail::components::Escalations;
use hookrail::{EventName, HookRun, SessionEndReason, SessionStartSource};
use hookrail_agent::log::SessionLog;
use hookrail_agent::model::{
    GeminiClient, GeminiOptions, ModelClient, ModelError, RecordingModel, ReplayModel,
};
use hookrail_agent::tools::{ToolContext, ToolTable};
use hookrail_agent::ui::{AgentEvent, Ui as _};
use hookrail_agent::{AgentObserver, PromptOutcome, Session, SessionOptions, SessionParts};
use rustix::process::Signal;

use super::failure_hint;
use crate::cli::{AgentArgs, ApprovalMode};
use crate::commands::allow::KeptGrants;
use crate::context::Context;
use crate::display::home;
use crate::exit::{ExitStatus, misused};
use crate::findings;
use crate::hook_log::HookLog;
use crate::interrupt::Interrupt;
use crate::signals::EndSignals;
use crate::terminal::agent_ui::{AgentUi, TraceView};
use crate::terminal::interactive::{self, InteractivePrompt, SessionEnded};
use crate::terminal::progress::Progress;
use crate::terminal::screen;

/// How long `SessionEnd` hooks may take after Ctrl-C.
/// Without Ctrl-C they get their own timeouts.
const SESSION_END_GRACE: Duration = Duration::from_secs(5);

/// The prompt is read before anything else, so that a mistake in it starts no session and no hook.
pub(crate) fn run(args: &AgentArgs, context: &Context) -> anyhow::Result<ExitStatus> {
    let prompt = read_prompt(args)?;
    let runtime = crate::signals::runtime()?;
    let outcome = runtime.block_on(until_killed(args, context, prompt));
    // A thread that hangs in a file system or waits for a key press does not keep the program alive.
    runtime.shutdown_background();
    outcome
}

/// Where prompts come from.
/// An empty prompt is missing, not interactive: a script with an unset variable must not wait for a person.
enum Prompt {
    Given(String),
    Interactive,
}

/// `-p`, else a terminal, else all of stdin.
fn read_prompt(args: &AgentArgs) -> anyhow::Result<Prompt> {
    let text = match &args.prompt {
        Some(prompt) => prompt.clone(),
        None if screen::is_stdin_typed() => return Ok(Prompt::Interactive),
        None => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).context("cannot read the prompt from stdin")?;
            // The line end belongs to `echo`, not to the prompt.
            String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned()
        }
    };
    if text.trim().is_empty() {
        return misused("there is no prompt", "hookrail agent -p 'What does this project do?'");
    }
    Ok(Prompt::Given(text))
}

/// Runs the session. Ctrl-C interrupts it as [`Interrupt`] decides; once it is to end, a further signal drops everything,
/// which kills hooks and tools.
/// Before that, hooks and tools end by their own means and the session's end is logged.
async fn until_killed(args: &AgentArgs, context: &Context, prompt: Prompt) -> anyhow::Result<ExitStatus> {
    let interrupt = Interrupt::new(matches!(prompt, Prompt::Interactive));
    let mut signals = EndSignals::listen()?;
    let escalations = OnceLock::new();
    let session = run_session(args, context, prompt, &interrupt, &escalations);
    let interrupted = async {
        // At the interactive prompt Ctrl-C is a key, and the prompt ends the session by itself.
        while !interrupt.is_ended() {
            tokio::select! {
                biased;
                () = interrupt.ended() => {}
                signal = signals.next() => if signal == Signal::INT { interrupt.press() } else { interrupt.end() },
            }
        }
        signals.next().await;
    };
    let outcome = tokio::select! {
        biased;
        () = interrupted => None,
        outcome = session => Some(outcome),
    };
    outcome.unwrap_or_else(|| {
        // Hooks that ran out of time before are not waited for either.
        escalations.get().inspect(|escalations| escalations.kill());
        Ok(ExitStatus::Interrupted)
    })
}

/// One session. What can be refused is refused before its first hook runs: settings that cannot be used, a log that
/// cannot be written, a key that is missing.
async fn run_session(
    args: &AgentArgs,
    context: &Context,
    prompt: Prompt,
    interrupt: &Interrupt,
    escalations: &OnceLock<Escalations>,
) -> anyhow::Result<ExitStatus> {
    let session_id = uuid::Uuid::new_v4().to_string();
    let log_path = args.session_log.clone().unwrap_or_else(|| default_log_path(context, &session_id));
    let log = SessionLog::open(&log_path, &session_id)
        .with_context(|| format!("cannot write the session log `{}`", log_path.display()))?;
    let log = Arc::new(log);
    let ui = Arc::new(AgentUi::new(args.output_format, args.quiet, &session_id, &args.model));
    let progress = Arc::new(Progress::on_stderr(Some(ui.clone()), !args.quiet));
    let model = model(args, &progress)?;
    let observer = AgentObserver {
        log: Arc::clone(&log),
        ui: progress.clone(),
        next: Some(engine_log(context, &session_id)),
    };
    let hooks = context
        .engine(args.trust.trust_hooks, Some(Arc::new(observer)))
        .session_id(&session_id)
        .grants(Arc::new(KeptGrants::new(&context.state_dir(), None)))
        .transcript_path(log.path())
        .build();
    findings::refuse_unusable(hooks.settings(), context)?;
    for line in findings::lines(hooks.settings(), context) {
        if line.for_quiet { ui.print_always(&line.text) } else { ui.print_message(&line.text) }
    }
    // Before any hook of the session runs for nothing. Where a hook may answer in place of the model, it is tried.
    let may_answer = |event| event == EventName::BeforeModel;
    if is_key_missing(args) && !hooks.settings().hooks.iter().any(|hook| may_answer(hook.hook.event)) {
        return Err(ModelError::MissingKey.into());
    }
    let effects = hooks.settings().agent_events();
    let hints = context.clone();
    let hint = move |event, run: &HookRun| failure_hint::hint(event, run, &hints);
    ui.set_view(TraceView { effects, hint: Box::new(hint) });
    if let Some(system) = hooks.hook_system() {
        escalations.get_or_init(|| system.escalations());
    }

    let mut session = Session::new(SessionParts {
        context: ToolContext {
            project: context.project().to_owned(),
            cancel: interrupt.turn(),
            ..ToolContext::default()
        },
        hooks,
        model,
        tools: ToolTable::standard(),
        log,
        ui: progress.clone(),
        options: SessionOptions {
            model: args.model.clone(),
            approval: approval_mode(args.approval_mode),
            max_turns: args.max_turns,
            history_budget: usize::try_from(args.history_budget).unwrap_or(usize::MAX),
        },
    });
    let ended = match (session.start(SessionStartSource::Startup).await, prompt) {
        (Err(outcome), _) => {
            if matches!(outcome, PromptOutcome::Cancelled) {
                // There is no turn yet that could be given up alone.
                interrupt.end();
            }
            ended(&ui, &progress, outcome)
        }
        (Ok(()), Prompt::Given(prompt)) => {
            let outcome = session.prompt(&prompt).await;
            ended(&ui, &progress, outcome)
        }
        (Ok(()), Prompt::Interactive) => {
            let history = home(context).map(|_| context.state_dir().join("history"));
            let quiet = args.quiet;
            let prompt = InteractivePrompt { ui: &ui, progress: &progress, interrupt, history, quiet };
            interactive::run(&mut session, &prompt).await
        }
    };
    session.end(ended.reason, interrupt.is_ended().then_some(SESSION_END_GRACE)).await;
    progress.idle();
    if let Some(system) = session.hooks().hook_system() {
        engine_log(context, &session_id).workers(&system.workers());
        system.drain().await;
    }
    if let Some(problem) = session.parts().log.problem() {
        ui.print_message(&format!(
            "warning: the session log `{}` is not complete: {problem}",
            log_path.display()
        ));
    }
    ended.status
}

/// The end of a run that had one prompt.
fn ended(ui: &AgentUi, progress: &Progress, outcome: PromptOutcome) -> SessionEnded {
    progress.idle();
    SessionEnded { status: ui.finish(outcome), reason: SessionEndReason::Exit }
}

/// In the user's state and not in the project: a transcript holds whatever the model saw.
fn default_log_path(context: &Context, session_id: &str) -> PathBuf {
    context.state_dir().join("sessions").join(format!("{session_id}.jsonl"))
}

/// The engine's own log, which `hookrail log` reads.
/// Lines of it name the session, so that `log --save-test` finds what the hooks were given.
fn engine_log(context: &Context, session_id: &str) -> Arc<HookLog> {
    let log = HookLog::new(&context.state_dir());
    log.set_project(context.project());
    log.set_session(session_id);
    Arc::new(log)
}

/// The client of the model that answers. Nothing touches the network before the first call.
fn model(args: &AgentArgs, ui: &Arc<Progress>) -> anyhow::Result<Arc<dyn ModelClient>> {
    if let Some(file) = &args.replay {
        return Ok(Arc::new(ReplayModel::load(file)?));
    }
    let options = GeminiOptions::from_env(args.base_url.as_deref(), |name| std::env::var(name).ok());
    let watcher = Arc::clone(ui);
    let gemini = GeminiClient::with_retry_notice(options, move |notice| {
        watcher.notify(&AgentEvent::Notice(&notice.to_string()));
    });
    match &args.record {
        Some(file) => Ok(Arc::new(RecordingModel::create(file, gemini)?)),
        None => Ok(Arc::new(gemini)),
    }
}

/// Whether a model is to be called for which there is no key.
/// A replay needs none.
fn is_key_missing(args: &AgentArgs) -> bool {
    let options = GeminiOptions::from_env(args.base_url.as_deref(), |name| std::env::var(name).ok());
    args.replay.is_none() && options.api_key.is_none()
}

/// The program's words and the library's type are kept apart, so that either can change.
fn approval_mode(mode: ApprovalMode) -> hookrail_agent::ApprovalMode {
    match mode {
        ApprovalMode::Default => hookrail_agent::ApprovalMode::Default,
        ApprovalMode::AutoEdit => hookrail_agent::ApprovalMode::AutoEdit,
        ApprovalMode::Yolo => hookrail_agent::ApprovalMode::Yolo,
    }
}
