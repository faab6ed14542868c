//! A small real coding agent in which what hooks decide is what happens.

pub mod tools;
