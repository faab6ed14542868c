//! The JSON Schemas that `hookrail schema` prints, as files: editors and other programs refer to them.
//! The schemas of the agent's log and of the settings come from the types that read them; only that of test files is
//! written by hand.

use std::path::Path;

use anyhow::Result;
use hookrail::EventName;
use hookrail::schemas::{input_schema, output_schema, settings_schema};
use hookrail_agent::session_log_schema;

use crate::Generated;

/// All schemas, below `schemas/`.
pub(crate) fn generate(root: &Path) -> Result<Vec<Generated>> {
    let mut schemas = vec![
        ("settings.schema.json".to_owned(), settings_schema()),
        ("session-log.schema.json".to_owned(), session_log_schema()),
    ];
    for event in EventName::ALL {
        schemas.push((format!("input/{event}.schema.json"), input_schema(event)));
        schemas.push((format!("output/{event}.schema.json"), output_schema(event)));
    }
    let folder = root.join("schemas");
    // Written by hand beside its reader, whose tests hold the two together.
    let tests = std::fs::read_to_string(root.join("crates/hookrail-cli/src/commands/test/schema.json"))?;
    let tests = Generated { path: folder.join("test.schema.json"), content: tests };
    schemas
        .into_iter()
        .map(|(name, schema)| {
            let content = serde_json::to_string_pretty(&schema)? + "\n";
            Ok(Generated { path: folder.join(name), content })
        })
        .chain([Ok(tests)])
        .collect()
}
