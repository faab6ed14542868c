//! The archive that is shipped: the program, its completions, its manual pages and its documents.
//!
//! The layout inside is that of a prefix such as `/usr/local`, so that unpacking it there installs everything.
//! The same sources and toolchain give the same archive: order, owners and times are fixed. `tar` and `gzip` do the
//! packing, because every machine that can build this program has them and a release needs nothing else of them.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest as _, Sha256};

/// The version of this workspace, which is also that of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Shells with a place where they look for completions, and that place below the prefix.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/hookrail"),
    ("fish", "share/fish/vendor_completions.d/hookrail.fish"),
    ("zsh", "share/zsh/site-functions/_hookrail"),
];

/// Files of the repository that go into `share/doc/hookrail`.
const DOCUMENTS: [&str; 3] = ["CHANGELOG.md", "LICENSE", "README.md"];

/// Builds the program with the `dist` profile and packs it. Returns the archive's path; its digest is beside it.
pub(crate) fn dist(root: &Path) -> Result<PathBuf> {
    let program = build(root)?;
    let profile_dir = program.parent().context("the program is in no folder")?;
    let folder = profile_dir.parent().context("the profile's folder is in no folder")?.join("archive");
    let name = format!("hookrail-{VERSION}-{}", host()?);
    let staged = folder.join(&name);
    // Files of an earlier run must not get into this archive.
    match fs::remove_dir_all(&staged) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    stage(root, &program, &staged)?;
    let archive = pack(&staged, &source_date(root))?;
    fs::remove_dir_all(&staged)?;
    Ok(archive)
}

/// Builds the program and returns where Cargo put it, which depends on the target directory in use.
/// `--locked`: an archive must come from the dependencies that were tested.
fn build(root: &Path) -> Result<PathBuf> {
    let arguments = ["build", "--locked", "--profile", "dist", "--package", "hookrail-cli"];
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .current_dir(root)
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "the program does not build");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message.get("executable")?.as_str().map(PathBuf::from))
        .context("cargo names no executable")
}

/// The triple of the machine that this builds for.
fn host() -> Result<String> {
    let output = run(Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV"))?;
    let triple = output.lines().find_map(|line| line.strip_prefix("host: "));
    triple.map(str::to_owned).context("rustc does not name its host")
}

/// Seconds since 1970 for every file of the archive: `SOURCE_DATE_EPOCH`, else the time of the last commit.
fn source_date(root: &Path) -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok();
    let committed = || run(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root)).ok();
    given.or_else(committed).map_or_else(|| "0".to_owned(), |seconds| seconds.trim().to_owned())
}

/// Puts everything that is shipped into a folder. The program itself makes its completions and manual pages, which also
/// shows that it runs.
/// A program that reports another version is refused; it would be a stale build or one of another target directory.
fn stage(root: &Path, program: &Path, folder: &Path) -> Result<()> {
    let version = run(Command::new(program).arg("--version"))?;
    ensure!(version.trim().ends_with(VERSION), "the program says `{}`, not {VERSION}", version.trim());
    let bin = folder.join("bin/hookrail");
    copy(program, &bin)?;
    fs::set_permissions(&bin, fs::Permissions::from_mode(0o755))?;
    for (shell, place) in COMPLETIONS {
        let script = run(Command::new(program).args(["completions", shell]))?;
        ensure!(!script.trim().is_empty(), "no completions for {shell}");
        let place = folder.join(place);
        make_parent(&place)?;
        fs::write(place, script)?;
    }
    let pages = folder.join("share/man/man1");
    fs::create_dir_all(&pages)?;
    run(Command::new(program).arg("man").arg(&pages))?;
    ensure!(pages.join("hookrail.1").is_file(), "no manual page");
    for document in DOCUMENTS {
        copy(&root.join(document), &folder.join("share/doc/hookrail").join(document))?;
    }
    Ok(())
}

/// Packs a folder into `FOLDER.tar.gz` and writes its digest, in the form that `sha256sum --check` reads.
/// The mode keeps the developer's `umask` out of the archive.
fn pack(folder: &Path, seconds: &str) -> Result<PathBuf> {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name().and_then(OsStr::to_str)) else {
        bail!("`{}` cannot be packed", folder.display());
    };
    let file = format!("{name}.tar.gz");
    let archive = parent.join(&file);
    run(Command::new("tar")
        .args(["--create", "--gzip", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
        .args(["--mode=go=rX,u+rw", &format!("--mtime=@{seconds}")])
        .arg("--file")
        .arg(&archive)
        .arg("--directory")
        .arg(parent)
        .arg(name))?;
    let digest = Sha256::digest(fs::read(&archive)?);
    let digest =
        digest.iter().try_fold(String::new(), |mut text, byte| write!(text, "{byte:02x}").map(|()| text))?;
    fs::write(parent.join(format!("{file}.sha256")), format!("{digest}  {file}\n"))?;
    Ok(archive)
}

/// Runs a command to its end and returns its stdout; a failure carries its stderr.
fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot run `{name}`"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{name}` failed ({}): {}", output.status, stderr.trim());
    Ok(String::from_utf8(output.stdout)?)
}

/// Copies a file and makes the folders above its new place.
fn copy(from: &Path, to: &Path) -> Result<()> {
    make_parent(to)?;
    fs::copy(from, to).with_context(|| format!("cannot copy `{}`", from.display()))?;
    Ok(())
}

fn make_parent(path: &Path) -> Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(Into::into)
}

#[cfg(test)]
mod tests;
