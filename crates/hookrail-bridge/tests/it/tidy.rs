//! The architecture of this crate, executable: its top modules in the order in which they build on each other.

use std::path::Path;

use hookrail_testkit::rooms::assert_order;

#[test]
fn modules_use_only_those_before_them() {
    assert_order(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &[
            // Data: who, what happened, what hooks decided, what the agent is to do.
            "agent", "event", "verdict", "effects", // The tables of all agents.
            "dialect", "agents", // What uses the tables.
            "tools", "input", "memory", "answer", "connect", "import",
        ],
    );
}
