//! Integration tests of the engine, with real files and real processes.

mod trust;
mod trust_crash;
