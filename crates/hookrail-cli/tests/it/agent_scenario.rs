//! One run of `hookrail agent`, put together in a few lines: hooks, the answers of the model, a prompt.
#![expect(clippy::needless_pass_by_value, reason = "scenarios read better with `json!` than with `&json!`")]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use hookrail_testkit::TestProject;
use serde_json::{Map, Value, json};

/// A run that has not begun. Hooks are the user's, so that they need no approval, unless a test makes them the project's.
pub(crate) struct Scenario {
    pub(crate) project: TestProject,
    hooks: Map<String, Value>,
    settings: Value,
    replay: Vec<Value>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    project_hooks: bool,
}

/// A run that is over.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) log: Vec<Value>,
    pub(crate) project: TestProject,
}

/// A hook that answers with this JSON.
pub(crate) fn answer(output: &Value) -> String {
    format!("cat >/dev/null; cat <<'END'\n{output}\nEND")
}

/// A hook that appends its stdin to a file of the project.
pub(crate) fn record(file: &str) -> String {
    format!("cat >>\"$LLXPRT_PROJECT_DIR/{file}\"; echo >>\"$LLXPRT_PROJECT_DIR/{file}\"")
}

impl Scenario {
    pub(crate) fn new() -> Self {
        Self {
            project: TestProject::new(),
            hooks: Map::new(),
            settings: json!({ "enableHooks": true }),
            replay: Vec::new(),
            args: vec!["--approval-mode".to_owned(), "yolo".to_owned()],
            env: Vec::new(),
            project_hooks: false,
        }
    }

    /// Adds a hook with a group of its own. It is named after its event and its place: `BeforeTool-1`.
    pub(crate) fn hook(self, event: &str, command: impl Into<String>) -> Self {
        self.hook_with(event, command, json!({}))
    }

    /// Adds a hook with further fields; `matcher` and `sequential` go to its group.
    pub(crate) fn hook_with(mut self, event: &str, command: impl Into<String>, fields: Value) -> Self {
        let groups = self.hooks.entry(event).or_insert_with(|| json!([])).as_array_mut().unwrap();
        let name = format!("{event}-{}", groups.len() + 1);
        let mut hook = json!({ "type": "command", "name": name, "command": command.into() });
        let mut group = json!({});
        for (key, value) in fields.as_object().unwrap() {
            let target =
                if ["matcher", "sequential"].contains(&key.as_str()) { &mut group } else { &mut hook };
            target[key] = value.clone();
        }
        group["hooks"] = json!([hook]);
        groups.push(group);
        self
    }

    /// Lets the outputs of the six other events count.
    pub(crate) fn apply_agent_events(mut self) -> Self {
        self.settings["hooksConfig"]["agentEvents"] = json!("apply");
        self
    }

    /// Sets a key at the top of the settings.
    pub(crate) fn setting(mut self, key: &str, value: Value) -> Self {
        self.settings[key] = value;
        self
    }

    /// Puts the hooks into the project's settings instead of the user's.
    pub(crate) fn in_project(mut self) -> Self {
        self.project_hooks = true;
        self
    }

    /// The model's next answer.
    pub(crate) fn says(self, text: &str) -> Self {
        self.model(json!([{ "text": text }]))
    }

    /// The model's next answer: tool calls.
    pub(crate) fn calls(self, calls: &[(&str, Value)]) -> Self {
        let parts =
            calls.iter().map(|(name, args)| json!({ "functionCall": { "name": name, "args": args } }));
        self.model(parts.collect())
    }

    /// The model's next answer: any parts.
    pub(crate) fn model(self, parts: Value) -> Self {
        self.chunks(json!([{ "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": "STOP" }] }]))
    }

    /// The model's next answer, chunk by chunk.
    pub(crate) fn chunks(mut self, chunks: Value) -> Self {
        self.replay.push(json!({ "method": "generateContentStream", "response": chunks }));
        self
    }

    pub(crate) fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|arg| (*arg).to_owned()));
        self
    }

    /// Replaces the approval mode.
    pub(crate) fn approval(mut self, mode: &str) -> Self {
        mode.clone_into(&mut self.args[1]);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn log_path(&self) -> PathBuf {
        self.project.home().join("session.jsonl")
    }

    /// Writes settings and replay file, and gives the command without a prompt.
    pub(crate) fn command(&self) -> Command {
        let mut settings = self.settings.clone();
        settings["hooks"] = Value::Object(self.hooks.clone());
        if self.project_hooks {
            self.project.settings(&settings);
        } else {
            self.project.user_settings(&settings);
        }
        let mut command = crate::program::program();
        command.current_dir(self.project.dir()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.project.home());
        command.env("HOOKRAIL_HOME", self.project.home());
        command.env("HOOKRAIL_SYSTEM_SETTINGS", self.project.system_settings_path());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.arg("agent").arg("--session-log").arg(self.log_path());
        if !self.replay.is_empty() {
            let lines: Vec<String> = self.replay.iter().map(Value::to_string).collect();
            let file = self.project.home().join("replay.jsonl");
            std::fs::write(&file, lines.join("\n")).unwrap();
            command.arg("--replay").arg(file);
        }
        command.args(&self.args);
        command
    }

    /// Runs it with `--prompt`.
    pub(crate) fn run(self, prompt: &str) -> Run {
        let mut command = self.command();
        command.args(["-p", prompt]).stdin(Stdio::null());
        let output = command.output().unwrap();
        self.over(&output)
    }

    /// Runs it with the prompt piped in.
    pub(crate) fn pipe(self, prompt: &str) -> Run {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(prompt.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        self.over(&output)
    }

    pub(crate) fn over(self, output: &std::process::Output) -> Run {
        let log = std::fs::read_to_string(self.log_path()).unwrap_or_default();
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            log: log.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
            project: self.project,
        }
    }
}

impl Run {
    /// The log's lines of one type.
    pub(crate) fn lines(&self, kind: &str) -> Vec<&Value> {
        self.log.iter().filter(|line| line["type"] == kind).collect()
    }

    /// The tool calls as `name status`.
    pub(crate) fn tools(&self) -> Vec<String> {
        let words = |line: &&Value| format!("{} {}", line["name"], line["status"]).replace('"', "");
        self.lines("tool_call").iter().map(words).collect()
    }

    /// The hook calls as event names, in the order of the log.
    pub(crate) fn events(&self) -> Vec<&str> {
        self.lines("hook_call").iter().map(|line| line["event"].as_str().unwrap()).collect()
    }

    /// What was sent to the model with the given call, from 0.
    pub(crate) fn request(&self, index: usize) -> &Value {
        let requests = self.lines("model_request");
        &requests.get(index).unwrap_or_else(|| panic!("no request {index}: {}", self.shown()))["request"]
    }

    /// The last entry of that request's conversation.
    pub(crate) fn last_content(&self, index: usize) -> &Value {
        self.request(index)["contents"].as_array().unwrap().last().unwrap()
    }

    /// The results of the tool calls, as the model receives them in that request.
    pub(crate) fn tool_responses(&self, index: usize) -> Vec<&Value> {
        let contents = self.request(index)["contents"].as_array().unwrap();
        let parts = contents.iter().flat_map(|content| content["parts"].as_array().unwrap());
        parts.filter_map(|part| part.get("functionResponse")).map(|answer| &answer["response"]).collect()
    }

    /// The lines that a recording hook wrote.
    pub(crate) fn recorded(&self, file: &str) -> Vec<Value> {
        self.project.read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Exit code and both streams, for messages of assertions.
    pub(crate) fn shown(&self) -> String {
        format!("exit {}\nstdout: {}\nstderr: {}", self.code, self.stdout, self.stderr)
    }

    #[track_caller]
    pub(crate) fn expect(&self, code: i32, stdout: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (code, stdout), "{}", self.shown());
    }

    #[track_caller]
    pub(crate) fn expect_printed(&self, text: &str) {
        assert!(self.stderr.contains(text), "`{text}` is not in: {}", self.shown());
    }
}

/// Arguments for `write_file`.
pub(crate) fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({ "file_path": path, "content": content }))
}

/// Arguments for `run_shell_command`.
pub(crate) fn shell(command: &str) -> (&'static str, Value) {
    ("run_shell_command", json!({ "command": command }))
}
