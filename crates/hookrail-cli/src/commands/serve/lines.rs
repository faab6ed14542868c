//! Bytes in, lines out, in bounded memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Something to look at.
    Text(&'a [u8]),
    /// It was thrown away.
    Refused(Refusal),
}

/// Why a line was thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is longer than allowed.
    TooLong,
    /// The unfinished lines of all clients together are.
    NoMemory,
}

/// The memory that the unfinished lines of all clients may take together, short ones left out.
#[derive(Debug)]
pub(super) struct LineMemory {
    left: AtomicUsize,
}

impl LineMemory {
    /// So many bytes.
    pub(super) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { left: AtomicUsize::new(bytes) })
    }

    /// Takes bytes, if there are so many left.
    fn take(&self, bytes: usize) -> bool {
        self.left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
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
    /// The rest of a line that was thrown away is on its way.
    refused: Option<Refusal>,
    ended: bool,
    memory: Arc<LineMemory>,
    /// How much of the shared memory this buffer has.
    taken: usize,
}

/// What is read at once.
const CHUNK: usize = 64 * 1024;
/// A buffer that grew beyond this for one long line is given back after it, and counts as shared memory before.
const KEPT: usize = 256 * 1024;

impl Lines {
    /// Takes lines of at most `longest` bytes, for which there is so much memory.
    pub(super) fn new(longest: usize, memory: Arc<LineMemory>) -> Self {
        let buffer = vec![0; CHUNK];
        let (start, searched, end) = (0, 0, 0);
        Self { buffer, start, searched, end, longest, refused: None, ended: false, memory, taken: 0 }
    }

    /// Where the next bytes go. All lines must have been taken before.
    pub(super) fn space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.searched, self.end) = (0, 0, 0);
            if self.buffer.len() > KEPT {
                self.shrink();
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
            self.grow(grown);
        }
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// Makes the buffer larger, or throws away the line in it if there is no memory for that.
    fn grow(&mut self, length: usize) {
        let more = length.saturating_sub(KEPT).saturating_sub(self.taken);
        if self.memory.take(more) {
            self.taken += more;
            self.buffer.resize(length, 0);
        } else {
            self.refuse(Refusal::NoMemory);
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        self.buffer = vec![0; CHUNK];
        self.memory.give_back(std::mem::take(&mut self.taken));
    }

    /// Throws away what there is of the present line.
    fn refuse(&mut self, why: Refusal) {
        self.refused.get_or_insert(why);
        (self.start, self.searched, self.end) = (0, 0, 0);
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
                    if self.start == self.end && self.refused.is_none() {
                        return None;
                    }
                    (self.end, self.end)
                }
                None => {
                    self.searched = self.end;
                    if self.refused.is_some() || self.end - self.start > self.longest {
                        self.refuse(Refusal::TooLong);
                    }
                    return None;
                }
            };
            let line = self.start..line_end;
            (self.start, self.searched) = (next, next);
            let too_long = (line.len() > self.longest).then_some(Refusal::TooLong);
            if let Some(why) = self.refused.take().or(too_long) {
                return Some(Line::Refused(why));
            }
            let is_blank = self.buffer.get(line.clone()).unwrap_or_default().trim_ascii().is_empty();
            if !is_blank {
                return self.buffer.get(line).map(Line::Text);
            }
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.memory.give_back(self.taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds the bytes in pieces of the given sizes, over and over.
    fn cut(bytes: &[u8], longest: usize, sizes: &[usize]) -> (Vec<String>, usize) {
        let mut lines = Lines::new(longest, LineMemory::new(usize::MAX));
        let (mut found, mut most) = (Vec::new(), 0);
        let mut rest = bytes;
        let mut sizes = sizes.iter().cycle();
        let mut take_all = |lines: &mut Lines| {
            while let Some(line) = lines.next() {
                found.push(match line {
                    Line::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    Line::Refused(why) => format!("<{why:?}>"),
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
            assert_eq!(found, ["one", "two\r", "<TooLong>", "three", "<TooLong>", "last"], "{sizes:?}");
        }
    }

    #[test]
    fn the_limit_is_exact() {
        for (length, expected) in [(1024, None), (1025, Some("<TooLong>"))] {
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
        assert_eq!(found, ["<TooLong>"]);
        assert!(most <= 100_000 + 3 * CHUNK, "{most}");
        let (found, most) = cut(&giant, usize::MAX, &[usize::MAX]);
        assert_eq!(found[0].len(), giant.len());
        assert!(most <= 2 * giant.len() + CHUNK, "{most}");
    }

    /// Puts bytes into a client's buffer, as far as it takes them.
    fn feed(lines: &mut Lines, mut count: usize) {
        while count > 0 {
            let space = lines.space();
            let size = space.len().min(count);
            space[..size].fill(b'x');
            lines.filled(size);
            assert_eq!(lines.next(), None);
            count -= size;
        }
    }

    fn end_line(lines: &mut Lines) -> String {
        let space = lines.space();
        space[0] = b'\n';
        lines.filled(1);
        match lines.next() {
            Some(Line::Text(text)) => text.len().to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn unfinished_lines_share_their_memory() {
        const LONG: usize = 1024 * 1024;
        let memory = LineMemory::new(4 * LONG);
        let mut clients: Vec<Lines> = (0..20).map(|_| Lines::new(LONG, Arc::clone(&memory))).collect();
        for lines in &mut clients {
            feed(lines, LONG);
        }
        let held: usize = clients.iter().map(|lines| lines.buffer.len()).sum();
        assert!(held <= 4 * LONG + clients.len() * KEPT, "{held}");
        let ended: Vec<String> = clients.iter_mut().map(end_line).collect();
        let whole = ended.iter().filter(|line| **line == LONG.to_string()).count();
        let refused = ended.iter().filter(|line| line.contains("NoMemory")).count();
        assert_eq!((whole >= 4, whole + refused), (true, clients.len()), "{ended:?}");
        // Short lines need none of it, and a client that was refused is served again.
        for lines in &mut clients {
            feed(lines, 1000);
            assert_eq!(end_line(lines), "1000");
        }
        drop(clients);
        assert_eq!(memory.left.load(Ordering::Relaxed), 4 * LONG, "everything was given back");
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert!(cut(b"", 1024, &[1]).0.is_empty());
        assert!(cut(b"\n\n", 1024, &[1]).0.is_empty());
    }
}
