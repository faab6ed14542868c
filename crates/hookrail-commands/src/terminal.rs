//! What a person sees and answers on a terminal: printed text, progress, questions, the agent's session.

pub(crate) mod agent_ui;
pub(crate) mod difference;
pub(crate) mod error;
pub(crate) mod interactive;
pub(crate) mod layout;
pub(crate) mod meter;
pub(crate) mod pager;
pub(crate) mod printer;
pub(crate) mod progress;
pub(crate) mod question;
pub(crate) mod screen;
pub(crate) mod style;
