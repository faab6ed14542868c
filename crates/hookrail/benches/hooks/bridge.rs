//! P11: a call of `hookrail bridge` for which no hook listens, to an empty program that reads and parses the same stdin.

use std::io::Read as _;

use serde_json::{Value, json};

use crate::args::Args;
use crate::floor::Floor;
use crate::program::{Program, project, variables};
use crate::report::{Report, Target, time};
use crate::stats::{duel, median};

const BENCH: &str = "P11 bridge, no matching hook, wall";

/// The empty program: this one again.
pub(crate) fn parse() {
    let mut stdin = Vec::new();
    std::io::stdin().read_to_end(&mut stdin).expect("reads stdin");
    let value: Value = serde_json::from_slice(&stdin).expect("stdin is JSON");
    assert!(value.is_object(), "an agent sends an object");
}

/// Compares a call of another agent with the start of a program.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let program = match Program::build("bridge") {
        Ok(program) => program,
        Err(why) => return report.skip(BENCH, &why),
    };
    let project =
        project(r#"{"matcher": "write_file", "hooks": [{"type": "command", "command": "exit 2"}]}"#);
    let payload = json!({
        "session_id": "bench", "transcript_path": "", "cwd": project.path(), "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t",
        "tool_input": { "command": "cargo test --workspace", "description": "run the tests" },
    });
    let payload = payload.to_string().into_bytes();
    let bridge =
        Floor::program(&[program.path(), "bridge", "claude", "PreToolUse"], &variables(project.path()));
    // The first event of a session is remembered; the others are what there are many of.
    for said in bridge.run(&payload).into_iter().chain(bridge.run(&payload)) {
        let words = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.code == 0 && said.stdout.is_empty(), "`hookrail bridge` is silent: {words}");
    }
    let this = std::env::current_exe().expect("this program has a path");
    let empty = Floor::program(&[this.to_str().expect("a plain path"), "child-parse"], &[]);
    let duel = duel(args.budget(), || drop(empty.run(&payload)), || drop(bridge.run(&payload)));
    let (ours, base) = (median(&duel.ours.wall), median(&duel.base.wall));
    let detail = format!("{}, empty program {}", time(ours), time(base));
    report.add(BENCH, duel.wall(), Target::AtMost(1.8), detail);
}
