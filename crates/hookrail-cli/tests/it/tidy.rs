//! The order of the program's top modules.

use std::path::Path;

use hookrail_testkit::module_order::assert_order;

/// From the bottom up: each uses only those before it. `lib.rs` uses all of them.
const MODULES: [&str; 18] = [
    "texts",
    "digest",
    "effect",
    "exit",
    "services",
    "interrupt",
    "logging",
    "signals",
    "terminal",
    "hook_log",
    "plain_file",
    "cli",
    "context",
    "display",
    "event_input",
    "findings",
    "settings_file",
    "commands",
];

#[test]
fn modules_use_only_those_before_them() {
    assert_order(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../hookrail-commands/src"), &MODULES);
}
