//! Rules that a person lets one call pass.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::event::{Event, EventName, HookInput};
use crate::formats::json_object::JsonObject;
use crate::host::config::SessionConfig;
use crate::host::grants::{Grants, GuardedCall};
use crate::output::HookOutput;
use crate::verdict::hook_run::HookRun;
use crate::verdict::result::{Block, BlockCause, Grant, ProcessedHookResult};

/// The rules that a person lets one call pass, while its hooks run.
pub(super) struct Lifting<'a> {
    grants: Option<(&'a dyn Grants, GuardedCall<'a>)>,
    lifted: Mutex<Vec<HookRun>>,
}

impl<'a> Lifting<'a> {
    pub(super) fn new(
        config: &'a SessionConfig,
        input: &HookInput<'a>,
        directory: &'a Path,
        logs_texts: bool,
    ) -> Self {
        let grants = match (config.grants.as_deref(), input.event) {
            (Some(grants), Event::BeforeTool { tool_name, tool_input }) => {
                let (base, extra, project) = (input.base, input.extra, &*config.working_dir);
                Some((
                    grants,
                    GuardedCall { tool_name, tool_input, project, directory, base, extra, logs_texts },
                ))
            }
            _ => None,
        };
        Self { grants, lifted: Mutex::default() }
    }

    /// Whether the call passes a rule that stops it. Arguments that a hook changed are not those that a person saw.
    pub(super) fn lifts(&self, run: &HookRun, tool_input: Option<&JsonObject>) -> bool {
        let Some((grants, call)) = &self.grants else { return false };
        let stops = |run: &HookRun| is_blocking(run) || is_asking(run);
        let lifts = stops(run)
            && run.hook.can_be_lifted()
            && !run.output.as_ref().is_some_and(HookOutput::should_stop_execution)
            && tool_input == Some(call.tool_input)
            && grants.lifts(call, &run.hook);
        if lifts {
            self.lifted.lock().unwrap_or_else(PoisonError::into_inner).push(run.clone());
        }
        lifts
    }

    /// Uses the grants of a call that passes. One that is gone by now blocks, or asks, as its rule does.
    pub(super) fn settle(self, result: &mut ProcessedHookResult) {
        let Some((grants, call)) = self.grants else { return };
        let lifted = self.lifted.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !lifted.is_empty() && result.block.is_none() && result.stop.is_none() {
            let mut rules: Vec<_> = lifted.iter().map(|run| Arc::clone(&run.hook)).collect();
            rules.dedup_by(|one, other| Arc::ptr_eq(one, other));
            match grants.use_up(&call, &rules) {
                Some(id) => result.grant = Some(Grant { id, rules }),
                None => lifted.into_iter().for_each(|run| stop_again(run, result)),
            }
        }
        if result.block.is_some() || result.ask.is_some() {
            grants.stopped(&call, result);
        }
    }
}

fn is_blocking(run: &HookRun) -> bool {
    run.output.as_ref().is_some_and(|output| output.blocks(EventName::BeforeTool))
}

fn is_asking(run: &HookRun) -> bool {
    run.output.as_ref().is_some_and(|output| output.asks(EventName::BeforeTool))
}

/// Adds the run of a rule that was taken for lifted.
fn stop_again(run: HookRun, result: &mut ProcessedHookResult) {
    let output = run.output.as_ref();
    let reason = output.and_then(|output| output.reason.as_deref().or_else(|| output.permission_reason()));
    let reason = reason.unwrap_or("A rule stops this call.").to_owned();
    if is_blocking(&run) {
        result.block_with(Block::new(reason, BlockCause::Policy));
    } else if result.block.is_none() && result.ask.is_none() {
        result.ask = Some(reason);
    }
    result.runs.push(run);
}
