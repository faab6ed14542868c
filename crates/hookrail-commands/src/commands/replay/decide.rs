//! Today's decision about one call: one session for all calls, in which only hooks without effects are on.
//!
//! The event is `BeforeTool` whatever happened then. Hooks of other events do not decide whether a call runs.

use anyhow::Context as _;
use hookrail::components::{BaseOverrides, Event, ProcessedHookResult};
use hookrail::{EventName, HookOutput, HookSession};

use super::call::PastCall;
use crate::commands::test::case::DecisionWord;
use crate::commands::test::seen;
use crate::signals::{EndSignals, EventLoop};

/// What the hooks decide about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PresentDecision {
    /// Allow, block or ask. A stop before a tool keeps it from running, and counts as a block.
    pub(super) word: DecisionWord,
    /// The reason that the hook gave.
    pub(super) reason: Option<String>,
    /// The hook that decided so.
    pub(super) by: Option<String>,
}

/// Asks hooks about calls.
/// It belongs to one run: plans, compiled matchers and workers are kept from call to call, which is what makes it fast.
pub(super) struct ReplayDecider {
    session: HookSession,
    runtime: EventLoop,
    /// How many hooks an agent would ask and a replay does not.
    pub(super) not_asked: usize,
    /// Set where hooks are processes, which must not outlive an interrupt. Without processes the default is right: the
    /// program ends at once.
    signals: Option<EndSignals>,
    /// Whether the folder last asked about lies in the project.
    last_folder: Option<(String, bool)>,
}

/// The person interrupted the replay.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(super) struct Interrupted;

impl ReplayDecider {
    /// Prepares a session: hooks that may have effects are turned off in it unless they are asked for.
    pub(super) fn new(session: HookSession, run_hooks: bool) -> anyhow::Result<Self> {
        let runtime = crate::signals::runtime()?;
        let mut not_asked = 0;
        let mut has_processes = false;
        if let Some(system) = session.hook_system() {
            system.initialize();
            for status in system.all_hooks() {
                if status.may_run() && status.hook.event == EventName::BeforeTool {
                    let asked = run_hooks || status.hook.is_pure();
                    not_asked += usize::from(!asked);
                    has_processes |=
                        asked && (status.hook.command_text().is_some() || status.hook.service().is_some());
                }
            }
            if !run_hooks {
                system.registry()?.disable_where(|hook| !hook.is_pure());
            }
        }
        let signals = if has_processes {
            let _runtime = runtime.enter();
            Some(EndSignals::listen().context("cannot listen to signals")?)
        } else {
            None
        };
        Ok(Self { session, runtime, not_asked, signals, last_folder: None })
    }

    /// What the hooks decide about a call.
    pub(super) fn decide(&mut self, call: &PastCall) -> Result<PresentDecision, Interrupted> {
        let mut base = BaseOverrides::default();
        base.cwd = self.folder_of(call);
        base.also_matches.clone_from(&call.also_matches);
        base.reading = Some(call.reading.clone());
        let Some(handler) = self.session.hook_system().and_then(|system| system.event_handler().ok()) else {
            return Ok(PresentDecision { word: DecisionWord::Allow, reason: None, by: None });
        };
        let event = Event::BeforeTool { tool_name: &call.tool, tool_input: &call.input };
        let fire = handler.fire_with(&event, &base, &call.extra);
        let result = match &mut self.signals {
            None => self.runtime.block_on(fire),
            Some(signals) => self.runtime.block_on(async {
                tokio::select! {
                    result = fire => Ok(result),
                    _ = signals.next() => Err(Interrupted),
                }
            })?,
        };
        Ok(PresentDecision::of(&result))
    }

    /// Where the call was made, if that is inside of the project. Calls of another folder, or of another machine, are
    /// asked about as if they were made in the project: it is its hooks that are asked.
    fn folder_of(&mut self, call: &PastCall) -> Option<std::path::PathBuf> {
        let folder = call.cwd.as_ref()?;
        let known = self.last_folder.as_ref().filter(|(last, _)| last == folder).map(|(_, inside)| *inside);
        let is_inside = known.unwrap_or_else(|| {
            let path = std::path::Path::new(folder);
            path.canonicalize().is_ok_and(|path| path.starts_with(self.session.working_dir()))
        });
        if known.is_none() {
            self.last_folder = Some((folder.clone(), is_inside));
        }
        is_inside.then(|| folder.into())
    }

    /// Waits for hooks that ran out of time.
    pub(super) fn finish(&self) {
        self.runtime.block_on(self.session.drain());
    }
}

impl PresentDecision {
    /// The first hook whose output has this decision is the one that decided.
    fn of(result: &ProcessedHookResult) -> Self {
        if result.runs.is_empty() && result.block.is_none() {
            return Self { word: DecisionWord::Allow, reason: None, by: None };
        }
        let word = match seen::decision(result) {
            DecisionWord::Stop => DecisionWord::Block,
            word => word,
        };
        let reason = match word {
            DecisionWord::Allow => None,
            DecisionWord::Block | DecisionWord::Ask if result.verdict_reason().is_some() => {
                result.verdict_reason().map(str::to_owned)
            }
            _ => result.stop.as_ref().map(ToString::to_string),
        };
        let decided = |output: &HookOutput| match word {
            DecisionWord::Allow => false,
            DecisionWord::Ask => output.asks(EventName::BeforeTool),
            DecisionWord::Block | DecisionWord::Stop => {
                output.blocks(EventName::BeforeTool) || output.should_stop_execution()
            }
        };
        let run = result.runs.iter().find(|run| run.output.as_ref().is_some_and(decided)).or_else(|| {
            // A block without such an output is the failure of a hook that is set to block then.
            result.runs.iter().find(|run| word == DecisionWord::Block && run.failure().is_some())
        });
        Self { word, reason, by: run.map(|run| run.hook.name.clone()) }
    }
}
