//! Hooks whose answers are hard to read.

use crate::arena::{Row, Verdict};
use crate::rows;

rows! {
    writes_invalid_utf_8 => Row::new(
        r#"printf '{"decision":"block","reason":"a\xff\xfeb"}'"#,
        Verdict::Blocks("a\u{fffd}\u{fffd}b"),
    );
    writes_nuls_behind_its_answer => Row::new(
        r#"printf '{"decision":"block","reason":"no"}\0\0\0'"#,
        Verdict::Blocks("no"),
    );
    writes_nuls_inside_its_answer => Row::new(r"printf 'a\0b'", Verdict::Says("a\0b"));
    writes_nothing_but_nuls => Row::new(r"printf '\0\0\0'", Verdict::Silent);
    writes_a_byte_order_mark => Row::new(
        r#"printf '\xef\xbb\xbf{"decision":"block","reason":"no"}'"#,
        Verdict::Blocks("no"),
    );
    writes_windows_line_ends => Row::new(
        r#"printf '{\r\n"decision": "block",\r\n"reason": "no"\r\n}\r\n'"#,
        Verdict::Blocks("no"),
    );
    writes_utf_16 => Row::new(
        r#"printf '\xff\xfe{\0"\0d\0"\0:\0001\0}\0'"#,
        Verdict::Says("\u{fffd}"),
    );
    /// Too deep to be read is a failure, never a silent allow.
    nests_100_000_levels => Row::new(
        r#"printf '{"decision":"block","reason":'; printf '[%.0s' {1..100000}; printf ']%.0s' {1..100000}; printf '}'"#,
        Verdict::Fails("nested deeper than 1024 levels"),
    );
    nests_100_000_objects_and_exits_with_2 => Row::new(
        r#"printf '{"a":%.0s' {1..100000}; echo no >&2; exit 2"#,
        Verdict::Blocks("no"),
    );
    nests_as_deep_as_is_read => Row::new(
        r#"printf '{"decision":"block","reason":"no","x":'; printf '[%.0s' {1..1000}; printf ']%.0s' {1..1000}; printf '}'"#,
        Verdict::Blocks("no"),
    );
    writes_one_long_string => Row {
        check: |_, run| assert!(run.stdout.len() > 15_000_000),
        ..Row::new(
            r#"printf '{"decision":"block","reason":"'; head -c 15000000 /dev/zero | tr '\0' x; printf '"}'"#,
            Verdict::Blocks("xxxx"),
        )
    };
    writes_one_long_unknown_string => Row::new(
        r#"printf '{"decision":"block","reason":"no","mine":"'; head -c 15000000 /dev/zero | tr '\0' x; printf '"}'"#,
        Verdict::Blocks("no"),
    );
    writes_10_000_keys => Row {
        check: |_, run| assert_eq!(run.output.as_ref().map(|output| output.extra.len()), Some(10_000)),
        ..Row::new(
            r#"printf '{"decision":"block","reason":"no"'; printf ',"key%s":1' {1..10000}; printf '}'"#,
            Verdict::Blocks("no"),
        )
    };
    repeats_a_key => Row::new(
        r#"echo '{"decision":"allow","decision":"block","reason":"first","reason":"last"}'"#,
        Verdict::Blocks("last"),
    );
    writes_numbers_beyond_all_bounds => Row::new(
        r#"echo '{"n":1e999,"m":-1e999,"o":123456789012345678901234567890,"decision":"block","reason":"no"}'"#,
        Verdict::Blocks("no"),
    );
    writes_lone_surrogates => Row::new(
        r#"echo '{"decision":"block","reason":"\ud800 no \udc00"}'"#,
        Verdict::Blocks("\u{fffd} no \u{fffd}"),
    );
    writes_half_an_answer => Row {
        check: |_, run| assert!(!run.warnings.is_empty(), "it is said that this looks like JSON"),
        ..Row::new(r#"echo '{"decision":"block","reason":"no"'"#, Verdict::Says("decision"))
    };
    /// Two objects are no JSON: neither is believed, both are text.
    writes_two_answers => Row::new(
        r#"echo '{"decision":"allow"}'; echo '{"decision":"block","reason":"no"}'"#,
        Verdict::Says("decision"),
    );
    wraps_its_answer_in_a_string => Row::new(
        r#"echo '"{\"decision\":\"block\",\"reason\":\"no\"}"'"#,
        Verdict::Blocks("no"),
    );
    mistypes_its_other_fields => Row {
        check: |_, run| assert!(!run.warnings.is_empty(), "wrong types are reported"),
        ..Row::new(
            r#"echo '{"decision":"block","reason":"no","continue":"no","suppressOutput":7,"systemMessage":{}}'"#,
            Verdict::Blocks("no"),
        )
    };
    closes_stdout_before_it_decides => Row::new(
        "exec >&-; sleep 0.3; echo no >&2; exit 2",
        Verdict::Blocks("no"),
    );
    writes_terminal_escapes => Row::new(
        r#"printf '{"decision":"block","reason":"\\u001b[2Jno\\u202e"}'"#,
        Verdict::Blocks("\u{1b}[2Jno\u{202e}"),
    );
}
