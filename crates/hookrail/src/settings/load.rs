//! From texts to [`Settings`]. A file that cannot be used contributes nothing but a finding, and is named among
//! the unusable ones.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use jsonc_parser::ast::Object;

use super::diagnose::{Findings, Route, consequence};
use super::extensions::load_extensions;
use super::hooks::{read_hooks, refuse_guarded};
use super::library::read_library;
use super::read::{LevelRead, last, read_level};
use super::settings_files::{LevelText, SettingsFiles};
use super::source::Source;
use super::unread::CutText;
use super::{Settings, SettingsPaths, UnusableFile};
use crate::diagnostic::Diagnostic;
use crate::hook::Level;
use crate::plan::registry::{DisabledEntry, DisabledList};

impl SettingsFiles {
    /// All that the texts say, and the extensions' files with them.
    pub fn settings(&self) -> Settings {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut settings = read.unwrap_or_else(|| self.read_levels());
        if let Some(dir) = self.paths.as_ref().and_then(SettingsPaths::extensions_dir) {
            load_extensions(&dir, &mut settings);
        }
        settings
    }

    /// All that the texts say.
    pub(super) fn read_levels(&self) -> Settings {
        let mut settings = Settings {
            project_dir: self.project_dir.clone(),
            try_examples: self.try_examples,
            ..Settings::default()
        };
        for (level, texts) in self.levels() {
            read_texts(level, texts, &mut settings);
        }
        settings
    }
}

/// Reads the texts of a level, or reports why there is none to read. If one of them cannot be used, nothing of the level
/// counts: what the one says without the other was never meant.
fn read_texts(level: &Level, texts: &[LevelText], settings: &mut Settings) {
    let (hooks, unusable) = (settings.hooks.len(), settings.unusable.len());
    let mut whole = LevelRead::default();
    let mut disabled = Vec::new();
    for text in texts {
        settings.diagnostics.extend(text.warning.clone());
        match &text.text {
            Ok(content) => {
                let source = Source::new(text.file.as_deref(), content);
                let mut read = read_text(level, &source, content, settings).unwrap_or_default();
                disabled.extend(read.disabled.drain(..).map(|name_or_command| DisabledEntry {
                    name_or_command,
                    list: DisabledList::Settings(level.clone()),
                    file: text.file.clone(),
                }));
                if whole.enable.is_none() && read.enable.is_some() {
                    settings.flag_files.set(level, text.file.clone());
                }
                whole.enable = whole.enable.or(read.enable);
                whole.settings = whole.settings.or(&read.settings);
            }
            Err(finding) => settings.refuse(level, text.file.as_deref(), (**finding).clone()),
        }
    }
    if settings.unusable.len() > unusable {
        settings.hooks.truncate(hooks);
        return;
    }
    if *level == Level::Managed {
        let files = texts.iter().find_map(|text| text.file.as_deref()?.parent());
        let files =
            files.map(|folder| folder.join("files").to_string_lossy().into_owned()).unwrap_or_default();
        for hook in settings.hooks.iter_mut().skip(hooks) {
            Arc::make_mut(&mut hook.hook).env.push(("HOOKRAIL_POLICY_DIR".to_owned(), files.clone()));
        }
    }
    settings.disabled.append(&mut disabled);
    settings.enable.set(level, whole.enable);
    settings.levels.set(level, whole.settings);
}

/// Reads one text of a level: its hooks into `settings`, and all else as what is returned. `None`, with a finding, if it
/// cannot be used.
fn read_text(
    level: &Level,
    source: &Source<'_>,
    content: &Arc<String>,
    settings: &mut Settings,
) -> Option<LevelRead> {
    // Approvals are bound to what a project's rules say, and whoever tries examples wants to know what is wrong.
    let reads_all = settings.try_examples || *level == Level::Project;
    let cut = if reads_all { None } else { CutText::of(source.text(), content) };
    if let Some(cut) = &cut
        && let source = source.without(cut)
        && let Ok(root) = source.parse()
        && cut.is_of_hooks(&root)
    {
        settings.hooks.reserve(cut.rules.len());
        return read_root(level, &source, &root, settings);
    }
    let root = parse(level, source, settings)?;
    read_root(level, source, &root, settings)
}

fn read_root(
    level: &Level,
    source: &Source<'_>,
    root: &Object<'_>,
    settings: &mut Settings,
) -> Option<LevelRead> {
    let mut findings = Findings::new(source);
    let (read, hooks) = match read_level(root, &mut findings) {
        Ok(read) => read,
        // The flag was written for a reason, and which of the two it was is not known.
        Err(finding) => {
            settings.refuse(level, source.file, *finding);
            return None;
        }
    };
    if *level == Level::Project && !read.settings.disabled_extensions.is_empty() {
        findings.note_project_extensions(root);
    }
    if *level != Level::System {
        findings.policy_without_effect(root);
    }
    for unreadable in &read.unreadable {
        refuse_guarded(level, source, unreadable, settings);
    }
    if let Some(hooks) = hooks {
        read_hooks(hooks, Route::TOP.key("hooks"), level, &mut findings, settings);
    }
    if let Some(config) = last(root, "hooksConfig").and_then(|config| config.value.as_object()) {
        read_library(last(config, "rules"), level, &mut findings, settings);
    }
    settings.diagnostics.append(&mut findings.list);
    Some(read)
}

/// Reads a text as if it were all that a level says.
#[cfg(any(test, feature = "fuzzing"))]
pub(super) fn parse_level(level: &Level, source: &Source<'_>, settings: &mut Settings) {
    let text = LevelText {
        level: level.clone(),
        file: source.file.map(Path::to_owned),
        text: Ok(Arc::new(source.whole())),
        warning: None,
    };
    read_texts(level, &[text], settings);
}

/// The object that a text holds, or a finding.
pub(super) fn parse<'a>(level: &Level, source: &Source<'a>, settings: &mut Settings) -> Option<Object<'a>> {
    source.parse().map_err(|finding| settings.refuse(level, source.file, *finding)).ok()
}

impl Settings {
    /// Notes that a file cannot be used, why, and what follows from that.
    pub(super) fn refuse(&mut self, level: &Level, file: Option<&Path>, mut finding: Diagnostic) {
        finding.help = Some(consequence(level, finding.help));
        self.unusable.push(UnusableFile {
            level: level.clone(),
            file: file.map(Path::to_owned).unwrap_or_default(),
            finding: finding.clone(),
        });
        self.diagnostics.push(finding);
    }
}
