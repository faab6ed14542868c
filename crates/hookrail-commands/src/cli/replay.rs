//! `hookrail replay`: tool calls of past sessions, decided again by the hooks of today.
//!
//! Transcripts are private. They are read where they are, and nothing of them leaves the machine.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::{Format, TrustFlag};
use crate::hook_log::Since;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail replay session.jsonl\n  hookrail replay --agent claude --since 7d\n  hookrail replay ~/.codex/sessions --all --format json\n  hookrail replay --since 30d --save-tests .hookrail/tests/replayed.json\n\nReads hookrail's session logs, Claude Code transcripts, Codex rollouts, Gemini and Qwen chats. Rules and hooks marked \"pure\": true are asked; others only with --run-hooks. Nothing is sent anywhere.\n\nJSON: { calls, allow, block, ask, notAsked, unreadable, \"different\": [{ file, line, tool, input, was, now, reason, by }] }"
)]
pub(crate) struct ReplayArgs {
    /// Transcripts, or folders of them; without any, where the agents keep theirs
    #[arg(value_name = "FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only the transcripts of this agent
    #[arg(long, value_enum, conflicts_with = "paths")]
    pub(crate) agent: Option<TranscriptAgent>,
    /// Only files changed since then: `30m`, `2h`, `7d`, `4w`, a date, or a date and a time
    #[arg(long, value_name = "TIME", value_parser = Since::parse)]
    pub(crate) since: Option<Since>,
    /// Ask every hook, also those that may have effects
    #[arg(long)]
    pub(crate) run_hooks: bool,
    /// Show every difference instead of one of each kind
    #[arg(long)]
    pub(crate) all: bool,
    /// Keep the differences that are shown as tests, in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) save_tests: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}

/// The agents whose transcripts `replay` can find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TranscriptAgent {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Qwen Code
    Qwen,
    /// `hookrail agent`
    Hookrail,
}
