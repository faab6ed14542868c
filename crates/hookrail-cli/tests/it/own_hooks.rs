//! The shipped hooks pass tests in hookrail's own test format, through the program. The starters and the shipped rules
//! are in `test_command.rs`; the recipes of the cookbook are tested on their page.

use std::fs;
use std::path::{Path, PathBuf};

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::Ran;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../hookrail-commands/src/commands/demo")
}

/// The settings in which all scenes of the demo are on at once.
fn settings(project: &TestProject) -> Value {
    let script = |name: &str| {
        let text = fs::read_to_string(sources().join(format!("{name}.sh"))).unwrap();
        project.file(&format!(".hookrail/hooks/{name}.sh"), text);
        json!({ "type": "command", "name": name, "command": format!("sh .hookrail/hooks/{name}.sh") })
    };
    let rule: Value =
        serde_json::from_str(&fs::read_to_string(sources().join("no-recursive-delete.json")).unwrap())
            .unwrap();
    json!({
        "enableHooks": true,
        "hooks": {
            "BeforeTool": [
                { "matcher": "write_file|replace", "hooks": [script("protect-env")] },
                { "matcher": "run_shell_command", "hooks": [script("soft-delete"), script("no-deploy"), rule] },
            ],
            "AfterTool": [{ "matcher": "read_file", "hooks": [script("generated-files")] }],
            "AfterModel": [{ "hooks": [script("redact-keys")] }],
            "BeforeToolSelection": [{ "hooks": [script("read-only")] }],
        },
    })
}

#[test]
fn the_hooks_of_the_demo_pass_their_tests() {
    let project = TestProject::new();
    let settings = settings(&project);
    project.settings(&settings);
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/demo");
    let run = Ran::new(&project, &["test", tests, "--trust-hooks", "--coverage", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    let coverage = run.json()["coverage"].as_array().unwrap().clone();
    let shipped = fs::read_dir(sources()).unwrap().flatten().map(|entry| entry.path());
    let mut shipped: Vec<String> = shipped
        .filter(|path| path.extension().is_some_and(|end| end == "sh" || end == "json"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let mut decided: Vec<String> = coverage
        .iter()
        .filter(|hook| hook["decided"] == true)
        .map(|hook| hook["hook"].as_str().unwrap().to_owned())
        .collect();
    shipped.sort();
    decided.sort();
    assert_eq!(decided, shipped, "every hook of the demo is seen to decide");
    let unused: Vec<&Value> = coverage.iter().filter(|hook| hook.get("unusedTools").is_some()).collect();
    assert!(unused.is_empty(), "every tool of their matchers is used: {unused:?}");
}
