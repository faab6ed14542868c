//! The architecture of this crate, executable: its top modules in the order in which they build on each other.

use std::path::Path;

use hookrail_testkit::module_order::assert_order;

/// Data comes first: who, what happened, what hooks decided, what the agent is to do. The tables of all agents (`dialect`,
/// `agents`) are made of it, and everything else uses the tables.
#[test]
fn modules_use_only_those_before_them() {
    assert_order(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &[
            "jsonc", "agent", "event", "outcome", "effects", "dialect", "agents", "tools", "input", "memory",
            "answer", "connect", "mcp", "import",
        ],
    );
}
