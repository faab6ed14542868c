//! Options before the command of a launcher.

use crate::field::Field;

/// Which options a launcher knows. An option that is not listed may or may not take a value, so what follows it
/// cannot be determined.
#[derive(Debug, Default)]
pub(super) struct Spec {
    /// Letters without a value.
    pub(super) flags: &'static str,
    /// Letters with a value, attached or as the next word.
    pub(super) values: &'static str,
    /// Letters that may have a value attached.
    pub(super) optional: &'static str,
    /// Long names without a value, or with one behind `=` only.
    pub(super) long_flags: &'static [&'static str],
    /// Long names with a value, behind `=` or as the next word.
    pub(super) long_values: &'static [&'static str],
}

/// The options that were found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Names (one letter, or the whole long name) and values.
    pub(super) options: Vec<(String, Option<Field>)>,
    /// Where the operands begin.
    pub(super) rest: usize,
    /// Whether that is uncertain.
    pub(super) unclear: bool,
    /// How many words that cannot be determined stand among the options.
    pub(super) unknown: usize,
}

impl Found {
    /// Whether one of `names` was given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    /// The value of the last option that is one of `names`.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Field> {
        let options = self.options.iter().rev();
        options.filter(|(name, _)| names.contains(&name.as_str())).find_map(|(_, value)| value.as_ref())
    }
}

/// Reads the options at the beginning of `args`, up to the first operand or `--`.
pub(super) fn scan(args: &[Field], spec: &Spec) -> Found {
    let mut found = Found::default();
    while let Some(arg) = args.get(found.rest) {
        let sets_variable = arg.single && arg.variable.as_ref().is_some_and(|name| !name.starts_with('-'));
        if sets_variable {
            break;
        }
        let Some(text) = arg.as_str() else {
            // It may be an option, its value, an operand, or nothing at all.
            found.unclear = true;
            found.unknown += 1;
            found.rest += 1;
            continue;
        };
        if arg.glob && text.starts_with('-') {
            found.unclear = true;
        }
        if text == "--" {
            found.rest += 1;
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            found.rest += 1;
            take_long(long, args, spec, &mut found);
        } else if text.len() > 1 && text.starts_with('-') {
            found.rest += 1;
            take_short(text.get(1..).unwrap_or_default(), args, spec, &mut found);
        } else {
            break;
        }
    }
    found
}

/// Reads one long option, whose dashes have been taken off.
fn take_long(written: &str, args: &[Field], spec: &Spec, found: &mut Found) {
    let (name, attached) = match written.split_once('=') {
        Some((name, value)) => (name, Some(Field::known(value))),
        None => (written, None),
    };
    let all = || spec.long_flags.iter().chain(spec.long_values);
    let exact = all().find(|known| **known == name);
    // GNU programs accept the beginning of a name that begins like no other.
    let mut candidates = all().filter(|known| known.starts_with(name));
    let unique = candidates.next().filter(|_| candidates.next().is_none());
    let Some(full) = exact.or(unique) else {
        found.unclear = true;
        return;
    };
    let mut value = attached;
    if value.is_none() && spec.long_values.contains(full) {
        value = args.get(found.rest).cloned();
        found.rest += 1;
    }
    found.options.push(((*full).to_owned(), value));
}

/// Reads a bundle of short options, whose dash has been taken off. A letter with a value ends the bundle.
fn take_short(bundle: &str, args: &[Field], spec: &Spec, found: &mut Found) {
    let mut rest = bundle;
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        let attached = || (!rest.is_empty()).then(|| Field::known(rest));
        if spec.values.contains(letter) {
            let value = attached().or_else(|| {
                found.rest += 1;
                args.get(found.rest - 1).cloned()
            });
            found.options.push((letter.to_string(), value));
            return;
        }
        if spec.optional.contains(letter) {
            found.options.push((letter.to_string(), attached()));
            return;
        }
        if !spec.flags.contains(letter) {
            found.unclear = true;
        }
        found.options.push((letter.to_string(), None));
    }
}
