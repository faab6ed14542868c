//! What is executed for a hook: program, arguments, environment and directory, ready for the system.
//!
//! Nothing of this depends on the event, so it is put together at a hook's first run in a directory and
//! kept. What may change between two runs and is cheap to look at is looked at each time: where the search path leads, and whether `PWD` and `OLDPWD` still hold.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::direct::{self, environment_behind_bash, is_directory, is_executable, plain_words};
use super::environment::{EnvironmentVariable, WorkingDirectory, for_hook, get, inherited, set};
use super::unix::lock;
use crate::hook::{Hook, PROJECT_DIR_VARIABLES};
use crate::settings::Redaction;
use hookrail_shell::outline;

/// How many directories are kept. Beyond that all are dropped at once: a bound that is reached only under attack needs no
/// better strategy.
const MAX_DIRECTORIES: usize = 16;
/// How many hooks are kept for each directory; beyond that all are dropped, too.
const MAX_HOOKS: usize = 4096;

/// Everything the system needs in order to start a hook.
#[derive(Debug, Clone)]
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

/// Prepares the commands of hooks, and keeps them.
#[derive(Debug)]
pub(crate) struct CommandPreparer {
    shell: Shell,
    direct_execution: bool,
    inherited: Vec<EnvironmentVariable>,
    directories: Mutex<HashMap<PathBuf, Arc<Directory>>>,
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
            directories: Mutex::default(),
        }
    }

    /// What all hooks inherit.
    pub(crate) fn inherited(&self) -> &[EnvironmentVariable] {
        &self.inherited
    }

    /// What to execute for a hook in a directory, now.
    pub(crate) fn prepare(&self, hook: &Arc<Hook>, cwd: &Path) -> Arc<PreparedCommand> {
        let directory = self.directory(cwd);
        let ways = directory.ways(hook, || Ways::new(self, hook, &directory));
        let direct = ways.direct.as_ref().and_then(|direct| direct.now(&directory, &ways.shell));
        direct.unwrap_or_else(|| Arc::clone(&ways.shell))
    }

    fn directory(&self, cwd: &Path) -> Arc<Directory> {
        let mut directories = lock(&self.directories);
        if let Some(directory) = directories.get(cwd).filter(|directory| directory.is_current()) {
            return Arc::clone(directory);
        }
        let directory = Arc::new(Directory::load(&self.inherited, cwd));
        if directories.len() >= MAX_DIRECTORIES {
            directories.clear();
        }
        directories.insert(cwd.to_owned(), Arc::clone(&directory));
        directory
    }
}

/// A directory with what is known of the hooks that ran in it.
#[derive(Debug)]
struct Directory {
    working: WorkingDirectory,
    /// `OLDPWD`, and whether it led to a directory when the environments were made.
    previous: Option<(OsString, bool)>,
    /// The environment of all hooks that add nothing to it.
    environment: Arc<[EnvironmentVariable]>,
    /// By the address of the hook.
    hooks: Mutex<HashMap<usize, PreparedHook>>,
}

/// A hook and the ways to execute it. The hook is kept alive, so that no other hook can get its address.
type PreparedHook = (Arc<Hook>, Arc<Ways>);

impl Directory {
    fn load(inherited: &[EnvironmentVariable], cwd: &Path) -> Self {
        let working = WorkingDirectory::load(cwd, get(inherited, "PWD"));
        let previous = get(inherited, "OLDPWD").map(|path| (path.to_owned(), is_directory(path, cwd)));
        let environment = for_hook(inherited, &[], &working).into();
        Self { working, previous, environment, hooks: Mutex::default() }
    }

    fn is_current(&self) -> bool {
        self.working.is_current()
            && self.previous.iter().all(|(path, was)| is_directory(path, &self.working.path) == *was)
    }

    fn ways(&self, hook: &Arc<Hook>, make: impl FnOnce() -> Ways) -> Arc<Ways> {
        let mut hooks = lock(&self.hooks);
        let address = Arc::as_ptr(hook).addr();
        if let Some((_, ways)) = hooks.get(&address) {
            return Arc::clone(ways);
        }
        if hooks.len() >= MAX_HOOKS {
            hooks.clear();
        }
        let ways = Arc::new(make());
        hooks.insert(address, (Arc::clone(hook), Arc::clone(&ways)));
        ways
    }
}

/// The ways to execute one hook in one directory.
#[derive(Debug)]
struct Ways {
    shell: Arc<PreparedCommand>,
    direct: Option<Direct>,
}

impl Ways {
    fn new(preparer: &CommandPreparer, hook: &Hook, directory: &Directory) -> Self {
        let env = if hook.env.is_empty() {
            Arc::clone(&directory.environment)
        } else {
            for_hook(&preparer.inherited, &hook.env, &directory.working).into()
        };
        let shell = Arc::new(PreparedCommand {
            program: preparer.shell.program.clone(),
            // Given a name without a slash, bash looks for itself along `PATH`, which is most of the file accesses of
            // a short hook. So the name that its messages begin with comes after the command.
            arg0: None,
            args: vec![
                "-c".into(),
                quote_project_dirs(hook.command()).into_owned().into(),
                preparer.shell.name.into(),
            ],
            env,
            cwd: directory.working.path.clone(),
            fallback: None,
        });
        // The shell decides whether to use a `PWD` that is set by the hook; it is not left out then.
        let sets_folder = hook.env.iter().any(|(name, _)| name == "PWD" || name == "OLDPWD");
        let direct = if preparer.direct_execution && !sets_folder {
            Direct::new(hook.command(), &shell.env, &directory.working.path)
        } else {
            None
        };
        Self { shell, direct }
    }
}

/// A command that needs no shell.
#[derive(Debug)]
struct Direct {
    /// The program as it was written.
    name: OsString,
    args: Vec<OsString>,
    /// Complete but for `_`, which holds the path under which the program was found.
    environment: Vec<EnvironmentVariable>,
    /// What was executed last, which is almost always what will be executed next.
    last: Mutex<Option<Arc<PreparedCommand>>>,
}

impl Direct {
    fn new(command: &str, environment: &[EnvironmentVariable], cwd: &Path) -> Option<Self> {
        let mut words = plain_words(command, cwd, None)?.into_iter();
        let environment = environment_behind_bash(environment, cwd)?;
        Some(Self { name: words.next()?, args: words.collect(), environment, last: Mutex::default() })
    }

    /// The command if its program can be found now.
    fn now(&self, directory: &Directory, shell: &Arc<PreparedCommand>) -> Option<Arc<PreparedCommand>> {
        let program = self.find(&directory.working.path)?;
        let mut last = lock(&self.last);
        if let Some(last) = last.as_ref().filter(|last| last.program == program) {
            return Some(Arc::clone(last));
        }
        let mut env = self.environment.clone();
        set(&mut env, "_".into(), program.clone());
        let command = Arc::new(PreparedCommand {
            arg0: (program != self.name).then(|| self.name.clone()),
            program,
            args: self.args.clone(),
            env: env.into(),
            cwd: directory.working.path.clone(),
            fallback: Some(Box::new(PreparedCommand::clone(shell))),
        });
        *last = Some(Arc::clone(&command));
        Some(command)
    }

    /// A name with a slash is not searched for; whether it can be executed is seen when it is.
    fn find(&self, cwd: &Path) -> Option<OsString> {
        if self.name.as_encoded_bytes().contains(&b'/') {
            return Some(self.name.clone());
        }
        direct::find_program(get(&self.environment, "PATH")?, &self.name, cwd)
    }
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
