//! Variables that are code to the shell itself, or to a program that finds them in its environment.
//!
//! They are read where they are set, whether or not they are exported there: they may be so already, and which programs
//! look at them cannot be listed. Only what a new shell runs by itself waits for a shell, because `ENV` and `HOME` are
//! names that many programs use in other ways.

use super::{Context, Walker, base_name};
use crate::act;
use crate::facts::Cause;
use crate::field::Field;
use crate::state::{StartFile, StateKey, Value};

/// What the value of a variable is.
enum VariableUse {
    /// Text that is expanded when it is shown.
    Prompt,
    /// Code that is run as it is.
    Code,
    /// Code that is run with words behind it.
    CodeWithWords,
    /// A shell, which is run with code.
    Shell,
    /// The way to a file that a new shell runs.
    StartFile(StartFile),
    /// Options or definitions that can hold code.
    Opaque,
}

/// Variables whose value is run as it is.
#[rustfmt::skip] // A list is read as a block.
const CODE: [&str; 11] = [
    "PROMPT_COMMAND", "PAGER", "FZF_DEFAULT_COMMAND", "MANPAGER", "GIT_PAGER", "SYSTEMD_PAGER", "PSQL_PAGER", "AWS_PAGER", "GH_PAGER",
    "DELTA_PAGER", "BAT_PAGER",
];
/// Variables whose value is run with words behind it.
#[rustfmt::skip]
const CODE_WITH_WORDS: [&str; 19] = [
    "EDITOR", "VISUAL", "FCEDIT", "SUDO_EDITOR", "KUBE_EDITOR", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH",
    "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS",
    "RSYNC_RSH", "CVS_RSH", "BROWSER", "LESSOPEN", "LESSCLOSE",
];

fn meaning(name: &str) -> Option<VariableUse> {
    Some(match name {
        "PS0" | "PS1" | "PS4" => VariableUse::Prompt,
        _ if CODE.contains(&name) => VariableUse::Code,
        _ if CODE_WITH_WORDS.contains(&name) => VariableUse::CodeWithWords,
        "SHELL" => VariableUse::Shell,
        "BASH_ENV" => VariableUse::StartFile(StartFile::Always),
        "ENV" => VariableUse::StartFile(StartFile::Interactive),
        "HOME" | "ZDOTDIR" => VariableUse::StartFile(StartFile::Home),
        "BASH_ALIASES" | "BASH_CMDS" | "GIT_CONFIG_PARAMETERS" | "TAR_OPTIONS" => VariableUse::Opaque,
        _ if name.starts_with("BASH_FUNC_") => VariableUse::StartFile(StartFile::Always),
        _ if name.starts_with("GIT_CONFIG_KEY_") => VariableUse::Opaque,
        _ => return None,
    })
}

impl Walker {
    /// Reads what a variable that is set to `value` makes a shell or another program run.
    pub(crate) fn note_variable(&mut self, name: &str, value: Option<&str>, context: &Context) {
        let Some(meaning) = meaning(name) else { return };
        if value == Some("") {
            return;
        }
        match (meaning, value) {
            (VariableUse::StartFile(kind), _) => self.state.set(StateKey::StartFile(kind), Some(Value::Set)),
            (VariableUse::Opaque, Some(key)) if name.starts_with("GIT_CONFIG_KEY_") => {
                if act::is_git_code(key) {
                    self.dynamic(Cause::Eval);
                }
            }
            (VariableUse::Opaque, _) | (_, None) => self.dynamic(Cause::Eval),
            (VariableUse::Prompt, Some(text)) => self.expanded_later(text, context),
            (VariableUse::Code, Some(code)) => self.run_later(code, context),
            (VariableUse::CodeWithWords, Some(code)) => {
                // `LESSOPEN` begins with the sign of a pipe.
                let code = code.trim_start_matches(['|', '-', ' ']);
                self.run_later(&format!("{code} \"$_\""), context);
            }
            (VariableUse::Shell, Some(path)) => {
                if !act::is_shell(base_name(path)) {
                    self.run_later(&format!("{path} \"$_\""), context);
                }
            }
        }
    }

    /// Reads the export of a variable whose value may have come from anywhere. Only what shells run by themselves counts:
    /// a value that is code was read where it was set.
    pub(super) fn note_export(&mut self, name: &str) {
        if let Some(VariableUse::StartFile(kind)) = meaning(name) {
            self.state.set(StateKey::StartFile(kind), Some(Value::Set));
        }
    }

    /// Reads the export of what cannot be determined, which may be any variable.
    pub(super) fn note_any_export(&mut self) {
        self.state.set(StateKey::StartFile(StartFile::Always), Some(Value::Set));
    }

    /// What new shells would run by themselves.
    pub(crate) fn start_files(&self) -> [bool; 3] {
        StartFile::ALL.map(|kind| self.state.is_set(&StateKey::StartFile(kind)))
    }

    /// Restores what [`Walker::start_files`] returned.
    pub(crate) fn set_start_files(&mut self, wanted: [bool; 3]) {
        for ((kind, wanted), is_set) in StartFile::ALL.into_iter().zip(wanted).zip(self.start_files()) {
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
