//! Every script of the table, both ways.

use std::ffi::OsStr;
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::thread;

use regex::bytes::Regex;

use crate::client::{Hook, Loader, Outcome, copy_folder, python};

/// How many scripts are compared at the same time.
const AT_ONCE: usize = 4;

/// The scripts, copied to where they may leave traces.
pub(crate) fn scripts() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fork"), folder.path());
    folder
}

/// What a line `#: KEY VALUE` of a script says.
fn directive(text: &[u8], key: &str) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let line =
        text.lines().find_map(|line| line.strip_prefix("#: ")?.strip_prefix(key)?.strip_prefix(' '))?;
    Some(line.to_owned())
}

/// `\n`, `\r` and `\xNN` as the bytes they stand for.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend(before.as_bytes());
        let (byte, length) = match after.as_bytes() {
            [b'n', ..] => (b'\n', 1),
            [b'r', ..] => (b'\r', 1),
            [b'x', ..] => (u8::from_str_radix(after.get(1..3).expect("two digits"), 16).expect("digits"), 3),
            _ => panic!("an escape in {text}"),
        };
        bytes.push(byte);
        rest = after.get(length..).unwrap_or_default();
    }
    bytes.extend(rest.as_bytes());
    bytes
}

fn arguments(line: &str) -> Vec<String> {
    line.split('"')
        .enumerate()
        .flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

/// Addresses in memory differ from one process to the next.
fn without_addresses(outcome: Outcome) -> Outcome {
    let address = Regex::new("0x[0-9a-f]{6,}").expect("a pattern");
    let clean = |bytes: Vec<u8>| address.replace_all(&bytes, &b"0x"[..]).into_owned();
    Outcome { end: outcome.end, stdout: clean(outcome.stdout), stderr: clean(outcome.stderr) }
}

fn shown(outcome: &Outcome) -> String {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string().replace("\\n", "\n  ");
    format!("{}\n  stdout: {}\n  stderr: {}", outcome.end, text(&outcome.stdout), text(&outcome.stderr))
}

/// Runs a script by a new process once and by one loader twice. A description of any difference.
fn difference(hook: &Hook, stdin: &[u8]) -> Option<String> {
    let expected = without_addresses(hook.run_new(stdin));
    let mut loader = Loader::start(hook);
    for round in ["first", "second"] {
        let actual = without_addresses(loader.run(stdin));
        if actual != expected {
            let (script, python) = (&hook.script, hook.python.display());
            let (expected, actual) = (shown(&expected), shown(&actual));
            return Some(format!("{script}, {round} fork of {python}:\n new: {expected}\nfork: {actual}\n"));
        }
    }
    let said = loader.end();
    (said != ("exit 0".to_owned(), String::new())).then(|| format!("{}: {said:?}", hook.script))
}

fn hook(python: &Path, folder: &Path, script: &str) -> (Hook, Vec<u8>) {
    let text = fs::read(folder.join(script)).expect("the script can be read");
    let mut hook = Hook::new(folder, script);
    python.clone_into(&mut hook.python);
    hook.options = arguments(&directive(&text, "options").unwrap_or_default());
    hook.arguments = arguments(&directive(&text, "args").unwrap_or_default());
    (hook, unescape(&directive(&text, "stdin").unwrap_or_default()))
}

fn check(differences: &[String]) {
    assert!(differences.is_empty(), "{} differ\n{}", differences.len(), differences.join("\n"));
}

fn check_all(python: &Path) {
    let folder = scripts();
    let mut names = Vec::new();
    for part in ["", "inserted"] {
        let entries = fs::read_dir(folder.path().join(part)).expect("the folder can be read").flatten();
        let paths = entries.map(|entry| Path::new(part).join(entry.file_name()));
        let scripts = paths.filter(|path| path.extension() == Some(OsStr::new("py")));
        names.extend(scripts.map(|path| path.to_string_lossy().into_owned()));
    }
    names.extend(["hidden/main.py", "hidden_package/main.py", "namespace/main.py"].map(str::to_owned));
    names.sort();
    assert!(names.len() > 100, "the table is there");
    let only = std::env::var("HOOKRAIL_TEST_ONLY").unwrap_or_default();
    names.retain(|name| name.contains(&only));
    let check_some = |names: &[String]| -> Vec<String> {
        let hooks = names.iter().map(|name| hook(python, folder.path(), name));
        hooks.filter_map(|(hook, stdin)| difference(&hook, &stdin)).collect()
    };
    let differences: Vec<String> = thread::scope(|scope| {
        let parts: Vec<_> = names
            .chunks(names.len().div_ceil(AT_ONCE))
            .map(|part| scope.spawn(|| check_some(part)))
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("no part panics")).collect()
    });
    check(&differences);
}

#[test]
fn a_fork_behaves_as_a_new_process() {
    let others = std::env::var("HOOKRAIL_TEST_PYTHONS").unwrap_or_default();
    let others = others.split(':').filter(|path| !path.is_empty()).map(PathBuf::from);
    for python in iter::once(python()).chain(others) {
        check_all(&python);
    }
}

#[test]
fn the_script_may_be_named_in_any_way() {
    let folder = scripts();
    let root = folder.path().canonicalize().expect("it is there");
    std::os::unix::fs::symlink(root.join("paths.py"), root.join("link.py")).expect("a link");
    std::os::unix::fs::symlink("../siblings/inner.py", root.join("hidden/relative.py")).expect("a link");
    fs::copy(root.join("main_module.py"), root.join("siblings/inner.py")).expect("a copy");
    fs::write(root.join("package.py"), "import json\nprint(json)\n").expect("a file");
    let absolute = root.join("main_module.py").to_string_lossy().into_owned();
    let differences: Vec<_> = [
        "./paths.py",
        "././paths.py",
        "siblings/../paths.py",
        ".//paths.py",
        "link.py",
        "./link.py",
        "hidden/relative.py",
        &absolute,
        "./main_module.py",
        "missing.py",
        "siblings",
        "/dev/null",
    ]
    .into_iter()
    .filter_map(|name| difference(&Hook::new(&root, name), b""))
    .collect();
    check(&differences);
}

#[test]
fn variables_of_the_interpreter_count() {
    let folder = scripts();
    let root = folder.path();
    let beside = |name: &str| root.join(name).into_os_string();
    let differences: Vec<_> = [
        Hook::new(root, "output_forms.py").with("PYTHONIOENCODING", "latin-1:backslashreplace"),
        Hook::new(root, "output_forms.py").with("PYTHONUNBUFFERED", "1"),
        Hook::new(root, "locales.py")
            .with("LANG", "C")
            .with("PYTHONCOERCECLOCALE", "0")
            .with("PYTHONUTF8", "0"),
        Hook::new(root, "locales.py").with("LC_ALL", "POSIX"),
        Hook::new(root, "namespace/main.py").with("PYTHONPATH", beside("hidden")),
        Hook::new(root, "namespace/main.py").with("PYTHONPATH", "hidden"),
        Hook::new(root, "paths.py").with("PYTHONPATH", "hidden::siblings"),
        Hook::new(root, "paths.py").with("PYTHONPATH", beside("siblings")),
        Hook::new(root, "paths.py").with("PYTHONSAFEPATH", "1"),
        Hook::new(root, "warnings_shown.py").with("PYTHONWARNINGS", "error"),
        Hook::new(root, "imports_deprecated.py").with("PYTHONWARNINGS", "always"),
        Hook::new(root, "threads_exception.py").with("PYTHONOPTIMIZE", "1"),
        Hook::new(root, "assertion.py").with("PYTHONOPTIMIZE", "1"),
        Hook::new(root, "exit_number.py").with("PYTHONINSPECT", "1"),
        Hook::new(root, "seeds.py").with("PYTHONHASHSEED", "7"),
        Hook::new(root, "exception.py").with("PYTHONDEVMODE", "1"),
    ]
    .iter()
    .filter_map(|hook| difference(hook, b""))
    .collect();
    check(&differences);
}

/// A hook that runs this text.
pub(crate) fn simple(folder: &Path, text: &str) -> Hook {
    fs::write(folder.join("hook.py"), text).expect("a file can be written");
    Hook::new(folder, "hook.py")
}

/// The folder of a test, by its real name.
pub(crate) fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().canonicalize().expect("it is there");
    (folder, path)
}
