//! The report's page in a real browser. The tests are scripts in `tests/browser`; they run where Node, Chromium and the
//! packages of `tests/browser/package.json` are installed, which `tests/browser/run` sees to.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_page_works_in_a_browser() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    if let Some(missing) = missing(&folder) {
        // Not by a macro, whose text only a test that fails shows.
        let note = format!(
            "tests in a browser are left out: {missing} is not installed (crates/hookrail-cli/tests/browser/run)\n"
        );
        let _ = std::io::stderr().write_all(note.as_bytes());
        return;
    }
    let output = Command::new("node")
        .args(["--test", "--test-concurrency=1", "page.test.mjs", "live.test.mjs"])
        .current_dir(&folder)
        .env("HOOKRAIL", env!("CARGO_BIN_EXE_hookrail"))
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}{}", String::from_utf8_lossy(&output.stderr));
}

/// The first thing that is missing.
fn missing(folder: &Path) -> Option<&'static str> {
    let chromium =
        ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    let has_chromium = std::env::var_os("CHROMIUM").is_some() || chromium.iter().any(|file| file.exists());
    let has_node = Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success());
    let has_packages =
        ["playwright-core", "axe-core"].iter().all(|name| folder.join("node_modules").join(name).exists());
    let looked_at = [(has_node, "Node"), (has_chromium, "Chromium"), (has_packages, "playwright-core")];
    looked_at.into_iter().find(|(is_there, _)| !is_there).map(|(_, name)| name)
}
