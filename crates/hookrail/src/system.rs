//! Owns the components; starts them at the first event.
