//! Python scripts in forks: what is the same as in a process, and what becomes of those that do not end.

use std::time::Duration;

use hookrail::components::WorkerMode;
use hookrail::components::{ForkObstacle, fork_obstacle, inherited_environment};
use hookrail::components::{HookFailure, WorkerFailure};
use hookrail_testkit::wait_until;
use serde_json::{Value, json};

use crate::kit::{LONG, SHORT, Stage, hook, python, worker_failure};

/// Tells about itself.
const TELLS: &str = r#"
import json, os, sys
event = json.load(sys.stdin)
print(json.dumps({"pid": os.getpid(), "parent": os.getppid(), "group": os.getpgid(0), "argv": sys.argv, "n": event["n"],
                  "worker": os.environ.get("HOOKRAIL_WORKER"), "directory": os.getcwd(), "last": os.environ.get("_")}))
"#;

fn said(run: &hookrail::HookRun) -> Value {
    assert!(run.failure().is_none(), "{run:?}");
    serde_json::to_value(run.output.as_ref().expect("an output")).expect("JSON")
}

#[tokio::test]
async fn every_event_is_a_fork_of_one_interpreter() {
    let stage = Stage::new();
    stage.script("tells.py", TELLS);
    let command = format!("{} -u tells.py a b", python());
    let alone = said(&stage.run(&hook(&command, WorkerMode::Off, LONG), &json!({ "n": 0 })).await);
    let forked = hook(&command, WorkerMode::Fork, LONG);
    let (first, second) = (json!({ "n": 1 }), json!({ "n": 2 }));
    let runs = tokio::join!(stage.run(&forked, &first), stage.run(&forked, &second));
    let (one, other) = (said(&runs.0), said(&runs.1));
    assert_eq!((&one["n"], &other["n"]), (&json!(1), &json!(2)));
    assert_ne!(one["pid"], other["pid"]);
    assert_eq!(one["parent"], other["parent"], "the same interpreter");
    assert_eq!(one["pid"], one["group"], "a process group of its own");
    for key in ["argv", "worker", "directory", "last"] {
        assert_eq!(one[key], alone[key], "{key}");
    }
    assert_eq!(one["worker"], json!(null));
    let status = stage.status();
    assert_eq!((status.started, status.answered), (1, 2));
    stage.close().await;
}

#[tokio::test]
async fn a_changed_script_counts_from_the_next_event() {
    let stage = Stage::new();
    let forked = hook(format!("{} guard.py", python()), WorkerMode::Fork, LONG);
    for n in 0..3 {
        stage.script("guard.py", &format!("print('{{\"n\": {n}}}')"));
        assert_eq!(said(&stage.run(&forked, &json!({})).await)["n"], json!(n));
    }
    assert_eq!(stage.status().started, 1, "the interpreter is the same");
    stage.close().await;
}

#[tokio::test]
async fn a_deadline_ends_one_fork_only() {
    let stage = Stage::new();
    let script = "import json, os, signal, sys, time\n\
        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
        if json.load(sys.stdin).get('hang'):\n    os.fork()\n    time.sleep(3600)\n\
        print('{\"decision\": \"block\"}')\n";
    stage.script("hangs.py", script);
    // Both share the interpreter, whatever time each has.
    let with_timeout = |timeout| hook(format!("{} hangs.py", python()), WorkerMode::Fork, timeout);
    let (forked, hasty) = (with_timeout(LONG), with_timeout(SHORT));
    let (hung, quick) = (json!({ "hang": true }), json!({}));
    // The interpreter's start is not part of the short time.
    assert_eq!(said(&stage.run(&forked, &quick).await)["decision"], json!("block"));
    let (late, first) = tokio::join!(stage.run(&hasty, &hung), stage.run(&forked, &quick));
    assert!(matches!(late.failure(), Some(HookFailure::TimedOut(_))), "{late:?}");
    assert_eq!(said(&first)["decision"], json!("block"));
    assert_eq!(said(&stage.run(&forked, &quick).await)["decision"], json!("block"));
    wait_until(LONG, "the fork and its child end", || stage.processes().len() == 1);
    assert_eq!(stage.status().started, 1);
    stage.close().await;
}

#[tokio::test]
async fn a_fork_that_is_given_up_is_killed() {
    let stage = Stage::new();
    stage.script("hangs.py", "import time\ntime.sleep(3600)\n");
    let forked = hook(format!("{} hangs.py", python()), WorkerMode::Fork, LONG);
    for pause in [0, 1, 300] {
        let event = json!({});
        let run = stage.run(&forked, &event);
        // Before the interpreter runs, before the fork has told its number, and after.
        assert!(tokio::time::timeout(Duration::from_millis(pause), run).await.is_err());
        wait_until(LONG, "nothing but the loader is left", || stage.processes().len() <= 1);
    }
    stage.close().await;
}

#[tokio::test]
async fn the_end_of_the_interpreter_is_a_failure_of_those_that_ran() {
    let stage = Stage::new();
    let script = "import json, os, signal, sys, time\n\
        if json.load(sys.stdin).get('kill'):\n    os.kill(os.getppid(), signal.SIGKILL)\n    time.sleep(3600)\n\
        print('{\"decision\": \"block\"}')\n";
    stage.script("kills.py", script);
    let forked = hook(format!("{} kills.py", python()), WorkerMode::Fork, LONG);
    let run = stage.run(&forked, &json!({ "kill": true })).await;
    assert_eq!(worker_failure(&run), Some(&WorkerFailure::InterpreterEnded), "{run:?}");
    assert_eq!(
        said(&stage.run(&forked, &json!({})).await)["decision"],
        json!("block"),
        "the next starts another"
    );
    assert_eq!(stage.status().restarts, 1);
    stage.close().await;
}

#[tokio::test]
async fn what_cannot_be_forked_is_run_once_per_event() {
    let stage = Stage::new();
    let script = stage.script("old", "#!/bin/sh\n[ \"$1\" = -c ] && exit 3\nshift; exec sh \"$@\"\n");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("executable");
    let fake = stage.dir().join("python3");
    std::fs::rename(&script, &fake).expect("renamed");
    stage.script("block.sh", "echo no >&2; exit 2\n");
    // An interpreter that knows nothing of the loader; a shell; a command that is more than words.
    for command in [
        format!("{} -u block.sh", fake.display()),
        "bash block.sh".to_owned(),
        "bash block.sh; exit 2".to_owned(),
    ] {
        let forked = hook(&command, WorkerMode::Fork, LONG);
        for _ in 0..3 {
            let run = stage.run(&forked, &json!({})).await;
            assert_eq!(
                (run.exit(), run.stderr.trim()),
                (&hookrail::components::Exit::Code(2), "no"),
                "{command}: {run:?}"
            );
        }
    }
    let started: u64 = stage.runner.workers().status().iter().map(|status| status.started).sum();
    assert_eq!(started, 1, "what came to nothing once is not tried again");
    stage.close().await;
}

/// An interpreter that takes the loader and reports a process group that cannot be the fork's.
const LIES: &str = r#"
import socket, sys
if "-c" not in sys.argv:
    print('{"decision": "block"}')
    sys.exit()
control = socket.socket(fileno=0)
control.send(b"ready 0")
while True:
    words = control.recv(256).decode().split()
    if not words:
        sys.exit()
    if words[0] == "run":
        control.send(f"pid {words[1]} -5".encode())
"#;

#[tokio::test]
async fn a_process_group_that_cannot_be_is_not_signalled() {
    let stage = Stage::new();
    let fake = stage.script("python3", &format!("#!{}\n{LIES}", python()));
    std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("executable");
    stage.script("guard.py", "");
    let forked = hook(format!("{} guard.py", fake.display()), WorkerMode::Fork, LONG);
    let run = stage.run(&forked, &json!({})).await;
    assert_eq!(said(&run)["decision"], json!("block"), "it runs in a process of its own");
    assert!(
        matches!(stage.status().last_failure, Some(WorkerFailure::NoFork { .. })),
        "{:?}",
        stage.status()
    );
    stage.close().await;
}

#[test]
fn obstacles_have_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.py"), "pass").expect("written");
    let obstacle = |command: &str, worker| {
        fork_obstacle(&hook(command, worker, LONG), inherited_environment(), folder.path())
    };
    let python = python();
    assert_eq!(obstacle(&format!("{python} a.py"), WorkerMode::Fork), None);
    assert_eq!(obstacle("node a.js", WorkerMode::Off), None);
    let options = obstacle(&format!("{python} -O a.py"), WorkerMode::Fork);
    assert!(matches!(&options, Some(ForkObstacle::NotTheSame(why)) if why.contains("-O")), "{options:?}");
    assert!(matches!(obstacle("bash a.py", WorkerMode::Fork), Some(ForkObstacle::NotPython(_))));
}
