//! Cursor. From its documents, and not observed: there is no program of it that can be run here.
//!
//! Each kind of call has an event of its own, without the name of a tool. Files that the agent writes fire an event only
//! afterwards.

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "its documents (not observed)",
    events: include_str!("events/cursor.txt"),
    tools: include_str!("tools/cursor.txt"),
    can: Capabilities { ask: true, allow: true, go_on: true, ..Capabilities::NONE },
    unseen: &[
        "Files that it writes fire an event afterwards only: nothing can refuse that.",
        "It takes no text for the model.",
    ],
    also_runs: &[Agent::Claude],
    settings: SettingsFile {
        user: ".cursor/hooks.json",
        project: ".cursor/hooks.json",
        shape: SettingsShape::VersionedCommands,
        hook_files: &["hooks.json"],
        ..SettingsFile::NONE
    },
    advice: Some(
        "This follows Cursor's documents and was not observed. Cursor also runs the hooks in `.claude/settings.json`.",
    ),
    render,
    ..PLAIN
};

/// The messages have two spellings, of earlier and of later versions.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let told = |answer: Object, reason: &str| {
        let keys = ["user_message", "agent_message", "userMessage", "agentMessage"];
        keys.into_iter().fold(answer, |answer, key| answer.with(key, reason))
    };
    let answer = match (event.event, &effects.deny, &effects.ask, &effects.allow) {
        (Some(EventName::BeforeTool), Some(reason), ..) => {
            told(Object::default().with("permission", "deny"), reason)
        }
        (Some(EventName::BeforeTool), None, Some(reason), _) => {
            told(Object::default().with("permission", "ask"), reason)
        }
        (Some(EventName::BeforeTool), None, None, Some(_)) => Object::default().with("permission", "allow"),
        (Some(EventName::BeforeAgent), Some(reason), ..) => {
            told(Object::default().with("continue", false), reason)
        }
        (Some(EventName::AfterAgent), Some(reason), ..) => {
            Object::default().with("followup_message", reason.as_str())
        }
        _ => Object::default(),
    };
    answer.into_answer()
}
