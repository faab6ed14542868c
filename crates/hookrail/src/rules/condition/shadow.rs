//! Whether one condition holds whenever another one does, as far as their texts show.

use super::{Condition, NodeKind};
use crate::rules::test::{Test, TestPart};

impl Condition {
    /// Whether it holds whenever `narrow` does. `false` where that cannot be seen.
    pub(crate) fn follows_from(&self, narrow: &Self) -> bool {
        match (&self.kind, &narrow.kind) {
            (NodeKind::All(parts), _) => parts.iter().all(|part| part.follows_from(narrow)),
            (_, NodeKind::All(parts)) => parts.iter().any(|part| self.follows_from(part)),
            (_, NodeKind::Any(parts)) => {
                !parts.is_empty() && parts.iter().all(|part| self.follows_from(part))
            }
            (NodeKind::Any(parts), _) => parts.iter().any(|part| part.follows_from(narrow)),
            (NodeKind::Not(wide), NodeKind::Not(narrow)) => narrow.follows_from(wide),
            (
                NodeKind::Fact { fact: wide_fact, tests: wide, .. },
                NodeKind::Fact { fact: narrow_fact, tests: narrow, .. },
            ) => {
                let covers =
                    |wide: &Test, narrow: &Test| wide.written == narrow.written || has_pattern(wide, narrow);
                wide_fact == narrow_fact
                    && !narrow.is_empty()
                    && narrow.iter().all(|narrow| wide.iter().any(|wide| covers(wide, narrow)))
            }
            _ => false,
        }
    }
}

/// `git push` holds for every command that `git push --force` holds for.
fn has_pattern(wide: &Test, narrow: &Test) -> bool {
    match (wide.parts.as_slice(), wide.exists, narrow.written.as_str()) {
        ([TestPart::Patterns(wide)], None, Some(narrow)) => wide.iter().any(|wide| wide.follows_from(narrow)),
        _ => false,
    }
}
