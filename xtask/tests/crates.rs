//! What is published holds every file that its code takes in. A file that `include` in a manifest leaves out would be
//! missed only when the package is built.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The crates that are published, in the order of publishing.
const PUBLISHED: [&str; 10] = [
    "hookrail-policy",
    "hookrail-remote",
    "hookrail-shell",
    "hookrail-texts",
    "hookrail",
    "hookrail-agent",
    "hookrail-bridge",
    "hookrail-live",
    "hookrail-commands",
    "hookrail-cli",
];

#[test]
fn packages_hold_the_files_that_their_code_includes() {
    for name in PUBLISHED {
        let crate_dir = root().join("crates").join(name);
        let packaged = packaged(name);
        let mut sources = Vec::new();
        rust_files(&crate_dir.join("src"), &mut sources);
        for source in sources {
            for file in included(&source) {
                let inside = file.strip_prefix(&crate_dir).unwrap().to_string_lossy().into_owned();
                assert!(packaged.contains(&inside), "`{inside}` is not in the package of {name}");
            }
        }
    }
}

/// The files of a package, relative to its crate.
fn packaged(name: &str) -> Vec<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--list", "--allow-dirty", "--offline", "--package", name]).current_dir(root());
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// All sources that are compiled into the published code: those of tests are not.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_tests = path.file_stem().is_some_and(|name| name == "tests");
        if path.is_dir() && !is_tests {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !is_tests {
            files.push(path);
        }
    }
}

/// The files that a source takes in by `include_str!` with a plain path, up to its tests. Pages of the book that are run
/// as documentation tests are no part of the program.
fn included(source: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(source).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let folder = source.parent().unwrap();
    let code = code.replace("#[doc = include_str!", "");
    let names = code.split("include_str!(\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    // A file that is a link is packed with the content that it leads to.
    let found = names.map(|name| {
        let file = folder.join(name);
        file.parent().unwrap().canonicalize().unwrap().join(file.file_name().unwrap())
    });
    found.collect()
}
