//! One file for each agent. Adding an agent is adding a file here, its name below, and a line to the list of
//! [`Agent`](crate::Agent).

pub(crate) mod claude;
pub(crate) mod codex;
pub(crate) mod copilot;
pub(crate) mod gemini;
pub(crate) mod llxprt;
pub(crate) mod opencode;
pub(crate) mod qwen;
pub(crate) mod shapes;
