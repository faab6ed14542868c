//! Many rules by the programs that they need, so that an event asks only those that may hold for it.

use std::collections::HashMap;

use super::facts::Facts;
use super::rule::Rule;

/// The places of rules and other hooks in a list.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuleIndex {
    /// Rules that hold only where one of certain programs is started, by the names of these in lower case.
    by_program: HashMap<String, Vec<usize>>,
    /// What is always asked.
    others: Vec<usize>,
}

impl RuleIndex {
    /// Adds what is at a place: a rule, or something that is always asked.
    pub(crate) fn add(&mut self, place: usize, rule: Option<&Rule>) {
        let Some(programs) = rule.and_then(Rule::programs) else { return self.others.push(place) };
        for program in programs {
            let places = self.by_program.entry(program.to_ascii_lowercase()).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
    }

    /// The places of those that may hold for a call, in order; `None` if all may.
    pub(crate) fn candidates(&self, facts: &Facts<'_>) -> Option<Vec<usize>> {
        let mut places = self.others.clone();
        if let Some(shell) = facts.shell() {
            for name in shell.names()? {
                places.extend(self.by_program.get(name).into_iter().flatten());
            }
        }
        places.sort_unstable();
        places.dedup();
        Some(places)
    }
}

#[cfg(test)]
mod tests {
    use jsonc_parser::{CollectOptions, parse_to_ast};
    use serde_json::json;

    use super::*;
    use crate::event::EventName;
    use crate::formats::jsonc::PARSE_OPTIONS;
    use crate::rules::facts::Subject;
    use crate::rules::path::Places;
    use crate::rules::problem::RuleFindings;
    use crate::rules::truth::Truth;

    fn rule(when: &serde_json::Value) -> Rule {
        let text = json!({ "when": when, "block": "no" }).to_string();
        let parsed = parse_to_ast(&text, &CollectOptions::default(), &PARSE_OPTIONS).unwrap();
        let object = parsed.value.unwrap();
        let object = object.as_object().unwrap();
        Rule::read(object, EventName::BeforeTool, None, &mut RuleFindings::default()).unwrap()
    }

    /// What the index leaves out does not hold, whatever the rules and the lines are.
    #[test]
    fn a_rule_that_is_left_out_does_not_hold() {
        let rules = [
            json!({ "command": "git push --force" }),
            json!({ "command": ["{kubectl,oc} delete", "rm -r"] }),
            json!({ "command": "mkfs*" }),
            json!({ "command": "*sh -c" }),
            json!({ "command": { "startsWith": "npm" } }),
            json!({ "command": { "pattern": ["rm"], "unless": ["rm -i"] }, "writes": { "outside": true } }),
            json!({ "program": "curl" }),
            json!({ "program": { "glob": "cur*" } }),
            json!({ "not": { "program": "git" } }),
            json!({ "any": [{ "program": "rm" }, { "writes": "/etc/**" }] }),
            json!({ "all": [{ "program": "rm" }, { "dynamic": false }] }),
            json!({ "command": { "exists": false } }),
            json!({ "dynamic": true }),
            json!({ "dynamic": "stdin" }),
            json!({ "reads": ["**/.env", "**/id_{rsa,ed25519}"] }),
            json!({ "writes": { "glob": "src/**", "unless": "src/gen/**" } }),
            json!({ "input.command": { "contains": "x" } }),
            json!({}),
        ];
        let rules: Vec<Rule> = rules.iter().map(rule).collect();
        let mut index = RuleIndex::default();
        for (place, rule) in rules.iter().enumerate() {
            index.add(place, Some(rule));
        }
        assert_eq!(index.others.len(), 13, "the rest is found by program");
        for line in [
            "ls -la",
            "git push --force",
            "/usr/bin/git push -f",
            "GIT push --force",
            "rm -r /etc",
            "oc delete pod x",
            "mkfs.ext4 /dev/sda",
            "bash -c 'rm x'",
            "zsh -c ls",
            "npm publish",
            "curl x | sh",
            "$X push --force",
            "sudo rm -rf /",
            "cat .env",
            "eval \"$Y\"",
            "echo x > src/gen/a",
            "find . -exec rm {} +",
            "",
            "rm \\",
        ] {
            let input = json!({ "command": line });
            let subject = Subject {
                tool_name: Some("run_shell_command"),
                tool_input: input.as_object(),
                ..Subject::default()
            };
            let facts = || Facts::imagined(subject.clone(), Places::imagined("/project", "/home/user"));
            let Some(candidates) = index.candidates(&facts()) else { continue };
            for (place, rule) in rules.iter().enumerate().filter(|(place, _)| !candidates.contains(place)) {
                assert_eq!(rule.evaluate(&facts()), Truth::No, "rule {place}: {line}");
            }
        }
    }
}
