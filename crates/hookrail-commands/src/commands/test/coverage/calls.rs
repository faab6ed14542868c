//! Which tools and arguments tests used, and what of matchers and of rules' examples that leaves untried. Pure.

use std::collections::HashSet;

use hookrail::components::{HookKind, Matching, OwnedEvent, TypedInput};
use hookrail::{EventName, Hook, JsonObject};

#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Under every name that a matcher is tried on.
    tools: HashSet<(EventName, String)>,
    calls: Vec<(EventName, String, JsonObject)>,
}

impl Calls {
    /// Adds the event of a test.
    pub(super) fn add(&mut self, input: &TypedInput) {
        let (OwnedEvent::BeforeTool { tool_name, tool_input }
        | OwnedEvent::AfterTool { tool_name, tool_input, .. }) = &input.event
        else {
            return;
        };
        let event = input.event().name();
        for name in
            std::iter::once(tool_name.as_str()).chain(input.base.also_matches.iter().map(String::as_str))
        {
            self.tools.insert((event, name.to_owned()));
        }
        self.calls.push((event, tool_name.as_str().to_owned(), tool_input.clone()));
    }

    /// The tools that a matcher names one by one and that no test used.
    /// A matcher that is a pattern names no tools, and nothing is missing then.
    pub(super) fn unused_tools(&self, hook: &Hook) -> Vec<String> {
        if hook.event.matching() != Matching::Tool {
            return Vec::new();
        }
        let named = alternatives(hook.matcher.text().unwrap_or_default()).into_iter();
        named
            .filter(|name| !self.tools.contains(&(hook.event, (*name).to_owned())))
            .map(str::to_owned)
            .collect()
    }

    /// The examples of a rule that no test repeats.
    /// Examples are checked by the engine; a test of one shows that the whole chain does the same.
    pub(super) fn untried_examples(&self, hook: &Hook) -> Vec<String> {
        let HookKind::Rule(rule) = &hook.kind else { return Vec::new() };
        let is_tried = |tool: &str, input: &JsonObject| {
            self.calls
                .iter()
                .any(|(event, name, given)| *event == hook.event && name == tool && given == input)
        };
        let examples = rule.examples().iter().filter_map(|example| {
            let (tool, input) = example.call(&hook.matcher)?;
            (!is_tried(tool, input)).then(|| example.shown())
        });
        examples.collect()
    }
}

/// The names in a matcher that is nothing but names: `a|b`, `^(a|b)$`.
fn alternatives(matcher: &str) -> Vec<&str> {
    let inner = matcher.strip_prefix('^').unwrap_or(matcher);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let inner = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(inner);
    let inner = inner.strip_prefix("?:").unwrap_or(inner);
    let is_name =
        |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let names: Vec<&str> = inner.split('|').collect();
    if names.iter().all(is_name) { names } else { Vec::new() }
}

#[cfg(test)]
mod tests;
