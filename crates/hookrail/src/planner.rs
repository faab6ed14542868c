//! Which hooks run for an event, in which order. Pure; remembers plans, bounded.
