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
use crate::rules::{Condition, ExampleUse, Rule, RulePlace, RuleReading};

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
        let examples = if self.settings.try_examples { ExampleUse::Try } else { ExampleUse::Ignore };
        let place = RulePlace { event: group.event, matcher: &group.matcher, examples };
        let RuleReading { rule, problems, warnings, failed_examples } = Rule::read(hook.object, place);
        let first = self.settings.diagnostics.len();
        self.of_rule(Severity::Error, problems.into_iter().chain(failed_examples));
        self.of_rule(Severity::Warning, warnings);
        match rule {
            Some(rule) => HookKind::Rule(Arc::new(rule)),
            None => self.malformed("rule", hook, first),
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
        let (condition, severity, problems) = match Condition::parse(value, event) {
            Ok((condition, warnings)) => (Some(condition), Severity::Warning, warnings),
            Err(problems) => (None, Severity::Error, problems),
        };
        self.of_rule(severity, problems);
        condition
    }
}
