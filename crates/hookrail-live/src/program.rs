//! The agents' programs: where they come from, and how each is run headless, offline and without questions. What is
//! particular to one of them is in `programs.jsonc`, as texts with words in braces that a run fills in.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context as _, Result};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::model::Call;
use crate::texts::TEXTS;

/// One agent's program.
///
/// It has everything that makes the program call the scripted model and nothing else. A program that still needs
/// the network fails or hangs offline, and then its cells show it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Program {
    /// As `hookrail connect` calls it, and as its executable is called.
    pub name: String,
    /// As its makers write it.
    pub title: String,
    /// On npm.
    pub package: String,
    /// The names under which it is given the model; the first one is the usual one. Which tools an agent offers may
    /// depend on the name.
    pub(crate) models: Vec<String>,
    /// The command line behind the program.
    pub(crate) arguments: Vec<String>,
    /// The same for another prompt of the same session, where one is needed.
    pub(crate) go_on: Option<Vec<String>>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// What makes it offer all of its tools at once instead of letting the model search for some.
    #[serde(default)]
    pub(crate) all_tools: Switches,
    /// What makes it offer tools that are off unless somebody switches them on, for the list of its tools.
    pub(crate) further_tools: Option<Switches>,
    /// The words by which it reports that a hook ended the run.
    pub(crate) stopped: Option<String>,
    /// The words by which it reports that a hook refused the prompt.
    pub(crate) prompt_refused: Option<String>,
    /// An MCP server that is a script, in the form in which its settings have one.
    #[serde(default = "usual_server")]
    server: Value,
    /// The files of the home directory that point it at the model: objects are JSON, lists the lines of a text.
    files: Map<String, Value>,
    /// How its model writes a file: the tool, and its arguments.
    write: Value,
    /// How its model runs a command by another tool than the shell.
    monitor: Option<Value>,
    /// How its model searches in a file by its name.
    search: Option<Vec<Value>>,
    /// How its model calls the tool `leave_mark` of the MCP server `probe`, if it has MCP servers.
    mcp: Option<Value>,
    /// How its model gives a task to a subagent.
    subagent: Option<Value>,
}

/// How an agent is told to declare more tools in its first request.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Switches {
    environment: BTreeMap<String, String>,
    arguments: Vec<String>,
    project_files: Map<String, Value>,
}

/// All of them.
pub static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and tests read all of it")]
    read(TEXTS.get("programs.jsonc")).expect("a list of programs")
});

/// Reads a table of this crate.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    let list = CstRootNode::parse(text, &ParseOptions::default())?;
    Ok(serde_json::from_value(list.to_serde_value().unwrap_or_default())?)
}

fn usual_server() -> Value {
    json!({ "command": "sh", "args": ["{script}"], "trust": true })
}

/// What words in braces stand for.
type Words<'a> = &'a [(&'a str, Value)];

impl Program {
    /// The name of the model for a scenario. An agent may let a model that it knows search for some of its tools, and
    /// declare all of them to one that it does not know.
    pub(crate) fn model(&self, declares_all: bool) -> &str {
        let unknown = self.models.iter().find(|name| *name == "scripted").filter(|_| declares_all);
        unknown.or(self.models.first()).map_or("", String::as_str)
    }

    /// Writes the settings that point it at the model's URL; with an MCP server, if there is a script for one.
    pub(crate) fn prepare(&self, home: &Path, url: &str, script: Option<&Path>) -> Result<()> {
        let server = script.map(|script| filled(&self.server, &[("{script}", json!(script))]));
        let table = script
            .map(|script| format!("\n[mcp_servers.probe]\ncommand = \"sh\"\nargs = [{}]", json!(script)));
        let servers = server.map_or(json!({}), |server| json!({ "probe": server }));
        let words =
            [("{url}", json!(url)), ("{mcp}", servers), ("{mcpTable}", json!(table.unwrap_or_default()))];
        write_files(home, &self.files, &words)
    }

    /// Gives a command this program's arguments, with what they are about, and its environment.
    pub(crate) fn complete(
        &self,
        command: &mut Command,
        arguments: &[String],
        prompt: &str,
        model: &str,
        url: &str,
    ) {
        let words = [("{prompt}", json!(prompt)), ("{model}", json!(model)), ("{url}", json!(url))];
        command.args(arguments.iter().map(|argument| filled_text(argument, &words)));
        command.envs(self.environment.iter().map(|(name, value)| (name, filled_text(value, &words))));
    }

    /// A call that writes a file.
    pub(crate) fn write(&self, file: &Path, text: &str) -> Call {
        call(&self.write, &[("{file}", json!(file)), ("{name}", name_of(file)), ("{text}", json!(text))])
    }

    /// A call that runs a command by another tool than the shell.
    pub(crate) fn monitor(&self, command: &str) -> Option<Call> {
        Some(call(self.monitor.as_ref()?, &[("{command}", json!(command))]))
    }

    /// Calls that search in a file by its name.
    pub(crate) fn search(&self, file: &Path) -> Option<Vec<Call>> {
        let words = [("{file}", json!(file)), ("{name}", name_of(file))];
        Some(self.search.as_ref()?.iter().map(|template| call(template, &words)).collect())
    }

    /// A call of the MCP server's tool.
    pub(crate) fn mcp(&self) -> Option<Call> {
        Some(call(self.mcp.as_ref()?, &[]))
    }

    /// A call that gives a task to a subagent.
    pub(crate) fn subagent(&self, prompt: &str) -> Option<Call> {
        Some(call(self.subagent.as_ref()?, &[("{prompt}", json!(prompt))]))
    }
}

impl Switches {
    /// Switches tools on for a command in a project.
    pub(crate) fn apply(&self, project: &Path, command: &mut Command) -> Result<()> {
        command.args(&self.arguments).envs(&self.environment);
        write_files(project, &self.project_files, &[])
    }
}

/// The call in an object of one tool with its arguments.
fn call(template: &Value, words: Words<'_>) -> Call {
    let tool = template.as_object().and_then(|object| object.iter().next());
    tool.map_or_else(
        || Call::new("", json!({})),
        |(tool, arguments)| Call::new(tool, filled(arguments, words)),
    )
}

fn name_of(file: &Path) -> Value {
    file.file_name().unwrap_or_default().to_string_lossy().into()
}

/// A value with what its words stand for. A text that is nothing but one word becomes the value itself.
fn filled(template: &Value, words: Words<'_>) -> Value {
    match template {
        Value::String(text) => {
            let whole = words.iter().find(|(word, _)| word == text);
            whole.map_or_else(|| filled_text(text, words).into(), |(_, value)| value.clone())
        }
        Value::Array(list) => list.iter().map(|each| filled(each, words)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), filled(value, words))).collect()
        }
        other => other.clone(),
    }
}

fn filled_text(template: &str, words: Words<'_>) -> String {
    let fill =
        |text: String, (word, value): &(&str, Value)| text.replace(word, value.as_str().unwrap_or_default());
    words.iter().fold(template.to_owned(), fill)
}

/// Writes files below a folder: objects as JSON, lists as the lines of a text.
pub(crate) fn write_files(folder: &Path, files: &Map<String, Value>, words: Words<'_>) -> Result<()> {
    for (name, template) in files {
        let text = match filled(template, words) {
            Value::Array(lines) => {
                lines.iter().filter_map(|line| Some(format!("{}\n", line.as_str()?))).collect()
            }
            value => serde_json::to_string_pretty(&value)?,
        };
        write(&folder.join(name), &text)?;
    }
    Ok(())
}

/// Writes a file and the folders above it.
pub(crate) fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A template with a misspelt word would be given to the agent as it is.
    #[test]
    fn every_word_in_braces_is_filled_in() {
        let home = tempfile::tempdir().unwrap();
        let mark = Path::new("/w/mark.txt");
        for program in PROGRAMS.iter() {
            program.prepare(home.path(), "http://u", Some(Path::new("/s.sh"))).unwrap();
            let mut command = Command::new("x");
            let lines = [Some(&program.arguments), program.go_on.as_ref()];
            for arguments in lines.into_iter().flatten() {
                program.complete(&mut command, arguments, "do it", "m", "http://u");
            }
            program.all_tools.apply(home.path(), &mut command).unwrap();
            let mut calls = vec![program.write(mark, "x")];
            calls.extend(program.monitor("ls"));
            calls.extend(program.search(mark).into_iter().flatten());
            calls.extend([program.mcp(), program.subagent("task")].into_iter().flatten());
            let mut texts = vec![format!("{command:?} {calls:?}")];
            for name in program.files.keys() {
                texts.push(fs::read_to_string(home.path().join(name)).unwrap());
            }
            assert!(texts.iter().any(|text| text.contains("http://u")), "{}: {texts:?}", program.name);
            for text in texts {
                let word = text.split('{').skip(1).find(|rest| {
                    rest.split_once('}').is_some_and(|(word, _)| {
                        !word.is_empty() && word.chars().all(|sign| sign.is_ascii_alphabetic())
                    })
                });
                assert_eq!(word, None, "{}: {text}", program.name);
            }
        }
    }
}
