//! Tests of the shell reader: against Bash itself, against tables, and against texts made to break it.

#[cfg(target_os = "linux")] // It needs the programs of Linux in their places.
mod against_bash;
mod bounds;
mod causes;
mod expected;
mod harmless;
mod quoting;
mod terminals;

use super::{Access, Extent, PathBase, ShellFacts, facts_of_argv, facts_of_line};

/// The commands of a line, one string each, with `?` for words that cannot be determined.
pub(crate) fn commands(facts: &ShellFacts) -> Vec<String> {
    let word = |word: &Option<String>| word.clone().unwrap_or_else(|| "?".to_owned());
    facts.commands.iter().map(|command| command.argv.iter().map(word).collect::<Vec<_>>().join(" ")).collect()
}

/// The paths of a line that count in any case, one string each: `r`, `u` or `w`, the path, and behind `@` the directory unless it is the call's.
pub(crate) fn paths(facts: &ShellFacts) -> Vec<String> {
    let describe = |path: &super::PathUse| {
        let access = match path.access {
            Access::Read => 'r',
            Access::Use => 'u',
            Access::Write => 'w',
        };
        let base = match &path.base {
            PathBase::CallDirectory(operands) if operands.is_empty() => String::new(),
            PathBase::CallDirectory(operands) => format!("@{}", operands.join("/")),
            PathBase::Unknown => "@?".to_owned(),
        };
        let tail = match path.extent {
            Extent::Whole => "",
            Extent::Beginning => "?",
            Extent::Everything => "**",
        };
        format!("{access} {}{tail}{base}", path.path.as_deref().unwrap_or("?"))
    };
    facts.paths.iter().filter(|path| !path.only_in_folder).map(describe).collect()
}
