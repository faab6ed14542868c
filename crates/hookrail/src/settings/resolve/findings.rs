//! What is reported about hooks that are off, not approved, or gone.

use std::path::{Path, PathBuf};

use super::{Activation, ResolvedHook, ResolvedSettings};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::formats::json_object::JsonObject;
use crate::hook::{Level, Origin};
use crate::settings::settings_file;
use crate::trust::VanishedGuard;

/// How many waiting hooks one finding names.
const NAMED_HOOKS: usize = 5;

impl ResolvedSettings {
    /// Which setting keeps hooks off, and what to do about it; `None` while they are on.
    pub fn why_off(&self) -> Option<Diagnostic> {
        let on_in = |file: Option<&PathBuf>| match file {
            Some(file) => format!("set `\"enableHooks\": true` in {}", file.display()),
            None => "set `\"enableHooks\": true` in the settings".to_owned(),
        };
        let (message, help) = match &self.activation {
            Activation::On => return None,
            Activation::OffBy(level) => {
                let help = on_in(self.file_of(level).as_ref());
                (format!("hooks are off: the {level} settings say so"), help)
            }
            Activation::OffUntilApproved => (
                "hooks are off: `enableHooks` in the project's settings counts only once a hook of the project is \
                 approved"
                    .to_owned(),
                "review the project's hooks with `hookrail trust`".to_owned(),
            ),
            Activation::OffByDefault => {
                ("hooks are off: no settings turn them on".to_owned(), on_in(self.user_file.as_ref()))
            }
        };
        Some(warning(DiagnosticCode::HooksOff, message, help))
    }

    /// Hooks of the project that are off by its own settings, while all others are on.
    pub(super) fn why_project_off(&self) -> Option<Diagnostic> {
        let mut own = self.hooks.iter().filter(|resolved| resolved.hook.origin.level == Level::Project);
        let is_off = self.enable.project == Some(false) && own.next().is_some();
        is_off.then(|| {
            let message = "the hooks of this project are off: its own settings say so";
            let help = "take `\"enableHooks\": false` out of the project's settings";
            warning(DiagnosticCode::HooksOff, message, help)
        })
    }

    /// The file in which a level says whether hooks are on; extensions do not.
    fn file_of(&self, level: &Level) -> Option<PathBuf> {
        let new = match level {
            Level::Project => Some(settings_file(&self.project_dir)),
            Level::User => self.user_file.clone(),
            Level::Managed | Level::System | Level::Extension(_) => None,
        };
        self.flag_file(level).map(Path::to_owned).or(new)
    }
}

/// A finding for a guard that was approved and is not there.
pub(super) fn vanished_guard(guard: &VanishedGuard) -> Diagnostic {
    let VanishedGuard { name, event, what, .. } = guard;
    let (whose, trust) = (guard.whose(), guard.review_command());
    let code = match guard.enclosing {
        Some(_) => DiagnosticCode::EnclosingGuardVanished,
        None => DiagnosticCode::GuardVanished,
    };
    let message = format!(
        "the approved {event} guard `{name}`{whose} {what}: BeforeTool, BeforeModel and BeforeAgent are blocked"
    );
    Diagnostic::error(code, message).with_help(format!("look at it with `{trust}`"))
}

/// One finding for all hooks of the project that wait for approval, and one for its other settings.
pub(super) fn unapproved(
    hooks: &[ResolvedHook],
    settings_approved: bool,
    settings: &serde_json::Value,
    activation: &Activation,
) -> Vec<Diagnostic> {
    let waiting: Vec<(&ResolvedHook, &str)> =
        hooks.iter().filter_map(|resolved| Some((resolved, resolved.trust.not_approved()?))).collect();
    let help = "review with `hookrail trust`";
    let mut findings = Vec::new();
    if let Some((first, why)) = waiting.first() {
        let quoted = waiting.iter().take(NAMED_HOOKS).map(|(waiting, _)| format!("`{}`", waiting.hook.name));
        let names = quoted.collect::<Vec<_>>().join(", ");
        let message = match waiting.len() {
            1 => format!("hook {names} of this project does not run: {why}"),
            count => {
                let more = if count > NAMED_HOOKS { ", …" } else { "" };
                format!("{count} hooks of this project are not approved and do not run: {names}{more}")
            }
        };
        let off = if *activation == Activation::OffUntilApproved { "hooks are off: " } else { "" };
        findings.push(
            warning(DiagnosticCode::ProjectNotApproved, format!("{off}{message}"), help).at(place_of(first)),
        );
    }
    if !settings_approved && waiting.is_empty() {
        let keys = settings.as_object().into_iter().flat_map(JsonObject::keys);
        let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
        let message = format!(
            "the settings of this project besides its hooks are ignored until they are approved: {}",
            keys.join(", ")
        );
        findings.push(warning(DiagnosticCode::ProjectSettingsNotApproved, message, help));
    }
    findings
}

fn warning(code: DiagnosticCode, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, Severity::Warning, message).with_help(help)
}

/// Where a hook is.
fn place_of(resolved: &ResolvedHook) -> Option<Place> {
    let Origin { file, line, .. } = &resolved.hook.origin;
    let known = *line > 0;
    known.then(|| Place { file: file.clone(), line: *line, column: 1, span: resolved.spans.command.clone() })
}
