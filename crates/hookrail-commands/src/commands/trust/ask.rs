//! The questions, one for each hook.
//!
//! The dialogue does not use the store: it returns what was chosen, and the caller writes it.

use std::io;

use hookrail::approvals::{Pending, Review, VanishedGuard};

use super::show;
use crate::terminal::printer::{Printer, escape, escape_line};

/// Where questions are asked and answered.
/// Tests answer from a list.
pub(super) trait Person {
    /// Shows a text before the next question.
    fn show(&mut self, text: &str);
    /// Asks; `None` when no answer will ever come.
    fn ask(&mut self, question: &str) -> io::Result<Option<String>>;
}

impl Person for Printer {
    fn show(&mut self, text: &str) {
        self.message(text.trim_end());
    }

    fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        Ok(Printer::ask(self, question)?.map(|answer| answer.to_lowercase()))
    }
}

/// What a person decided.
#[derive(Debug, Default)]
pub(super) struct Chosen<'a> {
    /// The hooks to approve. `None` means that nothing is to be approved; an empty list, that the project's settings
    /// are.
    pub(super) approved: Option<Vec<&'a Pending>>,
    /// Changed hooks whose former approval is dropped.
    pub(super) dropped: Vec<&'a Pending>,
    /// Guards whose absence is accepted.
    pub(super) gone: Vec<&'a VanishedGuard>,
}

/// Asks about each guard that is gone and each hook that waits.
/// The end of input is a refusal of everything that is left. Settings of the project come along with the first hook
/// that is approved, and have a question of their own only where no hook waits.
pub(super) fn choose<'a>(review: &'a Review, person: &mut dyn Person) -> io::Result<Chosen<'a>> {
    let mut decided = Chosen::default();
    person.show(&show::heading(review));
    for guard in &review.vanished {
        person.show(&show::vanished(guard));
        let words = format!("Accept that `{}` is gone? [y]es, [n]o: ", escape_line(&guard.name));
        if question(person, &words, &["y", "n"])? == "y" {
            decided.gone.push(guard);
        }
    }
    if let Some(settings) = &review.settings {
        person.show(&show::settings(settings, !review.pending.is_empty()));
        if review.pending.is_empty() {
            let answer = question(person, "Approve these settings? [y]es, [n]o: ", &["y", "n"])?;
            decided.approved = (answer == "y").then(Vec::new);
            return Ok(decided);
        }
    }
    let mut chosen = Vec::new();
    let mut rest = review.pending.iter();
    while let Some(pending) = rest.next() {
        person.show(&show::hook(pending));
        if let Some(obstacle) = &pending.obstacle {
            person.show(&format!("It cannot be approved: {}", escape(obstacle)));
            continue;
        }
        let name = escape_line(&pending.hook.name);
        let (drop, letters): (_, &[&'static str]) = if pending.blocks() {
            (" [d]rop its approval,", &["y", "n", "d", "a", "q"])
        } else {
            ("", &["y", "n", "a", "q"])
        };
        let words = format!("Approve `{name}`? [y]es, [n]o,{drop} [a]ll that follow, [q]uit: ");
        match question(person, &words, letters)? {
            "y" => chosen.push(pending),
            "d" => decided.dropped.push(pending),
            "n" => {}
            "a" => {
                // Nothing is approved unseen: the rest is shown first.
                let mut batch = vec![pending];
                for pending in rest.by_ref() {
                    person.show(&show::hook(pending));
                    match &pending.obstacle {
                        None => batch.push(pending),
                        Some(obstacle) => {
                            person.show(&format!("It cannot be approved: {}", escape(obstacle)));
                        }
                    }
                }
                let is_sure = batch.len() == 1 || {
                    let words = format!("Approve all {} of them? [y]es, [n]o: ", batch.len());
                    question(person, &words, &["y", "n"])? == "y"
                };
                if is_sure {
                    chosen.append(&mut batch);
                }
            }
            _ => break,
        }
    }
    decided.approved = (!chosen.is_empty()).then_some(chosen);
    Ok(decided)
}

/// Asks until the answer is one of the words, given by their first letters. No answer at all is the last word.
/// Words are compared without regard to case; an empty answer is not an answer.
fn question(person: &mut dyn Person, words: &str, allowed: &[&'static str]) -> io::Result<&'static str> {
    loop {
        let Some(answer) = person.ask(words)? else {
            return Ok(allowed.last().copied().unwrap_or_default());
        };
        let known = |word: &&&str| {
            let full = match **word {
                "y" => "yes",
                "n" => "no",
                "a" => "all",
                "d" => "drop",
                _ => "quit",
            };
            answer == **word || answer == full
        };
        if let Some(word) = allowed.iter().find(known) {
            return Ok(word);
        }
        person.show("Please answer with one of the letters.");
    }
}

#[cfg(test)]
mod tests;
