//! Makes a verdict into one that the agent can carry out at this event.
//!
//! Nothing gets weaker: a question that cannot be asked is a refusal, changed arguments that are not taken are a refusal
//! with the change as reason, a stop that cannot be carried out refuses everything that follows, and a text that the agent
//! does not take now waits for its next event that takes one.

use hookrail::effects::{EventEffects, SpecificEffects};
use hookrail::{EventName, JsonObject, StopReason};
use serde_json::Value;

use super::is_guarded;
use crate::agents::dialect_of;
use crate::dialect::Dialect;
use crate::effects::{NativeEffects, nonblank};
use crate::event::BridgeEvent;
use crate::memory::{LONGEST_TEXT, SessionMemory};
use crate::outcome::Outcome;
use crate::tools::{native_names, to_native_input};

/// What is left of a verdict for the agent, the log, the user and later events.
pub(super) struct Settled {
    /// What the agent is asked to do.
    pub effects: NativeEffects,
    /// What could not be carried out as it was meant.
    pub strengthened: Vec<String>,
    /// Texts for the user that the agent does not show.
    pub stderr: Vec<String>,
    /// What is remembered from now on.
    pub memory: SessionMemory,
}

/// The work on one verdict.
struct Settling<'a> {
    event: &'a BridgeEvent,
    dialect: &'static Dialect,
    verdict: &'a EventEffects,
    outcome: &'a Outcome,
    settled: Settled,
    /// The answer must be empty, so that the agent comes to the event that ends the run.
    is_silent: bool,
}

/// Settles a verdict. The order matters: what refuses the operation comes before what only accompanies it.
pub(super) fn settle(event: &BridgeEvent, outcome: &Outcome, remembered: &SessionMemory) -> Settled {
    let mut memory = remembered.clone();
    if event.event == Some(EventName::SessionStart) {
        // Grok Build fires it beside the first prompt, others in the middle of their work, after a compression. So what
        // belongs to a prompt is forgotten with the next one, and by a person who clears the conversation.
        let is_cleared = event.payload.get("source").is_some_and(|source| source == "clear");
        let before = if is_cleared { SessionMemory::default() } else { memory.clone() };
        let SessionMemory { cwd, above, is_lost, .. } = memory;
        memory =
            SessionMemory { cwd, above, is_lost, session_stop: None, shown_notices: Vec::new(), ..before };
    }
    memory.note(event);
    let settled =
        Settled { effects: NativeEffects::default(), strengthened: Vec::new(), stderr: Vec::new(), memory };
    let dialect = dialect_of(event.agent);
    let mut work = Settling { event, dialect, verdict: &outcome.effects, outcome, settled, is_silent: false };
    work.remembered();
    work.block();
    work.ask();
    work.stop();
    work.tool_selection();
    if work.is_silent {
        work.settled.effects = NativeEffects::default();
    } else {
        work.arguments();
        work.result();
        work.accompany();
        work.context();
    }
    work.user();
    work.settled
}

impl Settling<'_> {
    /// Whether it is this event of ours; an event without a counterpart is not.
    fn is(&self, event: EventName) -> bool {
        self.event.event == Some(event)
    }

    /// Whether the agent has a capability at this event.
    fn can(&self, events: &[EventName]) -> bool {
        self.event.event.is_some_and(|event| events.contains(&event))
    }

    /// Notes that a verdict is carried out in another way than it was meant. A guard that is stricter than its author
    /// wrote must be explained somewhere.
    fn log(&mut self, what: &str) {
        let event = self.event;
        self.settled.strengthened.push(format!("{} {}: {what}", event.agent.title(), event.native_event));
    }

    /// Refuses the operation. Reasons of several causes are joined, because each may be the one that the model can do
    /// something about.
    fn deny(&mut self, reason: &str) {
        match &mut self.settled.effects.deny {
            Some(before) if before == reason => {}
            Some(before) => {
                before.push('\n');
                before.push_str(reason);
            }
            none => *none = Some(nonblank(reason, "Blocked by hook")),
        }
    }

    /// Refuses a call because of a stop, or lets the agent come to the event that ends the run. It comes there only
    /// if no hook refused, and a hook's own refusal must not depend on a later event.
    fn refuse_or_wait(&mut self, reason: &str) {
        let tool = self.event.native_tool.as_deref();
        let waits = tool.is_some_and(|tool| self.dialect.interrupted_tools.contains(&tool));
        if waits && self.verdict.block.is_none() && !self.settled.memory.is_lost {
            self.is_silent = true;
        } else {
            self.deny(reason);
        }
    }

    /// Stops that earlier events asked for, and restrictions that the agent does not enforce itself.
    fn remembered(&mut self) {
        let memory = &self.settled.memory;
        let (stop, session_stop) = (memory.stop.clone(), memory.session_stop.clone());
        let is_prompt = self.is(EventName::BeforeAgent) || self.is(EventName::AfterAgent);
        let ends_run = self.dialect.carries_stop.contains(&self.event.native_event.as_str())
            || self.can(self.dialect.can.stop);
        if self.is(EventName::AfterAgent) {
            self.settled.memory.stop = None;
            self.settled.memory.stop_is_told = false;
        } else if let Some(reason) = stop.as_ref().or(session_stop.as_ref())
            && ends_run
            && !is_prompt
        {
            if !self.settled.memory.stop_is_told || stop.is_none() {
                self.settled.effects.stop = Some(reason.clone());
                self.settled.memory.stop_is_told |= stop.is_some();
            }
        } else if let Some(reason) = stop.filter(|_| self.is(EventName::BeforeTool)) {
            self.refuse_or_wait(&reason);
        }
        if let Some(reason) = session_stop
            && is_guarded(self.event.event)
        {
            self.deny(&reason);
        }
        if self.is(EventName::BeforeTool)
            && let (Some(allowed), Some(tool)) = (&self.settled.memory.allowed_tools, &self.event.native_tool)
            && !allowed.iter().any(|name| self.event.answers_to(name))
        {
            let reason = format!(
                "A hook restricted the tools that the model may use, and `{tool}` is not among them."
            );
            self.deny(&reason);
        }
    }

    /// A reason with the rules that it comes from.
    fn with_rules(&self, reason: String) -> String {
        match &self.outcome.rules {
            Some(rules) => format!("{reason}\n{rules}"),
            None => reason,
        }
    }

    /// A block at the end of the work sends the agent back; where it cannot be sent back, the reason waits for the next
    /// prompt. At events that guard nothing a block has no effect.
    fn block(&mut self) {
        let Some(block) = &self.verdict.block else { return };
        let reason = self.with_rules(nonblank(&block.reason, "Blocked by hook"));
        if self.is(EventName::AfterAgent) && self.verdict.stop.is_some() {
            // An agent that is to stop is not sent back to work.
        } else if self.is(EventName::AfterAgent) && !self.dialect.can.go_on {
            self.log("cannot be sent back to work; the reason goes to the next prompt");
            self.settled.memory.add_context(&reason);
        } else if is_guarded(self.event.event) || self.is(EventName::AfterAgent) {
            self.deny(&reason);
            self.settled.memory.sent_back |= self.is(EventName::AfterAgent);
        }
    }

    /// A question for the person; a refusal where the agent has no way to ask. An unanswered question must not count as
    /// a yes.
    fn ask(&mut self) {
        let Some(reason) = self.verdict.ask.as_deref() else { return };
        let reason = nonblank(reason, "a hook asks for a person's decision");
        if self.is(EventName::BeforeTool) && self.dialect.can.ask {
            if self.settled.effects.deny.is_none() {
                self.settled.effects.ask = Some(reason);
            }
        } else if is_guarded(self.event.event) {
            self.log("a hook's question cannot be put to the person, so it is a refusal");
            let title = self.event.agent.title();
            let reason =
                format!("{reason} (A hook asks for a person's decision, and {title} cannot ask here.)");
            self.deny(&self.with_rules(reason));
        }
    }

    /// The end of the run. Where the agent cannot end at this event, what it does next is refused until it comes to one
    /// where it can.
    fn stop(&mut self) {
        let Some(reason) = self.verdict.stop.as_ref().map(StopReason::as_str) else { return };
        let reason = nonblank(reason, "Hook requested stop");
        if self.can(self.dialect.can.stop) {
            self.settled.effects.stop = Some(reason);
            return;
        }
        match self.event.event {
            // The work, or the session, is at its end anyway.
            Some(EventName::AfterAgent | EventName::SessionEnd) => {}
            Some(EventName::SessionStart) => {
                self.log("the agent cannot be stopped at this event; every prompt of the session is refused");
                self.settled.memory.session_stop = Some(reason);
            }
            Some(EventName::BeforeAgent | EventName::BeforeModel) => {
                self.log("a stop is a refusal here");
                self.deny(&reason);
            }
            Some(EventName::BeforeTool) => {
                self.settled.memory.stop = Some(reason.clone());
                self.refuse_or_wait(&reason);
                self.log(if self.is_silent {
                    "a stop takes effect when the agent asks for permission"
                } else {
                    "the agent cannot be stopped at this event; this call and those that follow are refused"
                });
            }
            _ => {
                self.log("the agent cannot be stopped at this event; the tool calls that follow are refused");
                self.settled.memory.stop = Some(reason);
            }
        }
    }

    /// The tools that are left, under the agent's names. Some agents only pass the list on to the model, so calls of
    /// other tools are refused.
    fn tool_selection(&mut self) {
        if !self.is(EventName::BeforeToolSelection) {
            return;
        }
        self.settled.memory.allowed_tools = None;
        let SpecificEffects::BeforeToolSelection { tool_config: config } = &self.verdict.specific else {
            return;
        };
        let mut config = config.clone();
        let names = config
            .get("allowedFunctionNames")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<String>>());
        let is_none = config.get("mode").and_then(Value::as_str) == Some("NONE");
        if let Some(names) = &names {
            let native: Vec<String> =
                names.iter().flat_map(|name| native_names(self.event.agent, name)).collect();
            config.insert("allowedFunctionNames".to_owned(), native.into());
        }
        self.settled.memory.allowed_tools = if is_none { Some(Vec::new()) } else { names };
        self.settled.effects.tool_config = Some(config.into());
    }

    /// Changed arguments; where the agent does not take them, the call is refused, with the changed call as reason. To
    /// let the original call run would undo what the hook corrected.
    fn arguments(&mut self) {
        let SpecificEffects::BeforeTool { tool_input: Some(changed), .. } = &self.verdict.specific else {
            return;
        };
        let Some(tool) = self.event.native_tool.as_deref() else { return };
        let native = to_native_input(self.event.agent, tool, &self.event.native_input, changed);
        let before = crate::tools::as_arguments(&self.event.native_input);
        if native == before || self.settled.effects.deny.is_some() {
            return;
        }
        if self.dialect.can.change_arguments {
            self.settled.effects.input = Some(native);
            return;
        }
        let difference: JsonObject =
            native.into_iter().filter(|(key, value)| before.get(key) != Some(value)).collect();
        let title = self.event.agent.title();
        self.log(
            "the agent does not accept changed arguments, so the call is refused and the change is named",
        );
        if let Some(question) = self.settled.effects.ask.take() {
            self.deny(&question);
        }
        self.deny(&format!(
            "A hook requires other arguments, and {title} does not let hooks change them. Call `{tool}` again with {}.",
            Value::Object(difference)
        ));
    }

    /// A replaced result; a stop where the agent would show the original to the model. What a hook took out of a result
    /// may be a secret.
    fn result(&mut self) {
        let SpecificEffects::AfterTool { tool_response: response } = &self.verdict.specific else { return };
        if (self.dialect.can_replace_result)(self.event) {
            self.settled.effects.result = Some(result_text(response));
            return;
        }
        let title = self.event.agent.title();
        let reason = format!("A hook replaced a result that {title} would show to the model as it is.");
        self.log("the agent does not accept a replaced result here, so the run is stopped");
        if self.can(self.dialect.can.stop) {
            self.settled.effects.stop.get_or_insert(reason);
        } else {
            self.settled.memory.stop.get_or_insert(reason);
        }
    }

    /// Everything that changes nothing about whether the operation runs. An allow is never beside a refusal.
    fn accompany(&mut self) {
        let effects = &mut self.settled.effects;
        effects.suppress_output = self.verdict.suppress_output;
        match &self.verdict.specific {
            SpecificEffects::ClearContext => effects.clear_context = true,
            SpecificEffects::BeforeModel { llm_request, llm_response } => {
                effects.llm_request = llm_request.clone().map(Value::Object);
                effects.llm_response = llm_response.clone().map(Value::Object);
            }
            SpecificEffects::AfterModel { llm_response } => {
                effects.llm_response = Some(llm_response.clone().into());
            }
            SpecificEffects::BeforeTool { allow: Some(reason), .. } if self.dialect.can.allow => {
                effects.allow = Some(reason.clone());
            }
            SpecificEffects::BeforeTool { allow: Some(_), .. } => {
                self.log("the agent does not accept a hook's allow; its own question stays");
            }
            SpecificEffects::BeforeTool { .. }
            | SpecificEffects::AfterTool { .. }
            | SpecificEffects::BeforeToolSelection { .. }
            | SpecificEffects::None => {}
        }
        if self.settled.effects.deny.is_some() || self.settled.effects.ask.is_some() {
            self.settled.effects.allow = None;
        }
    }

    /// Texts for the model, those that wait included. What the agent does not take now waits for its next event.
    fn context(&mut self) {
        let waiting = self.settled.memory.pending_context.take();
        let texts = [
            waiting.as_deref(),
            self.verdict.additional_context.as_deref(),
            self.verdict.system_message.as_deref(),
        ];
        let texts: Vec<&str> = texts.into_iter().flatten().filter(|text| !text.trim().is_empty()).collect();
        if texts.is_empty() {
            return;
        }
        let text = texts.join("\n");
        let is_refused_prompt = self.is(EventName::BeforeAgent) && self.settled.effects.deny.is_some();
        let can_now = self.can(self.dialect.can.context) && !is_refused_prompt;
        let most = if can_now { self.dialect.can.context_limit } else { 0 };
        let (now, later) = text.split_at(text.floor_char_boundary(most));
        if !now.is_empty() {
            self.settled.effects.context = Some(now.to_owned());
        }
        if !later.is_empty() {
            if self.settled.memory.is_lost || later.len() > LONGEST_TEXT {
                self.log("the agent accepts no text for the model here, and not all of it can be kept");
            }
            self.settled.memory.add_context(later);
        }
    }

    /// Texts for the person: through the agent where it shows them, else beside it.
    fn user(&mut self) {
        let mut texts: Vec<String> =
            self.outcome.messages.iter().filter(|text| !text.trim().is_empty()).cloned().collect();
        // At the end of a session the agent shows nothing.
        let is_over = self.is(EventName::SessionEnd);
        let is_shown = self.can(self.dialect.can.show_to_user) && !is_over;
        // The caller passes notices with every event, so they can wait for one at which they are shown.
        let waits = !is_shown && !is_over && !self.dialect.can.show_to_user.is_empty();
        let notices = self.outcome.notices.iter().filter(|text| !waits && !text.trim().is_empty());
        texts.extend(notices.filter(|notice| self.settled.memory.add_notice(notice)).cloned());
        if is_shown {
            self.settled.effects.user_message = Some(texts.join("\n")).filter(|text| !text.is_empty());
        } else {
            self.settled.stderr = texts;
        }
    }
}

/// What the model is to read in place of a result.
fn result_text(response: &Value) -> String {
    let content = response.get("llmContent").or_else(|| response.get("returnDisplay")).unwrap_or(response);
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().map(|part| match part {
                Value::String(text) => text.clone(),
                part => {
                    part.get("text").and_then(Value::as_str).map_or_else(|| part.to_string(), str::to_owned)
                }
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}
