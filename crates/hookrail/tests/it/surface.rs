//! The public surface: a change of what the crate exports is a change of a reviewed file.

mod listing;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use listing::{Listed, list};
use source::{ModulePath, Source, Target, name_of, used_paths};
use syn::{Item, Visibility};

/// What `lib.rs` exports, by module. Everything public stands there: all modules are private, and what is in them
/// reaches users through `pub use` only.
fn exports(lib: &str) -> BTreeMap<String, BTreeSet<String>> {
    let code: String =
        lib.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join(" ");
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut module = "hookrail".to_owned();
    for statement in code.split_inclusive([';', '}']) {
        let statement = statement.trim();
        if let Some((_, name)) = statement.split_once("pub mod ")
            && let Some((name, rest)) = name.split_once('{')
        {
            module = format!("hookrail::{}", name.trim());
            add(&mut modules, &module, rest);
        } else if statement == "}" {
            "hookrail".clone_into(&mut module);
        } else {
            add(&mut modules, &module, statement);
        }
    }
    modules
}

fn add(modules: &mut BTreeMap<String, BTreeSet<String>>, module: &str, statement: &str) {
    let Some((_, used)) = statement.split_once("pub use ") else { return };
    let names = match used.split_once('{') {
        Some((_, names)) => names.trim_end_matches(['}', ';', ' ']).to_owned(),
        None => used.trim_end_matches(';').rsplit("::").next().unwrap_or_default().to_owned(),
    };
    let names = names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    modules.entry(module.to_owned()).or_default().extend(names);
}

#[test]
fn what_the_crate_exports_is_on_the_list() {
    let lib = include_str!("../../src/lib.rs");
    let exports = exports(lib);
    let words: usize = exports.values().map(BTreeSet::len).sum();
    let used = lib.matches("pub use ").count();
    assert!(words > 150 && used > 30, "the list was read: {words} names of {used} statements");
    let list = |(module, names): (&String, &BTreeSet<String>)| {
        let lines: Vec<String> = names.iter().map(|name| format!("  {name}")).collect();
        format!("{module}\n{}\n", lines.join("\n"))
    };
    let listed: Vec<String> = exports.iter().map(list).collect();
    insta::assert_snapshot!("what_the_crate_exports", listed.join("\n"));
}

#[test]
fn no_module_is_public_but_these() {
    let lib = include_str!("../../src/lib.rs");
    let public: Vec<&str> = lib.lines().filter(|line| line.trim_start().starts_with("pub mod ")).collect();
    // The fuzz targets' entry points exist only with the feature that builds them.
    assert_eq!(
        public,
        ["pub mod fuzzing;", "pub mod approvals {", "pub mod components {", "pub mod internal {"]
    );
}

/// The exported items of the documented modules, by the path that users write.
fn documented(source: &Source) -> BTreeMap<String, (ModulePath, String)> {
    let mut found = BTreeMap::new();
    let public_modules = ["approvals", "components", "genai"];
    add_exports(source, &[], "hookrail", &mut found);
    for name in public_modules {
        let module = match source.resolve(&[], &[name.to_owned()]) {
            Some(Target::Own(mut module, name)) => {
                module.push(name);
                module
            }
            _ => continue,
        };
        add_exports(source, &module, &format!("hookrail::{name}"), &mut found);
    }
    found
}

fn add_exports(
    source: &Source,
    module: &[String],
    shown: &str,
    found: &mut BTreeMap<String, (ModulePath, String)>,
) {
    let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    for item in source.items(module) {
        if let Item::Use(item) = item
            && is_public(&item.vis)
        {
            for (path, alias) in used_paths(&item.tree) {
                let Some(Target::Own(place, name)) = source.resolve(module, &path) else { continue };
                let inner: ModulePath = place.iter().cloned().chain([name.clone()]).collect();
                if !source.is_module(&inner) {
                    found.insert(format!("{shown}::{alias}"), (place, name));
                }
            }
        }
        let visibility = match item {
            Item::Enum(item) => &item.vis,
            Item::Struct(item) => &item.vis,
            Item::Fn(item) => &item.vis,
            Item::Trait(item) => &item.vis,
            Item::Type(item) => &item.vis,
            Item::Const(item) => &item.vis,
            _ => continue,
        };
        if is_public(visibility)
            && let Some(name) = name_of(item)
        {
            found.insert(format!("{shown}::{name}"), (module.to_vec(), name));
        }
    }
}

fn source() -> Source {
    Source::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

#[test]
fn what_can_be_named_of_each_export_is_on_the_list() {
    let source = source();
    let mut text = String::new();
    let mut lines = 0;
    for (path, (module, name)) in documented(&source) {
        let listed = list(&source, &module, &name);
        lines += listed.lines.len();
        let _ = writeln!(text, "{path}\n  {}\n", listed.lines.join("\n  "));
    }
    assert!(lines > 800, "the source was read: {lines} lines");
    insta::assert_snapshot!("what_can_be_named", text.trim_end());
}

/// A type that stands in a public signature and cannot be named is of no use to a host.
#[test]
fn public_signatures_name_public_types_only() {
    let source = source();
    let exports = documented(&source);
    let public: BTreeSet<&(ModulePath, String)> = exports.values().collect();
    let (mut unnamed, mut foreign) = (BTreeSet::new(), BTreeSet::new());
    for (path, (module, name)) in &exports {
        let Listed { types, .. } = list(&source, module, name);
        for (module, text) in types {
            let is_part = |char: char| char.is_alphanumeric() || char == '_' || char == ':';
            for word in text.split(|char: char| !is_part(char)) {
                let word: Vec<String> = word.trim_matches(':').split("::").map(str::to_owned).collect();
                if !word.last().is_some_and(|name| name.starts_with(|char: char| char.is_ascii_uppercase())) {
                    continue;
                }
                match source.resolve(&module, &word) {
                    Some(Target::Own(place, name)) if !public.contains(&(place.clone(), name.clone())) => {
                        unnamed.insert(format!("{path}: {}::{name}", place.join("::")));
                    }
                    Some(Target::Foreign(of)) => {
                        foreign.insert(of.split("::").next().unwrap_or_default().to_owned());
                    }
                    Some(Target::Own(..)) | None => {}
                }
            }
        }
    }
    let unnamed: Vec<String> = unnamed.into_iter().collect();
    assert_eq!(unnamed, Vec::<String>::new());
    let foreign: Vec<String> = foreign.into_iter().collect();
    assert_eq!(foreign, ["serde", "serde_json", "std"], "other crates in signatures");
}
