//! The questions, one for each hook.

use std::io::{self, BufRead};

use hookrail::{Pending, Review};

use super::show;
use crate::printer::{Printer, escape, escape_line};

/// Where questions are asked and answered.
pub(super) trait Person {
    /// Shows a text.
    fn show(&mut self, text: &str);
    /// Asks; `None` when no answer will ever come.
    fn ask(&mut self, question: &str) -> io::Result<Option<String>>;
}

/// A person at a terminal.
pub(super) struct Terminal<'a, R> {
    pub(super) printer: &'a mut Printer,
    pub(super) answers: R,
}

impl<R: BufRead> Person for Terminal<'_, R> {
    fn show(&mut self, text: &str) {
        self.printer.talk(text.trim_end());
    }

    fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        self.printer.ask(question);
        let mut answer = Vec::new();
        let length = self.answers.read_until(b'\n', &mut answer)?;
        Ok((length > 0).then(|| String::from_utf8_lossy(&answer).trim().to_lowercase()))
    }
}

/// Asks about each hook that waits. `None` means that nothing is to be approved; an empty list, that the project's
/// settings are.
pub(super) fn choose<'a>(
    review: &'a Review,
    person: &mut dyn Person,
) -> io::Result<Option<Vec<&'a Pending>>> {
    person.show(&show::heading(review));
    if let Some(settings) = &review.settings {
        person.show(&show::settings(settings, !review.pending.is_empty()));
        if review.pending.is_empty() {
            let answer = question(person, "Approve these settings? [y]es, [n]o: ", &["y", "n"])?;
            return Ok((answer == "y").then(Vec::new));
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
        let words = format!("Approve `{name}`? [y]es, [n]o, [a]ll that follow, [q]uit: ");
        match question(person, &words, &["y", "n", "a", "q"])? {
            "y" => chosen.push(pending),
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
    Ok((!chosen.is_empty()).then_some(chosen))
}

/// Asks until the answer is one of the words, given by their first letters. No answer at all is the last word.
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
