//! The architecture of this crate, executable: it looks at nothing but the text that it is given.

use std::fs;
use std::path::Path;

#[test]
fn the_reader_does_no_io() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    assert!(!manifest.contains("[dependencies]"), "it has no dependencies");
    let mut folders = vec![root.join("src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.file_stem().is_some_and(|name| name == "tests") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for word in ["std::fs", "std::env", "std::process", "std::io", "std::net", "println!"] {
                assert!(!text.contains(word), "{} uses `{word}`", path.display());
            }
            files += 1;
        }
    }
    assert!(files > 10, "{files}");
}
