//! How findings about settings are worded.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::read::event_named;
use super::reader::{Reader, last, span};
use super::source::Source;
use crate::diagnostic::{Diagnostic, DiagnosticCode as Code, Place, Severity};
use crate::event::EventName;
/// Where in the settings something is, for messages: `hooks.BeforeTool[0].hooks[1]`.
pub(super) use crate::formats::field::FieldPath as Route;
use crate::hook::Level;
use crate::rules::RuleFindings;
// Rules name a type in the same words.
use crate::matcher::Matcher;
pub(super) use crate::rules::kind_of;
use crate::rules::library::Guard;
use crate::spelling::{misspelling_of, shortened};

impl Reader<'_> {
    /// Something that does not take effect.
    pub(super) fn error(&mut self, code: Code, at: &impl Ranged, message: String, help: impl Into<String>) {
        self.push(Severity::Error, code, at, message, help.into());
    }

    /// Something that is probably not what was meant.
    pub(super) fn warn(&mut self, code: Code, at: &impl Ranged, message: String, help: impl Into<String>) {
        self.push(Severity::Warning, code, at, message, help.into());
    }

    /// Something worth knowing.
    pub(super) fn note(&mut self, code: Code, at: &impl Ranged, message: String, help: impl Into<String>) {
        self.push(Severity::Note, code, at, message, help.into());
    }

    fn push(&mut self, severity: Severity, code: Code, at: &impl Ranged, message: String, help: String) {
        let place = self.source.place(at.start()..at.end());
        let help = Some(help).filter(|help| !help.is_empty());
        self.settings.diagnostics.push(Diagnostic { code, severity, place, message, help });
    }

    /// What was found while a rule or a condition was read.
    pub(super) fn of_rule(&mut self, findings: RuleFindings) {
        for problem in findings.0 {
            self.push(problem.severity, problem.code, &span(problem.range), problem.message, problem.help);
        }
    }

    /// A value of another type than the settings need.
    pub(super) fn wrong_type(&mut self, route: Route<'_>, expected: &str, value: &Value<'_>, help: &str) {
        let message = format!("`{route}` must be {expected}, not {}", kind_of(value));
        self.error(Code::WrongType, value, message, help);
    }

    /// An optional value of another type, which is therefore left out.
    pub(super) fn ignored_type(&mut self, route: Route<'_>, expected: &str, value: &Value<'_>) {
        let message = format!("`{route}` is ignored: it must be {expected}, not {}", kind_of(value));
        self.warn(Code::WrongType, value, message, "");
    }

    /// A field that has an effect on other types of hooks only.
    pub(super) fn without_effect(&mut self, what: impl Display, at: &impl Ranged, types: &str, help: &str) {
        self.warn(Code::NoEffect, at, format!("`{what}` has an effect only on {types}"), help);
    }

    /// A field that hookrail does not know. One that is nearly a known one was meant to be it, and what it was to
    /// change does not happen.
    pub(super) fn unknown_field(&mut self, route: Route<'_>, prop: &ObjectProp<'_>, known: &[&str]) {
        let name = prop.name.as_str();
        let message = format!("`{}` is not a field that hookrail knows", route.key(name));
        let meant = (name == "deny" && known.contains(&"block")).then_some("block");
        match meant.or_else(|| misspelling_of(name, known)) {
            Some(near) => {
                self.error(Code::MisspeltField, &prop.name, message, format!("did you mean `{near}`?"));
            }
            None => self.note(Code::UnknownField, &prop.name, message, ""),
        }
    }

    /// A key at the top of the settings that is nearly one of ours. All other keys belong to the agent. Where hooks or
    /// rules are lost with it, the events that they were for are refused.
    pub(super) fn misspelt_root_key(&mut self, prop: &ObjectProp<'_>) {
        let name = prop.name.as_str();
        self.misspelt_flag(Route::TOP, prop);
        let near = if is_misspelt_hooks(prop) {
            "hooks"
        } else if misspelling_of(name, &["hooksConfig"]).is_some() {
            "hooksConfig"
        } else if name.eq_ignore_ascii_case("rules") && prop.value.as_object().is_none() {
            "hooksConfig.rules"
        } else {
            return;
        };
        let message = format!("`{}` has no effect", shortened(name));
        self.error(Code::MisspeltField, &prop.name, message, format!("did you mean `{near}`?"));
        let is_rules = |prop: &ObjectProp<'_>| misspelling_of(prop.name.as_str(), &["rules"]).is_some();
        let has_rules = |object: &Object<'_>| object.properties.iter().any(is_rules);
        match near {
            "hooks" => self.refuse_all(&prop.name),
            "hooksConfig" if prop.value.as_object().is_none_or(has_rules) => {
                self.refuse(Guard::EVENT, Matcher::any(), &prop.name);
            }
            _ => {} // The agent may have rules of its own at the top.
        }
    }

    /// A key that is nearly `enableHooks`: hooks may be off although they were meant to be on.
    pub(super) fn misspelt_flag(&mut self, route: Route<'_>, prop: &ObjectProp<'_>) {
        let name = prop.name.as_str();
        if name != "enableHooks" && misspelling_of(name, &["enableHooks"]).is_some() {
            let message = format!("`{}` does not turn hooks on or off", route.key(name));
            self.error(Code::MisspeltFlag, &prop.name, message, "did you mean `enableHooks`?");
        }
    }

    /// An event that is beside `hooks` instead of inside it.
    pub(super) fn misplaced_event(&mut self, prop: &ObjectProp<'_>) {
        let name = prop.name.as_str();
        // Only a list of groups makes it an event: other agents' names are everyday words.
        if event_named(name).is_some() && prop.value.as_array().is_some() {
            let message = format!("`{name}` has no effect here: its hooks never run");
            let help = format!("move it into `hooks`: {{ \"hooks\": {{ \"{name}\": [ … ] }} }}");
            self.error(Code::MisplacedEvent, &prop.name, message, help);
        }
    }

    /// An enable flag whose value is not a boolean.
    pub(super) fn not_a_flag(&self, route: Route<'_>, value: &Value<'_>) -> Diagnostic {
        let hint = match value.as_string_lit().map(|literal| literal.value.as_ref()) {
            Some(word @ ("true" | "false")) => Some(format!("write {word} without quotes")),
            _ => None,
        };
        let message = format!("`{route}` must be `true` or `false`, not {}", kind_of(value));
        let place = self.source.place(value.start()..value.end());
        Diagnostic { help: hint, ..Diagnostic::error(Code::FlagNotABoolean, message).at(place) }
    }

    /// A project's list of disabled extensions, which are not its own.
    pub(super) fn note_project_extensions(&mut self, root: &Object<'_>) {
        let Some(prop) = last(root, "extensions") else { return };
        let message = "`extensions.disabled` has no effect in a project: extensions are the user's";
        self.note(Code::NoEffect, &prop.name, message.to_owned(), "move it to your own settings");
    }

    /// A policy outside of the system's settings, whose keys nobody can vouch for.
    pub(super) fn policy_without_effect(&mut self, root: &Object<'_>) {
        let has_keys = |object: &Object<'_>| last(object, "keys").is_some();
        if let Some(prop) = last(root, "policy").filter(|prop| prop.value.as_object().is_some_and(has_keys)) {
            let message = "`policy` counts in the system's settings only: no policy is in force".to_owned();
            self.error(Code::NoEffect, &prop.name, message, "move it to `/etc/hookrail/settings.json`");
        }
    }

    /// A key that is twice in one object. What is lost with the first one may be hooks.
    pub(super) fn repeated_key(&mut self, route: Route<'_>, prop: &ObjectProp<'_>) {
        let name = prop.name.as_str();
        let message = format!("`{}` is given more than once: only the last one counts", route.key(name));
        let loses_hooks =
            event_named(name).is_some() || ["hooks", "hooksConfig", "rules", "command"].contains(&name);
        let severity = if loses_hooks { Severity::Error } else { Severity::Warning };
        self.push(severity, Code::RepeatedKey, &prop.name, message, "merge the two".to_owned());
    }

    /// An event under the name that another agent has for it.
    pub(super) fn foreign_event(&mut self, prop: &ObjectProp<'_>, event: EventName) {
        let message = format!("`{}` counts as {event}", shortened(prop.name.as_str()));
        let help = format!("this is its name in another agent; write `{event}`");
        self.note(Code::ForeignEvent, &prop.name, message, help);
    }

    /// A hook event that does not exist. One that was meant to be guarded is refused.
    pub(super) fn unknown_event(&mut self, prop: &ObjectProp<'_>) {
        let name = prop.name.as_str();
        let guarded = EventName::misspelt_guarded(name);
        let help = guarded.or_else(|| EventName::nearest(name)).map_or_else(
            || format!("known events: {}", EventName::ALL.map(EventName::as_str).join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("unknown hook event `{}`: its hooks never run", shortened(name));
        self.error(Code::UnknownEvent, &prop.name, message, help);
        if let Some(event) = guarded {
            self.refuse(event, Matcher::any(), &prop.name);
        }
    }
}

/// Whether a key was meant to be `hooks`: it differs in case only, or in up to two letters and holds what `hooks` holds.
fn is_misspelt_hooks(prop: &ObjectProp<'_>) -> bool {
    let name = prop.name.as_str();
    if name.eq_ignore_ascii_case("hooks") || name == "hook" {
        return true;
    }
    let is_event = |inner: &ObjectProp<'_>| event_named(inner.name.as_str()).is_some();
    misspelling_of(name, &["hooks"]).is_some()
        && prop.value.as_object().is_some_and(|object| object.properties.iter().any(is_event))
}

/// What follows from a file that cannot be used, after the advice how to fix it. Which guards the user's or the system's
/// held is not known, so that nothing runs without them; a project or an extension loses its own hooks only.
pub(super) fn consequence(level: &Level, advice: Option<String>) -> String {
    let what = match level {
        Level::Managed | Level::User | Level::System => "nothing runs",
        Level::Project => "the settings of this project are ignored",
        Level::Extension(_) => "this file is ignored",
    };
    match advice {
        Some(advice) => format!("{advice}; until this is fixed, {what}"),
        None => format!("until this is fixed, {what}"),
    }
}

/// A file that cannot be read.
pub(super) fn unreadable(file: &Path, error: &io::Error) -> Diagnostic {
    let message = format!("cannot read the settings: {error}");
    Diagnostic::error(Code::UnreadableSettings, message).at(start_of(file))
}

/// A settings file, or the folder that holds it, that is a link to nothing.
pub(super) fn dangling(file: &Path, link: &Path) -> Diagnostic {
    let message = format!("cannot read the settings: `{}` is a link that leads nowhere", link.display());
    let finding = Diagnostic::error(Code::UnreadableSettings, message).at(start_of(file));
    finding.with_help("restore what it leads to, or remove the link")
}

/// A file that is not Unicode text.
pub(super) fn not_utf8(file: &Path, bytes: &[u8], error: std::str::Utf8Error) -> Diagnostic {
    let end = error.valid_up_to();
    let valid = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default());
    let wrong = end..end + error.error_len().unwrap_or(1);
    let place = Source::of_file(file, &valid).place(end..end).map(|place| Place { span: wrong, ..place });
    let message = "malformed settings: expected UTF-8 text, found other bytes";
    Diagnostic::error(Code::UnreadableSettings, message).at(place).with_help("save the file as UTF-8")
}

/// An extension whose hooks are not read.
pub(super) fn no_manifest(hooks_file: &Path, manifests: &[&str]) -> Diagnostic {
    let message = "these hooks never run: their folder is not an extension";
    let code = Code::ExtensionWithoutManifest;
    let finding = Diagnostic::new(code, Severity::Warning, message).at(start_of(hooks_file));
    finding.with_help(format!("an extension has a `{}`", manifests.join("` or a `")))
}

/// The place of a finding about a file as a whole.
pub(super) fn start_of(file: &Path) -> Place {
    Place { file: PathBuf::from(file), line: 1, column: 1, span: 0..0 }
}
