//! Integration tests of the engine: real files and real processes in temporary projects.

mod config;
mod trust;
mod trust_crash;
