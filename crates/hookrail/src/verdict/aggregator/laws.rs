//! What holds of every merge, whatever the hooks say.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixtures::{answered, finished};
use super::*;
use crate::verdict::common_fields::process_common_hook_output_fields;
use crate::verdict::hook_run::Exit;
use crate::verdict::result::StopReason;

fn any_event() -> impl Strategy<Value = EventName> {
    prop::sample::select(EventName::ALL.to_vec())
}

fn optional(values: Vec<Value>) -> impl Strategy<Value = Option<Value>> {
    prop::option::of(prop::sample::select(values))
}

fn any_specific() -> impl Strategy<Value = Value> {
    let words = || vec![json!("deny"), json!("block"), json!("allow"), json!(7)];
    let names = prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "é"]), 0..4);
    (
        optional(words()),
        optional(vec![json!("p1"), json!("p2")]),
        optional(vec![json!("c1"), json!("")]),
        optional(vec![json!({"x": 1}), json!({"y": {"z": 2}})]),
        optional(vec![json!("AUTO"), json!("ANY"), json!("NONE"), json!("any")]),
        prop::option::of(names),
    )
        .prop_map(|(permission, why, context, input, mode, names)| {
            let mut config = json!({});
            set(&mut config, "mode", mode);
            set(&mut config, "allowedFunctionNames", names.map(Value::from));
            let mut specific = json!({});
            set(&mut specific, "permissionDecision", permission);
            set(&mut specific, "permissionDecisionReason", why);
            set(&mut specific, "additionalContext", context);
            set(&mut specific, "tool_input", input.clone());
            set(&mut specific, "llm_request", input);
            set(&mut specific, "toolConfig", Some(config));
            specific
        })
}

fn set(object: &mut Value, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        object[key] = value;
    }
}

fn any_answer() -> impl Strategy<Value = Value> {
    (
        optional(vec![
            json!("block"),
            json!("deny"),
            json!("allow"),
            json!("ask"),
            json!("odd"),
            json!(null),
            json!(5),
        ]),
        optional(vec![json!("r1"), json!("r2"), json!(" ")]),
        optional(vec![json!(true), json!(false), json!("no")]),
        optional(vec![json!("s1"), json!("")]),
        optional(vec![json!(true), json!(false)]),
        optional(vec![json!("m1"), json!("m2")]),
        prop::option::of(any_specific()),
    )
        .prop_map(|(decision, reason, go_on, stop_reason, suppress, message, specific)| {
            let mut answer = json!({});
            set(&mut answer, "decision", decision);
            set(&mut answer, "reason", reason);
            set(&mut answer, "continue", go_on);
            set(&mut answer, "stopReason", stop_reason);
            set(&mut answer, "suppressOutput", suppress);
            set(&mut answer, "systemMessage", message);
            set(&mut answer, "hookSpecificOutput", specific);
            answer
        })
}

fn any_run() -> impl Strategy<Value = HookRun> {
    prop_oneof![
        6 => any_answer().prop_map(|answer| answered(&answer)),
        1 => Just(finished(Exit::Code(0), "plain text", "")),
        1 => Just(finished(Exit::Code(0), "", "")),
        1 => Just(finished(Exit::Code(2), "", "no")),
        1 => Just(finished(Exit::Code(1), "", "boom")),
        1 => Just(finished(Exit::Signal(9), "", "")),
    ]
}

fn any_runs() -> impl Strategy<Value = Vec<HookRun>> {
    prop::collection::vec(any_run(), 0..6)
}

fn aggregate(event: EventName, runs: &[HookRun], sequential: bool) -> AggregatedHookResult {
    HookAggregator::default().aggregate_results(event, runs, sequential)
}

/// Whether one hook alone blocks.
fn blocks(event: EventName, run: &HookRun) -> bool {
    run.output.as_ref().is_some_and(|output| output.blocks(event))
}

fn stops(run: &HookRun) -> bool {
    run.output.as_ref().is_some_and(HookOutput::should_stop_execution)
}

proptest! {
    #[test]
    fn a_merge_blocks_exactly_if_a_hook_does(event in any_event(), runs in any_runs(), sequential in any::<bool>()) {
        let merged = aggregate(event, &runs, sequential).final_output;
        let blocked = merged.as_ref().is_some_and(HookOutput::is_blocking_decision);
        prop_assert_eq!(blocked, runs.iter().any(|run| blocks(event, run)), "HOOK-092 (O12, O19, O21)");
    }

    #[test]
    fn adding_a_hook_never_unblocks_and_never_restarts(
        event in any_event(), runs in any_runs(), more in any_run(), at in any::<prop::sample::Index>(), sequential in any::<bool>(),
    ) {
        let verdict = |runs: &[HookRun]| {
            let processed = process_common_hook_output_fields(event, aggregate(event, runs, sequential), runs.to_vec());
            (processed.block.is_some(), processed.stop.is_some(), processed.ask.is_some())
        };
        let mut extended = runs.clone();
        extended.insert(at.index(runs.len() + 1), more);
        let (before, after) = (verdict(&runs), verdict(&extended));
        prop_assert!(after.0 || !before.0, "HOOK-092: a block is sticky");
        prop_assert!(after.1 || !before.1, "HOOK-097: a stop is sticky");
        prop_assert!(after.0 || after.2 || !before.2, "O7: only a block takes the place of an ask");
    }

    #[test]
    fn a_stop_is_kept_with_a_reason(event in any_event(), runs in any_runs()) {
        let processed = process_common_hook_output_fields(event, aggregate(event, &runs, false), runs.clone());
        prop_assert_eq!(processed.stop.is_some(), runs.iter().any(stops), "HOOK-097 DELTA-HAPP-002");
        let reasons: Vec<&str> = runs.iter().filter(|run| stops(run))
            .filter_map(|run| Some(run.output.as_ref()?.effective_stop_reason())).collect();
        let expected = if reasons.is_empty() { None } else { Some(reasons.join("\n")) };
        prop_assert_eq!(processed.stop.map(StopReason::into_string), expected, "DELTA-HRUN-002 (O9)");
    }

    /// Durations stand for the order of finishing: runs are given in plan order, and nothing else may count.
    #[test]
    fn the_order_of_finishing_never_matters(
        event in any_event(), runs in any_runs(), durations in prop::collection::vec(0..10_000_u64, 6),
    ) {
        let mut timed = runs.clone();
        for (run, ms) in timed.iter_mut().zip(&durations) {
            run.duration = Duration::from_millis(*ms);
        }
        let (plain, timed) = (aggregate(event, &runs, false), aggregate(event, &timed, false));
        prop_assert_eq!(plain.final_output, timed.final_output, "O14");
        prop_assert_eq!(plain.all_outputs, timed.all_outputs, "O14");
    }

    #[test]
    fn output_is_suppressed_if_any_hook_says_so(runs in any_runs()) {
        let any = runs.iter().any(|run| run.output.as_ref().is_some_and(|output| output.suppress_output == Some(true)));
        for event in [EventName::BeforeTool, EventName::AfterTool] {
            let merged = aggregate(event, &runs, false).final_output.unwrap_or_default();
            prop_assert_eq!(merged.suppress_output == Some(true), any, "HOOK-096");
        }
    }

    #[test]
    fn united_names_are_sorted_once_each_and_complete(runs in any_runs()) {
        let config = |output: &HookOutput| output.specific("toolConfig").cloned().unwrap_or_default();
        let merged = config(&aggregate(EventName::BeforeToolSelection, &runs, false).final_output.unwrap_or_default());
        let given: Vec<Value> = runs.iter().filter_map(|run| Some(config(run.output.as_ref()?))).collect();
        let modes: Vec<&Value> = given.iter().filter_map(|config| config.get("mode")).collect();
        let mut names: Vec<&str> = given.iter().filter_map(|config| config["allowedFunctionNames"].as_array())
            .flatten().filter_map(Value::as_str).collect();
        names.sort_unstable();
        names.dedup();
        if modes.contains(&&json!("NONE")) {
            prop_assert_eq!(merged, json!({"mode": "NONE", "allowedFunctionNames": []}), "HOOK-101 HOOK-210");
        } else {
            let any = modes.contains(&&json!("ANY"));
            prop_assert_eq!(merged["mode"] == json!("ANY"), any, "HOOK-100 HOOK-210");
            let merged = merged["allowedFunctionNames"].as_array().cloned().unwrap_or_default();
            prop_assert_eq!(merged, names, "HOOK-099 HOOK-102 HOOK-210");
        }
    }

    #[test]
    fn failed_hooks_change_nothing_but_the_merged_message(event in any_event(), runs in any_runs()) {
        let healthy: Vec<HookRun> = runs.iter().filter(|run| run.failure().is_none()).cloned().collect();
        let process = |runs: &[HookRun]| process_common_hook_output_fields(event, aggregate(event, runs, false), runs.to_vec());
        let (with, without) = (process(&runs), process(&healthy));
        prop_assert_eq!(with.system_message, without.system_message, "HOOK-112 (O16)");
        prop_assert_eq!(with.block, without.block, "HOOK-110 HOOK-112");
        if let Some(mut merged) = with.aggregated.final_output && let Some(expected) = without.aggregated.final_output {
            merged.system_message.clone_from(&expected.system_message);
            prop_assert_eq!(merged, expected, "HOOK-112");
        }
    }
}
