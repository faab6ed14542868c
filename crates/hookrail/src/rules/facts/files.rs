//! The paths that a tool call reads and writes.

use serde_json::Value;

use super::Facts;
use crate::rules::patch::{PatchAction, patched_files};
use crate::rules::path::{Dots, ResolvedPath};
use hookrail_shell::{Access, Extent, PathBase, PathUse};

/// More paths than this are not resolved; what the others are cannot be determined.
const MAX_PATHS: usize = 4096;

/// Tools that take files, what they do to them, and the names of the arguments that say which. The first name is ours;
/// the others are those of other versions of the same tools. The last part stands for a missing argument.
const FILE_TOOLS: [(&str, Access, &[&str], Option<&str>); 7] = [
    ("read_file", Access::Read, &["file_path", "absolute_path", "path"], None),
    ("write_file", Access::Write, &["file_path", "absolute_path", "path"], None),
    ("replace", Access::Write, &["file_path", "absolute_path", "path"], None),
    ("list_directory", Access::Read, &["path", "dir_path"], Some(".")),
    ("glob", Access::Read, &["path", "dir_path"], Some(".")),
    ("search_file_content", Access::Read, &["path", "dir_path"], Some(".")),
    ("read_many_files", Access::Read, &["paths", "include"], None),
];

/// The paths of one call.
#[derive(Debug, Default)]
pub(crate) struct PathFacts {
    /// Paths whose content is read.
    pub(crate) reads: PathList,
    /// Paths that are created, changed, moved or removed.
    pub(crate) writes: PathList,
    /// Whether there are more paths than are resolved.
    pub(crate) reached_bound: bool,
}

/// Paths that are used in the same way.
#[derive(Debug, Default)]
pub(crate) struct PathList {
    /// Those that are known, each once.
    pub(crate) known: Vec<ResolvedPath>,
    /// Whether there may be others, which cannot be determined.
    pub(crate) and_others: bool,
}

impl PathFacts {
    /// Works out the paths of a shell line, of a patch, or of a tool that takes files. Other tools have none.
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let mut paths = Self::default();
        let (Some(tool), Some(input)) = (facts.subject.tool_name, facts.subject.tool_input) else {
            return paths;
        };
        if let Some(shell) = facts.shell() {
            let directory = input.get("directory").and_then(Value::as_str);
            for used in &shell.paths {
                paths.add_used(facts, used, directory);
            }
            paths.reads.and_others |= shell.is_dynamic();
            paths.writes.and_others |= shell.is_dynamic();
        } else if tool == "apply_patch" {
            let patch = ["patch", "input"].iter().find_map(|name| input.get(*name)).and_then(Value::as_str);
            paths.add_patch(facts, patch);
        } else if let Some((_, access, names, default)) = FILE_TOOLS.iter().find(|(name, ..)| *name == tool) {
            let given = names.iter().find_map(|name| input.get(*name)).filter(|value| !value.is_null());
            match (given, default) {
                (Some(Value::Array(list)), _) => {
                    for path in list {
                        paths.add(facts, *access, path.as_str());
                    }
                }
                (Some(value), _) => paths.add(facts, *access, value.as_str()),
                (None, default) => paths.add(facts, *access, *default),
            }
        }
        paths
    }

    fn list(&mut self, access: Access) -> &mut PathList {
        match access {
            Access::Read => &mut self.reads,
            Access::Write => &mut self.writes,
        }
    }

    /// Adds a path of a file tool.
    fn add(&mut self, facts: &Facts<'_>, access: Access, path: Option<&str>) {
        let places = facts.places();
        let folder = places.folder([]);
        let found = path.and_then(|path| places.resolve(folder.as_deref(), path, Dots::Both));
        self.list(access).extend(found);
    }

    /// A patch that cannot be read may write anywhere.
    fn add_patch(&mut self, facts: &Facts<'_>, patch: Option<&str>) {
        let Some(files) = patch.and_then(patched_files) else {
            self.writes.and_others = true;
            return;
        };
        for file in files {
            self.add(facts, Access::Write, Some(&file.path));
            if file.action == PatchAction::MoveFrom {
                self.add(facts, Access::Read, Some(&file.path));
            }
        }
    }

    /// Adds a path of a shell line that is run in `directory`.
    fn add_used(&mut self, facts: &Facts<'_>, used: &PathUse, directory: Option<&str>) {
        let places = facts.places();
        let folder = match &used.base {
            PathBase::CallDirectory(steps) => {
                places.folder(directory.into_iter().chain(steps.iter().map(String::as_str)))
            }
            PathBase::Unknown => None,
        };
        let list = self.list(used.access);
        if list.known.len() >= MAX_PATHS {
            list.and_others = true;
            self.reached_bound = true;
            return;
        }
        let path = used.path.as_deref();
        if used.only_in_folder {
            let is_there = |path: &str| {
                let above = path.rsplit_once('/').map_or(".", |(above, _)| above);
                places.is_folder(folder.as_deref(), above)
            };
            if !path.is_some_and(is_there) {
                return;
            }
        }
        list.extend(path.and_then(|path| match used.extent {
            Extent::Whole => places.resolve(folder.as_deref(), path, Dots::Physical),
            Extent::Beginning | Extent::Everything => {
                places.resolve_beginning(folder.as_deref(), path, used.extent).map(|path| vec![path])
            }
        }));
    }
}

impl PathList {
    /// Adds resolved paths; `None` stands for a path that cannot be determined.
    fn extend(&mut self, found: Option<Vec<ResolvedPath>>) {
        match found {
            Some(paths) => {
                for path in paths {
                    if !self.known.contains(&path) {
                        self.known.push(path);
                    }
                }
            }
            None => self.and_others = true,
        }
    }
}
