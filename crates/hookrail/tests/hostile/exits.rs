//! Every exit code and every signal.

use std::time::Duration;

use hookrail::components::{Event, Exit, HookFailure};
use hookrail::{BlockCause, HookRun, HookSession, JsonObject, TrustPolicy};
use hookrail_testkit::{TestProject, process, wait_until};
use serde_json::{Value, json};

/// Runs these commands side by side, for one event.
fn run_all(commands: impl Iterator<Item = String>) -> Vec<HookRun> {
    let project = TestProject::new();
    let hooks: Vec<Value> = commands
        .map(|command| json!({ "type": "command", "command": command, "timeout": 120_000 }))
        .collect();
    let settings = json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": hooks }] } });
    let mark = project.dir().display().to_string();
    let marked = (process::MARK.into(), mark.clone().into());
    let environment = std::env::vars_os().chain([marked]).collect();
    let config = HookSession::builder(project.dir(), TrustPolicy::AllowAll)
        .settings(settings)
        .environment(environment)
        .build();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let result = runtime.block_on(async {
        let system = config.hook_system().expect("hooks are on");
        system.initialize();
        let handler = system.event_handler().expect("a started system");
        let result =
            handler.fire(&Event::BeforeTool { tool_name: "ls", tool_input: &JsonObject::new() }).await;
        system.drain().await;
        result
    });
    wait_until(Duration::from_secs(30), "the end of all processes", || process::marked(&mark).is_empty());
    let block = result.block.as_ref().map(|block| block.cause);
    assert_eq!(
        block,
        result.runs.iter().any(|run| *run.exit() == Exit::Code(2)).then_some(BlockCause::Policy)
    );
    result.runs
}

#[test]
fn exits_with_every_code() {
    let runs = run_all((0..256).map(|code| format!("echo said; echo complained >&2; exit {code}")));
    assert_eq!(runs.len(), 256);
    for (code, run) in (0..256).zip(&runs) {
        assert_eq!(*run.exit(), Exit::Code(code));
        assert_eq!(run.exit_code(), Some(code));
        let output = run.output.as_ref().expect("something was said");
        let message = output.system_message.as_deref();
        match code {
            0 => assert!(run.success() && message == Some("said"), "{run:?}"),
            2 => assert!(
                output.is_blocking_decision()
                    && output.reason.as_deref() == Some("complained")
                    && run.failure().is_none(),
                "{run:?}"
            ),
            _ => {
                let stderr = "complained".to_owned();
                assert_eq!(run.failure(), Some(&HookFailure::ExitCode { code, stderr }));
                assert!(message == Some("Warning: complained") && !output.is_blocking_decision(), "{run:?}");
            }
        }
    }
}

#[test]
fn dies_by_every_signal() {
    // Those that end a process by default. The others are ignored by default, or stop a process: a stopped hook
    // runs out of its time, see `deadline::stops_itself`.
    let deadly: Vec<i32> =
        (1..=31).filter(|signal| ![17, 18, 19, 20, 21, 22, 23, 28].contains(signal)).chain(34..=64).collect();
    // Bash itself ignores some of them, and all of them may be ignored by whoever runs these tests.
    let command = |signal: &i32| {
        format!(
            "ulimit -c 0; echo complained >&2; \
             (while kill -{signal} $$; do sleep 0.05; done) > /dev/null 2>&1 & exec env --default-signal sleep 60"
        )
    };
    let runs = run_all(deadly.iter().map(command));
    for (signal, run) in deadly.iter().zip(&runs) {
        assert_eq!(*run.exit(), Exit::Signal(*signal), "{}", run.stderr);
        assert_eq!((run.signal(), run.exit_code()), (Some(*signal), Some(0)), "HOOK-196");
        assert!(
            !run.success()
                && matches!(run.failure(), Some(HookFailure::Signal { signal: by, stderr })
                    if by == signal && stderr.starts_with("complained")),
            "{:?}",
            run.failure()
        );
        assert!(run.output.as_ref().is_some_and(|output| !output.is_blocking_decision()));
    }
    let harmless = [17, 18, 23, 28];
    for (signal, run) in
        harmless.iter().zip(run_all(harmless.iter().map(|signal| format!("kill -{signal} $$; echo alive"))))
    {
        assert_eq!(*run.exit(), Exit::Code(0), "signal {signal}: {}", run.stderr);
    }
}
