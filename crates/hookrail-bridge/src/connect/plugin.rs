//! The plugin file for opencode. It is ours alone: written, replaced and removed as a whole.

use super::{BridgeEntry, ConnectError, Connection};

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

const bridge = (event, input, guards) =>
  new Promise((resolve, reject) => {
    const gone = (why) =>
      guards
        ? reject(new Error(`hookrail does not work (${why}), so nothing guards opencode. In a terminal, run hookrail doctor or hookrail disconnect opencode.`))
        : resolve({})
    const child = spawn(program, ["bridge", "opencode", event])
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
  "tool.execute.before": async ({ tool, sessionID }, output) => {
    const answer = await bridge(
      "tool.execute.before",
      { cwd: directory, session_id: sessionID, tool_name: tool, tool_input: output.args },
      true,
    )
    if (answer.decision) throw new Error(answer.reason)
    const changed = answer.hookSpecificOutput?.tool_input
    if (changed) output.args = Object.assign(output.args ?? {}, changed)
  },
  "tool.execute.after": async ({ tool, sessionID, args }, output) => {
    const answer = await bridge("tool.execute.after", {
      cwd: directory, session_id: sessionID, tool_name: tool, tool_input: args,
      tool_response: { title: output.title, output: output.output },
    })
    if (answer.decision) output.output = answer.reason
    const context = answer.hookSpecificOutput?.additionalContext
    if (context) output.output += `\n\n${context}`
  },
  "chat.message": async ({ sessionID }, output) => {
    const texts = output.parts.filter((part) => part.type === "text")
    const prompt = texts.map((part) => part.text).join("\n")
    const input = { cwd: directory, session_id: sessionID, prompt }
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

/// The file for a program.
fn module(program: &str) -> String {
    // JSON is JavaScript, and `serde_json` escapes what would end the text.
    let literal = serde_json::Value::String(program.to_owned());
    format!("{MARK}\nconst program = {literal}\n{BODY}")
}

/// The program that a file of ours starts.
pub(super) fn program(existing: &str) -> Option<String> {
    let literal =
        existing.strip_prefix(MARK)?.lines().find_map(|line| line.strip_prefix("const program = "))?;
    serde_json::from_str(literal).ok()
}

/// The file, unless one that hookrail did not write is in its place.
pub(super) fn connect(existing: Option<&str>, program: &str) -> Result<String, ConnectError> {
    match existing {
        Some(text) if !text.trim().is_empty() && !text.starts_with(MARK) => Err(ConnectError::NotOurs),
        _ => Ok(module(program)),
    }
}

/// Nothing, if the file is ours.
pub(super) fn disconnect(existing: &str) -> Result<Option<String>, ConnectError> {
    if existing.starts_with(MARK) { Ok(None) } else { Err(ConnectError::NotOurs) }
}

/// Whether the file is the one that would be written today.
pub(super) fn connection(existing: &str, program: &str, wanted: &[BridgeEntry]) -> Connection {
    if existing == module(program) {
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
