//! From texts to [`Settings`]. A file that cannot be used contributes nothing but a finding, and is named among
//! the unusable ones.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use super::diagnose::consequence;
use super::extensions::load_extensions;
use super::reader::Reader;
use super::settings_files::{LevelText, SettingsFiles};
use super::source::Source;
use super::unread::CutText;
use super::{LevelSettings, Settings, SettingsPaths, UnusableFile};
use crate::diagnostic::Diagnostic;
use crate::hook::Level;

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
        for texts in self.texts.chunk_by(|one, other| one.level == other.level) {
            read_texts(texts, &mut settings);
        }
        settings
    }
}

/// Reads the texts of a level, or reports why there is none to read. If one of them cannot be used, nothing of the level
/// counts: what the one says without the other was never meant.
fn read_texts(texts: &[LevelText], settings: &mut Settings) {
    let Some(LevelText { level, .. }) = texts.first() else { return };
    let before = (settings.hooks.len(), settings.disabled.len(), settings.unusable.len());
    for text in texts {
        settings.diagnostics.extend(text.warning.clone());
        let read = match &text.text {
            Ok(content) => read_text(level, &Source::new(text.file.as_deref(), content), content, settings),
            Err(finding) => Err(finding.clone()),
        };
        if let Err(finding) = read {
            settings.refuse(level, text.file.as_deref(), *finding);
        }
    }
    let (hooks, disabled, unusable) = before;
    if settings.unusable.len() > unusable {
        settings.hooks.truncate(hooks);
        settings.disabled.truncate(disabled);
        settings.enable.get_mut(level).map(Option::take);
        settings.levels.get_mut(level).map(std::mem::take::<LevelSettings>);
    } else if *level == Level::Managed {
        let folder = texts.iter().find_map(|text| text.file.as_deref()?.parent());
        let files = folder.map(|folder| folder.join("files").to_string_lossy().into_owned());
        for hook in settings.hooks.iter_mut().skip(hooks) {
            let variable = ("HOOKRAIL_POLICY_DIR".to_owned(), files.clone().unwrap_or_default());
            Arc::make_mut(&mut hook.hook).env.push(variable);
        }
    }
}

/// Reads one text of a level. An error means that it cannot be used.
fn read_text(
    level: &Level,
    source: &Source<'_>,
    content: &Arc<String>,
    settings: &mut Settings,
) -> Result<(), Box<Diagnostic>> {
    // Approvals are bound to what a project's rules say, and whoever tries examples wants to know what is wrong.
    let reads_all = settings.try_examples || *level == Level::Project;
    let cut = if reads_all { None } else { CutText::of(source.text(), content) };
    if let Some(cut) = &cut
        && let source = source.without(cut)
        && let Ok(root) = source.parse()
        && cut.is_of_hooks(&root)
    {
        settings.hooks.reserve(cut.rules.len());
        return Reader::new(level, &source, settings).read_root(&root);
    }
    Reader::new(level, source, settings).read_root(&source.parse()?)
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
    read_texts(&[text], settings);
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
