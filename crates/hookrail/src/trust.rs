//! Approvals of project hooks.
