//! Hooks of type `rule`, and the `when` of command hooks.

use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, Value};

use super::super::HookSpans;
use super::super::read::given;
use super::super::unread::CutRule;
use super::{HookGroup, HookReader};
use crate::diagnostic::{DiagnosticCode, Severity};
use crate::event::EventName;
use crate::hook::{Hook, HookKind, UnreadableRule};
use crate::rules::{Condition, Rule, RuleFindings};

impl HookReader<'_, '_, '_> {
    /// Adds a rule that is not read yet, whose mark is at `start`.
    pub(super) fn add_unread(&mut self, group: &HookGroup, cut: &CutRule<'_>, start: usize) {
        let source = self.findings.source;
        let mut hook = Hook::new(group.event, "");
        let name = cut.name.filter(|name| !name.is_empty());
        hook.name = name.map_or_else(|| format!("rule {}", self.place_name(start)), str::to_owned);
        hook.description = cut.description.map(str::to_owned);
        hook.kind = HookKind::Rule(Arc::clone(&cut.rule));
        hook.matcher = group.matcher.clone();
        hook.sequential = group.sequential;
        let brace = source.in_file(start..start).start;
        let spans = HookSpans { command: brace..brace + 1, matcher: group.matcher_span.clone() };
        self.add(hook, start, spans);
    }

    /// Reads a rule. One that cannot be read stays a hook that always fails, so that a typing error does not silently
    /// remove a guard.
    pub(super) fn read_rule(&mut self, group: &HookGroup, object: &Object<'_>) -> HookKind {
        let try_with = self.settings.try_examples.then_some(&group.matcher);
        let mut found = RuleFindings::default();
        let rule = Rule::read(object, group.event, try_with, &mut found);
        let error = found.0.iter().find(|problem| problem.severity == Severity::Error);
        let error = error.map(|problem| (problem.code, problem.message.clone()));
        self.findings.of_rule(found);
        if let Some(rule) = rule {
            return HookKind::Rule(Arc::new(rule));
        }
        let place = self.findings.source.place(object.range.start..object.range.start + 1);
        let (code, message) =
            error.unwrap_or_else(|| (DiagnosticCode::InvalidValue, "it cannot be read".to_owned()));
        HookKind::UnreadableRule(UnreadableRule::Malformed { what: "rule", place, code, message })
    }

    /// The `when` of a command hook. One that cannot be read is left out: its hook is started always.
    pub(super) fn read_when(
        &mut self,
        event: EventName,
        object: &Object<'_>,
        when: Option<&ObjectProp<'_>>,
    ) -> Option<Arc<Condition>> {
        for key in Rule::FIELDS.into_iter().filter(|key| *key != "when") {
            if let Some(prop) = object.get(key) {
                let message = format!("`{key}` has an effect only on rules");
                self.findings.warn(
                    DiagnosticCode::NoEffect,
                    &prop.name,
                    message,
                    "remove it, or make it a rule",
                );
            }
        }
        self.read_condition(given(when)?, event).map(Arc::new)
    }

    /// A condition; `None`, with findings, if it cannot be read.
    pub(in crate::settings) fn read_condition(
        &mut self,
        value: &Value<'_>,
        event: EventName,
    ) -> Option<Condition> {
        let mut found = RuleFindings::default();
        let condition = Condition::parse(value, event, &mut found);
        self.findings.of_rule(found);
        condition
    }
}
