use std::path::PathBuf;
use std::sync::Mutex;

use rustix::process::{Pid, test_kill_process};
use serde_json::{Value, json};

use super::*;
use crate::hook::{Level, Origin};
use crate::output::HookOutput;
use crate::run::inherited_environment;

/// A hook that runs this command.
pub(in crate::run) fn hook(command: &str) -> Arc<Hook> {
    let origin = Origin { level: Level::Project, ..Hook::new(EventName::BeforeTool, "").origin };
    let timeout = Duration::from_secs(30);
    Arc::new(Hook { timeout, origin, ..Hook::new(EventName::BeforeTool, command) })
}

fn hooks(commands: &[&str]) -> Vec<Arc<Hook>> {
    commands.iter().map(|command| hook(command)).collect()
}

fn options() -> RunnerOptions {
    RunnerOptions { grace: Duration::from_millis(200), ..RunnerOptions::new(inherited_environment()) }
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
async fn chained_hooks_run_in_order_one_at_a_time() {
    let (_root, dir) = project();
    let step = |n: u32| format!("echo begin {n} >> log; sleep .{}; echo end {n} >> log", 4 - n);
    let hooks: Vec<_> = (1..=3).map(|n| hook(&step(n))).collect();
    let (runs, input) = runner()
        .execute_hooks_sequential(&hooks, EventName::BeforeTool, object(json!({"a": 1})), &dir, &|_, _| {})
        .await;
    assert_eq!(
        read(&dir, "log").lines().collect::<Vec<_>>(),
        ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"],
        "HOOK-103, HOOK-164"
    );
    assert_eq!((runs.len(), input), (3, object(json!({"a": 1}))));
}

#[tokio::test]
async fn what_a_hook_changes_the_next_one_sees() {
    let tool = |tool_input: Value| json!({"tool_name": "t", "tool_input": tool_input});
    let model = |llm_request: Value| json!({"llm_request": llm_request});
    let set = |key: &str, value: Value| {
        let output = json!({"hookSpecificOutput": {key: value}});
        format!("cat >> seen; echo >> seen; echo '{output}'")
    };
    let (say_nothing, fail) = (
        "cat >> seen; echo >> seen",
        "cat >> seen; echo >> seen; echo '{\"hookSpecificOutput\":{\"tool_input\":{\"a\":9}}}'; exit 1",
    );
    for (ids, event, input, commands, expected) in [
        (
            "HOOK-104, HOOK-106",
            EventName::BeforeTool,
            tool(json!({"a": 1, "keep": true})),
            vec![
                set("tool_input", json!({"a": 2})),
                say_nothing.to_owned(),
                fail.to_owned(),
                set("tool_input", json!({"b": 3})),
            ],
            vec![
                tool(json!({"a": 1, "keep": true})),
                tool(json!({"a": 2, "keep": true})),
                tool(json!({"a": 2, "keep": true})),
                tool(json!({"a": 2, "keep": true})),
                tool(json!({"a": 2, "keep": true, "b": 3})),
            ],
        ),
        (
            "HOOK-105",
            EventName::BeforeModel,
            model(json!({"model": "m", "config": {"temperature": 1}})),
            vec![
                set("llm_request", json!({"model": "n"})),
                set("llm_request", json!({"config": {"topK": 2}})),
            ],
            vec![
                model(json!({"model": "m", "config": {"temperature": 1}})),
                model(json!({"model": "n", "config": {"temperature": 1}})),
                model(json!({"model": "n", "config": {"topK": 2}})),
            ],
        ),
    ] {
        let (_root, dir) = project();
        let hooks: Vec<_> = commands.iter().map(|command| hook(command)).collect();
        let (runs, last) =
            runner().execute_hooks_sequential(&hooks, event, object(input), &dir, &|_, _| {}).await;
        assert_eq!(runs.len(), hooks.len());
        let mut seen: Vec<Value> =
            read(&dir, "seen").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        seen.push(Value::Object(last));
        assert_eq!(seen, expected, "{ids}");
    }
}

#[tokio::test]
async fn a_stop_ends_a_chain_and_a_block_does_where_it_has_an_effect() {
    let block = r#"echo '{"decision":"block","hookSpecificOutput":{"tool_input":{"a":2}}}'"#;
    let deny = r#"echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'"#;
    let stop = r#"echo '{"continue":false}'"#;
    for (event, command, runs_all) in [
        (EventName::BeforeTool, block, false),
        (EventName::BeforeTool, r#"echo '{"decision":"deny"}'"#, false),
        (EventName::BeforeTool, "echo no >&2; exit 2", false),
        (EventName::BeforeTool, deny, false),
        (EventName::BeforeModel, block, false),
        (EventName::BeforeAgent, block, false),
        (EventName::AfterAgent, block, false),
        (EventName::BeforeTool, stop, false),
        (EventName::AfterTool, stop, false),
        (EventName::SessionEnd, stop, false),
        (EventName::BeforeToolSelection, stop, false),
        // A word that does not block goes on, and so does a failure.
        (EventName::BeforeTool, r#"echo '{"decision":"ask"}'"#, true),
        (EventName::BeforeTool, "exit 1", true),
        // Only tools have permissions.
        (EventName::BeforeModel, deny, true),
        // Here a block has no effect at all.
        (EventName::AfterTool, block, true),
        (EventName::AfterModel, block, true),
        (EventName::SessionEnd, block, true),
        (EventName::SessionStart, block, true),
        (EventName::BeforeToolSelection, block, true),
    ] {
        let (_root, dir) = project();
        let input = object(json!({"tool_input": {"a": 1}}));
        let hooks = hooks(&["true;", command, "touch ran"]);
        let (runs, last) =
            runner().execute_hooks_sequential(&hooks, event, input.clone(), &dir, &|_, _| {}).await;
        assert_eq!(
            (runs.len() == 3, dir.join("ran").exists()),
            (runs_all, runs_all),
            "HOOK-107 (L17): {event} {command}"
        );
        assert_eq!(last, input, "HOOK-107: what a blocking hook would change is not used");
    }
}

#[tokio::test]
async fn one_failure_leaves_the_other_answers_alone() {
    let (_root, dir) = project();
    let hooks = hooks(&[r#"echo '{"decision":"allow"}'"#, "echo broken >&2; exit 3", "echo fine"]);
    let runs = runner().execute_hooks_parallel(&hooks, &empty(), &dir).await;
    let health: Vec<_> = runs.iter().map(|run| (run.success(), run.exit.clone())).collect();
    let expected = [(true, Exit::Code(0)), (false, Exit::Code(3)), (true, Exit::Code(0))];
    assert_eq!(health, expected, "HOOK-112");
    assert_eq!(runs[2].output, Some(HookOutput::allow_saying("fine")), "HOOK-112");
    assert_eq!(runs[1].stderr.trim(), "broken");
}

#[tokio::test]
async fn a_plugin_fails_and_its_neighbours_run() {
    let (_root, dir) = project();
    let mut plugin = Hook::clone(&hook(""));
    plugin.kind = HookKind::Plugin;
    let hooks = [Arc::new(plugin), hook("echo ran")];
    let runs = runner().execute_hooks_parallel(&hooks, &empty(), &dir).await;
    assert!(
        matches!(&runs[0].exit, Exit::NotStarted(why) if why.contains("plugin")),
        "HOOK-195: {:?}",
        runs[0].exit
    );
    assert!(!runs[0].success() && runs[0].failure.is_some(), "HOOK-195");
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
    std::fs::write(dir.join("show"), "#!/bin/sh\nprintf '%s|%s' \"$0\" \"$1\"\n").unwrap();
    let mut mode = dir.join("show").metadata().unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    std::fs::set_permissions(dir.join("show"), mode).unwrap();
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
        let mut options = RunnerOptions { direct_execution, ..options() };
        options.environment.push(("INHERITED".into(), "yes".into()));
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
    let mut options = options();
    for name in ["MY_TOKEN", "MY_KEY", "PLAIN"] {
        options.environment.push((name.into(), "inherited".into()));
    }
    options.redaction =
        Redaction { enabled: true, allowed: vec!["MY_KEY".to_owned()], ..Redaction::default() };
    let runner = HookRunner::new(options);
    let command = "echo ${MY_TOKEN-gone} ${MY_KEY-gone} ${PLAIN-gone}";
    let mut with_own = Hook::clone(&hook(command));
    with_own.env = vec![("MY_TOKEN".to_owned(), "own".to_owned())];
    let runs = runner.execute_hooks_parallel(&[hook(command), Arc::new(with_own)], &empty(), &dir).await;
    assert_eq!(stdouts(&runs), ["gone inherited inherited", "own inherited inherited"]);
}

#[tokio::test]
async fn the_limit_holds_across_events_and_the_rest_queues() {
    let (_root, dir) = project();
    std::fs::create_dir(dir.join("running")).unwrap();
    let mut options = options();
    options.limits.max_concurrent = 3;
    let runner = HookRunner::new(options);
    let mut counting = Hook::clone(&hook(": > running/$$; ls running | wc -l; sleep .1; rm running/$$"));
    // Queueing takes longer than this.
    counting.timeout = Duration::from_millis(2500);
    let counting = Arc::new(counting);
    let hooks = vec![counting; 40];
    let payload = empty();
    let (one, other) = tokio::join!(
        runner.execute_hooks_parallel(&hooks, &payload, &dir),
        runner.execute_hooks_parallel(&hooks, &payload, &dir)
    );
    let counts: Vec<u32> =
        stdouts(&one).into_iter().chain(stdouts(&other)).map(|text| text.parse().unwrap()).collect();
    assert_eq!(counts.len(), 80);
    assert!(counts.iter().all(|count| (1..=3).contains(count)), "{counts:?}");
    assert!(counts.contains(&3), "{counts:?}");
}

#[tokio::test]
async fn giving_up_ends_all_hooks() {
    let (_root, dir) = project();
    let command = |n: u32| format!("echo $$ > pid.{n}.new; mv pid.{n}.new pid.{n}; sleep 600");
    let hooks: Vec<_> = (0..6).map(|n| hook(&command(n))).collect();
    let runner = runner();
    let payload = empty();
    let all_run = async {
        while (0..6).any(|n| !dir.join(format!("pid.{n}")).exists()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        runs = runner.execute_hooks_parallel(&hooks, &payload, &dir) => panic!("ended: {runs:?}"),
        () = all_run => {}
    }
    runner.drain().await;
    for n in 0..6 {
        let pid = Pid::from_raw(read(&dir, &format!("pid.{n}")).trim().parse().unwrap()).unwrap();
        assert!(test_kill_process(pid).is_err(), "hook {n} is still there");
    }
}

#[tokio::test]
async fn giving_up_early_leaves_nothing_behind() {
    let (_root, dir) = project();
    let hooks: Vec<_> = (0..4).map(|n| hook(&format!("echo $$ >> pids.{n}; sleep 600"))).collect();
    let runner = runner();
    let payload = empty();
    for pause in 0..12 {
        // From before the first hook is started to after the last.
        let patience = Duration::from_micros(300 * pause);
        let runs = runner.execute_hooks_parallel(&hooks, &payload, &dir);
        assert!(tokio::time::timeout(patience, runs).await.is_err());
        runner.drain().await;
        let pids: Vec<_> = (0..4).map(|n| read(&dir, &format!("pids.{n}"))).collect();
        for pid in pids.iter().flat_map(|pids| pids.split_whitespace()) {
            let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
            assert!(test_kill_process(pid).is_err(), "a hook is still there after {patience:?}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        let later: Vec<_> = (0..4).map(|n| read(&dir, &format!("pids.{n}"))).collect();
        assert_eq!(later, pids, "a hook started after everything was drained");
    }
}

#[tokio::test]
async fn output_is_decoded_and_bounded() {
    let (_root, dir) = project();
    let hooks = hooks(&[r"printf 'a\377b'; printf '\303\244' >&2", "printf 12345678901234567890"]);
    let runs = runner().execute_hooks_parallel(&hooks, &empty(), &dir).await;
    assert_eq!((runs[0].stdout.as_str(), runs[0].stderr.as_str()), ("a\u{fffd}b", "ä"));
    assert_eq!(runs[1].stdout, "12345678901234567890");

    let mut options = options();
    options.limits.max_output_bytes = Some(10);
    let runner = HookRunner::new(options);
    let runs = runner.execute_hooks_parallel(&hooks, &empty(), &dir).await;
    assert_eq!((runs[1].stdout.as_str(), runs[1].success()), ("1234567890", false));

    let large = Payload::new(&"x".repeat(KEPT_OUTPUT)).unwrap();
    assert_eq!(self::runner().terms.keep(&empty()), KEPT_OUTPUT);
    assert_eq!(self::runner().terms.keep(&large), 2 * (KEPT_OUTPUT + 2));
    assert_eq!(runner.terms.keep(&large), 10);
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
        assert!(matches!(&run.exit, Exit::NotStarted(why) if why.contains("gone")), "{:?}", run.exit);
    }
    std::fs::create_dir(&gone).unwrap();
    let runs = runner().execute_hooks_parallel(&hooks(&["pwd"]), &empty(), &gone).await;
    assert_eq!(stdouts(&runs), [gone.to_str().unwrap()]);
}

#[tokio::test]
async fn few_descriptors_are_enough_for_many_hooks() {
    const INSIDE: &str = "HOOKRAIL_TEST_FEW_DESCRIPTORS";
    assert_eq!([1024, 100, 20].map(|limit| descriptor_bound(Some(limit))), [165, 11, 0]);
    assert!(descriptor_bound(None) > 1024);
    if std::env::var_os(INSIDE).is_none() {
        // The limit belongs to a whole process, so this test runs once more in one of its own.
        let status = std::process::Command::new("bash")
            .args(["-c", "ulimit -n 64; exec \"$@\"", "bash"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "run::runner::tests::few_descriptors_are_enough_for_many_hooks"])
            .env(INSIDE, "1")
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&status.stdout);
        assert!(status.status.success() && output.contains("1 passed"), "{output}");
        return;
    }
    assert_eq!(descriptor_limit(), Some(64));
    let (_root, dir) = project();
    let runs = runner().execute_hooks_parallel(&vec![hook("echo $((1+1))"); 400], &empty(), &dir).await;
    assert_eq!(stdouts(&runs), ["2"; 400]);
}

/// What makes starting impossible for good. With so few descriptors hooks run one at a time.
#[test]
fn hooks_that_cannot_start_wait_together() {
    const INSIDE: &str = "HOOKRAIL_TEST_NO_DESCRIPTORS";
    if std::env::var_os(INSIDE).is_none() {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "run::runner::tests::hooks_that_cannot_start_wait_together", "--nocapture"])
            .env(INSIDE, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        return;
    }
    let (_root, dir) = project();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let open = std::fs::read_dir("/proc/self/fd").unwrap().count() as u64;
    let maximum = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
    let limit = rustix::process::Rlimit { current: Some(open), maximum };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    let runner = runner();
    let timeout = Duration::from_millis(400);
    let hook = Arc::new(Hook { timeout, ..Hook::new(EventName::BeforeTool, "echo $((1+1))") });
    let hooks: Vec<Arc<Hook>> = (0..10).map(|_| Arc::clone(&hook)).collect();
    let assert_together = |what: &str, runs: &[HookRun], begin: Instant| {
        assert_eq!(runs.len(), hooks.len(), "R9: {what}");
        for run in runs {
            let Exit::NotStarted(why) = &run.exit else { panic!("{what}: {:?}", run.exit) };
            assert!(why.contains("Too many open files"), "R9: {what}: {why}");
        }
        // One after the other they would take ten times as long.
        assert!((timeout..timeout * 5).contains(&begin.elapsed()), "R9: {what}: {:?}", begin.elapsed());
    };
    runtime.block_on(async {
        let begin = Instant::now();
        let runs = runner.execute_hooks_parallel(&hooks, &empty(), &dir).await;
        assert_together("side by side", &runs, begin);

        let begin = Instant::now();
        let input = object(json!({}));
        let (runs, _) =
            runner.execute_hooks_sequential(&hooks, EventName::BeforeTool, input, &dir, &|_, _| {}).await;
        assert_together("a chain", &runs, begin);
    });
}
