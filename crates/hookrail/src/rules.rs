//! Rules: guards without a process.
//!
//! A rule is a condition on the facts of an event and the output of a hook. `Rule::read` reads one from settings,
//! [`Facts`] holds what is known of an event, and `Rule::answer` is the output of the rule for it. Logic has three
//! values ([`Truth`]): where a shell line does not show what it does, the result is unknown instead of a guess.
//!
//! Everything here is pure but `path.rs`, which reads links. A rule is a guard rail and no sandbox: it reads what a call
//! contains, and a program that is started can do what no text shows.

mod command;
mod condition;
mod examples;
mod fact;
mod facts;
mod glob;
mod index;
pub mod library;
mod patch;
mod path;
mod problem;
mod rule;
mod test;
mod tools;
mod truth;

pub use self::condition::{Condition, ConditionReport};

pub use self::facts::{Facts, Folders, Subject, shell_tool_of};
pub(crate) use self::index::RuleIndex;
pub use self::patch::{PatchAction, PatchedFile, patched_files};
pub(crate) use self::problem::{RuleFindings, kind_of};

pub(crate) use self::rule::PatternPrograms;
pub use self::rule::Rule;
pub use self::tools::{ArgumentRole, OurTool, argument_problem, unreadable_call};
pub(crate) use self::tools::{PATCH_TOOL, TOOLS_OF_PATCH};
pub use self::truth::Truth;

/// Sorting, for the program's other crates.
#[doc(hidden)]
pub mod order {
    pub use crate::order::{sort, sort_by, sort_by_key};
}
