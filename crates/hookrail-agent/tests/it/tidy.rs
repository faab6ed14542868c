//! The architecture of this crate, executable: its top modules in the order in which they build on each other.

use std::path::Path;

use hookrail_testkit::module_order::assert_order;

/// Models and tools do not use each other, nor what is above them: what a person sees and is asked (`ui`, `observer`,
/// `approval`), the tool calls of one response (`scheduler`) and the whole conversation (`session`).
#[test]
fn modules_use_only_those_before_them() {
    assert_order(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &[
            "history",
            "log",
            "log_schema",
            "model",
            "tools",
            "ui",
            "observer",
            "approval",
            "scheduler",
            "session",
        ],
    );
}
