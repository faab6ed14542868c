//! Variables that are code to the shell itself, or to a program that finds them in its environment.
//!
//! They are read where they are set, whether or not they are exported there: they may be so already, and which programs
//! look at them cannot be listed. Only what a new shell runs by itself waits for a shell, because `ENV` and `HOME` are
//! names that many programs use in other ways.

use super::{Context, Walker, base_name};
use crate::act;
use crate::book::Entry;
use crate::facts::{Access, Cause, CommandFact};
use crate::field::Field;
use crate::state::{StateKey, Value};

/// What the book says about a variable.
pub(super) fn known(name: &str) -> Option<Entry> {
    // All that it knows begin so, and most variables of a line do not.
    if !name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_') {
        return None;
    }
    let start = ["BASH_FUNC_", "GIT_CONFIG_KEY_"].iter().find(|start| name.starts_with(**start));
    let family = start.map(|start| format!("{start}*"));
    Entry::among("shell/variable", family.as_deref().unwrap_or(name))
}

/// How a variable makes a new shell run what its arguments do not name: any shell, an interactive one, or one that is
/// interactive, a login shell or zsh.
const START_FILES: [&str; 3] = ["start-file", "interactive-start-file", "home-start-file"];

/// Whether a text may name the environment of a process, or a command that shows it. Other signs than these may put such a
/// name together.
pub(crate) fn may_name_environment(text: &str) -> bool {
    let is_plain = |sign: char| sign.is_alphanumeric() || " \n\t_./:@=,+&|;~>()-".contains(sign);
    !text.chars().all(is_plain) || names_environment(text)
}

fn names_environment(text: &str) -> bool {
    let is_name = |word: &str| {
        let word = word.to_ascii_lowercase();
        matches!(word.as_str(), "env" | "environ" | "envsubst" | "printenv" | "getenv" | "setenv")
    };
    text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').any(is_name)
}

/// Whether a command may show its environment: by its name, by a variable, or by code that may do so.
fn may_show_environment(command: &CommandFact) -> bool {
    let name = command.argv.first().and_then(Option::as_deref).map(base_name);
    matches!(name, Some("set" | "export" | "declare" | "typeset" | "compgen"))
        || command.argv.iter().any(|word| word.as_deref().is_none_or(may_name_environment))
}

impl Walker {
    /// Notes the files from which a program takes an environment.
    pub(crate) fn use_environments(
        &mut self,
        program: &str,
        files: &[Field],
        shown: bool,
        context: &Context,
    ) {
        let shown = shown || self.files.values().flatten().any(|content| names_environment(content));
        for file in files {
            self.use_path(if shown { Access::Read } else { Access::Use }, file, context);
        }
        self.given_environments.insert(program.to_owned());
    }

    /// Looks whether one of these programs starts a command that shows its environment, now or later (`docker exec`).
    pub(super) fn show_environments(&mut self) {
        let is_given = |name: &String| self.given_environments.contains(name);
        let shows = |command: &CommandFact| command.via.iter().any(is_given) && may_show_environment(command);
        if self.facts.commands.iter().any(shows) {
            for used in self.facts.paths.iter_mut().filter(|used| used.access == Access::Use) {
                used.access = Access::Read;
            }
        }
    }

    /// Reads what a variable that is set to `value` makes a shell or another program run.
    pub(crate) fn note_variable(&mut self, name: &str, value: Option<&str>, context: &Context) {
        self.note_known(known(name), value, context);
    }

    /// The same for a variable that was looked up.
    pub(super) fn note_known(&mut self, known: Option<Entry>, value: Option<&str>, context: &Context) {
        let role = known.map_or("", Entry::role);
        if role.is_empty() || value == Some("") {
            return;
        }
        match (role, value) {
            (role, _) if role.ends_with("start-file") => self.note_start_file(role),
            ("git-key", Some(key)) if !act::is_git_code(key) => {}
            ("prompt", Some(text)) => self.expanded_later(text, context),
            ("code", Some(code)) => self.run_later(code, context),
            ("shell", Some(path)) if act::is_shell(base_name(path)) => {}
            ("shell" | "code+", Some(code)) => {
                // `LESSOPEN` begins with the sign of a pipe.
                let code = code.trim_start_matches(['|', '-', ' ']);
                self.run_later(&format!("{code} \"$_\""), context);
            }
            _ => self.dynamic(Cause::Eval),
        }
    }

    /// Reads the export of a variable whose value may have come from anywhere. Only what shells run by themselves counts:
    /// a value that is code was read where it was set.
    pub(super) fn note_export(&mut self, name: &str) {
        self.note_start_file(known(name).map_or("", Entry::role));
    }

    fn note_start_file(&mut self, role: &str) {
        if let Some(kind) = START_FILES.iter().position(|known| *known == role) {
            self.set_flag(StateKey::StartFile(kind));
        }
    }

    /// Sets a flag of the state.
    pub(super) fn set_flag(&mut self, key: StateKey) {
        self.state.set(key, Some(Value::Set));
    }

    /// What new shells would run by themselves.
    pub(crate) fn start_files(&self) -> [bool; 3] {
        [0, 1, 2].map(|kind| self.state.is_set(&StateKey::StartFile(kind)))
    }

    /// Restores what [`Walker::start_files`] returned.
    pub(crate) fn set_start_files(&mut self, wanted: [bool; 3]) {
        for (kind, (wanted, is_set)) in wanted.into_iter().zip(self.start_files()).enumerate() {
            if wanted != is_set {
                self.state.set(StateKey::StartFile(kind), wanted.then_some(Value::Set));
            }
        }
    }

    /// Marks the line if a shell that is started now runs something by itself.
    pub(crate) fn note_new_shell(&mut self, is_interactive: bool, reads_home: bool) {
        let [always, interactive, home] = self.start_files();
        if always || (interactive && is_interactive) || (home && reads_home) {
            self.dynamic(Cause::Source);
        }
    }

    /// A program that is named by a path of the project may be a script for Bash.
    pub(super) fn note_script(&mut self, name: &str, context: &Context) {
        let is_of_system =
            ["/bin/", "/sbin/", "/usr/", "/opt/", "/nix/"].iter().any(|folder| name.starts_with(folder));
        if name.contains('/') && !is_of_system {
            self.note_new_shell(false, false);
            self.script_file(&Field::known(name), context);
        } else if !name.contains('/') {
            self.note_fetched_program(name);
        }
    }
}
