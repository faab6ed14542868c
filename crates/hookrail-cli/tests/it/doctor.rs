//! `doctor`, and the note of `check` about hooks that were not imported.

mod switches;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::{Ran, hookrail, run};

/// Runs the doctor where no agent's program is found, so that only what a test made is there.
fn doctor(project: &TestProject) -> Ran {
    let args = ["doctor", "--format", "json"];
    Ran::of(&args, hookrail(project, &args).env("PATH", "/usr/bin:/bin").output().unwrap())
}

/// The states of all findings in an area whose message holds these words.
fn states(ran: &Ran, area: &str, words: &str) -> Vec<String> {
    let report = ran.json();
    let findings = report["findings"].as_array().unwrap();
    let is_it =
        |finding: &&Value| finding["area"] == area && finding["message"].as_str().unwrap().contains(words);
    findings.iter().filter(is_it).map(|finding| finding["state"].as_str().unwrap().to_owned()).collect()
}

fn guarded() -> TestProject {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "rule", "name": "guard", "when": { "command": "rm" }, "block": "no" },
        { "type": "command", "name": "notes", "command": "true" },
    ] }] } }));
    project
}

/// What `doctor` says of an entry that works.
const WORKS: &str = "calls hookrail, and a call that must be refused is refused";

#[test]
fn a_whole_chain_needs_nothing() {
    let project = guarded();
    for agent in ["claude", "codex", "gemini", "qwen", "copilot", "opencode", "kilo", "pi", "cline"] {
        assert_eq!(run(&project, &["connect", agent]).code, Some(0));
    }
    switches::trust_in_codex(&project);
    let ran = doctor(&project);
    assert_eq!((ran.code, &ran.json()["problems"]), (Some(0), &json!(0)), "{ran}");
    for agent in ["claude", "codex", "gemini", "qwen", "copilot", "opencode", "kilo", "pi", "cline"] {
        assert_eq!(states(&ran, agent, WORKS), ["ok"], "{agent}: {ran}");
    }
    let log = run(&project, &["log"]);
    assert!(!log.stdout.contains("block"), "what `doctor` tried is not a call of an agent: {log}");
    assert_eq!(states(&ran, "hooks", "`notes` has never run"), ["note"], "{ran}");
    run(&project, &["fire", "BeforeTool", "--tool", "read_file", "--input", "{}"]);
    assert_eq!(states(&doctor(&project), "hooks", "never run"), [""; 0], "it has run by now");
}

#[test]
fn variables_that_a_project_sets_for_its_agents_are_named_with_their_lines() {
    let project = guarded();
    let clean = doctor(&project);
    assert_eq!(states(&clean, "environment", "no file from which agents take variables"), ["ok"], "{clean}");
    project.file(".env", "PORT=80\nexport HOOKRAIL_BRIDGE=1\nPYTHONPATH=src\n");
    project.file(".gemini/.env", "LD_PRELOAD=./x.so\n");
    project.file(".qwen/.env", "\nBASH_ENV=./x.sh\n");
    project.file(
        ".claude/settings.json",
        "{\n  \"env\": {\n    \"HOOKRAIL_HOME\": \"/proc/self/cwd\"\n  }\n}\n",
    );
    fs::write(project.home().join(".env"), "PATH=bin\n").unwrap();
    let ran = doctor(&project);
    assert_eq!(ran.code, Some(1), "{ran}");
    for (words, state) in [
        ("`.env:2` sets `HOOKRAIL_BRIDGE`", "warning"),
        ("`.env:3` sets `PYTHONPATH`", "note"),
        ("`.gemini/.env:1` sets `LD_PRELOAD`", "warning"),
        ("`.qwen/.env:2` sets `BASH_ENV`", "warning"),
        ("`.claude/settings.json:3` sets `HOOKRAIL_HOME`", "warning"),
        ("`~/.env:1` sets `PATH`", "warning"),
    ] {
        assert_eq!(states(&ran, "environment", words), [state], "{words}: {ran}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_not_called_private() {
    let project = guarded();
    let ran = doctor(&project);
    assert_eq!(
        states(&ran, "home", "holds no approvals and no log yet; it is made private when it is needed"),
        ["ok"],
        "{ran}"
    );
    run(&project, &["fire", "BeforeTool", "--tool", "read_file", "--input", "{}"]);
    let ran = doctor(&project);
    assert_eq!(states(&ran, "home", "`~/.hookrail` is private"), ["ok"], "{ran}");
    // A folder that a person made for settings is closed with the first thing that `connect` keeps in it.
    let project = guarded();
    run(&project, &["connect", "claude"]);
    let folder = project.home().join(".hookrail");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    fs::set_permissions(folder.join("connect.json"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(states(&doctor(&project), "home", "connect.json"), ["warning"]);
}

#[test]
fn broken_links_of_the_chain_are_named() {
    let project = guarded();
    run(&project, &["connect", "claude"]);
    let file = project.home().join(".claude/settings.json");
    let whole = fs::read_to_string(&file).unwrap();
    let program = project.home().join(".hookrail/bin/hookrail");
    let moved = program.with_file_name("moved");
    fs::rename(&program, &moved).unwrap();
    let ran = doctor(&project);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(states(&ran, "claude", "is not there"), ["error"], "{ran}");
    fs::rename(&moved, &program).unwrap();
    fs::write(&file, whole.replacen('{', "{ \"disableAllHooks\": true,", 1)).unwrap();
    assert_eq!(states(&doctor(&project), "claude", "turns hooks off"), ["error"]);
    fs::write(&file, "{ oops").unwrap();
    assert_eq!(states(&doctor(&project), "claude", "cannot be read"), ["error"]);
    fs::write(&file, &whole).unwrap();
    fs::write(project.user_settings_path(), "{ oops").unwrap();
    let ran = doctor(&project);
    assert_eq!(
        (ran.code, states(&ran, "settings", "malformed")),
        (Some(1), vec!["error".to_owned()]),
        "{ran}"
    );
}

/// Where `connect` writes the entry of each agent, below the home directory.
const ENTRIES: [(&str, &str); 9] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
    ("copilot", ".copilot/hooks/hookrail.json"),
    ("opencode", ".config/opencode/plugin/hookrail.js"),
    ("kilo", ".config/kilo/plugin/hookrail.js"),
    ("pi", ".pi/agent/extensions/hookrail.js"),
    ("cline", ".cline/plugins/hookrail.js"),
];

/// Has the entry of an agent call another program.
fn redirect(project: &TestProject, file: &str, program: &str) {
    let file = project.home().join(file);
    let text = fs::read_to_string(&file).unwrap();
    let installed = project.home().join(".hookrail/bin/hookrail");
    fs::write(&file, text.replace(installed.to_str().unwrap(), program)).unwrap();
}

#[test]
fn a_program_that_is_gone_is_reported_for_every_agent() {
    for (agent, file) in ENTRIES {
        let project = guarded();
        run(&project, &["connect", agent]);
        redirect(&project, file, "/nowhere/hookrail");
        let ran = doctor(&project);
        assert_eq!(ran.code, Some(1), "{agent}: {ran}");
        assert!(states(&ran, agent, "").contains(&"error".to_owned()), "{agent}: {ran}");
        assert_eq!(run(&project, &["connect", agent]).code, Some(0));
        assert_eq!(states(&doctor(&project), agent, WORKS), ["ok"], "{agent}");
    }
}

/// An entry that calls something else than hookrail allows everything.
#[test]
fn an_entry_that_does_not_refuse_is_reported_for_every_agent() {
    for (agent, file) in ENTRIES {
        let project = guarded();
        run(&project, &["connect", agent]);
        let yes = project.script("bin/hookrail", "exit 0");
        redirect(&project, file, yes.to_str().unwrap());
        let ran = doctor(&project);
        assert_eq!(states(&ran, agent, "did not refuse"), ["error"], "{agent}: {ran}");
    }
}

/// The version that is installed is printed where hookrail was tested with another one.
#[test]
fn another_version_is_reported() {
    let project = guarded();
    let program = project.home().join("bin/claude");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, "#!/bin/sh\necho 9.9.9\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", project.home().join("bin").display());
    let said = hookrail(&project, &["connect", "claude"]).env("PATH", &path).output().unwrap();
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("note: Claude Code is 9.9.9; hookrail was measured with 2."), "{said}");
    assert!(said.contains("What Claude Code does not do:"), "{said}");
    let mut command = hookrail(&project, &["doctor", "--format", "json"]);
    let output = command.env("PATH", &path).output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(report.contains("is 9.9.9; hookrail was measured with 2."), "{report}");
    assert!(report.contains("doctor --live claude"), "{report}");
    assert!(report.contains("these hooks never run: "), "what the agent does not do: {report}");
    let mut command = hookrail(&project, &["connect", "--format", "json"]);
    let output = command.env("PATH", &path).output().unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let claude = &list["agents"][0];
    assert_eq!((&claude["found"], &claude["version"]), (&json!(true), &json!("9.9.9")), "{list}");
    assert_eq!((&claude["agent"], &claude["connected"]), (&json!("claude"), &json!("yes")), "{list}");

    // Once a session, the log says so.
    let noted = || {
        let log = fs::read_to_string(project.home().join(".hookrail/log.jsonl")).unwrap_or_default();
        let lines = log.lines().filter(|line| line.contains("\"type\":\"version\""));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(noted(), Vec::<String>::new());
    crate::bridge::bridge(&project, "claude", "SessionStart", &json!({}));
    crate::bridge::bridge(&project, "claude", "PreToolUse-Bash", &json!({}));
    assert!(
        noted().len() == 1 && noted()[0].contains("is 9.9.9; hookrail was measured with 2."),
        "{:?}",
        noted()
    );
}

#[test]
fn programs_and_modes_are_looked_at() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "/nowhere/guard.sh" },
    ] }] } }));
    run(&project, &["fire", "BeforeTool", "--tool", "read_file", "--input", "{}"]);
    let log = project.home().join(".hookrail/log.jsonl");
    fs::set_permissions(&log, fs::Permissions::from_mode(0o644)).unwrap();
    let ran = doctor(&project);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(states(&ran, "home", "log.jsonl"), ["warning"], "{ran}");
    assert_eq!(states(&ran, "settings", "/nowhere/guard.sh"), ["error"], "{ran}");
}

#[test]
fn a_hook_that_runs_twice_is_reported() {
    let project = guarded();
    run(&project, &["connect", "claude"]);
    run(&project, &["connect", "claude", "--project"]);
    run(&project, &["connect", "copilot"]);
    let ran = doctor(&project);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(states(&ran, "claude", "a tool call is answered once"), ["note"], "{ran}");
    assert_eq!(states(&ran, "copilot", "each hook runs twice there"), ["warning"], "{ran}");
}

/// The text of a project's entry is the project's: it is compared, and never run.
#[test]
fn a_projects_entry_is_not_run() {
    let project = guarded();
    run(&project, &["connect", "claude", "--project"]);
    let ran = doctor(&project);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(states(&ran, "claude", "calls `~/.hookrail/bin/hookrail`"), ["ok"], "{ran}");
    let proof = project.dir().join("ran");
    let evil = format!("touch '{}'; hookrail bridge claude PreToolUse", proof.display());
    let hook = json!({ "hooks": [{ "type": "command", "command": evil }] });
    project.file(".claude/settings.json", json!({ "hooks": { "PreToolUse": [hook] } }).to_string());
    let ran = doctor(&project);
    assert_eq!(states(&ran, "claude", "not as this version would write it"), ["warning"], "{ran}");
    let report = ran.json();
    let help = report["findings"].as_array().unwrap().iter().find(|row| row["area"] == "claude").unwrap();
    assert_eq!(help["help"], "`hookrail connect claude --project`", "{ran}");
    let program = project.script("evil.js", "exit 0");
    let plugin = format!(
        "// Written by `hookrail connect opencode`; `hookrail disconnect opencode` removes it.\nconst program = {}\n",
        json!(program)
    );
    project.file(".opencode/plugin/hookrail.js", plugin);
    doctor(&project);
    assert!(!proof.exists());
}

/// A person sees at once what is waited for. The program ends only after that was read.
#[test]
fn a_slow_program_is_named_while_it_is_waited_for() {
    use std::io::{BufRead as _, BufReader};
    let project = guarded();
    let go = project.dir().join("go");
    let script = format!("while [ ! -e '{}' ]; do sleep 0.05; done; echo 9.9.9", go.display());
    for agent in ["claude", "gemini"] {
        project.script(&format!("bin/{agent}"), &script);
    }
    let path = format!("{}:/usr/bin:/bin", project.dir().join("bin").display());
    for arguments in [&["connect"][..], &["doctor"]] {
        let _ = fs::remove_file(&go);
        let mut child = hookrail(&project, arguments).env("PATH", &path).spawn().unwrap();
        let mut told = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut told).unwrap();
        assert_eq!(told, "asking claude, gemini for the version …\n", "{arguments:?}");
        fs::write(&go, "").unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("9.9.9") || arguments == ["doctor"]);
    }
}

#[test]
fn hooks_of_others_are_noted_until_they_are_imported() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true }));
    let claude = json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "/usr/bin/true" }] }] } });
    project.file(".claude/settings.json", claude.to_string());
    let copilot = json!({ "version": 1, "hooks": { "preToolUse": [{ "type": "command", "bash": "true" }] } });
    project.file(".github/hooks/mine.json", copilot.to_string());
    let notes = || {
        let report = run(&project, &["check", "--format", "json"]).json();
        let findings = report["findings"].as_array().unwrap().clone();
        findings.into_iter().filter(|finding| finding["code"] == "hooks-not-imported").count()
    };
    assert_eq!(notes(), 2);
    assert_eq!(run(&project, &["import", "claude", "--project", "--write"]).code, Some(0));
    assert_eq!(notes(), 1);
    fs::remove_file(project.dir().join(".github/hooks/mine.json")).unwrap();
    run(&project, &["connect", "copilot", "--project"]);
    assert_eq!(notes(), 0, "entries of ours are no hooks of others");
}
