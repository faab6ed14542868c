//! The `hookrail` program.

fn main() {}
