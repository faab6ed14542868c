//! `run_shell_command`, with real processes.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hookrail::ToolResult;
use hookrail_agent::tools::ToolTable;
use hookrail_testkit::{TestProject, process, process_is_alive, wait_until};
use serde_json::json;

use super::{brief, call, context, object};

const SOON: Duration = Duration::from_secs(20);
/// Of commands that run out of it. Enough for them to begin on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(2);

async fn run(project: &TestProject, command: &str) -> ToolResult {
    call(project, "run_shell_command", json!({"command": command})).await
}

/// Waits for a process id in a file.
fn pid_in(path: &Path) -> u32 {
    let read = || fs::read_to_string(path).ok()?.trim().parse().ok();
    wait_until(SOON, "a process id", || read().is_some());
    read().unwrap()
}

fn wait_for_end(pid: u32) {
    wait_until(SOON, "the end of a process", || !process_is_alive(pid));
}

#[tokio::test]
async fn a_command_gives_output_and_exit() {
    let project = TestProject::new();
    project.file("sub/file", "");
    for (args, expected) in [
        (
            json!({"command": "echo out; echo err >&2; exit 3"}),
            "Command: echo out; echo err >&2; exit 3\nDirectory: .\nStdout: out\nStderr: err\nExit Code: 3",
        ),
        (
            json!({"command": "ls", "directory": "sub"}),
            "Command: ls\nDirectory: sub\nStdout: file\nStderr: (empty)\nExit Code: 0",
        ),
        (
            json!({"command": "cat; echo $?", "directory": null}),
            "Command: cat; echo $?\nDirectory: .\nStdout: 0\nStderr: (empty)\nExit Code: 0",
        ),
        (
            json!({"command": "kill -9 $$"}),
            "Command: kill -9 $$\nDirectory: .\nStdout: (empty)\nStderr: (empty)\nExit Code: (none)\nSignal: 9",
        ),
        (
            json!({"command": "printf '\\xff\\0x'"}),
            "Command: printf '\\xff\\0x'\nDirectory: .\nStdout: \u{fffd}\0x\nStderr: (empty)\nExit Code: 0",
        ),
        (json!({"command": "ls", "directory": "sub/file"}), "path_is_not_a_directory"),
        (json!({"command": "ls", "directory": "missing"}), "file_not_found"),
    ] {
        assert_eq!(brief(&call(&project, "run_shell_command", args.clone()).await), expected, "{args}");
    }
    let failed = run(&project, "printf '\\033[31mred'; exit 1").await;
    assert_eq!(
        failed.return_display, "\\u{1b}[31mred\nexit code 1",
        "nothing is left that a terminal acts on"
    );
    assert_eq!(failed.error, None, "a command that ran is a result, whatever its exit code");
    let metadata = failed.metadata.unwrap();
    assert_eq!((&metadata["exit_code"], &metadata["stdout_bytes"]), (&json!(1), &json!(8)));
    assert_eq!(run(&project, "true").await.return_display, "(no output)");
}

#[tokio::test]
async fn a_flood_is_drained_and_kept_at_both_ends() {
    let project = TestProject::new();
    let result = run(&project, "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last").await;
    let text = result.llm_content.to_text();
    assert!(text.len() < 32_000, "{} bytes", text.len());
    assert!(text.contains("Stdout: first\nxxx") && text.contains("xxx\nlast\nStderr"), "both ends are there");
    assert!(text.contains(" bytes left out …]") && text.ends_with("Exit Code: 0"), "the cut is marked");
    assert_eq!(result.metadata.unwrap()["stdout_bytes"], json!(50_000_012));
}

#[tokio::test]
async fn a_command_out_of_time_is_killed_with_its_group() {
    let project = TestProject::new();
    let table = ToolTable::with_shell_timeout(TIMEOUT);
    for (name, command) in [
        ("polite", "echo begun; sleep 300 & echo $! > pid; wait"),
        (
            "deaf",
            "echo begun; (trap '' TERM; echo $BASHPID > pid; while :; do sleep 1; done) & trap '' TERM; wait; wait",
        ),
        ("closed", "echo begun; echo $$ > pid; trap '' TERM; exec >&- 2>&-; while :; do sleep 1; done"),
        ("stopped", "echo begun; echo $$ > pid; kill -STOP $$"),
    ] {
        let _ = fs::remove_file(project.dir().join("pid"));
        let start = Instant::now();
        let tool = table.get("run_shell_command").unwrap();
        let result = tool.run(object(json!({"command": command})), &context(project.dir())).await;
        assert!(start.elapsed() < SOON, "{name} took {:?}", start.elapsed());
        let error = result.error.expect("an error");
        assert_eq!(error.kind.as_deref(), Some("shell_timeout"), "{name}");
        assert_eq!(error.message, "the command was stopped after 2s", "{name}");
        let text = result.llm_content.to_text();
        assert!(text.contains("Stdout: begun\n"), "what was written before is kept: {text}");
        assert!(text.contains("Error: the command was stopped after 2s"), "{text}");
        wait_for_end(pid_in(&project.dir().join("pid")));
    }
}

#[tokio::test]
async fn a_command_may_clean_up_before_it_is_killed() {
    let project = TestProject::new();
    let table = ToolTable::with_shell_timeout(TIMEOUT);
    let command = "trap 'echo cleaned; exit 5' TERM; echo begun; while :; do sleep 0.05; done";
    let tool = table.get("run_shell_command").unwrap();
    let result = tool.run(object(json!({"command": command})), &context(project.dir())).await;
    let text = result.llm_content.to_text();
    assert!(text.contains("Stdout: begun\ncleaned\n") && text.ends_with("Exit Code: 5"), "{text}");
}

#[tokio::test]
async fn background_processes_delay_nothing() {
    let project = TestProject::new();
    let start = Instant::now();
    let result = run(&project, "sleep 300 & echo $! > in-group; echo done").await;
    assert!(start.elapsed() < SOON, "the open pipe is not waited for");
    assert!(brief(&result).ends_with("Stdout: done\nStderr: (empty)\nExit Code: 0"), "{}", brief(&result));
    wait_for_end(pid_in(&project.dir().join("in-group")));

    let command = "setsid sh -c 'echo $$ > outside; exec sleep 300' >/dev/null 2>&1 & \
                   until test -s outside; do sleep 0.01; done";
    let result = run(&project, command).await;
    assert!(brief(&result).ends_with("Exit Code: 0"));
    let outside = pid_in(&project.dir().join("outside"));
    assert!(process_is_alive(outside), "a process that left the group stays");
    let _ = std::process::Command::new("kill").arg("-9").arg(outside.to_string()).status();

    // One that left the group and holds the pipe is not waited for.
    let start = Instant::now();
    let command =
        "setsid sh -c 'echo $$ > holder; exec sleep 300' & until test -s holder; do sleep 0.01; done";
    run(&project, command).await;
    assert!(start.elapsed() < SOON);
    let holder = pid_in(&project.dir().join("holder"));
    let _ = std::process::Command::new("kill").arg("-9").arg(holder.to_string()).status();
}

#[tokio::test]
async fn dropping_the_call_kills_the_group() {
    let project = TestProject::new();
    let pids = ["shell", "child"].map(|name| project.dir().join(name));
    let call = tokio::spawn({
        let dir = project.dir();
        async move {
            let command = "trap '' TERM; echo $$ > shell; sleep 300 & echo $! > child; wait";
            let table = ToolTable::standard();
            let tool = table.get("run_shell_command").unwrap();
            tool.run(object(json!({"command": command})), &context(dir)).await
        }
    });
    let pids = tokio::task::spawn_blocking(move || pids.map(|path| pid_in(&path))).await.unwrap();
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    for pid in pids {
        wait_for_end(pid);
        wait_until(SOON, "the reaping of a process", || {
            process::all().iter().all(|process| process.pid != pid)
        });
    }
}

#[tokio::test]
async fn cancelling_ends_the_command_and_is_reported() {
    let project = TestProject::new();
    let context = context(project.dir());
    let cancel = context.cancel.clone();
    let path = project.dir().join("pid");
    let canceller = std::thread::spawn(move || {
        let pid = pid_in(&path);
        cancel.cancel();
        pid
    });
    let table = ToolTable::standard();
    let tool = table.get("run_shell_command").unwrap();
    let result = tool.run(object(json!({"command": "echo begun; echo $$ > pid; sleep 300"})), &context).await;
    assert_eq!(result.error.as_ref().and_then(|error| error.kind.as_deref()), Some("cancelled"));
    assert!(result.llm_content.to_text().contains("Stdout: begun\n"));
    wait_for_end(canceller.join().unwrap());
}
