//! The Gemini client against scripted servers on loopback.

use std::error::Error;
use std::future::Future;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use hookrail_agent::model::{ApiKey, GeminiClient, GeminiOptions, ModelClient, ModelError, RetryPolicy};
use serde_json::{Value, json};

use hookrail_testkit::model_server::{Server, Step, chunk, chunked_head, events, last_chunk, send, sized};

const KEY: &str = "AIza-s3cret-key";
/// After how much silence a server is given up: more than one that is to speak needs for that on a busy machine.
const SILENCE: Duration = Duration::from_secs(2);

/// Runs a test with a deadline that no healthy run comes near.
fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime
        .block_on(async { tokio::time::timeout(Duration::from_mins(1), test).await })
        .expect("the test hangs")
}

/// Options with waits that a test can afford.
fn options(base_url: String) -> GeminiOptions {
    GeminiOptions {
        api_key: ApiKey::new(KEY),
        base_url,
        retry: RetryPolicy { base_delay: Duration::from_millis(1), ..RetryPolicy::default() },
        ..GeminiOptions::default()
    }
}

fn request() -> GenerateContentParameters {
    serde_json::from_value(
        json!({ "model": "gemini-test", "contents": "hi", "config": { "temperature": 0 } }),
    )
    .unwrap()
}

fn text_chunk(text: &str) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": text }] }, "index": 0 }] })
}

fn event(chunk: &Value) -> String {
    format!("data: {chunk}\r\n\r\n")
}

/// An answer in three events, in the form Gemini sends it; [`hello`] is its content.
fn hello_events() -> String {
    let end = json!({ "candidates": [{ "content": { "parts": [{ "text": " 🙂" }] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "totalTokenCount": 3 } });
    [text_chunk("Hel"), text_chunk("lo ä"), end].iter().map(event).collect()
}

fn hello() -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": "Hello ä 🙂" }] },
        "finishReason": "STOP", "index": 0 }], "usageMetadata": { "totalTokenCount": 3 } })
}

fn hello_script() -> Vec<Step> {
    events([hello_events().as_bytes()])
}

fn ask(options: GeminiOptions) -> Result<GenerateContentResponse, ModelError> {
    run(GeminiClient::new(options).stream(&request()).complete(|_| ()))
}

fn value(response: Result<GenerateContentResponse, ModelError>) -> Value {
    serde_json::to_value(response.unwrap()).unwrap()
}

/// The error's text with its causes, after a check that nothing of it shows the key.
fn message_of(error: &ModelError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text} <- {error}");
        cause = error.source();
    }
    assert!(!format!("{text} {error:?} {error:#?}").contains("s3cret"), "{text} {error:?}");
    text
}

/// Asks a server with one script per connection and gives the error's text and the number of requests.
fn failure(scripts: Vec<Vec<Step>>, change: impl FnOnce(&mut GeminiOptions)) -> (String, usize) {
    let server = Server::start(scripts);
    let mut options = options(server.url());
    change(&mut options);
    let text = message_of(&ask(options).unwrap_err());
    (text, server.received().len())
}

#[test]
fn a_request_goes_out_as_gemini_wants_it() {
    let server = Server::start(vec![hello_script()]);
    assert_eq!(value(ask(options(server.url()))), hello());
    let received = server.received();
    let [request] = received.as_slice() else { panic!("{received:?}") };
    let (line, headers) = request.head.split_once("\r\n").unwrap();
    assert_eq!(line, "POST /v1beta/models/gemini-test:streamGenerateContent?alt=sse HTTP/1.1");
    let headers = headers.to_lowercase();
    assert!(headers.contains(&format!("x-goog-api-key: {}\r\n", KEY.to_lowercase())), "{headers}");
    assert!(headers.contains("content-type: application/json\r\n"), "{headers}");
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let contents = json!([{ "role": "user", "parts": [{ "text": "hi" }] }]);
    assert_eq!(body, json!({ "contents": contents, "generationConfig": { "temperature": 0 } }));
}

/// HOOK-050, HOOK-172: however the stream arrives, there is one complete response, the same one.
#[test]
fn the_same_answer_arrives_however_it_is_sent() {
    let text = hello_events();
    let slow: Vec<Step> = std::iter::once(chunked_head())
        .chain(
            text.as_bytes()
                .chunks(40)
                .flat_map(|piece| [chunk(piece), Step::Pause(Duration::from_millis(20))]),
        )
        .chain([last_chunk()])
        .collect();
    let close_delimited = |text: &str| vec![send("HTTP/1.1 200 OK\r\n\r\n"), send(text)];
    for (what, script) in [
        ("in one piece", hello_script()),
        ("split at every byte", events(text.as_bytes().chunks(1))),
        ("slowly", slow),
        ("LF", events([text.replace("\r\n", "\n").as_bytes()])),
        ("CR", events([text.replace("\r\n", "\r").as_bytes()])),
        ("BOM", events([format!("\u{feff}{text}").as_bytes()])),
        ("with comments and empty events", events([format!(": hi\n\ndata:\n\n{text}:bye\n\n").as_bytes()])),
        ("without the last blank line", events([text.trim_end().as_bytes()])),
        ("with a length", sized("200 OK", "", &text)),
        ("ended by the connection", close_delimited(&text)),
        ("ended by the connection, without the last blank line", close_delimited(text.trim_end())),
    ] {
        let server = Server::start(vec![script]);
        assert_eq!(value(ask(options(server.url()))), hello(), "{what}");
        assert_eq!(server.received().len(), 1, "{what}");
    }
}

#[test]
fn chunks_are_handed_on_as_they_arrive() {
    let script = vec![chunked_head(), chunk(event(&text_chunk("first"))), Step::Hang];
    let server = Server::start(vec![script]);
    run(async {
        let mut stream = GeminiClient::new(options(server.url())).stream(&request());
        // The server sends no more, so this would hang if anything waited for the end.
        assert_eq!(stream.next().await.unwrap().unwrap().text(), "first");
        // Giving up a wait loses nothing, and dropping the stream ends the call; the server, which waits
        // for the client to go, can be joined then.
        assert!(tokio::time::timeout(Duration::from_millis(50), stream.next()).await.is_err());
    });
}

/// HOOK-207: a stream that aborts gives an error and no response, whatever had arrived, and what was
/// handed on is not asked for again.
#[test]
fn an_aborted_stream_never_gives_a_complete_response() {
    let whole = hello_events();
    let first = event(&text_chunk("Hel"));
    let quick = |options: &mut GeminiOptions| options.idle_timeout = SILENCE;
    let cut_off = "the response was cut off; try again";
    for (what, body, expected) in [
        ("between events", vec![chunked_head(), chunk(&first)], cut_off),
        ("within an event", vec![chunked_head(), chunk(format!("{first}data: {{\"candi"))], cut_off),
        ("within a chunk", vec![chunked_head(), send("fff\r\n"), send(&first)], cut_off),
        ("after the last event", vec![chunked_head(), chunk(&whole)], cut_off),
        ("too short", vec![send("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"), send(&whole)], cut_off),
        ("within an event, proper end", events([format!("{first}data: {{\"candi").as_bytes()]), cut_off),
        ("no finish reason, end of connection", vec![send("HTTP/1.1 200 OK\r\n\r\n"), send(&first)], cut_off),
        (
            "silence",
            vec![chunked_head(), chunk(&first), Step::Hang],
            "the server sent nothing for 2 s; try again",
        ),
        (
            "an error inside the stream",
            events([format!(
                "{first}data: {{\"error\":{{\"code\":503,\"message\":\"Overloaded {KEY}\"}}}}\n\n"
            )
            .as_bytes()]),
            "the server failed with HTTP 503: Overloaded [API key]; try again later",
        ),
        (
            "not JSON",
            events([format!("{first}data: {{]\n\n").as_bytes()]),
            "the server sent an event that is not JSON (key must be a string at line 1 column 2); \
             check that the base URL is that of a Gemini API",
        ),
        (
            "not a response",
            events([format!("{first}data: {{\"candidates\":\"{KEY}\"}}\n\n").as_bytes()]),
            "the server sent an event that is not a response (`candidates`: invalid type: string \"[API key]\", \
             expected a sequence); check that the base URL is that of a Gemini API",
        ),
    ] {
        let server = Server::start(vec![body]);
        let mut options = options(server.url());
        quick(&mut options);
        let mut shown = String::new();
        let result =
            run(GeminiClient::new(options).stream(&request()).complete(|chunk| shown += &chunk.text()));
        let error = message_of(&result.unwrap_err());
        assert!(error.starts_with(expected), "{what}: {error}");
        assert!(shown.starts_with("Hel"), "{what}: what came before was handed on: {shown:?}");
        assert_eq!(server.received().len(), 1, "{what}: not tried again");
    }
}

#[test]
fn transient_failures_are_tried_again() {
    let unavailable = sized("503 Service Unavailable", "", "{}");
    let error_event = b"data: {\"error\":{\"status\":\"UNAVAILABLE\",\"message\":\"no\"}}\n\n";
    for (what, scripts) in [
        (
            "429 then success",
            vec![sized("429 Too Many Requests", "Retry-After: 0\r\n", "slow down"), hello_script()],
        ),
        (
            "four kinds of 5xx",
            vec![
                sized("500 Oops", "", ""),
                sized("502 Oops", "", "<html>"),
                unavailable,
                sized("504 Oops", "", "[]"),
                hello_script(),
            ],
        ),
        ("connection closed without a word", vec![vec![], hello_script()]),
        ("cut off before the first event", vec![vec![chunked_head(), chunk("data: {")], hello_script()]),
        ("an error as the first event", vec![events([&error_event[..]]), hello_script()]),
    ] {
        let requests = scripts.len();
        let server = Server::start(scripts);
        assert_eq!(value(ask(options(server.url()))), hello(), "{what}");
        let received = server.received();
        assert_eq!(received.len(), requests, "{what}");
        assert!(received.windows(2).all(|pair| pair[0].body == pair[1].body), "{what}: the same request");
    }
}

#[test]
fn the_wait_a_server_asks_for_is_kept() {
    let info = json!({ "error": { "code": 429, "details": [{ "retryDelay": "0.3s" }] } }).to_string();
    for (what, refusal, at_least) in [
        ("seconds", sized("429 Too Many Requests", "Retry-After: 1\r\n", ""), Duration::from_secs(1)),
        ("Google's own form", sized("429 Too Many Requests", "", info), Duration::from_millis(300)),
        ("capped", sized("503 Oops", "Retry-After: 86400\r\n", ""), Duration::from_millis(200)),
    ] {
        let server = Server::start(vec![refusal, hello_script()]);
        let mut options = options(server.url());
        if what == "capped" {
            options.retry.max_server_delay = Duration::from_millis(200);
        }
        let notices = Arc::new(Mutex::new(Vec::new()));
        let client = GeminiClient::with_retry_notice(options, {
            let notices = Arc::clone(&notices);
            move |notice| notices.lock().unwrap().push(notice.clone())
        });
        let start = Instant::now();
        assert_eq!(value(run(client.stream(&request()).complete(|_| ()))), hello(), "{what}");
        assert!(start.elapsed() >= at_least, "{what}");
        let notices = notices.lock().unwrap();
        let [notice] = notices.as_slice() else { panic!("{what}: {notices:?}") };
        assert_eq!((notice.failed_attempts, notice.max_attempts, notice.delay), (1, 5, at_least), "{what}");
    }
}

#[test]
fn a_failure_that_stays_ends_in_a_clear_error() {
    let nothing = |_: &mut GeminiOptions| ();
    let (error, requests) = failure(vec![sized("500 Oops", "", format!("no {KEY}"))], nothing);
    assert_eq!(error, "the server failed with HTTP 500 (tried 5 times): no [API key]; try again later");
    assert_eq!(requests, 5);
    let quota = "{\"error\":{\"code\":429,\"message\":\"Quota exceeded.\"}}";
    let (error, requests) =
        failure(vec![sized("429 Oops", "", quota)], |options| options.retry.max_attempts = 2);
    assert_eq!(
        error,
        "the quota is used up (tried 2 times): Quota exceeded.; wait, or use another key or model"
    );
    assert_eq!(requests, 2);
    let (error, requests) = failure(vec![vec![]], |options| options.retry.max_attempts = 3);
    assert!(error.starts_with("cannot reach `http://127.0.0.1:"), "{error}");
    assert!(error.contains("` (tried 3 times); check the network and the base URL <- "), "{error}");
    assert_eq!(requests, 3);
}

#[test]
fn a_refused_connection_is_reported() {
    // The port was free a moment ago, and no server listens on it now.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = message_of(&ask(options(format!("http://user:s3cret@{address}"))).unwrap_err());
    let start =
        format!("cannot reach `http://{address}` (tried 5 times); check the network and the base URL <- ");
    assert!(error.starts_with(&start) && error.contains("refused"), "{error}");
}

#[test]
fn https_is_not_taken_for_granted() {
    // A server that does not encrypt gets no request over `https`, so it never sees the key.
    let server = Server::start(vec![hello_script()]);
    let error = message_of(&ask(options(server.url().replace("http:", "https:"))).unwrap_err());
    assert!(error.starts_with("cannot reach `https://127.0.0.1:"), "{error}");
    assert!(server.received().iter().all(|request| !request.head.contains(KEY)));
}

#[test]
fn what_will_not_change_is_not_tried_again() {
    let bad_key = json!({ "error": { "code": 400, "message": format!("API key not valid: {KEY}"),
        "status": "INVALID_ARGUMENT", "details": [{ "reason": "API_KEY_INVALID" }] } });
    let blocked = event(&json!({ "promptFeedback": { "blockReason": "SAFETY" }, "usageMetadata": {} }));
    for (script, expected) in [
        (
            sized("400 Bad Request", "", bad_key.to_string()),
            "the server refused the API key (HTTP 400): API key not valid: [API key]; check `GEMINI_API_KEY`",
        ),
        (
            sized("401 Unauthorized", "", ""),
            "the server refused the API key (HTTP 401): the server gave no reason; check `GEMINI_API_KEY`",
        ),
        (
            sized("403 Forbidden", "", "no"),
            "the server refused the API key (HTTP 403): no; check `GEMINI_API_KEY`",
        ),
        (
            sized("404 Not Found", "", "no"),
            "the server does not have the model `gemini-test`: no; name another one with `--model`",
        ),
        (sized("413 Too Large", "", "no"), "the server refused the request (HTTP 413): no"),
        (
            events([blocked.as_bytes()]),
            "the prompt was blocked by the model's provider (SAFETY); change the prompt",
        ),
        (events([]), "the model's response is empty; try again or use another model"),
        (
            sized("200 OK", "Content-Type: text/html\r\n", "<html>Log in"),
            "the model's response is empty (the server sent `text/html`, not an event stream); try again or use another model",
        ),
        (
            events([&b"data: hello\n\n"[..]]),
            "the server sent an event that is not JSON (expected value at line 1 column 1); \
             check that the base URL is that of a Gemini API",
        ),
    ] {
        assert_eq!(failure(vec![script], |_| ()), (expected.to_owned(), 1));
    }
}

#[test]
fn silence_and_size_are_bounded() {
    let first_byte = |options: &mut GeminiOptions| options.first_byte_timeout = SILENCE;
    let silent = "the server sent nothing for 2 s; try again".to_owned();
    assert_eq!(failure(vec![vec![Step::Hang]], first_byte), (silent.clone(), 1));
    let idle = |options: &mut GeminiOptions| options.idle_timeout = SILENCE;
    assert_eq!(failure(vec![vec![chunked_head(), Step::Hang]], idle), (silent, 1));
    let small = |options: &mut GeminiOptions| options.max_event_bytes = 1000;
    let large = "the server sent an event of more than 1000 bytes; the response was given up".to_owned();
    assert_eq!(failure(vec![events([event(&text_chunk(&"x".repeat(1000))).as_bytes()])], small), (large, 1));
}

#[test]
fn a_huge_event_arrives_whole() {
    let text = "x".repeat(5 * 1024 * 1024);
    let server = Server::start(vec![events(event(&text_chunk(&text)).as_bytes().chunks(10_000))]);
    assert!(ask(options(server.url())).unwrap().text() == text);
}

#[test]
fn a_redirect_takes_the_key_nowhere() {
    let elsewhere = Server::start(vec![hello_script()]);
    for status in ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let location = format!("Location: {}/x?key={KEY}\r\n", elsewhere.url());
        let server = Server::start(vec![sized(status, &location, "")]);
        let error = message_of(&ask(options(server.url())).unwrap_err());
        let (from, to) = (server.url(), elsewhere.url());
        assert_eq!(
            error,
            format!(
                "`{from}` redirects to `{to}`, which is not followed; if that is right, use it as base URL"
            )
        );
    }
    assert_eq!(elsewhere.received().len(), 0);
}

#[test]
fn without_a_usable_key_nothing_is_sent() {
    let server = Server::start(vec![hello_script()]);
    for (key, expected) in [
        (None, "no API key: set `GEMINI_API_KEY` "),
        (
            ApiKey::new("AIza\ns3cret"),
            "the API key contains characters that cannot be sent: check `GEMINI_API_KEY`",
        ),
    ] {
        let error = message_of(&ask(GeminiOptions { api_key: key, ..options(server.url()) }).unwrap_err());
        assert!(error.starts_with(expected), "{error}");
    }
    assert_eq!(server.received().len(), 0);
}

#[test]
fn nothing_happens_before_the_first_chunk_is_asked_for() {
    let server = Server::start(vec![hello_script()]);
    let client = GeminiClient::new(options(server.url()));
    // Outside of any runtime: a client that connected or set a timer here would panic.
    let stream = client.stream(&request());
    assert_eq!(server.received().len(), 0);
    assert_eq!(value(run(stream.complete(|_| ()))), hello());
}
