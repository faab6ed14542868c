//! What is remembered of other agents' sessions: one private file each, forgotten after a week.
//!
//! Each event is a process of its own; what one has to hand to the next is kept here for a session.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookrail::settings::LockedFile;
use hookrail_bridge::{Agent, NativeAnswer, SessionMemory};

use crate::context::Context;
use crate::digest;
use crate::display::home;

/// A larger file is not ours.
const LARGEST: u64 = 1 << 20;
/// After this time without a change a session is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(7 * 24);
/// How long another event's change is waited for. It takes a few milliseconds, and the agent waits meanwhile.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// The memory of one session.
pub(super) struct MemoryStore {
    /// `None` where nothing can be kept: no home directory, or a session without a name.
    file: Option<PathBuf>,
}

impl MemoryStore {
    /// The place for the memory of a session.
    pub(super) fn of(context: &Context, agent: Agent, session_id: Option<&str>) -> Self {
        let place = home(context).zip(session_id).map(|(_, session_id)| {
            let name = digest::of(session_id, 16);
            context.state_dir().join("bridge").join(format!("{agent}-{name}.json"))
        });
        Self { file: place }
    }

    /// What is remembered. What cannot be read counts as forgotten.
    pub(super) fn load(&self) -> SessionMemory {
        let Some(file) = &self.file else { return SessionMemory::lost() };
        let is_ours = fs::symlink_metadata(file).is_ok_and(|metadata| {
            metadata.is_file() && metadata.len() <= LARGEST && !is_old(&metadata, FORGOTTEN_AFTER)
        });
        let text = if is_ours { fs::read(file).ok() } else { None };
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    /// Answers with what is remembered now, and keeps what the answer changes of it.
    ///
    /// Agents run tools side by side, so that other events of the session may have changed the memory since the hooks
    /// were started. An answer that changes nothing needs no lock; any other is made again under one.
    pub(super) fn answer(&self, make: impl Fn(&SessionMemory) -> NativeAnswer) -> NativeAnswer {
        let native = make(&self.load());
        if native.memory.is_none() {
            return native;
        }
        let kept = self.file.as_deref().and_then(|file| self.answer_locked(file, &make));
        kept.unwrap_or_else(|| {
            // What would have to wait for a later event is refused at once.
            make(&SessionMemory { is_lost: true, ..self.load() })
        })
    }

    /// `None` if the memory cannot be locked or written; the caller then answers without relying on a later event.
    fn answer_locked(
        &self,
        file: &Path,
        make: impl Fn(&SessionMemory) -> NativeAnswer,
    ) -> Option<NativeAnswer> {
        let folder = file.parent()?;
        if fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_symlink()) {
            fs::remove_file(file).ok()?; // Not ours, and not followed.
        }
        let locked = LockedFile::lock_within(file, &folder.join("memory.lock"), LOCK_TIMEOUT).ok()?;
        // On a file system without modes the memory is kept all the same.
        let _ = keep_private(folder);
        let is_new = !file.exists();
        let native = make(&self.load());
        if let Some(changed) = &native.memory {
            let text = serde_json::to_vec(changed).ok()?;
            locked.replace_with_mode(&text, 0o600).ok()?;
        }
        if is_new {
            let is_memory = |file: &Path| file.extension().is_some_and(|end| end == "json");
            forget_old(folder, FORGOTTEN_AFTER, is_memory);
        }
        Some(native)
    }
}

/// Others could read prompts in the folder, or put memories of their own there.
fn keep_private(folder: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(folder)?.permissions();
    if permissions.mode() & 0o077 != 0 {
        permissions.set_mode(0o700);
        fs::set_permissions(folder, permissions)?;
    }
    Ok(())
}

/// A clock that went backwards makes nothing old.
fn is_old(metadata: &fs::Metadata, kept: Duration) -> bool {
    let oldest = SystemTime::now().checked_sub(kept);
    oldest.zip(metadata.modified().ok()).is_some_and(|(oldest, changed)| changed < oldest)
}

/// Removes what did not change for so long. Asked once a session.
pub(super) fn forget_old(folder: &Path, kept: Duration, is_wanted: impl Fn(&Path) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_over = || entry.metadata().is_ok_and(|metadata| is_old(&metadata, kept));
        if is_wanted(&entry.path()) && is_over() {
            let _ = fs::remove_file(entry.path());
        }
    }
}
