//! The life of a session: made without reading hooks, started once, managed, disposed.

use hookrail::components::{Event, HookSystem, HookSystemNotInitializedError, HookSystemStatus, MessageBus};
use hookrail::{EventName, TrustPolicy};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::kit::{
    Recorder, approve, block_of, builder, builder_trusting, command, object, on, says, session, store,
    untouched,
};

fn status(system: &HookSystem) -> (bool, usize) {
    let HookSystemStatus { initialized, total_hooks, .. } = system.status();
    (initialized, total_hooks)
}

#[tokio::test]
async fn a_hook_system_exists_only_where_hooks_are_on() {
    for (settings, expected) in [
        (json!({ "enableHooks": true }), true),
        (json!({ "enableHooks": false }), false),
        (json!({}), false),
        (json!({ "enableHooks": false, "hooks": on("BeforeTool", &[command("true")])["hooks"] }), false),
    ] {
        let project = TestProject::new();
        project.user_settings(&settings);
        let session = session(&project);
        assert_eq!(session.hook_system().is_some(), expected, "HOOK-001, HOOK-002, HOOK-010: {settings}");
        assert_eq!(session.enable_hooks(), expected);
    }
}

#[tokio::test]
async fn the_flag_of_a_session_and_the_start_of_its_system_never_contradict() {
    let said = [None, Some(false), Some(true)];
    let settings = |flag: Option<bool>| flag.map_or(json!({}), |flag| json!({ "enableHooks": flag }));
    for (project_flag, user, system) in said
        .into_iter()
        .flat_map(|project| said.map(|user| (project, user)))
        .flat_map(|(project, user)| said.map(|system| (project, user, system)))
    {
        let project = TestProject::new();
        project.settings(&settings(project_flag));
        project.user_settings(&settings(user));
        project.system_settings(&settings(system));
        let flags = format!("project {project_flag:?}, user {user:?}, system {system:?}");
        let all = session(&project);
        let on = all.hook_system().is_some_and(HookSystem::hooks_are_on);
        assert_eq!(all.enable_hooks(), on, "everything is approved: {flags}");
        let careful = builder_trusting(&project, TrustPolicy::RequireApproval(store(&project))).build();
        let on = careful.hook_system().is_some_and(HookSystem::hooks_are_on);
        let is_open = project_flag == Some(true) && user.or(system) != Some(true);
        assert_eq!(
            careful.enable_hooks(),
            on || is_open,
            "approvals decide about a project's flag only: {flags}"
        );
    }
}

#[tokio::test]
async fn the_system_is_made_at_the_first_call_and_started_at_the_first_event() {
    let project = TestProject::new();
    project.user_settings(&on("BeforeTool", &[command("true")]));
    let session = session(&project);
    let system = session.hook_system().unwrap();
    assert!(std::ptr::eq(system, session.hook_system().unwrap()), "HOOK-001: one instance");
    assert_eq!(status(system), (false, 0), "HOOK-009, HOOK-206: nothing is read yet");
    let error = system.event_handler().err();
    assert_eq!(error, Some(HookSystemNotInitializedError), "HOOK-005, HOOK-148");
    assert_eq!(system.registry().err(), error, "HOOK-005");
    assert!(HookSystemNotInitializedError.to_string().contains("not initialized"), "HOOK-148");

    let _ = session.fire_before_tool("ls", &object(json!({}))).await;
    assert_eq!(status(system), (true, 1), "HOOK-008, HOOK-009, HOOK-206: the trigger started it");
    assert!(system.event_handler().is_ok() && system.registry().is_ok(), "HOOK-006");
}

#[tokio::test]
async fn it_starts_once_and_keeps_its_components() {
    let project = TestProject::new();
    project.user_settings(&on("BeforeTool", &[command("true")]));
    let session = session(&project);
    let system: &HookSystem = session.hook_system().unwrap();
    system.initialize();
    let registry = std::ptr::from_ref(system.registry().unwrap());

    // A second start would read two hooks.
    project.user_settings(&on("BeforeTool", &[command("true"), command("false")]));
    system.initialize();
    for _ in 0..3 {
        let _ = session.fire_before_tool("ls", &object(json!({}))).await;
    }
    assert_eq!(status(system), (true, 1), "HOOK-003, HOOK-004");
    assert!(system.event_handler().is_ok(), "HOOK-006, HOOK-142");
    assert!(std::ptr::eq(registry, system.registry().unwrap()), "HOOK-006, HOOK-007, HOOK-142, HOOK-175");
}

#[tokio::test]
async fn settings_are_those_of_the_moment_at_which_the_session_was_made() {
    let project = TestProject::new();
    let block = |reason: &str| command(&says(&json!({ "decision": "block", "reason": reason })));
    project.user_settings(&on("BeforeTool", &[block("as it was")]));
    let session = session(&project);
    session.hook_system().unwrap();

    let mut edited = on("BeforeTool", &[block("as edited")]);
    edited["enableHooks"] = Value::Bool(false);
    project.user_settings(&edited);
    assert_eq!(
        block_of(&session, "ls").await.unwrap().reason,
        "as it was",
        "HOOK-206, C12: flag and hooks are read once"
    );
}

#[tokio::test]
async fn hooks_are_listed_enabled_and_disabled_through_the_system() {
    let project = TestProject::new();
    let named = |name: &str, reason: &str| {
        let mut hook = command(&says(&json!({ "decision": "block", "reason": reason })));
        hook["name"] = name.into();
        hook
    };
    project.user_settings(&on("BeforeTool", &[named("one", "1"), named("two", "2")]));
    let session = session(&project);
    let system = session.hook_system().unwrap();
    let reason = async || block_of(&session, "ls").await.map(|block| block.reason);
    assert_eq!(reason().await.as_deref(), Some("1\n2"));
    assert_eq!(system.set_hook_enabled("one", false), 1, "DELTA-HSYS-002");
    assert_eq!(reason().await.as_deref(), Some("2"), "DELTA-HSYS-002: it counts at once");
    let listed: Vec<_> =
        system.all_hooks().iter().map(|status| (status.hook.name.clone(), status.enabled)).collect();
    assert_eq!(listed, [("one".to_owned(), false), ("two".to_owned(), true)], "DELTA-HSYS-002");
    assert_eq!(system.explain(EventName::BeforeTool, Some("ls"), &[]).skipped.len(), 1);
    assert_eq!(system.set_hook_enabled("two", false), 1);
    assert_eq!(reason().await, None);
    assert_eq!(system.set_hook_enabled("one", true), 1);
    assert_eq!(system.set_hook_enabled("one", true), 0, "nothing changes");
    assert_eq!(reason().await.as_deref(), Some("1"));
}

#[tokio::test]
async fn bus_and_observer_of_the_host_reach_the_handler() {
    let project = TestProject::new();
    project.user_settings(&on("SessionStart", &[command("true")]));
    let (bus, observer) = (MessageBus::new(), Recorder::new());
    let session = builder(&project).bus(bus.clone()).observer(observer.clone()).build();
    assert_eq!(bus.subscriber_count(), 1, "DELTA-HSYS-001: the bus");
    let system = session.hook_system().unwrap();
    system.initialize();
    let handler = system.event_handler().unwrap();
    let _ = handler.fire(&Event::SessionStart { source: hookrail::SessionStartSource::Startup }).await;
    assert_eq!(
        observer.lines(),
        [
            "started SessionStart true",
            "finished SessionStart true success=true exit=0 stdout=\"\" stderr=\"\" failure=None saw=\"SessionStart\"",
            "batch SessionStart hooks=1 ok=1 failed=0",
        ],
        "DELTA-HSYS-001: the log"
    );
    drop(session);
    assert_eq!(bus.subscriber_count(), 0, "DELTA-HEVT-004: a session that is gone answers nobody");
}

#[tokio::test]
async fn the_handler_disposes_of_its_subscription() {
    let project = TestProject::new();
    project.user_settings(&on("SessionStart", &[command("true")]));
    for started in [false, true] {
        let bus = MessageBus::new();
        let session = builder(&project).bus(bus.clone()).build();
        let system = session.hook_system().unwrap();
        if started {
            system.initialize();
        }
        system.dispose();
        assert_eq!(bus.subscriber_count(), 0, "DELTA-HEVT-004: started {started}");
        system.dispose();
    }
    let bus = MessageBus::new();
    let session = builder(&project).bus(bus.clone()).build();
    session.hook_system().unwrap().initialize();
    session.hook_system().unwrap().event_handler().unwrap().dispose();
    assert_eq!(bus.subscriber_count(), 0, "DELTA-HEVT-004: the handler itself");

    let without_bus = builder(&project).build();
    let system = without_bus.hook_system().unwrap();
    system.initialize();
    system.event_handler().unwrap().dispose();
    system.dispose();
    let result = system
        .event_handler()
        .unwrap()
        .fire(&Event::SessionStart { source: hookrail::SessionStartSource::Clear })
        .await;
    assert_eq!(result.runs.len(), 1, "DELTA-HEVT-004, DELTA-HBUS-002: events are fired as before");
}

#[tokio::test]
async fn a_projects_own_flag_counts_together_with_approval_only() {
    let project = TestProject::new();
    project
        .settings(&on("BeforeTool", &[command(&says(&json!({ "decision": "block", "reason": "project" })))]));
    let new_session = || builder_trusting(&project, TrustPolicy::RequireApproval(store(&project))).build();
    let input = object(json!({}));

    let session = new_session();
    assert!(untouched(&session.fire_before_tool("ls", &input).await));
    let system = session.hook_system().unwrap();
    assert!(!system.hooks_are_on(), "hooks are off as long as only an unapproved project wants them");
    let codes: Vec<_> = system.findings().iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["project-not-approved"]);

    approve(&project);
    assert_eq!(block_of(&new_session(), "ls").await.unwrap().reason, "project");
}
