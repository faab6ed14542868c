//! Bytes in, lines out, in bounded memory.

/// A line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Something to look at.
    Text(&'a [u8]),
    /// Longer than allowed; it was thrown away.
    TooLong,
}

/// Collects bytes and cuts them into lines. Empty lines are left out.
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// Bytes before this one were handed out.
    start: usize,
    /// Bytes before this one were searched for a line end.
    searched: usize,
    /// Bytes from here on are free.
    end: usize,
    longest: usize,
    /// The rest of a line that is too long is on its way.
    skipping: bool,
    ended: bool,
}

/// What is read at once.
const CHUNK: usize = 64 * 1024;
/// A buffer that grew beyond this for one long line is given back after it.
const KEPT: usize = 1024 * 1024;

impl Lines {
    /// Takes lines of at most `longest` bytes.
    pub(super) fn new(longest: usize) -> Self {
        let buffer = vec![0; CHUNK];
        Self { buffer, start: 0, searched: 0, end: 0, longest, skipping: false, ended: false }
    }

    /// Where the next bytes go. All lines must have been taken before.
    pub(super) fn space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.searched, self.end) = (0, 0, 0);
            if self.buffer.len() > KEPT {
                self.buffer = vec![0; CHUNK];
            }
        } else if self.start > 0 && self.buffer.len() - self.end < CHUNK {
            self.buffer.copy_within(self.start..self.end, 0);
            self.searched -= self.start;
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            // Doubled, so that a line of any length is copied but a few times; never much beyond the longest line.
            let longest = self.longest.saturating_add(CHUNK);
            let grown = self.buffer.len().saturating_mul(2).min(longest).max(self.buffer.len() + CHUNK);
            self.buffer.resize(grown, 0);
        }
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// So many bytes were put there.
    pub(super) fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.buffer.len());
    }

    /// No more bytes will come. What is left is the last line.
    pub(super) fn finish(&mut self) {
        self.ended = true;
    }

    /// The next line, if it is complete.
    pub(super) fn next(&mut self) -> Option<Line<'_>> {
        loop {
            let unseen = self.buffer.get(self.searched..self.end).unwrap_or_default();
            let (line_end, next) = match unseen.iter().position(|byte| *byte == b'\n') {
                Some(place) => (self.searched + place, self.searched + place + 1),
                None if self.ended => {
                    if self.start == self.end && !self.skipping {
                        return None;
                    }
                    (self.end, self.end)
                }
                None => {
                    self.searched = self.end;
                    if self.skipping || self.end - self.start > self.longest {
                        self.skipping = true;
                        (self.start, self.searched, self.end) = (0, 0, 0);
                    }
                    return None;
                }
            };
            let line = self.start..line_end;
            (self.start, self.searched) = (next, next);
            if std::mem::take(&mut self.skipping) || line.len() > self.longest {
                return Some(Line::TooLong);
            }
            let is_blank = self.buffer.get(line.clone()).unwrap_or_default().trim_ascii().is_empty();
            if !is_blank {
                return self.buffer.get(line).map(Line::Text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds the bytes in pieces of the given sizes, over and over.
    fn cut(bytes: &[u8], longest: usize, sizes: &[usize]) -> (Vec<String>, usize) {
        let mut lines = Lines::new(longest);
        let (mut found, mut most) = (Vec::new(), 0);
        let mut rest = bytes;
        let mut sizes = sizes.iter().cycle();
        let mut take_all = |lines: &mut Lines| {
            while let Some(line) = lines.next() {
                found.push(match line {
                    Line::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    Line::TooLong => "<too long>".to_owned(),
                });
            }
        };
        while !rest.is_empty() {
            let space = lines.space();
            let size = rest.len().min(space.len()).min(*sizes.next().unwrap());
            space[..size].copy_from_slice(&rest[..size]);
            rest = &rest[size..];
            lines.filled(size);
            most = most.max(lines.buffer.len());
            take_all(&mut lines);
        }
        lines.finish();
        take_all(&mut lines);
        (found, most)
    }

    #[test]
    fn lines_do_not_depend_on_how_their_bytes_arrive() {
        let long = "x".repeat(2000);
        let text = format!("one\n\n  \r\ntwo\r\n{long}\nthree\n{long}{long}\n\nlast");
        for sizes in [&[1][..], &[2, 3, 5, 7], &[1000], &[100_000], &[64 * 1024, 1]] {
            let (found, _) = cut(text.as_bytes(), 1024, sizes);
            assert_eq!(found, ["one", "two\r", "<too long>", "three", "<too long>", "last"], "{sizes:?}");
        }
    }

    #[test]
    fn the_limit_is_exact() {
        for (length, expected) in [(1024, None), (1025, Some("<too long>"))] {
            let line = "y".repeat(length);
            for end in ["\n", ""] {
                let (found, _) = cut(format!("{line}{end}").as_bytes(), 1024, &[600]);
                assert_eq!(found, [expected.unwrap_or(&line)], "{length}");
            }
        }
    }

    #[test]
    fn a_giant_line_takes_no_more_memory_than_the_limit() {
        let giant = vec![b'z'; 8 * 1024 * 1024];
        let (found, most) = cut(&giant, 100_000, &[usize::MAX]);
        assert_eq!(found, ["<too long>"]);
        assert!(most <= 100_000 + 3 * CHUNK, "{most}");
        let (found, most) = cut(&giant, usize::MAX, &[usize::MAX]);
        assert_eq!(found[0].len(), giant.len());
        assert!(most <= 2 * giant.len() + CHUNK, "{most}");
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert!(cut(b"", 1024, &[1]).0.is_empty());
        assert!(cut(b"\n\n", 1024, &[1]).0.is_empty());
    }
}
