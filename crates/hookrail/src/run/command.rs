//! What is executed for a hook: program, arguments, environment and directory, ready for the system.
//!
//! It is put together for each run: that takes some microseconds beside the milliseconds of a process, and where the
//! search path leads and whether `PWD` and `OLDPWD` still hold may have changed since the last one.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::direct::{environment_behind_bash, find_program, is_executable, plain_words};
use super::environment::{EnvironmentVariable, for_hook, get, inherited, pwd_in, set};
use crate::hook::{Hook, PROJECT_DIR_VARIABLES};
use crate::settings::Redaction;
use hookrail_shell::outline;

/// Everything the system needs in order to start a hook.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PreparedCommand {
    /// What to execute: always with a slash, so that nothing searches for it again. A relative path counts
    /// from `cwd`, and has to be executed as it is because scripts see it as their name.
    pub(crate) program: OsString,
    /// The name that the program receives as `argv[0]`, where that is another.
    pub(crate) arg0: Option<OsString>,
    /// Its arguments, without its name.
    pub(crate) args: Vec<OsString>,
    /// Its complete environment.
    pub(crate) env: Arc<[EnvironmentVariable]>,
    /// Where it runs.
    pub(crate) cwd: PathBuf,
    /// What to execute instead if this cannot be executed for another reason than a lack of resources.
    pub(crate) fallback: Option<Box<PreparedCommand>>,
}

/// Prepares the commands of hooks.
#[derive(Debug)]
pub(crate) struct CommandPreparer {
    shell: Shell,
    direct_execution: bool,
    pub(crate) inherited: Vec<EnvironmentVariable>,
}

impl CommandPreparer {
    /// Finds the shell and removes from the environment what hooks are not to see.
    pub(crate) fn new(
        environment: Vec<EnvironmentVariable>,
        redaction: &Redaction,
        direct_execution: bool,
    ) -> Self {
        let shell = Shell::find(get(&environment, "PATH"));
        Self::with_shell(shell, environment, redaction, direct_execution)
    }

    fn with_shell(
        shell: Shell,
        environment: Vec<EnvironmentVariable>,
        redaction: &Redaction,
        direct_execution: bool,
    ) -> Self {
        Self {
            // What a direct execution must look like is known of bash on Linux.
            direct_execution: direct_execution && shell.is_bash() && cfg!(target_os = "linux"),
            shell,
            inherited: inherited(environment, redaction),
        }
    }

    /// What to execute for a hook in a directory, now.
    pub(crate) fn prepare(&self, hook: &Hook, cwd: &Path) -> PreparedCommand {
        let pwd = pwd_in(cwd, get(&self.inherited, "PWD"));
        let env = for_hook(&self.inherited, &hook.env, cwd, pwd);
        // The shell decides whether to use a `PWD` that is set by the hook; it is not left out then.
        let sets_folder = hook.env.iter().any(|(name, _)| name == "PWD" || name == "OLDPWD");
        let direct =
            if self.direct_execution && !sets_folder { direct(hook.command(), &env, cwd) } else { None };
        let shell = PreparedCommand {
            program: self.shell.program.clone(),
            // Given a name without a slash, bash looks for itself along `PATH`, which is most of the file accesses of
            // a short hook. So the name that its messages begin with comes after the command.
            arg0: None,
            args: vec![
                "-c".into(),
                quote_project_dirs(hook.command()).into_owned().into(),
                self.shell.name.into(),
            ],
            env: env.into(),
            cwd: cwd.to_owned(),
            fallback: None,
        };
        match direct {
            Some(direct) => PreparedCommand { fallback: Some(Box::new(shell)), ..direct },
            None => shell,
        }
    }
}

/// A command that needs no shell, if its program can be found.
fn direct(command: &str, environment: &[EnvironmentVariable], cwd: &Path) -> Option<PreparedCommand> {
    let mut words = plain_words(command, cwd, None)?.into_iter();
    let mut env = environment_behind_bash(environment, cwd)?;
    let name = words.next()?;
    // A name with a slash is not searched for; whether it can be executed is seen when it is.
    let program = if name.as_encoded_bytes().contains(&b'/') {
        name.clone()
    } else {
        find_program(get(&env, "PATH")?, &name, cwd)?
    };
    set(&mut env, "_".into(), program.clone());
    Some(PreparedCommand {
        arg0: (program != name).then_some(name),
        program,
        args: words.collect(),
        env: env.into(),
        cwd: cwd.to_owned(),
        fallback: None,
    })
}

/// The shell that runs commands.
#[derive(Debug)]
struct Shell {
    program: OsString,
    /// What it is called in its own messages.
    name: &'static str,
}

/// Where systems have their shells. A search path is looked at afterwards: another program may have set it.
const SHELL_FOLDERS: [&str; 5] =
    ["/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin", "/usr/bin", "/bin"];

impl Shell {
    /// Bash where there is one, else `sh`, in the system's folders and then along a search path.
    fn find(search: Option<&OsStr>) -> Self {
        let searched = search.map(std::env::split_paths).into_iter().flatten();
        Self::find_in(&SHELL_FOLDERS.into_iter().map(PathBuf::from).chain(searched).collect::<Vec<_>>())
    }

    /// The same in these folders. A folder that is relative to wherever a hook happens to run is not searched.
    fn find_in(folders: &[PathBuf]) -> Self {
        ["bash", "sh"]
            .into_iter()
            .find_map(|name| {
                let places = folders.iter().filter(|folder| folder.is_absolute());
                let program =
                    places.map(|folder| folder.join(name)).find(|program| is_executable(program))?;
                Some(Self { program: program.into_os_string(), name })
            })
            .unwrap_or_else(|| Self { program: "/bin/sh".into(), name: "sh" })
    }

    fn is_bash(&self) -> bool {
        self.name == "bash"
    }
}

/// Puts every unquoted project-directory variable of a command into double quotes.
///
/// Every hook finds these variables in its environment with exactly the value that they have in its command, so the shell
/// itself expands them correctly in double quotes, here-documents and nested shells, and rightly not at all in single
/// quotes. The one place where it would do too much is outside of quotes: there it splits the directory's name at blanks and
/// takes `*` in it for a pattern. The name of the directory never becomes shell text, which is why none can be dangerous,
/// and the text is the same for every directory. If the reader reads a command differently from the shell, the quotes that
/// are added still come in pairs, and at worst a name is split at its blanks.
pub(crate) fn quote_project_dirs(command: &str) -> Cow<'_, str> {
    if !PROJECT_DIR_VARIABLES.iter().any(|name| command.contains(name)) {
        return Cow::Borrowed(command);
    }
    let mut quoted = String::with_capacity(command.len() + 16);
    let mut rest = 0;
    for variable in outline(command).variables {
        let is_split = variable.is_plain && !variable.is_quoted;
        if !is_split || !PROJECT_DIR_VARIABLES.contains(&variable.name.as_str()) {
            continue;
        }
        let (Some(before), Some(written)) =
            (command.get(rest..variable.span.start), command.get(variable.span.clone()))
        else {
            continue;
        };
        if !is_written_plainly(written, &variable.name) {
            continue;
        }
        quoted.push_str(before);
        quoted.push('"');
        quoted.push_str(written);
        quoted.push('"');
        rest = variable.span.end;
    }
    quoted.push_str(command.get(rest..).unwrap_or_default());
    Cow::Owned(quoted)
}

/// Whether a variable is written as `$name` or `${name}`. In backticks the dollar sign can be escaped and a line can end
/// in the middle of a name; quotes around that would mean something else.
fn is_written_plainly(written: &str, name: &str) -> bool {
    let bare = written.strip_prefix('$').unwrap_or_default();
    bare == name || bare.strip_prefix('{').and_then(|bare| bare.strip_suffix('}')) == Some(name)
}

#[cfg(test)]
mod tests;
