//! Runs a plan: hooks side by side or chained.
