//! The command line as types: one file for each command with its arguments, help texts and examples. No logic.
//!
//! A `///` on an argument is what `--help` prints, in completions and manual pages too; snapshot tests hold the texts.
//! What a reader of the code needs is in the `//!` of the command's file. The names of fields in `JSON: …` are a
//! contract with programs that read `--format json`.

mod agent;
mod agent_name;
mod allow;
mod bridge;
mod check;
mod completions;
mod connect;
mod deferred;
mod disconnect;
mod doctor;
mod event;
mod explain;
mod export;
mod facts;
mod fire;
mod import;
mod init;
mod keeper;
mod list;
mod log;
mod man;
mod mcp;
mod places;
mod policy;
mod replay;
mod report;
mod rules;
mod schema;
mod serve;
mod setup;
mod shared;
mod status;
mod test;
mod toggle;
mod trust;

use std::ffi::OsString;

use clap::{Parser, Subcommand, ValueEnum};

use self::deferred::Deferred;
pub(crate) use self::{
    agent::*, allow::*, bridge::*, check::*, completions::*, connect::*, disconnect::*, doctor::*, event::*,
    explain::*, export::*, facts::*, fire::*, import::*, init::*, keeper::*, list::*, log::*, man::*, mcp::*,
    places::*, policy::*, replay::*, report::*, rules::*, schema::*, serve::*, setup::*, shared::*,
    status::*, test::*, toggle::*, trust::*,
};

/// Hooks for coding agents: write them, try them, approve them, see what they do.
#[derive(Debug, Parser)]
#[command(name = "hookrail", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Start here:\n  hookrail demo          see what hooks can do, offline\n  hookrail setup         protect the agents that you have\n  hookrail init          write a first hook of your own"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) places: Places,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, global = true)]
    pub(crate) color: Color,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The command line with `fire` as its only command.
#[derive(Debug, Parser)]
#[command(name = "hookrail", version, propagate_version = true)]
struct FireCli {
    #[command(flatten)]
    places: Places,

    #[arg(long, value_enum, default_value_t, global = true)]
    color: Color,

    #[command(subcommand)]
    command: FireCommand,
}

#[derive(Debug, Subcommand)]
enum FireCommand {
    Fire(FireArgs),
}

impl Cli {
    /// Reads a command line. Scripts and agents wait for `fire` as for few others, so that it is first read as one that
    /// knows nothing else: naming all commands to the parser takes longer than reading one of them. Whatever
    /// that does not understand, asks for help or is wrong, is read again with all of them.
    pub(crate) fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        if words.iter().any(|word| word == "fire")
            && let Ok(FireCli { places, color, command: FireCommand::Fire(args) }) =
                FireCli::try_parse_from(words)
        {
            return Ok(Self { places, color, command: Command::Fire(Deferred(args)) });
        }
        Self::try_parse_from(words)
    }
}

/// When output has colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Lets all output of the process follow it.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Protect the agents that are found, with one question
    Setup(Deferred<SetupArgs>),
    /// Find everything that is wrong with the hook settings
    Check(Deferred<CheckArgs>),
    /// Fire one event and show what the hooks answer
    Fire(Deferred<FireArgs>),
    /// Run the tests of the hooks
    Test(Deferred<TestArgs>),
    /// Ask today's hooks about the tool calls of past sessions
    Replay(Deferred<ReplayArgs>),
    /// Show which hooks would run for an event, and why the others would not
    Explain(Deferred<ExplainArgs>),
    /// List all hooks with their state and their history
    List(Deferred<ListArgs>),
    /// Turn a disabled hook on again
    Enable(Deferred<ToggleArgs>),
    /// Turn a hook off without removing it
    Disable(Deferred<ToggleArgs>),
    /// Review and approve the hooks of this project
    Trust(Deferred<TrustArgs>),
    /// Write a starter hook and its settings entry
    Init(Deferred<InitArgs>),
    /// Show what rules see of an event
    Facts(Deferred<FactsArgs>),
    /// List the shipped rules, which one line of settings turns on
    Rules(Deferred<RulesArgs>),
    /// Let one call pass that rules stopped
    Allow(Deferred<AllowArgs>),
    /// Show what hooks did
    Log(Deferred<LogArgs>),
    /// Write what agents did and what was decided as one HTML page
    Report(Deferred<ReportArgs>),
    /// Send what was decided to an OpenTelemetry collector
    Export(Deferred<ExportArgs>),
    /// Keep one signed set of hooks on many machines
    Policy(Deferred<PolicyArgs>),
    /// Say in one line for each agent whether it is guarded now
    Status(Deferred<StatusArgs>),
    /// Print a short form of the status for an agent's status line
    Statusline(Deferred<StatuslineArgs>),
    /// Print a JSON Schema
    Schema(SchemaArgs),
    /// Serve the hook system over JSON Lines to agents in any language
    Serve(Deferred<ServeArgs>),
    /// Answer one event of another agent, as its hook, in its dialect
    Bridge(Deferred<BridgeArgs>),
    /// Show or end the process that keeps workers between the calls of agents
    Keeper(Deferred<KeeperArgs>),
    /// Check the calls between an MCP client and its servers, or set that up
    Mcp(Deferred<McpArgs>),
    /// Take hookrail out of every agent again
    Uninstall(Deferred<UninstallArgs>),
    /// Put this version into the place that the agents call
    Upgrade,
    /// Let another agent call hookrail; without an agent, list them
    Connect(Deferred<ConnectArgs>),
    /// Take hookrail out of another agent's settings again
    Disconnect(Deferred<DisconnectArgs>),
    /// Print another agent's hooks in hookrail's format, and what could not be converted
    Import(Deferred<ImportArgs>),
    /// Check settings, approvals, hooks and connected agents, and suggest fixes
    Doctor(Deferred<DoctorArgs>),
    /// Run the agent
    Agent(Deferred<AgentArgs>),
    /// See what hooks can do: offline, in a temporary project
    Demo,
    /// Print a completion script for a shell
    Completions(Deferred<CompletionsArgs>),
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Man(Deferred<ManArgs>),
}
