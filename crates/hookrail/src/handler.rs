//! Fires events: plan, run, aggregate, log.
