use super::*;
use crate::hook::fixtures::hook;
use crate::hook::{ConfigSource, ExtensionName, Level, Origin};

pub(crate) fn at(level: Level, hook: Hook) -> Hook {
    Hook { origin: Origin { level, ..hook.origin }, ..hook }
}

fn extension() -> Level {
    Level::Extension(ExtensionName::new("lint"))
}

pub(in crate::plan) fn entry(name_or_command: &str, level: Level) -> DisabledEntry {
    DisabledEntry {
        name_or_command: name_or_command.to_owned(),
        list: DisabledList::Settings(level),
        file: None,
    }
}

fn commands(statuses: &[HookStatus]) -> Vec<&str> {
    statuses.iter().map(|status| status.hook.command()).collect()
}

fn enabled(registry: &HookRegistry) -> Vec<String> {
    let enabled = registry.all_hooks().into_iter().filter(|status| status.enabled);
    enabled.map(|status| status.hook.command().to_owned()).collect()
}

#[test]
fn hooks_are_ranked_by_source_and_keep_their_order_within_it() {
    let ranked = |command, source| Hook { source, ..hook(command) };
    let registry = HookRegistry::trusting(
        vec![
            ranked("e1", ConfigSource::Extensions),
            ranked("s1", ConfigSource::System),
            ranked("p1", ConfigSource::Project),
            ranked("u1", ConfigSource::User),
            ranked("e2", ConfigSource::Extensions),
            ranked("p2", ConfigSource::Project),
        ],
        &[],
    );
    let expected = ["p1", "p2", "u1", "s1", "e1", "e2"];
    let of_event: Vec<_> =
        registry.registered_for(EventName::BeforeTool).map(|each| each.hook.command()).collect();
    assert_eq!(of_event, expected, "HOOK-086, HOOK-187");
    assert_eq!(commands(&registry.all_hooks()), expected, "DELTA-HSYS-002");
    assert_eq!(registry.total_hooks(), 6, "HOOK-009");
    let sources: Vec<_> = registry.all_hooks().iter().map(|status| status.hook.source as u8).collect();
    assert_eq!(sources, [1, 1, 2, 3, 4, 4], "HOOK-085: every hook keeps the source it was tagged with");
}

#[test]
fn a_list_of_disabled_hooks_reaches_as_far_as_its_level() {
    let hooks = || {
        vec![
            at(Level::Project, Hook { name: "guard".to_owned(), ..hook("p.sh") }),
            at(Level::User, Hook { name: "guard".to_owned(), ..hook("u.sh") }),
            at(Level::System, Hook { name: "guard".to_owned(), ..hook("s.sh") }),
            at(extension(), Hook { name: "guard".to_owned(), ..hook("e.sh") }),
        ]
    };
    for (entries, expected) in [
        (vec![], "p.sh u.sh s.sh e.sh"),
        (vec![entry("guard", Level::Project)], "u.sh s.sh e.sh"),
        (vec![entry("u.sh", Level::Project), entry("s.sh", Level::Project)], "p.sh u.sh s.sh e.sh"),
        (vec![entry("guard", extension())], "p.sh u.sh s.sh"),
        (vec![entry("guard", Level::User)], ""),
        (vec![entry("p.sh", Level::User), entry("e.sh", Level::System)], "u.sh s.sh"),
        (vec![entry("", Level::User), entry("gua", Level::User)], "p.sh u.sh s.sh e.sh"),
    ] {
        let registry = HookRegistry::trusting(hooks(), &entries);
        assert_eq!(enabled(&registry).join(" "), expected, "{entries:?}");
    }
}

#[test]
fn hooks_are_enabled_and_disabled_by_name_or_command() {
    let named = Hook { name: "guard".to_owned(), ..hook("a.sh") };
    let registry = HookRegistry::trusting(
        vec![named.clone(), hook("b.sh"), Hook { event: EventName::AfterTool, ..named }],
        &[entry("b.sh", Level::User)],
    );
    for (name, enable, changed, left, listening) in [
        ("b.sh", true, 1, "a.sh b.sh a.sh", (true, true)),
        ("b.sh", true, 0, "a.sh b.sh a.sh", (true, true)),
        ("guard", false, 2, "b.sh", (true, false)),
        ("a.sh", true, 2, "a.sh b.sh a.sh", (true, true)),
        ("unknown", false, 0, "a.sh b.sh a.sh", (true, true)),
        ("", false, 0, "a.sh b.sh a.sh", (true, true)),
        ("b.sh", false, 1, "a.sh a.sh", (true, true)),
        ("a.sh", false, 2, "", (false, false)),
    ] {
        assert_eq!(registry.set_hook_enabled(name, enable), changed, "DELTA-HSYS-002: {name}");
        assert_eq!(enabled(&registry).join(" "), left, "DELTA-HSYS-002: {name}");
        let now = (registry.listens_to(EventName::BeforeTool), registry.listens_to(EventName::AfterTool));
        assert_eq!(now, listening, "HOOK-013: {name}");
    }
}

#[test]
fn one_hook_can_be_left_on_alone() {
    let named = Hook { name: "guard".to_owned(), ..hook("a.sh") };
    for (only, kept, left) in
        [("guard", 1, "a.sh"), ("a.sh", 2, "a.sh a.sh"), ("off.sh", 1, ""), ("unknown", 0, "")]
    {
        // The second hook has no name of its own, so that it goes by the first one's command.
        let registry = HookRegistry::trusting(
            vec![named.clone(), hook("a.sh"), hook("b.sh"), hook("off.sh")],
            &[entry("off.sh", Level::User)],
        );
        assert_eq!(registry.disable_others(only), kept, "{only}");
        assert_eq!(enabled(&registry).join(" "), left, "{only}");
        assert_eq!(registry.listens_to(EventName::BeforeTool), !left.is_empty(), "{only}");
    }
}

#[test]
fn no_hook_listens_where_all_are_unapproved_or_absent() {
    let judged = |trust| (Arc::new(hook("a.sh")), HookJudgement { trust, seal: None });
    let why = "it is new".to_owned();
    let registry = HookRegistry::new([judged(HookTrust::NotApproved { why })], &[]);
    for event in EventName::ALL {
        assert!(!registry.listens_to(event), "HOOK-011: {event}");
    }
    assert_eq!(commands(&registry.all_hooks()), ["a.sh"], "an unapproved hook is listed");
    let approved = HookRegistry::new([judged(HookTrust::Approved)], &[]);
    assert!(approved.listens_to(EventName::BeforeTool) && !approved.listens_to(EventName::AfterTool));
}
