//! From texts to [`Settings`]. A file that cannot be used contributes nothing but a finding, and is named among
//! the unusable ones.

use std::path::Path;

use jsonc_parser::ast::Object;

use super::diagnose::{Findings, Route, consequence};
use super::extensions::load_extensions;
use super::files::{LevelText, SettingsFiles};
use super::hooks::read_hooks;
use super::library::read_library;
use super::read::read_level;
use super::source::Source;
use super::{Settings, SettingsPaths, UnusableFile};
use crate::diagnostic::Diagnostic;
use crate::hook::Level;
use crate::plan::registry::{DisabledEntry, DisabledList};

/// Loads all levels and extensions. It never fails: what went wrong is among the findings.
pub fn load_settings(paths: &SettingsPaths) -> Settings {
    SettingsFiles::load(paths).settings()
}

impl SettingsFiles {
    /// All that the texts say, and the extensions' files with them.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings {
            project_dir: self.project_dir.clone(),
            try_examples: self.try_examples,
            ..Settings::default()
        };
        for level in &self.levels {
            read_text(level, &mut settings);
        }
        if let Some(dir) = &self.extensions {
            load_extensions(dir, &mut settings);
        }
        settings
    }
}

/// Reads the text of a level, or reports why there is none to read. A missing file says nothing and is not reported.
fn read_text(level: &LevelText, settings: &mut Settings) {
    settings.diagnostics.extend(level.warning.clone());
    match (&level.text, level.source()) {
        (Ok(_), Some(source)) => parse_level(&level.level, &source, settings),
        (Err(finding), _) => settings.refuse(&level.level, level.file.as_deref(), (**finding).clone()),
        (Ok(_), None) => {}
    }
}

/// Reads one level's text into `settings`.
pub(super) fn parse_level(level: &Level, source: &Source<'_>, settings: &mut Settings) {
    let Some(root) = parse(level, source, settings) else { return };
    let mut findings = Findings::new(source);
    let (read, hooks) = match read_level(&root, &mut findings) {
        Ok(read) => read,
        // The flag was written for a reason, and which of the two it was is not known.
        Err(finding) => return settings.refuse(level, source.file(), *finding),
    };
    if *level == Level::Project && !read.settings.disabled_extensions.is_empty() {
        findings.note_project_extensions(&root);
    }
    if let Some(hooks) = hooks {
        read_hooks(hooks, Route::Root.key("hooks"), level, &mut findings, settings);
    }
    let config = root.properties.iter().rfind(|prop| prop.name.as_str() == "hooksConfig");
    if let Some(config) = config.and_then(|config| config.value.as_object()) {
        let rules = config.properties.iter().rfind(|prop| prop.name.as_str() == "rules");
        read_library(rules, level, &mut findings, settings);
    }
    settings.diagnostics.append(&mut findings.list);
    settings.disabled.extend(read.disabled.into_iter().map(|name_or_command| DisabledEntry {
        name_or_command,
        list: DisabledList::Settings(level.clone()),
    }));
    settings.enable.set(level, read.enable);
    settings.levels.set(level, read.settings);
}

/// The object that a text holds, or a finding.
pub(super) fn parse<'a>(level: &Level, source: &Source<'a>, settings: &mut Settings) -> Option<Object<'a>> {
    source.parse().map_err(|finding| settings.refuse(level, source.file(), *finding)).ok()
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
