//! The facts as JSON, for people who write rules.

use serde_json::{Value, json};

use super::{Facts, ShellLine};
use crate::rules::fact::Fact;

impl Facts<'_> {
    /// What rules see of the call: the answer of `hookrail facts`. Words that cannot be determined are `null`, and paths that
    /// cannot be determined are left out. `shows` is there if it differs from `reads`.
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
            "writes": self.shown_paths(&Fact::Writes),
            "reads": self.shown_paths(&Fact::Reads),
        });
        let causes: Vec<&str> =
            shell.iter().flat_map(|shell| &shell.causes).map(|cause| cause.name()).collect();
        if let (false, Some(json)) = (causes.is_empty(), json.as_object_mut()) {
            json.insert("dynamicCauses".to_owned(), json!(causes));
        }
        if let (false, Some(json)) = (self.paths().uses.known.is_empty(), json.as_object_mut()) {
            json.insert("shows".to_owned(), json!(self.shown_paths(&Fact::Shows)));
        }
        json
    }

    fn shown_paths(&self, fact: &Fact) -> Vec<&str> {
        self.paths().of_fact(fact).0.map(|path| path.shown.as_str()).collect()
    }
}
