//! One run of one agent in one scenario.
//!
//! Every run gets its own home, working folder and copy of hookrail, so that runs cannot see each other's sessions,
//! approvals or logs, and a scenario may break any of them.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use hookrail_testkit::scripted_model::{ModelCall, ScriptedModel};

use super::observed::{Ending, Observed, describe};
use super::program::{AllTools, Program, write};
use super::scenario::{ANSWER, Broken, HARMLESS, Scenario, settings, turns};

/// How long an agent may take. They need a few seconds, and more on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(2);
/// A longer file is no record of a short session.
const LONGEST_RECORD: u64 = 4 << 20;

/// What is under test: an agent's program, and hookrail's.
pub(super) struct Subject<'a> {
    pub(super) program: &'a Program,
    pub(super) executable: &'a Path,
    pub(super) hookrail: &'a Path,
    /// Whether the folders of the runs stay.
    pub(super) keep: bool,
    /// Whether it answers a harmless prompt, as [`answers`] found.
    pub(super) answers: bool,
}

/// Whether the agent answers a harmless prompt with the same rules: what the silence of other runs is compared with.
pub(super) fn answers(subject: &Subject<'_>) -> Result<bool> {
    let mut answers = false;
    attempt(subject, &HARMLESS, |seen| {
        answers = !seen.calls.is_empty() && seen.user_saw(ANSWER) && seen.ending == Ending::Exited(Some(0));
    })?;
    Ok(answers)
}

/// Runs the agent and returns what was observed.
pub(super) fn observe(subject: &Subject<'_>, scenario: &Scenario) -> Result<String> {
    let mut described = String::new();
    attempt(subject, scenario, |seen| {
        described = describe((scenario.read)(seen), seen);
    })?;
    Ok(described)
}

/// One run, looked at before its folders go.
fn attempt(subject: &Subject<'_>, scenario: &Scenario, look: impl FnOnce(&Observed<'_>)) -> Result<()> {
    let Subject { program, executable, hookrail, keep, answers } = *subject;
    let base = tempfile::Builder::new().prefix(&format!("hookrail-{}-", program.name)).tempdir()?;
    let place = RunFolders::make(base.path())?;
    // A copy, because a scenario may move it.
    fs::copy(hookrail, place.hookrail()).context("cannot copy hookrail")?;
    let model = ScriptedModel::start(turns(scenario.commands, &base.path().to_string_lossy()));
    (program.prepare)(&place.home, &model.url())?;
    let mut connect = place.command(&place.hookrail());
    let connected = connect.args(["connect", program.name]).stdin(Stdio::null()).output()?;
    if !connected.status.success() {
        bail!("connect failed: {}", String::from_utf8_lossy(&connected.stderr));
    }
    let text = match scenario.broken {
        Broken::Settings => "{ \"enableHooks\": ".to_owned(),
        Broken::Nothing | Broken::Program => settings().to_string(),
    };
    write(&place.home.join(".llxprt/settings.json"), &text)?;
    if scenario.broken == Broken::Program {
        fs::remove_file(place.hookrail())?;
    }

    let started = Instant::now();
    let model_name = program.models.first().copied().unwrap_or_default();
    let mut runs = vec![(program.arguments)(scenario.prompt, model_name)];
    let further = program.go_on.zip(scenario.next_prompt);
    runs.extend(further.map(|(arguments, prompt)| arguments(prompt, model_name)));
    let mut ending = Ending::TimedOut;
    for arguments in runs {
        let mut command = place.command(executable);
        command.args(arguments).envs((program.environment)(&model.url(), model_name));
        ending = run(command, &place)?;
    }
    let took = started.elapsed();
    let calls = model.calls();
    let read = |file: &str| fs::read(base.path().join(file)).unwrap_or_default();
    let printed = [read("stdout.txt"), read("stderr.txt")].concat();
    let log = read("home/.llxprt/hookrail/log.jsonl");
    look(&Observed {
        work: &place.work,
        calls: &calls,
        printed: &String::from_utf8_lossy(&printed),
        recorded: &records(&place.home)?,
        signs: program.signs,
        answers_otherwise: answers,
        log: &String::from_utf8_lossy(&log),
        ending,
        took,
    });
    if keep {
        let calls: Vec<String> = calls.iter().map(|call| format!("{} {}", call.path, call.body)).collect();
        write(&base.path().join("calls.txt"), &calls.join("\n"))?;
        eprintln!("kept {} ({ending:?}, {} s)", base.keep().display(), took.as_secs());
    }
    Ok(())
}

/// What the agent wrote about its session: the lines of its own files, as text. hookrail's files and libraries that the
/// agent unpacked are not among them.
fn records(folder: &Path) -> Result<String> {
    let mut text = String::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() && entry.file_name() != ".llxprt" && entry.file_name() != "node_modules" {
            text.push_str(&records(&entry.path())?);
        } else if kind.is_file() && entry.metadata()?.len() <= LONGEST_RECORD {
            text.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default()));
            text.push('\n');
        }
    }
    Ok(text)
}

/// What the agent offers its model in a first request, under each name of the model and all at once.
pub(super) fn first_requests(program: &Program, executable: &Path) -> Result<Vec<ModelCall>> {
    let mut requests = Vec::new();
    for model_name in program.models {
        let base = tempfile::Builder::new().prefix(&format!("hookrail-{}-", program.name)).tempdir()?;
        let place = RunFolders::make(base.path())?;
        let model = ScriptedModel::start(turns(&[], ""));
        (program.prepare)(&place.home, &model.url())?;
        let mut command = place.command(executable);
        command
            .args((program.arguments)(HARMLESS.prompt, model_name))
            .envs((program.environment)(&model.url(), model_name));
        match program.all_tools {
            AllTools::Always => {}
            AllTools::Variable(name, value) => {
                command.env(name, value);
            }
            AllTools::ProjectFile(file, text) => write(&place.work.join(file), text)?,
        }
        run(command, &place)?;
        let first = model.calls().into_iter().next();
        requests.push(first.with_context(|| format!("{} did not call {model_name:?}", program.title))?);
    }
    Ok(requests)
}

/// The folders of a run.
struct RunFolders {
    home: PathBuf,
    work: PathBuf,
    base: PathBuf,
}

impl RunFolders {
    fn make(base: &Path) -> Result<Self> {
        let place = Self { home: base.join("home"), work: base.join("work"), base: base.to_owned() };
        for folder in [&place.home, &place.work, &base.join("tmp"), &base.join("bin")] {
            fs::create_dir_all(folder)?;
        }
        fs::create_dir_all(place.work.join(".git"))?;
        write(&place.work.join("victim.txt"), "alive\n")?;
        Ok(place)
    }

    /// The program that the agent's entries name.
    fn hookrail(&self) -> PathBuf {
        self.base.join("bin/hookrail")
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

/// Runs a program to its end, or ends its group when it takes too long. What it prints is kept beside its folders.
/// The group is killed in either case, because an agent may leave processes behind.
fn run(mut command: Command, place: &RunFolders) -> Result<Ending> {
    let stream = |name: &str| fs::File::options().create(true).append(true).open(place.base.join(name));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stream("stdout.txt")?)
        .stderr(stream("stderr.txt")?)
        .process_group(0)
        .spawn()
        .context("it cannot be started")?;
    let started = Instant::now();
    let mut ending = Ending::TimedOut;
    while ending == Ending::TimedOut && started.elapsed() < TIMEOUT {
        std::thread::sleep(Duration::from_millis(50));
        if let Some(status) = child.try_wait()? {
            ending = Ending::Exited(status.code());
        }
    }
    // What it left running goes with it.
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.wait();
    Ok(ending)
}
