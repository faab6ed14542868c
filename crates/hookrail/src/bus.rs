//! Execution requests over a message bus.
