//! Typed parsers for the payloads of all eleven events.
