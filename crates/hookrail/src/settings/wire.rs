//! The settings file as types, for its JSON Schema and nothing else: loading reads the text itself, so that
//! one wrong field never takes the rest down.
#![expect(dead_code, reason = "these types are described, never read")]

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::{AgentEvents, LogDetail};
use crate::formats::json_object::JsonObject;
use crate::hook::{AskReading, OnFailure};

/// The JSON Schema of a settings file, for editors.
pub fn settings_schema() -> Schema {
    SchemaGenerator::default().into_root_schema_for::<SettingsWire>()
}

/// The part of a settings file that is about hooks. All other keys belong to the agent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Settings of hookrail")]
struct SettingsWire {
    /// Whether hooks run at all. In a project's own file it counts only once the project's hooks are
    /// approved.
    #[schemars(default)]
    enable_hooks: Option<bool>,
    tools: Option<ToolsWire>,
    hooks: Option<HooksWire>,
    hooks_config: Option<HooksConfigWire>,
    extensions: Option<ExtensionsWire>,
    security: Option<SecurityWire>,
    policy: Option<PolicyWire>,
}

/// A signed policy for this machine; counts in the system's settings only.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Policy")]
struct PolicyWire {
    /// Where `hookrail policy pull` fetches the document.
    url: Option<String>,
    /// Minisign public keys whose signatures count.
    keys: Vec<String>,
    /// For which machines the document must be made.
    audience: String,
    /// What becomes of guarded events without a usable policy; `block` if not given.
    on_missing: Option<OnMissingWire>,
    /// What becomes of guarded events with an expired one; `warn` if not given.
    on_expired: Option<OnExpiredWire>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum OnMissingWire {
    Block,
    Ask,
    Allow,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum OnExpiredWire {
    Warn,
    Block,
}

/// Settings of the agent's tools.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Tools")]
struct ToolsWire {
    /// Another spelling of the top-level `enableHooks`, which wins over it.
    enable_hooks: Option<bool>,
}

/// Hooks by event. Each event has a list of groups; the groups of all settings files count together.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "Hooks")]
struct HooksWire {
    /// Before a tool runs. Can block it, or change its input.
    before_tool: Option<Vec<GroupWire>>,
    /// After a tool has run, before the model sees the result.
    after_tool: Option<Vec<GroupWire>>,
    /// Before a prompt is worked on.
    before_agent: Option<Vec<GroupWire>>,
    /// After the work on a prompt has ended.
    after_agent: Option<Vec<GroupWire>>,
    /// Before a model call. Can block it, change the request, or answer it.
    before_model: Option<Vec<GroupWire>>,
    /// After a model call was answered. Can replace the response.
    after_model: Option<Vec<GroupWire>>,
    /// Before a model call that carries tool definitions. Can restrict the tools.
    before_tool_selection: Option<Vec<GroupWire>>,
    /// When a session begins. Matchers: `startup`, `resume`, `clear`, `compress`.
    session_start: Option<Vec<GroupWire>>,
    /// When a session ends. Matchers: `exit`, `clear`, `logout`, `prompt_input_exit`, `other`.
    session_end: Option<Vec<GroupWire>>,
    /// Before the history is summarised. Matchers: `manual`, `auto`.
    pre_compress: Option<Vec<GroupWire>>,
    /// Before the agent tells or asks the user something. Matchers: the type, such as `ToolPermission`.
    notification: Option<Vec<GroupWire>>,
    /// Another spelling of the top-level `enableHooks`, which wins over it.
    #[serde(rename = "enabled")]
    enabled: Option<bool>,
    /// Another spelling of `hooksConfig.disabled`; both lists count.
    #[serde(rename = "disabled")]
    disabled: Option<Vec<String>>,
}

/// Hooks that share a matcher.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HookGroup")]
struct GroupWire {
    /// For tool events an ECMAScript regular expression, searched for in the tool's name; for session events,
    /// compression and notifications an exact word; elsewhere without effect. None, empty or `*` matches all.
    matcher: Option<String>,
    /// Whether the hooks run one after another, each working on what the one before it changed.
    #[schemars(default)]
    sequential: Option<bool>,
    /// The hooks.
    hooks: Vec<HookWire>,
}

/// One hook.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Hook")]
struct HookWire {
    /// What kind of program it is.
    r#type: TypeWire,
    /// The shell command. It gets the event as JSON on its standard input and runs in the project's directory,
    /// which `$HOOKRAIL_PROJECT_DIR` names as well. Needed unless the type is `plugin`.
    command: Option<String>,
    /// How long it may run, in milliseconds; 60000 if not given.
    #[schemars(extend("exclusiveMinimum" = 0))]
    timeout: Option<f64>,
    /// A name for lists, logs and `hooksConfig.disabled`; the command if not given.
    name: Option<String>,
    /// What it is for.
    description: Option<String>,
    /// Variables added to its environment.
    env: Option<BTreeMap<String, String>>,
    /// What it means for a `BeforeTool` or `BeforeModel` event when the hook fails to give a verdict.
    on_failure: Option<OnFailure>,
    /// Files of the project that an approval of this hook is bound to besides those that its command names, as
    /// patterns such as `hooks/**`. At most 1,000 files and 16 MiB.
    watch: Option<Vec<String>>,
    /// Whether running it changes nothing outside of itself, so that `hookrail replay` may ask it.
    pure: Option<bool>,
    /// Whether its process is kept for the next event: `true` for a program that answers line by line, `"fork"` for a
    /// Python script as it is.
    worker: Option<WorkerWire>,
    /// The agent that a command was written for, where it is not ours: it reads that agent's payloads and answers in its
    /// words, and the matcher names that agent's tools.
    dialect: Option<DialectWire>,
    /// A condition on the facts of the event. A rule holds when it does; a command is started unless it does not.
    when: Option<JsonObject>,
    /// What a rule says when it holds: exactly what a hook may print.
    then: Option<JsonObject>,
    /// Short form of `then` for a rule: block, for this reason.
    block: Option<String>,
    /// Short form of `then` for a rule: ask the person, for this reason.
    ask: Option<String>,
    /// Short form of `then` for a rule: add this text to the context.
    context: Option<String>,
    /// A rule: what to do instead. It follows the reason of a block or a question on a line of its own.
    instead: Option<String>,
    /// What a rule does when its condition cannot be decided.
    unknown: Option<UnknownWire>,
    /// Calls that a rule must match and calls that it must not; checked when settings are read.
    examples: Option<ExamplesWire>,
    /// The service of an `http` hook (`https://…`, or `http://` on this machine) or of a `remote` hook (`nats://…`,
    /// `tls://…`).
    url: Option<String>,
    /// Headers that an `http` hook sends and that are no secret.
    headers: Option<BTreeMap<String, String>>,
    /// A file with a JSON object of further headers, which only its owner, the user, may read or write.
    headers_file: Option<String>,
    /// What the services of a `remote` hook subscribe to; `hookrail.decide` if not given.
    subject: Option<String>,
    /// A file with the NATS credentials, or the nkey seed, of a `remote` hook.
    credentials: Option<String>,
}

/// Whether the process of a hook is kept for the next event.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Worker")]
enum WorkerWire {
    /// `true` for a program that reads questions and writes answers, one per line.
    Lines(bool),
    /// A Python script that runs in forks of one interpreter.
    Fork(ForkWire),
}

/// The agent that a command was written for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Dialect")]
enum DialectWire {
    /// Claude Code.
    Claude,
}

/// The word for a Python script that runs in forks of one interpreter.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Fork")]
enum ForkWire {
    /// Each event runs in a fork.
    Fork,
}

/// What a rule does when its condition cannot be decided.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Unknown")]
enum UnknownWire {
    /// It blocks.
    Block,
    /// It asks the person.
    Ask,
}

/// Examples of a rule: a shell command, `{ "tool", "input" }`, or the arguments of a built-in tool.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Examples")]
struct ExamplesWire {
    /// Calls for which the rule holds.
    r#match: Option<Vec<serde_json::Value>>,
    /// Calls for which it does not.
    no_match: Option<Vec<serde_json::Value>>,
}

/// What kind of program a hook is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "HookType")]
enum TypeWire {
    /// A shell command.
    Command,
    /// A condition and an answer, without a process.
    Rule,
    /// A service that is asked by HTTP.
    Http,
    /// A service that is asked over NATS.
    Remote,
    /// Accepted for what may come; cannot be run yet.
    Plugin,
}

/// How hooks are run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HooksConfig")]
struct HooksConfigWire {
    /// Another spelling of the top-level `enableHooks`, which wins over it.
    enabled: Option<bool>,
    /// Names, or commands, of hooks that do not run. In a project's file only that project's hooks.
    disabled: Option<Vec<String>>,
    /// What the agent does with outputs of the agent, session, compression and notification events.
    agent_events: Option<AgentEvents>,
    /// What `ask` of a hook means: `person` (if not given) asks a person, `allow` lets the call run.
    /// In a project's file only for that project's hooks.
    ask: Option<AskReading>,
    /// How many hooks run at once; 64 if not given.
    #[schemars(range(min = 1))]
    max_concurrent_hooks: Option<u64>,
    /// How many bytes of each output stream of a hook are kept; 16 MiB or twice the payload if not given.
    #[schemars(range(min = 1))]
    max_output_bytes: Option<u64>,
    /// What `log.jsonl` says about an event besides its decision: `summary` (if not given) is the beginning of the
    /// command, path or prompt, with secrets masked; `none` leaves it out. Only in the user's and the system's settings.
    log: Option<LogDetail>,
    /// Shipped rules and presets (`@standard`, `@strict`) that are on; `hookrail rules` lists them.
    rules: Option<Vec<RuleEntryWire>>,
}

/// A shipped rule that is on.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RuleEntry")]
#[serde(untagged)]
enum RuleEntryWire {
    /// Its name, or a preset.
    Name(String),
    /// Its name with exceptions.
    WithExceptions {
        /// The rule's name.
        name: String,
        /// Conditions as in `when`. A call for which one of them certainly holds is not stopped by this rule.
        except: Option<Vec<JsonObject>>,
        /// The last day on which the exceptions count, such as `2026-12-31`.
        until: Option<String>,
        /// Why there are exceptions, for people.
        why: Option<String>,
    },
}

/// Settings of extensions.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Extensions")]
struct ExtensionsWire {
    /// Names of extensions that are inactive.
    disabled: Option<Vec<String>>,
}

/// Settings of security.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Security")]
struct SecurityWire {
    environment_variable_redaction: Option<RedactionWire>,
}

/// Removes variables that look like credentials from the environment of hooks.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "EnvironmentVariableRedaction")]
struct RedactionWire {
    /// Whether variables are removed at all; off if not given.
    enabled: Option<bool>,
    /// Variables that stay although they look like credentials.
    allowed: Option<Vec<String>>,
    /// Variables that are removed although they do not.
    blocked: Option<Vec<String>>,
}

#[cfg(test)]
mod tests;
