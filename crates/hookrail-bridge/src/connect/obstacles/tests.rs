use std::collections::HashMap;

use super::super::{ConnectOptions, EntryScope, connect};
use super::*;

/// Where each agent has its entries.
fn file_of(agent: Agent, is_project: bool) -> PathBuf {
    if is_project {
        super::super::project_settings(agent, Path::new("/p")).expect("a place").path
    } else {
        super::super::user_settings(agent, Path::new("/h"), |_| None).path
    }
}

/// What `connect` writes.
fn entries(agent: Agent, is_project: bool) -> String {
    let file = file_of(agent, is_project);
    let scope = if is_project {
        EntryScope::Project { require: false }
    } else {
        EntryScope::User { program: Path::new("/h/hookrail"), home: Path::new("/h"), file: &file }
    };
    let edit = connect(agent, None, scope, ConnectOptions::default()).expect("an edit");
    edit.new_text.expect("a text")
}

/// The obstacles of an agent whose entries are there, with more files around. A file that has the entries gets them
/// besides what is given.
fn found(
    agent: Agent,
    is_project: bool,
    files: &[(&str, &str)],
    variables: &[(&str, &str)],
) -> Vec<Obstacle> {
    let file = file_of(agent, is_project);
    let mut texts: HashMap<PathBuf, String> =
        files.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())).collect();
    let mut own = entries(agent, is_project);
    if let Some(more) = texts.get(&file).filter(|_| file.extension().is_some_and(|end| end == "toml")) {
        own.push_str(more);
    } else if let Some(more) = texts.get(&file) {
        own = own.replacen('{', &format!("{},", more.strip_suffix('}').unwrap_or(more)), 1);
    }
    texts.entry(file.clone()).insert_entry(own);
    let user_file = file_of(agent, false);
    obstacles(
        agent,
        &Surroundings {
            file: &file,
            is_project,
            user_file: &user_file,
            project: Path::new("/p"),
            read: &|file| texts.get(file).cloned(),
            real: &|path| path.to_owned(),
            variable: &|name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            },
        },
    )
}

#[test]
fn every_switch_is_found_where_the_agent_reads_it() {
    use Agent::{Claude, Codex, Copilot, Gemini, Llxprt, Opencode, Qwen};
    const OFF: &str = r#"{"disableAllHooks": true}"#;
    const ON: &str = r#"{"disableAllHooks": false}"#;
    const CONFIG_OFF: &str = r#"{"hooksConfig": {"enabled": false}}"#;
    const MANAGED: &str = "/etc/claude-code/managed-settings.json";
    for (agent, files, expected) in [
        (Claude, &[][..], None),
        (Claude, &[("/h/.claude/settings.json", OFF)], Some("/h/.claude/settings.json")),
        (Claude, &[("/p/.claude/settings.json", OFF)], Some("/p/.claude/settings.json")),
        (Claude, &[("/p/.claude/settings.local.json", OFF)], Some("/p/.claude/settings.local.json")),
        (Claude, &[("/h/.claude/settings.json", OFF), ("/p/.claude/settings.local.json", ON)], None),
        (Claude, &[(MANAGED, r#"{"allowManagedHooksOnly": true}"#)], Some(MANAGED)),
        (Claude, &[(MANAGED, r#"{"strictPluginOnlyCustomization": ["hooks"]}"#)], Some(MANAGED)),
        (Claude, &[(MANAGED, OFF)], Some(MANAGED)),
        (Claude, &[("/p/.claude/settings.json", "{ oops")], None),
        (Qwen, &[("/h/.qwen/settings.json", OFF)], Some("/h/.qwen/settings.json")),
        (Qwen, &[("/p/.qwen/settings.json", OFF)], Some("/p/.qwen/settings.json")),
        (Qwen, &[("/etc/qwen-code/settings.json", OFF)], Some("/etc/qwen-code/settings.json")),
        (Qwen, &[("/h/.qwen/settings.json", CONFIG_OFF)], Some("/h/.qwen/settings.json")),
        (Gemini, &[("/h/.gemini/settings.json", CONFIG_OFF)], Some("/h/.gemini/settings.json")),
        (Gemini, &[("/p/.gemini/settings.json", CONFIG_OFF)], Some("/p/.gemini/settings.json")),
        (Gemini, &[("/etc/gemini-cli/settings.json", CONFIG_OFF)], Some("/etc/gemini-cli/settings.json")),
        (Gemini, &[("/h/.gemini/settings.json", OFF)], None),
        (
            Gemini,
            &[("/h/.gemini/trustedFolders.json", r#"{"/p": "DO_NOT_TRUST"}"#)],
            Some("/h/.gemini/trustedFolders.json"),
        ),
        (
            Gemini,
            &[("/h/.gemini/trustedFolders.json", r#"{"/": "DO_NOT_TRUST", "/p": "TRUST_FOLDER"}"#)],
            None,
        ),
        (
            Gemini,
            &[("/h/.gemini/trustedFolders.json", r#"{"/": "DO_NOT_TRUST", "/p/x": "TRUST_PARENT"}"#)],
            None,
        ),
        (Qwen, &[("/h/.qwen/trustedFolders.json", r#"{"/p": "DO_NOT_TRUST"}"#)], None),
        (Copilot, &[("/h/.copilot/hooks/hookrail.json", OFF)], Some("/h/.copilot/hooks/hookrail.json")),
        (Copilot, &[("/h/.copilot/settings.json", OFF)], Some("/h/.copilot/settings.json")),
        (Copilot, &[("/p/.github/copilot/settings.json", OFF)], Some("/p/.github/copilot/settings.json")),
        (Llxprt, &[], Some("/h/.llxprt/settings.json")),
        (
            Llxprt,
            &[("/h/.llxprt/settings.json", r#"{"enableHooks": true}"#)],
            Some("/h/.llxprt/settings.json"),
        ),
        (Llxprt, &[("/h/.llxprt/settings.json", r#"{"hooksConfig": {"enabled": true}}"#)], None),
        (Opencode, &[], None),
        (
            Codex,
            &[("/etc/codex/requirements.toml", "allow_managed_hooks_only = true")],
            Some("/etc/codex/requirements.toml"),
        ),
        (Codex, &[("/h/.codex/config.toml", "[features]\nhooks = false")], Some("/h/.codex/config.toml")),
        (
            Codex,
            &[("/h/.codex/config.toml", "[features]\ncodex_hooks = false")],
            Some("/h/.codex/config.toml"),
        ),
        (Codex, &[("/p/.codex/config.toml", "[features]\nhooks = false")], Some("/p/.codex/config.toml")),
    ] {
        let found = found(agent, false, files, &[]);
        let first = found.first().and_then(|obstacle| obstacle.file.as_deref());
        assert_eq!(first, expected.map(Path::new), "{agent} {files:?}: {found:?}");
        assert!(found.iter().all(|obstacle| !obstacle.help.is_empty()));
    }
}

#[test]
fn a_list_of_disabled_hooks_may_name_ours() {
    let text = entries(Agent::Gemini, false);
    let settings: Value = serde_json::from_str(&text).expect("JSON");
    let command = settings.pointer("/hooks/BeforeTool/0/hooks/0/command").expect("a command");
    let list = serde_json::json!({"hooksConfig": {"disabled": ["mine", command]}}).to_string();
    let found = found(Agent::Gemini, false, &[("/p/.gemini/settings.json", &list)], &[]);
    assert!(matches!(&found[..], [one] if one.message.ends_with(": BeforeTool")), "{found:?}");
}

#[test]
fn variables_keep_opencode_and_its_fork_from_loading_plugins() {
    for (agent, all, projects) in [
        (Agent::Opencode, "OPENCODE_PURE", "OPENCODE_DISABLE_PROJECT_CONFIG"),
        (Agent::Kilo, "KILO_PURE", "KILO_DISABLE_PROJECT_CONFIG"),
    ] {
        let count = |is_project, name| found(agent, is_project, &[], &[(name, "1")]).len();
        assert_eq!((count(false, all), count(true, all)), (1, 1), "{agent}");
        assert_eq!((count(false, projects), count(true, projects)), (0, 1), "{agent}");
    }
}

#[test]
fn cline_lists_plugins_that_are_off() {
    let file = "/h/.cline/data/settings/global-settings.json";
    let list = r#"{"disabledPlugins": ["/h/.cline/plugins/hookrail.js"]}"#;
    assert_eq!(found(Agent::Cline, false, &[(file, list)], &[]).len(), 1);
    assert_eq!(found(Agent::Cline, true, &[(file, list)], &[]).len(), 0);
    assert_eq!(found(Agent::Cline, false, &[(file, "{}")], &[]).len(), 0);
    let moved = &[("/d/settings/global-settings.json", list)];
    assert_eq!(found(Agent::Cline, false, moved, &[("CLINE_DATA_DIR", "/d")]).len(), 1);
}

/// `pi config` writes such entries; those of a project turn off extensions of the user, too.
#[test]
fn an_extension_that_pi_was_told_to_leave_out_is_found() {
    let user = "/h/.pi/agent/settings.json";
    for (file, list, expected) in [
        (user, r#"["-extensions/hookrail.js"]"#, 1),
        (user, r#"["-./extensions/hookrail.js"]"#, 1),
        (user, r#"["-/h/.pi/agent/extensions/hookrail.js"]"#, 1),
        (user, r#"["!hookrail.js"]"#, 1),
        (user, r#"["!**/*.js"]"#, 1),
        (user, r#"["!**/*.js", "+extensions/hookrail.js"]"#, 0),
        (user, r#"["+extensions/hookrail.js", "-extensions/hookrail.js"]"#, 1),
        (user, r#"["-extensions/other.js", "!other.js", "extensions/hookrail.js"]"#, 0),
        (
            "/p/.pi/settings.json",
            r#"["/h/.pi/agent/extensions/hookrail.js", "-/h/.pi/agent/extensions/hookrail.js"]"#,
            1,
        ),
    ] {
        let text = format!(r#"{{"extensions": {list}}}"#);
        assert_eq!(found(Agent::Pi, false, &[(file, &text)], &[]).len(), expected, "{file} {list}");
    }
}

/// pi asks whether it may load what a project brings, and does not without a terminal.
#[test]
fn a_projects_extension_runs_in_a_trusted_folder_only() {
    let trust = "/h/.pi/agent/trust.json";
    for (files, expected) in [
        (&[][..], 1),
        (&[(trust, r#"{"/p": true}"#)], 0),
        (&[(trust, r#"{"/": true, "/p": false}"#)], 1),
        (&[(trust, r#"{"/": true}"#)], 0),
        (&[("/h/.pi/agent/settings.json", r#"{"defaultProjectTrust": "always"}"#)], 0),
    ] {
        assert_eq!(found(Agent::Pi, true, files, &[]).len(), expected, "{files:?}");
        assert_eq!(found(Agent::Pi, false, files, &[]).len(), 0, "{files:?}");
    }
}

#[test]
fn a_projects_entries_need_a_trusted_folder() {
    let trusted = "[projects.\"/p\"]\ntrust_level = \"trusted\"\n";
    let is_unread = |files: &[(&str, &str)]| {
        found(Agent::Codex, true, files, &[])
            .iter()
            .any(|obstacle| obstacle.message.contains("until the project"))
    };
    assert!(is_unread(&[]));
    assert!(!is_unread(&[("/h/.codex/config.toml", trusted)]));
    let qwen = [
        ("/h/.qwen/trustedFolders.json", r#"{"/p": "DO_NOT_TRUST"}"#),
        ("/h/.qwen/settings.json", r#"{"security": {"folderTrust": {"enabled": true}}}"#),
    ];
    assert_eq!(found(Agent::Qwen, true, &qwen, &[]).len(), 1);
    assert_eq!(found(Agent::Qwen, false, &qwen, &[]).len(), 0, "the user's hooks run in any folder");
}

/// The hashes are those that Codex 0.169.0 itself showed for these hooks (`hooks/list` of its app server).
#[test]
fn trust_is_recorded_as_codex_does() {
    let entry = |event: &str, command: &str, timeout| CodexEntry {
        event: event.to_owned(),
        group: 0,
        place: 0,
        matcher: None,
        command: command.to_owned(),
        timeout,
    };
    for (entry, expected) in [
        (
            entry("PreToolUse", "/bin/sh -c 'echo \"é $0\"' x bridge", 600),
            "sha256:a36c504863a5520149dfd62bf7df423d383d784c2c3e5de496229812e91f04bc",
        ),
        (
            entry("UserPromptSubmit", "false", 5),
            "sha256:bbf3c6d9c7e8d1b9500f120af34414ddb004b165b22128bdaf92140faae7932e",
        ),
        (
            entry("SessionEnd", "true", 1),
            "sha256:3a77f6214a1fc904ec3c34db73f74db5d254ba7cfe462739bd9d37a130a2839f",
        ),
    ] {
        assert_eq!(entry.hashes(), [expected]);
    }
}

/// The file in which Codex records what was trusted, for our entries as they are.
fn trust_of(text: &str, more: &str) -> String {
    let read = |_: &Path| Some(text.to_owned());
    let none = |_: &str| None;
    let same = |path: &Path| path.to_owned();
    let file = Path::new("/h/.codex/hooks.json");
    let project = Path::new("/p");
    let around = Surroundings {
        file,
        is_project: false,
        user_file: file,
        project,
        read: &read,
        real: &same,
        variable: &none,
    };
    let tables = codex_entries(&around).expect("entries").into_iter().map(|entry| {
        let key = format!("{}:{}:{}:{}", file.display(), snake_case(&entry.event), entry.group, entry.place);
        format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"{}\"\n{more}", entry.hashes()[0])
    });
    tables.collect()
}

#[test]
fn entries_that_codex_was_not_told_to_trust_are_found() {
    let text = entries(Agent::Codex, false);
    let config = "/h/.codex/config.toml";
    let messages = |config_text: &str| {
        let found = found(Agent::Codex, false, &[(config, config_text)], &[]);
        found.into_iter().map(|obstacle| obstacle.message).collect::<Vec<_>>()
    };
    let trusted = trust_of(&text, "");
    assert_eq!(messages(&trusted), [""; 0]);
    assert!(
        matches!(&messages("")[..], [one] if one.contains("nobody trusted them") && one.contains("PreToolUse"))
    );
    assert!(
        matches!(&messages(&trust_of(&text, "enabled = false\n"))[..], [one] if one.contains("disabled in Codex"))
    );
    let other = trusted.replacen("sha256:", "sha256:0", 1);
    assert!(
        matches!(&messages(&other)[..], [one] if one.ends_with(": PreToolUse")),
        "{:?}",
        messages(&other)
    );
}

/// One hook that Kimi Code's schema does not accept makes it drop all hooks of the file.
#[test]
fn a_hook_that_kimi_does_not_accept_is_found() {
    const FILE: &str = "/h/.kimi-code/config.toml";
    for (hook, expected) in [
        ("event = \"Stop\"\ncommand = \"true\"\nmatcher = \"x\"\ntimeout = 600\n", None),
        ("event = \"Stop\"\ncommand = \"true\"\nfail_mode = \"closed\"\n", Some("fail_mode")),
        ("event = \"BeforeTool\"\ncommand = \"true\"\n", Some("event")),
        ("event = \"Stop\"\ncommand = \"true\"\ntimeout = 601\n", Some("timeout")),
        ("event = \"Stop\"\n", Some("command")),
    ] {
        let text = format!("\n[[hooks]]\n{hook}");
        let obstacles = found(Agent::Kimi, false, &[(FILE, &text)], &[]);
        let messages: Vec<&str> = obstacles.iter().map(|obstacle| obstacle.message.as_str()).collect();
        match expected {
            None => assert!(messages.is_empty(), "{hook}: {messages:?}"),
            Some(key) => {
                assert!(
                    messages.len() == 1 && messages[0].contains(&format!("`{key}`")),
                    "{hook}: {messages:?}"
                );
            }
        }
    }
}

#[test]
fn groks_switches_are_found() {
    for (file, text, expected) in [
        ("/h/.grok/config.toml", "allow_managed_hooks_only = true\n", 0),
        ("/etc/grok/requirements.toml", "allow_managed_hooks_only = true\n", 1),
        ("/h/.grok/managed_config.toml", "allowManagedHooksOnly = \"yes\"\n", 1),
        ("/etc/grok/requirements.toml", "allow_managed_hooks_only = false\n", 0),
        ("/h/.grok/disabled-hooks", "global/hookrail:pre_tool_use[0].hooks[0]\n", 1),
        ("/h/.grok/disabled-hooks", "global/mine:pre_tool_use[0].hooks[0]\n", 0),
    ] {
        assert_eq!(found(Agent::Grok, false, &[(file, text)], &[]).len(), expected, "{file}: {text}");
    }
}
