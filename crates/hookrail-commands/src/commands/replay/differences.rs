//! What would be decided otherwise: counted in groups, and kept on disk once there is much of it, so that memory
//! does not grow with what is replayed.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};

use hookrail::JsonObject;
use hookrail::rules::order;
use serde::{Deserialize, Serialize};
use tempfile::SpooledTempFile;

use super::call::{PastCall, PastOutcome};
use super::decide::PresentDecision;
use crate::commands::test::case::DecisionWord;

/// Up to how many bytes differences are kept in memory.
const IN_MEMORY: usize = 4 * 1024 * 1024;

/// How many kinds of differences are distinguished.
const MAX_GROUPS: usize = 2_000;

/// One call that would be decided otherwise. The fields are a contract.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Difference {
    pub(super) file: String,
    pub(super) line: u64,
    pub(super) tool: String,
    pub(super) input: JsonObject,
    pub(super) was: String,
    pub(super) now: String,
    pub(super) reason: Option<String>,
    pub(super) by: Option<String>,
}

/// What differences have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DifferenceKind {
    pub(super) was: PastOutcome,
    pub(super) now: DecisionWord,
    pub(super) by: Option<String>,
    pub(super) tool: String,
}

#[derive(Debug)]
pub(super) struct DifferenceGroup {
    pub(super) count: u64,
    pub(super) example: Difference,
}

/// All differences so far.
pub(super) struct Differences {
    spool: SpooledTempFile,
    pub(super) count: u64,
    groups: BTreeMap<DifferenceKind, DifferenceGroup>,
    /// Differences of kinds that were one too many.
    pub(super) other: u64,
}

impl Differences {
    /// An empty collection, in memory until it grows.
    pub(super) fn new() -> Self {
        Self { spool: SpooledTempFile::new(IN_MEMORY), count: 0, groups: BTreeMap::new(), other: 0 }
    }

    /// Notes a call if it would be decided otherwise than it was. What a person or a missing permission stopped
    /// is not a decision of hooks.
    pub(super) fn add(
        &mut self,
        file: &str,
        call: PastCall,
        was: PastOutcome,
        now: PresentDecision,
    ) -> io::Result<()> {
        let is_same = match (was, now.word) {
            (PastOutcome::Denied, _)
            | (PastOutcome::Allow, DecisionWord::Allow)
            | (PastOutcome::Block, DecisionWord::Block) => true,
            (PastOutcome::Allow | PastOutcome::Block, _) => false,
        };
        if is_same {
            return Ok(());
        }
        let kind = DifferenceKind { was, now: now.word, by: now.by.clone(), tool: call.tool.clone() };
        let difference = Difference {
            file: file.to_owned(),
            line: call.line,
            tool: call.tool,
            input: call.input,
            was: if was == PastOutcome::Allow { "allow" } else { "block" }.to_owned(),
            now: now.word.as_str().to_owned(),
            reason: now.reason,
            by: now.by,
        };
        self.count += 1;
        let mut line = serde_json::to_vec(&difference)?;
        line.push(b'\n');
        self.spool.write_all(&line)?;
        if let Some(group) = self.groups.get_mut(&kind) {
            group.count += 1;
        } else if self.groups.len() < MAX_GROUPS {
            self.groups.insert(kind, DifferenceGroup { count: 1, example: difference });
        } else {
            self.other += 1;
        }
        Ok(())
    }

    /// The groups, the largest first.
    pub(super) fn groups(&self) -> Vec<(&DifferenceKind, &DifferenceGroup)> {
        let mut groups: Vec<_> = self.groups.iter().collect();
        order::sort_by(&mut groups, |one, other| {
            other.1.count.cmp(&one.1.count).then_with(|| one.0.cmp(other.0))
        });
        groups
    }

    /// Hands over all differences, one after another, as lines of JSON.
    pub(super) fn each(&mut self, mut take: impl FnMut(&str) -> anyhow::Result<()>) -> anyhow::Result<()> {
        self.spool.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::new(&mut self.spool);
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 {
            take(line.trim_end_matches('\n'))?;
            line.clear();
        }
        Ok(())
    }
}
