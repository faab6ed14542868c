//! What waits for approval, as text and as JSON.
//!
//! Whatever comes from the project is escaped and is behind a margin or a label, so that no text in it can look
//! like a line of ours. A text is shown whole, since a person approves what is shown; one that is too long for that is
//! named by its digest.

use std::fmt::Write as _;
use std::time::Duration;

use hookrail::Hook;
use hookrail::approvals::{
    Change, FileContent, NamedFile, Pending, PendingReason, PendingSettings, Review, Terms, VanishedGuard,
};
use hookrail::components::{HookKind, OnFailure};
use serde_json::{Value, json};

use crate::terminal::difference::Difference;
use crate::terminal::printer::{escape, escape_line};

/// All hooks and settings that wait for approval, as text for review.
pub(super) fn everything(review: &Review) -> String {
    let mut text = heading(review);
    for guard in &review.vanished {
        text.push_str(&vanished(guard));
    }
    if let Some(settings) = &review.settings {
        text.push_str(&self::settings(settings, !review.pending.is_empty()));
    }
    for pending in &review.pending {
        text.push_str(&hook(pending));
        if let Some(obstacle) = &pending.obstacle {
            let _ = writeln!(text, "It cannot be approved: {}", escape(obstacle));
        }
    }
    text
}

/// How much waits, and what an approval means.
/// The warning about rights is part of it and not of a help text, because here is where it matters.
pub(super) fn heading(review: &Review) -> String {
    let hooks = match review.pending.len() {
        0 if review.settings.is_none() => return "Guards of this project are gone.\n".to_owned(),
        0 => "The settings of this project wait",
        1 => "1 hook of this project waits",
        n => return format!("{n} hooks of this project wait for approval. {MEANING}\n"),
    };
    format!("{hooks} for approval. {MEANING}\n")
}

/// A guard that was approved and is gone.
/// The last line repeats what the person has noticed already: guarded events are blocked meanwhile.
pub(super) fn vanished(guard: &VanishedGuard) -> String {
    let mut text = format!("\nguard `{}`, approved, {}\n", escape_line(&guard.name), guard.what);
    let _ = writeln!(text, "  event      {}", guard.event);
    if let Some(command) = &guard.command {
        let _ = writeln!(text, "  command    {}", escape_line(command));
    }
    text.push_str("  Until its absence is accepted, tool calls, model calls and prompts are blocked.\n");
    text
}

/// Printed before every approval.
const MEANING: &str = "Hooks are programs that run with your rights.\n\
    An approval holds for exactly what is shown; files that a script uses by itself are not watched.";

/// The project's own settings.
/// The difference to what was approved is shown, or all of it the first time.
pub(super) fn settings(settings: &PendingSettings, with_hooks: bool) -> String {
    let mut text = "\nsettings of the project that count only with approval\n".to_owned();
    match &settings.before {
        Some(before) => in_margin(&mut text, &difference(before, &settings.after)),
        None => in_margin(&mut text, &settings.after),
    }
    if with_hooks {
        text.push_str("  They are approved together with the first hook that you approve.\n");
    }
    text
}

/// One hook with its terms and files.
/// For a changed hook each term that differs has a line with its former value, and each file the difference.
pub(super) fn hook(pending: &Pending) -> String {
    let Pending { hook, why, .. } = pending;
    let changes: &[Change] = match why {
        PendingReason::New => &[],
        PendingReason::Changed { what } => what,
    };
    let mut text = format!("\nhook `{}`, ", escape_line(&hook.name));
    match why {
        PendingReason::New => text.push_str("new\n"),
        PendingReason::Changed { .. } => {
            let subjects: Vec<String> = changes.iter().map(|change| escape_line(&change.subject())).collect();
            let _ = writeln!(text, "changed since it was approved: {}", subjects.join(", "));
        }
    }
    render_terms(&mut text, hook, changes);
    for file in &pending.files {
        let is_link = file.target != file.path;
        let target =
            if is_link { format!(", which is really {}", escape_line(&file.target)) } else { String::new() };
        let _ = writeln!(text, "  file       {}{target}", escape_line(&file.path));
        let before = changes.iter().find_map(|change| match change {
            Change::File { path, before, .. } if *path == file.path => Some(before),
            _ => None,
        });
        render_content(&mut text, before, &file.content());
    }
    for why in &pending.not_watched {
        let _ = writeln!(text, "  not watched: {}", escape_line(why));
    }
    if let Some(obstacle) = &pending.cannot_start {
        let _ = writeln!(text, "  cannot start: {}", escape_line(&obstacle.to_string()));
    }
    for change in changes {
        if let Change::File { path, after: FileContent::Missing, .. } = change {
            let _ = writeln!(text, "  file       {} was approved and is gone", escape_line(path));
        } else if let Change::File { path, after: FileContent::NotNamed, .. } = change {
            let _ = writeln!(text, "  file       {} was approved and is no longer named", escape_line(path));
        }
    }
    text
}

/// The term that a change is about, and its former value.
fn former(change: &Change) -> Option<(&str, String)> {
    Some(match change {
        Change::Event { before, .. } => ("event", before.to_string()),
        Change::Matcher { before, .. } => ("matcher", any_or(before.as_ref())),
        Change::Command { before, .. } => ("command", before.clone().unwrap_or_else(|| "(none)".to_owned())),
        Change::Timeout { before, .. } => ("timeout", milliseconds(*before)),
        Change::Env { before, .. } => ("env", variables(before)),
        Change::OnFailure { before, .. } => ("onFailure", failure_word(*before).to_owned()),
        Change::Sequential { before, .. } => ("sequential", before.to_string()),
        Change::Further { field, before, .. } => {
            (field, before.as_ref().map_or_else(|| "(not given)".to_owned(), plain))
        }
        _ => return None,
    })
}

/// Terms with the default value are left out unless they had another one when the hook was approved.
fn render_terms(text: &mut String, hook: &Hook, changes: &[Change]) {
    let before = |label: &str| {
        changes.iter().filter_map(former).find(|(changed, _)| *changed == label).map(|(_, value)| value)
    };
    let mut show = |label: &str, value: String, before: Option<String>| {
        let _ = writeln!(text, "  {label:<10} {}", escape_line(&value));
        if let Some(before) = before {
            let _ = writeln!(text, "  {:<10} was: {}", "", escape_line(&before));
        }
    };
    let Terms { event, matcher, command, timeout, env, on_failure, sequential, further } = Terms::of(hook);
    // A rule and a plugin have none.
    let command = command.unwrap_or_else(|| match hook.service() {
        Some(service) => format!("(none: asks {service} by {})", hook.type_name()),
        None => format!("(none: a {})", hook.type_name()),
    });
    // Nothing of a rule runs that could take long.
    let is_rule = matches!(hook.kind, HookKind::Rule(_) | HookKind::UnreadableRule(_));
    for (label, value, is_shown) in [
        ("event", event.to_string(), true),
        ("matcher", any_or(matcher.as_ref()), true),
        ("command", command, true),
        ("timeout", milliseconds(timeout), !is_rule),
        ("env", variables(&env), !env.is_empty()),
        ("onFailure", failure_word(on_failure).to_owned(), on_failure == OnFailure::Block),
        ("sequential", sequential.to_string(), sequential),
    ] {
        let before = before(label);
        if is_shown || before.is_some() {
            show(label, value, before);
        }
    }
    let mut long: Vec<(&String, String)> = Vec::new();
    for (field, value) in &further {
        let field_before = before(field);
        let value = plain(value);
        // The text of a shipped rule has lines, as `hookrail rules NAME` prints it.
        match field_before {
            None if value.contains('\n') => long.push((field, value)),
            Some(before) if value.contains('\n') || before.contains('\n') => {
                long.push((field, difference(&before, &value)));
            }
            field_before => show(field, value, field_before),
        }
    }
    if let Some(description) = &hook.description {
        show("about", description.clone(), None);
    }
    show("from", format!("{}:{}", hook.origin.file.display(), hook.origin.line), None);
    for (field, lines) in long {
        let _ = writeln!(text, "  {field}");
        in_margin(text, &lines);
    }
}

/// A hook without a matcher runs for everything, which is shown.
fn any_or(matcher: Option<&String>) -> String {
    matcher.cloned().unwrap_or_else(|| "(none: everything)".to_owned())
}

/// A further term. A definition is the text of the JSON in the settings, and is shown as such instead of quoted again.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// As in the settings, so that a reader can compare.
fn milliseconds(timeout: Duration) -> String {
    format!("{} ms", timeout.as_millis())
}

/// Values are quoted, so that a space or a line end in one cannot look like a second variable.
fn variables(env: &[(String, String)]) -> String {
    if env.is_empty() {
        return "(none)".to_owned();
    }
    env.iter().map(|(name, value)| format!("{name}={value:?}")).collect::<Vec<_>>().join(" ")
}

/// The value of `onFailure` in settings.
fn failure_word(on_failure: OnFailure) -> &'static str {
    match on_failure {
        OnFailure::Allow => "allow",
        OnFailure::Block => "block",
    }
}

/// A file that is not text is named by its digest, which is what an approval is bound to in any case.
fn render_content(text: &mut String, before: Option<&FileContent>, now: &FileContent) {
    match (before, now) {
        (Some(FileContent::Text { text: before }), FileContent::Text { text: now }) => {
            in_margin(text, &difference(before, now));
        }
        (_, FileContent::Text { text: now }) => in_margin(text, now),
        (_, FileContent::Opaque { digest }) => {
            let _ = writeln!(text, "             not a text, or too long to show; SHA-256 {digest}");
        }
        (_, FileContent::Unreadable { why }) => {
            let _ = writeln!(text, "             cannot be read: {}", escape_line(why));
        }
        (_, FileContent::Missing | FileContent::NotNamed) => text.push_str("             is not there\n"),
    }
}

/// The difference between two texts, line by line.
fn difference(before: &str, after: &str) -> String {
    let hunks: String = Difference::of(before, after).hunks(3).collect();
    if hunks.is_empty() { hunks } else { format!("--- approved\n+++ now\n{hunks}") }
}

/// A text from the project. The margin distinguishes its lines from ours.
fn in_margin(text: &mut String, content: &str) {
    if content.is_empty() {
        text.push_str("    | (empty)\n");
    }
    // `str::lines` would drop a carriage return without showing it.
    for line in content.strip_suffix('\n').unwrap_or(content).split('\n').filter(|_| !content.is_empty()) {
        let _ = writeln!(text, "    | {}", escape(line));
    }
}

/// One file of a hook, with what it really is where links make it another one.
fn file_as_json(file: &NamedFile) -> Value {
    match &file.target {
        target if *target == file.path => json!({ "path": file.path, "content": file.content() }),
        target => json!({ "path": file.path, "target": target, "content": file.content() }),
    }
}

/// What waits, for programs.
/// The texts are not escaped here; the printer does it for all JSON.
pub(super) fn as_json(review: &Review) -> Value {
    let pending: Vec<Value> = review
        .pending
        .iter()
        .map(|pending| {
            let hook = &pending.hook;
            json!({
                "name": hook.name,
                "origin": { "file": hook.origin.file.to_string_lossy(), "line": hook.origin.line },
                "event": hook.event.as_str(),
                "matcher": hook.matcher.text(),
                "command": hook.command_text(),
                "timeoutMs": u64::try_from(hook.timeout.as_millis()).unwrap_or(u64::MAX),
                "env": hook.env,
                "onFailure": failure_word(hook.on_failure),
                "sequential": hook.sequential,
                "waits": pending.why,
                "files": pending.files.iter().map(file_as_json).collect::<Vec<_>>(),
                "notWatched": pending.not_watched,
                "obstacle": pending.obstacle,
                "cannotStart": pending.cannot_start.as_ref().map(ToString::to_string),
            })
        })
        .collect();
    json!({
        "pending": pending,
        "settings": review.settings,
        "vanished": review.vanished,
        "problem": review.problem.as_ref().map(|problem| &problem.message),
    })
}
