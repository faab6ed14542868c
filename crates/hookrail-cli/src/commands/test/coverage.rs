//! Which hooks and rules the tests made run, and which of them decided something.

use hookrail::components::{Level, ProcessedHookResult};
use hookrail::internal::ResolvedSettings;
use hookrail::{Hook, HookOutput};
use serde::Serialize;

use crate::context::Context;
use crate::display::shown_origin;
use crate::terminal::printer::escape_line;

/// What tests saw of the configured hooks.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    hooks: Vec<Covered>,
}

/// What tests saw of one hook. The fields that are written are a contract.
#[derive(Debug, Serialize)]
pub(crate) struct Covered {
    /// Its name.
    hook: String,
    /// Whether some test made it run.
    ran: bool,
    /// Whether in some test it blocked, asked, stopped or changed something.
    decided: bool,
    /// Whether it was looked at for some test, although its condition did not hold.
    #[serde(skip)]
    matched: bool,
    #[serde(skip)]
    place: String,
    #[serde(skip)]
    identity: Identity,
}

/// What tells a hook from the others, also where a test's own project holds a copy of its settings.
type Identity = (Level, usize, hookrail::EventName, String);

fn identity(hook: &Hook) -> Identity {
    (hook.origin.level.clone(), hook.origin.line, hook.event, hook.name.clone())
}

impl Coverage {
    /// All hooks that are on, seen by nobody yet.
    pub(crate) fn new(settings: &ResolvedSettings, context: &Context) -> Self {
        let hooks = settings.hooks.iter().filter(|resolved| resolved.on).map(|resolved| Covered {
            hook: resolved.hook.name.clone(),
            ran: false,
            decided: false,
            matched: false,
            place: shown_origin(&resolved.hook.origin, context),
            identity: identity(&resolved.hook),
        });
        Self { hooks: hooks.collect() }
    }

    /// Adds what one test saw.
    pub(crate) fn add(&mut self, result: &ProcessedHookResult) {
        for run in &result.runs {
            if let Some(covered) = self.of(&run.hook) {
                covered.ran = true;
                covered.decided |= run.output.as_ref().is_some_and(decides);
            }
        }
        for hook in &result.not_held {
            if let Some(covered) = self.of(hook) {
                covered.matched = true;
            }
        }
    }

    fn of(&mut self, hook: &Hook) -> Option<&mut Covered> {
        let identity = identity(hook);
        self.hooks.iter_mut().find(|covered| covered.identity == identity)
    }

    /// Everything, for programs.
    pub(crate) fn hooks(&self) -> &[Covered] {
        &self.hooks
    }

    /// What no test exercised, for people.
    pub(crate) fn render(&self) -> String {
        let mut lines = Vec::new();
        for covered in &self.hooks {
            let what = if covered.ran && covered.decided {
                continue;
            } else if covered.ran {
                "ran, and never decided or changed anything"
            } else if covered.matched {
                "matched, and its condition never held"
            } else {
                "no test reached it"
            };
            lines.push(format!("  {}: {what} ({})", escape_line(&covered.hook), covered.place));
        }
        let all = self.hooks.len();
        let ran = self.hooks.iter().filter(|covered| covered.ran).count();
        let decided = self.hooks.iter().filter(|covered| covered.decided).count();
        lines.insert(0, format!("coverage: of {all} hooks and rules {ran} ran, {decided} decided"));
        lines.join("\n")
    }
}

/// Whether an output has an effect.
fn decides(output: &HookOutput) -> bool {
    use hookrail::Decision;
    let blocks_or_asks = output.decision.as_ref().is_some_and(|word| word.blocks() || *word == Decision::Ask);
    let permission = output.specific("permissionDecision").is_some();
    let is_name = |key: &String| key == "hookEventName";
    let changes =
        output.hook_specific_output.as_ref().is_some_and(|specific| specific.keys().any(|key| !is_name(key)));
    blocks_or_asks || permission || changes || output.should_stop_execution()
}
