//! What would happen if a command were started: is its program there, can it be executed, is there
//! anything to interpret it, does the shell understand it?
//!
//! Nothing is started but a shell that reads the command without running it. What depends on the moment, such as a
//! variable, is not judged: a finding must be true.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use hookrail::components::Level;
use hookrail::{DiagnosticCode, Hook};
use hookrail_shell::{is_builtin, quote, shebang_line};

use super::command_start::beginning;
use super::finding::Finding;
use super::{python, shell};
use crate::commands::other_programs::find_in_path;
use crate::context::Context;
use crate::display::shown;

/// Programs that run the file named after them.
const INTERPRETERS: [&str; 14] = [
    "bash", "bun", "dash", "deno", "fish", "ksh", "node", "perl", "php", "python", "python3", "ruby", "sh",
    "zsh",
];

/// How many hooks are looked at by one thread, and by how many threads. Asking a shell means to wait for it.
const HOOKS_PER_THREAD: usize = 32;
const THREADS: usize = 4;

/// Everything that is wrong with the commands of hooks, in their order, each with the number it was given with.
pub(super) fn all_problems(commands: &[(usize, &Hook, &str)], context: &Context) -> Vec<(usize, Finding)> {
    let some_problems = |commands: &[(usize, &Hook, &str)]| -> Vec<(usize, Finding)> {
        let one = |(index, hook, command): &(usize, &Hook, &str)| {
            problems(hook, command, context).into_iter().map(|problem| (*index, problem)).collect::<Vec<_>>()
        };
        commands.iter().flat_map(one).collect()
    };
    let share = commands.len().div_ceil(THREADS).max(HOOKS_PER_THREAD);
    if commands.len() <= share {
        return some_problems(commands);
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            commands.chunks(share).map(|share| (share, scope.spawn(|| some_problems(share)))).collect();
        // A thread that panicked is made up for here, where the panic is reported as any other.
        threads
            .into_iter()
            .flat_map(|(share, thread)| thread.join().unwrap_or_else(|_| some_problems(share)))
            .collect()
    })
}

/// Everything that is wrong with a hook's command.
/// The first problem that keeps a command from starting is the only one that is reported about its start.
pub(super) fn problems(hook: &Hook, command: &str, context: &Context) -> Vec<Finding> {
    problems_asking(hook, command, context, shell::syntax_error)
}

/// The same without asking a shell, for a program that must not start anything.
pub(super) fn visible_problems(hook: &Hook, command: &str, context: &Context) -> Vec<Finding> {
    problems_asking(hook, command, context, |_| None)
}

fn problems_asking(
    hook: &Hook,
    command: &str,
    context: &Context,
    syntax_error: fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let project = context.project();
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| !home.as_os_str().is_empty());
    if command.starts_with(['-', '+']) {
        let message = "the command starts with an option: the shell takes it for one of its own";
        return vec![Finding::error(
            DiagnosticCode::CommandStartsWithDash,
            message,
            "write the program first",
        )];
    }
    let beginning = beginning(command, project, home.as_deref());
    let mut problems = Vec::new();
    if !beginning.whole
        && let Some(error_text) = syntax_error(command)
    {
        let message = format!("the shell cannot read this command: {error_text}");
        let help = format!("{} ends with 2 on this, and 2 means: the operation is blocked", shell::shell());
        problems.push(Finding::error(DiagnosticCode::ShellSyntax, message, help));
        return problems;
    }
    problems.extend(python::problem(hook, &beginning.words, project));
    let mut words = beginning.words.iter();
    let Some(program) = words.next() else { return problems };
    if program.contains('/') {
        let file = project.join(program);
        if let Some(problem) = strays_into_project(hook, program, project) {
            problems.push(problem);
            return problems;
        }
        problems.extend(script_problem(&file, true, hook, context));
        return problems;
    }
    let path = path_of(hook);
    if !is_builtin(program) && find_in_path(program, &path).is_none() {
        let message = format!("there is no program `{program}`");
        let help = if project.join(program).is_file() {
            format!("for the file in the project write `./{program}`")
        } else {
            let folders = path.to_string_lossy();
            format!("install it, or name it with its path; PATH was searched: {folders}")
        };
        problems.push(Finding::error(DiagnosticCode::ProgramNotFound, message, help));
    } else if INTERPRETERS.contains(&program.as_str())
        && let Some(script) = words.next().filter(|word| word.contains('.') || word.contains('/'))
        && !script.starts_with('-')
        && !script.contains("://")
    {
        problems.extend(strays_into_project(hook, script, project));
        problems.extend(script_problem(&project.join(script), false, hook, context));
    }
    problems
}

/// Where the programs of a hook are searched.
fn path_of(hook: &Hook) -> OsString {
    let own = hook.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.into());
    own.or_else(|| std::env::var_os("PATH")).unwrap_or_default()
}

/// A hook from outside of the project that would run a file of whatever project it runs in. The engine refuses to.
fn strays_into_project(hook: &Hook, file: &str, project: &Path) -> Option<Finding> {
    let is_stray =
        hook.origin.level != Level::Project && !file.starts_with('/') && project.join(file).is_file();
    is_stray.then(|| {
        let message = format!(
            "this hook of the {} settings would run `{file}` of the project: it does not run",
            hook.origin.level
        );
        Finding::error(DiagnosticCode::RelativeCommand, message, "write an absolute path")
    })
}

/// What is wrong with the file that a command names as its program, or as its interpreter's script.
/// A script that an interpreter is given need not be executable.
fn script_problem(file: &Path, executed: bool, hook: &Hook, context: &Context) -> Option<Finding> {
    // Without the `.` of `./x`.
    let file: &Path = &file.components().collect::<PathBuf>();
    let name = shown(file, context);
    let Ok(metadata) = fs::metadata(file) else {
        let message = if fs::symlink_metadata(file).is_ok() {
            format!("`{name}` is a link to a file that does not exist")
        } else {
            format!("`{name}` does not exist")
        };
        return Some(Finding::error(DiagnosticCode::ScriptMissing, message, "create it, or fix the path"));
    };
    if metadata.is_dir() {
        return Some(Finding::error(
            DiagnosticCode::ScriptIsDirectory,
            format!("`{name}` is a directory"),
            "name a file in it",
        ));
    }
    if !executed {
        return None;
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        let help = format!("`chmod +x {}`", quote(&file.display().to_string()));
        return Some(Finding::error(
            DiagnosticCode::ScriptNotExecutable,
            format!("`{name}` is not executable"),
            help,
        ));
    }
    interpreter_problem(file, &name, hook)
}

/// What is wrong with the `#!` line of an executable file.
/// The kernel reports a missing interpreter as a missing script, which is why it is worth a finding of its own.
fn interpreter_problem(file: &Path, name: &str, hook: &Hook) -> Option<Finding> {
    let mut head = Vec::with_capacity(512);
    if !fs::metadata(file).ok()?.is_file() || File::open(file).ok()?.take(512).read_to_end(&mut head).is_err()
    {
        return None;
    }
    let Some(line) = shebang_line(&head) else {
        return without_shebang(&head, name);
    };
    let line = String::from_utf8_lossy(line);
    if line.ends_with('\r') {
        let message =
            format!("the first line of `{name}` ends with a carriage return: no such interpreter exists");
        let help =
            format!("`sed -i 's/\\r$//' {}` gives it Unix line ends", quote(&file.display().to_string()));
        return Some(Finding::error(DiagnosticCode::ShebangCrlf, message, help));
    }
    let mut words = line.split_whitespace();
    let interpreter = words.next().unwrap_or_default();
    let missing = |interpreter: &str| {
        let message = format!("`{name}` needs `{interpreter}`, which does not exist");
        Some(Finding::error(
            DiagnosticCode::InterpreterMissing,
            message,
            "install it, or fix the first line of the script",
        ))
    };
    if interpreter.is_empty() || !Path::new(interpreter).exists() {
        return missing(interpreter);
    }
    if Path::new(interpreter).file_name() == Some(OsStr::new("env")) {
        let program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        if !program.contains('/') && find_in_path(program, &path_of(hook)).is_none() {
            return missing(program);
        }
    }
    None
}

/// A program in machine code needs no interpreter; a text without one is run by the shell.
fn without_shebang(head: &[u8], name: &str) -> Option<Finding> {
    if head.contains(&0) {
        return None;
    }
    let message = format!("`{name}` does not begin with `#!`: it runs as a shell script");
    let help = "name the interpreter in its first line, such as `#!/usr/bin/env python3`";
    Some(Finding::warning(DiagnosticCode::ScriptWithoutShebang, message, help))
}
