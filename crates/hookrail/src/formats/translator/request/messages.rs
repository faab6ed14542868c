//! The conversation: what hooks see of it, and how their changes are put into the original.

use std::borrow::Cow;

use super::super::align::{Step, align};
use super::super::given::{GivenMessage, hook_role};
use super::super::shown_text;
use crate::formats::genai::{Content, GenerateContentParameters, Part};
use crate::formats::llm::{JoinedText, LlmMessage};

/// The messages hooks see, each with the place of its entry.
pub(super) fn shown_messages(contents: &[Content]) -> impl Iterator<Item = (usize, LlmMessage<'_>)> {
    contents.iter().enumerate().filter_map(|(place, content)| {
        let pieces: Vec<_> = content.parts.iter().filter_map(shown_text).map(Cow::Borrowed).collect();
        let role = Cow::Borrowed(hook_role(content.role.as_deref()));
        let message = LlmMessage { role, content: JoinedText(pieces), extra: None };
        (!message.content.0.is_empty()).then_some((place, message))
    })
}

/// Leaves the conversation untouched, with all its parts, if the hook gave back every message as it was.
pub(super) fn apply_messages(given: &[GivenMessage<'_>], request: &mut GenerateContentParameters) {
    let (places, shown): (Vec<usize>, Vec<LlmMessage<'_>>) = shown_messages(&request.contents).unzip();
    let steps = align(&shown, given);
    if steps.len() == shown.len() && steps.iter().all(|step| matches!(step, Step::Keep { .. })) {
        return;
    }
    drop(shown);
    request.contents = rebuild(std::mem::take(&mut request.contents), &places, &steps, given);
}

/// Puts the conversation together again.
fn rebuild(
    contents: Vec<Content>,
    places: &[usize],
    steps: &[Step],
    messages: &[GivenMessage<'_>],
) -> Vec<Content> {
    let mut rebuilt = Rebuilt { contents: Vec::with_capacity(contents.len()), added: Vec::new() };
    let mut entries = contents.into_iter().enumerate();
    for step in steps {
        let (shown, given) = match *step {
            Step::Keep { shown } | Step::Remove { shown } => (shown, None),
            Step::Change { shown, given } => (shown, messages.get(given)),
            Step::Add { given } => {
                rebuilt.added.extend(messages.get(given).map(|new| Content::text(new.role, &*new.text)));
                continue;
            }
        };
        // Entries without text are passed by and stay where they stood.
        let place = places.get(shown).copied();
        for (index, mut entry) in entries.by_ref() {
            if Some(index) != place {
                rebuilt.contents.push(entry);
                continue;
            }
            let left = matches!(step, Step::Keep { .. })
                || replace_text(&mut entry.parts, given.map(|message| &*message.text));
            if left {
                rebuilt.push_seen(entry);
            }
            break;
        }
    }
    rebuilt.contents.extend(entries.map(|(_, entry)| entry));
    rebuilt.contents.append(&mut rebuilt.added);
    rebuilt.contents
}

/// A conversation in the making.
struct Rebuilt {
    contents: Vec<Content>,
    /// New messages that wait for the entry they come before.
    added: Vec<Content>,
}

impl Rebuilt {
    /// Adds an entry that the hook saw, after the new messages that stand before it. If it answers a tool
    /// call they come after it: providers refuse a request in which anything stands in between.
    fn push_seen(&mut self, entry: Content) {
        let calls = |content: &Content| content.parts.iter().any(|part| part.function_call.is_some());
        let answers = entry.parts.iter().any(|part| part.function_response.is_some());
        if answers && self.contents.last().is_some_and(calls) {
            self.contents.push(entry);
            self.contents.append(&mut self.added);
        } else {
            self.contents.append(&mut self.added);
            self.contents.push(entry);
        }
    }
}

/// Replaces what hooks see of an entry, or takes it away. Says whether anything worth sending is left.
fn replace_text(parts: &mut Vec<Part>, text: Option<&str>) -> bool {
    let mut new = text;
    parts.retain_mut(|part| {
        if shown_text(part).is_none() {
            return true;
        }
        part.text = new.take().map(str::to_owned);
        part.text.is_some() || carries_more_than_text(part)
    });
    text.is_some() || parts.iter().any(carries_more_than_text)
}

/// Whether a part holds something that a hook never saw. Thinking and its signatures belong to the text
/// beside them and do not count.
fn carries_more_than_text(part: &Part) -> bool {
    part.function_call.is_some()
        || part.function_response.is_some()
        || part.extra.keys().any(|key| key != "thoughtSignature")
}
