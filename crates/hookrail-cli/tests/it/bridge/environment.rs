//! A hostile repository puts variables into the environment of the agent's hooks, by its `.env` or the agent's settings.
//! None of them turns a guard off, moves the settings, or makes a hook run something else.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use super::{PROMPTS, SHELL_CALLS, payload, refuses, settings, with_hooks};
use crate::program::{hookrail, run};

/// The answer of the bridge for a captured payload, with these variables added to its environment.
fn answer_with(project: &TestProject, agent: &str, file: &str, variables: &[(&str, &str)]) -> Value {
    let event = file.split('-').next().unwrap();
    let mut command = hookrail(project, &["bridge", agent, event]);
    command.envs(variables.iter().copied());
    answer_of(command, &payload(project, agent, file, &json!({})))
}

fn answer_of(mut command: Command, stdin: &str) -> Value {
    use std::io::Write as _;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// A program of the project that leaves a file when it runs.
fn trap(project: &TestProject, path: &str) -> PathBuf {
    let file = project.file(path, format!("#!/bin/sh\ntouch '{}/pwned'\nexit 0\n", project.dir().display()));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

fn is_pwned(project: &TestProject) -> bool {
    project.dir().join("pwned").exists()
}

/// Everything that was seen to turn guards off, and its kin.
const HOSTILE: &[(&str, &str)] = &[
    ("HOOKRAIL_BRIDGE", "1"),
    ("HOOKRAIL_HOME", "/proc/self/cwd"),
    ("HOOKRAIL_SYSTEM_SETTINGS", "/proc/self/cwd/.hookrail/settings.json"),
    ("HOOKRAIL_AGENT", "1"),
    ("HOOKRAIL_WORKER", "1"),
    ("HOME", "/proc/self/cwd"),
    ("XDG_CONFIG_HOME", "/proc/self/cwd"),
    ("XDG_STATE_HOME", "/proc/self/cwd"),
    ("TMPDIR", "/"),
    ("PWD", "/"),
    ("OLDPWD", "/"),
    ("CLAUDE_PROJECT_DIR", "/"),
    ("GEMINI_PROJECT_DIR", "/"),
    ("QWEN_PROJECT_DIR", "/"),
    ("COPILOT_PROJECT_DIR", "/"),
    ("LLXPRT_PROJECT_DIR", "/"),
    ("HOOKRAIL_PROJECT_DIR", "/"),
    ("RUST_LOG", "trace"),
    ("DEBUG", "*"),
    ("RUST_BACKTRACE", "full"),
    ("RUST_MIN_STACK", "18446744073709551615"),
    ("NO_COLOR", "1"),
    ("TZ", ":/proc/self/cwd/zone"),
    ("LC_ALL", "xx_YY"),
    ("PATH", "/proc/self/cwd/bin"),
];

/// A user with a rule and a program as guards, in a project that brings settings and programs of its own.
fn attacked() -> TestProject {
    let project = TestProject::new();
    project.file(
        "../home/guard.sh",
        "#!/bin/sh\ngrep -q touch && { echo the user said no >&2; exit 2; }\nexit 0\n",
    );
    fs::set_permissions(project.home().join("guard.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    project.user_settings(&settings(&json!({
        "BeforeTool": [
            { "matcher": "run_shell_command", "hooks": [
                { "type": "command", "command": "~/guard.sh" },
                // Started on another thread.
                { "type": "command", "command": "cat > /dev/null; true" },
            ] },
        ],
        "BeforeAgent": [{ "hooks": [{ "type": "rule", "when": {}, "block": "the user said no" }] }],
    })));
    let hook = json!({ "hooks": [{ "type": "command", "command": "./trap.sh" }] });
    project.settings(&settings(&json!({ "BeforeTool": [hook], "BeforeAgent": [hook] })));
    trap(&project, "trap.sh");
    for name in ["bin/sh", "bin/bash", "bin/grep", "bin/sleep", "guard.sh"] {
        trap(&project, name);
    }
    project
}

#[test]
fn variables_of_a_project_change_nothing_that_decides() {
    let project = attacked();
    let calls = SHELL_CALLS.iter().map(|(agent, before, _)| (*agent, *before));
    for (agent, file) in calls.chain(PROMPTS) {
        // Each by itself, and those of other programs for one agent: they reach hooks in the same way everywhere.
        let alone = |(name, _): &&(&str, &str)| name.starts_with("HOOKRAIL_") || file == "PreToolUse-Bash";
        for variable in HOSTILE.iter().filter(alone) {
            let answer = answer_with(&project, agent, file, &[*variable]);
            assert!(refuses(&answer, "the user said no"), "{agent} {file} {variable:?}: {answer}");
            assert!(!is_pwned(&project), "{agent} {file} {variable:?}");
        }
        let answer = answer_with(&project, agent, file, HOSTILE);
        assert!(refuses(&answer, "the user said no"), "{agent} {file}: {answer}");
        assert!(!is_pwned(&project), "{agent} {file}");
    }
}

/// What the user's home is for the settings is the home for rules and hooks, too.
#[test]
fn the_home_of_rules_and_hooks_is_that_of_the_settings() {
    let project = TestProject::new();
    let keys = project.home().join("keys/**");
    project.user_settings(&settings(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "writes": { "glob": keys } }, "block": "keys are private" },
        { "type": "command", "command":
            "printf '%s\\n' \"$HOME\" ~ \"${HOOKRAIL_HOME-unset}\" \"${HOOKRAIL_WORKER-unset}\" > seen" },
    ] }] })));
    for home in ["/", "/proc/self/cwd", ""] {
        for line in ["touch ~/keys/a", "touch $HOME/keys/a", "touch \"$HOME\"/keys/a"] {
            let fields = json!({ "tool_input": { "command": line } });
            let text = payload(&project, "claude", "PreToolUse-Bash", &fields);
            let mut command = hookrail(&project, &["bridge", "claude", "PreToolUse"]);
            command.env("HOME", home).env("HOOKRAIL_HOME", home).env("HOOKRAIL_WORKER", "1");
            let answer = answer_of(command, &text);
            assert!(refuses(&answer, "keys are private"), "{home} {line}: {answer}");
        }
        let home = project.home().display().to_string();
        assert_eq!(project.read("seen"), format!("{home}\n{home}\nunset\nunset\n"));
    }
}

/// A script of every kind does what it was written for, whatever a project says to its interpreter.
#[test]
fn no_variable_makes_a_hook_run_something_else() {
    let project = TestProject::new();
    trap(&project, "bin/cat");
    let shell = trap(&project, "start.sh");
    let python =
        project.file("python/sitecustomize.py", format!("open({:?}, 'w')\n", project.dir().join("pwned")));
    project.file("python/json.py", format!("open({:?}, 'w')\n", project.dir().join("pwned")));
    let node = project
        .file("start.cjs", format!("require('fs').writeFileSync({:?}, '')\n", project.dir().join("pwned")));
    project.file("git/git/config", format!("[core]\n\tfsmonitor = {shell:?}\n"));
    let perl =
        project.file("perl/Trap.pm", format!("open(my $f, '>', {:?}); 1;\n", project.dir().join("pwned")));
    let (shell, python) = (shell.display().to_string(), python.parent().unwrap().display().to_string());
    let (perl, git) =
        (perl.parent().unwrap().display().to_string(), project.dir().join("git").display().to_string());
    let function = format!("() {{ {shell}; }}");
    let require = format!("--require {}", node.display());
    let variables: &[(&str, &str)] = &[
        ("BASH_ENV", &shell),
        ("ENV", &shell),
        ("BASH_FUNC_cat%%", &function),
        ("SHELLOPTS", "noexec"),
        ("BASHOPTS", "extdebug"),
        ("PS4", &format!("$({shell})")),
        ("CDPATH", "elsewhere"),
        ("PATH", &format!("/proc/self/cwd/bin:bin:.:{}", std::env::var("PATH").unwrap())),
        ("PYTHONPATH", &python),
        ("PYTHONHOME", &python),
        ("PYTHONSTARTUP", &shell),
        ("PYTHONUSERBASE", &python),
        ("NODE_OPTIONS", &require),
        ("NODE_PATH", &python),
        ("PERL5LIB", &perl),
        ("PERL5OPT", "-MTrap"),
        ("XDG_CONFIG_HOME", &git),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", &shell),
        ("GIT_DIR", &git),
        ("LD_PRELOAD_32", "x"),
        ("GCONV_PATH", &python),
        ("OPENSSL_CONF", &shell),
        ("HOOKRAIL_WORKER", "1"),
    ];
    // With `CDPATH` a shell would go to the second one.
    fs::create_dir_all(project.dir().join("sub")).unwrap();
    project.file("elsewhere/sub/file", "");
    let mut init = Command::new("git");
    assert!(init.args(["init", "-q"]).current_dir(project.dir()).status().unwrap().success());
    let no = "echo the user said no >&2; exit 2";
    // Each command with the beginnings of the variables that are tried on it alone; all of them together afterwards.
    for (command, tried) in [
        (format!("cat > /dev/null; {no}"), &["BASH", "ENV", "SHELLOPTS", "PS4", "PATH"][..]),
        (format!("bash -c 'cat > /dev/null; {no}'"), &[]),
        (format!("sh -c 'cat > /dev/null; {no}'"), &[]),
        (format!("git status --porcelain > /dev/null && {no}"), &["GIT_", "XDG_"]),
        (format!("cd sub && [ -z \"$(ls)\" ] && {no}"), &["CDPATH"]),
        (format!("python3 -c 'import json, sys; json.load(sys.stdin)' && {no}"), &["PYTHON", "OPENSSL"]),
        (format!("perl -e 'local $/; <STDIN>' && {no}"), &["PERL"]),
        (format!("node -e 'require(\"fs\")' && {no}"), &["NODE_"]),
    ] {
        let program = command.split(' ').next().unwrap();
        if ["node", "perl"].contains(&program) && Command::new(program).arg("-v").output().is_err() {
            continue; // Not on this machine.
        }
        project.user_settings(&settings(&json!({ "BeforeTool": [{ "hooks": [
            { "type": "command", "command": command, "timeout": 30_000 },
        ] }] })));
        let is_tried = |(name, _): &&(&str, &str)| tried.iter().any(|start| name.starts_with(start));
        for variable in variables.iter().filter(is_tried).map(std::slice::from_ref).chain([variables]) {
            let answer = answer_with(&project, "claude", "PreToolUse-Bash", variable);
            assert!(refuses(&answer, "the user said no"), "{command} {variable:?}: {answer}");
            assert!(!is_pwned(&project), "{command} {variable:?}");
        }
    }
}

/// Hooks of the user search along the stored `PATH`, those of a project along the agent's.
#[test]
fn each_level_has_its_own_search_path() {
    let project = TestProject::new();
    let show = |file: &str| json!({ "hooks": [{ "type": "command", "command": format!("echo \"$PATH\" > {file}") }] });
    project.user_settings(&settings(&json!({ "BeforeTool": [show("user")] })));
    project.settings(&settings(&json!({ "BeforeTool": [show("project")] })));
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    let inside = project.dir().join("venv/bin");
    fs::create_dir_all(&inside).unwrap();
    let agents = format!(":{}:relative:/proc/self/cwd/bin:/usr/bin:/bin:", inside.display());
    let seen = || {
        answer_with(&project, "claude", "PreToolUse-Bash", &[("PATH", &agents)]);
        (project.read("user").trim().to_owned(), project.read("project").trim().to_owned())
    };
    let of_project = format!("{}:/usr/bin:/bin", inside.display());
    assert_eq!(seen(), ("/usr/bin:/bin".to_owned(), of_project.clone()));
    let stored = json!({ "path": format!("{}:/opt/tools:/usr/bin:x:/bin", inside.display()) });
    let state = hookrail_state(&project);
    fs::write(state.join("connect.json"), stored.to_string()).unwrap();
    assert_eq!(seen(), ("/opt/tools:/usr/bin:/bin".to_owned(), of_project.clone()));
    // Somebody else's file is not believed.
    fs::set_permissions(state.join("connect.json"), fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(seen(), ("/usr/bin:/bin".to_owned(), of_project));
}

/// Where approvals are, and so everything else that the program keeps.
fn hookrail_state(project: &TestProject) -> PathBuf {
    let log = crate::program::log_path(project);
    log.parent().map(Path::to_owned).unwrap()
}

/// A hook may set for itself what it does not inherit.
#[test]
fn a_hook_sets_for_itself_what_it_does_not_inherit() {
    let project = TestProject::new();
    project.file("start.sh", "echo started >> started\n");
    project.user_settings(&settings(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "true; true", "env": { "BASH_ENV": project.dir().join("start.sh") } },
    ] }] })));
    answer_with(&project, "claude", "PreToolUse-Bash", &[]);
    assert_eq!(project.read("started"), "started\n");
}

/// A hook that starts an agent, whose entry calls the bridge: that one answers nothing, and only that one.
#[test]
fn a_bridge_inside_of_a_bridge_answers_nothing() {
    let project = TestProject::new();
    let call = payload(&project, "claude", "PreToolUse-Bash", &json!({}));
    let call = project.file("call.json", call);
    let inner = hookrail(&project, &["bridge", "claude", "PreToolUse"]);
    let words: Vec<String> = std::iter::once(inner.get_program())
        .chain(inner.get_args())
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .collect();
    // An entry of ours is not run as a hook, so it is in a file.
    project.file(
        "agent.sh",
        format!("{} < '{}' > inner.txt\necho $? >> inner.txt\n", words.join(" "), call.display()),
    );
    project.user_settings(&settings(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "sh -c 'sh agent.sh; true'; echo \"$HOOKRAIL_BRIDGE\" > mark; echo no >&2; exit 2" },
    ] }] })));
    let answer = answer_with(&project, "claude", "PreToolUse-Bash", &[]);
    assert!(refuses(&answer, "no"), "{answer}");
    assert_eq!(project.read("inner.txt"), "0\n", "the inner one is silent");
    // The mark of a bridge that is over, or of another process above, is worth nothing.
    let mark = project.read("mark").trim().to_owned();
    let with_start = |id: u32| {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        let fields: Vec<&str> = text.rsplit_once(')').unwrap().1.split_whitespace().collect();
        format!("{id} {}", fields[19])
    };
    let others: &[u32] = if cfg!(target_os = "linux") { &[std::process::id(), 1] } else { &[] };
    let others = others.iter().map(|id| with_start(*id));
    for forged in [mark, "1".to_owned(), "yes".to_owned()].into_iter().chain(others) {
        let answer = answer_with(&project, "claude", "PreToolUse-Bash", &[("HOOKRAIL_BRIDGE", &forged)]);
        assert!(refuses(&answer, "no"), "{forged}: {answer}");
    }
}

/// The system starts no program whose arguments and variables are too large together: 2 MiB, as a rule.
#[test]
fn an_environment_that_is_almost_too_large_keeps_no_guard_from_starting() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": format!("echo the user said no >&2; exit 2 # {}", "x".repeat(4096)) },
    ] }] }));
    let text = payload(&project, "claude", "PreToolUse-Bash", &json!({}));
    let bridge = |variables: &[(String, String)]| {
        let mut command = hookrail(&project, &["bridge", "claude", "PreToolUse"]);
        command.envs(variables.iter().cloned());
        command
    };
    // As much as still lets the bridge itself start.
    let (mut variables, mut length) = (Vec::new(), 100_000);
    while length > 200 && variables.len() < 200 {
        variables.push((format!("V{}", variables.len()), "x".repeat(length)));
        if bridge(&variables).output().is_err() {
            variables.pop();
            length /= 2;
        }
    }
    assert!(length <= 200, "a system without a limit");
    let command = bridge(&variables);
    let answer = answer_of(command, &text);
    assert!(refuses(&answer, "the user said no"), "{answer}");
}

/// A debug log is not a part of an answer.
#[test]
fn a_bridge_writes_no_debug_log() {
    let project =
        with_hooks(&json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": "true" }] }] }));
    for (agent, before, _) in SHELL_CALLS {
        let event = before.split('-').next().unwrap();
        let text = project.file("call.json", payload(&project, agent, before, &json!({})));
        let output = hookrail(&project, &["bridge", agent, event])
            .envs([("RUST_LOG", "trace"), ("DEBUG", "llxprt:core:hooks:*")])
            .stdin(fs::File::open(text).unwrap())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{agent}");
    }
}
