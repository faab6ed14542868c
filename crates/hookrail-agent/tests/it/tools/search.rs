//! `glob` and `search_file_content`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hookrail_agent::tools::ToolTable;
use hookrail_testkit::{TestProject, make_pipe};
use serde_json::json;

use super::{brief, call, context, object};

/// Files whose ages follow their order: the first is the newest.
fn project_with(files: &[(&str, &str)]) -> TestProject {
    let project = TestProject::new();
    let now = SystemTime::now();
    for ((path, content), age) in files.iter().zip(1..) {
        let path = project.file(path, content);
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(now - Duration::from_secs(60 * age)).unwrap();
    }
    project
}

#[tokio::test]
async fn glob_finds_files_newest_first() {
    let project = project_with(&[
        ("src/new.rs", ""),
        ("src/deep/old.rs", ""),
        ("top.rs", ""),
        ("README.md", ""),
        ("target/built.rs", ""),
        ("src/private.rs", ""),
        (".github/ci.yml", ""),
        (".gitignore", "/target\n"),
        ("src/.gitignore", "private.rs\n"),
        (".git/config.rs", ""),
    ]);
    let absolute = format!("{}/src/*.rs", project.dir().display());
    for (args, expected) in [
        (json!({"pattern": "**/*.rs"}), "src/new.rs src/deep/old.rs top.rs"),
        (json!({"pattern": "*.rs"}), "top.rs"),
        (json!({"pattern": "./*.rs"}), "top.rs"),
        (json!({"pattern": "src/**"}), "src/new.rs src/deep/old.rs"),
        (json!({"pattern": "*.rs", "path": "src"}), "src/new.rs"),
        (json!({"pattern": "**/*.rs", "path": "src"}), "src/new.rs src/deep/old.rs"),
        (json!({"pattern": absolute}), "src/new.rs"),
        (json!({"pattern": "*.{md,txt}"}), "README.md"),
        (json!({"pattern": ".github/*"}), ".github/ci.yml"),
        (json!({"pattern": "**/.gitignore"}), ".gitignore src/.gitignore"),
        (json!({"pattern": "**/*.yml"}), ""),
        (json!({"pattern": "*.rs", "path": "target"}), "target/built.rs"),
        (json!({"pattern": "nothing"}), ""),
        (json!({"pattern": "["}), "invalid_tool_params"),
        (json!({"pattern": "*", "path": "top.rs"}), "path_is_not_a_directory"),
        (json!({"pattern": "*", "path": "missing"}), "file_not_found"),
    ] {
        let result = call(&project, "glob", args.clone()).await;
        let text = brief(&result);
        let found = match &result.error {
            None => text.lines().skip(1).collect::<Vec<_>>().join(" "),
            Some(_) => text,
        };
        assert_eq!(found, expected, "{args}");
    }
    let one = call(&project, "glob", json!({"pattern": "*.md"})).await;
    assert_eq!(brief(&one), "Found 1 file matching `*.md` in `.`, newest first:\nREADME.md");
}

#[tokio::test]
async fn long_results_are_capped_with_a_note() {
    let project = TestProject::new();
    for number in 0..600 {
        project.file(&format!("f{number:03}"), "needle\n");
    }
    let files = brief(&call(&project, "glob", json!({"pattern": "f*"})).await);
    assert_eq!(files.lines().count(), 502);
    assert!(files.starts_with("Found 600 files matching"));
    assert!(files.ends_with("[100 more files are not shown; use a narrower pattern]"));
    let matches = brief(&call(&project, "search_file_content", json!({"pattern": "needle"})).await);
    assert_eq!(matches.lines().count(), 502);
    assert!(matches.starts_with("Found 500 matches in 500 files:\nf000:1: needle\n"));
    assert!(matches.contains("[The search ended here, there may be more;"));

    project.file("big", "needle\n".repeat(100_000));
    let big =
        brief(&call(&project, "search_file_content", json!({"pattern": "needle", "path": "big"})).await);
    assert!(big.starts_with("Found 500 matches in 1 file:"));
    project.file("wide", format!("{}needle\n", "x".repeat(1000)).repeat(400));
    let wide =
        brief(&call(&project, "search_file_content", json!({"pattern": "needle", "path": "wide"})).await);
    assert!(wide.len() < 70_000 && wide.contains("[The search ended here"), "{} bytes", wide.len());
}

#[tokio::test]
async fn search_gives_file_line_and_text() {
    let project = TestProject::new();
    project.file("a.rs", "fn main() {\n    needle();\n}\n");
    project.file("sub/b.txt", "one\r\nneedle two\r\nNEEDLE\r\n");
    project.file("target/c.txt", "needle");
    project.file(".gitignore", "target\n");
    project.file(".hidden", "needle\n");
    project.file(".git/packed", "needle\n");
    project.file("binary", b"needle\n\0\n");
    project.file("late-binary", [&b"needle\n"[..], &b"text\n".repeat(50_000), b"\0"].concat());
    project.file("latin1", b"caf\xe9 needle\n");
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    project.file("utf16", utf16("\u{feff}first\r\nstitch\r\n"));
    project.file("utf8-mark", "\u{feff}stitch\n");
    fs::write(project.dir().join(OsStr::from_bytes(b"odd\xff\nname")), "needle\n").unwrap();
    for (args, expected) in [
        (
            json!({"pattern": "needle"}),
            ".hidden:1: needle|a.rs:2:     needle();|latin1:1: caf\u{fffd} needle|odd\u{fffd}\\nname:1: needle\
             |sub/b.txt:2: needle two",
        ),
        (json!({"pattern": "(?i)needle$", "path": "sub"}), "sub/b.txt:3: NEEDLE"),
        (json!({"pattern": "two$"}), "sub/b.txt:2: needle two"),
        (json!({"pattern": "needle", "include": "*.rs"}), "a.rs:2:     needle();"),
        (json!({"pattern": "needle", "include": "*.{txt,md}"}), "sub/b.txt:2: needle two"),
        (json!({"pattern": "needle", "include": "sub/*"}), "sub/b.txt:2: needle two"),
        (json!({"pattern": "needle", "path": "a.rs"}), "a.rs:2:     needle();"),
        (json!({"pattern": "needle", "path": "target"}), "target/c.txt:1: needle"),
        (json!({"pattern": "^fn \\w+\\(\\)"}), "a.rs:1: fn main() {"),
        (json!({"pattern": "^stitch$"}), "utf16:2: stitch|utf8-mark:1: stitch"),
        (json!({"pattern": "^fn [^\\n]+\\{$"}), "a.rs:1: fn main() {"),
        (json!({"pattern": "nothing-like-it"}), ""),
        (json!({"pattern": "("}), "invalid_tool_params"),
        (json!({"pattern": "a\nb"}), "invalid_tool_params"),
        (json!({"pattern": "a\\nb"}), "invalid_tool_params"),
        (json!({"pattern": "x", "include": "{"}), "invalid_tool_params"),
        (json!({"pattern": "x", "path": "missing"}), "file_not_found"),
    ] {
        let result = call(&project, "search_file_content", args.clone()).await;
        let text = brief(&result);
        let found = match &result.error {
            None => text.lines().skip(1).collect::<Vec<_>>().join("|"),
            Some(_) => text,
        };
        assert_eq!(found, expected, "{args}");
    }
    let error = call(&project, "search_file_content", json!({"pattern": "("})).await.error.unwrap();
    assert!(
        error.message.starts_with("argument `pattern` is not a valid regular expression: "),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn rules_of_a_repository_above_the_project_count() {
    let project = TestProject::named("repository/member");
    let above = project.dir().parent().unwrap().to_owned();
    fs::create_dir(above.join(".git")).unwrap();
    fs::write(above.join(".gitignore"), "*.log\n").unwrap();
    project.file("a.log", "needle");
    project.file("a.txt", "needle");
    let found = brief(&call(&project, "search_file_content", json!({"pattern": "needle"})).await);
    assert_eq!(found, "Found 1 match in 1 file:\na.txt:1: needle");
    fs::remove_dir(above.join(".git")).unwrap();
    let found = brief(&call(&project, "search_file_content", json!({"pattern": "needle"})).await);
    assert_eq!(found, "Found 2 matches in 2 files:\na.log:1: needle\na.txt:1: needle");
}

#[tokio::test]
async fn a_search_through_a_huge_file_ends_when_it_is_cancelled() {
    let project = TestProject::new();
    // No zero byte and no line end: enormous, but refused at the bound on memory, not read whole.
    project.file("one-line", "x".repeat(40 << 20));
    let result = call(&project, "search_file_content", json!({"pattern": "y"})).await;
    assert_eq!(
        brief(&result),
        "No line in `.` matches `y`.\n[1 file could not be searched: unreadable, or with enormous lines]"
    );

    // A pipe in the place of `.gitignore` holds the walker as long as its writer writes nothing.
    let pipe = project.dir().join(".gitignore");
    make_pipe(&pipe);
    let context = context(project.dir());
    let table = ToolTable::standard();
    let tool = table.get("search_file_content").unwrap();
    let search = tool.run(object(json!({"pattern": "y"})), &context);
    let cancel = async {
        let writer = writer_of(&pipe).await;
        context.cancel.cancel();
        writer
    };
    let (result, writer) = tokio::join!(search, cancel);
    assert_eq!(brief(&result), "cancelled");
    // The walker comes free only now.
    drop(writer);
}

/// The writing end of a pipe, once a reader has opened the other one: before that it cannot be opened without waiting.
async fn writer_of(pipe: &Path) -> fs::File {
    let never_wait = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let open = || fs::OpenOptions::new().write(true).custom_flags(never_wait).open(pipe);
    tokio::time::timeout(Duration::from_mins(1), async {
        loop {
            if let Ok(writer) = open() {
                return writer;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .expect("a reader")
}
