//! Reading a rule.

use jsonc_parser::ast::{Object, ObjectProp, Value as Ast};
use jsonc_parser::common::Range;
use serde_json::{Value, json};

use super::{ExampleUse, Rule, RuleParts, RulePlace, RuleReading};
use crate::diagnostic::DiagnosticCode;
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::output::{Decision, HookOutput};
use crate::rules::condition::Condition;
use crate::rules::examples::Examples;
use crate::rules::problem::RuleProblem;
use crate::spelling::shortened;

/// What `unknown` may say.
const UNKNOWN: [&str; 2] = ["block", "ask"];
/// Why a call is blocked or asked about when a rule gives no reason.
const NO_REASON: &str = "a rule without a reason applies";

pub(super) fn rule(object: &Object<'_>, place: RulePlace<'_>) -> RuleReading {
    let mut reader = RuleReader { event: place.event, problems: Vec::new(), warnings: Vec::new() };
    let when = reader.when(object);
    let then = reader.then(object).map(|then| reader.with_instead(object, then));
    let unknown = reader.unknown(object, then.as_ref());
    let mut failed_examples = Vec::new();
    let examples = match place.examples {
        ExampleUse::Ignore => Examples::default(),
        ExampleUse::Read | ExampleUse::Try => {
            Examples::read(field(object, "examples"), place.event, &mut failed_examples)
        }
    };
    let rule = match (when, then) {
        (Some(when), Some(then)) if reader.problems.is_empty() => {
            Some(Rule::new(RuleParts { when, then, on_unknown: unknown }, examples))
        }
        _ => None,
    };
    if let Some(rule) = rule.as_ref().filter(|_| place.examples == ExampleUse::Try) {
        let failures = rule.failed_examples(place.matcher);
        failed_examples.extend(failures.into_iter().map(|(range, message)| RuleProblem {
            code: DiagnosticCode::FailedExample,
            range,
            message,
            help: Some("fix the rule or the example; `hookrail facts` shows what a rule sees".to_owned()),
        }));
    }
    RuleReading { rule, problems: reader.problems, warnings: reader.warnings, failed_examples }
}

/// The last field of this name, as in JavaScript; `null` says nothing.
fn field<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v ObjectProp<'a>> {
    let found = object.properties.iter().rfind(|prop| prop.name.as_str() == name);
    found.filter(|prop| prop.value.as_null_keyword().is_none())
}

/// What was found so far. A rule with any problem is not used.
struct RuleReader {
    event: EventName,
    problems: Vec<RuleProblem>,
    warnings: Vec<RuleProblem>,
}

impl RuleReader {
    /// The condition. A rule without one is refused instead of holding always, since that is what `{}` is for.
    fn when(&mut self, object: &Object<'_>) -> Option<Condition> {
        let Some(when) = field(object, "when") else {
            let brace = Range { start: object.range.start, end: object.range.start + 1 };
            let problem = RuleProblem::new(DiagnosticCode::MissingWhen, &brace, "the rule has no `when`");
            self.problems.push(problem.help("say when it holds; {} always does"));
            return None;
        };
        match Condition::parse(&when.value, self.event) {
            Ok((condition, warnings)) => {
                self.warnings.extend(warnings);
                Some(condition)
            }
            Err(problems) => {
                self.problems.extend(problems);
                None
            }
        }
    }

    /// What the rule says, in full or by its short forms.
    fn then(&mut self, object: &Object<'_>) -> Option<HookOutput> {
        let then = field(object, "then");
        let [block, ask, context] = ["block", "ask", "context"].map(|name| field(object, name));
        let short = block.or(ask).or(context);
        match (then, short) {
            (Some(then), Some(short)) => {
                let message = format!("`then` and `{}` both say what to do", short.name.as_str());
                self.problems.push(
                    RuleProblem::new(DiagnosticCode::ThenTwice, &then.name, message).help("keep one of them"),
                );
                None
            }
            (Some(then), None) => self.full(then),
            (None, Some(_)) => Some(self.short(block, ask, context)),
            (None, None) => {
                let brace = Range { start: object.range.start, end: object.range.start + 1 };
                let problem = RuleProblem::new(
                    DiagnosticCode::NothingToSay,
                    &brace,
                    "the rule has neither `block`, `ask`, `context` nor `then`, so it does nothing",
                );
                self.problems.push(
                    problem
                        .help("add \"block\": \"…\", \"ask\": \"…\", \"context\": \"…\" or \"then\": { … }"),
                );
                None
            }
        }
    }

    /// `then`: what a hook would print, read by the same code as the output of hooks. A field that would be ignored
    /// there is a problem here.
    fn full(&mut self, then: &ObjectProp<'_>) -> Option<HookOutput> {
        let Value::Object(fields) = Value::from(then.value.clone()) else {
            self.problems.push(RuleProblem::wrong_type(
                "`then`",
                "an object: what a hook may print",
                &then.value,
            ));
            return None;
        };
        let (output, oddities) = HookOutput::from_object(fields);
        for oddity in &oddities {
            let problem =
                RuleProblem::new(DiagnosticCode::WrongType, &then.value, format!("in `then`: {oddity}"));
            self.problems.push(problem.help(format!("`hookrail schema output {}` describes it", self.event)));
        }
        if output == HookOutput::default() && oddities.is_empty() {
            let problem = RuleProblem::new(
                DiagnosticCode::NothingToSay,
                &then.value,
                "`then` is empty, so the rule does nothing",
            );
            self.problems.push(problem.help("write { \"decision\": \"block\", \"reason\": \"…\" }"));
            return None;
        }
        self.effect(then, &output);
        Some(output)
    }

    /// The short forms. Together they make one output.
    fn short(
        &mut self,
        block: Option<&ObjectProp<'_>>,
        ask: Option<&ObjectProp<'_>>,
        context: Option<&ObjectProp<'_>>,
    ) -> HookOutput {
        let [block_reason, ask_reason, text] = [block, ask, context].map(|prop| self.text(prop));
        // A block is stronger: what is forbidden is not asked about.
        let reason = block_reason.or(ask_reason);
        let decision = if block.is_some() { Some(Decision::Block) } else { ask.map(|_| Decision::Ask) };
        let mut specific = JsonObject::new();
        if let Some(text) = text {
            if text.trim().is_empty()
                && let Some(context) = context
            {
                let problem =
                    RuleProblem::new(DiagnosticCode::NothingToSay, &context.value, "`context` is empty");
                self.problems.push(problem.help("write what the model is to know, or leave it out"));
            }
            specific.insert("additionalContext".to_owned(), json!(text));
        }
        let output = HookOutput {
            decision,
            reason,
            hook_specific_output: (!specific.is_empty()).then_some(specific),
            ..HookOutput::default()
        };
        if let Some(prop) = block.or(ask) {
            self.effect(prop, &output);
        }
        output
    }

    /// The text of a short form. A decision without a reason is allowed, with a warning and a reason of ours.
    fn text(&mut self, prop: Option<&ObjectProp<'_>>) -> Option<String> {
        let prop = prop?;
        let name = prop.name.as_str();
        let Some(literal) = prop.value.as_string_lit() else {
            let what = if name == "context" { "a string: the text" } else { "a string: the reason" };
            self.problems.push(RuleProblem::wrong_type(&format!("`{name}`"), what, &prop.value));
            return None;
        };
        if literal.value.trim().is_empty() && name != "context" {
            let message = format!("`{name}` gives no reason");
            let help = "the model reads it: say why, and what to do instead";
            self.warnings.push(RuleProblem::new(DiagnosticCode::NoReason, &prop.value, message).help(help));
            return Some(NO_REASON.to_owned());
        }
        Some(literal.value.clone().into_owned())
    }

    /// What to do instead follows the reason on a line of its own, so that the model reads it, too.
    fn with_instead(&mut self, object: &Object<'_>, mut then: HookOutput) -> HookOutput {
        let Some(prop) = field(object, "instead") else { return then };
        let Some(literal) = prop.value.as_string_lit() else {
            let expected = "a string: what to do instead";
            self.problems.push(RuleProblem::wrong_type("`instead`", expected, &prop.value));
            return then;
        };
        if then.reason.is_none() || literal.value.trim().is_empty() {
            let message = "`instead` has no effect: it follows the reason of a block or a question";
            let problem = RuleProblem::new(DiagnosticCode::NoEffect, &prop.name, message);
            self.warnings.push(problem.help("say \"block\" or \"ask\" with a reason beside it"));
            return then;
        }
        if let Some(reason) = &mut then.reason {
            reason.push('\n');
            reason.push_str(&literal.value);
        }
        then
    }

    /// Warns of a decision that has no effect on this event.
    fn effect(&mut self, prop: &ObjectProp<'_>, output: &HookOutput) {
        let event = self.event;
        let message = match &output.decision {
            Some(decision) if decision.blocks() && !event.can_block() => format!("{event} cannot be blocked"),
            Some(Decision::Ask) if event != EventName::BeforeTool => format!("{event} cannot ask a person"),
            _ => return,
        };
        let problem =
            RuleProblem::new(DiagnosticCode::NoEffect, &prop.name, format!("it has no effect: {message}"));
        self.warnings.push(problem.help("put the rule into BeforeTool, or say \"context\""));
    }

    /// What the rule says when it cannot be determined whether it holds.
    fn unknown(&mut self, object: &Object<'_>, then: Option<&HookOutput>) -> Option<HookOutput> {
        let prop = field(object, "unknown")?;
        let decision = match &prop.value {
            Ast::StringLit(word) if word.value == "block" => Decision::Block,
            Ast::StringLit(word) if word.value == "ask" => Decision::Ask,
            Ast::StringLit(word) => {
                let message =
                    format!("`unknown` must be \"block\" or \"ask\", not \"{}\"", shortened(&word.value));
                let problem = RuleProblem::new(DiagnosticCode::InvalidUnknown, &prop.value, message)
                    .suggest(&word.value, &UNKNOWN);
                self.problems.push(problem);
                return None;
            }
            other => {
                self.problems.push(RuleProblem::wrong_type("`unknown`", "\"block\" or \"ask\"", other));
                return None;
            }
        };
        let reason = then.and_then(|then| then.reason.as_deref()).unwrap_or(NO_REASON);
        let reason = format!("Whether a rule forbids this call cannot be determined: {reason}");
        Some(HookOutput { decision: Some(decision), reason: Some(reason), ..HookOutput::default() })
    }
}
