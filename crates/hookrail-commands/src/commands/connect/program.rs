//! The copy of this program that the entries call, in a folder that only the user can write.
//!
//! An entry outlives the folder in which the program was built or unpacked, and it must not call whatever another
//! program puts there.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use hookrail::settings::{LockedFile, make_state_dir};

use hookrail_bridge::{Agent, SHARED_FOLDERS};

use super::file::AgentFile;
use super::status::version_of;
use crate::commands::other_programs::is_executable;
use crate::context::Context;
use crate::display::shown;
use crate::exit::fail;

/// What became of the copy.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Installed {
    /// It is this program already.
    Same,
    Written,
    /// It is of a newer version, and was kept.
    Newer(String),
}

/// Where the copy is.
pub(crate) fn path(context: &Context) -> PathBuf {
    context.paths.home.join(".hookrail/bin/hookrail")
}

/// The program that a project's entry calls: the first one in the places where it looks.
pub(crate) fn installed(context: &Context) -> Option<PathBuf> {
    let shared = SHARED_FOLDERS.iter().map(|folder| Path::new(folder).join("hookrail"));
    std::iter::once(path(context)).chain(shared).find(|program| is_executable(program))
}

/// Whether each of these files of an agent, the user's or the project's, finds the program that it calls.
pub(crate) fn is_there(files: &[PathBuf], agent: Agent, context: &Context) -> bool {
    let (own, any) = (is_executable(&path(context)), installed(context).is_some());
    let users = AgentFile::find(agent, false, context).map(|file| file.place.path);
    files.iter().all(|file| if users.as_ref().is_ok_and(|users| users == file) { own } else { any })
}

/// Puts a copy of this program into its place, unless a newer version is there.
pub(crate) fn install(context: &Context, force: bool) -> anyhow::Result<Installed> {
    let target = path(context);
    let folder = target.parent().unwrap_or(Path::new("/")).to_owned();
    let source = std::env::current_exe().context("cannot tell where this program is")?;
    refuse_link(&folder, context)?;
    let state = context.state_dir();
    make_state_dir(&state).with_context(|| format!("cannot make `{}`", state.display()))?;
    let locked = LockedFile::lock(&target, &folder.join(".lock"));
    let _locked = locked.with_context(|| format!("cannot write to `{}`", folder.display()))?;
    refuse_link(&folder, context)?;
    refuse_link(&target, context)?;
    let metadata = fs::metadata(&folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        let message = format!("`{}` belongs to another user", shown(&folder, context));
        return fail(message, "run this as the user whose agents it is for");
    }
    set_mode(&folder, 0o700)?;
    if target.exists() {
        if is_same(&source, &target) {
            set_mode(&target, 0o755)?;
            return Ok(Installed::Same);
        }
        let version = version_of(&target).and_then(|line| line.split(' ').nth(1).map(str::to_owned));
        if let Some(version) = version.filter(|there| !force && is_newer(there, env!("CARGO_PKG_VERSION"))) {
            return Ok(Installed::Newer(version));
        }
    }
    // A rename, so that a call of this moment finds the old program or the new one.
    let temporary = folder.join(format!(".hookrail.{}.tmp", std::process::id()));
    let written = fs::copy(&source, &temporary)
        .and_then(|_| fs::set_permissions(&temporary, fs::Permissions::from_mode(0o755)))
        .and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written.with_context(|| format!("cannot copy `{}` to `{}`", source.display(), target.display()))?;
    Ok(Installed::Written)
}

fn set_mode(path: &Path, mode: u32) -> anyhow::Result<()> {
    let metadata = fs::metadata(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    if metadata.permissions().mode() & 0o7777 != mode {
        let changed = fs::set_permissions(path, fs::Permissions::from_mode(mode));
        changed.with_context(|| format!("cannot change the mode of `{}`", path.display()))?;
    }
    Ok(())
}

/// Where a link leads may be for others to write.
fn refuse_link(path: &Path, context: &Context) -> anyhow::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        let message =
            format!("`{}` is a link, and entries must not call what a link leads to", shown(path, context));
        return fail(message, "remove the link, then run this again");
    }
    Ok(())
}

/// Whether two files are the same program, byte for byte.
fn is_same(one: &Path, other: &Path) -> bool {
    let compare = || -> io::Result<bool> {
        let (mut one, mut other) = (File::open(one)?, File::open(other)?);
        let (first, second) = (one.metadata()?, other.metadata()?);
        if (first.dev(), first.ino()) == (second.dev(), second.ino()) {
            return Ok(true);
        }
        if first.len() != second.len() {
            return Ok(false);
        }
        let (mut left, mut right) = (vec![0; 1 << 18], vec![0; 1 << 18]);
        loop {
            let count = one.read(&mut left)?;
            let Some((read, expected)) = right.get_mut(..count).zip(left.get(..count)) else {
                return Ok(false);
            };
            other.read_exact(read)?;
            if read != expected {
                return Ok(false);
            }
            if count == 0 {
                return Ok(true);
            }
        }
    };
    compare().unwrap_or(false)
}

/// Whether a version is newer than another one. What is not a version is not newer.
fn is_newer(version: &str, than: &str) -> bool {
    let parts = |version: &str| {
        let (numbers, suffix) =
            version.split_once('-').map_or((version, false), |(numbers, _)| (numbers, true));
        let numbers: Option<Vec<u64>> = numbers.split('.').map(|number| number.parse().ok()).collect();
        // A release comes after what was published on the way to it.
        numbers.filter(|numbers| numbers.len() == 3).map(|numbers| (numbers, !suffix))
    };
    parts(version).zip(parts(than)).is_some_and(|(version, than)| version > than)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        for (version, than, expected) in [
            ("0.2.0", "0.1.9", true),
            ("0.10.0", "0.9.0", true),
            ("0.1.0", "0.1.0", false),
            ("0.1.0", "0.2.0", false),
            ("1.0.0", "1.0.0-rc.1", true),
            ("1.0.0-rc.1", "1.0.0", false),
            ("unknown", "0.1.0", false),
            ("1.0", "0.1.0", false),
        ] {
            assert_eq!(is_newer(version, than), expected, "{version} {than}");
        }
    }
}
