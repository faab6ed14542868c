use std::cell::Cell;

use proptest::prelude::*;

use super::*;
use crate::hook::fixtures::hook;
use crate::hook::{ConfigSource, HookKind, Level};
use crate::matcher::Matcher;
use crate::plan::registry::tests::{at, entry};
use crate::trust::{HookJudgement, HookTrust};

thread_local! {
    static FAILS: Cell<bool> = const { Cell::new(false) };
}

/// Makes every planning on this thread panic, for tests of what comes of that.
pub(crate) fn inject_failure() {
    FAILS.set(true);
}

pub(super) fn fail_if_injected() {
    assert!(!FAILS.get(), "an injected failure");
}

fn on(matcher: &str, hook: Hook) -> Hook {
    Hook { matcher: Matcher::for_event(hook.event, Some(matcher)), ..hook }
}

fn of(event: EventName, hook: Hook) -> Hook {
    Hook { event, ..hook }
}

fn sequential(hook: Hook) -> Hook {
    Hook { sequential: true, ..hook }
}

fn from_extension(hook: Hook) -> Hook {
    Hook { source: ConfigSource::Extensions, ..hook }
}

fn planner(hooks: Vec<Hook>) -> HookPlanner {
    HookPlanner::new(Arc::new(HookRegistry::trusting(hooks, &[])))
}

/// A plan in short: `a.sh, b.sh`, with `in turn: ` before it if it is sequential; `nothing` if there is none.
fn brief(plan: Option<&Plan>) -> String {
    let Some(plan) = plan else { return "nothing".to_owned() };
    let commands: Vec<_> = plan.hooks.iter().map(|planned| planned.hook.command()).collect();
    format!("{}{}", if plan.sequential { "in turn: " } else { "" }, commands.join(", "))
}

#[test]
fn plans_hold_what_matches_once_and_in_order() {
    use EventName::{AfterTool, BeforeTool};
    let tool = Some("write_file");
    for (requirement, hooks, event, target, expected) in [
        ("HOOK-011", vec![], BeforeTool, tool, "nothing"),
        ("HOOK-011", vec![hook("a")], AfterTool, tool, "nothing"),
        ("HOOK-012", vec![on("read", hook("a"))], BeforeTool, tool, "nothing"),
        ("HOOK-021", vec![on("write", hook("a")), on("read", hook("b"))], BeforeTool, tool, "a"),
        ("HOOK-022", vec![hook("a")], BeforeTool, tool, "a"),
        ("HOOK-032", vec![of(AfterTool, on("read", hook("a")))], AfterTool, tool, "nothing"),
        ("HOOK-032", vec![on("^write_", of(AfterTool, hook("a")))], AfterTool, tool, "a"),
        ("HOOK-087", vec![on("^(?!read_)", hook("a"))], BeforeTool, tool, "a"),
        ("HOOK-087", vec![on("^(?!read_)", hook("a"))], BeforeTool, Some("read_file"), "nothing"),
        ("HOOK-088", vec![on("write_file[", hook("a"))], BeforeTool, tool, "nothing"),
        ("HOOK-088", vec![on("write_file[", hook("a"))], BeforeTool, Some("write_file["), "a"),
        ("HOOK-089", vec![on("", hook("a")), on("*", hook("b"))], BeforeTool, tool, "a, b"),
        ("HOOK-090", vec![hook("a"), hook("b"), hook("a")], BeforeTool, tool, "a, b"),
        ("HOOK-090", vec![on("read", hook("a")), hook("b"), hook("a")], BeforeTool, tool, "b, a"),
        ("HOOK-091", vec![hook("a"), on("write", sequential(hook("a")))], BeforeTool, tool, "a"),
        ("HOOK-091", vec![from_extension(hook("a")), hook("b"), hook("a")], BeforeTool, tool, "b, a"),
        ("HOOK-086", vec![from_extension(hook("a")), hook("b")], BeforeTool, tool, "b, a"),
        ("HOOK-187", vec![from_extension(hook("a")), hook("c"), hook("b")], BeforeTool, tool, "c, b, a"),
        ("HOOK-103", vec![sequential(hook("b")), sequential(hook("a"))], BeforeTool, tool, "in turn: b, a"),
        ("HOOK-108", vec![hook("a"), hook("b")], BeforeTool, tool, "a, b"),
        ("HOOK-109", vec![hook("a"), sequential(hook("b"))], BeforeTool, tool, "in turn: a, b"),
        ("HOOK-109", vec![hook("a"), on("read", sequential(hook("b")))], BeforeTool, tool, "a"),
        ("HOOK-162", vec![on("read", hook("a")), hook("b")], BeforeTool, None, "a, b"),
    ] {
        let planner = planner(hooks);
        let plan = planner.plan(event, target);
        assert_eq!(brief(plan.as_deref()), expected, "{requirement}");
        assert_eq!(brief(planner.plan(event, target).as_deref()), expected, "{requirement}, remembered");
        assert_eq!(
            brief(planner.explain(event, target, &[]).plan.as_ref()),
            expected,
            "{requirement}, explained"
        );
    }
}

#[test]
fn events_of_agent_and_model_ignore_matchers() {
    for (requirement, event) in [
        ("HOOK-041", EventName::BeforeModel),
        ("HOOK-051", EventName::AfterModel),
        ("HOOK-059", EventName::BeforeToolSelection),
        ("HOOK-163", EventName::BeforeModel),
        ("ruling M3", EventName::BeforeAgent),
        ("ruling M3", EventName::AfterAgent),
    ] {
        for matcher in ["gemini", "[", ""] {
            let planner = planner(vec![on(matcher, of(event, hook("a")))]);
            for target in [None, Some("anything")] {
                assert_eq!(brief(planner.plan(event, target).as_deref()), "a", "{requirement}: {matcher}");
            }
        }
    }
}

#[test]
fn session_events_compare_the_whole_word() {
    for event in
        [EventName::SessionStart, EventName::SessionEnd, EventName::PreCompress, EventName::Notification]
    {
        for (matcher, expected) in [
            ("clear", "a"),
            ("cle", "nothing"),
            ("clear|exit", "nothing"),
            ("c.*", "nothing"),
            ("", "a"),
            ("*", "a"),
        ] {
            let planner = planner(vec![on(matcher, of(event, hook("a")))]);
            let plan = planner.plan(event, Some("clear"));
            assert_eq!(brief(plan.as_deref()), expected, "HOOK-089, ruling M3: {event} {matcher}");
        }
    }
}

#[test]
fn plugins_are_no_duplicates_of_each_other() {
    let plugin = |name: &str| Hook { kind: HookKind::Plugin, ..hook(name) };
    let plan = planner(vec![plugin("a"), plugin("b"), plugin("a")]).plan(EventName::BeforeTool, Some("x"));
    assert_eq!(plan.map(|plan| plan.hooks.len()), Some(3), "HOOK-091: only commands are compared");
}

#[test]
fn a_hook_that_does_not_run_replaces_no_other_hook() {
    let unapproved = HookTrust::NotApproved { why: "it is new".to_owned() };
    let project = sequential(at(Level::Project, hook("guard.sh")));
    let disabled = entry("off", Level::User);
    let registry = HookRegistry::new(
        [
            (project, unapproved),
            (sequential(Hook { name: "off".to_owned(), ..hook("guard.sh") }), HookTrust::Trusted),
            (on("read", sequential(hook("guard.sh"))), HookTrust::Trusted),
            (hook("guard.sh"), HookTrust::Trusted),
            (hook("guard.sh"), HookTrust::Trusted),
        ]
        .map(|(hook, trust)| (Arc::new(hook), HookJudgement { trust, seal: None })),
        &[disabled],
    );
    let explanation =
        HookPlanner::new(Arc::new(registry)).explain(EventName::BeforeTool, Some("write_file"), &[]);
    assert_eq!(
        brief(explanation.plan.as_ref()),
        "guard.sh",
        "HOOK-109: skipped hooks make no plan sequential"
    );
    let reasons: Vec<_> = explanation.skipped.iter().map(|skipped| skipped.why.to_string()).collect();
    assert_eq!(
        reasons,
        [
            "it is new",
            "disabled by `hooksConfig.disabled` in user settings",
            "matcher `read` does not match `write_file`",
            "duplicate of `guard.sh` (settings.json:7)",
        ]
    );
}

#[test]
fn enabling_and_disabling_changes_remembered_plans() {
    let registry = Arc::new(HookRegistry::trusting(vec![hook("a"), hook("b")], &[]));
    let planner = HookPlanner::new(Arc::clone(&registry));
    let plan = || brief(planner.plan(EventName::BeforeTool, Some("x")).as_deref());
    assert_eq!(plan(), "a, b");
    for (name, enabled, expected) in
        [("a", false, "b"), ("b", false, "nothing"), ("a", true, "a"), ("b", true, "a, b")]
    {
        assert_eq!(registry.set_hook_enabled(name, enabled), 1, "DELTA-HSYS-002");
        assert_eq!(plan(), expected, "DELTA-HSYS-002: {name} {enabled}");
    }
    registry.set_hook_enabled("a", false);
    let explanation = planner.explain(EventName::BeforeTool, Some("x"), &[]);
    assert_eq!(explanation.skipped[0].why.to_string(), "disabled at run time");
}

#[test]
fn a_matcher_that_cannot_be_decided_counts_as_matched_and_is_reported() {
    let planner = planner(vec![on(r"(a+)+b\1$", hook("guard.sh"))]);
    let plan = planner.plan(EventName::BeforeTool, Some(&"a".repeat(10_000))).unwrap();
    let expected = format!(
        r"matcher `(a+)+b\1$` of hook `guard.sh` takes too long on `{}…`, so the hook counts as matched",
        "a".repeat(80)
    );
    assert_eq!(plan.warnings, [expected], "ruling M6");
    assert_eq!(brief(Some(&plan)), "guard.sh");
}

#[test]
fn what_is_remembered_is_shared_and_bounded() {
    let hooks: Vec<_> = (0..100).map(|number| hook(&number.to_string())).collect();
    let planner = planner(hooks);
    let plan = |name: &str| planner.plan(EventName::BeforeTool, Some(name)).unwrap();
    assert!(Arc::ptr_eq(&plan("x"), &plan("x")), "HOOK-003, HOOK-006: nothing is made twice");
    for number in 0..5_000 {
        assert_eq!(plan(&format!("tool_{number}")).hooks.len(), 100);
        let cache = planner.plans[EventName::BeforeTool as usize].read().unwrap();
        assert!(cache.by_target.len() <= MAX_NAMES && cache.planned_hooks <= MAX_PLANNED_HOOKS);
    }
    let long = "x".repeat(MAX_NAME_BYTES + 1);
    assert!(!Arc::ptr_eq(&plan(&long), &plan(&long)));
}

/// Places in the list of events and their numbers must agree: both index the same arrays.
#[test]
fn events_are_numbered_in_their_order() {
    for (place, event) in EventName::ALL.into_iter().enumerate() {
        assert_eq!(event as usize, place);
    }
}

fn hooks() -> impl Strategy<Value = Vec<Hook>> {
    let one = (
        0..6_u8,
        prop::sample::select(vec!["", "read", "write", "^w", "_file$", "^(?!read)", "["]),
        any::<(bool, bool)>(),
    );
    let one = one.prop_map(|(command, matcher, (sequential, is_extension))| {
        let hook = on(matcher, Hook { sequential, ..hook(&command.to_string()) });
        if is_extension { from_extension(hook) } else { hook }
    });
    prop::collection::vec(one, 0..12)
}

fn identities(plan: Option<&Plan>) -> Vec<*const Hook> {
    plan.map_or(Vec::new(), |plan| plan.hooks.iter().map(|planned| Arc::as_ptr(&planned.hook)).collect())
}

proptest! {
    #[test]
    fn plans_keep_the_laws(hooks in hooks(), target in prop::sample::select(vec!["read_file", "write_file", "w", ""])) {
        let planner = planner(hooks);
        let plan = planner.plan(EventName::BeforeTool, Some(target));
        let fresh = planner.resolve(EventName::BeforeTool, &[target], None);
        let again = planner.plan(EventName::BeforeTool, Some(target));
        prop_assert_eq!(identities(plan.as_deref()), identities(fresh.as_ref()), "HOOK-086: remembered is fresh");
        prop_assert_eq!(identities(plan.as_deref()), identities(again.as_deref()));

        // Order and deduplication, said another way: of each command the first that matches, by rank.
        let listed = planner.registry.all_hooks();
        let matching = listed.iter().filter(|status| status.hook.matcher.matches_tool(target).is_match());
        let mut expected: Vec<Arc<Hook>> = Vec::new();
        for status in matching {
            if expected.iter().all(|hook| hook.command() != status.hook.command()) {
                expected.push(Arc::clone(&status.hook));
            }
        }
        let pointers: Vec<_> = expected.iter().map(Arc::as_ptr).collect();
        prop_assert_eq!(identities(plan.as_deref()), pointers, "HOOK-090, HOOK-091");
        prop_assert!(expected.is_sorted_by_key(|hook| hook.source), "HOOK-187");
        let is_sequential = plan.is_some_and(|plan| plan.sequential);
        prop_assert_eq!(is_sequential, expected.iter().any(|hook| hook.sequential), "HOOK-109");
    }

    #[test]
    fn a_hook_that_does_not_match_changes_nothing(hooks in hooks(), place in any::<prop::sample::Index>(), command in 0..6_u8) {
        let without = planner(hooks.clone());
        let mut more = hooks;
        let place = place.index(more.len() + 1);
        more.insert(place, sequential(on("never", hook(&command.to_string()))));
        let with = planner(more);
        let target = Some("write_file");
        let (one, other) = (without.plan(EventName::BeforeTool, target), with.plan(EventName::BeforeTool, target));
        prop_assert_eq!(brief(one.as_deref()), brief(other.as_deref()), "HOOK-021");
    }

    #[test]
    fn every_hook_is_planned_or_skipped(hooks in hooks()) {
        let count = hooks.len();
        let explanation = planner(hooks).explain(EventName::BeforeTool, Some("write_file"), &[]);
        let planned = explanation.plan.map_or(0, |plan| plan.hooks.len());
        prop_assert_eq!(planned + explanation.skipped.len(), count);
    }
}
