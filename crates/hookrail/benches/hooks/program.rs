//! P8: a cold `hookrail fire`, to its hook under `bash -c` alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::args::Args;
use crate::floor::Floor;
use crate::report::{Report, Target, time};
use crate::stats::{duel, median};

/// The built program.
pub(crate) struct Program {
    path: PathBuf,
}

impl Program {
    /// Builds it as users do; it has to have a command.
    pub(crate) fn build(command: &str) -> Result<Self, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["build", "--release", "-p", "hookrail-cli", "--message-format=json-render-diagnostics"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("cannot run cargo: {error}"))?;
        let path = String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .ok_or("the program does not build")?;
        let help = Command::new(&path).args([command, "--help"]).output();
        if help.is_ok_and(|output| output.status.success() && !output.stdout.is_empty()) {
            Ok(Self { path })
        } else {
            Err(format!("the program has no command `{command}`"))
        }
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

fn variables(project: &Path) -> [(&'static str, PathBuf); 2] {
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

/// Compares `fire` with the bare hook.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let program = match Program::build("fire") {
        Ok(program) => program,
        Err(why) => return report.skip("P8 cold fire", &why),
    };
    let payload = crate::engine::small_payload();
    for (bench, command, target) in [
        ("P8 cold fire, shell command, wall", "read -r _; exit 0", 2.5),
        ("P8 cold fire, plain command, wall", "/usr/bin/true", 1.95),
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
