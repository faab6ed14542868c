//! `hookrail init`: a first hook that runs, with its settings entry and a test.
//!
//! `--rule` and `--lang` exclude each other, since a rule has no script.

use clap::{Args, ValueEnum};
use hookrail::EventName;

use super::event::EventNameParser;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail init\n  hookrail init AfterTool --lang python\n  hookrail init BeforeModel --lang node --user"
)]
pub(crate) struct InitArgs {
    /// The event to write a hook for
    #[arg(value_name = "EVENT", default_value = "BeforeTool", value_parser = EventNameParser)]
    pub(crate) event: EventName,
    /// The language of the script
    #[arg(long, value_enum, default_value_t)]
    pub(crate) lang: Language,
    /// The hook's name, which its script gets too; asked for on a terminal
    #[arg(long, value_name = "NAME", value_parser = hook_name)]
    pub(crate) name: Option<String>,
    /// Write a rule, which needs no script, instead of a script; for `BeforeTool`
    #[arg(long, conflicts_with = "lang")]
    pub(crate) rule: bool,
    /// Write a hook that is started once and asked many times, with the kit for it; needs `--lang python` or `--lang node`
    #[arg(long, conflicts_with = "rule")]
    pub(crate) worker: bool,
    /// Write into the user's settings instead of the project's
    #[arg(long)]
    pub(crate) user: bool,
}

/// A name that can be the name of a file as well.
pub(crate) fn hook_name(text: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if text.is_empty() || text.starts_with(['-', '.']) || text.len() > 64 || !text.chars().all(allowed) {
        return Err("use up to 64 letters, digits, `-`, `_` and `.`".to_owned());
    }
    Ok(text.to_owned())
}

/// The languages `init` writes starters in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// POSIX shell
    #[default]
    Sh,
    /// Python 3
    Python,
    /// Node.js
    Node,
}
