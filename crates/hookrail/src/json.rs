//! JSON as JavaScript's `JSON.parse` accepts it.
