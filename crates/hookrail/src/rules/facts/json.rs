//! The facts as JSON, for people who write rules.

use serde_json::{Value, json};

use super::Facts;
use super::files::PathList;

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
        json!({
            "commands": commands,
            "programs": programs,
            "dynamic": shell.is_some_and(|shell| shell.dynamic),
            "writes": paths(&self.paths().writes),
            "reads": paths(&self.paths().reads),
        })
    }
}

fn paths(list: &PathList) -> Vec<&str> {
    list.known.iter().map(|path| path.shown.as_str()).collect()
}
