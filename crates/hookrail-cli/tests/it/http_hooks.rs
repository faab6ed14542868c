//! Hooks of type `http`, asked of real servers on loopback that answer well, badly or not at all.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use hookrail_testkit::model_server::{Server, Step, chunk, chunked_head, last_chunk, send, sized};
use hookrail_testkit::{TestProject, make_pipe};
use serde_json::{Value, json};

use crate::agent_scenario::{Scenario, write};
use crate::bridge::{bridge, with_hooks};
use crate::program::{Ran, hookrail, log_path, run, run_with_stdin};

const DENY: &str = r#"{"decision":"deny","reason":"not on a Friday"}"#;

fn ok(body: impl AsRef<[u8]>) -> Vec<Step> {
    sized("200 OK", "Content-Type: application/json\r\n", body)
}

/// A project whose user has this hook at an event.
fn user_hook(event: &str, hook: &Value) -> TestProject {
    with_hooks(&json!({ event: [{ "hooks": [hook] }] }))
}

fn http(url: &str) -> Value {
    json!({ "type": "http", "url": url, "name": "it", "timeout": 60_000 })
}

fn fire(project: &TestProject, event: &str) -> Ran {
    run(project, &["fire", event, "--format", "json"])
}

/// A private file with headers in the home directory.
fn headers_file(project: &TestProject, text: impl AsRef<[u8]>) -> std::path::PathBuf {
    let file = project.home().join("headers.json");
    fs::write(&file, text).unwrap();
    mode(&file, 0o600);
    file
}

fn mode(file: &Path, mode: u32) {
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn an_answer_is_the_output_of_the_hook() {
    let context = r#"{"hookSpecificOutput":{"additionalContext":"mind the gap"}}"#;
    for (script, code, field, expected) in [
        (ok(DENY), 2, "/reason", json!("not on a Friday")),
        (ok(DENY), 2, "/blockCause", json!("policy")),
        (ok(format!("\n {DENY} \n")), 2, "/blocked", json!(true)),
        (sized("201 Created", "", DENY), 2, "/blocked", json!(true)),
        (ok(r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#), 2, "/blocked", json!(true)),
        (ok(r#"{"decision":"ask","reason":"sure?"}"#), 0, "/ask", json!(true)),
        (ok(r#"{"decision":"allow"}"#), 0, "/finalOutput/decision", json!("allow")),
        (ok(r#"{"continue":false,"stopReason":"enough"}"#), 3, "/blocked", json!(false)),
        (ok(context), 0, "/finalOutput/hookSpecificOutput/additionalContext", json!("mind the gap")),
        (ok("{}"), 0, "/errors", json!([])),
        (ok(""), 0, "/errors", json!([])),
        (ok(" \r\n\t "), 0, "/errors", json!([])),
        (vec![send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")], 0, "/errors", json!([])),
        (
            vec![chunked_head(), chunk(&DENY[..9]), chunk(&DENY[9..]), last_chunk()],
            2,
            "/blocked",
            json!(true),
        ),
    ] {
        let server = Server::start(vec![script.clone()]);
        let ran = fire(&user_hook("BeforeTool", &http(&server.url())), "BeforeTool");
        assert_eq!(ran.code, Some(code), "{script:?}\n{ran}");
        assert_eq!(ran.json().pointer(field), Some(&expected), "{script:?}\n{ran}");
        assert_eq!(server.received().len(), 1);
    }
}

#[test]
fn the_question_is_what_a_command_reads() {
    let server = Server::start(vec![ok("{}")]);
    let project = TestProject::new();
    let file = headers_file(&project, r#"{ "Authorization": "Bearer s3cret" }"#);
    let hook = json!({ "type": "http", "url": format!("{}/v1/ask?tenant=7", server.url()), "headersFile": file,
        "headers": { "X-Team": "blue" } });
    let command = json!({ "type": "command", "command": "cat > stdin.json" });
    project.user_settings(
        &json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook, command] }] } }),
    );
    let ran = run(&project, &["fire", "BeforeTool", "--tool", "write_file"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let received = server.received().remove(0);
    let head = received.head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/ask?tenant=7 http/1.1\r\n"), "{head}");
    for header in ["content-type: application/json", "authorization: bearer s3cret", "x-team: blue"] {
        assert!(head.contains(&format!("\r\n{header}\r\n")), "{header}: {head}");
    }
    let asked: Value = serde_json::from_str(&received.body).unwrap();
    assert_eq!(asked["tool_name"], "write_file");
    assert_eq!(asked, serde_json::from_str::<Value>(&project.read("stdin.json")).unwrap());
    let told = format!("{ran}{}", fs::read_to_string(log_path(&project)).unwrap_or_default());
    assert!(!told.contains("s3cret") && !told.contains("tenant=7"), "{told}");
}

/// Every one of these blocks a guarded event and nothing else, unless `onFailure` says otherwise.
#[test]
fn what_is_no_answer_is_a_failure() {
    let dripped = || {
        let mut script = vec![chunked_head()];
        script.extend((0..200).flat_map(|_| [chunk(" "), Step::Pause(Duration::from_millis(50))]));
        script.extend([chunk("{}"), last_chunk()]);
        script
    };
    let redirect = |code: &str| sized(code, "Location: http://127.0.0.1:1/\r\n", r#"{"decision":"allow"}"#);
    let long = |length: usize| format!("{{}}{}", " ".repeat(length - 2));
    let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0xae, 5, 0, 0x43, 0xbf, 0xa6, 0xa3, 2, 0, 0, 0];
    let cases: Vec<(Vec<Step>, u64, &str)> = vec![
        (sized("404 Not Found", "", "{}"), 60_000, "status 404"),
        (sized("500 Internal Server Error", "", r#"{"decision":"allow"}"#), 60_000, "status 500"),
        (redirect("302 Found"), 60_000, "status 302"),
        (redirect("307 Temporary Redirect"), 60_000, "status 307"),
        (ok(long(1024 * 1024 + 1)), 60_000, "more than 1048576 bytes"),
        (ok(r#"{"decision":"all"#), 60_000, "not a JSON object"),
        (vec![send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}")], 60_000, "no verdict"),
        (vec![chunked_head(), chunk("{}")], 60_000, "no verdict"),
        (ok("<html>Please log in</html>"), 60_000, "not a JSON object"),
        (ok("[]"), 60_000, "not a JSON object"),
        (ok("true"), 60_000, "not a JSON object"),
        (ok("{}{}"), 60_000, "not a JSON object"),
        (ok(b"{\"decision\":\"\xff\xfe"), 60_000, "not a JSON object"),
        (ok(b"\xff"), 60_000, "not a JSON object"),
        (sized("200 OK", "Content-Encoding: gzip\r\n", gzip), 60_000, "not a JSON object"),
        (vec![send("SSH-2.0-OpenSSH_9.9\r\n")], 60_000, "no verdict"),
        (vec![], 60_000, "no verdict"),
        (
            vec![send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}")],
            60_000,
            "no verdict",
        ),
        (vec![send("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}")], 60_000, "no verdict"),
        (
            vec![send(format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n{{}}", "x".repeat(1 << 20)))],
            60_000,
            "no verdict",
        ),
        (vec![send("HTTP/1.1 100 Continue\r\n\r\n"), Step::Hang], 300, "300"),
        (vec![Step::Hang], 300, "300"),
        (dripped(), 700, "700"),
    ];
    for (script, timeout, why) in cases {
        let server = Server::start(vec![script]);
        let hook = json!({ "type": "http", "url": server.url(), "name": "it", "timeout": timeout });
        let ran = fire(&user_hook("BeforeTool", &hook), "BeforeTool");
        let report = ran.json();
        assert_eq!((ran.code, &report["blockCause"]), (Some(2), &json!("failure")), "{why}\n{ran}");
        assert!(report["reason"].as_str().unwrap().contains(why), "{why}\n{ran}");
    }
    let whole = Server::start(vec![ok(long(1024 * 1024))]);
    let ran = fire(&user_hook("BeforeTool", &http(&whole.url())), "BeforeTool");
    assert_eq!((ran.code, &ran.json()["errors"]), (Some(0), &json!([])), "1 MiB is read");
}

/// A port on which nobody listens.
fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/hook", listener.local_addr().unwrap())
}

#[test]
fn failures_block_guarded_events_and_no_others() {
    for (event, code) in [
        ("BeforeTool", 2),
        ("BeforeModel", 2),
        ("BeforeAgent", 2),
        ("AfterTool", 0),
        ("AfterAgent", 0),
        ("SessionStart", 0),
    ] {
        let ran = fire(&user_hook(event, &http(&nobody())), event);
        assert_eq!(ran.code, Some(code), "{event}\n{ran}");
        assert_eq!(ran.json()["errors"].as_array().map(Vec::len), Some(1), "{event}\n{ran}");
    }
    let mut hook = http(&nobody());
    hook["onFailure"] = json!("allow");
    let ran = fire(&user_hook("BeforeTool", &hook), "BeforeTool");
    assert_eq!((ran.code, &ran.json()["blocked"]), (Some(0), &json!(false)), "{ran}");
}

#[test]
fn variables_of_the_environment_lead_nowhere_else() {
    let server = Server::start(vec![ok(DENY)]);
    let proxy = Server::start(vec![ok("{}")]);
    let project = user_hook("BeforeTool", &http(&server.url()));
    let mut command = hookrail(&project, &["fire", "BeforeTool"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env(name, proxy.url()).env(name.to_ascii_lowercase(), proxy.url());
    }
    command.env("SSL_CERT_FILE", "/dev/null").env("SSL_CERT_DIR", "/nowhere");
    let ran = Ran::of(&["fire"], command.output().unwrap());
    assert_eq!(ran.code, Some(2), "{ran}");
    assert_eq!((server.received().len(), proxy.received().len()), (1, 0));
    // A server without a certificate is not asked, whatever the environment says about certificates.
    let plain = server.url().replace("http://", "https://");
    let project = user_hook("BeforeTool", &http(&plain));
    let mut command = hookrail(&project, &["fire", "BeforeTool", "--format", "json"]);
    command.env("HTTPS_PROXY", proxy.url()).env("ALL_PROXY", proxy.url()).env("SSL_CERT_FILE", "/dev/null");
    let ran = Ran::of(&["fire"], command.output().unwrap());
    assert_eq!((ran.code, &ran.json()["blockCause"]), (Some(2), &json!("failure")), "{ran}");
    assert_eq!(proxy.received().len(), 0);
}

/// Settings that name no service that may be asked are errors, and what they were to guard is refused.
#[test]
fn an_address_that_must_not_be_asked_refuses() {
    for (hook, why) in [
        (json!({ "type": "http", "url": "http://policy.example/hook" }), "unencrypted to another machine"),
        (
            json!({ "type": "http", "url": "http://127.0.0.1@policy.example/" }),
            "unencrypted to another machine",
        ),
        (json!({ "type": "http", "url": "http://0.0.0.0:80/" }), "unencrypted to another machine"),
        (json!({ "type": "http", "url": "http://localhost.evil/" }), "unencrypted to another machine"),
        (json!({ "type": "http", "url": "http://localhost./" }), "unencrypted to another machine"),
        (json!({ "type": "http", "url": "http://[::ffff:127.0.0.1]/" }), "unencrypted to another machine"),
        (
            json!({ "type": "http", "url": "http://evil.example?@127.0.0.1/" }),
            "unencrypted to another machine",
        ),
        (json!({ "type": "http", "url": "http://127.1/" }), "neither a name nor an address"),
        (json!({ "type": "http", "url": "http://2130706433/" }), "neither a name nor an address"),
        (
            json!({ "type": "http", "url": "http://evil.example\\@127.0.0.1/" }),
            "characters that no address has",
        ),
        (
            json!({ "type": "http", "url": "http://127.0.0.1\t.evil.example/" }),
            "characters that no address has",
        ),
        (json!({ "type": "http", "url": "ftp://localhost/" }), "must begin with"),
        (json!({ "type": "http", "url": 7 }), "must be a string"),
        (json!({ "type": "http" }), "has no `url`"),
        (
            json!({ "type": "http", "url": "https://a.example", "headers": { "a b": "c" } }),
            "not the name of a header",
        ),
        (
            json!({ "type": "http", "url": "https://a.example", "headers": { "a": "b\r\nc: d" } }),
            "no header can have",
        ),
        (
            json!({ "type": "http", "url": "https://a.example", "headers": { "Host": "b" } }),
            "set by hookrail",
        ),
    ] {
        let project = user_hook("BeforeTool", &hook);
        let checked = run(&project, &["check"]);
        assert_eq!(checked.code, Some(1), "{hook}\n{checked}");
        assert!(format!("{checked}").contains(why), "{hook}\n{checked}");
        let ran = fire(&project, "BeforeTool");
        assert_eq!((ran.code, &ran.json()["blockCause"]), (Some(2), &json!("failure")), "{hook}\n{ran}");
    }
}

#[test]
fn a_short_timeout_of_a_service_is_no_finding() {
    let hook = json!({ "type": "http", "url": "https://policy.example/hook", "timeout": 300 });
    let checked = run(&user_hook("BeforeTool", &hook), &["check"]);
    assert_eq!(checked.code, Some(0), "{checked}");
    assert!(!format!("{checked}").contains("short"), "{checked}");
}

#[test]
fn a_file_of_headers_is_private_or_the_hook_fails() {
    type Attack = fn(&Path);
    let attacks: [(&str, Attack); 10] = [
        ("mode 0644", |file| mode(file, 0o644)),
        ("mode 0660", |file| mode(file, 0o660)),
        ("gone", |file| fs::remove_file(file).unwrap()),
        ("a link", |file| {
            fs::rename(file, file.with_extension("real")).unwrap();
            symlink(file.with_extension("real"), file).unwrap();
        }),
        ("a folder", |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        }),
        ("a pipe", |file| {
            fs::remove_file(file).unwrap();
            make_pipe(file);
        }),
        ("huge", |file| fs::write(file, format!("{{\"a\":\"{}\"}}", "b".repeat(70_000))).unwrap()),
        ("no JSON", |file| fs::write(file, "Authorization: x").unwrap()),
        ("no text", |file| fs::write(file, b"{\"a\":\"\xff\"}").unwrap()),
        ("a header that is two", |file| fs::write(file, r#"{"a":"b\r\nHost: c"}"#).unwrap()),
    ];
    for (what, attack) in attacks {
        let server = Server::start(vec![ok("{}")]);
        let project = TestProject::new();
        let file = headers_file(&project, "{}");
        let mut hook = http(&server.url());
        hook["headersFile"] = json!("~/headers.json");
        project
            .user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } }));
        assert_eq!(run(&project, &["check"]).code, Some(0), "before: {what}");
        assert_eq!(fire(&project, "BeforeTool").code, Some(0), "before: {what}");
        attack(&file);
        let checked = run(&project, &["check"]);
        assert_eq!(checked.code, Some(1), "{what}\n{checked}");
        assert!(format!("{checked}").contains("headersFile"), "{what}\n{checked}");
        let ran = fire(&project, "BeforeTool");
        assert_eq!((ran.code, &ran.json()["blockCause"]), (Some(2), &json!("failure")), "{what}\n{ran}");
        assert_eq!(server.received().len(), 1, "{what}: nothing more is sent");
    }
}

/// A file of another user is refused even where it can be read. Only root can make one.
#[test]
fn a_file_of_headers_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let server = Server::start(vec![ok("{}")]);
    let project = TestProject::new();
    let file = headers_file(&project, "{}");
    std::os::unix::fs::chown(&file, Some(65_534), None).unwrap();
    let mut hook = http(&server.url());
    hook["headersFile"] = json!(file);
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } }));
    assert_eq!(run(&project, &["check"]).code, Some(1));
    assert_eq!(fire(&project, "BeforeTool").code, Some(2));
    assert!(server.received().is_empty());
}

#[test]
fn a_projects_service_is_asked_once_it_is_approved_as_it_is() {
    let server = Server::start(vec![ok(DENY)]);
    let project = TestProject::new();
    headers_file(&project, "{}");
    let with = |fields: Value| {
        let mut hook = http(&server.url());
        for (key, value) in fields.as_object().unwrap() {
            hook[key] = value.clone();
        }
        project.settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } }));
    };
    with(json!({}));
    assert_eq!(fire(&project, "BeforeTool").code, Some(0));
    assert!(server.received().is_empty(), "nothing is sent for a project that nobody approved");
    let shown = run(&project, &["trust"]);
    assert!(shown.stdout.contains(&server.url()), "{shown}");
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    assert_eq!(fire(&project, "BeforeTool").code, Some(2));
    let asked = server.received().len();
    assert_eq!(asked, 1);
    for changed in [
        json!({ "url": format!("{}/other", server.url()) }),
        json!({ "headers": { "X-Team": "blue" } }),
        json!({ "headersFile": "~/headers.json" }),
    ] {
        with(changed.clone());
        let ran = fire(&project, "BeforeTool");
        assert_eq!(ran.code, Some(2), "an approved guard that changed blocks: {changed}\n{ran}");
        assert_eq!(server.received().len(), asked, "it is not asked: {changed}");
        assert_eq!(run(&project, &["trust"]).code, Some(1), "it waits: {changed}");
    }
}

/// `check` is not among them: it shows the line of the settings in which the mistake is.
#[test]
fn what_is_secret_in_an_address_is_shown_nowhere() {
    let server = Server::start(vec![sized("500 No", "", "")]);
    let url = server.url().replace("http://", "http://me:hunter2@") + "/hook?key=k3y";
    for project in [
        user_hook("BeforeTool", &json!({ "type": "http", "url": url })),
        user_hook("BeforeTool", &json!({ "type": "http", "url": url.replace("127.0.0.1", "10.0.0.1") })),
    ] {
        let mut told = String::new();
        for args in [
            &["list"][..],
            &["list", "--format", "json"],
            &["explain", "BeforeTool"],
            &["fire", "BeforeTool"],
            &["fire", "BeforeTool", "--format", "json"],
            &["log"],
            &["doctor"],
        ] {
            told += &run(&project, args).to_string();
        }
        told += &fs::read_to_string(log_path(&project)).unwrap_or_default();
        for secret in ["hunter2", "k3y"] {
            let line = told.lines().find(|line| line.contains(secret));
            assert_eq!(line, None, "{secret}");
        }
    }
    let head = server.received().remove(0).head;
    assert!(head.contains("Basic bWU6aHVudGVyMg==") || head.contains("basic bWU6aHVudGVyMg=="), "{head}");
}

#[test]
fn two_hooks_with_the_same_address_are_both_asked() {
    let server = Server::start(vec![ok("{}"), ok(DENY)]);
    let (mut one, mut two) = (http(&server.url()), http(&server.url()));
    (one["name"], two["name"]) = (json!("one"), json!("two"));
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [one, two] }] }));
    assert_eq!(fire(&project, "BeforeTool").code, Some(2));
    assert_eq!(server.received().len(), 2);
}

#[test]
fn conditions_and_names_work_as_for_commands() {
    let server = Server::start(vec![ok(DENY)]);
    let mut hook = http(&server.url());
    hook["when"] = json!({ "tool": "write_file" });
    let project = user_hook("BeforeTool", &hook);
    assert_eq!(run(&project, &["fire", "BeforeTool", "--tool", "read_file"]).code, Some(0));
    assert_eq!(server.received().len(), 0);
    assert_eq!(run(&project, &["fire", "BeforeTool", "--tool", "write_file"]).code, Some(2));
    assert_eq!(run(&project, &["disable", "it"]).code, Some(0));
    assert_eq!(run(&project, &["fire", "BeforeTool", "--tool", "write_file"]).code, Some(0));
}

#[test]
fn agents_behind_the_bridge_get_the_answer() {
    for (script, reason) in [(ok(DENY), "not on a Friday"), (sized("503 Away", "", ""), "status 503")] {
        let server = Server::start(vec![script]);
        let project = user_hook("BeforeTool", &http(&server.url()));
        let ran = bridge(&project, "claude", "PreToolUse-Bash", &json!({}));
        let output = &ran.json()["hookSpecificOutput"];
        assert_eq!(output["permissionDecision"], "deny", "{ran}");
        assert!(output["permissionDecisionReason"].as_str().unwrap().contains(reason), "{ran}");
        assert_eq!(server.received().len(), 1);
    }
    let server = Server::start(vec![ok("{}")]);
    let project = user_hook("BeforeTool", &http(&server.url()));
    let ran = bridge(&project, "claude", "PreToolUse-Bash", &json!({}));
    assert!(!ran.stdout.contains("deny") && ran.code == Some(0), "{ran}");
}

#[test]
fn clients_of_serve_get_the_answer() {
    let server = Server::start(vec![ok("{}"), ok(DENY), vec![]]);
    let project = user_hook("BeforeTool", &http(&server.url()));
    for (blocked, cause) in [(false, Value::Null), (true, json!("policy")), (true, json!("failure"))] {
        let request = json!({ "type": "hook-execution-request", "eventName": "BeforeTool", "correlationId": "1",
            "input": { "tool_name": "write_file", "tool_input": {} } });
        let ran = run_with_stdin(&project, &["serve"], &format!("{request}\n"));
        let answer: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
        let told = answer.to_string();
        assert_eq!(told.contains(r#""blocked":true"#), blocked, "{told}");
        assert!(cause.is_null() || told.contains(&format!("\"blockCause\":{cause}")), "{told}");
    }
}

#[test]
fn the_agent_is_stopped_by_a_service() {
    let server = Server::start(vec![ok(DENY), vec![]]);
    let run = Scenario::new()
        .calls(&[write("a.txt", "x")])
        .calls(&[write("b.txt", "x")])
        .says("Done.")
        .hook_with("BeforeTool", "", json!({ "type": "http", "url": server.url() }))
        .run("go");
    run.expect(0, "Done.\n");
    assert_eq!(run.tools(), ["write_file blocked", "write_file blocked"], "{}", run.shown());
    assert!(!run.project.dir().join("a.txt").exists() && !run.project.dir().join("b.txt").exists());
    assert_eq!(server.received().len(), 2);
}

/// The server of the page, taken from it word by word.
#[test]
fn the_ten_lines_of_the_page_decide() {
    struct Ended(std::process::Child);
    impl Drop for Ended {
        fn drop(&mut self) {
            drop(self.0.kill());
            drop(self.0.wait());
        }
    }
    let page = include_str!("../../../../docs/http-hooks.md");
    let code = page.split("```python file=policy.py\n").nth(1).unwrap().split("```").next().unwrap();
    let project = TestProject::new();
    let file = project.file("policy.py", code);
    let mut service = Ended(
        std::process::Command::new("python3")
            .arg(file)
            .arg("0")
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap(),
    );
    let mut url = String::new();
    let stdout = service.0.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut url).unwrap();
    project.user_settings(
        &json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [http(url.trim())] }] } }),
    );
    for (command, code) in [("git push", 2), ("git status", 0)] {
        let input = json!({ "command": command }).to_string();
        let ran = run(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &input]);
        assert_eq!(ran.code, Some(code), "{ran}");
    }
}
