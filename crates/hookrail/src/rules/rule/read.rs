//! Reading a rule.

use jsonc_parser::ast::{Object, ObjectProp, Value as Ast};
use jsonc_parser::common::Range;
use serde_json::{Value, json};

use super::RuleParts;
use crate::diagnostic::DiagnosticCode;
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::output::{Decision, HookOutput};
use crate::rules::condition::Condition;
use crate::rules::problem::{RuleFindings, suggestion};
use crate::spelling::shortened;

/// Why a call is blocked or asked about when a rule gives no reason.
const NO_REASON: &str = "a rule without a reason applies";

/// What a rule says; `None`, with what is wrong, if it cannot be used.
pub(super) fn parts(
    object: &Object<'_>,
    event: EventName,
    findings: &mut RuleFindings,
) -> Option<Box<RuleParts>> {
    let mut reader = RuleReader { object, event, findings };
    let when = reader.when();
    let then = reader.then().map(|then| reader.with_instead(then));
    let on_unknown = reader.unknown(then.as_ref());
    let parts = RuleParts { when: when?, then: then?, on_unknown };
    (!findings.has_errors()).then(|| Box::new(parts))
}

/// The last field of this name, as in JavaScript; `null` says nothing.
pub(super) fn field<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v ObjectProp<'a>> {
    let found = object.properties.iter().rfind(|prop| prop.name.as_str() == name);
    found.filter(|prop| prop.value.as_null_keyword().is_none())
}

struct RuleReader<'r, 'a> {
    object: &'r Object<'a>,
    event: EventName,
    findings: &'r mut RuleFindings,
}

impl<'r, 'a> RuleReader<'r, 'a> {
    fn field(&self, name: &str) -> Option<&'r ObjectProp<'a>> {
        field(self.object, name)
    }

    /// Where something is missing: the brace that the rule begins with.
    fn brace(&self) -> Range {
        Range { start: self.object.range.start, end: self.object.range.start + 1 }
    }

    /// The condition. A rule without one is refused instead of holding always, since that is what `{}` is for.
    fn when(&mut self) -> Option<Condition> {
        let Some(when) = self.field("when") else {
            let (code, help) = (DiagnosticCode::MissingWhen, "say when it holds; {} always does");
            return self.findings.refuse(code, &self.brace(), "the rule has no `when`", help);
        };
        Condition::parse(&when.value, self.event, self.findings)
    }

    /// What the rule says, in full or by its short forms.
    fn then(&mut self) -> Option<HookOutput> {
        let short = ["block", "ask", "context"].into_iter().find_map(|name| self.field(name));
        match (self.field("then"), short) {
            (Some(then), Some(short)) => {
                let message = format!("`then` and `{}` both say what to do", short.name.as_str());
                self.findings.refuse(DiagnosticCode::ThenTwice, &then.name, &message, "keep one of them")
            }
            (Some(then), None) => self.full(then),
            (None, Some(_)) => Some(self.short()),
            (None, None) => {
                let message = "the rule has neither `block`, `ask`, `context` nor `then`, so it does nothing";
                let help = "add \"block\": \"…\", \"ask\": \"…\", \"context\": \"…\" or \"then\": { … }";
                self.findings.refuse(DiagnosticCode::NothingToSay, &self.brace(), message, help)
            }
        }
    }

    /// `then`: what a hook would print, read by the same code as the output of hooks. A field that would be ignored
    /// there is a problem here.
    fn full(&mut self, then: &ObjectProp<'_>) -> Option<HookOutput> {
        let Value::Object(fields) = Value::from(then.value.clone()) else {
            return self.findings.wrong_type("`then`", "an object: what a hook may print", &then.value);
        };
        let (output, oddities) = HookOutput::from_object(fields);
        for oddity in &oddities {
            let help = format!("`hookrail schema output {}` describes it", self.event);
            self.findings.error(
                DiagnosticCode::WrongType,
                &then.value,
                &format!("in `then`: {oddity}"),
                &help,
            );
        }
        if output == HookOutput::default() && oddities.is_empty() {
            let message = "`then` is empty, so the rule does nothing";
            let help = "write { \"decision\": \"block\", \"reason\": \"…\" }";
            return self.findings.refuse(DiagnosticCode::NothingToSay, &then.value, message, help);
        }
        self.warn_without_effect(then, &output);
        Some(output)
    }

    /// The short forms. Together they make one output.
    fn short(&mut self) -> HookOutput {
        let mut output = HookOutput::default();
        // A block is stronger: what is forbidden is not asked about.
        for (name, decision) in [("ask", Decision::Ask), ("block", Decision::Block)] {
            if let Some(prop) = self.field(name) {
                output.decision = Some(decision);
                output.reason = self.reason(prop).or(output.reason);
            }
        }
        if let Some(prop) = self.field("context")
            && let Some(text) = self.text(prop, "a string: the text")
        {
            if text.trim().is_empty() {
                let help = "write what the model is to know, or leave it out";
                self.findings.error(DiagnosticCode::NothingToSay, &prop.value, "`context` is empty", help);
            }
            output.hook_specific_output =
                Some(JsonObject::from_iter([("additionalContext".to_owned(), json!(text))]));
        }
        if let Some(prop) = self.field("block").or(self.field("ask")) {
            self.warn_without_effect(prop, &output);
        }
        output
    }

    /// The text of a field.
    fn text(&mut self, prop: &'r ObjectProp<'a>, expected: &str) -> Option<&'r str> {
        match &prop.value {
            Ast::StringLit(literal) => Some(&literal.value),
            other => self.findings.wrong_type(&format!("`{}`", prop.name.as_str()), expected, other),
        }
    }

    /// The reason of a decision. One without is allowed, with a warning and a reason of ours.
    fn reason(&mut self, prop: &'r ObjectProp<'a>) -> Option<String> {
        let reason = self.text(prop, "a string: the reason")?;
        if reason.trim().is_empty() {
            let message = format!("`{}` gives no reason", prop.name.as_str());
            let help = "the model reads it: say why, and what to do instead";
            self.findings.warn(DiagnosticCode::NoReason, &prop.value, &message, help);
            return Some(NO_REASON.to_owned());
        }
        Some(reason.to_owned())
    }

    /// What to do instead follows the reason on a line of its own, so that the model reads it, too.
    fn with_instead(&mut self, mut then: HookOutput) -> HookOutput {
        if let Some(prop) = self.field("instead")
            && let Some(instead) = self.text(prop, "a string: what to do instead")
        {
            match &mut then.reason {
                Some(reason) if !instead.trim().is_empty() => {
                    reason.push('\n');
                    reason.push_str(instead);
                }
                _ => {
                    let message = "`instead` has no effect: it follows the reason of a block or a question";
                    let help = "say \"block\" or \"ask\" with a reason beside it";
                    self.findings.warn(DiagnosticCode::NoEffect, &prop.name, message, help);
                }
            }
        }
        then
    }

    /// Warns of a decision that has no effect on this event.
    fn warn_without_effect(&mut self, prop: &ObjectProp<'_>, output: &HookOutput) {
        let event = self.event;
        let why = match &output.decision {
            Some(decision) if decision.blocks() && !event.can_block() => "cannot be blocked",
            Some(Decision::Ask) if event != EventName::BeforeTool => "cannot ask a person",
            _ => return,
        };
        let message = format!("it has no effect: {event} {why}");
        let help = "put the rule into BeforeTool, or say \"context\"";
        self.findings.warn(DiagnosticCode::NoEffect, &prop.name, &message, help);
    }

    /// What the rule says when it cannot be determined whether it holds.
    fn unknown(&mut self, then: Option<&HookOutput>) -> Option<HookOutput> {
        let prop = self.field("unknown")?;
        let word = self.text(prop, "\"block\" or \"ask\"")?;
        let decision = match word {
            "block" => Decision::Block,
            "ask" => Decision::Ask,
            _ => {
                let message = format!("`unknown` must be \"block\" or \"ask\", not \"{}\"", shortened(word));
                let help = suggestion(word, &["block", "ask"]);
                return self.findings.refuse(DiagnosticCode::InvalidUnknown, &prop.value, &message, &help);
            }
        };
        let reason = then.and_then(|then| then.reason.as_deref()).unwrap_or(NO_REASON);
        let reason = format!("Whether a rule forbids this call cannot be determined: {reason}");
        Some(HookOutput { decision: Some(decision), reason: Some(reason), ..HookOutput::default() })
    }
}
