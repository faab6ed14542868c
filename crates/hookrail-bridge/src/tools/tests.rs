//! The table from both sides: what hooks see of a call, and what goes back when they change it.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::agent::Agent::{Claude, Cline, Codex, Copilot, Gemini, Llxprt, Opencode, Qwen};

fn object(value: &Value) -> JsonObject {
    value.as_object().expect("an object").clone()
}

#[test]
fn calls_of_all_agents_look_alike() {
    for (agent, name, input, ours, arguments) in [
        (Claude, "Bash", json!({"command": "ls"}), "run_shell_command", json!({"command": "ls"})),
        (Codex, "Bash", json!({"command": "ls"}), "run_shell_command", json!({"command": "ls"})),
        (
            Codex,
            "exec_command",
            json!({"cmd": "ls", "workdir": "/w"}),
            "run_shell_command",
            json!({"command": "ls", "directory": "/w"}),
        ),
        (
            Gemini,
            "run_shell_command",
            json!({"command": "ls"}),
            "run_shell_command",
            json!({"command": "ls"}),
        ),
        (Qwen, "run_shell_command", json!({"command": "ls"}), "run_shell_command", json!({"command": "ls"})),
        (Copilot, "bash", json!({"command": "ls"}), "run_shell_command", json!({"command": "ls"})),
        (Opencode, "bash", json!({"command": "ls"}), "run_shell_command", json!({"command": "ls"})),
        (Cline, "run_commands", json!({"commands": ["ls"]}), "run_shell_command", json!({"command": "ls"})),
        (
            Cline,
            "run_commands",
            json!({"commands": ["echo \"", "rm x"]}),
            "run_shell_command",
            json!({"command": "sh -c 'echo \"'\nsh -c 'rm x'"}),
        ),
        (
            Cline,
            "read_files",
            json!({"files": [{"path": "a", "start_line": 1}, {"path": "b"}]}),
            "read_many_files",
            json!({"paths": ["a", "b"]}),
        ),
        (
            Llxprt,
            "run_shell_command",
            json!({"command": "ls"}),
            "run_shell_command",
            json!({"command": "ls"}),
        ),
        (
            Claude,
            "Write",
            json!({"file_path": "a", "content": "b"}),
            "write_file",
            json!({"file_path": "a", "content": "b"}),
        ),
        (
            Copilot,
            "create",
            json!({"path": "a", "file_text": "b"}),
            "write_file",
            json!({"file_path": "a", "content": "b"}),
        ),
        (
            Opencode,
            "write",
            json!({"filePath": "a", "content": "b"}),
            "write_file",
            json!({"file_path": "a", "content": "b"}),
        ),
        (
            Copilot,
            "edit",
            json!({"path": "a", "old_str": "b", "new_str": "c"}),
            "replace",
            json!({"file_path": "a", "old_string": "b", "new_string": "c"}),
        ),
        (
            Qwen,
            "edit",
            json!({"file_path": "a", "old_string": "b", "new_string": "c"}),
            "replace",
            json!({"file_path": "a", "old_string": "b", "new_string": "c"}),
        ),
        (
            Claude,
            "Grep",
            json!({"pattern": "x", "glob": "*.rs"}),
            "search_file_content",
            json!({"pattern": "x", "include": "*.rs"}),
        ),
        (
            Codex,
            "apply_patch",
            json!({"command": "*** Begin Patch"}),
            "apply_patch",
            json!({"patch": "*** Begin Patch"}),
        ),
        (Codex, "apply_patch", json!("*** Begin Patch"), "apply_patch", json!({"patch": "*** Begin Patch"})),
        (Copilot, "bash", json!("{\"command\": \"ls\"}"), "run_shell_command", json!({"command": "ls"})),
        (Claude, "mcp__git__log", json!({"n": 1}), "mcp__git__log", json!({"n": 1})),
        (Gemini, "mcp_git_log", json!({"n": 1}), "mcp__git__log", json!({"n": 1})),
        (Copilot, "git-log", json!({"n": 1}), "mcp__git__log", json!({"n": 1})),
        (Copilot, "git/log", json!({"n": 1}), "mcp__git__log", json!({"n": 1})),
        (Claude, "Future", json!(null), "Future", json!({})),
    ] {
        let call = to_ours(agent, name, &input);
        assert_eq!((call.name.as_str(), &call.input), (ours, &object(&arguments)), "{agent} {name}");
        let names: Vec<&str> = call.also_matches.iter().map(String::as_str).chain([ours]).collect();
        assert!(names.contains(&name), "{agent} {name}: the native name must match, {names:?}");
    }
}

#[test]
fn an_mcp_tool_of_opencode_answers_to_both_names() {
    let call = to_ours(Opencode, "git_log", &json!({}));
    assert_eq!(
        (call.name.as_str(), call.also_matches.as_slice()),
        ("git_log", ["mcp__git__log".to_owned()].as_slice())
    );
}

#[test]
fn an_mcp_server_with_underscores_is_named_in_every_reading() {
    let call = to_ours(Gemini, "mcp_my_git_log", &json!({}));
    assert_eq!(call.name, "mcp__my__git_log");
    assert_eq!(call.also_matches, ["mcp__my_git__log", "mcp_my_git_log"]);
    let mcp = McpTool { server: "my_git", tool: "log" };
    let call = to_ours_with_mcp(Gemini, "mcp_my_git_log", &json!({}), Some(mcp));
    assert_eq!(
        (call.name.as_str(), call.also_matches),
        ("mcp__my_git__log", vec!["mcp_my_git_log".to_owned()])
    );
}

/// The agent uses its own argument; another one of our name that the model adds has no effect.
#[test]
fn a_stray_argument_does_not_pass_for_the_one_that_counts() {
    for (agent, name, input, key, counts) in [
        (
            Copilot,
            "create",
            json!({"file_path": "ok.txt", "path": "/etc/passwd"}),
            "file_path",
            "/etc/passwd",
        ),
        (
            Copilot,
            "create",
            json!({"path": "/etc/passwd", "file_path": "ok.txt"}),
            "file_path",
            "/etc/passwd",
        ),
        (
            Opencode,
            "write",
            json!({"file_path": "ok.txt", "filePath": "/etc/passwd"}),
            "file_path",
            "/etc/passwd",
        ),
        (Codex, "exec_command", json!({"command": "ls", "cmd": "rm -rf /"}), "command", "rm -rf /"),
        (Codex, "Bash", json!({"cmd": "ls", "command": "rm -rf /"}), "command", "rm -rf /"),
        (
            Gemini,
            "read_file",
            json!({"absolute_path": "ok", "file_path": "/etc/shadow"}),
            "file_path",
            "/etc/shadow",
        ),
        (Llxprt, "write_file", json!({"absolute_path": "", "file_path": "/etc/x"}), "file_path", "/etc/x"),
        (Llxprt, "write_file", json!({"file_path": "ok", "absolute_path": "/etc/x"}), "file_path", "/etc/x"),
    ] {
        assert_eq!(to_ours(agent, name, &input).input.get(key), Some(&json!(counts)), "{agent} {input}");
    }
}

/// A folder that the tool does not read moves nothing.
#[test]
fn only_what_the_tool_reads_is_there() {
    for (agent, name, input, ours) in [
        (Gemini, "run_shell_command", json!({"command": "x", "directory": "/"}), json!({"command": "x"})),
        (Copilot, "bash", json!({"command": "x", "directory": "/"}), json!({"command": "x"})),
        (Opencode, "bash", json!({"command": "x", "directory": "/"}), json!({"command": "x"})),
        (Claude, "Bash", json!({"command": "x", "directory": "/"}), json!({"command": "x"})),
        (
            Codex,
            "Bash",
            json!({"command": "x", "directory": "/", "working_directory": "/"}),
            json!({"command": "x", "working_directory": "/"}),
        ),
        (
            Qwen,
            "run_shell_command",
            json!({"command": "x", "directory": "/"}),
            json!({"command": "x", "directory": "/"}),
        ),
        (
            Copilot,
            "grep",
            json!({"pattern": "x", "path": "a", "paths": [".env"]}),
            json!({"pattern": "x", "path": [".env"]}),
        ),
        (
            Gemini,
            "grep_search",
            json!({"pattern": "x", "include": "a", "include_pattern": ".env"}),
            json!({"pattern": "x", "include": ".env"}),
        ),
        (
            Qwen,
            "grep_search",
            json!({"pattern": "x", "glob": ".env"}),
            json!({"pattern": "x", "include": ".env"}),
        ),
        (Copilot, "create", json!({"file_path": "a"}), json!({})),
    ] {
        assert_eq!(to_ours(agent, name, &input).input, object(&ours), "{agent} {name} {input}");
    }
}

#[test]
fn what_is_known_of_a_call() {
    use CallReading::{Known, Plain, Unlisted};
    for (agent, name, input, expected, also) in [
        (Claude, "Monitor", json!({"command": "ls"}), Known, "Monitor"),
        (Claude, "Monitor", json!({"ws": {}}), Known, "Monitor"),
        (Qwen, "monitor", json!({"command": "ls", "directory": "a"}), Known, "monitor"),
        (Claude, "Workflow", json!({"script": "x", "command": "rm -rf /"}), Plain, ""),
        (Claude, "Other", json!({"cmd": ["ls"]}), Unlisted, ""),
        (Claude, "mcp__a__b", json!({"command": "ls -l"}), Unlisted, ""),
        (Claude, "Other", json!({"command": "it's text"}), Unlisted, ""),
        (Qwen, "tool_call", json!({"name": "edit", "arguments": {"file_path": "a"}}), Known, "tool_call"),
        (
            Qwen,
            "tool_call",
            json!({"name": "edit", "arguments": "{\"file_path\": \"a\"}"}),
            Known,
            "tool_call",
        ),
        (Opencode, "list", json!({}), Known, "list"),
    ] {
        let call = to_ours(agent, name, &input);
        assert_eq!(call.reading, expected, "{agent} {name} {input}");
        assert!(also.is_empty() || call.also_matches.iter().any(|name| name == also), "{call:?}");
    }
    for (agent, name, input, problem) in [
        (Claude, "Bash", json!({"cmd": "ls"}), "`Bash` without `command`"),
        (Claude, "Monitor", json!({}), "`Monitor` without `command`"),
        (Codex, "exec_command", json!({"command": "ls"}), "`exec_command` without `cmd`"),
        (Copilot, "create", json!({"file_path": "a"}), "`create` without `path`"),
        (Opencode, "write", json!({"filePath": ["a"]}), "`write` with a `filePath` that is a list"),
        (Cline, "run_commands", json!({"command": "ls"}), "`run_commands` without `commands`"),
        (
            Codex,
            "apply_patch",
            json!({"command": "no"}),
            "`apply_patch` with a `command` that is not a patch",
        ),
        (Llxprt, "read_file", json!({"path": "a"}), "`read_file` without `absolute_path`"),
        (Gemini, "list_directory", json!({"path": "/"}), "`list_directory` without `dir_path`"),
        (Qwen, "tool_call", json!({"name": "edit", "arguments": 5}), "`edit` without `file_path`"),
    ] {
        let CallReading::Unreadable(why) = to_ours(agent, name, &input).reading else {
            panic!("{agent} {name} {input}")
        };
        assert!(why.contains(problem) && why.contains("hookrail doctor --live"), "{why}");
    }
}

#[test]
fn changes_go_back_under_native_names() {
    for (agent, name, before, changed, after) in [
        (
            Copilot,
            "create",
            json!({"path": "a", "file_text": "b", "mode": 7}),
            json!({"file_path": "a", "content": "B"}),
            json!({"path": "a", "file_text": "B", "mode": 7}),
        ),
        (Codex, "apply_patch", json!({"command": "p"}), json!({"patch": "q"}), json!({"command": "q"})),
        (
            Opencode,
            "bash",
            json!({"command": "p"}),
            json!({"directory": "/"}),
            json!({"command": "p", "workdir": "/"}),
        ),
        (Claude, "mcp__a__b", json!({"x": 1}), json!({"x": 2, "y": 3}), json!({"x": 2, "y": 3})),
        (
            Copilot,
            "create",
            json!({"path": "a", "file_path": "stray"}),
            json!({"file_path": "b"}),
            json!({"path": "b", "file_path": "stray"}),
        ),
    ] {
        let native = to_native_input(agent, name, &before, &object(&changed));
        assert_eq!(Value::Object(native), after, "{agent} {name}");
    }
}

proptest! {
    /// What hooks leave as it was comes back as it was, whatever it is.
    #[test]
    fn no_change_is_no_change(
        keys in proptest::collection::vec("(command|cmd|path|file_path|filePath|content|file_text|[a-z]{1,4})", 0..6),
        agent in proptest::sample::select(Agent::ALL.to_vec()),
        pick in 0_usize..64,
    ) {
        let input: JsonObject = keys.iter().enumerate().map(|(at, key)| (key.clone(), at.into())).collect();
        let tools: Vec<_> = dialect_of(agent).tools().collect();
        let name = tools.get(pick % tools.len().max(1)).map_or("unknown", |tool| tool.name);
        let input = Value::Object(input);
        let ours = to_ours(agent, name, &input);
        prop_assert_eq!(Value::Object(to_native_input(agent, name, &input, &ours.input)), input);
    }
}
