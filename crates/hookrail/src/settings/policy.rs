//! The policy of a machine: where the system's settings name one, its signed settings are a level above all others.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookrail_policy::{CurrentPolicy, Expiry, FolderError, OnExpired, OnMissing, PolicyFolder, PolicyTerms};
use jiff::Timestamp;
use jsonc_parser::ast::ObjectProp;

use super::SettingsPaths;
use super::diagnose::start_of;
use super::paths::SYSTEM_FILES;
use super::settings_files::{LevelText, load_text, load_texts};
use super::source::Source;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};
use crate::hook::Level;
use crate::spelling::{misspelling_of, shortened};

/// The settings of a missing policy where a person is to decide.
const ASK: &str = r#"{"hooks":{"BeforeTool":[{"hooks":[{"type":"rule","name":"policy-missing","when":{},
"ask":"this machine must have a policy, and has none that can be used; run `hookrail policy status`"}]}]}}"#;

/// A policy that settings name: what they say about it, and where it is kept.
#[derive(Debug)]
pub struct NamedPolicy {
    /// The settings file that names it.
    pub file: PathBuf,
    /// What it says.
    pub terms: PolicyTerms,
    /// Where the last good document is.
    pub folder: PolicyFolder,
}

impl SettingsPaths {
    /// The policy that the system's settings name; `None` where they name none. The settings of the machine itself count
    /// even where other ones were named instead: an option must not take a policy away.
    pub fn policy(&self) -> Result<Option<NamedPolicy>, Box<Diagnostic>> {
        self.policy_in(&load_texts(self.files(&Level::System).into_iter().map(|file| (Level::System, file))))
    }

    /// The same, with the texts of the system's files that were read already.
    fn policy_in(&self, known: &[LevelText]) -> Result<Option<NamedPolicy>, Box<Diagnostic>> {
        let mut found = None;
        let real = SYSTEM_FILES.map(PathBuf::from);
        let others = self.system.iter().filter(|file| !real.contains(file));
        for file in real.iter().chain(others) {
            let text = match known.iter().find(|text| text.file.as_ref() == Some(file)) {
                Some(known) => Some(Arc::clone(known.text.as_ref().map_err(Clone::clone)?)),
                None if self.system.contains(file) => None,
                None => load_text(file)?.map(Arc::new),
            };
            if let (Some(text), None) = (text, &found) {
                found = named_in(file, &text, real.contains(file))?;
            }
        }
        Ok(found)
    }
}

/// The policy that one settings file names.
fn named_in(file: &Path, text: &str, is_real: bool) -> Result<Option<NamedPolicy>, Box<Diagnostic>> {
    let lower = text.to_ascii_lowercase();
    if !["\"pol", "icy\"", "\\u"].iter().any(|part| lower.contains(part)) {
        return Ok(None); // Settings are not parsed twice for nothing.
    }
    let source = Source::of_file(file, text);
    let root = source.parse()?;
    let is_named = |prop: &&ObjectProp<'_>| prop.name.as_str() == "policy";
    let is_misspelt = |prop: &&ObjectProp<'_>| misspelling_of(prop.name.as_str(), &["policy"]).is_some();
    let named = root.properties.iter().rfind(is_named);
    let Some(prop) = named.or_else(|| root.properties.iter().rfind(is_misspelt)) else {
        return Ok(None);
    };
    let broken = |message: String, help: &str| {
        let place = source.place(prop.range.start..prop.range.end);
        Box::new(Diagnostic::error(DiagnosticCode::InvalidPolicy, message).at(place).with_help(help))
    };
    if named.is_none() {
        let message = format!("`{}` has no effect", shortened(prop.name.as_str()));
        return Err(broken(message, "did you mean `policy`?"));
    }
    let is_roots = std::fs::metadata(file).is_ok_and(|metadata| metadata.uid() == 0);
    if is_real && !is_roots {
        let help = "make root the owner of the file: whoever can change it chooses the keys";
        return Err(broken("a policy is named in a file that is not root's".to_owned(), help));
    }
    let value: serde_json::Value = prop.value.clone().into();
    let help = "correct `policy` in this file";
    let terms = PolicyTerms::read(&value).map_err(|error| broken(error.to_string(), help))?;
    let folder = if is_real { PolicyFolder::of_system() } else { PolicyFolder::beside(file) };
    Ok(Some(NamedPolicy { file: file.to_owned(), terms, folder }))
}

/// The text of the managed level; `None` where no policy is named.
pub(super) fn load_managed(paths: &SettingsPaths, known: &[LevelText]) -> Option<LevelText> {
    let managed = |file, text: Result<_, _>, warning| {
        let text = text.map(Arc::new);
        LevelText { level: Level::Managed, file: Some(file), text, warning }
    };
    let named = match paths.policy_in(known) {
        Ok(named) => named?,
        Err(finding) => {
            let file = finding.place.as_ref().map(|place| place.file.clone()).unwrap_or_default();
            // A file that the system's level reads is reported there, and refuses there.
            if finding.code != DiagnosticCode::InvalidPolicy && paths.system.contains(&file) {
                return None;
            }
            return Some(managed(file, Err(finding), None));
        }
    };
    let place = named.folder.path().to_owned();
    Some(match named.folder.load(&named.terms) {
        Ok(policy) => {
            let expired = expired(&named, &policy);
            let CurrentPolicy { document, settings_file, .. } = policy;
            match expired {
                Some(finding) if finding.severity == Severity::Error => {
                    managed(settings_file, Err(Box::new(finding)), None)
                }
                warning => managed(settings_file, Ok(document.settings), warning),
            }
        }
        Err(error) => {
            let finding = missing(&place, &error);
            match named.terms.on_missing {
                OnMissing::Block => managed(place, Err(Box::new(finding)), None),
                OnMissing::Ask => managed(place, Ok(ASK.to_owned()), Some(finding)),
                OnMissing::Allow => managed(place, Ok("{}".to_owned()), Some(finding)),
            }
        }
    })
}

fn missing(folder: &Path, error: &FolderError) -> Diagnostic {
    let message = format!("the policy of this machine cannot be used: {error}");
    let finding = Diagnostic::error(DiagnosticCode::PolicyMissing, message).at(start_of(folder));
    finding.with_help("run `hookrail policy pull` as root; `hookrail policy status` shows more")
}

/// What follows from a policy that has expired.
fn expired(named: &NamedPolicy, policy: &CurrentPolicy) -> Option<Diagnostic> {
    let Expiry::ExpiredAt(moment) = policy.document.expiry(Timestamp::now(), policy.last_pull.time) else {
        return None;
    };
    let severity = match named.terms.on_expired {
        OnExpired::Warn => Severity::Warning,
        OnExpired::Block => Severity::Error,
    };
    let message = format!("the policy of this machine expired at {moment}");
    let finding = Diagnostic::new(DiagnosticCode::PolicyExpired, severity, message);
    Some(finding.at(start_of(&policy.settings_file)).with_help("run `hookrail policy pull` as root"))
}
