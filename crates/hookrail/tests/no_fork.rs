//! A hook is started by `posix_spawn`, never by a plain `fork`, which would copy the page tables of the whole host.
//!
//! The C library calls the handlers of `pthread_atfork` for `fork` and for nothing else. They are registered for the
//! whole process, so this test has a binary of its own.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "safe Rust has no way to hear of a fork, nor to cause one")]

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookrail::effects::ToolGate;
use hookrail::{HookSession, JsonObject, TrustPolicy};
use serde_json::json;

static FORKS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn count() {
    FORKS.fetch_add(1, Ordering::SeqCst);
}

fn forks_during(action: impl FnOnce()) -> usize {
    let before = FORKS.load(Ordering::SeqCst);
    action();
    FORKS.load(Ordering::SeqCst) - before
}

#[test]
fn no_hook_is_started_by_a_fork() {
    // SAFETY: the handler only counts.
    let registered = unsafe { libc::pthread_atfork(Some(count), None, None) };
    assert_eq!(registered, 0, "the handler is registered");

    let control = forks_during(|| {
        let mut command = Command::new("true");
        // SAFETY: the closure does nothing. That it exists makes the standard library fork.
        unsafe { command.pre_exec(|| Ok(())) };
        assert!(command.status().unwrap().success());
    });
    assert_eq!(control, 1, "the counter works");

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let project = tempfile::tempdir().unwrap();
    let script = project.path().join("deny");
    std::fs::write(&script, "#!/bin/sh\nexit 2\n").unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let script = script.to_str().unwrap();
    let large: JsonObject = [("content".to_owned(), "x".repeat(1 << 20).into())].into_iter().collect();
    for (what, commands, sequential) in [
        ("with shell syntax", &["cat >/dev/null; exit 2"][..], false),
        ("without shell syntax", &[script], false),
        ("side by side", &["exit 2", "exit 2;", "exit 2 #", "/bin/true"], false),
        ("in a chain", &["cat >/dev/null", "exit 2"], true),
        ("that cannot be executed", &["/nowhere/to/be/found", "exit 2"], false),
    ] {
        let hooks: Vec<_> =
            commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
        let group = json!({"sequential": sequential, "hooks": hooks});
        let settings = json!({"enableHooks": true, "hooks": {"BeforeTool": [group]}});
        let config = HookSession::builder(project.path(), TrustPolicy::AllowAll).settings(settings).build();
        let forks = forks_during(|| {
            let verdict = runtime.block_on(config.fire_before_tool("write_file", &large));
            assert!(matches!(verdict.gate, ToolGate::Block { .. }), "hooks {what} run, and block");
        });
        assert_eq!(forks, 0, "hooks {what}");
    }
}
