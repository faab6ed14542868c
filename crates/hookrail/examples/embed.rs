//! A host that embeds the hook system: one tool, guarded by the hooks of its settings.
//!
//! Run it with `cargo run -p hookrail --example embed`. It needs no network and no files.
#![expect(clippy::print_stdout, reason = "an example speaks to its reader")]

use hookrail::{Config, JsonObject, ToolExecution, ToolResult, execute_tool_with_hooks};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // A real host leaves `settings` out: then the project's, the user's and the system's files are read.
    let config = Config::builder(std::env::temp_dir())
        .settings(json!({
            "enableHooks": true,
            "hooks": {
                "BeforeTool": [{
                    "matcher": "^write_",
                    "hooks": [{
                        "type": "command",
                        // Exit code 2 blocks; what is on stderr is the reason.
                        "command": "grep -q '\"path\":\"/etc' && { echo '/etc is off limits' >&2; exit 2; } || true",
                    }],
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

    for path in ["notes.txt", "/etc/passwd"] {
        let arguments = JsonObject::from_iter([("path".to_owned(), json!(path))]);
        // Hooks before the tool, the tool, hooks after it. Whatever goes wrong with a hook, this returns.
        let ToolExecution { result, blocked, stop } =
            execute_tool_with_hooks(&config, "write_file", arguments, write_file).await;
        println!("{path}: {}", if blocked { "blocked" } else { "done" });
        println!("  the model reads: {:?}", result.llm_content.to_text());
        if let Some(reason) = stop {
            println!("  a hook stops the agent: {reason}");
            break;
        }
    }

    // Hooks that ran out of time are ended in the background; a program waits for that before it exits.
    if let Some(system) = config.hook_system() {
        system.drain().await;
    }
}

/// The host's own tool. It gets the arguments as hooks left them.
async fn write_file(arguments: JsonObject) -> ToolResult {
    let path = arguments.get("path").and_then(Value::as_str).unwrap_or("nothing");
    ToolResult::text(format!("Wrote {path}."))
}
