//! The built program, driven from outside.

mod check;
mod explain;
mod init;
mod list;
mod support;
mod toggle;
