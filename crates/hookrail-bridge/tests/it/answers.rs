//! Every effect in every dialect, word for word.

use std::fmt::Write as _;

use hookrail::effects::{EventEffects, SpecificEffects};
use hookrail::{Block, BlockCause, StopReason};
use hookrail_bridge::{Agent, Outcome};
use serde_json::{Value, json};

use crate::support::{answered, names};

fn block(reason: &str, cause: BlockCause) -> EventEffects {
    EventEffects { block: Some(Block::new(reason, cause)), ..EventEffects::default() }
}

fn object(value: Value) -> Option<serde_json::Map<String, Value>> {
    match value {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// The verdicts that a hook can give, by the moment at which it gives them.
pub(crate) fn verdicts() -> Vec<(&'static str, &'static str, Outcome)> {
    let none = EventEffects::default;
    let text = |text: &str| Some(text.to_owned());
    let stop = || Some(StopReason::new("enough"));
    let listing =
        || SpecificEffects::BeforeTool { tool_input: object(json!({"command": "ls"})), allow: None };
    let allow = SpecificEffects::BeforeTool { tool_input: None, allow: text("known") };
    let hidden = || SpecificEffects::AfterTool { tool_response: json!({"llmContent": "[hidden]"}) };
    let effects = [
        ("before", "nothing", none()),
        ("before", "block", block("no", BlockCause::Policy)),
        ("before", "block without a reason", block(" ", BlockCause::Policy)),
        ("before", "a failing hook that blocks", block("guard.sh failed: exit code 1", BlockCause::Failure)),
        ("before", "ask", EventEffects { ask: text("sure?"), ..none() }),
        ("before", "changed arguments", EventEffects { specific: listing(), ..none() }),
        (
            "before",
            "changed arguments and ask",
            EventEffects { specific: listing(), ask: text("sure?"), ..none() },
        ),
        ("before", "context", EventEffects { additional_context: text("mind the gap"), ..none() }),
        ("before", "system message", EventEffects { system_message: text("mind the gap"), ..none() }),
        ("before", "allow in so many words", EventEffects { specific: allow, ..none() }),
        ("before", "stop", EventEffects { stop: stop(), ..none() }),
        ("before", "block and stop", EventEffects { stop: stop(), ..block("no", BlockCause::Policy) }),
        ("before", "hidden output", EventEffects { suppress_output: true, ..none() }),
        ("after", "nothing", none()),
        ("after", "context", EventEffects { additional_context: text("run the tests"), ..none() }),
        ("after", "replaced result", EventEffects { specific: hidden(), ..none() }),
        (
            "after",
            "replaced result and context",
            EventEffects { specific: hidden(), additional_context: text("ask for it"), ..none() },
        ),
        ("after", "stop", EventEffects { stop: stop(), ..none() }),
        ("prompt", "nothing", none()),
        ("prompt", "block", block("not today", BlockCause::Policy)),
        ("prompt", "context", EventEffects { additional_context: text("it is Monday"), ..none() }),
        ("prompt", "stop", EventEffects { stop: stop(), ..none() }),
        ("end", "nothing", none()),
        ("end", "back to work", block("tests fail", BlockCause::Policy)),
        ("end", "stop", EventEffects { stop: stop(), ..none() }),
        (
            "end",
            "back to work and stop",
            EventEffects { stop: stop(), ..block("tests fail", BlockCause::Policy) },
        ),
        ("start", "context", EventEffects { additional_context: text("read AGENTS.md"), ..none() }),
        ("start", "stop", EventEffects { stop: stop(), ..none() }),
    ];
    let notice = Outcome { notices: vec!["hooks are off".to_owned()], ..Outcome::default() };
    let effects = effects.into_iter().map(|(moment, name, effects)| (moment, name, Outcome::from(effects)));
    let mut outcomes: Vec<_> = effects.collect();
    let before = outcomes.iter().filter(|(moment, ..)| *moment == "before").count();
    outcomes.insert(before, ("before", "hooks are off", notice));
    outcomes
}

/// The payload that an agent sends at a moment.
pub(crate) fn payload_at(agent: Agent, moment: &str) -> Option<&'static str> {
    let names = names(agent);
    match moment {
        "before" => Some(names.before),
        "after" => Some(names.after),
        "prompt" => Some(names.prompt),
        "end" => Some(names.end),
        _ => names.start,
    }
}

fn transcript(agent: Agent) -> String {
    let mut lines = String::new();
    for (moment, effect, verdict) in verdicts() {
        let Some(payload) = payload_at(agent, moment) else { continue };
        let output = answered(agent, payload, &verdict);
        let remembered = output.memory.map(|memory| {
            let mut memory = serde_json::to_value(memory).expect("JSON");
            // What every event leaves behind is tested elsewhere.
            let fields = memory.as_object_mut().expect("an object");
            fields.retain(|key, value| {
                !matches!(key.as_str(), "cwd" | "prompt")
                    && !value.is_null()
                    && *value != json!([])
                    && *value != json!(false)
            });
            memory
        });
        writeln!(lines, "{moment}: {effect}").expect("a text");
        for (kind, text) in [("stdout", output.stdout.trim_end()), ("stderr", output.stderr.trim_end())] {
            if !text.is_empty() {
                writeln!(lines, "    {kind}     {text}").expect("a text");
            }
        }
        if let Some(memory) = remembered.filter(|memory| *memory != json!({})) {
            writeln!(lines, "    remember   {memory}").expect("a text");
        }
        for line in &output.strengthened {
            writeln!(lines, "    log        {line}").expect("a text");
        }
        assert_eq!(output.exit_code, 0);
    }
    lines
}

#[test]
fn claude() {
    insta::assert_snapshot!(transcript(Agent::Claude));
}

#[test]
fn codex() {
    insta::assert_snapshot!(transcript(Agent::Codex));
}

#[test]
fn gemini() {
    insta::assert_snapshot!(transcript(Agent::Gemini));
}

#[test]
fn qwen() {
    insta::assert_snapshot!(transcript(Agent::Qwen));
}

#[test]
fn grok() {
    insta::assert_snapshot!(transcript(Agent::Grok));
}

#[test]
fn kimi() {
    insta::assert_snapshot!(transcript(Agent::Kimi));
}

#[test]
fn copilot() {
    insta::assert_snapshot!(transcript(Agent::Copilot));
}

#[test]
fn llxprt() {
    insta::assert_snapshot!(transcript(Agent::Llxprt));
}

#[test]
fn opencode() {
    insta::assert_snapshot!(transcript(Agent::Opencode));
}

/// It is asked by the same plugin.
#[test]
fn kilo_as_opencode() {
    let opencode = transcript(Agent::Opencode).replace("opencode ", "Kilo ");
    assert_eq!(transcript(Agent::Kilo), opencode);
}

#[test]
fn cline() {
    insta::assert_snapshot!(transcript(Agent::Cline));
}

#[test]
fn pi() {
    insta::assert_snapshot!(transcript(Agent::Pi));
}

/// A verdict that asks for nothing gives an empty answer, and no answer allows what no hook allowed.
#[test]
fn silence_and_no_unasked_allow() {
    for agent in crate::support::OBSERVED {
        for (moment, effect, verdict) in verdicts() {
            let Some(payload) = payload_at(agent, moment) else { continue };
            let output = answered(agent, payload, &verdict).stdout;
            if verdict == Outcome::default() {
                assert_eq!(output, "", "{agent} {moment}");
            }
            let allows = output.contains("\"allow\"");
            let may = matches!(&verdict.effects.specific, SpecificEffects::BeforeTool { allow: Some(_), .. })
                || (agent == Agent::Codex && effect == "changed arguments");
            assert!(may || !allows, "{agent} {moment} {effect}: {output}");
            assert!(
                !output.contains("\"reason\":\"\"") && !output.contains("Reason\":\"\""),
                "{agent} {effect}: {output}"
            );
        }
    }
}
