//! Every command and every snippet of README and docs is run here, in the order in which a reader would.
//!
//! Each page gets a project and a home of its own. The word behind the opening fence is the kind of a block:
//!
//! | block | what happens |
//! |---|---|
//! | `sh` | run by `bash -e` in the project; must exit 0 |
//! | `sh exit=2` | the same, with another exit code |
//! | `sh no-run="why"` | not run, for the reason given |
//! | anything with `file=PATH` | written to that file of the project, as an editor would: a page that runs a script makes it executable itself. The paragraph above it names the file |
//! | `json` | must be JSON with comments |
//! | `rust` | compiled by the documentation tests of the engine |
//! | `text` | shown only |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookrail_testkit::TestProject;

/// A fenced block with its place.
struct Block {
    line: usize,
    language: String,
    options: String,
    text: String,
}

impl Block {
    fn option(&self, name: &str) -> Option<String> {
        let rest = self.options.split_once(&format!("{name}="))?.1;
        Some(match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default().to_owned(),
            None => rest.split_whitespace().next().unwrap_or_default().to_owned(),
        })
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in page.lines().enumerate() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, Some(info)) => {
                let (language, options) = info.split_once(' ').unwrap_or((info, ""));
                open = Some(Block {
                    line: number + 1,
                    language: language.to_owned(),
                    options: options.to_owned(),
                    text: String::new(),
                });
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fenced block is not closed");
    blocks
}

/// Runs a page from top to bottom and returns what is wrong with it.
fn problems(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).expect("a page");
    let project = TestProject::new();
    let mut problems = Vec::new();
    for block in blocks(&text) {
        let place = format!("{}:{}", page.strip_prefix(root()).unwrap_or(page).display(), block.line);
        if let Err(problem) = try_block(&project, &block) {
            problems.push(format!("{place}: {problem}"));
        }
    }
    problems
}

fn try_block(project: &TestProject, block: &Block) -> Result<(), String> {
    if let Some(file) = block.option("file") {
        let path = match file.strip_prefix("~/") {
            Some(in_home) => project.home().join(in_home),
            None => project.dir().join(&file),
        };
        fs::create_dir_all(path.parent().expect("a folder")).expect("the file's folder");
        fs::write(&path, &block.text).expect("the file");
    }
    match block.language.as_str() {
        "sh" | "python" | "js" if block.option("file").is_some() => Ok(()),
        "sh" => match block.option("no-run") {
            Some(why) if why.len() < 4 => Err("`no-run` needs a reason".to_owned()),
            Some(_) => Ok(()),
            None => run(project, &block.text, block.option("exit").as_deref().unwrap_or("0")),
        },
        "json" | "jsonc" => {
            let options = jsonc_parser::ParseOptions::default();
            let parsed = jsonc_parser::parse_to_value(&block.text, &options);
            parsed.map(drop).map_err(|error| format!("not JSON: {error}"))
        }
        // Compiled as documentation tests of the engine.
        "rust" | "text" | "toml" => Ok(()),
        other => Err(format!("no way to check a `{other}` block; see the top of tests/it/docs.rs")),
    }
}

fn run(project: &TestProject, script: &str, expected: &str) -> Result<(), String> {
    let binaries = Path::new(env!("CARGO_BIN_EXE_hookrail")).parent().expect("the folder of the program");
    let path = std::env::join_paths(
        std::iter::once(binaries.to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .expect("a PATH");
    let output = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", script])
        .current_dir(project.dir())
        .env("PATH", path)
        .env("HOME", project.home())
        .env("HOOKRAIL_HOME", project.home())
        .env("HOOKRAIL_SYSTEM_SETTINGS", project.system_settings_path())
        .env_remove("GEMINI_API_KEY")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("bash");
    let code = output.status.code().map_or_else(|| output.status.to_string(), |code| code.to_string());
    if code == expected {
        return Ok(());
    }
    Err(format!(
        "exit {code}, expected {expected}, from:\n{script}stdout:\n{}stderr:\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    ))
}

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of docs") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

#[test]
fn every_command_and_snippet_of_the_docs_works() {
    let problems: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = pages().into_iter().map(|page| scope.spawn(move || problems(&page))).collect();
        running.into_iter().flat_map(|page| page.join().expect("a page's thread")).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// Neither GitHub nor the book shows what is behind a fence's language, so the text above a block names its file.
#[test]
fn a_block_that_is_a_file_has_its_name_above_it() {
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let lines: Vec<&str> = text.lines().collect();
        for block in blocks(&text) {
            let Some(file) = block.option("file") else { continue };
            let above = lines[..block.line - 1].iter().rev().skip_while(|line| line.is_empty());
            let named =
                above.take_while(|line| !line.is_empty()).any(|line| line.contains(&format!("`{file}`")));
            assert!(named, "{}:{}: nothing above it names `{file}`", page.display(), block.line);
        }
    }
}

#[test]
fn the_book_lists_every_page_once() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("the book's table of contents");
    for page in pages().iter().filter(|page| page.starts_with(&docs)) {
        let name = page.strip_prefix(&docs).expect("a page of the book").display().to_string();
        if name != "SUMMARY.md" {
            assert_eq!(summary.matches(&format!("({name})")).count(), 1, "{name} in docs/SUMMARY.md");
        }
    }
}

/// Pages name tests as their evidence. Some are made by a macro, so that the name is looked for, not a function.
#[test]
fn names_of_tests_on_all_pages_are_in_the_sources() {
    let sources = rust_sources(&root().join("crates"));
    let mut named = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let is_name = |word: &&str| {
            word.matches('_').count() > 3
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        for name in text.split('`').filter(is_name) {
            let found = sources.iter().any(|(_, source)| source.contains(name));
            assert!(found, "{}: there is no test `{name}`", page.display());
            named += 1;
        }
    }
    assert!(named > 30, "only {named} names were found");
}

/// What a page promises is shown by the test that it names; a test that was renamed takes its promise with it.
#[test]
fn pages_name_only_tests_that_exist() {
    let sources = rust_sources(&root().join("crates"));
    let security = fs::read_to_string(root().join("docs/security.md")).expect("the page");
    let mut named = 0;
    for row in security.lines().filter(|line| line.starts_with("| ") && line.matches(" | ").count() == 2) {
        let proof = row.rsplit(" | ").next().unwrap_or_default();
        for test in proof.split('`').skip(1).step_by(2) {
            let (file, name) = test.split_once("::").map_or(("", test), |(file, name)| (file, name));
            if name.contains(".rs") || name.contains('/') {
                let known = sources.iter().any(|(path, _)| path.ends_with(name) || path.contains(name));
                assert!(known, "docs/security.md: there is no file `{name}`");
            } else {
                let found = sources
                    .iter()
                    .any(|(path, text)| path.ends_with(file) && text.contains(&format!("fn {name}(")));
                assert!(found, "docs/security.md: there is no test `{test}`");
                named += 1;
            }
        }
    }
    assert!(named > 15, "only {named} tests were found in the table");
    let reliability = fs::read_to_string(root().join("docs/reliability.md")).expect("the page");
    for command in reliability.split('`').filter(|text| text.starts_with("cargo test -p ")) {
        let Some(filter) = command.split(" --test it ").nth(1).and_then(|rest| rest.split("::").last())
        else {
            continue;
        };
        let known = |text: &str| {
            text.lines().any(|line| {
                let line = line.trim_start();
                ["fn ", "mod ", "async fn "]
                    .iter()
                    .any(|word| line.strip_prefix(word).is_some_and(|name| name.contains(filter)))
            })
        };
        assert!(
            sources.iter().any(|(_, text)| known(text)),
            "docs/reliability.md: nothing is called `{filter}`"
        );
    }
}

fn rust_sources(folder: &Path) -> Vec<(String, String)> {
    let mut sources = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                sources.push((path.display().to_string(), fs::read_to_string(&path).expect("a source")));
            }
        }
    }
    sources
}

#[test]
fn the_page_of_commands_lists_every_command() {
    let page = fs::read_to_string(root().join("docs/command-line.md")).expect("the page");
    let help = crate::program::program().arg("--help").output().expect("the program");
    let help = String::from_utf8(help.stdout).expect("text");
    let commands =
        help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("commands");
    let names: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 15, "{help}");
    for name in names.into_iter().filter(|name| *name != "help") {
        assert!(page.contains(&format!("`hookrail {name}")), "docs/command-line.md lacks `hookrail {name}`");
    }
}
