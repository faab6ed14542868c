//! From words to fields, with the variables that are known.

use std::rc::Rc;

use super::environment::known;
use super::{Context, Walker};
use crate::braces;
use crate::facts::Cause;
use crate::field::{Field, FieldBuilder, Likely};
use crate::parse::is_identifier;
use crate::state::{StateKey, Value};
use crate::syntax::{AndOr, Operation, Parameter, Script, UnexpandedWord, WordPart};

impl Walker {
    /// The fields that `words` become.
    pub(super) fn expand_words(&mut self, words: &[UnexpandedWord], context: &Context) -> Vec<Field> {
        words.iter().flat_map(|word| self.expand_word(word, context)).collect()
    }

    /// The fields that `word` becomes.
    pub(super) fn expand_word(&mut self, word: &UnexpandedWord, context: &Context) -> Vec<Field> {
        if !braces::has_brace(word) {
            return self.expand_parts(&word.parts, context);
        }
        let words = braces::expand(word);
        if words.is_none() {
            self.dynamic(Cause::Bound);
        }
        let may_change =
            |part: &WordPart| matches!(part, WordPart::Literal(text) if text.contains([',', '.']));
        // To a plain shell braces are text.
        let may_be_text = context.posix && word.parts.iter().any(may_change);
        let Some(words) = words.filter(|_| !may_be_text) else {
            self.expand_for_commands(&word.parts, context);
            return vec![Field::unknown()];
        };
        let mut fields = Vec::new();
        for word in &words {
            if !self.step(word.parts.len()) {
                break;
            }
            fields.extend(self.expand_parts(&word.parts, context));
        }
        fields
    }

    /// The fields that parts become outside of quotes.
    fn expand_parts(&mut self, parts: &[WordPart], context: &Context) -> Vec<Field> {
        let mut builder = FieldBuilder::default();
        for part in parts {
            self.expand_part(part, false, &mut builder, context);
        }
        builder.finish()
    }

    /// The field that parts become inside double quotes; `None` where that would be several: how `"$@"` is joined where one
    /// value is wanted depends on the place.
    fn expand_to_one(&mut self, parts: &[WordPart], context: &Context) -> Option<Field> {
        let mut builder = FieldBuilder::default();
        builder.begin();
        for part in parts {
            self.expand_part(part, true, &mut builder, context);
        }
        let mut fields = builder.finish();
        fields.pop().filter(|_| fields.is_empty())
    }

    /// What an assignment gives to its variable: a text, or the paths that it may be.
    pub(super) fn expand_assigned(&mut self, word: &UnexpandedWord, context: &Context) -> Field {
        let has_tilde = matches!(word.parts.first(), Some(WordPart::Literal(text)) if text.starts_with('~'));
        let Some(mut field) = self.expand_to_one(&word.parts, context) else { return Field::unknown() };
        if has_tilde {
            field.likely = match field.text.take() {
                Some(path) => vec![Likely::whole(path)],
                // The sign is outside of quotes.
                None => field.likely.into_iter().map(Likely::without_dot).collect(),
            };
        }
        field
    }

    /// The text that `parts` become inside double quotes; `None` where it cannot be determined or would be several words.
    pub(super) fn expand_quoted(&mut self, parts: &[WordPart], context: &Context) -> Option<String> {
        self.expand_to_one(parts, context)?.text
    }

    /// Adds what `part` becomes to `builder`, and reads the commands in it.
    fn expand_part(&mut self, part: &WordPart, quoted: bool, builder: &mut FieldBuilder, context: &Context) {
        if let WordPart::Literal(text) | WordPart::Quoted { text, .. } = part {
            self.has_subscript_code |= is_subscript_code(text);
        }
        match part {
            WordPart::Literal(text) if quoted => builder.quoted(text),
            WordPart::Literal(text) => builder.literal(text),
            WordPart::Quoted { text, .. } => builder.quoted(text),
            WordPart::Double(parts) | WordPart::Translated(parts) => {
                // `"$@"` without parameters is not a word, unlike `""`.
                let is_list =
                    matches!(parts.as_slice(), [WordPart::Parameter(parameter)] if is_list(parameter));
                if !is_list {
                    builder.begin();
                }
                for part in parts {
                    self.expand_part(part, true, builder, context);
                }
            }
            WordPart::Command(script) => {
                let value = self.substitution(script, context);
                self.add_expanded(value, quoted, builder);
            }
            WordPart::Process(script) => {
                self.output = self.written_by(script, context);
                builder.process();
            }
            WordPart::Arithmetic(expression) => {
                self.arithmetic(expression, context);
                builder.unknown(quoted);
            }
            WordPart::Opaque => builder.unknown(quoted),
            WordPart::Parameter(parameter) => {
                let value = self.parameter(parameter, quoted, context);
                let is_shell = parameter.name == "SHELL" && matches!(parameter.operation, Operation::Plain);
                let place = place_of(parameter).filter(|_| !self.state.is_set(&StateKey::OddFolders));
                let value = match (value, place) {
                    (None, _) if is_shell => Some(Value::Guess("/bin/sh".into())),
                    (None, Some(place)) => Some(Value::Likely(Rc::from([place]))),
                    (value, _) => value,
                };
                self.add_expanded(value, quoted, builder);
            }
        }
    }

    /// Adds the value of a parameter or a substitution to `builder`.
    fn add_expanded(&mut self, value: Option<Value>, quoted: bool, builder: &mut FieldBuilder) {
        let odd = self.state.is_set(&StateKey::OddSplitting);
        let bytes = match &value {
            Some(Value::Text(text) | Value::Guess(text)) => text.len(),
            Some(Value::List(values)) => values.iter().map(|value| value.len() + 1).sum(),
            _ => 0,
        };
        if !self.step(bytes) {
            builder.unknown(quoted);
            return;
        }
        match value {
            Some(Value::Text(text)) if quoted => builder.quoted(&text),
            Some(Value::List(values)) if quoted => builder.list(&values, true),
            Some(Value::Text(_) | Value::List(_)) if odd => builder.unknown(quoted),
            Some(Value::Text(text)) => builder.split(&text),
            Some(Value::List(values)) => builder.list(&values, false),
            Some(Value::Guess(text)) => builder.guess(&text),
            Some(Value::Likely(paths)) => builder.likely(&paths, quoted),
            _ => builder.unknown(quoted),
        }
    }

    /// What the commands of a substitution write: known where one command writes what is known.
    fn written_by(&mut self, script: &Script, context: &Context) -> Option<Value> {
        self.output = None;
        self.subshell(script, context);
        match script.items.as_slice() {
            [] => Some(Value::Text("".into())),
            [AndOr { rest, background: false, .. }] if rest.is_empty() => std::mem::take(&mut self.output),
            _ => None,
        }
    }

    /// What `$(…)` becomes.
    fn substitution(&mut self, script: &Script, context: &Context) -> Option<Value> {
        match self.written_by(script, context)? {
            Value::Text(text) => Some(Value::Text(text.trim_end_matches('\n').into())),
            value => Some(value),
        }
    }

    /// What a parameter becomes after its operation.
    fn parameter(&mut self, parameter: &Parameter, quoted: bool, context: &Context) -> Option<Value> {
        if let Some((index, parts)) = &parameter.subscript {
            self.has_arithmetic |= index.contains(|c: char| c.is_ascii_alphabetic() || c == '$');
            self.expand_for_commands(parts, context);
        }
        let value = self.parameter_value(parameter, quoted);
        let word = &parameter.word;
        match parameter.operation {
            Operation::Plain => value,
            Operation::Default => instead_of(value, parameter.colon, self.operand(word, quoted, context)),
            Operation::Assign => {
                let instead = self.operand(word, quoted, context);
                let text = instead.as_ref().and_then(Value::text).map(ToString::to_string);
                match &value {
                    Some(Value::Text(text)) if !text.is_empty() || !parameter.colon => {}
                    Some(Value::Text(_)) => self.set_variable(&parameter.name, text, context),
                    // It may have a value already.
                    _ => self.note_variable(&parameter.name, text.as_deref(), context),
                }
                instead_of(value, parameter.colon, instead)
            }
            Operation::Alternative => {
                let instead = self.operand(word, quoted, context);
                match (value, instead) {
                    (Some(Value::Text(text)), _) if text.is_empty() && parameter.colon => {
                        Some(Value::Text(text))
                    }
                    (Some(Value::Text(_)), instead) => instead,
                    (_, Some(Value::Text(text))) => Some(Value::Guess(text)),
                    _ => None,
                }
            }
            Operation::Prompt => {
                match value {
                    Some(Value::Text(text)) => self.expanded_later(&text, context),
                    _ => self.dynamic(Cause::Eval),
                }
                None
            }
            Operation::Required => {
                self.expand_for_commands(&word.parts, context);
                value
            }
            Operation::Other => {
                self.has_arithmetic = true;
                self.expand_for_commands(&word.parts, context);
                None
            }
        }
    }

    /// The word behind `:-` and the like. Quotes inside it keep its blanks together, which is not followed.
    fn operand(&mut self, word: &UnexpandedWord, quoted: bool, context: &Context) -> Option<Value> {
        let is_plain = word.parts.iter().all(|part| matches!(part, WordPart::Literal(_)));
        self.expand_assigned(word, context).value().filter(|value| match value {
            Value::Text(text) => quoted || is_plain || !text.contains([' ', '\t', '\n']),
            _ => true,
        })
    }

    /// The value of a parameter before its operation. Variables that the text does not set come from the environment,
    /// which is not known here.
    fn parameter_value(&self, parameter: &Parameter, quoted: bool) -> Option<Value> {
        let name = parameter.name.as_str();
        let (value, index) = match name {
            "@" | "*" => (self.state.get(&StateKey::Positional), name),
            _ if is_identifier(name) => {
                let index = parameter.subscript.as_ref().map_or("0", |(index, _)| index.as_str());
                (self.state.get(&StateKey::Variable(name.to_owned())), index)
            }
            "0" => (self.state.get(&StateKey::Variable(name.to_owned())), name),
            _ => {
                let number = name.parse::<usize>().ok().filter(|number| *number > 0)?;
                return match self.state.get(&StateKey::Positional) {
                    Some(Value::List(values)) => element(values, number - 1),
                    _ => self.state.get(&StateKey::Variable(name.to_owned())).cloned(),
                };
            }
        };
        match (value?, index) {
            (Value::List(_), "*") if quoted && self.state.is_set(&StateKey::OddSplitting) => None,
            (Value::List(values), "*") if quoted => Some(Value::Text(values.join(" ").into())),
            (value @ (Value::Text(_) | Value::Likely(_)), "0" | "@" | "*")
            | (value @ Value::List(_), "@" | "*") => Some(value.clone()),
            (Value::List(values), index) => element(values, index.parse().ok()?),
            _ => None,
        }
    }

    /// Sets a variable, or drops it if the value cannot be determined. `IFS` changes how all others are split, so that
    /// nothing outside of quotes is certain afterwards.
    pub(super) fn set_variable(&mut self, name: &str, value: Option<String>, context: &Context) {
        if name == "IFS" {
            self.set_flag(StateKey::OddSplitting);
        }
        let known = known(name);
        if known.is_some_and(|entry| entry.is("folder")) {
            self.set_flag(StateKey::OddFolders);
        }
        if let Some(text) = &value {
            self.expanded_as_subscript(text, context);
        }
        self.note_known(known, value.as_deref(), context);
        let is_followed = !self.state.is_set(&StateKey::OddVariables)
            && !known.is_some_and(|entry| entry.is("set-by-shell"))
            && name != "IFS";
        if is_followed && value.as_ref().is_some_and(|value| value.len() > super::MAX_VALUE) {
            self.dynamic(Cause::Bound);
        }
        let value = value.filter(|value| is_followed && value.len() <= super::MAX_VALUE);
        let value = value.map(|value| Value::Text(value.into()));
        self.state.set(StateKey::Variable(name.to_owned()), value);
    }

    /// Keeps the paths that a variable which is not known may be.
    pub(super) fn set_likely(&mut self, name: &str, likely: Vec<Likely>) {
        let key = StateKey::Variable(name.to_owned());
        if !likely.is_empty() && !self.state.is_set(&StateKey::OddVariables) && is_identifier(name) {
            self.state.set(key, Some(Value::Likely(likely.into())));
        }
    }
}

/// One element of a list.
fn element(values: &[String], index: usize) -> Option<Value> {
    values.get(index).map(|value| Value::Text(value.as_str().into()))
}

/// `value`, or `instead` of it where it is unset; which of them it is cannot be determined of a variable of the environment.
fn instead_of(value: Option<Value>, colon: bool, instead: Option<Value>) -> Option<Value> {
    match (value, instead) {
        (Some(Value::Text(text)), instead) if text.is_empty() && colon => instead,
        (Some(Value::List(values)), instead) if values.is_empty() => instead,
        (None | Some(Value::Likely(_)), Some(Value::Text(text))) => Some(Value::Guess(text)),
        (None, likely @ Some(Value::Likely(_))) => likely,
        (None, _) => None,
        (value, _) => value,
    }
}

/// Whether arithmetic with a variable that holds `text` would run something.
fn is_subscript_code(text: &str) -> bool {
    text.split_once('[').is_some_and(|(_, index)| index.contains("$(") || index.contains('`'))
}

/// The folder that a parameter stands for in an unmodified shell, in the form that paths use.
fn place_of(parameter: &Parameter) -> Option<Likely> {
    let path = match (parameter.name.as_str(), &parameter.subscript) {
        ("HOME", None) => "~",
        ("PWD", None) => ".",
        ("TMPDIR", None) => "/tmp",
        _ => return None,
    };
    let is_kept = matches!(
        parameter.operation,
        Operation::Plain | Operation::Default | Operation::Assign | Operation::Required
    );
    is_kept.then(|| Likely::whole(path))
}

/// Whether a parameter stands for several words even inside double quotes.
fn is_list(parameter: &Parameter) -> bool {
    parameter.name == "@" || parameter.subscript.as_ref().is_some_and(|(index, _)| index == "@")
}
