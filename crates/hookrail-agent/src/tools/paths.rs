//! Paths that stay inside of the project, also when somebody swaps a link in at the worst moment.
//!
//! A path is first resolved by the operating system, links and `..` included, and refused unless the
//! result lies in the project. Every access then starts at an open handle of the project and opens one
//! component after the other without following links. What was resolved contains no links, so a link
//! on the way can only have appeared since, and the access fails instead of following it. This needs
//! no system call of one particular kernel and holds wherever `openat` and `O_NOFOLLOW` exist.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, openat, statat};
use rustix::io::Errno;

use super::failure::{
    Failure, IS_DIRECTORY, NOT_DIRECTORY, NOT_FOUND, NOT_REGULAR, OUTSIDE, PROTECTED, READ_FAILED,
};
use super::protected::ProtectedPaths;
use super::text;

/// Handles of folders on the way: on Linux they need no permission to list the folder.
#[cfg(any(target_os = "linux", target_os = "android"))]
const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const STEP: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// No more names than this are looked at for a suggestion.
const NAMES_TO_COMPARE: usize = 5000;

/// The project, held open.
pub(super) struct Workspace {
    root: PathBuf,
    dir: OwnedFd,
    protected: ProtectedPaths,
}

/// A path that lay in the project, free of links, when it was resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inside {
    /// Relative to the project; empty for the project itself.
    pub(super) relative: PathBuf,
    pub(super) exists: bool,
}

impl Inside {
    /// For people and the model.
    pub(super) fn shown(&self) -> String {
        shown(&self.relative)
    }
}

/// A relative path for people and the model, on one line.
pub(super) fn shown(relative: &Path) -> String {
    if relative.as_os_str().is_empty() { ".".to_owned() } else { text::one_line(&relative.to_string_lossy()) }
}

impl Workspace {
    /// Opens the project.
    pub(super) fn open(project: &Path, protected: &ProtectedPaths) -> Result<Self, Failure> {
        let problem = |error: &io::Error| {
            let shown = text::one_line(&project.to_string_lossy());
            Failure::io(READ_FAILED, &format!("cannot open the project `{shown}`"), error)
        };
        let root = project.canonicalize().map_err(|error| problem(&error))?;
        let dir = rustix::fs::open(&root, STEP, Mode::empty()).map_err(|error| problem(&error.into()))?;
        Ok(Self { root, dir, protected: protected.clone() })
    }

    /// The project's real path.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Refuses to write what needs a person's yes and has not got it.
    pub(super) fn refuse_protected(&self, inside: &Inside) -> Result<(), Failure> {
        match self.protected.objection(&self.root, &inside.relative) {
            None => Ok(()),
            Some(why) => {
                let message = format!("`{}` is written only after a person said yes: {why}", inside.shown());
                Err(Failure::new(PROTECTED, message))
            }
        }
    }

    /// Where a path leads, existing or not; refused outside of the project.
    pub(super) fn resolve(&self, given: &str) -> Result<Inside, Failure> {
        let name = text::one_line(given);
        let mut known = self.root.join(given);
        let mut missing: Vec<OsString> = Vec::new();
        let real = loop {
            match known.canonicalize() {
                Ok(real) => break real,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if known.symlink_metadata().is_ok() {
                        // Writing through it would create a file that nobody has looked at.
                        return Err(Failure::new(
                            OUTSIDE,
                            format!(
                                "`{name}` is refused: it leads through a link to something that does not exist"
                            ),
                        ));
                    }
                    let Some(last) = known.file_name() else {
                        return Err(Failure::new(
                            NOT_FOUND,
                            format!("`{name}` goes back with `..` from a folder that does not exist"),
                        ));
                    };
                    missing.push(last.to_owned());
                    known.pop();
                }
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                    return Err(Failure::new(
                        NOT_DIRECTORY,
                        format!("`{name}` leads through a file as if it were a folder"),
                    ));
                }
                Err(error) => {
                    return Err(Failure::io(READ_FAILED, &format!("cannot resolve `{name}`"), &error));
                }
            }
        };
        let Ok(relative) = real.strip_prefix(&self.root) else {
            return Err(Failure::new(
                OUTSIDE,
                format!("`{name}` is outside of the project; tools only reach files in it"),
            ));
        };
        let exists = missing.is_empty();
        let relative = missing.iter().rev().fold(relative.to_owned(), |path, name| path.join(name));
        Ok(Inside { relative, exists })
    }

    /// Like [`Workspace::resolve`] for something that must be there; suggests near names otherwise.
    pub(super) fn resolve_existing(&self, given: &str) -> Result<Inside, Failure> {
        let inside = self.resolve(given)?;
        if inside.exists {
            return Ok(inside);
        }
        let mut message = format!("`{}` does not exist", inside.shown());
        let near = self.near_names(&inside.relative);
        if !near.is_empty() {
            message.push_str("; did you mean ");
            message.push_str(&near.join(" or "));
            message.push('?');
        }
        Err(Failure::new(NOT_FOUND, message))
    }

    /// Opens a regular file for reading.
    pub(super) fn open_file(&self, inside: &Inside) -> Result<File, Failure> {
        let file = self.open_at(&inside.relative, OFlags::RDONLY).map_err(|error| swapped(inside, error))?;
        let kind = file.metadata().map_err(|error| swapped(inside, error))?.file_type();
        if kind.is_dir() {
            Err(Failure::new(IS_DIRECTORY, format!("`{}` is a folder, not a file", inside.shown())))
        } else if kind.is_file() {
            Ok(file)
        } else {
            Err(not_regular(&inside.shown()))
        }
    }

    /// Opens whatever is there. Never waits: a named pipe without a writer must not hang the agent.
    pub(super) fn open_at(&self, relative: &Path, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let (folder, name) = self.folder_of(relative)?;
        Ok(File::from(openat(folder, name, flags, Mode::empty())?))
    }

    /// The facts about a path itself, not about what a link points to.
    pub(super) fn stat(&self, relative: &Path) -> io::Result<Stat> {
        let (folder, name) = self.folder_of(relative)?;
        Ok(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// A handle of the folder that holds a path, and the path's name in it (`.` for the project itself).
    fn folder_of<'a>(&self, relative: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
        match (relative.parent(), relative.file_name()) {
            (Some(parent), Some(name)) => Ok((self.open_folder(parent, false)?, name)),
            _ if relative.as_os_str().is_empty() => Ok((self.open_folder(relative, false)?, OsStr::new("."))),
            _ => Err(Errno::INVAL.into()),
        }
    }

    /// A handle of a folder; with `create`, folders that are missing on the way are made.
    pub(super) fn open_folder(&self, relative: &Path, create: bool) -> io::Result<OwnedFd> {
        let mut folder = self.dir.try_clone()?;
        for component in relative.components() {
            let Component::Normal(name) = component else { return Err(Errno::INVAL.into()) };
            folder = match openat(&folder, name, STEP, Mode::empty()) {
                Err(Errno::NOENT) if create => {
                    match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                        Ok(()) | Err(Errno::EXIST) => openat(&folder, name, STEP, Mode::empty())?,
                        Err(error) => return Err(error.into()),
                    }
                }
                other => other?,
            };
        }
        Ok(folder)
    }

    /// The entries of a folder with their facts; entries that vanish meanwhile are left out.
    pub(super) fn entries(&self, inside: &Inside) -> Result<Vec<(OsString, Stat)>, Failure> {
        let folder = self.open_folder(&inside.relative, false).map_err(|error| swapped(inside, error))?;
        let names = names_in(&folder, usize::MAX).map_err(|error| swapped(inside, error))?;
        Ok(names
            .into_iter()
            .filter_map(|name| {
                let stat = statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
                Some((name, stat))
            })
            .collect())
    }

    fn near_names(&self, relative: &Path) -> Vec<String> {
        let (Some(parent), Some(wanted)) = (relative.parent(), relative.file_name()) else {
            return Vec::new();
        };
        let Ok(names) = self.open_folder(parent, false).and_then(|dir| names_in(&dir, NAMES_TO_COMPARE))
        else {
            return Vec::new();
        };
        let wanted = wanted.to_string_lossy().to_lowercase();
        let mut near: Vec<(usize, String)> = names
            .iter()
            .filter_map(|name| {
                let distance = distance(&wanted, &name.to_string_lossy().to_lowercase());
                let allowed = 1 + wanted.chars().count() / 4;
                (distance <= allowed).then(|| (distance, format!("`{}`", shown(&parent.join(name)))))
            })
            .collect();
        near.sort();
        near.into_iter().map(|(_, name)| name).take(3).collect()
    }
}

fn names_in(folder: &OwnedFd, most: usize) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    // The handle itself may be one that only leads on; reading needs one of its own.
    let readable = openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    for entry in Dir::new(readable)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push(name.to_owned());
        }
        if names.len() >= most {
            break;
        }
    }
    Ok(names)
}

/// How many characters must change to make one word of the other; very long names are far from anything.
fn distance(a: &str, b: &str) -> usize {
    if a.len().max(b.len()) > 256 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut left = i + 1;
        let mut diagonal = i;
        for (above, y) in row.iter_mut().skip(1).zip(b.chars()) {
            let cost = (diagonal + usize::from(x != y)).min(left + 1).min(*above + 1);
            diagonal = std::mem::replace(above, cost);
            left = cost;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

/// What went wrong with a path that was in order a moment ago.
pub(super) fn swapped(inside: &Inside, error: impl Into<io::Error>) -> Failure {
    let error = error.into();
    match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => Failure::new(
            OUTSIDE,
            format!("`{}` is refused: it became a link while it was being opened", inside.shown()),
        ),
        Some(Errno::NOTDIR) => Failure::new(NOT_DIRECTORY, format!("`{}` is not a folder", inside.shown())),
        _ => Failure::io(READ_FAILED, &format!("cannot open `{}`", inside.shown()), &error),
    }
}

/// A pipe, a socket or a device where a file was asked for.
pub(super) fn not_regular(shown: &str) -> Failure {
    Failure::new(NOT_REGULAR, format!("`{shown}` is neither a file nor a folder"))
}

/// The type in a file's facts.
pub(super) fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use hookrail_testkit::TestProject;

    use super::*;

    #[test]
    fn only_paths_that_end_in_the_project_resolve() {
        let project = TestProject::new();
        project.file("src/main.rs", "fn main() {}");
        let outside = project.home().join("secret");
        std::fs::write(&outside, "secret").unwrap();
        let dir = project.dir();
        symlink(&outside, dir.join("link-out")).unwrap();
        symlink(project.home(), dir.join("dir-out")).unwrap();
        symlink(dir.join("src/main.rs"), dir.join("link-in")).unwrap();
        symlink("src", dir.join("dir-in")).unwrap();
        symlink("../home/new", dir.join("dangling-out")).unwrap();
        symlink("nothing", dir.join("dangling-in")).unwrap();
        symlink("loop", dir.join("loop")).unwrap();
        symlink("/proc/self/root", dir.join("magic")).unwrap();
        let absolute = dir.join("src/main.rs");
        let prefix = format!("{}-other/x", dir.display());

        let workspace = Workspace::open(&dir, &ProtectedPaths::default()).unwrap();
        for (given, expected) in [
            (".", "."),
            ("", "."),
            ("src/main.rs", "src/main.rs"),
            ("./src/../src/main.rs", "src/main.rs"),
            (absolute.to_str().unwrap(), "src/main.rs"),
            ("link-in", "src/main.rs"),
            ("dir-in/main.rs", "src/main.rs"),
            ("dir-in/../link-in", "src/main.rs"),
            ("new/deep/file", "new/deep/file (new)"),
            ("dir-in/new", "src/new (new)"),
            ("..", OUTSIDE),
            ("../home/secret", OUTSIDE),
            ("../home/new", OUTSIDE),
            ("../project/../home/secret", OUTSIDE),
            ("/etc/passwd", OUTSIDE),
            ("/", OUTSIDE),
            (&prefix, OUTSIDE),
            ("link-out", OUTSIDE),
            ("dir-out", OUTSIDE),
            ("dir-out/secret", OUTSIDE),
            ("dir-out/new", OUTSIDE),
            ("dir-out/../home/secret", OUTSIDE),
            ("dangling-out", OUTSIDE),
            ("dangling-in", OUTSIDE),
            ("dangling-in/x", OUTSIDE),
            ("magic/etc/passwd", OUTSIDE),
            ("new/../../home/secret", NOT_FOUND),
            ("src/main.rs/x", NOT_DIRECTORY),
            ("loop", READ_FAILED),
            ("nul\0byte", READ_FAILED),
        ] {
            let found = match workspace.resolve(given) {
                Ok(inside) => inside.shown() + if inside.exists { "" } else { " (new)" },
                Err(failure) => failure.kind.to_owned(),
            };
            assert_eq!(found, expected, "{given:?}");
        }
    }

    #[test]
    fn a_link_that_appears_after_resolving_is_not_followed() {
        let project = TestProject::new();
        project.file("folder/file", "inside");
        std::fs::write(project.home().join("file"), "outside").unwrap();
        let workspace = Workspace::open(&project.dir(), &ProtectedPaths::default()).unwrap();
        let inside = workspace.resolve("folder/file").unwrap();

        std::fs::rename(project.dir().join("folder"), project.dir().join("moved")).unwrap();
        symlink(project.home(), project.dir().join("folder")).unwrap();
        assert_eq!(workspace.open_file(&inside).unwrap_err().kind, NOT_DIRECTORY, "the folder became a link");

        std::fs::remove_file(project.dir().join("folder")).unwrap();
        std::fs::create_dir(project.dir().join("folder")).unwrap();
        symlink(project.home().join("file"), project.dir().join("folder/file")).unwrap();
        assert_eq!(workspace.open_file(&inside).unwrap_err().kind, OUTSIDE, "the file became a link");
    }

    #[test]
    fn near_names_are_suggested() {
        let project = TestProject::new();
        project.file("src/main.rs", "");
        project.file("README.md", "");
        let workspace = Workspace::open(&project.dir(), &ProtectedPaths::default()).unwrap();
        for (given, expected) in [
            ("src/mian.rs", "`src/mian.rs` does not exist; did you mean `src/main.rs`?"),
            ("readme.md", "`readme.md` does not exist; did you mean `README.md`?"),
            ("nothing-like-it", "`nothing-like-it` does not exist"),
            ("no/folder", "`no/folder` does not exist"),
        ] {
            assert_eq!(workspace.resolve_existing(given).unwrap_err().message, expected);
        }
    }
}
