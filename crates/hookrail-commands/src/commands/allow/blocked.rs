//! The calls that rules stopped, kept whole for a day, so that a person can look at them and let one pass.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use hookrail::JsonObject;
use hookrail::grants::GuardedCall;
use hookrail::rules::order;
use hookrail::settings::{LockedFile, make_state_dir};
use jiff::{SignedDuration, Timestamp};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::private_file::{self, LARGEST};
use crate::digest;
use crate::hook_log::summary_of;

/// How long a call is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// A longer call is kept without its arguments, and cannot be allowed.
const LONGEST_CALL: usize = 256 * 1024;

/// A call that rules stopped.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BlockedCall {
    pub(super) id: String,
    pub(super) time: Timestamp,
    /// The agent that made it; `hookrail` for our own programs.
    pub(super) agent: String,
    pub(super) project: String,
    /// Where its relative paths start.
    pub(super) directory: String,
    pub(super) tool: String,
    /// The rules that stopped it, each with its level.
    pub(super) rules: Vec<RuleName>,
    /// The arguments that decide what it does.
    pub(super) input: JsonObject,
    /// The others. A grant is not bound to them.
    #[serde(default, skip_serializing_if = "JsonObject::is_empty")]
    pub(super) beside: JsonObject,
    /// Why it cannot be allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) obstacle: Option<String>,
}

/// A rule, by what a grant is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RuleName {
    pub(super) level: String,
    pub(super) name: String,
}

impl RuleName {
    pub(super) fn of(rule: &hookrail::Hook) -> Self {
        Self { level: rule.origin.level.to_string(), name: rule.name.clone() }
    }
}

/// What a grant is bound to besides its rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CallKey {
    pub(super) project: String,
    pub(super) tool: String,
    /// Of the arguments that decide, and of the folder that they are relative to.
    pub(super) hash: String,
}

impl CallKey {
    pub(super) fn new(project: &str, directory: &str, tool: &str, input: &JsonObject) -> Self {
        let mut arguments: Vec<(&String, &Value)> = input.iter().collect();
        order::sort_by_key(&mut arguments, |(name, _)| *name);
        let arguments = arguments.into_iter().flat_map(|(name, value)| [name.clone(), value.to_string()]);
        let hash = digest::of_parts(std::iter::once(directory.to_owned()).chain(arguments), 32);
        Self { project: project.to_owned(), tool: tool.to_owned(), hash }
    }
}

impl BlockedCall {
    /// The call with those of its arguments that decide.
    pub(super) fn new(
        agent: &str,
        call: &GuardedCall<'_>,
        deciding: JsonObject,
        rules: Vec<RuleName>,
        obstacle: Option<String>,
    ) -> Self {
        let others = call.tool_input.iter().filter(|(name, _)| !deciding.contains_key(*name));
        let mut blocked = Self {
            id: String::new(),
            time: Timestamp::now(),
            agent: agent.to_owned(),
            project: call.project.display().to_string(),
            directory: call.directory.display().to_string(),
            tool: call.tool_name.to_owned(),
            rules,
            beside: others.map(|(name, value)| (name.clone(), value.clone())).collect(),
            input: deciding,
            obstacle,
        };
        blocked.id = digest::of_parts([blocked.time.to_string(), blocked.key().hash], 4);
        blocked
    }

    pub(super) fn key(&self) -> CallKey {
        CallKey::new(&self.project, &self.directory, &self.tool, &self.input)
    }

    /// What it is about, in a line without secrets.
    pub(super) fn summary(&self) -> String {
        summary_of(&self.input)
    }

    /// The names of its rules.
    pub(super) fn rule(&self) -> String {
        let names: Vec<&str> = self.rules.iter().map(|rule| rule.name.as_str()).collect();
        names.join(", ")
    }

    /// Its line in the file; without arguments, if they are too long to be kept.
    fn line(mut self) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(&self)?;
        if line.len() > LONGEST_CALL {
            self.input = JsonObject::new();
            self.beside = JsonObject::new();
            self.obstacle = Some("it is too long to be kept whole".to_owned());
            line = serde_json::to_vec(&self)?;
        }
        line.push(b'\n');
        Ok(line)
    }
}

/// The file of the calls.
pub(super) struct BlockedCalls {
    file: PathBuf,
}

impl BlockedCalls {
    pub(super) fn new(state_dir: &Path) -> Self {
        Self { file: state_dir.join("blocked.jsonl") }
    }

    /// Keeps a call. Old ones are dropped when the file is full, or when the oldest is older than a day.
    pub(super) fn add(&self, call: BlockedCall) -> Result<(), String> {
        let line = call.line().map_err(|error| error.to_string())?;
        let folder = self.file.parent().unwrap_or(Path::new("."));
        make_state_dir(folder).map_err(|error| error.to_string())?;
        let lock = self.file.with_extension("lock");
        let locked = LockedFile::lock_within(&self.file, &lock, super::LOCK_TIMEOUT);
        let locked = locked.map_err(|error| error.to_string())?;
        let is_old = |line: &[u8]| read(line).is_none_or(|call| !is_kept(&call));
        let is_full = |size: u64| size + line.len() as u64 > LARGEST;
        // An agent waits for this, so that what stays is not read.
        let may_append = match private_file::open(&self.file) {
            Ok(Some((file, size))) => {
                !is_full(size) && first_line(file).is_ok_and(|first| first.is_empty() || !is_old(&first))
            }
            Ok(None) => true,
            Err(_) => false,
        };
        if may_append {
            return append(&self.file, &line).map_err(|error| error.to_string());
        }
        let Ok(present) = private_file::read(&self.file) else {
            // Whatever is there holds nothing that a person could rely on. What a link leads to is not ours to replace.
            fs::remove_file(&self.file).map_err(|error| error.to_string())?;
            return append(&self.file, &line).map_err(|error| error.to_string());
        };
        let present = present.unwrap_or_default();
        let is_full = is_full(present.len() as u64);
        let mut kept: Vec<&[u8]> = lines(&present).filter(|line| !is_old(line)).collect();
        // Half of it goes at once, so that not every call writes all of it.
        if is_full {
            let mut size = 0;
            let newest = kept.iter().rev().take_while(|line| {
                size += line.len() as u64 + 1;
                size <= LARGEST / 2
            });
            let dropped = kept.len() - newest.count();
            kept.drain(..dropped);
        }
        let mut text: Vec<u8> =
            kept.into_iter().flat_map(|line| line.iter().copied().chain([b'\n'])).collect();
        text.extend(line);
        locked.replace_with_mode(&text, 0o600).map_err(|error| error.to_string())
    }

    /// The calls of the last day, the latest first. Of calls that are alike only the latest is given.
    pub(super) fn load(&self) -> Result<Vec<BlockedCall>, String> {
        let path = self.file.display();
        let bytes =
            private_file::read(&self.file).map_err(|why| format!("`{path}` {why}"))?.unwrap_or_default();
        let mut calls: Vec<BlockedCall> = Vec::new();
        let mut seen = Vec::new();
        for call in lines(&bytes).rev().filter_map(read).filter(is_kept) {
            let kind = (call.key(), call.rules.clone(), call.agent.clone());
            if !seen.contains(&kind) {
                seen.push(kind);
                calls.push(call);
            }
        }
        Ok(calls)
    }
}

fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// A line that cannot be read is passed over.
fn read(line: &[u8]) -> Option<BlockedCall> {
    serde_json::from_slice(line).ok()
}

/// A clock that was set back makes nothing old.
fn is_kept(call: &BlockedCall) -> bool {
    Timestamp::now().duration_since(call.time) < KEPT
}

/// The first line of a file, without its end.
fn first_line(file: File) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    BufReader::new(file).take(LARGEST).read_until(b'\n', &mut line)?;
    line.pop_if(|last| *last == b'\n');
    Ok(line)
}

fn append(path: &Path, line: &[u8]) -> io::Result<()> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = File::options();
    options.append(true).create(true).mode(0o600).custom_flags(flags.bits().cast_signed());
    options.open(path)?.write_all(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, hours_ago: i64) -> BlockedCall {
        let time = Timestamp::now() - SignedDuration::from_hours(hours_ago);
        let empty = String::new;
        BlockedCall {
            id: id.to_owned(),
            time,
            agent: empty(),
            project: empty(),
            directory: empty(),
            tool: empty(),
            rules: Vec::new(),
            input: JsonObject::new(),
            beside: JsonObject::new(),
            obstacle: None,
        }
    }

    fn ids(calls: &BlockedCalls) -> Vec<String> {
        let bytes = fs::read(&calls.file).unwrap();
        lines(&bytes).map(|line| read(line).map_or_else(|| "?".to_owned(), |call| call.id)).collect()
    }

    #[test]
    fn what_is_kept_stays_and_what_is_old_goes() {
        let folder = tempfile::tempdir().unwrap();
        let calls = BlockedCalls::new(folder.path());
        for id in ["a", "b"] {
            calls.add(call(id, 0)).unwrap();
        }
        assert_eq!(ids(&calls), ["a", "b"]);
        for (first, kept) in
            [(call("old", 25).line().unwrap(), vec!["c"]), (b"no call\n".to_vec(), vec!["c"])]
        {
            fs::write(&calls.file, first).unwrap();
            calls.add(call("c", 0)).unwrap();
            assert_eq!(ids(&calls), kept);
        }
        // What is behind a call that is kept is not looked at.
        append(&calls.file, &call("old", 25).line().unwrap()).unwrap();
        calls.add(call("d", 0)).unwrap();
        assert_eq!(ids(&calls), ["c", "old", "d"]);
    }

    #[test]
    fn a_link_in_its_place_is_replaced_and_not_what_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let calls = BlockedCalls::new(folder.path());
        let other = folder.path().join("other");
        fs::write(&other, "other").unwrap();
        std::os::unix::fs::symlink(&other, &calls.file).unwrap();
        calls.add(call("a", 0)).unwrap();
        assert_eq!(
            (ids(&calls), fs::read_to_string(&other).unwrap()),
            (vec!["a".to_owned()], "other".to_owned())
        );
    }

    #[test]
    fn a_full_file_loses_its_older_half() {
        let folder = tempfile::tempdir().unwrap();
        let calls = BlockedCalls::new(folder.path());
        let line = call("x", 0).line().unwrap();
        let count = usize::try_from(LARGEST).unwrap() / line.len();
        fs::write(&calls.file, line.repeat(count)).unwrap();
        calls.add(call("new", 0)).unwrap();
        let left = ids(&calls);
        assert!(left.len() <= count / 2 + 1 && left.len() > count / 3, "{} of {count}", left.len());
        assert_eq!(left.last().map(String::as_str), Some("new"));
    }
}
