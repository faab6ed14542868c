//! `cargo xtask agents --claude-hooks`: what Claude Code itself does with the hooks that the tests run behind other agents.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use hookrail_live::{Call, PROGRAMS, RunAlone, Turn, run_alone};
use serde_json::{Map, Value, json};

use super::installed;

/// The scripts, and `hooks.json` with what is expected of each.
const FOLDER: &str = "crates/hookrail-testkit/claude-hooks";

/// Runs every hook in Claude Code, prints a table and writes `seen.json`; fails where something else came of one.
pub(super) fn compare(root: &Path) -> Result<String> {
    let program = PROGRAMS.iter().find(|program| program.name == "claude").context("no such agent")?;
    let executable = installed::install(program)?;
    let version = installed::version(program)?;
    let folder = root.join(FOLDER);
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(folder.join("hooks.json"))?)?;
    let mut seen = Map::new();
    let mut table = format!("| hook | {} {version} |\n|---|---|\n", program.title);
    for case in &cases {
        let name = text(case, "name");
        let prompt = case.get("prompt").and_then(Value::as_str).unwrap_or("do the task");
        let run = run_alone(program, &executable, prompt, |work| set_up(&folder, case, work))?;
        let differences = differences(case, &run);
        let words = if differences.is_empty() { "as expected".to_owned() } else { differences.join("; ") };
        eprintln!("{name}: {words}");
        let _ = writeln!(table, "| {name} | {words} |");
        seen.insert(name.to_owned(), words.into());
    }
    let differing = seen.values().filter(|words| *words != "as expected").count();
    let date = Command::new("date").args(["-u", "+%F"]).output()?.stdout;
    let date = String::from_utf8(date)?.trim().to_owned();
    let record = json!({ "agent": program.title, "version": version, "date": date, "hooks": seen });
    fs::write(folder.join("seen.json"), serde_json::to_string_pretty(&record)? + "\n")?;
    if differing > 0 {
        bail!("{table}\n{differing} of {} hooks do something else in {}", cases.len(), program.title);
    }
    Ok(table)
}

/// Fills the project of a case, and says what the model calls.
fn set_up(folder: &Path, case: &Value, work: &Path) -> Result<Vec<Turn>> {
    let made = Command::new("git").args(["init", "-q", "-b", "main"]).arg(work).status()?;
    if !made.success() {
        bail!("git cannot make a repository");
    }
    let hooks = work.join(".claude/hooks");
    fs::create_dir_all(&hooks)?;
    for script in fs::read_dir(folder)? {
        let script = script?;
        let copy = hooks.join(script.file_name());
        fs::copy(script.path(), &copy)?;
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755))?;
    }
    let settings = json!({ "hooks": case.get("hooks") });
    fs::write(work.join(".claude/settings.json"), settings.to_string())?;
    for (name, content) in case.get("files").and_then(Value::as_object).into_iter().flatten() {
        let file = work.join(name);
        fs::create_dir_all(file.parent().context("a folder")?)?;
        fs::write(file, content.as_str().unwrap_or_default())?;
    }
    let calls = case.get("calls").and_then(Value::as_array).into_iter().flatten().map(|call| {
        let mut input = call.get("input").cloned().unwrap_or_default();
        if let Some(Value::String(file)) = input.get_mut("file_path") {
            *file = work.join(&*file).to_string_lossy().into_owned();
        }
        Turn::Calls(vec![Call::new(text(call, "tool"), input)])
    });
    Ok(calls.collect())
}

/// What is not as expected.
fn differences(case: &Value, run: &RunAlone) -> Vec<String> {
    let expect = case.get("expect").cloned().unwrap_or_default();
    let mut differences = Vec::new();
    for (name, expected) in expect.get("files").and_then(Value::as_object).into_iter().flatten() {
        let found = fs::read_to_string(run.work.join(name)).ok();
        let is_it = match (expected.as_str(), &found) {
            (None, found) => found.is_none(),
            (Some(expected), Some(found)) => found.contains(expected),
            (Some(_), None) => false,
        };
        if !is_it {
            differences.push(format!("`{name}` is {found:?}"));
        }
    }
    let texts = |key: &str| expect.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let reached =
        |text: &Value| text.as_str().is_some_and(|text| run.calls.iter().any(|call| call.contains(text)));
    differences.extend(
        texts("model")
            .iter()
            .filter(|text| !reached(text))
            .map(|text| format!("{text} did not reach the model")),
    );
    differences.extend(
        texts("notModel").iter().filter(|text| reached(text)).map(|text| format!("{text} reached the model")),
    );
    if run.calls.is_empty() != (expect.get("prompt").is_some_and(|word| word == "refused")) {
        differences.push(format!("the model was called {} times", run.calls.len()));
    }
    differences
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
