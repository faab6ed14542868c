//! An agent's hooks as ours, with one line for everything that is lost or means something else.
//!
//! Whatever is not exactly as it was is reported, one line each, so that a person can decide before anything is
//! written. Importing never makes a guard weaker without a warning.

mod condition;
mod hints;
mod hook;
mod matcher;
mod own;

use std::fmt;

use hookrail::{EventName, JsonObject};
use serde_json::Value;

use crate::agent::Agent;

use crate::agents::{canonical_event, dialect_of};
use crate::connect::{EditError, EntryPlace, json, toml};
use crate::dialect::{HookOrder, NativeEvent, SettingsShape};

use self::own::{entries, hooks_of, is_own, is_own_hook, own_entries};

pub use hints::{ScriptHint, script_hints};

/// What an agent's settings are in our terms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// Settings of ours: `hooks`, and `hooksConfig` if single hooks are disabled.
    pub settings: JsonObject,
    /// What is lost, changed or worth a note, in the order of the file.
    pub report: Vec<LossLine>,
    /// How many entries call hookrail itself. They are left out.
    pub own_entries: usize,
    /// What of the file is in `settings`, in the order of the file.
    pub places: Vec<EntryPlace>,
}

impl Imported {
    /// Adds what another file of the same agent holds.
    pub fn append(&mut self, other: Self) {
        for (key, value) in other.settings {
            match self.settings.get_mut(&key) {
                Some(present) => append(present, value),
                None => {
                    self.settings.insert(key, value);
                }
            }
        }
        self.report.extend(other.report);
        self.own_entries += other.own_entries;
        self.places.extend(other.places);
    }
}

/// Lists grow, objects are appended key by key.
fn append(present: &mut Value, more: Value) {
    match (present, more) {
        (Value::Array(list), Value::Array(more)) => list.extend(more),
        (Value::Object(fields), Value::Object(more)) => {
            for (key, value) in more {
                match fields.get_mut(&key) {
                    Some(present) => append(present, value),
                    None => {
                        fields.insert(key, value);
                    }
                }
            }
        }
        _ => {}
    }
}

/// One thing that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LossLine {
    /// How severe it is.
    pub kind: LossKind,
    /// Where in the agent's settings: `PreToolUse[0].hooks[1]`.
    pub place: String,
    /// What is lost or changed, as a lowercase fragment.
    pub what: String,
}

/// How severe a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossKind {
    /// It is not carried over.
    Lost,
    /// It is carried over and means, or is written, something else.
    Changed,
    /// It is as it was, and worth a note.
    Note,
}

impl fmt::Display for LossLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            LossKind::Lost => "lost",
            LossKind::Changed => "changed",
            LossKind::Note => "note",
        };
        write!(f, "{kind}: {}: {}", self.place, self.what)
    }
}

/// Reads an agent's settings as ours. Codex's may be `hooks.json` or `config.toml`.
pub fn import(agent: Agent, text: &str) -> Result<Imported, EditError> {
    let mut settings = if is_toml(agent, text) {
        toml::to_json(toml::parse(text)?.as_item())
    } else {
        json::to_value(text)?
    };
    if dialect_of(agent).settings.shape == SettingsShape::TomlList {
        by_event(&mut settings);
    }
    let Value::Object(settings) = settings else {
        return Err(EditError::WrongType { key: "settings".to_owned(), expected: "an object" });
    };
    let mut importing = Importing { agent, imported: Imported::default(), hooks: JsonObject::new() };
    importing.settings(&settings)?;
    let Importing { mut imported, hooks, .. } = importing;
    if !hooks.is_empty() {
        imported.settings.shift_insert(0, "hooks".to_owned(), hooks.into());
    }
    Ok(imported)
}

/// An agent's settings without what was imported from them; everything else stays as it is.
pub fn without_imported(agent: Agent, text: &str, places: &[EntryPlace]) -> Result<String, EditError> {
    if is_toml(agent, text) {
        toml::without(text, dialect_of(agent).settings.shape, places)
    } else {
        json::without(text, places)
    }
}

/// A list of hooks that name their events, as the lists of events that other agents have.
fn by_event(settings: &mut Value) {
    let Some(hooks) = settings.get_mut("hooks").filter(|hooks| hooks.is_array()) else { return };
    let mut events = JsonObject::new();
    for mut hook in hooks.as_array().cloned().unwrap_or_default() {
        let event = hook.as_object_mut().and_then(|hook| hook.shift_remove("event"));
        let event = event.as_ref().and_then(Value::as_str).unwrap_or_default();
        append(events.entry(event).or_insert_with(|| Value::Array(Vec::new())), vec![hook].into());
    }
    *hooks = events.into();
}

/// Whether a text is the agent's TOML file.
fn is_toml(agent: Agent, text: &str) -> bool {
    let settings = &dialect_of(agent).settings;
    let has_toml = settings.toml.is_some() || settings.shape == SettingsShape::TomlList;
    has_toml && !text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
}

struct Importing {
    agent: Agent,
    imported: Imported,
    hooks: JsonObject,
}

impl Importing {
    /// The same line is reported once, however many hooks it is about.
    fn report(&mut self, kind: LossKind, place: &str, what: impl Into<String>) {
        let line = LossLine { kind, place: place.to_owned(), what: what.into() };
        if !self.imported.report.contains(&line) {
            self.imported.report.push(line);
        }
    }

    /// Switches that turn all hooks off are reported and not carried over: the hooks are imported to be used.
    fn settings(&mut self, settings: &JsonObject) -> Result<(), EditError> {
        if settings.get("disableAllHooks") == Some(&Value::Bool(true)) {
            self.report(LossKind::Note, "disableAllHooks", "the agent does not run these hooks");
        }
        if let Some(config) = settings.get("hooksConfig").and_then(Value::as_object)
            && config.get("enabled") == Some(&Value::Bool(false))
        {
            self.report(LossKind::Note, "hooksConfig.enabled", "the agent does not run these hooks");
        }
        // The older spelling is a key beside the events.
        let lists = ["hooksConfig", "hooks"].map(|key| settings.get(key)?.get("disabled")?.as_array());
        let disabled: Vec<Value> = lists.into_iter().flatten().flatten().cloned().collect();
        if !disabled.is_empty() {
            let config = JsonObject::from_iter([("disabled".to_owned(), disabled.into())]);
            self.imported.settings.insert("hooksConfig".to_owned(), config.into());
        }
        let Some(hooks) = settings.get("hooks") else { return Ok(()) };
        let Value::Object(events) = hooks else {
            return Err(EditError::WrongType { key: "hooks".to_owned(), expected: "an object" });
        };
        for (name, groups) in events {
            // Settings that stand beside the events: Codex's trust, and the older spellings of Gemini's switches.
            if !matches!(name.as_str(), "state" | "enabled" | "disabled" | "notifications") {
                self.event(name, groups);
            }
        }
        Ok(())
    }

    /// An event that we do not have loses its hooks, which is reported.
    fn event(&mut self, name: &str, groups: &Value) {
        let own = own_entries(groups);
        self.imported.own_entries += own;
        if own > 0 && own == entries(groups).count() {
            return; // An event with nothing but entries of `connect` needs no report.
        }
        let native = dialect_of(self.agent).event(canonical_event(self.agent, name));
        let is_question = self.agent == Agent::Claude && name == "PermissionRequest";
        let Some((native, ours)) =
            native.filter(|_| !is_question).and_then(|native| Some((native, native.ours?)))
        else {
            let what = match name {
                "SubagentStop" | "subagentStop" | "SubagentStart" => "there is no event for subagents here",
                _ if is_question => {
                    "the agent's own question cannot be answered here; `PreToolUse` comes before it"
                }
                _ => "there is no such event here",
            };
            self.report(LossKind::Lost, name, what);
            return;
        };
        let Value::Array(groups) = groups else {
            self.report(LossKind::Lost, name, "this is not a list");
            return;
        };
        self.about_event(name, ours);
        self.about_order(name, ours, groups);
        for (at, group) in groups.iter().enumerate() {
            let place = EntryPlace { event: name.to_owned(), group: at, hook: None };
            match group {
                Value::Object(group) => self.group(&place, &native, ours, group),
                _ => self.report(LossKind::Lost, &place.to_string(), "this is not an object"),
            }
        }
    }

    /// What is different about an event as such.
    fn about_event(&mut self, name: &str, ours: EventName) {
        match name {
            "PostToolUseFailure" | "postToolUseFailure" if self.agent != Agent::Claude => {
                self.report(
                    LossKind::Changed,
                    name,
                    "runs as AfterTool, which is fired for successful calls too",
                );
            }
            "PermissionRequest" | "permissionRequest" => self.report(
                LossKind::Changed,
                name,
                "runs as Notification, which can observe the question and not answer it",
            ),
            "userPromptSubmitted" => {
                self.report(LossKind::Note, name, "runs as BeforeAgent, which can also block the prompt");
            }
            _ if ours == EventName::PreCompress && name != "PreCompress" => {
                self.report(LossKind::Changed, name, "runs as PreCompress, which cannot be blocked");
            }
            _ => {}
        }
    }

    /// Where the agent runs several hooks of an event in another order.
    fn about_order(&mut self, name: &str, ours: EventName, groups: &[Value]) {
        let entries = groups.iter().flat_map(hooks_of).filter(|entry| !is_own(entry)).count();
        let title = self.agent.title();
        match dialect_of(self.agent).order {
            HookOrder::OneAfterAnother => {
                let what = format!(
                    "{title} runs its hooks one after another; `\"sequential\": true` keeps that, for all hooks of this event"
                );
                self.report(LossKind::Changed, name, what);
            }
            HookOrder::LastToFinish if ours == EventName::BeforeTool && entries > 1 => {
                let what = format!(
                    "of several hooks that change arguments {title} takes the last to finish, hookrail the last in order"
                );
                self.report(LossKind::Changed, name, what);
            }
            HookOrder::LastToFinish | HookOrder::SideBySide => {}
        }
    }

    /// A group of hooks, or one hook where the agent has no groups.
    /// A group whose hooks are all lost is left out. Several matchers make several groups with the same hooks.
    fn group(&mut self, place: &EntryPlace, native: &NativeEvent, ours: EventName, group: &JsonObject) {
        let name = place.to_string();
        let shape = dialect_of(self.agent).settings.shape;
        let is_flat = !matches!(shape, SettingsShape::Groups | SettingsShape::Plugin);
        let list = group.get("hooks").and_then(Value::as_array);
        if !is_flat && list.is_none() {
            self.report(LossKind::Lost, &name, "`hooks` is not a list");
        }
        let entries = list.filter(|_| !is_flat).map(Vec::as_slice).unwrap_or_default();
        let mut hooks = Vec::new();
        let mut places = Vec::new();
        if is_flat && !is_own_hook(group) {
            hooks.extend(self.hook(&name, native, group));
        }
        for (at, entry) in entries.iter().enumerate() {
            let place = EntryPlace { hook: Some(at), ..place.clone() };
            match entry {
                Value::Object(entry) if is_own_hook(entry) => {}
                Value::Object(entry) => {
                    if let Some(hook) = self.hook(&place.to_string(), native, entry) {
                        hooks.push(hook);
                        places.push(place);
                    }
                }
                _ => self.report(LossKind::Lost, &place.to_string(), "this is not an object"),
            }
        }
        if hooks.is_empty() {
            return;
        }
        if places.len() == entries.len() {
            places = vec![place.clone()];
        }
        let is_sequential = dialect_of(self.agent).order == HookOrder::OneAfterAnother
            || group.get("sequential") == Some(&Value::Bool(true));
        let matchers = self.matchers(&name, native, ours, group.get("matcher"));
        if !matchers.is_empty() {
            self.imported.places.append(&mut places);
        }
        for matcher in matchers {
            let mut ours_group = JsonObject::new();
            if let Some(matcher) = matcher {
                ours_group.insert("matcher".to_owned(), matcher.into());
            }
            if is_sequential {
                ours_group.insert("sequential".to_owned(), true.into());
            }
            ours_group.insert("hooks".to_owned(), hooks.clone().into());
            // Claude Code's event for failed calls is a part of ours, told by its name.
            let is_part = self.agent == Agent::Claude && native.name == "PostToolUseFailure";
            let key = if is_part { native.name } else { ours.as_str() };
            let list = self.hooks.entry(key).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(list) = list {
                list.push(ours_group.into());
            }
        }
    }
}

#[cfg(test)]
mod tests;
