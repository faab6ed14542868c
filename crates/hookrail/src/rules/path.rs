//! Where a path of a tool call leads, as seen from the project.
//!
//! This is the one file of the rules that looks at the disk: only there it can be determined where links lead and whether
//! names differ by case. It reads links and asks what is a folder, and it never fails: what does not exist yet is resolved as
//! far as it does.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use hookrail_shell::Extent;

use super::glob::{Glob, GlobKind};
use super::truth::Truth;
use crate::event::Caller;

/// As many links in one path as the kernel follows.
const MAX_LINKS: usize = 40;
/// No path that is longer exists.
const MAX_PATH_BYTES: usize = 4096;
/// How many entries of folders are looked at for one glob.
const MAX_ENTRIES: usize = 10_000;

/// A path after resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResolvedPath {
    /// Relative to the project, or absolute if it leads out of it; `.` for the project itself. With a `?` behind it if
    /// only its beginning is known.
    pub(crate) shown: String,
    /// Whether it leads out of the project.
    pub(crate) outside: Truth,
    /// How much of it is known.
    pub(crate) extent: Extent,
}

impl ResolvedPath {
    /// A path of which all is known.
    fn whole(shown: String, outside: bool) -> Self {
        Self { shown, outside: outside.into(), extent: Extent::Whole }
    }

    /// What is known of a path of which only the beginning is.
    pub(crate) fn beginning(&self) -> Option<&str> {
        self.shown.strip_suffix('?').filter(|_| self.extent != Extent::Whole)
    }
}

/// How `..` behind a link is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dots {
    /// As the kernel does: the folder above the one that the link leads to.
    Physical,
    /// As the kernel does, and as programs do that shorten the text first: both, where they differ. It cannot be determined
    /// from a file tool's arguments which of the two it does.
    Both,
}

/// The folders that paths are relative to.
#[derive(Debug)]
pub(crate) struct Places {
    project: String,
    cwd: String,
    home: Option<String>,
    disk: Disk,
    ignores_case: OnceLock<bool>,
}

/// Who knows where links lead and what is a folder.
#[derive(Debug)]
enum Disk {
    /// The disk of this machine. Where another machine is to be told what it says, that is noted.
    Here(Option<Mutex<Caller>>),
    /// Another machine, which has said it; or nobody, and there are no links.
    Told(Option<Caller>),
}

impl Disk {
    fn note(&self, note: impl FnOnce(&mut Caller)) {
        if let Self::Here(Some(noted)) = self {
            note(&mut noted.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Follows the links of an absolute path. In the folder `real` there are none on the way.
    fn follow(&self, real: &str, path: &str) -> String {
        match self {
            Self::Here(_) => {
                let real = follow(real, path);
                self.note(|noted| {
                    if real != shortened(path) {
                        noted.links.insert(path.to_owned(), real.clone());
                    }
                });
                real
            }
            Self::Told(Some(caller)) if let Some(real) = caller.links.get(path) => real.clone(),
            Self::Told(_) => shortened(path),
        }
    }

    fn is_folder(&self, path: &str) -> bool {
        match self {
            Self::Here(_) => {
                let is_folder = fs::metadata(path).is_ok_and(|found| found.is_dir());
                if is_folder {
                    self.note(|noted| {
                        noted.folders.insert(path.to_owned());
                    });
                }
                is_folder
            }
            Self::Told(caller) => caller.as_ref().is_some_and(|caller| caller.folders.contains(path)),
        }
    }

    /// The files that an absolute glob stands for; `None` where there are too many to look at, or nobody has said.
    fn matching(&self, glob: &str) -> Option<Vec<String>> {
        match self {
            Self::Here(_) => {
                let found = matching(glob);
                self.note(|noted| drop(noted.globs.insert(glob.to_owned(), found.clone())));
                found
            }
            Self::Told(Some(caller)) => caller.globs.get(glob).cloned().flatten(),
            Self::Told(None) => Some(Vec::new()),
        }
    }

    /// The home of a user. `None` for the signs `~+` and `~-`.
    fn home_of(&self, user: &str) -> Option<String> {
        let name = format!("~{user}");
        match self {
            Self::Here(_) => {
                let home = home_of(user, true)?;
                self.note(|noted| drop(noted.links.insert(name, home.clone())));
                Some(home)
            }
            Self::Told(Some(caller)) if let Some(home) = caller.links.get(&name) => Some(home.clone()),
            Self::Told(_) => home_of(user, false),
        }
    }
}

impl Places {
    /// The places of an event. Relative paths are relative to `cwd`.
    pub(crate) fn on_disk(project: &Path, cwd: &Path, home: Option<&Path>) -> Self {
        let project = shortened(&absolute(&project.to_string_lossy(), "/"));
        let cwd = shortened(&absolute(&cwd.to_string_lossy(), &project));
        Self {
            project: follow("", &project),
            cwd,
            home: home.map(|home| home.to_string_lossy().into_owned()),
            disk: Disk::Here(None),
            ignores_case: OnceLock::new(),
        }
    }

    /// The same places; what the disk says of them is noted.
    pub(crate) fn noted(self) -> Self {
        Self { disk: Disk::Here(Some(Mutex::default())), ..self }
    }

    /// The places of another machine. Nothing is read here.
    pub(crate) fn told(caller: &Caller) -> Self {
        Self {
            project: shortened(&caller.project),
            cwd: shortened(&absolute(&caller.directory, &caller.project)),
            home: caller.home.clone(),
            disk: Disk::Told(Some(caller.clone())),
            ignores_case: OnceLock::from(caller.ignores_case),
        }
    }

    /// What another machine has to be told of these places, as far as it was noted.
    pub(crate) fn caller(&self) -> Caller {
        let mut noted = Caller::default();
        self.disk.note(|caller| noted.clone_from(caller));
        Caller {
            home: self.home.clone(),
            project: self.project.clone(),
            directory: self.cwd.clone(),
            ignores_case: self.ignores_case(),
            ..noted
        }
    }

    /// Places that exist in name only, for examples: their meaning must not depend on the machine.
    pub(crate) fn imagined(project: &str, home: &str) -> Self {
        Self {
            project: project.to_owned(),
            cwd: project.to_owned(),
            home: Some(home.to_owned()),
            disk: Disk::Told(None),
            ignores_case: OnceLock::from(false),
        }
    }

    /// Whether names in the project that differ by case only are the same.
    pub(crate) fn ignores_case(&self) -> bool {
        *self.ignores_case.get_or_init(|| probe_case(&self.project))
    }

    /// The folder that relative paths of a call are relative to: its `directory`, then folders changed to one after
    /// another. A shell changes folders by text: `..` takes the last name off, whether it was a link or not.
    pub(crate) fn folder<'s>(&self, steps: impl IntoIterator<Item = &'s str>) -> Option<String> {
        let mut folder = self.cwd.clone();
        for step in steps {
            folder = shortened(&absolute(&self.without_tilde(step)?, &folder));
        }
        Some(folder)
    }

    /// Resolves a path that is written relative to `folder`; `None` where it cannot be determined where it leads. A device
    /// such as `/dev/null` is not a path: the list is empty.
    pub(crate) fn resolve(&self, folder: Option<&str>, text: &str, dots: Dots) -> Option<Vec<ResolvedPath>> {
        let whole = self.whole(folder, text).filter(|_| !text.is_empty())?;
        let short = shortened(&whole);
        if is_no_file(&short) {
            return Some(Vec::new());
        }
        let physical = self.disk.follow(&self.project, &whole);
        let follow_short = || self.disk.follow(&self.project, &short);
        let lexical = (dots == Dots::Both && has_parent(&whole)).then(follow_short);
        let lexical = lexical.filter(|lexical| *lexical != physical);
        let found = std::iter::once(physical).chain(lexical);
        Some(found.map(|path| self.seen_from_project(path)).collect())
    }

    /// The paths that a glob stands for at present; none for a text without the signs of one. `None` where there are too many
    /// to look at. A `**` stands for no folder.
    pub(crate) fn matching(&self, folder: Option<&str>, text: &str) -> Option<Vec<String>> {
        let whole = if has_signs(text) { self.whole(folder, text) } else { None };
        whole.map_or_else(|| Some(Vec::new()), |whole| self.disk.matching(&whole))
    }

    /// Resolves the known beginning of a path: its folder, and the beginning of a name in that.
    pub(crate) fn resolve_beginning(
        &self,
        folder: Option<&str>,
        text: &str,
        extent: Extent,
    ) -> Option<ResolvedPath> {
        let (above, name) = match text.rsplit_once('/') {
            Some(("", name)) => ("/", name),
            Some((above, name)) => (above, name),
            None if text.starts_with('~') => return None,
            None => (".", text),
        };
        let above = self.resolve(folder, above, Dots::Physical)?.pop()?;
        let start = if above.shown == "." {
            String::new()
        } else {
            above.shown.trim_end_matches('/').to_owned() + "/"
        };
        // A folder that the project lies in has the project below it: one path there may be in it or not.
        let holds_project = (self.project.clone() + "/").starts_with(&start) && above.outside == Truth::Yes;
        let outside =
            if holds_project && extent == Extent::Beginning { Truth::Unknown } else { above.outside };
        Some(ResolvedPath { shown: format!("{start}{name}?"), outside, extent })
    }

    /// Whether a path that is written relative to `folder` is a folder: by its text (`.`, `..`), or on the disk.
    pub(crate) fn is_folder(&self, folder: Option<&str>, text: &str) -> bool {
        matches!(text.rsplit('/').next(), Some("." | ".."))
            || self.whole(folder, text).is_some_and(|whole| self.disk.is_folder(&whole))
    }

    /// A path as written, from the root on; `None` if it is relative to a folder that is not known.
    fn whole(&self, folder: Option<&str>, text: &str) -> Option<String> {
        let text = self.without_tilde(text)?;
        match folder {
            Some(folder) => Some(absolute(&text, folder)),
            None => Some(text).filter(|text| text.starts_with('/')),
        }
    }

    /// Replaces a leading `~`, also one with the name of a user.
    fn without_tilde(&self, text: &str) -> Option<String> {
        match text.strip_prefix('~') {
            None => Some(text.to_owned()),
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                self.home.as_ref().map(|home| format!("{home}{rest}")).filter(|path| !path.is_empty())
            }
            Some(rest) => {
                let (user, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                Some(self.disk.home_of(user)? + rest)
            }
        }
    }

    /// A path inside of the project is shown relative to it, and `.` for the project itself; any other one is
    /// absolute. A project that is `/` has nothing inside.
    fn seen_from_project(&self, path: String) -> ResolvedPath {
        let project = self.project.trim_end_matches('/');
        if project.is_empty() {
            // Everything lies below `/`, so that nothing is the project's own.
            let outside = !is_temporary(&path);
            return ResolvedPath::whole(path, outside);
        }
        let starts = match path.get(..project.len()) {
            Some(start) if start == project => true,
            Some(start) => self.ignores_case() && start.to_lowercase() == project.to_lowercase(),
            None => false,
        };
        match path.get(project.len()..).filter(|_| starts) {
            Some("" | "/") => ResolvedPath::whole(".".to_owned(), false),
            Some(rest) if rest.starts_with('/') => {
                ResolvedPath::whole(rest.trim_start_matches('/').to_owned(), false)
            }
            _ => ResolvedPath::whole(path, true),
        }
    }
}

/// The home of a user, as the user database says, or where it usually is. `None` for the signs `~+` and `~-`.
fn home_of(user: &str, on_disk: bool) -> Option<String> {
    if user.is_empty() || user.starts_with(|first: char| !first.is_ascii_alphanumeric() && first != '_') {
        return None;
    }
    let database =
        if on_disk { fs::read_to_string("/etc/passwd").unwrap_or_default() } else { String::new() };
    let line = database.lines().find(|line| line.split(':').next() == Some(user));
    let home = line.and_then(|line| line.split(':').nth(5)).filter(|home| home.starts_with('/'));
    let usual = if user == "root" { "/root".to_owned() } else { format!("/home/{user}") };
    Some(home.map_or(usual, str::to_owned))
}

/// Whether a path lies in one of the folders that are emptied by themselves.
fn is_temporary(path: &str) -> bool {
    const FOLDERS: [&str; 5] =
        ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/private/var/folders"];
    FOLDERS.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

/// The paths on the disk that an absolute glob stands for; `None` where there are too many to look at.
fn matching(whole: &str) -> Option<Vec<String>> {
    let mut found = vec![String::new()];
    let mut looked_at = 0;
    for name in whole.split('/').filter(|name| !matches!(*name, "" | "**")) {
        let glob = has_signs(name).then(|| Glob::compile(&without_classes(name), GlobKind::Word));
        let Some(Ok(glob)) = glob else {
            found = found.into_iter().map(|path| path + "/" + name).collect();
            continue;
        };
        let mut next = Vec::new();
        for path in &found {
            let Ok(entries) = fs::read_dir(format!("{path}/")) else { continue };
            for entry in entries.flatten() {
                looked_at += 1;
                if looked_at > MAX_ENTRIES {
                    return None;
                }
                let entry = entry.file_name().to_string_lossy().into_owned();
                // A name with a dot is found only by a glob with one.
                if entry.starts_with('.') == name.starts_with('.') && glob.is_match(&entry, false) {
                    next.push(format!("{path}/{entry}"));
                }
            }
        }
        found = next;
    }
    Some(found)
}

fn has_signs(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// A glob in which classes such as `[[:alpha:]]` are any character.
fn without_classes(glob: &str) -> String {
    let mut text = glob.to_owned();
    while let Some((start, end)) = text.find("[[:").and_then(|start| Some((start, text.find(":]]")?))) {
        if end < start {
            break;
        }
        text.replace_range(start..end + 3, "?");
    }
    text
}

/// Joins without looking at `..`: whether that is resolved by text or on the disk is the caller's choice.
fn absolute(text: &str, folder: &str) -> String {
    if text.starts_with('/') { text.to_owned() } else { format!("{folder}/{text}") }
}

/// Whether resolving by text and on the disk can give different paths.
fn has_parent(path: &str) -> bool {
    path.split('/').any(|name| name == "..")
}

/// The path without `.`, `..` and doubled or trailing slashes, by its text alone.
fn shortened(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

/// Devices that lead nowhere or back to the process itself; using them reads and writes no file.
fn is_no_file(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr") || path.starts_with("/dev/fd/")
}

/// Follows the links of an absolute path, which may begin with a folder whose links have been followed. What does not exist
/// has no links, so its names stay as they are.
fn follow(known: &str, path: &str) -> String {
    let below = path.strip_prefix(known).filter(|rest| rest.starts_with('/') && known != "/");
    let (mut real, rest) = match below {
        Some(rest) => (known.to_owned(), rest),
        None => (String::new(), path),
    };
    let mut open: Vec<String> = rest.split('/').rev().map(str::to_owned).collect();
    // How long the path was where it stopped to exist.
    let mut missing: Option<usize> = None;
    let mut links = 0;
    while let Some(name) = open.pop() {
        match name.as_str() {
            "" | "." => continue,
            ".." => {
                let end = real.rfind('/').unwrap_or(0);
                real.truncate(end);
                missing = missing.filter(|missing| *missing < real.len());
                continue;
            }
            name => {
                real.push('/');
                real.push_str(name);
            }
        }
        if missing.is_some() || real.len() > MAX_PATH_BYTES {
            continue;
        }
        match fs::read_link(&real) {
            Ok(target) if links < MAX_LINKS => {
                links += 1;
                let target = target.to_string_lossy();
                // What `/proc` calls a link may be no path at all: `pipe:[7]`.
                if real.starts_with("/proc/")
                    && !target.starts_with('/')
                    && !target.starts_with(|c: char| c.is_ascii_digit())
                {
                    continue;
                }
                let end = if target.starts_with('/') { 0 } else { real.rfind('/').unwrap_or(0) };
                real.truncate(end);
                open.extend(target.split('/').rev().map(str::to_owned));
            }
            Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {} // Exists and is no link.
            Ok(_) | Err(_) => missing = Some(real.len()),
        }
    }
    if real.is_empty() { "/".to_owned() } else { real }
}

/// Whether the folder is found under its name in the other case.
fn probe_case(folder: &str) -> bool {
    let swap =
        |char: char| if char.is_lowercase() { char.to_ascii_uppercase() } else { char.to_ascii_lowercase() };
    let other: String = folder.chars().map(swap).collect();
    if other == folder {
        return false;
    }
    let id = |found: fs::Metadata| (found.dev(), found.ino());
    fs::metadata(other).is_ok_and(|other| fs::metadata(folder).is_ok_and(|this| id(this) == id(other)))
}

#[cfg(test)]
mod tests;
