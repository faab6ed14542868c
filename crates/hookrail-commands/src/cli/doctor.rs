//! `hookrail doctor`: whether everything from the settings to the connected agents works.

use clap::Args;
use hookrail_bridge::Agent;

use super::shared::Format;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Also run the installed agents against a scripted model, and observe whether they obey; takes minutes
    #[arg(long)]
    pub(crate) live: bool,
    /// The agents to run; without a name, those that are connected
    #[arg(value_name = "AGENT", requires = "live")]
    pub(crate) agents: Vec<Agent>,
    /// Fail if an agent does not obey, even if it was measured that it does not
    #[arg(long, requires = "live")]
    pub(crate) strict: bool,
    /// The network is closed already, but for loopback
    #[arg(long, hide = true, requires = "live")]
    pub(crate) network_closed: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}
