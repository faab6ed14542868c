//! P8: a cold `hookrail fire`, to its hook under `bash -c` alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::args::Args;
use crate::floor::Floor;
use crate::report::{Report, Target, time};
use crate::stats::{Budget, duel, median};

/// The built program.
pub(crate) struct Program {
    path: PathBuf,
}

impl Program {
    /// Builds it as it is shipped, on Linux as one static binary where the target is installed; it has to have a command.
    pub(crate) fn build(command: &str) -> Result<Self, String> {
        let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
        let shipped = if cfg!(target_os = "linux") { Self::build_for(&["--target", &target]) } else { None };
        let path = shipped.or_else(|| Self::build_for(&[])).ok_or("the program does not build")?;
        let path = copied(&path, Path::new(env!("CARGO_TARGET_TMPDIR")))?;
        let help = Command::new(&path).args([command, "--help"]).output();
        if help.is_ok_and(|output| output.status.success() && !output.stdout.is_empty()) {
            eprintln!("measured: {}", path.display());
            Ok(Self { path })
        } else {
            Err(format!("the program has no command `{command}`"))
        }
    }

    fn build_for(target: &[&str]) -> Option<PathBuf> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["build", "--profile", "dist", "-p", "hookrail-cli"])
            .arg("--message-format=json-render-diagnostics")
            .args(target)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stderr(Stdio::inherit())
            .output()
            .ok()?;
        let messages = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        messages.find_map(|message| message["executable"].as_str().map(PathBuf::from))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &str {
        self.path.to_str().expect("a plain path")
    }

    /// The program in a project.
    pub(crate) fn command(&self, project: &TempDir) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(project.path());
        for (name, value) in variables(project.path()) {
            command.env(name, value);
        }
        command
    }
}

/// A copy of a program in a folder, as `hookrail connect` makes one for agents: what a linker has written is mapped in small
/// pieces, and starts 0.3 ms later.
pub(crate) fn copied(program: &Path, folder: &Path) -> Result<PathBuf, String> {
    let name = program.file_name().ok_or("a program has a name")?;
    let (copy, fresh) = (folder.join(name), folder.join("fresh"));
    std::fs::copy(program, &fresh)
        .and_then(|_| std::fs::rename(&fresh, &copy))
        .map_err(|error| format!("{}: {error}", copy.display()))?;
    Ok(copy)
}

/// Where it finds its settings.
pub(crate) fn variables(project: &Path) -> [(&'static str, PathBuf); 2] {
    [("HOOKRAIL_HOME", project.join("home")), ("HOOKRAIL_SYSTEM_SETTINGS", project.join("none.json"))]
}

/// A project with one group of hooks before every tool, in the user's settings, where no approval is needed.
pub(crate) fn project(group: &str) -> TempDir {
    let project = tempfile::tempdir().expect("makes a temporary folder");
    let settings = project.path().join("home/.llxprt");
    std::fs::create_dir_all(&settings).expect("makes a folder");
    let text = format!(r#"{{"enableHooks": true, "hooks": {{"BeforeTool": [{group}]}}}}"#);
    std::fs::write(settings.join("settings.json"), text).expect("writes settings");
    project
}

/// The agent's own overhead: it replays a session of 1,000 tool calls with hooks off and with one silent hook before
/// each tool. Told, not judged: with a hook, a thousand processes are started.
pub(crate) fn agent(args: &Args, report: &mut Report) {
    const CALLS: usize = 1_000;
    let program = match Program::build("agent") {
        Ok(program) => program,
        Err(why) => return report.skip(AGENT, &why),
    };
    let hook = r#"{"hooks": [{"type": "command", "command": "read -r _; exit 0"}]}"#;
    let (off, on) = (project(hook), project(hook));
    let settings = off.path().join("home/.llxprt/settings.json");
    std::fs::write(settings, r#"{"enableHooks": false}"#).expect("writes settings");
    let mut runs = Vec::new();
    for project in [&off, &on] {
        std::fs::write(project.path().join("note.txt"), "a line\n").expect("writes a file");
        std::fs::write(project.path().join("replay.jsonl"), replay(CALLS)).expect("writes a replay");
        let directory = project.path().to_str().expect("temporary folders have plain names");
        let (program, replay) =
            (program.path.to_str().expect("a plain path"), format!("{directory}/replay.jsonl"));
        let arguments = [
            program,
            "-C",
            directory,
            "agent",
            "-p",
            "go",
            "--approval-mode",
            "yolo",
            "--quiet",
            "--max-turns",
            "2000",
            "--history-budget",
            "100000000",
            "--replay",
            &replay,
        ];
        let run = Floor::program(&arguments, &variables(project.path()));
        if let Some(said) = run.run(b"").into_iter().find(|said| said.code != 0) {
            return report.skip(AGENT, &format!("the agent ends with {}", said.code));
        }
        runs.push(run);
    }
    let [off, on] = &runs[..] else { return };
    let budget = Budget { most: 12, least: 3, ..args.budget() };
    let duel = duel(budget, || drop(off.run(b"")), || drop(on.run(b"")));
    #[allow(clippy::cast_precision_loss, reason = "a small count")]
    let each = |samples: &[f64]| time(median(samples) / CALLS as f64);
    let detail = format!("{} a call, hooks off {}", each(&duel.ours.wall), each(&duel.base.wall));
    report.add(AGENT, duel.wall(), Target::None, detail);
}

const AGENT: &str = "agent, 1,000 tool calls, a silent hook to hooks off, wall";

/// A session in which the model calls a tool ten times in each turn.
fn replay(calls: usize) -> String {
    let call = r#"{"functionCall":{"name":"read_file","args":{"file_path":"note.txt"}}}"#;
    let line = |parts: &str| {
        let candidate =
            format!(r#"{{"content":{{"role":"model","parts":[{parts}]}},"finishReason":"STOP"}}"#);
        format!(r#"{{"method":"generateContentStream","response":[{{"candidates":[{candidate}]}}]}}"#) + "\n"
    };
    line(&[call; 10].join(",")).repeat(calls / 10) + &line(r#"{"text":"done"}"#)
}

/// Compares `fire` with the bare hook.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let program = match Program::build("fire") {
        Ok(program) => program,
        Err(why) => return report.skip("P8 cold fire", &why),
    };
    let payload = crate::engine::small_payload();
    for (bench, command, target) in [
        ("P8 cold fire, shell command, wall", "read -r _; exit 0", 2.0),
        ("P8 cold fire, plain command, wall", "/usr/bin/true", 1.2),
    ] {
        let group = format!(r#"{{"hooks": [{{"type": "command", "command": "{command}"}}]}}"#);
        let project = project(&group);
        let directory = project.path().to_str().expect("temporary folders have plain names");
        let program = program.path.to_str().expect("a plain path");
        let arguments =
            [program, "-C", directory, "fire", "BeforeTool", "--tool", "write_file", "--input", "{}"];
        let fire = Floor::program(&arguments, &variables(project.path()));
        for said in fire.run(b"") {
            assert_eq!(said.code, 0, "`hookrail fire` works: {}", String::from_utf8_lossy(&said.stderr));
        }
        let floor = Floor::shell(&[command.to_owned()]);
        let duel = duel(
            args.budget(),
            || {
                floor.run(&payload);
            },
            || {
                fire.run(b"");
            },
        );
        let (ours, base) = (median(&duel.ours.wall), median(&duel.base.wall));
        report.add(
            bench,
            duel.wall(),
            Target::AtMost(target),
            format!("{}, floor {}", time(ours), time(base)),
        );
    }
}
