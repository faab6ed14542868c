//! Hooks that do not end in time.

use hookrail_testkit::make_pipe;

use crate::arena::{Left, Row, Verdict};
use crate::rows;

rows! {
    ignores_sigterm => Row::hangs("trap '' TERM; while :; do sleep 0.1; done");
    ignores_every_catchable_signal => Row::hangs(
        "for signal in {1..64}; do trap '' $signal 2>/dev/null; done; while :; do sleep 0.1; done",
    );
    stops_itself => Row::hangs("kill -STOP $$");
    never_reads_a_large_payload_and_hangs => Row { payload: 50_000_000, ..Row::hangs("sleep 300") };
    reads_half_of_a_large_payload_and_hangs => Row {
        payload: 50_000_000,
        ..Row::hangs("head -c 25000000 > /dev/null; sleep 300")
    };
    writes_a_byte_at_a_time_past_its_deadline => Row {
        check: |_, run| assert!(run.stdout.len() <= 4, "{:?}", run.stdout),
        ..Row::hangs("while :; do printf x; sleep 1; done")
    };
    writes_a_verdict_and_hangs => Row::hangs(r#"echo '{"decision":"block","reason":"never read"}'; sleep 300"#);
    closes_its_outputs_and_hangs => Row::hangs("exec >&- 2>&-; sleep 300");
    closes_everything_and_hangs => Row::hangs("exec <&- >&- 2>&-; sleep 300");
    floods_both_outputs_for_ever => Row::hangs("yes & yes >&2");
    /// What it says after the deadline is read by nobody and must not hold it up.
    floods_while_it_is_asked_to_end => Row::hangs("trap 'yes | head -c 10000000; exit 0' TERM; sleep 300 & wait");
    spawns_a_crowd_and_hangs => Row::hangs("for n in {1..100}; do sleep 300 & done; wait");
    spawns_a_stubborn_crowd_and_hangs => Row::hangs(
        "trap '' TERM; for n in {1..20}; do (trap '' TERM; sleep 300; sleep 300) & done; sleep 300; sleep 300",
    );
    /// Ends at once when asked, but leaves somebody in its group who does not.
    leaves_a_stubborn_orphan => Row::hangs("(trap '' TERM; sleep 300; sleep 300) & sleep 300");
    execs_into_something_that_hangs => Row::hangs("exec sleep 300");
    /// Nothing is hunted outside of the group, which is documented; the leader's end is certain.
    hangs_after_another_left_the_group => Row {
        left: Left::Elsewhere(1),
        ..Row::hangs("setsid sleep 300 < /dev/null > /dev/null 2>&1 & sleep 300")
    };
    opens_a_fifo_that_nobody_writes => Row {
        prepare: |project| {
            make_pipe(&project.dir().join("pipe"));
        },
        ..Row::hangs("cat < pipe")
    };
    /// A timeout of a millisecond is over before the program is there.
    has_hardly_any_time => Row {
        timeout: 1,
        ..Row::new("sleep 300", Verdict::Fails("timed out after 1 ms"))
    };
}
