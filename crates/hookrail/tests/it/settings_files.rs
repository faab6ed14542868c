//! Settings from real files: levels, extensions, broken and missing files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use hookrail::Diagnostic;
use hookrail::components::{ConfigSource, DisabledList, ExtensionName, Level};
use hookrail::settings::SettingsPaths;
use hookrail::settings::{PerLevel, Settings, SettingsFiles};
use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::kit::paths;

fn load(project: &TestProject) -> Settings {
    SettingsFiles::load(&paths(project)).settings()
}

/// The settings of one hook for one event.
fn one_hook(event: &str, command: &str) -> Value {
    json!({ event: [{ "hooks": [{ "type": "command", "command": command }] }] })
}

fn write(path: &Path, text: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    path.to_owned()
}

fn commands(settings: &Settings) -> Vec<&str> {
    settings.hooks.iter().map(|configured| &*configured.hook).map(hookrail::Hook::command).collect()
}

/// `code file:line:column` of each finding, with the file's name only.
fn brief(findings: &[Diagnostic]) -> Vec<String> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let line = |finding: &Diagnostic| {
        let place = finding.place.as_ref().unwrap();
        format!("{} {}:{}:{}", finding.code, name(&place.file), place.line, place.column)
    };
    findings.iter().map(line).collect()
}

#[test]
fn all_levels_and_extensions_contribute_in_order() {
    let project = TestProject::new();
    project.settings(&json!({ "hooks": one_hook("BeforeTool", "project"), "enableHooks": true }));
    project.user_settings(
        &json!({ "hooks": one_hook("BeforeTool", "user"), "tools": { "enableHooks": false } }),
    );
    project.system_settings(&json!({ "hooks": one_hook("BeforeTool", "system") }));
    project.extension("zeta", &json!({ "name": "zeta", "hooks": one_hook("BeforeTool", "zeta") }));
    project.extension("alpha", &json!({ "hooks": one_hook("BeforeTool", "alpha") }));

    let settings = load(&project);
    assert_eq!(settings.diagnostics, []);
    assert_eq!(settings.project_dir, project.dir());
    assert_eq!(commands(&settings), ["project", "user", "system", "alpha", "zeta"], "HOOK-084, C3");
    let found: Vec<(ConfigSource, Level, PathBuf)> = settings
        .hooks
        .iter()
        .map(|hook| (hook.source, hook.origin.level.clone(), hook.origin.file.clone()))
        .collect();
    let extension = |name: &str| {
        let file = project.home().join(".llxprt/extensions").join(name).join("llxprt-extension.json");
        (ConfigSource::Extensions, Level::Extension(ExtensionName::new(name)), file)
    };
    assert_eq!(
        found,
        [
            (ConfigSource::Project, Level::Project, project.settings_path()),
            (ConfigSource::Project, Level::User, project.user_settings_path()),
            (ConfigSource::Project, Level::System, project.system_settings_path()),
            extension("alpha"),
            extension("zeta"),
        ],
        "HOOK-085, C4"
    );
    let flag = PerLevel { managed: None, project: Some(true), user: Some(false), system: None };
    assert_eq!(settings.enable, flag, "C1, C3");
}

#[test]
fn nothing_at_all_is_no_finding() {
    let project = TestProject::new();
    let mut settings = load(&project);
    assert_eq!((settings.hooks.len(), settings.diagnostics.len()), (0, 0));
    assert_eq!(settings.enable, PerLevel::default(), "C1: off by default");
    // A file where a folder is expected is nothing as well.
    project.file(".hookrail", "");
    settings = SettingsFiles::load(&SettingsPaths::at(project.dir(), project.home(), "/dev/null")).settings();
    assert_eq!(settings.diagnostics, []);
}

#[test]
fn origins_name_the_line_of_the_opening_brace() {
    let project = TestProject::new();
    project.file(
        ".hookrail/settings.json",
        "\u{feff}// With a byte order mark.\r\n{ \"hooks\": { \"AfterTool\": [\r\n  { \"hooks\": [\r\n    \
         { \"type\": \"command\", \"command\": \"a\" },\r\n    {\r\n      \"type\": \"command\",\r\n      \
         \"command\": \"b\", \"ä\": 1, \"tiemout\": 5\r\n    },\r\n  ] },\r\n] } }",
    );
    let settings = load(&project);
    let lines: Vec<usize> = settings.hooks.iter().map(|hook| hook.origin.line).collect();
    assert_eq!(lines, [4, 5], "C4");
    assert_eq!(
        brief(&settings.diagnostics),
        ["unknown-field settings.json:7:23", "misspelt-field settings.json:7:31"],
        "C8"
    );
    let text = project.read(".hookrail/settings.json");
    let span = settings.diagnostics[1].place.as_ref().unwrap().span.clone();
    assert_eq!(text.get(span), Some("\"tiemout\""), "spans count the bytes of the file");
}

#[test]
fn a_broken_file_takes_only_itself_down() {
    let broken: [(&str, &[u8], &str); 4] = [
        ("a missing comma", b"{\n  \"hooks\": {}\n  \"x\": 1\n}", "malformed-settings settings.json:2:14"),
        ("not UTF-8", b"{\n  \"x\": \"\xff\"\n}", "unreadable-settings settings.json:2:9"),
        ("UTF-16", b"\xff\xfe{\0}\0", "unreadable-settings settings.json:1:1"),
        ("empty", b"", "malformed-settings settings.json:1:1"),
    ];
    for (what, bytes, finding) in broken {
        for level in 0..3 {
            let project = TestProject::new();
            let files =
                [project.settings_path(), project.user_settings_path(), project.system_settings_path()];
            project.settings(&json!({ "hooks": one_hook("AfterTool", "0") }));
            project.user_settings(&json!({ "hooks": one_hook("AfterTool", "1") }));
            project.system_settings(&json!({ "hooks": one_hook("AfterTool", "2") }));
            write(&files[level], bytes);
            let settings = load(&project);
            assert_eq!(brief(&settings.diagnostics), [finding], "C8: {what}");
            assert_eq!(settings.diagnostics[0].place.as_ref().unwrap().file, files[level]);
            let others: Vec<String> = (0..3).filter(|n| *n != level).map(|n| n.to_string()).collect();
            assert_eq!(commands(&settings), others, "HOOK-084, C8: {what}");
        }
    }
}

#[test]
fn what_is_no_readable_file_is_a_finding() {
    let project = TestProject::new();
    fs::create_dir_all(project.settings_path()).unwrap();
    fs::create_dir_all(project.home().join(".hookrail")).unwrap();
    // A project may link its settings to something that never ends.
    symlink("/dev/zero", project.user_settings_path()).unwrap();
    symlink(project.system_settings_path(), project.system_settings_path()).unwrap();
    let settings = load(&project);
    assert_eq!(brief(&settings.diagnostics), ["unreadable-settings settings.json:1:1"; 3], "C8");
    assert_eq!(settings.enable, PerLevel::default());
    let levels: Vec<&Level> = settings.unusable.iter().map(|file| &file.level).collect();
    assert_eq!(levels, [&Level::Project, &Level::User, &Level::System], "C8");
}

#[test]
fn a_link_that_leads_nowhere_is_a_broken_file() {
    for the_folder in [false, true] {
        for folder in [".hookrail", ".llxprt"] {
            let project = TestProject::new();
            let folder = project.home().join(folder);
            if the_folder {
                symlink("/nowhere", &folder).unwrap();
            } else {
                fs::create_dir_all(&folder).unwrap();
                symlink("/nowhere/settings.json", folder.join("settings.json")).unwrap();
            }
            let settings = load(&project);
            assert_eq!(brief(&settings.diagnostics), ["unreadable-settings settings.json:1:1"], "X8");
            assert_eq!(settings.unusable[0].level, Level::User, "X8");
        }
    }
}

/// Writes the `.llxprt` files beside those of `TestProject`.
fn llxprt(dir: &Path, settings: &serde_json::Value) -> PathBuf {
    let file = dir.join(".llxprt/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    write(&file, settings.to_string().as_bytes());
    file
}

#[test]
fn both_folders_of_a_level_are_read_and_ours_comes_first() {
    let project = TestProject::new();
    project.settings(&json!({ "hooks": one_hook("AfterTool", "project-own"), "enableHooks": true }));
    llxprt(
        &project.dir(),
        &json!({ "hooks": one_hook("AfterTool", "project-llxprt"), "enableHooks": false }),
    );
    project.user_settings(&json!({
        "hooks": one_hook("AfterTool", "user-own"),
        "hooksConfig": { "disabled": ["a", "b"], "maxOutputBytes": 7, "rules": ["no-force-push"] },
        "security": { "environmentVariableRedaction": { "blocked": ["A"] } },
    }));
    llxprt(
        &project.home(),
        &json!({
            "hooks": one_hook("AfterTool", "user-llxprt"),
            "enableHooks": true,
            "hooksConfig": { "disabled": ["b", "c"], "maxOutputBytes": 8, "maxConcurrentHooks": 9, "rules": ["no-force-push"] },
            "security": { "environmentVariableRedaction": { "enabled": true, "blocked": ["A", "B"] } },
            "extensions": { "disabled": ["e"] },
        }),
    );
    let settings = load(&project);
    assert_eq!(settings.diagnostics, [], "C13");
    let named: Vec<&str> = settings.hooks.iter().map(|hook| hook.name.as_str()).collect();
    let expected = ["project-own", "project-llxprt", "user-own", "no-force-push", "user-llxprt"];
    assert_eq!(named, expected, "HOOK-084, C13: groups are concatenated, lists united");
    let flag = PerLevel { managed: None, project: Some(true), user: Some(true), system: None };
    assert_eq!(settings.enable, flag, "C13: of a single value in both, `.hookrail`'s counts");
    let user = &settings.levels.user;
    assert_eq!((user.max_output_bytes, user.max_concurrent_hooks), (Some(7), Some(9)), "C13");
    assert_eq!(user.redaction.enabled, Some(true), "C13");
    assert_eq!(user.redaction.blocked, ["A", "B"], "C13");
    assert_eq!(user.disabled_extensions, ["e"], "C13");
    let mut disabled: Vec<&str> =
        settings.disabled.iter().map(|entry| entry.name_or_command.as_str()).collect();
    disabled.dedup();
    assert_eq!(disabled, ["a", "b", "c"], "C13");
    let flag_files = [
        (Level::Project, project.dir().join(".hookrail/settings.json")),
        (Level::User, project.home().join(".llxprt/settings.json")),
    ];
    assert_eq!(settings.flag_files, flag_files, "C13");
}

#[test]
fn one_broken_file_of_two_breaks_its_level() {
    for (level, broken_is_ours) in [(0, true), (0, false), (1, true), (1, false)] {
        let project = TestProject::new();
        let hooks = |name: &str| json!({ "enableHooks": true, "hooks": one_hook("AfterTool", name) });
        project.settings(&hooks("p")).user_settings(&hooks("u"));
        llxprt(&project.dir(), &hooks("p-llxprt"));
        llxprt(&project.home(), &hooks("u-llxprt"));
        let dir = if level == 0 { project.dir() } else { project.home() };
        let folder = if broken_is_ours { ".hookrail" } else { ".llxprt" };
        let file = dir.join(folder).join("settings.json");
        write(&file, b"{ \"hooks\": ");
        let settings = load(&project);
        let left: &[&str] = if level == 0 { &["u", "u-llxprt"] } else { &["p", "p-llxprt"] };
        assert_eq!(commands(&settings), left, "C8, C13: {}", file.display());
        let flags = (settings.enable.project, settings.enable.user);
        let expected = if level == 0 { (None, Some(true)) } else { (Some(true), None) };
        assert_eq!(flags, expected, "C13");
        assert_eq!(settings.unusable.len(), 1, "C13");
        assert_eq!(settings.unusable[0].file, file, "C13");
    }
}

#[test]
fn one_file_under_both_names_is_read_once() {
    let project = TestProject::new();
    project.settings(&json!({ "hooks": one_hook("AfterTool", "once") }));
    symlink(".hookrail", project.dir().join(".llxprt")).unwrap();
    // The project's second name for the user's file is the user's.
    llxprt(&project.home(), &json!({ "hooks": one_hook("AfterTool", "mine") }));
    assert_eq!(commands(&load(&project)), ["once", "mine"], "C13");
    fs::remove_file(project.dir().join(".llxprt")).unwrap();
    symlink(project.home().join(".llxprt"), project.dir().join(".llxprt")).unwrap();
    let settings = load(&project);
    assert_eq!(commands(&settings), ["once", "mine"], "C13");
    assert_eq!(settings.hooks[1].origin.level, Level::User, "C13");
}

#[test]
fn in_the_home_directory_the_file_is_the_users() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": one_hook("AfterTool", "once") }));
    let link = project.file("x", "").with_file_name("home-link");
    symlink(project.home(), &link).unwrap();
    for project_dir in [project.home(), project.home().join("."), link] {
        let paths = SettingsPaths::at(project_dir, project.home(), project.system_settings_path());
        let settings = SettingsFiles::load(&paths).settings();
        assert_eq!(commands(&settings), ["once"], "C2");
        assert_eq!(settings.hooks[0].origin.level, Level::User, "C2");
        let flag = PerLevel { managed: None, project: None, user: Some(true), system: None };
        assert_eq!(settings.enable, flag, "C2");
    }
}

#[test]
fn the_environment_says_where_settings_are() {
    let env = |pairs: &'static [(&str, &str)]| {
        move |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
    };
    let dir = PathBuf::from("/p");
    let paths = SettingsPaths::new(dir.clone(), env(&[("HOME", "/h")]));
    assert_eq!(paths.user_file(), Some("/h/.hookrail/settings.json".into()), "C2");
    assert_eq!(paths.project_file(), PathBuf::from("/p/.hookrail/settings.json"), "C2");
    let system = ["/etc/hookrail/settings.json", "/etc/llxprt-code/settings.json"].map(PathBuf::from);
    assert_eq!(paths.system, system, "C2, C13");
    let users = ["/h/.hookrail/settings.json", "/h/.llxprt/settings.json"].map(PathBuf::from);
    assert_eq!(paths.files(&Level::User), users, "C13");
    assert_eq!(paths.state_dir(), Some("/h/.hookrail".into()));
    let overridden = [("HOME", "/h"), ("HOOKRAIL_HOME", "/t"), ("HOOKRAIL_SYSTEM_SETTINGS", "/s.json")];
    let paths = SettingsPaths::new(dir.clone(), move |name| {
        overridden.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
    });
    assert_eq!((paths.home.as_path(), &*paths.system), (Path::new("/t"), &["/s.json".into()][..]), "C2, C13");
    // Without a home there is no user level; a relative one would be the project's own, but trusted.
    let paths = SettingsPaths::new(dir, env(&[("HOME", "")]));
    assert_eq!((paths.user_file(), paths.extensions_dir()), (None, None));
}

#[test]
fn extensions_have_two_manifests_and_two_places_for_hooks() {
    let project = TestProject::new();
    let extensions = project.home().join(".llxprt/extensions");
    let manifest =
        |name: &str, file: &str, value: &Value| write(&extensions.join(name).join(file), value.to_string());
    let hooks =
        |name: &str, value: &Value| write(&extensions.join(name).join("hooks/hooks.json"), value.to_string());
    manifest("a-gemini", "gemini-extension.json", &json!({ "hooks": one_hook("AfterTool", "a") }));
    manifest("b-both", "gemini-extension.json", &json!({ "hooks": one_hook("AfterTool", "wrong") }));
    manifest("b-both", "llxprt-extension.json", &json!({ "hooks": one_hook("AfterTool", "b") }));
    hooks("b-both", &one_hook("AfterTool", "wrong"));
    manifest("c-bare", "llxprt-extension.json", &json!({ "name": "c" }));
    hooks("c-bare", &one_hook("AfterTool", "c"));
    manifest("d-wrapped", "llxprt-extension.json", &json!({}));
    hooks("d-wrapped", &json!({ "hooks": one_hook("AfterTool", "d"), "description": "x" }));
    manifest("e-none", "llxprt-extension.json", &json!({ "version": "1" }));
    write(&extensions.join("f-broken/llxprt-extension.json"), "{");
    hooks("f-broken", &one_hook("AfterTool", "f"));
    hooks("g-stray", &one_hook("AfterTool", "wrong"));
    manifest("h-keys", "llxprt-extension.json", &json!({ "hooks": { "disabled": ["a"], "Aftertool": [] } }));
    write(&extensions.join("a-file"), "");

    let settings = load(&project);
    assert_eq!(commands(&settings), ["a", "b", "c", "d", "f"], "C5");
    assert_eq!(
        brief(&settings.diagnostics),
        [
            "malformed-settings llxprt-extension.json:1:2",
            "extension-without-manifest hooks.json:1:1",
            "no-effect llxprt-extension.json:1:11",
            "unknown-event llxprt-extension.json:1:28",
        ],
        "C5, C8"
    );
    assert!(settings.hooks.iter().all(|hook| hook.source == ConfigSource::Extensions), "HOOK-085");
    assert_eq!(settings.disabled, [], "an extension disables nothing");
}

#[test]
fn disabled_extensions_are_inactive_and_a_project_cannot_disable_any() {
    let project = TestProject::new();
    for name in ["by-user", "by-system", "by-project", "active"] {
        project.extension(name, &json!({ "hooks": one_hook("AfterTool", name) }));
    }
    project.user_settings(&json!({ "extensions": { "disabled": ["by-user"] } }));
    project.system_settings(&json!({ "extensions": { "disabled": ["by-system"] } }));
    project.settings(&json!({ "extensions": { "disabled": ["by-project"] } }));
    let settings = load(&project);
    assert_eq!(
        commands(&settings),
        ["active", "by-project"],
        "C3, C5: a project weakens nothing outside of it"
    );
    assert_eq!(brief(&settings.diagnostics), ["no-effect settings.json:2:3"]);
}

#[test]
fn disabled_lists_remember_their_level() {
    let project = TestProject::new();
    project.settings(&json!({ "hooksConfig": { "disabled": ["a"] }, "hooks": { "disabled": ["b"] } }));
    project.user_settings(&json!({ "hooksConfig": { "disabled": ["a"] } }));
    project.system_settings(&json!({ "hooks": { "disabled": ["c"] } }));
    let entry = |name: &str, level| (name.to_owned(), DisabledList::Settings(level));
    let entries = load(&project).disabled.into_iter();
    assert_eq!(
        entries.map(|entry| (entry.name_or_command, entry.list)).collect::<Vec<_>>(),
        [
            entry("a", Level::Project),
            entry("b", Level::Project),
            entry("a", Level::User),
            entry("c", Level::System)
        ],
        "C6"
    );
}
