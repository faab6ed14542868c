//! Where a bridge finds its settings and what its hooks inherit. Agents load a project's `.env` and settings into the
//! environment of their hooks, so that nothing that decides is taken from there.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use hookrail::rules::order;
use nix::unistd::{Uid, User};

use super::nested;
use crate::cli::Places;
use crate::commands::allow::private_file;
use crate::context::Context;

/// How much hooks inherit, names and values together. A system starts no program with a few times as much, so that a project
/// with a large enough `.env` would keep every guard from starting.
const MOST_BYTES: usize = 256 * 1024;

/// What is searched where an agent has no usable `PATH`.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Where to find the settings: what the command line says, else the home directory of the user who runs this, as the
/// system's user database has it. `$HOME` does not count. The error is a text for the person.
pub(crate) fn places(given: &Places) -> Result<Places, String> {
    places_of(given, |user| User::from_uid(user).ok().flatten().map(|user| user.dir))
}

fn places_of(given: &Places, home_of: impl Fn(Uid) -> Option<PathBuf>) -> Result<Places, String> {
    const HELP: &str =
        "In a terminal, outside of this agent, `hookrail connect AGENT` writes an entry with `--home DIR`.";
    let user = Uid::current();
    let home = given.home.clone().or_else(|| home_of(user)).ok_or_else(|| {
        format!("the system's user database has no home directory for the user id {user}, so your hooks cannot be found. {HELP}")
    })?;
    if !home.is_absolute() {
        // It would be looked for below the current folder: in a project, which could contain one.
        return Err(format!("the home directory `{}` is not an absolute path. {HELP}", home.display()));
    }
    if !home.is_dir() {
        return Err(format!("the home directory `{}` is not there. {HELP}", home.display()));
    }
    Ok(Places { home: Some(home), ..given.clone() })
}

/// Something about the surroundings that is made when a hook is started, which most calls do not do.
pub(crate) fn lazily<T>(context: &Context, make: fn(&Context) -> T) -> impl Fn() -> T + Send + Sync + use<T> {
    let context = context.clone();
    move || make(&context)
}

/// The environment of the hooks that a bridge runs. What a project could use to be taken for the user's home, or to make
/// a hook that calls hookrail look elsewhere, is the bridge's own.
pub(crate) fn environment(context: &Context) -> Vec<(OsString, OsString)> {
    let is_ours = |name: &OsStr| {
        name.as_encoded_bytes().starts_with(b"HOOKRAIL_") && name != "HOOKRAIL_AGENT"
            || ["HOME", "PATH", "PWD", "OLDPWD"].iter().any(|ours| name == *ours)
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let inherited = std::env::vars_os().filter(|(name, _)| !is_ours(name)).collect();
    let mut environment = bounded(inherited, MOST_BYTES);
    environment.push(("PATH".into(), search_path(&path, None)));
    environment.push(("HOME".into(), context.paths.home.clone().into_os_string()));
    if let Some(mark) = nested::mark() {
        environment.push((nested::VARIABLE.into(), mark.into()));
    }
    environment
}

/// The same without its largest variables, as many of them as it takes.
fn bounded(mut environment: Vec<(OsString, OsString)>, most: usize) -> Vec<(OsString, OsString)> {
    let size = |(name, value): &(OsString, OsString)| name.len() + value.len() + 2;
    let mut total: usize = environment.iter().map(size).sum();
    if total <= most {
        return environment;
    }
    order::sort_by_key(&mut environment, size);
    while total > most
        && let Some(largest) = environment.pop()
    {
        total -= size(&largest);
    }
    environment
}

/// The `PATH` of hooks that are not the project's: the one of the person who connected the agent, without entries that
/// lead into the project.
pub(crate) fn trusted_path(context: &Context) -> OsString {
    let path = stored_path(&context.state_dir()).or_else(|| std::env::var_os("PATH"));
    search_path(&path.unwrap_or_default(), Some(context.project()))
}

/// The entries of a `PATH` whose meaning does not depend on where a program runs, and that are not inside of a folder.
fn search_path(path: &OsStr, outside: Option<&Path>) -> OsString {
    let is_fixed = |entry: &PathBuf| {
        // `/proc/self/cwd` is a relative path in other words, and `/dev/fd` leads to whatever a process has open.
        let is_direct = !entry.components().any(|part| part == Component::ParentDir);
        entry.is_absolute() && is_direct && !entry.starts_with("/proc") && !entry.starts_with("/dev")
    };
    let is_outside = |entry: &PathBuf| {
        outside.is_none_or(|folder| {
            !entry.starts_with(folder) && !entry.canonicalize().is_ok_and(|real| real.starts_with(folder))
        })
    };
    let entries = std::env::split_paths(path).filter(is_fixed).filter(is_outside);
    match std::env::join_paths(entries) {
        Ok(path) if !path.is_empty() => path,
        _ => USUAL_PATH.into(),
    }
}

/// The `PATH` that `connect` stored: `path` of the object in `connect.json`. A file that others may write is not used.
pub(crate) fn stored_path(state_dir: &Path) -> Option<OsString> {
    let stored = private_file::read(&state_dir.join("connect.json")).ok()??;
    let stored: serde_json::Value = serde_json::from_slice(&stored).ok()?;
    stored.get("path")?.as_str().map(OsString::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_given_or_in_the_user_database() {
        let folder = tempfile::tempdir().unwrap();
        let home = |given: Option<&Path>, known: Option<&Path>| {
            let given = Places { home: given.map(Path::to_owned), ..Places::default() };
            places_of(&given, |_| known.map(Path::to_owned)).map(|places| places.home)
        };
        let there = folder.path();
        assert_eq!(home(Some(there), None), Ok(Some(there.to_owned())));
        assert_eq!(home(None, Some(there)), Ok(Some(there.to_owned())));
        assert_eq!(home(Some(there), Some(Path::new("/"))), Ok(Some(there.to_owned())));
        for (given, known) in [
            (None, None),
            (Some("relative"), Some("/")),
            (None, Some("relative")),
            (None, Some("")),
            (None, Some("/no/such/folder")),
        ] {
            let refusal = home(given.map(Path::new), known.map(Path::new)).unwrap_err();
            assert!(refusal.contains("home directory") && refusal.contains("--home"), "{refusal}");
        }
    }

    #[test]
    fn entries_that_depend_on_the_folder_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().canonicalize().unwrap().join("project");
        std::fs::create_dir_all(project.join("bin")).unwrap();
        let link = project.with_file_name("link");
        std::os::unix::fs::symlink(&project, &link).unwrap();
        let (bin, linked) = (project.join("bin"), link.join("bin"));
        let path = format!(
            ":.:bin:../bin:~/bin:/proc/self/cwd/bin:/usr/../proc/self/cwd:/./proc/self/cwd:/dev/fd/3:{}:{}:/usr/bin:/opt/x",
            bin.display(),
            linked.display()
        );
        let without = |outside| search_path(OsStr::new(&path), outside).into_string().unwrap();
        assert_eq!(without(None), format!("{}:{}:/usr/bin:/opt/x", bin.display(), linked.display()));
        assert_eq!(without(Some(&*project)), "/usr/bin:/opt/x");
        for nothing in ["", ":", "bin", "/proc/self/cwd"] {
            assert_eq!(search_path(OsStr::new(nothing), None), USUAL_PATH, "{nothing}");
        }
    }

    #[test]
    fn an_environment_has_a_bound_and_loses_its_largest_first() {
        let variable = |name: &str, length: usize| (OsString::from(name), OsString::from("x".repeat(length)));
        let all = vec![variable("LARGE", 500), variable("A", 5), variable("B", 50)];
        assert_eq!(bounded(all.clone(), 1000), all);
        assert_eq!(bounded(all.clone(), 100), [variable("A", 5), variable("B", 50)]);
        assert_eq!(bounded(all, 10), [variable("A", 5)]);
    }

    #[test]
    fn a_stored_path_is_the_users_own() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("connect.json");
        let stored = || stored_path(folder.path());
        assert_eq!(stored(), None);
        for (text, expected) in [
            (r#"{"path":"/a:/b"}"#, Some("/a:/b")),
            (r#"{"path":7}"#, None),
            (r#"["path"]"#, None),
            ("", None),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(stored().as_deref(), expected.map(OsStr::new), "{text}");
        }
        std::fs::write(&file, r#"{"path":"/a"}"#).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(stored(), None);
    }
}
