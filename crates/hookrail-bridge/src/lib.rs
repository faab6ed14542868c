//! Other coding agents' hook dialects, in our terms. Text in, text out: nothing here starts a process, reads a
//! file or runs a hook.
//!
//! # One event of another agent
//!
//! 1. [`read`] turns the agent's stdin into a [`BridgeEvent`]: our event, our tool and argument names, the native
//!    ones beside them.
//! 2. [`SessionMemory::recall`] adds what earlier events of the session contained, such as the prompt at its end.
//! 3. The caller runs its hooks and states the outcome as a [`Outcome`].
//! 4. [`answer`] gives what to print, in exactly that agent's dialect, what had to be strengthened because the agent
//!    cannot carry it out, and what to remember for the session's next event. [`broken`] answers when the guard
//!    itself does not work.
//!
//! [`connect`] and [`disconnect`] edit an agent's settings, [`import`] reads its hooks as ours. [`to_ours`] maps
//! single tool calls, for programs that read transcripts.
//!
//! What is particular to an agent is in one file below `agents`: a table and a function that writes its answers.

mod agent;
mod agents;
mod answer;
mod connect;
mod dialect;
mod effects;
mod event;
mod import;
mod input;
mod jsonc;
mod mcp;
mod memory;
mod outcome;
mod tools;

pub use agent::{Agent, UnknownAgent};
pub use agents::{
    agent_marks, also_runs, can_ask, event_name, is_event_name, limits, project_variable, tested_with,
    tool_names,
};
pub use answer::{NativeAnswer, answer, broken, time_budget};
pub use connect::{
    ConnectOptions, Connection, EditError, EntryPlace, EntryScope, NOT_RUN, Obstacle, SHARED_FOLDERS,
    SettingsEdit, SettingsFormat, SettingsPlace, Surroundings, bridge_entries, calls_bridge, connect,
    connection, disconnect, guarded_event, machine_settings, obstacles, project_settings, user_settings,
    uses_toml,
};
pub use event::BridgeEvent;
pub use import::{Imported, LossKind, LossLine, ScriptHint, import, script_hints, without_imported};
pub use input::{BridgeInputError, PROBE, read};
pub use jsonc::{cst_value, cut_entry, split_byte_order_mark};
pub use mcp::{McpEdit, McpServer, unwrap_servers, wrap_servers};
pub use memory::SessionMemory;
pub use outcome::{Outcome, StoppingRules};
pub use tools::{
    McpTool, OurCall, deciding_arguments, mcp_call, mcp_response, sample_call, to_native_input, to_ours,
    to_ours_with_mcp,
};
