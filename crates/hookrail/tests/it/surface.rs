//! The public surface: a change of what the crate exports is a change of a reviewed file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What `lib.rs`, `rules.rs` and `settings.rs` export, by module. Everything public is named there: other modules are
/// private, and what is in them reaches users through `pub use` only.
fn exports() -> BTreeMap<String, BTreeSet<String>> {
    let mut modules = BTreeMap::new();
    for (file, source) in [
        ("hookrail", include_str!("../../src/lib.rs")),
        ("hookrail::rules", include_str!("../../src/rules.rs")),
        ("hookrail::settings", include_str!("../../src/settings.rs")),
    ] {
        add_exports(file, source, &mut modules);
    }
    modules
}

fn add_exports(file: &str, source: &str, modules: &mut BTreeMap<String, BTreeSet<String>>) {
    let is_code = |line: &&str| !line.starts_with("//") && !line.starts_with("#[");
    let code = source.lines().map(str::trim).filter(is_code).collect::<Vec<_>>().join(" ");
    let mut module = file.to_owned();
    for statement in code.split_inclusive([';', '}']) {
        let mut statement = statement.trim();
        if statement == "}" {
            file.clone_into(&mut module);
        }
        if let Some(name) = statement.strip_prefix("pub mod ") {
            let (name, rest) = name.split_once([' ', ';']).unwrap_or((name, ""));
            modules.entry(file.to_owned()).or_default().insert(name.to_owned());
            if rest.starts_with('{') {
                module = format!("{file}::{name}");
            }
            statement = rest.trim_start_matches(['{', ' ']);
        }
        for kind in ["pub enum ", "pub struct "] {
            if let Some(name) = statement.strip_prefix(kind) {
                let name = name.split([' ', '<', '(', ';']).next().unwrap_or_default();
                modules.entry(file.to_owned()).or_default().insert(name.to_owned());
            }
        }
        let Some(used) = statement.strip_prefix("pub use ") else { continue };
        let names = used
            .split_once('{')
            .map_or_else(|| used.rsplit("::").next().unwrap_or_default(), |(_, names)| names);
        let names = names.trim_end_matches(['}', ';', ' ']).split(',').map(str::trim);
        let names = names.map(|name| name.rsplit(" as ").next().unwrap_or(name).to_owned());
        modules.entry(module.clone()).or_default().extend(names.filter(|name| !name.is_empty()));
    }
}

#[test]
fn what_the_crate_exports_is_on_the_list() {
    let list = |(module, names): (&String, &BTreeSet<String>)| {
        let lines: Vec<String> = names.iter().map(|name| format!("  {name}")).collect();
        format!("{module}\n{}\n", lines.join("\n"))
    };
    let exports = exports();
    let listed: Vec<String> = exports.iter().map(list).collect();
    insta::assert_snapshot!("what_the_crate_exports", listed.join("\n"));
}

/// At most 40 names, and each of them is used by a program, an example or a page.
#[test]
fn the_root_has_few_names_and_each_of_them_is_used() {
    let mut names = exports().remove("hookrail").unwrap_or_default();
    assert!(names.remove("fuzzing"), "exists only with the feature that builds the fuzz targets");
    assert!((20..=40).contains(&names.len()), "{}: {names:?}", names.len());
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut text = String::new();
    for folder in ["crates/hookrail-agent/src", "crates/hookrail-bridge/src", "crates/hookrail-commands/src"]
    {
        add_texts(&workspace.join(folder), &mut text);
    }
    for folder in ["crates/hookrail/examples", "docs"] {
        add_texts(&workspace.join(folder), &mut text);
    }
    let words: BTreeSet<&str> = text.split(|char: char| !char.is_alphanumeric() && char != '_').collect();
    let unused: Vec<&String> = names.iter().filter(|name| !words.contains(name.as_str())).collect();
    assert_eq!(unused, Vec::<&String>::new());
}

#[expect(clippy::unwrap_used, reason = "helpers of tests fail them by panicking")]
fn add_texts(path: &Path, text: &mut String) {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        for entry in entries.collect::<Vec<PathBuf>>() {
            add_texts(&entry, text);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
        text.push_str(&fs::read_to_string(path).unwrap());
    }
}
