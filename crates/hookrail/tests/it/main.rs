//! Integration tests of the engine: real files and real processes in temporary projects.

mod bus;
mod events;
mod example;
mod failures;
mod guard_attacks;
mod guards;
mod handler;
#[path = "../fixtures/hook.rs"]
mod hook_fixture;
mod kit;
mod logging;
mod logs;
mod outcomes;
mod panics;
mod rules;
mod security;
mod settings_files;
mod surface;
mod system;
mod tool_trigger;
mod trigger;
mod trust;
mod trust_crash;
mod workers;
mod zero_cost;
