//! `hookrail replay`: every agent's transcripts against today's hooks, and files that are out to do harm.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;

use hookrail_testkit::{TestProject, make_pipe};
use serde_json::{Value, json};

use crate::program::run;
use crate::program::{Ran, hookrail};

fn guarded() -> TestProject {
    let project = TestProject::new();
    project.user_settings(&json!({
        "enableHooks": true,
        "hooks": { "BeforeTool": [{ "hooks": [
            { "type": "rule", "name": "no-push", "when": { "command": "git push --force" }, "block": "for people" },
            { "type": "rule", "name": "ask-rm", "when": { "program": "rm" }, "ask": "really?" },
            { "type": "rule", "name": "no-env", "when": { "writes": "**/.env" }, "block": "secrets" } ] }] }
    }));
    project
}

fn lines(values: &[Value]) -> String {
    values.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n"
}

fn ours(name: &str, args: &Value, status: &str) -> Value {
    json!({ "type": "tool_call", "timestamp": "2026-11-16T00:00:00.000Z", "sessionId": "s", "name": name, "args": args, "status": status, "durationMs": 1, "result": {} })
}

fn shell(line: &str, status: &str) -> Value {
    ours("run_shell_command", &json!({ "command": line }), status)
}

fn replay(project: &TestProject, args: &[&str]) -> Value {
    let run = Ran::new(project, &[&["replay", "--format", "json"], args].concat());
    assert_eq!(run.code, Some(0), "{}", run.shown());
    run.json()
}

/// The differences in short: line, tool, was, now, by.
fn different(report: &Value) -> Vec<String> {
    let all = report["different"].as_array().unwrap().iter();
    all.map(|each| {
        let word = |key: &str| each[key].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}>{} {}", each["line"], word("tool"), word("was"), word("now"), word("by"))
    })
    .collect()
}

#[test]
fn our_own_logs_are_asked_about_again() {
    let project = guarded();
    let log = project.file(
        "log.jsonl",
        lines(&[
            json!({ "type": "session_start", "timestamp": "t", "sessionId": "s", "source": "startup", "cwd": "/", "model": "m" }),
            shell("git push -f", "success"),
            shell("git push -f", "blocked"),
            shell("git push -f", "denied"),
            shell("git push -f", "cancelled"),
            shell("git push", "error"),
            shell("git push", "blocked"),
            shell("rm x", "success"),
            ours("write_file", &json!({ "file_path": ".env", "content": "" }), "error"),
            ours("no_such_tool", &json!({ "x": [1, { "y": null }] }), "error"),
        ]),
    );
    let report = replay(&project, &["log.jsonl"]);
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["calls", "allow", "block", "ask", "notAsked", "unreadable", "different"]);
    assert_eq!(
        json!([
            report["calls"],
            report["allow"],
            report["block"],
            report["ask"],
            report["notAsked"],
            report["unreadable"]
        ]),
        json!([9, 3, 5, 1, 0, 0])
    );
    assert_eq!(
        different(&report),
        [
            "2 run_shell_command allow>block no-push",
            "7 run_shell_command block>allow -",
            "8 run_shell_command allow>ask ask-rm",
            "9 write_file allow>block no-env",
        ]
    );
    let first = &report["different"][0];
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["file", "line", "tool", "input", "was", "now", "reason", "by"]);
    assert_eq!(
        (&first["input"], &first["reason"]),
        (&json!({ "command": "git push -f" }), &json!("for people"))
    );
    assert_eq!(first["file"], json!("log.jsonl"));
    assert!(log.exists());

    let run = Ran::new(&project, &["replay", "log.jsonl"]);
    assert_eq!(run.code, Some(0));
    for expected in [
        "9 calls in 1 file: 3 allowed, 5 blocked, 1 asked about",
        "no-push: 4 blocked, 0 asked about",
        "4 would be decided differently:",
        "1 x run_shell_command: was allowed, now block by `no-push`\n  log.jsonl:2: allow -> block (no-push): run_shell_command git push -f\n  reason: for people",
    ] {
        assert!(run.stdout.contains(expected), "{expected}\n{}", run.stdout);
    }
}

#[test]
fn other_agents_transcripts_are_read_in_our_terms() {
    let project = guarded();
    let home = project.home();
    let put = |path: &str, text: String| {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let claude = |block: Value| json!({ "type": "assistant", "cwd": "/elsewhere", "sessionId": "s", "message": { "role": "assistant", "content": [block] } });
    let result = |id: &str, text: &str, error: bool| json!({ "type": "user", "message": { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": error }] } });
    put(
        ".claude/projects/-p/s.jsonl",
        lines(&[
            json!({ "type": "summary", "summary": "x" }),
            claude(
                json!({ "type": "tool_use", "id": "1", "name": "Bash", "input": { "command": "git push -f" } }),
            ),
            claude(
                json!({ "type": "tool_use", "id": "2", "name": "Write", "input": { "file_path": ".env", "content": "" } }),
            ),
            claude(
                json!({ "type": "tool_use", "id": "3", "name": "Bash", "input": { "command": "git push -f" } }),
            ),
            result("2", "PreToolUse:Write hook error: [guard]: no", true),
            result("1", "Everything up-to-date", false),
            result(
                "3",
                "The user doesn't want to proceed with this tool use. The tool use was rejected",
                true,
            ),
        ]),
    );
    let item = |payload: Value| json!({ "timestamp": "t", "type": "response_item", "payload": payload });
    put(
        ".codex/sessions/2026/11/16/rollout-1.jsonl",
        lines(&[
            json!({ "timestamp": "t", "type": "session_meta", "payload": { "id": "x", "cwd": "/" } }),
            item(
                json!({ "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"bash\",\"-lc\",\"git push -f\"]}", "call_id": "a" }),
            ),
            item(json!({ "type": "function_call_output", "call_id": "a", "output": "ok" })),
            item(
                json!({ "type": "custom_tool_call", "name": "apply_patch", "call_id": "b", "input": "*** Begin Patch\n*** Add File: .env\n+A=1\n*** Add File: b\n+x\n*** End Patch\n" }),
            ),
        ]),
    );
    put(
        ".gemini/tmp/h/chats/session-1.json",
        serde_json::to_string_pretty(&json!({ "sessionId": "s", "projectHash": "h", "messages": [
            { "type": "user", "content": "x" },
            { "type": "gemini", "toolCalls": [{ "id": "1", "name": "run_shell_command", "args": { "command": "rm a" }, "status": "success" }] }] }))
        .unwrap(),
    );
    put(".gemini/tmp/h/logs.json", "[]".to_owned());
    put(
        ".qwen/projects/-p/chats/1.jsonl",
        lines(&[
            json!({ "uuid": "u", "type": "assistant", "message": { "role": "model", "parts": [{ "functionCall": { "id": "1", "name": "write_file", "args": { "file_path": "a/.env", "content": "" } } }] } }),
            json!({ "uuid": "v", "type": "tool_result", "message": { "role": "user", "parts": [{ "functionResponse": { "id": "1", "response": { "output": "ok" } } }] } }),
        ]),
    );
    for (agent, calls, expected) in [
        ("claude", 3, vec!["2 run_shell_command allow>block no-push"]),
        ("codex", 2, vec!["2 run_shell_command allow>block no-push", "4 apply_patch allow>block no-env"]),
        ("gemini", 1, vec!["9 run_shell_command allow>ask ask-rm"]),
        ("qwen", 1, vec!["1 write_file allow>block no-env"]),
    ] {
        let report = replay(&project, &["--agent", agent, "--since", "7d"]);
        assert_eq!(report["calls"], calls, "{agent}: {report:#}");
        assert_eq!(report["unreadable"], 0, "{agent}: {report:#}");
        assert_eq!(different(&report), expected, "{agent}");
    }
    assert_eq!(replay(&project, &[])["calls"], 7, "all agents");
    let run = Ran::new(&project, &["replay", "--agent", "hookrail"]);
    assert_eq!(run.code, Some(1), "{}", run.shown());
}

#[test]
fn only_hooks_without_effects_are_asked() {
    let project = TestProject::new();
    let mark = |name: &str| project.dir().join(name);
    let hook = |name: &str, more: Value| {
        let mut hook = json!({ "type": "command", "name": name, "command": format!("touch '{}'; echo no >&2; exit 2", mark(name).display()) });
        hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        hook
    };
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "BeforeTool": [{ "hooks": [hook("effects", json!({})), hook("pure", json!({ "pure": true }))] }],
        "AfterTool": [{ "hooks": [hook("after", json!({}))] }] } }));
    project.file("log.jsonl", lines(&[shell("ls", "success")]));
    let report = replay(&project, &["log.jsonl"]);
    assert_eq!(
        (&report["notAsked"], different(&report)),
        (&json!(1), vec!["1 run_shell_command allow>block pure".to_owned()])
    );
    assert!(mark("pure").exists() && !mark("effects").exists());
    let run = Ran::new(&project, &["replay", "log.jsonl"]);
    assert!(run.stdout.contains("1 hook was not asked"), "{}", run.shown());
    let report = replay(&project, &["log.jsonl", "--run-hooks"]);
    assert_eq!(report["notAsked"], 0);
    assert!(mark("effects").exists() && !mark("after").exists());
}

#[test]
fn differences_are_grouped_listed_and_kept_as_tests() {
    let project = guarded();
    let mut calls: Vec<Value> =
        (0..20).map(|n| shell(&format!("git push -f origin b{n}"), "success")).collect();
    calls.push(shell("rm x", "success"));
    project.file("log.jsonl", lines(&calls));
    let run = Ran::new(&project, &["replay", "log.jsonl", "--save-tests", ".hookrail/tests/replayed.json"]);
    assert!(
        run.stdout.contains("20 x run_shell_command: was allowed, now block by `no-push`"),
        "{}",
        run.shown()
    );
    assert!(run.stdout.contains("and 19 more; `--all` shows them"), "{}", run.shown());
    assert!(run.stderr.contains("kept 2 tests in .hookrail/tests/replayed.json"), "{}", run.shown());
    let tests = Ran::new(&project, &["test"]);
    assert_eq!(
        (tests.code, tests.stdout.lines().last()),
        (Some(0), Some("2 passed, 0 failed")),
        "{}",
        tests.shown()
    );
    let all = Ran::new(&project, &["replay", "log.jsonl", "--all"]);
    assert_eq!(
        all.stdout.lines().filter(|line| line.contains("-> block (no-push)")).count(),
        20,
        "{}",
        all.shown()
    );
}

#[test]
fn what_cannot_be_read_is_counted_and_the_rest_is_asked_about() {
    let project = guarded();
    let push = shell("git push -f", "success").to_string();
    let mut bytes = format!("\u{feff}{push}\n\n  \n{{ torn\n").into_bytes();
    bytes.extend_from_slice(b"\xff\xfe\0\0garbage\n");
    bytes.extend_from_slice(format!("{}\n{push}\r\n", "[".repeat(100_000)).as_bytes());
    bytes.extend_from_slice(push.get(..push.len() / 2).unwrap().as_bytes());
    project.file("log.jsonl", &bytes);
    let report = replay(&project, &["log.jsonl"]);
    assert_eq!(
        (&report["calls"], &report["block"], &report["unreadable"]),
        (&json!(2), &json!(2), &json!(4))
    );

    project.file("garbage.jsonl", (0..=255_u8).cycle().take(100_000).collect::<Vec<u8>>());
    let report = replay(&project, &["log.jsonl", "garbage.jsonl"]);
    assert_eq!(report["calls"], 2);
    assert!(report["unreadable"].as_u64().unwrap() > 100, "{report}");
    project.file("empty.jsonl", "");
    assert_eq!(replay(&project, &["log.jsonl", "empty.jsonl"])["calls"], 2);
}

/// "Nothing would be decided differently" is not an answer where nothing could be read.
#[test]
fn files_of_which_none_is_a_transcript_are_an_error() {
    let project = guarded();
    project.file("garbage.jsonl", (0..=255_u8).cycle().take(100_000).collect::<Vec<u8>>());
    project.file("empty.jsonl", "");
    project.file("notes.txt", "git push -f");
    for file in ["garbage.jsonl", "empty.jsonl", "notes.txt"] {
        for format in ["text", "json"] {
            let run = Ran::new(&project, &["replay", file, "--format", format]);
            assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.shown());
            assert!(run.stderr.contains(&format!("there are no transcripts in `{file}`")), "{}", run.shown());
        }
    }
}

#[test]
fn a_line_of_a_hundred_megabytes_takes_no_memory() {
    let project = guarded();
    let push = shell("git push -f", "success").to_string();
    let path = project.dir().join("log.jsonl");
    let mut file = std::io::BufWriter::new(fs::File::create(&path).unwrap());
    writeln!(file, "{push}").unwrap();
    write!(file, "{{\"type\":\"tool_call\",\"name\":\"write_file\",\"args\":{{\"content\":\"").unwrap();
    for _ in 0..100 {
        file.write_all(&vec![b'x'; 1_000_000]).unwrap();
    }
    writeln!(file, "\"}},\"status\":\"success\"}}").unwrap();
    writeln!(file, "{push}").unwrap();
    drop(file);
    // The program may not map more than this; its own pages and threads take less than half.
    let mut bounded = std::process::Command::new("bash");
    let program = hookrail(&project, &[]);
    bounded
        .args([
            "-c",
            "ulimit -v 400000; exec \"$@\"",
            "bash",
            env!("CARGO_BIN_EXE_hookrail"),
            "replay",
            "--format",
            "json",
            "log.jsonl",
        ])
        .current_dir(project.dir())
        .env_clear()
        .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let run = Ran::in_project(&project, bounded);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    let report = run.json();
    assert_eq!((&report["calls"], &report["unreadable"]), (&json!(2), &json!(1)));
}

#[test]
fn folders_are_searched_and_circles_end() {
    let project = guarded();
    project.file("logs/deep/er/a.jsonl", lines(&[shell("git push -f", "success")]));
    project.file("logs/package.json", "{ \"name\": \"x\", \"messages\": 5 }");
    project.file("logs/list.json", "[1, 2, 3]");
    project.file("logs/other.jsonl", "{\"a\":1}\n{\"b\":2}\n");
    project.file("logs/notes.txt", "git push -f");
    symlink(project.dir().join("logs"), project.dir().join("logs/deep/circle")).unwrap();
    symlink("loop.jsonl", project.dir().join("logs/loop.jsonl")).unwrap();
    symlink("/dev/zero", project.dir().join("logs/endless.jsonl")).unwrap();
    make_pipe(&project.dir().join("logs/pipe.jsonl"));
    let report = replay(&project, &["logs"]);
    assert_eq!((&report["calls"], &report["unreadable"]), (&json!(1), &json!(0)));
    fs::create_dir(project.dir().join("none")).unwrap();
    project.file("none/package.json", "{}");
    for args in
        [&["replay", "none"][..], &["replay", "missing"][..], &["replay", "logs", "--since", "0m"][..]]
    {
        let run = Ran::new(&project, args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{args:?}: {}", run.shown());
    }
    assert_eq!(Ran::new(&project, &["replay", "logs", "--since", "soon"]).code, Some(64));
}

#[test]
fn a_matcher_may_use_the_agents_own_name_of_a_tool() {
    let project = TestProject::new();
    project.user_settings(
        &json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "matcher": "^Bash$", "hooks": [
        { "type": "rule", "name": "native", "when": { "program": "rm" }, "block": "no" }] }] } }),
    );
    let call = json!({ "type": "tool_use", "id": "1", "name": "Bash", "input": { "command": "rm x" } });
    project.file("t.jsonl", lines(&[json!({ "type": "assistant", "message": { "content": [call] } })]));
    assert_eq!(different(&replay(&project, &["t.jsonl"])), ["1 run_shell_command allow>block native"]);
    let stdin = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": { "command": "rm x" } });
    let test = json!([{ "name": "n", "agent": "claude", "stdin": stdin, "expect": { "decision": "block", "ran": ["native"] } }]);
    project.file(".hookrail/tests/a.json", test.to_string());
    let run = Ran::new(&project, &["test"]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
}

/// Codex compresses old rollouts; one that is also there unpacked is read once.
#[test]
fn compressed_rollouts_are_unpacked_while_they_are_read() {
    let project = guarded();
    let folder = project.home().join(".codex/sessions/2026/11/16");
    fs::create_dir_all(&folder).unwrap();
    let item = |payload: Value| json!({ "timestamp": "t", "type": "response_item", "payload": payload });
    let text = lines(&[
        json!({ "timestamp": "t", "type": "session_meta", "payload": { "id": "x", "cwd": "/" } }),
        item(
            json!({ "type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"git push -f\"}", "call_id": "a" }),
        ),
        item(json!({ "type": "function_call_output", "call_id": "a", "output": "ok" })),
    ]);
    let many =
        text.clone() + &lines(&vec![item(json!({ "type": "message", "content": [] })); 100_000]) + &text;
    let pack = |text: &str| {
        ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
    };
    let packed = pack(&many);
    fs::write(folder.join("rollout-1.jsonl.zst"), &packed).unwrap();
    fs::write(folder.join("rollout-2.jsonl.zst"), pack(&text)).unwrap();
    fs::write(folder.join("rollout-2.jsonl"), &text).unwrap();
    // Made by the program `zstd`, from the text of the others.
    fs::write(folder.join("rollout-4.jsonl.zst"), include_bytes!("../rollouts/rollout-4.jsonl.zst")).unwrap();
    let report = replay(&project, &["--agent", "codex"]);
    assert_eq!((&report["calls"], &report["unreadable"]), (&json!(4), &json!(0)), "{report:#}");
    assert_eq!(
        different(&report),
        [
            "2 run_shell_command allow>block no-push",
            "100005 run_shell_command allow>block no-push",
            "2 run_shell_command allow>block no-push",
            "2 run_shell_command allow>block no-push",
        ]
    );
    fs::write(folder.join("rollout-1.jsonl.zst"), &packed[..packed.len() / 2]).unwrap();
    fs::write(folder.join("rollout-3.jsonl.zst"), "no such thing").unwrap();
    let report = replay(&project, &["--agent", "codex"]);
    assert_eq!(
        (&report["calls"], &report["unreadable"]),
        (&json!(3), &json!(2)),
        "what is torn is told: {report:#}"
    );
}

/// What the programs themselves wrote: a hook refused `git push -f`, and `echo hi` ran.
#[test]
fn chats_of_the_real_programs_show_what_a_hook_refused() {
    let project = guarded();
    for (chat, place) in [
        (include_str!("../chats/gemini-cli-0.61.0.jsonl"), ".gemini/tmp/project/chats/session-1.jsonl"),
        (include_str!("../chats/qwen-code-0.15.10.jsonl"), ".qwen/projects/-home-user-project/chats/1.jsonl"),
    ] {
        let path = project.home().join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, chat).unwrap();
        let agent = place.split(['.', '/']).nth(1).unwrap();
        let report = replay(&project, &["--agent", agent, "--since", "7d"]);
        let counts = ["calls", "block", "unreadable"].map(|key| report[key].as_u64().unwrap());
        assert_eq!(counts, [2, 1, 0], "{agent}: {report:#}");
        assert!(
            different(&report).is_empty(),
            "{agent}: a hook blocked it then, and a rule does now: {report:#}"
        );

        // Without the rule the refusal is the difference.
        let other = TestProject::new();
        fs::write(other.dir().join("chat.jsonl"), chat).unwrap();
        let report = replay(&other, &["chat.jsonl"]);
        let was: Vec<&Value> =
            report["different"].as_array().unwrap().iter().map(|each| &each["was"]).collect();
        assert_eq!(was, ["block"], "{agent}: {report:#}");
    }
    // Gemini CLI writes a message again when something about it changes.
    let path = project.home().join(".gemini/tmp/project/chats/session-1.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let message = text.lines().find(|line| line.contains("toolCalls")).unwrap();
    fs::write(&path, format!("{text}{message}\n")).unwrap();
    assert_eq!(replay(&project, &["--agent", "gemini"])["calls"], 2);
}

/// What hookrail blocked is in its own log, whatever the agent wrote into its transcript.
#[test]
fn what_hookrail_blocked_is_known_from_its_own_log() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "rule", "name": "no-push", "when": { "command": "git push" }, "block": "no" }] }] } }));
    let line = |id: &str, session: &str, call: Value| {
        json!({ "type": "decision", "timestamp": "2026-01-01T00:00:00.000Z", "sessionId": session, "callId": id, "event": "BeforeTool",
            "agent": "claude", "project": project.dir(), "tool": "run_shell_command", "summary": call, "decision": "block" })
    };
    let log = crate::program::log_path(&project);
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    let lines = [line("toolu_1", "x", json!("other")), line("h2", "s1", json!("git push two"))];
    fs::write(&log, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let call = |id: &str, command: &str| {
        [
            json!({ "type": "assistant", "sessionId": "s1", "message": { "content": [
                { "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } }] } }),
            json!({ "type": "user", "sessionId": "s1", "message": { "content": [
                { "type": "tool_result", "tool_use_id": id, "is_error": true, "content": "no" }] } }),
        ]
        .map(|line| format!("{line}\n"))
        .concat()
    };
    let transcript =
        [call("toolu_1", "git push one"), call("toolu_2", "git push two"), call("toolu_3", "git push three")];
    project.file("claude.jsonl", transcript.concat());
    let ran = run(&project, &["replay", "claude.jsonl", "--format", "json"]);
    let report = ran.json();
    assert_eq!((&report["calls"], &report["block"]), (&json!(3), &json!(3)), "{ran}");
    let different: Vec<&str> = report["different"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["input"]["command"].as_str().unwrap())
        .collect();
    assert_eq!(different, ["git push three"], "the others were blocked then: {ran}");
}

/// A pipe that nobody writes to is empty.
#[test]
fn a_pipe_without_a_writer_is_not_waited_for() {
    let project = TestProject::new();
    let pipe = project.dir().join("pipe.jsonl");
    make_pipe(&pipe);
    let ran = run(&project, &["replay", "pipe.jsonl"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stderr.contains("is not a transcript that hookrail can read"), "{ran}");
}
