//! One event on its way through its hooks, and calls of which nobody can tell what they do.

use std::path::Path;
use std::sync::Arc;

use super::lifting::Lifting;
use crate::event::{CallReading, Event, EventName, HookInput};
use crate::formats::json_object::JsonObject;
use crate::hook::Hook;
use crate::host::admission::Refused;
use crate::host::engine::Engine;
use crate::host::observer::Records;
use crate::host::patch_calls::PatchCalls;
use crate::plan::planner::{Plan, PlannedHook};
use crate::rules::{Facts, Folders, Subject};
use crate::run::rules::{self, RuleCheck};
use crate::run::{Call, Place};

/// One event, with everything that stays the same for all its hooks.
pub(super) struct EventRun<'a> {
    pub(super) engine: &'a Engine,
    /// The hooks that may have something to say about it.
    pub(super) plan: &'a Plan,
    /// All hooks that listen to it.
    pub(super) whole_plan: &'a Plan,
    /// The event as it came, and what is known of it.
    pub(super) event: &'a Event<'a>,
    pub(super) facts: &'a Facts<'a>,
    pub(super) call: Call<'a>,
    /// Where hooks run.
    pub(super) directory: &'a Path,
    pub(super) records: &'a Records<'a>,
    /// The rules that a person lets this call pass.
    pub(super) lifting: &'a Lifting<'a>,
}

impl EventRun<'_> {
    /// Where the hooks of this event run, and where its call is made.
    pub(super) fn place(&self) -> Place<'_> {
        Place { cwd: self.directory, call: Some(self.call) }
    }

    /// The facts of an event with this subject, as a hook sees them from its own project.
    pub(super) fn facts<'f>(&'f self, hook: &'f Hook, subject: Subject<'f>) -> Facts<'f> {
        facts(self.call, hook.folder(self.call.folders.project), subject)
    }

    /// The facts of an event as it came, as a hook sees them from its own project.
    pub(super) fn facts_of<'f>(&'f self, hook: &'f Hook, input: &'f HookInput<'_>) -> Facts<'f> {
        self.facts(hook, subject_of(input))
    }

    /// The rules that were left out because the event has nothing that they need.
    pub(super) fn left_out(&self) -> impl Iterator<Item = &Arc<Hook>> {
        let is_asked = |hook: &Arc<Hook>| self.plan.hooks.iter().any(|asked| Arc::ptr_eq(&asked.hook, hook));
        let is_narrowed = !std::ptr::eq(self.plan, self.whole_plan);
        let all = self.whole_plan.hooks.iter().filter(move |_| is_narrowed).map(|planned| &planned.hook);
        all.filter(move |hook| !is_asked(hook))
    }

    /// Asks a rule, or the condition of a command, about a call with these arguments. A rule that a person lets this call
    /// pass does not hold.
    pub(super) fn check(
        &self,
        hook: &Arc<Hook>,
        facts: &Facts<'_>,
        tool_input: Option<&JsonObject>,
    ) -> RuleCheck {
        match rules::check(hook, facts) {
            RuleCheck::Answered(run) if self.lifting.lifts(&run, tool_input) => RuleCheck::DoesNotHold,
            asked => asked,
        }
    }

    /// Whether a hook is called for single files of a patch.
    pub(super) fn is_per_file(&self, hook: &Arc<Hook>) -> bool {
        let is_it = |planned: &PlannedHook| planned.per_file && Arc::ptr_eq(&planned.hook, hook);
        self.plan.has_per_file && self.plan.hooks.iter().any(is_it)
    }

    /// Notes a call that cannot be read. It is refused if a guard depends on what it does: one that is for this tool, or
    /// whose condition cannot be decided now.
    pub(super) fn note_unreadable(&self, hooks: &[Arc<Hook>], input: &HookInput<'_>, refused: &mut Refused) {
        let is_guarded = input.event.name() == EventName::BeforeTool;
        if hooks.iter().any(|hook| self.is_per_file(hook))
            && let Err(why) = PatchCalls::of(input.event)
        {
            refused.unreadable_call(&why, is_guarded);
        }
        let Some(CallReading::Unreadable(why)) = self.call.reading.filter(|_| is_guarded) else { return };
        let depends = |hook: &Arc<Hook>| {
            hook.matcher.names_tools() || rules::is_undecided(hook, &self.facts_of(hook, input))
        };
        refused.unreadable_call(why, hooks.iter().any(depends));
    }
}

/// The facts of a call, seen from a project. Nothing is looked at yet.
pub(super) fn facts<'f>(call: Call<'f>, project: &'f Path, subject: Subject<'f>) -> Facts<'f> {
    let subject = Subject { reading: call.reading, ..subject };
    Facts::new(subject, Folders { project, ..call.folders }).told_by(call.told)
}

/// What rules can ask about an event as it came.
pub(super) fn subject_of<'f>(input: &'f HookInput<'_>) -> Subject<'f> {
    Subject { agent: rules::agent_of(input.extra), ..Subject::of(input.event) }
}
