//! Which hooks run for an event: all of them by rank in the registry, the matching ones in a plan. No I/O.

pub(crate) mod planner;
pub(crate) mod registry;
