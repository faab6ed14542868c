use super::*;

#[test]
fn texts_are_bounded_at_a_character() {
    let mut memory = SessionMemory::default();
    for _ in 0..3 {
        memory.add_context(&"ä".repeat(LONGEST_TEXT));
    }
    let kept = memory.pending_context.expect("a text");
    assert!(kept.len() <= LONGEST_TEXT && kept.len() > LONGEST_TEXT - 4, "{}", kept.len());
}

#[test]
fn the_whole_is_below_a_megabyte() {
    let long = || "\u{1}".repeat(1 << 20);
    let mut memory = SessionMemory {
        cwd: Some(long()),
        prompt: Some(shortened(&long())),
        stop: Some(long()),
        session_stop: Some(long()),
        pending_context: Some(shortened(&long())),
        allowed_tools: Some(vec![long()]),
        ..SessionMemory::default()
    };
    for number in 0..100 {
        memory.add_notice(&format!("{number}{}", long()));
    }
    let memory = memory.bounded();
    assert!(memory.stop.is_some() && memory.session_stop.is_some());
    assert_eq!(memory.allowed_tools, Some(Vec::new()));
    let length = serde_json::to_string(&memory).expect("JSON").len();
    assert!(length < 1 << 20, "{length}");
}

#[test]
fn a_notice_is_shown_once() {
    let mut memory = SessionMemory::default();
    let is_new: Vec<bool> = ["off", "off", "waits", "off"].map(|notice| memory.add_notice(notice)).to_vec();
    assert_eq!(is_new, [true, false, true, false]);
}

#[test]
fn old_and_new_files_are_read() {
    let read = |text: &str| serde_json::from_str::<SessionMemory>(text);
    assert_eq!(read("{}").ok(), Some(SessionMemory::default()));
    assert_eq!(read(r#"{"future": 1, "stop": "x"}"#).map(|memory| memory.stop).ok(), Some(Some("x".into())));
}
