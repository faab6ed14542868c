//! Files as people, editors and other programs leave them.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use hookrail_testkit::TestProject;

use super::write;
use crate::program::{Ran, run};

fn connect(project: &TestProject, agent: &str) -> Ran {
    let ran = run(project, &["connect", agent]);
    assert_eq!(ran.code, Some(0), "{ran}");
    ran
}

/// Connects, looks whether the agent would find the entry, disconnects, and compares every byte.
fn in_and_out(project: &TestProject, agent: &str, file: &Path, before: &str) {
    write(&file.to_owned(), before);
    connect(project, agent);
    let list = run(project, &["connect", "--format", "json"]).json();
    let status = list["agents"].as_array().unwrap().iter().find(|entry| entry["agent"] == agent).unwrap();
    assert_eq!(status["connected"], "yes", "{before}: {}", fs::read_to_string(file).unwrap());
    assert_eq!(run(project, &["disconnect", agent]).code, Some(0));
    assert_eq!(fs::read_to_string(file).unwrap(), before);
}

#[test]
fn json_in_every_layout_comes_back_byte_for_byte() {
    let project = TestProject::new();
    let file = project.home().join(".claude/settings.json");
    for before in [
        "{}",
        "{ }\n",
        "{\n}\n",
        "{\"a\":1}",
        "{\r\n   \"a\" : 1\r\n}\r\n",
        "\n\n   { \"a\": 1 }   \n\n",
        "// first\n{\n/* inside */ \"a\": 1 /* behind */,\n}\n// last\n",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[]}]}}",
        "{\n        \"a\": {\n  \"b\": 1},\n    \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}\n]}}",
        "{\"a\": \"\\u00e9\\ud83d\\ude00 \\/ // no comment\", \"b\": 1e400, \"c\": 1.0}",
    ] {
        in_and_out(&project, "claude", &file, before);
    }
}

#[test]
fn toml_in_every_layout_comes_back_byte_for_byte() {
    let marked = "\u{feff}# mine\n[[hooks.Stop]]\nhooks = []\n".to_owned();
    let project = TestProject::new();
    let file = project.home().join(".codex/config.toml");
    let mine = "{ type = \"command\", command = \"mine.sh\" }";
    for before in [
        format!("hooks = {{ PreToolUse = [{{ matcher = \"Bash\", hooks = [{mine}] }}] }}\n"),
        format!("hooks.PreToolUse = [{{ hooks = [{mine}] }}] # mine\nmodel = \"x\"\n"),
        format!("[hooks]\nPreToolUse = [ # a list\n  {{ hooks = [{mine}] }}, # one\n]\n\n[other]\na = 1\n"),
        format!("[hooks]\nStop = [{{ hooks = [{mine}] }}]\n\n[hooks.state]\nx = 1\n"),
        format!("[[hooks.PreToolUse]]\nhooks = [{mine}]\n"),
        format!("[[hooks.PreToolUse]]\r\nhooks = [{mine}]\r\n\r\n[profiles.a]\r\nmodel = \"y\"\r\n"),
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = '''\nmine.sh\n'''\n".to_owned(),
        marked,
    ] {
        in_and_out(&project, "codex", &file, &before);
        assert!(!file.with_file_name("hooks.json").exists(), "hooks in both files make Codex complain");
    }
}

/// Of two `hooks`, the agent reads one only; an entry in the other one would guard nothing.
#[test]
fn a_key_that_stands_twice_is_left_to_a_person() {
    let project = TestProject::new();
    for (agent, file, before) in [
        ("claude", ".claude/settings.json", "{\"hooks\": {}, \"a\": 1, \"hooks\": {\"Stop\": []}}"),
        ("gemini", ".gemini/settings.json", "{\"hooks\": {\"BeforeTool\": [], \"BeforeTool\": []}}"),
        ("qwen", ".qwen/settings.json", "{\"ho\\u006fks\": {}, \"hooks\": {}}"),
        ("codex", ".codex/hooks.json", "{\"hooks\": {}, \"hooks\": {}}"),
    ] {
        let file = project.home().join(file);
        write(&file, before);
        let ran = run(&project, &["connect", agent]);
        assert_eq!(ran.code, Some(1), "{ran}");
        assert!(ran.stderr.contains("twice"), "{ran}");
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "{agent}");
    }
}

#[test]
fn a_linked_file_is_changed_where_it_lies() {
    let project = TestProject::new();
    let real = project.dir().join("dotfiles/claude.json");
    let before = "{\n  \"a\": 1\n}\n";
    write(&real, before);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    let link = project.home().join(".claude/settings.json");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&real, &link).unwrap();
    connect(&project, "claude");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link is still a link");
    assert!(fs::read_to_string(&real).unwrap().contains("bridge --home"));
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o600,
        "nobody else may read it now"
    );
    assert_eq!(run(&project, &["disconnect", "claude"]).code, Some(0));
    assert_eq!(fs::read_to_string(&real).unwrap(), before);
}

/// Connecting is not a reason to write what its owner made read-only, and a link that leads nowhere is not replaced.
#[test]
fn what_cannot_be_written_is_reported() {
    let project = TestProject::new();
    let folder = project.home().join(".claude");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(folder.join("settings.json")).unwrap();
    let ran = run(&project, &["connect", "claude"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stderr.contains("settings.json"), "{ran}");
    assert!(folder.join("settings.json").is_dir());

    let binary = project.home().join(".gemini/settings.json");
    write(&binary, "");
    fs::write(&binary, [0xff, 0xfe, b'{', 0]).unwrap();
    let ran = run(&project, &["connect", "gemini"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(fs::read(&binary).unwrap(), [0xff, 0xfe, b'{', 0]);
}

#[test]
fn connect_and_disconnect_at_once_leave_a_file_that_is_whole() {
    let project = TestProject::new();
    let file = project.home().join(".claude/settings.json");
    let before = "{\n  \"a\": 1 // mine\n}\n";
    write(&file, before);
    for _ in 0..3 {
        std::thread::scope(|scope| {
            for command in ["connect", "disconnect", "connect", "disconnect"] {
                let project = &project;
                scope.spawn(move || assert_eq!(run(project, &[command, "claude"]).code, Some(0)));
            }
        });
        assert_eq!(run(&project, &["disconnect", "claude"]).code, Some(0));
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
    }
}

/// Settings on one line stay so, and the difference is printed line by line all the same.
#[test]
fn the_difference_of_one_line_can_be_read() {
    let project = TestProject::new();
    let file = project.home().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = "{\"model\":\"opus\",\"permissions\":{\"deny\":[]}}";
    fs::write(&file, before).unwrap();
    for (args, sign) in [(["connect", "claude", "--diff"], '+'), (["disconnect", "claude", "--diff"], '-')] {
        let ran = run(&project, &args);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert!(ran.stderr.contains("in the file they stay as they are"), "{ran}");
        let entry = format!("{sign}    \"PreToolUse\": [");
        assert!(ran.stdout.lines().any(|line| line == entry), "{ran}");
        let most = ran.stdout.lines().map(|line| line.matches("bridge --home").count()).max();
        assert_eq!(most, Some(1), "one entry a line: {ran}");
        // What is not touched is neither removed nor added.
        assert!(
            !ran.stdout.lines().any(|line| line.starts_with(['+', '-']) && line.contains("opus")),
            "{ran}"
        );
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}
