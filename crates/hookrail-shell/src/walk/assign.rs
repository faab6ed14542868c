//! Assignments and arithmetic: what they run, and what they say about variables.

use super::{Context, Walker};
use crate::parse::is_identifier;
use crate::state::{StateKey, Value};
use crate::syntax::{Arithmetic, Assign, UnexpandedWord};

impl Walker {
    /// Reads an assignment. One before a command lasts as long as that.
    pub(super) fn assign(&mut self, assign: &Assign, context: &Context) {
        if let Some(parts) = &assign.subscript {
            self.expand_for_commands(parts, context);
        }
        if let Some(words) = &assign.value.array {
            return self.assign_array(&assign.name, words, assign.append, context);
        }
        let field = self.expand_assigned(&assign.value, context);
        let value = match (assign.append, field.text) {
            (true, Some(value)) => self.variable_text(&assign.name).map(|old| old + &value),
            (_, value) => value,
        };
        // One element of an array is not followed.
        let value = value.filter(|_| assign.subscript.is_none());
        let is_plain = !assign.append && assign.subscript.is_none();
        let likely = if is_plain && value.is_none() { field.likely } else { Vec::new() };
        self.set_variable(&assign.name, value, context);
        self.set_likely(&assign.name, likely);
    }

    /// Reads `name=( … )`.
    pub(super) fn assign_array(
        &mut self,
        name: &str,
        words: &[UnexpandedWord],
        append: bool,
        context: &Context,
    ) {
        let fields = self.expand_words(words, context);
        let is_indexed = fields.iter().any(|field| field.as_str().is_some_and(|text| text.starts_with('[')));
        let values = self.known_values(&fields);
        self.set_variable(name, None, context);
        let is_followed = !append && !is_indexed && !self.state.is_set(&StateKey::OddVariables);
        match values.filter(|_| is_identifier(name)) {
            Some(values) if is_followed => {
                self.state.set(StateKey::Variable(name.to_owned()), Some(Value::List(values.into())));
            }
            Some(_) => {}
            None => self.set_likely(name, fields.into_iter().flat_map(|field| field.likely).collect()),
        }
    }

    /// The value of a variable, if it is known and not an array.
    pub(super) fn variable_text(&self, name: &str) -> Option<String> {
        self.state.get(&StateKey::Variable(name.to_owned()))?.text().map(ToString::to_string)
    }

    /// Reads an expression: what it runs, and which variables it sets.
    pub(super) fn arithmetic(&mut self, expression: &Arithmetic, context: &Context) {
        self.has_arithmetic = true;
        self.expand_for_commands(&expression.parts, context);
        self.forget_assigned(&expression.text);
    }

    /// Forgets every variable that an expression names, if it can set any.
    pub(super) fn forget_assigned(&mut self, expression: &str) {
        if !expression.contains('=') && !expression.contains("++") && !expression.contains("--") {
            return;
        }
        for name in expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            if is_identifier(name) {
                self.state.set(StateKey::Variable(name.to_owned()), None);
            }
        }
    }
}
