//! The JSON Schemas that `hookrail schema` prints, as files: editors and other programs refer to them.
//! That of the agent's log comes from types. The others are written by hand: those of payloads and answers in one file, from
//! which the schema of each event is made.

use std::path::Path;

use anyhow::Result;
use hookrail::EventName;
use hookrail::schemas::{input_schema, output_schema};
use hookrail_agent::session_log_schema;

use crate::Generated;

/// All schemas, below `schemas/`.
pub(crate) fn generate(root: &Path) -> Result<Vec<Generated>> {
    let folder = root.join("schemas");
    let generated = |name: String, text: String| Generated { path: folder.join(name), content: text + "\n" };
    let log = serde_json::to_string_pretty(&session_log_schema())?;
    // The program prints this text; what makes it is not in the program.
    let printed = Generated {
        path: root.join("crates/hookrail-commands/src/commands/session-log.schema.json"),
        content: log.clone() + "\n",
    };
    // Written by hand beside its reader, whose tests hold the two together.
    let tests = std::fs::read_to_string(root.join("crates/hookrail-commands/src/commands/test/schema.json"))?;
    let mut schemas = vec![
        printed,
        generated("session-log.schema.json".to_owned(), log),
        generated("test.schema.json".to_owned(), tests.trim_end().to_owned()),
    ];
    for event in EventName::ALL {
        for (kind, schema) in [("input", input_schema(event)), ("output", output_schema(event))] {
            let text = serde_json::to_string_pretty(&schema)?;
            schemas.push(generated(format!("{kind}/{event}.schema.json"), text));
        }
    }
    Ok(schemas)
}
