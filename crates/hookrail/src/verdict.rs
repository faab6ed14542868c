//! What hooks ask for: the JSON they print, the table of exit codes, the merge of several outputs, and the reading
//! of what was merged. Pure functions of what a finished hook left behind.

pub(crate) mod aggregator;
pub(crate) mod chain;
pub(crate) mod common_fields;
pub(crate) mod exit_table;
pub(crate) mod failure;
pub(crate) mod hook_run;
pub(crate) mod result;
