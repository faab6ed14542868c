//! The facts as JSON, for people who write rules.

use serde_json::{Value, json};

use super::tool_paths::PathList;
use super::{Facts, ShellLine};

impl Facts<'_> {
    /// What rules see of the call: the answer of `hookrail facts`. Words that cannot be determined are `null`, and paths that
    /// cannot be determined are left out.
    pub fn to_json(&self) -> Value {
        let shell = self.shell();
        let commands: Vec<Value> = shell
            .iter()
            .flat_map(|shell| &shell.commands)
            .map(|command| json!({ "argv": command.fact.argv, "via": command.fact.via }))
            .collect();
        let programs: Vec<&String> = shell.iter().flat_map(|shell| &shell.programs).collect();
        let mut json = json!({
            "commands": commands,
            "programs": programs,
            "dynamic": shell.is_some_and(ShellLine::is_dynamic),
            "writes": paths(&self.paths().writes),
            "reads": paths(&self.paths().reads),
        });
        let causes: Vec<&str> =
            shell.iter().flat_map(|shell| &shell.causes).map(|cause| cause.name()).collect();
        if let (false, Some(json)) = (causes.is_empty(), json.as_object_mut()) {
            json.insert("dynamicCauses".to_owned(), json!(causes));
        }
        json
    }
}

fn paths(list: &PathList) -> Vec<&str> {
    list.known.iter().map(|path| path.shown.as_str()).collect()
}
