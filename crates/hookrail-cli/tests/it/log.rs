//! `hookrail log`: logs that are torn, rotated, cut off and growing.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use hookrail_testkit::{TestProject, wait_until};
use serde_json::{Value, json};

use crate::agent_scenario::{Scenario, answer, shell, write};
use crate::program::{hookrail, log_path, run};
use crate::pty::Terminal;

/// Generous: the machine may be busy.
const LIMIT: Duration = Duration::from_mins(1);

/// A line as the engine writes it.
fn call(event: &str, name: &str, milliseconds: u64, output: &serde_json::Value) -> String {
    let line = json!({
        "type": "hook_call", "event": event, "name": name, "command": format!("./{name}.sh"), "output": output,
        "exitCode": 0, "signal": null, "stdout": "", "stderr": "", "durationMs": milliseconds, "success": true,
        "error": null, "timestamp": format!("2026-01-01T00:00:00.{milliseconds:03}Z"), "sessionId": "s",
    });
    format!("{line}\n")
}

/// A log with everything that can be in one.
fn sample() -> String {
    let failed = json!({
        "type": "hook_call", "event": "BeforeTool", "name": "guard", "command": "./guard.sh", "output": null,
        "exitCode": null, "signal": null, "durationMs": 500, "success": false, "error": "timed out\u{1b}[2J",
        "timestamp": "2026-01-01T00:00:00.500Z", "sessionId": "s", "input": { "tool_name": "x" }, "future": [1],
    });
    [
        call("BeforeTool", "guard", 10, &json!(null)),
        r#"{"type":"session_start","timestamp":"t","sessionId":"s"}"#.to_owned() + "\n",
        "not a line\n\n".to_owned(),
        call("BeforeTool", "guard", 20, &json!({ "decision": "deny", "reason": "no\nway" })),
        call("AfterTool", "format", 30, &json!({ "decision": "block", "systemMessage": "formatted" })),
        r#"{"type":"hook_call","event":"Befo"#.to_owned(),
        call("AfterTool", "format", 40, &json!({ "continue": false, "stopReason": "enough" })),
        call("BeforeTool", "guard", 50, &json!({ "decision": "block", "continue": false })),
        format!("{failed}\n"),
        r#"{"type":"hook_batch","event":"BeforeTool","hookCount":1}"#.to_owned() + "\n",
        r#"{"type":"hook_call","event":"BeforeTool","na"#.to_owned(),
    ]
    .concat()
}

#[test]
fn shows_calls_with_filters() {
    let project = TestProject::new();
    project.file("session.jsonl", sample());
    let mut all = String::new();
    for filters in [
        &[][..],
        &["--event", "AfterTool"],
        &["--hook", "guard"],
        &["--hook", "./format.sh"],
        &["--outcome", "allow"],
        &["--outcome", "block"],
        &["--outcome", "stop"],
        &["--outcome", "failure"],
        &["--event", "AfterTool", "--outcome", "failure"],
        &["--stats"],
        &["--stats", "--event", "AfterTool", "--format", "json"],
        &["--outcome", "failure", "--format", "json"],
    ] {
        let args = [&["log", "session.jsonl"], filters].concat();
        let ran = run(&project, &args);
        assert_eq!(ran.code, Some(0), "{ran}");
        all = all + &ran.to_string() + "\n";
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!("log", all); });
}

#[test]
fn reads_the_engines_own_log_with_those_moved_aside() {
    let project = TestProject::new();
    let log = log_path(&project);
    let empty = run(&project, &["log"]);
    assert_eq!((empty.code, &*empty.stdout, &*empty.stderr), (Some(0), "", "nothing was decided\n"));
    assert_eq!(run(&project, &["log", "--stats", "--format", "json"]).json(), json!([]));
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    for (suffix, name) in [(".3", "c"), (".2", "d"), (".1", "e"), ("", "f")] {
        fs::write(format!("{}{suffix}", log.display()), call("BeforeTool", name, 1, &json!(null))).unwrap();
    }
    let ran = run(&project, &["log", "--format", "json"]);
    let names: Vec<_> =
        ran.stdout.lines().filter_map(|line| line.split(r#""name":""#).nth(1)?.chars().next()).collect();
    assert_eq!(names, ['c', 'd', 'e', 'f'], "the oldest first: {ran}");
}

#[test]
fn a_log_that_cannot_be_read_is_an_error() {
    let project = TestProject::new();
    project.file("good.jsonl", sample());
    for args in
        [&["log", "good.jsonl", "missing.jsonl"][..], &["log", "."], &["log", "--follow", "missing.jsonl"]]
    {
        let ran = run(&project, args);
        assert_eq!((ran.code, &*ran.stdout), (Some(1), ""), "{ran}");
        assert!(ran.stderr.starts_with("error: cannot read `"), "{ran}");
    }
    let ran = run(&project, &["log", "--follow", "--stats"]);
    assert_eq!(ran.code, Some(64), "{ran}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let project = TestProject::new();
    project.file("session.jsonl", call("BeforeTool", "guard", 1, &json!(null)).repeat(20_000));
    let mut child = hookrail(&project, &["log", "session.jsonl"]).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// How far a process has read a file that it has open, as Linux shows it.
fn position_in(pid: u32, file: &Path) -> Option<u64> {
    let wanted = fs::metadata(file).ok()?.ino();
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten();
    let descriptor = descriptors.map(|entry| entry.path()).find(|descriptor| {
        fs::metadata(descriptor).is_ok_and(|open| open.is_file() && open.ino() == wanted)
    })?;
    let number = descriptor.file_name()?.to_str()?;
    let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{number}")).ok()?;
    info.lines().find_map(|line| line.strip_prefix("pos:"))?.trim().parse().ok()
}

#[test]
fn follows_a_log_through_rotation_and_truncation() {
    let project = TestProject::new();
    let log = log_path(&project);
    let mut child = hookrail(&project, &["log", "--follow", "--calls", "--hook", "wanted"]).spawn().unwrap();
    let (sender, lines) = mpsc::channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || stdout.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line))));
    let wanted = |milliseconds| call("BeforeTool", "wanted", milliseconds, &json!(null));
    let append = |text: &str| {
        let mut file = fs::File::options().create(true).append(true).open(&log).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    let expect = |milliseconds: u64| {
        let line = lines.recv_timeout(LIMIT).expect("a line");
        assert!(line.contains(&format!(" {milliseconds} ms")), "{milliseconds} expected: {line}");
    };
    // The log comes into being, with a line torn in two.
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    let line = wanted(101);
    append(&line[..40]);
    let is_read = || !cfg!(target_os = "linux") || position_in(child.id(), &log) == Some(40);
    wait_until(LIMIT, "the half line to be read", is_read);
    append(&line[40..]);
    expect(101);
    append(&(call("BeforeTool", "other", 102, &json!(null)) + &wanted(103)));
    expect(103);
    // It is moved aside right after another line.
    append(&wanted(104));
    fs::rename(&log, log.with_extension("jsonl.1")).unwrap();
    append(&(wanted(105) + &"{\"type\":\"note\"}\n".repeat(5)));
    expect(104);
    expect(105);
    // It is cut off: what is there afterwards is shorter than what was read.
    fs::write(&log, wanted(106)).unwrap();
    expect(106);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The ids that `log` prints, with the tools of their calls.
fn ids(project: &TestProject, args: &[&str]) -> Vec<(String, String)> {
    let ran = run(project, &[&["log"], args].concat());
    let id = |line: &str| line.split("  ").nth(1).unwrap_or_default().to_owned();
    let tool =
        |line: &str| line.split(" for ").nth(1).unwrap_or_default().split(':').next().unwrap().to_owned();
    ran.stdout.lines().map(|line| (id(line), tool(line))).collect()
}

fn saved(project: &TestProject) -> Value {
    serde_json::from_str(&project.read(".hookrail/tests/logged.json")).unwrap()
}

#[test]
fn a_logged_call_becomes_a_test() {
    let scenario = Scenario::new()
        .calls(&[shell("git push -f"), write("a.txt", "hello")])
        .says("Done.")
        .hook_with(
            "BeforeTool",
            "grep -q 'push -f' && { echo 'for people' >&2; exit 2; }; exit 0",
            json!({ "matcher": "run_shell_command" }),
        )
        .hook_with(
            "BeforeTool",
            answer(&json!({ "hookSpecificOutput": { "tool_input": { "content": "changed" } } })),
            json!({ "matcher": "write_file" }),
        );
    // The session's log is where the agent puts it by itself.
    let command = scenario.command();
    let own: Vec<_> = command.get_args().skip(3).map(ToOwned::to_owned).collect();
    let mut plain = std::process::Command::new(command.get_program());
    plain.arg("agent").args(own).args(["-p", "go"]).current_dir(scenario.project.dir());
    plain
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdin(std::process::Stdio::null());
    let output = plain.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let project = &scenario.project;

    let known = ids(project, &["--calls"]);
    let id_of = |tool: &str| known.iter().find(|(_, of)| of == tool).unwrap().0.clone();
    for tool in ["run_shell_command", "write_file"] {
        let ran = run(project, &["log", "--save-test", &id_of(tool)]);
        assert_eq!((ran.code, &*ran.stdout), (Some(0), ""), "{ran}");
        assert!(ran.stderr.contains("in .hookrail/tests/logged.json"), "{ran}");
    }
    assert_eq!(
        saved(project),
        json!([
            { "name": format!("run_shell_command, logged {}", id_of("run_shell_command")), "event": "BeforeTool",
              "tool": "run_shell_command", "input": { "command": "git push -f" },
              "expect": { "decision": "block", "reason": "for people", "ran": ["BeforeTool-1"] } },
            { "name": format!("write_file, logged {}", id_of("write_file")), "event": "BeforeTool",
              "tool": "write_file", "input": { "file_path": "a.txt", "content": "hello" },
              "expect": { "decision": "allow", "ran": ["BeforeTool-2"], "input": { "content": "changed" } } },
        ])
    );
    let ran = run(project, &["test"]);
    assert!(ran.code == Some(0) && ran.stdout.ends_with("2 passed, 0 failed\n"), "{ran}");
    let again = run(project, &["log", "--save-test", &id_of("write_file")]);
    assert!(again.code == Some(1) && again.stderr.contains("it has a test named"), "{again}");

    // A session log prints the same ids, and is enough by itself.
    let sessions = project.home().join(".hookrail/sessions");
    let session = fs::read_dir(&sessions).unwrap().next().unwrap().unwrap().path();
    let moved = project.dir().join("session.jsonl");
    fs::rename(&session, &moved).unwrap();
    let mut here: Vec<String> = ids(project, &["session.jsonl"]).into_iter().map(|(id, _)| id).collect();
    let mut there: Vec<String> = known.iter().map(|(id, _)| id.clone()).collect();
    here.sort();
    there.sort();
    assert_eq!(here, there);
    fs::remove_file(project.dir().join(".hookrail/tests/logged.json")).unwrap();
    let gone = run(project, &["log", "--save-test", &id_of("write_file")]);
    assert!(gone.code == Some(1) && gone.stderr.contains("the log of its session is not there"), "{gone}");
    assert!(gone.stderr.contains("hint: "), "{gone}");
    let ran = run(project, &["log", "session.jsonl", "--save-test", &id_of("write_file")]);
    assert_eq!((ran.code, saved(project).as_array().unwrap().len()), (Some(0), 1), "{ran}");
}

#[test]
fn a_call_that_cannot_be_repeated_is_reported() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "rule", "name": "no", "when": {}, "block": "no" }] }] } }));
    let ran = run(&project, &["fire", "BeforeTool", "--tool", "write_file"]);
    assert_eq!(ran.code, Some(2), "{ran}");
    let known = ids(&project, &["--calls"]);
    let ran = run(&project, &["log", "--save-test", &known[0].0]);
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""), "{ran}");
    assert!(ran.stderr.contains("cannot be repeated: the log of its session is not there"), "{ran}");
    assert!(ran.stderr.contains("`hookrail replay --save-tests FILE`"), "{ran}");

    let ran = run(&project, &["log", "--save-test", "0123456789abcdef"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stderr.contains("there is no call `0123456789abcdef` in the log"), "{ran}");
    for args in [
        &["log", "--save-test", "../etc"][..],
        &["log", "--save-test", "abc"],
        &["log", "--stats", "--save-test", "abcdef"],
    ] {
        let ran = run(&project, args);
        assert_eq!(ran.code, Some(64), "{ran}");
    }
}

#[test]
fn hooks_in_a_chain_are_one_event_and_an_ambiguous_id_is_refused() {
    let project = TestProject::new();
    let line = |name: &str, content: &str, output: &Value| {
        let input = json!({ "session_id": "s", "transcript_path": "", "cwd": project.dir(), "timestamp": "2026-01-01T00:00:00.000Z",
            "hook_event_name": "BeforeTool", "tool_name": "write_file", "tool_input": { "file_path": "a", "content": content } });
        let line = json!({ "type": "hook_call", "event": "BeforeTool", "name": name, "command": "x", "input": input,
            "output": output, "exitCode": 0, "durationMs": 1, "success": true, "error": null,
            "timestamp": "2026-01-01T00:00:00.005Z", "sessionId": "s" });
        format!("{line}\n")
    };
    let changed = json!({ "hookSpecificOutput": { "tool_input": { "content": "two" } } });
    let log = line("first", "one", &changed)
        + &line("second", "two", &json!({ "decision": "deny", "reason": "no two" }));
    project.file("chain.jsonl", log);
    let known = ids(&project, &["chain.jsonl"]);
    assert_ne!(known[0].0, known[1].0);
    // Whichever of its hooks is named, it is the event from its beginning.
    for (id, _) in &known {
        let ran = run(&project, &["log", "chain.jsonl", "--save-test", id]);
        assert_eq!(ran.code, Some(0), "{ran}");
    }
    for test in saved(&project).as_array().unwrap() {
        assert_eq!(test["input"], json!({ "file_path": "a", "content": "one" }), "{test}");
        assert_eq!(
            test["expect"],
            json!({ "decision": "block", "reason": "no two", "ran": ["first", "second"], "input": { "content": "two" } })
        );
    }
}

/// A decision line, without what differs from run to run.
fn decisions(project: &TestProject) -> Vec<Value> {
    let log = fs::read_to_string(log_path(project)).unwrap();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == "decision").collect()
}

#[test]
fn every_decision_is_one_line_with_what_it_was_about() {
    let project = TestProject::new();
    let rule = |name: &str, when: Value, then: Value| {
        let mut rule = json!({ "type": "rule", "name": name, "when": when });
        rule.as_object_mut().unwrap().extend(then.as_object().unwrap().clone());
        rule
    };
    let settings = |log: &str| {
        json!({ "enableHooks": true, "hooksConfig": { "log": log }, "hooks": { "BeforeTool": [{ "hooks": [
            rule("no-push", json!({ "command": "git push" }), json!({ "block": "ask a person; AKIAABCDEFGHIJKLMNOP" })),
            rule("ask-rm", json!({ "command": "rm" }), json!({ "ask": "sure?" })),
            rule("enough", json!({ "command": "halt" }), json!({ "then": { "continue": false, "stopReason": "enough" } })),
            rule("safer", json!({ "command": "cp" }),
                 json!({ "then": { "hookSpecificOutput": { "tool_input": { "command": "cp -n AKIAABCDEFGHIJKLMNOP" } } } })),
            { "type": "command", "name": "broken", "command": "exit 1", "when": { "command": "false" } },
            { "type": "command", "name": "strict", "command": "exit 1", "onFailure": "block", "when": { "command": "true" } },
        ] }] } })
    };
    project.user_settings(&settings("summary"));
    let fire = |command: &str| {
        let input = json!({ "command": command }).to_string();
        run(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &input])
    };
    let source = |decision: &Value| {
        decision["source"].as_str().is_some_and(|source| source.contains("settings.json:"))
    };
    for (command, decision, hook, cause) in [
        ("git push AKIAABCDEFGHIJKLMNOP", "block", json!("no-push"), json!("policy")),
        ("rm x", "ask", json!("ask-rm"), json!(null)),
        ("halt", "stop", json!("enough"), json!(null)),
        ("cp a b", "changed", json!("safer"), json!(null)),
        ("false", "failed", json!("broken"), json!(null)),
        ("true", "block", json!("strict"), json!("failure")),
        ("ls", "allow", json!(null), json!(null)),
    ] {
        fire(command);
        let line = decisions(&project).pop().unwrap();
        assert_eq!(
            json!([
                line["decision"],
                line["hook"],
                line["blockCause"],
                line["event"],
                line["agent"],
                line["tool"]
            ]),
            json!([decision, hook, cause, "BeforeTool", "hookrail", "run_shell_command"]),
            "{command}: {line}"
        );
        assert_eq!(line["summary"], command.replace("AKIAABCDEFGHIJKLMNOP", "[secret]"), "{line}");
        assert_eq!(line["project"], json!(project.dir().canonicalize().unwrap()), "{line}");
        assert_eq!(source(&line), !hook.is_null(), "{line}");
        assert!(
            line["durationMs"].is_u64() && line["sessionId"].is_string() && line["timestamp"].is_string()
        );
        assert!(!line.to_string().contains("AKIAABCDEFGHIJKLMNOP"), "{line}");
        if decision == "changed" {
            assert_eq!(line["changes"], json!({ "command": { "old": "cp a b", "new": "cp -n [secret]" } }));
        }
    }
    fire(&"x".repeat(1000));
    let line = decisions(&project).pop().unwrap();
    assert_eq!(line["summary"].as_str().unwrap().chars().count(), 300, "{line}");
    project.user_settings(&settings("none"));
    fire("git push");
    let line = decisions(&project).pop().unwrap();
    assert_eq!(
        (&line["decision"], line.get("summary"), line.get("changes")),
        (&json!("block"), None, None),
        "{line}"
    );

    // The same lines, filtered and for people.
    let all = run(&project, &["log"]);
    assert_eq!(all.stdout.lines().count(), 9, "{all}");
    for (filter, count) in [
        (&["--decision", "block"][..], 3),
        (&["--decision", "ask"], 1),
        (&["--agent", "hookrail"], 9),
        (&["--agent", "claude"], 0),
        (&["--hook", "ask-rm"], 1),
        (&["--tool", "write_file"], 0),
        (&["-n", "2"], 2),
    ] {
        let ran = run(&project, &[&["log"], filter].concat());
        assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), count), "{filter:?}: {ran}");
    }
    let ask = run(&project, &["log", "--decision", "ask"]);
    for word in ["hookrail", "run_shell_command", "rm x", "ask", "ask-rm"] {
        assert!(ask.stdout.contains(word), "{ask}");
    }
    let stats = run(&project, &["log", "--stats", "--format", "json", "--hook", "ask-rm"]).json();
    assert_eq!((&stats[0]["asks"], &stats[0]["blocks"]), (&json!(1), &json!(0)), "{stats}");
    // Lines fit into the terminal, whatever its width.
    for columns in [60, 80, 120, 200] {
        let output = hookrail(&project, &["log"]).env("COLUMNS", columns.to_string()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= columns), "{columns}: {text}");
        assert!(text.contains("ask-rm"), "{columns}: {text}");
    }
}

#[test]
fn other_programs_write_decisions_too() {
    let scenario = Scenario::new().calls(&[shell("git push")]).says("Done.").hook_with(
        "BeforeTool",
        "echo no >&2; exit 2",
        json!({ "matcher": "run_shell_command" }),
    );
    let over = scenario.run("go");
    let lines = decisions(&over.project);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(
        (&lines[0]["decision"], &lines[0]["summary"]),
        (&json!("block"), &json!("git push")),
        "{lines:?}"
    );

    let project = &over.project;
    let payload = json!({ "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": project.dir(), "tool_name": "Bash",
        "tool_input": { "command": "ls -l" }, "tool_use_id": "toolu_1" });
    project.file("payload.json", payload.to_string());
    let mut bridge = hookrail(project, &["bridge", "claude"]);
    bridge.stdin(fs::File::open(project.dir().join("payload.json")).unwrap());
    bridge.output().unwrap();
    let line = decisions(project).pop().unwrap();
    assert_eq!(
        json!([line["agent"], line["sessionId"], line["callId"], line["decision"], line["summary"]]),
        json!(["claude", "s1", "toolu_1", "block", "ls -l"]),
        "{line}"
    );
}

#[test]
fn on_a_terminal_a_pager_shows_it() {
    let project = TestProject::new();
    let rule = json!({ "type": "rule", "name": "no-rm", "when": { "command": "rm" }, "block": "no" });
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [rule] }] } }));
    run(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", r#"{"command":"rm x"}"#]);
    let pager = project.script("pager.sh", "echo PAGER \"$1\"; cat; echo END");
    let shown = |variables: &[(&str, &str)], args: &[&str]| {
        let mut environment: Vec<(&str, OsString)> = vec![
            ("PATH", std::env::var_os("PATH").unwrap()),
            ("HOME", project.home().into()),
            ("HOOKRAIL_HOME", project.home().into()),
            ("HOOKRAIL_SYSTEM_SETTINGS", project.system_settings_path().into()),
        ];
        environment.extend(variables.iter().map(|(name, value)| (*name, OsString::from(value))));
        let args: Vec<OsString> =
            std::iter::once("log").chain(args.iter().copied()).map(OsString::from).collect();
        Terminal::start(&args, &project.dir(), &environment, None).end()
    };
    let pager = format!("{} given", pager.display());
    let variables = [("TERM", "xterm"), ("PAGER", pager.as_str())];
    let (code, text) = shown(&variables, &[]);
    assert!(code == Some(0) && text.contains("PAGER given\r\n") && text.contains("END"), "{text}");
    assert!(text.contains("\u{1b}[31mblock"), "with colours: {text}");
    let (_, plain) = shown(&[("TERM", "xterm"), ("PAGER", pager.as_str()), ("NO_COLOR", "1")], &[]);
    assert!(plain.contains("PAGER") && !plain.contains('\u{1b}'), "{plain}");
    for (variables, args) in [
        (&variables[..], &["--no-pager"][..]),
        (&variables, &["--format", "json"]),
        (&[("TERM", "dumb"), ("PAGER", pager.as_str())], &[]),
        (&[("TERM", "xterm"), ("PAGER", "")], &[]),
        (&[("TERM", "xterm"), ("PAGER", "no-such-pager")], &[]),
    ] {
        let (code, text) = shown(variables, args);
        assert!(code == Some(0) && text.contains("rm x") && !text.contains("PAGER"), "{variables:?}: {text}");
    }
    // A pager that is left early is not an error.
    assert_eq!(shown(&[("TERM", "xterm"), ("PAGER", "true")], &[]).0, Some(0));
}

#[test]
fn every_form_fits_into_the_terminal() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["@standard"] } }));
    for line in [
        "npm publish --access public --tag a-long-tag-for-this-release --otp 123456",
        "cat .env",
        "日本語 ".repeat(40).as_str(),
    ] {
        let input = json!({ "command": line }).to_string();
        run(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &input]);
    }
    for columns in [60, 80, 200] {
        for args in
            [&["log"][..], &["log", "--ids"], &["log", "--calls"], &["log", "--stats"], &["log", "-n", "3"]]
        {
            let output = hookrail(&project, args).env("COLUMNS", columns.to_string()).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.contains("no-secre") && text.contains("ask-befo"), "{columns} {args:?}: {text}");
            for line in text.lines() {
                let wide = line.chars().filter(|c| !c.is_ascii()).count();
                let shown = line.chars().count() + wide - line.matches('…').count();
                assert!(shown <= columns, "{columns} {args:?}: {line}");
            }
        }
    }
    let stats = run(&project, &["log", "--stats"]).stdout;
    let asks = stats.lines().find(|line| line.ends_with("ask-before-publish")).unwrap();
    assert_eq!(
        asks.split_whitespace().take(4).collect::<Vec<_>>(),
        ["1", "0", "1", "0"],
        "runs, blocks, asks, failures"
    );
}
