//! The approvals on disk: one file for all projects, outside of every project.
//!
//! Whatever is wrong with the file, the answer is "nothing is approved", with the reason; a file that cannot be
//! understood is moved aside before another one is written, so that nothing in it is lost.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::snapshot::open_regular;
use super::store::Approval;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};
use crate::trust::atomic_file::{AtomicFileError, LockedFile, make_state_dir};

/// The form of the file that is written. The first one, without lineages, is understood as well.
pub(super) const VERSION: u64 = 2;

/// The file's content.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoreWire {
    version: u64,
    pub(super) projects: BTreeMap<String, ApprovedProject>,
}

/// All approvals of one project, and what else the user decided about its hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApprovedProject {
    /// The project's real path; the file has it as the key.
    #[serde(skip)]
    pub path: PathBuf,
    /// Its own settings as they were approved, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// Settings that were approved before those; they stay approved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) earlier_settings: Vec<String>,
    /// Its approved hooks, oldest first.
    pub hooks: Vec<Approval>,
    /// Guards whose absence the user accepted, each time with the settings that lacked them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) accepted_absences: Vec<AcceptedAbsence>,
    /// Hooks of the project that the user disabled here and nowhere else, by name or command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) disabled: Vec<String>,
}

/// A guard that is not in the settings, which the user has seen and accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AcceptedAbsence {
    /// The lineage of the guard's approvals.
    pub(super) lineage: u64,
    /// The digest of the settings that lack it.
    pub(super) settings: String,
}

impl ApprovedProject {
    /// Whether anything of the project was approved.
    pub(super) fn is_approved(&self) -> bool {
        !self.hooks.is_empty() || self.settings.is_some()
    }

    /// Whether these settings were approved at any time, and not revoked.
    pub(super) fn has_approved_settings(&self, text: &str) -> bool {
        self.settings.iter().chain(&self.earlier_settings).any(|approved| approved == text)
    }

    /// Whether the approvals say that hooks are on: settings with the flag were approved, or hooks were without any
    /// settings. This outlives the file that said so.
    pub(super) fn says_enabled(&self) -> bool {
        let mut approved = self.settings.iter().chain(&self.earlier_settings).peekable();
        if approved.peek().is_none() {
            return !self.hooks.is_empty();
        }
        approved.any(|text| {
            let settings: Result<Value, _> = serde_json::from_str(text);
            settings.is_ok_and(|settings| settings.get("enableHooks") == Some(&Value::Bool(true)))
        })
    }

    /// A lineage that no approval has.
    pub(super) fn new_lineage(&self) -> u64 {
        self.hooks.iter().map(|approval| approval.lineage).max().unwrap_or(0).saturating_add(1)
    }

    /// Gives each approval of the first form of the file a lineage of its own.
    fn add_lineages(&mut self) {
        for index in 0..self.hooks.len() {
            let next = self.new_lineage();
            if let Some(approval) = self.hooks.get_mut(index).filter(|approval| approval.lineage == 0) {
                approval.lineage = next;
            }
        }
    }
}

impl Default for StoreWire {
    fn default() -> Self {
        Self { version: VERSION, projects: BTreeMap::new() }
    }
}

/// The file in a state folder.
pub(super) fn path_in(dir: &Path) -> PathBuf {
    dir.join("approvals.json")
}

/// Reads the file; one that is not there holds nothing. Needs no lock, because the file is only ever replaced.
pub(super) fn load(dir: &Path) -> Result<StoreWire, TrustError> {
    refuse_relative(dir)?;
    let path = path_in(dir);
    let unreadable = |source| TrustError::Unreadable { path: path.clone(), source };
    match fs::metadata(dir) {
        Ok(metadata) => refuse_if_unsafe(dir, &metadata, 0o002)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StoreWire::default()),
        Err(error) => return Err(unreadable(error)),
    }
    let (mut file, metadata) = match open_regular(&path) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StoreWire::default()),
        Err(error) => return Err(unreadable(error)),
    };
    refuse_if_unsafe(&path, &metadata, 0o022)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    let corrupt = |source| TrustError::Corrupt { path: path.clone(), source };
    let value: Value = serde_json::from_slice(&bytes).map_err(corrupt)?;
    // Looked at first: what another version writes is not damaged.
    match value.get("version") {
        Some(version) if !version.as_u64().is_some_and(|version| (1..=VERSION).contains(&version)) => {
            return Err(TrustError::Version { path: path.clone(), found: version.to_string() });
        }
        _ => {}
    }
    let mut store: StoreWire = serde_json::from_value(value).map_err(corrupt)?;
    store.version = VERSION;
    store.projects.values_mut().for_each(ApprovedProject::add_lineages);
    Ok(store)
}

/// Reads, changes and replaces the file under its lock. `change` returns whether there is anything to write.
pub(super) fn update(dir: &Path, change: impl FnOnce(&mut StoreWire) -> bool) -> Result<(), TrustError> {
    refuse_relative(dir)?;
    let path = path_in(dir);
    make_state_dir(dir).map_err(AtomicFileError::io("create", dir))?;
    // Before the lock: nothing is made in a folder that cannot be trusted.
    let metadata =
        fs::metadata(dir).map_err(|source| TrustError::Unreadable { path: path.clone(), source })?;
    refuse_if_unsafe(dir, &metadata, 0o002)?;
    let file = LockedFile::lock(&path, &dir.join("approvals.lock"))?;
    let mut store = match load(dir) {
        Ok(store) => store,
        Err(error) if is_beyond_repair(&error) => {
            let aside = file.move_aside("corrupt")?;
            tracing::warn!(kept = %aside.display(), "{}", error.diagnostic().message);
            StoreWire::default()
        }
        Err(error) => return Err(error),
    };
    if change(&mut store) {
        let text = serde_json::to_vec_pretty(&store).map_err(io::Error::from);
        let mut text = text.map_err(AtomicFileError::io("write", &path))?;
        text.push(b'\n');
        file.replace_with_mode(&text, 0o600)?;
    }
    Ok(())
}

/// Whether the file can never be read as it is. A temporary error must not lose the approvals. What a link leads to, if it
/// is no file, is none of ours: it is left where it is.
fn is_beyond_repair(error: &TrustError) -> bool {
    match error {
        TrustError::Corrupt { .. } => true,
        TrustError::Unreadable { path, source } => {
            let kinds =
                [io::ErrorKind::PermissionDenied, io::ErrorKind::IsADirectory, io::ErrorKind::InvalidInput];
            kinds.contains(&source.kind()) && !path.is_symlink()
        }
        _ => false,
    }
}

/// Without a home directory the state folder would be looked for in the current directory: in the
/// project, whose files could contain approvals of itself.
fn refuse_relative(dir: &Path) -> Result<(), TrustError> {
    if dir.is_absolute() {
        return Ok(());
    }
    let why = "is not an absolute path: there seems to be no home directory".to_owned();
    Err(TrustError::Unsafe { path: dir.to_owned(), why })
}

/// Refuses what another user could have written. The superuser could anyway.
fn refuse_if_unsafe(path: &Path, metadata: &Metadata, writable_by_others: u32) -> Result<(), TrustError> {
    let refuse = |why: String| Err(TrustError::Unsafe { path: path.to_owned(), why });
    let (owner, user) = (metadata.uid(), rustix::process::getuid().as_raw());
    let mode = metadata.mode() & 0o7777;
    if owner != user && owner != 0 {
        return refuse(format!("belongs to another user (uid {owner}, you are {user})"));
    }
    if mode & writable_by_others != 0 {
        return refuse(format!("can be written by other users (mode {mode:04o})"));
    }
    Ok(())
}

/// Why the approvals could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum TrustError {
    /// The file cannot be opened or read.
    #[error("cannot read the approvals `{}`", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The file is not what this program writes.
    #[error("the approvals `{}` are damaged", path.display())]
    Corrupt { path: PathBuf, source: serde_json::Error },
    /// The file was written by another version of this program.
    #[error("the approvals `{}` have version {found}, and only versions up to {VERSION} are understood", path.display())]
    Version { path: PathBuf, found: String },
    /// Another user could have written the file.
    #[error("the approvals cannot be trusted: `{}` {why}", path.display())]
    Unsafe { path: PathBuf, why: String },
    /// The file cannot be changed.
    #[error(transparent)]
    Change(#[from] AtomicFileError),
    /// A hook cannot be approved as it is.
    #[error("`{name}` cannot be approved: {why}")]
    NotApprovable { name: String, why: String },
}

impl TrustError {
    /// The finding that explains why no approval counts.
    pub fn diagnostic(&self) -> Diagnostic {
        use DiagnosticCode::{
            ApprovalsDamaged, ApprovalsUnchanged, ApprovalsUnreadable, ApprovalsUnsafe, ApprovalsVersion,
        };
        let (code, help) = match self {
            Self::Unreadable { .. } => (ApprovalsUnreadable, "make the file readable, then approve again"),
            Self::Corrupt { .. } => {
                (ApprovalsDamaged, "approve again: the damaged file is kept beside the new one")
            }
            Self::Version { .. } => (ApprovalsVersion, "use the newer program, or move the file away"),
            Self::Unsafe { .. } => {
                (ApprovalsUnsafe, "only you may be able to write there: check owner and mode")
            }
            Self::Change(_) | Self::NotApprovable { .. } => (ApprovalsUnchanged, ""),
        };
        let mut message = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        let help = (!help.is_empty()).then(|| help.to_owned());
        Diagnostic { help, ..Diagnostic::new(code, Severity::Error, message) }
    }
}
