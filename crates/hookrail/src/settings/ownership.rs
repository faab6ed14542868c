//! Who may write the settings of the user and the system. Another user who may could add hooks that need no approval, or
//! remove guards, so settings that others may write are refused like broken ones.

use std::fs::Metadata;
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
    fn objection(self, path: &Path, facts: OwnershipFacts) -> Option<(String, String)> {
        let shown = path.display();
        let OwnershipFacts { owner, group, mode, is_folder } = facts;
        if owner != self.user && owner != 0 && Some(owner) != self.home_owner {
            let why = format!("`{shown}` belongs to another user (uid {owner}, mode {:04o})", mode & 0o7777);
            return Some((why, format!("make it yours with `chown {} '{shown}'`", self.user)));
        }
        // In a sticky folder no user can remove or replace what belongs to others.
        let is_protected = is_folder && mode & 0o1000 != 0;
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

/// What decides who may write a file or folder.
#[derive(Debug, Clone, Copy)]
struct OwnershipFacts {
    owner: u32,
    group: u32,
    mode: u32,
    is_folder: bool,
}

impl OwnershipFacts {
    fn of(metadata: &Metadata) -> Self {
        let (owner, group, mode) = (metadata.uid(), metadata.gid(), metadata.mode());
        Self { owner, group, mode, is_folder: metadata.is_dir() }
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
        identity.objection(place, OwnershipFacts::of(&metadata))
    })?;
    let mut finding = Diagnostic {
        code: DiagnosticCode::SettingsWritableByOthers,
        severity: Severity::Error,
        place: Some(start_of(file)),
        message: format!("these settings cannot be trusted: {why}"),
        help: Some(help),
    };
    if invents_modes(&real) {
        finding.severity = Severity::Warning;
        finding.message =
            format!("it is not known who may write these settings: {why}, and this file system has no modes");
    }
    Some(finding)
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
    Diagnostic {
        code: DiagnosticCode::HomeNotAbsolute,
        severity: Severity::Error,
        place: None,
        message: format!("the home directory `{}` is not an absolute path", home.display()),
        help: Some("set HOME to an absolute path".to_owned()),
    }
}

#[cfg(test)]
mod tests;
