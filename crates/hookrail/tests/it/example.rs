//! The examples in `examples/` run and say what their comments promise.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail them by panicking")]

use std::fs;
use std::process::Command;

use serde_json::Value;

fn run(example: &str) -> String {
    // Through cargo, so that it is this example and not one that was built some other day. For the whole workspace, as
    // the tests are built: for one package the dependencies would be built again with other features.
    let built = Command::new(env!("CARGO"))
        .args(["build", "--workspace", "--offline", "--message-format=json", "--example", example])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(built.status.success(), "{built:?}");
    let messages = built.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut messages = messages.map(|line| serde_json::from_slice::<Value>(line).unwrap());
    let program = messages.find_map(|message| Some(message.get("executable")?.as_str()?.to_owned())).unwrap();
    let output = Command::new(program).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_tool_loop_is_guarded() {
    let expected = r#"notes.txt: done
  the model reads: "Wrote notes.txt.\n\nRemember to run the tests."
/etc/passwd: blocked
  the model reads: "/etc is off limits"
production.conf: denied
  the model reads: "no one can be asked here: this is production"
"#;
    assert_eq!(run("guarded_tool"), expected);
}

#[test]
fn a_model_call_is_guarded_and_streams() {
    let expected = r#"piece: "Once "
piece: "upon "
piece: "a time."
blocked: a password
No passwords, please.
"#;
    assert_eq!(run("guarded_model"), expected);
}

#[test]
fn a_request_in_another_format_is_guarded_in_that_format() {
    let expected = r#"sent: [{"role":"user","content":"My key is [hidden], is that fine?"}]
Do not tell anyone.
"#;
    assert_eq!(run("openai_chat"), expected);
}

#[test]
fn an_observer_gets_a_record_of_every_hook() {
    let expected = r#"SessionStart: `greeting` starts
SessionStart: `greeting` is fine, it said "Be brief."
SessionStart: `broken` starts
SessionStart: `broken` is not fine, it said ""
SessionStart: 1 of 2 hooks were fine
go on; the model is told Some("Be brief.")
failures: 1
"#;
    assert_eq!(run("observer"), expected);
}

#[test]
fn examples_fit_on_one_page() {
    let mut names = Vec::new();
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap() {
        let path = entry.unwrap().path();
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        // The one with a format of its own takes two pages.
        assert!(
            lines < if path.ends_with("openai_chat.rs") { 160 } else { 80 },
            "{} has {lines} lines",
            path.display()
        );
        names.push(path.file_stem().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(
        names,
        ["guarded_model", "guarded_tool", "observer", "openai_chat"],
        "each is run by a test of this file"
    );
}
