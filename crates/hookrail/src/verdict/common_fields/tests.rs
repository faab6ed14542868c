use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::hook::fixtures::hook;
use crate::verdict::aggregator::HookAggregator;
use crate::verdict::aggregator::fixtures::{answered, finished};
use crate::verdict::hook_run::Exit;

use EventName::{
    AfterAgent, AfterModel, AfterTool, BeforeAgent, BeforeModel, BeforeTool, BeforeToolSelection,
    Notification, PreCompress, SessionEnd, SessionStart,
};

fn process(event: EventName, runs: Vec<HookRun>) -> ProcessedHookResult {
    let aggregated = HookAggregator::default().aggregate_results(event, &runs, false);
    process_common_hook_output_fields(event, aggregated, runs)
}

#[test]
fn callers_parse_nothing_themselves() {
    let runs = vec![
        answered(&json!({"continue": false, "reason": "enough", "systemMessage": "one"})),
        answered(&json!({"suppressOutput": true, "systemMessage": "two"})),
    ];
    for event in [BeforeTool, AfterTool, BeforeAgent, BeforeToolSelection] {
        let processed = process(event, runs.clone());
        assert_eq!(processed.event, event, "DELTA-HRUN-001 DELTA-HAPP-001");
        let stop = processed.stop.map(StopReason::into_string);
        assert_eq!(stop.as_deref(), Some("enough"), "DELTA-HRUN-002 DELTA-HRUN-004 DELTA-HAPP-002: {event}");
        assert_eq!(processed.system_message.as_deref(), Some("one\ntwo"), "DELTA-HRUN-003: {event}");
        assert!(processed.suppress_output, "DELTA-HRUN-003: {event}");
        assert_eq!(processed.runs.len(), 2, "DELTA-HRUN-004: {event}");
        assert_eq!(processed.aggregated.all_outputs.len(), 2, "DELTA-HRUN-004: {event}");
    }
    let last_wins = process(AfterModel, runs);
    assert_eq!(last_wins.system_message.as_deref(), Some("two"), "DELTA-HRUN-003: AfterModel");
}

#[test]
fn nothing_asked_is_nothing_to_do() {
    let processed =
        process(BeforeTool, vec![answered(&json!({"suppressOutput": false, "stopReason": "unused"}))]);
    assert!(
        processed.stop.is_none() && !processed.suppress_output && processed.block.is_none(),
        "DELTA-HRUN-004"
    );
    assert_eq!((processed.ask, processed.system_message), (None, None), "DELTA-HRUN-004");
}

#[test]
fn warnings_of_failed_hooks_are_not_for_the_model() {
    for event in EventName::ALL {
        let processed = process(event, vec![finished(Exit::Code(1), "", "boom")]);
        assert_eq!(processed.system_message, None, "O16: {event}");
        let merged = processed.aggregated.final_output.unwrap().system_message;
        assert_eq!(merged.as_deref(), Some("Warning: boom"), "HOOK-209 (O16): {event}");
    }
}

#[test]
fn only_some_events_can_be_blocked() {
    let json_block = answered(&json!({"decision": "block", "reason": "no"}));
    let exit_block = finished(Exit::Code(2), "", "no");
    for run in [json_block, exit_block] {
        for event in [BeforeTool, BeforeModel, BeforeAgent, AfterAgent] {
            let processed = process(event, vec![run.clone()]);
            let expected = Block { reason: "no".to_owned(), cause: BlockCause::Policy };
            assert_eq!(processed.block, Some(expected), "HOOK-016a HOOK-016b HOOK-177 HOOK-179: {event}");
            assert_eq!(processed.warnings, Vec::<String>::new());
        }
        for event in
            [AfterTool, AfterModel, BeforeToolSelection, SessionStart, SessionEnd, PreCompress, Notification]
        {
            let processed = process(event, vec![run.clone()]);
            assert_eq!(processed.block, None, "HOOK-178 HOOK-180 HOOK-181 (O18): {event}");
            assert!(processed.aggregated.final_output.unwrap().is_blocking_decision(), "O18: {event}");
            let expected = format!("hook `guard` asked for a block, but {event} cannot be blocked");
            assert_eq!(processed.warnings, [expected], "O18: {event}");
        }
    }
}

#[test]
fn the_reason_of_a_block_is_never_blank() {
    let reason = |event, answers: &[serde_json::Value]| {
        process(event, answers.iter().map(answered).collect()).block.unwrap().reason
    };
    let bare = json!({"decision": "block"});
    assert_eq!(reason(BeforeTool, std::slice::from_ref(&bare)), "Blocked by hook");
    assert_eq!(reason(BeforeModel, &[bare]), "Blocked by hook");
    let both = [json!({"reason": "one"}), json!({"decision": "deny", "reason": "two"})];
    assert_eq!(reason(BeforeTool, &both), "one\ntwo", "HOOK-093");
    assert_eq!(reason(BeforeModel, &both), "two", "O12");
    let stopping = [json!({"decision": "deny", "reason": "no", "continue": false, "stopReason": "enough"})];
    assert_eq!(reason(BeforeTool, &stopping), "no", "O8");
    let permission = json!({
        "decision": "deny", "reason": "top",
        "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "own"},
    });
    assert_eq!(
        reason(BeforeTool, &[permission.clone(), json!({"reason": "fine"})]),
        "own\nfine",
        "HOOK-170 HOOK-199"
    );
    assert_eq!(reason(BeforeModel, &[permission]), "top", "HOOK-170");
}

/// Ruling C10.
#[test]
fn a_failure_blocks_only_where_it_is_set_to() {
    let timeout = || Exit::TimedOut(Duration::from_secs(5));
    let failing = |exit: Exit, on_failure| {
        let mut run = finished(exit, "", "");
        run.hook = Arc::new(Hook { on_failure, ..hook("guard") });
        run
    };
    let block = |reason: &str, cause| Some(Block { reason: reason.to_owned(), cause });
    for event in EventName::ALL {
        let processed = process(event, vec![failing(timeout(), OnFailure::Block)]);
        let why = "hook `guard` gave no verdict (timed out after 5000 ms) and is set to block on failure";
        let is_blocked = matches!(event, BeforeTool | BeforeModel | BeforeAgent);
        let expected = if is_blocked { block(why, BlockCause::Failure) } else { None };
        assert_eq!(processed.block, expected, "C10: {event}");
        assert_eq!(
            process(event, vec![failing(timeout(), OnFailure::Allow)]).block,
            None,
            "HOOK-110: {event}"
        );
    }

    let silent = failing(Exit::Code(0), OnFailure::Block);
    assert_eq!(process(BeforeTool, vec![silent]).block, None, "HOOK-065: silence is a verdict");
    let mut refused = finished(Exit::Code(2), "", "no");
    refused.hook = Arc::new(Hook { on_failure: OnFailure::Block, ..hook("guard") });
    assert_eq!(process(BeforeTool, vec![refused.clone()]).block, block("no", BlockCause::Policy), "HOOK-214");
    let both = vec![failing(Exit::Code(1), OnFailure::Block), refused];
    assert_eq!(process(BeforeTool, both).block, block("no", BlockCause::Policy), "policy goes first");

    let two = vec![failing(Exit::Code(1), OnFailure::Block), failing(Exit::Signal(9), OnFailure::Block)];
    let reason = process(BeforeModel, two).block.unwrap().reason;
    assert!(reason.contains("exited with code 1") && reason.contains("was ended by signal 9"), "{reason}");
}

#[test]
fn trouble_of_our_own_is_told_from_silence() {
    let envelope = build_failure_envelope(&"disk on fire", "planning");
    let expected = json!({
        "success": false, "finalOutput": null, "allOutputs": [], "totalDuration": 0,
        "errors": [{"hook": null, "message": "planning: disk on fire"}],
    });
    assert_eq!(
        serde_json::to_value(&envelope).unwrap(),
        expected,
        "DELTA-HFAIL-001, which replaces HOOK-113"
    );
    let processed = process_common_hook_output_fields(BeforeTool, envelope, Vec::new());
    assert!(processed.block.is_none() && processed.stop.is_none(), "HOOK-110");

    let guards = [hook("lenient"), Hook { on_failure: OnFailure::Block, ..hook("strict") }].map(Arc::new);
    let failures = || guards.iter().map(|guard| (&**guard, "disk on fire"));
    let block = failure_block(BeforeTool, failures()).unwrap();
    let reason = "hook `strict` gave no verdict (disk on fire) and is set to block on failure";
    assert_eq!(block, Block { reason: reason.to_owned(), cause: BlockCause::Failure }, "F1, C10");
    assert_eq!(failure_block(AfterTool, failures()), None, "F1, C10");
}

#[test]
fn an_empty_success_is_a_fresh_value_each_time() {
    let mut first = make_empty_success_result();
    first.success = false;
    first.errors.push(HookError { hook: None, message: "mine".to_owned() });
    let expected =
        json!({"success": true, "finalOutput": null, "allOutputs": [], "errors": [], "totalDuration": 0});
    assert_eq!(
        serde_json::to_value(make_empty_success_result()).unwrap(),
        expected,
        "DELTA-HFAIL-003 DELTA-HFAIL-004"
    );

    let empty = ProcessedHookResult::empty(Notification);
    assert_eq!(empty.event, Notification);
    assert_eq!(empty.aggregated, make_empty_success_result(), "DELTA-HFAIL-003");
    assert!(empty.stop.is_none() && empty.block.is_none() && empty.runs.is_empty(), "DELTA-HFAIL-003");
}

#[test]
fn a_question_leaves_out_the_reasons_of_hooks_whose_ask_reads_as_allow() {
    let ask = |reason: &str| answered(&json!({"decision": "ask", "reason": reason}));
    let mut projects = ask("let me");
    let mut hook = hook("theirs");
    hook.origin.level = crate::hook::Level::Project;
    projects.hook = Arc::new(hook);
    let runs = vec![projects, ask("sure?")];
    let aggregator = HookAggregator::new(AskReading::Person, AskReading::Allow);
    let aggregated = aggregator.aggregate_results(BeforeTool, &runs, false);
    let processed = process_common_hook_output_fields(BeforeTool, aggregated, runs);
    assert_eq!(processed.ask, Some("sure?".to_owned()));
}

#[test]
fn an_ask_is_a_question_about_a_tool_call_with_the_reasons_of_the_asking_hooks() {
    let ask = |reason: &str| answered(&json!({"decision": "ask", "reason": reason}));
    let permission = answered(&json!({"reason": "r", "hookSpecificOutput":
        {"permissionDecision": "ask", "permissionDecisionReason": "p"}}));
    let fine = answered(&json!({"decision": "allow", "reason": "fine by me"}));
    for (runs, reason) in [
        (vec![ask("why")], "why"),
        (vec![ask(" ")], "A hook asks for a person's decision"),
        (vec![fine.clone(), ask("one"), permission.clone(), fine.clone()], "one\np"),
    ] {
        let processed = process(BeforeTool, runs);
        assert_eq!(processed.ask, Some(reason.to_owned()), "O7 HOOK-182");
        assert!(processed.block.is_none(), "HOOK-182");
        assert_eq!(processed.verdict_reason(), Some(reason));
    }
    let blocked =
        process(BeforeTool, vec![ask("why"), answered(&json!({"decision": "block", "reason": "no"}))]);
    assert!(blocked.ask.is_none() && blocked.block.is_some(), "O7: block over ask");
    for event in [AfterTool, BeforeModel, BeforeAgent] {
        let processed = process(event, vec![ask("why")]);
        assert_eq!(processed.ask, None, "{event}");
        assert!(processed.warnings[0].contains("only BeforeTool can ask"), "{:?}", processed.warnings);
    }
}
