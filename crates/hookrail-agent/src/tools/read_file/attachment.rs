//! Files that are not text: handed to the model as they are, or described.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hookrail::genai::Part;
use hookrail::{ToolContent, ToolResult};
use serde_json::json;

use super::super::paths::ProjectPath;
use super::super::report;

/// The type of a file that models can look at, recognised by its first bytes and not by its name.
pub(super) fn attachable(start: &[u8]) -> Option<&'static str> {
    match start {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some("application/pdf"),
        _ => None,
    }
}

/// The whole file as inline data, with a line of text before it that describes it.
pub(super) fn attachment(inside: &ProjectPath, mime_type: &str, bytes: &[u8]) -> ToolResult {
    let shown = inside.shown();
    let size = bytes.len();
    let mut data = Part::default();
    data.extra.insert(
        "inlineData".to_owned(),
        json!({ "mimeType": mime_type, "data": BASE64_STANDARD.encode(bytes) }),
    );
    let content = vec![Part::text(format!("The content of `{shown}` ({mime_type}, {size} bytes):")), data];
    let facts = json!({ "file_path": shown, "bytes": size, "mime_type": mime_type });
    ToolResult {
        llm_content: ToolContent::Parts(content),
        ..report("", format!("Read {shown} ({mime_type}, {size} bytes)"), &facts)
    }
}

/// The result for a file whose content a model could not use.
pub(super) fn description(inside: &ProjectPath, mime_type: Option<&str>, size: u64) -> ToolResult {
    let shown = inside.shown();
    let what = mime_type.unwrap_or("binary data");
    let why = if mime_type.is_some() { "too large to be shown" } else { "not shown" };
    report(
        format!("`{shown}` is a binary file ({what}, {size} bytes); its content is {why}."),
        format!("{shown} is a binary file ({what}, {size} bytes)"),
        &json!({ "file_path": shown, "bytes": size, "binary": true }),
    )
}
