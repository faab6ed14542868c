use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::output::json::MAX_DEPTH;
use crate::verdict::failure::AnswerBound;
use crate::verdict::failure::{StartFailure, WorkerFailure};

const BLOCK: &str = r#"{"decision":"block","reason":"no","suppressOutput":"a typo"}"#;

/// `<decision>: <reason>, saying: <message>; failed: <failure>`, as far as there is something to say.
fn brief(read: &Interpreted) -> String {
    let mut parts = Vec::new();
    if let Some(output) = &read.output {
        let decision = output.decision.as_ref().map_or("no decision", |decision| decision.as_str());
        parts.push(
            output.reason.as_ref().map_or(decision.to_owned(), |reason| format!("{decision}: {reason}")),
        );
        parts.extend(output.system_message.as_ref().map(|message| format!("saying: {message}")));
    } else {
        parts.push("nothing".to_owned());
    }
    parts.extend(read.failure.as_ref().map(|why| format!("failed: {why}")));
    parts.join(", ")
}

#[test]
fn exit_decides_before_stdout() {
    let timeout = Exit::TimedOut(Duration::from_secs(5));
    let too_late = Exit::NotStarted(StartFailure::NoTimeLeft);
    for (requirement, exit, stdout, stderr, expected) in [
        // Exit 0: stdout is parsed, stderr is for the log.
        ("HOOK-063 HOOK-016b", Exit::Code(0), BLOCK, "a log line", "block: no"),
        ("HOOK-016b HOOK-212", Exit::Code(0), r#"{"decision":"deny","reason":"no"}"#, "", "deny: no"),
        ("HOOK-018", Exit::Code(0), r#"{"decision":"allow"}"#, "", "allow"),
        ("HOOK-018", Exit::Code(0), r#"{"decision":"approve"}"#, "", "approve"),
        ("HOOK-018 HOOK-158", Exit::Code(0), r#"{"decision":null,"x":1}"#, "", "no decision"),
        ("HOOK-018 HOOK-158", Exit::Code(0), "{}", "", "no decision"),
        ("HOOK-182", Exit::Code(0), r#"{"decision":"ask"}"#, "", "ask"),
        ("HOOK-064", Exit::Code(0), "hello\n", "", "allow, saying: hello"),
        (
            "HOOK-114 HOOK-212",
            Exit::Code(0),
            r#"{"decision":"block",}"#,
            "",
            r#"allow, saying: {"decision":"block",}"#,
        ),
        (
            "HOOK-114 HOOK-212",
            Exit::Code(0),
            "{'decision':'block'}",
            "",
            "allow, saying: {'decision':'block'}",
        ),
        ("HOOK-065", Exit::Code(0), "", "", "nothing"),
        ("HOOK-065", Exit::Code(0), " \r\n\u{FEFF}\0", "a log line", "nothing"),
        ("HOOK-069", Exit::Code(0), "", BLOCK, "nothing"),
        (
            "HOOK-193 HOOK-201 HOOK-212",
            Exit::Code(0),
            r#""{\"decision\":\"block\",\"reason\":\"no\"}""#,
            "",
            "block: no",
        ),
        ("HOOK-193 (O3)", Exit::Code(0), r#""hello""#, "", r#"allow, saying: "hello""#),
        ("HOOK-193 (O3)", Exit::Code(0), r#""[1]""#, "", r#"allow, saying: "[1]""#),
        ("HOOK-193 (O3)", Exit::Code(0), r#""\"{}\"""#, "", r#"allow, saying: "\"{}\"""#),
        ("HOOK-212 (O2)", Exit::Code(0), "42", "", "allow, saying: 42"),
        ("HOOK-212 (O2)", Exit::Code(0), "[{}]", "", "allow, saying: [{}]"),
        ("HOOK-212 (O2)", Exit::Code(0), "null", "", "allow, saying: null"),
        ("HOOK-212 (O2)", Exit::Code(0), "true", "", "allow, saying: true"),
        ("HOOK-063 (O20)", Exit::Code(0), "\u{FEFF}{\"decision\":\"block\",\"n\":1e999}\0", "", "block"),
        ("HOOK-063 (O20)", Exit::Code(0), r#"{"decision":"block","reason":"\ud800"}"#, "", "block: \u{FFFD}"),
        ("HOOK-063 (O20)", Exit::Code(0), r#"{"decision":"allow","decision":"block"}"#, "", "block"),
        // Exit 2: always a deny; stdout is never parsed.
        ("HOOK-016a HOOK-067a HOOK-189", Exit::Code(2), "", " no writing\n", "deny: no writing"),
        ("HOOK-066", Exit::Code(2), r#"{"decision":"allow"}"#, "no", "deny: no"),
        ("HOOK-066 (O1)", Exit::Code(2), r#"{"decision":"allow"}"#, "", r#"deny: {"decision":"allow"}"#),
        ("HOOK-067b", Exit::Code(2), "", "\n", "deny: Blocked by hook"),
        ("HOOK-067b", Exit::Code(2), "\0", "", "deny: Blocked by hook"),
        (
            "HOOK-066 (O15)",
            Exit::Code(2),
            "",
            "bash: -c: line 1: syntax error",
            "deny: bash: -c: line 1: syntax error",
        ),
        // Everything else fails open.
        ("HOOK-198", Exit::Code(1), BLOCK, "", "nothing, failed: exited with code 1"),
        (
            "HOOK-068 HOOK-209",
            Exit::Code(1),
            BLOCK,
            "boom\n",
            "allow, saying: Warning: boom, failed: exited with code 1: boom",
        ),
        (
            "HOOK-068 HOOK-110",
            Exit::Code(127),
            "",
            "not found",
            "allow, saying: Warning: not found, failed: exited with code 127: not found",
        ),
        (
            "HOOK-068 HOOK-069",
            Exit::Code(3),
            "",
            BLOCK,
            &format!("allow, saying: Warning: {BLOCK}, failed: exited with code 3: {BLOCK}"),
        ),
        (
            "HOOK-196",
            Exit::Signal(9),
            BLOCK,
            "boom",
            "allow, saying: Warning: boom, failed: was ended by signal 9: boom",
        ),
        ("HOOK-196", Exit::Signal(15), BLOCK, "", "nothing, failed: was ended by signal 15"),
        ("HOOK-110", timeout, BLOCK, "boom", "nothing, failed: timed out after 5000 ms"),
        (
            "HOOK-110",
            too_late,
            BLOCK,
            "",
            "nothing, failed: could not be started: there was no time left to run it",
        ),
    ] {
        assert_eq!(
            brief(&interpret(&exit, stdout, false, stderr)),
            expected,
            "{requirement}: {exit:?} {stdout:?}"
        );
    }
}

#[test]
fn a_cut_off_answer_is_a_failure_but_never_undoes_a_block() {
    let cut = interpret(&Exit::Code(0), r#"{"decision":"allow"}"#, true, "");
    assert_eq!(cut.output, None, "HOOK-110 (R6)");
    assert_eq!(cut.failure, Some(HookFailure::Truncated), "HOOK-110 (R6)");
    assert_eq!(brief(&interpret(&Exit::Code(2), "xxx", true, "no")), "deny: no", "HOOK-066 (R6)");
    assert_eq!(
        brief(&interpret(&Exit::Code(1), "xxx", true, "")),
        "nothing, failed: exited with code 1",
        "HOOK-068 (R6)"
    );
}

#[test]
fn an_answer_too_deep_to_read_is_a_failure_and_no_silent_allow() {
    let levels =
        |count: usize| format!(r#"{{"decision":"block","x":{}{}}}"#, "[".repeat(count), "]".repeat(count));
    assert_eq!(brief(&interpret(&Exit::Code(0), &levels(1000), false, "")), "block", "HOOK-063 (O17)");
    let deep = levels(MAX_DEPTH);
    for stdout in [deep.clone(), serde_json::to_string(&deep).unwrap(), "[".repeat(100_000)] {
        let read = interpret(&Exit::Code(0), &stdout, false, "");
        assert_eq!(read.output, None, "HOOK-110 (O17)");
        assert_eq!(read.failure, Some(HookFailure::Unreadable(AnswerBound::Depth)), "HOOK-110 (O17)");
    }
}

#[test]
fn oddities_are_warned_about() {
    let read = interpret(&Exit::Code(0), BLOCK, false, "");
    assert_eq!(
        read.warnings,
        ["`suppressOutput` must be a boolean but is the string `a typo`: ignored"],
        "O4"
    );
    let read = interpret(&Exit::Code(0), r#"{"decision":"block",}"#, false, "");
    assert_eq!(
        read.warnings,
        ["stdout starts like a JSON object but is not JSON (byte 20): taken as plain text"]
    );
    assert!(interpret(&Exit::Code(0), "[1,]", false, "").warnings.is_empty());
}

#[test]
fn a_flood_on_stderr_does_not_flood_the_failure() {
    let flood = "é".repeat(1 << 20);
    let read = interpret(&Exit::Code(1), "", false, &flood);
    let why = read.failure.unwrap().to_string();
    assert!(why.len() < 5000 && why.ends_with("bytes more)"), "HOOK-209: {} bytes", why.len());
    assert_eq!(read.output.unwrap().system_message, Some(format!("Warning: {flood}")), "HOOK-209");
}

fn any_exit() -> impl Strategy<Value = Exit> {
    prop_oneof![
        Just(Exit::Code(0)),
        any::<i32>().prop_map(Exit::Code),
        any::<i32>().prop_map(Exit::Signal),
        any::<u32>().prop_map(|ms| Exit::TimedOut(Duration::from_millis(ms.into()))),
        Just(Exit::NotStarted(StartFailure::NoTimeLeft)),
        any::<i32>().prop_map(|code| Exit::NoAnswer(WorkerFailure::Exited { code })),
    ]
}

fn any_bytes() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(BLOCK.to_owned()),
        prop::collection::vec(any::<u8>(), 0..200)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
}

proptest! {
    #[test]
    fn only_exits_0_and_2_can_block_and_2_always_does(
        exit in any_exit(), stdout in any_bytes(), cut in any::<bool>(), stderr in any_bytes(),
    ) {
        let read = interpret(&exit, &stdout, cut, &stderr);
        let blocks = read.output.as_ref().is_some_and(HookOutput::is_blocking_decision);
        match exit {
            Exit::Code(2) => prop_assert!(blocks && read.failure.is_none(), "HOOK-066"),
            Exit::Code(0) => prop_assert!(cut == read.failure.is_some() && !(cut && blocks), "HOOK-063"),
            _ => prop_assert!(!blocks && read.failure.is_some(), "HOOK-068 HOOK-110"),
        }
    }

    #[test]
    fn exit_2_blocks_whatever_was_written(stdout in any_bytes(), cut in any::<bool>(), stderr in any_bytes()) {
        let read = interpret(&Exit::Code(2), &stdout, cut, &stderr);
        let output = read.output.unwrap();
        prop_assert!(output.is_blocking_decision(), "HOOK-066");
        prop_assert!(output.reason.is_some_and(|reason| !reason.trim().is_empty()), "HOOK-067b");
    }
}

#[test]
fn an_answer_with_text_beside_it_is_lost_but_not_in_silence() {
    let block = r#"{"decision":"block","reason":"no"}"#;
    let pretty = "{\n  \"decision\": \"deny\"\n}";
    let permission = r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;
    for (stdout, expected) in [
        (format!("checking…\n{block}"), Some("line 2 of stdout is a block")),
        (format!("{block}\ndone"), Some("line 1 of stdout is a block")),
        (format!("{block} done"), Some("line 1 of stdout is a block")),
        (format!("{block}\r\n{block}\r\n"), Some("line 1 of stdout is a block")),
        (format!("a\nb\n  {block}\nc"), Some("line 3 of stdout is a block")),
        (format!("checking…\n{pretty}\n"), Some("line 2 of stdout is a block")),
        (format!("{pretty}\ndone"), Some("line 1 of stdout is a block")),
        (format!("x\n{permission}"), Some("line 2 of stdout is a block")),
        (format!("{{\"systemMessage\":\"m\"}}\n{block}"), Some("line 2 of stdout is a block")),
        ("x\n{\"continue\":false}".to_owned(), Some("line 2 of stdout is a stop")),
        ("x\n{\"systemMessage\":\"m\"}".to_owned(), Some("line 2 of stdout is an answer")),
        ("x\n{\"level\":\"info\"}".to_owned(), None),
        ("prose {\"decision\":\"block\"}".to_owned(), None),
        ("x\n{decision: block}".to_owned(), None),
        (format!("[{block}]"), None),
        ("{'decision':'block'}".to_owned(), Some("starts like a JSON object but is not JSON")),
    ] {
        let read = interpret(&Exit::Code(0), &stdout, false, "");
        let output = read.output.as_ref().unwrap();
        assert_eq!(output.system_message.as_deref(), Some(trim_output(&stdout)), "O23: plain text: {stdout}");
        assert!(!output.is_blocking_decision(), "O23: {stdout}");
        match expected {
            Some(words) => {
                assert!(read.warnings.concat().contains(words), "O23: {stdout}: {:?}", read.warnings);
            }
            None => assert_eq!(read.warnings, [""; 0], "O23: {stdout}"),
        }
        assert!(read.warnings.len() <= 1, "{:?}", read.warnings);
    }
}

#[test]
fn looking_for_a_lost_answer_is_cheap() {
    // Each of these lines could begin an object that goes on to the end.
    let stdout = format!("x\n{}", "{\n".repeat(200_000));
    let start = std::time::Instant::now();
    assert_eq!(lost_answer(&stdout), None);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
