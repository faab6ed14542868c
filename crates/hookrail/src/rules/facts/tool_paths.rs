//! The paths that a tool call reads and writes.

use serde_json::Value;

use super::Facts;
use crate::formats::json_object::JsonObject;
use crate::rules::fact::Fact;
use crate::rules::glob::braces;
use crate::rules::patch::{PatchAction, patched_files};
use crate::rules::path::{Dots, ResolvedPath};
use crate::rules::tools::{ArgumentRole, OurTool, ToolArgument};
use hookrail_shell::{Access, Extent, PathBase, PathUse};

/// More paths than this are not resolved; what the others are cannot be determined.
const MAX_PATHS: usize = 4096;
/// The same for the files of one glob.
const MAX_MATCHES: usize = 1000;

/// The paths of one call.
#[derive(Debug, Default)]
pub(crate) struct PathFacts {
    /// Paths whose content is read, and may be shown.
    pub(crate) shows: PathList,
    /// Paths whose content is used by a program that does not show it.
    pub(crate) uses: PathList,
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
    /// The paths of a fact, and whether there may be others. What is read is shown or only used.
    pub(crate) fn of_fact(&self, fact: &Fact) -> (impl Iterator<Item = &ResolvedPath> + Clone, bool) {
        let (list, more) = match fact {
            Fact::Writes => (&self.writes, None),
            Fact::Shows => (&self.shows, None),
            _ => (&self.shows, Some(&self.uses)),
        };
        let and_others = list.and_others || more.is_some_and(|more| more.and_others);
        let more = more.into_iter().flat_map(|more| &more.known).filter(|path| !list.known.contains(path));
        (list.known.iter().chain(more), and_others)
    }

    /// Works out the paths of a shell line, of a patch, or of a tool that takes files.
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let mut paths = Self::default();
        let Some(input) = facts.subject.tool_input else { return paths };
        let tool = facts.tool();
        if let Some(shell) = facts.shell() {
            // Of another tool than ours it is not known what it takes for its folder.
            let directory = tool.and_then(|_| input.get("directory")).filter(|value| !value.is_null());
            let is_elsewhere = directory.is_some_and(|directory| !directory.is_string());
            let directory = directory.and_then(Value::as_str);
            for used in &shell.paths {
                paths.add_used(facts, used, directory);
            }
            paths.shows.and_others |= shell.is_dynamic() || is_elsewhere;
            paths.writes.and_others |= shell.is_dynamic() || is_elsewhere;
        }
        match tool {
            Some(tool) => paths.add_arguments(facts, tool, input),
            None if facts.is_unlisted() => {
                paths.add_named(facts, input, 0);
                // What it writes cannot be determined.
                paths.writes.and_others = true;
            }
            None => {}
        }
        paths
    }

    /// Adds what the arguments of one of our tools say.
    fn add_arguments(&mut self, facts: &Facts<'_>, tool: &OurTool, input: &JsonObject) {
        let given = |name: &str| input.get(name).filter(|value| !value.is_null());
        let is_searched =
            |argument: &&ToolArgument| matches!(argument.role, ArgumentRole::Reads | ArgumentRole::ReadsAll);
        let searched = tool.arguments.iter().find(is_searched).and_then(|argument| given(argument.name));
        for argument in tool.arguments {
            let value = given(argument.name);
            match argument.role {
                ArgumentRole::Command | ArgumentRole::Directory => {}
                ArgumentRole::Patch => self.add_patch(facts, value.and_then(Value::as_str)),
                ArgumentRole::Writes => self.add(facts, Access::Write, value.and_then(Value::as_str)),
                ArgumentRole::ReadsAll if let Some(value) = value => {
                    texts(value).for_each(|path| self.add(facts, Access::Read, path));
                }
                ArgumentRole::Reads | ArgumentRole::ReadsAll => {
                    let path = value.map_or(tool.searches, Value::as_str);
                    if path.is_some() || argument.role == ArgumentRole::Reads {
                        self.add(facts, Access::Read, path);
                    }
                }
                ArgumentRole::ReadsBelow => self.add_below(facts, searched, value),
                ArgumentRole::Pattern => self.add_pattern(facts, searched, value),
            }
        }
    }

    /// Adds what a tool that is in no table calls a path, in the arguments themselves and in objects inside of them
    /// (`files: [{ path }]`).
    fn add_named(&mut self, facts: &Facts<'_>, object: &JsonObject, depth: usize) {
        /// Deeper than any tool's schema; what is below it cannot be determined.
        const DEEPEST: usize = 8;
        if depth > DEEPEST {
            self.shows.and_others = true;
            return;
        }
        for (name, value) in object {
            let is_path = is_path_name(name);
            for element in elements(value) {
                match element {
                    Value::Object(inner) => self.add_named(facts, inner, depth + 1),
                    Value::String(path) if is_path => self.add(facts, Access::Read, Some(path)),
                    _ if is_path && value.is_array() => self.add(facts, Access::Read, None),
                    _ => {}
                }
            }
        }
        let uri = object.get("uri").and_then(Value::as_str).and_then(path_of_uri);
        if let Some(path) = uri {
            self.add(facts, Access::Read, Some(&path));
        }
    }

    /// Adds names or globs that a search is restricted to, in the folders that it searches. One that excludes files names
    /// nothing that is read.
    fn add_below(&mut self, facts: &Facts<'_>, searched: Option<&Value>, include: Option<&Value>) {
        let folders = searched.map_or_else(|| vec![Some(".")], |searched| texts(searched).collect());
        for name in include.into_iter().flat_map(texts) {
            if name.is_some_and(|name| name.starts_with('!')) {
                continue;
            }
            let branches = name.map(|name| braces::expand(name).unwrap_or_else(|_| vec![name.to_owned()]));
            for folder in &folders {
                let (Some(folder), Some(branches)) = (folder, &branches) else {
                    self.add(facts, Access::Read, None);
                    continue;
                };
                for branch in branches {
                    self.add(facts, Access::Read, Some(&join(folder, branch)));
                }
            }
        }
    }

    /// Adds the folder of a glob that leads out of the folder that is searched.
    fn add_pattern(&mut self, facts: &Facts<'_>, searched: Option<&Value>, pattern: Option<&Value>) {
        let Some(pattern) = pattern.and_then(Value::as_str) else { return };
        let leads_out = pattern.starts_with(['/', '~']) || pattern.split('/').any(|name| name == "..");
        if leads_out {
            let folder = searched.and_then(Value::as_str).unwrap_or(".");
            let literal: Vec<&str> =
                pattern.split('/').take_while(|name| !name.contains(['*', '?', '[', '{'])).collect();
            let path = join(folder, &literal.join("/"));
            self.add(facts, Access::Read, Some(if path.is_empty() { "/" } else { &path }));
        }
    }

    fn list(&mut self, access: Access) -> &mut PathList {
        match access {
            Access::Read => &mut self.shows,
            Access::Use => &mut self.uses,
            Access::Write => &mut self.writes,
        }
    }

    /// Adds a path of a file tool.
    fn add(&mut self, facts: &Facts<'_>, access: Access, path: Option<&str>) {
        let folder = facts.places().folder([]);
        self.add_whole(facts, access, folder.as_deref(), path, Dots::Both);
    }

    /// Adds a path, and the files that it stands for at present if it is a glob.
    fn add_whole(
        &mut self,
        facts: &Facts<'_>,
        access: Access,
        folder: Option<&str>,
        path: Option<&str>,
        dots: Dots,
    ) {
        let places = facts.places();
        let list = self.list(access);
        list.extend(path.and_then(|path| places.resolve(folder, path, dots)));
        let files = path.map_or_else(|| Some(Vec::new()), |path| places.matching(folder, path));
        match files.filter(|files| files.len() <= MAX_MATCHES) {
            Some(files) => {
                for file in &files {
                    list.extend(places.resolve(None, file, Dots::Physical));
                }
            }
            None => list.and_others = true,
        }
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
        if used.extent == Extent::Whole {
            self.add_whole(facts, used.access, folder.as_deref(), path, Dots::Physical);
        } else {
            let beginning = |path| places.resolve_beginning(folder.as_deref(), path, used.extent);
            list.extend(path.and_then(beginning).map(|path| vec![path]));
        }
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

/// The elements of a list, or a single value.
fn elements(value: &Value) -> &[Value] {
    match value {
        Value::Array(list) => list,
        single => std::slice::from_ref(single),
    }
}

/// The text of a value, or the texts of a list; `None` for what is not a text.
fn texts(value: &Value) -> impl Iterator<Item = Option<&str>> {
    elements(value).iter().map(Value::as_str)
}

/// A path that is written relative to a folder, which may itself be relative.
fn join(folder: &str, path: &str) -> String {
    let is_whole = path.starts_with(['/', '~']) || folder == ".";
    if is_whole { path.to_owned() } else { format!("{folder}/{path}") }
}

/// Whether tools that are in no table use this name for files that they read, in whichever case it is written: one of
/// these words, alone or behind a word that says which file it is (`source_path`, `targetFile`). Words are listed because
/// other things end in them, too, such as `xpath` and `profile`.
fn is_path_name(name: &str) -> bool {
    const WORDS: [&str; 7] = ["path", "paths", "file", "files", "filename", "filenames", "filepath"];
    const BEFORE: &str = "absolute abs dest destination dst file from full image input local new notebook old \
                          output relative source src target to workspace";
    let bare: String =
        name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect();
    let is_known = |before: &str| before.is_empty() || BEFORE.split(' ').any(|word| word == before);
    WORDS.iter().any(|word| bare.strip_suffix(word).is_some_and(is_known))
}

/// The path of a `file:` address.
fn path_of_uri(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once(':')?;
    let path = rest
        .strip_prefix("//")
        .map_or(rest, |rest| rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default());
    if !scheme.eq_ignore_ascii_case("file") || path.is_empty() {
        return None;
    }
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        bytes.extend(part.bytes().skip(if byte.is_some() { 2 } else { 0 }));
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
