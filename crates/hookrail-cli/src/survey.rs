//! All hooks with their state, read from settings and approvals without starting anything. Unlike the
//! engine's own start it also looks at hooks that are off.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookrail::{
    HookPlanner, HookRegistry, HookTrust, JudgedHook, Judgement, Level, Origin, Settings, TrustPolicy,
    load_settings,
};
use serde::Serialize;

use crate::context::Context;
use crate::printer::escape_line;

/// What settings and approvals say about all hooks.
pub(crate) struct Survey {
    pub(crate) settings: Settings,
    pub(crate) judgement: Judgement,
    /// Whether hooks run at all.
    pub(crate) enabled: bool,
    pub(crate) registry: Arc<HookRegistry>,
}

impl Survey {
    /// Reads settings and approvals.
    pub(crate) fn load(context: &Context) -> Self {
        let settings = load_settings(&context.paths);
        let policy = TrustPolicy::RequireApproval(context.approvals());
        let judgement = policy.judge(context.project(), &settings.hooks, &settings.project_settings());
        let counts = judgement.project_settings_approved;
        // As in the engine: a project's own flag counts as soon as one of its hooks is approved.
        let by_project =
            settings.enable.project == Some(true) && judgement.hooks.contains(&HookTrust::Approved);
        let enabled = settings.effective(counts).enabled || by_project;
        let hooks = settings.hooks.iter().zip(&judgement.hooks);
        let hooks = hooks.filter(|(hook, _)| settings.is_active(hook, counts));
        let hooks = hooks.map(|(hook, trust)| JudgedHook::from((hook.clone(), trust.clone())));
        let registry = Arc::new(HookRegistry::new(hooks, &settings.disabled));
        Self { settings, judgement, enabled, registry }
    }

    /// Makes plans of these hooks.
    pub(crate) fn planner(&self) -> HookPlanner {
        HookPlanner::new(Arc::clone(&self.registry))
    }

    /// Says which setting keeps hooks off, and what to do about it. Asked only where they are off.
    pub(crate) fn why_off(&self, context: &Context) -> Off {
        let flag = &self.settings.enable;
        let counts = self.judgement.project_settings_approved;
        let explicit = [
            (Level::Project, flag.project.filter(|_| counts)),
            (Level::User, flag.user),
            (Level::System, flag.system),
        ];
        if let Some((level, _)) = explicit.into_iter().find(|(_, said)| *said == Some(false)) {
            let file = file_of(&level, context);
            return Off {
                message: format!("hooks are off: the {level} settings say so"),
                help: format!("set `\"enableHooks\": true` in {}", shown(&file, context)),
                file: Some(file),
            };
        }
        if flag.project == Some(true) {
            return Off {
                message: "hooks are off: `enableHooks` in the project's settings counts only once a hook \
                          of the project is approved"
                    .to_owned(),
                help: "review the project's hooks with `hookrail trust`".to_owned(),
                file: Some(context.paths.project_file()),
            };
        }
        let file = context.paths.user_file().unwrap_or_else(|| context.paths.project_file());
        Off {
            message: "hooks are off: no settings turn them on".to_owned(),
            help: format!("set `\"enableHooks\": true` in {}", shown(&file, context)),
            file: None,
        }
    }
}

/// Why hooks are off.
pub(crate) struct Off {
    pub(crate) message: String,
    pub(crate) help: String,
    /// The settings that are to blame, if some are.
    pub(crate) file: Option<PathBuf>,
}

fn file_of(level: &Level, context: &Context) -> PathBuf {
    match level {
        Level::User => context.paths.user_file().unwrap_or_default(),
        Level::System => context.paths.system.clone(),
        Level::Project | Level::Extension(_) => context.paths.project_file(),
    }
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

/// The home directory, where it is also what a shell means by `~`.
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

/// `project, .llxprt/settings.json:7`.
pub(crate) fn shown_origin(origin: &Origin, context: &Context) -> String {
    let level = escape_line(&origin.level.to_string());
    format!("{level}, {}:{}", shown(&origin.file, context), origin.line)
}

/// Whether a hook is approved, in a word.
pub(crate) fn approved_word(trust: &HookTrust) -> &'static str {
    match trust {
        HookTrust::Trusted => "trusted",
        HookTrust::Approved => "approved",
        HookTrust::NotApproved { .. } => "no",
    }
}

/// A hook as all JSON output names it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HookName<'h> {
    pub(crate) name: &'h str,
    pub(crate) command: &'h str,
    pub(crate) source: hookrail::ConfigSource,
    pub(crate) origin: &'h Origin,
    pub(crate) matcher: Option<&'h str>,
}

impl<'h> HookName<'h> {
    pub(crate) fn of(hook: &'h hookrail::Hook) -> Self {
        Self {
            name: &hook.name,
            command: hook.command(),
            source: hook.source,
            origin: &hook.origin,
            matcher: hook.matcher.text(),
        }
    }
}

/// The words nearest to a mistyped one, the nearest first; empty where nothing comes near.
pub(crate) fn near_words<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Vec<&'w str> {
    let mut near: Vec<(f64, &str)> = known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(word, known), known))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    near.dedup_by(|one, other| one.1 == other.1);
    near.into_iter().map(|(_, word)| word).take(3).collect()
}
