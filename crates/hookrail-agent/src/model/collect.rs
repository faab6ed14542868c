//! Many chunks become one complete response.

use std::collections::BTreeMap;

use hookrail::genai::{Candidate, Content, GenerateContentResponse, Part};

/// Concatenates the chunks of one model call.
///
/// Candidates are distinguished by their index, texts that follow each other become one part, and of
/// everything that is not content the last chunk that has it wins.
#[derive(Debug, Default)]
pub struct ResponseCollector {
    chunks: usize,
    candidates: BTreeMap<u64, Candidate>,
    /// Everything but the candidates.
    frame: GenerateContentResponse,
}

impl ResponseCollector {
    /// A collector that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next chunk, in the order in which they arrived.
    pub fn push(&mut self, chunk: GenerateContentResponse) {
        self.chunks += 1;
        let GenerateContentResponse { candidates, usage_metadata, extra } = chunk;
        for (position, candidate) in (0..).zip(candidates) {
            // The wire leaves an index of 0 out, so a missing one is the place in the list.
            let index = candidate.index.unwrap_or(position);
            merge_candidate(self.candidates.entry(index).or_default(), candidate);
        }
        self.frame.usage_metadata = usage_metadata.or(self.frame.usage_metadata.take());
        self.frame.extra.extend(extra);
    }

    /// The complete response, or `None` if there was no chunk at all.
    ///
    /// Only the end of a stream makes a response complete: after an error the collector is to be dropped.
    pub fn finish(self) -> Option<GenerateContentResponse> {
        let candidates = self.candidates.into_values().collect();
        (self.chunks > 0).then_some(GenerateContentResponse { candidates, ..self.frame })
    }
}

fn merge_candidate(whole: &mut Candidate, piece: Candidate) {
    let Candidate { content, finish_reason, index, safety_ratings, extra } = piece;
    if let Some(content) = content {
        merge_content(whole.content.get_or_insert_default(), content);
    }
    whole.finish_reason = finish_reason.or(whole.finish_reason.take());
    whole.index = whole.index.or(index);
    whole.safety_ratings = safety_ratings.or(whole.safety_ratings.take());
    whole.extra.extend(extra);
}

fn merge_content(whole: &mut Content, piece: Content) {
    let Content { role, parts, extra } = piece;
    whole.role = whole.role.take().or(role);
    whole.extra.extend(extra);
    for part in parts {
        push_part(&mut whole.parts, part);
    }
}

/// Appends `part`, joined to the last one where both are plain text of the same kind.
///
/// A text with further fields stays a part of its own: a `thoughtSignature` must go back to the model with
/// exactly the part it came with.
fn push_part(parts: &mut Vec<Part>, part: Part) {
    let Some(text) = plain_text(&part) else {
        parts.push(part);
        return;
    };
    if text.is_empty() {
        // It is empty, and the API does not accept it back.
        return;
    }
    match parts.last_mut() {
        Some(last) if plain_text(last).is_some() && is_thought(last) == is_thought(&part) => {
            last.text.get_or_insert_default().push_str(text);
        }
        _ => parts.push(part),
    }
}

/// The text of a part that has nothing but text.
fn plain_text(part: &Part) -> Option<&str> {
    let Part { text, thought: _, function_call: None, function_response: None, extra } = part else {
        return None;
    };
    if extra.is_empty() { text.as_deref() } else { None }
}

fn is_thought(part: &Part) -> bool {
    part.thought == Some(true)
}

#[cfg(test)]
mod tests;
