//! A session as a library: what an embedding program relies on beyond the command line.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookrail::{HookSession, SessionEndReason, SessionStartSource, TrustPolicy};
use hookrail_agent::log::SessionLog;
use hookrail_agent::model::ReplayModel;
use hookrail_agent::tools::{BoxFuture, ToolContext, ToolTable};
use hookrail_agent::ui::{AgentEvent, Question, Ui};
use hookrail_agent::{AgentObserver, ApprovalMode, PromptOutcome, Session, SessionOptions, SessionParts};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Keeps what was shown, and allows everything.
#[derive(Default)]
struct Watcher {
    pieces: Mutex<Vec<String>>,
    questions: Mutex<Vec<String>>,
}

impl Ui for Watcher {
    fn notify(&self, event: &AgentEvent<'_>) {
        if let AgentEvent::AnswerText(piece) = event {
            self.pieces.lock().unwrap().push((*piece).to_owned());
        }
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, bool> {
        self.questions.lock().unwrap().push(question.title.clone());
        Box::pin(async { true })
    }
}

struct Bench {
    session: Session,
    watcher: Arc<Watcher>,
    log: PathBuf,
    project: TestProject,
}

/// A session with hooks for the given events that write down what they get, and a model that plays these parts.
fn bench(events: &[&str], replies: &[Value]) -> Bench {
    let project = TestProject::new();
    let hook =
        json!([{ "hooks": [{ "type": "command", "command": "cat >>seen.jsonl; echo >>seen.jsonl" }] }]);
    let hooks: serde_json::Map<String, Value> =
        events.iter().map(|event| ((*event).to_owned(), hook.clone())).collect();
    let chunk = |part: &Value| json!({ "candidates": [{ "content": { "role": "model", "parts": [part] } }] });
    let replay: Vec<String> = replies
        .iter()
        .map(|parts| {
            let chunks: Vec<Value> = parts.as_array().unwrap().iter().map(chunk).collect();
            json!({ "method": "generateContentStream", "response": chunks }).to_string()
        })
        .collect();
    let log_path = project.home().join("log.jsonl");
    let log = Arc::new(SessionLog::open(&log_path, "the-session").unwrap());
    let watcher = Arc::new(Watcher::default());
    let observer = AgentObserver { log: Arc::clone(&log), ui: watcher.clone(), next: None };
    let hooks = HookSession::builder(project.dir(), TrustPolicy::AllowAll)
        .settings(json!({ "enableHooks": true, "hooks": hooks }))
        .observer(Arc::new(observer))
        .transcript_path(log.path())
        .build();
    let session = Session::new(SessionParts {
        hooks,
        model: Arc::new(ReplayModel::parse("replay.jsonl", replay.join("\n").as_bytes()).unwrap()),
        tools: ToolTable::standard(),
        context: ToolContext {
            project: project.dir(),
            cancel: CancellationToken::new(),
            ..ToolContext::default()
        },
        log,
        ui: watcher.clone(),
        options: SessionOptions {
            model: "test".to_owned(),
            approval: ApprovalMode::Default,
            max_turns: 10,
            history_budget: 1_000_000,
        },
    });
    Bench { session, watcher, log: log_path, project }
}

impl Bench {
    fn seen(&self, field: &str) -> Vec<(String, Value)> {
        let text = self.project.read("seen.jsonl");
        let inputs = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        inputs
            .map(|input| (input["hook_event_name"].as_str().unwrap().to_owned(), input[field].clone()))
            .collect()
    }

    /// The lines of the session log that are of one type.
    fn logged(&self, kind: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.log).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["type"] == kind).collect()
    }

    fn last_request(&self) -> Value {
        self.logged("model_request").last().unwrap()["request"].clone()
    }
}

fn text(text: &str) -> Value {
    json!([{ "text": text }])
}

fn answer(outcome: PromptOutcome) -> String {
    match outcome {
        PromptOutcome::Answered(answer) => answer.text,
        other => panic!("{other:?}"),
    }
}

/// HOOK-206: making a session reads no hooks; the first event does.
#[tokio::test]
async fn nothing_is_read_before_the_first_event() {
    let mut bench = bench(&["SessionStart"], &[]);
    let status = |session: &Session| session.hooks().hook_system().unwrap().status();
    assert!(!status(&bench.session).initialized, "HOOK-206");
    assert_eq!(status(&bench.session).total_hooks, 0, "HOOK-206");
    bench.session.start(SessionStartSource::Startup).await.unwrap();
    assert!(status(&bench.session).initialized && status(&bench.session).total_hooks == 1, "HOOK-206");
}

/// A cleared session ends and starts, both with `clear`, with an empty history.
#[tokio::test]
async fn clear_ends_one_session_and_starts_another() {
    let mut bench = bench(&["SessionStart", "SessionEnd"], &[text("one"), text("two")]);
    bench.session.start(SessionStartSource::Startup).await.unwrap();
    assert_eq!(answer(bench.session.prompt("first").await), "one");
    bench.session.clear().await.unwrap();
    assert_eq!(answer(bench.session.prompt("second").await), "two");
    bench.session.end(SessionEndReason::Exit, None).await;
    let (start, end) = (bench.seen("source"), bench.seen("reason"));
    assert_eq!(
        start
            .iter()
            .filter(|(event, _)| event == "SessionStart")
            .map(|(_, source)| source)
            .collect::<Vec<_>>(),
        ["startup", "clear"]
    );
    assert_eq!(
        end.iter().filter(|(event, _)| event == "SessionEnd").map(|(_, reason)| reason).collect::<Vec<_>>(),
        ["clear", "exit"]
    );
    assert_eq!(
        bench.last_request()["contents"],
        json!([{ "role": "user", "parts": [{ "text": "second" }] }])
    );
}

/// `/compress` summarises also a short conversation; an empty one costs no model call.
#[tokio::test]
async fn compress_summarises_on_demand() {
    let mut bench = bench(&["PreCompress"], &[text("one"), text("the gist"), text("two")]);
    assert_eq!(answer(bench.session.compress().await), "");
    assert_eq!(answer(bench.session.prompt("first").await), "one");
    assert_eq!(answer(bench.session.compress().await), "");
    assert_eq!(answer(bench.session.prompt("second").await), "two");
    assert_eq!(bench.seen("trigger"), [("PreCompress".to_owned(), json!("manual"))]);
    let contents = bench.last_request()["contents"].clone();
    assert!(contents[0]["parts"][0]["text"].as_str().unwrap().ends_with("the gist"), "{contents}");
    assert_eq!(contents[2]["parts"][0]["text"], "second");
    assert_eq!(*bench.watcher.pieces.lock().unwrap(), ["one", "two"], "a summary is for the model");
}

/// L5, HOOK-173: an answer streams where no `AfterModel` hook could still change it, and only there.
#[tokio::test]
async fn answers_stream_unless_a_hook_may_change_them() {
    let pieces = json!([{ "text": "Once " }, { "text": "upon " }, { "text": "a time" }]);
    for (events, expected) in
        [(&["BeforeModel"][..], &["Once ", "upon ", "a time"][..]), (&["AfterModel"], &["Once upon a time"])]
    {
        let mut bench = bench(events, std::slice::from_ref(&pieces));
        assert_eq!(answer(bench.session.prompt("tell").await), "Once upon a time");
        assert_eq!(*bench.watcher.pieces.lock().unwrap(), expected, "HOOK-173");
    }
}

/// L12: the question shows the call as hooks changed it, after the `Notification`.
#[tokio::test]
async fn the_question_comes_after_the_notification() {
    let call = json!([{ "functionCall": { "name": "write_file", "args": { "file_path": "a.txt", "content": "x" } } }]);
    let mut bench = bench(&["Notification"], &[call, text("Done.")]);
    assert_eq!(answer(bench.session.prompt("write").await), "Done.");
    assert_eq!(bench.project.read("a.txt"), "x");
    let questions = bench.watcher.questions.lock().unwrap().clone();
    assert_eq!(bench.seen("details")[0].1["title"], questions[0]);
}

/// A tool that runs when the user gives up is not dropped: the command gets its time to end, and what it wrote until then is
/// its result.
#[tokio::test]
async fn a_tool_ends_by_its_own_means_when_the_user_gives_up() {
    let command = "trap 'echo cleaned up; exit 3' TERM; touch started; sleep 100 & wait";
    let call = json!([{ "functionCall": { "name": "run_shell_command", "args": { "command": command } } }]);
    let mut bench = bench(&["AfterTool"], &[call]);
    let cancel = CancellationToken::new();
    bench.session.set_cancel(cancel.clone());
    let started = bench.project.dir().join("started");
    let give_up = async {
        while !started.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(bench.session.prompt("run it"), give_up);
    assert!(matches!(outcome, PromptOutcome::Cancelled), "{outcome:?}");
    let calls = bench.logged("tool_call");
    assert_eq!(calls[0]["status"], "cancelled");
    let content = calls[0]["result"]["llmContent"].as_str().unwrap();
    assert!(content.contains("cleaned up") && content.contains("Exit Code: 3"), "{content}");
}
