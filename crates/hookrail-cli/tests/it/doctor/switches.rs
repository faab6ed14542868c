//! Agents that are connected and do not run what they have. The library's tests have a row for each switch; these are
//! the ways from the files to the report.

use std::fs;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{doctor, guarded, states};
use crate::program::{hookrail, run};

/// Records trust for every entry of ours, as Codex does when a person answers its question.
pub(super) fn trust_in_codex(project: &TestProject) {
    let folder = project.home().join(".codex").canonicalize().unwrap();
    let file = folder.join("hooks.json");
    let settings: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let mut config = String::new();
    for (event, groups) in settings["hooks"].as_object().unwrap() {
        let hook = &groups[0]["hooks"][0];
        let name = event.chars().enumerate().fold(String::new(), |name, (at, sign)| {
            let line = if at > 0 && sign.is_uppercase() { "_" } else { "" };
            format!("{name}{line}{}", sign.to_ascii_lowercase())
        });
        let text = format!(
            r#"{{"event_name":"{name}","hooks":[{{"async":false,"command":{},"timeout":{},"type":"command"}}]}}"#,
            hook["command"], hook["timeout"]
        );
        let hash = Sha256::digest(text.as_bytes())
            .iter()
            .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        let key = format!("{}:{name}:0:0", file.display());
        config.extend(["[hooks.state.\"", &key, "\"]\ntrusted_hash = \"sha256:", &hash, "\"\n"]);
    }
    fs::write(folder.join("config.toml"), config).unwrap();
}

#[test]
fn codex_is_not_guarded_until_a_person_trusted_the_entries() {
    let project = guarded();
    let ran = run(&project, &["connect", "codex"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stderr.contains("nobody trusted them") && ran.stderr.contains("/hooks"), "{ran}");
    let ran = doctor(&project);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(states(&ran, "codex", "nobody trusted them"), ["error"], "{ran}");
    let list = run(&project, &["connect"]);
    assert!(list.stdout.contains("and not running"), "{list}");
    trust_in_codex(&project);
    assert_eq!(doctor(&project).code, Some(0));
    let ran = run(&project, &["connect", "codex"]);
    assert!(!ran.stderr.contains("trusted"), "{ran}");
    // A changed entry has to be trusted again.
    let file = project.home().join(".codex/hooks.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("/bin/sh -c", "/bin/sh  -c", 1)).unwrap();
    assert_eq!(states(&doctor(&project), "codex", "nobody trusted them"), ["error"]);
}

#[test]
fn a_switch_in_another_file_is_an_error_with_what_to_do() {
    for (agent, file, text) in [
        ("claude", ".claude/settings.local.json", json!({ "disableAllHooks": true })),
        ("gemini", ".gemini/settings.json", json!({ "hooksConfig": { "enabled": false } })),
        ("qwen", ".qwen/settings.json", json!({ "disableAllHooks": true })),
        ("copilot", ".github/copilot/settings.json", json!({ "disableAllHooks": true })),
    ] {
        let project = guarded();
        project.file(file, text.to_string());
        let ran = run(&project, &["connect", agent]);
        assert!(ran.stderr.contains("turns hooks off") && ran.stderr.contains(file), "{ran}");
        let ran = doctor(&project);
        assert_eq!(ran.code, Some(1), "{ran}");
        assert_eq!(states(&ran, agent, "turns hooks off"), ["error"], "{agent}: {ran}");
        fs::remove_file(project.dir().join(file)).unwrap();
        assert_eq!(doctor(&project).code, Some(0), "{agent}");
    }
    let project = guarded();
    run(&project, &["connect", "opencode"]);
    let mut command = hookrail(&project, &["doctor"]);
    let output = command.env("PATH", "/usr/bin:/bin").env("OPENCODE_PURE", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("`OPENCODE_PURE` is set"));
}

#[test]
fn gemini_runs_no_hook_in_a_folder_that_was_not_trusted() {
    let project = guarded();
    run(&project, &["connect", "gemini"]);
    let file = project.home().join(".gemini/trustedFolders.json");
    fs::write(file, json!({ (project.dir().to_str().unwrap()): "DO_NOT_TRUST" }).to_string()).unwrap();
    assert_eq!(states(&doctor(&project), "gemini", "is not trusted"), ["error"]);
}
