//! Hooks that give too much, or refuse to take what they are given.

use crate::arena::{Row, Verdict};
use crate::rows;

rows! {
    closes_stdin_at_once => Row {
        payload: 50_000_000,
        ..Row::new("exec <&-; sleep 0.3; echo no >&2; exit 2", Verdict::Blocks("no"))
    };
    never_reads_stdin => Row {
        payload: 50_000_000,
        ..Row::new("sleep 0.3; echo no >&2; exit 2", Verdict::Blocks("no"))
    };
    reads_a_little_of_stdin => Row {
        payload: 50_000_000,
        ..Row::new("head -c 100 > /dev/null; echo no >&2; exit 2", Verdict::Blocks("no"))
    };
    reads_all_of_stdin_byte_by_byte_at_first => Row {
        payload: 50_000_000,
        ..Row::new("dd bs=1 count=5000 of=/dev/null 2> /dev/null; wc -c", Verdict::Says("49"))
    };
    writes_before_it_reads => Row {
        payload: 50_000_000,
        check: |_, run| assert_eq!(run.stdout.len(), 8_000_000),
        ..Row::new(
            "head -c 8000000 /dev/zero | tr '\\0' ' '; cat > /dev/null; echo no >&2; exit 2",
            Verdict::Blocks("no"),
        )
    };
    gives_its_whole_input_back => Row {
        payload: 15_000_000,
        check: |_, run| assert!(run.stdout.len() > 15_000_000),
        ..Row::new("cat", Verdict::Says(""))
    };
    floods_stdout_with_a_gigabyte => Row {
        check: |_, run| assert_eq!(run.stdout.len(), 16 * 1024 * 1024),
        ..Row::new("head -c 1073741824 /dev/zero", Verdict::Fails("wrote more to stdout than is kept"))
    };
    floods_stdout_and_exits_with_2 => Row::new(
        "head -c 1073741824 /dev/zero; echo no >&2; exit 2",
        Verdict::Blocks("no"),
    );
    floods_stdout_with_its_reason => Row::new("yes reason | head -c 100000000; exit 2", Verdict::Blocks("reason"));
    floods_stdout_with_what_is_no_text => Row::new(
        "head -c 100000000 /dev/zero | tr '\\0' '\\377'; exit 2",
        Verdict::Blocks("\u{fffd}"),
    );
    floods_stderr_with_a_gigabyte => Row {
        check: |_, run| assert_eq!(run.stderr.len(), 16 * 1024 * 1024),
        ..Row::new(
            r#"head -c 1073741824 /dev/zero >&2; echo '{"decision":"block","reason":"no"}'"#,
            Verdict::Blocks("no"),
        )
    };
    floods_stderr_and_fails => Row::new(
        "yes complaint | head -c 100000000 >&2; exit 1",
        Verdict::Fails("exited with code 1: complaint"),
    );
    floods_stderr_with_what_is_no_text_and_fails => Row::new(
        "head -c 100000000 /dev/zero | tr '\\0' '\\377' >&2; exit 1",
        Verdict::Fails("exited with code 1: \u{fffd}"),
    );
    floods_both_outputs => Row::new(
        "head -c 200000000 /dev/zero & head -c 200000000 /dev/zero >&2; wait",
        Verdict::Fails("wrote more to stdout than is kept"),
    );
}
