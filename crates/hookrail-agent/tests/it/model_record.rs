//! Recordings: what was received can be replayed.

use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use hookrail_agent::model::{ModelClient, ModelError, RecordingModel, ReplayModel, ResponseStream};
use serde_json::{Value, json};

/// A model that yields a list of chunks, then an error if there is one.
struct Scripted(Vec<Value>, Option<fn() -> ModelError>);

impl ModelClient for Scripted {
    fn stream(&self, _request: &GenerateContentParameters) -> ResponseStream {
        let chunks = self.0.iter().map(|chunk| Ok(serde_json::from_value(chunk.clone()).unwrap()));
        let items: Vec<_> = chunks.chain(self.1.map(|error| Err(error()))).collect();
        ResponseStream::new(futures_util::stream::iter(items))
    }
}

async fn ask(model: &dyn ModelClient) -> Result<GenerateContentResponse, ModelError> {
    model.stream(&GenerateContentParameters::default()).complete(|_| ()).await
}

fn text_chunk(text: &str) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": text, "thoughtSignature": "s" }] } }],
        "modelVersion": "m" })
}

#[tokio::test]
async fn a_recording_replays_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let model = Scripted(vec![text_chunk("a"), json!({}), text_chunk("b")], None);
    let recorder = RecordingModel::create(&path, model).unwrap();
    let answer = ask(&recorder).await.unwrap();
    let line = std::fs::read_to_string(&path).unwrap();
    assert_eq!(line.lines().count(), 1, "a call is on disk as soon as it is complete");
    ask(&recorder).await.unwrap();

    let replay = ReplayModel::load(&path).unwrap();
    assert_eq!(ask(&replay).await.unwrap(), answer);
    assert_eq!(ask(&replay).await.unwrap(), answer);
    assert!(matches!(ask(&replay).await, Err(ModelError::Replay(_))));
}

/// HOOK-207: a call that was aborted leaves nothing that could be taken for a complete response.
#[tokio::test]
async fn only_complete_calls_are_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let cut_off = || ModelError::CutOff { attempts: 1, source: None };
    let recorder = RecordingModel::create(&path, Scripted(vec![text_chunk("a")], Some(cut_off))).unwrap();
    assert!(matches!(ask(&recorder).await, Err(ModelError::CutOff { .. })));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "", "a failed call");
    let recorder =
        RecordingModel::create(&path, Scripted(vec![text_chunk("a"), text_chunk("b")], None)).unwrap();
    let mut stream = recorder.stream(&GenerateContentParameters::default());
    assert!(stream.next().await.is_some());
    drop(stream);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "", "a call that was given up");
}

#[tokio::test]
async fn a_blocked_prompt_replays_as_a_blocked_prompt() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let blocked = json!({ "promptFeedback": { "blockReason": "OTHER", "blockReasonMessage": "No." } });
    let recorder = RecordingModel::create(&path, Scripted(vec![blocked], None)).unwrap();
    let first = ask(&recorder).await.unwrap_err().to_string();
    assert_eq!(first, "the prompt was blocked by the model's provider (OTHER: No.); change the prompt");
    assert_eq!(ask(&ReplayModel::load(&path).unwrap()).await.unwrap_err().to_string(), first);
}

#[cfg(unix)]
#[test]
fn a_recording_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    std::fs::write(&path, "an old recording").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let _recorder = RecordingModel::create(&path, Scripted(Vec::new(), None)).unwrap();
    let metadata = std::fs::metadata(&path).unwrap();
    assert_eq!((metadata.permissions().mode() & 0o777, metadata.len()), (0o600, 0));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let error = RecordingModel::create("/nonexistent/run.jsonl", Scripted(Vec::new(), None)).err().unwrap();
    assert_eq!(error.to_string(), "cannot write to the recording `/nonexistent/run.jsonl`");
}
