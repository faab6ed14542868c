//! `init`: starters that work at once, for every event in every language.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use hookrail::EventName;
use hookrail_testkit::TestProject;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::program::{Ran, hookrail};

const LANGUAGES: [(&str, &str); 3] = [("sh", "sh"), ("python", "py"), ("node", "js")];

fn fire(project: &TestProject, args: &[&str]) -> Ran {
    Ran::new(project, &[&["fire", "--format", "json"], args].concat())
}

#[test]
fn every_starter_works_at_once() {
    for (language, extension) in LANGUAGES {
        let project = TestProject::named("a project; with \"quotes\" and $HOME");
        // Node takes `.js` files for modules of another kind here.
        project.file("package.json", r#"{ "type": "module" }"#);
        for event in EventName::ALL {
            let named = ["init", event.as_str(), "--lang", language, "--name", event.as_str()];
            let run = Ran::new(&project, &named);
            assert_eq!(run.code, Some(0), "{event} {language}: {}", run.shown());
            let script = project.dir().join(format!(".hookrail/hooks/{event}.{extension}"));
            assert_eq!(
                fs::metadata(&script).unwrap().permissions().mode() & 0o111,
                0o111,
                "{event} {language}"
            );

            let run = fire(&project, &[event.as_str()]);
            let result = run.json();
            assert_eq!(run.code, Some(0), "{event} {language}: {}", run.shown());
            let hook = &result["hooks"][0];
            assert_eq!(hook["success"], true, "{event} {language}: {result:#}");
            assert_eq!(hook["stderr"], "", "{event} {language}");
            let stdout = hook["stdout"].as_str().unwrap().trim();
            assert!(
                stdout.is_empty() || serde_json::from_str::<Value>(stdout).is_ok_and(|json| json.is_object()),
                "{event} {language}: {stdout}"
            );
        }
        let check = Ran::new(&project, &["check", "--strict"]);
        assert_eq!(check.code, Some(0), "{language}: {}", check.shown());
    }
}

#[test]
fn starters_do_what_they_say() {
    for (language, _) in LANGUAGES {
        let project = TestProject::new();
        for event in EventName::ALL {
            Ran::new(&project, &["init", event.as_str(), "--lang", language]);
        }
        let env = r#"{"file_path":"conf/.env","content":"a \"file_path\":\"x\""}"#;
        let run = fire(&project, &["BeforeTool", "--tool", "write_file", "--input", env]);
        assert_eq!(run.code, Some(2), "{language}: {}", run.shown());
        let other = r#"{"file_path":"env.rs","content":"{\"file_path\":\".env\"}"}"#;
        assert_eq!(fire(&project, &["BeforeTool", "--tool", "write_file", "--input", other]).code, Some(0));

        let payload = project.file(
            "key.json",
            json!({ "llm_request": { "model": "m", "messages": [
            { "role": "user", "content": "-----BEGIN RSA PRIVATE KEY-----\nabc" }] } })
            .to_string(),
        );
        let run = fire(&project, &["BeforeModel", "--payload", payload.to_str().unwrap()]);
        assert_eq!(run.code, Some(2), "{language}: {}", run.shown());

        let payload = project.file(
            "todo.json",
            json!({ "prompt": "p", "prompt_response": "A \"TODO\" stays",
            "stop_hook_active": false })
            .to_string(),
        );
        let run = fire(&project, &["AfterAgent", "--payload", payload.to_str().unwrap()]);
        assert_eq!(run.code, Some(2), "{language}: {}", run.shown());
        let payload = project.file(
            "todo.json",
            json!({ "prompt": "p", "prompt_response": "A \"TODO\" stays",
            "stop_hook_active": true })
            .to_string(),
        );
        assert_eq!(fire(&project, &["AfterAgent", "--payload", payload.to_str().unwrap()]).code, Some(0));

        let run = fire(&project, &["AfterTool"]);
        let context = run.json()["finalOutput"]["hookSpecificOutput"]["additionalContext"].clone();
        assert!(context.as_str().unwrap_or_default().contains("notes.txt"), "{language}: {}", run.shown());

        fire(&project, &["SessionEnd"]);
        assert!(project.read(".hookrail/hooks/sessions.log").ends_with("Z exit\n"), "{language}");

        let transcript = project.file("transcript.jsonl", "{}\n");
        let payload = project
            .file("compress.json", json!({ "trigger": "auto", "transcript_path": transcript }).to_string());
        assert_eq!(fire(&project, &["PreCompress", "--payload", payload.to_str().unwrap()]).code, Some(0));
        let copies = fs::read_dir(project.dir()).unwrap().flatten();
        assert_eq!(
            copies.filter(|entry| entry.path().extension().is_some_and(|end| end == "bak")).count(),
            1,
            "{language}"
        );
        let mut read_only = hookrail(&project, &["fire", "--format", "json", "BeforeToolSelection"]);
        read_only.env("HOOK_READ_ONLY", "1");
        let run = Ran::in_project(&project, read_only);
        let names = &run.json()["finalOutput"]["hookSpecificOutput"]["toolConfig"]["allowedFunctionNames"];
        assert_eq!(names.as_array().map(Vec::len), Some(4), "{language}: {}", run.shown());
    }
}

#[test]
fn says_what_it_did_and_what_comes_next() {
    let project = TestProject::new();
    assert_snapshot!("first", Ran::new(&project, &["init"]).shown());
    assert_snapshot!("settings", project.read(".hookrail/settings.json"));
    assert_snapshot!("script", project.read(".hookrail/hooks/protect-env-files.sh"));
    assert_snapshot!("second", Ran::new(&project, &["init", "SessionStart", "--lang", "python"]).shown());
}

#[test]
fn nothing_is_overwritten() {
    let project = TestProject::new();
    project.file(".hookrail/hooks/protect-env-files.sh", "mine");
    project.file(
        ".hookrail/settings.json",
        "{ // Mine.\n  \"hooks\": { \"BeforeTool\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"true\", \"name\": \"protect-env-files-2\" } ] } ] } }",
    );
    assert_eq!(Ran::new(&project, &["init"]).code, Some(0));
    assert_eq!(project.read(".hookrail/hooks/protect-env-files.sh"), "mine");
    let settings = project.read(".hookrail/settings.json");
    assert!(settings.contains("// Mine.") && settings.contains("protect-env-files-3"), "{settings}");
    assert!(project.dir().join(".hookrail/hooks/protect-env-files-3.sh").exists());
}

#[test]
fn a_hook_is_named_after_what_it_does_or_as_given() {
    let project = TestProject::new();
    for args in [&["init"][..], &["init"], &["init", "--name", "my.guard_1"]] {
        let run = Ran::new(&project, args);
        assert_eq!(run.code, Some(0), "{}", run.shown());
    }
    let list = Ran::new(&project, &["list", "--format", "json"]).json();
    let names: Vec<&str> =
        list["hooks"].as_array().unwrap().iter().map(|hook| hook["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["protect-env-files", "protect-env-files-2", "my.guard_1"]);
    assert!(project.dir().join(".hookrail/hooks/my.guard_1.sh").exists());
    for (name, code) in [("my.guard_1", 1), ("a/b", 64), ("", 64), ("-x", 64), ("..", 64)] {
        let run = Ran::new(&project, &["init", &format!("--name={name}")]);
        assert_eq!(run.code, Some(code), "{name}: {}", run.shown());
    }
    let after = Ran::new(&project, &["list", "--format", "json"]).json();
    assert_eq!(after["hooks"].as_array().unwrap().len(), 3, "a refused name adds nothing");
}

#[test]
fn only_the_new_hook_is_approved() {
    let project = TestProject::new();
    project.script("theirs.sh", "touch ran");
    project.settings(&json!({
        "enableHooks": true,
        "hooksConfig": { "maxOutputBytes": 1 },
        "hooks": { "BeforeTool": [{ "hooks": [{ "type": "command", "command": "./theirs.sh", "name": "theirs" }] }] },
    }));
    let run = Ran::new(&project, &["init"]);
    assert!(run.stderr.contains("hookrail trust"), "{}", run.shown());
    let list = Ran::new(&project, &["list", "--format", "json"]).json();
    let approved: Vec<_> = list["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| format!("{} {}", hook["name"], hook["approved"]).replace('"', ""))
        .collect();
    assert_eq!(approved, ["theirs no", "protect-env-files approved"]);
    fire(&project, &["BeforeTool"]);
    assert!(!project.dir().join("ran").exists(), "a hook that nobody looked at does not run");
    let store = hookrail::ApprovalStore::new(project.home().join(".hookrail"));
    let approved = store.list(&project.dir()).unwrap().unwrap();
    assert_eq!(approved.settings, None, "settings that waited before still wait");
}

#[test]
fn users_hooks_work_in_every_project() {
    let project = TestProject::new();
    assert_snapshot!("user", Ran::new(&project, &["init", "SessionEnd", "--user"]).shown());
    assert!(!project.settings_path().exists());
    let elsewhere = project.dir().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let run = fire(&project, &["-C", "elsewhere", "SessionEnd"]);
    assert_eq!(
        (run.code, run.json()["hooks"][0]["success"].clone()),
        (Some(0), json!(true)),
        "{}",
        run.shown()
    );
    // In the home directory the one settings file is the user's, also without the flag.
    let mut at_home = hookrail(&project, &["init", "SessionStart"]);
    let run = Ran::in_project(&project, {
        at_home.current_dir(project.home());
        at_home
    });
    assert_eq!(run.code, Some(0), "{}", run.shown());
    let run = fire(&project, &["SessionStart"]);
    assert_eq!(run.json()["hooks"][0]["success"], true, "{}", run.shown());
}

#[test]
fn malformed_settings_stop_it_before_anything_is_written() {
    let project = TestProject::new();
    project.file(".hookrail/settings.json", "{ \"hooks\": [] }");
    assert_snapshot!("wrong_type", Ran::new(&project, &["init"]).shown());
    assert!(!project.dir().join(".hookrail/hooks").exists());
    assert_eq!(project.read(".hookrail/settings.json"), "{ \"hooks\": [] }");
}

#[test]
fn shell_starters_need_no_json_tool() {
    let project = TestProject::new();
    for event in EventName::ALL {
        Ran::new(&project, &["init", event.as_str(), "--name", event.as_str()]);
        let script = project.dir().join(format!(".hookrail/hooks/{event}.sh"));
        let text = fs::read_to_string(&script).unwrap();
        let code = text.lines().filter(|line| !line.starts_with('#'));
        assert!(code.clone().all(|line| !line.contains("jq")), "{event}");
        // POSIX shells agree, not only bash.
        let checked = Command::new("sh").arg("-n").arg(&script).status().unwrap();
        assert!(checked.success(), "{event}");
    }
}

#[test]
fn manual_pages_are_written() {
    let project = TestProject::new();
    let run = Ran::new(&project, &["man", "pages"]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    let page = project.read("pages/hookrail-check.1");
    assert!(page.contains("hookrail check") && page.contains("strict"), "{page}");
    assert!(project.dir().join("pages/hookrail.1").exists());
    assert!(project.dir().join("pages/hookrail-schema-input.1").exists());
}

#[test]
fn workers_are_written_with_their_kit() {
    for (language, extension) in [("python", "py"), ("node", "mjs")] {
        let project = TestProject::new();
        for name in ["one", "two"] {
            let run = Ran::new(&project, &["init", "--worker", "--lang", language, "--name", name]);
            assert_eq!(run.code, Some(0), "{language}: {}", run.shown());
        }
        assert!(project.dir().join(format!(".hookrail/hooks/hookrail_hook.{extension}")).is_file());
        let settings: Value = serde_json::from_str(&project.read(".hookrail/settings.json")).unwrap();
        assert_eq!(settings["hooks"]["BeforeTool"][0]["hooks"][0]["worker"], true);
        let env = r#"{"file_path":"conf/.env","content":"x"}"#;
        let run = fire(&project, &["BeforeTool", "--tool", "write_file", "--input", env]);
        assert_eq!(run.code, Some(2), "{language}: {}", run.shown());
        let other = r#"{"file_path":"env.rs","content":"x"}"#;
        let run = fire(&project, &["BeforeTool", "--tool", "write_file", "--input", other]);
        assert_eq!(run.code, Some(0), "{language}: {}", run.shown());
    }
    let project = TestProject::new();
    for args in [&["init", "--worker"][..], &["init", "AfterTool", "--worker", "--lang", "python"]] {
        assert_eq!(Ran::new(&project, args).code, Some(1), "{args:?}");
    }
}
