//! The command line as types: commands, flags and help texts. No logic.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand, ValueEnum};
use hookrail::EventName;
use hookrail_bridge::Agent;

use crate::hook_log::Since;

/// Hooks for coding agents: write them, try them, approve them, see what they do.
#[derive(Debug, Parser)]
#[command(name = "hookrail", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Start here:\n  hookrail demo          see what hooks can do, offline\n  hookrail init          write a first hook\n  hookrail fire BeforeTool --tool write_file    try it"
)]
pub(crate) struct Cli {
    /// Work in this directory instead of the current one
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, global = true)]
    pub(crate) color: Color,

    #[command(subcommand)]
    pub(crate) command: Command,
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
    /// Find everything that is wrong with the hook settings
    Check(CheckArgs),
    /// Fire one event and show what the hooks say
    Fire(FireArgs),
    /// Run the tests of the hooks
    Test(TestArgs),
    /// Ask today's hooks about yesterday's tool calls
    Replay(ReplayArgs),
    /// Show which hooks would run for an event, and why the others would not
    Explain(ExplainArgs),
    /// List all hooks with their state and their history
    List(ListArgs),
    /// Turn a disabled hook on again
    Enable(ToggleArgs),
    /// Turn a hook off without removing it
    Disable(ToggleArgs),
    /// Review and approve the hooks of this project
    Trust(TrustArgs),
    /// Write a starter hook and its settings entry
    Init(InitArgs),
    /// Show what rules see of an event
    Facts(FactsArgs),
    /// List the shipped rules, which one line of settings turns on
    Rules(RulesArgs),
    /// Show what hooks did
    Log(LogArgs),
    /// Print a JSON Schema
    Schema(SchemaArgs),
    /// Serve the hook system over JSON Lines to agents in any language
    Serve(ServeArgs),
    /// Answer one event of another agent, as its hook, in its dialect
    Bridge(BridgeArgs),
    /// Let another agent call hookrail; without an agent, list them
    Connect(ConnectArgs),
    /// Take hookrail out of another agent's settings again
    Disconnect(DisconnectArgs),
    /// Print another agent's hooks as ours, with what is lost
    Import(ImportArgs),
    /// Check the whole chain, from settings to connected agents, and say what to do
    Doctor(DoctorArgs),
    /// Run the agent
    Agent(AgentArgs),
    /// See what hooks can do: offline, in a temporary project
    Demo,
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Man(ManArgs),
}

/// How results are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail check\n  hookrail check --strict --format json\n\nJSON: { \"findings\": [{ code, severity, file, line, column, message, help }], \"errors\": N, \"warnings\": N };\nseverity is error, warning or note; file, line, column and help may be null.\n\nExit code: 1 if there are errors (with --strict also if there are warnings), else 0."
)]
pub(crate) struct CheckArgs {
    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Let warnings count as errors
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail fire AfterModel\n  hookrail fire BeforeTool --tool write_file --input '{\"file_path\":\"a.txt\",\"content\":\"x\"}'\n  hookrail fire BeforeModel --payload request.json --format json\n  hookrail fire BeforeTool --only guard --repeat 50\n\nWithout --input or --payload a sample is used. With --repeat the gravest result is shown.\n\nExit codes: 0 allowed, 2 blocked, 3 stop requested, 64 wrong arguments or a payload that does not fit, 1 otherwise.\nBy default a hook that failed changes nothing, as in the agent; see --fail-on-error"
)]
pub(crate) struct FireArgs {
    #[command(flatten)]
    pub(crate) event: EventArgs,
    /// Run only the hook with this name or command
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Option<String>,
    /// Fire the event this many times and summarise
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: Option<u32>,
    /// Keep this call and what came of it as a test of the project
    #[arg(long, value_name = "NAME", conflicts_with_all = ["only", "repeat"])]
    pub(crate) save_test: Option<String>,
    /// Exit with 1 if a hook failed and no other one decided
    #[arg(long)]
    pub(crate) fail_on_error: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail test\n  hookrail test --filter push --coverage\n  hookrail test --junit report.xml --trust-hooks\n  hookrail fire BeforeTool --tool write_file --save-test 'writes are fine'\n\nTests are in .llxprt/tests/*.json: [{ name, event, tool + input or payload (or agent + stdin), files, home, expect }];\nexpect: decision (allow, block, ask, stop), reason, ran, notRan, input, output, errors, maxMs.\n\nJSON: { \"passed\": N, \"failed\": N, \"tests\": [{ name, file, line, passed, why }], \"coverage\": [{ hook, ran, decided, matched }] };\ncoverage has blocked for guards, and unusedTools and untriedExamples where there are any.\n\nExit codes: 0 all passed, 1 some failed, 64 a file is no test file"
)]
pub(crate) struct TestArgs {
    /// Test files, or folders of them, instead of the project's
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only tests with this text in their name
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Write what was seen into the tests that failed; comments are kept
    #[arg(long)]
    pub(crate) accept: bool,
    /// Show which hooks, rules, tools of matchers and examples no test exercised, and which guards none saw block
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Write a `JUnit` report into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail replay session.jsonl\n  hookrail replay --agent claude --since 7d\n  hookrail replay ~/.codex/sessions --all --format json\n  hookrail replay --since 30d --save-tests .llxprt/tests/replayed.json\n\nReads our session logs, Claude Code transcripts, Codex rollouts, Gemini and Qwen chats. Rules and hooks marked\n\"pure\": true are asked; others only with --run-hooks. Nothing is sent anywhere.\n\nJSON: { calls, allow, block, ask, notAsked, unreadable, \"different\": [{ file, line, tool, input, was, now, reason, by }] }"
)]
pub(crate) struct ReplayArgs {
    /// Transcripts, or folders of them; without any, where the agents keep theirs
    #[arg(value_name = "FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only the transcripts of this agent
    #[arg(long, value_enum, conflicts_with = "paths")]
    pub(crate) agent: Option<TranscriptAgent>,
    /// Only files changed within this time: 90m, 12h, 7d, 4w
    #[arg(long, value_name = "TIME", value_parser = time_span)]
    pub(crate) since: Option<std::time::Duration>,
    /// Ask every hook, also those that may have effects
    #[arg(long)]
    pub(crate) run_hooks: bool,
    /// Show every difference instead of one of each kind
    #[arg(long)]
    pub(crate) all: bool,
    /// Keep the differences that are shown as tests, in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) save_tests: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}

/// The agents whose transcripts `replay` knows where to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TranscriptAgent {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Qwen Code
    Qwen,
    /// `hookrail agent`
    Hookrail,
}

/// Reads a time span such as `7d`.
fn time_span(text: &str) -> Result<std::time::Duration, String> {
    const EXPECTED: &str = "use a number with m, h, d or w, such as 7d";
    let split = text.len().saturating_sub(1);
    let (Some(number), Some(unit)) = (text.get(..split), text.get(split..)) else {
        return Err(EXPECTED.to_owned());
    };
    let minutes: u64 = match unit {
        "m" => 1,
        "h" => 60,
        "d" => 24 * 60,
        "w" => 7 * 24 * 60,
        _ => return Err(EXPECTED.to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| EXPECTED.to_owned())?;
    let seconds = number.checked_mul(minutes * 60).ok_or_else(|| EXPECTED.to_owned())?;
    Ok(std::time::Duration::from_secs(seconds))
}

/// An event with its fields.
#[derive(Debug, Args)]
pub(crate) struct EventArgs {
    /// The event
    #[arg(value_name = "EVENT", value_parser = event_name())]
    pub(crate) event: EventName,
    /// The tool's name, for tool events
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The tool's arguments as a JSON object, for tool events
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// The event's fields as a JSON object: a file, or `-` for stdin
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    pub(crate) payload: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail facts BeforeTool --tool run_shell_command --input '{\"command\":\"sudo rm -rf /tmp/x\"}'\n\nJSON: { \"commands\": [{ argv, via }], \"programs\": [], \"dynamic\": false, \"writes\": [], \"reads\": [] };\na word of argv that the text does not tell is null."
)]
pub(crate) struct FactsArgs {
    #[command(flatten)]
    pub(crate) event: EventArgs,
    /// How to print the facts
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail rules\n  hookrail rules no-force-push\n\nIn the settings: \"hooksConfig\": { \"rules\": [\"no-force-push\"] }"
)]
pub(crate) struct RulesArgs {
    /// Show this rule in full, with its examples
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "It reads the agent's hook JSON from stdin and answers in exactly that agent's dialect. `hookrail connect AGENT`\nwrites the entries that call it."
)]
pub(crate) struct BridgeArgs {
    #[arg(value_name = "AGENT", help = agents())]
    pub(crate) agent: Agent,
    /// The agent's own name of the event, where its payload does not tell
    #[arg(value_name = "EVENT")]
    pub(crate) event: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// How to print the result
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail connect\n  hookrail connect claude --dry-run\n  hookrail connect codex"
)]
pub(crate) struct ConnectArgs {
    #[arg(value_name = "AGENT", help = agents())]
    pub(crate) agent: Option<Agent>,
    /// Write the project's settings of that agent instead of the user's
    #[arg(long, requires = "agent")]
    pub(crate) project: bool,
    /// Show the difference and write nothing
    #[arg(long, requires = "agent")]
    pub(crate) dry_run: bool,
    /// Also events that fire for every piece of a model's answer
    #[arg(long, requires = "agent")]
    pub(crate) model_events: bool,
    /// How to print the list of agents
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct DisconnectArgs {
    #[arg(value_name = "AGENT", help = agents(), required_unless_present = "all")]
    pub(crate) agent: Option<Agent>,
    /// All agents
    #[arg(long, conflicts_with = "agent")]
    pub(crate) all: bool,
    /// Change the project's settings instead of the user's
    #[arg(long)]
    pub(crate) project: bool,
    /// Show the difference and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail import claude\n  hookrail import codex ~/.codex/hooks.json --write"
)]
pub(crate) struct ImportArgs {
    /// claude, codex, gemini, qwen or copilot
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Agent,
    /// The agent's settings; by default the user's
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Add the hooks to the settings instead of printing them
    #[arg(long)]
    pub(crate) write: bool,
    /// The project's settings instead of the user's
    #[arg(long)]
    pub(crate) project: bool,
}

/// Approval for a single run.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct TrustFlag {
    /// Approve the project's hooks for this run only
    #[arg(long)]
    pub(crate) trust_hooks: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail explain BeforeTool --tool write_file\n  hookrail explain SessionStart --format json\n  hookrail explain BeforeTool --tool run_shell_command --input '{\"command\":\"git push -f\"}'"
)]
pub(crate) struct ExplainArgs {
    /// The event
    #[arg(value_name = "EVENT", value_parser = event_name())]
    pub(crate) event: EventName,
    /// The tool's name; for session events the source, reason, trigger or type
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The tool's arguments as a JSON object: shows which conditions of rules hold
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) input: Option<String>,
    /// How to print the plan
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hookrail disable slow-linter\n  hookrail enable slow-linter --project")]
pub(crate) struct ToggleArgs {
    /// The hook's name, or its command if it has none
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Write the list in the project's own file, for everybody who uses the project
    #[arg(long)]
    pub(crate) project: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail trust\n  hookrail trust --yes\n  hookrail trust --list\n  hookrail trust --revoke\n\nAn approval holds for exactly what was shown: event, matcher, command, timeout, env, onFailure, order, and the\ncontent of the project files that the command names. Any change asks again. Commands that an agent starts\n(HOOKRAIL_AGENT is set) cannot change approvals.\n\nExit codes: 0 fine, 1 something waits and could not be asked about, or cannot be approved"
)]
pub(crate) struct TrustArgs {
    /// Approve everything without asking
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    pub(crate) yes: bool,
    /// List what is approved
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Take the approvals of this project back, or those of the hook NAME
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub(crate) revoke: Option<String>,
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail init\n  hookrail init AfterTool --lang python\n  hookrail init BeforeModel --lang node --user"
)]
pub(crate) struct InitArgs {
    /// The event to write a hook for
    #[arg(value_name = "EVENT", default_value = "BeforeTool", value_parser = event_name())]
    pub(crate) event: EventName,
    /// The language of the script
    #[arg(long, value_enum, default_value_t)]
    pub(crate) lang: Language,
    /// The hook's name, which its script gets too; asked for on a terminal
    #[arg(long, value_name = "NAME", value_parser = hook_name)]
    pub(crate) name: Option<String>,
    /// Write a rule, which needs no script, instead of a script; for `BeforeTool`
    #[arg(long, conflicts_with = "lang")]
    pub(crate) rule: bool,
    /// Write a hook that is started once and asked many times, with the kit for it; needs `--lang python` or `--lang node`
    #[arg(long, conflicts_with = "rule")]
    pub(crate) worker: bool,
    /// Write into the user's settings instead of the project's
    #[arg(long)]
    pub(crate) user: bool,
}

/// A name that can be the name of a file as well.
pub(crate) fn hook_name(text: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if text.is_empty() || text.starts_with(['-', '.']) || text.len() > 64 || !text.chars().all(allowed) {
        return Err("use up to 64 letters, digits, `-`, `_` and `.`".to_owned());
    }
    Ok(text.to_owned())
}

/// The languages `init` writes starters in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// POSIX shell
    #[default]
    Sh,
    /// Python 3
    Python,
    /// Node.js
    Node,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail log --event BeforeTool --outcome block\n  hookrail log --follow\n  hookrail log -n 20 --project\n  hookrail log --since 2h --tool run_shell_command\n  hookrail log --stats\n  hookrail log session.jsonl\n  hookrail log --save-test 3f9a1c02\n\nThe second column is the call's id. What hooks were given is kept in session logs alone: calls of `hookrail agent`\ncan be kept as tests, those of other agents with `hookrail replay --save-tests`."
)]
pub(crate) struct LogArgs {
    /// Session logs to read instead of the engine's own log
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Show the last ten calls (or those of -n), then wait for new ones
    #[arg(short, long, conflicts_with = "stats")]
    pub(crate) follow: bool,
    /// Only this event
    #[arg(long, value_name = "EVENT", value_parser = event_name())]
    pub(crate) event: Option<EventName>,
    /// Only the hook with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) hook: Option<String>,
    /// Only calls about this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Only calls in this project; without DIR the present one
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    pub(crate) project: Option<PathBuf>,
    /// Only calls of the session whose id begins like this
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only calls since then: `30m`, `2h`, `7d`, a date, or a date and a time
    #[arg(long, value_name = "TIME", value_parser = Since::parse)]
    pub(crate) since: Option<Since>,
    /// Only the last N of them
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "stats")]
    pub(crate) last: Option<usize>,
    /// Only calls that ended like this
    #[arg(long, value_enum)]
    pub(crate) outcome: Option<Outcome>,
    /// Runs, blocks, failures and durations of each hook
    #[arg(long)]
    pub(crate) stats: bool,
    /// Keep the call with this id as a test of the project, in `.llxprt/tests/logged.json`
    #[arg(
        long,
        value_name = "ID",
        value_parser = call_id,
        conflicts_with_all = ["follow", "event", "hook", "tool", "project", "session", "since", "last", "outcome", "stats", "format"]
    )]
    pub(crate) save_test: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// The beginning of an id that `log` prints.
fn call_id(given: &str) -> Result<String, String> {
    let is_id = given.len() >= 4 && given.chars().all(|c| c.is_ascii_hexdigit());
    is_id
        .then(|| given.to_ascii_lowercase())
        .ok_or_else(|| "`hookrail log` prints the ids of calls".to_owned())
}

/// How a hook call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Outcome {
    /// Nothing blocked, nothing failed
    Allow,
    /// Blocked the operation
    Block,
    /// Left the call to a person
    Ask,
    /// Asked the agent to stop
    Stop,
    /// Gave no verdict
    Failure,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail schema settings > settings.schema.json\n  hookrail schema input BeforeTool"
)]
pub(crate) struct SchemaArgs {
    #[command(subcommand)]
    pub(crate) kind: SchemaKind,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum SchemaKind {
    /// settings.json
    Settings,
    /// What a hook receives on stdin
    Input(EventArg),
    /// What a hook may answer on stdout
    Output(EventArg),
    /// A line of a session log
    SessionLog,
    /// A test file
    Test,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct EventArg {
    /// The event
    #[arg(value_name = "EVENT", value_parser = event_name())]
    pub(crate) event: EventName,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hookrail serve\n  hookrail serve --socket /run/user/1000/hookrail.sock")]
pub(crate) struct ServeArgs {
    /// Listen on this Unix socket instead of stdin and stdout
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Requests worked on at once; further ones wait
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) max_in_flight: u32,
    /// Longest line accepted, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 64 * 1024 * 1024, value_parser = clap::value_parser!(u64).range(1024..))]
    pub(crate) max_line_bytes: u64,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail agent -p 'What does this project do?'\n  echo 'Fix the typo in README.md' | hookrail agent --approval-mode auto_edit\n  hookrail agent --replay session.jsonl -p 'offline'"
)]
pub(crate) struct AgentArgs {
    /// The prompt; without it, stdin, or an interactive prompt on a terminal
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// What may run without asking
    #[arg(long, value_enum, default_value_t)]
    pub(crate) approval_mode: ApprovalMode,
    /// The model's name
    #[arg(long, value_name = "NAME", default_value = "gemini-2.5-flash")]
    pub(crate) model: String,
    /// Where the model's API is; else `GOOGLE_GEMINI_BASE_URL`, else Google's
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Answer from this file instead of a model
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    pub(crate) replay: Option<PathBuf>,
    /// Write what the model answers into this file, for a later replay
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// How the answer is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) output_format: OutputFormat,
    /// Where the session log goes
    #[arg(long, value_name = "FILE")]
    pub(crate) session_log: Option<PathBuf>,
    /// How many model calls a prompt may take
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: u32,
    /// History size in bytes past which the oldest turns are summarised
    #[arg(long, value_name = "BYTES", default_value_t = 1_000_000)]
    pub(crate) history_budget: u64,
    /// Print nothing but the answer and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}

/// What may run without asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ApprovalMode {
    /// Read-only tools
    #[default]
    Default,
    /// Also file edits
    AutoEdit,
    /// Everything
    Yolo,
}

/// How the agent prints its answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "kebab-case")]
pub(crate) enum OutputFormat {
    /// The answer
    #[default]
    Text,
    /// One JSON object at the end
    Json,
    /// One JSON object per event
    StreamJson,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

/// The names that an argument `AGENT` takes.
fn agents() -> String {
    let names: Vec<&str> = Agent::ALL.into_iter().map(Agent::as_str).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Reads an event name; an unknown one is a usage error that suggests the nearest, or ours for another agent's.
fn event_name() -> EventNameParser {
    EventNameParser
}

/// The parser of event names.
#[derive(Debug, Clone)]
struct EventNameParser;

impl TypedValueParser for EventNameParser {
    type Value = EventName;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<EventName, clap::Error> {
        let known = PossibleValuesParser::new(EventName::ALL.map(EventName::as_str));
        let known = known.try_map(|word| word.parse::<EventName>());
        known.parse_ref(command, arg, value).map_err(|mut error| {
            if let Some(meant) = value.to_str().and_then(EventName::nearest) {
                let meant = ContextValue::Strings(vec![meant.to_string()]);
                error.insert(ContextKind::SuggestedValue, meant);
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(EventName::ALL.into_iter().map(|event| PossibleValue::new(event.as_str()))))
    }
}
