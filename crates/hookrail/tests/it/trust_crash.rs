//! Approvals by several threads and processes at once, and by processes that are killed in the middle.

#![expect(clippy::expect_used, reason = "helpers of tests fail them by panicking")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hookrail::components::{HookTrust, Matcher};
use hookrail::{ApprovalStore, Hook};
use hookrail_testkit::{TestProject, wait_until};
use serde_json::Value;

use crate::kit::store;

/// Set for the helper process: `<state dir>|<project>|<label>|<how many>`.
const TASK: &str = "HOOKRAIL_TEST_APPROVE";

/// Hooks that have nothing in common, so that none is taken for the former state of another.
fn hook(command: &str) -> Hook {
    let mut hook = crate::trust::hook(command);
    hook.matcher = Matcher::compile(command);
    hook
}

fn approve(store: &ApprovalStore, project: &Path, command: &str) {
    let review = store.pending(project, &[hook(command)], &Value::Null);
    store.approve(&review, &review.pending.iter().collect::<Vec<_>>()).expect("an approval");
}

fn is_approved(store: &ApprovalStore, project: &Path, command: &str) -> bool {
    let judgement = store.judge(project, [hook(command)], &Value::Null);
    assert_eq!(judgement.problem, None, "the store can always be read");
    judgement.hooks.first().is_some_and(|hook| hook.trust == HookTrust::Approved)
}

/// The body of the helper process: approves one hook after another and notes each one that was acknowledged.
/// Without the variable it is an empty test.
#[test]
fn helper_process_that_approves() {
    let Ok(task) = std::env::var(TASK) else { return };
    let parts: Vec<&str> = task.split('|').collect();
    let (store, project, label) =
        (ApprovalStore::new(PathBuf::from(parts[0])), Path::new(parts[1]), parts[2]);
    let mut notes = fs::File::options()
        .append(true)
        .create(true)
        .open(project.join(format!("{label}.notes")))
        .expect("a file for notes");
    for number in 0..parts[3].parse::<u32>().expect("a number") {
        approve(&store, project, &command(label, number));
        writeln!(notes, "{number}").expect("a note");
    }
}

fn command(label: &str, number: u32) -> String {
    format!("echo {label} {number}")
}

fn spawn_helper(project: &TestProject, label: &str, count: u32) -> Child {
    let state = store(project).path().parent().expect("a folder").display().to_string();
    Command::new(std::env::current_exe().expect("this test binary"))
        .args(["--exact", "trust_crash::helper_process_that_approves", "--test-threads", "1"])
        .env(TASK, format!("{state}|{}|{label}|{count}", project.dir().display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a helper process")
}

/// How many approvals were acknowledged to a helper; a torn last line does not count.
fn acknowledged(project: &TestProject, label: &str) -> u32 {
    let notes = fs::read_to_string(project.dir().join(format!("{label}.notes"))).unwrap_or_default();
    u32::try_from(notes.matches('\n').count()).expect("few notes")
}

#[test]
fn threads_approving_hooks_of_one_settings_file_lose_nothing() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    // Alike in everything but the command, as in real settings; everybody sees all and approves one.
    let hooks: Vec<Hook> = (0..24).map(|number| crate::trust::hook(&command("same", number))).collect();
    std::thread::scope(|scope| {
        for mine in 0..hooks.len() {
            let (store, dir, hooks) = (&store, &dir, &hooks);
            scope.spawn(move || {
                let review = store.pending(dir, hooks, &Value::Null);
                let waits = |pending: &&hookrail::approvals::Pending| pending.hook.name == hooks[mine].name;
                let chosen: Vec<_> = review.pending.iter().filter(waits).collect();
                assert_eq!(chosen.len(), 1);
                store.approve(&review, &chosen).expect("an approval");
            });
        }
    });
    let judgement = store.judge(&dir, &hooks, &Value::Null);
    assert_eq!(judgement.hooks.len(), 24);
    assert!(judgement.hooks.iter().all(|hook| hook.trust == HookTrust::Approved));
}

#[test]
fn threads_approving_at_once_lose_nothing() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (store, dir) = (&store, &dir);
            scope.spawn(move || {
                (0..6).for_each(|number| approve(store, dir, &command(&format!("t{thread}"), number)));
            });
        }
    });
    let listed = store.list(&dir).expect("a readable store").expect("the project");
    assert_eq!(listed.hooks.len(), 48);
}

#[test]
fn processes_approving_at_once_lose_nothing() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let helpers: Vec<_> = (0..6).map(|number| spawn_helper(&project, &format!("p{number}"), 8)).collect();
    for mut helper in helpers {
        assert!(helper.wait().expect("an ended helper").success());
    }
    for process in 0..6 {
        for number in 0..8 {
            let command = command(&format!("p{process}"), number);
            assert!(is_approved(&store, &dir, &command), "`{command}` was lost");
        }
    }
}

#[test]
fn a_process_killed_while_approving_tears_nothing_and_loses_nothing() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    approve(&store, &dir, "echo before");
    // A plain generator makes the moments differ from round to round, and a failure repeatable enough.
    let mut random = 0x2545_F491_u32;
    let mut total = 0;
    for round in 0..20 {
        let label = format!("k{round}");
        let mut helper = spawn_helper(&project, &label, 10_000);
        let ready = || acknowledged(&project, &label) > 0;
        wait_until(Duration::from_secs(30), "the helper's first approval", ready);
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        std::thread::sleep(Duration::from_micros(u64::from(random >> 16) % 20_000));
        helper.kill().expect("a killed helper");
        helper.wait().expect("an ended helper");
        assert!(is_approved(&store, &dir, "echo before"), "round {round}");
        let listed = store.list(&dir).expect("a readable store").expect("the project");
        let commands: Vec<_> =
            listed.hooks.iter().filter_map(|approval| approval.terms.command.clone()).collect();
        for number in 0..acknowledged(&project, &label) {
            let command = command(&label, number);
            assert!(commands.contains(&command), "round {round}: `{command}` was acknowledged and lost");
            total += 1;
        }
    }
    assert!(total >= 20, "{total}");
    // The next change removes what the killed ones left behind.
    approve(&store, &dir, "echo after");
    let state = store.path().parent().expect("a folder").to_owned();
    let mut names: Vec<_> = fs::read_dir(state)
        .expect("the state folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["approvals.json", "approvals.lock"]);
}
