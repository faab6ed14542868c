//! Hooks of type `rule`, and the `when` of command hooks.

use std::path::PathBuf;
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp};

use super::super::diagnose::span;
use super::super::read::given;
use super::super::unread::CutRule;
use super::super::{ConfiguredHook, HookSpans};
use super::{HookGroup, HookReader};
use crate::diagnostic::DiagnosticCode;
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, HookKind, Origin, UnreadableRule};
use crate::rules::{Condition, ExampleUse, Rule, RulePlace, RuleReading};

impl HookReader<'_, '_, '_> {
    /// What a rule without a name is called: `rule FILE:LINE`.
    pub(super) fn rule_name(&self, start: usize) -> String {
        let source = self.findings.source();
        let file = source.file().and_then(|file| file.file_name()).unwrap_or_default().to_string_lossy();
        format!("rule {file}:{}", source.line(start))
    }

    /// Adds a rule that is not read yet, whose mark is at `start`.
    pub(super) fn add_unread(&mut self, group: &HookGroup, cut: &CutRule<'_>, start: usize) {
        let source = self.findings.source();
        let mut hook = Hook::new(group.event, "");
        let name = cut.name.filter(|name| !name.is_empty());
        hook.name = name.map_or_else(|| self.rule_name(start), str::to_owned);
        hook.description = cut.description.map(str::to_owned);
        hook.kind = HookKind::Rule(Arc::clone(&cut.rule));
        hook.matcher = group.matcher.clone();
        hook.sequential = group.sequential;
        hook.source = self.level.config_source();
        hook.origin = Origin {
            level: self.level.clone(),
            file: source.file().map(PathBuf::from).unwrap_or_default(),
            line: source.line(start),
        };
        let brace = source.in_file(start..start).start;
        let spans = HookSpans { command: brace..brace + 1, matcher: group.matcher_span.clone() };
        self.settings.hooks.push(ConfiguredHook { hook, spans, extra_fields: JsonObject::new() });
    }

    /// Reads a rule. One that cannot be read stays a hook that always fails, so that a typing error does not silently
    /// remove a guard.
    pub(super) fn read_rule(&mut self, group: &HookGroup, object: &Object<'_>) -> HookKind {
        let place = RulePlace {
            event: group.event,
            matcher: &group.matcher,
            examples: if self.settings.try_examples { ExampleUse::Try } else { ExampleUse::Ignore },
        };
        let RuleReading { rule, problems, warnings, failed_examples } = Rule::read(object, place);
        for problem in problems.iter().chain(&failed_examples) {
            let at = span(problem.range.clone());
            self.findings.error(problem.code, &at, problem.message.clone(), problem.help.clone());
        }
        for problem in &warnings {
            let at = span(problem.range.clone());
            self.findings.warn(problem.code, &at, problem.message.clone(), problem.help.clone());
        }
        if let Some(rule) = rule {
            return HookKind::Rule(Arc::new(rule));
        }
        let place = self.findings.source().place(object.range.start..object.range.start + 1);
        let (code, message) = match problems.into_iter().next() {
            Some(problem) => (problem.code, problem.message),
            None => (DiagnosticCode::InvalidValue, "it cannot be read".to_owned()),
        };
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
        let (problems, condition, warnings) = match Condition::parse(given(when)?, event) {
            Ok((condition, warnings)) => (Vec::new(), Some(condition), warnings),
            Err(problems) => (problems, None, Vec::new()),
        };
        for problem in problems {
            let at = span(problem.range);
            self.findings.error(problem.code, &at, problem.message, problem.help);
        }
        for problem in warnings {
            let at = span(problem.range);
            self.findings.warn(problem.code, &at, problem.message, problem.help);
        }
        condition.map(Arc::new)
    }
}
