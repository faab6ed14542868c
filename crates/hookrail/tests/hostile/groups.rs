//! Hooks that end but leave others behind, leave their group, or turn against it.

use crate::arena::{Left, Row, Verdict};
use crate::rows;

rows! {
    double_forks_and_leaves_the_session => Row {
        left: Left::Elsewhere(1),
        ..Row::new(
            r#"(setsid sleep 300 < /dev/null > /dev/null 2>&1 &); echo '{"decision":"block","reason":"by the daemon"}'"#,
            Verdict::Blocks("by the daemon"),
        )
    };
    leaves_the_session_with_its_outputs_open => Row {
        left: Left::Elsewhere(1),
        ..Row::new(
            r#"(setsid sleep 300 &); echo '{"decision":"block","reason":"by the daemon"}'"#,
            Verdict::Blocks("by the daemon"),
        )
    };
    leaves_a_child_that_keeps_stdout_open => Row {
        left: Left::InGroup(1),
        ..Row::new("sleep 300 2> /dev/null & echo no >&2; exit 2", Verdict::Blocks("no"))
    };
    leaves_a_child_that_keeps_stderr_open => Row {
        left: Left::InGroup(1),
        ..Row::new(r#"sleep 300 > /dev/null & echo '{"decision":"deny","reason":"no"}'"#, Verdict::Blocks("no"))
    };
    /// It ends by itself when it writes into the closed pipe.
    leaves_a_child_that_keeps_writing => Row {
        left: Left::Nobody,
        ..Row::new("(while :; do echo noise; sleep 0.1; done) & echo no >&2; exit 2", Verdict::Blocks("no"))
    };
    leaves_a_child_that_keeps_a_large_stdin_open => Row {
        payload: 50_000_000,
        left: Left::InGroup(1),
        ..Row::new("sleep 300 > /dev/null 2>&1 <&0 & echo no >&2; exit 2", Verdict::Blocks("no"))
    };
    leaves_a_crowd => Row {
        left: Left::InGroup(100),
        ..Row::new("for n in {1..100}; do sleep 300 & done; exit 2", Verdict::Blocks("Blocked by hook"))
    };
    kills_its_own_group => Row::new("sleep 300 & kill -KILL 0", Verdict::Fails("was ended by signal 9"));
    asks_its_own_group_to_end => Row {
        check: |_, run| assert!(run.signal() == Some(15), "{:?}", run.exit()),
        ..Row::new("sleep 300 & kill -TERM 0; sleep 300", Verdict::Fails("was ended by signal 15"))
    };
    moves_its_work_to_another_group => Row {
        left: Left::Elsewhere(1),
        ..Row::new("set -m; sleep 300 & echo no >&2; exit 2", Verdict::Blocks("no"))
    };
}
