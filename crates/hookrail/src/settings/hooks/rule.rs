//! Hooks of type `rule`, and the `when` of command hooks.

use std::sync::Arc;

use jsonc_parser::ast::Value;

use super::super::HookSpans;
use super::super::reader::{Node, Reader};
use super::super::unread::CutRule;
use super::HookGroup;
use crate::diagnostic::Severity;
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, HookKind};
use crate::rules::{Condition, Rule, RuleFindings};

impl Reader<'_> {
    /// Adds a rule that is not read yet, whose mark is at `start`.
    pub(super) fn add_unread(&mut self, group: &HookGroup<'_>, cut: &CutRule<'_>, start: usize) {
        let mut hook = Hook::new(group.event, "");
        let name = cut.name.filter(|name| !name.is_empty());
        hook.name = name.map_or_else(|| format!("rule {}", self.place_name(start)), str::to_owned);
        hook.description = cut.description.map(str::to_owned);
        hook.kind = HookKind::Rule(Arc::clone(&cut.rule));
        hook.matcher = group.matcher.clone();
        hook.sequential = group.sequential;
        let brace = self.source.in_file(start..start).start;
        let spans = HookSpans { command: brace..brace + 1, matcher: group.matcher_span.clone() };
        self.add(hook, start, spans, JsonObject::new());
    }

    /// Reads a rule. One that cannot be read stays a hook that always fails, so that a typing error does not silently
    /// remove a guard.
    pub(super) fn read_rule(&mut self, group: &HookGroup<'_>, hook: Node<'_, '_>) -> HookKind {
        let try_with = self.settings.try_examples.then_some(&group.matcher);
        let mut found = RuleFindings::default();
        let rule = Rule::read(hook.object, group.event, try_with, &mut found);
        let error = found.0.iter().position(|problem| problem.severity == Severity::Error).unwrap_or(0);
        let error = self.settings.diagnostics.len() + error;
        self.of_rule(found);
        match rule {
            Some(rule) => HookKind::Rule(Arc::new(rule)),
            None => self.malformed("rule", hook, error),
        }
    }

    /// The `when` of a command hook. One that cannot be read is left out: its hook is started always.
    pub(super) fn read_when(&mut self, event: EventName, hook: Node<'_, '_>) -> Option<Arc<Condition>> {
        for key in Rule::FIELDS.into_iter().filter(|key| *key != "when") {
            if let Some(prop) = hook.object.get(key) {
                self.without_effect(key, &prop.name, "rules", "remove it, or make it a rule");
            }
        }
        self.read_condition(hook.given("when")?, event).map(Arc::new)
    }

    /// A condition; `None`, with findings, if it cannot be read.
    pub(in crate::settings) fn read_condition(
        &mut self,
        value: &Value<'_>,
        event: EventName,
    ) -> Option<Condition> {
        let mut found = RuleFindings::default();
        let condition = Condition::parse(value, event, &mut found);
        self.of_rule(found);
        condition
    }
}
