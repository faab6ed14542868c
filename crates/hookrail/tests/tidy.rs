//! The architecture, executable: which folder of the engine may use what, and which may depend on which.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hookrail_testkit::module_order::{assert_order, uses_between_modules};

/// Rooms from the bottom up. A module uses only those named for it, all of which stand above its line; what is not named
/// here does not exist.
const MAY_USE: [(&str, &[&str]); 19] = [
    ("order", &[]),
    ("texts", &[]),
    ("spelling", &[]),
    ("diagnostic", &[]),
    // The stable model format is part of an event.
    ("formats", &["spelling"]),
    ("event", &["formats", "spelling"]),
    // How a matcher is read depends on the event.
    ("matcher", &["event"]),
    // Payloads and schemas describe events.
    ("payload", &["event", "formats", "texts"]),
    ("output", &["event", "formats", "spelling"]),
    ("dialect", &["event", "formats", "matcher", "output"]),
    ("rules", &["diagnostic", "event", "formats", "matcher", "order", "output", "spelling"]),
    ("hook", &["diagnostic", "dialect", "event", "matcher", "rules"]),
    ("trust", &["diagnostic", "event", "hook", "order"]),
    // Which tools a patch amounts to is defined by the code that reads it.
    ("plan", &["event", "hook", "matcher", "order", "rules", "trust"]),
    (
        "settings",
        &[
            "diagnostic",
            "dialect",
            "event",
            "formats",
            "hook",
            "matcher",
            "order",
            "plan",
            "rules",
            "spelling",
            "texts",
            "trust",
        ],
    ),
    // The rules that did not have to be asked are known by the plan.
    ("verdict", &["dialect", "event", "formats", "hook", "output", "plan"]),
    // What a hook's `watch` means is defined by the code that binds approvals to it.
    ("run", &["event", "formats", "hook", "output", "rules", "settings", "texts", "trust", "verdict"]),
    (
        "host",
        &[
            "diagnostic",
            "event",
            "formats",
            "hook",
            "order",
            "output",
            "payload",
            "plan",
            "rules",
            "run",
            "settings",
            "trust",
            "verdict",
        ],
    ),
    // Entry points for fuzz targets and the tests that share their checks.
    (
        "fuzzing",
        &[
            "event", "formats", "hook", "host", "matcher", "output", "payload", "rules", "run", "settings",
            "verdict",
        ],
    ),
];

/// What touches the outside world, and the files that may.
const EFFECTS: [(&str, &[&str]); 4] = [
    ("tokio::", &["run", "host/bus"]),
    (
        "std::fs",
        &[
            "settings/settings_files.rs",
            "settings/policy.rs",
            "settings/ownership.rs",
            "settings/extensions.rs",
            "trust",
            "run",
            "rules/path.rs",
        ],
    ),
    ("process::Command", &["run"]),
    ("tracing::", &["host", "settings/resolve.rs", "trust/disk.rs", "run"]),
];

/// The code of a file without its tests and comments.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a source file");
    lines_without_tests(&text).filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Every source file, relative to `src`, without tests.
fn files() -> Vec<(String, PathBuf)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![src.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["tests", "snapshots"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if Path::new(&name).extension().is_some_and(|end| end == "rs")
                && !["tests.rs", "laws.rs", "fixtures.rs", "lib.rs"].contains(&name.as_str())
            {
                files.push((path.strip_prefix(&src).unwrap().to_string_lossy().into_owned(), path));
            }
        }
    }
    files
}

#[test]
fn no_room_may_use_one_that_uses_it() {
    for (at, (module, may_use)) in MAY_USE.iter().enumerate() {
        let earlier: Vec<&str> = MAY_USE.iter().take(at).map(|(name, _)| *name).collect();
        for other in *may_use {
            assert!(earlier.contains(other), "`{other}` does not stand before `{module}`, which may use it");
        }
    }
}

#[test]
fn modules_use_only_those_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_order(&src, &MAY_USE.map(|(module, _)| module));
    let allowed: BTreeMap<&str, &[&str]> = MAY_USE.into_iter().collect();
    for ((from, other), places) in uses_between_modules(&src) {
        let may_use = allowed[from.as_str()].contains(&other.as_str());
        assert!(may_use, "`{from}` must not use `{other}`: {}", places.join(", "));
    }
}

#[test]
fn effects_stay_where_they_belong() {
    for (name, path) in files() {
        let code = code(&path);
        for (word, homes) in EFFECTS {
            let at_home = name == "fuzzing.rs" || homes.iter().any(|home| name.starts_with(home));
            assert!(at_home || !code.contains(word), "{name} uses `{word}`; only these may: {homes:?}");
        }
        assert!(!code.contains("println!"), "{name} prints");
    }
}

#[test]
fn one_reader_tells_quotes_apart() {
    // A second one would read some line in another way than the first, and than Bash.
    // `bridge_entry.rs` looks for two words in a text of any nesting, where every quote is only a border.
    let homes = ["settings/bridge_entry.rs"];
    for (name, path) in files() {
        let code = code(&path);
        let reads = [r"'\'' =>", r"'\'' |", r"| '\''", r"b'\''"].iter().any(|sign| code.contains(sign));
        assert!(
            !reads || homes.iter().any(|home| name.starts_with(home)),
            "{name} reads quotes; `hookrail-shell` does that"
        );
    }
}

#[test]
fn unsafe_code_is_in_one_file() {
    let mut with_unsafe: Vec<String> = files()
        .into_iter()
        .filter(|(_, path)| code(path).contains("unsafe "))
        .map(|(name, _)| name)
        .collect();
    with_unsafe.sort();
    assert_eq!(with_unsafe, ["run/busy.rs"]);
}

/// The lines of a file without its inline test modules, which stand at its end.
fn lines_without_tests(text: &str) -> impl Iterator<Item = &str> {
    let is_inline_tests = |rest: &str| {
        let head = rest.lines().skip(1).find(|line| !line.starts_with("#["));
        head.is_some_and(|line| line.contains("mod ") && line.ends_with('{'))
    };
    let mut places = text.match_indices("#[cfg(test)]\n").map(|(at, _)| at);
    let end = places.find(|at| is_inline_tests(text.get(*at..).unwrap())).unwrap_or(text.len());
    text.get(..end).unwrap().lines().map(str::trim)
}
