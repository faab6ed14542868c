//! Hooks one after another.

use super::*;
use crate::verdict::failure::HookFailure;

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
async fn a_hook_whose_input_cannot_be_written_is_not_started() {
    let (_root, dir) = project();
    let change = json!({"hookSpecificOutput": {"tool_input": {"a": 2}}});
    let hooks = hooks(&[&format!("echo '{change}'"), "echo ran > ran"]);
    let input = object(json!({"tool_name": "t", "tool_input": {"a": 1}}));
    // The second hook has an input of its own, because the first one changed it.
    let fail_next = |_: &HookRun, _: &Payload| crate::run::payload::injected::fail_from_now_on();
    let (runs, _) =
        runner().execute_hooks_sequential(&hooks, EventName::BeforeTool, input, &dir, &fail_next).await;
    let injected: serde_json::Error = serde::ser::Error::custom("injected");
    let why = StartFailure::InputNotWritten { error: (&std::io::Error::from(injected)).into() };
    assert_eq!(runs[1].failure(), Some(&HookFailure::NotStarted { why: why.clone() }));
    assert_eq!(*runs[1].exit(), Exit::NotStarted(why));
    assert!(!dir.join("ran").exists());
}
