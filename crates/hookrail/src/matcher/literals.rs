//! Texts that a pattern cannot match without: one of them is in whatever it matches.

use super::syntax::Node;

/// Texts of which one is in every match; `None` if the pattern has none.
pub(super) fn required(node: &Node) -> Option<Vec<String>> {
    match node {
        Node::Unit(unit) => char_of(*unit).map(|char| vec![char.to_string()]),
        Node::Concat(nodes) => {
            let runs = nodes.chunk_by(|one, other| char_in(one).is_some() && char_in(other).is_some());
            let of_run = |run: &[Node]| match run {
                [single] => required(single),
                run => Some(vec![run.iter().filter_map(char_in).collect()]),
            };
            runs.filter_map(of_run).max_by_key(|texts| texts.iter().map(String::len).min())
        }
        Node::Alternate(nodes) => Some(nodes.iter().map(required).collect::<Option<Vec<_>>>()?.concat()),
        Node::Repeat { node, min, .. } if *min > 0 => required(node),
        Node::Capture { node, .. } => required(node),
        Node::Empty
        | Node::Set(_)
        | Node::Assert(_)
        | Node::Repeat { .. }
        | Node::Look { .. }
        | Node::BackReference { .. } => None,
    }
}

/// The character that a node is, if it is one.
fn char_in(node: &Node) -> Option<char> {
    if let Node::Unit(unit) = node { char_of(*unit) } else { None }
}

fn char_of(unit: u16) -> Option<char> {
    char::from_u32(u32::from(unit)).filter(char::is_ascii)
}

#[cfg(test)]
mod tests {
    use super::super::Matcher;

    #[test]
    fn what_every_match_contains() {
        for (pattern, expected) in [
            ("abc", "abc"),
            ("^a|b", "a b"),
            ("rm|mv", "rm mv"),
            ("^([^ ]*/)?chmod( -[^ ]+)* (0?777|a\\+w)( |$)", "chmod"),
            ("gh[ps]_x{2}|AKIA[0-9]{16}", "gh AKIA"),
            ("(?i:drop)", ""),
            ("a?b*", ""),
            ("(ab)+c", "ab"),
            ("(?=secret)x", "x"),
            ("(x|)yz", "yz"),
            ("ä", ""),
            ("*", ""),
            ("(", "("),
        ] {
            let texts = Matcher::compile(pattern).required_texts().unwrap_or_default();
            assert_eq!(texts.join(" "), expected, "{pattern}");
        }
    }
}
