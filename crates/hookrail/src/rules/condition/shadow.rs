//! Whether one condition holds whenever another one does, as far as their texts tell.

use super::{Kind, Node};
use crate::rules::command::CommandPattern;
use crate::rules::test::{Part, Test};

/// Whether `wide` holds whenever `narrow` does. `false` where that cannot be seen.
pub(super) fn follows(wide: &Node, narrow: &Node) -> bool {
    match (&wide.kind, &narrow.kind) {
        (Kind::All(parts), _) => parts.iter().all(|part| follows(part, narrow)),
        (_, Kind::All(parts)) => parts.iter().any(|part| follows(wide, part)),
        (_, Kind::Any(parts)) => !parts.is_empty() && parts.iter().all(|part| follows(wide, part)),
        (Kind::Any(parts), _) => parts.iter().any(|part| follows(part, narrow)),
        (Kind::Not(wide), Kind::Not(narrow)) => follows(narrow, wide),
        (
            Kind::Fact { fact: wide_fact, tests: wide, .. },
            Kind::Fact { fact: narrow_fact, tests: narrow, .. },
        ) => {
            let follows =
                |wide: &Test, narrow: &Test| wide.written == narrow.written || pattern_follows(wide, narrow);
            wide_fact == narrow_fact
                && !narrow.is_empty()
                && narrow.iter().all(|narrow| wide.iter().any(|wide| follows(wide, narrow)))
        }
        _ => false,
    }
}

/// `git push` holds for every command that `git push --force` holds for. A pattern of plain words is such a command
/// itself, and whatever is added to one takes no pattern away.
fn pattern_follows(wide: &Test, narrow: &Test) -> bool {
    let ([Part::Pattern(wide)], None, Some(narrow)) =
        (wide.parts.as_slice(), wide.exists, narrow.written.as_str())
    else {
        return false;
    };
    wide.accepts_program(narrow.split_whitespace().next(), false)
        && CommandPattern::is_plain(narrow)
        && wide.holds_for_words(narrow)
}
