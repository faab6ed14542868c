//! A guarded model call with streaming: hooks see the request before it is sent and the answer before it counts.
//!
//! Run it with `cargo run -p hookrail --example guarded_model`. The model is a function; no network is needed.
#![expect(clippy::print_stdout, reason = "an example speaks to its reader")]

use std::convert::Infallible;

use hookrail::genai::{Content, GenerateContentParameters, GenerateContentResponse};
use hookrail::{HookSession, ModelOutcome, OutgoingCall, Showing, TrustPolicy, permit_unless_asked};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let session = HookSession::builder(std::env::temp_dir(), TrustPolicy::AllowAll)
        .settings(json!({
            "enableHooks": true,
            "hooks": {
                "BeforeModel": [{
                    "hooks": [{
                        "type": "command",
                        // No request with a password in it leaves the machine.
                        "command": "grep -q password && { echo 'no passwords, please' >&2; exit 2; } || true",
                    }],
                }],
            },
        }))
        .build();

    for prompt in ["Tell me a story.", "My password is 1234."] {
        let request = GenerateContentParameters {
            model: "a-model".to_owned(),
            contents: vec![Content::text("user", prompt)],
            ..GenerateContentParameters::default()
        };
        let outcome = session.call_model(request, permit_unless_asked, ask_the_model).await;
        let Ok(outcome) = outcome;
        match outcome {
            ModelOutcome::Answered(answer) => {
                // What was not streamed is shown now, unless a hook hides it.
                if answer.showing == Showing::Now {
                    println!("{}", answer.response.text());
                }
                // The next request would carry `answer.next_system_message`, and only the tools that
                // `answer.allowed_tools` permits may run.
            }
            ModelOutcome::Blocked { response, block, .. } => {
                println!("blocked: {}; the conversation goes on with {:?}", block.reason, response.text());
            }
            ModelOutcome::Denied { reason } => println!("denied: {reason}"),
            ModelOutcome::Stopped { reason, .. } => println!("a hook stops the agent: {reason}"),
        }
    }
    session.drain().await;
}

/// Sends the request as hooks left it and shows the answer while it arrives, where no hook may still change it.
async fn ask_the_model(call: OutgoingCall<'_>) -> Result<GenerateContentResponse, Infallible> {
    let mut text = String::new();
    for piece in ["Once ", "upon ", "a time."] {
        if call.may_stream {
            println!("piece: {piece:?}");
        }
        text.push_str(piece);
    }
    Ok(GenerateContentResponse::from_text(&text))
}
