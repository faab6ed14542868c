//! `hookrail doctor`: whether everything from the settings to the connected agents works.

use clap::Args;

use super::shared::Format;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// How to print the result
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}
