//! How the work on a prompt ended, and why it may end early.

use crate::model::ModelError;

/// How the work on a prompt ended.
#[must_use = "it may be a stop"]
#[derive(Debug)]
pub enum PromptOutcome {
    /// The model is done.
    Answered(FinalAnswer),
    /// A hook blocked the prompt.
    PromptBlocked(String),
    /// A hook stopped the agent.
    Stopped(String),
    /// The model still called tools in the last turn.
    MaxTurns(u32),
    /// A model call failed.
    ModelFailed(ModelError),
    /// The user gave up.
    Cancelled,
}

/// The model's answer that ends the work on a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FinalAnswer {
    /// Its text, without thoughts; empty if the model gave none.
    pub text: String,
    /// Whether a hook hides it from the user.
    pub suppressed: bool,
}

/// Why a turn cannot go on.
pub(super) enum Interrupt {
    Stopped(String),
    ModelFailed(ModelError),
    Cancelled,
}

impl From<Interrupt> for PromptOutcome {
    fn from(interrupt: Interrupt) -> Self {
        match interrupt {
            Interrupt::Stopped(reason) => Self::Stopped(reason),
            Interrupt::ModelFailed(error) => Self::ModelFailed(error),
            Interrupt::Cancelled => Self::Cancelled,
        }
    }
}
