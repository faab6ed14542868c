//! One rule, and the same verdict about every agent's own payload; workers that end with the bridge.

use std::fs;
use std::path::Path;
use std::time::Duration;

use hookrail_testkit::{TestProject, process_is_alive, wait_until};
use serde_json::{Value, json};

use super::{SHELL_CALLS, bridge, refuses, settings, with_hooks};
use crate::program::{Ran, run_with_stdin};

/// Payloads of every agent, and the one rule below that is meant for each.
const CALLS: [(&str, &str, &str); 33] = [
    ("claude", "PreToolUse-Bash", "touching"),
    ("codex", "PreToolUse-Bash", "touching"),
    ("gemini", "BeforeTool-run_shell_command", "touching"),
    ("qwen", "PreToolUse-run_shell_command", "touching"),
    ("copilot", "preToolUse-bash", "touching"),
    ("opencode", "tool.execute.before-bash", "touching"),
    ("claude", "PreToolUse-Write", "writing new"),
    ("codex", "PreToolUse-apply_patch", "writing new"),
    ("gemini", "BeforeTool-write_file", "writing new"),
    ("qwen", "PreToolUse-write_file", "writing new"),
    ("copilot", "preToolUse-create", "writing new"),
    ("opencode", "tool.execute.before-write", "writing new"),
    ("claude", "PreToolUse-Edit", "writing notes"),
    ("gemini", "BeforeTool-replace", "writing notes"),
    ("qwen", "PreToolUse-edit", "writing notes"),
    ("copilot", "preToolUse-edit", "writing notes"),
    ("opencode", "tool.execute.before-edit", "writing notes"),
    ("claude", "PreToolUse-Read", "reading notes"),
    ("gemini", "BeforeTool-read_file", "reading notes"),
    ("qwen", "PreToolUse-read_file", "reading notes"),
    ("copilot", "preToolUse-view", "reading notes"),
    ("opencode", "tool.execute.before-read", "reading notes"),
    ("kilo", "tool.execute.before-bash", "touching"),
    ("kilo", "tool.execute.before-write", "writing new"),
    ("kilo", "tool.execute.before-edit", "writing notes"),
    ("kilo", "tool.execute.before-read", "reading notes"),
    ("pi", "tool_call-bash", "touching"),
    ("pi", "tool_call-write", "writing new"),
    ("pi", "tool_call-edit", "writing notes"),
    ("pi", "tool_call-read", "reading notes"),
    ("cline", "beforeTool-run_commands", "touching"),
    ("cline", "beforeTool-editor", "writing new"),
    ("cline", "beforeTool-read_files", "reading notes"),
];

const REASONS: [&str; 4] = ["touching", "writing new", "writing notes", "reading notes"];

fn guarded() -> TestProject {
    with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "block": "touching" },
        { "type": "rule", "when": { "writes": "new.txt" }, "block": "writing new" },
        { "type": "rule", "when": { "writes": "notes.txt" }, "block": "writing notes" },
        { "type": "rule", "when": { "reads": "notes.txt" }, "block": "reading notes" },
    ] }] }))
}

/// A captured payload with its paths moved into the test's project.
fn moved(project: &TestProject, agent: &str, file: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hookrail-testkit/payloads");
    let text = fs::read_to_string(folder.join(agent).join(format!("{file}.json"))).expect("a payload");
    serde_json::from_str(&text.replace("/home/dev/work", &project.dir().to_string_lossy())).expect("JSON")
}

/// The reasons for which a call is refused.
fn reasons(ran: &Ran) -> Vec<&'static str> {
    assert_eq!(ran.code, Some(0), "{ran}");
    if ran.stdout.is_empty() {
        return Vec::new();
    }
    let answer = ran.json();
    REASONS.into_iter().filter(|reason| refuses(&answer, reason)).collect()
}

#[test]
fn one_set_of_rules_gives_one_verdict_about_every_agents_payload() {
    let project = guarded();
    for (agent, file, expected) in CALLS {
        let event = file.split('-').next().unwrap();
        let stdin = moved(&project, agent, file).to_string();
        let ran = run_with_stdin(&project, &["bridge", agent, event], &stdin);
        assert_eq!(reasons(&ran), [expected], "{agent} {file}: {ran}");
    }
}

#[test]
fn every_file_of_a_patch_counts() {
    let project = guarded();
    for (patch, expected) in [
        ("*** Update File: notes.txt\n@@\n-a\n+b", vec!["writing notes"]),
        ("*** Delete File: notes.txt", vec!["writing notes"]),
        ("*** Update File: other.txt\n*** Move to: new.txt\n@@\n-a\n+b", vec!["writing new"]),
        ("*** Add File: other.txt\n+x\n*** Add File: sub/../new.txt\n+x", vec!["writing new"]),
        ("*** Add File: other.txt\n+*** Add File: new.txt", vec![]),
    ] {
        let mut payload = moved(&project, "codex", "PreToolUse-apply_patch");
        payload["tool_input"]["command"] = json!(format!("*** Begin Patch\n{patch}\n*** End Patch\n"));
        let ran = run_with_stdin(&project, &["bridge", "codex", "PreToolUse"], &payload.to_string());
        assert_eq!(reasons(&ran), expected, "{patch}: {ran}");
    }
}

#[test]
fn a_worker_answers_every_agent_and_ends_with_the_keeper() {
    let project = TestProject::new();
    let worker = project.home().join("worker.py");
    let hook =
        json!({ "type": "command", "worker": true, "command": format!("python3 {}", worker.display()) });
    project.user_settings(&settings(&json!({ "BeforeTool": [{ "hooks": [hook] }] })));
    fs::write(
        worker,
        "import json, os, sys, time\nopen('worker.pid', 'w').write(str(os.getpid()))\nfor line in sys.stdin:\n    \
         event = json.loads(line)\n    print(json.dumps({'id': event['id'], 'output': {'decision': 'block', \
         'reason': 'says the worker'}}), flush=True)\ntime.sleep(600)\n",
    )
    .unwrap();
    for (agent, before, _) in SHELL_CALLS {
        let ran = bridge(&project, agent, before, &json!({}));
        assert!(refuses(&ran.json(), "says the worker"), "{agent}: {ran}");
    }
    let pid: u32 = project.read("worker.pid").parse().unwrap();
    let home = project.home();
    let stopped = Ran::new(&project, &["keeper", "stop", "--home", home.to_str().unwrap()]);
    assert_eq!(stopped.code, Some(0), "{}", stopped.stderr);
    wait_until(Duration::from_mins(1), "the worker ends", || !process_is_alive(pid));
}
