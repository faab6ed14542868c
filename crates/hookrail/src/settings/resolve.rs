//! What counts: settings and approvals brought together, once, for everybody who asks.
//!
//! Triggers, the program's commands and the agent all use the value made here. None of them decides again
//! whether hooks are on, which of them wait for approval, or what is wrong with a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::SettingsFiles;
use super::{AgentEvents, ConfiguredHook, EffectiveSettings, HookSpans, PerLevel, Settings, UnusableFile};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, Level, Origin};
use crate::plan::registry::{DisabledEntry, DisabledList, HookRegistry, JudgedHook};
use crate::trust::{HookJudgement, HookTrust, Judgement, Seal, TrustPolicy, VanishedGuard};

/// Settings and approvals of one moment, and what follows from them.
#[derive(Debug)]
pub struct ResolvedSettings {
    /// The project that they were read for.
    pub project_dir: PathBuf,
    /// Every configured hook: project, user, system, then extensions.
    pub hooks: Vec<ResolvedHook>,
    /// Whether hooks are on.
    pub activation: Activation,
    /// What each level says about hooks being on.
    pub enable: PerLevel<Option<bool>>,
    /// The scalar settings of the user and the system.
    pub effective: EffectiveSettings,
    /// The scalar settings for the project's own hooks, where the project's file makes them differ.
    pub project_effective: Option<EffectiveSettings>,
    /// Every entry that disables a hook.
    pub disabled: Vec<DisabledEntry>,
    /// Files that exist and cannot be used.
    pub unusable: Vec<UnusableFile>,
    /// Everything found about settings and approvals.
    pub findings: Vec<Diagnostic>,
    /// Guards of this project that were approved and are now changed or gone. Guarded events are blocked.
    pub vanished: Vec<VanishedGuard>,
    /// What the project's own file says besides its hooks, in the form that approvals are bound to.
    pub project_settings: serde_json::Value,
    /// Where the user's settings are or would be.
    user_file: Option<PathBuf>,
    /// The same for the system's.
    system_file: Option<PathBuf>,
}

/// A configured hook with what was decided about it.
#[derive(Debug)]
pub struct ResolvedHook {
    /// The hook.
    pub hook: Hook,
    /// Whether it may run.
    pub trust: HookTrust,
    /// What to look at again before each run.
    pub seal: Option<Arc<Seal>>,
    /// Whether hooks of its level are on.
    pub on: bool,
    /// Where it stands in its file.
    pub spans: HookSpans,
    /// Its fields that hookrail does not know.
    pub extra_fields: JsonObject,
}

/// Whether hooks are on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activation {
    /// They are.
    On,
    /// They are not, because the settings of this level say so.
    OffBy(Level),
    /// They are not: only the project turns them on, and none of its hooks is approved.
    OffUntilApproved,
    /// They are not: no settings turn them on.
    OffByDefault,
}

impl Activation {
    /// Whether hooks are on.
    pub fn is_on(&self) -> bool {
        *self == Self::On
    }
}

/// Which hooks a registry is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistryScope {
    /// Those that are on: what runs.
    On,
    /// All of them: what a listing shows.
    All,
}

impl ResolvedSettings {
    /// Reads what the texts say, judges the project's hooks, and decides what counts.
    pub fn resolve(files: &SettingsFiles, policy: &TrustPolicy) -> Self {
        let mut settings = files.settings();
        let project_settings = settings.project_settings();
        let mut judgement = policy.judge(&settings.project_dir, settings.plain_hooks(), &project_settings);
        if judgement.keeps_enabled {
            // The flag that was approved counts until another one is.
            settings.enable.project = Some(true);
        }
        let (activation, outside_on) = activation(settings.enable, &judgement);
        let project_counts = judgement.project_settings_approved;
        let effective = settings.effective(false);
        let project_effective =
            Some(settings.effective(project_counts)).filter(|project| *project != effective);

        let mut findings = std::mem::take(&mut settings.diagnostics);
        findings.extend(judgement.problem.clone());
        let mut disabled = std::mem::take(&mut settings.disabled);
        let is_unapproved =
            |entry: &DisabledEntry| !project_counts && entry.list == DisabledList::Settings(Level::Project);
        // An approved guard is not switched off by an entry that is not approved.
        disabled.retain(|entry| {
            let approved = settings.hooks.iter().zip(&judgement.hooks);
            let mut approved = approved.filter(|(_, judged)| judged.trust == HookTrust::Approved);
            !is_unapproved(entry) || !approved.any(|(hook, _)| entry.disables(hook))
        });
        disabled.extend(
            judgement.disabled.iter().map(|name| DisabledEntry {
                name_or_command: name.clone(),
                list: DisabledList::ForThisProject,
            }),
        );

        // A project turns its own hooks off, never those of the user or the system.
        let project_on = settings.enable.project.unwrap_or(outside_on);
        let mut vanished = std::mem::take(&mut judgement.vanished);
        vanished.retain(|guard| {
            let mut counting = disabled.iter().filter(|entry| !is_unapproved(entry));
            project_on && !counting.any(|entry| entry.disables_vanished(guard))
        });
        findings.extend(vanished.iter().map(vanished_guard));
        let configured = std::mem::take(&mut settings.hooks).into_iter();
        let resolve_hook = |(configured, judged): (ConfiguredHook, HookJudgement)| {
            let ConfiguredHook { hook, spans, extra_fields } = configured;
            let HookJudgement { trust, seal } = judged;
            let on = if hook.origin.level == Level::Project { project_on } else { outside_on };
            ResolvedHook { hook, trust, seal, on, spans, extra_fields }
        };
        let hooks: Vec<ResolvedHook> = configured.zip(judgement.hooks).map(resolve_hook).collect();
        findings.extend(unapproved(&hooks, project_counts, &settings, &activation));
        let mut resolved = Self {
            project_dir: settings.project_dir,
            hooks,
            activation,
            enable: settings.enable,
            effective,
            project_effective,
            disabled,
            unusable: settings.unusable,
            findings,
            vanished,
            project_settings,
            user_file: files.user_file.clone(),
            system_file: files.system_file.clone(),
        };
        // Hooks that wait for approval are reported already.
        let off = if resolved.hooks.iter().all(|hook| hook.on) { None } else { resolved.why_off() };
        resolved.findings.extend(off.or_else(|| resolved.why_project_off()));
        resolved.log();
        resolved
    }

    /// The hooks alone, as reviews of approvals take them.
    pub fn hook_list(&self) -> Vec<Hook> {
        self.hooks.iter().map(|resolved| resolved.hook.clone()).collect()
    }

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
        Some(off(message, help))
    }

    /// Hooks of the project that are off by its own settings, while all others are on.
    fn why_project_off(&self) -> Option<Diagnostic> {
        let mut own = self.hooks.iter().filter(|resolved| resolved.hook.origin.level == Level::Project);
        let is_off = self.enable.project == Some(false) && own.next().is_some();
        is_off.then(|| {
            let help = "take `\"enableHooks\": false` out of the project's settings".to_owned();
            off("the hooks of this project are off: its own settings say so".to_owned(), help)
        })
    }

    fn file_of(&self, level: &Level) -> Option<PathBuf> {
        match level {
            Level::Project => Some(super::settings_file(&self.project_dir)),
            Level::User => self.user_file.clone(),
            Level::System => self.system_file.clone(),
            Level::Extension(_) => None,
        }
    }

    /// The files of the user and the system that cannot be used. Nobody knows which guards they held.
    pub fn refusals(&self) -> impl Iterator<Item = &UnusableFile> {
        self.unusable.iter().filter(|file| matches!(file.level, Level::User | Level::System))
    }

    /// Whether the outputs of the six events outside the five are applied; by default they are only observed.
    pub fn agent_events(&self) -> AgentEvents {
        self.agent_events_or(AgentEvents::Observe)
    }

    /// The same with another default. A project may ask for more than the user, and cannot undo it for others.
    pub fn agent_events_or(&self, default: AgentEvents) -> AgentEvents {
        let own = self.effective.agent_events;
        match self.project_effective.as_ref().and_then(|project| project.agent_events) {
            Some(AgentEvents::Apply) => AgentEvents::Apply,
            _ => own.unwrap_or(default),
        }
    }

    /// The files that approvals are bound to. Whoever writes one of them, or beside one, may change what a hook does.
    pub fn sealed_files(&self) -> impl Iterator<Item = &Path> {
        self.hooks.iter().filter_map(|resolved| resolved.seal.as_ref()).flat_map(|seal| seal.paths())
    }

    /// A registry of these hooks.
    pub fn registry(&self, scope: RegistryScope) -> HookRegistry {
        let hooks = self.hooks.iter().filter(|resolved| resolved.on || scope == RegistryScope::All);
        let hooks = hooks.map(|resolved| JudgedHook {
            hook: resolved.hook.clone(),
            trust: resolved.trust.clone(),
            seal: resolved.seal.clone(),
        });
        HookRegistry::new(hooks, &self.disabled)
    }

    fn log(&self) {
        for finding in self.findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
            let place = finding.place.as_ref().map(ToString::to_string).unwrap_or_default();
            let help = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
            let message = &finding.message;
            tracing::warn!(target: "llxprt:core:hooks:registry", code = finding.code.as_str(), place, "{message}{help}");
        }
    }
}

/// Whether hooks are on, and whether those outside of the project are.
///
/// A project's own `enableHooks: true` counts as soon as one of its hooks is approved: approvals are per hook,
/// and changing one hook must not switch its neighbours off. Its `false` concerns its own hooks only.
fn activation(enable: PerLevel<Option<bool>>, judgement: &Judgement) -> (Activation, bool) {
    let approved = judgement.keeps_enabled
        || judgement.project_settings_approved
        || judgement.hooks.iter().any(|hook| hook.trust == HookTrust::Approved);
    let by_project = enable.project == Some(true) && approved;
    let outside = enable.user.map(|on| (on, Level::User)).or(enable.system.map(|on| (on, Level::System)));
    let activation = match outside {
        _ if by_project => Activation::On,
        Some((true, _)) => Activation::On,
        _ if enable.project == Some(true) => Activation::OffUntilApproved,
        Some((false, level)) => Activation::OffBy(level),
        None if enable.project == Some(false) => Activation::OffBy(Level::Project),
        None => Activation::OffByDefault,
    };
    let on = activation.is_on();
    (activation, on)
}

/// A finding for a guard that was approved and is not there.
fn vanished_guard(guard: &VanishedGuard) -> Diagnostic {
    let VanishedGuard { name, event, what, .. } = guard;
    Diagnostic {
        code: DiagnosticCode::GuardVanished,
        severity: Severity::Error,
        place: None,
        message: format!(
            "the approved {event} guard `{name}` {what}: BeforeTool, BeforeModel and BeforeAgent are blocked"
        ),
        help: Some("look at it with `hookrail trust`".to_owned()),
    }
}

/// One finding for all hooks of the project that wait for approval, and one for its other settings.
fn unapproved(
    hooks: &[ResolvedHook],
    settings_approved: bool,
    settings: &Settings,
    activation: &Activation,
) -> Vec<Diagnostic> {
    let waiting: Vec<(&ResolvedHook, &str)> = hooks
        .iter()
        .filter_map(|resolved| match &resolved.trust {
            HookTrust::NotApproved { why } => Some((resolved, why.as_str())),
            HookTrust::Trusted | HookTrust::Approved => None,
        })
        .collect();
    let help = Some("review with `hookrail trust`".to_owned());
    let mut findings = Vec::new();
    if let Some((first, why)) = waiting.first() {
        let message = match waiting.len() {
            1 => format!("hook `{}` of this project does not run: {why}", first.hook.name),
            count => {
                let names: Vec<String> = waiting
                    .iter()
                    .take(NAMED_HOOKS)
                    .map(|(waiting, _)| format!("`{}`", waiting.hook.name))
                    .collect();
                let more = if count > NAMED_HOOKS { ", …" } else { "" };
                format!(
                    "{count} hooks of this project are not approved and do not run: {}{more}",
                    names.join(", ")
                )
            }
        };
        let off = if *activation == Activation::OffUntilApproved { "hooks are off: " } else { "" };
        findings.push(Diagnostic {
            code: DiagnosticCode::ProjectNotApproved,
            severity: Severity::Warning,
            place: place_of(first),
            message: format!("{off}{message}"),
            help: help.clone(),
        });
    }
    if !settings_approved && waiting.is_empty() {
        findings.push(Diagnostic {
            code: DiagnosticCode::ProjectSettingsNotApproved,
            severity: Severity::Warning,
            place: None,
            message: format!(
                "the settings of this project besides its hooks are ignored until they are approved: {}",
                settings.project_settings().as_object().map_or_else(String::new, |said| {
                    said.keys().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
                })
            ),
            help,
        });
    }
    findings
}

fn off(message: String, help: String) -> Diagnostic {
    Diagnostic {
        code: DiagnosticCode::HooksOff,
        severity: Severity::Warning,
        place: None,
        message,
        help: Some(help),
    }
}

/// How many waiting hooks one finding names.
const NAMED_HOOKS: usize = 5;

/// Where a hook stands.
fn place_of(resolved: &ResolvedHook) -> Option<Place> {
    let Origin { file, line, .. } = &resolved.hook.origin;
    let known = *line > 0;
    known.then(|| Place { file: file.clone(), line: *line, column: 1, span: resolved.spans.command.clone() })
}
