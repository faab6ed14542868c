//! Sets of UTF-16 units.

/// A set of UTF-16 units: ranges in order, none touching another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Set {
    ranges: Vec<(u16, u16)>,
}

/// What `\s` stands for: JavaScript's white space and line ends.
#[rustfmt::skip] // A list is read as a block.
const SPACES: [(u16, u16); 10] = [
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
];

impl Set {
    /// All units from `first` to `last`.
    pub(super) fn of(first: u16, last: u16) -> Self {
        Self { ranges: vec![(first, last)] }
    }

    /// Every unit: what `.` matches under the `s` flag.
    pub(super) fn all() -> Self {
        Self::of(0, u16::MAX)
    }

    /// The units that `.` does not match.
    pub(super) fn line_terminators() -> Self {
        Self::from_ranges(&[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])
    }

    /// What `\d`, `\w`, `\s` and their opposites stand for. The first two are ASCII in JavaScript, the third is not.
    pub(super) fn of_escape(letter: char) -> Option<Self> {
        let set = match letter.to_ascii_lowercase() {
            'd' => Self::of(b'0'.into(), b'9'.into()),
            'w' => {
                Self::from_ranges(&[b"09", b"AZ", b"__", b"az"].map(|[a, z]| (u16::from(*a), u16::from(*z))))
            }
            's' => Self::from_ranges(&SPACES),
            _ => return None,
        };
        Some(if letter.is_ascii_uppercase() { set.inverted() } else { set })
    }

    /// A set of ranges that are in order and do not touch.
    fn from_ranges(ranges: &[(u16, u16)]) -> Self {
        Self { ranges: ranges.to_vec() }
    }

    pub(super) fn contains(&self, unit: u16) -> bool {
        // Most sets have one or two ranges, and most units are found in the first.
        self.ranges.iter().take_while(|(first, _)| *first <= unit).any(|(_, last)| unit <= *last)
    }

    /// The unit of a set that has one; only such a set can be the end of a range.
    pub(super) fn single(&self) -> Option<u16> {
        if let [(first, last)] = *self.ranges { (first == last).then_some(first) } else { None }
    }

    /// The ranges, in order.
    pub(super) fn ranges(&self) -> &[(u16, u16)] {
        &self.ranges
    }

    /// Unites two sets. Ranges that touch or overlap become one.
    pub(super) fn add(&mut self, other: &Self) {
        self.ranges.extend_from_slice(&other.ranges);
        self.ranges.sort_unstable();
        let mut merged: Vec<(u16, u16)> = Vec::with_capacity(self.ranges.len());
        for &(first, last) in &self.ranges {
            match merged.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => merged.push((first, last)),
            }
        }
        self.ranges = merged;
    }

    /// Every unit that is not in the set; twice inverted it is the set itself.
    pub(super) fn inverted(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = Some(0_u16);
        for &(first, last) in &self.ranges {
            if let Some(start) = next.filter(|start| *start < first) {
                ranges.push((start, first - 1));
            }
            next = last.checked_add(1);
        }
        ranges.extend(next.map(|start| (start, u16::MAX)));
        Self { ranges }
    }

    /// This set and, for each ASCII letter in it, the same letter in the other case. That is all of
    /// JavaScript's case folding that an ASCII name can meet: without the `u` flag no other character
    /// folds into ASCII.
    pub(super) fn with_ascii_case(mut self) -> Self {
        let swapped: Vec<u16> = (b'a'..=b'z')
            .chain(b'A'..=b'Z')
            .filter(|letter| self.contains((*letter).into()))
            .map(|letter| u16::from(letter ^ 0x20))
            .collect();
        for letter in swapped {
            self.add(&Self::of(letter, letter));
        }
        self
    }
}

/// Whether a unit is a word character for `\b`.
pub(super) fn is_word(unit: u16) -> bool {
    u8::try_from(unit).is_ok_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a unit ends a line.
pub(super) fn is_line_terminator(unit: u16) -> bool {
    matches!(unit, 0x0A | 0x0D | 0x2028 | 0x2029)
}
