//! The names for which nothing runs, found without a lock and without hashing a whole name. Most events are about one of
//! a few tools that no hook is for, so that this is the way most of them take.

use std::sync::OnceLock;

/// How many names are kept for an event. Another one that has the same place as one of them is looked up in full.
const PLACES: usize = 32;

/// Some names of one event for which nothing runs. Each place is written once: after the registry changed, its name is
/// looked up in full from then on.
#[derive(Debug, Default)]
pub(super) struct UnmatchedNames {
    places: [OnceLock<UnmatchedName>; PLACES],
}

#[derive(Debug)]
struct UnmatchedName {
    /// The state of the registry in which it was found.
    changes: u64,
    fingerprint: NameFingerprint,
    name: Box<str>,
}

impl UnmatchedNames {
    /// Whether it is known that nothing runs for this name while the registry is in this state.
    pub(super) fn holds(&self, name: &str, changes: u64) -> bool {
        let fingerprint = NameFingerprint::of(name);
        self.places.get(fingerprint.place()).and_then(OnceLock::get).is_some_and(|known| {
            known.fingerprint == fingerprint
                && known.changes == changes
                && (fingerprint.is_whole_name() || *known.name == *name)
        })
    }

    /// Keeps a name, if its place is free.
    pub(super) fn add(&self, name: &str, changes: u64) {
        let fingerprint = NameFingerprint::of(name);
        if let Some(place) = self.places.get(fingerprint.place()) {
            place.get_or_init(|| UnmatchedName { changes, fingerprint, name: name.into() });
        }
    }
}

/// Length, beginning and end of a name: nearly always enough to distinguish it from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NameFingerprint {
    length: usize,
    head: u64,
    tail: u64,
}

impl NameFingerprint {
    fn of(name: &str) -> Self {
        let bytes = name.as_bytes();
        let (head, tail) = match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
            _ => (bytes.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)), 0),
        };
        Self { length: bytes.len(), head, tail }
    }

    /// Whether beginning and end leave nothing out.
    fn is_whole_name(self) -> bool {
        self.length <= 16
    }

    /// The upper bits of a product, which depend on all bits of its factors.
    fn place(self) -> usize {
        const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;
        let mixed = (self.head ^ self.tail.rotate_left(29)).wrapping_mul(GOLDEN_RATIO);
        usize::try_from(mixed >> (u64::BITS - PLACES.ilog2())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_is_held_only_as_it_was_added() {
        let long = "mcp__github__create_or_update_file";
        let other = "mcp__gitlab__create_or_update_file";
        assert_eq!(NameFingerprint::of(long).place(), NameFingerprint::of(other).place());
        for (name, unlike) in [("", "x"), ("Bash", "bash"), ("read_file", "read_filf"), (long, other)] {
            let names = UnmatchedNames::default();
            assert!(!names.holds(name, 0), "nothing is known of `{name}`");
            names.add(name, 0);
            assert!(names.holds(name, 0), "{name}");
            assert!(!names.holds(name, 1), "the registry changed: {name}");
            assert!(!names.holds(unlike, 0), "{unlike}");
            names.add(unlike, 0);
            assert!(names.holds(name, 0), "a place is written once: {name}");
        }
    }

    proptest! {
        #[test]
        fn no_name_is_taken_for_another(names in proptest::collection::vec("[a-c_]{0,20}", 1..60), asked in "[a-c_]{0,20}") {
            let unmatched = UnmatchedNames::default();
            for name in &names {
                unmatched.add(name, 3);
            }
            prop_assert!(!unmatched.holds(&asked, 3) || names.contains(&asked));
        }
    }
}
