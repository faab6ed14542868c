//! What counts: settings and approvals resolved once into one value.
//!
//! Triggers, the program's commands and the agent all use the value made here. None of them decides again
//! whether hooks are on, which of them wait for approval, or what is wrong with a file. A session asks one thing before
//! this value is made: whether hooks may be on at all ([`SettingsFiles::may_be_on`]), so that a session with hooks off
//! reads no approvals.

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::activation::Activation;
use self::activation::activation;
pub(super) use self::activation::may_be_on;
use self::findings::{unapproved, vanished_guard};
use super::settings_files::SettingsFiles;
use super::{
    AgentEvents, ConfiguredHook, EffectiveSettings, HookSpans, PerLevel, SettingsPaths, UnusableFile,
};
use crate::diagnostic::{Diagnostic, Severity};
use crate::hook::{Hook, Level};
use crate::plan::registry::{DisabledEntry, DisabledList, HookRegistry};
use crate::trust::{HookJudgement, HookTrust, Seal, TrustPolicy, VanishedGuard};

mod activation;
mod findings;

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
    /// Guards that were approved for folders around the project. They are called as well, each in its own project.
    pub enclosing: Vec<ResolvedHook>,
    /// What the project's own file says besides its hooks, in the form that approvals are bound to.
    pub project_settings: serde_json::Value,
    /// Where a new entry of the user's settings goes.
    user_file: Option<PathBuf>,
    /// The file whose flag counts, for each level that has one.
    flag_files: Vec<(Level, PathBuf)>,
}

/// A configured hook with what was decided about it.
#[derive(Debug)]
pub struct ResolvedHook {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Whether it may run.
    pub trust: HookTrust,
    /// What to look at again before each run.
    pub seal: Option<Arc<Seal>>,
    /// Whether hooks of its level are on.
    pub on: bool,
    /// Where it is in its file.
    pub spans: HookSpans,
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
        let mut resolved = Self::resolve_project(files, policy);
        if let Some((store, folders)) = files.enclosing(policy) {
            let by_approval = TrustPolicy::RequireApproval(store);
            for folder in folders {
                resolved.add_enclosing(Self::resolve_project(&files.around(&folder), &by_approval));
            }
        }
        resolved.log();
        resolved
    }

    /// Adds the approved guards of a project around this one, and those of them that are not there any more. Whatever else
    /// that project has does not reach in here.
    fn add_enclosing(&mut self, outer: Self) {
        let folder: Arc<Path> = Arc::from(outer.project_dir.as_path());
        let is_own = |entry: &&DisabledEntry| {
            matches!(entry.list, DisabledList::Settings(Level::Project) | DisabledList::ForThisProject)
        };
        let disabled: Vec<&DisabledEntry> = outer.disabled.iter().filter(is_own).collect();
        for mut resolved in outer.hooks {
            let hook = Arc::make_mut(&mut resolved.hook);
            let is_approved = resolved.trust == HookTrust::Approved && resolved.on;
            if is_approved && hook.event.is_guarded() && !disabled.iter().any(|entry| entry.disables(hook)) {
                hook.enclosing = Some(Arc::clone(&folder));
                self.enclosing.push(resolved);
            }
        }
        for mut guard in outer.vanished {
            guard.enclosing = Some(folder.to_path_buf());
            self.findings.push(vanished_guard(&guard));
            self.vanished.push(guard);
        }
        let unusable = outer.unusable.into_iter().filter(|file| file.level == Level::Project);
        self.findings.extend(unusable.map(|file| file.finding));
    }

    /// The same for one project alone.
    fn resolve_project(files: &SettingsFiles, policy: &TrustPolicy) -> Self {
        let mut settings = files.settings();
        let project_settings = settings.project_settings();
        let configured = std::mem::take(&mut settings.hooks);
        let hooks = configured.iter().map(|configured| &*configured.hook);
        let mut judgement = policy.judge(&settings.project_dir, hooks, &project_settings);
        if judgement.keeps_enabled {
            // The flag that was approved counts until another one is.
            settings.enable.project = Some(true);
        }
        let activation = activation(settings.enable, &judgement);
        let outside_on = activation.is_on();
        let project_counts = judgement.project_settings_approved;
        let effective = settings.effective(false);
        let project_effective =
            Some(settings.effective(project_counts)).filter(|project| *project != effective);

        let mut findings = std::mem::take(&mut settings.diagnostics);
        findings.extend(judgement.problem.clone());
        let mut disabled = std::mem::take(&mut settings.disabled);
        let is_unapproved =
            |entry: &DisabledEntry| !project_counts && entry.list == DisabledList::Settings(Level::Project);
        // A project turns its own hooks off, never those of the user or the system.
        let project_on = settings.enable.project.unwrap_or(outside_on);
        let resolve_hook = |(configured, judged): (ConfiguredHook, HookJudgement)| {
            let ConfiguredHook { hook, spans, .. } = configured;
            let HookJudgement { trust, seal } = judged;
            let on = match hook.origin.level {
                Level::Managed => true,
                Level::Project => project_on,
                Level::User | Level::System | Level::Extension(_) => outside_on,
            };
            ResolvedHook { hook, trust, seal, on, spans }
        };
        let judged = std::mem::take(&mut judgement.hooks);
        let hooks: Vec<ResolvedHook> = configured.into_iter().zip(judged).map(resolve_hook).collect();
        // An approved guard is not switched off by an entry that is not approved.
        disabled.retain(|entry| {
            let mut approved = hooks.iter().filter(|resolved| resolved.trust == HookTrust::Approved);
            !is_unapproved(entry) || !approved.any(|resolved| entry.disables(&resolved.hook))
        });
        disabled.extend(judgement.disabled.iter().map(|name| DisabledEntry {
            name_or_command: name.clone(),
            list: DisabledList::ForThisProject,
            file: None,
        }));

        let mut vanished = std::mem::take(&mut judgement.vanished);
        vanished.retain(|guard| {
            let mut counting = disabled.iter().filter(|entry| !is_unapproved(entry));
            project_on && !counting.any(|entry| entry.disables_vanished(guard))
        });
        findings.extend(vanished.iter().map(vanished_guard));
        findings.extend(unapproved(&hooks, project_counts, &project_settings, &activation));
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
            user_file: files.paths.as_ref().and_then(SettingsPaths::user_file),
            enclosing: Vec::new(),
            flag_files: settings.flag_files,
        };
        // Hooks that wait for approval are reported already.
        let off = if resolved.hooks.iter().all(|hook| hook.on) { None } else { resolved.why_off() };
        resolved.findings.extend(off.or_else(|| resolved.why_project_off()));
        resolved
    }

    /// The file whose enable flag counts for a level; `None` where the level has no flag.
    pub fn flag_file(&self, level: &Level) -> Option<&Path> {
        self.flag_files.iter().find(|(of, _)| of == level).map(|(_, file)| file.as_path())
    }

    /// The hooks alone, as reviews of approvals take them.
    pub fn hook_list(&self) -> Vec<Hook> {
        self.hooks.iter().map(|resolved| Hook::clone(&resolved.hook)).collect()
    }

    /// The files of the user and the system that cannot be used. Which guards they held is not known.
    pub fn refusals(&self) -> impl Iterator<Item = &UnusableFile> {
        self.unusable.iter().filter(|file| matches!(file.level, Level::Managed | Level::User | Level::System))
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

    /// The files that approvals are bound to. Writing one of them, or beside one, may change what a hook does.
    pub fn sealed_files(&self) -> impl Iterator<Item = &Path> {
        let hooks = self.hooks.iter().chain(&self.enclosing);
        hooks.filter_map(|resolved| resolved.seal.as_ref()).flat_map(|seal| seal.paths())
    }

    /// A registry of these hooks.
    pub fn registry(&self, scope: RegistryScope) -> HookRegistry {
        let hooks = self.hooks.iter().filter(|resolved| resolved.on || scope == RegistryScope::All);
        // Ranked with the project's, in front of extensions.
        let hooks = hooks.chain(&self.enclosing);
        let hooks = hooks.map(|resolved| {
            let judged = HookJudgement { trust: resolved.trust.clone(), seal: resolved.seal.clone() };
            (Arc::clone(&resolved.hook), judged)
        });
        HookRegistry::new(hooks, &self.disabled)
    }

    /// Errors and warnings go to the log as well, for hosts that never ask for the findings.
    fn log(&self) {
        for finding in self.findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
            let place = finding.place.as_ref().map(ToString::to_string).unwrap_or_default();
            let help = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
            let message = &finding.message;
            tracing::warn!(target: "llxprt:core:hooks:registry", code = finding.code.as_str(), place, "{message}{help}");
        }
    }
}
