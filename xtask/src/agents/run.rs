//! One run of one agent in one scenario.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use hookrail_testkit::scripted_model::ScriptedModel;

use super::program::{Program, write};
use super::scenario::{Observed, Scenario, settings};

/// How long an agent may take. They need a few seconds.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs the agent and says what was observed.
pub(super) fn observe(
    program: &Program,
    executable: &Path,
    hookrail: &Path,
    scenario: &Scenario,
    keep: bool,
) -> Result<String> {
    let base = tempfile::Builder::new().prefix(&format!("hookrail-{}-", program.name)).tempdir()?;
    let place = Place::make(base.path())?;
    let model = ScriptedModel::start(scenario.turns());
    (program.prepare)(&place.home, &model.url())?;
    let mut connect = place.command(hookrail);
    let connected = connect.args(["connect", program.name]).stdin(Stdio::null()).output()?;
    if !connected.status.success() {
        bail!("connect failed: {}", String::from_utf8_lossy(&connected.stderr));
    }
    let text = if scenario.broken { "{ \"enableHooks\": ".to_owned() } else { settings().to_string() };
    write(&place.home.join(".llxprt/settings.json"), &text)?;

    let mut command = place.command(executable);
    command.args((program.arguments)(scenario.prompt)).envs((program.environment)(&model.url()));
    let has_ended = run(command, &place)?;
    let calls = model.calls();
    let observed = (scenario.read)(&Observed { work: &place.work, calls: &calls }).to_owned();
    if keep {
        let calls: Vec<String> = calls.iter().map(|call| format!("{} {}", call.path, call.body)).collect();
        write(&base.path().join("calls.txt"), &calls.join("\n"))?;
        eprintln!("kept {}", base.keep().display());
    }
    Ok(if has_ended { observed } else { format!("{observed}; the run does not end") })
}

/// The folders of a run.
struct Place {
    home: PathBuf,
    work: PathBuf,
    base: PathBuf,
}

impl Place {
    fn make(base: &Path) -> Result<Self> {
        let place = Self { home: base.join("home"), work: base.join("work"), base: base.to_owned() };
        for folder in [&place.home, &place.work, &base.join("tmp")] {
            fs::create_dir_all(folder)?;
        }
        fs::create_dir_all(place.work.join(".git"))?;
        write(&place.work.join("victim.txt"), "alive\n")?;
        Ok(place)
    }

    /// A program with an environment of its own: nothing of the developer's home is seen or changed.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.work)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .env("TMPDIR", self.base.join("tmp"))
            .env("HOOKRAIL_SYSTEM_SETTINGS", self.base.join("no-system-settings.json"))
            .env("SHELL", "/bin/bash")
            .env("NO_COLOR", "1")
            .env("TERM", "dumb");
        command
    }
}

/// Runs a program to its end, or ends its group when it takes too long; whether it ended by itself. What it prints is
/// kept beside its folders.
fn run(mut command: Command, place: &Place) -> Result<bool> {
    let stream = |name: &str| fs::File::create(place.base.join(name));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stream("stdout.txt")?)
        .stderr(stream("stderr.txt")?)
        .process_group(0)
        .spawn()
        .context("it cannot be started")?;
    let started = Instant::now();
    let mut is_over = false;
    while !is_over && started.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
        is_over = child.try_wait()?.is_some();
    }
    // What it left running goes with it.
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.wait();
    Ok(is_over)
}
