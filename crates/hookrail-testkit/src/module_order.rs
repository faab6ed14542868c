//! The order of a crate's top modules, read from the sources: a tidy test names them from the bottom up,
//! and each may only use those before it.
//!
//! This reads text and does not resolve names: a path that begins with `crate::`, or with enough `super::`, is a use of the
//! module it names. A use through an item that the crate's root exports counts as a use of the root, [`ROOT`].

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use self::source::Source;

/// The name of the crate's root (`lib.rs` or `main.rs`) among the modules that are used. It uses every module, and none uses it.
pub const ROOT: &str = "crate";

/// Which module uses which other, with the places (`folder/file.rs:12`) that do. Code for tests does not count: items below
/// `#[cfg(test)]`, the files of modules that are declared so, `tests.rs` and folders named `tests`.
pub fn uses_between_modules(src: &Path) -> BTreeMap<(String, String), Vec<String>> {
    let sources = sources(src);
    let modules: BTreeSet<&str> = sources.iter().map(|(name, _)| module(name)).collect();
    let mut uses: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (name, source) in sources.iter().filter(|(name, _)| module(name) != ROOT) {
        let from = module(name);
        let depth = name.trim_end_matches("/mod.rs").split('/').count();
        for word in source.uses_of_the_top(depth) {
            // An inline module makes `super::` shorter than it looks; only a word that names a module is certain.
            let to = if modules.contains(word.name.as_str()) {
                word.name.as_str()
            } else if word.from_crate {
                ROOT
            } else {
                continue;
            };
            if to != from {
                uses.entry((from.to_owned(), to.to_owned()))
                    .or_default()
                    .push(format!("{name}:{}", word.line));
            }
        }
    }
    uses
}

/// Fails unless `modules` are the modules of the crate, each once, and each uses only those before it.
/// Such an order exists exactly if the modules have no cycle of uses. All uses that break it are named at once.
pub fn assert_order(src: &Path, modules: &[&str]) {
    let sources = sources(src);
    let found: BTreeSet<&str> =
        sources.iter().map(|(name, _)| module(name)).filter(|module| *module != ROOT).collect();
    let listed: BTreeSet<&str> = modules.iter().copied().collect();
    assert_eq!(found, listed, "the modules at the top of {} (left) are not those of the list", src.display());
    assert_eq!(listed.len(), modules.len(), "a module is listed twice");
    let position = |module: &str| modules.iter().position(|other| *other == module);
    let mut backward = String::new();
    for ((from, to), places) in uses_between_modules(src) {
        if position(&to).is_none_or(|to| Some(to) > position(&from)) {
            let _ = writeln!(backward, "  {from} uses {to}: {}", places.join(", "));
        }
    }
    assert!(backward.is_empty(), "a module may only use those before it in the list:\n{backward}");
}

/// The module of a file that is named relative to `src`: its folder there, or the file's own name.
fn module(file: &str) -> &str {
    match file.split('/').next().unwrap_or_default().trim_end_matches(".rs") {
        "lib" | "main" => ROOT,
        module => module,
    }
}

/// Every source file by its name relative to `src`, without tests.
fn sources(src: &Path) -> Vec<(String, Source)> {
    let mut folders = vec![src.to_owned()];
    let mut sources = Vec::new();
    let mut for_tests: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.file_stem().is_some_and(|stem| stem == "tests") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let source = Source::new(&fs::read_to_string(&path).expect("a source file"));
                let modules = source.test_modules().iter().map(|module| modules_of(&path).join(module));
                for_tests.extend(modules);
                sources.push((path, source));
            }
        }
    }
    sources.retain(|(path, _)| {
        !for_tests.iter().any(|module| path.with_extension("") == *module || path.starts_with(module))
    });
    let relative = |path: &Path| path.strip_prefix(src).expect("below src").to_string_lossy().into_owned();
    let mut sources: Vec<_> = sources.into_iter().map(|(path, source)| (relative(&path), source)).collect();
    sources.sort_by(|(one, _), (other, _)| one.cmp(other));
    sources
}

/// The folder with the modules that a file declares.
fn modules_of(file: &Path) -> PathBuf {
    let owns_its_folder = ["lib.rs", "main.rs", "mod.rs"].iter().any(|name| file.ends_with(name));
    if owns_its_folder { file.parent().expect("a folder").to_owned() } else { file.with_extension("") }
}

#[cfg(test)]
mod tests;
