//! The keeper: real bridge calls, a real keeper, real workers.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::bridge::{bridge, with_hooks};
use crate::program::{Ran, log_path};
use crate::support::Run;

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
        let folder = tempfile::tempdir().expect("a folder").keep();
        fs::write(folder.join("worker.py"), script).expect("writes");
        let command = format!("/usr/bin/python3 {}/worker.py", folder.display());
        Self(with_hooks(&json!({ "BeforeTool": [{ "hooks": [
            { "type": "command", "command": command, "worker": true, "onFailure": "block" },
        ] }] })))
    }

    fn call(&self) -> Ran {
        bridge(&self.0, "claude", "PreToolUse-Bash", &json!({}))
    }

    fn reason(&self) -> String {
        let ran = self.call();
        let reason = ran.json()["hookSpecificOutput"]["permissionDecisionReason"].clone();
        reason.as_str().unwrap_or_default().to_owned()
    }

    fn sockets(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.home().join(".hookrail/run")).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "sock"))
            .collect()
    }

    fn status(&self) -> String {
        let home = self.0.home();
        Run::new(&self.0, &["keeper", "--home", home.to_str().expect("plain")]).stdout
    }

    fn keeper_id(&self) -> i32 {
        let status = self.status();
        let mut words = status.split_whitespace().skip_while(|word| *word != "process").skip(1);
        words.next().and_then(|word| word.parse().ok()).expect("a keeper runs")
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let home = self.0.home();
        let _ = Run::new(&self.0, &["keeper", "stop", "--home", home.to_str().unwrap_or_default()]);
    }
}

#[test]
fn one_worker_answers_many_calls_and_ends_with_the_keeper() {
    let kept = Kept::new(WORKER);
    let first = kept.reason();
    assert!(first.starts_with("worker "), "{first}");
    assert_eq!([kept.reason(), kept.reason()], [first.clone(), first.clone()]);
    assert!(kept.status().contains("1 workers, 3 events answered"), "{}", kept.status());
    let home = kept.0.home();
    let stopped = Run::new(&kept.0, &["keeper", "stop", "--home", home.to_str().unwrap()]);
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
        let id = rustix::process::Pid::from_raw(kept.keeper_id()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
        assert!(kept.reason().starts_with("worker "), "a stale socket");
    }
}

#[test]
fn many_calls_at_once_have_one_keeper_and_all_are_answered() {
    let kept = Kept::new(WORKER);
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..20).map(|_| scope.spawn(|| kept.reason())).collect();
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
    let own = kept.0.dir().join(".llxprt/settings.json");
    let theirs = kept.0.home().join(".llxprt/settings.json");
    for line in 1..12 {
        for question in [question("project", own.clone(), line), question("user", theirs.clone(), line)] {
            let said = ask(&sockets[0], &question);
            assert!(said.contains("unavailable") && !said.contains("\"answer\""), "{said}");
        }
    }
    assert!(!made.exists());
    assert!(kept.reason().starts_with("worker "), "it lives on");
}
