//! `cargo xtask agents --capture-tools`: which tools an agent has, written to
//! `crates/hookrail-testkit/payloads/AGENT/tools.json`, where a test of the bridge compares them with its table.
//!
//! What a first request offers comes first. Tools that are offered in some modes only are taken from the package, where
//! it has them in a readable form: Claude Code brings types for all of its tools, Gemini CLI and Qwen Code lists of names.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use hookrail_live::{OfferedTool, Program};
use serde_json::{Value, json};

use super::installed;

/// Parameters by name, with the JSON type of each, and those that are required.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameters {
    types: BTreeMap<String, String>,
    required: Vec<String>,
}

/// Captures an agent's tools and returns one line that tells how many there are.
pub(super) fn capture(root: &Path, program: &Program, executable: &Path) -> Result<String> {
    let mut tools: BTreeMap<String, Value> = BTreeMap::new();
    let mut add = |name: String, parameters: Option<&Parameters>, source: &str| {
        let mut tool = json!({ "name": name, "source": source });
        if let (Some(Parameters { types, required }), Some(tool)) = (parameters, tool.as_object_mut()) {
            tool.insert("parameters".to_owned(), json!(types));
            tool.insert("required".to_owned(), json!(required));
        }
        tools.entry(name).or_insert(tool);
    };
    for request in hookrail_live::first_requests(program, executable)? {
        for tool in request.tools() {
            add(tool.name.clone(), Some(&offered(&tool)), "first request");
        }
    }
    let package = installed::package(program)?;
    for (name, parameters) in packaged(&program.name, &package)? {
        add(name, parameters.as_ref(), "package");
    }
    let count = tools.len();
    let mut text = format!("{{\n  \"version\": {},\n  \"tools\": [", json!(installed::version(program)?));
    for (number, tool) in tools.into_values().enumerate() {
        let _ = write!(text, "{}\n    {tool}", if number == 0 { "" } else { "," });
    }
    text.push_str("\n  ]\n}\n");
    let file = format!("crates/hookrail-testkit/payloads/{}/tools.json", program.name);
    fs::write(root.join(&file), &text).with_context(|| format!("cannot write {file}"))?;
    Ok(format!("{file}: {count} tools\n"))
}

/// The parameters in a JSON Schema.
fn offered(tool: &OfferedTool) -> Parameters {
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    let types = properties.into_iter().flatten().map(|(name, schema)| (name.clone(), type_of(schema)));
    let required = tool.schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    Parameters { types: types.collect(), required: required.map(str::to_owned).collect() }
}

/// The type in a schema, as a word; several are joined by `|`.
fn type_of(schema: &Value) -> String {
    let join = |list: &[Value], each: &dyn Fn(&Value) -> String| {
        let mut words: Vec<String> = Vec::new();
        for word in list.iter().map(each) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words.join("|")
    };
    let choices = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
    match (schema.get("type"), choices) {
        // Gemini's API has them in capitals.
        (Some(Value::String(word)), _) => word.to_lowercase(),
        (Some(Value::Array(words)), _) => join(words, &|word| word.as_str().unwrap_or("any").to_lowercase()),
        (_, Some(choices)) => join(choices, &type_of),
        _ => "any".to_owned(),
    }
}

/// The tools that an agent's package names.
fn packaged(agent: &str, package: &Path) -> Result<Vec<(String, Option<Parameters>)>> {
    let names = |names: Vec<String>| names.into_iter().map(|name| (name, None)).collect();
    Ok(match agent {
        "claude" => declared_types(&fs::read_to_string(package.join("sdk-tools.d.ts"))?),
        "gemini" => names(constants(&scripts(&package.join("bundle"))?)),
        "qwen" => {
            let text = scripts(&package.join("chunks"))?;
            let list =
                text.split("var ToolNames = {").nth(1).context("Qwen Code has no list of its tools")?;
            let list = list.split("};").next().unwrap_or_default();
            names(list.lines().filter_map(quoted_at_end).collect())
        }
        // These are compiled.
        _ => Vec::new(),
    })
}

/// All JavaScript of a folder as one text.
fn scripts(folder: &Path) -> Result<String> {
    let mut text = String::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "js") {
            text.push_str(&String::from_utf8_lossy(&fs::read(path)?));
            text.push('\n');
        }
    }
    Ok(text)
}

/// The values of constants called `…_TOOL_NAME`.
fn constants(text: &str) -> Vec<String> {
    let values = text.split("_TOOL_NAME = \"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0));
    // Names of telemetry have dots.
    values.filter(|value| !value.contains('.')).map(str::to_owned).collect()
}

/// The text in quotes with which a line of a list ends.
fn quoted_at_end(line: &str) -> Option<String> {
    let (before, value) = line.trim().trim_end_matches(',').strip_suffix('"')?.rsplit_once('"')?;
    before.ends_with(": ").then(|| value.to_owned())
}

/// The tools in Claude Code's file of types: `export interface NAMEInput { … }`.
fn declared_types(text: &str) -> Vec<(String, Option<Parameters>)> {
    let declarations = text.split("\nexport interface ").skip(1);
    let inputs = declarations.filter_map(|declaration| {
        let (name, body) = declaration.split_once("Input {")?;
        // Tools of MCP servers are called by other names.
        (name.chars().all(char::is_alphanumeric) && name != "Mcp").then_some((name, body))
    });
    inputs
        .map(|(name, body)| {
            let name = match name {
                "FileEdit" => "Edit",
                "FileRead" => "Read",
                "FileWrite" => "Write",
                name => name,
            };
            (name.to_owned(), Some(fields(body)))
        })
        .collect()
}

/// The fields of an interface: lines with an indent of two.
fn fields(body: &str) -> Parameters {
    let mut parameters = Parameters { types: BTreeMap::new(), required: Vec::new() };
    for line in body.lines().take_while(|line| *line != "}") {
        let field = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '));
        // A long type begins on the next line.
        let Some((name, kind)) =
            field.and_then(|rest| rest.split_once(": ").or(rest.strip_suffix(':').map(|name| (name, ""))))
        else {
            continue;
        };
        let (name, is_required) = name.strip_suffix('?').map_or((name, true), |name| (name, false));
        let name = name.trim_matches('"');
        if name.starts_with('*') || name.starts_with('[') {
            continue;
        }
        let kind = kind.trim_end_matches(';');
        let kind = match kind {
            _ if kind.ends_with("[]") || kind.starts_with('[') => "array",
            _ if kind.starts_with('{') => "object",
            _ if kind.starts_with(['"', '(']) => "string",
            "" => "any",
            word => word,
        };
        parameters.types.insert(name.to_owned(), kind.to_owned());
        if is_required {
            parameters.required.push(name.to_owned());
        }
    }
    parameters
}

#[cfg(test)]
mod tests;
