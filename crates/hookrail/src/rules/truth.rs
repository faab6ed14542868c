//! Logic with three values: what cannot be determined is neither true nor false.

use serde::Serialize;

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// It does not.
    No,
    /// It cannot be determined.
    Unknown,
    /// It does.
    Yes,
}

impl Truth {
    /// Both hold. A `No` on either side decides, whatever the other side is.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// One of the two holds. A `Yes` on either side decides, whatever the other side is.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }

    /// The contrary; what cannot be determined stays so.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }

    /// All hold. The first `No` ends the evaluation, so that no later fact is looked up.
    pub fn all(truths: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::Yes;
        for truth in truths {
            all = all.and(truth);
            if all == Self::No {
                break;
            }
        }
        all
    }

    /// At least one holds. The first `Yes` ends the evaluation.
    pub fn any(truths: impl IntoIterator<Item = Self>) -> Self {
        let mut any = Self::No;
        for truth in truths {
            any = any.or(truth);
            if any == Self::Yes {
                break;
            }
        }
        any
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{self, No, Unknown, Yes};

    #[test]
    fn the_tables_are_those_of_kleene() {
        for (left, right, and, or) in [
            (Yes, Yes, Yes, Yes),
            (Yes, No, No, Yes),
            (Yes, Unknown, Unknown, Yes),
            (No, No, No, No),
            (No, Unknown, No, Unknown),
            (Unknown, Unknown, Unknown, Unknown),
        ] {
            assert_eq!((left.and(right), left.or(right)), (and, or), "{left:?} {right:?}");
            assert_eq!((right.and(left), right.or(left)), (and, or), "{right:?} {left:?}");
            // De Morgan.
            assert_eq!(left.and(right).negated(), left.negated().or(right.negated()));
        }
    }

    #[test]
    fn a_decided_list_is_not_read_to_its_end() {
        let mut asked = 0;
        let mut ask = |truth: Truth| {
            asked += 1;
            truth
        };
        assert_eq!(Truth::all([Unknown, No, Yes].into_iter().map(&mut ask)), No);
        assert_eq!(Truth::any([Unknown, Yes, No].into_iter().map(&mut ask)), Yes);
        assert_eq!(asked, 4);
        assert_eq!((Truth::all([]), Truth::any([])), (Yes, No));
    }
}
