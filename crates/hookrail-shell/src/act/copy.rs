//! Copies, moves and links: what the sources and the target of one command mean together.

use super::Call;
use crate::facts::Access;
use crate::field::{Field, Likely};
use crate::walk::{Context, Walker, base_name};

/// The files of `cp`, `mv`, `ln`, `rsync` and the like.
#[derive(Default)]
pub(super) struct CopiedFiles {
    sources: Vec<Field>,
    targets: Vec<Field>,
    moves: bool,
    links: bool,
    /// The names of what comes from another machine.
    fetched: Vec<String>,
}

/// Whether a role is one of a copy.
pub(super) fn is_copied(role: &str) -> bool {
    matches!(role, "from" | "moved" | "to" | "link" | "link-here")
}

impl CopiedFiles {
    /// Adds an operand. With `remote`, `host:path` is on another machine.
    pub(super) fn add(&mut self, role: &str, field: Field, remote: bool) {
        let text = field.as_str().unwrap_or_default();
        let is_local = text.find(':').is_none_or(|colon| text.find('/').is_some_and(|slash| slash < colon));
        if remote && !is_local {
            let name = base_name(text.rsplit(':').next().unwrap_or(text).trim_end_matches('/'));
            self.fetched.extend((role == "from").then(|| name.to_owned()));
            return;
        }
        self.moves |= role == "moved";
        self.links |= role.starts_with("link");
        match role {
            "to" | "link" => self.targets.push(field),
            _ => self.sources.push(field),
        }
    }

    /// Notes what is read and written, when all operands and flags are there.
    pub(super) fn finish(mut self, walker: &mut Walker, call: &Call<'_>, context: &Context) {
        self.moves |= call.has("--remove-source-files");
        self.links |= call.has("--symbolic-link");
        self.targets.extend(call.value("-t|--target-directory").filter(|_| !self.sources.is_empty()));
        for source in self.sources.iter().filter(|source| !source.is("-")) {
            walker.use_path(Access::Read, source, context);
            if self.moves {
                walker.use_path(Access::Write, source, context);
            }
        }
        if let ([source], [], true) = (self.sources.as_slice(), self.targets.as_slice(), self.links) {
            // The link is made in the present directory.
            let target = source.whole_path();
            let link = target.as_ref().map(|path| base_name(path.trim_end_matches('/')));
            walker.use_path(Access::Write, &link.map_or_else(Field::unknown, Field::known), context);
            walker.note_link(link.unwrap_or_default(), target.as_deref());
        }
        for target in self.targets.iter().filter(|target| !target.is("-")) {
            walker.use_path(Access::Write, target, context);
            for source in &self.sources {
                walker.note_copy(source, target);
            }
            for name in &self.fetched {
                walker.note_file(target, None);
                let folder = target.as_str().unwrap_or_default();
                walker.note_file(&Field::known(format!("{folder}/{name}")), None);
            }
            if !call.has("-T|--no-target-directory") {
                into_folder(walker, target, &self.sources, context);
            }
            if self.links {
                note_links(walker, target, &self.sources);
            }
        }
    }
}

/// `dd if=a of=b` is a copy; without `if` it writes what it is fed with.
pub(super) fn dd(walker: &mut Walker, call: &Call<'_>) -> bool {
    let named = |name: &str| {
        call.operand_fields().rev().find_map(|field| field.as_str()?.strip_prefix(name).map(Field::known))
    };
    match (named("if="), named("of=")) {
        (Some(source), Some(target)) => walker.note_copy(&source, &target),
        (None, Some(target)) => walker.note_file(&target, call.inner.text()),
        (_, None) => {}
    }
    false
}

/// Notes the links that are made: the target itself, or entries in it.
fn note_links(walker: &mut Walker, target: &Field, sources: &[Field]) {
    let Some(link) = target.whole_path() else { return };
    for source in sources {
        let path = source.whole_path();
        walker.note_link(&link, path.as_deref());
        if let Some(inside) = entry_in(&link, path.as_deref().unwrap_or_default()) {
            walker.note_link(&inside, path.as_deref());
        }
    }
}

/// The path of what is called like `path` in a folder.
fn entry_in(folder: &str, path: &str) -> Option<String> {
    let name = base_name(path.trim_end_matches('/'));
    (!matches!(name, "" | "." | "..")).then(|| format!("{}/{name}", folder.trim_end_matches('/')))
}

/// Notes what is written if the target is a folder: an entry with the name of each source.
fn into_folder(walker: &mut Walker, target: &Field, sources: &[Field], context: &Context) {
    let Some(folder) = target.whole_path() else { return };
    for inside in sources.iter().filter_map(Field::whole_path).filter_map(|path| entry_in(&folder, &path)) {
        let entry = match target.text {
            Some(_) => Field { text: Some(inside), ..target.clone() },
            None => Field::likely(vec![Likely::whole(inside)]),
        };
        walker.use_path_in_folder(Access::Write, &entry, context);
    }
}
