//! The architecture of this crate, executable: its top modules in the order in which they build on each other.

use std::path::Path;

use hookrail_testkit::rooms::assert_order;

#[test]
fn modules_use_only_those_before_them() {
    assert_order(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &[
            // Each on its own: tools and models do not use each other, nor the log.
            "history",
            "log",
            "log_schema",
            "model",
            "tools",
            // What a person sees and is asked.
            "ui",
            "observer",
            "approval",
            // The tool calls of one response, and the whole conversation.
            "scheduler",
            "session",
        ],
    );
}
