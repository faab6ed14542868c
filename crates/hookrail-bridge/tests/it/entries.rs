//! The entries that `connect` writes, run by a real shell.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use hookrail_bridge::{Agent, ConnectOptions, EntryScope, connect};
use serde_json::Value;

/// Events at which nothing may get past a guard that does not work.
const GUARDED: &[&str] = &[
    "PreToolUse",
    "UserPromptSubmit",
    "BeforeTool",
    "BeforeAgent",
    "BeforeModel",
    "preToolUse",
    "userPromptSubmitted",
];

/// The agents that run shell lines.
const WITH_COMMANDS: [Agent; 6] =
    [Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Qwen, Agent::Copilot, Agent::Llxprt];

/// The events and commands that `connect` writes.
fn entries_of(agent: Agent, scope: EntryScope<'_>) -> Vec<(String, String)> {
    let edit = connect(agent, None, scope, ConnectOptions::default()).expect("an edit");
    let settings: Value = serde_json::from_str(&edit.new_text.expect("a text")).expect("JSON");
    let events =
        settings.get("hooks").and_then(Value::as_object).expect("events").iter().map(|(event, groups)| {
            let entry = groups.pointer("/0/hooks/0/command").or_else(|| groups.pointer("/0/bash"));
            (event.clone(), entry.and_then(Value::as_str).expect("a command").to_owned())
        });
    events.collect()
}

/// Those in the user's settings that call a program.
fn entries(agent: Agent, program: &str) -> Vec<(String, String)> {
    let (home, file) = (Path::new("/home/it's $me"), Path::new("/home/it's $me/`x\"/settings.json"));
    entries_of(agent, EntryScope::User { program: Path::new(program), home, file })
}

/// How a command ended.
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// What the agent's shell makes of a command. Codex takes the user's login shell.
fn run(agent: Agent, command: &str, variables: &[(&str, &str)]) -> Ended {
    let (shell, option) = if agent == Agent::Codex { ("bash", "-lc") } else { ("/bin/sh", "-c") };
    let mut shell = Command::new(shell);
    // Nothing of the profile of whoever runs the tests.
    shell.arg(option).arg(command).env("HOME", "/").envs(variables.iter().copied()).stdin(Stdio::null());
    let output = shell.output().expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// Asserts that an answer refuses in the agent's form, with these words.
fn assert_refused(agent: Agent, ended: &Ended, words: &str, at: &str) {
    let Ended { code, stdout, stderr } = ended;
    let at = format!("{agent} {at}: {code:?} {stdout} {stderr}");
    if agent == Agent::Copilot {
        let output: Value = serde_json::from_str(stdout).expect(&at);
        let reason = output.get("permissionDecisionReason").or_else(|| output.get("reason"));
        assert!(reason.and_then(Value::as_str).is_some_and(|reason| reason.contains(words)), "{at}");
        assert_eq!(*code, Some(0), "{at}");
    } else {
        assert_eq!(*code, Some(2), "{at}");
        assert!(stderr.contains(words), "{at}");
    }
}

/// Gone, crashing, or nothing that can be executed: it is all the same to who is to be guarded. The words name the file
/// from which to remove the entry, whatever signs its path has.
#[test]
fn a_program_that_does_not_work_refuses_with_words_where_it_guards() {
    for agent in WITH_COMMANDS {
        for program in ["/nowhere/hook rail's $x/hookrail", "/bin/false", "/etc/passwd"] {
            let entries = entries(agent, program);
            assert!(entries.iter().any(|(event, _)| GUARDED.contains(&event.as_str())), "{agent}");
            for (event, command) in entries {
                let ended = run(agent, &command, &[]);
                if GUARDED.contains(&event.as_str()) {
                    assert_refused(agent, &ended, "/home/it's $me/`x\"/settings.json", &event);
                    assert_refused(agent, &ended, "hookrail could not be run, so this was refused", &event);
                    continue;
                }
                let Ended { code, stdout, stderr } = ended;
                let at = format!("{agent} {event} {program}: {code:?} {stdout} {stderr}");
                assert!(code != Some(2), "{at}");
                assert!(format!("{stdout}{stderr}").contains("could not be run"), "{at}");
                let is_start = event.eq_ignore_ascii_case("SessionStart");
                assert!(stdout.is_empty() || is_start && stdout.contains("systemMessage"), "{at}");
            }
        }
    }
}

#[test]
fn a_program_that_works_is_called_with_home_agent_and_event() {
    for agent in WITH_COMMANDS {
        for (event, command) in entries(agent, "/bin/echo") {
            let ended = run(agent, &command, &[]);
            let expected = format!("bridge --home /home/it's $me {agent} {event}");
            assert_eq!((ended.code, ended.stdout.trim()), (Some(0), expected.as_str()));
        }
    }
}

/// A shell imports functions from its environment, which a project's `.env` can fill, and prefers them to its builtins.
#[test]
fn functions_of_the_environment_do_not_replace_what_an_entry_uses() {
    let folder = Folder::new();
    let sh = folder.0.join("sh");
    symlink("/bin/bash", &sh).expect("a link");
    let names =
        ["echo", "printf", "test", "exit", "exec", "eval", "command", "continue", "answer", "id", "hookrail"];
    let names = names.map(|name| format!("BASH_FUNC_{name}%%"));
    let variables: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "() { :; }")).collect();
    for agent in WITH_COMMANDS {
        for scope in [
            EntryScope::User {
                program: Path::new("/nowhere/hookrail"),
                home: Path::new("/"),
                file: Path::new("/f"),
            },
            EntryScope::Project { require: true },
        ] {
            for (event, command) in entries_of(agent, scope) {
                if GUARDED.contains(&event.as_str()) {
                    let command = folder.moved(&command).replace("/bin/sh", &sh.to_string_lossy());
                    // The agent's own shell is not ours to choose.
                    let ended = run(Agent::Claude, &command, &variables);
                    assert_refused(agent, &ended, "so this was refused", &event);
                }
            }
        }
    }
}

/// Options of a bash that is `/bin/sh` come from the environment, too. One that is required refuses, and one that is
/// installed is found.
#[test]
fn options_of_the_environment_hide_no_program() {
    let folder = Folder::new();
    let sh = folder.0.join("sh");
    symlink("/bin/bash", &sh).expect("a link");
    let run = |command: &str, name: &str, value: &str| {
        let command = folder.moved(command).replace("/bin/sh", &sh.to_string_lossy());
        // As an agent that does not use bash does.
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command).env(name, value).stdin(Stdio::null());
        let output = shell.output().expect("a shell");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ended { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    };
    let options = [
        ("SHELLOPTS", "noglob"),
        ("SHELLOPTS", "errexit:nounset:noclobber"),
        ("BASHOPTS", "failglob"),
        ("BASHOPTS", "nullglob"),
        ("GLOBIGNORE", "*"),
    ];
    for program in [None, Some("echo asked; exit 0"), Some("exit 9")] {
        if let Some(script) = program {
            folder.install(script);
        }
        for (event, command) in entries_of(Agent::Claude, EntryScope::Project { require: true }) {
            if !GUARDED.contains(&event.as_str()) {
                continue;
            }
            for (name, value) in options {
                let ended = run(&command, name, value);
                let at = format!("{event} with {name}={value}");
                match program {
                    Some("echo asked; exit 0") => {
                        assert_eq!(ended.stdout, "asked\n", "{at}: {}", ended.stderr);
                    }
                    _ => assert_refused(Agent::Claude, &ended, "so this was refused", &at),
                }
            }
        }
    }
}

/// A temporary home with a place for hookrail.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("hookrail-entries-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join(".hookrail/bin")).expect("a folder");
        Self(folder)
    }

    /// A project's entry that looks for hookrail here alone, instead of in the home of whoever runs the tests.
    fn moved(&self, command: &str) -> String {
        let home = format!("h={}", self.0.display());
        let command = command.replace("h=; u=$(/usr/bin/id -un) && eval \"h=~$u\"", &home);
        ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"]
            .iter()
            .fold(command, |command, place| command.replace(&format!(" {place}/"), " /nowhere/"))
    }

    /// Puts a script into the place where hookrail is looked for.
    fn install(&self, script: &str) {
        let file = self.0.join(".hookrail/bin/hookrail");
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a mode");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Asserts that nothing is refused, and returns what is said to the user: on stdout in the agent's form, else on stderr.
fn said(agent: Agent, ended: &Ended, at: &str) -> String {
    let at = format!("{agent} {at}: {:?} {} {}", ended.code, ended.stdout, ended.stderr);
    assert_eq!(ended.code, Some(0), "{at}");
    if ended.stdout.is_empty() {
        return ended.stderr.clone();
    }
    let output: Value = serde_json::from_str(&ended.stdout).expect(&at);
    assert!(
        output.get("decision").is_none()
            && output.pointer("/hookSpecificOutput/permissionDecision").is_none(),
        "{at}"
    );
    output.get("systemMessage").and_then(Value::as_str).expect(&at).to_owned()
}

/// A colleague without hookrail can work, and is told at the start and at prompts, where the agent shows messages.
#[test]
fn a_projects_entry_goes_on_with_a_warning_where_hookrail_is_not_installed() {
    let folder = Folder::new();
    for agent in WITH_COMMANDS {
        let mut told = Vec::new();
        for (event, command) in entries_of(agent, EntryScope::Project { require: false }) {
            let said = said(agent, &run(agent, &folder.moved(&command), &[]), &event);
            if !said.is_empty() {
                assert!(said.contains("not installed here") && said.contains("cargo install"), "{said}");
                assert!(
                    said.contains("of this project") && said.contains("/hooks")
                        || said.contains("settings.json"),
                    "{said}"
                );
                told.push(event);
            }
        }
        let expected: &[&str] = match agent {
            Agent::Copilot => &["userPromptSubmitted", "sessionStart"],
            Agent::Gemini | Agent::Llxprt => &["BeforeAgent", "SessionStart"],
            Agent::Qwen => &["UserPromptSubmit", "Stop", "SessionStart"],
            _ => &["UserPromptSubmit", "SessionStart"],
        };
        told.sort();
        let mut expected: Vec<&str> = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(told, expected, "{agent}");
    }
}

#[test]
fn a_project_that_requires_hookrail_refuses_and_says_how_to_install_it() {
    let folder = Folder::new();
    for agent in WITH_COMMANDS {
        for (event, command) in entries_of(agent, EntryScope::Project { require: true }) {
            let ended = run(agent, &folder.moved(&command), &[]);
            if GUARDED.contains(&event.as_str()) {
                assert_refused(agent, &ended, "requires hookrail, which is not installed here", &event);
                assert_refused(agent, &ended, "cargo install hookrail-cli", &event);
            } else {
                assert_eq!(ended.code, Some(0), "{agent} {event}");
            }
        }
    }
}

#[test]
fn a_projects_entry_calls_the_installed_program_and_refuses_when_that_fails() {
    let folder = Folder::new();
    for agent in WITH_COMMANDS {
        for require in [false, true] {
            for (event, command) in entries_of(agent, EntryScope::Project { require }) {
                let home = folder.0.parent().expect("a folder").to_string_lossy().into_owned();
                assert!(!command.contains(&home) && !command.contains("PATH"), "{command}");
                let command = folder.moved(&command);
                folder.install("echo \"$@\"");
                let ended = run(agent, &command, &[]);
                assert_eq!(
                    ended.stdout.trim(),
                    format!("bridge --project {agent} {event}"),
                    "{}",
                    ended.stderr
                );
                assert_eq!(ended.code, Some(0));
                folder.install("exit 70");
                let ended = run(agent, &command, &[]);
                if GUARDED.contains(&event.as_str()) {
                    assert_refused(agent, &ended, "of this project", &event);
                } else {
                    assert_ne!(ended.code, Some(2), "{agent} {event}");
                }
            }
        }
    }
}

/// `$HOME` and `PATH` of an agent may come from a project's `.env`.
#[test]
fn a_projects_entry_looks_neither_in_home_nor_in_path() {
    let folder = Folder::new();
    let proof = folder.0.join("ran");
    folder.install(&format!("touch '{}'", proof.display()));
    let bin = folder.0.join(".hookrail/bin");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let home = folder.0.to_string_lossy().into_owned();
    for agent in WITH_COMMANDS {
        for (_, command) in entries_of(agent, EntryScope::Project { require: false }) {
            run(agent, &command, &[("HOME", &home), ("PATH", &path)]);
            assert!(!proof.exists(), "{command}");
        }
    }
}
