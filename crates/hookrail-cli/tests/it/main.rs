//! The built program, driven from outside.

mod demo;
mod interactive;
mod pty;
