//! Ctrl-C, and being killed.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hookrail_testkit::{process_is_alive, wait_until};
use serde_json::json;

use crate::agent_scenario::{Run, Scenario, shell};

const LONG: Duration = Duration::from_secs(20);

fn start(scenario: &Scenario) -> Child {
    let mut command = scenario.command();
    command.args(["-p", "go"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Waits until a process has written its id, and gives it.
fn pid_in(file: &Path) -> u32 {
    let read = || std::fs::read_to_string(file).ok()?.trim().parse().ok();
    wait_until(LONG, "a process id", || read().is_some());
    read().unwrap()
}

fn interrupt(scenario: Scenario, pid_file: &str) -> (Run, u32) {
    let child = start(&scenario);
    let pid = pid_in(&scenario.project.dir().join(pid_file));
    send("-INT", &child);
    let began = Instant::now();
    let run = scenario.over(&child.wait_with_output().unwrap());
    assert!(began.elapsed() < LONG);
    (run, pid)
}

/// A tool is killed, its call is logged as cancelled, later calls do not start, and the session ends.
#[test]
fn ctrl_c_ends_a_tool() {
    let scenario = Scenario::new()
        .calls(&[shell("echo $$ >pid; sleep 100"), shell("touch never")])
        .says("never")
        .hook("AfterTool", "true")
        .hook("SessionEnd", "true");
    let (run, pid) = interrupt(scenario, "pid");
    run.expect(130, "");
    assert!(!process_is_alive(pid), "the tool lives on");
    assert_eq!(run.tools(), ["run_shell_command cancelled", "run_shell_command cancelled"]);
    assert!(!run.project.dir().join("never").exists());
    assert_eq!(run.events(), ["SessionEnd"]);
    assert_eq!(run.log.last().unwrap()["type"], "session_end");
}

/// A hook is killed, whatever event it belongs to; the tool it guards does not run.
#[test]
fn ctrl_c_ends_a_hook() {
    for event in ["BeforeTool", "AfterTool", "BeforeModel", "SessionStart", "BeforeAgent", "AfterAgent"] {
        let hang = "echo $$ >\"$LLXPRT_PROJECT_DIR/pid\"; sleep 100";
        let mut scenario = Scenario::new().hook(event, hang).hook("SessionEnd", "true");
        if event.ends_with("Tool") {
            scenario = scenario.calls(&[shell("true")]);
        }
        let (run, pid) = interrupt(scenario.says("Done."), "pid");
        run.expect(130, "");
        wait_until(LONG, "the end of the hook", || !process_is_alive(pid));
        match event {
            "BeforeTool" => assert_eq!(run.tools(), ["run_shell_command cancelled"]),
            "AfterTool" => assert_eq!(run.tools(), ["run_shell_command success"], "it did run"),
            _ => {}
        }
        assert_eq!(run.events(), ["SessionEnd"], "{event}");
    }
}

/// HOOK-207: no `AfterModel` for a call that was given up.
#[test]
fn ctrl_c_during_a_model_call_fires_no_after_model() {
    use hookrail_testkit::model_server::{Server, Step, chunk, chunked_head};
    let text = json!({ "candidates": [{ "content": { "parts": [{ "text": "Once upon" }] } }] });
    let server = Server::start(vec![vec![chunked_head(), chunk(format!("data: {text}\n\n")), Step::Hang]]);
    let scenario = Scenario::new()
        .hook("BeforeModel", "echo $$ >\"$LLXPRT_PROJECT_DIR/pid\"")
        .hook("AfterModel", "true")
        .args(&["--base-url", &server.url()])
        .env("GEMINI_API_KEY", "key");
    let child = start(&scenario);
    wait_until(LONG, "the request", || !server.received().is_empty());
    send("-INT", &child);
    let run = scenario.over(&child.wait_with_output().unwrap());
    run.expect(130, "");
    assert_eq!(run.events(), ["BeforeModel"], "HOOK-207");
}

/// `SessionEnd` hooks get a few seconds after Ctrl-C, and a second Ctrl-C ends them at once.
#[test]
fn a_second_ctrl_c_kills_at_once() {
    let scenario = Scenario::new()
        .calls(&[shell("echo $$ >pid; sleep 100")])
        .hook("SessionEnd", "echo $$ >\"$LLXPRT_PROJECT_DIR/end-pid\"; sleep 100");
    let child = start(&scenario);
    pid_in(&scenario.project.dir().join("pid"));
    send("-INT", &child);
    let hook = pid_in(&scenario.project.dir().join("end-pid"));
    send("-INT", &child);
    let run = scenario.over(&child.wait_with_output().unwrap());
    run.expect(130, "");
    // Had the hook been waited for, its grace would have been over first: that is printed, and the session's end is logged.
    assert!(!run.stderr.contains("SessionEnd hooks took too long"), "{}", run.shown());
    assert_ne!(run.log.last().unwrap()["type"], "session_end", "{}", run.shown());
    wait_until(LONG, "the end of the hook", || !process_is_alive(hook));
}

/// The second Ctrl-C also kills hooks that ran out of time earlier and ignore `SIGTERM`.
#[test]
fn a_second_ctrl_c_kills_stubborn_hooks() {
    let stubborn = "trap '' TERM; echo $$ >\"$LLXPRT_PROJECT_DIR/hook-pid\"; while :; do sleep 1; done";
    let scenario = Scenario::new().calls(&[shell("echo $$ >pid; sleep 100")]).hook_with(
        "BeforeTool",
        stubborn,
        // Enough time to set the trap on a busy machine.
        json!({ "timeout": 3000 }),
    );
    let child = start(&scenario);
    let hook = pid_in(&scenario.project.dir().join("hook-pid"));
    pid_in(&scenario.project.dir().join("pid"));
    send("-INT", &child);
    let log = scenario.log_path();
    wait_until(LONG, "the end of the session", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("session_end"))
    });
    assert!(process_is_alive(hook), "the hook has time to clean up");
    send("-INT", &child);
    scenario.over(&child.wait_with_output().unwrap()).expect(130, "");
    assert!(!process_is_alive(hook));
}

/// After Ctrl-C the last hooks get a few seconds; then they are killed, and the log still ends properly.
#[test]
fn session_end_hooks_cannot_hold_up_an_interrupted_run() {
    let scenario = Scenario::new()
        .calls(&[shell("echo $$ >pid; sleep 100")])
        .hook("SessionEnd", "echo $$ >\"$LLXPRT_PROJECT_DIR/end-pid\"; sleep 100");
    let (run, _) = interrupt(scenario, "pid");
    run.expect(130, "");
    run.expect_printed("took too long");
    let hook = pid_in(&run.project.dir().join("end-pid"));
    wait_until(LONG, "the end of the hook", || !process_is_alive(hook));
    assert_eq!(run.log.last().unwrap()["type"], "session_end");
}

/// A request to terminate has the same effect as Ctrl-C: no tool is left running.
#[test]
fn termination_ends_tools_too() {
    let scenario = Scenario::new().calls(&[shell("echo $$ >pid; sleep 100")]);
    let child = start(&scenario);
    let tool = pid_in(&scenario.project.dir().join("pid"));
    send("-TERM", &child);
    scenario.over(&child.wait_with_output().unwrap()).expect(130, "");
    assert!(!process_is_alive(tool));
}

/// A process that is killed leaves a log whose lines can be read.
#[test]
fn a_killed_agent_leaves_a_readable_log() {
    let scenario = Scenario::new()
        .calls(&[("list_directory", json!({ "path": "." }))])
        .calls(&[shell("echo $$ >pid; exec sleep 100")])
        .hook("BeforeTool", "true");
    let mut child = start(&scenario);
    let tool = pid_in(&scenario.project.dir().join("pid"));
    child.kill().unwrap();
    let run = scenario.over(&child.wait_with_output().unwrap());
    assert_eq!(run.tools(), ["list_directory success"]);
    assert_eq!(run.lines("model_request").len(), 2, "everything up to the kill is there");
    assert!(Command::new("kill").arg(tool.to_string()).status().unwrap().success());
}

/// The end of the terminal and Ctrl-\ end the hooks as well.
#[test]
fn hang_up_and_quit_leave_no_hook_behind() {
    for signal in ["-HUP", "-QUIT"] {
        let hang = "echo $$ >\"$LLXPRT_PROJECT_DIR/pid\"; exec sleep 600";
        let scenario = Scenario::new().hook("BeforeTool", hang).calls(&[shell("touch never")]).says("Done.");
        let child = start(&scenario);
        let pid = pid_in(&scenario.project.dir().join("pid"));
        send(signal, &child);
        let run = scenario.over(&child.wait_with_output().unwrap());
        run.expect(130, "");
        assert!(!process_is_alive(pid), "{signal}: the hook lives on");
        assert!(!run.project.dir().join("never").exists(), "{signal}");
    }
}
