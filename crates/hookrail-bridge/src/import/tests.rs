//! Whole settings of each agent, as ours.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn imported(agent: Agent, settings: &Value) -> (Value, Vec<String>) {
    import_text(agent, &settings.to_string())
}

fn import_text(agent: Agent, text: &str) -> (Value, Vec<String>) {
    let Imported { settings, report, .. } = import(agent, text).expect("settings");
    (settings.into(), report.iter().map(ToString::to_string).collect())
}

#[test]
fn claude() {
    let (ours, report) = imported(
        Agent::Claude,
        &json!({
            "model": "opus",
            "hooks": {
                "PreToolUse": [
                    {"matcher": "Bash|Write", "hooks": [
                        {"type": "command", "command": "$CLAUDE_PROJECT_DIR/guard.sh", "timeout": 30, "if": "Bash(git *)"},
                        {"type": "command", "command": "fetch", "if": "WebFetch(domain:x)"},
                        {"type": "http", "url": "https://x"},
                        {"type": "command", "command": "log", "async": true},
                    ]},
                    {"matcher": "mcp__.*|^(Edit|Read)$", "hooks": [{"type": "command", "command": "x", "timeout": 0.5}]},
                    {"hooks": [{"type": "command", "command": "/bin/sh -c 'x' /usr/bin/hookrail bridge claude PreToolUse"}]},
                ],
                "PostToolUseFailure": [{"hooks": [{"type": "command", "command": "f", "timeout": 9}]}],
                "SessionStart": [{"matcher": "startup|compact", "hooks": [{"type": "command", "command": "hi", "timeout": 60}]}],
                "Stop": [{"hooks": [{"type": "command", "command": "/t", "args": ["a b", "c"]}]}],
                "SubagentStop": [{"hooks": []}],
                "PermissionRequest": [{"hooks": [{"type": "command", "command": "yes"}]}],
            },
        }),
    );
    let background = "input=$(cat); { printf '%s' \"$input\" | { log\n}; } >/dev/null 2>&1 &";
    assert_eq!(
        ours,
        json!({"hooks": {
            "BeforeTool": [
                {"matcher": "Bash|Write", "hooks": [
                    {"type": "command", "command": "$CLAUDE_PROJECT_DIR/guard.sh", "dialect": "claude",
                        "when": {"tool": "run_shell_command", "command": "git"}, "timeout": 30_000},
                    {"type": "command", "command": background, "dialect": "claude", "timeout": 600_000}]},
                {"matcher": "mcp__.*|^(Edit|Read)$", "hooks": [
                    {"type": "command", "command": "x", "dialect": "claude", "timeout": 500}]},
            ],
            "PostToolUseFailure": [{"hooks": [{"type": "command", "command": "f", "dialect": "claude", "timeout": 9000}]}],
            "SessionStart": [{"matcher": "startup|compact", "hooks": [
                {"type": "command", "command": "hi", "dialect": "claude", "timeout": 60_000}]}],
            "AfterAgent": [{"hooks": [{"type": "command", "command": "/t 'a b' c", "dialect": "claude", "timeout": 600_000}]}],
        }})
    );
    assert_eq!(
        report,
        [
            r#"changed: PreToolUse[0].hooks[0]: the condition `if` "Bash(git *)" is written `when` {"tool":"run_shell_command","command":"git"}"#,
            "changed: PreToolUse[0].hooks[0]: timeout of 30 s is written as 30000 ms",
            r#"lost: PreToolUse[0].hooks[1]: the condition `if` "WebFetch(domain:x)" has no equivalent here; without it the hook would run for every call, so it is left out"#,
            "lost: PreToolUse[0].hooks[2]: hooks of type `http` cannot be carried over",
            "changed: PreToolUse[0].hooks[3]: `async`: it is started in the background, and what it prints is not read",
            "changed: PreToolUse[0].hooks[3]: without a timeout the agent waits 600000 ms, which is written out",
            "changed: PreToolUse[1].hooks[0]: timeout of 0.5 s is written as 500 ms",
            "changed: PostToolUseFailure[0].hooks[0]: timeout of 9 s is written as 9000 ms",
            "changed: SessionStart[0].hooks[0]: timeout of 60 s is written as 60000 ms",
            "changed: Stop[0].hooks[0]: program and arguments become a shell line: `/t 'a b' c`",
            "changed: Stop[0].hooks[0]: without a timeout the agent waits 600000 ms, which is written out",
            "lost: SubagentStop: there is no event for subagents here",
            "lost: PermissionRequest: the agent's own question cannot be answered here; `PreToolUse` comes before it",
        ]
    );
}

#[test]
fn codex_json_and_toml_give_the_same() {
    let json = r#"{"hooks": {"PreToolUse": [{"matcher": "apply_patch", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}}"#;
    let toml = "model = \"m\"\n[hooks.state]\nh = 1\n[[hooks.PreToolUse]]\nmatcher = \"apply_patch\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"x\"\ntimeout = 5\n";
    let expected = json!({"hooks": {"BeforeTool": [{"matcher": "^apply_patch$", "hooks": [{"type": "command", "command": "x", "timeout": 5000}]}]}});
    assert_eq!(import_text(Agent::Codex, json).0, expected);
    assert_eq!(import_text(Agent::Codex, toml), import_text(Agent::Codex, json));
    let error = import(Agent::Codex, "a = \n").expect_err("broken").to_string();
    assert!(error.starts_with("line 1"), "{error}");
}

#[test]
fn gemini_and_qwen_keep_units_and_patterns() {
    let settings = json!({
        "hooksConfig": {"disabled": ["old"]},
        "hooks": {"BeforeTool": [{"matcher": "grep_search|write_.*", "sequential": true, "hooks": [
            {"type": "command", "command": "x", "name": "n", "timeout": 5000, "env": {"A": "1"}}]}]},
    });
    let (ours, report) = imported(Agent::Gemini, &settings);
    assert_eq!(
        ours,
        json!({
            "hooks": {"BeforeTool": [{"matcher": "search_file_content|write_.*", "sequential": true, "hooks": [
                {"type": "command", "name": "n", "env": {"A": "1"}, "command": "x", "timeout": 5000}]}]},
            "hooksConfig": {"disabled": ["old"]},
        })
    );
    assert_eq!(
        report,
        ["changed: BeforeTool[0]: matcher `grep_search|write_.*` is written `search_file_content|write_.*`"]
    );
    let qwen = json!({"hooks": {"PreToolUse": [{"matcher": "^edit$", "hooks": [{"type": "command", "command": "x"}]}]}});
    let (ours, _) = imported(Agent::Qwen, &qwen);
    assert_eq!(ours["hooks"]["BeforeTool"][0]["matcher"], "^replace$");
    assert_eq!(ours["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"], 60_000);
}

#[test]
fn copilot_is_flat_and_anchored() {
    let settings = json!({"version": 1, "hooks": {
        "preToolUse": [
            {"type": "command", "bash": "./g.sh", "powershell": "g.ps1", "cwd": "tools", "timeoutSec": 5, "matcher": "bash|create"},
            {"type": "command", "powershell": "g.ps1"},
        ],
        "permissionRequest": [{"bash": "ask.sh", "timeoutSec": 60, "matcher": "bash"}],
        "errorOccurred": [{"bash": "e"}],
    }});
    let (ours, report) = imported(Agent::Copilot, &settings);
    assert_eq!(
        ours,
        json!({"hooks": {
            "BeforeTool": [{"matcher": "^(?:run_shell_command|write_file)$", "sequential": true, "hooks": [
                {"type": "command", "command": "cd tools && ./g.sh", "timeout": 5000}]}],
            "Notification": [{"matcher": "ToolPermission", "sequential": true, "hooks": [
                {"type": "command", "command": "ask.sh", "timeout": 60_000}]}],
        }})
    );
    for line in [
        "lost: preToolUse[0]: the command for PowerShell is lost",
        "lost: preToolUse[1]: there is no command that a shell could run",
        "lost: errorOccurred: there is no such event here",
        "changed: permissionRequest: runs as Notification, which can observe the question and not answer it",
    ] {
        assert!(report.iter().any(|reported| reported == line), "{line}: {report:#?}");
    }
}

/// What `connect` wrote is counted and otherwise passed over, also at events that mean something else here.
#[test]
fn our_own_entries_are_counted_and_not_reported() {
    let program = crate::EntryScope::Project { require: false };
    for agent in [Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Qwen, Agent::Copilot] {
        let edit = crate::connect(agent, None, program, crate::ConnectOptions::default()).expect("an edit");
        let text = edit.new_text.expect("a text");
        let ours = crate::bridge_entries(agent, &text, crate::ConnectOptions::default()).expect("entries");
        let imported = import(agent, &text).expect("settings");
        assert_eq!(imported.report, [], "{agent}");
        assert_eq!((imported.settings.len(), imported.own_entries), (0, ours.len()), "{agent}");
    }
    let own = "/bin/sh -c x /usr/bin/hookrail bridge claude PreToolUse";
    let mixed = json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": own, "timeout": 600}]},
        {"hooks": [{"type": "command", "command": own, "if": "x"}, {"type": "command", "command": "mine", "timeout": 1}]},
    ]}});
    let imported = import(Agent::Claude, &mixed.to_string()).expect("settings");
    assert_eq!(imported.own_entries, 2);
    let report: Vec<String> = imported.report.iter().map(ToString::to_string).collect();
    assert_eq!(report, ["changed: PreToolUse[1].hooks[1]: timeout of 1 s is written as 1000 ms"]);
}

#[test]
fn another_order_is_reported() {
    let two = |key: &str| json!([{"hooks": [{key: "a"}, {key: "b"}]}]);
    let reported = |agent, settings: Value, words: &str| {
        imported(agent, &settings).1.iter().filter(|line| line.contains(words)).count()
    };
    let codex = json!({"hooks": {"PreToolUse": two("command"), "Stop": two("command")}});
    assert_eq!(reported(Agent::Codex, codex, "last to finish"), 1);
    let one = json!({"hooks": {"PreToolUse": [{"hooks": [{"command": "a"}]}]}});
    assert_eq!(reported(Agent::Codex, one, "last to finish"), 0);
    let copilot =
        json!({"hooks": {"preToolUse": [{"bash": "a"}, {"bash": "b"}], "agentStop": [{"bash": "c"}]}});
    assert_eq!(reported(Agent::Copilot, copilot, "one after another"), 2);
    assert_eq!(reported(Agent::Claude, json!({"hooks": {"PreToolUse": two("command")}}), "order"), 0);
}

#[test]
fn odd_settings_are_reported_and_take_nothing_down() {
    let (ours, report) = imported(
        Agent::Claude,
        &json!({"disableAllHooks": true, "hooks": {
            "PreToolUse": [5, {"hooks": 5}, {"matcher": 7, "hooks": [6, {"command": ""}, {"command": "ok", "timeout": "x"}]}],
            "Stop": {},
        }}),
    );
    assert_eq!(
        ours,
        json!({"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "ok", "dialect": "claude", "timeout": 600_000}]}]}})
    );
    assert!(report.len() >= 8, "{report:#?}");
    assert!(import(Agent::Claude, "[]").is_err() && import(Agent::Claude, "{\"hooks\": 1}").is_err());
    assert_eq!(import(Agent::Gemini, "// nothing\n{}").expect("settings"), Imported::default());
}

proptest! {
    #[test]
    fn any_text_is_imported_or_refused(text in "[\\[\\]{}\":,a-z0-9 =\\n]{0,60}", agent in proptest::sample::select(Agent::ALL.to_vec())) {
        let _ = import(agent, &text).is_ok();
        let _ = script_hints(&text);
    }

    /// Patterns without names of tools stay as they are.
    #[test]
    fn foreign_patterns_stay(pattern in "[xyz.*+?^$|()\\[\\]\\\\]{1,12}") {
        prop_assume!(pattern.trim() != "*");
        let settings = json!({"hooks": {"BeforeTool": [{"matcher": pattern, "hooks": [{"command": "c"}]}]}});
        let (ours, _) = imported(Agent::Gemini, &settings);
        prop_assert_eq!(&ours["hooks"]["BeforeTool"][0]["matcher"], pattern.trim());
    }
}
