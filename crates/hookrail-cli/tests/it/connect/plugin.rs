//! The plugins in a real JavaScript runtime, with hosts that call them as the agents do: opencode's by the types of
//! `@opencode-ai/plugin`, pi's by those of its extensions.

use std::path::Path;
use std::process::{Command, Stdio};

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::{at_home, run};

/// Loads the plugin and calls its hooks in the order in which opencode does; prints what became of each.
const HOST: &str = r#"
const { Hookrail } = await import(process.argv[2])
const logged = []
const toasts = []
const client = {
  app: { log: async ({ body }) => { logged.push(body.message) } },
  tui: { showToast: async ({ body }) => { toasts.push(body.message) } },
}
const hooks = await Hookrail({ client, directory: process.cwd() })
const sessionID = "ses_1"
const seen = {}
const attempt = async (name, call) => {
  try { seen[name] = { value: await call() } } catch (error) { seen[name] = { thrown: error.message } }
}
const tool = (name, tool, args) => attempt(name, async () => {
  const output = { args }
  await hooks["tool.execute.before"]({ tool, sessionID, callID: "call_1" }, output)
  return output.args
})
const prompt = (name, text) => attempt(name, async () => {
  const output = { message: { role: "user" }, parts: [{ type: "text", text }, { type: "file", url: "x" }] }
  await hooks["chat.message"]({ sessionID }, output)
  return output.parts[0].text
})
await attempt("created", () => hooks.event({ event: { type: "session.created", properties: { info: { id: sessionID } } } }))
await prompt("prompt", "do it")
await prompt("forbidden", "forbidden words")
await tool("blocked", "bash", { command: "rm x", description: "d" })
await tool("changed", "bash", { command: "touch x", description: "d" })
await tool("written", "write", { filePath: process.cwd() + "/secret.txt", content: "x" })
await tool("free", "bash", { command: "ls" })
await attempt("after", async () => {
  const output = { title: "t", output: "1 file", metadata: {} }
  await hooks["tool.execute.after"]({ tool: "bash", sessionID, callID: "call_1", args: { command: "ls" } }, output)
  return output.output
})
await attempt("compacting", () => hooks["experimental.session.compacting"]({ sessionID }, { context: [] }))
await attempt("idle", () => hooks.event({ event: { type: "session.idle", properties: { sessionID } } }))
await attempt("other", () => hooks.event({ event: { type: "file.edited", properties: {} } }))
console.log(JSON.stringify({ seen, logged, toasts }))
"#;

/// What the host saw of the plugin that `connect` wrote, after a change of its text.
fn hosted(project: &TestProject, change: impl Fn(&str) -> String) -> Value {
    let ran = run(project, &["connect", "opencode"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let plugin = project.home().join(".config/opencode/plugin/hookrail.js");
    let text = std::fs::read_to_string(plugin).unwrap();
    let plugin = project.file("plugin.mjs", change(&at_home(project, &text)));
    let host = project.file("host.mjs", HOST);
    let output = node(project, &host, &plugin);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn node(project: &TestProject, host: &Path, plugin: &Path) -> std::process::Output {
    Command::new("node")
        .args([host, plugin])
        .current_dir(project.dir())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", project.home())
        .stdin(Stdio::null())
        .output()
        .expect("node")
}

fn guarded() -> TestProject {
    let changed = json!({ "hookSpecificOutput": { "tool_input": { "command": "touch y" } } });
    let greets = json!({ "hookSpecificOutput": { "additionalContext": "welcome" } });
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "SessionStart": [{ "hooks": [{ "type": "command", "command": format!("echo '{greets}'") }] }],
        "BeforeAgent": [{ "hooks": [
            { "type": "rule", "when": { "prompt": { "contains": "forbidden" } }, "block": "not these words" },
        ] }],
        "BeforeTool": [{ "hooks": [
            { "type": "rule", "when": { "command": "rm" }, "block": "rm is for people" },
            { "type": "rule", "when": { "command": "touch" }, "then": changed },
            { "type": "rule", "when": { "writes": "secret.txt" }, "block": "it is secret" },
        ] }],
        "AfterTool": [{ "hooks": [{ "type": "rule", "when": { "command": "ls" }, "context": "count them" }] }],
    } }));
    project
}

#[test]
fn verdicts_are_carried_out() {
    let project = guarded();
    let host = hosted(&project, str::to_owned);
    let seen = &host["seen"];
    assert_eq!(
        seen["prompt"]["value"], "do it\n\nwelcome",
        "the start's context comes with the first prompt: {seen}"
    );
    let starts_with = |call: &str, reason: &str| {
        let thrown = seen[call]["thrown"].as_str().unwrap_or_default();
        assert!(thrown.starts_with(&format!("{reason}\n[hookrail: rule settings.json:")), "{call}: {seen}");
    };
    starts_with("forbidden", "not these words");
    assert_eq!(
        host["toasts"],
        json!([seen["forbidden"]["thrown"]]),
        "the user reads why a prompt is refused"
    );
    starts_with("blocked", "rm is for people");
    assert_eq!(seen["changed"]["value"], json!({ "command": "touch y", "description": "d" }), "{seen}");
    starts_with("written", "it is secret");
    assert_eq!(seen["free"]["value"], json!({ "command": "ls" }), "{seen}");
    assert_eq!(seen["after"]["value"], "1 file\n\ncount them", "{seen}");
    for quiet in ["created", "compacting", "idle", "other"] {
        assert_eq!(seen[quiet], json!({}), "{quiet}: {seen}");
    }
}

/// Gone, crashing, printing nonsense: what is guarded is refused with words, and everything else goes on.
#[test]
fn a_program_that_does_not_work_refuses_what_is_guarded() {
    let project = guarded();
    let crashing = project.script("crashing", "cat > /dev/null; exit 3");
    let talking = project.script("talking", "cat > /dev/null; echo 'Segmentation fault'");
    let programs =
        ["/nowhere/hookrail", "/etc/passwd", crashing.to_str().unwrap(), talking.to_str().unwrap()];
    for program in programs {
        let installed = super::installed(&project);
        let host = hosted(&project, |text| text.replace(installed.to_str().unwrap(), program));
        let seen = &host["seen"];
        for refused in ["prompt", "forbidden", "blocked", "changed", "written", "free"] {
            let thrown = seen[refused]["thrown"].as_str().unwrap_or_default();
            assert!(thrown.contains("hookrail doctor"), "{program} {refused}: {seen}");
        }
        assert_eq!(seen["after"]["value"], "1 file", "{program}: {seen}");
        for open in ["created", "compacting", "idle", "other"] {
            assert_eq!(seen[open], json!({}), "{program} {open}: {seen}");
        }
    }
}

/// The project's plugin finds the program of whoever runs it, warns where there is none, or refuses if it is required.
#[test]
fn a_projects_plugin_looks_for_the_program() {
    let project = guarded();
    let home = project.home().display().to_string();
    for (option, required) in [("--project", false), ("--require", true)] {
        let arguments = ["connect", "opencode", "--project", option];
        let ran = run(&project, &arguments[..if required { 4 } else { 3 }]);
        assert_eq!(ran.code, Some(0), "{ran}");
        let here = |folder: &str| {
            let text = project.read(".opencode/plugin/hookrail.js");
            let text = text.replace("h=; u=$(/usr/bin/id -un) && eval \\\"h=~$u\\\"", &format!("h={folder}"));
            let text = ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"]
                .iter()
                .fold(text, |text, place| text.replace(&format!(" {place}/"), " /nowhere/"));
            let text = text.replace("bridge --project", &format!("bridge --home {home} --project"));
            let plugin = project.file("plugin.mjs", text);
            let host = project.file("host.mjs", HOST);
            let output = node(&project, &host, &plugin);
            serde_json::from_slice::<Value>(&output.stdout).unwrap()
        };
        let blocked = here(&home)["seen"]["blocked"]["thrown"].to_string();
        assert!(blocked.contains("rm is for people"), "{blocked}");
        let host = here("/nowhere");
        let said = host["toasts"].to_string();
        assert!(said.contains("not installed here"), "{host}");
        for call in ["prompt", "free", "blocked"] {
            let thrown = host["seen"][call]["thrown"].as_str().unwrap_or_default();
            assert_eq!(thrown.contains("cargo install"), required, "{call}: {host}");
        }
        assert_eq!(host["seen"]["after"]["value"], "1 file", "{host}");
    }
}

#[test]
fn broken_settings_refuse_and_name_the_command() {
    let project = guarded();
    std::fs::write(project.user_settings_path(), "{ \"enableHooks\": ").unwrap();
    let host = hosted(&project, str::to_owned);
    for refused in ["prompt", "blocked", "free"] {
        let thrown = host["seen"][refused]["thrown"].as_str().unwrap_or_default();
        assert!(thrown.contains("hookrail check"), "{refused}: {host}");
    }
    assert!(host["logged"].to_string().contains("settings.json"), "{host}");
}

/// Loads pi's extension and calls its handlers. `sees` is what pi has for a person: nothing, or a terminal.
const PI_HOST: &str = r#"
const { default: extension } = await import(process.argv[2])
const handlers = {}
extension({ on: (event, handler) => { handlers[event] = handler } })
const notes = []
let answer
let isAborted = false
const sessionManager = { getSessionId: () => "ses_1" }
const ui = { notify: (text) => notes.push(text), confirm: async (_, text) => { notes.push(text); return answer } }
const ctx = (hasUI) => ({ cwd: process.cwd(), sessionManager, hasUI, ui, abort: () => { isAborted = true } })
const seen = {}
const attempt = async (name, call) => {
  try { seen[name] = (await call()) ?? null } catch (error) { seen[name] = { thrown: error.message } }
}
const tool = (name, input, hasUI = false) => attempt(name, async () => {
  const event = { type: "tool_call", toolCallId: "c", toolName: "bash", input }
  const result = await handlers.tool_call(event, ctx(hasUI))
  return result ?? event.input
})
await attempt("start", () => handlers.session_start({ reason: "startup" }, ctx(false)))
await attempt("prompt", () => handlers.input({ text: "do it", source: "interactive" }, ctx(false)))
await attempt("forbidden", () => handlers.input({ text: "forbidden words", source: "interactive" }, ctx(true)))
await tool("blocked", { command: "rm x" })
await tool("changed", { command: "touch x", timeout: 5 })
await tool("alone", { command: "asked x" })
answer = false
await tool("declined", { command: "asked x" }, true)
answer = true
await tool("allowed", { command: "asked x" }, true)
await attempt("after", () => handlers.tool_result({ toolCallId: "c", toolName: "bash", input: { command: "ls" },
  content: [{ type: "text", text: "1 file" }], isError: false }, ctx(false)))
const wasAborted = isAborted
await tool("stopped", { command: "stopped x" })
const context = { contextMessages: [{ role: "assistant", content: [{ type: "text", text: "done" }] }] }
await attempt("end", () => handlers.agent_before_settle({ outcome: "completed", entries: [], context }, ctx(false)))
await attempt("aborted", () => handlers.agent_before_settle({ outcome: "aborted", entries: [], context }, ctx(false)))
await attempt("over", () => handlers.session_shutdown({ reason: "quit" }, ctx(false)))
console.log(JSON.stringify({ seen, notes, wasAborted, isAborted }))
"#;

/// What the host saw of the extension that `connect` wrote, after a change of its text.
fn pi_hosted(project: &TestProject, change: impl Fn(&str) -> String) -> Value {
    let ran = run(project, &["connect", "pi"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let text = std::fs::read_to_string(project.home().join(".pi/agent/extensions/hookrail.js")).unwrap();
    let plugin = project.file("plugin.mjs", change(&at_home(project, &text)));
    let output = node(project, &project.file("host.mjs", PI_HOST), &plugin);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn pi_carries_verdicts_out() {
    let changed = json!({ "hookSpecificOutput": { "tool_input": { "command": "touch y" } } });
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "SessionStart": [{ "hooks": [{ "type": "command",
            "command": "echo '{\"hookSpecificOutput\":{\"additionalContext\":\"welcome\"}}'" }] }],
        "BeforeAgent": [{ "hooks": [
            { "type": "rule", "when": { "prompt": { "contains": "forbidden" } }, "block": "not these words" },
        ] }],
        "BeforeTool": [{ "hooks": [
            { "type": "rule", "when": { "command": "rm" }, "block": "rm is for people" },
            { "type": "rule", "when": { "command": "touch" }, "then": changed },
            { "type": "rule", "when": { "command": "asked" }, "ask": "sure?" },
            { "type": "rule", "when": { "command": "stopped" }, "then": { "continue": false, "stopReason": "enough" } },
        ] }],
        "AfterTool": [{ "hooks": [{ "type": "rule", "when": { "command": "ls" }, "context": "count them" }] }],
        "AfterAgent": [{ "hooks": [{ "type": "command", "command": "echo 'not yet' >&2; exit 2" }] }],
    } }));
    let host = pi_hosted(&project, str::to_owned);
    let seen = &host["seen"];
    assert_eq!(seen["prompt"]["text"], "do it\n\nwelcome", "{host}");
    assert_eq!(seen["forbidden"], json!({ "action": "handled" }), "{host}");
    let starts = |value: &Value, text: &str| value.as_str().is_some_and(|value| value.starts_with(text));
    assert!(starts(&host["notes"][0], "not these words"), "the user reads why a prompt is refused: {host}");
    for (call, reason) in [("blocked", "rm is for people"), ("alone", "sure?"), ("declined", "sure?")] {
        assert_eq!(seen[call]["block"], true, "{call}: {host}");
        assert!(starts(&seen[call]["reason"], reason), "{call}: {host}");
    }
    assert!(host["notes"][1].as_str().is_some_and(|text| text.contains("asked x")), "{host}");
    assert_eq!(seen["allowed"], json!({ "command": "asked x" }), "{host}");
    assert_eq!(seen["changed"], json!({ "command": "touch y", "timeout": 5 }), "{host}");
    assert_eq!(seen["after"]["content"][1]["text"], "count them", "{host}");
    assert_eq!((&host["wasAborted"], &host["isAborted"]), (&json!(false), &json!(true)), "{host}");
    assert_eq!(seen["stopped"], json!({ "block": true, "reason": "enough" }), "{host}");
    assert_eq!((&seen["end"]["continue"], &seen["aborted"]), (&json!(true), &Value::Null), "{host}");
    assert!(starts(&seen["end"]["entries"][0]["content"], "not yet"), "{host}");
}

#[test]
fn pi_refuses_what_is_guarded_without_a_program_that_works() {
    let project = guarded();
    let installed = super::installed(&project);
    let host = pi_hosted(&project, |text| text.replace(installed.to_str().unwrap(), "/nowhere/hookrail"));
    let seen = &host["seen"];
    assert_eq!(seen["prompt"], json!({ "action": "handled" }), "{host}");
    for call in ["blocked", "changed", "allowed"] {
        let thrown = seen[call]["thrown"].as_str().unwrap_or_default();
        assert!(thrown.contains("hookrail doctor"), "pi blocks a call whose handler throws: {host}");
    }
    for open in ["start", "after", "end", "over"] {
        assert_eq!(seen[open], Value::Null, "{open}: {host}");
    }
}

/// Loads Cline's plugin and calls its hooks.
const CLINE_HOST: &str = r#"
import { writeFileSync } from "node:fs"
const { default: plugin } = await import(process.argv[2])
const snapshot = (text) => ({ conversationId: "conv_1", messages: [
  { role: "user", content: [{ type: "text", text: `<user_input mode="act">${text}</user_input>` }] },
] })
const seen = {}
const attempt = async (name, call) => { seen[name] = (await call()) ?? null }
const tool = (name, commands) => attempt(name, () => plugin.hooks.beforeTool({
  snapshot: snapshot("x"), toolCall: { toolName: "run_commands", toolCallId: name }, input: { commands },
}))
plugin.setup({}, { session: { sessionId: "ses_1" } })
await attempt("prompt", () => plugin.hooks.beforeRun({ snapshot: snapshot("do it") }))
await attempt("forbidden", () => plugin.hooks.beforeRun({ snapshot: snapshot("forbidden words") }))
await attempt("below", () => plugin.hooks.beforeRun({ snapshot: { ...snapshot("forbidden"), parentAgentId: "a" } }))
await tool("blocked", ["ls", "rm x"])
await tool("changed", ["touch x"])
await tool("stopped", ["stopped x"])
globalThis.patience = 0
await tool("slow", ["slow x"])
writeFileSync("go", "")
globalThis.patience = 60000
await tool("again", ["slow x"])
const result = { output: [{ query: "ls", result: "1 file", success: true }] }
await attempt("after", () => plugin.hooks.afterTool({
  snapshot: snapshot("x"), toolCall: { toolName: "run_commands", toolCallId: "c" }, input: { commands: ["ls"] }, result,
}))
await attempt("skipped", () => plugin.hooks.afterTool({
  snapshot: snapshot("x"), toolCall: { toolName: "run_commands", toolCallId: "blocked" }, input: { commands: ["ls"] }, result,
}))
await attempt("end", () => plugin.hooks.afterRun({ snapshot: snapshot("x"), result: { status: "completed", outputText: "done" } }))
console.log(JSON.stringify(seen))
"#;

/// What the host saw of the plugin that `connect` wrote, after a change of its text.
fn cline_hosted(project: &TestProject, change: impl Fn(&str) -> String) -> Value {
    let ran = run(project, &["connect", "cline"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let text = std::fs::read_to_string(project.home().join(".cline/plugins/hookrail.js")).unwrap();
    let plugin = project.file("plugin.mjs", change(&at_home(project, &text)));
    let output = node(project, &project.file("host.mjs", CLINE_HOST), &plugin);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The slow guard answers when the host lets it: after the first call, for which the plugin does not wait here.
#[test]
fn cline_carries_verdicts_out_and_asks_again_for_slow_ones() {
    let changed = json!({ "hookSpecificOutput": { "tool_input": { "command": "touch y" } } });
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "BeforeAgent": [{ "hooks": [
            { "type": "rule", "when": { "prompt": { "contains": "forbidden" } }, "block": "not these words" },
        ] }],
        "BeforeTool": [{ "hooks": [
            { "type": "rule", "when": { "command": "rm" }, "block": "rm is for people" },
            { "type": "rule", "when": { "command": "touch" }, "then": changed },
            { "type": "rule", "when": { "command": "stopped" }, "then": { "continue": false, "stopReason": "enough" } },
            { "type": "command", "when": { "command": "slow" },
              "command": "while ! test -e go; do sleep 0.05; done; echo too slow >&2; exit 2" },
        ] }],
        "AfterTool": [{ "hooks": [{ "type": "rule", "when": { "command": "ls" }, "context": "count them" }] }],
    } }));
    let patient = |text: &str| {
        assert!(text.contains("setTimeout(resolve, patience)"), "{text}");
        text.replace("setTimeout(resolve, patience)", "setTimeout(resolve, globalThis.patience ?? 60000)")
    };
    let seen = cline_hosted(&project, patient);
    let starts = |value: &Value, text: &str| value.as_str().is_some_and(|value| value.starts_with(text));
    assert_eq!((&seen["prompt"]["stop"], &seen["below"]), (&Value::Null, &Value::Null), "{seen}");
    assert_eq!(seen["forbidden"]["stop"], true, "{seen}");
    assert!(starts(&seen["forbidden"]["reason"], "not these words"), "{seen}");
    assert_eq!((&seen["blocked"]["skip"], &seen["blocked"]["stop"]), (&json!(true), &Value::Null), "{seen}");
    assert!(starts(&seen["blocked"]["reason"], "rm is for people"), "{seen}");
    assert_eq!(seen["changed"]["input"], json!({ "commands": ["touch y"] }), "{seen}");
    assert_eq!(seen["stopped"], json!({ "skip": true, "stop": true, "reason": "enough" }), "{seen}");
    assert_eq!(seen["slow"]["skip"], true, "{seen}");
    assert!(starts(&seen["slow"]["reason"], "The hooks for this call have not decided yet"), "{seen}");
    assert!(starts(&seen["again"]["reason"], "too slow"), "{seen}");
    assert_eq!(seen["after"]["appendContext"], "count them", "{seen}");
    assert_eq!(seen["skipped"], Value::Null, "a call that was refused has no result: {seen}");
}

#[test]
fn cline_refuses_what_is_guarded_without_a_program_that_works() {
    let project = guarded();
    let installed = super::installed(&project);
    let seen = cline_hosted(&project, |text| text.replace(installed.to_str().unwrap(), "/nowhere/hookrail"));
    assert_eq!(seen["prompt"]["stop"], true, "{seen}");
    for call in ["blocked", "changed", "again"] {
        let reason = seen[call]["reason"].as_str().unwrap_or_default();
        assert!(reason.contains("hookrail doctor"), "{call}: {seen}");
    }
    assert_eq!((&seen["after"]["result"], &seen["end"]), (&Value::Null, &Value::Null), "{seen}");
}
