use super::*;

#[test]
fn the_name_is_found_wherever_it_stands() {
    for (payload, expected) in [
        (r#"{"cwd":"/","tool_name":"write_file","tool_input":{"tool_name":"x"}}"#, Some("write_file")),
        (r#"{"tool_input":{"tool_name":"x"},"tool_name":"a\"b"}"#, Some("a\"b")),
        (r#"{"tool_name":5}"#, None),
        (r#"{"other":1}"#, None),
        ("[]", None),
        ("{", None),
    ] {
        assert_eq!(in_payload(payload.as_bytes()).as_deref(), expected, "{payload}");
    }
    assert_eq!(in_payload(format!("{{\"tool_name\":\"{}\"}}", "x".repeat(300)).as_bytes()), None);
}
