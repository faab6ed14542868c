//! What the tests exercised: hooks and rules that ran, decided or blocked, tools of matchers, examples of rules.
//!
//! A hook that decided in no test is a hook whose decision was not checked. For a guard only a block or a question
//! counts: one that keeps nothing back in any test may have stopped guarding.

mod calls;

use hookrail::components::{HookKind, Level, OnFailure, ProcessedHookResult, TypedInput};
use hookrail::settings::ResolvedSettings;
use hookrail::{EventName, Hook, HookOutput, HookRun};
use serde::Serialize;

use self::calls::Calls;
use crate::context::Context;
use crate::display::shown_origin;
use crate::terminal::printer::escape_line;

/// How many untried examples are shown one by one.
const SHOWN_EXAMPLES: usize = 5;

/// What tests saw of the configured hooks.
/// Hooks that are off are not in it.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    hooks: Vec<Covered>,
    calls: Calls,
}

/// What tests saw of one hook. The fields that are written are a contract.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Covered {
    /// The name of the hook or rule.
    hook: String,
    /// Whether some test made it run.
    ran: bool,
    /// Whether in some test it blocked, asked, stopped or changed something.
    decided: bool,
    /// Whether some test got through its matcher.
    matched: bool,
    /// Whether it blocked or asked in some test; `None` for a hook that is not a guard.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<bool>,
    /// Tools that its matcher names and no test used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unused_tools: Vec<String>,
    /// Examples of a rule that no test repeats.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    untried_examples: Vec<String>,
    #[serde(skip)]
    place: String,
    #[serde(skip)]
    configured: Hook,
}

/// What distinguishes a hook from the others, also where a test's own project holds a copy of its settings.
fn identity(hook: &Hook) -> (&Level, usize, EventName, &str) {
    (&hook.origin.level, hook.origin.line, hook.event, &hook.name)
}

impl Coverage {
    /// All hooks that are on, none of them covered yet.
    pub(crate) fn new(settings: &ResolvedSettings, context: &Context) -> Self {
        let hooks = settings.hooks.iter().filter(|resolved| resolved.on).map(|resolved| Covered {
            hook: resolved.hook.name.clone(),
            ran: false,
            decided: false,
            matched: false,
            blocked: is_guard(&resolved.hook).then_some(false),
            unused_tools: Vec::new(),
            untried_examples: Vec::new(),
            place: shown_origin(&resolved.hook.origin, context),
            configured: Hook::clone(&resolved.hook),
        });
        Self { hooks: hooks.collect(), calls: Calls::default() }
    }

    /// Adds what one test saw.
    pub(crate) fn add(&mut self, input: &TypedInput, result: &ProcessedHookResult) {
        self.calls.add(input);
        for run in &result.runs {
            if let Some(covered) = self.of(&run.hook) {
                covered.ran = true;
                covered.matched = true;
                covered.decided |=
                    run.output.as_ref().is_some_and(|output| decides(run.hook.event, output)) || guards(run);
                covered.blocked = covered.blocked.map(|blocked| blocked || guards(run));
            }
        }
        for hook in result.all_not_held() {
            if let Some(covered) = self.of(hook) {
                covered.matched = true;
            }
        }
    }

    /// `None` for a hook that only the test's own project has.
    fn of(&mut self, hook: &Hook) -> Option<&mut Covered> {
        self.hooks.iter_mut().find(|covered| identity(&covered.configured) == identity(hook))
    }

    /// Everything, for programs.
    pub(crate) fn hooks(&mut self) -> &[Covered] {
        for covered in &mut self.hooks {
            covered.unused_tools = self.calls.unused_tools(&covered.configured);
            covered.untried_examples = self.calls.untried_examples(&covered.configured);
        }
        &self.hooks
    }

    /// What no test exercised, for people.
    pub(crate) fn render(&mut self) -> String {
        let hooks = self.hooks();
        let count = |is: fn(&Covered) -> bool| hooks.iter().filter(|covered| is(covered)).count();
        let (all, ran, decided) =
            (hooks.len(), count(|covered| covered.ran), count(|covered| covered.decided));
        let (guards, blocked) =
            (count(|covered| covered.blocked.is_some()), count(|covered| covered.blocked == Some(true)));
        let mut lines = vec![format!(
            "coverage: {ran} of {all} hooks and rules ran, {decided} decided; {blocked} of {guards} guards blocked or asked"
        )];
        for covered in hooks {
            let name = escape_line(&covered.hook);
            if let Some(what) = covered.missing() {
                lines.push(format!("  {name}: {what} ({})", covered.place));
            }
            // Where nothing got through the matcher, its tools are all missing, which was just reported.
            if covered.matched && !covered.unused_tools.is_empty() {
                let tools = escape_line(&covered.unused_tools.join("`, `"));
                let matcher = escape_line(covered.configured.matcher.text().unwrap_or_default());
                lines.push(format!("  {name}: no test of its matcher `{matcher}` with `{tools}`"));
            }
            let untried = &covered.untried_examples;
            if !untried.is_empty() {
                let shown: Vec<String> = untried
                    .iter()
                    .take(SHOWN_EXAMPLES)
                    .map(|example| format!("`{}`", escape_line(example)))
                    .collect();
                let more = untried.len().saturating_sub(SHOWN_EXAMPLES);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                lines.push(format!("  {name}: no test repeats its examples {}{more}", shown.join(", ")));
            }
        }
        lines.join("\n")
    }
}

impl Covered {
    /// What no test showed of it.
    fn missing(&self) -> Option<&'static str> {
        match (self.ran, self.decided, self.blocked) {
            (true, true, Some(false)) => Some("decided, and no test saw it block or ask"),
            (true, true, _) => None,
            (true, false, Some(_)) => Some("ran, and no test saw it block, ask or decide anything"),
            (true, false, None) => Some("ran, and never decided or changed anything"),
            (false, ..) if self.matched => Some("matched, and its condition never held"),
            (false, ..) => Some("no test reached it"),
        }
    }
}

/// Whether it is there to keep something from happening: any hook that can, but for a rule that neither blocks nor asks.
fn is_guard(hook: &Hook) -> bool {
    let keeps_back = match &hook.kind {
        HookKind::Rule(rule) => rule.output().blocks(hook.event) || rule.output().asks(hook.event),
        _ => true,
    };
    hook.event.is_guarded() && keeps_back
}

/// Whether a hook kept something from happening: by a block, a question or a stop, or by failing where that blocks.
fn guards(run: &HookRun) -> bool {
    let failed = run.failure().is_some() && run.hook.on_failure == OnFailure::Block;
    let keeps_from = |output: &HookOutput| {
        let event = run.hook.event;
        output.blocks(event) || output.asks(event) || output.should_stop_execution()
    };
    let answered = run.output.as_ref().is_some_and(keeps_from);
    failed || answered
}

/// Whether an output has an effect.
fn decides(event: EventName, output: &HookOutput) -> bool {
    let is_name = |key: &String| key == "hookEventName";
    let changes =
        output.hook_specific_output.as_ref().is_some_and(|specific| specific.keys().any(|key| !is_name(key)));
    output.blocks(event) || output.asks(event) || changes || output.should_stop_execution()
}
