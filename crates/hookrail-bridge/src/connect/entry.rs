//! The shell line that calls the bridge.
//!
//! At guarded events it fails closed, with a message: whether the program was removed, cannot be started or crashed, what
//! comes out is a refusal in the agent's own form. An agent loads a project's `.env` into the environment of this line,
//! and with it functions that a shell imports under the names of its builtins. So the line begins with an absolute
//! `/bin/sh`, and the script uses nothing but special builtins, which no function replaces there, and absolute programs.
//! It has no single quote of its own, so that every shell (Codex uses the login shell, which may be fish) hands it on
//! as it is.

use hookrail::EventName;
use hookrail_shell::quote;
use serde_json::Value;

use super::{BridgeEntry, EntryScope};
use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::answer::{is_guarded, notice, refusal};
use crate::dialect::{NativeEvent, SettingsShape};

/// What every message of an entry whose program does not work begins with; `doctor` recognises it.
pub const NOT_RUN: &str = "hookrail could not be run";

/// Where a project's entry looks for hookrail, besides the folder below the home directory that `connect` fills.
pub const SHARED_FOLDERS: [&str; 3] = ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"];

/// How to install hookrail, for people whose colleagues use it.
const INSTALL: &str = "cargo install hookrail-cli --locked";

/// The entry that `connect` writes for an event.
pub(super) fn entry(agent: Agent, event: &NativeEvent, scope: EntryScope<'_>) -> BridgeEntry {
    let dialect = dialect_of(agent);
    let timeout = u64::try_from(event.grant.as_millis() / dialect.unit.as_millis()).unwrap_or(u64::MAX);
    let name = event.name;
    let command = match scope {
        EntryScope::User { program, home, file } => {
            let script =
                with_fallback("\"$0\" \"$@\"", agent, event, &way_out(agent, &file.to_string_lossy()));
            let (program, home) = (program.to_string_lossy(), home.to_string_lossy());
            let (script, program, home) = (quote(&script), quote(&program), quote(&home));
            format!("/bin/sh -c {script} {program} bridge --home {home} {agent} {name}")
        }
        EntryScope::Project { require } => {
            let call = format!("\"$p\" bridge --project {agent} {name}");
            let call = with_fallback(&call, agent, event, &shared_way_out(agent));
            let missing = missing(agent, event, require);
            format!("/bin/sh -c {}", quote(&for_each_place(&format!("{call}; exit 0"), &missing)))
        }
    };
    BridgeEntry { event: name, command, powershell: powershell(agent, event), timeout }
}

/// A script that does something with the first `$p` that is a hookrail, or something else where there is none. The home
/// is the one in the user database: `$HOME` may come from a project. Whether a file is there is told without a pattern,
/// because `SHELLOPTS` and `BASHOPTS` of a project change what patterns mean in a `/bin/sh` that is bash.
pub(super) fn for_each_place(found: &str, missing: &str) -> String {
    let shared = SHARED_FOLDERS.map(|folder| format!(" {folder}/hookrail")).concat();
    let places = format!("\"$h\"/.hookrail/bin/hookrail{shared}");
    // A program that may be run and not read is there, too.
    let is_there = "(: <\"$p\") 2>/dev/null || /bin/ls -d \"$p\" >/dev/null 2>&1";
    format!(
        "h=; u=$(/usr/bin/id -un) && eval \"h=~$u\"; for p in {places}; do if {is_there}; then {found}; fi; done; {missing}"
    )
}

/// A call, and what happens where it fails.
fn with_fallback(call: &str, agent: Agent, event: &NativeEvent, way_out: &str) -> String {
    let words = format!("{NOT_RUN}. {way_out}");
    if is_guarded(event.ours) {
        let words = format!("{NOT_RUN}, so this was refused. {way_out}");
        if dialect_of(agent).exit_two_refuses {
            return format!("{call} || {{ /bin/echo {} >&2; exit 2; }}", in_quotes(&words));
        }
        let refusal = in_quotes(&Value::Object(refusal(agent, event, &words)).to_string());
        let print = "case $answer in ?*) /bin/echo \"$answer\";; esac";
        return format!("if answer=$({call}); then {print}; else /bin/echo {refusal}; fi");
    }
    let shown =
        if event.ours == Some(EventName::SessionStart) { notice_at(agent, event, &words) } else { None };
    match shown {
        Some(notice) => format!("{call} || /bin/echo {notice}"),
        None => format!("{call} || {{ /bin/echo {} >&2; exit 1; }}", in_quotes(&words)),
    }
}

/// What a project's entry does where hookrail is not installed: nothing, but for a message where a person sees one; or a
/// refusal, if the project requires it.
fn missing(agent: Agent, event: &NativeEvent, require: bool) -> String {
    let file = dialect_of(agent).settings.project;
    let install = install(agent);
    if require && is_guarded(event.ours) {
        let words = required(agent);
        if dialect_of(agent).exit_two_refuses {
            return format!("/bin/echo {} >&2; exit 2", in_quotes(&words));
        }
        let refusal = Value::Object(refusal(agent, event, &words)).to_string();
        return format!("/bin/echo {}", in_quotes(&refusal));
    }
    let words = format!(
        "{file} of this project calls hookrail, which is not installed here: its rules are not applied. {install}"
    );
    let is_start = matches!(event.ours, Some(EventName::BeforeAgent | EventName::SessionStart));
    // Qwen Code shows messages at the end of the work only.
    let is_end = event.ours == Some(EventName::AfterAgent)
        && !dialect_of(agent).can.show_to_user.contains(&EventName::BeforeAgent);
    let shown = if is_start || is_end { notice_at(agent, event, &words) } else { None };
    match shown {
        Some(notice) => format!("/bin/echo {notice}"),
        None if is_start => format!("/bin/echo {} >&2", in_quotes(&words)),
        None => "exit 0".to_owned(),
    }
}

/// Why a project that requires hookrail refuses, and how to go on.
pub(super) fn required(agent: Agent) -> String {
    let file = dialect_of(agent).settings.project;
    format!(
        "{file} of this project requires hookrail, which is not installed here, so this was refused. {}",
        install(agent)
    )
}

fn install(agent: Agent) -> String {
    format!("To install it, run in a terminal: {INSTALL}; hookrail connect {agent}")
}

/// How a person goes on whose hookrail is gone: with it, or without it.
pub(super) fn way_out(agent: Agent, file: &str) -> String {
    let doctor =
        "In a terminal, hookrail doctor shows what is wrong. If hookrail was removed, install it again";
    match dialect_of(agent).settings.shape {
        SettingsShape::Groups
        | SettingsShape::Commands
        | SettingsShape::VersionedCommands
        | SettingsShape::TomlList => {
            format!("{doctor}, or delete the hooks that call hookrail from {file}")
        }
        SettingsShape::Flat | SettingsShape::Plugin => format!("{doctor}, or delete the file {file}"),
    }
}

/// The same where hookrail is there and fails.
pub(super) fn shared_way_out(agent: Agent) -> String {
    let file = dialect_of(agent).settings.project;
    format!("It is called by {file} of this project. In a terminal, hookrail doctor shows what is wrong")
}

/// A message to the user, as a word of a script; `None` where the agent shows none.
fn notice_at(agent: Agent, event: &NativeEvent, words: &str) -> Option<String> {
    notice(agent, event, words).map(|notice| in_quotes(&Value::Object(notice).to_string()))
}

/// A text as one word of a script.
fn in_quotes(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for sign in text.chars() {
        if matches!(sign, '\\' | '"' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(sign);
    }
    quoted.push('"');
    quoted
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
