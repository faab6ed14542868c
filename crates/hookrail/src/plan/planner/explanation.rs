//! Why hooks of an event do not run.

use std::fmt;
use std::sync::Arc;

use super::Plan;
use crate::hook::Hook;
use crate::plan::registry::DisabledBy;

/// What is going to run for an event, and why the rest is not.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explanation {
    /// The plan, if there is anything to run.
    pub plan: Option<Plan>,
    /// The other hooks of the event, by rank.
    pub skipped: Vec<Skipped>,
}

/// A hook that does not run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Skipped {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Why not: the reason that came first.
    pub why: SkipReason,
    /// Further reasons: without the first one these would keep it from running all the same.
    pub also: Vec<SkipReason>,
}

impl Skipped {
    /// Every reason, the first one first.
    pub fn reasons(&self) -> impl Iterator<Item = &SkipReason> {
        std::iter::once(&self.why).chain(&self.also)
    }
}

/// Why a hook does not run.
#[derive(Debug, Clone, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum SkipReason {
    /// A list or a call disabled it.
    #[error("disabled {0}")]
    Disabled(DisabledBy),
    /// The user has not approved it.
    #[error("{why}")]
    NotApproved { why: String },
    /// It listens to something else than what the event is about.
    #[error("matcher `{}` does not match `{}`", clipped(matcher), clipped(target))]
    MatcherDoesNotMatch { matcher: String, target: String },
    /// It is a rule whose condition does not hold.
    #[error("its condition does not hold")]
    RuleDoesNotHold,
    /// Its `when` does not hold, so that it is not started.
    #[error("its `when` does not hold")]
    WhenDoesNotHold,
    /// A hook of higher rank runs the same command.
    #[error("duplicate of `{}`{}", clipped(&of.name), place_of(of))]
    Duplicate { of: Arc<Hook> },
}

impl SkipReason {
    /// The reason as a word that programs can compare, such as `not-approved`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Disabled(_) => "disabled",
            Self::NotApproved { .. } => "not-approved",
            Self::MatcherDoesNotMatch { .. } => "matcher-does-not-match",
            Self::RuleDoesNotHold => "rule-does-not-hold",
            Self::WhenDoesNotHold => "when-does-not-hold",
            Self::Duplicate { .. } => "duplicate",
        }
    }
}

/// Where a hook is in its file, in brackets.
fn place_of(hook: &Hook) -> String {
    let origin = &hook.origin;
    if origin.line > 0 { format!(" ({}:{})", origin.file.display(), origin.line) } else { String::new() }
}

/// A text that is short enough for a line.
pub(super) fn clipped(text: &str) -> impl fmt::Display {
    let end = text.char_indices().nth(80).map_or(text.len(), |(end, _)| end);
    let dots = if end < text.len() { "…" } else { "" };
    fmt::from_fn(move |f| write!(f, "{}{dots}", text.get(..end).unwrap_or_default()))
}
