//! `kill -9` at random moments: settings and approvals are never torn or lost, the session log loses at most its
//! last line, and running hooks end by themselves. Several programs at once lose no update.
//!
//! Forty kills by default; `HOOKRAIL_CRASHES=400` makes it hundreds. Process death, not power loss.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookrail_testkit::{TestProject, make_pipe, process, wait_until};
use serde_json::{Value, json};

use crate::agent_scenario::{Scenario, write};
use crate::program::{Ran, hookrail};

/// Enough for anything on a busy machine.
const LONG: Duration = Duration::from_mins(1);

/// How many kills this part of the tests makes; the four parts share the total.
fn kills(share: u32) -> u32 {
    let total = std::env::var("HOOKRAIL_CRASHES").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    (total * share).div_ceil(40)
}

/// Moments spread over the time that a command takes when it is not killed, and a little beyond.
struct Moments {
    span: Duration,
    state: u64,
}

impl Moments {
    /// Takes the time of one undisturbed run.
    fn of(undisturbed: impl FnOnce()) -> Self {
        let begin = Instant::now();
        undisturbed();
        let state = u64::from(std::process::id()) << 17 | 1;
        Self { span: begin.elapsed() * 11 / 10, state }
    }

    fn next(&mut self) -> Duration {
        // Knuth's multiplier: any odd mess will do, what matters is that the moments differ.
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.span.mul_f64(f64::from(u32::try_from(self.state >> 32).unwrap()) / f64::from(u32::MAX))
    }
}

/// Starts a program, waits, and kills it without a word. Says whether it was still there.
fn kill_after(mut command: Command, moment: Duration) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(moment);
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

const SETTINGS: &str = r#"{
  // A comment that must survive.
  "theme": "dark", "enableHooks": true,
  "hooks": { "BeforeTool": [
    { "hooks": [{ "type": "command", "command": "true", "name": "guard" }] },
  ] },
}
"#;

#[test]
fn settings_survive_a_kill_of_enable_and_disable() {
    let project = TestProject::new();
    fs::create_dir_all(project.home().join(".hookrail")).unwrap();
    fs::write(project.user_settings_path(), SETTINGS).unwrap();
    let mut moments = Moments::of(|| assert_eq!(Ran::new(&project, &["disable", "guard"]).code, Some(0)));
    let mut interrupted = 0;
    for round in 0..kills(10) {
        let verb = if round % 2 == 0 { "enable" } else { "disable" };
        let moment = moments.next();
        interrupted += u32::from(kill_after(hookrail(&project, &[verb, "guard"]), moment));
        let text = fs::read_to_string(project.user_settings_path()).unwrap();
        assert!(text.contains("// A comment that must survive."), "{verb} after {moment:?}: {text}");
        assert!(text.trim_end().ends_with('}') && text.contains("\"theme\": \"dark\""), "torn: {text}");
        let list = Ran::new(&project, &["list", "--format", "json"]);
        assert_eq!(list.code, Some(0), "{}", list.shown());
        assert_eq!(list.json()["hooks"].as_array().map(Vec::len), Some(1), "{}", list.shown());
    }
    assert!(interrupted > 0, "no kill came in time");
    // A program that was killed does not delay the next ones.
    for (verb, enabled) in [("disable", false), ("enable", true)] {
        assert_eq!(Ran::new(&project, &[verb, "guard"]).code, Some(0));
        let list = Ran::new(&project, &["list", "--format", "json"]).json();
        assert_eq!(list["hooks"][0]["enabled"], enabled, "{verb}");
    }
}

#[test]
fn approvals_survive_a_kill_of_trust() {
    let project = TestProject::new();
    let hooks = |n: u32| {
        json!({ "enableHooks": true, "hooks": { "BeforeTool": (0..=n).map(|n| {
            json!({ "hooks": [{ "type": "command", "name": format!("h{n}"), "command": format!("echo {n}") }] })
        }).collect::<Vec<_>>() } })
    };
    project.settings(&hooks(0));
    let mut moments = Moments::of(|| assert_eq!(Ran::new(&project, &["trust", "--yes"]).code, Some(0)));
    let approvals = project.home().join(".hookrail/approvals.json");
    let count = || {
        let store: Value = serde_json::from_str(&fs::read_to_string(&approvals).unwrap()).unwrap();
        let project = store["projects"].as_object().unwrap().values().next().unwrap().clone();
        project["hooks"].as_array().unwrap().len()
    };
    let mut known = 1;
    for round in 1..=kills(10) {
        project.settings(&hooks(round));
        kill_after(hookrail(&project, &["trust", "--yes"]), moments.next());
        let now = count();
        assert!(now >= known, "approvals were lost: {known} before, {now} now");
        known = now;
        let list = Ran::new(&project, &["trust", "--list"]);
        assert_eq!(list.code, Some(0), "{}", list.shown());
    }
    assert_eq!(Ran::new(&project, &["trust", "--yes"]).code, Some(0));
    assert_eq!(count(), usize::try_from(kills(10)).unwrap() + 1, "all of them in the end");
}

/// Each line but the last is a whole record, and `hookrail log` reads the file.
fn check_log(project: &TestProject, log: &Path, context: &str) {
    let Ok(text) = fs::read_to_string(log) else { return };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (number, line) in lines.iter().enumerate() {
        let whole = serde_json::from_str::<Value>(line).is_ok();
        assert!(whole || number + 1 == lines.len(), "{context}: line {number} is torn: {line:?}");
    }
    let shown = Ran::new(project, &["log", log.to_str().unwrap()]);
    assert_eq!(shown.code, Some(0), "{context}: {}", shown.shown());
}

#[test]
fn the_session_log_survives_a_kill_of_the_agent_and_hooks_end_by_themselves() {
    let scenario = |mark: &str| {
        let mut scenario = Scenario::new().env(process::MARK, mark);
        for round in 0..6 {
            scenario = scenario.calls(&[write(&format!("{round}.txt"), "x")]);
        }
        scenario
            .says("Done.")
            .hook("BeforeTool", "cat > /dev/null; sleep 0.1; echo '{\"systemMessage\":\"seen\"}'")
    };
    let prompted = |scenario: &Scenario| {
        let mut command = scenario.command();
        command.args(["-p", "go"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let undisturbed = scenario("crash-0");
    let mut moments = Moments::of(|| assert!(prompted(&undisturbed).status().unwrap().success()));
    for round in 1..=kills(10) {
        let mark = format!("crash-{}-{round}", std::process::id());
        let scenario = scenario(&mark);
        let moment = moments.next();
        kill_after(prompted(&scenario), moment);
        check_log(&scenario.project, &scenario.log_path(), &format!("killed after {moment:?}"));
        // They are not killed: their pipes are closed, and they end by themselves.
        wait_until(LONG, "the end of the hooks", || process::marked(&mark).is_empty());
    }
}

/// Requests from stdin, of which no answer may be half a line, however the server ends.
#[test]
fn a_killed_server_answers_in_whole_lines_and_its_hooks_end_by_themselves() {
    let project = TestProject::new();
    let hook = json!({ "type": "command", "command": "cat > /dev/null; sleep 0.1; echo '{\"systemMessage\":\"seen\"}'" });
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } }));
    let requests: String = (0..20)
        .map(|id| {
            let input = json!({ "tool_name": "ls", "tool_input": {} });
            let id = id.to_string();
            json!({ "type": "hook-execution-request", "eventName": "BeforeTool", "correlationId": id, "input": input })
                .to_string()
                + "\n"
        })
        .collect();
    let file = project.file("requests.jsonl", &requests);
    let answers = project.dir().join("answers.jsonl");
    let serve = |mark: &str| {
        let mut command = hookrail(&project, &["serve"]);
        command.env(process::MARK, mark).stdin(fs::File::open(&file).unwrap());
        command.stdout(fs::File::create(&answers).unwrap()).stderr(Stdio::null());
        command
    };
    let answered = || {
        let text = fs::read_to_string(&answers).unwrap();
        for line in text.lines() {
            let answer: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(answer["success"], true, "{line}");
        }
        text.lines().count()
    };
    let mut moments = Moments::of(|| assert!(serve("crash-serve").status().unwrap().success()));
    assert_eq!(answered(), 20);
    for round in 1..=kills(10) {
        let mark = format!("crash-serve-{}-{round}", std::process::id());
        let mut child = serve(&mark).spawn().unwrap();
        std::thread::sleep(moments.next());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(answered() <= 20, "each request is answered once at most");
        wait_until(LONG, "the end of the hooks", || process::marked(&mark).is_empty());
    }
}

#[test]
fn several_programs_at_once_lose_no_update() {
    let first = TestProject::new();
    fs::create_dir_all(first.home().join(".hookrail")).unwrap();
    let hooks = |n: usize| json!([{ "hooks": [{ "type": "command", "name": format!("h{n}"), "command": format!("echo {n}") }] }]);
    let names: Vec<String> = (0..6).map(|n| format!("u{n}")).collect();
    let users: Vec<Value> = names
        .iter()
        .map(|name| json!({ "hooks": [{ "type": "command", "name": name, "command": format!("echo {name}") }] }))
        .collect();
    first.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": users } }));
    let others: Vec<TestProject> = (0..6).map(|_| TestProject::new()).collect();

    // One home for all: six projects are approved while six hooks are disabled.
    let mut running = Vec::new();
    for (n, (project, name)) in others.iter().zip(&names).enumerate() {
        project.settings(&json!({ "hooks": { "BeforeTool": hooks(n) } }));
        let mut trust = hookrail(project, &["trust", "--yes"]);
        trust.env("HOME", first.home()).env("HOOKRAIL_HOME", first.home());
        for mut command in [trust, hookrail(&first, &["disable", name])] {
            running.push(command.stdout(Stdio::null()).spawn().unwrap());
        }
    }
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let list = Ran::new(&first, &["list", "--format", "json"]).json();
    for hook in list["hooks"].as_array().unwrap() {
        assert_eq!(hook["enabled"], false, "the update of {} was lost", hook["name"]);
    }
    for project in &others {
        let mut list = hookrail(project, &["list", "--format", "json"]);
        list.env("HOME", first.home()).env("HOOKRAIL_HOME", first.home());
        let shown = Ran::in_project(project, list).json();
        let own: Vec<_> =
            shown["hooks"].as_array().unwrap().iter().filter(|hook| hook["approved"] == "approved").collect();
        assert_eq!(own.len(), 1, "the approval was lost: {shown}");
    }
}

/// A repository may put a link to a device, or a pipe, where a file is expected. Neither has an end.
#[test]
fn devices_and_pipes_are_not_read_as_files() {
    let project = TestProject::new();
    let pipe = project.dir().join("pipe");
    make_pipe(&pipe);
    for (target, is_pipe) in [(Path::new("/dev/zero"), false), (&pipe, true)] {
        for file in ["given", ".claude/settings.json", ".hookrail/settings.json"] {
            let file = project.dir().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&file);
            symlink(target, &file).unwrap();
        }
        let policy = [
            "policy",
            "make",
            "given",
            "--version",
            "1",
            "--audience",
            "a",
            "--expires",
            "2030-01-01",
            "-o",
            "x",
        ];
        for args in [
            &["import", "claude", "given"][..],
            &["connect", "claude", "--project"],
            &["disconnect", "claude", "--project"],
            &["mcp", "wrap", "given"],
            &["rules", "enable", "no-force-push", "--project"],
            &policy,
        ] {
            let ran = Ran::new(&project, args);
            assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.stderr);
            assert!(ran.stderr.contains("it is not a regular file"), "{args:?}: {}", ran.stderr);
        }
        // It is told about at every command, in the same words.
        fs::remove_file(project.dir().join(".hookrail/settings.json")).unwrap();
        for args in [&["replay", "given"][..], &["fire", "BeforeTool", "--payload", "given"]] {
            let ran = Ran::new(&project, args);
            assert!(matches!(ran.code, Some(1 | 64)), "{args:?}: {}", ran.stderr);
            // A pipe may be what another program writes to.
            assert_eq!(ran.stderr.contains("it is not a regular file"), !is_pipe, "{args:?}: {}", ran.stderr);
        }
    }
}
