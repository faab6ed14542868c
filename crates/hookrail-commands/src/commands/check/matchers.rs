//! Findings about matchers of tool events.

use std::collections::HashSet;
use std::path::PathBuf;

use hookrail::DiagnosticCode;
use hookrail::components::{HookDialect, MatchVerdict, Matching};
use hookrail_agent::tools::ToolTable;
use hookrail_bridge::{Agent, tool_names};
use serde_json::Value;

use super::finding::Finding;
use super::{Check, tool_words};
use crate::display::near_words;

impl Check<'_> {
    /// Matchers of tool events that match none of the agent's tools, or that were meant as globs. Other agents have
    /// other tools, so a matcher that matches nothing here is a warning and no error.
    pub(super) fn matchers(&mut self) {
        let table = ToolTable::standard();
        let tools = table.names();
        let mut seen: HashSet<(PathBuf, usize)> = HashSet::new();
        for (index, resolved) in self.settings.hooks.iter().enumerate() {
            let hook = &resolved.hook;
            let Some(text) = hook.matcher.text() else { continue };
            let is_for_tools = hook.event.matching() == Matching::Tool;
            // Patches are a tool of other agents, under one name in all of them.
            let mut known = tools.iter().copied().chain(["apply_patch"]);
            let matches_some = known.any(|tool| hook.matcher.matches_tool(tool) != MatchVerdict::No);
            // An invalid pattern is reported by the engine, with what becomes of it.
            if !is_for_tools || hook.matcher.problem().is_some() {
                continue;
            }
            if hook.dialect.is_claude() {
                self.claude_matcher(index, text, &tools);
                continue;
            }
            let glob = tool_words::glob_as_regex(text);
            if matches_some && glob.is_none() {
                continue;
            }
            let Some(span) = resolved.spans.matcher.clone() else { continue };
            // One finding for a group, not one for each of its hooks.
            if !seen.insert((hook.origin.file.clone(), span.start)) {
                continue;
            }
            if let Some(regex) = glob {
                let message = format!("matcher `{text}` looks like a glob, but it is a regular expression");
                let help = format!("`{regex}` is what the glob would mean");
                let finding = Finding::note(DiagnosticCode::MatcherLikeGlob, message, help);
                self.at(index, span.clone(), finding);
                if matches_some {
                    continue;
                }
            }
            let message = format!("matcher `{text}` matches none of the agent's tools");
            let near = tool_words::of_another_agent(text)
                .or_else(|| near_words(text, tools.iter().copied()).first().map(|near| (*near).to_owned()));
            let help = match near {
                Some(near) => format!("did you mean `{near}`? The tools are: {}", tools.join(", ")),
                None => format!("the tools are: {}", tools.join(", ")),
            };
            let finding = Finding::warning(DiagnosticCode::MatcherMatchesNoTool, message, help);
            self.at(index, span, finding);
        }
    }

    /// Conditions on the name of a tool, which are in our terms in every dialect.
    pub(super) fn conditions_on_tools(&mut self) {
        fn names(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(fields) => {
                    for (key, value) in fields {
                        let any_of = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                        let words = any_of.iter().filter(|_| key == "tool").filter_map(Value::as_str);
                        found.extend(words.map(str::to_owned));
                        names(value, found);
                    }
                }
                Value::Array(values) => values.iter().for_each(|value| names(value, found)),
                _ => {}
            }
        }
        for (index, resolved) in self.settings.hooks.iter().enumerate() {
            let definition = resolved.hook.definition.as_deref().filter(|_| resolved.hook.when.is_some());
            let definition: Value =
                definition.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
            let mut found = Vec::new();
            names(definition.get("when").unwrap_or(&Value::Null), &mut found);
            for name in found {
                let Some(ours) = tool_words::of_another_agent(&name).filter(|ours| *ours != name) else {
                    continue;
                };
                let message =
                    format!("`when` asks for the tool `{name}`, which has another name in hookrail");
                let help = format!("write `{ours}`; else the hook never runs");
                let finding = Finding::warning(DiagnosticCode::MatcherMatchesNoTool, message, help);
                self.at(index, resolved.spans.command.clone(), finding);
            }
        }
    }

    /// A matcher in Claude Code's terms that matches none of its tools. Names of MCP servers are nobody's list.
    fn claude_matcher(&mut self, index: usize, text: &str, ours: &[&str]) {
        let Some(resolved) = self.settings.hooks.get(index) else { return };
        let matcher = &resolved.hook.matcher;
        let names: Vec<&str> = tool_names(Agent::Claude).collect();
        let matches_some = names.iter().any(|tool| matcher.matches_tool(tool) != MatchVerdict::No);
        let (false, false, Some(span)) = (matches_some, text.contains("mcp"), resolved.spans.matcher.clone())
        else {
            return;
        };
        let bare = text.split_once('(').map_or(text, |(name, _)| name);
        let own = ours.iter().find(|tool| **tool == bare).and_then(|tool| HookDialect::claude_tool(tool));
        let same = names.iter().copied().find(|name| name.eq_ignore_ascii_case(bare));
        let near = own.or(same).or_else(|| near_words(bare, names.iter().copied()).first().copied());
        let message = format!("matcher `{text}` matches none of Claude Code's tools: the hook never runs");
        let help = near.map_or_else(
            || "names are compared exactly, `A|B` is a list".to_owned(),
            |near| format!("did you mean `{near}`? Names are compared exactly, `A|B` is a list"),
        );
        let finding = Finding::warning(DiagnosticCode::MatcherMatchesNoTool, message, help);
        self.at(index, span, finding);
    }
}
