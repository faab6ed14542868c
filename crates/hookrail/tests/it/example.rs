//! The example in `examples/` runs and says what its comments promise.

use std::process::Command;

#[test]
fn the_embedding_host_is_guarded() {
    // Through cargo, so that it is this example and not one that was built some other day.
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--example", "embed"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let expected = r#"notes.txt: done
  the model reads: "Wrote notes.txt.\n\nRemember to run the tests."
/etc/passwd: blocked
  the model reads: "/etc is off limits"
"#;
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test]
fn the_example_fits_on_one_page() {
    let text = include_str!("../../examples/embed.rs");
    assert!(text.lines().count() < 60);
}
