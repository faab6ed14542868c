//! What is executed for a hook: program, arguments, environment and directory, ready for the system.
//!
//! Nothing of this depends on the event, so it is put together at a hook's first run in a directory and
//! kept. What may change between two runs and is cheap to look at is looked at each time: where the search path leads, and whether `PWD` and `OLDPWD` still hold.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::direct::{self, environment_behind_bash, is_directory, is_executable, plain_words};
use super::environment::{EnvironmentVariable, ParentEnvironment, WorkingDirectory, get, set};
use super::expand::quote_project_dirs;
use super::unix::lock;
use crate::hook::Hook;
use crate::settings::Redaction;

/// How many directories are kept. Beyond that all are dropped at once: a bound that is reached only under attack needs no
/// better strategy.
const MAX_DIRECTORIES: usize = 16;
/// How many hooks are kept for each directory; beyond that all are dropped, too.
const MAX_HOOKS: usize = 4096;

/// Everything the system needs in order to start a hook.
#[derive(Debug, Clone)]
pub(crate) struct PreparedCommand {
    /// What to execute: always with a slash, so that nothing searches for it again. A relative path counts
    /// from `cwd`, and has to be executed as it stands because scripts see it as their name.
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
    parent: ParentEnvironment,
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
            parent: ParentEnvironment::new(environment, redaction),
            directories: Mutex::default(),
        }
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
        let directory = Arc::new(Directory::load(&self.parent, cwd));
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
    fn load(parent: &ParentEnvironment, cwd: &Path) -> Self {
        let working = WorkingDirectory::load(cwd, parent.get("PWD"));
        let previous = parent.get("OLDPWD").map(|path| (path.to_owned(), is_directory(path, cwd)));
        let environment = parent.for_hook(&[], &working).into();
        Self { working, previous, environment, hooks: Mutex::default() }
    }

    fn is_current(&self) -> bool {
        self.working.is_current()
            && self
                .previous
                .as_ref()
                .is_none_or(|(path, was_directory)| is_directory(path, &self.working.path) == *was_directory)
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
            preparer.parent.for_hook(&hook.env, &directory.working).into()
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
        let words = plain_words(command)?;
        let environment = environment_behind_bash(environment, cwd)?;
        let mut words = words.iter().map(|word| word.resolve(cwd));
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

    /// The same in these folders. One that is relative to wherever a hook happens to run is no place to look for a shell.
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

#[cfg(test)]
mod tests;
