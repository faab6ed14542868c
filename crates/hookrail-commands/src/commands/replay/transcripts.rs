//! Where transcripts are: files and folders that are named, or the places where agents keep theirs.

use std::fs;
use std::path::{Path, PathBuf};

use super::zst;
use crate::cli::TranscriptAgent;
use crate::context::Context;
use crate::hook_log::Since;
use hookrail::rules::order;

/// How deep folders are searched. Agents nest theirs by year, month and day.
const MAX_DEPTH: usize = 16;

/// A file that may be a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TranscriptFile {
    /// As it was named or found.
    pub(super) path: PathBuf,
    /// Its size on disk, for the progress line.
    pub(super) bytes: u64,
    /// Whether it was named; one that was found may turn out to be something else.
    pub(super) is_named: bool,
}

/// The places where an agent keeps its transcripts; `None` for all agents.
/// Variables that move an agent's home are followed, as the agent does.
pub(super) fn usual_places(agent: Option<TranscriptAgent>, context: &Context) -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = variable("HOME");
    let below = |first: Option<PathBuf>, usual: &str| first.or_else(|| Some(home.clone()?.join(usual)));
    // Qwen Code can keep what it writes elsewhere than its settings.
    let qwen = variable("QWEN_RUNTIME_DIR").or_else(|| variable("QWEN_HOME"));
    let all = [
        (TranscriptAgent::Claude, below(variable("CLAUDE_CONFIG_DIR"), ".claude"), "projects"),
        (TranscriptAgent::Codex, below(variable("CODEX_HOME"), ".codex"), "sessions"),
        (TranscriptAgent::Codex, below(variable("CODEX_HOME"), ".codex"), "archived_sessions"),
        (
            TranscriptAgent::Gemini,
            below(variable("GEMINI_CLI_HOME").map(|home| home.join(".gemini")), ".gemini"),
            "tmp",
        ),
        (TranscriptAgent::Qwen, below(qwen.clone(), ".qwen"), "projects"),
        (TranscriptAgent::Qwen, below(qwen, ".qwen"), "tmp"),
        (TranscriptAgent::Hookrail, Some(context.state_dir()), "sessions"),
    ];
    let wanted = all.into_iter().filter(|(of, ..)| agent.is_none_or(|agent| agent == *of));
    wanted.filter_map(|(_, folder, inside)| Some(folder?.join(inside))).collect()
}

/// The candidates below a path. A folder's are ordered by name; links to folders are not followed, so that a circle
/// of them cannot be walked for ever.
pub(super) fn candidates(path: &Path, since: Option<Since>) -> std::io::Result<Vec<TranscriptFile>> {
    let metadata = fs::metadata(path)?;
    let is_recent = |metadata: &fs::Metadata| since.is_none_or(|since| since.covers_file(metadata));
    if !metadata.is_dir() {
        let candidate = TranscriptFile { path: path.to_owned(), bytes: metadata.len(), is_named: true };
        return Ok(if is_recent(&metadata) { vec![candidate] } else { Vec::new() });
    }
    let mut found = Vec::new();
    let mut folders = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() && depth < MAX_DEPTH {
                folders.push((path, depth + 1));
                continue;
            }
            let may_be = path.extension().is_some_and(|end| end == "jsonl" || end == "json")
                || (zst::is_compressed(&path) && !zst::is_doubled(&path));
            // Through a link: it may lead to a file.
            if !may_be || kind.is_dir() {
                continue;
            }
            let Ok(metadata) = fs::metadata(&path) else { continue };
            if metadata.is_file() && is_recent(&metadata) {
                found.push(TranscriptFile { path, bytes: metadata.len(), is_named: false });
            }
        }
    }
    order::sort_by(&mut found, |one, other| one.path.cmp(&other.path));
    Ok(found)
}
