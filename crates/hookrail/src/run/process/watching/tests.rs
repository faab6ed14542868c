mod late;

use super::super::spawn;
use super::super::tests::{ALL, LONG, bash, bash_in, eventually, payload_of, small_payload, text};
use super::*;
use crate::run::reaper::Reaper;

#[tokio::test]
async fn everything_works_without_a_reactor() {
    // What happens when no pidfd can be had and nothing more can be watched.
    let (payload, expected) = payload_of(500_000);
    let spawned =
        spawn(&bash("cat; cat /dev/null >&2; sleep 0.1; exit 3"), &payload, &Reaper::new()).unwrap();
    let deadline = spawned.started + LONG;
    let mut run = ProcessRun::new(spawned, deadline, ALL);
    run.exit_watch = ExitWatch::Ticker;
    run.stdout.unregister();
    run.stderr.unregister();
    run.feed = run.feed.map(|(pipe, cursor)| (pipe.unregister(), cursor));
    let mut alarm = pin!(sleep_until(deadline.into()));
    let end = poll_fn(|cx| run.poll(cx, alarm.as_mut())).await;
    assert!(matches!(end, ProcessEnd::Exited(Exit::Code(3))));
    assert!(run.stdout.into_parts().0.bytes == expected);
    run.group.reap();
}
