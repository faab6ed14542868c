//! The protocol's exit table: how a hook ended and what it wrote, read as what it asks for. Pure.
