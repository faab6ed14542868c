//! What one event leaves for the next: stops that take effect later, texts that wait, notices shown once.

use hookrail::effects::{EventEffects, SpecificEffects};
use hookrail_bridge::{Agent, Outcome, SessionMemory, answer, read, time_budget};
use serde_json::{Value, json};

use crate::support::{event, names};

/// A session: each step is an event with its verdict; what comes out is what was printed.
struct Session {
    agent: Agent,
    memory: SessionMemory,
}

impl Session {
    fn new(agent: Agent) -> Self {
        Self { agent, memory: SessionMemory::default() }
    }

    fn step(&mut self, payload: &str, verdict: &Outcome) -> Value {
        let event = event(self.agent, payload);
        self.fire(&event, verdict)
    }

    fn fire(&mut self, event: &hookrail_bridge::BridgeEvent, verdict: &Outcome) -> Value {
        let output = answer(self.agent, event, verdict, &self.memory);
        if let Some(memory) = output.memory {
            // It is kept as JSON.
            let text = serde_json::to_string(&memory).expect("JSON");
            self.memory = serde_json::from_str(&text).expect("the same");
        }
        if output.stdout.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&output.stdout).expect("JSON")
        }
    }
}

fn stop() -> Outcome {
    let stop = Some(hookrail::StopReason::new("enough"));
    EventEffects { stop, ..EventEffects::default() }.into()
}

fn nothing() -> Outcome {
    Outcome::default()
}

fn context(text: &str) -> Outcome {
    EventEffects { additional_context: Some(text.to_owned()), ..EventEffects::default() }.into()
}

fn specific(specific: SpecificEffects) -> Outcome {
    EventEffects { specific, ..EventEffects::default() }.into()
}

fn object(value: &Value) -> hookrail::JsonObject {
    value.as_object().expect("an object").clone()
}

#[test]
fn claude_stops_after_the_batch() {
    let mut session = Session::new(Agent::Claude);
    let refused = session.step("PreToolUse-Bash", &stop());
    assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(
        session.step("PreToolUse-Write", &nothing())["hookSpecificOutput"]["permissionDecision"],
        "deny"
    );
    let ended = json!({"continue": false, "stopReason": "enough"});
    assert_eq!(session.step("PostToolBatch", &nothing()), ended);
    // It is told once; an agent that goes on all the same is refused.
    assert_eq!(session.step("PostToolBatch", &nothing()), Value::Null);
    assert_eq!(
        session.step("PreToolUse-Bash", &nothing())["hookSpecificOutput"]["permissionDecision"],
        "deny"
    );
    // A person goes on, and so does the agent.
    assert_eq!(session.step("UserPromptSubmit", &nothing()), Value::Null);
    assert_eq!(session.step("PreToolUse-Bash", &nothing()), Value::Null);
    assert_eq!(session.step("PostToolBatch", &nothing()), Value::Null);
}

#[test]
fn copilot_stops_where_it_asks_for_permission() {
    let mut session = Session::new(Agent::Copilot);
    assert_eq!(session.step("preToolUse-bash", &stop()), Value::Null);
    let interrupted = json!({"behavior": "deny", "message": "enough", "interrupt": true});
    assert_eq!(session.step("permissionRequest-bash", &nothing()), interrupted);
    // If the run goes on all the same, no tool does: this one asks no permission.
    assert_eq!(session.step("preToolUse-view", &nothing())["permissionDecision"], "deny");
    assert_eq!(session.step("userPromptSubmitted", &nothing()), Value::Null);
    assert_eq!(session.step("preToolUse-view", &nothing()), Value::Null);
    assert_eq!(session.step("permissionRequest-bash", &nothing()), Value::Null);
}

/// Waiting for a later event is fine only for who can wait.
#[test]
fn without_a_memory_a_stop_refuses_at_once() {
    let event = event(Agent::Copilot, "preToolUse-bash");
    let output = answer(Agent::Copilot, &event, &stop(), &SessionMemory::lost());
    assert!(output.stdout.contains("deny"), "{}", output.stdout);
}

#[test]
fn a_stop_refuses_every_further_call_until_the_next_prompt() {
    for agent in [Agent::Codex, Agent::Qwen, Agent::Opencode] {
        let names = names(agent);
        let mut session = Session::new(agent);
        session.step(names.after, &stop());
        let refused = session.step(names.before, &nothing()).to_string();
        assert!(refused.contains("deny") && refused.contains("enough"), "{agent}: {refused}");
        session.step(names.prompt, &nothing());
        assert_eq!(session.step(names.before, &nothing()), Value::Null, "{agent}");
    }
}

#[test]
fn qwen_stops_before_the_next_model_call() {
    let mut session = Session::new(Agent::Qwen);
    session.step(names(Agent::Qwen).before, &stop());
    let text = r#"{"hook_event_name": "UserPromptSubmit", "prompt": "", "session_id": "1", "cwd": "/w"}"#;
    let event = read(Agent::Qwen, None, text.as_bytes()).expect("an event");
    let output = session.fire(&event, &nothing());
    assert_eq!(
        output,
        json!({"continue": false, "stopReason": "enough", "decision": "block", "reason": "enough"})
    );
}

#[test]
fn a_stop_at_the_start_refuses_every_prompt() {
    for agent in [Agent::Claude, Agent::Gemini, Agent::Copilot, Agent::Opencode] {
        let names = names(agent);
        let mut session = Session::new(agent);
        session.step(names.start.expect("a start"), &stop());
        for _ in 0..2 {
            let refused = session.step(names.prompt, &nothing()).to_string();
            assert!(refused.contains("enough"), "{agent}: {refused}");
        }
        session.step(names.start.expect("a start"), &nothing());
        assert_eq!(session.step(names.prompt, &nothing()), Value::Null, "{agent}");
    }
}

/// What Gemini, Qwen and opencode do not take before a tool they take after it.
#[test]
fn a_text_waits_for_the_next_opportunity() {
    for agent in [Agent::Gemini, Agent::Qwen, Agent::Opencode] {
        let names = names(agent);
        let mut session = Session::new(agent);
        let verdict = context("mind the gap");
        assert_eq!(session.step(names.before, &verdict), Value::Null, "{agent}");
        let output = session.step(names.after, &nothing());
        assert_eq!(output["hookSpecificOutput"]["additionalContext"], "mind the gap", "{agent}");
        assert_eq!(session.step(names.after, &nothing()), Value::Null, "{agent}");
    }
}

/// Copilot takes ten kilobytes at a time, the others take everything.
/// Qwen Code drops answers of hooks at its start, and shows messages to the user at the end of its work only.
#[test]
fn qwen_is_answered_where_it_reads_the_answer() {
    let mut session = Session::new(Agent::Qwen);
    let start = br#"{"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/", "source": "startup"}"#;
    let start = hookrail_bridge::read(Agent::Qwen, None, start).expect("an event");
    let greeting = Outcome { notices: vec!["hooks wait".to_owned()], ..context("be kind") };
    assert_eq!(session.fire(&start, &greeting), Value::Null);
    let notice = Outcome { notices: vec!["hooks wait".to_owned()], ..Outcome::default() };
    let output = session.step("UserPromptSubmit", &notice);
    assert_eq!(
        output,
        json!({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "be kind"}})
    );
    // It fires the same event before each model call, with an empty prompt.
    let again = br#"{"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/", "prompt": ""}"#;
    let again = hookrail_bridge::read(Agent::Qwen, None, again).expect("an event");
    let output = answer(Agent::Qwen, &again, &notice, &session.memory);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str(), output.memory), ("", "", None));
    assert_eq!(session.step("Stop", &notice), json!({"systemMessage": "hooks wait"}));
    assert_eq!(session.step("Stop", &notice), Value::Null);
}

#[test]
fn a_long_text_arrives_in_pieces_or_whole() {
    let long = "é".repeat(60 * 1024);
    let verdict = context(&long);
    let mut session = Session::new(Agent::Copilot);
    let first = session.step("preToolUse-bash", &verdict)["additionalContext"].clone();
    let second = session.step("postToolUse-bash", &nothing())["additionalContext"].clone();
    let received = format!("{}{}", first.as_str().expect("a text"), second.as_str().expect("a text"));
    assert!(long.starts_with(&received) && received.len() > 20_000, "{}", received.len());
    let mut session = Session::new(Agent::Claude);
    let whole = session.step("PreToolUse-Bash", &verdict)["hookSpecificOutput"]["additionalContext"].clone();
    assert_eq!(whole, json!(long));
}

#[test]
fn a_notice_is_shown_once_a_session() {
    let verdict = Outcome { notices: vec!["hooks are off".to_owned()], ..nothing() };
    let mut session = Session::new(Agent::Claude);
    let answers: Vec<Value> = (0..3).map(|_| session.step("PreToolUse-Bash", &verdict)).collect();
    assert_eq!(answers, [json!({"systemMessage": "hooks are off"}), Value::Null, Value::Null]);
}

/// Gemini passes the tools that are left to its model, and nevertheless runs another one.
#[test]
fn gemini_is_held_to_the_tools_that_a_hook_left() {
    let restrict =
        |config: Value| specific(SpecificEffects::BeforeToolSelection { tool_config: object(&config) });
    let mut session = Session::new(Agent::Gemini);
    let config = json!({"mode": "ANY", "allowedFunctionNames": ["read_file", "search_file_content"]});
    let output = session.step("BeforeToolSelection", &restrict(config));
    let names = json!(["read_file", "grep_search", "search_file_content"]);
    assert_eq!(output["hookSpecificOutput"]["toolConfig"]["allowedFunctionNames"], names);
    assert_eq!(session.step("BeforeTool-run_shell_command", &nothing())["decision"], "deny");
    assert_eq!(session.step("BeforeTool-read_file", &nothing()), Value::Null);
    session.step("BeforeToolSelection", &restrict(json!({"mode": "NONE"})));
    assert_eq!(session.step("BeforeTool-read_file", &nothing())["decision"], "deny");
    session.step("BeforeToolSelection", &nothing());
    assert_eq!(session.step("BeforeTool-read_file", &nothing()), Value::Null);
    let config = json!({"mode": "ANY", "allowedFunctionNames": ["mcp__my_git__log"]});
    let output = session.step("BeforeToolSelection", &restrict(config));
    assert_eq!(output["hookSpecificOutput"]["toolConfig"]["allowedFunctionNames"], json!(["mcp_my_git_log"]));
    let text = r#"{"hook_event_name": "BeforeTool", "tool_name": "mcp_my_git_log", "tool_input": {}}"#;
    let event = read(Agent::Gemini, None, text.as_bytes()).expect("an event");
    assert_eq!(session.fire(&event, &nothing()), Value::Null);
}

#[test]
fn gemini_model_events() {
    let mut session = Session::new(Agent::Gemini);
    let llm_response = object(&json!({"text": "42"}));
    let given = Some(llm_response.clone());
    let invented = specific(SpecificEffects::BeforeModel { llm_request: None, llm_response: given });
    let output = session.step("BeforeModel", &invented);
    assert_eq!(output["decision"], "deny");
    assert_eq!(output["hookSpecificOutput"]["llm_response"], json!({"text": "42"}));
    let llm_request = Some(object(&json!({"model": "m"})));
    let changed = specific(SpecificEffects::BeforeModel { llm_request, llm_response: None });
    let output = session.step("BeforeModel", &changed);
    assert_eq!(
        output,
        json!({"hookSpecificOutput": {"hookEventName": "BeforeModel", "llm_request": {"model": "m"}}})
    );
    let output = session.step("AfterModel", &specific(SpecificEffects::AfterModel { llm_response }));
    assert_eq!(
        output,
        json!({"hookSpecificOutput": {"hookEventName": "AfterModel", "llm_response": {"text": "42"}}})
    );
    assert_eq!(session.step("AfterModel", &stop()), json!({"continue": false, "stopReason": "enough"}));
}

#[test]
fn time_is_less_than_what_is_granted() {
    for (agent, event, most) in [
        (Agent::Claude, "SessionEnd", 1_000),
        (Agent::Codex, "SessionEnd", 1_000),
        (Agent::Claude, "PreToolUse", 600_000),
        (Agent::Gemini, "BeforeTool", 600_000),
        (Agent::Copilot, "preToolUse", 600_000),
        (Agent::Claude, "NobodyKnows", 1_000),
    ] {
        let budget = time_budget(agent, event).as_millis();
        assert!(budget < most && budget > most / 2, "{agent} {event}: {budget}");
    }
}

/// Kimi Code takes a text for the model at prompts alone. One that waits is not lost when the session is resumed.
#[test]
fn a_text_waits_for_the_prompt_of_a_resumed_session() {
    for (source, expected) in [("resume", json!({ "message": "later" })), ("clear", Value::Null)] {
        let mut session = Session::new(Agent::Kimi);
        assert_eq!(session.step("PostToolUse-Bash", &context("later")), Value::Null);
        let mut start = event(Agent::Kimi, "SessionStart");
        start.payload.insert("source".to_owned(), source.into());
        assert_eq!(session.fire(&start, &nothing()), Value::Null);
        assert_eq!(session.step("UserPromptSubmit", &nothing()), expected, "{source}");
    }
}

/// Grok Build fires the start of a session beside its first prompt, in any order, and some agents fire it again when they
/// compressed the conversation in the middle of their work.
#[test]
fn a_session_that_starts_late_forgets_neither_a_stop_nor_the_prompt() {
    for (agent, source) in [(Agent::Grok, "startup"), (Agent::Codex, "compact"), (Agent::Kimi, "startup")] {
        let names = names(agent);
        let mut session = Session::new(agent);
        session.step(names.prompt, &context("with the prompt"));
        let (prompt, waits) = (session.memory.prompt.clone(), session.memory.pending_context.clone());
        assert!(prompt.is_some(), "{agent}");
        session.step(names.before, &stop());
        let start =
            json!({ "hook_event_name": "SessionStart", "session_id": "s", "cwd": "/", "source": source });
        let start = read(agent, None, start.to_string().as_bytes()).expect("an event");
        session.fire(&start, &nothing());
        assert_ne!(
            session.step(names.before, &nothing()),
            Value::Null,
            "{agent}: a call passes after a stop"
        );
        assert_eq!(session.memory.prompt, prompt, "{agent}");
        if agent == Agent::Grok {
            assert!(waits.is_some(), "it takes texts with tool calls alone");
        }
    }
}
