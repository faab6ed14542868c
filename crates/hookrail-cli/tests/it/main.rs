//! Integration tests of the program: the built binary in temporary projects, with real hooks.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod agent_attacks;
mod agent_events;
mod agent_failures;
mod agent_http;
mod agent_interrupt;
mod agent_limits;
mod agent_model;
mod agent_modes;
mod agent_scenario;
mod agent_selection;
mod agent_tool;
mod agent_trust;
mod allow;
mod both_folders;
mod bridge;
mod check;
mod claude_dialect;
mod claude_hooks;
mod connect;
mod crash;
mod demo;
mod docs;
mod doctor;
mod doctor_live;
mod enclosing;
mod explain;
mod export;
mod fire;
mod fire_agent;
mod fire_limits;
mod guards_off;
mod http_hooks;
mod import;
mod init;
mod interactive;
mod keeper;
mod list;
mod live_report;
mod log;
mod mcp;
mod messages;
#[cfg(target_os = "linux")] // It needs FUSE and namespaces.
mod modeless;
#[cfg(feature = "nats")]
mod nats;
mod own_hooks;
mod patches;
mod policy;
mod program;
mod pty;
mod replay;
mod report;
mod report_in_browser;
mod rule_findings;
mod rules;
mod schema;
mod serve;
mod setup;
mod status;
mod test_command;
mod tidy;
mod toggle;
mod trust;
mod worker_reports;
