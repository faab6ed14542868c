//! Hooks with a worker are trusted, watched and given an environment as all others are.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail them by panicking"
)]

use std::process::Command;

use hookrail::{HookSession, TrustPolicy};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::kit::{approve, block_of, builder_trusting, on, store};

/// Blocks every event and tells its version, a word from a file, its directory and its environment: as an ordinary hook
/// and as a worker, which reads the file once.
const SCRIPT: &str = r#"
import json, os, sys
word = open("hooks/word.txt").read()
environment = {name: value for name, value in os.environ.items() if name != "HOOKRAIL_WORKER"}
reason = json.dumps({"version": 1, "word": word, "cwd": os.getcwd(), "environment": environment}, sort_keys=True)
output = {"decision": "block", "reason": reason}
if os.environ.get("HOOKRAIL_WORKER"):
    for line in sys.stdin:
        print(json.dumps({"id": json.loads(line)["id"], "output": output}), flush=True)
else:
    sys.stdin.read()
    print(json.dumps(output))
"#;

/// No worker, one that answers lines, one that forks.
fn modes() -> [Value; 3] {
    [json!(false), json!(true), json!("fork")]
}

/// The hook, run by the interpreter itself: what a version manager puts before it would be no Python.
fn command() -> String {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let output = output.expect("`python3` is needed to test workers");
    format!("{} hooks/guard.py", String::from_utf8_lossy(&output.stdout).trim())
}

/// An approved project with one hook.
fn project(worker: &Value) -> TestProject {
    let project = TestProject::new();
    project.file("hooks/guard.py", SCRIPT);
    project.file("hooks/word.txt", "first");
    let command = command();
    let hook = json!({ "type": "command", "command": command, "worker": worker, "watch": ["hooks/*.txt"] });
    project.settings(&on("BeforeTool", &[hook]));
    approve(&project);
    project
}

fn session(project: &TestProject) -> HookSession {
    builder_trusting(project, TrustPolicy::RequireApproval(store(project)))
        .environment(
            [("PATH", std::env::var("PATH").unwrap().as_str()), ("HOME", "/nowhere"), ("GITHUB_TOKEN", "t")]
                .map(|(name, value)| (name.into(), value.into()))
                .into(),
        )
        .build()
}

async fn reason(session: &HookSession) -> String {
    block_of(session, "write_file").await.expect("it blocks every event").reason
}

/// A field of what the hook tells.
async fn told(session: &HookSession, field: &str) -> Value {
    let reason = reason(session).await;
    let told: Value =
        serde_json::from_str(&reason).unwrap_or_else(|_| panic!("no answer of the hook: {reason}"));
    told[field].clone()
}

#[tokio::test]
async fn a_worker_is_asked_only_while_its_files_are_what_was_approved() {
    for mode in modes() {
        let project = project(&mode);
        let session = session(&project);
        for _ in 0..3 {
            assert_eq!(told(&session, "version").await, json!(1), "{mode}");
        }
        project.file("hooks/guard.py", SCRIPT.replace("\"version\": 1", "\"version\": 2"));
        assert!(reason(&session).await.contains("changed since it was approved"), "{mode}");
        approve(&project);
        assert_eq!(told(&session, "version").await, json!(2), "{mode}: the new script answers");

        project.file("hooks/word.txt", "second");
        assert!(reason(&session).await.contains("changed since it was approved"), "{mode}");
        approve(&project);
        assert_eq!(told(&session, "word").await, json!("second"), "{mode}: nobody remembers the old word");
        session.hook_system().unwrap().drain().await;
    }
}

#[tokio::test]
async fn a_worker_sees_the_environment_that_other_hooks_see() {
    let mut seen = Vec::new();
    let project = project(&json!(false));
    for mode in modes() {
        let command = command();
        let hook = json!({ "type": "command", "command": command, "worker": mode, "env": { "LEVEL": "2" } });
        let mut settings = on("BeforeTool", &[hook]);
        settings["security"] = json!({ "environmentVariableRedaction": { "enabled": true } });
        project.settings(&settings);
        approve(&project);
        let session = session(&project);
        let (environment, cwd) = (told(&session, "environment").await, told(&session, "cwd").await);
        assert_eq!(environment["LEVEL"], "2", "{mode}");
        assert_eq!(environment.get("GITHUB_TOKEN"), None, "{mode}: it is redacted");
        seen.push((environment, cwd));
        session.hook_system().unwrap().drain().await;
    }
    assert_eq!(seen[1], seen[0], "as a worker");
    assert_eq!(seen[2], seen[0], "in forks");
}
