//! Generates what is derived from the code. `cargo xtask all` writes everything; the tests of this
//! crate fail when a committed file differs from what would be written. `cargo xtask packages` makes what is
//! shipped, `cargo xtask notes` prints the notes of a release, and `cargo xtask agents` runs other agents'
//! programs with hookrail as their hook.
#![expect(clippy::print_stderr, reason = "progress of a developer's tool goes to stderr")]

mod agents;
mod conformance;
mod notes;
mod packages;
mod schemas;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// A generated file: where it is, and what it must contain.
struct Generated {
    path: PathBuf,
    content: String,
}

/// Results go to stdout (`notes`, `agents`) so that they can be redirected; what was written or is going on, to stderr.
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    match std::env::args().nth(1).as_deref() {
        Some("all") => {
            for file in generate(&root())? {
                write(&file)?;
            }
            packages::client_types(&root(), &[])
        }
        Some("dist") => packages::dist(&root()),
        Some("packages") => packages::packages(&root(), &arguments),
        Some("clients") => packages::clients(&root()),
        Some("picture") => packages::picture(&root()),
        Some("notes") => {
            let notes = notes::notes(&root(), arguments.first().map(String::as_str))?;
            std::io::stdout().write_all(notes.as_bytes()).context("cannot print the notes")
        }
        Some("agents") => {
            let table = agents::agents(&root(), &arguments)?;
            eprintln!();
            std::io::stdout().write_all(table.as_bytes()).context("cannot print the table")
        }
        _ => bail!(
            "usage: cargo xtask all | dist | packages [--target T]… [--check] | clients | picture | notes [VERSION] | \
             agents [AGENT…] [--effect NAME] [--keep] | agents --claude-hooks"
        ),
    }
}

/// Everything that is generated.
/// It writes nothing: `all` writes the result, and the test compares it with what is committed. A generator that finds
/// its input incomplete fails, for example a requirement that no test names.
fn generate(root: &Path) -> Result<Vec<Generated>> {
    let mut files = vec![conformance::generate(root)?];
    files.extend(schemas::generate(root)?);
    let folder = root.join("crates/hookrail/src/rules/library");
    let mut guards = Vec::new();
    for entry in std::fs::read_dir(&folder).context("cannot list the shipped guards")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jsonc") {
            guards.push(std::fs::read_to_string(path)?);
        }
    }
    let content = hookrail::rules::library::index_file(guards).context("a shipped guard cannot be read")?;
    files.push(Generated { path: folder.join("index.in"), content });
    // The kits of the packages are those that `hookrail init` writes.
    for (kit, copy) in [
        ("hookrail_hook.mjs", "clients/node/lib/hook.mjs"),
        ("hookrail_hook.py", "clients/python/hookrail_cli/hook.py"),
    ] {
        let kit = root.join("crates/hookrail-commands/src/commands/init/kits").join(kit);
        let content =
            std::fs::read_to_string(&kit).with_context(|| format!("cannot read {}", kit.display()))?;
        files.push(Generated { path: root.join(copy), content });
    }
    Ok(files)
}

/// Leaves a file that is already right untouched, so that its time stamp does not cause a rebuild.
fn write(file: &Generated) -> Result<()> {
    if std::fs::read_to_string(&file.path).is_ok_and(|now| now == file.content) {
        return Ok(());
    }
    if let Some(folder) = file.path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&file.path, &file.content)
        .with_context(|| format!("cannot write {}", file.path.display()))?;
    eprintln!("wrote {}", file.path.display());
    Ok(())
}

/// The workspace's folder, fixed when this crate is compiled: `cargo xtask` works from any folder below it.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same comparison for all files, so a new generator is covered without a test of its own.
    #[test]
    fn generated_files_are_up_to_date() {
        for file in generate(&root()).unwrap() {
            let committed = std::fs::read_to_string(&file.path).unwrap_or_default();
            assert!(
                committed == file.content,
                "{} is out of date; run `cargo xtask all`",
                file.path.display()
            );
        }
        packages::client_types(&root(), &["--check"]).unwrap();
    }
}
