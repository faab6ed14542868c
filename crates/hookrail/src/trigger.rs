//! What agents call. Never fails, never panics.
