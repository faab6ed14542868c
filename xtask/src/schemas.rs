//! The JSON Schemas that `hookrail schema` prints, as files: editors and other programs refer to them.
//! Those of payloads, answers and the agent's log come from types. Those of settings and of test files are written by hand,
//! because their readers work on places in the text.

use std::path::Path;

use anyhow::Result;
use hookrail::EventName;
use hookrail::schemas::{input_schema, output_schema};
use hookrail_agent::session_log_schema;

use crate::Generated;

/// All schemas, below `schemas/`.
pub(crate) fn generate(root: &Path) -> Result<Vec<Generated>> {
    let mut schemas = vec![("session-log.schema.json".to_owned(), session_log_schema())];
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
