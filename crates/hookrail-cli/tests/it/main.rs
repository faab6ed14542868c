//! The built program, driven from outside.

mod demo;
