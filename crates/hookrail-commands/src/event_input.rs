//! The event that a command is about: what was given on the command line, else a sample.
//!
//! `fire`, `facts` and `explain` read their event here, so the same arguments mean the same event in each of them.

use std::io::{self, Read as _};
use std::path::Path;

use anyhow::Context as _;
use hookrail::components::{TypedInput, parse_input};
use hookrail::schemas::sample_input;
use hookrail::{EventName, JsonObject};
use serde_json::{Value, json};

use crate::cli::EventFields;
use crate::exit::misused;
use crate::plain_file;

/// Why arguments for a tool do not fit an event without one, and what to type instead.
fn no_tool<T>(command: &str, event: EventName) -> anyhow::Result<T> {
    let of_tools = format!("for BeforeTool and AfterTool, not for {event}");
    let (options, hint) = if command == "explain" {
        // Its `--tool` also takes the words of session events.
        ("`--input` is", format!("`hookrail explain {event}` without `--input` shows the plan"))
    } else {
        let hint = format!("`hookrail {command} {event} --payload FILE` takes the event's own fields");
        ("`--tool` and `--input` are", hint)
    };
    misused(format!("{options} {of_tools}"), hint)
}

/// Reads what was given on the command line of `command`.
/// Everything is checked as a real payload would be, so that a typo is found here and not by a hook.
pub(crate) fn load(event: EventName, given: &EventFields, command: &str) -> anyhow::Result<TypedInput> {
    let is_tool_event = event.has_tool();
    if !is_tool_event && (given.tool.is_some() || given.input.is_some()) {
        return no_tool(command, event);
    }
    let fields = match &given.payload {
        Some(path) => payload(event, path, given)?,
        None => sample(event, given)?,
    };
    parse_input(event, fields)
        .or_else(|error| misused(format!("the payload does not fit {event}: {error}"), what_belongs(event)))
}

fn what_belongs(event: EventName) -> String {
    format!("`hookrail schema input {event}` prints what belongs in it")
}

/// The payload from a file or stdin. The tool given on the command line counts more.
fn payload(event: EventName, path: &Path, given: &EventFields) -> anyhow::Result<Value> {
    let mut fields = read_payload(path, &what_belongs(event))?;
    if let (Some(tool), Value::Object(fields)) = (&given.tool, &mut fields) {
        fields.insert("tool_name".to_owned(), Value::from(tool.as_str()));
    }
    Ok(fields)
}

/// JSON from a file, or from stdin where it is called `-`.
pub(crate) fn read_payload(path: &Path, hint: &str) -> anyhow::Result<Value> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin().read_to_end(&mut bytes).context("cannot read the payload from stdin")?;
    } else {
        plain_file::open(path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .with_context(|| format!("cannot read the payload `{}`", path.display()))?;
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    parse_json("the payload", text, hint)
}

/// The event's sample, with what was given in its place.
fn sample(event: EventName, given: &EventFields) -> anyhow::Result<Value> {
    let mut arguments = None;
    if let Some(input) = &given.input {
        let hint = "for example: --input '{\"file_path\":\"notes.txt\"}'";
        let Value::Object(input) = parse_json("`--input`", input.as_bytes(), hint)? else {
            return misused("`--input` is not a JSON object", hint);
        };
        arguments = Some(input);
    }
    Ok(Value::Object(sample_fields(event, given.tool.as_deref(), arguments)))
}

/// The event's sample with a tool and its arguments in their places.
pub(crate) fn sample_fields(event: EventName, tool: Option<&str>, input: Option<JsonObject>) -> JsonObject {
    let mut fields = sample_input(event);
    if let Some(tool) = tool {
        fields.insert("tool_name".to_owned(), Value::from(tool));
        if let Some(arguments) = sample_arguments(tool) {
            fields.insert("tool_input".to_owned(), arguments);
        }
    }
    if let Some(input) = input {
        fields.insert("tool_input".to_owned(), Value::Object(input));
    }
    fields
}

/// The error of the parser has line and column.
pub(crate) fn parse_json(what: &str, text: &[u8], hint: &str) -> anyhow::Result<Value> {
    serde_json::from_slice(text).or_else(|error| misused(format!("{what} is not valid JSON: {error}"), hint))
}

/// Changes one file and adds another.
const SAMPLE_PATCH: &str = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-Hello\n+Good morning\n*** Add File: new.txt\n+Hello\n*** End Patch\n";

/// Arguments that fit the tool, for the tools that every agent has.
/// Other tools get the arguments of the event's own sample.
pub(crate) fn sample_arguments(tool: &str) -> Option<Value> {
    Some(match tool {
        "read_file" => json!({ "file_path": "notes.txt" }),
        "replace" => {
            json!({ "file_path": "notes.txt", "old_string": "Hello", "new_string": "Good morning" })
        }
        "list_directory" => json!({ "path": "." }),
        "glob" => json!({ "pattern": "**/*.txt" }),
        "search_file_content" => json!({ "pattern": "Hello" }),
        "run_shell_command" => json!({ "command": "ls -l" }),
        "apply_patch" => json!({ "patch": SAMPLE_PATCH }),
        _ => return None,
    })
}
