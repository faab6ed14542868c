//! What users of other programs write into the matcher of a tool event.

/// What other agents call the tools that the agent has, compared without regard to case.
const NAMES: [(&str, &str); 6] = [
    ("run_shell_command", "bash shell sh exec exec_command local_shell terminal"),
    ("write_file", "write create create_file"),
    ("replace", "edit multiedit edit_file str_replace"),
    ("read_file", "read view cat"),
    ("search_file_content", "grep search rg"),
    ("list_directory", "ls list"),
];

/// Our name of a tool that another agent has.
fn ours(name: &str) -> Option<&'static str> {
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    if is("find") {
        return Some("glob");
    }
    NAMES.iter().find(|(_, names)| names.split(' ').any(is)).map(|(ours, _)| *ours)
}

/// The same matcher with our names for another agent's tools; `None` if it holds none. Alternatives are translated one
/// by one: `Write|Edit` is `write_file|replace`.
/// A part in parentheses, as in `Bash(git push:*)`, is dropped: here it is a condition of a rule.
pub(super) fn of_another_agent(matcher: &str) -> Option<String> {
    if matcher.len() > 256 {
        return None;
    }
    let mut translated = false;
    let words: Vec<&str> = matcher
        .split('|')
        .map(|word| {
            let bare = word.trim().trim_start_matches('^').trim_end_matches('$').trim_matches(['(', ')']);
            let bare = bare.split_once('(').map_or(bare, |(name, _)| name);
            let known = ours(bare);
            translated |= known.is_some();
            known.unwrap_or(if bare.eq_ignore_ascii_case("glob") { "glob" } else { word })
        })
        .collect();
    let joined = words.join("|");
    (translated || joined != matcher).then_some(joined)
}

/// The regular expression that a matcher was probably meant to be, if it looks like a glob: a `*` behind a letter, a
/// digit or an underscore, which as a regular expression repeats that one character.
pub(super) fn glob_as_regex(matcher: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let looks_like_it =
        matcher.chars().all(|c| plain(c) || c == '*') && matcher.contains('*') && matcher.chars().any(plain);
    looks_like_it.then(|| format!("^{}$", matcher.replace('*', ".*")))
}

#[cfg(test)]
mod tests;
