//! Hook outputs as the callers of each event read them.
