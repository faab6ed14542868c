//! Cline. Files in its hooks folder can only end a whole task, and are not waited for at prompts, so `connect` writes a
//! plugin, which calls the bridge and carries the answer out: this dialect is a contract between the two.
//!
//! The plugin skips a call with a reason or ends the run, changes arguments, replaces results and adds texts for the model.
//! Cline grants it three seconds at a time and ends the run when they are over.

use crate::agents::{opencode, pi, prelude::*};

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "3.0.65",
    events: include_str!("events/cline.txt"),
    tools: include_str!("tools/cline.txt"),
    beside: &[],
    marks: &[],
    mcp: McpForm::Bare,
    can: Capabilities {
        change_arguments: true,
        context: &[EventName::BeforeTool, EventName::AfterTool, EventName::BeforeAgent],
        stop: &[EventName::BeforeTool, EventName::AfterTool],
        ..Capabilities::NONE
    },
    unseen: &[
        "If its plugins do not load within four seconds, it goes on without them, unless `CLINE_PLUGIN_IMPORT_TIMEOUT_MS` is higher.",
    ],
    settings: SettingsFile {
        variables: &[("CLINE_DIR", "plugins/hookrail.js")],
        user: ".cline/plugins/hookrail.js",
        project: ".cline/plugins/hookrail.js",
        shape: SettingsShape::Plugin,
        ..SettingsFile::NONE
    },
    advice: Some(
        "Cline loads plugins at its start; restart it. It goes on without plugins that take longer than four seconds to \
         load: set CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000 where you start it.",
    ),
    tool_response,
    render: pi::render,
    ..opencode::TABLE
};

/// A result whose text is in `output`, or the results of several commands, each with its own.
fn tool_response(response: &Value) -> JsonObject {
    match response.get("output") {
        Some(Value::Array(results)) => {
            let texts = results.iter().map(|each| match each.get("result") {
                Some(Value::String(text)) => text.clone(),
                _ => each.to_string(),
            });
            text_result(&texts.collect::<Vec<_>>().join("\n"))
        }
        Some(output) => our_result(output),
        None => our_result(response),
    }
}
