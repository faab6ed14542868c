//! `hookrail statusline claude`: a short form of the state for Claude Code's status line.
//!
//! Claude Code runs it after each message and shows what it prints. So it starts nothing, reads little of the log, and
//! never fails: what it cannot find out is left out.

use std::io::Read as _;
use std::path::PathBuf;

use hookrail_bridge::Agent;
use serde_json::Value;

use super::status::guard_state;
use crate::cli::{Places, StatuslineAgent, StatuslineArgs};
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::hook_log::{self, LoggedDecision, OpenLogs};
use crate::terminal::printer::{Printer, escape_line};
use crate::terminal::style::{Style, paint};

/// How much of what the agent writes is read; its status has about 2 KB.
const MOST_INPUT: u64 = 256 * 1024;

/// How much of the log is looked at: some thousand decisions.
const MOST_LOG: u64 = 2_000_000;

/// Why something is not guarded, cut to what a status line has room for.
const MOST_WHY: usize = 80;

pub(crate) fn run(args: &StatuslineArgs, places: &Places, printer: &mut Printer) -> ExitStatus {
    let agent = match args.agent {
        StatuslineAgent::Claude => Agent::Claude,
    };
    let mut given = Vec::new();
    let mut stdin = std::io::stdin().lock();
    let _ = stdin.by_ref().take(MOST_INPUT).read_to_end(&mut given);
    // Whoever writes more must not see a closed pipe.
    let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    let given: Value = serde_json::from_slice(&given).unwrap_or_default();
    let line = line(agent, &given, places).unwrap_or_else(|_| "hookrail: state not known".to_owned());
    // The agent reads it through a pipe and shows colours all the same.
    let _ = printer.data(line);
    ExitStatus::Success
}

fn line(agent: Agent, given: &Value, places: &Places) -> anyhow::Result<String> {
    let text = |pointer: &str| given.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let folder = text("/workspace/project_dir").or_else(|| text("/cwd")).map(PathBuf::from);
    let context = Context::without_project(places, |name| std::env::var_os(name))?;
    let context =
        context.clone().in_project_of(folder.as_deref()).or_else(|_| context.in_project_of(None))?;
    let state = guard_state(agent, &context);
    if let Some(why) = &state.why {
        let why = crate::terminal::layout::fit(&escape_line(why), MOST_WHY);
        return Ok(format!("{} {why}", paint(Style::Red, "hookrail: NOT GUARDED")));
    }
    let counts = text("/session_id").map(|session| counts(session, &context)).unwrap_or_default();
    Ok(format!("{} {}{counts}", paint(Style::BoldGreen, "hookrail"), state.counted()))
}

/// `, 2 blocked, 1 asked`: what came of this session.
fn counts(session: &str, context: &Context) -> String {
    let mut counts =
        [("block", "blocked", 0), ("ask", "asked", 0), ("changed", "changed", 0), ("failed", "failed", 0)];
    let logs = OpenLogs::end_of(&hook_log::path_in(&context.state_dir()), MOST_LOG);
    for decision in
        logs.lines::<LoggedDecision>().map_while(Result::ok).filter(|decision| decision.session_id == session)
    {
        if let Some((.., count)) = counts.iter_mut().find(|(word, ..)| decision.decision == *word) {
            *count += 1;
        }
    }
    let counts = counts.iter().filter(|(.., count)| *count > 0);
    let words: Vec<String> = counts.map(|(_, word, count)| format!(", {count} {word}")).collect();
    words.concat()
}
