//! Hooks as people publish them for Claude Code, imported and run behind other agents and in `hookrail agent`.
//!
//! `hookrail-testkit/claude-hooks` holds the scripts, and what Claude Code does with each of them; `cargo xtask agents
//! --claude-hooks` asks Claude Code itself. A test here speaks to the bridge as each agent does, carries out the calls that
//! pass, and looks for the same outcome: the same files, the same texts for the model.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use hookrail_testkit::{TestProject, write_executable};
use serde_json::{Value, json};

use crate::program::{hookrail, run, run_with_stdin};

/// The agents, with their names of the events.
const AGENTS: [Agent; 5] = [
    Agent {
        name: "codex",
        events: [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUse",
            "Stop",
            "SessionEnd",
        ],
    },
    Agent {
        name: "gemini",
        events: [
            "SessionStart",
            "BeforeAgent",
            "BeforeTool",
            "AfterTool",
            "AfterTool",
            "AfterAgent",
            "SessionEnd",
        ],
    },
    Agent {
        name: "copilot",
        events: [
            "sessionStart",
            "userPromptSubmitted",
            "preToolUse",
            "postToolUse",
            "postToolUseFailure",
            "agentStop",
            "sessionEnd",
        ],
    },
    Agent {
        name: "opencode",
        events: [
            "session.created",
            "chat.message",
            "tool.execute.before",
            "tool.execute.after",
            "tool.execute.after",
            "session.idle",
            "",
        ],
    },
    Agent {
        name: "qwen",
        events: [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "Stop",
            "SessionEnd",
        ],
    },
];

/// An agent by its name, and its events: start, prompt, before and after a tool, after a failed one, stop, end.
struct Agent {
    name: &'static str,
    events: [&'static str; 7],
}

/// What came of a run.
#[derive(Debug, Default)]
struct Outcome {
    /// Everything that reached the model.
    model: String,
    /// Everything that was shown to the person.
    user: String,
    /// The prompt did not reach the model.
    prompt_refused: bool,
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../hookrail-testkit/claude-hooks")
}

/// The hooks whose first event is one of these.
fn cases(events: &[&str]) -> Vec<Value> {
    let text = fs::read_to_string(folder().join("hooks.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(all.len() >= 25);
    let is_wanted = |case: &Value| {
        let first = case["hooks"].as_object().unwrap().keys().next().unwrap();
        let missing = case["needs"].as_array().into_iter().flatten().filter(|needed| {
            let found = Command::new("sh")
                .args(["-c", "command -v \"$0\" >/dev/null", needed.as_str().unwrap()])
                .status();
            !found.unwrap().success()
        });
        let missing: Vec<&Value> = missing.collect();
        let is_asked = events.contains(&first.as_str());
        if is_asked && !missing.is_empty() {
            let line = format!("left out, because {missing:?} is missing: {}\n", case["name"]);
            std::io::stdout().write_all(line.as_bytes()).unwrap();
        }
        is_asked && missing.is_empty()
    };
    all.into_iter().filter(is_wanted).collect()
}

/// A project with the hook in Claude Code's settings, moved to ours and approved.
fn moved(case: &Value) -> TestProject {
    let project = TestProject::new();
    let git = Command::new("git").args(["init", "-q", "-b", "main"]).arg(project.dir()).status();
    assert!(git.unwrap().success());
    project.file(".claude/hooks/none", "");
    for script in fs::read_dir(folder()).unwrap() {
        let script = script.unwrap();
        let place = project.dir().join(".claude/hooks").join(script.file_name());
        if script.path().extension().is_none_or(|end| end != "json") {
            write_executable(&place, fs::read(script.path()).unwrap());
        }
    }
    let settings = project.file(".claude/settings.json", json!({ "hooks": case["hooks"] }).to_string());
    let ran = run(&project, &["import", "claude", "--project", "--move"]);
    assert_eq!(ran.code, Some(0), "nothing is lost of {}: {ran}", case["name"]);
    assert_eq!(fs::read_to_string(settings).unwrap(), "{}", "{ran}");
    let ran = run(&project, &["trust", "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    project
}

/// Puts the files of a case where they were, and takes away what a run left.
fn reset(project: &TestProject, case: &Value) {
    for entry in fs::read_dir(project.dir()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        match entry.file_type().unwrap() {
            _ if [".git", ".claude", ".llxprt", ".hookrail"].contains(&name.as_str()) => {}
            kind if kind.is_dir() => fs::remove_dir_all(entry.path()).unwrap(),
            _ => fs::remove_file(entry.path()).unwrap(),
        }
    }
    for (name, text) in case["files"].as_object().into_iter().flatten() {
        project.file(name, text.as_str().unwrap());
    }
}

fn check(case: &Value, who: &str, project: &TestProject, outcome: &Outcome) {
    let expect = &case["expect"];
    let place = || format!("{} in {who}: {outcome:#?}", case["name"]);
    for (name, expected) in expect["files"].as_object().into_iter().flatten() {
        let found = fs::read_to_string(project.dir().join(name)).ok();
        match expected.as_str() {
            None => assert_eq!(found, None, "{name}: {}", place()),
            Some(expected) => {
                assert!(
                    found.as_ref().is_some_and(|text| text.contains(expected)),
                    "{name} is {found:?}: {}",
                    place()
                );
            }
        }
    }
    let list = |key: &str| expect[key].as_array().cloned().unwrap_or_default();
    for text in list("model") {
        assert!(outcome.model.contains(text.as_str().unwrap()), "{text}: {}", place());
    }
    for text in list("notModel") {
        assert!(!outcome.model.contains(text.as_str().unwrap()), "{text}: {}", place());
    }
    for text in list("user") {
        assert!(outcome.user.contains(text.as_str().unwrap()), "{text}: {}", place());
    }
    assert_eq!(outcome.prompt_refused, expect["prompt"] == "refused", "{}", place());
}

/// Runs every case in every agent that can have it.
fn same_outcome(events: &[&str]) {
    for case in cases(events) {
        let project = moved(&case);
        let mut agents = BTreeSet::new();
        for agent in AGENTS.iter().filter(|agent| case.get(agent.name).is_none()) {
            reset(&project, &case);
            let session = Session { agent, project: &project, outcome: Outcome::default() };
            let outcome = session.run(&case);
            check(&case, agent.name, &project, &outcome);
            agents.insert(agent.name);
        }
        assert!(agents.len() >= 3, "{} was seen in {agents:?} only", case["name"]);
        if case["mcp"] != true {
            reset(&project, &case);
            let outcome = own_agent(&case, &project);
            check(&case, "hookrail agent", &project, &outcome);
        }
    }
}

#[test]
fn guards_before_tools() {
    same_outcome(&["PreToolUse"]);
}

#[test]
fn hooks_after_tools() {
    same_outcome(&["PostToolUse", "PostToolUseFailure"]);
}

#[test]
fn hooks_of_prompts_and_sessions() {
    same_outcome(&["UserPromptSubmit", "SessionStart", "Stop", "SessionEnd"]);
}

/// The record of what Claude Code itself did is about these hooks.
#[test]
fn claude_code_was_seen_to_do_the_same() {
    let text = fs::read_to_string(folder().join("seen.json")).unwrap();
    let seen: Value = serde_json::from_str(&text).unwrap();
    let all = cases(&[
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
        "SessionStart",
        "Stop",
        "SessionEnd",
    ]);
    for case in all {
        let name = case["name"].as_str().unwrap();
        assert_eq!(
            seen["hooks"][name], "as expected",
            "`cargo xtask agents --claude-hooks` writes the record"
        );
    }
}

/// One session of an agent that calls the bridge.
struct Session<'a> {
    agent: &'a Agent,
    project: &'a TestProject,
    outcome: Outcome,
}

impl Session<'_> {
    fn run(mut self, case: &Value) -> Outcome {
        let [start, prompt, before, after, failed, stop, end] = self.agent.events;
        let text = case["prompt"].as_str().unwrap_or("do the task");
        self.fire(start, &json!({ "source": if self.agent.name == "copilot" { "new" } else { "startup" } }));
        let answer = self.fire(prompt, &json!({ "prompt": text }));
        if is_refused(&answer) {
            self.outcome.prompt_refused = true;
            return self.outcome;
        }
        for call in case["calls"].as_array().unwrap() {
            let Some((tool, mut input)) = native(self.agent.name, self.project, call) else { continue };
            let answer = self.fire(before, &fields(self.agent.name, &tool, &input, None));
            if is_refused(&answer) {
                continue;
            }
            let places =
                ["/hookSpecificOutput/updatedInput", "/hookSpecificOutput/tool_input", "/modifiedArgs"];
            if let Some(changed) = places.iter().find_map(|place| answer.pointer(place)?.as_object()) {
                input.as_object_mut().unwrap().extend(changed.clone());
            }
            let (code, result) = perform(self.project, &input);
            let event = if code == 0 { after } else { failed };
            let answer = self.fire(event, &fields(self.agent.name, &tool, &input, Some((code, &result))));
            let replaced = answer.pointer("/modifiedResult").is_some() || is_refused(&answer);
            if !replaced {
                self.outcome.model.push_str(&result);
            }
        }
        for active in [false, true] {
            let said = json!({ "stop_hook_active": active, "prompt": text, "prompt_response": "FINAL" });
            if !is_refused(&self.fire(stop, &said)) {
                break;
            }
        }
        self.fire(end, &json!({ "reason": "exit" }));
        self.outcome
    }

    /// Sends an event as the agent does, and keeps every text of the answer.
    fn fire(&mut self, event: &str, fields: &Value) -> Value {
        if event.is_empty() {
            return json!({});
        }
        let mut payload = json!({ "cwd": self.project.dir() });
        let is_camel = self.agent.name == "copilot";
        payload[if is_camel { "sessionId" } else { "session_id" }] = json!(self.agent.name);
        if !is_camel {
            payload["hook_event_name"] = json!(event);
        }
        for (key, value) in fields.as_object().unwrap() {
            payload[key] = value.clone();
        }
        let ran = run_with_stdin(self.project, &["bridge", self.agent.name, event], &payload.to_string());
        assert_eq!(ran.code, Some(0), "{}: {ran}", self.agent.name);
        let answer: Value =
            if ran.stdout.is_empty() { json!({}) } else { serde_json::from_str(&ran.stdout).unwrap() };
        self.outcome.user.push_str(&ran.stderr);
        self.outcome.user.push_str(answer["systemMessage"].as_str().unwrap_or_default());
        let reasons = ["reason", "permissionDecisionReason", "additionalContext"];
        let inside = [&answer, &answer["hookSpecificOutput"]];
        let texts = inside.iter().flat_map(|place| reasons.iter().filter_map(|key| place[*key].as_str()));
        let texts: Vec<&str> = texts.chain(answer["modifiedResult"]["textResultForLlm"].as_str()).collect();
        self.outcome.model.push_str(&texts.join("\n"));
        answer
    }
}

/// Whether an answer refuses, sends back, asks where nobody is, or replaces a result.
fn is_refused(answer: &Value) -> bool {
    let words = [
        &answer["decision"],
        &answer["permissionDecision"],
        &answer["hookSpecificOutput"]["permissionDecision"],
    ];
    words.iter().any(|word| matches!(word.as_str(), Some("deny" | "block" | "ask")))
}

/// A call of Claude Code's tools in another agent's terms; `None` for one that it makes otherwise.
fn native(agent: &str, project: &TestProject, call: &Value) -> Option<(String, Value)> {
    let input = &call["input"];
    let text = |key: &str| input[key].as_str().unwrap_or_default();
    let file = project.dir().join(text("file_path"));
    let lines = |sign: &str, text: &str| -> String {
        let lines: Vec<String> = text.lines().map(|line| format!("{sign}{line}")).collect();
        lines.join("\n") + "\n"
    };
    let (tool, input) = match (call["tool"].as_str()?, agent) {
        ("Bash", "codex") => ("Bash", json!({ "command": text("command") })),
        ("Bash", "gemini" | "qwen") => ("run_shell_command", json!({ "command": text("command") })),
        ("Bash", _) => ("bash", json!({ "command": text("command"), "description": "as scripted" })),
        ("Write", "codex") => {
            let added = lines("+", text("content"));
            let patch =
                format!("*** Begin Patch\n*** Add File: {}\n{added}*** End Patch\n", text("file_path"));
            ("apply_patch", json!({ "command": patch }))
        }
        ("Edit", "codex") => {
            let (old, new) = (lines("-", text("old_string")), lines("+", text("new_string")));
            let patch = format!(
                "*** Begin Patch\n*** Update File: {}\n@@\n{old}{new}*** End Patch\n",
                text("file_path")
            );
            ("apply_patch", json!({ "command": patch }))
        }
        ("Read", "codex") => return None,
        ("Write", "gemini" | "qwen") => {
            ("write_file", json!({ "file_path": file, "content": text("content") }))
        }
        ("Write", "copilot") => ("create", json!({ "path": file, "file_text": text("content") })),
        ("Write", _) => ("write", json!({ "filePath": file, "content": text("content") })),
        ("Edit", "gemini" | "qwen") => (
            if agent == "qwen" { "edit" } else { "replace" },
            json!({ "file_path": file, "old_string": text("old_string"), "new_string": text("new_string") }),
        ),
        ("Edit", "copilot") => {
            ("edit", json!({ "path": file, "old_str": text("old_string"), "new_str": text("new_string") }))
        }
        ("Edit", _) => (
            "edit",
            json!({ "filePath": file, "oldString": text("old_string"), "newString": text("new_string") }),
        ),
        ("Read", "gemini" | "qwen") => ("read_file", json!({ "file_path": file })),
        ("Read", "copilot") => ("view", json!({ "path": file })),
        ("Read", _) => ("read", json!({ "filePath": file })),
        (_, "gemini") => ("mcp_probe_leave_mark", json!({})),
        (_, "copilot") => ("probe-leave_mark", json!({})),
        (_, "opencode") => ("probe_leave_mark", json!({})),
        _ => ("mcp__probe__leave_mark", json!({})),
    };
    Some((tool.to_owned(), input))
}

/// The fields of a tool event in the agent's spelling, with the result after the call.
fn fields(agent: &str, tool: &str, input: &Value, result: Option<(i32, &str)>) -> Value {
    let keys = if agent == "copilot" { ["toolName", "toolArgs"] } else { ["tool_name", "tool_input"] };
    let mut fields = json!({ keys[0]: tool, keys[1]: input });
    if agent == "gemini" && tool.starts_with("mcp_") {
        fields["mcp_context"] = json!({ "server_name": "probe", "tool_name": "leave_mark" });
    }
    if agent == "opencode" {
        fields["input"] = json!({ "tool": tool, "callID": "call_1" });
    }
    let Some((code, text)) = result else { return fields };
    match agent {
        "codex" => fields["tool_response"] = json!(text),
        "copilot" | "qwen" if code != 0 => fields["error"] = json!(format!("Exit code {code}\n{text}")),
        "copilot" => fields["toolResult"] = json!({ "resultType": "success", "textResultForLlm": text }),
        "opencode" => {
            fields["tool_response"] =
                json!({ "title": "x", "metadata": { "output": text, "exit": code }, "output": text });
        }
        _ => fields["tool_response"] = json!({ "llmContent": text, "returnDisplay": text }),
    }
    fields
}

/// Does what the agent would do. Returns the exit code and the result.
fn perform(project: &TestProject, input: &Value) -> (i32, String) {
    let text = |keys: &[&str]| keys.iter().find_map(|key| input[*key].as_str()).map(str::to_owned);
    if let Some(command) = text(&["command"]) {
        if command.starts_with("*** Begin Patch") {
            apply(project, &command);
            return (0, "Done".to_owned());
        }
        let ran = Command::new("bash").args(["-c", &command]).current_dir(project.dir()).output().unwrap();
        return (ran.status.code().unwrap(), String::from_utf8(ran.stdout).unwrap());
    }
    let Some(file) = text(&["file_path", "path", "filePath"]) else { return (0, "marked".to_owned()) };
    if let Some(content) = text(&["content", "file_text"]) {
        fs::create_dir_all(Path::new(&file).parent().unwrap()).unwrap();
        fs::write(&file, content).unwrap();
    } else if let Some(old) = text(&["old_string", "old_str", "oldString"]) {
        let new = text(&["new_string", "new_str", "newString"]).unwrap();
        let before = fs::read_to_string(&file).unwrap();
        fs::write(&file, before.replace(&old, &new)).unwrap();
    } else {
        return (0, fs::read_to_string(&file).unwrap());
    }
    (0, "written".to_owned())
}

/// Applies a patch of one file, as far as these tests write them.
fn apply(project: &TestProject, patch: &str) {
    let name = patch.lines().nth(1).unwrap().split_once("File: ").unwrap().1;
    let side = |sign: char| -> String {
        let lines: Vec<&str> = patch.lines().filter_map(|line| line.strip_prefix(sign)).collect();
        lines.join("\n") + "\n"
    };
    let before = fs::read_to_string(project.dir().join(name)).unwrap_or_default();
    let after =
        if patch.contains("*** Add File") { side('+') } else { before.replace(&side('-'), &side('+')) };
    project.file(name, after);
}

/// The same session in `hookrail agent`, with a model that makes the calls.
fn own_agent(case: &Value, project: &TestProject) -> Outcome {
    let answer = |parts: Value| {
        json!({ "method": "generateContentStream", "response": [{ "candidates": [
            { "content": { "role": "model", "parts": parts }, "finishReason": "STOP" }] }] })
        .to_string()
    };
    let names =
        [("Bash", "run_shell_command"), ("Write", "write_file"), ("Edit", "replace"), ("Read", "read_file")];
    let calls = case["calls"].as_array().unwrap().iter().map(|call| {
        let (_, name) = names.iter().find(|(theirs, _)| call["tool"] == *theirs).unwrap();
        answer(json!([{ "functionCall": { "name": name, "args": call["input"] } }]))
    });
    let says = || answer(json!([{ "text": "FINAL" }]));
    let lines: Vec<String> = calls.chain([says(), says()]).collect();
    let (replay, log) = (project.home().join("replay.jsonl"), project.home().join("session.jsonl"));
    fs::write(&replay, lines.join("\n")).unwrap();
    let prompt = case["prompt"].as_str().unwrap_or("do the task");
    let mut command = hookrail(project, &["agent", "--approval-mode", "yolo", "-p", prompt]);
    let ran = command.arg("--replay").arg(&replay).arg("--session-log").arg(&log).output().unwrap();
    let text = fs::read_to_string(&log).unwrap_or_default();
    let requests: Vec<&str> =
        text.lines().filter(|line| line.contains("\"type\":\"model_request\"")).collect();
    Outcome {
        model: requests.join("\n"),
        user: String::from_utf8(ran.stderr).unwrap(),
        prompt_refused: requests.is_empty(),
    }
}
