//! Integration tests of the program: the built binary in temporary projects.

mod fire;
mod log;
mod program;
mod schema;
mod trust;
