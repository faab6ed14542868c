//! Trust while events fire: what is not approved does not run, what changed since blocks, and no project weakens
//! its user's hooks.

use std::fs;
use std::os::unix::fs::symlink;

use hookrail::components::{BaseOverrides, Event, RefusalReason};
use hookrail::effects::AfterToolHookResult;
use hookrail::{BlockCause, HookSession, JsonObject, TrustPolicy, permit_unless_asked};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::kit::{
    approve, block_of, builder, builder_trusting, command, execute_tool_with_hooks, model_block, object, on,
    rich_request, says, store,
};
use crate::logs::listen;

fn empty() -> JsonObject {
    object(json!({}))
}

/// A session that runs approved project hooks only.
fn careful(project: &TestProject) -> HookSession {
    builder_trusting(project, TrustPolicy::RequireApproval(store(project))).build()
}

fn says_no(reason: &str) -> Value {
    command(&says(&json!({ "decision": "block", "reason": reason })))
}

async fn reason(session: &HookSession) -> Option<String> {
    block_of(session, "write_file").await.map(|block| block.reason)
}

#[tokio::test]
async fn unapproved_hooks_do_not_run_and_the_users_stay_on() {
    let project = TestProject::new();
    project.settings(&on("BeforeTool", &[command("touch ran"), says_no("project")]));
    project.user_settings(&on("BeforeTool", &[says_no("user")]));
    let log = listen();
    assert_eq!(reason(&careful(&project)).await.as_deref(), Some("user"));
    assert!(!project.dir().join("ran").exists());
    let warnings: Vec<_> = log.warnings().into_iter().map(|warning| warning.message).collect();
    assert_eq!(warnings.len(), 1, "one finding for the project: {warnings:#?}");
    assert!(
        warnings.iter().all(|text| text.contains("`hookrail trust`")),
        "it names the command: {warnings:#?}"
    );

    approve(&project);
    assert_eq!(reason(&careful(&project)).await.as_deref(), Some("project\nuser"));
    assert!(project.dir().join("ran").exists());
}

#[tokio::test]
async fn without_a_policy_everything_runs() {
    let project = TestProject::new();
    project.settings(&on("BeforeTool", &[says_no("project")]));
    assert_eq!(reason(&builder(&project).build()).await.as_deref(), Some("project"));
}

#[tokio::test]
async fn an_unapproved_project_weakens_nothing() {
    let guard = "echo user guard >&2; exit 2";
    for (what, settings) in [
        ("the flag", json!({ "enableHooks": false })),
        ("a disabled list", json!({ "enableHooks": true, "hooksConfig": { "disabled": [guard, "guard"] } })),
        (
            "a hook with the same command that lets it time out",
            on("BeforeTool", &[json!({ "type": "command", "command": guard, "timeout": 1 })]),
        ),
        ("limits", json!({ "hooksConfig": { "maxOutputBytes": 1 } })),
        ("extensions", json!({ "extensions": { "disabled": ["guards"] } })),
    ] {
        let project = TestProject::new();
        project.settings(&settings);
        let mut hook = command(guard);
        hook["name"] = "guard".into();
        project.user_settings(&on("BeforeTool", &[hook]));
        let extension = on("BeforeTool", &[command("echo extension >&2; exit 2")]);
        project.extension("guards", &json!({ "name": "guards", "hooks": extension["hooks"] }));
        assert_eq!(reason(&careful(&project)).await.as_deref(), Some("user guard\nextension"), "{what}");
    }
}

#[tokio::test]
async fn a_project_may_turn_its_own_hooks_off() {
    let project = TestProject::new();
    let mut settings = on("BeforeTool", &[says_no("project")]);
    settings["enableHooks"] = json!(false);
    project.settings(&settings);
    project.user_settings(&on("BeforeTool", &[says_no("user")]));
    approve(&project);
    let session = careful(&project);
    assert_eq!(reason(&session).await.as_deref(), Some("user"), "C3: and nobody else's");
    let codes: Vec<_> = session.settings().findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["hooks-off"], "it is said");
}

/// A project with one approved script for each of three events.
fn guarded() -> TestProject {
    let project = TestProject::new();
    project.script("hooks/guard.sh", "exit 0");
    let group = json!([{ "hooks": [command("hooks/guard.sh")] }]);
    project.settings(&json!({
        "enableHooks": true,
        "hooks": { "BeforeTool": group, "BeforeModel": group, "AfterTool": group },
    }));
    approve(&project);
    project
}

#[tokio::test]
async fn a_guard_that_changes_during_the_session_blocks_until_it_is_approved_again() {
    let project = guarded();
    let session = careful(&project);
    assert_eq!(reason(&session).await, None, "as approved");

    project.script("hooks/guard.sh", "touch ran; exit 0");
    let block = block_of(&session, "x").await.unwrap();
    assert_eq!(block.cause, BlockCause::Failure);
    assert!(block.reason.contains("changed since it was approved"), "{}", block.reason);
    assert!(block.reason.contains("hookrail trust"), "{}", block.reason);
    let execution = execute_tool_with_hooks(&session, "x", empty(), permit_unless_asked, async |_| {
        panic!("the tool must not run")
    })
    .await;
    assert!(execution.blocked);
    let asked = rich_request();
    let result = session.fire_before_model(&asked).await;
    assert!(model_block(&result).unwrap().reason.contains("changed since"));

    let log = listen();
    let after = session.fire_after_tool("x", &empty(), &empty()).await;
    assert!(after.notes.output.is_none() && after.stop.is_none(), "elsewhere it is left out");
    assert!(log.warnings().iter().any(|warning| warning.message.contains("changed since")), "and told");
    assert!(!project.dir().join("ran").exists(), "what was not approved does not run");

    approve(&project);
    assert_eq!(reason(&session).await, None, "approved again, in the same session");
    assert!(project.dir().join("ran").exists());

    fs::remove_file(project.dir().join("hooks/guard.sh")).unwrap();
    assert!(reason(&session).await.unwrap().contains("is gone"), "a guard that is removed is not off");
}

#[tokio::test]
async fn a_policy_block_and_a_changed_guard_are_told_together() {
    let project = guarded();
    project.user_settings(&on("BeforeTool", &[says_no("user")]));
    let session = careful(&project);
    assert_eq!(reason(&session).await.as_deref(), Some("user"));
    project.script("hooks/guard.sh", "exit 0 # changed");
    let reason = reason(&session).await.unwrap();
    assert!(reason.starts_with("user\n") && reason.contains("changed since"), "{reason}");
}

#[tokio::test]
async fn hooks_approved_for_one_run_are_watched_as_well() {
    let project = guarded();
    let session = builder_trusting(&project, TrustPolicy::ApproveForThisRun).build();
    assert_eq!(reason(&session).await, None);
    project.script("hooks/guard.sh", "true");
    assert!(reason(&session).await.unwrap().contains("changed since"));
}

#[tokio::test]
async fn project_hooks_run_for_their_project_only() {
    let project = TestProject::new();
    project.settings(&on("BeforeTool", &[says_no("project")]));
    project.user_settings(&on("BeforeTool", &[says_no("user")]));
    let session = builder(&project).build();
    let system = session.hook_system().unwrap();
    system.initialize();
    let link = project.home().join("link");
    symlink(project.dir(), &link).unwrap();
    let input = empty();
    for (what, cwd, expected) in [
        ("the project", project.dir(), "project\nuser"),
        ("another spelling", project.dir().join("."), "project\nuser"),
        ("a link to it", link, "project\nuser"),
        ("another folder", project.home(), "user"),
        ("a folder inside", project.dir().join(".hookrail"), "project\nuser"),
    ] {
        let mut base = BaseOverrides::default();
        base.cwd = Some(cwd);
        let event = Event::BeforeTool { tool_name: "ls", tool_input: &input };
        let result = system.event_handler().unwrap().fire_with(&event, &base, &JsonObject::new()).await;
        assert_eq!(result.block.unwrap().reason, expected, "{what}");
        let told = result.warnings.iter().any(|warning| warning.contains("belongs to the project"));
        assert_eq!(told, expected == "user", "{what}: {:?}", result.warnings);
        let refused =
            result.refused.iter().filter(|hook| matches!(hook.why, RefusalReason::OtherFolder { .. }));
        assert_eq!(refused.count(), usize::from(expected == "user"), "{what}");
    }
}

/// A host that embeds the library does not run unguarded because its user's file is torn.
#[tokio::test]
async fn unusable_settings_block_guarded_events_unless_the_host_is_content_with_a_warning() {
    for broken in ["{ \"enableHooks\": true, ", "{ \"enableHooks\": \"true\" }", ""] {
        let project = TestProject::new();
        project.user_settings(&json!({}));
        fs::write(project.user_settings_path(), broken).unwrap();
        let session = builder(&project).build();
        let refused = reason(&session).await.expect("C8: the tool call is blocked");
        assert!(
            refused.contains("user settings cannot be used") && refused.contains("settings.json"),
            "{refused}"
        );
        assert_eq!(block_of(&session, "x").await.unwrap().cause, BlockCause::Failure, "C8");
        let asked = rich_request();
        let model = session.fire_before_model(&asked).await;
        assert!(model_block(&model).is_some(), "C8");
        let system = session.hook_system().unwrap();
        let prompt = system.event_handler().unwrap().fire(&Event::BeforeAgent { prompt: "hi" }).await;
        assert_eq!(prompt.block.map(|block| block.cause), Some(BlockCause::Failure), "C8");
        let after = session.fire_after_tool("x", &empty(), &empty()).await;
        assert_eq!(after, AfterToolHookResult::default(), "nothing else is");

        let warned = builder(&project).unusable_settings(hookrail::settings::UnusableSettings::Warn).build();
        assert_eq!(reason(&warned).await, None, "the host chose to be warned only");
        assert_eq!(warned.settings().unusable.len(), 1);
    }
}

/// What a project's file says concerns its own hooks, approved or not.
#[tokio::test]
async fn an_approved_project_weakens_nothing_outside_of_it() {
    let guard = "printf '{\"decision\":\"block\",\"reason\":\"user %s\"}' \"${MY_TOKEN-none}\"";
    for settings in [
        json!({ "enableHooks": false }),
        json!({ "hooksConfig": { "maxOutputBytes": 1 } }),
        json!({ "security": { "environmentVariableRedaction": { "enabled": true } } }),
    ] {
        let project = TestProject::new();
        project.settings(&settings);
        project.user_settings(&on("BeforeTool", &[command(guard)]));
        approve(&project);
        let session = builder_trusting(&project, TrustPolicy::RequireApproval(store(&project)))
            .environment(vec![
                ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
                ("MY_TOKEN".into(), "seen".into()),
            ])
            .build();
        assert_eq!(reason(&session).await.as_deref(), Some("user seen"), "C3: {settings}");
    }
}
