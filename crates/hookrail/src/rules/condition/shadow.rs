//! Whether one condition holds whenever another one does, as far as their texts show.

use super::{ConditionNode, NodeKind};
use crate::rules::command::CommandPattern;
use crate::rules::test::{Test, TestPart};

/// Whether `wide` holds whenever `narrow` does. `false` where that cannot be seen.
pub(super) fn follows(wide: &ConditionNode, narrow: &ConditionNode) -> bool {
    match (&wide.kind, &narrow.kind) {
        (NodeKind::All(parts), _) => parts.iter().all(|part| follows(part, narrow)),
        (_, NodeKind::All(parts)) => parts.iter().any(|part| follows(wide, part)),
        (_, NodeKind::Any(parts)) => !parts.is_empty() && parts.iter().all(|part| follows(wide, part)),
        (NodeKind::Any(parts), _) => parts.iter().any(|part| follows(part, narrow)),
        (NodeKind::Not(wide), NodeKind::Not(narrow)) => follows(narrow, wide),
        (
            NodeKind::Fact { fact: wide_fact, tests: wide, .. },
            NodeKind::Fact { fact: narrow_fact, tests: narrow, .. },
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
    let ([TestPart::Patterns(wide)], None, Some(narrow)) =
        (wide.parts.as_slice(), wide.exists, narrow.written.as_str())
    else {
        return false;
    };
    let [wide] = wide.as_slice() else { return false };
    wide.accepts_program(narrow.split_whitespace().next(), false)
        && CommandPattern::is_plain(narrow)
        && wide.holds_for_words(narrow)
}
