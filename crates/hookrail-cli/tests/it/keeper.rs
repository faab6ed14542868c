//! The keeper: real bridge calls, a real keeper, real workers.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hookrail_testkit::hostile_workers::{HOSTILE_WORKERS, Outcome};
use hookrail_testkit::{TestProject, process, wait_until};
use serde_json::{Value, json};

use crate::bridge::{bridge, payload, settings};
use crate::program::{Ran, hookrail, log_path};

const LONG: Duration = Duration::from_mins(1);

const WORKER: &str = r#"
import json, os, sys
for line in sys.stdin:
    question = json.loads(line)
    output = {"decision": "block", "reason": "worker %d" % os.getpid()}
    print(json.dumps({"id": question["id"], "output": output}), flush=True)
"#;

/// A project whose user has a worker; the keeper ends with it.
struct Kept(TestProject);

impl Kept {
    fn new(script: &str) -> Self {
        Self::with_worker(script, &json!(true))
    }

    fn with_worker(script: &str, worker: &Value) -> Self {
        let kept = Self(TestProject::new());
        fs::write(kept.0.home().join("worker.py"), script).expect("writes");
        kept.configure(&[json!({ "command": kept.command(), "worker": worker })]);
        kept
    }

    /// The command of its worker.
    fn command(&self) -> String {
        format!("/usr/bin/python3 {}/worker.py", self.0.home().display())
    }

    /// Gives the user these hooks, which block where they fail.
    fn configure(&self, hooks: &[Value]) {
        let mut hooks = hooks.to_vec();
        for hook in &mut hooks {
            hook["type"] = json!("command");
            hook["onFailure"] = json!("block");
        }
        self.0.user_settings(&settings(&json!({ "BeforeTool": [{ "hooks": hooks }] })));
    }

    fn call(&self) -> Ran {
        bridge(&self.0, "claude", "PreToolUse-Bash", &json!({}))
    }

    fn reason(&self) -> String {
        reason_of(&self.call().stdout)
    }

    /// What the log says about calls that the keeper did not answer.
    fn alone(&self) -> Vec<String> {
        let log = fs::read_to_string(log_path(&self.0)).unwrap_or_default();
        log.lines().filter(|line| line.contains("for this event alone")).map(str::to_owned).collect()
    }

    fn sockets(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.home().join(".hookrail/run")).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "sock"))
            .collect()
    }

    fn status(&self) -> String {
        Ran::new(&self.0, &["keeper"]).stdout
    }

    fn stop(&self) -> Ran {
        let home = self.0.home();
        Ran::new(&self.0, &["keeper", "stop", "--home", home.to_str().unwrap_or_default()])
    }

    fn keeper_ids(&self) -> Vec<i32> {
        let status = self.status();
        let ids = status.lines().filter_map(|line| line.split("process ").nth(1)?.split(' ').next());
        ids.filter_map(|id| id.parse().ok()).collect()
    }

    /// The processes that run its worker.
    fn workers(&self) -> Vec<i32> {
        self.processes("worker.py")
    }

    /// The processes that run a script of the home, as the system lists them.
    fn processes(&self, script: &str) -> Vec<i32> {
        let script = self.0.home().join(script).display().to_string();
        process::with_argument(&script)
            .into_iter()
            .map(|process| i32::try_from(process.pid).unwrap())
            .collect()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Why an answer to Claude Code refuses.
fn reason_of(stdout: &str) -> String {
    let answer: Value = serde_json::from_str(stdout).unwrap_or_default();
    let denied = &answer["hookSpecificOutput"];
    assert_eq!(denied["permissionDecision"], "deny", "the call passed: {stdout:?}");
    denied["permissionDecisionReason"].as_str().unwrap_or_default().to_owned()
}

fn kill(process: i32) {
    let process = rustix::process::Pid::from_raw(process).expect("not 0");
    let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
}

#[test]
fn one_worker_answers_many_calls_and_ends_with_the_keeper() {
    let kept = Kept::new(WORKER);
    let first = kept.reason();
    assert!(first.starts_with("worker "), "{first}");
    assert_eq!([kept.reason(), kept.reason()], [first.clone(), first.clone()]);
    assert!(kept.status().contains("1 worker, 3 events answered"), "{}", kept.status());
    let stopped = kept.stop();
    assert_eq!((stopped.code, stopped.stdout.as_str()), (Some(0), "stopped\n"));
    assert_eq!(kept.sockets(), Vec::<PathBuf>::new());
    assert_eq!(kept.status(), "no keeper is running\n");
    assert_ne!(kept.reason(), first, "another keeper with another worker");
}

#[test]
fn a_killed_keeper_costs_no_verdict_and_its_socket_is_replaced() {
    let kept = Kept::new(WORKER);
    for _ in 0..5 {
        assert!(kept.reason().starts_with("worker "));
        kept.keeper_ids().into_iter().for_each(kill);
        assert!(kept.reason().starts_with("worker "), "a stale socket");
    }
}

#[test]
fn many_calls_at_once_have_one_keeper_and_all_are_answered() {
    let kept = Kept::new(WORKER);
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..50).map(|_| scope.spawn(|| kept.reason())).collect();
        for call in calls {
            let reason = call.join().unwrap();
            assert!(reason.starts_with("worker "), "{reason}");
        }
    });
    assert_eq!(kept.sockets().len(), 1);
}

#[test]
fn without_a_keeper_the_hook_runs_and_the_log_says_so() {
    let kept = Kept::new(WORKER);
    fs::create_dir_all(kept.0.home().join(".hookrail")).unwrap();
    fs::write(kept.0.home().join(".hookrail/run"), "not a folder").unwrap();
    let first = kept.reason();
    assert!(first.starts_with("worker ") && kept.reason() != first);
    let log = fs::read_to_string(log_path(&kept.0)).unwrap();
    assert!(log.contains("a worker was started for this event alone: the keeper cannot be started"), "{log}");
}

/// Sends a question as a process would that wants something run.
fn ask(socket: &PathBuf, question: &Value) -> String {
    let head = json!({ "ask": question }).to_string();
    let body = "{}";
    let mut stream = UnixStream::connect(socket).unwrap();
    for length in [head.len(), body.len()] {
        stream.write_all(&u32::try_from(length).unwrap().to_be_bytes()).unwrap();
    }
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut said = Vec::new();
    stream.read_to_end(&mut said).unwrap();
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn a_forged_question_starts_nothing() {
    let kept = Kept::new(WORKER);
    kept.reason();
    let made = kept.0.dir().join("made");
    kept.0.settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "command": format!("touch {}", made.display()), "worker": true }] }] } }));
    let sockets = kept.sockets();
    let question = |level: &str, file: PathBuf, line: u32| {
        json!({ "level": level, "file": file, "line": line, "digest": "00", "project": kept.0.dir(),
            "timeout_ms": 1000, "left_ms": 1000, "variable_bytes": 0, "command": format!("touch {}", made.display()) })
    };
    let (own, theirs) = (kept.0.settings_path(), kept.0.user_settings_path());
    assert!(own.is_file() && theirs.is_file());
    for line in 1..30 {
        for question in [question("project", own.clone(), line), question("user", theirs.clone(), line)] {
            let said = ask(&sockets[0], &question);
            assert!(said.contains("unavailable") && !said.contains("\"answer\""), "{said}");
        }
    }
    assert!(!made.exists());
    assert!(kept.reason().starts_with("worker "), "it lives on");
}

#[test]
fn a_busy_worker_is_waited_for() {
    const SLOW: &str = r#"
import json, os, sys, time
for line in sys.stdin:
    time.sleep(0.1)
    output = {"decision": "block", "reason": "worker %d" % os.getpid()}
    print(json.dumps({"id": json.loads(line)["id"], "output": output}), flush=True)
"#;
    let kept = Kept::new(SLOW);
    let first = kept.reason();
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..4).map(|_| scope.spawn(|| kept.reason())).collect();
        for call in calls {
            assert_eq!(call.join().unwrap(), first, "{:?}", kept.alone());
        }
    });
    assert_eq!(kept.alone(), Vec::<String>::new());
}

#[test]
fn forks_of_a_kept_worker_answer() {
    const HOOK: &str = r#"
import json, os, sys
json.load(sys.stdin)
print(json.dumps({"decision": "block", "reason": "fork of %d" % os.getppid()}))
"#;
    let kept = Kept::with_worker(HOOK, &json!("fork"));
    let first = kept.reason();
    assert!(first.starts_with("fork of "), "{first}");
    assert_eq!([kept.reason(), kept.reason()], [first.clone(), first]);
    assert!(kept.status().contains("1 worker, 3 events answered"), "{} {:?}", kept.status(), kept.alone());
}

/// Calls while keepers, workers and bridges are killed. `HOOKRAIL_TORTURE` says how many.
#[test]
fn whatever_is_killed_no_call_passes_and_nothing_is_left() {
    let calls: usize =
        std::env::var("HOOKRAIL_TORTURE").ok().and_then(|count| count.parse().ok()).unwrap_or(120);
    let kept = Kept::new(WORKER);
    let is_over = AtomicBool::new(false);
    let stdin = payload(&kept.0, "claude", "PreToolUse-Bash", &json!({}));
    let call = |number: usize| {
        let args = ["bridge", "claude", "PreToolUse"];
        let mut child = hookrail(&kept.0, &args).stdin(Stdio::piped()).spawn().expect("starts");
        let sent = child.stdin.take().expect("a pipe").write_all(stdin.as_bytes());
        if number % 5 == 4 {
            std::thread::sleep(Duration::from_millis(number as u64 % 40));
            let _ = child.kill();
        } else {
            sent.expect("the bridge reads");
        }
        let output = child.wait_with_output().expect("ends");
        let stdout = String::from_utf8_lossy(&output.stdout);
        // One that was killed has said nothing, or everything.
        if !(number % 5 == 4 && stdout.is_empty()) {
            reason_of(&stdout);
        }
    };
    std::thread::scope(|scope| {
        let killer = scope.spawn(|| {
            let mut round = 0;
            while !is_over.load(Ordering::Relaxed) {
                round += 1;
                let victims = if round % 3 == 0 { kept.keeper_ids() } else { kept.workers() };
                victims.into_iter().for_each(kill);
                std::thread::sleep(Duration::from_millis(7 * (round % 9)));
            }
        });
        let callers: Vec<_> =
            (0..3).map(|caller| scope.spawn(move || (caller..calls).step_by(3).for_each(call))).collect();
        let outcomes: Vec<_> = callers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Ordering::Relaxed);
        killer.join().unwrap();
        assert!(outcomes.iter().all(Result::is_ok), "a call passed");
    });
    assert!(kept.reason().starts_with("worker "), "it works as before");
    kept.stop();
    wait_until(LONG, "a worker is left", || kept.workers().is_empty());
}

#[test]
fn hostile_workers_block_through_the_keeper_and_harm_no_other() {
    let kept = Kept::new(WORKER);
    let mut neighbours = Vec::new();
    for row in HOSTILE_WORKERS {
        let path = row.install(&kept.0.home());
        // Those that nothing but the deadline ends get a short one.
        let timeout = if row.first == Outcome::TimedOut { 300 } else { 20_000 };
        let hook = |command: &str, timeout: u32| json!([{ "type": "command", "command": command, "worker": true, "timeout": timeout, "onFailure": "block" }]);
        kept.0.user_settings(&settings(&json!({ "BeforeTool": [
            { "matcher": "write_file", "hooks": hook(&path.display().to_string(), timeout) },
            { "matcher": "run_shell_command", "hooks": hook(&kept.command(), 20_000) },
        ] })));
        let write = json!({ "tool_name": "Write", "tool_input": { "file_path": "a.txt", "content": "a" } });
        let hostile = reason_of(&bridge(&kept.0, "claude", "PreToolUse-Bash", &write).stdout);
        assert!(!hostile.is_empty() && !hostile.starts_with("worker "), "{}: {hostile}", row.name);
        neighbours.push(kept.reason());
        if row.name == "leaves_its_group.py" {
            // No signal to its group reaches it, with a worker or without.
            kept.processes(row.name).into_iter().for_each(kill);
        }
    }
    neighbours.dedup();
    assert_eq!((neighbours.len(), kept.keeper_ids().len()), (1, 1), "{neighbours:?} {:?}", kept.alone());
}

#[test]
fn whatever_answers_in_place_of_the_keeper_costs_no_verdict() {
    let kept = Kept::new(WORKER);
    kept.reason();
    let socket = kept.sockets().remove(0);
    kept.stop();
    let frame = |head: &str, body: &str| {
        let lengths = [head.len(), body.len()].map(|length| u32::try_from(length).unwrap().to_be_bytes());
        [lengths.concat(), head.into(), body.into()].concat()
    };
    let hello = frame("\"hello\"", "");
    let begun = [hello.clone(), frame("\"begun\"", "")].concat();
    let huge = [begun.clone(), vec![0, 0, 0, 2, 255, 255, 255, 255]].concat();
    let allow = frame(
        r#"{"answer":{"exit":{"code":0},"stdout_bytes":90,"stdout_truncated":false,"duration_us":1}}"#,
        "cut off",
    );
    for (what, says) in [
        ("nothing", Vec::new()),
        ("something else", b"HTTP/1.1 200 OK\r\n\r\n".to_vec()),
        ("a greeting", hello.clone()),
        ("a beginning", begun.clone()),
        ("a length", huge),
        ("an answer out of turn", [hello, allow.clone()].concat()),
        ("half of an answer", [begun, allow[..allow.len() - 3].to_vec()].concat()),
    ] {
        let listener = UnixListener::bind(&socket).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.write_all(&says);
                let _ = stream.shutdown(std::net::Shutdown::Write);
                let _ = stream.read_to_end(&mut Vec::new());
            });
            assert!(kept.reason().starts_with("worker "), "{what}");
        });
        drop(listener);
        fs::remove_file(&socket).unwrap();
    }
    assert_eq!(kept.alone().len(), 7, "{:?}", kept.alone());
}

#[test]
fn two_programs_have_two_keepers_and_a_replaced_one_ends() {
    let kept = Kept::new(WORKER);
    let first = kept.reason();
    let other = kept.0.home().join("other-version");
    fs::copy(env!("CARGO_BIN_EXE_hookrail"), &other).unwrap();
    let stdin = payload(&kept.0, "claude", "PreToolUse-Bash", &json!({}));
    let by_other = || {
        let mut command = Command::new(&other);
        command.args(["bridge", "--home"]).arg(kept.0.home()).arg("--system");
        command.arg(kept.0.system_settings_path()).args(["claude", "PreToolUse"]).current_dir(kept.0.dir());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        reason_of(&String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout))
    };
    let second = by_other();
    assert_ne!(first, second);
    assert_eq!([by_other(), kept.reason()], [second, first]);
    assert_eq!((kept.sockets().len(), kept.keeper_ids().len()), (2, 2));
    fs::remove_file(&other).unwrap();
    wait_until(LONG, "the keeper of a removed program ends", || kept.sockets().len() == 1);
    assert_eq!(kept.stop().stdout, "stopped\n");
    wait_until(LONG, "a worker is left", || kept.workers().is_empty());
}

#[test]
fn nobody_else_can_ask() {
    let kept = Kept::new(WORKER);
    kept.reason();
    let socket = kept.sockets().remove(0);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(socket.parent().unwrap()), 0o700);
    if !rustix::process::geteuid().is_root() {
        return; // Only root can be somebody else.
    }
    // A way to the socket that the folder does not close.
    let open = tempfile::tempdir_in("/tmp").unwrap();
    for path in [open.path(), &socket] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let link = open.path().join("socket");
    fs::hard_link(&socket, &link).unwrap();
    let script = "import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(99))";
    let asked = |setuid: &str| {
        let script = script.replace("os.setuid(65534);", setuid);
        let output = Command::new("/usr/bin/python3").args(["-c", &script]).arg(&link).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(asked("").contains("hello"));
    assert_eq!(asked("os.setuid(65534);"), "b''\n");
}

/// Workers of a policy are kept like others, those of the next version too.
#[test]
fn a_policys_workers_are_kept_and_replaced_with_it() {
    let kept = Kept::new(WORKER);
    kept.0.user_settings(&json!({}));
    let keys = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
    kept.0.system_settings(&json!({ "policy": { "keys": [keys.pk.to_base64()], "audience": "a" } }));
    let worker = format!("worker.py={}/worker.py", kept.0.home().display());
    let source = json!({ "hooks": { "BeforeTool": [{ "hooks": [{ "type": "command", "worker": true, "onFailure": "block",
        "command": "/usr/bin/python3 \"$HOOKRAIL_POLICY_DIR/worker.py\"" }] }] } });
    let source = kept.0.file("source.json", source.to_string()).display().to_string();
    let document = kept.0.home().join("policy.json").display().to_string();
    let mut reasons = Vec::new();
    for version in ["1", "2"] {
        let args =
            ["policy", "make", &source, "--version", version, "--audience", "a", "--expires", "2199-12-31"];
        let made = Ran::new(&kept.0, &[&args[..], &["--file", &worker, "-o", &document]].concat());
        assert_eq!(made.code, Some(0), "{}", made.shown());
        let content = std::io::Cursor::new(fs::read(&document).unwrap());
        let signature = minisign::sign(Some(&keys.pk), &keys.sk, content, None, None).unwrap();
        fs::write(format!("{document}.minisig"), signature.into_string()).unwrap();
        assert_eq!(Ran::new(&kept.0, &["policy", "pull", &document]).code, Some(0));
        reasons.extend([kept.reason(), kept.reason()]);
    }
    assert_eq!(kept.alone(), Vec::<String>::new());
    assert!(reasons[0] == reasons[1] && reasons[1] != reasons[2] && reasons[2] == reasons[3], "{reasons:?}");
}

/// The user's state is on a disk without room: no socket, no log, and every verdict nevertheless.
#[cfg(target_os = "linux")] // It needs a mount.
#[test]
fn a_full_disk_costs_no_verdict() {
    let kept = Kept::new(WORKER);
    let state = kept.0.home().join(".hookrail");
    // The settings stay; the state is what the disk has no room for.
    fs::create_dir_all(kept.0.home().join(".llxprt")).unwrap();
    fs::rename(kept.0.user_settings_path(), kept.0.home().join(".llxprt/settings.json")).unwrap();
    let call = payload(&kept.0, "claude", "PreToolUse-Bash", &json!({}));
    kept.0.file("call.json", call);
    // One page of 4 KiB is the smallest such disk. The keeper that may start there ends with the namespace's last process.
    let script = r#"
        mount -t tmpfs -o size=4k,nr_inodes=NODES,mode=700 tmpfs "$1" || exit 99
        head -c 8192 /dev/zero > "$1/full" 2> /dev/null
        shift
        for call in 1 2 3; do "$@" < call.json; done
        "$1" keeper stop --home "$4" --system "$6" > /dev/null 2>&1 || true
    "#;
    let home = kept.0.home().display().to_string();
    let system = kept.0.system_settings_path().display().to_string();
    for nodes in ["2", "50"] {
        let output = Command::new("unshare")
            .args(["--mount", "sh", "-c", &script.replace("NODES", nodes), "sh"])
            .arg(&state)
            .args([env!("CARGO_BIN_EXE_hookrail"), "bridge", "--home", &home, "--system", &system])
            .args(["claude", "PreToolUse"])
            .current_dir(kept.0.dir())
            .output();
        let Some(output) = output.ok().filter(|output| !matches!(output.status.code(), Some(1 | 99))) else {
            return crate::program::left_out(
                "the test of a full disk is left out: no tmpfs can be mounted here",
            );
        };
        let shown = String::from_utf8_lossy(&output.stdout);
        let answers: Vec<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(answers.len(), 3, "{nodes}: {output:?}");
        for answer in answers {
            let reason = reason_of(answer);
            assert!(reason.starts_with("worker "), "{reason}");
        }
    }
}
