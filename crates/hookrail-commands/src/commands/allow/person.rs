//! Whether a person is at the terminal, as far as that can be told. An agent must not let its own calls pass.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use hookrail_bridge::{SessionMemory, agent_marks};
use rustix::fs::OFlags;
use rustix::termios::{QueueSelector, tcflush};

use super::private_file;
use super::processes;
use crate::terminal::printer::escape_line;

/// Variables that stand for any agent.
const ANY_AGENT: [&str; 3] = ["AI_AGENT", "HOOKRAIL_AGENT", "HOOKRAIL_BRIDGE"];

/// Why this program may not take an answer; `None` if a person may be there.
pub(super) fn refusal(state_dir: &Path) -> Option<String> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if let Some((agent, name)) = agent_marks().find(|(_, name)| is_set(name)) {
        return Some(format!("{} started this program (`{name}` is set)", agent.title()));
    }
    if let Some(name) = ANY_AGENT.into_iter().find(|name| is_set(name)) {
        return Some(format!("an agent started this program (`{name}` is set)"));
    }
    let agents = agents_lately(state_dir);
    let above = processes::above().find(|process| agents.contains(&process.mark()));
    above.map(|process| {
        let (id, name) = (process.id, escape_line(&process.name));
        format!("an agent started this program: the process {id} ({name}) above it lately called `hookrail bridge`")
    })
}

/// The marks of all processes that were above a bridge call lately.
fn agents_lately(state_dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(state_dir.join("bridge")).into_iter().flatten().flatten();
    let memories =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    let read = |path: std::path::PathBuf| {
        let bytes = private_file::read(&path).ok().flatten()?;
        serde_json::from_slice::<SessionMemory>(&bytes).ok()
    };
    memories.filter_map(read).flat_map(|memory| memory.above).collect()
}

/// The terminal that controls this program. What is shown and what is answered goes through it, wherever the streams of
/// the program lead.
pub(super) struct Terminal {
    file: File,
}

impl Terminal {
    /// `None` where no terminal controls this program.
    pub(super) fn open() -> Option<Self> {
        let flags = OFlags::NOCTTY.bits().cast_signed();
        let file = File::options().read(true).write(true).custom_flags(flags).open("/dev/tty").ok()?;
        Some(Self { file })
    }

    pub(super) fn show(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.file, "{text}")
    }

    /// Asks; `None` at the end of input. What was typed before the question is not an answer to it.
    pub(super) fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        let _ = tcflush(&self.file, QueueSelector::IFlush);
        self.file.write_all(question.as_bytes())?;
        let mut line = Vec::new();
        let mut piece = [0; 1024];
        while !line.ends_with(b"\n") {
            match rustix::io::read(&self.file, &mut piece) {
                Ok(0) => return Ok(None),
                Ok(length) => line.extend_from_slice(piece.get(..length).unwrap_or_default()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
    }
}
