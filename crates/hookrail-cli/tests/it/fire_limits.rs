//! `hookrail fire` under pressure: late looks, huge answers, lost output, signals.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use hookrail_testkit::{TestProject, make_pipe, process_is_alive, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::program::{hookrail, log_path, run};

const LONG: Duration = Duration::from_mins(1);

/// A project whose user has these hooks for `BeforeTool`.
fn user_hooks(hooks: &Value) -> TestProject {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": hooks }] } }));
    project
}

/// A file of almost 16 MiB that is valid JSON: many small items in a list or an object.
pub(crate) fn huge_answer(
    project: &TestProject,
    name: &str,
    open: &str,
    item: impl Fn(usize) -> String,
    close: &str,
) {
    let mut text = format!("{{\"decision\":\"allow\",\"x\":{open}");
    for n in 0.. {
        let item = item(n);
        if text.len() + item.len() + 8 > 16 * 1024 * 1024 {
            break;
        }
        text.push_str(if n == 0 { "" } else { "," });
        text.push_str(&item);
    }
    project.file(name, format!("{text}{close}}}"));
}

/// The most memory that a process has held, in bytes, as long as it runs.
pub(crate) fn peak_memory(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Waits for a process and returns how much memory it held at most.
pub(crate) fn peak_until_end(child: &mut Child) -> u64 {
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(peak_memory(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}

/// Ctrl-Z before the hook ends, `fg` after its deadline.
#[test]
fn a_hook_that_blocked_while_the_program_was_stopped_counts() {
    let timeout = Duration::from_secs(4);
    let project = user_hooks(&json!([{
        "type": "command", "name": "guard", "timeout": timeout.as_millis(),
        "command": "echo $$ > pid.tmp; mv pid.tmp pid; until [ -e go ]; do sleep 0.01; done; echo no >&2; exit 2",
    }]));
    let child = hookrail(&project, &["fire", "BeforeTool", "--format", "json"]).spawn().unwrap();
    wait_until(LONG, "the hook's start", || project.dir().join("pid").exists());
    let us = Pid::from_child(&child);
    kill_process(us, Signal::STOP).unwrap();
    project.file("go", "");
    let hook: u32 = project.read("pid").trim().parse().unwrap();
    wait_until(LONG, "the hook's end", || !process_is_alive(hook));
    std::thread::sleep(timeout);
    kill_process(us, Signal::CONT).unwrap();
    let output = child.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &report["reason"]), (Some(2), &json!("no")), "R14: {report}");
}

#[test]
fn answers_that_are_small_as_text_and_huge_as_a_tree_are_failures_in_bounded_memory() {
    let project = TestProject::new();
    huge_answer(&project, "numbers.json", "[", |_| "0".to_owned(), "]");
    huge_answer(&project, "keys.json", "{", |n| format!("\"k{n:07}\":[]"), "}");
    for file in ["numbers.json", "keys.json"] {
        let hooks: Vec<Value> = (0..8)
            .map(|n| json!({ "type": "command", "command": format!("cat {file}; true {n}"), "timeout": 30_000, "onFailure": "block" }))
            .collect();
        project
            .user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": hooks }] } }));
        let begin = Instant::now();
        let mut command = hookrail(&project, &["fire", "BeforeTool"]);
        let text = fs::File::create(project.dir().join("result")).unwrap();
        let mut child = command.stdout(text).stderr(Stdio::null()).spawn().unwrap();
        let peak = peak_until_end(&mut child);
        assert_eq!(child.wait().unwrap().code(), Some(2), "R15: {file}");
        assert!(begin.elapsed() < Duration::from_secs(30), "R15: {file}: {:?}", begin.elapsed());
        let result = project.read("result");
        let failed = |line: &&str| line.starts_with("  failed, ") && line.contains("more values");
        assert_eq!(result.lines().filter(failed).count(), 8, "R15: {file}: {result}");
        assert!(peak < 700_000_000, "R15: {file}: {peak} bytes");
    }
}

#[test]
fn sixteen_mebibytes_of_nothing_are_printed_in_time() {
    let timeout = Duration::from_secs(30);
    let command = "head -c 16777216 /dev/zero";
    let project =
        user_hooks(&json!([{ "type": "command", "command": command, "timeout": timeout.as_millis() }]));
    let begin = Instant::now();
    let out = fs::File::create(project.dir().join("result")).unwrap();
    let mut child =
        hookrail(&project, &["fire", "BeforeTool", "--format", "json"]).stdout(out).spawn().unwrap();
    let peak = peak_until_end(&mut child);
    assert!(begin.elapsed() < timeout + Duration::from_secs(1), "{:?}", begin.elapsed());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let report: Value = serde_json::from_slice(&fs::read(project.dir().join("result")).unwrap()).unwrap();
    assert_eq!(report["hooks"][0]["stdout"].as_str().map(str::len), Some(16 * 1024 * 1024));
    assert!(peak < 300_000_000, "{peak} bytes");
}

#[cfg(target_os = "linux")] // It needs a full disk.
#[test]
fn the_verdict_holds_although_its_text_cannot_be_written() {
    for (command, args, code) in [
        ("exit 2", &[][..], 2),
        (r#"echo '{"continue":false}'"#, &[], 3),
        ("true", &[], 0),
        ("exit 1", &["--fail-on-error"], 1),
    ] {
        let project = user_hooks(&json!([{ "type": "command", "command": command }]));
        for format in ["text", "json"] {
            let full = fs::File::options().write(true).open("/dev/full").unwrap();
            let mut fire = hookrail(&project, &["fire", "BeforeTool", "--format", format]);
            let output = fire.args(args).stdout(full).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{command} {format}: {stderr}");
            assert!(
                stderr.contains("cannot write the result: No space left"),
                "{command} {format}: {stderr}"
            );
        }
    }
}

#[test]
fn failures_decide_the_exit_code_if_that_is_asked_for() {
    let failing = json!({ "type": "command", "command": "exit 1" });
    for (requirement, hooks, plain, strict) in [
        ("HOOK-068", json!([failing]), 0, 1),
        ("HOOK-066", json!([failing, { "type": "command", "command": "exit 2" }]), 2, 2),
        (
            "HOOK-058",
            json!([failing, { "type": "command", "command": r#"echo '{"continue":false}'"# }]),
            3,
            3,
        ),
        ("HOOK-063", json!([{ "type": "command", "command": "true" }]), 0, 0),
        ("R3", json!([{ "type": "command", "command": "sleep 60", "timeout": 50 }]), 0, 1),
    ] {
        let project = user_hooks(&hooks);
        let ran = run(&project, &["fire", "BeforeTool"]);
        assert_eq!(ran.code, Some(plain), "{requirement}: {ran}");
        let ran = run(&project, &["fire", "BeforeTool", "--fail-on-error"]);
        assert_eq!(ran.code, Some(strict), "{requirement}: {ran}");
    }
}

#[test]
fn no_signal_that_ends_the_program_leaves_a_hook_behind() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let command = "echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 600";
        let project = user_hooks(&json!([{ "type": "command", "command": command }]));
        let mut child = hookrail(&project, &["fire", "BeforeTool"]).spawn().unwrap();
        wait_until(LONG, "the hook's start", || project.dir().join("pid").exists());
        let hook: u32 = project.read("pid").trim().parse().unwrap();
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal:?}");
        assert!(!process_is_alive(hook), "{signal:?}: the hook is gone when the program is");
    }
}

#[test]
fn a_pipe_in_place_of_the_log_delays_nothing() {
    let project = user_hooks(&json!([{ "type": "command", "command": "true", "name": "it" }]));
    let log = log_path(&project);
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    make_pipe(&log);
    for (args, code) in [
        (&["fire", "BeforeTool"][..], 0),
        (&["list"], 0),
        (&["log"], 0),
        (&["log", "--stats"], 0),
        (&["log", "--follow"], 1),
        (&["log", log.to_str().unwrap()], 0),
    ] {
        let ran = run(&project, args);
        assert_eq!(ran.code, Some(code), "{ran}");
    }
}

#[test]
fn numbers_are_taken_from_the_end_of_a_huge_log() {
    let project = user_hooks(&json!([{ "type": "command", "command": "true", "name": "it" }]));
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(0));
    let log = log_path(&project);
    let call = fs::read_to_string(&log).unwrap().lines().next().unwrap().to_owned() + "\n";
    let old = call.replace("\"it\"", "\"old\"");
    let padding = format!("{{\"type\":\"note\",\"text\":\"{}\"}}\n", "x".repeat(1_000_000));
    fs::write(&log, old + &padding.repeat(45) + &call).unwrap();
    for args in [&["log", "--stats"][..], &["list"]] {
        let ran = run(&project, args);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert!(ran.stderr.contains("note: only the last 40 MB of the log were read"), "{ran}");
        assert!(!ran.stdout.contains("old"), "{ran}");
    }
    let stats = run(&project, &["log", "--stats", "--format", "json"]).json();
    assert_eq!((&stats[0]["name"], &stats[0]["runs"]), (&json!("it"), &json!(1)), "{stats}");
}
