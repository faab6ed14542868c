//! All hooks by event, ranked; enable, disable, list.
