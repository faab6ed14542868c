use super::*;

/// Feeds the bytes in pieces of the given sizes, over and over.
fn cut(bytes: &[u8], longest: usize, sizes: &[usize]) -> (Vec<String>, usize) {
    let mut lines = RequestLines::new(longest, LineMemory::new(usize::MAX));
    let (mut found, mut most) = (Vec::new(), 0);
    let mut rest = bytes;
    let mut sizes = sizes.iter().cycle();
    let mut take_all = |lines: &mut RequestLines| {
        while let Some(line) = lines.next() {
            found.push(match line {
                RequestLine::Text(text) => String::from_utf8_lossy(text).into_owned(),
                RequestLine::Refused(why) => format!("<{why:?}>"),
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
fn feed(lines: &mut RequestLines, mut count: usize) {
    while count > 0 {
        let space = lines.space();
        let size = space.len().min(count);
        space[..size].fill(b'x');
        lines.filled(size);
        assert_eq!(lines.next(), None);
        count -= size;
    }
}

fn end_line(lines: &mut RequestLines) -> String {
    let space = lines.space();
    space[0] = b'\n';
    lines.filled(1);
    match lines.next() {
        Some(RequestLine::Text(text)) => text.len().to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn unfinished_lines_share_their_memory() {
    const LONG: usize = 1024 * 1024;
    let memory = LineMemory::new(4 * LONG);
    let mut clients: Vec<RequestLines> =
        (0..20).map(|_| RequestLines::new(LONG, Arc::clone(&memory))).collect();
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
