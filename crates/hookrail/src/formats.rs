//! The data formats of hooks: what model requests look like to a hook and to an SDK, and how payloads from outside
//! are checked. No I/O, and the only place that knows more than one format.

pub(crate) mod field;
pub mod genai;
pub(crate) mod json_object;
pub(crate) mod jsonc;
pub(crate) mod llm;
pub(crate) mod payload;
pub(crate) mod schema;
pub(crate) mod translator;
