//! What is known of the flags of common programs: which take a value, which names are one flag, which words are
//! subcommands with flags of their own.
//!
//! A table is text in the notation of manuals, read where it is needed and never built up: `-f|--force` are two names
//! of one flag, `-o|--output=` takes a value, `--color=?` may take one, but only behind `=`. Of a program or a flag
//! that no table knows, every reading is tried; see [`super::words`].

mod cloud;
mod containers;
mod coreutils;
mod files;
mod git;
mod network;
mod packages;
mod system;

/// How a program, or one of its subcommands, reads its words.
#[derive(Debug)]
pub(crate) struct Syntax {
    /// Its names, joined by `|`. Patterns and commands may use any of them.
    pub(crate) names: &'static str,
    /// Its flags, separated by blanks.
    flags: &'static str,
    /// The words that are followed by flags of their own.
    pub(crate) commands: &'static [Syntax],
    /// How its flags are spelled.
    pub(crate) spelling: Spelling,
    /// Whether the first operand ends its flags, because the rest is another command.
    pub(crate) ends_at_operand: bool,
    /// Whether its flags may stand behind its subcommands too.
    pub(crate) is_global: bool,
    /// Whether its first word is a bundle of flags even without a dash, as in `tar xzf`.
    pub(crate) is_dashless: bool,
}

/// How the flags of a program are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// Bundles of short names, and long names that may be cut short: GNU's way, git's and Python's.
    Abbreviated,
    /// Bundles of short names, and long names in full.
    InFull,
    /// Words behind a single dash: `find -name`, `terraform apply -auto-approve`. Nothing is bundled.
    SingleDash,
}

/// One flag of a table: its names, joined by `|`, and whether it takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownFlag {
    /// All its names with their dashes, joined by `|`.
    pub(crate) names: &'static str,
    /// Whether a value follows.
    pub(crate) takes: Takes,
}

/// Whether a flag takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// It does not.
    Nothing,
    /// In the same word or in the next one.
    Value,
    /// In the same word only.
    Optional,
}

impl KnownFlag {
    /// Whether `name` is one of its names.
    pub(crate) fn is_named(self, name: &str) -> bool {
        self.names.split('|').any(|known| known == name)
    }
}

impl Syntax {
    /// A program or subcommand in GNU's way.
    const fn new(names: &'static str, flags: &'static str) -> Self {
        Self {
            names,
            flags,
            commands: &[],
            spelling: Spelling::Abbreviated,
            ends_at_operand: false,
            is_global: false,
            is_dashless: false,
        }
    }

    /// One whose long names must be written in full.
    const fn in_full(names: &'static str, flags: &'static str) -> Self {
        Self { spelling: Spelling::InFull, ..Self::new(names, flags) }
    }

    /// One whose flags are words behind a single dash.
    const fn single_dash(names: &'static str, flags: &'static str) -> Self {
        Self { spelling: Spelling::SingleDash, ..Self::new(names, flags) }
    }

    /// The same with subcommands whose flags are apart from its own.
    const fn with(self, commands: &'static [Self]) -> Self {
        Self { commands, ..self }
    }

    /// The same with subcommands behind which its own flags may stand too.
    const fn with_global(self, commands: &'static [Self]) -> Self {
        Self { commands, is_global: true, ..self }
    }

    /// The same, for a program that runs the command behind its flags.
    const fn launcher(self) -> Self {
        Self { ends_at_operand: true, ..self }
    }

    /// The same, for a program whose first word is a bundle without a dash.
    const fn dashless(self) -> Self {
        Self { is_dashless: true, ..self }
    }

    /// The table of a program.
    pub(crate) fn of(program: &str) -> Option<&'static Self> {
        TABLES.iter().flat_map(|table| table.iter()).find(|syntax| syntax.is_named(program))
    }

    /// Whether `name` is one of its names.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.names.split('|').any(|known| known == name)
    }

    /// Its first name.
    pub(crate) fn name(&self) -> &'static str {
        self.names.split('|').next().unwrap_or_default()
    }

    /// All its flags.
    pub(crate) fn flags(&self) -> impl Iterator<Item = KnownFlag> + use<> {
        self.flags.split_ascii_whitespace().map(|entry| {
            if let Some(names) = entry.strip_suffix("=?") {
                KnownFlag { names, takes: Takes::Optional }
            } else if let Some(names) = entry.strip_suffix('=') {
                KnownFlag { names, takes: Takes::Value }
            } else {
                KnownFlag { names: entry, takes: Takes::Nothing }
            }
        })
    }

    /// The flag of this name.
    pub(crate) fn flag(&self, name: &str) -> Option<KnownFlag> {
        self.flags().find(|flag| flag.is_named(name))
    }

    /// The flags that `prefix` may stand for where long names may be cut short.
    pub(crate) fn flags_from<'p>(&self, prefix: &'p str) -> impl Iterator<Item = KnownFlag> + use<'p> {
        let abbreviates = self.spelling == Spelling::Abbreviated && prefix.len() > 2;
        self.flags().filter(move |flag| {
            abbreviates && flag.names.split('|').any(|name| name.starts_with("--") && name.starts_with(prefix))
        })
    }

    /// The subcommand of this name.
    pub(crate) fn command(&self, name: &str) -> Option<&'static Self> {
        self.commands.iter().find(|command| command.is_named(name))
    }
}

/// All tables. Programs that are asked about most stand first.
const TABLES: &[&[Syntax]] = &[
    git::PROGRAMS,
    coreutils::PROGRAMS,
    files::PROGRAMS,
    packages::PROGRAMS,
    containers::PROGRAMS,
    network::PROGRAMS,
    system::PROGRAMS,
    cloud::PROGRAMS,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A name that stands for two flags would make one of them unreachable.
    fn check(syntax: &Syntax, path: &str) {
        let mut seen = BTreeSet::new();
        for flag in syntax.flags() {
            for name in flag.names.split('|') {
                assert!(seen.insert(name), "{path}: `{name}` stands twice");
                let dashes = name.bytes().take_while(|byte| *byte == b'-').count();
                let is_short = dashes == 1 && name.chars().count() == 2;
                let is_single = dashes == 1 && syntax.spelling == Spelling::SingleDash;
                let is_plus = name.starts_with('+');
                assert!(dashes == 2 || is_short || is_single || is_plus, "{path}: `{name}` is no flag");
                assert!(!name.contains('='), "{path}: `{name}`");
            }
        }
        let mut names = BTreeSet::new();
        for command in syntax.commands {
            for name in command.names.split('|') {
                assert!(names.insert(name), "{path}: the command `{name}` stands twice");
            }
            check(command, &format!("{path} {}", command.name()));
        }
    }

    #[test]
    fn no_name_stands_twice() {
        let mut names = BTreeSet::new();
        for syntax in TABLES.iter().flat_map(|table| table.iter()) {
            for name in syntax.names.split('|') {
                assert!(names.insert(name), "the program `{name}` stands twice");
            }
            check(syntax, syntax.name());
        }
        assert!(names.len() > 150, "{}", names.len());
    }

    #[test]
    fn the_notation_is_read() {
        let rm = Syntax::of("rm").unwrap();
        assert_eq!(rm.flag("--recursive").unwrap(), rm.flag("-R").unwrap());
        assert_eq!(rm.flag("--recursive").unwrap().takes, Takes::Nothing);
        assert_eq!(Syntax::of("git").unwrap().flag("-C").unwrap().takes, Takes::Value);
        assert_eq!(rm.flags_from("--recurs").count(), 1);
        assert_eq!(rm.flags_from("--").count(), 0);
        assert!(Syntax::of("npm").unwrap().command("i").unwrap().is_named("install"));
        assert!(Syntax::of("no-such-program").is_none());
    }
}
