//! The public surface: a change of what the crate exports is a change of a reviewed file.

use std::collections::{BTreeMap, BTreeSet};

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
fn no_module_is_public_but_those_two() {
    let lib = include_str!("../../src/lib.rs");
    let public: Vec<&str> = lib.lines().filter(|line| line.trim_start().starts_with("pub mod ")).collect();
    // The fuzz targets' entry points exist only with the feature that builds them.
    assert_eq!(public, ["pub mod fuzzing;", "pub mod components {", "pub mod internal {"]);
}
