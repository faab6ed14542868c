//! hookrail between MCP clients and their servers: put into a client's configuration, and taken out again. Text in, text
//! out; everything else in the file stays as it is, byte for byte.

use std::ops::Range;
use std::path::Path;

use hookrail::rules::order;
use hookrail::settings::jsonc::PARSE_OPTIONS;
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, parse_to_ast};

use crate::connect::EditError;
use crate::jsonc::split_byte_order_mark;

/// Where clients keep their servers: Claude Desktop, Cursor and most others; VS Code, alone and in its settings; Zed.
const PLACES: [&[&str]; 4] = [&["mcpServers"], &["servers"], &["mcp", "servers"], &["context_servers"]];

/// A configuration after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpEdit {
    /// The whole text.
    pub new_text: String,
    /// Every server, in the order of the file.
    pub servers: Vec<(String, McpServer)>,
}

/// What became of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpServer {
    /// It was changed.
    Changed,
    /// It was as wanted already.
    Same,
    /// It was left alone, for this reason.
    LeftAlone(&'static str),
}

/// Lets every server that is a program be started by hookrail. Doing it twice changes nothing. A server counts as wrapped
/// only if its entry is what this writes: a configuration may come with a project, and one that calls another program of
/// that name, or names another home, would look guarded.
pub fn wrap_servers(text: &str, program: &Path, home: &Path) -> Result<McpEdit, EditError> {
    let as_text = |path: &Path| {
        let text = path.to_str().filter(|text| path.is_absolute() && !text.contains(char::is_control));
        text.map(str::to_owned).ok_or_else(|| EditError::Path { path: path.to_string_lossy().into_owned() })
    };
    let (program, home) = (as_text(program)?, as_text(home)?);
    edit(text, |name, server, body| {
        let server_option = format!("--server={name}");
        let ours = ["mcp", "--home", &home, &server_option, "--"];
        let given = server.arguments.as_ref().map(|(_, words)| words.as_slice()).unwrap_or_default();
        let begins = given.len() > ours.len() && ours.iter().zip(given).all(|(ours, (word, _))| ours == word);
        if begins && server.command.0 == program {
            return Ok(None);
        }
        let words = ours.into_iter().chain([server.command.0.as_str()]).map(quoted);
        let words: Vec<String> = words.collect();
        let mut edits = vec![(server.command.1.clone(), quoted(&program))];
        if let Some((at, arguments)) = &server.arguments {
            let comma = if arguments.is_empty() { "" } else { ", " };
            edits.push((at.start + 1..at.start + 1, format!("{}{comma}", words.join(", "))));
        } else {
            let end = server.command.1.end;
            let gap = gap_before(body, server.command_key);
            edits.push((end..end, format!(",{gap}\"args\": [{}]", words.join(", "))));
        }
        Ok(Some(edits))
    })
}

/// Lets every server that this program starts be started by its client again.
pub fn unwrap_servers(text: &str, program: &Path) -> Result<McpEdit, EditError> {
    edit(text, |_, server, _| {
        let is_ours = Path::new(&server.command.0) == program && server.is_told("mcp");
        let Some((at, arguments)) = server.arguments.as_ref().filter(|_| is_ours) else {
            return Ok(None);
        };
        let Some(border) = arguments.iter().position(|(word, _)| word == "--") else { return Ok(None) };
        let Some((command, place)) = arguments.get(border + 1) else { return Ok(None) };
        let end = arguments.get(border + 2).map_or(place.end, |(_, next)| next.start);
        Ok(Some(vec![
            (server.command.1.clone(), quoted(command)),
            (at.start + 1..end.max(at.start + 1), String::new()),
        ]))
    })
}

/// A server that is a program.
struct StdioServer {
    command: Word,
    /// Where the key of the command begins.
    command_key: usize,
    /// The list, and each word with its place.
    arguments: Option<(Range<usize>, Vec<Word>)>,
}

/// A text and its place.
type Word = (String, Range<usize>);

impl StdioServer {
    /// Whether this is its first argument.
    fn is_told(&self, first: &str) -> bool {
        self.arguments.as_ref().and_then(|(_, words)| words.first()).is_some_and(|(word, _)| word == first)
    }
}

type Edits = Vec<(Range<usize>, String)>;

/// Edits every server that is a program.
fn edit(
    text: &str,
    change: impl Fn(&str, &StdioServer, &str) -> Result<Option<Edits>, EditError>,
) -> Result<McpEdit, EditError> {
    let (mark, body) = split_byte_order_mark(text);
    let parsed = parse_to_ast(body, &CollectOptions::default(), &PARSE_OPTIONS)?;
    let Some(Value::Object(root)) = &parsed.value else {
        return Err(EditError::wrong_type("the configuration", "an object"));
    };
    let mut found = Vec::new();
    for place in PLACES {
        found.extend(object_at(root, place)?);
    }
    if found.is_empty() {
        return Err(EditError::NoServers);
    }
    let (mut edits, mut servers): (Edits, Vec<_>) = (Vec::new(), Vec::new());
    for prop in found.into_iter().flat_map(|object| &object.properties) {
        let name = prop.name.as_str().to_owned();
        let state = match read_server(&prop.value)? {
            Err(why) => McpServer::LeftAlone(why),
            Ok(server) => match change(&name, &server, body)? {
                None => McpServer::Same,
                Some(more) => {
                    edits.extend(more);
                    McpServer::Changed
                }
            },
        };
        servers.push((name, state));
    }
    order::sort_by_key(&mut edits, |(range, _)| std::cmp::Reverse(range.start));
    let mut body = body.to_owned();
    for (range, new) in edits {
        body.replace_range(range, &new);
    }
    Ok(McpEdit { new_text: format!("{mark}{body}"), servers })
}

/// The object that a path of keys leads to. A key that occurs twice would be read differently by different clients.
fn object_at<'v>(root: &'v Object<'v>, path: &[&str]) -> Result<Option<&'v Object<'v>>, EditError> {
    let mut at = root;
    for key in path {
        match once(at, key)?.map(|prop| &prop.value) {
            Some(Value::Object(object)) => at = object,
            None => return Ok(None),
            Some(_) => return Err(EditError::wrong_type(*key, "an object")),
        }
    }
    let mut names: Vec<&str> = at.properties.iter().map(|prop| prop.name.as_str()).collect();
    names.sort_unstable();
    if let Some(name) =
        names.windows(2).find_map(|pair| (pair.first() == pair.last()).then(|| pair.first()).flatten())
    {
        return Err(EditError::Twice { key: (*name).to_owned() });
    }
    Ok(Some(at))
}

fn once<'v>(object: &'v Object<'v>, key: &str) -> Result<Option<&'v ObjectProp<'v>>, EditError> {
    let mut props = object.properties.iter().filter(|prop| prop.name.as_str() == key);
    let first = props.next();
    match props.next() {
        Some(_) => Err(EditError::Twice { key: key.to_owned() }),
        None => Ok(first),
    }
}

/// What is known of a server; the inner error says why it is left alone.
fn read_server(value: &Value<'_>) -> Result<Result<StdioServer, &'static str>, EditError> {
    let Value::Object(server) = value else { return Ok(Err("it is not an object")) };
    let kind = once(server, "type")?.and_then(|prop| text(&prop.value));
    if kind.is_some_and(|kind| kind != "stdio") || once(server, "url")?.is_some() {
        return Ok(Err("it is not a program, but reached over the network"));
    }
    // Zed's older form has an object there.
    let (holder, key) = match once(server, "command")?.map(|prop| &prop.value) {
        Some(Value::Object(command)) => (command, "path"),
        _ => (server, "command"),
    };
    let Some(prop) = once(holder, key)? else { return Ok(Err("it has no command")) };
    let Some(command) = text(&prop.value) else { return Ok(Err("its command is not a text")) };
    let arguments = match once(holder, "args")?.map(|prop| &prop.value) {
        None => None,
        Some(Value::Array(list)) => {
            let words: Option<Vec<_>> =
                list.elements.iter().map(|word| Some((text(word)?, place(word)))).collect();
            let Some(words) = words else { return Ok(Err("its arguments are not all texts")) };
            Some((list.range.start..list.range.end, words))
        }
        Some(_) => return Ok(Err("its arguments are not a list")),
    };
    let (command, command_key) = ((command, place(&prop.value)), prop.range.start);
    Ok(Ok(StdioServer { command, command_key, arguments }))
}

fn text(value: &Value<'_>) -> Option<String> {
    match value {
        Value::StringLit(text) => Some(text.value.clone().into_owned()),
        _ => None,
    }
}

fn place(value: &Value<'_>) -> Range<usize> {
    let range = value.range();
    range.start..range.end
}

/// The white space before a key, so that a key beside it is written in the same way.
fn gap_before(body: &str, key: usize) -> &str {
    let before = body.get(..key).unwrap_or_default();
    let gap = before.get(before.trim_end().len()..).unwrap_or_default();
    if gap.is_empty() { " " } else { gap }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "/home/u/.hookrail/bin/hookrail";

    fn wrapped(text: &str) -> McpEdit {
        wrap_servers(text, Path::new(PROGRAM), Path::new("/home/u")).unwrap()
    }

    fn unwrapped(text: &str) -> String {
        unwrap_servers(text, Path::new(PROGRAM)).unwrap().new_text
    }

    /// A configuration that comes with a project may be written so that its servers look guarded.
    #[test]
    fn what_only_looks_wrapped_is_wrapped() {
        let server = |program: &str, words: &str| {
            format!(
                r#"{{"mcpServers":{{"a":{{"command":"{program}","args":["mcp",{words},"--","evil"]}}}}}}"#
            )
        };
        for (program, words) in [
            ("./hookrail", r#""--home","/home/u","--server=a""#),
            ("hookrail", r#""--home","/home/u","--server=a""#),
            (PROGRAM, r#""--home","/tmp/theirs","--server=a""#),
            (PROGRAM, r#""--home","/home/u","--server=b""#),
            (PROGRAM, r#""--home","/home/u","--system","/dev/null","--server=a""#),
            (PROGRAM, r#""--server=a""#),
        ] {
            let text = server(program, words);
            let edit = wrapped(&text);
            assert_eq!(edit.servers, [("a".to_owned(), McpServer::Changed)], "{text}");
            let begin = r#""args":["mcp", "--home", "/home/u", "--server=a", "--", "#;
            assert!(edit.new_text.contains(&format!("{begin}\"{program}\", \"mcp\"")), "{}", edit.new_text);
            assert_eq!(unwrapped(&edit.new_text), text);
        }
        let ours = server(PROGRAM, r#""--home","/home/u","--server=a""#);
        assert_eq!(wrapped(&ours).servers, [("a".to_owned(), McpServer::Same)]);
    }

    #[test]
    fn every_clients_form_is_wrapped_and_unwrapped() {
        for (before, expected) in [
            (
                "\u{feff}{\r\n  // mine\r\n  \"mcpServers\": {\r\n    \"fs\": {\r\n      \"command\": \"npx\", /* why */\r\n      \"args\": [\"-y\", \"server\"],\r\n      \"env\": { \"KEY\": \"x\" },\r\n    },\r\n  },\r\n}",
                "\u{feff}{\r\n  // mine\r\n  \"mcpServers\": {\r\n    \"fs\": {\r\n      \"command\": \"/home/u/.hookrail/bin/hookrail\", /* why */\r\n      \"args\": [\"mcp\", \"--home\", \"/home/u\", \"--server=fs\", \"--\", \"npx\", \"-y\", \"server\"],\r\n      \"env\": { \"KEY\": \"x\" },\r\n    },\r\n  },\r\n}",
            ),
            (
                r#"{"servers":{"a b":{"type":"stdio","command":"s","args":[]}},"inputs":[{"id":"k"}]}"#,
                r#"{"servers":{"a b":{"type":"stdio","command":"/home/u/.hookrail/bin/hookrail","args":["mcp", "--home", "/home/u", "--server=a b", "--", "s"]}},"inputs":[{"id":"k"}]}"#,
            ),
            (
                r#"{"context_servers":{"z":{"command":{"path":"s","args":["1"],"env":{}},"settings":{}}}}"#,
                r#"{"context_servers":{"z":{"command":{"path":"/home/u/.hookrail/bin/hookrail","args":["mcp", "--home", "/home/u", "--server=z", "--", "s", "1"],"env":{}},"settings":{}}}}"#,
            ),
        ] {
            let edit = wrapped(before);
            assert_eq!(edit.new_text, expected);
            assert!(edit.servers.iter().all(|(_, state)| *state == McpServer::Changed));
            assert_eq!(wrapped(expected).new_text, expected, "twice");
            assert_eq!(unwrapped(expected), before);
            assert_eq!(unwrapped(before), before);
        }
    }

    #[test]
    fn a_server_without_arguments_gets_some() {
        let before =
            "{\n  \"mcp\": { \"servers\": {\n    \"x\": {\n      \"command\": \"s\"\n    }\n  } }\n}\n";
        let after = wrapped(before).new_text;
        assert!(after.contains("\",\n      \"args\": [\"mcp\""), "{after}");
        let back = unwrapped(&after);
        assert!(back.contains("\"command\": \"s\",\n      \"args\": []"), "{back}");
    }

    #[test]
    fn what_is_not_a_program_is_left_alone() {
        let text = r#"{"mcpServers":{"a":{"url":"https://x"},"b":{"type":"sse","command":"s"},"c":{},"d":7,"e":{"command":["s"]},"f":{"command":"s","args":"x"},"g":{"command":"s","args":[1]}}}"#;
        let edit = wrapped(text);
        assert_eq!(edit.new_text, text);
        assert_eq!(edit.servers.len(), 7);
        assert!(edit.servers.iter().all(|(_, state)| matches!(state, McpServer::LeftAlone(_))), "{edit:?}");
    }

    #[test]
    fn other_files_are_refused() {
        let refused = |text: &str| wrap_servers(text, Path::new(PROGRAM), Path::new("/home/u")).unwrap_err();
        assert_eq!(refused(r#"{"hooks":{}}"#), EditError::NoServers);
        assert!(matches!(refused("[]"), EditError::WrongType { .. }));
        assert!(matches!(refused(r#"{"mcpServers":[]}"#), EditError::WrongType { .. }));
        assert!(matches!(refused("{"), EditError::Malformed { .. }));
        for twice in [
            r#"{"mcpServers":{},"mcpServers":{}}"#,
            r#"{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}"#,
            r#"{"mcpServers":{"a":{"command":"x","command":"y"}}}"#,
        ] {
            assert!(matches!(refused(twice), EditError::Twice { .. }), "{twice}");
        }
        let relative = wrap_servers("{}", Path::new("hookrail"), Path::new("/home/u"));
        assert!(matches!(relative, Err(EditError::Path { .. })));
    }
}
