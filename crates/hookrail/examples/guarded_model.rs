//! A guarded model call with streaming: hooks see the request before it is sent and the answer before it counts.
//!
//! Run it with `cargo run -p hookrail --example guarded_model`. The model is a function; no network is needed.
#![expect(clippy::print_stdout, reason = "an example speaks to its reader")]

use std::convert::Infallible;

use hookrail::genai::{Content, GenerateContentParameters, GenerateContentResponse};
use hookrail::model::{ModelEnd, OutgoingCall, Showing, StopPoint, system_message};
use hookrail::{HookSession, TrustPolicy, permit_unless_asked};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // No request with a password in it leaves the machine; the hook answers in the model's place.
    let guard = r#"grep -q password && echo '{"decision":"block","reason":"a password",
        "hookSpecificOutput":{"llm_response":{"text":"No passwords, please."}}}' || true"#;
    let session = HookSession::builder(std::env::temp_dir(), TrustPolicy::AllowAll)
        .settings(json!({
            "enableHooks": true,
            "hooks": { "BeforeModel": [{ "hooks": [{ "type": "command", "command": guard }] }] },
        }))
        .build();

    let mut message = None;
    for prompt in ["Tell me a story.", "My password is 1234."] {
        let mut contents = vec![Content::text("user", prompt)];
        // What a hook has to say to the model goes into the next request.
        contents.extend(message.take().map(|text: String| system_message(&text)));
        let request = GenerateContentParameters {
            model: "a-model".to_owned(),
            contents,
            ..GenerateContentParameters::default()
        };
        let Ok(outcome) = session.call_model(request, permit_unless_asked, ask_the_model).await;
        message = outcome.next_system_message;
        match outcome.end {
            ModelEnd::Answered(answer) => {
                show(answer.showing, &answer.response);
                // Of the tool calls in it, those that `answer.allowed_tools` permits may run.
            }
            ModelEnd::Blocked { response, block, showing, .. } => {
                println!("blocked: {}", block.reason);
                show(showing, &response);
            }
            ModelEnd::Denied { reason } => println!("denied: {reason}"),
            ModelEnd::Stopped { reason, at } => {
                if let StopPoint::AfterCall(answer) = at {
                    show(answer.showing, &answer.response);
                }
                println!("stopped: {reason}");
                break;
            }
        }
    }
    session.drain().await;
}

/// Shows an answer that was not streamed, unless a hook hides it.
fn show(showing: Showing, response: &GenerateContentResponse) {
    if showing == Showing::Now {
        println!("{}", response.text());
    }
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
