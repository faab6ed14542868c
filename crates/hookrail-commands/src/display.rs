//! How paths, origins and hooks are shown, the same in every command.

use std::path::Path;

use hookrail::components::{Exit, HookTrust, Origin};
use hookrail::rules::order;
use hookrail::{Hook, JsonObject};
use hookrail_shell::quote;
use serde_json::{Value, json};

use crate::context::Context;
use crate::terminal::printer::escape_line;

/// A hook's name as an operand on a command line of ours.
pub(crate) fn name_operand(name: &str) -> String {
    let end_of_options = if name.starts_with('-') { "-- " } else { "" };
    format!("{end_of_options}{}", quote(name))
}

/// A path as a person would write it: relative inside the project, with `~` below the home directory.
pub(crate) fn shown(path: &Path, context: &Context) -> String {
    let short = if let Ok(inside) = path.strip_prefix(context.project()) {
        inside.to_owned()
    } else if let Some(inside) = shells_home(context).and_then(|home| path.strip_prefix(home).ok()) {
        Path::new("~").join(inside)
    } else {
        path.to_owned()
    };
    escape_line(&short.display().to_string())
}

/// A text in which paths below the home directory begin with `~`.
pub(crate) fn short_home(text: &str, context: &Context) -> String {
    match shells_home(context).and_then(Path::to_str) {
        Some(home) => text.replace(&format!("{home}/"), "~/"),
        None => text.to_owned(),
    }
}

/// The home directory, where it is also what a shell means by `~`.
/// `HOOKRAIL_HOME` can differ from `HOME`, and then `~` would lead elsewhere.
fn shells_home(context: &Context) -> Option<&Path> {
    home(context).filter(|home| std::env::var_os("HOME").is_some_and(|named| Path::new(&named) == *home))
}

/// The home directory, where there is one.
pub(crate) fn home(context: &Context) -> Option<&Path> {
    Some(context.paths.home.as_path()).filter(|home| !home.as_os_str().is_empty())
}

/// Whether a directory is the home directory, where the one settings file is the user's.
pub(crate) fn is_home(directory: &Path, context: &Context) -> bool {
    let same =
        |home: &Path| matches!((home.canonicalize(), directory.canonicalize()), (Ok(a), Ok(b)) if a == b);
    home(context).is_some_and(same)
}

/// How the process ended; a rule has none.
pub(crate) fn ended(exit: &Exit) -> String {
    match exit {
        Exit::Code(code) => format!("exit {code}"),
        Exit::Signal(signal) => format!("ended by signal {signal}"),
        Exit::TimedOut(limit) => format!("timed out after {} ms", limit.as_millis()),
        Exit::Unknown => "ended, status not known".to_owned(),
        Exit::NotStarted(_) => "not started".to_owned(),
        Exit::NoAnswer(_) | Exit::NotAnswered(_) => "no answer".to_owned(),
        Exit::Answered => "answered".to_owned(),
        Exit::Rule => "a rule".to_owned(),
        _ => "ended in another way".to_owned(),
    }
}

/// `project, .hookrail/settings.json:7`.
pub(crate) fn shown_origin(origin: &Origin, context: &Context) -> String {
    let level = escape_line(&origin.level.to_string());
    format!("{level}, {}:{}", shown(&origin.file, context), origin.line)
}

/// Whether a hook is approved, in a word.
/// `trusted` is for hooks of the user and the system, which need no approval.
pub(crate) fn approved_word(trust: &HookTrust) -> &'static str {
    match trust {
        HookTrust::Trusted => "trusted",
        HookTrust::Approved => "approved",
        HookTrust::NotApproved { .. } => "no",
    }
}

/// A hook as all JSON output names it. The fields are a contract.
pub(crate) fn hook_json(hook: &Hook) -> JsonObject {
    let fields = [
        ("name", json!(hook.name)),
        ("command", json!(hook.command_text())),
        ("source", json!(hook.source)),
        ("origin", origin_json(&hook.origin)),
        ("matcher", json!(hook.matcher.text())),
    ];
    fields.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
}

/// An origin whose file can be written as JSON, whatever its name.
pub(crate) fn origin_json(origin: &Origin) -> Value {
    json!({ "level": origin.level, "file": origin.file.to_string_lossy(), "line": origin.line })
}

/// The words nearest to a mistyped one, the nearest first; empty where nothing comes near.
/// Likeness counts common beginnings, as typos seldom are in the first letters.
pub(crate) fn near_words<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Vec<&'w str> {
    let mut near: Vec<(f64, &str)> = known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(word, known), known))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .collect();
    order::sort_by(&mut near, |one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    near.dedup_by(|one, other| one.1 == other.1);
    near.into_iter().map(|(_, word)| word).take(3).collect()
}
