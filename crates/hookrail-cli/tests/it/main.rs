//! Integration tests of the program: the built binary in temporary projects.

mod serve;
