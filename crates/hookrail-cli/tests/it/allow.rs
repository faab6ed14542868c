//! `allow`: a person lets one call pass; an agent does not.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::bridge::{payload, settings, with_hooks};
use crate::program::{Ran, hookrail, log_path, run};
use crate::pty::Terminal;

/// The processes between a test and a bridge, so that the test is not taken for the agent: they are what a bridge
/// remembers.
const AGENT: &str = r#"#!/bin/sh
depth=$1; shift
if [ "$depth" -gt 0 ]; then "$0" $((depth - 1)) "$@"; exit $?; fi
"$@"; exit $?
"#;

/// Each agent's shell call in the captured payloads, `touch made.txt; echo MADE`.
const SHELL_CALLS: [(&str, &str); 9] = [
    ("claude", "PreToolUse-Bash"),
    ("codex", "PreToolUse-Bash"),
    ("gemini", "BeforeTool-run_shell_command"),
    ("qwen", "PreToolUse-run_shell_command"),
    ("copilot", "preToolUse-bash"),
    ("opencode", "tool.execute.before-bash"),
    ("kilo", "tool.execute.before-bash"),
    ("pi", "tool_call-bash"),
    ("cline", "beforeTool-run_commands"),
];

/// A project whose user has a rule that blocks `touch`.
fn project() -> TestProject {
    with_hooks(&no_touch())
}

fn no_touch() -> Value {
    json!({ "BeforeTool": [{ "matcher": "run_shell_command", "hooks": [{ "type": "rule", "name": "no-touch",
        "when": { "command": "touch" }, "block": "touching is for people", "instead": "Use echo." }] }] })
}

fn agent_script(project: &TestProject) -> PathBuf {
    let script = project.home().join("agent.sh");
    if !script.exists() {
        fs::write(&script, AGENT).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    }
    script
}

/// The same call with another program in front.
fn behind(front: &[OsString], command: &Command) -> Command {
    let mut wrapped = Command::new(&front[0]);
    wrapped.args(&front[1..]).arg(command.get_program()).args(command.get_args());
    wrapped.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    wrapped.current_dir(command.get_current_dir().unwrap());
    wrapped.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    wrapped
}

/// A bridge call of an agent.
fn call(project: &TestProject, agent: &str, file: &str, changes: &Value) -> Ran {
    let event = file.split('-').next().unwrap();
    let args = ["bridge", agent, event];
    let front = [agent_script(project).into_os_string(), "3".into()];
    let mut child = behind(&front, &hookrail(project, &args)).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload(project, agent, file, changes).as_bytes()).unwrap();
    Ran::of(&args, child.wait_with_output().unwrap())
}

/// Claude's call with this id.
fn claude(project: &TestProject, id: &str) -> Ran {
    call(project, "claude", "PreToolUse-Bash", &json!({ "tool_use_id": id }))
}

fn is_refused(ran: &Ran) -> bool {
    assert_eq!(ran.code, Some(0), "{ran}");
    ran.stdout.contains("touching is for people")
}

fn environment(project: &TestProject) -> Vec<(&'static str, OsString)> {
    vec![
        ("PATH", std::env::var_os("PATH").unwrap()),
        ("TZ", "UTC".into()),
        ("HOME", project.home().into()),
        ("HOOKRAIL_HOME", project.home().into()),
        ("HOOKRAIL_SYSTEM_SETTINGS", project.system_settings_path().into()),
    ]
}

/// A person at a terminal runs `hookrail allow` and answers, once for each question.
fn person(project: &TestProject, args: &[&str], answer: &str) -> (Option<i32>, String) {
    let args: Vec<OsString> = ["allow"].iter().chain(args).map(OsString::from).collect();
    let mut terminal = Terminal::start(&args, &project.dir(), &environment(project), None);
    for line in answer.split(',') {
        terminal.expect("for none: ");
        terminal.send(&format!("{line}\r"));
    }
    terminal.end()
}

fn list(project: &TestProject) -> Value {
    run(project, &["allow", "--format", "json"]).json()
}

fn grants_file(project: &TestProject) -> PathBuf {
    project.home().join(".hookrail/grants.json")
}

#[test]
fn a_person_lets_one_call_pass_once() {
    let project = project();
    let refused = claude(&project, "a");
    let reason = &refused.json()["hookSpecificOutput"]["permissionDecisionReason"];
    let expected = "touching is for people\nUse echo.\n[hookrail: no-touch; a person can run hookrail allow]";
    assert_eq!(reason, expected, "{refused}");
    let listed = list(&project);
    let call = &listed["calls"][0];
    for (field, value) in [
        ("agent", json!("claude")),
        ("project", json!(project.dir())),
        ("tool", json!("run_shell_command")),
        ("summary", json!("touch made.txt; echo MADE")),
        ("rule", json!("no-touch")),
        ("allowed", json!(false)),
    ] {
        assert_eq!(call[field], value, "{listed}");
    }
    assert_eq!(listed["grants"], json!([]));
    let kept = project.home().join(".hookrail/blocked.jsonl");
    assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    let (code, text) = person(&project, &[], "1");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("touch made.txt; echo MADE") && text.contains("stopped by no-touch"), "{text}");
    assert_eq!(grants_file(&project).metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let listed = list(&project);
    assert_eq!((&listed["calls"][0]["allowed"], &listed["grants"][0]["once"]), (&json!(true), &json!(true)));

    // Another command is another call; what the model says about it is not.
    let other = json!({ "tool_use_id": "b", "tool_input": { "command": "touch other.txt" } });
    assert!(is_refused(&call_of(&project, &other)));
    let same = json!({ "tool_use_id": "c", "tool_input": { "command": "touch made.txt; echo MADE", "description": "x" } });
    assert!(!is_refused(&call_of(&project, &same)));
    assert!(!is_refused(&call_of(&project, &same)), "the same call may ask again");
    assert!(is_refused(&claude(&project, "d")), "another one may not");
    let log = fs::read_to_string(log_path(&project)).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let given = lines.iter().find(|line| line["type"] == "grant").unwrap();
    assert_eq!((&given["action"], &given["rule"]), (&json!("given"), &json!("no-touch")));
    let used = lines.iter().find(|line| line["type"] == "decision" && line["decision"] == "allow").unwrap();
    assert_eq!(used["hook"], "no-touch", "{used}");
    assert!(used["reason"].as_str().unwrap().ends_with(given["id"].as_str().unwrap()), "{used}");
    assert!(run(&project, &["log"]).stdout.contains("granted  no-touch"));
}

fn call_of(project: &TestProject, changes: &Value) -> Ran {
    call(project, "claude", "PreToolUse-Bash", changes)
}

#[test]
fn a_grant_is_for_every_agent_and_for_nothing_else() {
    for (agent, file) in SHELL_CALLS {
        let project = project();
        assert!(is_refused(&call(&project, agent, file, &json!({}))), "{agent}");
        let (code, text) = person(&project, &["--for", "1h"], "1");
        assert_eq!(code, Some(0), "{agent}: {text}");
        for _ in 0..2 {
            assert!(!is_refused(&call(&project, agent, file, &json!({}))), "{agent}");
        }
        let elsewhere = project.dir().join("elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        assert!(is_refused(&call(&project, agent, file, &json!({ "cwd": elsewhere }))), "{agent}");
        // Whether the rule is that one is decided by its level and its name.
        project.user_settings(
            &json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [{ "type": "rule",
            "name": "another", "when": { "command": "touch" }, "block": "touching is for people" }] }] } }),
        );
        assert!(is_refused(&call(&project, agent, file, &json!({}))), "{agent}");
    }
}

#[test]
fn what_was_allowed_can_be_taken_back() {
    let project = project();
    claude(&project, "a");
    for arguments in [vec!["--revoke"], vec!["--revoke", "--all"]] {
        assert_eq!(person(&project, &["--for", "30m"], "1").0, Some(0));
        assert!(!is_refused(&claude(&project, "b")));
        let id = list(&project)["grants"][0]["id"].as_str().unwrap().to_owned();
        let args: Vec<&str> = ["allow"].into_iter().chain(arguments).collect();
        let args = if args.contains(&"--all") { args } else { [args, vec![&id]].concat() };
        let ran = run(&project, &args);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert!(is_refused(&claude(&project, "b")));
    }
    let ran = run(&project, &["allow", "--revoke", "00000000"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    for wrong in [
        &["allow", "--for", "25h"][..],
        &["allow", "--for", "0m"],
        &["allow", "--for", "1d"],
        &["allow", "--all"],
    ] {
        assert_eq!(run(&project, wrong).code, Some(64), "{wrong:?}");
    }
}

#[test]
fn only_rules_of_the_user_and_of_projects_are_lifted() {
    let blocking =
        json!({ "type": "command", "name": "guard", "command": "echo touching is for people >&2; exit 2" });
    let failing = json!({ "type": "command", "name": "broken", "command": "exit 1", "onFailure": "block" });
    for (system, more, why) in [
        (true, json!([]), "in the system's settings"),
        (false, json!([blocking]), "the hook `guard` stops it too"),
        (false, json!([failing]), "a guard that does not work"),
    ] {
        let project = TestProject::new();
        let mut hooks = no_touch();
        hooks["BeforeTool"][0]["hooks"].as_array_mut().unwrap().extend(more.as_array().unwrap().clone());
        if system {
            project.system_settings(&settings(&hooks));
        } else {
            project.user_settings(&settings(&hooks));
        }
        let refused = claude(&project, "a");
        assert!(is_refused(&refused) && !refused.stdout.contains("hookrail allow"), "{refused}");
        let (code, text) = person(&project, &[], "1,");
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(why) && text.contains("Nothing was allowed"), "{text}");
        assert_eq!(list(&project)["grants"], json!([]));
    }
}

#[test]
fn a_grant_does_not_reach_past_what_else_blocks() {
    let project = project();
    claude(&project, "a");
    assert_eq!(person(&project, &[], "1").0, Some(0));
    let mut hooks = no_touch();
    hooks["BeforeTool"][0]["hooks"].as_array_mut().unwrap().push(json!({ "type": "command", "name": "guard",
        "command": "echo touching is for people >&2; exit 2" }));
    project.user_settings(&settings(&hooks));
    assert!(is_refused(&claude(&project, "b")));
    assert_eq!(
        list(&project)["grants"].as_array().unwrap().len(),
        1,
        "a call that is blocked uses nothing up"
    );
    project.system_settings(&settings(&no_touch()));
    project.user_settings(&settings(&no_touch()));
    assert!(is_refused(&claude(&project, "b")), "the system's rule of the same name is another one");
    project.system_settings(&json!({}));
    fs::write(project.user_settings_path(), "{").unwrap();
    assert!(claude(&project, "b").stdout.contains("deny"), "broken settings");
    project.user_settings(&settings(&no_touch()));
    assert!(!is_refused(&claude(&project, "b")));
}

#[test]
fn of_calls_side_by_side_one_passes() {
    let project = project();
    claude(&project, "a");
    assert_eq!(person(&project, &[], "1").0, Some(0));
    let passed = std::thread::scope(|scope| {
        let project = &project;
        let start = |number| scope.spawn(move || !is_refused(&claude(project, &format!("side-{number}"))));
        let calls: Vec<_> = (0..8).map(start).collect();
        calls.into_iter().map(|call| call.join().unwrap()).filter(|passed| *passed).count()
    });
    assert_eq!(passed, 1);
}

#[test]
fn a_file_that_cannot_be_trusted_allows_nothing() {
    let project = project();
    claude(&project, "a");
    assert_eq!(person(&project, &["--for", "24h"], "1").0, Some(0));
    let file = grants_file(&project);
    let good = fs::read_to_string(&file).unwrap();
    let parsed: Value = serde_json::from_str(&good).unwrap();
    let times = |given: &str, until: &str| {
        let mut changed = parsed.clone();
        changed["grants"][0]["given"] = json!(given);
        changed["grants"][0]["until"] = json!(until);
        changed.to_string()
    };
    let write = |text: &str, mode: u32| {
        let _ = fs::remove_file(&file);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    };
    let day = "2099-01-01T00:00:00Z";
    for (what, text, mode, says) in [
        ("damaged", "{\"grants\": [".to_owned(), 0o600, "is damaged"),
        ("other types", "{\"grants\": [1]}".to_owned(), 0o600, "is damaged"),
        ("for all to write", good.clone(), 0o666, "others can write it"),
        ("huge", " ".repeat(2 << 20) + &good, 0o600, "larger than 1 MB"),
        ("from the future", times(day, "2099-01-01T01:00:00Z"), 0o600, ""),
        ("for too long", times("2020-01-01T00:00:00Z", day), 0o600, ""),
        ("over", times("2020-01-01T00:00:00Z", "2020-01-01T01:00:00Z"), 0o600, ""),
    ] {
        write(&text, mode);
        let ran = call_of(&project, &json!({ "session_id": what }));
        assert!(is_refused(&ran) && ran.stdout.contains(says), "{what}: {ran}");
        let listed = run(&project, &["allow", "--list"]);
        assert!(listed.stderr.contains(says), "{what}: {listed}");
    }
    write(&good, 0o600);
    assert!(!is_refused(&claude(&project, "b")));
    let elsewhere = project.dir().join("forged.json");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    let ran = call_of(&project, &json!({ "session_id": "link" }));
    assert!(is_refused(&ran) && ran.stdout.contains("is a link"), "{ran}");
}

#[test]
fn blocked_calls_are_bounded_and_forgotten() {
    let project = project();
    claude(&project, "a");
    let file = project.home().join(".hookrail/blocked.jsonl");
    let line = fs::read_to_string(&file).unwrap();
    let mut old: Value = serde_json::from_str(&line).unwrap();
    old["time"] = json!("2020-01-01T00:00:00Z");
    fs::write(&file, format!("{old}\nnot a call\n{line}")).unwrap();
    claude(&project, "b");
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("2020-01-01") && text.lines().count() == 2, "{text}");
    fs::write(&file, line.repeat(1 + (1 << 20) / line.len() - 1)).unwrap();
    let long = json!({ "tool_input": { "command": format!("touch {}", "x".repeat(300_000)) } });
    assert!(is_refused(&call_of(&project, &long)));
    assert!(file.metadata().unwrap().len() < 1 << 20);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let (_, text) = person(&project, &[], "1,");
    assert!(text.contains("too long to be kept whole"), "{text}");
}

#[test]
fn what_is_shown_cannot_act_on_the_terminal() {
    let project = project();
    call_of(&project, &json!({ "tool_input": { "command": "touch a\u{1b}[2K\u{202e}\n[2] harmless" } }));
    let (_, text) = person(&project, &[], "");
    assert!(text.contains("touch a\\u{1b}[2K\\u{202e}\r\n      [2] harmless"), "{text}");
}

#[test]
fn serve_asks_for_grants_too() {
    let project = project();
    let request = json!({ "type": "hook-execution-request", "eventName": "BeforeTool", "correlationId": "1",
        "input": { "tool_name": "run_shell_command", "tool_input": { "command": "touch x" } } });
    let serve = || {
        let mut child = hookrail(&project, &["serve"]).stdin(Stdio::piped()).spawn().unwrap();
        writeln!(child.stdin.take().unwrap(), "{request}").unwrap();
        let ran = Ran::of(&["serve"], child.wait_with_output().unwrap());
        ran.json()["output"]["blocked"].clone()
    };
    assert_eq!(serve(), json!(true));
    assert_eq!(list(&project)["calls"][0]["agent"], "hookrail");
    assert_eq!(person(&project, &[], "1").0, Some(0));
    assert_eq!((serve(), serve()), (json!(false), json!(true)), "once");
    let fired = run(
        &project,
        &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", r#"{"command":"touch x"}"#],
    );
    assert_eq!(fired.code, Some(2), "{fired}");
}

#[test]
fn a_patch_is_allowed_as_a_whole() {
    let project =
        with_hooks(&json!({ "BeforeTool": [{ "matcher": "write_file|replace", "hooks": [{ "type": "rule",
        "name": "no-lock", "when": { "writes": "Cargo.lock" }, "block": "touching is for people" }] }] }));
    let patch = |line: &str| {
        json!({ "tool_name": "apply_patch", "tool_input": { "command":
        format!("*** Begin Patch\n*** Add File: Cargo.lock\n+{line}\n*** End Patch") } })
    };
    let fire = |line: &str| call(&project, "codex", "PreToolUse-apply_patch", &patch(line));
    assert!(is_refused(&fire("a")));
    assert_eq!(person(&project, &["--for", "1h"], "1").0, Some(0));
    assert!(!is_refused(&fire("a")));
    assert!(is_refused(&fire("b")));
}

mod attacks {
    use super::*;

    #[cfg(target_os = "linux")]
    /// Runs a line as an agent's shell would: below the process that called the bridge. `$HOOKRAIL` is the program.
    fn as_agent(project: &TestProject, line: &str) -> Ran {
        let call = project.home().join("call.json");
        fs::write(&call, payload(project, "claude", "PreToolUse-Bash", &json!({}))).unwrap();
        let program = env!("CARGO_BIN_EXE_hookrail");
        let (home, system) = (project.home(), project.system_settings_path());
        let home = home.display();
        let script = format!(
            "'{program}' bridge --home '{home}' --system '{}' claude PreToolUse < '{}' > /dev/null\n\
             export HOOKRAIL='{program} --home {home}'\n{line}\nexit $?\n",
            system.display(),
            call.display()
        );
        let file = project.home().join("fake-agent.sh");
        fs::write(&file, script).unwrap();
        let mut command = Command::new("sh");
        command.arg(&file).current_dir(project.dir()).env_clear().envs(environment(project));
        let output = command.stdin(Stdio::null()).output().unwrap();
        Ran::of(&["as an agent:", line], output)
    }

    #[cfg(target_os = "linux")] // It needs util-linux's `script`.
    #[test]
    fn an_agent_with_a_terminal_of_its_own_is_refused() {
        let project = project();
        for line in [
            "$HOOKRAIL allow",
            "echo 1 | $HOOKRAIL allow",
            "printf '1\\n' | script -qec \"$HOOKRAIL allow\" /dev/null",
            "printf '1\\n' | env -i script -qec \"$HOOKRAIL allow\" /dev/null",
            "setsid -w script -qec \"$HOOKRAIL allow\" /dev/null < /dev/null",
            "env -i setsid -w script -qec \"sh -c '$HOOKRAIL allow'\" /dev/null < /dev/null",
            "python3 -c 'import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' $HOOKRAIL allow < /dev/null",
        ] {
            let ran = as_agent(&project, line);
            assert_eq!(ran.code, Some(1), "{ran}");
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(said.contains("only a person can allow a call: an agent started this program"), "{ran}");
            assert!(!grants_file(&project).exists(), "{ran}");
        }
    }

    #[test]
    fn what_agents_mark_is_refused() {
        let project = project();
        claude(&project, "a");
        for mark in [
            "AI_AGENT",
            "CLAUDECODE",
            "CLAUDE_CODE_CHILD_SESSION",
            "CODEX_SANDBOX",
            "CODEX_MANAGED_BY_NPM",
            "COPILOT_CLI",
            "GEMINI_CLI",
            "HOOKRAIL_AGENT",
            "HOOKRAIL_BRIDGE",
            "KILO",
            "OPENCODE",
            "PI_CODING_AGENT",
            "QWEN_CODE",
        ] {
            let mut environment = environment(&project);
            environment.push((mark, "1".into()));
            let terminal = Terminal::start(&["allow".into()], &project.dir(), &environment, None);
            let (code, text) = terminal.end();
            assert_eq!(code, Some(1), "{mark}: {text}");
            assert!(text.contains(&format!("`{mark}` is set")), "{mark}: {text}");
        }
    }

    #[test]
    fn without_a_terminal_there_is_nobody() {
        let project = project();
        claude(&project, "a");
        let front = ["setsid".into(), "-w".into()];
        let mut child = behind(&front, &hookrail(&project, &["allow"])).spawn().unwrap();
        // It may have ended before it reads anything.
        let _ = child.stdin.take().unwrap().write_all(b"1\n");
        let ran = Ran::of(&["allow"], child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(1), "{ran}");
        assert!(ran.stderr.contains("there is no terminal"), "{ran}");
    }

    #[test]
    fn the_shipped_rule_blocks_the_ways_to_it() {
        let project = TestProject::new();
        project
            .user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-hook-settings"] } }));
        for line in [
            "hookrail allow",
            "hookrail allow --for 24h",
            "~/.hookrail/bin/hookrail allow",
            "\"$HOME/.hookrail/bin/hookrail\" allow",
            "npx hookrail allow",
            "npx -y hookrail@latest allow",
            "pnpm dlx hookrail allow",
            "bunx hookrail allow",
            "uvx hookrail allow",
            "pipx run hookrail allow",
            "cargo run -p hookrail-cli -- allow",
            "env -i hookrail allow",
            "setsid hookrail allow",
            "nohup setsid hookrail allow &",
            "sh -c 'hookrail allow'",
            "bash -lc \"hookrail --home ~ allow\"",
            "hookrail --color never allow",
            "hookrail -C /tmp allow",
            "script -qec 'hookrail allow' /dev/null",
            "script -q -c 'hookrail allow' /dev/null",
            "script --command='hookrail allow' /dev/null",
            "script -q /dev/null hookrail allow",
            "expect -c 'spawn hookrail allow; send 1\\r; expect eof'",
            "unbuffer hookrail allow",
            "tmux new-session -d 'hookrail allow'",
            "tmux new -d hookrail allow",
            "tmux send-keys -t 0 'hookrail allow' Enter",
            "tmux split-window 'hookrail allow'",
            "screen -dm hookrail allow",
            "screen -S x -X stuff 'hookrail allow\\n'",
            "socat EXEC:'hookrail allow',pty -",
            "python3 -c 'import pty; pty.spawn([\"hookrail\",\"allow\"])'",
            "echo 'hookrail allow' | sh",
            "printf '1\\n' | hookrail allow",
            "xargs hookrail allow",
            "echo '{}' > ~/.hookrail/grants.json",
            "cp /tmp/g ~/.hookrail/grants.json",
            "tee ~/.hookrail/blocked.jsonl",
            "cd ~/.hookrail && mv x grants.json",
            "ln -sf /tmp/g ~/.hookrail/grants.json",
            "rm -rf ~/.hookrail/bridge",
            "sed -i s/a/b/ ~/.hookrail/grants.json",
            "python3 -c 'open(\"/root/.hookrail/grants.json\",\"w\")'",
        ] {
            let input = json!({ "command": line }).to_string();
            let ran =
                run(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &input]);
            assert_eq!(ran.code, Some(2), "{line}: {ran}");
        }
        for line in
            ["hookrail allow --list", "hookrail allow --help", "cat ~/.hookrail/grants.json", "tmux ls"]
        {
            let input = json!({ "command": line }).to_string();
            let ran =
                run(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &input]);
            assert_eq!(ran.code, Some(0), "{line}: {ran}");
        }
    }
}
