//! `hookrail demo`: every promised effect is printed, from what really happened, and nothing stays behind.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use hookrail_testkit::{process_is_alive, wait_until, write_executable};

use crate::pty::Terminal;

fn demo(temp: &std::path::Path) -> Command {
    let mut command = crate::program::program();
    command.arg("demo").env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TMPDIR", temp).env("HOME", "/nonexistent/home").stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> (Output, String) {
    let output = command.output().unwrap();
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    (output, stdout)
}

/// The part of the output about scene `number`.
fn scene(stdout: &str, number: u32) -> &str {
    let start = stdout.find(&format!("\n{number}  ")).unwrap_or_else(|| panic!("scene {number}: {stdout}"));
    let rest = &stdout[start + 1..];
    rest.split("\n\n").next().unwrap()
}

#[test]
fn six_effects_and_a_rule_are_printed_and_nothing_is_left() {
    let temp = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let (output, stdout) = run(&mut demo(temp.path()));
    assert!(output.status.success(), "{output:?}");
    assert!(start.elapsed() < Duration::from_secs(30), "it took {:?}", start.elapsed());
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "",
        "an offline demo has nothing to complain about"
    );

    for (number, lines) in [
        (
            1,
            [
                "hook    exit 2: keys belong in the keychain, not in .env",
                "result  write_file was blocked: keys belong in the keychain, not in .env",
                "files   .env is not there",
            ],
        ),
        (
            2,
            [
                r#"model   run_shell_command {"command":"rm -r build"}"#,
                r#"result  instead, this ran: run_shell_command {"command":"mv build build.old"}"#,
                "files   build.old/app.bin is there",
            ],
        ),
        (
            3,
            [
                "│ # After a tool: add what the model cannot read",
                r#"hook    {"hookSpecificOutput":{"additionalContext":"config.toml is generated"#,
                "result  the model reads it with the tool's result: config.toml is generated: change config.toml.in",
            ],
        ),
        (
            4,
            [
                "model   The deploy uses the key sk-live-4f9a2b71.",
                r#"hook    {"hookSpecificOutput":{"llm_response":{"text":"The deploy uses the key [redacted]."#,
                "result  you see: The deploy uses the key [redacted].",
            ],
        ),
        (
            5,
            [
                "result  the model may call only list_directory, read_file, search_file_content",
                r#"model   write_file {"file_path":"src/main.rs""#,
                "result  write_file was refused: ",
            ],
        ),
        (
            6,
            [
                r#"model   run_shell_command {"command":"make deploy"}"#,
                r#"hook    {"continue":false,"stopReason":"deploying is for people: run it yourself"}"#,
                "result  the agent stopped: deploying is for people: run it yourself",
            ],
        ),
        (
            7,
            [
                r#"│   "when": { "command": "rm -r -f" },"#,
                "rule    Folders are deleted by people.",
                "files   src/main.rs is there",
            ],
        ),
    ] {
        let told = scene(&stdout, number);
        for line in lines {
            assert!(told.contains(line), "scene {number} lacks {line:?}:\n{told}");
        }
    }
    assert!(!stdout.contains('\u{1b}'), "no colors without a terminal");
    assert!(stdout.contains("hookrail init"), "it ends with where to go next");
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0, "the temporary project is removed");
}

#[test]
fn the_rule_sees_what_a_pattern_misses_and_the_other_way_round() {
    let temp = tempfile::tempdir().unwrap();
    let (_, stdout) = run(&mut demo(temp.path()));
    let told: Vec<_> = scene(&stdout, 7)
        .lines()
        .map(str::trim_start)
        .filter(|line| ["model", "pattern", "rule", "result", "tool"].iter().any(|who| line.starts_with(who)))
        .collect();
    assert_eq!(
        told,
        [
            r#"model   run_shell_command {"command":"cd src && env r''m --recursive -f ../src"}"#,
            r#"pattern a search for "rm -rf" finds nothing"#,
            "rule    Folders are deleted by people.",
            "result  run_shell_command was blocked: Folders are deleted by people.",
            r#"model   run_shell_command {"command":"D=rm; find . -name src -exec bash -c \"$D -fr src\" ';'"}"#,
            r#"pattern a search for "rm -rf" finds nothing"#,
            "rule    Folders are deleted by people.",
            "result  run_shell_command was blocked: Folders are deleted by people.",
            r#"model   run_shell_command {"command":"echo 'never rm -rf src' > NOTES"}"#,
            r#"pattern a search for "rm -rf" finds it"#,
            "tool    run_shell_command: success",
            "model   I left the folders alone and wrote a note.",
        ]
    );
}

#[test]
fn the_story_follows_what_happens() {
    // Without `sh` no hook can run, and the output must show that instead of the planned end.
    let temp = tempfile::tempdir().unwrap();
    let (output, stdout) = run(demo(temp.path()).env("PATH", "/nonexistent"));
    assert!(output.status.success(), "{output:?}");
    for number in 1..=6 {
        assert!(!scene(&stdout, number).contains("was blocked"), "{stdout}");
    }
    assert!(scene(&stdout, 7).contains("was blocked"), "a rule needs no program: {stdout}");
    assert!(scene(&stdout, 1).contains("files   .env is there"), "{stdout}");
    assert!(scene(&stdout, 4).contains("model   The deploy uses the key sk-live"), "{stdout}");
    assert!(!scene(&stdout, 4).contains("you see"), "{stdout}");
    assert!(!scene(&stdout, 6).contains("the agent stopped"), "{stdout}");
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0, "the temporary project is removed");
}

#[test]
fn a_reader_that_leaves_early_leaves_nothing_behind() {
    let temp = tempfile::tempdir().unwrap();
    let mut child = demo(temp.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stderr, b"");
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0, "the temporary project is removed");
}

#[test]
fn ctrl_c_leaves_nothing_behind() {
    let temp = tempfile::tempdir().unwrap();
    let bin = tempfile::tempdir().unwrap();
    let started = bin.path().join("started");
    // Every hook of the demo runs `sh`, and this one never ends.
    let slow = bin.path().join("sh");
    write_executable(&slow, format!("#!/bin/bash\necho $$ > {}\nsleep 600\n", started.display()));
    let mut path = bin.path().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut child =
        demo(temp.path()).env("PATH", path).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = || std::fs::read_to_string(&started).ok()?.trim().parse::<u32>().ok();
    wait_until(Duration::from_mins(1), "the first hook", || pid().is_some());
    let demo = rustix::process::Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    rustix::process::kill_process(demo, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    wait_until(Duration::from_mins(1), "the end of the hook", || !process_is_alive(pid().unwrap()));
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0, "the temporary project is removed");
}

#[test]
fn colors_are_for_terminals_that_want_them() {
    for (no_color, colored) in [(None, true), (Some("1"), false)] {
        let temp = tempfile::tempdir().unwrap();
        let mut environment = vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("TMPDIR", temp.path().into()),
            ("TERM", "xterm-256color".into()),
        ];
        environment.extend(no_color.map(|value| ("NO_COLOR", value.into())));
        let terminal = Terminal::start(&["demo".into()], temp.path(), &environment, None);
        let (code, shown) = terminal.end();
        assert_eq!(code, Some(0), "{shown}");
        assert!(shown.contains("result"), "{shown}");
        assert_eq!(shown.contains('\u{1b}'), colored, "{shown:?}");
    }
}
