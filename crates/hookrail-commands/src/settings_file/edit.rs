//! Edits of a settings text that keep its comments and its formatting. Pure: text in, text out; reading and
//! writing files is the caller's.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

use hookrail::settings::SourceText;
use hookrail::settings::jsonc::PARSE_OPTIONS;
use hookrail_bridge::{EditError, cst_value, cut_entry, split_byte_order_mark};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

/// Turns hooks on or off. Only the canonical key is written: it wins over all aliases.
pub(crate) fn set_enable_hooks(text: &str, enable: bool) -> Result<String, EditError> {
    edit(text, |root| {
        match last(root, "enableHooks") {
            Some(prop) => prop.set_value(enable.into()),
            None => {
                root.append("enableHooks", enable.into());
            }
        }
        Ok(())
    })
}

/// Lets the outputs of hooks at session and agent events count, unless the settings say something about it.
pub(crate) fn apply_agent_events(text: &str) -> Result<String, EditError> {
    edit(text, |root| {
        let config = object_or_new(root, "hooksConfig")?;
        if last(&config, "agentEvents").is_none() {
            config.append("agentEvents", "apply".into());
        }
        Ok(())
    })
}

/// Disables a hook by its name or command, or takes that back. The entry is written to
/// `hooksConfig.disabled`; taking it back clears the alias `hooks.disabled` of it too.
pub(crate) fn set_hook_disabled(text: &str, name: &str, disabled: bool) -> Result<String, EditError> {
    let text = edit(text, |root| {
        let config = object_in(root, "hooksConfig", "hooksConfig")?;
        let list = config.as_ref().map(|config| array_in(config, "disabled", "hooksConfig.disabled"));
        let list = list.transpose()?.flatten();
        let hooks = object_in(root, "hooks", "hooks")?;
        let alias = hooks.as_ref().map(|hooks| array_in(hooks, "disabled", "hooks.disabled"));
        let alias = alias.transpose()?.flatten();
        let is_entry = |entry: &CstNode| is_text(entry, name);
        let is_listed =
            [&list, &alias].into_iter().flatten().any(|list| list.elements().iter().any(is_entry));
        if !disabled || is_listed {
            return Ok(());
        }
        let config = object_or_new(root, "hooksConfig")?;
        array_or_new(&config, "disabled", "hooksConfig.disabled")?.append(name.into());
        Ok(())
    })?;
    Ok(if disabled { text } else { without_entries(&text, &DISABLED_LISTS, name) })
}

/// Turns shipped rules or presets on: adds each word to `hooksConfig.rules`, unless an entry names it.
pub(crate) fn add_rules(text: &str, words: &[&str]) -> Result<String, EditError> {
    edit(text, |root| {
        let list = rules_in(root)?;
        for word in words {
            let is_entry = |entry: &CstNode| {
                let name = entry.as_object().and_then(|entry| last(&entry, "name")?.value());
                is_text(entry, word) || name.is_some_and(|name| is_text(&name, word))
            };
            if !list.elements().iter().any(is_entry) {
                list.append((*word).into());
            }
        }
        Ok(())
    })
}

/// Adds an entry with exceptions to `hooksConfig.rules`, unless the same one is there.
pub(crate) fn add_rule_entry(text: &str, entry: &Value) -> Result<String, EditError> {
    edit(text, |root| {
        let list = rules_in(root)?;
        let is_entry =
            |node: &CstNode| serde_json::from_str::<Value>(&node.to_string()).ok().as_ref() == Some(entry);
        if !list.elements().iter().any(is_entry) {
            list.append(cst_value(entry));
        }
        Ok(())
    })
}

/// The list `hooksConfig.rules`, made if it is not there.
fn rules_in(root: &CstObject) -> Result<CstArray, EditError> {
    array_or_new(&object_or_new(root, "hooksConfig")?, "rules", "hooksConfig.rules")
}

/// Takes a word out of `hooksConfig.rules`, and the entry with exceptions that names it.
pub(crate) fn remove_rule(text: &str, word: &str) -> Result<String, EditError> {
    let text = edit(text, |root| {
        if let Some(config) = object_in(root, "hooksConfig", "hooksConfig")? {
            array_in(&config, "rules", "hooksConfig.rules")?;
        }
        Ok(())
    })?;
    Ok(without_entries(&text, &[("hooksConfig", "rules")], word))
}

/// Adds a hook to an event: to a parallel group with the same matcher, or to the last sequential group if it has the
/// same matcher, else in a new group at the end. The order of sequential groups is the order in which their hooks run,
/// so no earlier one is taken.
pub(crate) fn add_hook(
    text: &str,
    event: impl Display,
    matcher: Option<&str>,
    is_sequential: bool,
    hook: &Value,
) -> Result<String, EditError> {
    edit(text, |root| {
        let event = event.to_string();
        let groups = array_or_new(&object_or_new(root, "hooks")?, &event, &format!("hooks.{event}"))?;
        let mut candidates: Vec<_> =
            groups.elements().into_iter().filter_map(|group| group.as_object()).collect();
        if is_sequential {
            candidates.drain(..candidates.len().saturating_sub(1));
        }
        let group = candidates.into_iter().rfind(|group| {
            let group_matcher = last(group, "matcher").and_then(|prop| prop.value());
            let same_matcher = match (group_matcher, matcher) {
                (None, None) => true,
                (Some(node), Some(matcher)) => is_text(&node, matcher),
                _ => false,
            };
            let flag = last(group, "sequential").and_then(|prop| prop.value());
            let same_flag = match flag {
                None => !is_sequential,
                Some(node) => is_sequential && node.as_boolean_lit().is_some_and(|flag| flag.value()),
            };
            same_matcher && same_flag && list_of(group).is_some()
        });
        if let Some(list) = group.as_ref().and_then(list_of) {
            list.append(cst_value(hook));
        } else {
            let matcher = matcher.map(|matcher| ("matcher".to_owned(), matcher.into()));
            let list = ("hooks".to_owned(), CstInputValue::Array(vec![cst_value(hook)]));
            let flag = is_sequential.then(|| ("sequential".to_owned(), true.into()));
            groups.append(CstInputValue::Object(matcher.into_iter().chain(flag).chain([list]).collect()));
        }
        Ok(())
    })
}

/// The `hooks` of a group, if they are an array.
fn list_of(group: &CstObject) -> Option<CstArray> {
    last(group, "hooks")?.array_value()
}

/// Parses the text, lets `change` work on its object and writes it again. Blank text counts as `{}`.
fn edit(text: &str, change: impl FnOnce(&CstObject) -> Result<(), EditError>) -> Result<String, EditError> {
    let (mark, body) = split_byte_order_mark(text);
    let body = if body.trim().is_empty() { "{}\n" } else { body };
    let source = SourceText::of_file(Path::new(""), body);
    source.parse().map_err(|finding| {
        let place = finding.place.as_ref();
        EditError::Malformed {
            line: place.map_or(1, |place| place.line),
            column: place.map_or(1, |place| place.column),
            message: finding.message.clone(),
        }
    })?;
    let root = CstRootNode::parse(body, &PARSE_OPTIONS)?;
    let object = root.object_value().ok_or_else(|| EditError::wrong_type("settings", "an object"))?;
    change(&object)?;
    Ok(format!("{mark}{root}"))
}

/// The property that counts: of a repeated key the last one.
fn last(object: &CstObject, name: &str) -> Option<CstObjectProp> {
    object.properties().into_iter().rfind(|prop| prop.decoded_name().as_deref() == Some(name))
}

/// The object under a key; `None` where there is none. `key` is its full name for the error.
fn object_in(object: &CstObject, name: &str, key: &str) -> Result<Option<CstObject>, EditError> {
    last(object, name)
        .map(|prop| prop.object_value().ok_or_else(|| EditError::wrong_type(key, "an object")))
        .transpose()
}

fn array_in(object: &CstObject, name: &str, key: &str) -> Result<Option<CstArray>, EditError> {
    last(object, name)
        .map(|prop| prop.array_value().ok_or_else(|| EditError::wrong_type(key, "an array")))
        .transpose()
}

fn object_or_new(object: &CstObject, name: &str) -> Result<CstObject, EditError> {
    let prop = last(object, name);
    let prop = prop.unwrap_or_else(|| object.append(name, CstInputValue::Object(Vec::new())));
    prop.object_value().ok_or_else(|| EditError::wrong_type(name, "an object"))
}

fn array_or_new(object: &CstObject, name: &str, key: &str) -> Result<CstArray, EditError> {
    let prop = last(object, name);
    let prop = prop.unwrap_or_else(|| object.append(name, CstInputValue::Array(Vec::new())));
    prop.array_value().ok_or_else(|| EditError::wrong_type(key, "an array"))
}

/// Compares what a literal means, not how it is written: `"\u0061"` is `a`.
fn is_text(node: &CstNode, text: &str) -> bool {
    node.as_string_lit().is_some_and(|literal| literal.decoded_value().as_deref() == Ok(text))
}

/// The lists of disabled hooks: the canonical one and its alias.
const DISABLED_LISTS: [(&str, &str); 2] = [("hooksConfig", "disabled"), ("hooks", "disabled")];

/// The text without the entries of this name in some lists. Done on the text, because the tree drops the comments around
/// what it removes.
fn without_entries(text: &str, lists: &[(&str, &str)], name: &str) -> String {
    let (mark, body) = split_byte_order_mark(text);
    let mut body = body.to_owned();
    // One at a time: a removal changes what is before and after the next one.
    while let Some((entry, before)) = find_entry(&body, lists, name) {
        body = cut_entry(&body, entry, before);
    }
    format!("{mark}{body}")
}

/// The first entry of this name, and where the one before it ends.
fn find_entry(body: &str, lists: &[(&str, &str)], name: &str) -> Option<(Range<usize>, Option<usize>)> {
    let root = SourceText::of_file(Path::new(""), body).parse().ok()?;
    let is_name = |value: &ast::Value<'_>| value.as_string_lit().is_some_and(|lit| lit.value == name);
    let is_entry = |element: &ast::Value<'_>| {
        let named = element.as_object().and_then(|entry| property(entry, "name"));
        is_name(element) || named.is_some_and(is_name)
    };
    lists.iter().find_map(|(key, list)| {
        let entries = &property(property(&root, key)?.as_object()?, list)?.as_array()?.elements;
        let index = entries.iter().position(is_entry)?;
        let before = index.checked_sub(1).and_then(|index| entries.get(index));
        let entry = entries.get(index)?;
        Some((entry.start()..entry.end(), before.map(ast::Value::end)))
    })
}

fn property<'v, 'a>(object: &'v ast::Object<'a>, name: &str) -> Option<&'v ast::Value<'a>> {
    object.properties.iter().rfind(|prop| prop.name.as_str() == name).map(|prop| &prop.value)
}

#[cfg(test)]
mod tests;
