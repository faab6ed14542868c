//! `hookrail report --live`: who may read it, what is answered, and what becomes of attempts to get around that.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use hookrail_testkit::{TestProject, wait_until};
use serde_json::{Value, json};

use crate::program::{hookrail, run_with_stdin};

/// Generous: the machine may be busy.
const LIMIT: Duration = Duration::from_mins(1);

const HEADERS: [(&str, &str); 6] = [
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
    ("x-frame-options", "DENY"),
    ("cross-origin-resource-policy", "same-origin"),
    ("content-security-policy", "default-src 'none'; script-src "),
];

struct Live {
    child: Child,
    host: String,
    /// Where the page is, and the code for it.
    path: String,
    code: String,
}

#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

impl Live {
    fn start(project: &TestProject) -> Self {
        let mut child = hookrail(project, &["report", "--live"]).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let rest = address.trim().strip_prefix("http://").unwrap();
        let (host, rest) = rest.split_once('/').unwrap();
        let (path, code) = rest.split_once('#').unwrap();
        assert!(host.starts_with("127.0.0.1:") && code.len() >= 32, "{address}");
        Self { child, host: host.to_owned(), path: format!("/{path}"), code: code.to_owned() }
    }

    /// Sends these bytes and reads to the end.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        // The server may close before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let host = ("Host", self.host.as_str());
        let has_host = headers.iter().any(|(name, _)| *name == "Host");
        let mut text =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers.iter().copied().chain((!has_host).then_some(host)) {
            if !value.is_empty() {
                let _ = write!(text, "{name}: {value}\r\n");
            }
        }
        let answer = self.raw(format!("{text}\r\n{body}").as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn get(&self, place: &str, headers: &[(&str, &str)]) -> Answer {
        self.send("GET", &format!("{}{place}", self.path), headers, "")
    }

    fn post_code(&self, code: &str) -> Answer {
        let origin = format!("http://{}", self.host);
        self.send("POST", &format!("{}session", self.path), &[("Origin", &origin)], code)
    }

    /// Gives the code for a cookie.
    fn cookie(&self) -> String {
        let answer = self.post_code(&self.code);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }

    fn interrupt(mut self) -> ExitStatus {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        self.child.wait().unwrap()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn project() -> TestProject {
    let project = TestProject::new();
    let rule = json!({ "type": "rule", "name": "no-rm", "when": { "command": "rm" }, "block": "</script><b>no\u{2028}</b>" });
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [rule] }] } }));
    decide(&project, "rm first");
    project
}

fn decide(project: &TestProject, line: &str) {
    let payload = json!({ "tool_name": "run_shell_command", "tool_input": { "command": line } });
    run_with_stdin(project, &["fire", "BeforeTool", "--payload", "-"], &payload.to_string());
}

#[test]
fn the_code_works_once_and_only_its_cookie_reads() {
    let project = project();
    let live = Live::start(&project);
    let before = live.get("", &[]);
    assert_eq!(before.status, 200, "{before:?}");
    assert!(!before.body.contains("no-rm") && !before.body.contains(&live.code), "{before:?}");
    for code in ["", "x", &"0".repeat(32), &"0".repeat(10_000)] {
        assert_ne!(live.post_code(code).status, 200, "{code}");
    }
    let given = live.post_code(&live.code);
    let cookie = given.header("set-cookie").unwrap();
    for part in ["; HttpOnly", "; SameSite=Strict", &format!("; Path={}", live.path)] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Domain"), "{cookie}");
    assert_eq!(live.post_code(&live.code).status, 403, "a code is for one browser");
    let cookie = cookie.split(';').next().unwrap();
    let page = live.get("", &[("Cookie", &format!("other=1; {cookie}; x=y"))]);
    assert!(page.body.contains("\"no-rm\"") && page.body.contains("\"live\":true"), "{page:?}");
    assert!(!page.body.contains("<b>no"), "text of the log is never markup");
    for guess in [
        "hookrail=",
        "hookrail=1",
        &format!("{cookie}0"),
        &cookie.to_uppercase(),
        &cookie.replace("hookrail", "x"),
    ] {
        assert!(!live.get("", &[("Cookie", guess)]).body.contains("no-rm"), "{guess}");
        assert_eq!(live.get("updates?after=0", &[("Cookie", guess)]).status, 403, "{guess}");
    }
    assert_eq!(live.get("updates?after=0", &[]).status, 403);
    assert!(live.interrupt().success());
}

#[test]
fn other_addresses_pages_methods_and_paths_get_nothing() {
    let project = project();
    let live = Live::start(&project);
    let cookie = live.cookie();
    let cookie = ("Cookie", cookie.as_str());
    let port = live.host.rsplit(':').next().unwrap();
    let own = format!("http://{}", live.host);
    // A name that leads to 127.0.0.1, by whoever owns the name.
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        &format!("localhost:{port}"),
        "127.0.0.1",
        "127.0.0.1:1",
        "",
    ] {
        let answer = live.get("", &[cookie, ("Host", host)]);
        assert!(matches!(answer.status, 400 | 403), "{host}: {answer:?}");
        assert!(!answer.body.contains("no-rm"), "{host}");
    }
    for origin in [
        "null",
        "http://evil.example",
        "http://127.0.0.1:1",
        &format!("http://localhost:{port}"),
        &format!("https://{}", live.host),
    ] {
        assert_eq!(live.get("updates?after=0", &[cookie, ("Origin", origin)]).status, 403, "{origin}");
        let posted = live.send("POST", &format!("{}session", live.path), &[("Origin", origin)], "x");
        assert_eq!(posted.status, 403, "{origin}");
    }
    let from = |site| {
        live.get("updates?after=0", &[cookie, ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "cors")]).status
    };
    assert_eq!(["same-origin", "none", "same-site", "cross-site"].map(from), [200, 200, 403, 403]);
    assert_eq!(live.get("updates?after=0", &[cookie, ("Origin", &own)]).status, 200);
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"] {
        for place in ["", "updates?after=0"] {
            let answer = live.send(method, &format!("{}{place}", live.path), &[cookie, ("Origin", &own)], "");
            assert_eq!((answer.status, answer.header("allow")), (405, Some("GET")), "{method} {place}");
        }
    }
    assert_eq!(live.get("session", &[cookie]).status, 405);
    for path in [
        "/",
        "/r/",
        "/favicon.ico",
        "/../../etc/passwd",
        "/r/%2e%2e/%2e%2e/etc/passwd",
        "http://evil.example/",
    ] {
        let answer = live.send("GET", path, &[cookie], "");
        assert!(matches!(answer.status, 400 | 403 | 404), "{path}: {answer:?}");
        assert!(!answer.body.contains("root:") && !answer.body.contains("no-rm"), "{path}");
    }
    assert_eq!(live.get("../../etc/passwd", &[cookie]).status, 404);
    for after in ["updates", "updates?after=", "updates?after=-1", "updates?after=x"] {
        assert_eq!(live.get(after, &[cookie]).status, 400, "{after}");
    }
    assert_eq!(live.get("updates?after=999999", &[cookie]).body, "{\"reload\":true}");
    for answer in [
        live.get("", &[cookie]),
        live.get("", &[]),
        live.get("updates?after=0", &[cookie]),
        live.get("x", &[]),
    ] {
        for (name, value) in HEADERS {
            assert!(
                answer.header(name).is_some_and(|found| found.starts_with(value)),
                "{name}: {}",
                answer.head
            );
        }
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{}", answer.head);
    }
}

#[test]
fn what_agents_do_appears_and_nothing_of_it_is_changed() {
    let project = project();
    let live = Live::start(&project);
    let cookie = live.cookie();
    let log = crate::program::log_path(&project);
    decide(&project, "rm second");
    let before = std::fs::read(&log).unwrap();
    let mut update = Value::Null;
    wait_until(LIMIT, "the second decision", || {
        update = serde_json::from_str(&live.get("updates?after=1", &[("Cookie", &cookie)]).body).unwrap();
        update["decisions"].as_array().is_some_and(|list| !list.is_empty())
    });
    assert_eq!(update["decisions"][0]["summary"], "rm second", "{update}");
    assert_eq!(update["cursor"], 2, "{update}");
    assert_eq!(std::fs::read(&log).unwrap(), before);
}

#[test]
fn a_browser_is_started_without_the_code_on_its_command_line() {
    let project = project();
    let opener =
        project.script("bin/xdg-open", "printf '%s' \"$1\" > \"$HOME/opened\"; cat \"$1\" > \"$HOME/read\"");
    let path = format!("{}:/usr/bin:/bin", opener.parent().unwrap().display());
    let mut child = hookrail(&project, &["report", "--live", "--open"]).env("PATH", path).spawn().unwrap();
    let read = project.home().join("read");
    wait_until(LIMIT, "the browser", || {
        std::fs::read_to_string(&read).is_ok_and(|text| text.contains("/r/"))
    });
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let (page, code) = address.trim().split_once('#').unwrap();
    let given = std::fs::read_to_string(project.home().join("opened")).unwrap();
    assert!(!given.contains(code) && !given.contains(page), "{given}");
    assert!(std::fs::read_to_string(&read).unwrap().contains(address.trim()));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(!std::path::Path::new(&given).exists(), "the file is gone with the report");
}

#[test]
fn slow_large_and_many_requests_end() {
    let project = project();
    let live = Live::start(&project);
    let long =
        format!("GET {} HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n", live.path, live.host, "x".repeat(1 << 20));
    let answer = live.raw(long.as_bytes());
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    assert!(!live.raw(b"\x16\x03\x01\0\xff not http\r\n\r\n").contains("no-rm"));
    // More connections than are taken, none of which ever sends its whole head: those beyond are closed at once, the
    // others when their time is over. Then there is room again.
    let start = format!("GET {} HTTP/1.1\r\nHost: {}\r\n", live.path, live.host);
    let mut slow: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&live.host).unwrap()).collect();
    for stream in &mut slow {
        let _ = stream.write_all(start.as_bytes());
    }
    for mut stream in slow {
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let mut rest = Vec::new();
        let ended = stream.read_to_end(&mut rest);
        let timed_out = ended.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
        assert!(!timed_out, "a connection without a request stays open");
    }
    wait_until(LIMIT, "an answer", || live.get("", &[]).status == 200);
}
