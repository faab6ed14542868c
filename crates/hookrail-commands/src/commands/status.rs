//! `hookrail status`: one line for each agent that is installed or connected, and whether it is guarded now.
//!
//! It reads files and starts nothing, so it may be asked often. What it cannot see, such as an agent that drops a
//! verdict, is shown by `hookrail doctor --live`.

use hookrail::EventName;
use hookrail::components::HookKind;
use hookrail::settings::ResolvedSettings;
use hookrail_bridge::Agent;
use serde::Serialize;

use super::connect::program;
use super::connect::status::{AgentStatus, Connected, status_of};
use super::rules::running;
use crate::cli::{Format, StatusArgs};
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::findings::{refuse_unusable, why_off};
use crate::terminal::layout::counted;
use crate::terminal::printer::{Printer, escape_line};
use crate::terminal::style::{Style, paint};

/// Whether an agent is guarded. Its fields are a contract.
#[derive(Debug, Serialize)]
pub(crate) struct GuardState {
    #[serde(skip)]
    pub(crate) which: Agent,
    pub(crate) agent: &'static str,
    /// Whether its program is on the `PATH`.
    pub(crate) installed: bool,
    pub(crate) connected: Connected,
    pub(crate) guarded: bool,
    pub(crate) why: Option<String>,
    /// Rules and other hooks that run for it here.
    pub(crate) rules: usize,
    pub(crate) hooks: usize,
}

/// Prints the states. Exit 1 if a connected agent is not guarded.
pub(crate) fn run(args: &StatusArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let states = guard_states(context);
    if args.format == Format::Json {
        printer.json_pretty(&serde_json::json!({ "agents": states }))?;
    } else {
        for state in &states {
            printer.data(line(state))?;
        }
        if states.is_empty() {
            printer.message("no coding agent was found; `hookrail connect` lists those that hookrail knows");
        }
    }
    let is_open = |state: &GuardState| state.connected != Connected::No && !state.guarded;
    Ok(if states.iter().any(is_open) { ExitStatus::Failure } else { ExitStatus::Success })
}

/// `claude    guarded        12 rules, 1 hook`.
fn line(state: &GuardState) -> String {
    let (style, word) = match (state.guarded, state.connected) {
        (true, _) => (Style::BoldGreen, "guarded"),
        (false, Connected::No) => (Style::Dim, "not connected"),
        (false, _) => (Style::Red, "NOT GUARDED"),
    };
    let rest = match &state.why {
        Some(why) => escape_line(why),
        None => state.counted(),
    };
    format!("{:9} {}  {rest}", state.agent, paint(style, &format!("{word:13}")))
}

impl GuardState {
    /// `12 rules, 1 hook`.
    pub(crate) fn counted(&self) -> String {
        let of = |count: usize, word: &str| counted(count as u64, word);
        match (self.rules, self.hooks) {
            (rules, 0) => of(rules, "rule"),
            (0, hooks) => of(hooks, "hook"),
            (rules, hooks) => format!("{}, {}", of(rules, "rule"), of(hooks, "hook")),
        }
    }
}

/// The agents that are installed or connected.
pub(crate) fn guard_states(context: &Context) -> Vec<GuardState> {
    let running = Running::of(&context.settings(), context);
    let all = Agent::ALL.into_iter().map(|agent| (agent, status_of(agent, context)));
    let is_shown = |status: &AgentStatus| status.found || status.connected != Connected::No;
    let shown = all.filter(|(_, status)| is_shown(status));
    shown.map(|(agent, status)| state(agent, &status, &running, context)).collect()
}

/// The state of one agent, whether or not it is installed.
pub(crate) fn guard_state(agent: Agent, context: &Context) -> GuardState {
    state(agent, &status_of(agent, context), &Running::of(&context.settings(), context), context)
}

/// What would run at events of agents.
struct Running {
    rules: usize,
    hooks: usize,
    /// Why nothing guards a tool call.
    obstacle: Option<String>,
}

impl Running {
    fn of(settings: &ResolvedSettings, context: &Context) -> Self {
        let on = running(settings);
        let is_rule = |kind: &HookKind| matches!(kind, HookKind::Rule(_));
        let rules = on.iter().filter(|status| is_rule(&status.hook.kind)).count();
        let unusable = || refuse_unusable(settings, context).err().map(|error| error.to_string());
        let off = || why_off(settings, context).map(|off| format!("{}; {}", off.why, off.help));
        let guards = on.iter().any(|status| status.hook.event == EventName::BeforeTool);
        let none = || "no rule or hook guards tool calls: `hookrail rules enable @standard`".to_owned();
        let obstacle = unusable().or_else(off).or_else(|| (!guards).then(none));
        Self { rules, hooks: on.len() - rules, obstacle }
    }
}

/// The first link of the chain that is missing is the reason.
fn state(agent: Agent, status: &AgentStatus, running: &Running, context: &Context) -> GuardState {
    let name = agent.as_str();
    let connection = match status.connected {
        Connected::Yes => None,
        Connected::No => Some(format!("`hookrail connect {name}` connects it")),
        Connected::Partly => {
            Some(format!("its entries are not as this version writes them: `hookrail connect {name}`"))
        }
        Connected::Unreadable => Some("its settings cannot be read; see `hookrail doctor`".to_owned()),
    };
    let not_running =
        || status.not_running.first().map(|message| format!("{message}; see `hookrail doctor`"));
    let gone = || {
        let text = "the program that its entries call is not there";
        (!program::is_there(&status.files, agent, context))
            .then(|| format!("{text}: `hookrail connect {name}`"))
    };
    let why = connection.or_else(not_running).or_else(gone).or_else(|| running.obstacle.clone());
    GuardState {
        which: agent,
        agent: name,
        installed: status.found,
        connected: status.connected,
        guarded: why.is_none(),
        why,
        rules: running.rules,
        hooks: running.hooks,
    }
}
