use super::*;
use tracing::Level;

#[test]
fn debug_patterns_map_onto_targets() {
    let on = |debug: &str, target: &str| {
        filter(Some(debug), None).is_some_and(|filter| filter.would_enable(target, &Level::DEBUG))
    };
    assert!(on("llxprt:core:hooks:*", "llxprt:core:hooks:runner"));
    assert!(on("llxprt:*", "llxprt:core:hooks:runner"));
    assert!(on("*", "llxprt:core:hooks:runner"));
    assert!(on("other,llxprt:core:hooks:runner", "llxprt:core:hooks:runner"));
    assert!(!on("llxprt:core:hooks:runner", "llxprt:core:hooks:handler"));
    assert!(!on("express:*", "llxprt:core:hooks:runner"));
    assert!(!on("llxprt:core:hooks:*,-llxprt:core:hooks:runner", "llxprt:core:hooks:runner"));
    assert!(!on("", "llxprt:core:hooks:runner"));
}
