//! The example in `examples/` runs and says what its comments promise.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail them by panicking")]

use std::path::PathBuf;
use std::process::Command;

/// Cargo builds examples before tests, into the folder beside the tests' own.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(std::path::Path::parent).unwrap().join("examples/embed")
}

#[test]
fn the_embedding_host_is_guarded() {
    let output = Command::new(example()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let expected = r#"notes.txt: done
  the model reads: "Wrote \"notes.txt\".\n\nRemember to run the tests."
/etc/passwd: blocked
  the model reads: "/etc is off limits"
"#;
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn the_example_fits_on_one_page() {
    let text = include_str!("../../examples/embed.rs");
    assert!(text.lines().count() < 60);
}
