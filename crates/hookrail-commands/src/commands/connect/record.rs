//! What `connect` wrote, and what was there before: `connect.json` in the state folder, with the texts beside it.
//!
//! With it `disconnect` gives back every byte, `uninstall` knows all files, and the bridge knows the `PATH` of the person
//! who connected the agents.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use hookrail::settings::LockedFile;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::exit::Hinted;

/// The whole record. Fields that this version does not know are kept.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ConnectRecord {
    /// The `PATH` of the terminal in which the last agent was connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default)]
    pub(crate) files: Vec<ConnectedFile>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// One file that `connect` wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ConnectedFile {
    pub(crate) agent: String,
    pub(crate) file: String,
    /// Whether it was not there before.
    pub(crate) created: bool,
    /// The folders that were made for it, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    folders: Vec<PathBuf>,
    /// The SHA-256 of what it held before, which is the name of the file that keeps it.
    pub(crate) before: Option<String>,
    /// The SHA-256 of what `connect` wrote: another content means that somebody changed it since.
    after: String,
}

impl ConnectRecord {
    /// What is recorded. A file that cannot be read is an error: what is in it would be lost.
    pub(crate) fn load(context: &Context) -> anyhow::Result<Self> {
        let file = place(context);
        match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| {
                let message = format!("`{}` cannot be read: {error}", file.display());
                Hinted::new(message, "move that file away, then run this again").into()
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read `{}`", file.display())),
        }
    }

    /// What is recorded of a file.
    pub(crate) fn of(&self, file: &Path) -> Option<&ConnectedFile> {
        self.files.iter().find(|known| Path::new(&known.file) == file)
    }
}

impl ConnectedFile {
    /// Whether the file is as `connect` wrote it.
    pub(crate) fn is_unchanged(&self, text: &str) -> bool {
        self.after == digest(text)
    }

    /// What the file held before, if that is kept.
    pub(crate) fn text_before(&self, context: &Context) -> Option<String> {
        let text = fs::read_to_string(texts(context).join(self.before.as_deref()?)).ok()?;
        (Some(digest(&text)) == self.before).then_some(text)
    }
}

/// Records a file before it is written. What was there before the first `connect` is kept over later ones, unless
/// somebody changed the file in between. `is_connected` is whether it held entries of ours already; `folders` are those
/// that were made just now.
pub(crate) fn remember(
    agent: &str,
    file: &Path,
    (before, after): (Option<&str>, &str),
    is_connected: bool,
    folders: Vec<PathBuf>,
    context: &Context,
) -> anyhow::Result<()> {
    let Some(name) = file.to_str() else { return Ok(()) };
    change(context, |record| {
        let known = record.of(file).cloned();
        let unchanged = known.as_ref().filter(|known| before.is_some_and(|text| known.is_unchanged(text)));
        let (created, kept) = match (unchanged, &known, before) {
            (Some(known), _, _) => (known.created, known.before.clone()),
            (None, _, None) => (true, None),
            // With entries of ours in it, it is not what was there before.
            (None, _, Some(_)) if is_connected => (known.as_ref().is_some_and(|known| known.created), None),
            (None, _, Some(text)) => (false, Some(keep_text(text, context)?)),
        };
        let known_folders = known.filter(|_| folders.is_empty() && created).map(|known| known.folders);
        record.files.retain(|known| known.file != name);
        record.files.push(ConnectedFile {
            agent: agent.to_owned(),
            file: name.to_owned(),
            created,
            folders: known_folders.unwrap_or(folders),
            before: kept,
            after: digest(after),
        });
        record.path = usable_path().or(record.path.take());
        Ok(())
    })
}

/// Forgets a file that is no longer connected, and what was kept of it. Folders that were made for it go, if they are empty.
pub(crate) fn forget(file: &Path, context: &Context) -> anyhow::Result<()> {
    if ConnectRecord::load(context)?.of(file).is_none() {
        return Ok(());
    }
    change(context, |record| {
        let is_it = |known: &mut ConnectedFile| Path::new(&known.file) == file;
        let gone: Vec<ConnectedFile> = record.files.extract_if(.., is_it).collect();
        for folder in gone.iter().flat_map(|known| &known.folders) {
            let lies_inside = |known: &&mut ConnectedFile| Path::new(&known.file).starts_with(folder);
            if fs::remove_dir(folder).is_err()
                && let Some(other) = record.files.iter_mut().find(lies_inside)
            {
                // Another agent's file is in it, and takes it along.
                other.folders.push(folder.clone());
            }
        }
        for before in gone.into_iter().filter_map(|known| known.before) {
            if !record.files.iter().any(|known| known.before.as_ref() == Some(&before)) {
                let _ = fs::remove_file(texts(context).join(before));
            }
        }
        Ok(())
    })
}

fn change(
    context: &Context,
    change: impl FnOnce(&mut ConnectRecord) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let file = place(context);
    let locked = LockedFile::lock(&file, &context.state_dir().join("connect.json.lock"))?;
    let mut record = ConnectRecord::load(context)?;
    change(&mut record)?;
    let mut text = serde_json::to_vec_pretty(&record)?;
    text.push(b'\n');
    Ok(locked.replace_with_mode(&text, 0o600)?)
}

/// Keeps a text under its SHA-256, for the user alone: settings may hold keys.
fn keep_text(text: &str, context: &Context) -> anyhow::Result<String> {
    let name = digest(text);
    let file = texts(context).join(&name);
    let locked = LockedFile::lock(&file, &context.state_dir().join("connect.texts.lock"))?;
    locked.replace_with_mode(text.as_bytes(), 0o600)?;
    Ok(name)
}

fn place(context: &Context) -> PathBuf {
    context.state_dir().join("connect.json")
}

fn texts(context: &Context) -> PathBuf {
    context.state_dir().join("connect")
}

fn digest(text: &str) -> String {
    crate::digest::of(text, 32)
}

/// The entries of `PATH` that mean the same wherever a program runs.
fn usable_path() -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let entries = std::env::split_paths(&path).filter(|entry| entry.is_absolute());
    std::env::join_paths(entries).ok()?.into_string().ok().filter(|path| !path.is_empty())
}
