//! What is remembered of other agents' sessions: one private file each, forgotten after a week.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookrail::LockedFile;
use hookrail_bridge::{Agent, SessionMemory};
use sha2::{Digest as _, Sha256};

use crate::context::Context;
use crate::display::home;

/// A larger file is not ours.
const LARGEST: u64 = 1 << 20;
/// After this time without an event a session is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(7 * 24);

/// The memory of one session.
pub(super) struct MemoryStore {
    /// `None` where nothing can be kept: no home directory, or a session without a name.
    file: Option<PathBuf>,
}

impl MemoryStore {
    /// The place for the memory of a session.
    pub(super) fn of(context: &Context, agent: Agent, session_id: Option<&str>) -> Self {
        let place = home(context).zip(session_id).map(|(_, session_id)| {
            let digest = Sha256::digest(session_id.as_bytes());
            let name = digest.iter().take(16).fold(String::new(), |name, byte| format!("{name}{byte:02x}"));
            context.state_dir().join("bridge").join(format!("{agent}-{name}.json"))
        });
        Self { file: place }
    }

    /// What is remembered. What cannot be read counts as forgotten.
    pub(super) fn load(&self) -> SessionMemory {
        let Some(file) = &self.file else { return SessionMemory::lost() };
        let is_ours =
            fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST);
        let text = if is_ours { fs::read(file).ok() } else { None };
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    /// Remembers it. A memory that cannot be kept is no reason to fail an event that was decided.
    pub(super) fn save(&self, memory: &SessionMemory) {
        let Some(file) = &self.file else { return };
        let Some(folder) = file.parent() else { return };
        let is_new = !file.exists();
        let Ok(text) = serde_json::to_vec(memory) else { return };
        if text.len() as u64 > LARGEST {
            return;
        }
        if let Ok(locked) = LockedFile::lock(file, &folder.join("memory.lock")) {
            let _ = locked.replace_with_mode(&text, 0o600);
        }
        if is_new {
            forget_old(folder);
        }
    }
}

/// Removes the memories of sessions that are over. Asked once a session.
fn forget_old(folder: &Path) {
    let Some(oldest) = SystemTime::now().checked_sub(FORGOTTEN_AFTER) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_memory = entry.path().extension().is_some_and(|end| end == "json");
        let is_old =
            entry.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|time| time < oldest);
        if is_memory && is_old {
            let _ = fs::remove_file(entry.path());
        }
    }
}
