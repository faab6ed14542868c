//! `mcp`: a real server behind a real proxy, with real rules and hooks between them.

mod attacks;
mod ends;
mod wrapped;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use hookrail_testkit::{TestProject, wait_until};
use serde_json::{Value, json};

use crate::bridge::with_hooks;
use crate::program::log_path;

/// Far more than anything takes, also on a busy machine.
const LIMIT: Duration = Duration::from_mins(2);

fn script() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/server.py")
}

/// What the server was sent.
fn received(project: &TestProject) -> String {
    String::from_utf8_lossy(&std::fs::read(project.home().join("received")).unwrap_or_default()).into_owned()
}

/// The proxy with the test server behind it.
fn proxy(project: &TestProject, more: &[&str]) -> Command {
    let mut command = crate::program::program();
    command
        .arg("mcp")
        .arg("--home")
        .arg(project.home())
        .arg("--system")
        .arg(project.system_settings_path())
        .args(["--server", "files", "--", "python3"])
        .arg(script())
        .arg(project.home().join("received"))
        .args(more)
        .current_dir(project.dir())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A client.
struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Client {
    fn start(project: &TestProject) -> Self {
        Self::of(proxy(project, &[]))
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { child, stdin, lines }
    }

    fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("an open pipe");
        stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n")).expect("the program reads");
    }

    /// The next line, as it came.
    fn line(&self) -> String {
        self.lines.recv_timeout(LIMIT).expect("a line")
    }

    fn next(&self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn call(&mut self, id: i64, tool: &str, arguments: &Value) {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(
            &json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string(),
        );
    }

    /// Calls a tool and takes the next line for its answer.
    fn ask(&mut self, id: i64, tool: &str, arguments: &Value) -> Value {
        self.call(id, tool, arguments);
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Closes the client's end and waits; the exit code, what else came, and stderr.
    fn close(mut self) -> (Option<i32>, Vec<String>, String) {
        drop(self.stdin.take());
        self.wait()
    }

    fn wait(mut self) -> (Option<i32>, Vec<String>, String) {
        let mut stderr = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("UTF-8");
        let code = self.child.wait().expect("it ends").code();
        (code, self.lines.iter().collect(), stderr)
    }
}

/// The texts of a result.
fn texts(answer: &Value) -> Vec<&str> {
    let content = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("no content: {answer}"));
    content.iter().map(|part| part["text"].as_str().unwrap_or_default()).collect()
}

fn is_refused(answer: &Value) -> bool {
    answer["result"]["isError"] == true
}

/// A rule for one tool of the test server.
fn rule(tool: &str, fields: &Value) -> Value {
    let mut rule = json!({ "type": "rule", "name": "r" });
    rule.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({ "matcher": format!("mcp__files__{tool}"), "hooks": [rule] })
}

fn command(tool: &str, command: &str) -> Value {
    json!({ "matcher": format!("mcp__files__{tool}"), "hooks": [{ "type": "command", "command": command }] })
}

/// Lines that are not calls of tools, some of them odd.
const OTHER_LINES: [&str; 12] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"tester","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"  { "id" : "a\u0062" , "jsonrpc":"2.0","method":"tools/list" }  "#,
    r#"{"jsonrpc":"2.0","id":1e400,"method":"x","params":{"big":123456789012345678901234567890,"half":"\ud800"}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"unknown/method","method":"another"}"#,
    r#"[{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]"#,
    r#"{"jsonrpc":"2.0","id":99,"result":{"role":"assistant","content":{"type":"text","text":"né 🦀"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"name":"tools/call","method":"tools/call"}}"#,
    "",
    "7",
];

#[test]
fn everything_but_calls_passes_byte_for_byte_in_both_directions() {
    let nothing = TestProject::new();
    let guarded = with_hooks(&json!({ "BeforeTool": [rule(".*", &json!({ "when": {}, "block": "no" }))] }));
    for project in [nothing, guarded] {
        let mut client = Client::start(&project);
        let mut sent = String::new();
        for line in OTHER_LINES {
            client.send(line);
            sent.extend([line, "\n"]);
        }
        let raw = [
            "{ \"jsonrpc\":\"2.0\", \"id\":5,\"result\" : {\"n\":1e400,\"h\":\"\\ud800\"} }",
            "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}]",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\",\"params\":{}}",
            "not JSON",
            "",
        ];
        for text in raw {
            let line = json!({ "jsonrpc": "2.0", "method": "raw", "params": { "text": text } }).to_string();
            client.send(&line);
            sent.extend([line.as_str(), "\n"]);
        }
        let (code, lines, stderr) = client.close();
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        assert_eq!(received(&project), sent);
        assert_eq!(lines.get(lines.len() - raw.len()..).unwrap(), raw, "{lines:?}");
    }
}

#[test]
fn a_rule_blocks_asks_and_stops_and_the_model_reads_why() {
    let project = with_hooks(&json!({ "BeforeTool": [
        rule("remove", &json!({ "when": { "reads": "**/.env" }, "block": "keys are private", "instead": "ask the owner" })),
        rule("deploy", &json!({ "when": {}, "ask": "is it Friday?" })),
        command("halt", r#"echo '{"continue":false,"stopReason":"enough"}'"#),
        command("shell", "echo 'never' >&2; exit 2"),
    ] }));
    let mut client = Client::start(&project);
    client.send(OTHER_LINES[0]);
    assert_eq!(client.next()["id"], 1);
    for (id, tool, expected) in [
        (10, "remove", "keys are private\nask the owner"),
        (11, "deploy", "is it Friday?"),
        (12, "halt", "Agent execution stopped by hook: enough"),
        (13, "shell", "never"),
    ] {
        let answer = client.ask(id, tool, &json!({ "path": "a/.env" }));
        assert!(is_refused(&answer) && texts(&answer)[0].contains(expected), "{answer}");
    }
    let answer = client.ask(14, "remove", &json!({ "path": "a/readme" }));
    assert_eq!(texts(&answer), [r#"remove {"path": "a/readme"}"#]);
    let (code, ..) = client.close();
    assert_eq!(code, Some(0));
    assert_eq!(
        received(&project).matches("tools/call").count(),
        1,
        "what is refused never reaches the server"
    );
    let log = std::fs::read_to_string(log_path(&project)).unwrap();
    let decisions: Vec<Value> = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["type"] == "decision" && line["event"] == "BeforeTool")
        .collect();
    let said: Vec<_> = decisions.iter().map(|line| line["decision"].as_str().unwrap()).collect();
    assert_eq!(said, ["block", "ask", "stop", "block", "allow"], "{log}");
    assert!(decisions.iter().all(|line| line["agent"] == "tester"), "{log}");
    assert_eq!(
        (&decisions[0]["tool"], &decisions[0]["callId"]),
        (&json!("mcp__files__remove"), &json!("10"))
    );
}

#[test]
fn changed_arguments_go_to_the_server_and_everything_else_stays() {
    let change = r#"echo '{"hookSpecificOutput":{"tool_input":{"path":"safe"}}}'"#;
    let see = "cat >> \"$HOOKRAIL_PROJECT_DIR/after\"";
    let project = with_hooks(&json!({
        "BeforeTool": [command("write", change)],
        "AfterTool": [command("write", see)],
    }));
    let mut client = Client::start(&project);
    client.send(r#"{"method" : "tools/call","id":  7.0,"params":{"_meta":{"progressToken":1e2},"name":"write","arguments":{"n":0.10,"path":"/etc/x","é":"🦀"}},"jsonrpc":"2.0"}"#);
    let answer = client.next();
    assert_eq!(texts(&answer), [r#"write {"n": 0.1, "path": "safe", "é": "🦀"}"#]);
    client.close();
    let expected = r#"{"method":"tools/call","id":7.0,"params":{"_meta":{"progressToken":1e2},"name":"write","arguments":{"n":0.1,"path":"safe","é":"🦀"}},"jsonrpc":"2.0"}"#;
    assert_eq!(received(&project), format!("{expected}\n"));
    let seen: Value = serde_json::from_str(&project.read("after")).unwrap();
    assert_eq!(
        (&seen["tool_name"], &seen["tool_input"]["path"]),
        (&json!("mcp__files__write"), &json!("safe"))
    );
    assert_eq!(seen["agent"]["mcp_server"], "files");
}

#[test]
fn results_are_extended_and_replaced() {
    let add = |text: &str| format!(r#"echo '{{"hookSpecificOutput":{{"additionalContext":"{text}"}}}}'"#);
    let project = with_hooks(&json!({
        "BeforeTool": [command("echo|secret", &add("before"))],
        "AfterTool": [
            command("echo", &add("after")),
            command("secret", r#"cat > "$HOOKRAIL_PROJECT_DIR/seen"; echo '{"hookSpecificOutput":{"tool_response":{"llmContent":"KEY=***"}}}'"#),
            command("stop", r#"echo '{"continue":false,"stopReason":"that was it"}'"#),
            command("fails", &add("never seen")),
        ],
    }));
    let mut client = Client::start(&project);
    let answer = client.ask(1, "echo", &json!({}));
    assert_eq!(texts(&answer), ["echo {}", "before", "after"]);
    assert!(!is_refused(&answer));
    client.call(2, "secret", &json!({}));
    let line = client.line();
    assert_eq!(
        line,
        r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"KEY=***"},{"type":"text","text":"before"}],"_meta":{"n": 12345678901234567890}}}"#
    );
    let seen: Value = serde_json::from_str(&project.read("seen")).unwrap();
    assert_eq!(seen["tool_response"]["llmContent"], "KEY=abc");
    assert_eq!(seen["agent"]["tool_response"]["structuredContent"]["key"], "abc");
    let answer = client.ask(3, "stop", &json!({}));
    assert!(is_refused(&answer), "{answer}");
    assert_eq!(texts(&answer), ["stop {}", "Agent execution stopped by hook: that was it"]);
    let answer = client.ask(4, "fails", &json!({}));
    assert_eq!(answer["error"]["message"], "bad arguments", "an error of the protocol stays one");
    client.close();
}

#[test]
fn a_slow_hook_holds_up_nothing_but_its_call() {
    let wait = "cat > /dev/null; while [ ! -e \"$HOOKRAIL_PROJECT_DIR/go\" ]; do sleep 0.02; done";
    let project = with_hooks(&json!({ "BeforeTool": [command("slow", wait)] }));
    let mut client = Client::start(&project);
    client.call(1, "slow", &json!({}));
    for id in 2..12 {
        client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }).to_string());
        assert_eq!(client.next()["id"], id);
        assert_eq!(texts(&client.ask(100 + id, "quick", &json!({}))), ["quick {}"]);
    }
    client.call(50, "progress", &json!({}));
    for step in 0..3 {
        assert_eq!(client.next()["params"]["progress"], step);
    }
    assert_eq!(client.next()["id"], 50);
    project.file("go", "");
    assert_eq!(texts(&client.next()), ["slow {}"]);
    client.close();
}

#[test]
fn a_cancelled_call_ends_its_hook_and_never_reaches_the_server() {
    let hang = "cat > /dev/null; echo $$ > \"$HOOKRAIL_PROJECT_DIR/pid\"; exec sleep 600";
    let project = with_hooks(&json!({ "BeforeTool": [command("slow", hang)] }));
    let mut client = Client::start(&project);
    client.send(r#"{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"name":"slow"}}"#);
    let pid = || std::fs::read_to_string(project.dir().join("pid")).ok()?.trim().parse::<u32>().ok();
    wait_until(LIMIT, "the hook runs", || pid().is_some());
    let cancel =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c1","reason":"x"}}"#;
    client.send(cancel);
    let pid = pid().unwrap();
    wait_until(LIMIT, "the hook is gone", || !hookrail_testkit::process_is_alive(pid));
    assert_eq!(texts(&client.ask(2, "quick", &json!({}))), ["quick {}"]);
    let (code, rest, _) = client.close();
    assert_eq!((code, rest.len()), (Some(0), 0));
    let received = received(&project);
    assert!(!received.contains("slow") && received.contains(cancel), "{received}");
}

#[test]
fn fifty_calls_at_once_are_answered_under_their_ids() {
    let project = with_hooks(&json!({
        "BeforeTool": [command("echo", "cat > /dev/null")],
        "AfterTool": [command("echo", r#"cat > /dev/null; echo '{"hookSpecificOutput":{"additionalContext":"seen"}}'"#)],
    }));
    let mut client = Client::start(&project);
    for id in 0..50 {
        client.call(id, "echo", &json!({ "n": id }));
    }
    let mut answered = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let answer = client.next();
        let id = answer["id"].as_i64().unwrap();
        assert_eq!(texts(&answer), [format!("echo {{\"n\": {id}}}").as_str(), "seen"]);
        assert!(answered.insert(id), "twice: {id}");
    }
    client.close();
}

#[test]
fn ten_megabytes_pass_with_and_without_hooks() {
    const BYTES: usize = 10 << 20;
    let project = with_hooks(&json!({
        "AfterTool": [command("big", r#"wc -c > "$HOOKRAIL_PROJECT_DIR/size"; echo '{"hookSpecificOutput":{"additionalContext":"large"}}'"#)],
    }));
    let mut client = Client::start(&project);
    let answer = client.ask(1, "big", &json!({ "bytes": BYTES }));
    let texts = texts(&answer);
    assert_eq!((texts[0].len(), texts[1]), (BYTES, "large"));
    assert!(project.read("size").trim().parse::<usize>().unwrap() > BYTES);
    let long = json!({ "text": "y".repeat(BYTES) });
    let answer = client.ask(2, "echo", &long);
    assert_eq!(answer["result"]["content"][0]["text"].as_str().unwrap().len(), BYTES + 17);
    client.close();
}

/// The longest message, in both directions: a longer one is answered with an error under its id, what follows it passes,
/// and the server never sees it.
#[test]
fn a_message_beyond_64_mebibytes_is_answered_with_an_error() {
    const BEYOND: usize = 64 << 20;
    let project = with_hooks(&json!({ "BeforeTool": [rule("rm", &json!({ "when": {}, "block": "no" }))] }));
    let mut client = Client::start(&project);
    client.call(1, "echo", &json!({ "text": "y".repeat(BEYOND) }));
    let refused = client.next();
    assert_eq!((&refused["id"], refused["error"]["code"].as_i64()), (&json!(1), Some(-32600)), "{refused}");
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("longer than 67108864 bytes"),
        "{refused}"
    );
    assert_eq!(received(&project), "");

    let refused = client.ask(2, "big", &json!({ "bytes": BEYOND }));
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("longer than 67108864 bytes"),
        "{refused}"
    );
    assert_eq!(texts(&client.ask(3, "ls", &json!({}))), ["ls {}"]);
    assert!(is_refused(&client.ask(4, "rm", &json!({}))));
    client.close();
}

#[test]
fn the_session_begins_with_the_client_and_ends_with_it() {
    let note = "cat >> \"$HOOKRAIL_PROJECT_DIR/events\"; echo >> \"$HOOKRAIL_PROJECT_DIR/events\"";
    let hook = json!([{ "hooks": [{ "type": "command", "command": note }] }]);
    let project = with_hooks(&json!({ "SessionStart": hook, "SessionEnd": hook }));
    let mut client = Client::start(&project);
    client.send(OTHER_LINES[0]);
    client.next();
    client.close();
    let events = project.read("events");
    let events: Vec<Value> = events.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let names: Vec<&str> = events.iter().filter_map(|event| event["hook_event_name"].as_str()).collect();
    assert_eq!(names, ["SessionStart", "SessionEnd"]);
    assert_eq!(events[0]["session_id"], events[1]["session_id"]);
}

#[test]
fn a_shell_behind_an_mcp_server_is_a_shell_for_rules() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "matcher": "run_shell_command", "hooks": [
        { "type": "rule", "when": { "command": "rm" }, "block": "no rm" },
    ] }] }));
    let mut client = Client::start(&project);
    let answer = client.ask(1, "exec", &json!({ "command": "cd /; sudo rm -rf x" }));
    assert!(is_refused(&answer) && texts(&answer)[0].contains("no rm"), "{answer}");
    assert!(!is_refused(&client.ask(2, "exec", &json!({ "command": "ls" }))));
    client.close();
}
