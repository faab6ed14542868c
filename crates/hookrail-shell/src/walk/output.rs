//! What a command writes to its standard output, where the line itself shows it: `echo 'rm x' | sh` runs `rm x`.

use std::rc::Rc;

use super::{Context, Walker, base_name};
use crate::facts::Extent;
use crate::field::{Field, Likely};
use crate::state::{StateKey, Value};

impl Walker {
    /// Notes what the command with these words writes, and to which file if `target` takes it, which may keep what it holds.
    pub(super) fn note_output(&mut self, words: &[Field], target: Option<&(Field, bool)>, context: &Context) {
        self.output = self.output_of(words, context);
        let text = self.output.as_ref().and_then(Value::text).cloned();
        if let Some((target, adds)) = target {
            self.note_written(target, text, *adds);
            self.output = None;
        } else if words.first().is_some_and(|name| name.is("tee")) {
            let adds = words.iter().any(|word| word.is("-a") || word.is("--append"));
            for file in words.iter().skip(1) {
                self.note_written(file, text.clone(), adds);
            }
        }
    }

    fn output_of(&self, words: &[Field], context: &Context) -> Option<Value> {
        let (name, args) = words.split_first()?;
        let name = name.as_str()?;
        if [StateKey::Function(name.to_owned()), StateKey::Alias(name.to_owned())]
            .iter()
            .any(|key| self.state.is_set(key))
        {
            return None;
        }
        let is_option = |field: &Field| field.as_str().is_some_and(|text| text.starts_with('-'));
        let text = match base_name(name) {
            "echo" => echo(args, context.posix),
            "printf" => printf(args),
            "cat" if args.iter().all(|field| field.is("-")) => return context.stdin.clone(),
            "tee" if args.iter().all(|field| field.text.is_some()) => return context.stdin.clone(),
            "pwd" => return Some(Value::Likely(Rc::from([Likely::whole(".")]))),
            "find" => {
                let writes_else = |text: &str| {
                    let actions = ["-exec", "-ok", "-print", "-f", "-ls", "-delete"];
                    actions.iter().any(|action| text.starts_with(action))
                        && !matches!(text, "-print" | "-print0" | "-fstype")
                };
                let is_plain = args.iter().all(|field| field.as_str().is_some_and(|text| !writes_else(text)));
                return is_plain.then(|| Value::Likely(crate::act::found_by_find(args).into()));
            }
            "fd" | "fdfind" => return Some(Value::Likely(crate::act::found_by_fd(args).into())),
            "ls" if args.iter().any(|field| field.is("-d")) => {
                let start = |field: &Field| {
                    let text = field.as_str()?;
                    let end = text.find(['*', '?', '[']).filter(|_| field.glob);
                    let extent = if end.is_some() { Extent::Beginning } else { Extent::Whole };
                    Some(Likely { path: text.get(..end.unwrap_or(text.len()))?.to_owned(), extent })
                };
                let listed = args.iter().filter(|field| !is_option(field)).filter_map(start);
                return Some(Value::Likely(listed.collect()));
            }
            "sort" | "head" | "tail" | "uniq"
                if args.iter().all(|field| is_option(field) || is_number(field)) =>
            {
                return context.stdin.clone();
            }
            "grep" | "egrep" | "fgrep" if is_filter(args) => return context.stdin.clone(),
            "mktemp" => {
                let is_moved = |field: &Field| {
                    field.as_str().is_none_or(|text| text.starts_with("-p") || text.starts_with("--t"))
                };
                if self.state.is_set(&StateKey::OddFolders) || args.iter().any(is_moved) {
                    return None;
                }
                let template = args.iter().rev().find(|field| !is_option(field)).and_then(Field::as_str);
                let folder =
                    template.filter(|text| text.contains('/')).map(|text| text.trim_end_matches('X'));
                let path = folder.unwrap_or("/tmp/").to_owned();
                return Some(Value::Likely(Rc::from([Likely { path, extent: Extent::Beginning }])));
            }
            _ => None,
        };
        text.map(|text| Value::Text(text.into()))
    }
}

fn is_number(field: &Field) -> bool {
    field.as_str().is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether `grep` with these words writes lines of its standard input as they are.
fn is_filter(args: &[Field]) -> bool {
    let is_plain = |field: &&Field| {
        matches!(field.as_str(), Some("-v" | "-i" | "-E" | "-F" | "-P" | "-w" | "-vE" | "-iE"))
    };
    let plain = args.iter().take_while(is_plain).count();
    args.len() == plain + 1 && args.last().and_then(Field::as_str).is_some_and(|text| !text.starts_with('-'))
}

/// The words, if each of them is one word that is known.
fn plain_words(fields: &[Field]) -> Option<Vec<&str>> {
    fields.iter().map(|field| field.as_str().filter(|_| !field.glob && !field.tilde)).collect()
}

/// `echo`: a plain shell reads escapes in any case, Bash with `-e` only.
fn echo(args: &[Field], posix: bool) -> Option<String> {
    let words = plain_words(args)?;
    let is_flag = |word: &&&str| {
        word.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.bytes().all(|letter| b"neE".contains(&letter))
        })
    };
    let flags: Vec<&&str> = words.iter().take_while(is_flag).collect();
    let has = |letter: char| flags.iter().any(|flag| flag.contains(letter));
    let text = words.get(flags.len()..).unwrap_or_default().join(" ");
    if posix && (!flags.is_empty() || text.contains('\\')) {
        return None;
    }
    let text = if has('e') { unescaped(&text, false)? } else { text };
    Some(if has('n') { text } else { text + "\n" })
}

/// `printf` with a format of plain text, `%s`, `%b` and `%%`. The format is used again while there are values.
fn printf(args: &[Field]) -> Option<String> {
    let words = plain_words(args)?;
    let (format, values) = words.split_first()?;
    if format.starts_with('-') {
        return None;
    }
    let mut values = values.iter().copied().peekable();
    let mut text = String::new();
    loop {
        let mut parts = format.split('%');
        text.push_str(&unescaped(parts.next()?, true)?);
        let mut has_values = false;
        while let Some(part) = parts.next() {
            let kind = part.chars().next();
            has_values |= kind.is_some();
            let rest = match kind {
                // `%%`: the next part follows the sign.
                None => format!("%{}", parts.next()?),
                Some('s') => {
                    text.push_str(values.next().unwrap_or_default());
                    part.get(1..)?.to_owned()
                }
                Some('b') => {
                    text.push_str(&unescaped(values.next().unwrap_or_default(), false)?);
                    part.get(1..)?.to_owned()
                }
                Some(_) => return None,
            };
            text.push_str(&unescaped(&rest, true)?);
        }
        if text.len() > super::MAX_VALUE {
            return None;
        }
        if !has_values || values.peek().is_none() {
            return Some(text);
        }
    }
}

/// A text with its escapes replaced; `None` where one ends the text or makes a null byte. `echo` and `%b` have another form for
/// octal numbers than `$'…'` has.
fn unescaped(text: &str, has_octal: bool) -> Option<String> {
    let mut parts = text.split('\\');
    parts.next();
    while let Some(part) = parts.next() {
        let is_zero = |digits: &str, most: usize, radix: u32| {
            digits.chars().take(most).take_while(|digit| digit.is_digit(radix)).all(|digit| digit == '0')
        };
        let is_unclear = match part.chars().next() {
            // An escaped backslash: the next part is plain.
            None => {
                parts.next();
                false
            }
            Some('0'..='7') => !has_octal || is_zero(part, 3, 8),
            Some('x') => is_zero(part.get(1..)?, 2, 16),
            Some('u') => is_zero(part.get(1..)?, 4, 16),
            Some('U') => is_zero(part.get(1..)?, 8, 16),
            Some('c') => true,
            Some(_) => false,
        };
        if is_unclear {
            return None;
        }
    }
    crate::parse::ansi_c::decode(text)
}
