//! Approvals with real files: what is bound, what is asked again, what a broken or foreign store means.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests fail them by panicking")]

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookrail::approvals::HookJudgement;
use hookrail::approvals::{Change, FileContent, Pending, PendingReason, Review, TrustError};
use hookrail::components::{ExtensionName, HookKind, HookTrust, Level, Matcher, OnFailure, Recheck};
use hookrail::{ApprovalStore, DiagnosticCode, EventName, Hook, TrustPolicy};
use hookrail_testkit::{TestProject, make_pipe};
use serde_json::{Value, json};

use crate::kit::store;

/// A project hook without a name of its own.
pub(crate) fn hook(command: &str) -> Hook {
    let mut hook = crate::hook_fixture::hook(command, Level::Project);
    hook.matcher = Matcher::compile("write_.*");
    hook.timeout = Duration::from_secs(10);
    hook.env = vec![("MODE".to_owned(), "strict".to_owned())];
    hook
}

fn approve_all(store: &ApprovalStore, project: &Path, hooks: &[Hook]) -> Review {
    let review = store.pending(project, hooks, &Value::Null);
    store.approve(&review, &review.pending.iter().collect::<Vec<_>>()).expect("an approval");
    review
}

/// One word per hook: `trusted`, `approved`, or why not.
fn verdicts(store: &ApprovalStore, project: &Path, hooks: &[Hook]) -> Vec<String> {
    let judgement = store.judge(project, hooks, &Value::Null);
    assert_eq!(judgement.hooks.len(), hooks.len());
    let words = judgement.hooks.into_iter().map(|HookJudgement { trust, seal, .. }| {
        assert_eq!(seal.is_some(), trust == HookTrust::Approved, "approved hooks are sealed, no others");
        match trust {
            HookTrust::Trusted => "trusted".to_owned(),
            HookTrust::Approved => "approved".to_owned(),
            HookTrust::NotApproved { why } => why,
        }
    });
    words.collect()
}

fn verdict(store: &ApprovalStore, project: &Path, hook: &Hook) -> String {
    verdicts(store, project, std::slice::from_ref(hook)).remove(0)
}

fn changes(pending: &Pending) -> &[Change] {
    match &pending.why {
        PendingReason::Changed { what } => what,
        PendingReason::New => panic!("`{}` counts as new", pending.hook.name),
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").permissions().mode() & 0o7777
}

fn text(text: &str) -> FileContent {
    FileContent::Text { text: text.to_owned() }
}

#[test]
fn only_project_hooks_need_approval() {
    let project = TestProject::new();
    project.script("x.sh", "true");
    let levels = [
        (Level::Project, "it was never approved"),
        (Level::User, "trusted"),
        (Level::System, "trusted"),
        (Level::Extension(ExtensionName::new("git")), "trusted"),
    ];
    for (level, expected) in levels {
        let mut hook = hook("./x.sh");
        hook.origin.level = level;
        assert_eq!(verdict(&store(&project), &project.dir(), &hook), expected, "{}", hook.origin.level);
    }
    assert!(!project.home().join(".hookrail").exists(), "judging writes nothing");
}

/// A change of one property.
type Edit = fn(&mut Hook);

#[test]
fn each_bound_property_is_asked_for_again_and_neighbours_are_not() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    project.script("x.sh", "true");
    let neighbour = hook("echo neighbour");
    let cases: [(&str, Edit); 9] = [
        ("event", |hook| hook.event = EventName::AfterTool),
        ("matcher", |hook| hook.matcher = Matcher::compile(".*")),
        ("matcher", |hook| hook.matcher = Matcher::any()),
        ("command", |hook| {
            hook.kind = HookKind::Command("./x.sh --lenient".to_owned());
            hook.name = "./x.sh --lenient".to_owned();
        }),
        ("timeout", |hook| hook.timeout += Duration::from_nanos(1)),
        ("env", |hook| hook.env[0].1 = "lax".to_owned()),
        ("env", |hook| hook.env.clear()),
        ("onFailure", |hook| hook.on_failure = OnFailure::Block),
        ("sequential", |hook| hook.sequential = true),
    ];
    for (subject, edit) in cases {
        let before = hook("./x.sh");
        store.revoke(&dir, None).expect("a clean start");
        approve_all(&store, &dir, &[before.clone(), neighbour.clone()]);
        let mut after = before.clone();
        edit(&mut after);
        let hooks = [after, neighbour.clone()];
        let expected = [format!("changed since it was approved: {subject}"), "approved".to_owned()];
        assert_eq!(verdicts(&store, &dir, &hooks), expected);
        let review = store.pending(&dir, &hooks, &Value::Null);
        assert_eq!(review.pending.len(), 1, "{subject}");
        assert_eq!(changes(&review.pending[0])[0].subject(), subject);
        assert_eq!(changes(&review.pending[0]).len(), 1, "{subject}");

        // The hook as it was is still approved, also after somebody approved the change.
        assert_eq!(verdict(&store, &dir, &before), "approved", "{subject}");
        approve_all(&store, &dir, &hooks);
        assert_eq!(verdicts(&store, &dir, &hooks), ["approved", "approved"], "{subject}");
        assert_eq!(verdict(&store, &dir, &before), "approved", "{subject}: going back asks nothing");
    }
    // What decides nothing asks nothing.
    let mut renamed = neighbour.clone();
    renamed.name = "another name".to_owned();
    renamed.description = Some("described".to_owned());
    renamed.origin.line = 99;
    assert_eq!(verdict(&store, &dir, &renamed), "approved");
}

#[test]
fn a_swapped_script_asks_again_and_shows_the_difference() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    project.file("hooks/x.py", "print('old')\n");
    let guard = hook("python3 hooks/x.py");
    let first = approve_all(&store, &dir, std::slice::from_ref(&guard));
    assert_eq!(first.pending[0].why, PendingReason::New);
    assert_eq!(first.pending[0].files.len(), 1);
    assert_eq!(first.pending[0].files[0].content(), text("print('old')\n"));

    project.file("hooks/x.py", "print('new')\n");
    assert_eq!(verdict(&store, &dir, &guard), "changed since it was approved: file `hooks/x.py`");
    let review = store.pending(&dir, std::slice::from_ref(&guard), &Value::Null);
    let expected = Change::File {
        path: "hooks/x.py".to_owned(),
        before: text("print('old')\n"),
        after: text("print('new')\n"),
    };
    assert_eq!(changes(&review.pending[0]), [expected]);

    project.file("hooks/x.py", "print('old')\n");
    assert_eq!(verdict(&store, &dir, &guard), "approved", "the same content is the same script");
    let touched = fs::File::options().write(true).open(dir.join("hooks/x.py")).expect("the script");
    touched.set_modified(SystemTime::UNIX_EPOCH).expect("a touched script");
    assert_eq!(verdict(&store, &dir, &guard), "approved", "touched, not changed");
}

#[test]
fn a_file_is_guarded_however_the_command_names_it() {
    let project = TestProject::named("a; rm -rf \"$HOME\" dir");
    let (store, dir) = (store(&project), project.dir());
    let absolute = dir.join("hooks/x.sh").display().to_string();
    let quoted = format!("'{absolute}'");
    fs::create_dir_all(dir.join("hooks")).expect("a folder");
    for (command, file) in [
        ("./x.sh", "x.sh"),
        ("hooks/x.sh --flag", "hooks/x.sh"),
        ("$LLXPRT_PROJECT_DIR/hooks/x.sh", "hooks/x.sh"),
        ("\"${GEMINI_PROJECT_DIR}/hooks/x.sh\"", "hooks/x.sh"),
        ("bash \"$CLAUDE_PROJECT_DIR\"/hooks/x.sh", "hooks/x.sh"),
        (quoted.as_str(), "hooks/x.sh"),
        ("cat data.json|./y.sh", "y.sh"),
        ("cat data.json|./y.sh", "data.json"),
        ("\"./a b.sh\"", "a b.sh"),
        ("./a\\ b.sh && true", "a b.sh"),
        ("bash -c 'source \"./a b.sh\"'", "a b.sh"),
        ("cd hooks && ./x.sh", "hooks/x.sh"),
        ("$(pwd)/hooks/x.sh", "hooks/x.sh"),
        ("$UNKNOWN_ROOT/hooks/x.sh", "hooks/x.sh"),
        ("node --require=./x.js -e 0", "x.js"),
        ("bash x.sh", "x.sh"),
        ("hooks/../x.sh", "x.sh"),
    ] {
        let _ = fs::remove_file(dir.join(file));
        project.file(file, "one");
        let guard = hook(command);
        approve_all(&store, &dir, std::slice::from_ref(&guard));
        assert_eq!(verdict(&store, &dir, &guard), "approved", "{command}");
        project.file(file, "two");
        let why = verdict(&store, &dir, &guard);
        assert!(why.contains("changed since it was approved: file `"), "{command}: {why}");
    }
    // A folder of the project in the search path makes a bare word name a file.
    let mut bare = hook("guard --strict");
    bare.env = vec![("PATH".to_owned(), "./hooks:/usr/bin".to_owned())];
    project.file("hooks/guard", "one");
    approve_all(&store, &dir, std::slice::from_ref(&bare));
    project.file("hooks/guard", "two");
    assert_eq!(verdict(&store, &dir, &bare), "changed since it was approved: file `hooks/guard`");
    // A hook that writes its own log stays approved.
    let audit = hook("cat >> audit.log");
    project.file("audit.log", "one");
    approve_all(&store, &dir, std::slice::from_ref(&audit));
    project.file("audit.log", "two");
    assert_eq!(verdict(&store, &dir, &audit), "approved");
}

#[test]
fn links_are_bound_to_where_they_lead() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let outside = project.home().join("outside.sh");
    fs::write(&outside, "outside").expect("a file outside");
    for name in ["one.sh", "two.sh"] {
        project.file(name, "same");
    }
    let guard = hook("./link.sh");
    let link = dir.join("link.sh");
    let point_to = |target: &Path| {
        let _ = fs::remove_file(&link);
        symlink(target, &link).expect("a link");
    };
    point_to(Path::new("one.sh"));
    let review = approve_all(&store, &dir, std::slice::from_ref(&guard));
    assert_eq!(review.pending[0].files[0].target, "one.sh");
    assert_eq!(verdict(&store, &dir, &guard), "approved");
    point_to(Path::new("two.sh"));
    let retargeted = "changed since it was approved: file `link.sh` (now `two.sh`)";
    assert_eq!(verdict(&store, &dir, &guard), retargeted);

    // A link that leads outside is bound to what is there.
    point_to(&outside);
    approve_all(&store, &dir, std::slice::from_ref(&guard));
    assert_eq!(verdict(&store, &dir, &guard), "approved");
    fs::write(&outside, "changed").expect("a changed file outside");
    assert_eq!(verdict(&store, &dir, &guard), "changed since it was approved: file `link.sh`");
    fs::remove_file(&outside).expect("no file outside");
    assert_eq!(verdict(&store, &dir, &guard), "changed since it was approved: file `link.sh` (gone)");
    // What is named directly and lies outside is not the project's.
    fs::write(&outside, "outside").expect("a file outside");
    let foreign = hook(&outside.display().to_string());
    approve_all(&store, &dir, std::slice::from_ref(&foreign));
    fs::write(&outside, "changed").expect("a changed file outside");
    assert_eq!(verdict(&store, &dir, &foreign), "approved");
}

#[test]
fn a_file_that_was_missing_asks_again_when_it_appears() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let guard = hook("./later.sh");
    approve_all(&store, &dir, std::slice::from_ref(&guard));
    let judgement = store.judge(&dir, std::slice::from_ref(&guard), &Value::Null);
    assert_eq!(judgement.hooks[0].trust, HookTrust::Approved);
    project.script("later.sh", "true");
    assert_eq!(verdict(&store, &dir, &guard), "changed since it was approved: file `later.sh` (new)");
    let seal = judgement.hooks[0].seal.as_ref().expect("a seal");
    assert!(matches!(seal.recheck(), Recheck::Changed { .. }));
}

#[test]
fn what_was_shown_is_what_is_approved() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    project.file("x.sh", "harmless");
    let guard = hook("./x.sh");
    let review = store.pending(&dir, std::slice::from_ref(&guard), &Value::Null);
    project.file("x.sh", "swapped while the person was reading");
    store.approve(&review, &[&review.pending[0]]).expect("an approval");
    assert_eq!(verdict(&store, &dir, &guard), "changed since it was approved: file `x.sh`");
}

#[test]
fn large_and_binary_files_are_bound_without_their_text() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let large = "x".repeat((1 << 20) + 1);
    for content in [large.as_bytes(), b"\xff\xfe binary"] {
        project.file("x.bin", content);
        let guard = hook("./x.bin");
        let review = approve_all(&store, &dir, std::slice::from_ref(&guard));
        assert!(matches!(review.pending[0].files[0].content(), FileContent::Opaque { .. }));
        assert_eq!(verdict(&store, &dir, &guard), "approved");
        let mut changed = content.to_vec();
        *changed.last_mut().expect("content") = b'!';
        project.file("x.bin", &changed);
        assert_ne!(verdict(&store, &dir, &guard), "approved");
    }
    let stored = fs::metadata(store.path()).expect("the store").len();
    assert!(stored < 10_000, "the store keeps no large content, but has {stored} bytes");
}

#[test]
fn a_hook_that_cannot_be_read_cannot_be_approved() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let endless = hook(&"${a:-".repeat(100));
    let review = store.pending(&dir, std::slice::from_ref(&endless), &Value::Null);
    let error = store.approve(&review, &[&review.pending[0]]).expect_err("an obstacle");
    assert!(matches!(error, TrustError::NotApprovable { .. }), "{error}");
    assert!(verdict(&store, &dir, &endless).contains("too long or too deeply nested"));
    let run = TrustPolicy::ApproveForThisRun.judge(&dir, [endless], &Value::Null);
    assert!(matches!(&run.hooks[0].trust, HookTrust::NotApproved { why } if why.contains("too long")));
    // A pipe is not a file, and nobody waits for it.
    make_pipe(&dir.join("pipe"));
    let piped = hook("cat pipe");
    approve_all(&store, &dir, std::slice::from_ref(&piped));
    assert_eq!(verdict(&store, &dir, &piped), "approved");
}

#[test]
fn project_settings_count_only_when_approved_as_they_are() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let settings = json!({"enableHooks": true, "limits": {"maxOutputBytes": 1}});
    let reordered = json!({"limits": {"maxOutputBytes": 1}, "enableHooks": true});
    let changed = json!({"enableHooks": false, "limits": {"maxOutputBytes": 1}});
    let approved = |settings: &Value| store.judge(&dir, &[] as &[Hook], settings).project_settings_approved;
    assert!(!approved(&settings));
    assert!(approved(&json!({"disabled": [], "limits": null})), "nothing said, nothing to approve");
    let review = store.pending(&dir, &[], &settings);
    let shown = review.settings.as_ref().expect("settings that wait");
    let text = "{\n  \"enableHooks\": true,\n  \"limits\": {\n    \"maxOutputBytes\": 1\n  }\n}";
    assert_eq!((shown.before.as_deref(), shown.after.as_str()), (None, text));
    store.approve(&review, &[]).expect("an approval");
    assert!(approved(&settings) && approved(&reordered) && !approved(&changed));
    let review = store.pending(&dir, &[], &changed);
    assert_eq!(review.settings.and_then(|pending| pending.before), Some(text.to_owned()));
    store.revoke(&dir, None).expect("a revocation");
    assert!(!approved(&settings));
    // Settings made to upset the store only upset their own approval.
    let deep = (0..500).fold(json!(0.1 + 0.2), |inner, _| json!([inner]));
    store.approve(&store.pending(&dir, &[], &deep), &[]).expect("an approval");
    assert!(approved(&deep));
}

#[test]
fn revoking_takes_one_hook_or_the_whole_project() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let other = TestProject::new();
    let hooks = [hook("echo a"), hook("echo b")];
    approve_all(&store, &dir, &hooks);
    approve_all(&store, &other.dir(), &hooks);
    assert_eq!(store.list_projects().expect("projects").len(), 2);
    assert_eq!(store.revoke(&dir, Some(&hooks[0])).expect("a revocation"), 1);
    assert_eq!(verdicts(&store, &dir, &hooks), ["it was never approved", "approved"]);
    assert_eq!(store.revoke(&dir, Some(&hook("echo stranger"))).expect("nothing to revoke"), 0);
    assert_eq!(store.revoke(&dir, None).expect("a revocation"), 1);
    assert_eq!(store.list(&dir).expect("a readable store"), None);
    let listed = store.list(&other.dir()).expect("a readable store").expect("the other project");
    let commands: Vec<_> =
        listed.hooks.iter().filter_map(|approval| approval.terms.command.as_deref()).collect();
    assert_eq!((listed.path, commands), (other.dir(), vec!["echo a", "echo b"]));
}

#[test]
fn a_project_is_known_by_its_real_path_and_no_other_project_inherits() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let alias = project.home().join("alias");
    symlink(&dir, &alias).expect("a link to the project");
    let guard = hook("echo guard");
    approve_all(&store, &alias, std::slice::from_ref(&guard));
    assert_eq!(verdict(&store, &dir, &guard), "approved");
    let copy = TestProject::new();
    assert_eq!(verdict(&store, &copy.dir(), &guard), "it was never approved");
    // Names that are not UTF-8 stay apart.
    let odd = |byte: u8| dir.join(std::ffi::OsStr::from_bytes(&[b'd', byte]));
    fs::create_dir(odd(0xff)).expect("an odd folder");
    fs::create_dir(odd(0xfe)).expect("another odd folder");
    approve_all(&store, &odd(0xff), std::slice::from_ref(&guard));
    assert_eq!(verdict(&store, &odd(0xff), &guard), "approved");
    assert_eq!(verdict(&store, &odd(0xfe), &guard), "it was never approved");
    assert!(store.list_projects().expect("projects").iter().any(|project| project.path == odd(0xff)));
}

#[test]
fn the_store_is_private() {
    let project = TestProject::new();
    let store = store(&project);
    approve_all(&store, &project.dir(), &[hook("echo a")]);
    assert_eq!(mode(&store.path()), 0o600);
    assert_eq!(mode(store.path().parent().expect("a folder")), 0o700);
    // A mode that was loosened is refused, and tightening it heals.
    fs::set_permissions(store.path(), fs::Permissions::from_mode(0o666)).expect("a loose mode");
    assert!(
        verdict(&store, &project.dir(), &hook("echo a"))
            .contains("can be written by other users (mode 0666)")
    );
    fs::set_permissions(store.path(), fs::Permissions::from_mode(0o644)).expect("a tighter mode");
    assert_eq!(verdict(&store, &project.dir(), &hook("echo a")), "approved");
    approve_all(&store, &project.dir(), &[hook("echo b")]);
    assert_eq!(mode(&store.path()), 0o600, "and is tightened with the next change");
}

#[test]
fn a_world_writable_state_folder_is_refused() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let guard = hook("echo guard");
    approve_all(&store, &dir, std::slice::from_ref(&guard));
    let state = store.path().parent().expect("a folder").to_owned();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).expect("a loose mode");
    let judgement = store.judge(&dir, std::slice::from_ref(&guard), &json!({"enableHooks": true}));
    let problem = judgement.problem.expect("a problem");
    assert_eq!(problem.code, DiagnosticCode::ApprovalsUnsafe);
    assert!(problem.message.contains(&state.display().to_string()), "{}", problem.message);
    assert!(matches!(&judgement.hooks[0].trust, HookTrust::NotApproved { why } if why.contains("mode 0777")));
    assert!(!judgement.project_settings_approved);
    let review = store.pending(&dir, std::slice::from_ref(&guard), &Value::Null);
    assert_eq!(review.problem.as_ref(), Some(&problem));
    let error = store.approve(&review, &[&review.pending[0]]).expect_err("refused");
    assert!(matches!(error, TrustError::Unsafe { .. }), "{error}");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).expect("a tight mode");
    assert_eq!(verdict(&store, &dir, &guard), "approved", "nothing was lost meanwhile");
}

#[test]
fn a_store_at_a_relative_path_is_refused() {
    // Without a home directory the state folder would be looked for in the project, which must not be able to
    // bring its own approvals along.
    let project = TestProject::new();
    let own = hook("./guard.sh");
    project.script("guard.sh", "exit 2");
    approve_all(&store(&project), &project.dir(), std::slice::from_ref(&own));
    assert_eq!(verdict(&store(&project), &project.dir(), &own), "approved");
    let here = std::env::current_dir().unwrap();
    let mut relative: PathBuf = here.components().skip(1).map(|_| "..").collect();
    relative.push(store(&project).path().parent().unwrap().strip_prefix("/").unwrap());
    let relative = ApprovalStore::new(relative);
    assert!(relative.path().exists(), "the same file");
    let judgement = relative.judge(&project.dir(), std::slice::from_ref(&own), &Value::Null);
    assert_ne!(judgement.hooks[0].trust, HookTrust::Approved);
    assert_eq!(judgement.problem.unwrap().code, DiagnosticCode::ApprovalsUnsafe);
    let review = relative.pending(&project.dir(), &[own], &Value::Null);
    let all: Vec<_> = review.pending.iter().collect();
    assert!(matches!(relative.approve(&review, &all), Err(TrustError::Unsafe { .. })));
}

#[test]
fn a_store_of_another_user_is_refused() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let guard = hook("echo guard");
    approve_all(&store, &dir, std::slice::from_ref(&guard));
    if let Err(error) = std::os::unix::fs::chown(store.path(), Some(12_345), None) {
        eprintln!("not run: only the superuser can give a file away: {error}");
        return;
    }
    let why = verdict(&store, &dir, &guard);
    assert!(why.contains("belongs to another user (uid 12345"), "{why}");
    let review = store.pending(&dir, std::slice::from_ref(&guard), &Value::Null);
    assert!(matches!(store.approve(&review, &[]), Err(TrustError::Unsafe { .. })));
}

#[test]
fn a_damaged_store_approves_nothing_and_is_never_lost() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let guard = hook("echo guard");
    let state = store.path().parent().expect("a folder").to_owned();
    for (number, damage) in
        ["", "{\"version\":1,", "[]", "{\"version\":1,\"projects\":{},\"more\":1}"].iter().enumerate()
    {
        approve_all(&store, &dir, std::slice::from_ref(&guard));
        fs::write(store.path(), damage).expect("a damaged store");
        let judgement = store.judge(&dir, std::slice::from_ref(&guard), &Value::Null);
        let problem = judgement.problem.expect("a problem");
        assert_eq!(problem.code, DiagnosticCode::ApprovalsDamaged, "{damage}");
        assert!(problem.message.contains(&store.path().display().to_string()), "{}", problem.message);
        assert_ne!(judgement.hooks[0].trust, HookTrust::Approved);
        assert_eq!(fs::read_to_string(store.path()).expect("the store"), *damage, "looking changes nothing");
        store.list(&dir).expect_err("a listing would be a lie");
        approve_all(&store, &dir, std::slice::from_ref(&guard));
        assert_eq!(verdict(&store, &dir, &guard), "approved", "{damage}");
        let kept = state.join(format!("approvals.json.corrupt-{}", number + 1));
        assert_eq!(fs::read_to_string(kept).expect("the damaged store, kept"), *damage);
    }
    fs::remove_file(store.path()).expect("no store");
    fs::create_dir(store.path()).expect("a folder in its place");
    assert!(verdict(&store, &dir, &guard).contains("cannot read the approvals"));
    approve_all(&store, &dir, std::slice::from_ref(&guard));
    assert_eq!(verdict(&store, &dir, &guard), "approved");
}

#[test]
fn what_a_link_in_place_of_the_store_leads_to_is_left_alone() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let guard = hook("echo guard");
    approve_all(&store, &dir, std::slice::from_ref(&guard));
    let (folder, pipe) = (project.file("elsewhere/kept", "x"), dir.join("pipe"));
    make_pipe(&pipe);
    fs::set_permissions(&pipe, fs::Permissions::from_mode(0o666)).expect("a pipe for all");
    for target in [folder.parent().expect("a folder"), pipe.as_path()] {
        fs::remove_file(store.path()).expect("no store");
        symlink(target, store.path()).expect("a link");
        let why = verdict(&store, &dir, &guard);
        assert!(why.contains("cannot read the approvals"), "{why}");
        let review = store.pending(&dir, std::slice::from_ref(&guard), &Value::Null);
        let refused = store.approve(&review, &[&review.pending[0]]);
        assert!(matches!(refused, Err(TrustError::Unreadable { .. })), "{refused:?}");
        assert!(!target.is_file() && target.exists(), "{target:?}");
    }
    assert!(folder.exists());
}

#[test]
fn a_store_of_another_version_is_neither_read_nor_replaced() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    fs::create_dir_all(store.path().parent().expect("a folder")).expect("the state folder");
    let newer = r#"{"version":3,"approvals":[]}"#;
    fs::write(store.path(), newer).expect("a newer store");
    fs::set_permissions(store.path(), fs::Permissions::from_mode(0o600)).expect("a private store");
    let guard = hook("echo guard");
    let why = verdict(&store, &dir, &guard);
    assert!(why.contains("have version 3, and only versions up to 2 are understood"), "{why}");
    let review = store.pending(&dir, std::slice::from_ref(&guard), &Value::Null);
    assert!(matches!(store.approve(&review, &[&review.pending[0]]), Err(TrustError::Version { .. })));
    assert_eq!(fs::read_to_string(store.path()).expect("the store"), newer);
}

#[test]
fn a_store_of_the_first_version_is_understood() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let guards = [hook("echo one"), hook("echo two")];
    approve_all(&store, &dir, &guards);
    let text = fs::read_to_string(store.path()).expect("the store");
    let mut old: Value = serde_json::from_str(&text).expect("JSON");
    old["version"] = 1.into();
    for project in old["projects"].as_object_mut().expect("projects").values_mut() {
        for approval in project["hooks"].as_array_mut().expect("approvals") {
            approval.as_object_mut().expect("an approval").remove("lineage");
        }
    }
    fs::write(store.path(), old.to_string()).expect("an old store");
    assert_eq!(verdicts(&store, &dir, &guards), ["approved", "approved"]);
    // Each is a guard of its own.
    let judgement = store.judge(&dir, &guards[..1], &Value::Null);
    assert_eq!(judgement.vanished.iter().map(|guard| guard.name.as_str()).collect::<Vec<_>>(), ["echo two"]);
}

#[test]
fn approving_for_one_run_seals_and_stores_nothing() {
    let project = TestProject::new();
    let dir = project.dir();
    project.script("x.sh", "one");
    let policy = TrustPolicy::ApproveForThisRun;
    let judgement = policy.judge(&dir, [hook("./x.sh")], &json!({"enableHooks": true}));
    assert_eq!(judgement.hooks[0].trust, HookTrust::Approved);
    assert!(judgement.project_settings_approved);
    let seal = judgement.hooks[0].seal.clone().expect("a seal");
    assert_eq!(seal.recheck(), Recheck::Unchanged);
    project.file("x.sh", "two");
    assert_eq!(seal.recheck(), Recheck::Changed { what: "`x.sh` changed".to_owned() });
    assert!(policy.reapproved(&dir, &hook("./x.sh")).is_none(), "a run approves once, at its start");
    assert!(!project.home().join(".hookrail").exists());
}

#[test]
fn a_guard_that_changed_during_a_run_comes_back_with_a_new_approval() {
    let project = TestProject::new();
    let (store, dir) = (store(&project), project.dir());
    let policy = TrustPolicy::RequireApproval(store.clone());
    project.script("x.sh", "one");
    let guard = hook("./x.sh");
    approve_all(&store, &dir, std::slice::from_ref(&guard));
    project.file("x.sh", "two");
    assert!(policy.reapproved(&dir, &guard).is_none());
    approve_all(&store, &dir, std::slice::from_ref(&guard));
    let seal = policy.reapproved(&dir, &guard).expect("a new seal");
    assert_eq!(seal.recheck(), Recheck::Unchanged);
}

#[test]
fn allowing_all_looks_at_nothing() {
    let project = TestProject::new();
    let judgement =
        TrustPolicy::AllowAll.judge(&project.dir(), [hook("./x.sh")], &json!({"enableHooks": true}));
    assert_eq!(judgement.hooks[0].trust, HookTrust::Trusted);
    assert!(judgement.hooks[0].seal.is_none() && judgement.project_settings_approved);
}

#[test]
fn approving_hooks_alone_leaves_the_projects_settings_waiting() {
    let project = TestProject::new();
    project.script("x.sh", "true");
    let (store, dir, hook) = (store(&project), project.dir(), hook("./x.sh"));
    let settings = json!({ "maxOutputBytes": 1 });
    let review = store.pending(&dir, std::slice::from_ref(&hook), &settings);
    store.approve_hooks(&review, &[&review.pending[0]]).expect("an approval");
    let judgement = store.judge(&dir, std::slice::from_ref(&hook), &settings);
    assert_eq!(judgement.hooks[0].trust, HookTrust::Approved);
    assert!(!judgement.project_settings_approved, "nobody looked at these");
}

#[test]
fn a_store_at_a_relative_path_approves_nothing() {
    let project = TestProject::new();
    project.script("x.sh", "true");
    let (store, dir, hook) = (ApprovalStore::new(PathBuf::from(".hookrail")), project.dir(), hook("./x.sh"));
    let judgement = store.judge(&dir, std::slice::from_ref(&hook), &Value::Null);
    assert!(matches!(judgement.hooks[0].trust, HookTrust::NotApproved { .. }));
    assert_eq!(judgement.problem.map(|problem| problem.code), Some(DiagnosticCode::ApprovalsUnsafe));
    let review = store.pending(&dir, &[hook], &Value::Null);
    assert!(store.approve(&review, &[&review.pending[0]]).is_err(), "nothing is written either");
}

/// The body of the helper process: names the user's store.
#[test]
fn helper_process_that_names_the_store_of_the_user() {
    let Some(expected) = std::env::var_os("HOOKRAIL_TEST_STORE") else { return };
    let found = ApprovalStore::of_user().map(|store| store.path());
    assert_eq!(found.unwrap_or_default().as_os_str(), expected);
}

#[test]
fn a_host_shares_its_approvals_with_the_program() {
    let project = TestProject::new();
    let file = store(&project).path();
    for (variables, expected) in [
        ([("HOOKRAIL_HOME", Some(project.home())), ("HOME", None)], file.as_path()),
        ([("HOOKRAIL_HOME", None), ("HOME", Some(project.home()))], file.as_path()),
        ([("HOOKRAIL_HOME", None), ("HOME", None)], Path::new("")),
    ] {
        let mut helper = std::process::Command::new(std::env::current_exe().unwrap());
        helper.args(["--exact", "trust::helper_process_that_names_the_store_of_the_user"]);
        helper.env("HOOKRAIL_TEST_STORE", expected);
        for (name, value) in &variables {
            match value {
                Some(value) => helper.env(name, value),
                None => helper.env_remove(name),
            };
        }
        let output = helper.output().unwrap();
        assert!(output.status.success(), "{variables:?}: {}", String::from_utf8_lossy(&output.stdout));
    }
}
