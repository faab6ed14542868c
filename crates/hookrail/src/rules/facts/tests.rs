use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::*;

fn facts_json(tool: &str, input: &Value) -> Value {
    let subject = Subject { tool_name: Some(tool), tool_input: input.as_object(), ..Subject::default() };
    Facts::imagined(subject, Places::imagined("/project", "/home/user")).to_json()
}

#[test]
fn the_facts_of_a_line_are_those_of_the_contract() {
    let facts = facts_json("run_shell_command", &json!({ "command": "sudo rm -rf $X" }));
    let expected = json!({
        "commands": [
            { "argv": ["sudo", "rm", "-rf", null], "via": [] },
            { "argv": ["rm", "-rf", null], "via": ["sudo"] },
        ],
        "programs": ["rm", "sudo"], "dynamic": false, "writes": [], "reads": [],
    });
    assert_eq!(facts, expected);
    assert_eq!(
        serde_json::to_string(&facts).unwrap(),
        serde_json::to_string(&expected).unwrap(),
        "the order of keys"
    );
}

#[test]
fn every_tool_says_what_it_reads_and_writes() {
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: ../c\n@@\n-x\n*** Delete File: d\n*** End Patch";
    for (tool, input, reads, writes) in [
        ("read_file", json!({ "file_path": "src/../a" }), json!(["a"]), json!([])),
        ("write_file", json!({ "file_path": "/project/a", "content": "" }), json!([]), json!(["a"])),
        ("write_file", json!({ "file_path": "~/a", "content": "" }), json!([]), json!(["/home/user/a"])),
        (
            "replace",
            json!({ "file_path": "/etc/x", "old_string": "", "new_string": "" }),
            json!([]),
            json!(["/etc/x"]),
        ),
        ("list_directory", json!({ "path": "src/" }), json!(["src"]), json!([])),
        ("glob", json!({ "pattern": "*" }), json!(["."]), json!([])),
        ("search_file_content", json!({ "pattern": "x", "path": "a" }), json!(["a"]), json!([])),
        ("read_many_files", json!({ "paths": ["a", "b"] }), json!(["a", "b"]), json!([])),
        ("apply_patch", json!({ "patch": patch }), json!(["b"]), json!(["a", "b", "/c", "d"])),
        (
            "run_shell_command",
            json!({ "command": "cat a > b; cp c d" }),
            json!(["a", "c"]),
            json!(["b", "d"]),
        ),
        (
            "run_shell_command",
            json!({ "command": "touch x; cd y && touch z", "directory": "sub" }),
            json!([]),
            json!(["sub/x", "sub/y/z"]),
        ),
        ("run_shell_command", json!({ "command": "echo > /dev/null 2> /dev/stderr" }), json!([]), json!([])),
        (
            "search_file_content",
            json!({ "pattern": "x", "include": ".env" }),
            json!([".", ".env"]),
            json!([]),
        ),
        (
            "search_file_content",
            json!({ "pattern": "x", "path": ["a", "/b"], "include": ["{c,d}", "!e"] }),
            json!(["a", "/b", "a/c", "a/d", "/b/c", "/b/d"]),
            json!([]),
        ),
        ("glob", json!({ "pattern": "../x/*", "path": "a" }), json!(["a", "x"]), json!([])),
        ("glob", json!({ "pattern": "/root/.ssh/*" }), json!([".", "/root/.ssh"]), json!([])),
        // Another argument moves nothing.
        ("read_file", json!({ "file_path": "a", "path": "b" }), json!(["a"]), json!([])),
        ("run_shell_command", json!({ "command": "cat a", "cwd": "b" }), json!(["a"]), json!([])),
        // A tool that is in no table.
        (
            "other_tool",
            json!({ "file_path": "a", "paths": ["b"], "filename": "c", "uri": "FILE:///project/d%20e" }),
            json!(["a", "b", "c", "d e"]),
            json!([]),
        ),
        (
            "other_tool",
            json!({ "source_path": "a", "targetPath": "b", "TargetFile": "c", "files": ["d"], "input-file": "e" }),
            json!(["a", "b", "c", "d", "e"]),
            json!([]),
        ),
        (
            "other_tool",
            json!({ "files": ["a", { "path": "b" }], "edits": [{ "file": "c" }], "options": { "uri": "file:///project/d" } }),
            json!(["a", "b", "c", "d"]),
            json!([]),
        ),
        ("other_tool", json!({ "xpath": "//a", "profile": "b", "json_path": "c" }), json!([]), json!([])),
        ("other_tool", json!({ "uri": "https://example.org/a" }), json!([]), json!([])),
        ("other_tool", json!({ "cmd": "cat a > b", "directory": "c" }), json!(["a"]), json!(["b"])),
        ("other_tool", json!({ "command": "ls", "cmd": ["cat", "a"] }), json!(["a"]), json!([])),
        ("other_tool", json!({ "command": "it's some text" }), json!([]), json!([])),
        ("web_fetch", json!({ "path": "a", "command": "cat b" }), json!([]), json!([])),
    ] {
        let facts = facts_json(tool, &input);
        assert_eq!((&facts["reads"], &facts["writes"]), (&reads, &writes), "{tool} {input}");
    }
}

#[test]
fn what_is_malformed_cannot_be_told() {
    for (tool, input) in [
        ("write_file", json!({ "content": "" })),
        ("write_file", json!({ "file_path": 5 })),
        ("write_file", json!({ "file_path": "~-/x" })),
        ("apply_patch", json!({ "patch": "no patch" })),
        ("apply_patch", json!({})),
        ("run_shell_command", json!({ "command": ["a", 1] })),
        ("run_shell_command", json!({ "command": "echo > $X" })),
        ("run_shell_command", json!({ "command": "cd $X; touch a" })),
        ("run_shell_command", json!({ "command": "touch a", "directory": ["b"] })),
        ("other_tool", json!({})),
    ] {
        let subject = Subject { tool_name: Some(tool), tool_input: input.as_object(), ..Subject::default() };
        let facts = Facts::imagined(subject, Places::imagined("/project", "/home/user"));
        assert!(facts.paths().writes.and_others, "{tool} {input}");
    }
}

#[test]
fn links_are_followed_on_the_disk() {
    let dir = tempfile::TempDir::new().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("project/.hooks")).unwrap();
    fs::create_dir_all(root.join("out")).unwrap();
    symlink(".hooks", root.join("project/innocent")).unwrap();
    symlink(root.join("out"), root.join("project/away")).unwrap();
    let project = root.join("project");
    for (line, expected) in [
        ("echo > innocent/x", ".hooks/x".to_owned()),
        ("cd innocent && echo > x", ".hooks/x".to_owned()),
        ("rm -rf away/x/y", format!("{}/out/x/y", root.display())),
        ("cd away; touch new/file", format!("{}/out/new/file", root.display())),
        ("tee /proc/self/root/etc/x", "/etc/x".to_owned()),
    ] {
        let input = json!({ "command": line });
        let subject =
            Subject { tool_name: Some(SHELL_TOOL), tool_input: input.as_object(), ..Subject::default() };
        let facts = Facts::new(subject, Folders { project: &project, cwd: &project, home: None });
        assert_eq!(facts.to_json()["writes"], json!([expected]), "{line}");
    }
}

#[test]
fn many_paths_are_bounded_and_reported_as_such() {
    let names: Vec<String> = (0..6000).map(|number| format!("f{number}")).collect();
    let input = json!({ "command": format!("touch {}", names.join(" ")) });
    let subject =
        Subject { tool_name: Some(SHELL_TOOL), tool_input: input.as_object(), ..Subject::default() };
    let facts = Facts::imagined(subject, Places::imagined("/project", "/h"));
    assert!(facts.paths().writes.and_others);
    assert_eq!(facts.paths().writes.known.len(), 4096);
}

#[test]
fn a_line_is_read_once_and_only_when_asked() {
    let input = json!({ "command": "git push" });
    let subject =
        Subject { tool_name: Some(SHELL_TOOL), tool_input: input.as_object(), ..Subject::default() };
    let facts = Facts::imagined(subject, Places::imagined("/project", "/h"));
    assert!(facts.input(&["command".to_owned()]).is_some());
    assert!(facts.shell.get().is_none(), "an argument needs no shell");
    let first = std::ptr::from_ref(facts.shell().unwrap());
    assert_eq!(first, std::ptr::from_ref(facts.shell().unwrap()));
    assert!(facts.paths.get().is_none(), "a command needs no paths");
}

#[test]
fn a_copy_into_a_folder_writes_the_entry_in_it() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("file"), "").unwrap();
    symlink("src", root.join("link")).unwrap();
    for (line, expected) in [
        ("cp x/.env .", vec![".", ".env"]),
        ("cp x/.env src", vec!["src", "src/.env"]),
        ("mv x/a link/", vec!["x/a", "src", "src/a"]),
        ("ln -sf x/a -t src", vec!["src", "src/a"]),
        ("cd src && cp ../x/a ..", vec![".", "a"]),
        ("cp x/.env file", vec!["file"]),
        ("cp x/.env new", vec!["new"]),
        ("cp -T x/.env src", vec!["src"]),
    ] {
        let input = json!({ "command": line });
        let subject = Subject {
            tool_name: Some("run_shell_command"),
            tool_input: input.as_object(),
            ..Subject::default()
        };
        let facts = Facts::imagined(subject, Places::on_disk(&root, &root, None));
        assert_eq!(facts.to_json()["writes"], json!(expected), "{line}");
    }
}

#[test]
fn a_glob_is_also_the_files_that_it_stands_for() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("keys/deep")).unwrap();
    for file in [".env", "a.txt", "keys/server.key", "keys/deep/x.key"] {
        std::fs::write(root.join(file), "").unwrap();
    }
    for (tool, input, expected) in [
        ("run_shell_command", json!({ "command": "cat .e*" }), ".e*, .env"),
        ("run_shell_command", json!({ "command": "cat .en?" }), ".en?, .env"),
        ("run_shell_command", json!({ "command": "cat .[e]nv" }), ".[e]nv, .env"),
        ("run_shell_command", json!({ "command": "cat .[[:alpha:]]nv" }), ".[[:alpha:]]nv, .env"),
        ("run_shell_command", json!({ "command": "cat k*/*.key" }), "k*/*.key, keys/server.key"),
        ("run_shell_command", json!({ "command": "cd keys && cat */x.k*" }), "keys/*/x.k*, keys/deep/x.key"),
        ("run_shell_command", json!({ "command": "for f in .e*; do cat $f; done" }), ".e*, .env"),
        ("run_shell_command", json!({ "command": "cat b*" }), "b*"),
        ("run_shell_command", json!({ "command": "cat [" }), "["),
        ("search_file_content", json!({ "pattern": "x", "include": ".e*" }), "., .e*, .env"),
    ] {
        let subject = Subject { tool_name: Some(tool), tool_input: input.as_object(), ..Subject::default() };
        let facts = Facts::imagined(subject, Places::on_disk(&root, &root, None));
        let mut reads: Vec<&str> = facts.paths().shows.known.iter().map(|path| path.shown.as_str()).collect();
        reads.sort_unstable();
        let mut expected: Vec<&str> = expected.split(", ").collect();
        expected.sort_unstable();
        assert_eq!(reads, expected, "{input}");
    }
    // A glob without a dot finds no name with one.
    let input = json!({ "command": "cat *" });
    let subject =
        Subject { tool_name: Some("run_shell_command"), tool_input: input.as_object(), ..Subject::default() };
    let facts = Facts::imagined(subject, Places::on_disk(&root, &root, None));
    assert!(facts.paths().shows.known.iter().all(|path| path.shown != ".env"));
}
