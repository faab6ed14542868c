//! The difference between two texts, line by line, as `diff -u` writes it.
//!
//! `similar` can write it itself, but then every algorithm that it knows is part of the program, for four kinds of texts.

use std::fmt::Write as _;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffOp, group_diff_ops};

/// A difference that takes longer to find is cut short; it is then longer, but never wrong.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Two texts and the steps from one to the other.
pub(crate) struct Difference<'a> {
    before: Vec<&'a str>,
    after: Vec<&'a str>,
    steps: Vec<DiffOp>,
}

impl<'a> Difference<'a> {
    pub(crate) fn of(before: &'a str, after: &'a str) -> Self {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
        let mut hook = Compact::new(Replace::new(Capture::new()), &*before, &*after);
        let until = Some(Instant::now() + TIMEOUT);
        let (all_before, all_after) = (0..before.len(), 0..after.len());
        let Ok(()) = myers::diff_deadline(&mut hook, &*before, all_before, &*after, all_after, until);
        let steps = hook.into_inner().into_inner().into_ops();
        Self { before, after, steps }
    }

    /// The lines that the second text has and the first one has not.
    pub(crate) fn added(&self) -> impl Iterator<Item = &'a str> {
        self.steps
            .iter()
            .flat_map(|step| match step {
                DiffOp::Equal { .. } | DiffOp::Delete { .. } => &[],
                DiffOp::Insert { .. } | DiffOp::Replace { .. } => lines(&self.after, step.new_range()),
            })
            .copied()
    }

    /// The places that differ, each with so many equal lines around it.
    pub(crate) fn hunks(&self, context: usize) -> impl Iterator<Item = String> {
        group_diff_ops(self.steps.clone(), context).into_iter().map(|steps| self.hunk(&steps))
    }

    fn hunk(&self, steps: &[DiffOp]) -> String {
        let whole = |range: fn(&DiffOp) -> Range<usize>| {
            let start = steps.first().map_or(0, |step| range(step).start);
            place(start..steps.last().map_or(0, |step| range(step).end))
        };
        let mut text = format!("@@ -{} +{} @@\n", whole(DiffOp::old_range), whole(DiffOp::new_range));
        let mut write = |sign: char, lines: &[&str]| {
            for line in lines {
                let end = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
                let _ = write!(text, "{sign}{line}{end}");
            }
        };
        for step in steps {
            if let DiffOp::Equal { .. } = step {
                write(' ', lines(&self.before, step.old_range()));
            } else {
                write('-', lines(&self.before, step.old_range()));
                write('+', lines(&self.after, step.new_range()));
            }
        }
        text
    }
}

fn lines<'l, 'a>(all: &'l [&'a str], range: Range<usize>) -> &'l [&'a str] {
    all.get(range).unwrap_or_default()
}

/// Where lines are: the number of the first one, and how many there are unless it is one.
fn place(range: Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_are_those_of_diff() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let after = "a\nb\nC\nd\ne\nf\ng\nh\ni";
        let difference = Difference::of(before, after);
        let hunks: Vec<String> = difference.hunks(1).collect();
        assert_eq!(
            hunks,
            ["@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n", "@@ -8 +8,2 @@\n h\n+i\n\\ No newline at end of file\n"]
        );
        assert_eq!(difference.added().collect::<Vec<_>>(), ["C\n", "i"]);
        assert_eq!(Difference::of("", "a\n").hunks(3).collect::<Vec<_>>(), ["@@ -0,0 +1 @@\n+a\n"]);
        assert_eq!(Difference::of("a\n", "a\n").hunks(3).count(), 0);
    }
}
