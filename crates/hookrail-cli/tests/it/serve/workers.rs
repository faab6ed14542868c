//! Workers of a server: kept between events and over a reload, gone with it.

use super::*;

/// Blocks every event; writes down each process of itself.
const WORKER: &str = r#"
import json, os, sys
with open(sys.argv[1], "a") as file:
    print(os.getpid(), file=file)
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block", "reason": "no"}}), flush=True)
"#;

struct Desk {
    project: TestProject,
    script: PathBuf,
    pids: PathBuf,
}

impl Desk {
    fn new() -> Self {
        let project = TestProject::new();
        let (script, pids) = (project.home().join("worker.py"), project.home().join("pids"));
        std::fs::create_dir_all(project.home()).unwrap();
        std::fs::write(&script, WORKER).unwrap();
        let desk = Self { project, script, pids };
        desk.settings("", 60_000);
        desk
    }

    /// The user's settings: one worker, with this argument more.
    fn settings(&self, argument: &str, timeout: u64) {
        let command = format!("python3 {} {} {argument}", self.script.display(), self.pids.display());
        let hook = json!({ "type": "command", "command": command, "worker": true, "timeout": timeout });
        let settings = json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } });
        self.project.user_settings(&settings);
    }

    /// The processes that were started so far.
    fn pids(&self) -> Vec<u32> {
        let text = std::fs::read_to_string(&self.pids).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }

    fn assert_blocks(server: &mut Server, id: &str) {
        let answer = server.ask(&tool_request(id, "t"));
        assert_eq!(answer["output"]["blocked"], true, "{answer}");
    }

    /// Has the server read its settings again.
    fn reload(server: &mut Server, id: &str) {
        server.signal(Signal::HUP);
        // The signal is obeyed before what is asked after it, or a moment later: a worker that is to stay does so
        // in any case, and one that is to end is waited for.
        Self::assert_blocks(server, id);
    }
}

#[test]
fn a_worker_stays_over_a_reload_unless_its_hook_changed() {
    let desk = Desk::new();
    let mut server = Server::start(&desk.project, &[]);
    assert!(desk.pids().is_empty(), "nothing is started before an event needs it");
    for id in ["1", "2", "3"] {
        Desk::assert_blocks(&mut server, id);
    }
    let first = desk.pids();
    assert_eq!(first.len(), 1, "one process for all events");

    desk.settings("", 50_000);
    for id in ["4", "5", "6"] {
        Desk::reload(&mut server, id);
    }
    assert_eq!(desk.pids(), first, "its command did not change");

    desk.settings("other", 60_000);
    server.signal(Signal::HUP);
    wait_for_end_of(first[0]);
    Desk::assert_blocks(&mut server, "7");
    let second = desk.pids()[1];
    assert!(process_is_alive(second));
    server.finish();
    wait_for_end_of(second);
}

#[test]
fn a_worker_ends_when_the_approval_of_its_hook_is_withdrawn() {
    let desk = Desk::new();
    desk.project.user_settings(&json!({ "enableHooks": true }));
    let command = format!("python3 {} {}", desk.script.display(), desk.pids.display());
    let hook = json!({ "name": "guard", "type": "command", "command": command, "worker": true });
    desk.project.settings(&json!({ "hooks": { "BeforeTool": [{ "hooks": [hook] }] } }));
    let trust = |arguments: &[&str]| {
        let output =
            program(&desk.project).arg("trust").args(arguments).output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    trust(&["--yes"]);
    let mut server = Server::start(&desk.project, &[]);
    Desk::assert_blocks(&mut server, "1");
    let worker = desk.pids()[0];

    trust(&["--revoke", "guard"]);
    server.signal(Signal::HUP);
    wait_for_end_of(worker);
    let answer = server.ask(&tool_request("2", "t"));
    assert_ne!(answer["output"]["blocked"], true, "a hook that is not approved does not run: {answer}");
    assert_eq!(desk.pids(), [worker], "nothing was started for it");

    trust(&["--yes"]);
    server.signal(Signal::HUP);
    wait_until(LIMIT, "the hook runs again", || {
        server.ask(&tool_request("again", "t"))["output"]["blocked"] == true
    });
    assert_eq!(desk.pids().len(), 2);
    server.finish();
}

#[test]
fn a_killed_server_leaves_no_worker() {
    let desk = Desk::new();
    let mut server = Server::start(&desk.project, &[]);
    Desk::assert_blocks(&mut server, "1");
    let pids = desk.pids();
    server.signal(Signal::KILL);
    let _ = server.wait();
    wait_for_end_of(pids[0]);
}

#[test]
fn fire_ends_its_worker() {
    let desk = Desk::new();
    let output = program(&desk.project)
        .args(["fire", "BeforeTool", "--format", "json", "--repeat", "3"])
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let pids = desk.pids();
    assert_eq!(pids.len(), 1, "one process for all three");
    assert!(!process_is_alive(pids[0]), "it is gone before the program is");
}
