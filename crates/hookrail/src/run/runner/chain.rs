//! Hooks one after another, each with the input that those before it have changed.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::super::payload::{Payload, PayloadError};
use super::super::rules::RuleCheck;
use super::{HookRunner, SpawnOn};
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::hook::Hook;
use crate::verdict::chain::{apply_hook_output_to_input, ends_chain};
use crate::verdict::failure::StartFailure;
use crate::verdict::hook_run::HookRun;

impl HookRunner {
    /// Runs hooks one after another. What a successful one puts out is applied to the input of the next; a
    /// block ends the chain. `on_finish` is called for each hook with the input it was given. Returns the input as it
    /// was changed last, too. Rules and conditions are not asked; the event handler does that first.
    pub async fn execute_hooks_sequential(
        &self,
        hooks: &[Arc<Hook>],
        event: EventName,
        input: JsonObject,
        cwd: &Path,
        on_finish: &(dyn Fn(&HookRun, &Payload) + Sync),
    ) -> (Vec<HookRun>, JsonObject) {
        self.execute_chain(hooks, event, input, cwd, &|_, _| RuleCheck::Start, on_finish).await
    }

    /// Like [`HookRunner::execute_hooks_sequential`], with `ask` to say of each hook whether it has to be started, given
    /// the input as the hooks before it have left it.
    pub(crate) async fn execute_chain(
        &self,
        hooks: &[Arc<Hook>],
        event: EventName,
        mut input: JsonObject,
        cwd: &Path,
        ask: &(dyn Fn(&Arc<Hook>, &JsonObject) -> RuleCheck + Sync),
        on_finish: &(dyn Fn(&HookRun, &Payload) + Sync),
    ) -> (Vec<HookRun>, JsonObject) {
        let mut runs = Vec::with_capacity(hooks.len());
        let mut payload = None;
        let waiting = &self.shortage.waiting_from(Instant::now());
        for hook in hooks {
            let asked = ask(hook, &input);
            if matches!(asked, RuleCheck::DoesNotHold) {
                continue;
            }
            let made = match payload.take() {
                Some(payload) => Ok(payload),
                None => Payload::new(&input),
            };
            let run = match made {
                Ok(made) => {
                    let run = match asked {
                        RuleCheck::Answered(run) => *run,
                        _ => self.execute(hook, &made, cwd, SpawnOn::ThisThreadAlone, waiting).await,
                    };
                    on_finish(&run, &made);
                    payload = Some(made);
                    run
                }
                Err(error) => HookRun::not_started(hook, without_payload(error)),
            };
            let ends_chain = run.output.as_ref().is_some_and(|output| ends_chain(event, output));
            if !ends_chain
                && run.success()
                && run
                    .output
                    .as_ref()
                    .is_some_and(|output| apply_hook_output_to_input(event, &mut input, output))
            {
                // Made again for the next hook, if there is one.
                payload = None;
            }
            runs.push(run);
            if ends_chain {
                break;
            }
        }
        (runs, input)
    }
}

/// Why a hook whose payload cannot be made is not started.
fn without_payload(error: PayloadError) -> StartFailure {
    match error {
        PayloadError::Serialize(error) => {
            StartFailure::InputNotWritten { error: (&io::Error::from(error)).into() }
        }
        PayloadError::Store(error) => StartFailure::InputNotStored { error: (&error).into() },
    }
}
