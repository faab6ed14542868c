//! `hookrail demo`: six hooks and a rule at work in the real agent, offline, in a temporary project.
//!
//! How a scene ends is not written here. Each one is played by the engine and the agent, with a replay
//! instead of a model, and printed from the session log that the agent wrote.

mod scenes;
mod story;

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context as _;
use hookrail::settings::SettingsPaths;
use hookrail::{HookSession, SessionEndReason, SessionStartSource, TrustPolicy};
use hookrail_agent::log::SessionLog;
use hookrail_agent::model::ReplayModel;
use hookrail_agent::tools::{BoxFuture, ToolContext, ToolTable};
use hookrail_agent::ui::{AgentEvent, Question, Ui};
use hookrail_agent::{AgentObserver, ApprovalMode, Session, SessionOptions, SessionParts};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use self::scenes::{Scene, scenes};
use self::story::Story;
use crate::exit::ExitStatus;
use crate::terminal::printer::Printer;
use crate::terminal::style::{Style, paint};

/// Plays all scenes.
/// It needs neither a network nor a key, and touches nothing outside of a temporary folder.
pub(crate) fn run(printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let runtime = crate::signals::runtime()?;
    // Dropped, and so removed, on every way out: at the end, on an error and on Ctrl-C.
    let demo = DemoProject::set_up()?;
    let start = Instant::now();
    let hook_runs = runtime.block_on(async {
        tokio::select! {
            biased;
            _ = tokio::signal::ctrl_c() => Ok(None),
            played = play(&demo, printer) => played.map(Some),
        }
    })?;
    let Some(hook_runs) = hook_runs else { return Ok(ExitStatus::Interrupted) };
    let seconds = start.elapsed().as_secs_f64();
    demo.root.close().context("cannot remove the temporary project")?;
    printer
        .data(format_args!("{hook_runs} hook runs in {seconds:.2} s; the temporary project is gone.\n"))?;
    printer.data(NEXT)?;
    Ok(ExitStatus::Success)
}

/// Plays and prints all scenes; returns how many hooks ran.
/// Each scene is printed when it is over, with what its hook was, what happened, and which files are there.
async fn play(demo: &DemoProject, printer: &mut Printer) -> anyhow::Result<usize> {
    printer.data(format_args!(
        "Six hooks and a rule in a temporary project. A replay stands in for the model; the hooks, the \
         agent and the files are real.\n"
    ))?;
    let mut hook_runs = 0;
    for (number, scene) in (1..).zip(&scenes()?) {
        printer.data(paint(Style::Bold, &format!("{number}  {}", scene.title)))?;
        let matcher = scene.matcher.as_ref().map(|matcher| format!(" · matcher {matcher}"));
        let matcher = matcher.unwrap_or_default();
        let head = format!("{}{matcher} · {}", scene.event, scene.what_runs());
        printer.data(format_args!("   {}", paint(Style::Dim, &head)))?;
        for line in scene.shown() {
            printer.data(format_args!("   {} {line}", paint(Style::Dim, "│")))?;
        }
        let (log, shown) = demo.play(scene).await?;
        let story = Story::read(&log, &shown, scene.pattern.as_deref());
        hook_runs += story.hook_runs();
        for line in story.lines() {
            printer.data(line)?;
        }
        for file in &scene.look_at {
            let there = if demo.project().join(file).exists() { "is there" } else { "is not there" };
            printer.data(story::line("files", Style::Plain, &format!("{file} {there}")))?;
        }
        printer.data("")?;
        printer.flush()?;
    }
    Ok(hook_runs)
}

/// Where to go from here, in the order in which people do.
const NEXT: &str = "Next:
  hookrail setup                                protect the coding agents that you have
  hookrail init                                 write your first hook
  hookrail fire BeforeTool --tool write_file    try it, without any agent
  hookrail trust                                approve the hooks of a project";

/// The temporary project and home. Dropping it removes both.
/// Scenes share it, so a later one sees the files of an earlier one.
struct DemoProject {
    root: tempfile::TempDir,
}

impl DemoProject {
    /// The files that the scenes read and write.
    fn set_up() -> anyhow::Result<Self> {
        let root = tempfile::Builder::new()
            .prefix("hookrail-demo-")
            .tempdir()
            .context("cannot make a temporary folder; set TMPDIR to a folder you may write to")?;
        let demo = Self { root };
        let project = demo.project();
        for (path, content) in [
            ("build/app.bin", "the last good build\n"),
            ("config.toml", "port = 8080\n"),
            ("config.toml.in", "port = @PORT@\n"),
            ("src/main.rs", "fn main() {\n    println!(\"hello\");\n}\n"),
        ] {
            write(&project.join(path), content)?;
        }
        fs::create_dir_all(demo.home())?;
        Ok(demo)
    }

    /// The folder in which the agent works.
    fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// A home that has nothing of the person's.
    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Plays a scene in a session of its own: its log, and what a user would have seen of the answer.
    /// The person's own home and settings are hidden from it, so that the demo is the same everywhere.
    async fn play(&self, scene: &Scene) -> anyhow::Result<(Vec<Value>, String)> {
        let project = self.project().canonicalize()?;
        let home = self.home().canonicalize()?;
        if scene.is_script() {
            write(&project.join(format!(".hookrail/hooks/{}.sh", scene.hook)), scene.guard)?;
        }
        write(&project.join(".hookrail/settings.json"), &scene.settings()?.to_string())?;

        let log_path = home.join(format!("{}.jsonl", scene.hook));
        let session_id = format!("demo-{}", scene.hook);
        let log = Arc::new(SessionLog::open(&log_path, &session_id)?);
        let ui = Arc::new(Watcher::default());
        let environment = std::env::vars_os()
            .filter(|(name, _)| name != "HOME" && name != "HOOKRAIL_HOME")
            .chain([("HOME".into(), home.clone().into())])
            .collect();
        let hooks = HookSession::builder(&project, TrustPolicy::ApproveForThisRun)
            .session_id(session_id)
            .transcript_path(log.path())
            .settings_paths(SettingsPaths::at(&project, &home, home.join("no-system-settings.json")))
            .environment(environment)
            .observer(Arc::new(AgentObserver { log: Arc::clone(&log), ui: ui.clone(), next: None }))
            .build();
        let mut session = Session::new(SessionParts {
            hooks,
            model: Arc::new(ReplayModel::parse(format!("{}.jsonl", scene.hook), scene.replay.as_bytes())?),
            tools: ToolTable::standard(),
            context: ToolContext { project, cancel: CancellationToken::new(), ..ToolContext::default() },
            log,
            ui: ui.clone(),
            options: SessionOptions {
                model: "replay".to_owned(),
                approval: ApprovalMode::Yolo,
                max_turns: 5,
                history_budget: 1_000_000,
            },
        });
        if session.start(SessionStartSource::Startup).await.is_ok() {
            // How it ended is in the log, from which the story is printed.
            let _ = session.prompt(&scene.prompt).await;
        }
        session.end(SessionEndReason::Exit, None).await;
        session.hooks().drain().await;
        let lines = fs::read_to_string(&log_path)?;
        let log = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let shown = ui.answer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok((log, shown))
    }
}

impl Scene {
    fn is_script(&self) -> bool {
        self.pattern.is_none()
    }

    /// Runs also where temporary folders hold no executable files.
    fn command(&self) -> String {
        format!("sh .hookrail/hooks/{}.sh", self.hook)
    }

    /// What is started, in a few words.
    fn what_runs(&self) -> String {
        if self.is_script() { self.command() } else { "a rule: nothing is started".to_owned() }
    }

    /// The lines of the script or rule that are worth reading: the interpreter line is left out.
    fn shown(&self) -> impl Iterator<Item = &'static str> {
        self.guard.lines().filter(|line| !line.starts_with("#!"))
    }

    /// The settings file that configures this hook and no other.
    fn settings(&self) -> anyhow::Result<Value> {
        let hook = if self.is_script() {
            json!({ "type": "command", "name": self.hook, "command": self.command() })
        } else {
            serde_json::from_str(self.guard)?
        };
        let mut group = json!({ "hooks": [hook] });
        if let (Some(matcher), Some(group)) = (&self.matcher, group.as_object_mut()) {
            group.insert("matcher".to_owned(), json!(matcher));
        }
        Ok(json!({ "enableHooks": true, "hooks": { self.event.as_str(): [group] } }))
    }
}

/// Keeps what a user would see of the answer.
#[derive(Default)]
struct Watcher {
    /// All pieces that were shown.
    answer: Mutex<String>,
}

impl Ui for Watcher {
    fn notify(&self, event: &AgentEvent<'_>) {
        if let AgentEvent::AnswerText(text) = event {
            self.answer.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        }
    }

    /// A demo asks no person; a question would be a refusal.
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, bool> {
        Box::pin(async { false })
    }
}

fn write(path: &std::path::Path, content: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content).with_context(|| format!("cannot write `{}`", path.display()))
}
