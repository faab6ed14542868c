//! The approvals on disk: one file for all projects, outside of every project.
//!
//! Whatever is wrong with the file, the answer is "nothing is approved", with the reason; a file that cannot be
//! understood is moved aside before another one is written, so that nothing in it is lost.

use std::collections::BTreeMap;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::files::{ApprovedFile, ProjectDir};
use super::fingerprint::Terms;
use super::review::{Pending, PendingSettings, Reading, Review, Why, needs_approval, pair, says_nothing};
use super::seal::Seal;
use super::{HookTrust, Judgement};
use crate::atomic_file::{AtomicFileError, LockedFile, create_private_dir};
use crate::diagnostic::{Diagnostic, Severity};
use crate::hook::Hook;

/// The only form of the file that is understood.
const VERSION: u64 = 1;

/// Where approvals are stored.
#[derive(Debug, Clone)]
pub struct ApprovalStore {
    dir: PathBuf,
}

/// One approval: a hook as it was when somebody approved it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approval {
    /// The hook's name at that time; approvals are not bound to it.
    pub name: String,
    /// The terms.
    pub terms: Terms,
    /// The files that the command names.
    pub files: Vec<ApprovedFile>,
    /// When, in the form of RFC 3339.
    pub approved_at: String,
}

/// All approvals of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedProject {
    /// The project's real path.
    pub path: PathBuf,
    /// Its approved hooks, oldest first.
    pub hooks: Vec<Approval>,
    /// Its own settings as they were approved.
    pub settings: Option<Value>,
}

/// Why the approvals could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The file cannot be opened or read.
    #[error("cannot read the approvals `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not what this program writes.
    #[error("the approvals `{}` are damaged", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found.
        source: serde_json::Error,
    },
    /// The file was written by another version of this program.
    #[error("the approvals `{}` have version {found}, and only version {VERSION} is understood", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version as written.
        found: String,
    },
    /// Somebody else could have written the file.
    #[error("the approvals cannot be trusted: `{}` {why}", path.display())]
    Unsafe {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file cannot be changed.
    #[error(transparent)]
    Change(#[from] AtomicFileError),
    /// A hook cannot be approved as it is.
    #[error("`{name}` cannot be approved: {why}")]
    NotApprovable {
        /// The hook.
        name: String,
        /// Why.
        why: String,
    },
    /// The approvals cannot be written as JSON.
    #[error("cannot write the approvals as JSON")]
    Encode(#[source] serde_json::Error),
}

impl TrustError {
    /// The finding that explains why no approval counts.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, help) = match self {
            Self::Unreadable { .. } => ("approvals-unreadable", "make the file readable, then approve again"),
            Self::Corrupt { .. } => {
                ("approvals-damaged", "approve again: the damaged file is kept beside the new one")
            }
            Self::Version { .. } => ("approvals-version", "use the newer program, or move the file away"),
            Self::Unsafe { .. } => {
                ("approvals-unsafe", "nobody but you may be able to write there: check owner and mode")
            }
            Self::Change(_) | Self::NotApprovable { .. } | Self::Encode(_) => ("approvals-unchanged", ""),
        };
        let mut message = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        Diagnostic {
            code,
            severity: Severity::Error,
            place: None,
            message,
            help: (!help.is_empty()).then(|| help.to_owned()),
        }
    }
}

/// The file's content.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoreWire {
    version: u64,
    projects: BTreeMap<String, ProjectWire>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectWire {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    settings: Option<Value>,
    hooks: Vec<Approval>,
}

impl Default for StoreWire {
    fn default() -> Self {
        Self { version: VERSION, projects: BTreeMap::new() }
    }
}

impl ApprovalStore {
    /// The store in a state folder, such as `~/.llxprt/hookrail`. Nothing is read or made yet.
    pub fn new(state_dir: PathBuf) -> Self {
        Self { dir: state_dir }
    }

    /// The file that holds the approvals.
    pub fn path(&self) -> PathBuf {
        self.dir.join("approvals.json")
    }

    /// Tells for every hook whether it may run, and seals the files of those that were approved.
    ///
    /// `project_settings` is what the project's own files say besides hooks, in whatever form the caller
    /// likes, as long as it is the same here and in [`ApprovalStore::pending`].
    pub fn judge(&self, project: &Path, hooks: &[Hook], project_settings: &Value) -> Judgement {
        let project = ProjectDir::new(project);
        let (approved, problem) = self.load_project(&project);
        let waiting: Vec<&Hook> = hooks.iter().filter(|hook| needs_approval(hook)).collect();
        let readings: Vec<Reading> = waiting.iter().map(|hook| Reading::load(&project, hook)).collect();
        let mut judged = pair(&readings, &approved.hooks)
            .into_iter()
            .zip(&readings)
            .map(|(approval, reading)| judge_one(approval, reading, problem.as_ref()));
        let mut judgement = Judgement {
            hooks: Vec::with_capacity(hooks.len()),
            seals: Vec::with_capacity(hooks.len()),
            project_settings_approved: says_nothing(project_settings)
                || approved.settings.as_ref() == Some(project_settings),
            problem: problem.clone(),
        };
        for hook in hooks {
            let verdict = if needs_approval(hook) { judged.next() } else { None };
            let (trust, seal) = match verdict {
                None => (HookTrust::Trusted, None),
                Some(Err(why)) => (HookTrust::NotApproved { why }, None),
                Some(Ok(files)) => match Seal::capture(&project, hook, files) {
                    Ok(seal) => (HookTrust::Approved, Some(Arc::new(seal))),
                    Err(why) => (HookTrust::NotApproved { why }, None),
                },
            };
            judgement.hooks.push(trust);
            judgement.seals.push(seal);
        }
        judgement
    }

    /// What waits for approval, with everything a person needs to decide. `hooks` must be all hooks of the
    /// project, also when only some are to be approved: an approval that fits none of them is taken for the former
    /// state of a hook that changed, and goes when that one is approved. Hooks of other levels are ignored.
    pub fn pending(&self, project: &Path, hooks: &[Hook], project_settings: &Value) -> Review {
        let project = ProjectDir::new(project);
        let (approved, problem) = self.load_project(&project);
        let waiting: Vec<&Hook> = hooks.iter().filter(|hook| needs_approval(hook)).collect();
        let readings: Vec<Reading> = waiting.iter().map(|hook| Reading::load(&project, hook)).collect();
        let pairs = pair(&readings, &approved.hooks);
        let mut pending = Vec::new();
        for ((hook, approval), reading) in waiting.into_iter().zip(pairs).zip(readings.iter().cloned()) {
            let why = match approval.map(|approval| reading.changes_since(approval)) {
                None => Why::New,
                Some(what) if what.is_empty() && reading.files.is_ok() => continue,
                Some(what) => Why::Changed { what },
            };
            pending.push(Pending {
                hook: hook.clone(),
                why,
                files: reading.named_files(),
                obstacle: reading.obstacle(),
                replaces: approval.map(|approval| approval.terms.clone()),
                reading,
            });
        }
        let is_approved =
            says_nothing(project_settings) || approved.settings.as_ref() == Some(project_settings);
        let settings = (!is_approved)
            .then(|| PendingSettings { before: approved.settings, after: project_settings.clone() });
        Review { project, current_settings: project_settings.clone(), pending, settings, problem }
    }

    /// Approves what a person saw: the chosen hooks of a review, and the project's settings with them.
    /// What was shown is what is approved; a file that changed since makes its hook wait again.
    pub fn approve(&self, review: &Review, chosen: &[&Pending]) -> Result<(), TrustError> {
        for pending in chosen {
            if let Some(why) = &pending.obstacle {
                return Err(TrustError::NotApprovable { name: pending.hook.name.clone(), why: why.clone() });
            }
        }
        let approved_at = jiff::Timestamp::now().to_string();
        self.update(|store| {
            let project = store.projects.entry(review.project.key()).or_default();
            project.settings = Some(review.current_settings.clone());
            for pending in chosen {
                let terms = &pending.reading.terms;
                project
                    .hooks
                    .retain(|old| old.terms != *terms && Some(&old.terms) != pending.replaces.as_ref());
                project.hooks.push(Approval {
                    name: pending.hook.name.clone(),
                    terms: terms.clone(),
                    files: pending.reading.approved_files(),
                    approved_at: approved_at.clone(),
                });
            }
            true
        })
        .map(drop)
    }

    /// Takes back the approval of one hook (of the same terms, or of the same name and event), or of a whole project
    /// with its settings. Returns how many hooks lost it.
    pub fn revoke(&self, project: &Path, hook: Option<&Hook>) -> Result<usize, TrustError> {
        let key = ProjectDir::new(project).key();
        let mut count = 0;
        self.update(|store| {
            let Some(project) = store.projects.get_mut(&key) else { return false };
            let before = project.hooks.len();
            match hook {
                None => project.hooks.clear(),
                Some(hook) => {
                    let terms = Terms::of(hook);
                    project.hooks.retain(|approval| {
                        let same_name = approval.name == hook.name && approval.terms.event == hook.event;
                        approval.terms != terms && !same_name
                    });
                }
            }
            count = before - project.hooks.len();
            // With its last hook a project is not an approved project any more.
            let is_over = project.hooks.is_empty() && (hook.is_none() || count > 0);
            if is_over {
                store.projects.remove(&key);
            }
            is_over || count > 0
        })?;
        Ok(count)
    }

    /// The approvals of one project, if it has any.
    pub fn list(&self, project: &Path) -> Result<Option<ApprovedProject>, TrustError> {
        let key = ProjectDir::new(project).key();
        Ok(self.load()?.projects.remove_entry(&key).map(ApprovedProject::from_wire))
    }

    /// The approvals of all projects, by path.
    pub fn list_projects(&self) -> Result<Vec<ApprovedProject>, TrustError> {
        Ok(self.load()?.projects.into_iter().map(ApprovedProject::from_wire).collect())
    }

    fn load_project(&self, project: &ProjectDir) -> (ProjectWire, Option<Diagnostic>) {
        match self.load() {
            Ok(mut store) => (store.projects.remove(&project.key()).unwrap_or_default(), None),
            Err(error) => (ProjectWire::default(), Some(error.diagnostic())),
        }
    }

    fn load(&self) -> Result<StoreWire, TrustError> {
        let path = self.path();
        let unreadable = |source| TrustError::Unreadable { path: path.clone(), source };
        match fs::metadata(&self.dir) {
            Ok(metadata) => refuse_if_unsafe(&self.dir, &metadata, 0o002)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StoreWire::default()),
            Err(error) => return Err(unreadable(error)),
        }
        // Without blocking: a pipe in the file's place must be refused, not waited for.
        let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
        let mut file = match OpenOptions::new().read(true).custom_flags(flags).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StoreWire::default()),
            Err(error) => return Err(unreadable(error)),
        };
        let metadata = file.metadata().map_err(unreadable)?;
        refuse_if_unsafe(&path, &metadata, 0o022)?;
        if !metadata.is_file() {
            return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        let corrupt = |source| TrustError::Corrupt { path: path.clone(), source };
        let value: Value = serde_json::from_slice(&bytes).map_err(corrupt)?;
        // Looked at first: what another version writes is not damaged.
        match value.get("version") {
            Some(version) if version.as_u64() != Some(VERSION) => {
                Err(TrustError::Version { path: path.clone(), found: version.to_string() })
            }
            _ => serde_json::from_value(value).map_err(corrupt),
        }
    }

    /// Reads, changes and replaces the file, alone. `change` says whether there is anything to write.
    fn update(&self, change: impl FnOnce(&mut StoreWire) -> bool) -> Result<(), TrustError> {
        let path = self.path();
        create_private_dir(&self.dir).map_err(|source| AtomicFileError::Io {
            step: "create",
            path: self.dir.clone(),
            source,
        })?;
        // Before the lock: nothing is made in a folder that cannot be trusted.
        let metadata = fs::metadata(&self.dir)
            .map_err(|source| TrustError::Unreadable { path: path.clone(), source })?;
        refuse_if_unsafe(&self.dir, &metadata, 0o002)?;
        let file = LockedFile::lock(&path, &self.dir.join("approvals.lock"))?;
        let mut store = match self.load() {
            Ok(store) => store,
            Err(error) if is_beyond_repair(&error) => {
                let aside = file.move_aside("corrupt")?;
                tracing::warn!(kept = %aside.display(), "{}", error.diagnostic().message);
                StoreWire::default()
            }
            Err(error) => return Err(error),
        };
        if change(&mut store) {
            let mut text = serde_json::to_vec_pretty(&store).map_err(TrustError::Encode)?;
            text.push(b'\n');
            file.replace_with_mode(&text, 0o600)?;
        }
        Ok(())
    }
}

impl ApprovedProject {
    fn from_wire((key, project): (String, ProjectWire)) -> Self {
        let path = match key.strip_prefix("bytes:").and_then(bytes_of_hexadecimal) {
            Some(bytes) => PathBuf::from(std::ffi::OsString::from_vec(bytes)),
            None => PathBuf::from(key),
        };
        Self { path, hooks: project.hooks, settings: project.settings }
    }
}

fn judge_one<'a>(
    approval: Option<&Approval>,
    reading: &'a Reading,
    problem: Option<&Diagnostic>,
) -> Result<&'a super::files::NamedFiles, String> {
    if let Some(problem) = problem {
        return Err(problem.message.clone());
    }
    let files = reading.files.as_ref().map_err(ToString::to_string)?;
    let Some(approval) = approval else { return Err("it was never approved".to_owned()) };
    let changes: Vec<String> =
        reading.changes_since(approval).iter().map(|change| change.subject()).collect();
    if changes.is_empty() {
        Ok(files)
    } else {
        Err(format!("changed since it was approved: {}", changes.join(", ")))
    }
}

/// Whether the file can never be read as it is. A passing trouble must not cost the approvals.
fn is_beyond_repair(error: &TrustError) -> bool {
    match error {
        TrustError::Corrupt { .. } => true,
        TrustError::Unreadable { source, .. } => matches!(
            source.kind(),
            io::ErrorKind::PermissionDenied | io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput
        ),
        _ => false,
    }
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

fn bytes_of_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|char| char.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}
