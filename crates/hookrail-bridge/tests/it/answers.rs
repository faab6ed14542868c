//! Every effect in every dialect, word for word.

use std::fmt::Write as _;

use hookrail::{Block, BlockCause};
use hookrail_bridge::{Agent, Verdict};
use serde_json::{Value, json};

use crate::support::{answered, names};

fn block(reason: &str, cause: BlockCause) -> Verdict {
    Verdict { block: Some(Block::new(reason, cause)), ..Verdict::default() }
}

fn object(value: Value) -> Option<serde_json::Map<String, Value>> {
    match value {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// The verdicts that a hook can give, by the moment at which it gives them.
pub(crate) fn verdicts() -> Vec<(&'static str, &'static str, Verdict)> {
    let none = Verdict::default;
    let text = |text: &str| Some(text.to_owned());
    vec![
        ("before", "nothing", none()),
        ("before", "block", block("no", BlockCause::Policy)),
        ("before", "block without a reason", block(" ", BlockCause::Policy)),
        ("before", "a failing hook that blocks", block("guard.sh failed: exit code 1", BlockCause::Failure)),
        ("before", "ask", Verdict { ask: text("sure?"), ..none() }),
        ("before", "changed arguments", Verdict { tool_input: object(json!({"command": "ls"})), ..none() }),
        (
            "before",
            "changed arguments and ask",
            Verdict { tool_input: object(json!({"command": "ls"})), ask: text("sure?"), ..none() },
        ),
        ("before", "context", Verdict { additional_context: text("mind the gap"), ..none() }),
        ("before", "system message", Verdict { system_message: text("mind the gap"), ..none() }),
        ("before", "allow in so many words", Verdict { permission_allow: text("known"), ..none() }),
        ("before", "stop", Verdict { stop: text("enough"), ..none() }),
        ("before", "block and stop", Verdict { stop: text("enough"), ..block("no", BlockCause::Policy) }),
        ("before", "hidden output", Verdict { suppress_output: true, ..none() }),
        ("before", "hooks are off", Verdict { notices: vec!["hooks are off".to_owned()], ..none() }),
        ("after", "nothing", none()),
        ("after", "context", Verdict { additional_context: text("run the tests"), ..none() }),
        (
            "after",
            "replaced result",
            Verdict { tool_response: object(json!({"llmContent": "[hidden]"})), ..none() },
        ),
        (
            "after",
            "replaced result and context",
            Verdict {
                tool_response: object(json!({"llmContent": "[hidden]"})),
                additional_context: text("ask for it"),
                ..none()
            },
        ),
        ("after", "stop", Verdict { stop: text("enough"), ..none() }),
        ("prompt", "nothing", none()),
        ("prompt", "block", block("not today", BlockCause::Policy)),
        ("prompt", "context", Verdict { additional_context: text("it is Monday"), ..none() }),
        ("prompt", "stop", Verdict { stop: text("enough"), ..none() }),
        ("end", "nothing", none()),
        ("end", "back to work", block("tests fail", BlockCause::Policy)),
        ("end", "stop", Verdict { stop: text("enough"), ..none() }),
        (
            "end",
            "back to work and stop",
            Verdict { stop: text("enough"), ..block("tests fail", BlockCause::Policy) },
        ),
        ("start", "context", Verdict { additional_context: text("read AGENTS.md"), ..none() }),
        ("start", "stop", Verdict { stop: text("enough"), ..none() }),
    ]
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

/// A verdict that asks for nothing gives an empty answer, and no answer allows what no hook allowed.
#[test]
fn silence_and_no_unasked_allow() {
    for agent in crate::support::OBSERVED {
        for (moment, effect, verdict) in verdicts() {
            let Some(payload) = payload_at(agent, moment) else { continue };
            let output = answered(agent, payload, &verdict).stdout;
            if verdict == Verdict::default() {
                assert_eq!(output, "", "{agent} {moment}");
            }
            let allows = output.contains("\"allow\"");
            let may = verdict.permission_allow.is_some()
                || (agent == Agent::Codex && effect == "changed arguments");
            assert!(may || !allows, "{agent} {moment} {effect}: {output}");
            assert!(
                !output.contains("\"reason\":\"\"") && !output.contains("Reason\":\"\""),
                "{agent} {effect}: {output}"
            );
        }
    }
}
