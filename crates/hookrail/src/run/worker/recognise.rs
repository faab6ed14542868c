//! Which commands are Python scripts that can run in forks of one interpreter.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use crate::hook::Hook;
use crate::run::command::PreparedCommand;
use crate::run::direct::{environment_behind_bash, find_program, is_executable, plain_words};
use crate::run::environment::{EnvironmentVariable, get, set};
use hookrail_shell::{SHEBANG_BYTES, shebang_line};

/// The options of the interpreter with which a fork is the same as a new process.
const OPTIONS: &[u8] = b"uBEsSI";

/// How a script is run in forks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Launch {
    /// The interpreter, as an absolute path.
    pub(super) interpreter: OsString,
    /// The name that it receives as `argv[0]`.
    pub(super) arg0: OsString,
    pub(super) options: Vec<OsString>,
    /// The script as its own `sys.argv[0]`, and its arguments.
    pub(super) script: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) env: Arc<[EnvironmentVariable]>,
}

/// Why a hook with `"worker": "fork"` is run once per event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkObstacle {
    /// It is not a Python script, so that the setting is a mistake.
    NotPython(String),
    /// It is one, and cannot be the same in a fork.
    NotTheSame(String),
}

impl ForkObstacle {
    /// The reason, as a verb and its object to follow "the hook".
    pub fn why(&self) -> &str {
        match self {
            Self::NotPython(why) | Self::NotTheSame(why) => why,
        }
    }
}

/// Finds out how a hook runs in forks.
pub(super) fn recognise(hook: &Hook, command: &PreparedCommand) -> Result<Launch, ForkObstacle> {
    use ForkObstacle::{NotPython, NotTheSame};
    if !cfg!(target_os = "linux") {
        return Err(NotTheSame(
            "runs once per event on this system: forks are made on Linux only".to_owned(),
        ));
    }
    let home = get(&command.env, "HOME").and_then(OsStr::to_str);
    let words = plain_words(hook.command(), &command.cwd, home).ok_or_else(|| {
        NotPython("is more than the words of one program, so it is left to the shell".to_owned())
    })?;
    let mut words = words.into_iter();
    let first = words.next().unwrap_or_default();
    let rest: Vec<OsString> = words.collect();
    let sets_directory = hook.env.iter().any(|(name, _)| name == "PWD" || name == "OLDPWD");
    let environment = environment_behind_bash(&command.env, &command.cwd).filter(|_| !sets_directory);
    let mut env = environment
        .ok_or_else(|| NotTheSame("has variables in its environment that the shell acts on".to_owned()))?;
    env.retain(|(name, _)| name != "HOOKRAIL_WORKER");
    let program = find(&first, &env, &command.cwd)
        .ok_or_else(|| NotPython(format!("names the program `{}`, which is not found", first.display())))?;
    set(&mut env, "_".into(), program.clone());

    let (interpreter, name, options, script, args) = if is_forkable_python(&first) {
        let count = rest.iter().take_while(|word| word.as_bytes().starts_with(b"-")).count();
        let (options, rest) = rest.split_at(count);
        let (script, args) = rest.split_first().ok_or_else(|| NotPython("runs no script".to_owned()))?;
        (program, first, options.to_vec(), script.clone(), args.to_vec())
    } else {
        let path = command.cwd.join(&program);
        let (interpreter, name, options) = shebang(&path, &env, &command.cwd)
            .ok_or_else(|| NotPython("is not a Python script".to_owned()))?;
        (interpreter, name, options, program, rest)
    };
    if let Some(option) = options.iter().find(|option| !is_harmless(option)) {
        return Err(NotTheSame(format!("runs Python with `{}`", option.display())));
    }
    if !Path::new(&interpreter).is_absolute() {
        return Err(NotTheSame("runs an interpreter that is found by the working directory".to_owned()));
    }
    if !command.cwd.join(&script).is_file() {
        return Err(NotPython(format!("names the script `{}`, which is not a file", script.display())));
    }
    Ok(Launch { interpreter, arg0: name, options, script, args, env: env.into() })
}

fn find(name: &OsStr, env: &[EnvironmentVariable], cwd: &Path) -> Option<OsString> {
    if name.as_bytes().contains(&b'/') {
        return is_executable(&cwd.join(name)).then(|| name.to_owned());
    }
    find_program(get(env, "PATH")?, name, cwd)
}

/// `python`, `python3`, `python3.12`, with or without a path. Stricter than [`is_python`](hookrail_shell::is_python): other
/// programs of a similar name, and `pypy`, do not take the loader.
fn is_forkable_python(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.strip_prefix("python").is_some_and(|version| {
        version.is_empty()
            || version == "3"
            || version.strip_prefix("3.").is_some_and(|minor| minor.parse::<u8>().is_ok())
    })
}

/// `-u`, `-Bu` and the like.
fn is_harmless(option: &OsStr) -> bool {
    match option.as_bytes().strip_prefix(b"-") {
        Some(letters) => !letters.is_empty() && letters.iter().all(|letter| OPTIONS.contains(letter)),
        None => false,
    }
}

/// The interpreter that a script names in its first line, if that is Python: its path, its name and its options.
fn shebang(
    path: &Path,
    env: &[EnvironmentVariable],
    cwd: &Path,
) -> Option<(OsString, OsString, Vec<OsString>)> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(SHEBANG_BYTES).read_to_end(&mut start).ok()?;
    let line = std::str::from_utf8(shebang_line(&start)?).ok()?.trim();
    // The system hands over everything behind the interpreter as one argument.
    let (interpreter, argument) =
        line.split_once([' ', '\t']).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    if Path::new(interpreter).file_name()? != "env" {
        let options = (!argument.is_empty()).then(|| OsString::from(argument)).into_iter().collect();
        return is_forkable_python(interpreter.as_ref())
            .then(|| (interpreter.into(), interpreter.into(), options));
    }
    let words: Vec<&str> = match argument.strip_prefix("-S") {
        Some(rest) => rest.split_whitespace().collect(),
        None => vec![argument],
    };
    let (name, options) = words.split_first()?;
    if !is_forkable_python(name.as_ref()) || name.contains(char::is_whitespace) {
        return None;
    }
    let program = find(name.as_ref(), env, cwd)?;
    Some((program, name.into(), options.iter().map(OsString::from).collect()))
}

#[cfg(test)]
mod tests;
