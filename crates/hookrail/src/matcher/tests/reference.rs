//! `regress` as the measure of our own verdicts, in tests and under the fuzzer.

use super::syntax::{self, Node};

/// Whether `regress` finds the pattern in the name; `None` where its answer is known to be wrong or never to come.
///
/// It lets a reference to a group that is still open fail, which JavaScript reads as empty. And a loop in a loop in a
/// loop, where all can match nothing (`(?:(?:(?:a)?){2})+b`), makes it push choices until memory is full.
pub(crate) fn finds(pattern: &str, name: &str) -> Option<bool> {
    let read = syntax::parse(pattern).ok()?;
    // It walks branches recursively.
    if pattern.bytes().filter(|&byte| byte == b'|').count() > 1_000 {
        return None;
    }
    if refers_within_a_group(&read.root, false) || nested_loops(&read.root) > 2 {
        return None;
    }
    let reference = regress::Regex::new(pattern).ok()?;
    Some(reference.find(name).is_some())
}

fn refers_within_a_group(node: &Node, is_open: bool) -> bool {
    match node {
        Node::BackReference { .. } => is_open,
        Node::Capture { node, .. } => refers_within_a_group(node, true),
        _ => parts(node).iter().any(|part| refers_within_a_group(part, is_open)),
    }
}

fn nested_loops(node: &Node) -> usize {
    let within = parts(node).iter().map(nested_loops).max().unwrap_or(0);
    within + usize::from(matches!(node, Node::Repeat { .. }))
}

fn parts(node: &Node) -> &[Node] {
    match node {
        Node::Concat(parts) | Node::Alternate(parts) => parts,
        Node::Repeat { node, .. } | Node::Capture { node, .. } | Node::Look { node, .. } => {
            std::slice::from_ref(node)
        }
        Node::Empty | Node::Unit(_) | Node::Set(_) | Node::Assert(_) | Node::BackReference { .. } => &[],
    }
}
