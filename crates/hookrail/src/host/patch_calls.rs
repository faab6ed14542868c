//! A patch as the calls of single files that it amounts to, for hooks that listen to `write_file` or `replace` and not to
//! `apply_patch`.

use serde_json::{Value, json};

use crate::event::Event;
use crate::formats::json_object::JsonObject;
use crate::hook::Hook;
use crate::output::Decision;
use crate::rules::{PATCH_TOOL, PatchAction, PatchedFile, patched_files};
use crate::verdict::hook_run::HookRun;

/// Hooks are called for at most this many files of a patch. One process for each would take minutes beyond it.
const MOST_FILES: usize = 200;
/// How much of a changed argument is told.
const MOST_TOLD: usize = 200;

/// The calls of a patch, in its order.
#[derive(Debug)]
pub(super) struct PatchCalls(Vec<FileCall>);

/// What happens to one file, as if a tool had been called for it.
#[derive(Debug)]
pub(super) struct FileCall {
    tool: &'static str,
    input: JsonObject,
}

impl PatchCalls {
    /// The calls of an event; the error says why hooks cannot be asked about single files.
    pub(super) fn of(event: &Event<'_>) -> Result<Self, String> {
        let Some((PATCH_TOOL, tool_input)) = event.tool_call() else { return Ok(Self(Vec::new())) };
        let files = tool_input.get("patch").and_then(Value::as_str).and_then(patched_files);
        let Some(files) = files else {
            return Err("hookrail cannot read this patch, so hooks for single files cannot be asked about it. This version \
                        of the agent may have changed; in a terminal, `hookrail doctor --live` shows what it does."
                .to_owned());
        };
        if files.len() > MOST_FILES {
            return Err(format!(
                "this patch touches {} files, and hooks for single files are asked about at most {MOST_FILES}. \
                 Several smaller patches can be decided.",
                files.len()
            ));
        }
        Ok(Self(files.iter().map(FileCall::of).collect()))
    }

    /// The calls of the tools that a hook listens to.
    pub(super) fn for_hook<'c>(&'c self, hook: &'c Hook) -> impl Iterator<Item = &'c FileCall> {
        self.0
            .iter()
            .filter(|call| hook.matcher.matches_tool(hook.dialect.word(hook.event, call.tool)).is_match())
    }

    /// How many there are, for all hooks together.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl FileCall {
    fn of(file: &PatchedFile) -> Self {
        let path = &file.path;
        let (tool, input) = match file.action {
            PatchAction::Add | PatchAction::MoveTo => {
                ("write_file", json!({ "file_path": path, "content": file.new }))
            }
            PatchAction::Update => {
                ("replace", json!({ "file_path": path, "old_string": file.old, "new_string": file.new }))
            }
            PatchAction::Delete | PatchAction::MoveFrom => {
                ("write_file", json!({ "file_path": path, "content": "", "patch_action": "delete" }))
            }
        };
        let input = match input {
            Value::Object(input) => input,
            _ => JsonObject::new(),
        };
        Self { tool, input }
    }

    /// The event of the patch, as if it were the event of this call.
    pub(super) fn event<'e>(&'e self, patch: &Event<'e>) -> Event<'e> {
        match patch {
            Event::AfterTool { tool_response, .. } => {
                Event::AfterTool { tool_name: self.tool, tool_input: &self.input, tool_response }
            }
            _ => Event::BeforeTool { tool_name: self.tool, tool_input: &self.input },
        }
    }

    /// Makes changed arguments a block that names them: one file of a patch cannot be changed.
    pub(super) fn refuse_changes(&self, run: &mut HookRun) {
        let Some(output) = &mut run.output else { return };
        let changes = output.hook_specific_output.as_mut().and_then(|specific| specific.remove("tool_input"));
        let Some(Value::Object(changes)) = changes else { return };
        let file = self.input.get("file_path").and_then(Value::as_str).unwrap_or_default();
        for (key, value) in changes.iter().filter(|(key, value)| self.input.get(*key) != Some(*value)) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let told = text.get(..text.floor_char_boundary(MOST_TOLD)).unwrap_or_default();
            let reason = format!(
                "hook `{}` changes `{key}` of `{file}` to `{told}`, which cannot be done to one file of a patch",
                run.hook.name
            );
            output.reason =
                Some(match output.reason.take().filter(|_| output.decision == Some(Decision::Block)) {
                    Some(before) => format!("{before}\n{reason}"),
                    None => reason,
                });
            output.decision = Some(Decision::Block);
        }
    }
}

/// Takes back that the agent need not ask, unless the hook said so of every file of the patch.
pub(super) fn allow_all_or_nothing(runs: &mut [HookRun], files: usize) {
    const WORD: &str = "permissionDecision";
    let allows = |run: &HookRun| {
        let word = run.output.as_ref().and_then(|output| output.specific(WORD)).and_then(Value::as_str);
        word == Some("allow")
    };
    if runs.len() == files && runs.iter().all(allows) {
        return;
    }
    for run in runs.iter_mut().filter(|run| allows(run)) {
        let specific = run.output.as_mut().and_then(|output| output.hook_specific_output.as_mut());
        if let Some(specific) = specific {
            specific.remove(WORD);
            specific.remove("permissionDecisionReason");
        }
    }
}
