//! Integration tests of the program: the built binary in temporary projects.

mod check;
mod explain;
mod fire;
mod init;
mod list;
mod log;
mod program;
mod schema;
mod support;
mod toggle;
mod trust;
