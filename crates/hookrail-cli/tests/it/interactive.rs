//! The agent at a real terminal: prompts, commands, questions, keys, and the same hooks as everywhere.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;

use hookrail_testkit::{TestProject, wait_until};
use serde_json::{Value, json};

use crate::pty::{CTRL_C, CTRL_D, PATIENCE, Terminal};

/// A project with hooks of the user, who needs no approval for them, and a replay.
struct Setup {
    project: TestProject,
    path: OsString,
}

impl Setup {
    /// `hooks` is the `hooks` setting; `calls` are the model's answers.
    fn new(hooks: &Value, calls: &[Value]) -> Self {
        let project = TestProject::new();
        project.user_settings(&json!({ "enableHooks": true, "hooks": hooks }));
        let lines: Vec<String> = calls
            .iter()
            .map(|parts| {
                let content = json!({ "role": "model", "parts": parts });
                let chunk = json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] });
                let chunks = if parts.is_null() { json!([]) } else { json!([chunk]) };
                json!({ "method": "generateContentStream", "response": chunks }).to_string()
            })
            .collect();
        project.file("replay.jsonl", lines.join("\n"));
        Self { project, path: std::env::var_os("PATH").unwrap_or_default() }
    }

    fn log_path(&self, name: &str) -> PathBuf {
        self.project.home().join(name)
    }

    fn args(&self, log: &str, more: &[&str]) -> Vec<OsString> {
        let mut args: Vec<OsString> =
            ["agent", "--replay", "replay.jsonl", "--session-log"].map(Into::into).into();
        args.push(self.log_path(log).into());
        args.extend(more.iter().map(Into::into));
        args
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        vec![
            ("PATH", self.path.clone()),
            ("HOME", self.project.home().into()),
            ("HOOKRAIL_HOME", self.project.home().into()),
            ("HOOKRAIL_SYSTEM_SETTINGS", self.project.system_settings_path().into()),
            ("TERM", "xterm-256color".into()),
        ]
    }

    /// A person starts the agent without a prompt.
    fn terminal(&self, more: &[&str]) -> Terminal {
        Terminal::start(&self.args("log.jsonl", more), &self.project.dir(), &self.environment(), None)
    }

    /// The lines of a session log.
    fn log_of(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.log_path(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn log(&self) -> Vec<Value> {
        self.log_of("log.jsonl")
    }

    /// The session log in words: types, with what distinguishes two of a kind.
    fn story(&self) -> Vec<String> {
        let word = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        self.log()
            .iter()
            .filter(|entry| entry["type"] != "hook_batch")
            .map(|entry| {
                let detail = match word(entry, "type").as_str() {
                    "hook_call" => {
                        let input = &entry["input"];
                        let why = ["reason", "source", "trigger", "notification_type", "prompt"]
                            .iter()
                            .find_map(|field| input[field].as_str());
                        format!("{} {}", word(entry, "event"), why.unwrap_or_default())
                    }
                    "tool_call" => format!("{} {}", word(entry, "name"), word(entry, "status")),
                    "session_end" | "stop" => word(entry, "reason"),
                    "session_start" => word(entry, "source"),
                    _ => String::new(),
                };
                format!("{} {detail}", word(entry, "type")).trim_end().to_owned()
            })
            .collect()
    }
}

fn text(text: &str) -> Value {
    json!([{ "text": text }])
}

fn call(name: &str, args: &Value) -> Value {
    json!([{ "functionCall": { "name": name, "args": args } }])
}

fn hook(event: &str, name: &str, command: &str) -> Value {
    json!({ event: [{ "hooks": [{ "type": "command", "name": name, "command": command }] }] })
}

/// Hooks that only watch, on these events.
fn watchers(events: &[&str]) -> Value {
    let groups = events.iter().map(|event| {
        let hook = json!({ "type": "command", "name": format!("watch-{event}"), "command": "true" });
        ((*event).to_owned(), json!([{ "hooks": [hook] }]))
    });
    Value::Object(groups.collect())
}

#[test]
fn prompts_commands_and_the_end() {
    let setup = Setup::new(
        &watchers(&["SessionStart", "SessionEnd", "BeforeAgent"]),
        &[text("The first answer."), text("The second answer.")],
    );
    let mut terminal = setup.terminal(&[]);
    terminal.enter("first question");
    terminal.expect("The first answer.");
    terminal.enter("/hooks");
    terminal.expect("watch-BeforeAgent   BeforeAgent   *  enabled, trusted");
    terminal.enter("/help");
    terminal.expect("/compress   let the model summarise");
    terminal.enter("/clera");
    terminal.expect("error: there is no command `/clera`");
    terminal.expect("hint: /help lists the commands");
    terminal.enter("second question");
    terminal.expect("The second answer.");
    terminal.enter("/quit");
    let (code, _) = terminal.end();
    assert_eq!(code, Some(0));
    assert_eq!(
        setup.story(),
        [
            "session_start startup",
            "hook_call SessionStart startup",
            "user",
            "hook_call BeforeAgent first question",
            "model_request",
            "model_response",
            "user",
            "hook_call BeforeAgent second question",
            "model_request",
            "model_response",
            "hook_call SessionEnd exit",
            "session_end exit",
        ]
    );
    let history = setup.project.home().join(".hookrail/history");
    let kept = fs::read_to_string(&history).unwrap();
    assert!(kept.contains("first question\n") && kept.contains("second question\n"), "{kept:?}");
    assert_eq!(fs::metadata(&history).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn stdout_carries_the_answers_alone() {
    let calls = [text("The first answer."), Value::Null, text("The last answer.")];
    let setup = Setup::new(&hook("BeforeModel", "chatty", "echo a message"), &calls);
    let out = setup.log_path("stdout");
    let stdout = fs::File::create(&out).unwrap();
    let args = setup.args("log.jsonl", &[]);
    let mut terminal =
        Terminal::start(&args, &setup.project.dir(), &setup.environment(), Some(stdout.into()));
    for prompt in ["one", "two", "three", "/hooks", "/quit"] {
        terminal.enter(prompt);
    }
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(fs::read_to_string(out).unwrap(), "The first answer.\nThe last answer.\n");
}

#[test]
fn a_simple_terminal_will_do() {
    let setup = Setup::new(&hook("BeforeModel", "slow", "sleep 1"), &[text("An answer.")]);
    let mut environment = setup.environment();
    environment.retain(|(name, _)| *name != "TERM");
    environment.push(("TERM", "dumb".into()));
    let args = setup.args("log.jsonl", &[]);
    let mut terminal = Terminal::start(&args, &setup.project.dir(), &environment, None);
    terminal.enter("go");
    terminal.expect("An answer.");
    terminal.expect("> ");
    terminal.send(CTRL_D);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(!shown.contains('\u{1b}'), "it understands no escape sequences: {shown:?}");
}

#[test]
fn history_is_there_the_next_time() {
    let setup = Setup::new(&json!({}), &[text("An answer.")]);
    for again in [false, true] {
        let mut terminal = setup.terminal(&[]);
        if again {
            terminal.expect("> ");
            terminal.send("\u{1b}[A");
            terminal.expect("an old question");
            terminal.send("\r");
        } else {
            terminal.enter("an old question");
        }
        terminal.expect("An answer.");
        terminal.enter("/quit");
        // `/quit` is in the history too, and would be the last line.
        let history = setup.project.home().join(".hookrail/history");
        assert_eq!(terminal.end().0, Some(0));
        let kept = fs::read_to_string(&history).unwrap();
        fs::write(&history, kept.replace("/quit\n", "")).unwrap();
    }
}

#[test]
fn a_permission_question_waits_for_yes_or_no() {
    let write = |path: &str| call("write_file", &json!({ "file_path": path, "content": "x" }));
    let hooks = hook("Notification", "bell", "cat > notified.json");
    let setup = Setup::new(&hooks, &[write("yes.txt"), write("no.txt"), write("eof.txt"), text("Done.")]);
    let mut terminal = setup.terminal(&[]);
    terminal.enter("write them");
    for (path, key, status) in
        [("yes.txt", "y\r", "success"), ("no.txt", "n\n", "denied"), ("eof.txt", CTRL_D, "denied")]
    {
        terminal.expect(&format!("Allow write {path} (1 byte)?"));
        let notified: Value = serde_json::from_str(&setup.project.read("notified.json")).unwrap();
        assert_eq!(notified["notification_type"], "ToolPermission", "the hook has run before the question");
        assert_eq!(notified["details"]["tool_input"]["file_path"], path);
        terminal.send(key);
        terminal.expect(&format!("tool write_file ({status})"));
    }
    terminal.expect("Done.");
    terminal.enter("/quit");
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(setup.project.read("yes.txt"), "x");
    assert!(!setup.project.dir().join("no.txt").exists());
    assert!(!setup.project.dir().join("eof.txt").exists());
    let story = setup.story();
    let at = |line: &str| story.iter().position(|entry| entry == line);
    assert!(at("hook_call Notification ToolPermission") < at("tool_call write_file success"), "{story:?}");
}

/// O7: what a hook requires a person's decision for is asked in every mode, with its reason; Enter alone is a no.
#[test]
fn an_ask_of_a_hook_is_put_to_the_person() {
    let write = |path: &str| call("write_file", &json!({ "file_path": path, "content": "x" }));
    let ask = r#"echo '{"decision":"ask","reason":"is it safe?"}'"#;
    let hooks = hook("BeforeTool", "careful", ask);
    let setup = Setup::new(&hooks, &[write("yes.txt"), write("no.txt"), text("Done.")]);
    let mut terminal = setup.terminal(&["--approval-mode", "yolo"]);
    terminal.enter("write them");
    for (path, key, status) in [("yes.txt", "y\r", "success"), ("no.txt", "\r", "denied")] {
        terminal.expect("A hook asks for your decision: is it safe?");
        terminal.expect(&format!("Allow write {path} (1 byte)? [y/N]"));
        terminal.send(key);
        terminal.expect(&format!("tool write_file ({status})"));
    }
    terminal.expect("Done.");
    terminal.enter("/quit");
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(setup.project.read("yes.txt"), "x");
    assert!(!setup.project.dir().join("no.txt").exists(), "O7: the default is no");
}

#[test]
fn a_question_shows_what_would_be_written_and_what_was_asked_for() {
    let write = call("write_file", &json!({ "file_path": "asked.txt", "content": "one\ntwo\n" }));
    let changed = json!({ "hookSpecificOutput": { "tool_input": { "file_path": "changed.txt" } } });
    let setup =
        Setup::new(&hook("BeforeTool", "mover", &format!("echo '{changed}'")), &[write, text("Done.")]);
    setup.project.file("changed.txt", "one\nold\n");
    let mut terminal = setup.terminal(&[]);
    terminal.enter("write it");
    terminal.expect("A hook changed this call; the model had asked for: write asked.txt (8 bytes)");
    terminal.expect("-old");
    terminal.expect("+two");
    terminal.expect("Allow write changed.txt (8 bytes)?");
    terminal.send("n\r");
    terminal.expect("Done.");
    terminal.enter("/quit");
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(setup.project.read("changed.txt"), "one\nold\n");
}

#[test]
fn always_holds_for_this_session_and_for_what_the_question_names() {
    let write = |path: &str| call("write_file", &json!({ "file_path": path, "content": "x" }));
    let shell = |command: &str| call("run_shell_command", &json!({ "command": command }));
    let calls = [
        write("a"),
        write("b"),
        shell("echo 1"),
        shell("echo 1"),
        shell("echo 2"),
        text("Done."),
        write("c"),
        text("Over."),
    ];
    let setup = Setup::new(&json!({}), &calls);
    let mut terminal = setup.terminal(&[]);
    terminal.enter("work");
    terminal.expect("Allow write a (1 byte)?");
    terminal.send("always\r");
    terminal.expect("write b (1 byte): allowed for this session");
    terminal.expect("Allow run: echo 1?");
    terminal.send("a\r");
    terminal.expect("run: echo 1: allowed for this session");
    terminal.expect("Allow run: echo 2?");
    terminal.send("n\r");
    terminal.expect("Done.");
    terminal.enter("/clear");
    terminal.enter("work");
    terminal.expect("Allow write c (1 byte)?");
    terminal.send("y\r");
    terminal.expect("Over.");
    terminal.enter("/quit");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    for (environment, args, coloured) in [
        (None, &[][..], true),
        (Some(("NO_COLOR", "1")), &[][..], false),
        (None, &["--color", "never"][..], false),
    ] {
        let setup = Setup::new(&hook("BeforeModel", "chatty", "echo a message"), &[text("An answer.")]);
        let mut surroundings = setup.environment();
        surroundings.extend(environment.map(|(name, value)| (name, value.into())));
        let args = setup.args("log.jsonl", &[args, &["-p", "go"]].concat());
        let mut terminal = Terminal::start(&args, &setup.project.dir(), &surroundings, None);
        terminal.expect("An answer.");
        let (code, shown) = terminal.end();
        assert_eq!(code, Some(0), "{shown:?}");
        assert_eq!(shown.contains("\u{1b}[36mhook chatty"), coloured, "{shown:?}");
        assert!(shown.contains("message: a message"), "{shown:?}");
    }
}

#[test]
fn fire_shows_which_hooks_still_run() {
    let wait = "touch started; while [ ! -e go ]; do sleep 0.05; done";
    let setup = Setup::new(&hook("BeforeTool", "slow", wait), &[]);
    let args: Vec<OsString> = ["fire", "BeforeTool"].map(Into::into).into();
    let mut terminal = Terminal::start(&args, &setup.project.dir(), &setup.environment(), None);
    terminal.expect("hook slow (BeforeTool) ");
    setup.project.file("go", "");
    terminal.expect("allowed");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn a_run_with_one_prompt_asks_too() {
    let write = call("write_file", &json!({ "file_path": "a.txt", "content": "x" }));
    let setup = Setup::new(&json!({}), &[write, text("Done.")]);
    let mut terminal = setup.terminal(&["--quiet", "-p", "write it"]);
    terminal.expect("Allow write a.txt (1 byte)?");
    terminal.send("y\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown:?}");
    assert!(shown.ends_with("Done.\r\n"), "{shown:?}");
    assert_eq!(setup.project.read("a.txt"), "x");
}

#[test]
fn what_was_typed_before_a_question_is_no_answer_to_it() {
    let calls = [call("run_shell_command", &json!({ "command": "touch done" })), text("Done.")];
    let wait = "touch started; until [ -e go ]; do sleep 0.05; done";
    let setup = Setup::new(&hook("BeforeTool", "slow", wait), &calls);
    let mut terminal = setup.terminal(&[]);
    terminal.enter("do it");
    let started = setup.project.dir().join("started");
    wait_until(PATIENCE, "the hook", || started.exists());
    terminal.send("y\r");
    setup.project.file("go", "");
    terminal.expect("Allow run: touch done?");
    // An answer that is neither is asked for again.
    terminal.send("maybe\r");
    terminal.expect("Allow run: touch done?");
    terminal.send("n\r");
    terminal.expect("tool run_shell_command (denied)");
    terminal.expect("Done.");
    terminal.enter("/quit");
    assert_eq!(terminal.end().0, Some(0));
    assert!(!setup.project.dir().join("done").exists());
}

#[test]
fn clear_ends_a_session_and_begins_another() {
    let setup = Setup::new(&watchers(&["SessionStart", "SessionEnd"]), &[text("One."), text("Two.")]);
    let mut terminal = setup.terminal(&[]);
    terminal.enter("a question to forget");
    terminal.expect("One.");
    terminal.enter("/clear");
    terminal.expect("The conversation is cleared.");
    terminal.enter("another");
    terminal.expect("Two.");
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    let story = setup.story();
    assert_eq!(
        story[5..9],
        [
            "hook_call SessionEnd clear",
            "session_end clear",
            "session_start clear",
            "hook_call SessionStart clear",
        ]
    );
    let log = setup.log();
    let last = log.iter().rfind(|entry| entry["type"] == "model_request").unwrap();
    assert!(!last["request"]["contents"].to_string().contains("a question to forget"), "{last}");
}

#[test]
fn the_hooks_of_a_cleared_session_may_stop_the_agent() {
    let stop = r#"echo '{"continue":false,"stopReason":"enough"}'"#;
    for (mode, code) in [("apply", 3), ("observe", 0)] {
        let setup = Setup::new(&json!({}), &[text("One."), text("Two.")]);
        setup.project.user_settings(&json!({
            "enableHooks": true, "hooksConfig": { "agentEvents": mode },
            "hooks": { "SessionEnd": [{ "matcher": "clear", "hooks": [{ "type": "command", "command": stop }] }] },
        }));
        let mut terminal = setup.terminal(&[]);
        terminal.enter("hi");
        terminal.expect("One.");
        terminal.enter("/clear");
        if mode == "apply" {
            terminal.expect("Agent execution stopped by hook: enough");
        } else {
            terminal.expect("The conversation is cleared.");
            terminal.send(CTRL_D);
        }
        assert_eq!(terminal.end().0, Some(code), "{mode}");
        let story = setup.story();
        let begun = story.iter().filter(|line| line.as_str() == "session_start clear").count();
        assert_eq!(begun, usize::from(mode == "observe"), "{mode}: {story:?}");
        assert_eq!(story.contains(&"stop enough".to_owned()), mode == "apply", "{mode}: {story:?}");
    }
}

#[test]
fn compress_summarises_on_demand() {
    let calls = [text("A long answer."), text("In short: little."), text("Still here.")];
    let setup = Setup::new(&watchers(&["PreCompress"]), &calls);
    let mut terminal = setup.terminal(&[]);
    terminal.enter("a long question");
    terminal.expect("A long answer.");
    terminal.enter("/compress");
    terminal.expect("history summarised");
    terminal.enter("go on");
    let shown = terminal.expect("Still here.");
    assert!(!shown.contains("In short"), "the summary is for the model: {shown:?}");
    terminal.enter("/quit");
    assert_eq!(terminal.end().0, Some(0));
    assert!(setup.story().contains(&"hook_call PreCompress manual".to_owned()), "{:?}", setup.story());
    let log = setup.log();
    let last = log.iter().rfind(|entry| entry["type"] == "model_request").unwrap();
    assert!(last["request"]["contents"].to_string().contains("In short: little."), "{last}");
}

#[test]
fn keys_that_end_the_session() {
    for (key, code, reason) in [(CTRL_D, 0, "prompt_input_exit"), (CTRL_C, 130, "prompt_input_exit")] {
        let setup = Setup::new(&watchers(&["SessionEnd"]), &[]);
        let mut terminal = setup.terminal(&[]);
        terminal.expect("> ");
        if key == CTRL_C {
            terminal.press_ctrl_c_until(|| false);
        } else {
            terminal.send(key);
        }
        let (exit, shown) = terminal.end();
        assert_eq!(exit, Some(code), "{shown:?}");
        let end = [format!("hook_call SessionEnd {reason}"), format!("session_end {reason}")];
        assert!(setup.story().ends_with(&end), "{key:?}: {:?}", setup.story());
    }
}

#[test]
fn a_further_ctrl_c_waits_for_nothing() {
    let setup = Setup::new(&hook("SessionEnd", "slow", "touch ending; sleep 600"), &[]);
    let mut terminal = setup.terminal(&[]);
    terminal.expect("> ");
    let ending = setup.project.dir().join("ending");
    terminal.press_ctrl_c_until(|| ending.exists());
    terminal.send(CTRL_C);
    assert_eq!(terminal.end().0, Some(130));
    assert_eq!(setup.story(), ["session_start startup"], "the hook was neither waited for nor timed out");
}

#[test]
fn ctrl_d_in_a_turn_ends_the_session_after_it() {
    let setup = Setup::new(&hook("BeforeModel", "slow", "touch started; sleep 1"), &[text("An answer.")]);
    let mut terminal = setup.terminal(&[]);
    terminal.enter("go");
    let started = setup.project.dir().join("started");
    wait_until(PATIENCE, "the hook", || started.exists());
    terminal.send(CTRL_D);
    terminal.expect("An answer.");
    assert_eq!(terminal.end().0, Some(0));
    assert!(setup.story().contains(&"session_end prompt_input_exit".to_owned()), "{:?}", setup.story());
}

#[test]
fn ctrl_c_in_a_turn_ends_tools_hooks_and_questions_and_keeps_the_session() {
    let sleep = call("run_shell_command", &json!({ "command": "touch started; sleep 600" }));
    for (what, hooks, args, wait_for_file) in [
        ("a tool", watchers(&["SessionEnd"]), &["--approval-mode", "yolo"][..], true),
        ("a hook", hook("BeforeTool", "slow", "touch started; sleep 600"), &[][..], true),
        ("a question", watchers(&["SessionEnd"]), &[][..], false),
    ] {
        let setup = Setup::new(&hooks, &[sleep.clone(), text("Still here.")]);
        let mut terminal = setup.terminal(args);
        terminal.enter("sleep");
        if wait_for_file {
            let started = setup.project.dir().join("started");
            wait_until(PATIENCE, what, || started.exists());
        } else {
            terminal.expect("Allow run: touch started");
        }
        terminal.send(CTRL_C);
        terminal.expect("interrupted. Ctrl-C again within a second, or Ctrl-D, ends the session.");
        terminal.enter("are you there?");
        terminal.expect("Still here.");
        terminal.enter("/quit");
        let (exit, shown) = terminal.end();
        assert_eq!(exit, Some(0), "{what}: {shown:?}");
        let story = setup.story();
        assert!(story.contains(&"tool_call run_shell_command cancelled".to_owned()), "{what}: {story:?}");
        assert_eq!(story.last().map(String::as_str), Some("session_end exit"), "{what}");
        assert_eq!(setup.project.dir().join("started").exists(), wait_for_file, "{what}");
    }
}

#[test]
fn an_error_of_the_model_ends_the_prompt_not_the_session() {
    let setup = Setup::new(&json!({}), &[Value::Null, text("Better now.")]);
    let mut terminal = setup.terminal(&[]);
    terminal.enter("fail");
    terminal.expect("error: the model's response is empty");
    terminal.enter("try again");
    terminal.expect("Better now.");
    terminal.enter("and again");
    terminal.expect("error: the replay file");
    terminal.enter("/quit");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn a_hook_can_stop_the_agent() {
    let stop = r#"echo '{"continue":false,"stopReason":"enough"}'"#;
    let setup = Setup::new(&hook("AfterModel", "stop", stop), &[text("Never seen.")]);
    let mut terminal = setup.terminal(&[]);
    terminal.enter("go");
    terminal.expect("Agent execution stopped by hook: enough");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(3));
    assert!(!shown.contains("Never seen."), "{shown:?}");
    assert!(setup.story().contains(&"stop enough".to_owned()));
}

#[test]
fn a_progress_line_shows_what_takes_long() {
    let wait = "until [ -e go ]; do sleep 0.05; done";
    let setup = Setup::new(&hook("BeforeModel", "slow\u{7}", wait), &[text("At last.")]);
    let mut terminal = setup.terminal(&[]);
    terminal.enter("go");
    terminal.expect("hook slow\\u{7} (BeforeModel) ");
    setup.project.file("go", "");
    let shown = terminal.expect("At last.");
    assert!(shown.ends_with("\r\u{1b}[2K"), "the line is wiped before the answer: {shown:?}");
    terminal.enter("/quit");
    assert_eq!(terminal.end().0, Some(0));

    let setup = Setup::new(&hook("BeforeModel", "slow\u{7}", "sleep 1"), &[text("At last.")]);
    let mut terminal = setup.terminal(&["--quiet"]);
    terminal.enter("go");
    let shown = terminal.expect("At last.");
    assert!(!shown.contains("hook slow"), "{shown:?}");
    terminal.enter("/quit");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn a_signal_at_the_prompt_gives_the_terminal_back() {
    use rustix::termios::LocalModes;
    let setup = Setup::new(&watchers(&["SessionEnd"]), &[]);
    let mut terminal = setup.terminal(&[]);
    terminal.expect("> ");
    wait_until(PATIENCE, "line editing", || !terminal.modes().local_modes.contains(LocalModes::ICANON));
    let pid = rustix::process::Pid::from_raw(terminal.pid().try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    wait_until(PATIENCE, "the terminal as it was", || {
        let modes = terminal.modes().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    });
    assert_eq!(terminal.end().0, Some(130));
    assert!(setup.story().contains(&"session_end prompt_input_exit".to_owned()), "{:?}", setup.story());
}

/// HOOK-125: hooks see and do the same whether the prompt is a flag, comes through a pipe, or is typed.
#[test]
fn hooks_behave_the_same_in_every_mode() {
    let mut hooks = watchers(&[
        "SessionStart",
        "BeforeAgent",
        "BeforeModel",
        "AfterModel",
        "AfterAgent",
        "Notification",
        "SessionEnd",
    ]);
    let effects = [
        ("BeforeTool", "guard", "grep -q forbidden && { echo 'not this one' >&2; exit 2; } || true"),
        ("AfterTool", "context", r#"echo '{"hookSpecificOutput":{"additionalContext":"remember this"}}'"#),
        (
            "BeforeToolSelection",
            "select",
            r#"echo '{"hookSpecificOutput":{"toolConfig":{"mode":"AUTO","allowedFunctionNames":["read_file","write_file"]}}}'"#,
        ),
    ];
    for (event, name, command) in effects {
        hooks[event] = hook(event, name, command)[event].clone();
    }
    let calls = [
        call("read_file", &json!({ "file_path": "a.txt" })),
        call("write_file", &json!({ "file_path": "forbidden.txt", "content": "x" })),
        call("run_shell_command", &json!({ "command": "touch never" })),
        text("All done."),
    ];
    let setup = Setup::new(&hooks, &calls);
    setup.project.file("a.txt", "some text\n");
    let yolo = ["--approval-mode", "yolo"];

    let run = |log: &str, prompt: Option<&str>, piped: &str| {
        let mut args = setup.args(log, &yolo);
        args.extend(prompt.into_iter().flat_map(|prompt| ["--prompt".into(), prompt.into()]));
        let mut child = crate::program::program()
            .args(args)
            .current_dir(setup.project.dir())
            .env_clear()
            .envs(setup.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(piped.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "All done.\n", "{output:?}");
        assert!(output.status.success(), "{output:?}");
    };
    run("prompt.jsonl", Some("do the work"), "");
    run("piped.jsonl", None, "do the work\n");
    let mut terminal = setup.terminal(&yolo);
    terminal.enter("do the work");
    terminal.expect("All done.");
    terminal.enter("/quit");
    assert_eq!(terminal.end().0, Some(0));

    let records = |log: &str| -> Vec<Value> {
        let mut calls: Vec<Value> =
            setup.log_of(log).into_iter().filter(|entry| entry["type"] == "hook_call").collect();
        for call in &mut calls {
            let call = call.as_object_mut().unwrap();
            for own in ["id", "timestamp", "sessionId", "durationMs"] {
                call.remove(own);
            }
            let input = call["input"].as_object_mut().unwrap();
            for own in ["timestamp", "session_id", "transcript_path"] {
                assert!(input.remove(own).is_some());
            }
        }
        calls
    };
    let expected = records("prompt.jsonl");
    let events: Vec<&str> = expected.iter().map(|call| call["event"].as_str().unwrap()).collect();
    assert_eq!(events.iter().filter(|event| **event == "BeforeTool").count(), 2, "{events:?}");
    assert_eq!(records("piped.jsonl"), expected, "HOOK-125: piped");
    assert_eq!(records("log.jsonl"), expected, "HOOK-125: typed");
    let statuses = |log: &str| -> Vec<Value> {
        let log = setup.log_of(log);
        log.iter().filter(|entry| entry["type"] == "tool_call").map(|entry| entry["status"].clone()).collect()
    };
    for log in ["prompt.jsonl", "piped.jsonl", "log.jsonl"] {
        assert_eq!(statuses(log), ["success", "blocked", "denied"], "HOOK-125: {log}");
    }
}
