//! The agent under pressure: hooks with huge answers, and a session log that no program reads.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use hookrail_testkit::make_pipe;
use serde_json::json;

use crate::agent_scenario::{Scenario, write};
use crate::fire_limits::{huge_answer, peak_until_end};

/// Eight hooks at once, each with an answer that is small as text and huge as a tree.
#[test]
fn huge_answers_are_failures_in_bounded_memory() {
    // The deadline is of the hooks. Writing what they printed into an unoptimised program's log takes its time, too.
    let timeout = Duration::from_mins(1);
    for (file, open, close) in [("numbers.json", "[", "]"), ("keys.json", "{", "}")] {
        let mut scenario = Scenario::new().calls(&[write("a.txt", "x")]).says("Done.");
        huge_answer(
            &scenario.project,
            file,
            open,
            |n| if open == "[" { "0".to_owned() } else { format!("\"k{n:07}\":[]") },
            close,
        );
        for n in 0..8 {
            let fields = json!({ "timeout": timeout.as_millis(), "onFailure": "block" });
            scenario = scenario.hook_with("BeforeTool", format!("cat {file}; true {n}"), fields);
        }
        let begin = Instant::now();
        let mut command = scenario.command();
        let out = fs::File::create(scenario.project.dir().join("out")).unwrap();
        let mut child = command
            .args(["-p", "hi"])
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let peak = peak_until_end(&mut child);
        assert_eq!(child.wait().unwrap().code(), Some(0), "R15: {file}");
        assert!(begin.elapsed() < timeout, "R15: {file}: {:?}", begin.elapsed());
        assert!(peak < 700_000_000, "R15: {file}: {peak} bytes");
        assert_eq!(scenario.project.read("out"), "Done.\n");
        assert!(
            !scenario.project.dir().join("a.txt").exists(),
            "R15: {file}: none of the eight gave a verdict"
        );
        let log = fs::read_to_string(scenario.log_path()).unwrap();
        let failed = log.lines().filter(|line| line.contains("more values than are read")).count();
        // Each hook, and the call that they block.
        assert!(failed >= 9, "R15: {file}: {failed} lines tell of it");
    }
}

/// A pipe in place of the log: without a reader it is refused with a message, with one that does not read there is a
/// warning that the log is not complete.
#[test]
fn a_pipe_in_place_of_the_session_log_delays_nothing() {
    for (is_opened, code) in [(false, 1), (true, 0)] {
        // More than fits into a pipe.
        let scenario = Scenario::new().says(&"word ".repeat(100_000));
        let log = scenario.log_path();
        make_pipe(&log);
        let reader = is_opened.then(|| fs::File::options().read(true).write(true).open(&log).unwrap());
        let output = scenario.command().args(["-p", "hi"]).stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        let said = if is_opened { "is not complete" } else { "cannot write the session log" };
        assert!(stderr.contains(said), "{stderr}");
        drop(reader);
    }
}
