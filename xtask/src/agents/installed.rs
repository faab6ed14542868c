//! The agents' programs in a cache outside of the repository.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use hookrail_live::Program;
use serde_json::Value;

/// Installs an agent, unless it is there, and returns its program.
/// An installed agent is never updated here. To look at a new release, remove its folder from the cache; the head of
/// the table names the version that was run.
pub(super) fn install(program: &Program) -> Result<PathBuf> {
    let folder = cache()?.join(program.name);
    let executable = folder.join("node_modules/.bin").join(program.name);
    if !executable.exists() {
        fs::create_dir_all(&folder)?;
        eprintln!("installing {} from npm", program.package);
        let installed = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", "."])
            .arg(program.package)
            .current_dir(&folder)
            .status()
            .context("npm cannot be started")?;
        if !installed.success() {
            bail!("npm cannot install {}", program.package);
        }
    }
    executable.canonicalize().with_context(|| format!("{} brought no program", program.package))
}

/// Where the programs are kept: `HOOKRAIL_AGENTS`, else a folder of the user's cache.
pub(super) fn cache() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("HOOKRAIL_AGENTS") {
        return Ok(PathBuf::from(folder));
    }
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    Ok(cache.context("there is no home directory; set HOOKRAIL_AGENTS")?.join("hookrail/agents"))
}

/// The folder of the installed package.
pub(super) fn package(program: &Program) -> Result<PathBuf> {
    Ok(cache()?.join(program.name).join("node_modules").join(program.package))
}

/// The version that is installed.
/// It is read from the installed package; asking the program would start it once more, with whatever it does at a
/// start.
pub(super) fn version(program: &Program) -> Result<String> {
    let manifest: Value = serde_json::from_str(&fs::read_to_string(package(program)?.join("package.json"))?)?;
    Ok(manifest.get("version").and_then(Value::as_str).unwrap_or("?").to_owned())
}
