//! Who may write the settings of the user and the system. Another user who may could add hooks that need no approval, or
//! remove guards, so settings that others may write are refused like broken ones.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::diagnose::start_of;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};

/// File systems that invent modes: the mode of a file there does not show who may write it.
#[cfg(not(target_os = "macos"))]
const WITHOUT_MODES: [u64; 8] = [
    0x4d44,      // FAT
    0x2011_bab0, // exFAT
    0x5346_544e, // NTFS
    0x7366_746e, // NTFS, the newer driver
    0x0102_1997, // 9p, as used by virtual machines
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB 2
    0x786f_4256, // shared folders of VirtualBox
];

/// The same by name: FAT, exFAT, NTFS, SMB, `WebDAV`.
#[cfg(target_os = "macos")]
const WITHOUT_MODES: [&[u8]; 5] = [b"msdos", b"exfat", b"ntfs", b"smbfs", b"webdav"];

/// The bit of a mode that folders have and files have not.
const FOLDER: u32 = 0o040_000;

/// The user whose settings are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct UserIdentity {
    user: u32,
    /// The user's primary group, whose members may write.
    group: u32,
    /// The owner of the home directory.
    home_owner: Option<u32>,
}

impl UserIdentity {
    /// The user that runs this program.
    pub(super) fn current(home: &Path) -> Self {
        Self {
            user: rustix::process::geteuid().as_raw(),
            group: rustix::process::getegid().as_raw(),
            home_owner: std::fs::metadata(home).ok().map(|metadata| metadata.uid()),
        }
    }

    /// What is wrong with who may write a file or folder, and what helps.
    fn objection(self, path: &Path, owner: u32, group: u32, mode: u32) -> Option<(String, String)> {
        let shown = path.display();
        if owner != self.user && owner != 0 && Some(owner) != self.home_owner {
            let why = format!("`{shown}` belongs to another user (uid {owner}, mode {:04o})", mode & 0o7777);
            return Some((why, format!("make it yours with `chown {} '{shown}'`", self.user)));
        }
        // In a sticky folder no user can remove or replace what belongs to others.
        let is_protected = mode & FOLDER != 0 && mode & 0o1000 != 0;
        let by_group = mode & 0o020 != 0 && group != self.group && group != 0;
        let by_others = mode & 0o002 != 0;
        if (by_group || by_others) && !is_protected {
            let why = format!(
                "`{shown}` can be written by other users (owner {owner}, group {group}, mode {:04o})",
                mode & 0o7777
            );
            let who = if by_group { "go-w" } else { "o-w" };
            let help = format!(
                "take that away with `chmod {who} '{shown}'`; where that has no effect, mount the file system with \
                 `umask=077`"
            );
            return Some((why, help));
        }
        None
    }
}

/// What is wrong with who may write a settings file or the folders that hold it; `None` where nothing is. An error means
/// that the file must not be used.
pub(super) fn objection(file: &Path, identity: UserIdentity) -> Option<Diagnostic> {
    let real = file.canonicalize().ok()?;
    let folders = [file.parent(), real.parent()].into_iter().flatten().map(Path::to_owned);
    let mut places: Vec<PathBuf> = std::iter::once(real.clone()).chain(folders).collect();
    places.dedup();
    let (why, help) = places.iter().find_map(|place| {
        let metadata = std::fs::metadata(place).ok()?;
        identity.objection(place, metadata.uid(), metadata.gid(), metadata.mode())
    })?;
    let code = DiagnosticCode::SettingsWritableByOthers;
    let finding = if invents_modes(&real) {
        let doubt = "and this file system has no modes";
        let message = format!("it is not known who may write these settings: {why}, {doubt}");
        Diagnostic::new(code, Severity::Warning, message)
    } else {
        Diagnostic::error(code, format!("these settings cannot be trusted: {why}"))
    };
    Some(finding.at(start_of(file)).with_help(help))
}

/// Whether the file system makes up owners and modes, so that they do not show who may write.
#[cfg(not(target_os = "macos"))]
fn invents_modes(file: &Path) -> bool {
    rustix::fs::statfs(file).is_ok_and(|system| {
        u64::try_from(system.f_type).is_ok_and(|kind| WITHOUT_MODES.contains(&(kind & 0xffff_ffff)))
    })
}

#[cfg(target_os = "macos")]
fn invents_modes(file: &Path) -> bool {
    rustix::fs::statfs(file).is_ok_and(|system| {
        let name = system.f_fstypename.iter().map(|letter| letter.cast_unsigned());
        let name: Vec<u8> = name.take_while(|letter| *letter != 0).collect();
        WITHOUT_MODES.contains(&name.as_slice())
    })
}

/// A home directory that is not absolute: it would be looked for where the program happens to be, in the project.
pub(super) fn relative_home(home: &Path) -> Diagnostic {
    let message = format!("the home directory `{}` is not an absolute path", home.display());
    Diagnostic::error(DiagnosticCode::HomeNotAbsolute, message).with_help("set HOME to an absolute path")
}

#[cfg(test)]
mod tests;
