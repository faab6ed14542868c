//! The data formats of hooks: what model requests look like to a hook and to an SDK. No I/O, and the only place that
//! translates between two formats.

pub(crate) mod field;
pub mod genai;
pub(crate) mod json_object;
pub mod jsonc;
pub(crate) mod llm;
pub(crate) mod translator;
