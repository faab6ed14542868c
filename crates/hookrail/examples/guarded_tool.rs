//! A guarded tool loop: every call goes through the hooks of the settings and, where a hook asks for it, a person.
//!
//! Run it with `cargo run -p hookrail --example guarded_tool`. It needs no network and no files.
#![expect(clippy::print_stdout, reason = "an example speaks to its reader")]

use hookrail::{
    Decider, HookSession, JsonObject, Permission, PermissionRequest, ToolEnd, ToolResult, TrustPolicy,
};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // A real host leaves `settings` out: then the project's, the user's and the system's files are read, and
    // `TrustPolicy::RequireApproval` keeps a project's own hooks from running before the user approved them.
    let session = HookSession::builder(std::env::temp_dir(), TrustPolicy::AllowAll)
        .settings(json!({
            "enableHooks": true,
            "hooks": {
                "BeforeTool": [{
                    "matcher": "^write_",
                    "hooks": [
                        // Exit code 2 blocks; what is on stderr is the reason.
                        { "type": "command", "command": "grep -q '\"path\":\"/etc' && { echo '/etc is off limits' >&2; exit 2; } || true" },
                        { "type": "command", "command": r#"grep -q production && echo '{"decision":"ask","reason":"this is production"}' || true"# },
                    ],
                }],
                "AfterTool": [{
                    "hooks": [{
                        "type": "command",
                        "command": r#"echo '{"hookSpecificOutput":{"additionalContext":"Remember to run the tests."}}'"#,
                    }],
                }],
            },
        }))
        .build();

    for path in ["notes.txt", "/etc/passwd", "production.conf"] {
        let arguments = JsonObject::from_iter([("path".to_owned(), json!(path))]);
        // BeforeTool hooks, permission, the tool, AfterTool hooks. Whatever goes wrong with a hook, this returns.
        let outcome = session.execute_tool("write_file", arguments, may_run, write_file).await;
        let what = match outcome.end {
            ToolEnd::Ran { .. } => "done",
            ToolEnd::Blocked { .. } => "blocked",
            ToolEnd::Denied => "denied",
            ToolEnd::Stopped => "stopped",
        };
        println!("{path}: {what}\n  the model reads: {:?}", outcome.result.llm_content.to_text());
        if let Some(reason) = outcome.stop {
            println!("  the agent stops: {reason}");
            break;
        }
    }

    // Hooks that ran out of time are ended in the background; a program waits for that before it exits.
    session.drain().await;
}

/// The host's own rules come here. This one allows everything but what a hook asks a person about.
async fn may_run(request: PermissionRequest<'_>) -> Permission {
    match request.decider {
        Decider::Host => Permission::Granted,
        Decider::Person { reason } => {
            Permission::Denied { reason: format!("no one can be asked here: {reason}") }
        }
    }
}

/// The host's own tool. It gets the arguments as hooks left them.
async fn write_file(arguments: &JsonObject) -> ToolResult {
    let path = arguments.get("path").and_then(Value::as_str).unwrap_or("nothing");
    ToolResult::text(format!("Wrote {path}."))
}
