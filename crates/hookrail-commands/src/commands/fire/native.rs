//! `fire --agent`: the event as another agent sends it, read as the bridge reads it, and the answer that agent would get.

use hookrail::components::{ProcessedHookResult, TypedInput};
use hookrail::{EventName, HookSession, JsonObject};
use hookrail_bridge::{Agent, BridgeEvent, SessionMemory, answer, event_name, read, sample_call};
use serde::Serialize;
use serde_json::Value;

use crate::cli::{EventWord, FireArgs};
use crate::commands::bridge::{outcome_of, typed_event};
use crate::context::Context;
use crate::event_input::{self, sample_arguments, sample_fields};
use crate::exit::misused;

/// What an agent sent.
pub(super) struct NativeInput {
    event: BridgeEvent,
    /// The same as the engine takes it.
    pub(super) input: TypedInput,
}

/// What the agent would get.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NativeAnswerReport {
    /// The answer on stdout: an object, or null where the agent gets none.
    pub(super) answer: Value,
    pub(super) stderr: String,
    pub(super) exit_code: u8,
}

impl NativeInput {
    /// Reads what was given, in the agent's names.
    pub(super) fn load(agent: Agent, args: &FireArgs, context: &Context) -> anyhow::Result<Self> {
        let word = match &args.event {
            Some(EventWord::Ours(name)) => name.as_str(),
            Some(EventWord::Native(word)) => word,
            None => EventName::BeforeTool.as_str(),
        };
        let Some(native) = event_name(agent, word) else {
            let hint = format!("`hookrail connect {agent} --dry-run` shows its events");
            return misused(format!("{} has no event `{word}`", agent.title()), hint);
        };
        let mut fields = match &args.fields.payload {
            Some(file) => event_input::read_payload(file, "it is what the agent sends to its hooks")?,
            None => sample(agent, native, args)?,
        };
        if let Value::Object(fields) = &mut fields {
            if let Some(tool) = args.fields.tool.as_ref().filter(|_| args.fields.payload.is_some()) {
                fields.insert("tool_name".to_owned(), tool.as_str().into());
            }
            fields.entry("cwd").or_insert_with(|| context.project().to_string_lossy().into());
        }
        let fit = || {
            let event = read(agent, Some(native), fields.to_string().as_bytes())?;
            let Some(name) = event.event else {
                anyhow::bail!("its event `{}` has no counterpart here", event.native_event);
            };
            let input = typed_event(name, &event, context.project())?;
            Ok(Self { event, input })
        };
        fit().or_else(|why: anyhow::Error| {
            let hint = format!("`hookrail fire {native} --agent {agent}` without a payload uses a sample");
            misused(format!("this is not a payload of {}: {why:#}", agent.title()), hint)
        })
    }

    /// The answer that the agent would get for a result, at the first event of a session.
    pub(super) fn answer(&self, session: &HookSession, result: &ProcessedHookResult) -> NativeAnswerReport {
        let outcome = outcome_of(session, result);
        let native = answer(self.event.agent, &self.event, &outcome, &SessionMemory::default());
        NativeAnswerReport {
            answer: serde_json::from_str(&native.stdout).unwrap_or_default(),
            stderr: native.stderr,
            exit_code: native.exit_code,
        }
    }
}

/// The sample of an event, in the agent's names of tool and arguments.
fn sample(agent: Agent, native: &str, args: &FireArgs) -> anyhow::Result<Value> {
    let ours = read(agent, Some(native), b"{}").ok().and_then(|event| event.event);
    let mut fields = ours.map(|ours| sample_fields(ours, None, None)).unwrap_or_default();
    if ours.is_some_and(EventName::has_tool) {
        let arguments = |tool: &str| {
            // The event's own sample is a call of this tool.
            let own = || sample_fields(EventName::BeforeTool, None, None).get("tool_input").cloned();
            let sample = sample_arguments(tool).or_else(|| own().filter(|_| tool == "write_file"))?;
            sample.as_object().cloned()
        };
        let (tool, sample) = sample_call(agent, args.fields.tool.as_deref(), arguments);
        let input = match &args.fields.input {
            // Whatever it is: what an agent sends need not be an object.
            Some(input) => {
                let hint = "for example: --input '{\"command\":\"ls\"}'";
                event_input::parse_json("`--input`", input.as_bytes(), hint)?
            }
            None => Value::Object(sample),
        };
        fields.insert("tool_name".to_owned(), tool.into());
        fields.insert("tool_input".to_owned(), input);
    } else if args.fields.tool.is_some() || args.fields.input.is_some() {
        let message = format!("`--tool` and `--input` are for events of tools, not for {native}");
        return misused(message, "`--payload FILE` takes the event's own fields");
    }
    fields.insert("hook_event_name".to_owned(), native.into());
    Ok(Value::Object(JsonObject::from_iter(fields)))
}
