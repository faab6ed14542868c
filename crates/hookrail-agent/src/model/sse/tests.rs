use proptest::prelude::*;

use super::*;

/// Decodes `pieces`; the last element is what `finish` gave.
fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<String>, Option<String>) {
    let mut decoder = SseDecoder::default();
    let mut events = Vec::new();
    for piece in pieces {
        decoder.push(piece, &mut events).unwrap();
    }
    (events, decoder.finish())
}

#[test]
fn lines_fields_and_ends() {
    for (what, stream, expected, unfinished) in [
        ("LF", "data: a\n\ndata: b\n\n", &["a", "b"][..], None),
        ("CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"], None),
        ("CR only", "data: a\r\rdata: b\r\r", &["a", "b"], None),
        ("mixed line ends", "data: a\r\ndata: b\n\rdata: c\r\r\n", &["a\nb", "c"], None),
        ("BOM", "\u{feff}data: a\n\n", &["a"], None),
        ("a second BOM is part of the field name", "\u{feff}\u{feff}data: a\n\n", &[], None),
        ("BOM alone on the first line", "\u{feff}\ndata: a\n\n", &["a"], None),
        ("BOM that is not at the start", "data: a\n\n\u{feff}data: b\n\n", &["a"], None),
        ("no space", "data:a\n\n", &["a"], None),
        ("one space of two goes", "data:  a\n\n", &[" a"], None),
        ("several data lines", "data: {\ndata: }\n\n", &["{\n}"], None),
        ("data without colon", "data\n\n", &[""], None),
        ("two empty data lines", "data\ndata\n\n", &["\n"], None),
        ("comments and unknown fields", ": hi\n\nfoo: bar\nretry: 5\ndata: a\n:x\n\n", &["a"], None),
        (
            "types and ids",
            "event: ping\nid: 7\ndata: a\n\nevent: lost\n\nid: x\0y\ndata: b\n\n",
            &["a", "b"],
            None,
        ),
        ("names are case-sensitive", "Data: a\n\n", &[], None),
        ("blank lines alone", "\n\n\r\n\r", &[], None),
        ("no blank line at the end", "data: a\n\ndata: b\n", &["a"], Some("b")),
        ("no line end at the end", "data: a\n\ndata: b", &["a"], Some("b")),
        ("field cut off", "data: a\n\ndat", &["a"], None),
        ("nothing", "", &[], None),
    ] {
        let (events, rest) = decode([stream.as_bytes()]);
        assert_eq!(events, expected, "{what}");
        assert_eq!(rest.as_deref(), unfinished, "{what}");
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_replaced() {
    let (events, _) = decode([&b"data: a\xFFb\xE2\x82\n\n"[..]]);
    assert_eq!(events, ["a\u{fffd}b\u{fffd}"]);
}

#[test]
fn an_event_is_given_as_soon_as_its_blank_line_is_there() {
    let mut decoder = SseDecoder::default();
    let mut events = Vec::new();
    decoder.push(b"data: a\r\n\r", &mut events).unwrap();
    assert_eq!(events, ["a"], "it does not wait for the LF of a CRLF");
    decoder.push(b"\ndata: b\r\n\r\n", &mut events).unwrap();
    assert_eq!(events, ["a", "b"]);
}

#[test]
fn size_is_bounded_by_line_and_by_event() {
    let too_large = Err(EventTooLarge { limit: 16 });
    let mut events = Vec::new();
    assert_eq!(SseDecoder::new(16).push(b"data: 0123456789", &mut events), Ok(()), "exactly the limit");
    assert_eq!(SseDecoder::new(16).push(b"data: 0123456789a", &mut events), too_large, "one line");
    assert_eq!(SseDecoder::new(16).push(b"data: a\n\n:0123456789abcdef", &mut events), too_large);
    assert_eq!(events, ["a"], "the event before it is kept");
    let mut decoder = SseDecoder::new(16);
    assert_eq!(decoder.push(b"data:012\ndata:012\n", &mut events), Ok(()));
    assert_eq!(decoder.push(b"data:01234", &mut events), too_large, "many lines");
}

#[test]
fn a_large_event_in_small_pieces_takes_linear_time() {
    let stream = format!("data: {}\n\n", "x".repeat(8 * 1024 * 1024));
    let (events, _) = decode(stream.as_bytes().chunks(64));
    assert_eq!(events.first().map(String::len), Some(8 * 1024 * 1024));
}

fn stream_like_bytes() -> impl Strategy<Value = Vec<u8>> {
    let words: [&[u8]; 11] = [
        b"data:",
        b"data: {\"a\":\"\xC3\xA4\xF0\x9F\x99\x82\"}",
        b"event: e",
        b"id: 1",
        b": c",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\xEF\xBB\xBF",
        b"\xE2\x82",
    ];
    let word = prop::sample::select(words.to_vec());
    proptest::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn how_bytes_are_cut_makes_no_difference(
        stream in stream_like_bytes(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let whole = decode([stream.as_slice()]);
        prop_assert_eq!(&decode(stream.chunks(1)), &whole);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.insert(0, 0);
        cuts.push(stream.len());
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &stream[pair[0]..pair[1]]).collect();
        prop_assert_eq!(&decode(pieces), &whole);
    }

    #[test]
    fn arbitrary_bytes_never_panic(pieces in proptest::collection::vec(any::<Vec<u8>>(), 0..8)) {
        decode(pieces.iter().map(Vec::as_slice));
    }
}
