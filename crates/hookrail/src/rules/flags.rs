//! What is known of the flags of common programs: which take a value, which names are one flag, which words are
//! subcommands with flags of their own.
//!
//! A table is text in the notation of manuals, read where it is needed and never built up: `-f|--force` are two names
//! of one flag, `-o|--output=` takes a value, `--color=?` may take one, but only behind `=`. `+*` is rustup's choice of a toolchain. Of a program or a flag
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
    /// Its names, joined by `|`; patterns and commands may use any of them. A comma separates commands that differ but
    /// have the same flags.
    names: &'static str,
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
        TABLES.iter().flat_map(|table| table.iter()).find(|syntax| syntax.first_name(program).is_some())
    }

    /// The first of the names that mean the same as `name`; `None` if that is not one of its names.
    pub(crate) fn first_name(&self, name: &str) -> Option<&'static str> {
        let same = self.names.split(',').find(|same| same.split('|').any(|known| known == name))?;
        same.split('|').next()
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
            abbreviates
                && flag.names.split('|').any(|name| name.starts_with("--") && name.starts_with(prefix))
        })
    }

    /// The subcommand of this name, with the first of its names.
    pub(crate) fn command(&self, name: &str) -> Option<(&'static Self, &'static str)> {
        self.commands.iter().find_map(|command| Some((command, command.first_name(name)?)))
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
mod tests;
