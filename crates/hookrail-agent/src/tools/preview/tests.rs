use super::*;
use crate::tools::ToolTable;

fn args(value: &Value) -> JsonObject {
    value.as_object().cloned().unwrap()
}

#[test]
fn a_question_shows_what_would_change() {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("old.txt"), "a\nb\n").unwrap();
    std::fs::write(project.path().join("binary"), [0xff, 0xfe]).unwrap();
    let table = ToolTable::standard();
    for (tool, given, expected) in [
        ("write_file", json!({"file_path": "new.txt", "content": "x\n"}), Some("@@ -1,0 +1,1 @@\n+x")),
        ("write_file", json!({"file_path": "old.txt", "content": "a\nB\n"}), Some("@@ -2,1 +2,1 @@\n-b\n+B")),
        (
            "write_file",
            json!({"file_path": "binary", "content": "x"}),
            Some("is not text and cannot be compared"),
        ),
        (
            "write_file",
            json!({"file_path": "../outside", "content": "x"}),
            Some("is not text and cannot be compared"),
        ),
        ("replace", json!({"file_path": "old.txt", "old_string": "a", "new_string": "c"}), Some("-a\n+c")),
        ("replace", json!({"file_path": 5}), None),
        ("run_shell_command", json!({"command": "ls"}), None),
    ] {
        let change = of(table.get(tool).unwrap(), &args(&given), project.path());
        match expected {
            Some(words) => assert!(change.unwrap().shown.contains(words), "{given}"),
            None => assert!(change.is_none(), "{given}"),
        }
    }
    let long = "line\n".repeat(100);
    let given = args(&json!({"file_path": "new.txt", "content": long}));
    let change = of(table.get("write_file").unwrap(), &given, project.path()).unwrap();
    assert!(change.shown.ends_with("+… (60 more lines)"), "{}", change.shown);
    assert_eq!(change.for_hooks.matches("+line").count(), 100);
}

#[test]
fn hooks_receive_what_a_call_is_about() {
    let table = ToolTable::standard();
    let shell = table.get("run_shell_command").unwrap();
    for (command, root) in [
        ("git push origin", "git"),
        ("A=1 /usr/bin/env ls", "env"),
        ("A='x y' make", "make"),
        ("  (cd x && ls)", "cd"),
        ("'/opt/my tools/run' now", "run"),
        ("if true; then ls; fi", "true"),
        ("$EDITOR a", "$EDITOR"),
        ("A=1", ""),
        ("", ""),
    ] {
        let given_details = details(shell, &args(&json!({"command": command})), None);
        assert_eq!(Value::Object(given_details), json!({"command": command, "rootCommand": root}));
    }
    let edit = table.get("write_file").unwrap();
    let given = args(&json!({"file_path": "src/a.rs", "content": "x"}));
    let project = tempfile::tempdir().unwrap();
    let given_details = details(edit, &given, of(edit, &given, project.path()).as_ref());
    assert_eq!(
        Value::Object(given_details),
        json!({"filePath": "src/a.rs", "fileName": "a.rs", "fileDiff": "@@ -1,0 +1,1 @@\n+x"})
    );
}
