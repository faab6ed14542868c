//! The files of an approved hook as they were judged, to be looked at again before each run.
//!
//! A look compares the content of each file, not only its times: a program that maps a script into its memory can
//! rewrite it later without a change of any time stamp. `stat` comes first, because most changes show there, and files
//! too large to be read before each run are read again only when it shows a change. Between the look and the moment
//! the shell opens the script a window remains that no check from outside can close: a process that can write the script
//! at just that moment runs what was not approved. It is kept small by looking last, immediately before the
//! process is started, and it does not survive: the next look sees the change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::named_files::{NamedFiles, ProjectDir, load_named_files, target_of};
use super::snapshot::{Identity, Snapshot};
use crate::hook::{Hook, StartObstacle};

/// Files up to this size are read before each run: a script takes microseconds, and this much a few milliseconds.
const ALWAYS_READ: u64 = 4 << 20;

/// The files that one approved hook is bound to, as they were when it was judged.
#[derive(Debug)]
pub struct Seal {
    project: ProjectDir,
    hook: Hook,
    files: Vec<SealedFile>,
    /// What a guard is started with, if that is a file of the project: without it the guard is off.
    program: Option<PathBuf>,
    /// Places where a file would be named by the command if it came into being, and whether a folder is there.
    absent: Vec<(PathBuf, bool)>,
}

#[derive(Debug)]
struct SealedFile {
    location: PathBuf,
    path: String,
    target: String,
    /// What is in it, under the identity with which that was last seen to hold.
    seen: Mutex<Snapshot>,
}

/// What a look at sealed files found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum Recheck {
    /// Everything is as it was judged.
    Unchanged,
    /// Something is not, said as a fragment: "`hooks/guard.sh` changed".
    Changed { what: String },
    /// Everything is, but a guard could not be started.
    CannotStart(StartObstacle),
}

impl Seal {
    /// Seals the files of a hook as they were read. What could not be read cannot be sealed, and a hook
    /// that names it cannot be approved under any policy; the error says which file and why.
    pub(super) fn capture(project: &ProjectDir, hook: &Hook, files: &NamedFiles) -> Result<Self, String> {
        let sealed = files.found.iter().map(|file| {
            let unreadable = |why: &String| format!("`{}` cannot be read: {why}", file.path);
            let snapshot = file.snapshot.as_ref().map_err(unreadable)?;
            Ok::<_, String>(SealedFile {
                location: file.location.clone(),
                path: file.path.clone(),
                target: file.target.clone(),
                seen: Mutex::new(Snapshot { digest: snapshot.digest.clone(), text: None, ..*snapshot }),
            })
        });
        Ok(Self {
            project: project.clone(),
            hook: hook.clone(),
            program: hook.event.is_guarded().then(|| project.program_of(hook.command())).flatten(),
            files: sealed.collect::<Result<_, _>>()?,
            absent: files.absent.iter().map(|place| (place.clone(), place.is_dir())).collect(),
        })
    }

    /// Looks again.
    pub fn recheck(&self) -> Recheck {
        let change = self.files.iter().find_map(|file| file.change(&self.project));
        if let Some(what) = change.or_else(|| self.appeared()) {
            return Recheck::Changed { what };
        }
        let obstacle = self.program.as_deref().and_then(|program| self.project.start_obstacle(program));
        obstacle.map_or(Recheck::Unchanged, Recheck::CannotStart)
    }

    /// The files that a guard may be executing; none for a hook that is not a guard.
    pub(crate) fn executables(&self) -> impl Iterator<Item = &Path> {
        let is_guard = self.hook.event.is_guarded();
        let is_executable = |file: &&SealedFile| file.seen().identity.rights().mode & 0o111 != 0;
        let executable = self.files.iter().filter(move |file| is_guard && is_executable(file));
        executable.map(|file| file.location.as_path())
    }

    /// The places of the files that the seal is on.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.location.as_path())
    }

    fn appeared(&self) -> Option<String> {
        let mut has_new_folder = false;
        for (place, was_folder) in &self.absent {
            let Ok(metadata) = fs::metadata(place) else { continue };
            if metadata.is_file() {
                return Some(format!("`{}` appeared", place.display()));
            }
            has_new_folder |= metadata.is_dir() && !was_folder;
        }
        if !has_new_folder && self.hook.watch.is_empty() {
            return None;
        }
        // `cd hooks && ./x.sh`: with the folder, files that it makes meant may have come.
        let Ok(files) = load_named_files(&self.project, &self.hook) else {
            return Some("more files than can be looked at appeared".to_owned());
        };
        let is_new = |path: &str| !self.files.iter().any(|sealed| sealed.path == path);
        files.found.iter().find(|file| is_new(&file.path)).map(|file| format!("`{}` appeared", file.path))
    }
}

impl SealedFile {
    fn seen(&self) -> MutexGuard<'_, Snapshot> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, project: &ProjectDir) -> Option<String> {
        let metadata = match fs::metadata(&self.location) {
            Ok(metadata) if metadata.is_file() => metadata,
            Ok(_) => return Some(format!("`{}` is no longer a file", self.path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Some(format!("`{}` is gone", self.path));
            }
            Err(error) => return Some(format!("`{}` cannot be read: {error}", self.path)),
        };
        let identity = Identity::of(&metadata);
        let mut seen = self.seen();
        let (before, now) = (seen.identity.rights(), identity.rights());
        if now.owner != before.owner {
            return Some(format!("`{}` belongs to another user now", self.path));
        }
        if now.mode != before.mode {
            return Some(format!("`{}` has mode {:04o}, was {:04o}", self.path, now.mode, before.mode));
        }
        if identity.size > ALWAYS_READ && seen.identity == identity && seen.is_settled {
            return None;
        }
        let snapshot = match Snapshot::load(&self.location, false) {
            Ok(snapshot) if snapshot.digest == seen.digest => snapshot,
            Ok(_) => return Some(format!("`{}` changed", self.path)),
            Err(error) => return Some(format!("`{}` cannot be read: {error}", self.path)),
        };
        // The same text elsewhere is another file: a script finds its neighbours by its own place.
        if target_of(project, &self.location).as_ref() != Some(&self.target) {
            return Some(format!("`{}` is another file", self.path));
        }
        // Rights that changed since they were compared are for the next look to see.
        if snapshot.identity == identity {
            *seen = snapshot;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::time::SystemTime;

    use super::*;
    use crate::hook::fixtures::project_hook as hook;

    fn seal(project: &Path, command: &str) -> Seal {
        let project = ProjectDir::new(project);
        let hook = hook(command);
        Seal::capture(&project, &hook, &load_named_files(&project, &hook).unwrap()).unwrap()
    }

    fn verdict(seal: &Seal) -> String {
        match seal.recheck() {
            Recheck::Unchanged => "unchanged".to_owned(),
            Recheck::Changed { what } => what,
            Recheck::CannotStart(obstacle) => format!("cannot start: {obstacle}"),
        }
    }

    #[test]
    fn a_change_of_any_kind_is_seen_and_its_undoing_too() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("x.sh");
        fs::write(&script, "one").unwrap();
        let seal = seal(dir.path(), "bash x.sh later.txt");
        assert_eq!(verdict(&seal), "unchanged");
        // The same size at once: time stamps alone could miss it.
        fs::write(&script, "two").unwrap();
        assert_eq!(verdict(&seal), "`x.sh` changed");
        fs::remove_file(&script).unwrap();
        assert_eq!(verdict(&seal), "`x.sh` is gone");
        fs::create_dir(&script).unwrap();
        assert_eq!(verdict(&seal), "`x.sh` is no longer a file");
        fs::remove_dir(&script).unwrap();
        fs::write(&script, "one").unwrap();
        assert_eq!(verdict(&seal), "unchanged", "same content in a new file");
        fs::write(dir.path().join("later.txt"), "").unwrap();
        assert!(verdict(&seal).ends_with("later.txt` appeared"), "{}", verdict(&seal));
    }

    #[test]
    fn a_folder_that_comes_with_the_script_in_it_is_a_change() {
        let dir = tempfile::tempdir().unwrap();
        let seal = seal(dir.path(), "cd hooks && ./x.sh");
        fs::create_dir(dir.path().join("hooks")).unwrap();
        assert_eq!(verdict(&seal), "unchanged", "an empty folder runs nothing");
        fs::write(dir.path().join("hooks/x.sh"), "").unwrap();
        assert_eq!(verdict(&seal), "`hooks/x.sh` appeared");
    }

    #[test]
    fn a_link_to_another_file_of_the_same_content_is_a_change() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            fs::create_dir(dir.path().join(name)).unwrap();
            fs::write(dir.path().join(name).join("x.sh"), "same").unwrap();
        }
        let link = dir.path().join("link.sh");
        symlink("a/x.sh", &link).unwrap();
        let seal = seal(dir.path(), "bash link.sh");
        assert_eq!(verdict(&seal), "unchanged");
        fs::remove_file(&link).unwrap();
        symlink("b/x.sh", &link).unwrap();
        assert_eq!(verdict(&seal), "`link.sh` is another file");
    }

    #[test]
    fn content_is_compared_whatever_stat_says_unless_the_file_is_large() {
        for (length, expected) in
            [(3, "`x.sh` changed"), (usize::try_from(ALWAYS_READ).unwrap() + 1, "unchanged")]
        {
            let dir = tempfile::tempdir().unwrap();
            let script = dir.path().join("x.sh");
            fs::write(&script, vec![b'a'; length]).unwrap();
            let mut seal = seal(dir.path(), "bash x.sh");
            let seen = seal.files[0].seen.get_mut().unwrap();
            assert!(!seen.is_settled, "a file made just now is not settled");
            // As it will be in two seconds.
            seen.is_settled = true;
            assert_eq!(verdict(&seal), "unchanged");
            let seen = seal.files[0].seen.get_mut().unwrap();
            seen.is_settled = true;
            // With a digest that cannot hold, only a look that skips the content can say `unchanged`.
            let digest = std::mem::take(&mut seen.digest);
            assert_eq!(verdict(&seal), expected);
            seal.files[0].seen.get_mut().unwrap().digest = digest;
            let file = fs::File::options().write(true).open(&script).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            assert_eq!(verdict(&seal), "unchanged", "touched, same content");
        }
    }

    #[test]
    fn mode_decides_whether_a_guard_runs() {
        const NOT_EXECUTABLE: &str = "cannot start: `x.sh` is not executable; run `chmod +x x.sh` or name its interpreter in the command";
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("x.sh");
        fs::write(&script, "one").unwrap();
        let mode = |mode| fs::set_permissions(&script, fs::Permissions::from_mode(mode)).unwrap();
        for (command, before, after, expected) in [
            ("./x.sh", 0o755, 0o644, "`x.sh` has mode 0644, was 0755"),
            ("bash x.sh", 0o755, 0o777, "`x.sh` has mode 0777, was 0755"),
            ("./x.sh", 0o644, 0o644, NOT_EXECUTABLE),
            ("\"$LLXPRT_PROJECT_DIR/x.sh\" --strict", 0o644, 0o644, NOT_EXECUTABLE),
            ("bash x.sh", 0o644, 0o644, "unchanged"),
            ("./missing.sh", 0o644, 0o644, "cannot start: `missing.sh` is not there; add it"),
        ] {
            mode(before);
            let seal = seal(dir.path(), command);
            mode(after);
            assert_eq!(verdict(&seal), expected, "{command}");
        }
    }

    #[test]
    fn many_threads_may_look_at_once() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("x.sh"), "one").unwrap();
        let seal = seal(dir.path(), "bash x.sh");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(verdict(&seal), "unchanged")));
            }
        });
    }
}
