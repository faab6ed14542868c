//! Settings: where they are, how they are read, how levels merge.
