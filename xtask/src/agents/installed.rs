//! The agents' programs in a cache outside of the repository.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use hookrail_live::Program;
use serde_json::Value;

/// How many releases are tried: the newest may need a package that is not on npm yet.
const TRIED: usize = 8;

/// Installs an agent, unless it is there, and returns its program.
/// An installed agent is never updated here. To look at a new release, remove its folder from the cache; the head of
/// the table names the version that was run.
pub(super) fn install(program: &Program) -> Result<PathBuf> {
    let folder = cache()?.join(&program.name);
    let executable = folder.join("node_modules/.bin").join(&program.name);
    if !executable.exists() {
        fs::create_dir_all(&folder)?;
        let is_installed = releases(program)?.iter().take(TRIED).any(|version| {
            let package = format!("{}@{version}", program.package);
            eprintln!("installing {package} from npm");
            npm(&["install", "--no-audit", "--no-fund", "--prefix", ".", &package])
                .current_dir(&folder)
                .status()
                .is_ok_and(|status| status.success())
                && executable.exists()
        });
        if !is_installed {
            bail!("npm cannot install {}", program.package);
        }
    }
    executable.canonicalize().with_context(|| format!("{} brought no program", program.package))
}

/// The releases, the newest one first. Each is named when it is installed: without a version npm takes an older one whose
/// `engines` accept this Node, though the newest may bring a program that needs none.
fn releases(program: &Program) -> Result<Vec<String>> {
    let asked = npm(&["view", &program.package, "version", "versions", "--json"])
        .output()
        .context("npm cannot be started")?;
    let answer: Value = serde_json::from_slice(&asked.stdout).with_context(|| {
        format!("npm does not know {}: {}", program.package, String::from_utf8_lossy(&asked.stderr).trim())
    })?;
    let newest = answer.get("version").and_then(Value::as_str);
    // The only release of a package comes as a text. Those after the newest are previews.
    let all = answer.get("versions").and_then(Value::as_array).into_iter().flatten();
    let older = all.filter_map(Value::as_str).take_while(|version| Some(*version) != newest);
    let is_release = |version: &&str| !version.contains('-');
    let older: Vec<&str> = older.filter(is_release).collect();
    Ok(newest.into_iter().chain(older.into_iter().rev()).map(str::to_owned).collect())
}

fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).arg("--loglevel=error");
    command
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
    Ok(cache()?.join(&program.name).join("node_modules").join(&program.package))
}

/// The version that is installed.
/// It is read from the installed package; asking the program would start it once more, with whatever it does at a
/// start.
pub(super) fn version(program: &Program) -> Result<String> {
    let manifest: Value = serde_json::from_str(&fs::read_to_string(package(program)?.join("package.json"))?)?;
    Ok(manifest.get("version").and_then(Value::as_str).unwrap_or("?").to_owned())
}
