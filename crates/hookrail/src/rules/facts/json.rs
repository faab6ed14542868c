//! The facts as JSON, for people who write rules.

use serde_json::{Value, json};

use super::{Facts, ShellLine};
use crate::rules::fact::Fact;
use crate::rules::test::{TestedValue, values_of};

impl Facts<'_> {
    /// What rules see of the call: the answer of `hookrail facts`. Words that cannot be determined are `null`, and paths that
    /// cannot be determined are left out. `shows` is there if it differs from `reads`.
    pub fn to_json(&self) -> Value {
        let shell = self.shell();
        let commands = shell.iter().flat_map(|shell| &shell.commands);
        let commands = commands.map(|command| json!({ "argv": command.fact.argv, "via": command.fact.via }));
        let shown = |fact| values_of(&fact, self).0.into_iter().map(TestedValue::shown).collect::<Vec<_>>();
        let mut json = json!({
            "commands": commands.collect::<Vec<_>>(),
            "programs": shown(Fact::Program),
            "dynamic": shell.is_some_and(ShellLine::is_dynamic),
            "writes": shown(Fact::Writes),
            "reads": shown(Fact::Reads),
        });
        let causes: Vec<&str> =
            shell.iter().flat_map(|shell| &shell.causes).map(|cause| cause.name()).collect();
        if let (false, Some(json)) = (causes.is_empty(), json.as_object_mut()) {
            json.insert("dynamicCauses".to_owned(), json!(causes));
        }
        if let (false, Some(json)) = (self.paths().uses.known.is_empty(), json.as_object_mut()) {
            json.insert("shows".to_owned(), json!(shown(Fact::Shows)));
        }
        json
    }
}
