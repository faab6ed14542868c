//! The engine, as its users reach it. The only file of the benchmark that knows its interface.

use std::sync::Arc;

use hookrail::{EventName, HookPlanner, HookRegistry, JudgedHook, SettingsPaths, TrustPolicy, load_settings};
use serde_json::Value;
use tempfile::TempDir;

/// A project with settings of its user.
pub struct Project {
    folder: TempDir,
}

impl Project {
    /// The settings need no approval, being the user's.
    pub fn with_user_settings(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("makes a temporary folder");
        for name in ["home/.llxprt", "project"] {
            std::fs::create_dir_all(folder.path().join(name)).expect("makes a folder");
        }
        std::fs::write(folder.path().join("home/.llxprt/settings.json"), text).expect("writes settings");
        Self { folder }
    }

    /// Loads the settings until an event could be planned; tells how many hooks there are.
    pub fn load(&self) -> usize {
        let paths = self.paths();
        let settings = load_settings(&paths);
        let judgement = TrustPolicy::AllowAll.judge(&paths.project_dir, &settings.hooks, &Value::Null);
        let hooks = settings.hooks.into_iter().zip(judgement.hooks).map(JudgedHook::from);
        let registry = Arc::new(HookRegistry::new(hooks, &settings.disabled));
        let planner = HookPlanner::new(Arc::clone(&registry));
        assert!(planner.plan(EventName::AfterTool, None).is_none());
        registry.all_hooks().len()
    }

    fn paths(&self) -> SettingsPaths {
        let folder = self.folder.path();
        SettingsPaths::new(folder.join("project"), |name| match name {
            "HOOKRAIL_HOME" => Some(folder.join("home").into()),
            "HOOKRAIL_SYSTEM_SETTINGS" => Some(folder.join("none.json").into()),
            _ => None,
        })
    }
}

/// What a hook before a tool typically reads, as bytes.
pub fn small_payload() -> Vec<u8> {
    let input = serde_json::json!({
        "session_id": "00000000-0000-4000-8000-000000000000",
        "transcript_path": "",
        "cwd": "/home/user/project",
        "timestamp": "2026-11-15T12:00:00.000Z",
        "hook_event_name": "BeforeTool",
        "tool_name": "write_file",
        "tool_input": {"file_path": "src/main.rs", "content": "fn main() {}\n".repeat(40)},
    });
    serde_json::to_vec(&input).expect("is JSON")
}
