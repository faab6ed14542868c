//! `read_file`, `write_file`, `replace`, `list_directory`.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hookrail::ToolContent;
use hookrail_testkit::{TestProject, make_pipe};
use serde_json::json;

use super::{brief, call};

#[tokio::test]
async fn read_file_gives_the_lines_asked_for() {
    let project = TestProject::new();
    project.file("five", "1\n2\n3\n4\n5\n");
    project.file("crlf", "a\r\nb\r\n");
    project.file("open-end", "a\nb");
    project.file("empty", "");
    project.file("latin1", b"caf\xe9\n");
    for (args, expected) in [
        (json!({"file_path": "five"}), "1\n2\n3\n4\n5\n"),
        (json!({"file_path": "five", "unknown": [1]}), "1\n2\n3\n4\n5\n"),
        (json!({"file_path": "five", "offset": 3}), "4\n5\n"),
        (json!({"file_path": "five", "offset": 3.0, "limit": 2}), "4\n5\n"),
        (json!({"file_path": "five", "offset": null, "limit": 5}), "1\n2\n3\n4\n5\n"),
        (
            json!({"file_path": "five", "offset": 1, "limit": 2}),
            "2\n3\n\n[These are lines 2 to 3 of a file of 10 bytes; more follow. Read on with offset 3.]",
        ),
        (json!({"file_path": "five", "offset": 5}), "invalid_tool_params"),
        (json!({"file_path": "crlf"}), "a\r\nb\r\n"),
        (json!({"file_path": "open-end", "offset": 1}), "b"),
        (json!({"file_path": "empty"}), ""),
        (
            json!({"file_path": "latin1"}),
            "caf\u{fffd}\n\n[The file is not valid UTF-8; what could not be decoded is shown as \u{fffd}.]",
        ),
        (json!({"file_path": "."}), "target_is_directory"),
        (json!({"file_path": "missing"}), "file_not_found"),
        (json!({"file_path": "five/x"}), "path_is_not_a_directory"),
    ] {
        assert_eq!(brief(&call(&project, "read_file", args.clone()).await), expected, "{args}");
    }
    let past = call(&project, "read_file", json!({"file_path": "five", "offset": 9})).await;
    assert_eq!(past.error.unwrap().message, "offset 9 is past the end: `five` has 5 lines");
}

#[tokio::test]
async fn long_files_come_in_pieces_that_fit_together() {
    let project = TestProject::new();
    let all = (0..4500).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n") + "\n";
    project.file("long", &all);
    let mut read = String::new();
    let mut offset = 0;
    loop {
        let result = call(&project, "read_file", json!({"file_path": "long", "offset": offset})).await;
        let text = result.llm_content.to_text();
        let (content, note) = text.split_once("\n[").unwrap_or((&text, ""));
        read.push_str(content);
        let Some(next) = note.split("offset ").nth(1).and_then(|rest| rest.strip_suffix(".]")) else { break };
        offset = next.parse::<u64>().unwrap();
    }
    assert_eq!(offset, 4000, "three pieces of at most 2000 lines");
    assert_eq!(read, all);

    // Lines of 60 kB: the bound on bytes is reached long before the one on lines.
    project.file("wide", format!("{}\n", "x".repeat(60_000)).repeat(30));
    let wide = call(&project, "read_file", json!({"file_path": "wide", "limit": 10_000})).await;
    let text = wide.llm_content.to_text();
    assert!(text.len() <= (1 << 20) + 200, "{} bytes", text.len());
    assert!(text.ends_with("Read on with offset 17.]"), "{}", &text[text.len() - 100..]);

    project.file("one-line", "é".repeat(1 << 20));
    let text = call(&project, "read_file", json!({"file_path": "one-line"})).await.llm_content.to_text();
    assert!(text.len() < 70_000 && !text.contains('\u{fffd}'), "{} bytes", text.len());
    assert!(text.ends_with("… [this line has 2097152 bytes and is cut here]\n"));
}

#[tokio::test]
async fn a_huge_file_is_read_no_further_than_asked() {
    let project = TestProject::new();
    let path = project.file("huge", "text\n".repeat(20_000));
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5 << 30).unwrap();
    let result = call(&project, "read_file", json!({"file_path": "huge", "offset": 7, "limit": 3})).await;
    assert_eq!(
        brief(&result),
        "text\ntext\ntext\n\n[These are lines 8 to 10 of a file of 5368709120 bytes; more follow. \
         Read on with offset 10.]"
    );
    let path = project.file("zeros", "");
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5 << 30).unwrap();
    let result = call(&project, "read_file", json!({"file_path": "zeros"})).await;
    assert_eq!(
        brief(&result),
        "`zeros` is a binary file (binary data, 5368709120 bytes); its content is not shown."
    );
    let edit = json!({"file_path": "zeros", "old_string": "a", "new_string": "b"});
    assert_eq!(brief(&call(&project, "replace", edit).await), "file_too_large");
}

#[tokio::test]
async fn pictures_are_given_as_they_are() {
    let project = TestProject::new();
    project.file("picture.txt", b"\x89PNG\r\n\x1a\n\0\0");
    project.file("binary", b"\x7fELF\0\0");
    let picture = call(&project, "read_file", json!({"file_path": "picture.txt"})).await;
    let ToolContent::Parts(parts) = &picture.llm_content else { panic!("{picture:?}") };
    assert_eq!(
        serde_json::to_value(parts).unwrap(),
        json!([
            {"text": "The content of `picture.txt` (image/png, 10 bytes):"},
            {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgoAAA=="}},
        ])
    );
    let binary = call(&project, "read_file", json!({"file_path": "binary"})).await;
    assert_eq!(brief(&binary), "`binary` is a binary file (binary data, 6 bytes); its content is not shown.");
    let path = project.file("large.png", b"\x89PNG\r\n\x1a\n\0\0");
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5 << 20).unwrap();
    let large = call(&project, "read_file", json!({"file_path": "large.png"})).await;
    assert!(brief(&large).ends_with("(image/png, 5242880 bytes); its content is too large to be shown."));
}

#[tokio::test]
async fn a_pipe_does_not_hang_a_tool() {
    let project = TestProject::new();
    let pipe = project.dir().join("pipe");
    make_pipe(&pipe);
    for (tool, args) in [
        ("read_file", json!({"file_path": "pipe"})),
        ("write_file", json!({"file_path": "pipe", "content": "x"})),
        ("replace", json!({"file_path": "pipe", "old_string": "x", "new_string": "y"})),
        ("search_file_content", json!({"pattern": "x", "path": "pipe"})),
    ] {
        assert_eq!(brief(&call(&project, tool, args).await), "not_a_regular_file", "{tool}");
    }
}

#[tokio::test]
async fn write_file_creates_and_overwrites() {
    let project = TestProject::new();
    let created =
        call(&project, "write_file", json!({"file_path": "a/b/c.txt", "content": "one\ntwo\n"})).await;
    assert_eq!(brief(&created), "Created `a/b/c.txt` (8 bytes, 2 lines).");
    assert_eq!(created.return_display, "Created a/b/c.txt (8 bytes)\n@@ -1,0 +1,2 @@\n+one\n+two");
    assert_eq!(
        serde_json::to_value(&created.metadata).unwrap(),
        json!({"file_path": "a/b/c.txt", "bytes": 8, "created": true})
    );

    let path = project.dir().join("a/b/c.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    let again =
        call(&project, "write_file", json!({"file_path": path.to_str(), "content": "one\r\n2\n"})).await;
    assert_eq!(brief(&again), "Overwrote `a/b/c.txt` (7 bytes, 2 lines).");
    assert_eq!(again.return_display, "Overwrote a/b/c.txt (7 bytes)\n@@ -2,1 +2,1 @@\n-two\n+2");
    assert_eq!(fs::read(&path).unwrap(), b"one\r\n2\n", "bytes are written as given");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o751, "the mode is kept");

    for (args, expected) in [
        (json!({"file_path": "a/b", "content": ""}), "target_is_directory"),
        (json!({"file_path": ".", "content": ""}), "target_is_directory"),
        (json!({"file_path": "a/b/c.txt/d", "content": ""}), "path_is_not_a_directory"),
        (json!({"file_path": "x".repeat(300), "content": ""}), "read_content_failure"),
    ] {
        let found = brief(&call(&project, "write_file", args.clone()).await);
        assert_eq!(found, expected, "{args}");
    }
    let left: Vec<_> =
        fs::read_dir(project.dir().join("a/b")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["c.txt"], "no temporary file is left");
}

#[tokio::test]
async fn writing_through_a_link_inside_of_the_project_keeps_the_link() {
    let project = TestProject::new();
    project.file("real", "old");
    symlink("real", project.dir().join("link")).unwrap();
    let result = call(&project, "write_file", json!({"file_path": "link", "content": "new"})).await;
    assert_eq!(brief(&result), "Overwrote `real` (3 bytes, 1 line).");
    assert_eq!(project.read("real"), "new");
    assert!(fs::symlink_metadata(project.dir().join("link")).unwrap().is_symlink());
}

#[tokio::test]
async fn replace_changes_exactly_what_was_meant() {
    let project = TestProject::new();
    let cases: &[(&[u8], serde_json::Value, &str, &[u8])] = &[
        (b"a b c", json!({"old_string": "b", "new_string": "X"}), "Changed `f` (1 replacement).", b"a X c"),
        (b"a b c", json!({"old_string": "b ", "new_string": ""}), "Changed `f` (1 replacement).", b"a c"),
        (b"a b c", json!({"old_string": "z", "new_string": "X"}), "edit_no_occurrence_found", b"a b c"),
        (
            b"a b b",
            json!({"old_string": "b", "new_string": "X"}),
            "edit_expected_occurrence_mismatch",
            b"a b b",
        ),
        (
            b"a b b",
            json!({"old_string": "b", "new_string": "X", "expected_replacements": 2}),
            "Changed `f` (2 replacements).",
            b"a X X",
        ),
        (
            b"a b b",
            json!({"old_string": "b", "new_string": "X", "expected_replacements": 3}),
            "edit_expected_occurrence_mismatch",
            b"a b b",
        ),
        (
            b"a b",
            json!({"old_string": "b", "new_string": "X", "expected_replacements": 0}),
            "invalid_tool_params",
            b"a b",
        ),
        (b"a b", json!({"old_string": "b", "new_string": "b"}), "edit_no_change", b"a b"),
        (b"a", json!({"old_string": "", "new_string": "b"}), "attempt_to_create_existing_file", b"a"),
        (
            b"$1 a",
            json!({"old_string": "a", "new_string": "$1\\n"}),
            "Changed `f` (1 replacement).",
            b"$1 $1\\n",
        ),
        (
            b"a\r\nb\r\n",
            json!({"old_string": "b", "new_string": "c"}),
            "Changed `f` (1 replacement).",
            b"a\r\nc\r\n",
        ),
        (
            b"a\r\nb\r\n",
            json!({"old_string": "a\nb", "new_string": "c"}),
            "edit_no_occurrence_found",
            b"a\r\nb\r\n",
        ),
        (
            b"a\r\nb\r\n",
            json!({"old_string": "a\r\nb", "new_string": "c"}),
            "Changed `f` (1 replacement).",
            b"c\r\n",
        ),
        (
            b"\xe9 a \xff",
            json!({"old_string": "a", "new_string": "b"}),
            "Changed `f` (1 replacement).",
            b"\xe9 b \xff",
        ),
    ];
    for (before, args, expected, after) in cases {
        project.file("f", before);
        let mut args = args.clone();
        args["file_path"] = json!("f");
        assert_eq!(brief(&call(&project, "replace", args.clone()).await), *expected, "{args}");
        assert_eq!(fs::read(project.dir().join("f")).unwrap(), *after, "{args}");
    }

    project.file("f", "x x x");
    let result =
        call(&project, "replace", json!({"file_path": "f", "old_string": "x", "new_string": "y"})).await;
    assert!(result.error.unwrap().message.contains("found 3 times"), "the count is given");
    project.file("f", "a\r\nb");
    let result =
        call(&project, "replace", json!({"file_path": "f", "old_string": "a\nb", "new_string": "y"})).await;
    assert!(result.error.unwrap().message.contains("CRLF"), "the reason is given");
    let created =
        call(&project, "replace", json!({"file_path": "new/f", "old_string": "", "new_string": "hi\n"}))
            .await;
    assert_eq!(
        (brief(&created).as_str(), project.read("new/f").as_str()),
        ("Created `new/f` (3 bytes).", "hi\n")
    );
    let missing =
        call(&project, "replace", json!({"file_path": "F", "old_string": "a", "new_string": "b"})).await;
    assert_eq!(missing.error.unwrap().message, "`F` does not exist; did you mean `f`?");
}

#[tokio::test]
async fn list_directory_shows_folders_first() {
    let project = TestProject::new();
    project.file("b.txt", "12345");
    project.file("A.txt", "");
    project.file("zoo/x", "");
    project.file(".hidden", "1");
    project.file(".gitignore", "b.txt\n");
    symlink("/etc", project.dir().join("link")).unwrap();
    fs::write(project.dir().join(OsStr::from_bytes(b"odd\xff\nname")), "").unwrap();
    let result = call(&project, "list_directory", json!({"path": "."})).await;
    assert_eq!(
        brief(&result),
        "Folder `.` (7 entries):\nzoo/\n.gitignore (6)\n.hidden (1)\nA.txt (0)\nb.txt (5)\nlink (link)\n\
         odd\u{fffd}\\nname (0)"
    );
    fs::create_dir(project.dir().join("nothing")).unwrap();
    for (path, expected) in [
        ("nothing", "Folder `nothing` is empty."),
        ("zoo/../nothing", "Folder `nothing` is empty."),
        ("b.txt", "path_is_not_a_directory"),
        ("link", "path_not_in_workspace"),
        ("missing", "file_not_found"),
    ] {
        assert_eq!(brief(&call(&project, "list_directory", json!({"path": path})).await), expected, "{path}");
    }
    for number in 0..1100 {
        fs::write(project.dir().join(format!("nothing/{number:04}")), "").unwrap();
    }
    let listing = brief(&call(&project, "list_directory", json!({"path": "nothing"})).await);
    assert!(listing.starts_with("Folder `nothing` (1100 entries):\n0000 (0)\n"));
    assert!(
        listing.ends_with("0999 (0)\n[100 more entries are not shown; use glob with a pattern to see them]")
    );
}

#[tokio::test]
async fn no_tool_reaches_out_of_the_project() {
    let project = TestProject::new();
    let secret = project.home().join("secret");
    fs::write(&secret, "secret\n").unwrap();
    let dir = project.dir();
    symlink(&secret, dir.join("file-link")).unwrap();
    symlink("../home", dir.join("dir-link")).unwrap();
    symlink("../home/new", dir.join("dangling")).unwrap();
    symlink("dir-link/secret", dir.join("chain")).unwrap();
    let absolute = secret.to_str().unwrap().to_owned();
    let files = [
        "../home/secret",
        &absolute,
        "file-link",
        "dir-link/secret",
        "dangling",
        "chain",
        "dir-link/../home/secret",
    ];
    let folders = ["..", "../home", "/", "dir-link", "dir-link/.."];
    for path in files {
        for (tool, args) in [
            ("read_file", json!({"file_path": path})),
            ("write_file", json!({"file_path": path, "content": "changed"})),
            ("replace", json!({"file_path": path, "old_string": "secret", "new_string": "changed"})),
            ("replace", json!({"file_path": path, "old_string": "", "new_string": "changed"})),
            ("search_file_content", json!({"pattern": "secret", "path": path})),
        ] {
            assert_eq!(brief(&call(&project, tool, args).await), "path_not_in_workspace", "{tool} {path}");
        }
    }
    for path in folders {
        for (tool, args) in [
            ("list_directory", json!({"path": path})),
            ("glob", json!({"pattern": "**", "path": path})),
            ("search_file_content", json!({"pattern": "secret", "path": path})),
            ("run_shell_command", json!({"command": "cat secret", "directory": path})),
            ("write_file", json!({"file_path": format!("{path}/new"), "content": "x"})),
        ] {
            assert_eq!(brief(&call(&project, tool, args).await), "path_not_in_workspace", "{tool} {path}");
        }
    }
    // Links are not followed on the way either.
    for (tool, args, expected) in [
        ("glob", json!({"pattern": "**/*"}), "No file in `.` matches `**/*`."),
        ("glob", json!({"pattern": "../home/*"}), "invalid_tool_params"),
        ("glob", json!({"pattern": "/etc/*"}), "invalid_tool_params"),
        ("search_file_content", json!({"pattern": "secret"}), "No line in `.` matches `secret`."),
    ] {
        let found = brief(&call(&project, tool, args.clone()).await);
        assert_eq!(found, expected, "{args}");
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret\n");
    assert_eq!(fs::read_dir(project.home()).unwrap().count(), 1, "nothing was written outside");
}

/// A thread keeps exchanging a folder (and a file) for links that lead out; whatever a call meets, it
/// neither shows nor changes what is outside.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_swapped_in_between_cannot_lead_out() {
    let project = TestProject::new();
    project.file("folder/file", "inside\n");
    fs::write(project.home().join("file"), "outside\n").unwrap();
    fs::write(project.home().join("only-there"), "").unwrap();
    symlink(project.home(), project.dir().join("folder-link")).unwrap();
    symlink(project.home().join("file"), project.dir().join("folder/file-link")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = {
        let (stop, dir) = (Arc::clone(&stop), project.dir());
        std::thread::spawn(move || {
            let exchange = |a: &str, b: &str| {
                let _ = fs::rename(dir.join(a), dir.join("aside"));
                let _ = fs::rename(dir.join(b), dir.join(a));
                let _ = fs::rename(dir.join("aside"), dir.join(b));
            };
            let mut rounds = 0u64;
            while !stop.load(Ordering::Relaxed) {
                exchange("folder", "folder-link");
                exchange("folder", "folder-link");
                exchange("folder/file", "folder/file-link");
                exchange("folder/file", "folder/file-link");
                rounds += 1;
            }
            rounds
        })
    };
    let (mut refused, mut worked) = (0, 0);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(3) {
        for (tool, args) in [
            ("read_file", json!({"file_path": "folder/file"})),
            ("list_directory", json!({"path": "folder"})),
            ("search_file_content", json!({"pattern": "side", "path": "folder"})),
            (
                "replace",
                json!({"file_path": "folder/file", "old_string": "outside", "new_string": "escaped"}),
            ),
            ("write_file", json!({"file_path": "folder/file", "content": "inside\n"})),
            ("write_file", json!({"file_path": "folder/new", "content": "inside\n"})),
        ] {
            let result = call(&project, tool, args).await;
            let text = result.llm_content.to_text();
            assert!(!text.contains("only-there"), "{tool} named: {text}");
            assert!(!text.contains("outside\n") && !text.contains(": outside"), "{tool} showed: {text}");
            if result.error.is_some() { refused += 1 } else { worked += 1 }
        }
    }
    stop.store(true, Ordering::Relaxed);
    let rounds = swapper.join().unwrap();
    assert!(
        refused > 0 && worked > 0,
        "the race was run: {refused} refused, {worked} worked, {rounds} rounds"
    );
    assert_eq!(fs::read_to_string(project.home().join("file")).unwrap(), "outside\n");
    assert_eq!(fs::read_dir(project.home()).unwrap().count(), 2, "nothing was written outside");
}

#[tokio::test]
async fn write_protected_files_are_left_alone() {
    let project = TestProject::new();
    let path = project.file("protected", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let may_write_anyway =
        fs::OpenOptions::new().append(true).open(&path).is_ok_and(|mut file| file.flush().is_ok());
    let result = call(&project, "write_file", json!({"file_path": "protected", "content": "new"})).await;
    if may_write_anyway {
        // The superuser is not held up by modes.
        assert_eq!(project.read("protected"), "new");
    } else {
        assert_eq!(
            (brief(&result).as_str(), project.read("protected").as_str()),
            ("permission_denied", "old")
        );
    }
}
