//! What is shipped: archives, packages for npm, `PyPI` and Homebrew, and the script that installs.
//!
//! This builds the programs; `packaging/packages.py` makes the packages of them, because tar, zip and JSON files need no
//! compiler, and `packaging/check.py` installs and tries them. All of it comes from the version of this workspace.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

/// The version of this workspace, which is also that of the program and of all packages.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is built for. The programs for Linux are static, so that one of them runs with every C library.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
];

/// The archive for this machine alone, linked as this machine links.
pub(crate) fn dist(root: &Path) -> Result<()> {
    let host = host()?;
    let program = build(root, &Builder::Here, "dist", None)?;
    make(root, &root.join("target/archive"), &["--archives-only"], &[(host, program)])
}

/// All packages of the targets that are named or can be built here.
/// `--program TARGET=FILE` takes a program that was built elsewhere; `--check` installs and tries what was made.
pub(crate) fn packages(root: &Path, arguments: &[String]) -> Result<()> {
    let (mut targets, mut programs, mut is_checked) = (Vec::new(), Vec::new(), false);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("`{argument}` needs a value"));
        match argument.as_str() {
            "--target" => targets.push(value()?.clone()),
            "--program" => {
                let (target, file) = value()?.split_once('=').context("`--program` needs TARGET=FILE")?;
                programs.push((target.to_owned(), PathBuf::from(file)));
            }
            "--check" => is_checked = true,
            _ => bail!("usage: cargo xtask packages [--target TARGET]… [--program TARGET=FILE]… [--check]"),
        }
    }
    if targets.is_empty() && programs.is_empty() {
        targets.extend(TARGETS.map(str::to_owned));
    }
    for target in targets {
        match builder_for(&target) {
            Ok(builder) => programs.push((target.clone(), build(root, &builder, "dist", Some(&target))?)),
            Err(why) => eprintln!("{target}: left out, {why}"),
        }
    }
    ensure!(!programs.is_empty(), "none of the targets can be built here");
    let out = root.join("target/packages");
    make(root, &out, &[], &programs)?;
    if is_checked {
        run(Command::new("python3").arg(root.join("packaging/check.py")).arg(&out))?;
    }
    Ok(())
}

/// The tests of both clients, and of their adapters against the real packages of npm and `PyPI`, which this installs below
/// `target/`.
pub(crate) fn clients(root: &Path) -> Result<()> {
    run(Command::new("bash").arg(root.join("clients/test")).arg(debug_program(root)?))
}

/// The picture of the README, drawn from a session of the program.
pub(crate) fn picture(root: &Path) -> Result<()> {
    run(Command::new("python3").arg(root.join("packaging/picture.py")).arg(debug_program(root)?))
}

/// The program without optimisation.
fn debug_program(root: &Path) -> Result<PathBuf> {
    build(root, &Builder::Here, "dev", None)
}

/// Writes the clients' types of events, which follow from `schemas/`; with `--check` it fails where they do not.
pub(crate) fn client_types(root: &Path, options: &[&str]) -> Result<()> {
    run(Command::new("python3").arg(root.join("clients/event_types.py")).args(options))
}

/// What compiles the C code of the dependency `ring` and links.
enum Builder {
    /// What this machine has.
    Here,
    /// Zig compiles C for another processor. It does not link: a static program needs nothing but the toolchain for that.
    ZigCompiles(&'static str),
    /// `cargo zigbuild` does both, for macOS, with what `packaging/frameworks` says of Apple's libraries instead of an SDK.
    ZigLinks,
}

/// What builds for a target here, or why nothing does.
fn builder_for(target: &str) -> Result<Builder, String> {
    let libraries = output(rustc().args(["--print", "target-libdir", "--target", target]));
    if !libraries.is_ok_and(|folder| Path::new(folder.trim()).is_dir()) {
        return Err(format!("the toolchain has no such target; `rustup target add {target}` adds it"));
    }
    let is_static = target.ends_with("-linux-musl");
    let is_native =
        host().is_ok_and(|host| host == target || is_static && host.replace("-gnu", "-musl") == target);
    if is_native && (!is_static || output(Command::new("musl-gcc").arg("--version")).is_ok()) {
        return Ok(Builder::Here);
    }
    let zig = match target {
        "x86_64-unknown-linux-musl" => Some("x86_64-linux-musl"),
        "aarch64-unknown-linux-musl" => Some("aarch64-linux-musl"),
        _ => None,
    };
    if let Some(zig) = zig
        && output(Command::new("python3").args(["-m", "ziglang", "version"])).is_ok()
    {
        return Ok(Builder::ZigCompiles(zig));
    }
    if zig.is_none() && output(Command::new("cargo-zigbuild").arg("--version")).is_ok() {
        return Ok(Builder::ZigLinks);
    }
    Err("no C compiler for it; `pip install ziglang cargo-zigbuild` brings one".to_owned())
}

/// Builds the program and returns where Cargo put it, which depends on the target directory in use.
/// `--locked`: what is shipped must come from the dependencies that were tested.
fn build(root: &Path, builder: &Builder, profile: &str, target: Option<&str>) -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo.arg(if matches!(builder, Builder::ZigLinks) { "zigbuild" } else { "build" });
    if let (Builder::ZigCompiles(zig), Some(target)) = (builder, target) {
        cargo.env(format!("CC_{}", target.replace('-', "_")), root.join("packaging/zig-cc"));
        cargo.env("ZIG_TARGET", zig);
    }
    if let (Builder::ZigLinks, Some(target)) = (builder, target) {
        // The oldest macOS on which it runs; zig has a newer one in mind than the toolchain and the tags of the wheels.
        let oldest = output(rustc().args(["--print", "deployment-target", "--target", target]))?;
        cargo.envs(oldest.trim().split_once('='));
        let frameworks = root.join("packaging/frameworks");
        cargo.env("CARGO_ENCODED_RUSTFLAGS", format!("-C\x1flink-arg=-F{}", frameworks.display()));
    }
    let output = cargo
        .args(["--locked", "--profile", profile, "--package", "hookrail-cli"])
        .args(target.map(|target| format!("--target={target}")))
        .arg("--message-format=json-render-diagnostics")
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "the program does not build");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message.get("executable")?.as_str().map(PathBuf::from))
        .context("cargo names no executable")
}

/// Makes packages of built programs.
fn make(root: &Path, out: &Path, options: &[&str], programs: &[(String, PathBuf)]) -> Result<()> {
    let programs = programs.iter().map(|(target, file)| format!("{target}={}", file.display()));
    run(Command::new("python3")
        .arg(root.join("packaging/packages.py"))
        .args(["--version", VERSION, "--date", &source_date(root), "--out"])
        .arg(out)
        .args(options)
        .args(programs))
}

/// The triple of the machine that this runs on.
fn host() -> Result<String> {
    let output = output(rustc().arg("-vV"))?;
    let triple = output.lines().find_map(|line| line.strip_prefix("host: "));
    triple.map(str::to_owned).context("rustc does not name its host")
}

/// Seconds since 1970 for every file of the packages: `SOURCE_DATE_EPOCH`, else the time of the last commit.
fn source_date(root: &Path) -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok();
    let committed = || output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root)).ok();
    given.or_else(committed).map_or_else(|| "0".to_owned(), |seconds| seconds.trim().to_owned())
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Runs a command that speaks to the developer itself.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot run `{name}`"))?;
    ensure!(status.success(), "`{name}` failed ({status})");
    Ok(())
}

/// Runs a command to its end and returns its stdout; a failure carries its stderr.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot run `{name}`"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{name}` failed ({}): {}", output.status, stderr.trim());
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests;
