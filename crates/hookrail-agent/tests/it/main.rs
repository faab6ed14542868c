//! The agent's parts in a real project, with real files and real processes.

mod tools;
