//! `hookrail report`: one page with what the log has, and nothing in it that the log could run.

use std::os::unix::fs::PermissionsExt as _;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::{hookrail, run, run_with_stdin};

#[test]
fn the_page_holds_decisions_as_data_and_nothing_else_of_them() {
    let project = TestProject::new();
    let rule = json!({ "type": "rule", "name": "no-rm", "when": { "command": "rm" }, "block": "</script><b>no</b>" });
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [rule] }] } }));
    for line in ["rm x", "rm '</script><script>alert(1)</script>'", "ls"] {
        let payload = json!({ "tool_name": "run_shell_command", "tool_input": { "command": line } });
        run_with_stdin(&project, &["fire", "BeforeTool", "--payload", "-"], &payload.to_string());
    }
    let ran = run(&project, &["report", "-o", "r.html"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let page = project.read("r.html");
    let mode = std::fs::metadata(project.dir().join("r.html")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "as private as the log");
    assert!(page.contains("\"no-rm\"") && page.contains("\"rm x\""), "{page}");
    assert!(!page.contains("<b>no") && !page.contains("<script>alert"), "text of the log is never markup");
    assert_eq!(page.matches("</script>").count(), 2, "the data and the script, and no more");
    assert!(!page.contains("http://") || page.contains("http://www.w3.org/2000/svg"), "nothing is fetched");
    assert!(page.contains("default-src 'none'"));
    let none = run(&project, &["report", "--session", "other", "-o", "o.html"]);
    assert!(none.stdout.contains(": 0 decisions"), "{none}");
    let nowhere = run(&project, &["report", "-o", "no/such/folder/r.html"]);
    assert_eq!(nowhere.code, Some(1), "{nowhere}");
}

/// What a page holds of the log.
fn data(page: &str) -> Value {
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn every_command_of_the_page_works_and_names_ids_only() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["@standard"] } }));
    let claude = |line: &str| {
        let payload = json!({
            "session_id": "s", "cwd": project.dir(), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": { "command": line },
        });
        run_with_stdin(&project, &["bridge", "claude", "PreToolUse"], &payload.to_string())
    };
    let line = "git push --force origin 'a; $(touch x)'";
    for line in
        [line, &format!("git push --force {}", "x".repeat(400)), "git push --force AKIAABCDEFGHIJKLMNOP"]
    {
        assert!(claude(line).stdout.contains("deny"), "{line}");
    }
    assert_eq!(run(&project, &["report", "-o", "r.html"]).code, Some(0));
    let page = data(&project.read("r.html"));
    let of = |at: usize| {
        (page["decisions"][at]["id"].as_str().unwrap().to_owned(), page["decisions"][at]["next"].clone())
    };
    let (id, next) = of(0);
    assert_eq!(next, json!(["test", "except", "allow", "rule"]));
    for cut in [1, 2] {
        let (id, next) = of(cut);
        assert_eq!(next, json!(["allow", "rule"]), "a call that the log does not have whole");
        for args in [&["fire", "--from-log", &id][..], &["rules", "except", &id]] {
            let ran = run(&project, args);
            assert!(ran.code == Some(1) && ran.stderr.contains("only a part"), "{ran}");
        }
    }
    let listed = run(&project, &["log", "--ids"]);
    assert!(listed.stdout.starts_with(&format!("{id}  ")), "{listed}");

    // A test of it, from any folder.
    let args = ["-C", "/", "fire", "--from-log", &id, "--save-test", "kept"];
    let fired = run(&project, &args);
    assert!(fired.code == Some(2) && fired.stderr.contains("kept as the test"), "{fired}");
    let tests: Value = serde_json::from_str(&project.read(".hookrail/tests/fired.json")).unwrap();
    assert!(tests.to_string().contains("a; $(touch x)"), "{tests}");
    assert_eq!(run(&project, &["test"]).code, Some(0));
    // The rule's text, and the session.
    assert!(run(&project, &["rules", "no-force-push"]).stdout.contains("no-force-push"));
    assert!(run(&project, &["log", "--session", "s"]).stdout.contains("git push"));
    // An exception: for this call, and for no other.
    let shown = run(&project, &["rules", "except", &id, "--dry-run"]);
    assert!(shown.code == Some(0) && shown.stdout.contains("would write"), "{shown}");
    assert!(claude(line).stdout.contains("deny"));
    for (until, code) in [("soon", 1), ("2999-12-31", 0)] {
        let ran = run(&project, &["rules", "except", &id, "--until", until, "--why", "docs"]);
        assert_eq!(ran.code, Some(code), "{ran}");
    }
    assert!(!claude(line).stdout.contains("deny"), "the excepted call");
    assert!(claude("git push --force origin").stdout.contains("deny"), "another call");
    let again = run(&project, &["rules", "except", &id[..8], "--until", "2999-12-31", "--why", "docs"]);
    assert!(again.stdout.starts_with("is already in"), "{again}");
    assert_eq!(run(&project, &["check"]).code, Some(0));
    for id in ["0000000000000000", "git push", "$(touch x)", "abc"] {
        assert_ne!(run(&project, &["fire", "--from-log", id]).code, Some(0), "{id}");
        assert_ne!(run(&project, &["rules", "except", id]).code, Some(0), "{id}");
    }
    let as_agent = hookrail(&project, &["rules", "except", &id]).env("HOOKRAIL_AGENT", "1").output().unwrap();
    assert!(!as_agent.status.success(), "an agent makes no exceptions");
}

#[test]
fn what_the_system_turned_on_has_no_exceptions_of_the_users() {
    let project = TestProject::new();
    let on = json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-force-push"] } });
    project.system_settings(&on);
    let payload =
        json!({ "tool_name": "run_shell_command", "tool_input": { "command": "git push --force" } });
    run_with_stdin(&project, &["fire", "BeforeTool", "--payload", "-"], &payload.to_string());
    let id = run(&project, &["log", "--ids"]).stdout.split(' ').next().unwrap().to_owned();
    let ran = run(&project, &["rules", "except", &id]);
    assert!(ran.code == Some(1) && ran.stderr.contains("system settings"), "{ran}");
}

#[test]
fn the_page_says_which_agents_are_guarded_and_what_they_cannot_do() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-force-push"] } }));
    run(&project, &["connect", "codex"]);
    assert_eq!(run(&project, &["report", "-o", "r.html"]).code, Some(0));
    let page = data(&project.read("r.html"));
    let codex = page["coverage"].as_array().unwrap().iter().find(|agent| agent["agent"] == "codex").unwrap();
    assert_eq!((&codex["connected"], &codex["guarded"]), (&json!(true), &json!(false)), "{codex}");
    assert!(codex["cannot"].to_string().contains("write_stdin"), "{codex}");
    assert!(codex["cannot"].to_string().contains("cannot ask a person"), "{codex}");
}

#[test]
fn open_starts_the_browser_with_the_file() {
    let project = TestProject::new();
    let opener = project.script("bin/xdg-open", "printf '%s' \"$1\" > \"$HOME/opened\"");
    let path = format!("{}:/usr/bin:/bin", opener.parent().unwrap().display());
    let with_opener =
        |path: &str| hookrail(&project, &["report", "-o", "r.html", "--open"]).env("PATH", path).output();
    assert!(with_opener(&path).unwrap().status.success());
    let given = std::fs::read_to_string(project.home().join("opened")).unwrap();
    assert_eq!(std::path::Path::new(&given), project.dir().join("r.html"));
    let without = with_opener("/no/such/folder").unwrap();
    assert!(without.status.success() && String::from_utf8_lossy(&without.stderr).contains("yourself"));
}
