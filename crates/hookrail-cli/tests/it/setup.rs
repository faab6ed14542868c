//! `setup`, `uninstall`, `upgrade`, `rules enable` and `rules disable`: from nothing to protected agents, and back.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::{Ran, hookrail, run, run_with_stdin};

/// Puts programs of these agents on a search path of their own.
fn fake_agents(project: &TestProject, names: &[&str]) -> PathBuf {
    let folder = project.home().join("agents");
    fs::create_dir_all(&folder).unwrap();
    for name in names {
        let program = folder.join(name);
        // Written by another process, so that no child of this one holds it open.
        let script = "printf '#!/bin/sh\\necho 1.0.0\\n' > \"$0\"";
        assert!(Command::new("sh").args(["-c", script]).arg(&program).status().unwrap().success());
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn with_agents(project: &TestProject, names: &[&str], args: &[&str]) -> Ran {
    let folder = fake_agents(project, names);
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let output = hookrail(project, args).env("PATH", path).stdin(Stdio::null()).output();
    Ran::of(args, output.unwrap())
}

fn user_file(project: &TestProject) -> PathBuf {
    project.home().join(".hookrail/settings.json")
}

fn settings(project: &TestProject) -> Value {
    serde_json::from_str(&fs::read_to_string(user_file(project)).unwrap()).unwrap()
}

/// A call through the entry that `connect` wrote for Claude Code, as Claude Code would make it.
fn through_the_entry(project: &TestProject, line: &str) -> String {
    let text = fs::read_to_string(project.home().join(".claude/settings.json")).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    let entry = written["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let payload = json!({
        "session_id": "s", "cwd": project.dir(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": line },
    });
    let mut child = Command::new("sh")
        .args(["-c", &entry])
        .current_dir(project.dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn one_command_protects_what_is_found_and_another_takes_it_back() {
    let project = TestProject::new();
    let dry = with_agents(&project, &["claude"], &["setup", "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{dry}");
    assert!(dry.stdout.contains("@standard") && dry.stdout.contains("claude"), "{dry}");
    assert!(!user_file(&project).exists() && !project.home().join(".claude").exists());

    let nobody = with_agents(&project, &["claude"], &["setup"]);
    assert_eq!(nobody.code, Some(1), "{nobody}");
    assert!(nobody.stderr.contains("--yes") && !user_file(&project).exists(), "{nobody}");

    let done = with_agents(&project, &["claude"], &["setup", "--yes", "--format", "json"]);
    assert_eq!(done.code, Some(0), "{done}");
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    let file = user_file(&project);
    assert_eq!(
        found,
        json!({
            "settings": { "file": file, "changed": true },
            "agents": [{ "agent": "claude", "connected": true, "proved": true, "needs": null }],
        })
    );
    assert_eq!(settings(&project)["hooksConfig"]["rules"], json!(["@standard"]));
    assert!(through_the_entry(&project, "git push --force").contains("\"deny\""));
    assert_eq!(through_the_entry(&project, "git status"), "");

    let before = fs::read(&file).unwrap();
    let again = with_agents(&project, &["claude"], &["setup", "--yes"]);
    assert_eq!((again.code, fs::read(&file).unwrap()), (Some(0), before), "{again}");

    let gone = run(&project, &["uninstall"]);
    assert_eq!(gone.code, Some(0), "{gone}");
    assert!(!project.home().join(".claude/settings.json").exists(), "{gone}");
    assert!(!project.home().join(".hookrail/bin").exists() && file.exists());
    let purged = run(&project, &["uninstall", "--purge"]);
    assert_eq!((purged.code, file.exists()), (Some(0), false), "{purged}");
}

/// Whoever tries hookrail out and takes it away again finds his home as it was.
#[test]
fn folders_that_were_made_go_again_and_others_stay() {
    let project = TestProject::new();
    let home = |name: &str| project.home().join(name);
    // Cursor's folder is there already, and is empty; Codex's holds a file of its own.
    fs::create_dir_all(home(".cursor")).unwrap();
    let agents = "claude,gemini,opencode,crush,codex,cursor";
    let done = with_agents(&project, &[], &["setup", "--yes", "--preset", "none", "--agents", agents]);
    for made in
        [".claude", ".gemini", ".config/opencode/plugin", ".config/crush", ".codex", ".cursor/hooks.json"]
    {
        assert!(home(made).exists(), "{made}: {done}");
    }
    fs::write(home(".codex/auth.json"), "{}").unwrap();
    let again = with_agents(&project, &[], &["setup", "--yes", "--preset", "none", "--agents", agents]);
    assert_ne!(again.code, None, "{again}");
    let gone = run(&project, &["uninstall", "--purge"]);
    assert_eq!(gone.code, Some(0), "{gone}");
    for made in [".claude", ".gemini", ".config", ".cursor/hooks.json", ".hookrail"] {
        assert!(!home(made).exists(), "{made}: {gone}");
    }
    for kept in [".codex/auth.json", ".cursor"] {
        assert!(home(kept).exists(), "{kept}: {gone}");
    }
}

#[test]
fn an_agent_with_a_broken_file_does_not_keep_the_others_from_being_connected() {
    let project = TestProject::new();
    let broken = project.home().join(".claude/settings.json");
    fs::create_dir_all(broken.parent().unwrap()).unwrap();
    fs::write(&broken, "{ broken").unwrap();
    let done = with_agents(&project, &["claude", "gemini"], &["setup", "--yes", "--format", "json"]);
    assert_eq!(done.code, Some(1), "{done}");
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(found["agents"][0]["connected"], json!(false));
    assert!(found["agents"][0]["needs"].as_str().unwrap().contains("settings.json"), "{done}");
    assert_eq!(
        found["agents"][1],
        json!({ "agent": "gemini", "connected": true, "proved": true, "needs": null })
    );
    assert_eq!(fs::read_to_string(broken).unwrap(), "{ broken");
}

#[test]
fn codex_is_not_protected_before_its_trust_dialog() {
    let project = TestProject::new();
    let done =
        with_agents(&project, &["codex"], &["setup", "--yes", "--agents", "codex", "--preset", "none"]);
    assert_eq!(done.code, Some(1), "{done}");
    assert!(
        done.stdout.contains("NOT protected yet") && done.stdout.to_lowercase().contains("trust"),
        "{done}"
    );
    assert!(!user_file(&project).exists(), "no preset, no settings");
}

#[test]
fn an_agent_cannot_set_up_or_take_away_its_guard() {
    let project = TestProject::new();
    for args in
        [&["setup", "--yes"][..], &["uninstall"], &["upgrade"], &["rules", "disable", "no-force-push"]]
    {
        let ran = Ran::of(args, hookrail(&project, args).env("HOOKRAIL_AGENT", "1").output().unwrap());
        assert_eq!(ran.code, Some(1), "{ran}");
        assert!(ran.stderr.contains("an agent"), "{ran}");
    }
}

#[test]
fn rules_are_enabled_and_disabled_by_name_and_preset() {
    let project = TestProject::new();
    let on = run(&project, &["rules", "enable", "no-force-push", "@standard"]);
    assert_eq!(on.code, Some(0), "{on}");
    assert_eq!(settings(&project)["enableHooks"], json!(true));
    assert_eq!(settings(&project)["hooksConfig"]["rules"], json!(["no-force-push", "@standard"]));
    let off = run(&project, &["rules", "disable", "no-force-push"]);
    assert_eq!(off.code, Some(0), "{off}");
    assert_eq!(settings(&project)["hooksConfig"]["rules"], json!(["@standard"]));
    assert_eq!(settings(&project)["hooksConfig"]["disabled"], json!(["no-force-push"]), "a preset has it on");
    let listed = run(&project, &["rules", "--format", "json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let of = |name: &str| {
        let rules = listed["rules"].as_array().unwrap();
        rules.iter().find(|rule| rule["name"] == *name).unwrap().clone()
    };
    assert_eq!(of("no-force-push")["on"], json!(false));
    assert_eq!(of("no-secret-files")["on"], json!(true));
    assert_eq!(
        (of("ask-packages")["on"].clone(), of("ask-packages")["preset"].clone()),
        (json!(false), json!("strict"))
    );
    assert!(of("no-secret-files")["from"].as_str().unwrap().ends_with("settings.json:3"));
    let unknown = run(&project, &["rules", "enable", "no-force-psh"]);
    assert_eq!(unknown.code, Some(1), "{unknown}");
    assert!(unknown.stderr.contains("no-force-push"), "{unknown}");
}

#[test]
fn exceptions_let_a_call_pass_while_they_count_and_only_on_their_level() {
    let fire = |project: &TestProject, line: &str| {
        let payload = json!({ "tool_name": "run_shell_command", "tool_input": { "command": line } });
        let args = ["fire", "BeforeTool", "--payload", "-", "--trust-hooks"];
        run_with_stdin(project, &args, &payload.to_string()).code
    };
    let entry = |until: &str| {
        json!({ "enableHooks": true, "hooksConfig": { "rules": [
            "@standard",
            { "name": "no-force-push", "except": [{ "command": "git push --force origin docs" }], "until": until, "why": "the site is rebuilt" },
        ] } })
    };
    let project = TestProject::new();
    project.user_settings(&entry("2999-12-31"));
    assert_eq!(fire(&project, "git push --force origin docs"), Some(0));
    assert_eq!(fire(&project, "git push --force origin main"), Some(2));
    assert_eq!(fire(&project, "git push --force origin $X"), Some(2), "what cannot be told is no exception");
    project.settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-force-push"] } }));
    assert_eq!(fire(&project, "git push --force origin docs"), Some(2), "another level still stops it");

    let project = TestProject::new();
    project.user_settings(&entry("2020-01-01"));
    assert_eq!(fire(&project, "git push --force origin docs"), Some(2));
    let checked = run(&project, &["check"]);
    assert!(
        checked.stdout.contains("expired-exception") || checked.stderr.contains("expired-exception"),
        "{checked}"
    );

    for broken in [json!("soon"), json!(5)] {
        let project = TestProject::new();
        let mut settings = entry("");
        settings["hooksConfig"]["rules"][1]["until"] = broken;
        project.user_settings(&settings);
        assert_eq!(fire(&project, "git push --force origin docs"), Some(2));
        assert_eq!(run(&project, &["check"]).code, Some(1));
    }
}

/// opencode has a plugin instead of an entry: what the plugin starts is what has to refuse.
#[test]
fn an_agent_with_a_plugin_is_proved_by_what_its_plugin_starts() {
    let args = ["setup", "--yes", "--agents", "opencode", "--preset", "none", "--format", "json"];
    let project = TestProject::new();
    let done = with_agents(&project, &[], &args);
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(found["agents"][0]["proved"], json!(true), "{done}");

    let project = TestProject::new();
    let program = project.home().join(".hookrail/bin/hookrail");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, "#!/bin/sh\ntest \"$1\" != --version || echo hookrail 99.0.0\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let done = with_agents(&project, &[], &args);
    assert_eq!(done.code, Some(1), "{done}");
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(found["agents"][0]["proved"], json!(false), "{done}");
    assert!(found["agents"][0]["needs"].as_str().unwrap().contains("did not refuse"), "{done}");

    // Nothing of it can be started.
    let plugin = project.home().join(".config/opencode/plugin/hookrail.js");
    let text = fs::read_to_string(&plugin).unwrap();
    fs::write(
        &plugin,
        text.replace("const words = ", "const others = ").replace("const program", "let program"),
    )
    .unwrap();
    let doctor = run(&project, &["doctor"]);
    assert!(doctor.stdout.contains("does not call hookrail at tool.execute.before"), "{doctor}");
}
