//! What an approval is bound to besides files: the terms under which a hook runs.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::EventName;
use crate::hook::{Hook, OnFailure};

/// The terms under which a hook runs, exactly as they were approved.
///
/// They are kept in clear and compared one by one, instead of as one digest, so that a review can
/// show what changed. The name and the description are not part of them: they decide nothing. Exhaustive on
/// purpose: code that shows terms to a person has to show each of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Terms {
    /// When it runs.
    pub event: EventName,
    /// The matcher as configured.
    pub matcher: Option<String>,
    /// The command as configured; `None` for a plugin.
    pub command: Option<String>,
    /// How long it may run.
    pub timeout: Duration,
    /// Variables added to its environment, in order.
    pub env: Vec<(String, String)>,
    /// What its failure means.
    pub on_failure: OnFailure,
    /// Whether its group asks to run one after another.
    pub sequential: bool,
    /// The fields that most hooks do not have, under their names in the settings. One with its default is left out, so that
    /// approvals from before it existed still hold.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub further: Map<String, Value>,
}

impl Terms {
    /// The terms of a hook as it is configured now.
    pub fn of(hook: &Hook) -> Self {
        let watch = (!hook.watch.is_empty()).then(|| ("watch".to_owned(), hook.watch.clone().into()));
        let definition = hook.definition.as_deref().map(|text| ("definition".to_owned(), text.into()));
        Self {
            event: hook.event,
            matcher: hook.matcher.text().map(str::to_owned),
            command: hook.command_text().map(str::to_owned),
            timeout: hook.timeout,
            env: hook.env.clone(),
            on_failure: hook.on_failure,
            sequential: hook.sequential,
            further: watch.into_iter().chain(definition).collect(),
        }
    }

    /// What differs from `before`, in the order in which a person would look at it.
    pub(super) fn changes_since(&self, before: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        macro_rules! compare {
            ($($field:ident as $change:ident),+) => {$(
                if before.$field != self.$field {
                    let (before, after) = (before.$field.clone(), self.$field.clone());
                    changes.push(Change::$change { before, after });
                }
            )+};
        }
        compare!(event as Event, matcher as Matcher, command as Command, timeout as Timeout);
        compare!(env as Env, on_failure as OnFailure, sequential as Sequential);
        let names: BTreeSet<&String> = before.further.keys().chain(self.further.keys()).collect();
        for field in names {
            let (before, after) = (before.further.get(field).cloned(), self.further.get(field).cloned());
            if before != after {
                changes.push(Change::Further { field: field.clone(), before, after });
            }
        }
        changes
    }
}

/// One difference between a hook as it was approved and as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "camelCase")]
#[expect(missing_docs, reason = "every variant has the value before and after; the names say which")]
#[non_exhaustive]
pub enum Change {
    Event { before: EventName, after: EventName },
    Matcher { before: Option<String>, after: Option<String> },
    Command { before: Option<String>, after: Option<String> },
    Timeout { before: Duration, after: Duration },
    Env { before: Vec<(String, String)>, after: Vec<(String, String)> },
    OnFailure { before: OnFailure, after: OnFailure },
    Sequential { before: bool, after: bool },
    // Another field of the hook, by its name in the settings.
    Further { field: String, before: Option<Value>, after: Option<Value> },
    // Files that the command names, as named, relative to the project where they are inside. One has another content, is
    // new, or is gone.
    File { path: String, before: FileContent, after: FileContent },
    // It has another mode or owner, which decide whether it runs and who may change it.
    Rights { path: String, before: FileRights, after: FileRights },
    // It is reached through links and now is another file.
    Target { path: String, before: String, after: String },
}

impl Change {
    /// The part of the hook that changed, in the words of the settings.
    pub fn subject(&self) -> String {
        match self {
            Self::Event { .. } => "event".to_owned(),
            Self::Matcher { .. } => "matcher".to_owned(),
            Self::Command { .. } => "command".to_owned(),
            Self::Timeout { .. } => "timeout".to_owned(),
            Self::Env { .. } => "env".to_owned(),
            Self::OnFailure { .. } => "onFailure".to_owned(),
            Self::Sequential { .. } => "sequential".to_owned(),
            Self::File { path, before, after } => match (before, after) {
                (_, FileContent::Unreadable { why }) => format!("file `{path}` (cannot be read: {why})"),
                (FileContent::Missing, _) => format!("file `{path}` (new)"),
                (_, FileContent::Missing) => format!("file `{path}` (gone)"),
                (_, FileContent::NotNamed) => format!("file `{path}` (no longer named)"),
                _ => format!("file `{path}`"),
            },
            Self::Further { field, .. } => field.clone(),
            Self::Rights { path, before, after } if before.mode != after.mode => {
                format!("file `{path}` (mode {:04o}, now {:04o})", before.mode, after.mode)
            }
            Self::Rights { path, before, after } => {
                format!("file `{path}` (owner {}, now {})", before.owner, after.owner)
            }
            Self::Target { path, after, .. } => format!("file `{path}` (now `{after}`)"),
        }
    }
}

/// Who owns a file and who may do what with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct FileRights {
    /// The permission bits.
    pub mode: u32,
    /// The owner's number.
    pub owner: u32,
}

/// What is in a file, as far as a review can show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
pub enum FileContent {
    /// There is no such regular file.
    Missing,
    /// A text of at most 1 MiB.
    Text { text: String },
    /// Not UTF-8, or larger than what is kept: the SHA-256 digest in hexadecimal.
    Opaque { digest: String },
    /// The hook, which changed, does not name it any more.
    NotNamed,
    /// It is there, but what is in it is not known.
    Unreadable { why: String },
}
