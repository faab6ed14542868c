//! Patterns of commands: `git push --force`, `rm ... /etc/*`, `curl -X POST`.
//!
//! The first word is the program. Words with dashes are flags, in any place and under any of their names. The other
//! words match the operands from the first one on; `...` skips any number of them, and what follows the last word of
//! the pattern does not matter. A word that cannot be determined makes a pattern unknown where it could hold.

mod flag;
mod operands;

use std::sync::OnceLock;

use hookrail_shell::{CommandWords, Entry, FlagName, FlagValue, Item, Operand, base_name};

use self::flag::FlagPattern;
use self::operands::OperandPattern;
use super::glob::{Glob, GlobKind, Initials, MAX_GLOB_BYTES, braces};
use super::truth::Truth;

/// Characters that have a meaning in a glob.
const GLOB_SIGNS: [char; 5] = ['*', '?', '[', '{', '\\'];
/// More words than this are no pattern.
const MAX_WORDS: usize = 64;
/// Words that end a command in a shell; a pattern is one command.
const OPERATORS: [&str; 6] = ["|", "||", "&&", ";", "&", "|&"];
/// What redirections begin with.
const REDIRECTIONS: [&str; 7] = [">", "<", "1>", "2>", "&>", "0<", ">|"];

/// A pattern. Its first word is compared as it is; the others are compiled when a command of that program comes, because
/// most patterns never meet one.
#[derive(Debug, Clone)]
pub(crate) struct CommandPattern {
    text: Box<str>,
    /// Where its first word ends.
    program_end: usize,
    /// The glob of the program; `None` if its name is plain.
    program: Option<Glob>,
    /// What its programs may begin with.
    pub(crate) initials: Initials,
    /// Its second word, if that may be a subcommand, with the first of the subcommand's names.
    subcommand: OnceLock<Option<(Box<str>, Option<&'static str>)>>,
    /// What its other words mean: one reading, or two where it is not known whether a flag takes the word behind it.
    readings: OnceLock<Vec<CommandReading>>,
}

/// One meaning of the words behind the program. All three lists must hold for a command.
#[derive(Debug, Clone, Default)]
struct CommandReading {
    flags: Vec<FlagPattern>,
    operands: Vec<OperandPattern>,
    /// Operands of the form `name=value`, which may be anywhere.
    assignments: Vec<Glob>,
}

impl CommandPattern {
    /// Reads a pattern; the error says what is wrong with it. Its words are compiled only if that is not known otherwise.
    pub(crate) fn compile(text: &str) -> Result<Self, String> {
        let text = text.trim_start();
        let plain = plain_program(text);
        let program = plain.or_else(|| text.split_whitespace().next()).ok_or("it has no words")?;
        let mut words = text.split_whitespace().skip(1);
        if plain.is_none() {
            let may_be_long = text.len() > 2 * MAX_WORDS && words.clone().count() >= MAX_WORDS;
            if may_be_long && words_of(text).len() > MAX_WORDS {
                return Err(format!("it has more than {MAX_WORDS} words"));
            }
            if program == "..." || (program.starts_with('-') && program.len() > 1) {
                return Err("its first word must be a program".to_owned());
            }
        }
        let is_name = program.len() <= MAX_GLOB_BYTES && !program.contains(GLOB_SIGNS);
        let is_name = plain.is_some() || is_name || matches!(program, "[" | "[[");
        let glob = if is_name { None } else { Some(word_glob(program)?) };
        let pattern = Self {
            text: text.into(),
            program_end: program.len(),
            initials: glob.as_ref().map_or_else(|| Initials::of(program), Glob::initials),
            program: glob,
            subcommand: OnceLock::new(),
            readings: OnceLock::new(),
        };
        if plain.is_none() && !has_plain_globs(text) && !words.all(is_certainly_glob) {
            let _ = pattern.readings.set(pattern.compile_words()?);
        }
        Ok(pattern)
    }

    fn compile_words(&self) -> Result<Vec<CommandReading>, String> {
        let read = CommandWords::read(&words_of(&self.text));
        let mut readings = vec![CommandReading::compile(&read, false)?];
        if read.items.iter().any(|item| matches!(item, Item::Operand(operand) if operand.may_be_value)) {
            readings.push(CommandReading::compile(&read, true)?);
        }
        Ok(readings)
    }

    /// The meanings of its words. If they could not be compiled after all, every command of the program would match: a
    /// guard is never off because of that.
    fn readings(&self) -> &[CommandReading] {
        self.readings.get_or_init(|| self.compile_words().unwrap_or_else(|_| vec![CommandReading::default()]))
    }

    /// The first word as it is written.
    fn first_word(&self) -> &str {
        self.text.get(..self.program_end).unwrap_or_default()
    }

    /// The programs that it may hold for, those of a glob with `*` at the end; `None` if that may be any.
    pub(crate) fn programs(&self) -> Option<Vec<String>> {
        let word = self.first_word();
        if self.program.is_none() {
            return (!word.ends_with('*')).then(|| vec![word.to_owned()]);
        }
        let branches = braces::expand(word).ok()?;
        let beginning = |branch: String| match branch.find(['*', '?', '[', '\\']) {
            None => Some(branch),
            Some(0) => None,
            Some(end) => Some(format!("{}*", branch.get(..end)?)),
        };
        branches.into_iter().map(beginning).collect()
    }

    /// Texts of which the words of a command must contain one; `None` if that cannot be told. All words are compiled for it.
    #[cfg(any(test, feature = "shipped-index"))]
    pub(crate) fn required_texts(&self) -> Option<Vec<String>> {
        let programs = self.programs().filter(|programs| programs.iter().all(|name| !name.ends_with('*')));
        let further: Vec<_> = match &programs {
            Some(programs) => {
                programs.iter().flat_map(|name| hookrail_shell::further_names(Some(name))).collect()
            }
            None => hookrail_shell::further_names(None).collect(),
        };
        let in_reading = |reading: &CommandReading| {
            let operands = || reading.operands.iter().find_map(|operand| operand.required_texts(&further));
            let assignments = || reading.assignments.iter().find_map(Glob::plain_parts);
            let values = || reading.flags.iter().find_map(FlagPattern::required_texts);
            operands().or_else(assignments).or_else(values)
        };
        Some(self.readings().iter().map(in_reading).collect::<Option<Vec<_>>>()?.concat())
    }

    /// Why the pattern can hold for no command: a shell never hands such words to a program.
    pub(crate) fn contradiction(text: &str) -> Option<String> {
        let is_end = |word: &&str| {
            OPERATORS.contains(word) || (word.len() > 1 && word.ends_with(';') && !word.ends_with("\\;"))
        };
        if let Some(operator) = text.split_whitespace().find(is_end) {
            return Some(format!("a pattern is one command, and no command has the word `{operator}`"));
        }
        let is_redirection = |word: &&str| REDIRECTIONS.iter().any(|start| word.starts_with(start));
        if let Some(word) = text.split_whitespace().find(is_redirection) {
            return Some(format!(
                "`{word}` is a redirection and not a word of a command; `writes` and `reads` see it"
            ));
        }
        let first = text.split_whitespace().next().filter(|word| is_assignment(word))?;
        Some(format!("`{first}` sets a variable and is not a word of a command"))
    }

    /// Why the pattern probably holds for no command.
    pub(crate) fn doubt(text: &str) -> Option<String> {
        let quoted =
            text.split_whitespace().find(|word| word.starts_with(['"', '\'']) || word.ends_with(['"', '\'']));
        quoted.map(|word| format!("quotes are not part of a word: `{word}` is not a word of any command"))
    }

    /// Whether it holds for every command for which a pattern of this text holds, as far as that is seen. A pattern with one
    /// reading that means its words as they are (no glob, nothing skipped, no flag of a program without a table, no word that
    /// may be anywhere) is such a command itself, and whatever is added to one takes no pattern away.
    pub(crate) fn follows_from(&self, narrow: &str) -> bool {
        let argv = words_of(narrow);
        let words = CommandWords::read(&argv);
        let has = |is_such: fn(&str) -> bool| narrow.split_whitespace().any(is_such);
        !narrow.contains(['*', '?', '[', '{', '\\', '='])
            && !has(|word| word == "...")
            && (words.is_known() || !has(|word| word.starts_with('-')))
            && self.matches(argv.first().and_then(Option::as_deref), false, || &words) == Truth::Yes
    }

    /// Whether a program of this name may be meant.
    fn accepts_program(&self, program: Option<&str>, ignore_case: bool) -> bool {
        let is_it = |name: &str| match &self.program {
            Some(glob) => glob.is_match(name, ignore_case),
            None if ignore_case => Glob::literal(self.first_word()).is_match(name, true),
            None => name == self.first_word(),
        };
        program.is_none_or(|program| {
            let name = base_name(program);
            is_it(name) || (name.len() < program.len() && is_it(program))
        })
    }

    /// Whether a command certainly is another subcommand than the pattern begins with. That is seen without compiling the
    /// words, and most patterns of a program are about something else.
    fn is_for_another(&self, words: &CommandWords) -> bool {
        let first = words.items.iter().find(|item| !matches!(item, Item::Flag(_)));
        let Some(Item::Operand(Operand { text, subcommand: Some(name), may_be_value: false, .. })) = first
        else {
            return false;
        };
        let own = self.subcommand.get_or_init(|| {
            let is_plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
            let word =
                self.text.split_whitespace().nth(1).filter(is_plain).filter(|_| self.program.is_none())?;
            let known = Entry::of(self.first_word()).and_then(|entry| entry.command(word));
            Some((word.into(), known.map(|(_, first)| first)))
        });
        own.as_ref()
            .is_some_and(|(word, first)| **word != **text && **word != **name && *first != Some(*name))
    }

    /// Whether a command may take one of the pattern's flags back: `--no-dry-run`, `--dry-run=none`.
    pub(crate) fn is_taken_back(&self, words: &CommandWords) -> bool {
        self.readings().iter().flat_map(|reading| &reading.flags).any(|flag| flag.is_taken_back(words))
    }

    /// Whether the pattern holds for a command: its program, `None` if that cannot be determined, and its other words,
    /// which are asked for only if the program may be the pattern's. `ignore_case` says whether programs are found under
    /// their names in any case.
    pub(crate) fn matches<'w>(
        &self,
        program: Option<&str>,
        ignore_case: bool,
        words: impl FnOnce() -> &'w CommandWords,
    ) -> Truth {
        if !self.accepts_program(program, ignore_case) {
            return Truth::No;
        }
        let words = words();
        if self.is_for_another(words) {
            return Truth::No;
        }
        let holds = Truth::any(self.readings().iter().map(|reading| reading.matches(words)));
        // Any program with these words may be the one.
        if program.is_none() { holds.and(Truth::Unknown) } else { holds }
    }
}

impl CommandReading {
    /// The words of a pattern; `as_values` takes a word behind a flag that no table knows as its value.
    fn compile(words: &CommandWords, as_values: bool) -> Result<Self, String> {
        let mut reading = Self::default();
        for item in &words.items {
            match item {
                // The letters of a word that no table knows; the word itself follows and stands for them.
                Item::Flag(flag) if !words.is_known() && matches!(flag.name, FlagName::Letter(_)) => {}
                Item::Flag(flag) => {
                    let value = match &flag.value {
                        FlagValue::Given(value) => Some(word_glob(value)?),
                        FlagValue::Perhaps(value) if as_values => Some(word_glob(value)?),
                        FlagValue::Perhaps(_) | FlagValue::None | FlagValue::Unknown => None,
                    };
                    reading.flags.push(FlagPattern::new(flag, value)?);
                }
                Item::Operand(operand) if operand.may_be_value && as_values => {}
                Item::Operand(operand) if operand.text == "..." => {
                    reading.operands.push(OperandPattern::Skip);
                }
                Item::Operand(operand) if is_assignment(&operand.text) => {
                    reading.assignments.push(word_glob(&operand.text)?);
                }
                Item::Operand(operand) => reading.operands.push(match operand.subcommand {
                    Some(name) => OperandPattern::Subcommand(name),
                    None => OperandPattern::Word(word_glob(&operand.text)?),
                }),
                Item::Unknown(_) => {}
            }
        }
        Ok(reading)
    }

    /// Flags and assignments may be anywhere; the other operands must come first and in order.
    fn matches(&self, words: &CommandWords) -> Truth {
        Truth::all(self.flags.iter().map(|flag| flag.matches(words)))
            .and(Truth::all(self.assignments.iter().map(|glob| operands::anywhere(glob, &words.items))))
            .and(operands::in_order(&self.operands, &words.items))
    }
}

/// The program of a pattern about which nothing can be wrong or doubtful, because it has only signs that cannot be;
/// `None` for any other text. A rule with such patterns alone is found by its programs and need not be read.
pub(crate) fn plain_program(text: &str) -> Option<&str> {
    // What is not listed may be an operator, a redirection, an assignment, a quote or a set of a glob.
    let is_plain =
        |sign| matches!(sign, b'a'..=b'z' | b'?'..=b'Z' | b'*'..=b':' | b' ' | b'_' | b'%' | b'~' | b'^');
    let program = text.split(' ').next().filter(|_| text.bytes().all(is_plain))?;
    let is_name = !program.is_empty() && !program.starts_with('-') && !program.contains(GLOB_SIGNS);
    (is_name && program != "..." && text.len() <= 2 * MAX_WORDS).then_some(program)
}

/// The words of a pattern. `...` before a flag says nothing, because flags may be anywhere.
fn words_of(text: &str) -> Vec<Option<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_flag = |word: Option<&&str>| word.is_some_and(|word| word.len() > 1 && word.starts_with('-'));
    let says_nothing = |at: usize, word: &str| {
        let rest = words.get(at + 1..).unwrap_or_default();
        word == "..." && is_flag(rest.iter().find(|next| **next != "..."))
    };
    let kept = words.iter().enumerate().filter(|(at, word)| !says_nothing(*at, word));
    kept.map(|(_, word)| Some((*word).to_owned())).collect()
}

/// Whether a word can be compiled, as far as that is seen without compiling it. The value of a flag is only a part of its
/// word.
fn is_certainly_glob(word: &str) -> bool {
    has_plain_globs(word) || (!word.starts_with('-') && Glob::compile(word, GlobKind::Word).is_ok())
}

/// Whether every word of a text is a glob without anything that could be written wrongly.
fn has_plain_globs(text: &str) -> bool {
    text.len() <= MAX_GLOB_BYTES && !text.bytes().any(|byte| matches!(byte, b'\\' | b'[' | b'{'))
}

/// The glob of a word. A bracket alone is a program.
fn word_glob(word: &str) -> Result<Glob, String> {
    if matches!(word, "[" | "[[") {
        return Ok(Glob::literal(word));
    }
    Glob::compile(word, GlobKind::Word)
        .map_err(|problem| format!("its word `{word}` is not a glob: {problem}"))
}

/// Whether a word has the form `name=value`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    })
}

#[cfg(test)]
mod tests;
