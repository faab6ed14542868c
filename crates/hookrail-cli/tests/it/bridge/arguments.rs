//! Which arguments of a call count, and calls of which nobody can tell what they do, through every agent's payload.

use std::fs;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use super::{refuses, with_hooks};
use crate::program::{Ran, log_path, run_with_stdin};

/// A tool and its argument that decides.
type Tool = (&'static str, &'static str);

/// An agent's event before a tool, its shell with the argument that decides, and a tool that writes a file with its.
const AGENTS: [(&str, &str, Tool, Tool); 9] = [
    ("claude", "PreToolUse", ("Bash", "command"), ("Write", "file_path")),
    ("codex", "PreToolUse", ("Bash", "command"), ("view_image", "path")),
    ("gemini", "BeforeTool", ("run_shell_command", "command"), ("write_file", "file_path")),
    ("qwen", "PreToolUse", ("run_shell_command", "command"), ("write_file", "file_path")),
    ("copilot", "preToolUse", ("bash", "command"), ("create", "path")),
    ("llxprt", "BeforeTool", ("run_shell_command", "command"), ("write_file", "absolute_path")),
    ("opencode", "tool.execute.before", ("bash", "command"), ("write", "filePath")),
    ("kilo", "tool.execute.before", ("bash", "command"), ("write", "filePath")),
    ("pi", "tool_call", ("bash", "command"), ("write", "path")),
];

/// What every refusal of a call that cannot be read names.
const NEXT_STEP: &str = "hookrail doctor --live";

/// A call as the agent sends it.
fn call(project: &TestProject, agent: &str, event: &str, tool: &str, input: &Value) -> Ran {
    let payload = if agent == "copilot" {
        json!({ "sessionId": "s", "cwd": project.dir(), "toolName": tool, "toolArgs": input })
    } else {
        json!({ "session_id": "s", "cwd": project.dir(), "hook_event_name": event, "tool_name": tool, "tool_input": input })
    };
    sent(project, agent, event, &payload)
}

fn sent(project: &TestProject, agent: &str, event: &str, payload: &Value) -> Ran {
    run_with_stdin(project, &["bridge", agent, event], &payload.to_string())
}

/// Whether the bridge refused for this reason.
fn is_refused(ran: &Ran, reason: &str) -> bool {
    assert_eq!(ran.code, Some(0), "{ran}");
    !ran.stdout.is_empty() && refuses(&ran.json(), reason)
}

/// Whether the bridge has no objection: Gemini and `LLxprt` are told to show nothing.
fn passes(ran: &Ran) -> bool {
    assert_eq!(ran.code, Some(0), "{ran}");
    matches!(ran.stdout.trim(), "" | "{\"suppressOutput\":true}")
}

fn rules(rules: &Value) -> TestProject {
    with_hooks(&json!({ "BeforeTool": [{ "hooks": rules }] }))
}

/// Arguments of a shell that no version of an agent reads, or reads only after a change.
fn hostile_commands() -> Vec<Value> {
    vec![
        json!({}),
        json!(null),
        json!(5),
        json!(true),
        json!([]),
        json!("rm -rf /"),
        json!("[\"rm\", \"-rf\", \"/\"]"),
        json!({ "cmd": "rm -rf /" }),
        json!({ "Command": "rm -rf /" }),
        json!({ "command ": "rm -rf /" }),
        json!({ "ｃommand": "rm -rf /" }),
        json!({ "command": null }),
        json!({ "command": 5 }),
        json!({ "command": { "line": "rm -rf /" } }),
        json!({ "command": [{ "line": "rm -rf /" }] }),
        json!({ "command": ["rm", ["-rf", "/"]] }),
        json!({ "command": ["rm", null] }),
        json!({ "arguments": { "command": "rm -rf /" } }),
        json!({ "input": { "command": "rm -rf /" } }),
        json!("{\"cmd\": \"rm -rf /\"}"),
        json!([{ "command": "rm -rf /" }]),
    ]
}

#[test]
fn a_shell_call_without_a_command_is_refused_where_a_rule_tests_the_line() {
    let project = rules(&json!([{ "type": "rule", "when": { "command": "git push" }, "block": "no" }]));
    for (agent, event, (shell, argument), _) in AGENTS {
        for input in hostile_commands() {
            let ran = call(&project, agent, event, shell, &input);
            assert!(is_refused(&ran, NEXT_STEP), "{agent} {input}: {ran}");
        }
        let ran = call(&project, agent, event, shell, &json!({ argument: "ls" }));
        assert!(passes(&ran), "{agent}: {ran}");
        let ran = call(&project, agent, event, shell, &json!({ argument: ["git", "push"] }));
        assert!(is_refused(&ran, "no"), "{agent}: {ran}");
    }
}

#[test]
fn a_file_call_without_a_path_is_refused_where_a_rule_tests_the_path() {
    let project = rules(&json!([
        { "type": "rule", "when": { "writes": "secret.txt" }, "block": "no" },
        { "type": "rule", "when": { "reads": "secret.txt" }, "block": "no" },
    ]));
    for (agent, event, _, (tool, argument)) in AGENTS {
        for input in [
            json!({}),
            json!(null),
            json!({ "uri": "file:///secret.txt" }),
            json!({ "FILE_PATH": "secret.txt", "filename": "secret.txt" }),
            json!({ argument: null }),
            json!({ argument: 5 }),
            json!({ argument: ["secret.txt"] }),
            json!({ argument: { "path": "secret.txt" } }),
            json!({ "arguments": { argument: "secret.txt" } }),
        ] {
            let ran = call(&project, agent, event, tool, &input);
            assert!(is_refused(&ran, NEXT_STEP), "{agent} {tool} {input}: {ran}");
        }
        let ran = call(&project, agent, event, tool, &json!({ argument: "other.txt" }));
        assert!(passes(&ran), "{agent}: {ran}");
    }
}

#[test]
fn arguments_in_another_field_are_none() {
    let project = rules(&json!([{ "type": "rule", "when": { "command": "git push" }, "block": "no" }]));
    for (agent, event, (shell, argument), _) in AGENTS {
        for field in ["arguments", "input", "args", "parameters"] {
            let payload = json!({ "session_id": "s", "cwd": project.dir(), "hook_event_name": event, "tool_name": shell,
                field: { argument: "ls" } });
            let ran = sent(&project, agent, event, &payload);
            assert!(is_refused(&ran, NEXT_STEP), "{agent} {field}: {ran}");
        }
    }
}

/// A guard that is for the tool would be asked about something that it cannot see.
#[test]
fn a_guard_for_the_tool_refuses_what_cannot_be_read() {
    for matcher in ["run_shell_command", "^run_.*", "Bash|bash|run_shell_command"] {
        let project = with_hooks(&json!({ "BeforeTool": [{ "matcher": matcher, "hooks": [
            { "type": "command", "command": "cat > /dev/null" },
        ] }] }));
        for (agent, event, (shell, argument), _) in AGENTS {
            let ran = call(&project, agent, event, shell, &json!({ "cmd": "ls" }));
            assert!(is_refused(&ran, NEXT_STEP), "{agent} {matcher}: {ran}");
            let ran = call(&project, agent, event, shell, &json!({ argument: "ls" }));
            assert!(passes(&ran), "{agent} {matcher}: {ran}");
        }
    }
}

#[test]
fn a_when_that_cannot_be_decided_refuses_what_cannot_be_read() {
    for when in [
        json!({ "command": "git push" }),
        json!({ "program": "git" }),
        json!({ "not": { "command": "ls" } }),
        json!({ "writes": "a" }),
        json!({ "reads": { "outside": true } }),
        json!({ "input.command": { "contains": "git" } }),
        json!({ "input.command": { "exists": true } }),
    ] {
        let hook = json!({ "type": "command", "command": "cat > /dev/null", "when": when });
        let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [hook] }] }));
        let ran = call(&project, "claude", "PreToolUse", "Bash", &json!({ "cmd": "git push" }));
        assert!(is_refused(&ran, NEXT_STEP), "{when}: {ran}");
    }
}

#[test]
fn what_no_guard_depends_on_passes_and_is_logged() {
    for hook in [
        json!({ "type": "command", "command": "cat > /dev/null" }),
        json!({ "type": "rule", "when": { "tool": "other" }, "block": "no" }),
        json!({ "type": "rule", "when": { "tool": "other", "command": "git push" }, "block": "no" }),
        json!({ "type": "rule", "when": { "input.description": { "contains": "x" } }, "block": "no" }),
    ] {
        for matcher in ["*", ".*"] {
            let project = with_hooks(&json!({ "BeforeTool": [{ "matcher": matcher, "hooks": [hook] }] }));
            for (agent, event, (shell, _), _) in AGENTS {
                let ran = call(&project, agent, event, shell, &json!({ "cmd": "ls" }));
                assert!(passes(&ran), "{agent} {hook}: {ran}");
                let log = fs::read_to_string(log_path(&project)).unwrap();
                let last = log.lines().rfind(|line| line.contains(NEXT_STEP));
                assert!(last.is_some_and(|line| line.contains(agent)), "{agent} {hook}: {log}");
            }
        }
    }
}

/// The agent runs its shell where it is, whatever a folder in an argument that it does not read says.
#[test]
fn a_stray_folder_moves_nothing() {
    let project = rules(&json!([{ "type": "rule", "when": { "writes": "secret.txt" }, "block": "no" }]));
    for (agent, event, (shell, argument), _) in AGENTS {
        for stray in ["directory", "dir_path", "workdir", "cwd", "working_directory", "file_path", "path"] {
            let reads_it = matches!(
                (agent, stray),
                ("gemini" | "llxprt", "dir_path")
                    | ("qwen" | "llxprt", "directory")
                    | ("codex" | "opencode" | "kilo", "workdir")
            );
            let input = json!({ argument: "echo x > secret.txt", stray: "/tmp" });
            let ran = call(&project, agent, event, shell, &input);
            assert_eq!(is_refused(&ran, "no"), !reads_it, "{agent} {stray}: {ran}");
        }
    }
}

#[test]
fn a_stray_path_does_not_pass_for_the_one_that_counts() {
    let project = rules(&json!([
        { "type": "rule", "when": { "writes": "secret.txt" }, "block": "no" },
        { "type": "rule", "when": { "reads": "secret.txt" }, "block": "no" },
    ]));
    for (agent, event, _, (tool, argument)) in AGENTS {
        for stray in ["file_path", "filePath", "path", "filename", "absolute_path"] {
            // `LLxprt` reads either of two names, and the first one counts.
            if stray == argument {
                continue;
            }
            let ran =
                call(&project, agent, event, tool, &json!({ stray: "other.txt", argument: "secret.txt" }));
            assert!(is_refused(&ran, "no"), "{agent} {stray}: {ran}");
            let ran =
                call(&project, agent, event, tool, &json!({ argument: "other.txt", stray: "secret.txt" }));
            assert!(passes(&ran), "{agent} {stray}: {ran}");
        }
    }
}

#[test]
fn what_a_search_is_restricted_to_is_read() {
    let project = rules(&json!([{ "type": "rule", "when": { "reads": "**/.env" }, "block": "no" }]));
    for (agent, event, tool, input) in [
        ("copilot", "preToolUse", "grep", json!({ "pattern": "KEY", "paths": ".env" })),
        ("copilot", "preToolUse", "grep", json!({ "pattern": "KEY", "paths": ["src", "sub/.env"] })),
        ("copilot", "preToolUse", "rg", json!({ "pattern": "KEY", "paths": "sub", "glob": ".env" })),
        ("gemini", "BeforeTool", "grep_search", json!({ "pattern": "KEY", "include_pattern": ".env" })),
        ("gemini", "BeforeTool", "grep_search", json!({ "pattern": "KEY", "include_pattern": "{a,.env}" })),
        (
            "gemini",
            "BeforeTool",
            "search_file_content",
            json!({ "pattern": "KEY", "include_pattern": ".env" }),
        ),
        ("gemini", "BeforeTool", "search_file_content", json!({ "pattern": "KEY", "include": ".env" })),
        ("qwen", "PreToolUse", "grep_search", json!({ "pattern": "KEY", "glob": "**/.env" })),
        (
            "qwen",
            "PreToolUse",
            "tool_call",
            json!({ "name": "read_file", "arguments": { "file_path": ".env" } }),
        ),
        ("claude", "PreToolUse", "Grep", json!({ "pattern": "KEY", "path": "a", "glob": ".env" })),
        ("opencode", "tool.execute.before", "grep", json!({ "pattern": "KEY", "include": ".env" })),
        ("llxprt", "BeforeTool", "search_file_content", json!({ "pattern": "KEY", "include": ".env" })),
        ("codex", "PreToolUse", "view_image", json!({ "path": ".env" })),
        ("claude", "PreToolUse", "NotebookEdit", json!({ "notebook_path": ".env" })),
    ] {
        let ran = call(&project, agent, event, tool, &input);
        let is_write = tool == "NotebookEdit";
        assert_eq!(is_refused(&ran, "no"), !is_write, "{agent} {tool} {input}: {ran}");
    }
}

#[test]
fn tools_that_run_commands_under_other_names_are_guarded() {
    let project = rules(&json!([{ "type": "rule", "when": { "command": "git push" }, "block": "no" }]));
    let matched = with_hooks(&json!({ "BeforeTool": [{ "matcher": "run_shell_command", "hooks": [
        { "type": "rule", "when": { "command": "git push" }, "block": "no" },
    ] }] }));
    for (agent, event, tool, input) in [
        (
            "claude",
            "PreToolUse",
            "Monitor",
            json!({ "command": "git push", "description": "d", "timeout_ms": 1 }),
        ),
        ("qwen", "PreToolUse", "monitor", json!({ "command": "git push" })),
        (
            "qwen",
            "PreToolUse",
            "tool_call",
            json!({ "name": "monitor", "arguments": { "command": "git push" } }),
        ),
        ("claude", "PreToolUse", "Terminal", json!({ "cmd": "git push" })),
        ("gemini", "BeforeTool", "mcp_shell_run", json!({ "command": ["git", "push"] })),
        ("copilot", "preToolUse", "BASH", json!({ "command": "git push" })),
        ("opencode", "tool.execute.before", "shell", json!({ "command": "ls", "cmd": "git push" })),
        ("codex", "PreToolUse", "mcp__sh__run", json!({ "command": "git push" })),
        ("llxprt", "BeforeTool", "exec", json!({ "command": "git push" })),
    ] {
        for project in [&project, &matched] {
            let ran = call(project, agent, event, tool, &input);
            assert!(is_refused(&ran, "no"), "{agent} {tool}: {ran}");
        }
    }
    // A tool that only looks like one.
    for (agent, event, tool, input) in [
        ("claude", "PreToolUse", "Workflow", json!({ "script": "git push", "command": "git push" })),
        ("opencode", "tool.execute.before", "task", json!({ "command": "git push", "prompt": "p" })),
        ("claude", "PreToolUse", "mcp__a__b", json!({ "command": "don't" })),
    ] {
        let ran = call(&project, agent, event, tool, &input);
        assert!(passes(&ran), "{agent} {tool}: {ran}");
    }
}

#[test]
fn what_a_tool_in_no_table_writes_cannot_be_told() {
    let project = rules(&json!([
        { "type": "rule", "when": { "writes": "secret.txt" }, "block": "no", "unknown": "block" },
        { "type": "rule", "when": { "reads": "secret.txt" }, "block": "read" },
    ]));
    for (input, expected) in [
        (json!({ "file_path": "secret.txt" }), "read"),
        (json!({ "paths": ["a", "secret.txt"] }), "read"),
        (json!({ "filename": "secret.txt" }), "read"),
        (json!({ "uri": format!("file://{}/secret.txt", project.dir().display()) }), "read"),
        (json!({ "query": "x" }), "no"),
    ] {
        let ran = call(&project, "claude", "PreToolUse", "mcp__files__get", &input);
        assert!(is_refused(&ran, expected), "{input}: {ran}");
    }
    assert!(passes(&call(&project, "claude", "PreToolUse", "TodoWrite", &json!({ "path": "secret.txt" }))));
}

#[test]
fn a_call_without_a_tools_name_is_refused_where_a_guard_listens() {
    let guarded = with_hooks(&json!({ "BeforeTool": [{ "matcher": "write_file", "hooks": [
        { "type": "command", "command": "cat > /dev/null" },
    ] }] }));
    let unguarded = with_hooks(
        &json!({ "AfterTool": [{ "hooks": [{ "type": "command", "command": "cat > /dev/null" }] }] }),
    );
    for (agent, event, (shell, _), _) in AGENTS {
        for name in
            [json!({}), json!({ "tool_name": 5 }), json!({ "tool_name": null }), json!({ "tool": shell })]
        {
            let mut payload =
                json!({ "session_id": "s", "hook_event_name": event, "tool_input": { "command": "ls" } });
            payload.as_object_mut().unwrap().extend(name.as_object().unwrap().clone());
            payload["cwd"] = json!(guarded.dir());
            let ran = sent(&guarded, agent, event, &payload);
            assert!(is_refused(&ran, NEXT_STEP), "{agent} {name}: {ran}");
            payload["cwd"] = json!(unguarded.dir());
            let ran = sent(&unguarded, agent, event, &payload);
            assert!(passes(&ran) && ran.stderr.contains(NEXT_STEP), "{agent} {name}: {ran}");
        }
    }
}

#[test]
fn a_call_without_an_events_name_is_guarded() {
    let project = rules(&json!([{ "type": "rule", "when": { "command": "git push" }, "block": "no" }]));
    for (agent, _, (shell, argument), _) in AGENTS {
        for named in [json!({}), json!({ "hook_event_name": 5 }), json!({ "event": "PreToolUse" })] {
            let mut payload =
                json!({ "cwd": project.dir(), "tool_name": shell, "tool_input": { argument: "git push" } });
            payload.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
            let ran = run_with_stdin(&project, &["bridge", agent], &payload.to_string());
            assert!(is_refused(&ran, "no"), "{agent} {named}: {ran}");
        }
    }
}

/// The agent runs the call where it is, wherever that is.
#[test]
fn relative_paths_start_where_the_agent_is() {
    let project = rules(&json!([
        { "type": "rule", "when": { "writes": { "outside": true } }, "block": "outside" },
        { "type": "rule", "when": { "writes": "a.txt" }, "block": "inside" },
    ]));
    let elsewhere = tempfile::tempdir().unwrap();
    for (agent, event, (shell, argument), _) in AGENTS {
        let at = |cwd: &std::path::Path| {
            let payload = json!({ "session_id": agent, "hook_event_name": event, "cwd": cwd, "tool_name": shell,
                "tool_input": { argument: "echo x > a.txt" } });
            sent(&project, agent, event, &payload)
        };
        assert!(is_refused(&at(&project.dir()), "inside"), "{agent}");
        // The session began in the project, and the agent went elsewhere.
        let ran = at(elsewhere.path());
        assert!(is_refused(&ran, "outside"), "{agent}: {ran}");
    }
}

/// Of repeated keys the last one counts, as for the agents themselves; escapes and depth change nothing.
#[test]
fn odd_json_is_read_as_the_agents_read_it() {
    let project = rules(&json!([{ "type": "rule", "when": { "command": "git push" }, "block": "no" }]));
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let long = "x".repeat(2_000_000);
    for (input, refused) in [
        (r#"{"command": "ls", "command": "git push"}"#.to_owned(), true),
        (r#"{"command": "git push", "command": "ls"}"#.to_owned(), false),
        (r#"{"comm\u0061nd": "git push"}"#.to_owned(), true),
        (r#"{"command": "git \u0070ush"}"#.to_owned(), true),
        (format!(r#"{{"other": {deep}, "command": "git push"}}"#), true),
        (format!(r#"{{"description": "{long}", "command": "git push"}}"#), true),
    ] {
        let payload = format!(
            r#"{{"cwd": {}, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {input}}}"#,
            json!(project.dir())
        );
        let ran = run_with_stdin(&project, &["bridge", "claude", "PreToolUse"], &payload);
        let shown = input.get(..60).unwrap_or(&input);
        assert_eq!(is_refused(&ran, "no"), refused, "{shown}: {ran}");
    }
}
