//! The shell line that calls the bridge.
//!
//! At guarded events it fails closed, with a message: whether the program was moved, cannot be started or crashed, what
//! comes out is a refusal in the agent's own form. The script is the same for every path and holds no single quote,
//! so that every shell (Codex uses the login shell, which may be fish) hands it to `sh` as it is.

use hookrail::internal::quote;
use serde_json::Value;

use super::BridgeEntry;
use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::answer::{is_guarded, refusal};
use crate::dialect::{NativeEvent, SettingsShape, TimeUnit};

/// The entry that `connect` writes for an event.
pub(super) fn entry(agent: Agent, event: &NativeEvent, program: &str) -> BridgeEntry {
    let dialect = dialect_of(agent);
    let milliseconds = u64::try_from(event.grant.as_millis()).unwrap_or(u64::MAX);
    let timeout = match dialect.unit {
        TimeUnit::Seconds => milliseconds / 1000,
        TimeUnit::Milliseconds => milliseconds,
    };
    let script = script(agent, event);
    let program = quote(program);
    let command = format!("/bin/sh -c '{script}' {program} bridge {agent} {}", event.name);
    BridgeEntry { event: event.name, command, powershell: powershell(agent, event), timeout }
}

/// What Windows runs, on which there is no hookrail: a project's file may be read there, and an entry without a command
/// for it has nothing to run. It follows Copilot's documents and was not tried on Windows.
fn powershell(agent: Agent, event: &NativeEvent) -> Option<String> {
    if dialect_of(agent).settings.shape != SettingsShape::Flat || !is_guarded(event.ours) {
        return None;
    }
    let words = "hookrail is to guard this agent, and there is no hookrail for Windows. \
                 Run the agent under Linux, for example in WSL, or remove the entries of hookrail from its hooks.";
    let refusal = Value::Object(refusal(agent, event, words)).to_string().replace('\'', "''");
    Some(format!("Write-Output '{refusal}'"))
}

/// What `sh` runs; `$0` is the program.
fn script(agent: Agent, event: &NativeEvent) -> String {
    let file = dialect_of(agent).settings.user;
    let words = format!(
        "hookrail does not work, so nothing guards this agent. \
         In a terminal, run hookrail doctor, install it again, or remove its entries from ~/{file}."
    );
    if !is_guarded(event.ours) {
        return format!("[ -x \"$0\" ] || {{ echo \"$0: {words}\" >&2; exit 1; }}; exec \"$0\" \"$@\"");
    }
    if dialect_of(agent).exit_two_refuses {
        return format!("\"$0\" \"$@\" || {{ echo \"$0: {words}\" >&2; exit 2; }}");
    }
    let refusal = Value::Object(refusal(agent, event, &words)).to_string().replace('"', "\\\"");
    format!("if answer=$(\"$0\" \"$@\"); then printf %s \"$answer\"; else printf %s \"{refusal}\"; fi")
}
