mod chain;
mod limits;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookrail_testkit::write_executable;
use rustix::process::{Pid, test_kill_process};
use serde_json::{Value, json};

use super::*;
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::hook::fixtures::project_hook;
use crate::output::HookOutput;
use crate::run::inherited_environment;
use crate::settings::Redaction;
use crate::verdict::hook_run::Exit;

/// A hook that runs this command.
pub(in crate::run) fn hook(command: &str) -> Arc<Hook> {
    Arc::new(project_hook(command))
}

fn hooks(commands: &[&str]) -> Vec<Arc<Hook>> {
    commands.iter().map(|command| hook(command)).collect()
}

fn options() -> RunnerOptions {
    RunnerOptions { grace: Duration::from_millis(200), ..RunnerOptions::new(inherited_environment()) }
}

/// The same for hooks that inherit these variables as well.
fn with_variables(options: RunnerOptions, more: &[(&str, &str)]) -> RunnerOptions {
    let mut environment = (options.environment)();
    environment.extend(more.iter().map(|(name, value)| (name.into(), value.into())));
    RunnerOptions { environment: Arc::new(move || environment.clone()), ..options }
}

#[tokio::test]
async fn the_environment_is_asked_for_when_a_process_is_started() {
    let (_root, dir) = project();
    let asked = Arc::new(AtomicUsize::new(0));
    let (counted, path) = (Arc::clone(&asked), std::env::var_os("PATH").unwrap());
    let environment = options().environment;
    let options = RunnerOptions {
        environment: Arc::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            environment()
        }),
        trusted_path: Some(Arc::new(move || path.clone())),
        ..options()
    };
    let runner = HookRunner::new(options);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    let hooks = hooks(&["echo one", "echo two"]);
    let runs = runner.execute_hooks_parallel(&hooks, &empty(), &dir).await;
    assert_eq!(stdouts(&runs), ["one", "two"]);
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

pub(super) fn runner() -> HookRunner {
    HookRunner::new(options())
}

fn empty() -> Payload {
    Payload::new(&json!({})).unwrap()
}

fn object(value: serde_json::Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => panic!("not an object: {other}"),
    }
}

pub(super) fn project() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().canonicalize().unwrap();
    (root, dir)
}

fn stdouts(runs: &[HookRun]) -> Vec<&str> {
    runs.iter().map(|run| run.stdout.trim()).collect()
}

fn read(dir: &Path, name: &str) -> String {
    std::fs::read_to_string(dir.join(name)).unwrap_or_default()
}

#[tokio::test]
async fn parallel_hooks_run_at_once_and_answer_in_plan_order() {
    let (_root, dir) = project();
    // Each of them waits for all others, so they can only end if all run at the same time; the first ends last.
    let meet = |n: u32| {
        format!(": > here.{n}; until [ -e here.0 -a -e here.1 -a -e here.2 -a -e here.3 -a -e here.4 ]; do sleep .01; done
            sleep .{}; echo {n}", 8 - n)
    };
    let commands: Vec<String> = (0..5).map(meet).collect();
    let hooks: Vec<_> = commands.iter().map(|command| hook(command)).collect();
    let runs = runner().execute_hooks_parallel(&hooks, &empty(), &dir).await;
    assert_eq!(stdouts(&runs), ["0", "1", "2", "3", "4"], "HOOK-108, HOOK-165");
    for (run, hook) in runs.iter().zip(&hooks) {
        assert!(Arc::ptr_eq(&run.hook, hook));
        assert!(run.success() && run.duration > Duration::ZERO);
    }
    assert!(runner().execute_hooks_parallel(&[], &empty(), &dir).await.is_empty());
}

#[tokio::test]
async fn one_failure_leaves_the_other_answers_alone() {
    let (_root, dir) = project();
    let hooks = hooks(&[r#"echo '{"decision":"allow"}'"#, "echo broken >&2; exit 3", "echo fine"]);
    let runs = runner().execute_hooks_parallel(&hooks, &empty(), &dir).await;
    let health: Vec<_> = runs.iter().map(|run| (run.success(), run.exit().clone())).collect();
    let expected = [(true, Exit::Code(0)), (false, Exit::Code(3)), (true, Exit::Code(0))];
    assert_eq!(health, expected, "HOOK-112");
    assert_eq!(runs[2].output, Some(HookOutput::allow_with_message("fine")), "HOOK-112");
    assert_eq!(runs[1].stderr.trim(), "broken");
}

#[tokio::test]
async fn a_plugin_fails_and_its_neighbours_run() {
    let (_root, dir) = project();
    let mut plugin = Hook::clone(&hook(""));
    plugin.kind = HookKind::Plugin;
    let hooks = [Arc::new(plugin), hook("echo ran")];
    let runs = runner().execute_hooks_parallel(&hooks, &empty(), &dir).await;
    assert_eq!(*runs[0].exit(), Exit::NotStarted(StartFailure::Plugin), "HOOK-195");
    assert!(!runs[0].success() && runs[0].failure().is_some(), "HOOK-195");
    assert!(!runs[0].output.as_ref().is_some_and(HookOutput::is_blocking_decision), "HOOK-195: fails open");
    let (chained, _) = runner()
        .execute_hooks_sequential(&hooks, EventName::BeforeTool, JsonObject::new(), &dir, &|_, _| {})
        .await;
    assert_eq!((stdouts(&runs), stdouts(&chained)), (vec!["", "ran"], vec!["", "ran"]), "HOOK-195");
}

#[tokio::test]
async fn hooks_know_their_project_by_environment_and_by_command() {
    let (_root, dir) = project();
    let dir = dir.join("a; touch \"$HOME\" $(touch x) 'y'");
    std::fs::create_dir(&dir).unwrap();
    let text = dir.to_str().unwrap();
    write_executable(&dir.join("show"), "#!/bin/sh\nprintf '%s|%s' \"$0\" \"$1\"\n");
    let commands = [
        ("$LLXPRT_PROJECT_DIR/show $GEMINI_PROJECT_DIR", format!("{text}/show|{text}")),
        ("\"$LLXPRT_PROJECT_DIR/show\" ${CLAUDE_PROJECT_DIR}/x;", format!("{text}/show|{text}/x")),
        ("./show '$LLXPRT_PROJECT_DIR'", "./show|$LLXPRT_PROJECT_DIR".to_owned()),
        ("printenv LLXPRT_PROJECT_DIR GEMINI_PROJECT_DIR CLAUDE_PROJECT_DIR", [text; 3].join("\n")),
        ("printenv PWD", text.to_owned()),
        ("printenv INHERITED", "yes".to_owned()),
        ("pwd", text.to_owned()),
    ];
    for direct_execution in [true, false] {
        let options = RunnerOptions { direct_execution, ..options() };
        let options = with_variables(options, &[("INHERITED", "yes")]);
        let runner = HookRunner::new(options);
        let hooks: Vec<_> = commands.iter().map(|(command, _)| hook(command)).collect();
        let runs = runner.execute_hooks_parallel(&hooks, &empty(), &dir).await;
        let expected: Vec<_> = commands.iter().map(|(_, expected)| expected.as_str()).collect();
        assert_eq!(stdouts(&runs), expected, "HOOK-188");
    }
    assert_eq!(
        std::fs::read_dir(&dir).unwrap().count(),
        1,
        "HOOK-188: the name of the directory is not a command"
    );
}

#[tokio::test]
async fn redacted_variables_do_not_reach_hooks() {
    let (_root, dir) = project();
    let variables = ["MY_TOKEN", "MY_KEY", "PLAIN"].map(|name| (name, "inherited"));
    let mut options = with_variables(options(), &variables);
    options.redaction =
        Redaction { enabled: Some(true), allowed: vec!["MY_KEY".to_owned()], ..Redaction::default() };
    let runner = HookRunner::new(options);
    let command = "echo ${MY_TOKEN-gone} ${MY_KEY-gone} ${PLAIN-gone}";
    let mut with_own = Hook::clone(&hook(command));
    with_own.env = vec![("MY_TOKEN".to_owned(), "own".to_owned())];
    let runs = runner.execute_hooks_parallel(&[hook(command), Arc::new(with_own)], &empty(), &dir).await;
    assert_eq!(stdouts(&runs), ["gone inherited inherited", "own inherited inherited"]);
}

#[tokio::test]
async fn every_hook_is_announced_before_it_runs() {
    let (_root, dir) = project();
    let started = Arc::new(Mutex::new(Vec::new()));
    let on_start: StartListener = {
        let started = Arc::clone(&started);
        Arc::new(move |hook| started.lock().unwrap().push(hook.name.clone()))
    };
    let runner = HookRunner::new(RunnerOptions { on_start: Some(on_start), ..options() });
    runner.execute_hooks_parallel(&hooks(&["true;", "false;", "exit 2"]), &empty(), &dir).await;
    assert_eq!(*started.lock().unwrap(), ["true;", "false;", "exit 2"]);
}

#[tokio::test]
async fn a_missing_directory_is_a_failure_that_says_so() {
    let (_root, dir) = project();
    let gone = dir.join("gone");
    let runs = runner().execute_hooks_parallel(&hooks(&["cat", "cat;"]), &empty(), &gone).await;
    for run in runs {
        let Exit::NotStarted(StartFailure::NoDirectory { directory, error }) = run.exit() else {
            panic!("{:?}", run.exit())
        };
        assert_eq!((directory, error.kind()), (&gone, std::io::ErrorKind::NotFound));
    }
    std::fs::create_dir(&gone).unwrap();
    let runs = runner().execute_hooks_parallel(&hooks(&["pwd"]), &empty(), &gone).await;
    assert_eq!(stdouts(&runs), [gone.to_str().unwrap()]);
}

#[tokio::test]
async fn without_time_left_nothing_is_started() {
    let (_root, dir) = project();
    let runner = HookRunner::new(RunnerOptions { answer_by: Some(Instant::now()), ..options() });
    let runs = runner.execute_hooks_parallel(&hooks(&["echo ran > ran"]), &empty(), &dir).await;
    assert_eq!(*runs[0].exit(), Exit::NotStarted(StartFailure::NoTimeLeft));
    assert!(!dir.join("ran").exists());
}
