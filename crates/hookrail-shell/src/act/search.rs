//! Programs that put words of their own into a command: `find`, `fd`, `xargs` and `parallel`.

use super::{Call, shells};
use crate::facts::{Access, Cause, Extent};
use crate::field::{Field, Likely};
use crate::state::Value;
use crate::walk::{Context, Walker};

/// A word in which something takes the place of `sign`. It stays one word whatever replaces it, and begins as it did.
fn with_hole(field: &Field, sign: Option<&str>, found: &[Likely]) -> Field {
    let Some((text, sign)) = field.as_str().zip(sign.filter(|sign| !sign.is_empty())) else {
        return field.clone();
    };
    let likely = match text.split_once(sign) {
        None => return field.clone(),
        Some(("", _)) => found.to_vec(),
        Some((before, _)) => {
            vec![Likely { path: Likely::unquoted(before, field.tilde), extent: Extent::Beginning }]
        }
    };
    Field { code: Some(text.replace(sign, "\"$_\"")), ..Field::likely(likely) }
}

/// What is found below folders: everything there.
fn below(folders: &[Field]) -> Vec<Likely> {
    let inside = |folder: Likely| match folder.extent {
        Extent::Whole => {
            Likely { path: folder.path.trim_end_matches('/').to_owned() + "/", extent: Extent::Everything }
        }
        _ => folder,
    };
    if folders.is_empty() {
        return vec![inside(Likely::whole("."))];
    }
    folders.iter().filter_map(Field::path).map(inside).collect()
}

/// The folders that `find` searches with these words, and the words behind them.
fn searched(args: &[Field]) -> (Vec<Field>, &[Field]) {
    let is_option = |field: &&Field| {
        field.as_str().is_some_and(|text| matches!(text, "-H" | "-L" | "-P" | "--") || text.starts_with("-O"))
    };
    let is_expression = |field: &Field| field.as_str().is_some_and(|text| text.starts_with(['-', '(', '!']));
    let args = args.get(args.iter().take_while(is_option).count()..).unwrap_or_default();
    let folders: Vec<Field> = args.iter().take_while(|field| !is_expression(field)).cloned().collect();
    let rest = args.get(folders.len()..).unwrap_or_default();
    (folders, rest)
}

/// What `find` with these words writes.
pub(crate) fn found_by_find(args: &[Field]) -> Vec<Likely> {
    let (folders, rest) = searched(args);
    let found = below(&folders);
    if found.len() == folders.len().max(1) { named(found, &folders, rest) } else { Vec::new() }
}

/// What `fd` with these words writes: what is below the operands behind the first one.
pub(crate) fn found_by_fd(args: &[Field]) -> Vec<Likely> {
    let is_option = |field: &&Field| field.as_str().is_some_and(|text| text.starts_with('-'));
    let folders: Vec<Field> = args.iter().filter(|field| !is_option(field)).skip(1).cloned().collect();
    below(&folders)
}

/// Adds the names that `find` asks for, as if they were in the folders themselves, or these folders where it asks for none.
fn named(mut found: Vec<Likely>, folders: &[Field], rest: &[Field]) -> Vec<Likely> {
    let is_test = |field: &Field| matches!(field.as_str(), Some("-name" | "-iname" | "-path" | "-mindepth"));
    if !rest.iter().any(is_test) {
        let starts = folders.iter().filter(|field| !field.glob).filter_map(Field::as_str);
        found.extend(starts.filter(|path| !path.ends_with(['.', '/'])).map(Likely::whole));
    }
    let behind_name = |pair: &&[Field]| {
        pair.first().and_then(Field::as_str).is_some_and(|text| matches!(text, "-name" | "-iname"))
    };
    for name in rest.windows(2).filter(behind_name).filter_map(|pair| pair.last()?.as_str()) {
        let folders: Vec<Likely> =
            found.iter().filter(|likely| likely.extent == Extent::Everything).cloned().collect();
        found.extend(folders.into_iter().map(|folder| Likely::whole(folder.path + name)));
    }
    found
}

/// Whether `xargs` splits a text at blanks and changes nothing else.
fn is_plain(text: &str) -> bool {
    !text.contains(['\'', '"', '\\', '\0']) && text.len() < 4096
}

/// The lines of a text that is known, for programs that take each as an input of its own: at most 64, without quotes.
fn lines_of(text: &str) -> Option<Vec<&str>> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).filter(|line| !line.is_empty()).collect();
    (is_plain(text) && lines.len() <= 64).then_some(lines)
}

/// What a command reads from its standard input, as paths: those that were found, or the words of a text.
pub(crate) fn words_of(stdin: Option<&Value>) -> Vec<Likely> {
    match stdin {
        Some(Value::Likely(paths)) => paths.to_vec(),
        Some(Value::Text(text)) if is_plain(text) => {
            let words = text.split_ascii_whitespace();
            let has_flag = words.clone().any(|word| word.starts_with('-'));
            let words = words.filter(|_| !has_flag).map(|word| Likely::whole(Likely::unquoted(word, false)));
            words.collect()
        }
        _ => Vec::new(),
    }
}

/// `find`: with `-delete` the folders that it starts from are written, `-fprint` and similar options name a file, and
/// `-exec` is followed by a command that ends with `;`, or with `+` directly behind `{}`. What `-execdir` starts runs in the
/// folder of each file, so other relative paths in it cannot be determined.
pub(super) fn find(walker: &mut Walker, call: &Call<'_>) -> bool {
    let (inner, context) = (&call.inner, call.context);
    let (folders, mut rest) = searched(call.args);
    let found = named(below(&folders), &folders, rest);
    while let Some((action, behind)) = rest.split_first() {
        rest = behind;
        match action.as_str() {
            Some("-delete") => {
                let here = [Field::known(".")];
                for folder in if folders.is_empty() { here.as_slice() } else { &folders } {
                    walker.use_path(Access::Write, folder, context);
                }
            }
            Some("-fprint" | "-fprint0" | "-fprintf" | "-fls") => {
                if let Some(file) = behind.first() {
                    walker.use_path(Access::Write, file, context);
                }
            }
            Some(action @ ("-exec" | "-execdir" | "-ok" | "-okdir")) => {
                let is_end = |at: usize, field: &Field| {
                    let before = at.checked_sub(1).and_then(|at| behind.get(at));
                    field.is(";") || (field.is("+") && before.is_some_and(|field| field.is("{}")))
                };
                let end = behind.iter().enumerate().position(|(at, field)| is_end(at, field));
                let command = behind.get(..end.unwrap_or(behind.len())).unwrap_or_default();
                rest = behind.get(end.unwrap_or(behind.len())..).unwrap_or_default();
                let whole: Vec<Field> =
                    command.iter().map(|field| with_hole(field, Some("{}"), &found)).collect();
                let folders = if action.ends_with("dir") { vec![Field::unknown()] } else { Vec::new() };
                walker.within(&folders, |walker| walker.start(&whole, inner));
            }
            _ => {}
        }
    }
    true
}

/// `fd pattern [folder…] -x command…`: without a sign what was found comes last.
pub(super) fn fd(walker: &mut Walker, call: &Call<'_>) -> bool {
    let inner = &call.inner;
    let is_action = |field: &Field| {
        field.as_str().is_some_and(|text| matches!(text, "-x" | "-X" | "--exec" | "--exec-batch"))
    };
    let Some(start) = call.args.iter().position(is_action) else { return true };
    let behind = call.words_at(start + 1);
    let command: Vec<&Field> = behind.iter().take_while(|field| !field.is(";")).collect();
    let folders: Vec<Field> =
        call.slots().iter().filter(|slot| slot.at < start).skip(1).map(|slot| call.field(slot.at)).collect();
    let found = below(&folders);
    let signs = ["{}", "{/}", "{//}", "{.}", "{/.}"];
    let sign = |field: &Field| {
        signs.iter().copied().find(|sign| field.as_str().is_some_and(|text| text.contains(sign)))
    };
    let mut whole: Vec<Field> = command.iter().map(|field| with_hole(field, sign(field), &found)).collect();
    if !command.iter().any(|field| sign(field).is_some()) {
        whole.push(Field::likely(found));
    }
    walker.start(&whole, inner);
    true
}

/// `xargs`: the words that it reads come last, or in place of a sign.
///
/// Words that are read are arguments and never code, unless the command is a shell: then the word that cannot be determined
/// makes the line dynamic there. The command itself reads nothing, because `xargs` reads the standard input, unless it reads
/// a file or gives the command a terminal.
pub(super) fn xargs(walker: &mut Walker, call: &Call<'_>) -> bool {
    let (inner, context) = (&call.inner, call.context);
    if let Some(file) = call.value("-a") {
        walker.use_path(Access::Read, &file, context);
    }
    let slots = call.slots();
    let start = slots.first().map_or(call.args.len(), |slot| slot.at);
    if call.has_before("--help|--version", start) {
        return true;
    }
    call.note_unclear(walker, start);
    let reads_file = call.has_before("-a", start);
    let stdin = inner.stdin.as_ref().filter(|_| !reads_file);
    let found = words_of(stdin);
    let text = stdin.and_then(Value::text);
    let inner = &match (reads_file, call.has_before("-o", start)) {
        (_, true) => Context { stdin: None, ..inner.clone() },
        (true, false) => inner.clone(),
        (false, false) => Context { stdin: Some(Value::Text("".into())), ..inner.clone() },
    };
    let replaces = call.has_before("-I|-i|--replace|-J", start);
    let sign = call.value("-I|-i|--replace|-J").map_or_else(|| Some("{}".to_owned()), |field| field.text);
    if replaces && sign.is_none() {
        walker.dynamic(Cause::Variable);
    }
    let sign = sign.as_deref().filter(|_| replaces);
    let command = call.words_at(start);
    let may_be_value = slots.first().is_some_and(|slot| slot.may_be_value);
    let mut start_all = |whole: &[Field]| {
        walker.start(whole, inner);
        if may_be_value {
            walker.start(whole.get(1..).unwrap_or_default(), inner);
        }
    };
    if let Some(sign) = sign.filter(|sign| !sign.is_empty())
        && let Some(lines) = text.and_then(|text| lines_of(text))
    {
        for line in lines {
            let fill = |field: &Field| match field.as_str() {
                Some(text) if text.contains(sign) => Field::known(text.replace(sign, line)),
                _ => field.clone(),
            };
            start_all(&command.iter().map(fill).collect::<Vec<_>>());
        }
        return true;
    }
    let mut whole: Vec<Field> = command.iter().map(|field| with_hole(field, sign, &found)).collect();
    if whole.is_empty() {
        whole.push(Field::known("echo"));
    }
    if start == 0
        && let Some(text) = text.filter(|text| is_plain(text))
    {
        whole.extend(text.split_ascii_whitespace().map(Field::known));
    } else if !replaces {
        whole.push(Field { likely: found, ..Field::unknown() });
    }
    start_all(&whole);
    true
}

/// `parallel`: a command line with holes for each input, which a shell runs.
///
/// Without a command the inputs themselves are the commands. They are known only where they are on the line, behind
/// `:::` or as the text of a pipe; read from a file they can be anything.
pub(super) fn parallel(walker: &mut Walker, call: &Call<'_>) -> bool {
    let inner = &call.inner;
    let slots = call.slots();
    let start = slots.first().map_or(call.args.len(), |slot| slot.at);
    if call.has_before("--version|--help|--citation", start) {
        return true;
    }
    call.note_unclear(walker, start);
    let text = inner.text();
    let mut inner = Context { stdin: None, ..inner.clone() };
    inner.foreign |= call.has_before("-S|--sshlogin|--sshloginfile", start);
    let rest = call.words_at(start);
    let is_source = |field: &Field| field.as_str().is_some_and(|text| text.starts_with(":::"));
    let sources = rest.iter().position(is_source).unwrap_or(rest.len());
    let (template, inputs) = rest.split_at(sources);
    let piped = text
        .as_deref()
        .filter(|text| !text.is_empty())
        .and_then(lines_of)
        .filter(|_| inputs.is_empty() && !call.has_before("-a|--pipe", start));
    let is_literal = piped.is_some()
        || inputs.iter().all(|field| field.text.is_some())
            && inputs.first().is_some_and(|field| field.is(":::"))
            && inputs.iter().filter(|field| is_source(field)).count() == 1
            && inputs.len() <= 64;
    let values = piped.unwrap_or_else(|| inputs.iter().skip(1).filter_map(Field::as_str).collect());
    if template.is_empty() {
        if !is_literal {
            walker.dynamic(Cause::Stdin);
        }
        for input in values {
            shells::joined_code(walker, &[Field::known(input)], &inner);
        }
        return true;
    }
    // `{}`, `{.}`, `{1}` and the like are holes; the text between braces decides which part of the input is meant.
    let is_hole = |text: &str| text.contains('{') && text.contains('}');
    let has_hole = template.iter().any(|field| field.as_str().is_some_and(is_hole));
    let filled = |input: Option<&str>| -> Vec<Field> {
        let fill = |field: &Field| match (field.as_str(), input) {
            (Some(text), Some(input)) if text.contains("{}") && !is_hole(&text.replace("{}", "")) => {
                Field::known(text.replace("{}", &crate::quote(input)))
            }
            // Inside of code the rest of the text still counts.
            (Some(text), _) if is_hole(text) && text.contains([' ', ';', '|']) => {
                Field::known(text.replace("{}", "\"$_\"").replace(['{', '}'], "\"$_\""))
            }
            (Some(text), _) if is_hole(text) => {
                Field::known(text.split('{').next().unwrap_or_default().to_owned() + "\"$_\"")
            }
            _ => field.clone(),
        };
        let mut words: Vec<Field> = template.iter().map(fill).collect();
        if !has_hole {
            words.push(input.map_or_else(Field::unknown, |input| Field::known(crate::quote(input))));
        }
        words
    };
    if is_literal {
        for input in values {
            shells::joined_code(walker, &filled(Some(input)), &inner);
        }
    } else {
        shells::joined_code(walker, &filled(None), &inner);
    }
    true
}
