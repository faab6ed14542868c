//! What one settings text says: the flag, the lists, the limits, and then its hooks.

use jsonc_parser::ast::{Object, Value};

use super::diagnose::Route;
use super::reader::{Node, Reader};
use super::{AgentEvents, LevelSettings, LogDetail, Redaction};
use crate::diagnostic::Diagnostic;
use crate::event::EventName;
use crate::hook::{AskReading, Level};
use crate::matcher::Matcher;
use crate::plan::registry::{DisabledEntry, DisabledList};
use crate::rules::library::Guard;
use crate::spelling::misspelling_of;

/// The keys of a settings file that are about hooks. All others belong to the agent.
pub(super) const ROOT_KEYS: [&str; 7] =
    ["enableHooks", "tools", "hooksConfig", "hooks", "extensions", "security", "policy"];
/// The keys of `hooksConfig`.
pub(super) const CONFIG_KEYS: [&str; 8] =
    ["enabled", "disabled", "agentEvents", "ask", "maxConcurrentHooks", "maxOutputBytes", "rules", "log"];
/// The keys of `security.environmentVariableRedaction`.
pub(super) const REDACTION_KEYS: [&str; 3] = ["enabled", "allowed", "blocked"];
/// The keys of the `hooks` map that are no events.
pub(super) const HOOKS_KEYS: [&str; 2] = ["enabled", "disabled"];

/// The event of this name, which may be another agent's for it. Parsing the name would look for a near one each time
/// there is none, which is slow for long words and many of them.
pub(super) fn event_named(name: &str) -> Option<EventName> {
    let own = EventName::ALL.into_iter().find(|event| event.as_str() == name);
    own.or_else(|| EventName::of_another_agent(name))
}

impl Reader<'_> {
    /// Reads all that a text of a level says. An error means that the text cannot be used.
    pub(super) fn read_root(&mut self, object: &Object<'_>) -> Result<(), Box<Diagnostic>> {
        let root = Node::new(object, Route::TOP);
        // The flag was written for a reason, and which of the two it was is not known.
        let enable = read_enable(self, root)?;
        for other in self.others(root, &ROOT_KEYS) {
            self.misplaced_event(other);
            self.misspelt_root_key(other);
        }
        if let Some(tools) = root.inner("tools") {
            tools.object.properties.iter().for_each(|prop| self.misspelt_flag(tools.route, prop));
        }
        let mut read = LevelSettings::default();
        match root.given("hooksConfig") {
            None => {}
            Some(Value::Object(config)) => {
                self.read_config(Node::new(config, root.route.key("hooksConfig")), &mut read);
            }
            Some(other) => {
                self.wrong_type(root.route.key("hooksConfig"), "an object", other, "");
                self.refuse(Guard::EVENT, Matcher::any(), other);
            }
        }
        if let Some(hooks) = root.inner("hooks") {
            self.read_disabled(hooks);
        }
        if let Some(extensions) = root.inner("extensions") {
            read.disabled_extensions = self.texts(extensions, "disabled");
        }
        if let Some(security) = root.inner("security") {
            read.redaction = self.read_redaction(security);
        }
        if *self.level == Level::Project && !read.disabled_extensions.is_empty() {
            self.note_project_extensions(object);
        }
        if *self.level != Level::System {
            self.policy_without_effect(object); // The system's is read before the levels are.
        }
        self.add_level(enable, &read);
        if let Some(map) = root.given("hooks") {
            self.read_hooks(map, root.route.key("hooks"));
        }
        if let Some(config) = root.inner("hooksConfig") {
            self.read_library(config);
        }
        Ok(())
    }

    /// Adds what the text says besides hooks to what the first file of its level said.
    fn add_level(&mut self, enable: Option<bool>, read: &LevelSettings) {
        if let Some(known @ None) = self.settings.enable.get_mut(self.level)
            && enable.is_some()
        {
            *known = enable;
            let file = self.source.file.map(|file| (self.level.clone(), file.to_owned()));
            self.settings.flag_files.extend(file);
        }
        if let Some(known) = self.settings.levels.get_mut(self.level) {
            *known = std::mem::take(known).or(read);
        }
    }

    /// `hooksConfig`. Its enable flag and its rules are read elsewhere: the flag has aliases outside, and rules are
    /// hooks.
    fn read_config(&mut self, config: Node<'_, '_>, read: &mut LevelSettings) {
        for other in self.others(config, &CONFIG_KEYS) {
            self.unknown_field(config.route, other, &CONFIG_KEYS);
            if misspelling_of(other.name.as_str(), &["rules"]).is_some() {
                self.refuse(Guard::EVENT, Matcher::any(), &other.name);
            }
        }
        self.read_disabled(config);
        let words = [("observe", AgentEvents::Observe), ("apply", AgentEvents::Apply)];
        read.agent_events = self.word(config, "agentEvents", &words);
        read.ask = self.word(config, "ask", &[("person", AskReading::Person), ("allow", AskReading::Allow)]);
        read.log = self.word(config, "log", &[("summary", LogDetail::Summary), ("none", LogDetail::None)]);
        read.max_concurrent_hooks = self.count(config, "maxConcurrentHooks");
        read.max_output_bytes = self.count(config, "maxOutputBytes");
    }

    fn read_disabled(&mut self, node: Node<'_, '_>) {
        for name_or_command in self.texts(node, "disabled") {
            let list = DisabledList::Settings(self.level.clone());
            let file = self.source.file.map(ToOwned::to_owned);
            self.settings.disabled.push(DisabledEntry { name_or_command, list, file });
        }
    }

    /// A list that cannot be read counts as empty, and is reported: it must not change what the other fields say.
    fn read_redaction(&mut self, security: Node<'_, '_>) -> Redaction {
        const KEY: &str = "environmentVariableRedaction";
        let Some(redaction) = security.inner(KEY) else {
            if let Some(other) = security.given(KEY) {
                self.wrong_type(security.route.key(KEY), "an object", other, "");
            }
            return Redaction::default();
        };
        for other in self.others(redaction, &REDACTION_KEYS) {
            self.unknown_field(redaction.route, other, &REDACTION_KEYS);
        }
        Redaction {
            enabled: self.boolean(redaction, "enabled"),
            allowed: self.texts(redaction, "allowed"),
            blocked: self.texts(redaction, "blocked"),
        }
    }
}

/// Only whether hooks are on. Several keys can say so, and the first of this order that does wins. One of them
/// with a value that is not a boolean makes the whole file unusable.
fn read_enable(reader: &Reader<'_>, root: Node<'_, '_>) -> Result<Option<bool>, Box<Diagnostic>> {
    let aliases = [("tools", "enableHooks"), ("hooksConfig", "enabled"), ("hooks", "enabled")];
    let inner = aliases.iter().filter_map(|(outer, key)| Some((root.inner(outer)?, *key)));
    let mut enable = None;
    for (node, key) in std::iter::once((root, "enableHooks")).chain(inner) {
        let Some(value) = node.given(key) else { continue };
        let Some(flag) = value.as_boolean_lit() else {
            return Err(Box::new(reader.not_a_flag(node.route.key(key), value)));
        };
        enable = enable.or(Some(flag.value));
    }
    Ok(enable)
}
