//! `doctor --live`, with programs that behave as Claude Code does in the parts that count: they call the model, run the
//! tools it asks for, and call their hooks or do not.

use hookrail_testkit::{TestProject, write_executable};
use serde_json::{Value, json};

use crate::program::hookrail;

/// A small agent. Whether it asks its hooks is its first line.
const AGENT: &str = r#"
import json, os, subprocess, sys, urllib.request

if "--version" in sys.argv:
    print("9.9.9 (Claude Code)")
    sys.exit()

def settings():
    with open(os.path.expanduser("~/.claude/settings.json")) as file:
        return json.load(file)

def ask(event, more):
    """What the hooks of an event answer, as one object."""
    answer = {}
    for group in settings()["hooks"].get(event, []) if OBEYS else []:
        for hook in group["hooks"]:
            payload = json.dumps({"session_id": "s", "cwd": os.getcwd(), "hook_event_name": event, **more})
            ran = subprocess.run(hook["command"], shell=True, input=payload, capture_output=True, text=True)
            if ran.returncode == 2:
                answer = {"decision": "block", "reason": ran.stderr}
                answer["hookSpecificOutput"] = {"permissionDecision": "deny", "permissionDecisionReason": ran.stderr}
            elif ran.stdout.strip():
                answer = json.loads(ran.stdout)
    return answer

def run(name, arguments):
    if name == "Write":
        with open(arguments["file_path"], "w") as file:
            file.write(arguments["content"])
        return "written"
    if name == "Bash":
        return subprocess.run(arguments["command"], shell=True, capture_output=True, text=True).stdout
    return "no such tool"

def call(name, arguments):
    call = {"tool_name": name, "tool_input": arguments, "tool_use_id": "t"}
    specific = ask("PreToolUse", call).get("hookSpecificOutput", {})
    if specific.get("permissionDecision") in ("deny", "ask"):
        return specific["permissionDecisionReason"]
    result = run(name, specific.get("updatedInput", arguments))
    after = ask("PostToolUse", {**call, "tool_response": {"stdout": result, "stderr": ""}})
    return result + after.get("hookSpecificOutput", {}).get("additionalContext", "")

prompt = sys.argv[sys.argv.index("-p") + 1]
refused = ask("UserPromptSubmit", {"prompt": prompt})
if refused.get("decision") == "block":
    print(refused["reason"])
    sys.exit()
text = {"type": "object", "properties": {"command": {"type": "string"}}}
tools = [{"name": "Bash", "input_schema": text}, {"name": "Write", "input_schema": {}}]
messages = [{"role": "user", "content": prompt}]
while True:
    body = json.dumps({"model": "m", "messages": messages, "tools": tools}).encode()
    with urllib.request.urlopen(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body) as answer:
        content = json.load(answer)["content"]
    messages.append({"role": "assistant", "content": content})
    results = [{"type": "tool_result", "tool_use_id": part["id"], "content": call(part["name"], part["input"])}
               for part in content if part["type"] == "tool_use"]
    if not results:
        print(content[0]["text"])
        sys.exit()
    messages.append({"role": "user", "content": results})
"#;

/// Runs `doctor --live claude` with such an agent, and returns the exit code and the results by effect.
fn live(obeys: bool, more: &[&str]) -> (Option<i32>, Value, Vec<(String, String)>) {
    let project = TestProject::new();
    let bin = project.dir().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let flag = if obeys { "True" } else { "False" };
    write_executable(&bin.join("claude"), format!("#!/usr/bin/env python3\nOBEYS = {flag}\n{AGENT}"));
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let arguments = [&["doctor", "--live", "claude", "--format", "json"], more].concat();
    let output = hookrail(&project, &arguments).env("PATH", path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let report: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)));
    let agent = report["agents"][0].clone();
    let word = |effect: &Value, key: &str| effect[key].as_str().unwrap().to_owned();
    let effects = agent["effects"].as_array().unwrap();
    let results = effects.iter().map(|each| (word(each, "effect"), word(each, "result"))).collect();
    (output.status.code(), agent, results)
}

fn result<'a>(results: &'a [(String, String)], effect: &str) -> &'a str {
    &results.iter().find(|(name, _)| name == effect).unwrap_or_else(|| panic!("no {effect}: {results:?}")).1
}

#[test]
fn an_agent_that_ignores_its_hooks_is_found_out() {
    let (code, agent, results) = live(false, &["--strict"]);
    assert_eq!(code, Some(1), "{agent}");
    for effect in
        ["block-shell", "block-write", "parallel-calls", "changed-arguments", "slow-hook", "broken-settings"]
    {
        assert_eq!(result(&results, effect), "not-obeyed", "{agent}");
    }
    // It has no such tool, so nothing was seen.
    assert_eq!(result(&results, "block-mcp"), "unknown", "{agent}");
    assert_eq!((&agent["version"], &agent["measured"]), (&json!("9.9.9"), &json!(false)), "{agent}");
}

#[test]
fn an_agent_that_obeys_is_seen_to() {
    let (_, agent, results) = live(true, &[]);
    for effect in [
        "block-shell",
        "block-write",
        "parallel-calls",
        "ask",
        "changed-arguments",
        "slow-hook",
        "broken-settings",
    ] {
        assert_eq!(result(&results, effect), "obeyed", "{agent}");
    }
}

#[test]
fn an_agent_that_is_not_there_is_named() {
    let project = TestProject::new();
    let output =
        hookrail(&project, &["doctor", "--live", "codex"]).env("PATH", "/usr/bin:/bin").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("codex is not installed"), "{said}");
}
