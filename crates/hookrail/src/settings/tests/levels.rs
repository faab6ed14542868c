//! Flags, scalars and lists, and which level counts.

use super::*;

#[test]
fn the_enable_flag_has_aliases_in_a_fixed_order() {
    let all = json!({ "enableHooks": null, "tools": {}, "hooksConfig": {}, "hooks": {} });
    let paths = ["/enableHooks", "/tools/enableHooks", "/hooksConfig/enabled", "/hooks/enabled"];
    assert_eq!(read(&all).enable, PerLevel::default(), "C1: nothing said");
    for (first, path) in paths.iter().enumerate() {
        for flag in [true, false] {
            let mut value = all.clone();
            for (index, other) in paths.iter().enumerate() {
                let (parent, key) = other.rsplit_once('/').unwrap();
                if index >= first {
                    value.pointer_mut(parent).unwrap()[key] =
                        json!(if index == first { flag } else { !flag });
                }
            }
            let settings = read(&value);
            assert_eq!(settings.enable.user, Some(flag), "C1: {path} wins over what follows it");
            assert_eq!(settings.diagnostics, []);
        }
    }
    for path in paths {
        let mut value = all.clone();
        let (parent, key) = path.rsplit_once('/').unwrap();
        value.pointer_mut(parent).unwrap()[key] = json!("true");
        value["hooks"]["BeforeTool"] = json!([{ "hooks": [{ "type": "command", "command": "guard" }] }]);
        let settings = read(&value);
        assert_eq!(codes(&settings), ["flag-not-a-boolean"], "C8: {path}");
        assert_eq!((settings.enable.user, settings.hooks.len()), (None, 0), "C8: nothing of the file counts");
        assert_eq!(settings.unusable.len(), 1, "C8: {path}");
    }
}

#[test]
fn levels_resolve_project_over_user_over_system() {
    let text = |name: &str| vec![name.to_owned(), "SHARED".to_owned()];
    let level = |n: usize, name: &str| LevelSettings {
        max_concurrent_hooks: Some(n),
        redaction: Redaction { enabled: Some(n == 1), allowed: text(name), blocked: Vec::new() },
        ..LevelSettings::default()
    };
    let mut settings = Settings {
        levels: PerLevel {
            managed: LevelSettings::default(),
            project: level(1, "P"),
            user: level(2, "U"),
            system: level(3, "S"),
        },
        ..Settings::default()
    };
    settings.levels.system.max_output_bytes = Some(7);
    settings.levels.project.agent_events = Some(AgentEvents::Apply);
    let effective = settings.effective(true);
    assert_eq!(effective.limits, Limits { max_concurrent: 1, max_output_bytes: Some(7) });
    assert_eq!(effective.agent_events, Some(AgentEvents::Apply));
    assert_eq!(effective.redaction.allowed, ["P", "SHARED", "U", "S"]);
    let effective = settings.effective(false);
    assert_eq!(effective.limits, Limits { max_concurrent: 2, max_output_bytes: Some(7) }, "Trust");
    assert_eq!(effective.agent_events, None, "Trust");
    assert_eq!(
        (effective.redaction.enabled, effective.redaction.allowed),
        (Some(false), ["U", "SHARED", "S"].map(str::to_owned).to_vec()),
        "Trust"
    );
    assert_eq!(Settings::default().effective(true).limits, Limits::default());
}

#[test]
fn scalars_lists_and_aliases_are_read() {
    let settings = read(&json!({
        "hooksConfig": { "disabled": ["a", "b"], "agentEvents": "apply", "maxConcurrentHooks": 4, "maxOutputBytes": 1024 },
        "hooks": { "disabled": ["c"] },
        "extensions": { "disabled": ["e"] },
        "security": { "environmentVariableRedaction": { "enabled": true, "allowed": ["A"], "blocked": ["B"] } },
    }));
    assert_eq!(settings.diagnostics, []);
    let disabled: Vec<&str> = settings.disabled.iter().map(|entry| entry.name_or_command.as_str()).collect();
    assert_eq!(disabled, ["a", "b", "c"], "C6");
    let redaction = Redaction { enabled: Some(true), allowed: vec!["A".into()], blocked: vec!["B".into()] };
    assert_eq!(
        settings.levels.user,
        LevelSettings {
            max_concurrent_hooks: Some(4),
            max_output_bytes: Some(1024),
            agent_events: Some(AgentEvents::Apply),
            ask: None,
            log: None,
            redaction,
            disabled_extensions: vec!["e".into()],
        }
    );
    for value in [json!(0), json!(-1), json!(1.5), json!("4"), json!([])] {
        let settings =
            read(&json!({ "hooksConfig": { "maxConcurrentHooks": value, "maxOutputBytes": value } }));
        assert_eq!(codes(&settings), ["invalid-value"; 2], "{value}");
        assert_eq!(settings.effective(true).limits, Limits::default());
    }
    let settings = read(&json!({ "hooksConfig": { "disabled": ["a", 1, "b"] } }));
    assert_eq!((settings.disabled.len(), codes(&settings)), (2, vec!["wrong-type"]));
}
