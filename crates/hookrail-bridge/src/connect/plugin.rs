//! The plugin file for opencode. It is ours alone: written, replaced and removed as a whole.

use hookrail_shell::quote;
use serde_json::Value;

use super::entry::{NOT_RUN, for_each_place, required, shared_way_out, way_out};
use super::{BridgeEntry, ConnectError, Connection, EntryScope};
use crate::agent::Agent;
use crate::agents::dialect_of;

/// The first line of the files that hookrail writes. A file of the same name without it is left alone.
const MARK: &str = "// Written by `hookrail connect opencode`; `hookrail disconnect opencode` removes it.";

/// The module. Events at which nothing can be refused go on when the bridge does not work; the others throw.
/// It is JavaScript without dependencies, and every answer is decided by the program that it starts.
const BODY: &str = r#"import { spawn } from "node:child_process"

let client

// opencode shows no more than "unexpected error" when a prompt is refused. A terminal may hold its screen, which a
// line on stderr would disturb.
const report = (message) => {
  client?.app?.log?.({ body: { service: "hookrail", level: "error", message } })?.catch?.(() => {})
  client?.tui?.showToast?.({ body: { title: "hookrail", message, variant: "error" } })?.catch?.(() => {})
  if (!process.stderr.isTTY) process.stderr.write(`hookrail: ${message}\n`)
}

// The exit of a project's script that finds no hookrail.
const missing = 69

const bridge = (event, input, guards) =>
  new Promise((resolve, reject) => {
    const gone = (why) => (guards ? reject(new Error(`${broken} (${why})`)) : resolve({}))
    const child = spawn(program, [...words, event])
    // Not `timeout` of `spawn`, whose timer outlives a program that cannot be started.
    const timer = setTimeout(() => child.kill(), 600000)
    timer.unref?.()
    let stdout = ""
    let stderr = ""
    child.on("error", (error) => gone(error.message))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (stdout += data))
    child.stderr.on("data", (data) => (stderr += data))
    child.on("close", (code) => {
      clearTimeout(timer)
      if (stderr) client?.app?.log?.({ body: { service: "hookrail", level: "warn", message: stderr } })?.catch?.(() => {})
      if (code === missing && absent) {
        if (guards && absent.required) return reject(new Error(absent.message))
        if (event === "chat.message" || event === "session.created") report(absent.message)
        return resolve({})
      }
      if (code !== 0) return gone(`exit ${code}`)
      try {
        resolve(stdout.trim() ? JSON.parse(stdout) : {})
      } catch {
        gone("unreadable answer")
      }
    })
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...input }))
  })

export const Hookrail = async (opencode) => {
  client = opencode.client
  return hooks(opencode.directory)
}

const hooks = (directory) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
    const answer = await bridge(
      "tool.execute.before",
      { cwd: directory, session_id: sessionID, call_id: callID, tool_name: tool, tool_input: output.args },
      true,
    )
    if (answer.decision) throw new Error(answer.reason)
    const changed = answer.hookSpecificOutput?.tool_input
    if (changed) output.args = Object.assign(output.args ?? {}, changed)
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
    const answer = await bridge("tool.execute.after", {
      cwd: directory, session_id: sessionID, call_id: callID, tool_name: tool, tool_input: args,
      tool_response: { title: output.title, output: output.output },
    })
    if (answer.decision) output.output = answer.reason
    const context = answer.hookSpecificOutput?.additionalContext
    if (context) output.output += `\n\n${context}`
  },
  "chat.message": async ({ sessionID }, output) => {
    const texts = output.parts.filter((part) => part.type === "text")
    const prompt = texts.map((part) => part.text).join("\n")
    const input = { cwd: directory, session_id: sessionID, prompt_id: output.message?.id, prompt }
    const answer = await bridge("chat.message", input, true).catch(({ message }) => ({ decision: "deny", reason: message }))
    if (answer.decision) {
      report(answer.reason)
      throw new Error(answer.reason)
    }
    const context = answer.hookSpecificOutput?.additionalContext
    if (context && texts.length) texts[texts.length - 1].text += `\n\n${context}`
  },
  "experimental.session.compacting": async ({ sessionID }) => {
    await bridge("experimental.session.compacting", { cwd: directory, session_id: sessionID })
  },
  event: async ({ event }) => {
    const session_id = event.properties?.sessionID ?? event.properties?.info?.id
    if (event.type === "session.created" || event.type === "session.idle")
      await bridge(event.type, { cwd: directory, session_id })
  },
})
"#;

/// The lines at the head of a module that differ from file to file: what is called, and what is said if that fails.
fn head(scope: EntryScope<'_>) -> String {
    let agent = Agent::Opencode;
    let (program, words, way_out, absent) = match scope {
        EntryScope::User { program, home, file } => {
            let words = vec!["bridge".into(), "--home".into(), home.to_string_lossy(), agent.as_str().into()];
            (program.to_string_lossy(), words, way_out(agent, &file.to_string_lossy()), Value::Null)
        }
        EntryScope::Project { require } => {
            let script = for_each_place("exec \"$p\" bridge --project opencode \"$1\"", "exit 69");
            let file = dialect_of(agent).settings.project;
            let message = if require {
                required(agent)
            } else {
                format!(
                    "{file} of this project calls hookrail, which is not installed here: its rules are not applied."
                )
            };
            let absent = serde_json::json!({ "required": require, "message": message });
            (
                "/bin/sh".into(),
                vec!["-c".into(), script.into(), "hookrail".into()],
                shared_way_out(agent),
                absent,
            )
        }
    };
    // JSON is JavaScript, and `serde_json` escapes what would end the text.
    let text = |text: &str| Value::from(text).to_string();
    let words: Vec<String> = words.iter().map(|word| text(word)).collect();
    let broken = text(&format!("{NOT_RUN}, so this was refused. {way_out}"));
    let program = text(&program);
    format!(
        "const program = {program}\nconst words = [{}]\nconst broken = {broken}\nconst absent = {absent}\n",
        words.join(", ")
    )
}

/// The whole file.
fn module(scope: EntryScope<'_>) -> String {
    format!("{MARK}\n{}{BODY}", head(scope))
}

/// The shell line, up to the agent's name, for what a file of ours starts. `None` for a project's, which nothing but the
/// agent runs.
pub(super) fn call(existing: &str) -> Option<String> {
    let head = existing.strip_prefix(MARK)?;
    let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(&format!("const {name} = ")));
    let program: String = serde_json::from_str(value("program")?).ok()?;
    let words: Vec<String> =
        value("words").and_then(|words| serde_json::from_str(words).ok()).unwrap_or_default();
    match words.as_slice() {
        [bridge, option, home, _] if bridge == "bridge" && option == "--home" => {
            Some(format!("{} bridge --home {}", quote(&program), quote(home)))
        }
        [] => Some(format!("{} bridge", quote(&program))),
        _ => None,
    }
}

/// The file, unless one that hookrail did not write is in its place.
pub(super) fn connect(existing: Option<&str>, scope: EntryScope<'_>) -> Result<String, ConnectError> {
    match existing {
        Some(text) if !text.trim().is_empty() && !text.starts_with(MARK) => Err(ConnectError::NotOurs),
        _ => Ok(module(scope)),
    }
}

/// Nothing, if the file is ours.
pub(super) fn disconnect(existing: &str) -> Result<Option<String>, ConnectError> {
    if existing.starts_with(MARK) { Ok(None) } else { Err(ConnectError::NotOurs) }
}

/// Whether the file is the one that would be written today.
pub(super) fn connection(existing: &str, scope: EntryScope<'_>, wanted: &[BridgeEntry]) -> Connection {
    if existing == module(scope) {
        Connection::Full
    } else if existing.starts_with(MARK) {
        Connection::Partly { missing: wanted.iter().map(|entry| entry.event).collect() }
    } else {
        Connection::None
    }
}

/// Every event of the table is handled by the module, and the module calls no other.
#[cfg(test)]
#[test]
fn the_module_calls_the_bridge_at_every_event() {
    for event in crate::agents::dialect_of(crate::agent::Agent::Opencode).events {
        assert!(BODY.contains(&format!("\"{}\"", event.name)), "{}", event.name);
    }
}
