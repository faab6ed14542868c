//! One run of one agent.
//!
//! Every run gets its own home, working folder and copy of hookrail, so that runs cannot see each other's sessions,
//! approvals or logs, and a scenario may break any of them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::model::{ModelCall, Script, ScriptedModel, Turn};
use crate::observed::{Ending, Observed};
use crate::program::{Program, write};
use crate::scenario::{ANSWER, Broken, HARMLESS, SETTINGS, Scenario};
use crate::texts::TEXTS;

/// How long an agent may take. They need a few seconds, and more on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);
/// A longer file cannot be the record of a short session.
const LONGEST_RECORD: u64 = 4 << 20;
/// The text by which the model recognises the conversation of a subagent.
pub(crate) const SUBTASK: &str = "SUBTASK-FOR-THE-AGENT-BELOW";

/// What is under test: an agent's program, and hookrail's.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The agent.
    pub program: &'a Program,
    /// Its executable.
    pub executable: &'a Path,
    /// The program of hookrail.
    pub hookrail: &'a Path,
    /// Whether the folders of the runs stay; their place is reported on stderr.
    pub keep: bool,
    /// Where the payloads are kept that the agent gives its hook.
    pub record: Option<&'a Path>,
    /// Whether it is known to answer at the end of a run: what the silence of other runs is compared with.
    pub answers: bool,
}

/// One run of the agent, in which the model does what all of these scenarios want, one after the other; looked at
/// before its folders go. The first scenario decides about everything else.
pub(crate) fn attempt(
    subject: &Subject<'_>,
    scenarios: &[&Scenario],
    patience: Duration,
    look: impl FnOnce(&Observed<'_>),
) -> Result<()> {
    let Subject { program, executable, hookrail, keep, record, answers } = *subject;
    let Some(scenario) = scenarios.first() else { bail!("there is nothing to do") };
    let (base, room) = Room::of(program)?;
    // A copy, because a scenario may move it.
    fs::copy(hookrail, room.hookrail()).context("cannot copy hookrail")?;
    let mut turns: Vec<Turn> =
        scenarios.iter().flat_map(|each| each.turns(program, &room.work).unwrap_or_default()).collect();
    for turn in &mut turns {
        // Where `connect` puts the program is known only after it ran, so scenarios name it by a word.
        turn.replace("{base}", &base.path().to_string_lossy());
    }
    turns.push(Turn::Say(ANSWER.to_owned()));
    let below = scenarios.iter().find_map(|each| each.below.as_ref());
    let subagent =
        below.map(|command| (SUBTASK.to_owned(), vec![Turn::shell(command), Turn::Say(ANSWER.to_owned())]));
    let model = ScriptedModel::start(Script { turns, subagent })?;
    let mcp = scenarios.iter().any(|each| each.needs_mcp).then(|| room.write_mcp_server()).transpose()?;
    program.prepare(&room.home, &model.url(), mcp.as_deref())?;
    let text = match scenario.broken {
        Broken::Settings => "{ \"enableHooks\": ",
        Broken::Nothing | Broken::Program => TEXTS.get(SETTINGS),
    };
    room.run_hookrail(&["connect", &program.name])?;
    write(&room.home.join(".hookrail/settings.json"), text)?;
    for each in scenarios {
        each.set_up(&room)?;
    }
    if scenario.broken == Broken::Program {
        fs::remove_file(room.entry_program())?;
    } else if record.is_some() {
        room.record_payloads()?;
    }

    let started = Instant::now();
    let declares_all = scenarios.iter().any(|each| each.declares_all());
    let model_name = program.model(declares_all);
    let mut runs = vec![(&program.arguments, &scenario.prompt)];
    runs.extend(program.go_on.as_ref().zip(scenarios.iter().find_map(|each| each.next_prompt.as_ref())));
    let mut ending = Ending::TimedOut;
    for (arguments, prompt) in runs {
        let mut command = room.command(executable);
        command.current_dir(room.work.join(&scenario.folder));
        program.complete(&mut command, arguments, prompt, model_name, &model.url());
        if declares_all {
            program.all_tools.apply(&room.work, &mut command)?;
        }
        ending = run(command, &room, patience)?;
    }
    let took = started.elapsed();
    let calls = model.calls();
    let read = |file: &str| fs::read(base.path().join(file)).unwrap_or_default();
    let printed = [read("stdout.txt"), read("stderr.txt")].concat();
    let log = read("home/.hookrail/log.jsonl");
    look(&Observed {
        work: &room.work,
        calls: &calls,
        printed: &String::from_utf8_lossy(&printed),
        recorded: &records(&room.home)?,
        program,
        answers_otherwise: answers,
        log: &String::from_utf8_lossy(&log),
        ending,
        took,
    });
    if let Some(folder) = record {
        room.keep_payloads(&folder.join(&program.name), &scenario.name)?;
    }
    if keep {
        let calls: Vec<String> = calls.iter().map(|call| format!("{} {}", call.path, call.body)).collect();
        write(&base.path().join("calls.txt"), &calls.join("\n"))?;
        #[expect(clippy::print_stderr, reason = "whoever keeps folders looks for them")]
        {
            eprintln!("kept {} ({ending:?}, {} s)", base.keep().display(), took.as_secs());
        }
    }
    Ok(())
}

/// A run of an agent without hookrail. Its folders go with this value.
pub struct RunAlone {
    /// The project.
    pub work: PathBuf,
    /// The turns that the model was asked for.
    pub calls: Vec<ModelCall>,
    _base: tempfile::TempDir,
}

/// Runs an agent with hooks of its own, without hookrail. `set_up` fills the project and says what the model does.
pub fn run_alone(
    program: &Program,
    executable: &Path,
    prompt: &str,
    set_up: impl FnOnce(&Path) -> Result<Vec<Turn>>,
) -> Result<RunAlone> {
    let (base, room) = Room::of(program)?;
    let mut turns = set_up(&room.work)?;
    turns.push(Turn::Say(ANSWER.to_owned()));
    let model = ScriptedModel::start(Script { turns, subagent: None })?;
    let mcp = room.write_mcp_server()?;
    program.prepare(&room.home, &model.url(), Some(&mcp))?;
    let mut command = room.command(executable);
    program.complete(&mut command, &program.arguments, prompt, program.model(true), &model.url());
    program.all_tools.apply(&room.work, &mut command)?;
    run(command, &room, PATIENCE)?;
    Ok(RunAlone { work: room.work, calls: model.calls(), _base: base })
}

/// What the agent wrote about its session: the lines of its own files, as text. hookrail's files and libraries that the
/// agent unpacked are not among them.
fn records(folder: &Path) -> Result<String> {
    const NOT_ITS_OWN: [&str; 3] = [".llxprt", ".hookrail", "node_modules"];
    let mut text = String::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() && !NOT_ITS_OWN.iter().any(|name| entry.file_name() == *name) {
            text.push_str(&records(&entry.path())?);
        } else if kind.is_file() && entry.metadata()?.len() <= LONGEST_RECORD {
            text.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default()));
            text.push('\n');
        }
    }
    Ok(text)
}

/// The version that an agent's program prints, in a home directory of its own; `None` if it does not soon.
pub fn version(executable: &Path) -> Result<Option<String>> {
    let base = tempfile::Builder::new().prefix("hookrail-version-").tempdir()?;
    let room = Room::make(base.path())?;
    let mut command = room.command(executable);
    command.arg("--version");
    run(command, &room, Duration::from_secs(20))?;
    let printed = fs::read_to_string(base.path().join("stdout.txt"))?;
    Ok(version_in(&printed).map(str::to_owned))
}

/// The version in what a program prints about itself: `2.1.327 (Claude Code)`, `GitHub Copilot CLI 1.0.102.`
pub fn version_in(printed: &str) -> Option<&str> {
    let is_border = |sign: char| sign.is_whitespace() || matches!(sign, '(' | ')' | ',' | '/' | '@');
    printed
        .split(is_border)
        .map(|word| {
            word.trim_start_matches(['v', 'V']).trim_end_matches(|sign: char| !sign.is_alphanumeric())
        })
        .find(|word| word.starts_with(|sign: char| sign.is_ascii_digit()) && word.contains('.'))
}

/// What the agent offers its model in a first request, under each name of the model and all at once; and once more with
/// everything that is off unless somebody switches it on.
pub fn first_requests(program: &Program, executable: &Path) -> Result<Vec<ModelCall>> {
    let mut requests = Vec::new();
    let ways = || [None].into_iter().chain(program.further_tools.as_ref().map(Some));
    for (model_name, further) in program.models.iter().flat_map(|name| ways().map(move |way| (name, way))) {
        let (_base, room) = Room::of(program)?;
        let turns = vec![Turn::Say(ANSWER.to_owned())];
        let model = ScriptedModel::start(Script { turns, subagent: None })?;
        program.prepare(&room.home, &model.url(), None)?;
        let mut command = room.command(executable);
        program.complete(&mut command, &program.arguments, &HARMLESS.prompt, model_name, &model.url());
        for switches in [Some(&program.all_tools), further].into_iter().flatten() {
            switches.apply(&room.work, &mut command)?;
        }
        run(command, &room, PATIENCE)?;
        let first = model.calls().into_iter().next();
        requests.push(first.with_context(|| format!("{} did not call {model_name:?}", program.title))?);
    }
    Ok(requests)
}

/// The folders of a run.
pub(crate) struct Room {
    /// The home directory.
    pub(crate) home: PathBuf,
    /// The project.
    pub(crate) work: PathBuf,
    /// The folder of both.
    pub(crate) base: PathBuf,
}

impl Room {
    /// A room for one run, in a temporary folder that goes when it is dropped.
    fn of(program: &Program) -> Result<(tempfile::TempDir, Self)> {
        let base = tempfile::Builder::new().prefix(&format!("hookrail-{}-", program.name)).tempdir()?;
        let room = Self::make(base.path())?;
        Ok((base, room))
    }

    fn make(base: &Path) -> Result<Self> {
        let base = base.canonicalize()?;
        let room = Self { home: base.join("home"), work: base.join("work"), base: base.clone() };
        for folder in [&room.home, &room.work, &base.join("tmp"), &base.join("bin")] {
            fs::create_dir_all(folder)?;
        }
        fs::create_dir_all(room.work.join(".git"))?;
        write(&room.work.join("victim.txt"), "alive\n")?;
        Ok(room)
    }

    /// The program that is connected.
    fn hookrail(&self) -> PathBuf {
        self.base.join("bin/hookrail")
    }

    /// The program that the agent's entries name: the copy that `connect` made.
    fn entry_program(&self) -> PathBuf {
        let copy = self.home.join(".hookrail/bin/hookrail");
        if copy.exists() { copy } else { self.hookrail() }
    }

    /// Runs a command of hookrail in the project, which must succeed.
    pub(crate) fn run_hookrail(&self, arguments: &[&str]) -> Result<()> {
        let done = self.command(&self.hookrail()).args(arguments).stdin(Stdio::null()).output()?;
        if !done.status.success() {
            bail!("{} failed: {}", arguments.join(" "), String::from_utf8_lossy(&done.stderr));
        }
        Ok(())
    }

    /// An MCP server whose tool makes `mcp.txt` in the project.
    fn write_mcp_server(&self) -> Result<PathBuf> {
        let script = self.base.join("mcp_server.sh");
        write(&script, include_str!("mcp_server.sh"))?;
        write(&self.base.join("mcp_server.sh.mark"), &self.work.join("mcp.txt").to_string_lossy())?;
        Ok(script)
    }

    /// Puts a script in the place of the program that the entries name, which keeps what it is given.
    fn record_payloads(&self) -> Result<()> {
        let program = self.entry_program();
        let real = program.with_file_name("recorded");
        fs::rename(&program, &real)?;
        let folder = self.base.join("payloads");
        fs::create_dir_all(&folder)?;
        let script = format!(
            "#!/bin/sh\nfile=\"{}/$(date +%s%N)-$$\"\necho \"$*\" > \"$file.args\"\ntee \"$file.json\" | \"{}\" \"$@\"\n",
            folder.display(),
            real.display()
        );
        write(&program, &script)?;
        Ok(fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?)
    }

    /// Copies the payloads of the run.
    fn keep_payloads(&self, into: &Path, scenario: &str) -> Result<()> {
        fs::create_dir_all(into)?;
        let name: String = scenario.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        for entry in fs::read_dir(self.base.join("payloads")).into_iter().flatten() {
            let entry = entry?;
            fs::copy(entry.path(), into.join(format!("{name}-{}", entry.file_name().to_string_lossy())))?;
        }
        Ok(())
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
fn run(mut command: Command, room: &Room, patience: Duration) -> Result<Ending> {
    let stream = |name: &str| fs::File::options().create(true).append(true).open(room.base.join(name));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stream("stdout.txt")?)
        .stderr(stream("stderr.txt")?)
        .process_group(0)
        .spawn()
        .context("it cannot be started")?;
    let started = Instant::now();
    let mut ending = Ending::TimedOut;
    while ending == Ending::TimedOut && started.elapsed() < patience {
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

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn a_version_is_found_in_what_programs_print() {
        for (printed, expected) in [
            ("2.1.327 (Claude Code)\n", Some("2.1.327")),
            ("codex-cli 0.169.0", Some("0.169.0")),
            ("GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.", Some("1.0.102")),
            ("v0.61.0-preview.1", Some("0.61.0-preview.1")),
            ("qwen-code/0.24.4 linux-x64", Some("0.24.4")),
            ("error: no such option", None),
            ("", None),
        ] {
            assert_eq!(version_in(printed), expected, "{printed}");
        }
    }
}
