//! What users of other programs write into the matcher of a tool event.

/// What other agents call the tools that the agent has.
/// Compared without regard to case.
const NAMES: [(&str, &str); 23] = [
    ("bash", "run_shell_command"),
    ("shell", "run_shell_command"),
    ("sh", "run_shell_command"),
    ("exec", "run_shell_command"),
    ("exec_command", "run_shell_command"),
    ("local_shell", "run_shell_command"),
    ("terminal", "run_shell_command"),
    ("write", "write_file"),
    ("create", "write_file"),
    ("create_file", "write_file"),
    ("edit", "replace"),
    ("multiedit", "replace"),
    ("edit_file", "replace"),
    ("str_replace", "replace"),
    ("read", "read_file"),
    ("view", "read_file"),
    ("cat", "read_file"),
    ("grep", "search_file_content"),
    ("search", "search_file_content"),
    ("rg", "search_file_content"),
    ("ls", "list_directory"),
    ("list", "list_directory"),
    ("find", "glob"),
];

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
            let known = NAMES.iter().find(|(name, _)| bare.eq_ignore_ascii_case(name));
            known.map_or_else(
                || if bare.eq_ignore_ascii_case("glob") { "glob" } else { word },
                |(_, ours)| {
                    translated = true;
                    ours
                },
            )
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
