//! Long outputs, without processes.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::super::runner::tests::hook;
use super::*;
use crate::verdict::failure::{AnswerBound, HookFailure};

const KEPT: usize = 16 * 1024 * 1024;

fn finished(exit: Exit, stdout: &str, stderr: &str) -> Finished {
    let captured = |text: &str| Captured { bytes: text.as_bytes().to_vec(), truncated: false };
    Finished { exit, stdout: captured(stdout), stderr: captured(stderr), duration: Duration::ZERO }
}

fn numbers(count: usize) -> String {
    format!("{{\"decision\":\"block\",\"x\":[0{}]}}", ",0".repeat(count - 1))
}

#[tokio::test]
async fn a_long_output_is_read_elsewhere_and_a_short_one_here() {
    for (what, finished, elsewhere) in [
        ("a short one", finished(Exit::Code(0), "{}", ""), false),
        ("many numbers", finished(Exit::Code(0), &numbers(100_000), ""), true),
        ("a long complaint", finished(Exit::Code(2), "", &"x".repeat(LONG + 1)), true),
    ] {
        let (hook, reader) = (hook("true"), OutputReader::new());
        // Nothing can be read elsewhere before the first poll is over.
        let permits = Arc::clone(&reader.permits).acquire_many_owned(2).await.unwrap();
        let mut read = pin!(reader.read(&hook, finished, KEPT));
        let first = read.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(first.is_pending(), elsewhere, "R15: {what}");
        drop(permits);
        let run = match first {
            Poll::Ready(run) => run,
            Poll::Pending => read.await,
        };
        assert_eq!(run.failure(), None, "R15: {what}");
    }
}

#[tokio::test]
async fn beyond_the_bound_is_a_failure() {
    let run =
        OutputReader::new().read(&hook("true"), finished(Exit::Code(0), &numbers(7_500_000), ""), KEPT).await;
    assert_eq!(run.failure(), Some(&HookFailure::Unreadable(AnswerBound::Values)), "R15");
    assert_eq!(run.output, None);
}

/// Reading that comes to nothing within the hook's time: no reader has a permit here.
#[tokio::test(start_paused = true)]
async fn reading_is_part_of_the_deadline() {
    let long = "x".repeat(LONG + 1);
    let reader = OutputReader::new();
    let _all = Arc::clone(&reader.permits).acquire_many_owned(2).await.unwrap();
    let hook = hook("true");
    for (exit, expected) in [
        (Exit::Code(0), Exit::TimedOut(hook.timeout)),
        (Exit::Code(2), Exit::Code(2)),
        (Exit::Code(1), Exit::Code(1)),
    ] {
        let begin = tokio::time::Instant::now();
        let run = reader.read(&hook, finished(exit.clone(), &long, ""), KEPT).await;
        assert_eq!(begin.elapsed(), hook.timeout, "R15");
        assert_eq!(*run.exit(), expected, "R15");
        assert_eq!(run.output.is_some_and(|output| output.is_blocking_decision()), exit == Exit::Code(2));
    }
}

#[test]
fn what_is_no_text_is_replaced_and_does_not_outgrow_what_is_kept() {
    for (bytes, truncated, keep, expected) in [
        (&b"plain"[..], false, 5, ("plain", false)),
        (b"plain", true, 5, ("plain", true)),
        (b"a\xffb", false, 10, ("a\u{fffd}b", false)),
        (b"a\xffb", true, 10, ("a\u{fffd}b", true)),
        (b"a\xffb", false, 5, ("a\u{fffd}b", false)),
        (b"a\xffb", false, 4, ("a\u{fffd}", true)),
        (b"a\xffb", false, 3, ("a", true)),
        (b"\xff\xc3\xa9", false, 4, ("\u{fffd}", true)),
        (b"cut \xc3", true, 10, ("cut \u{fffd}", true)),
        (b"\xff", false, 0, ("", true)),
    ] {
        let (text, cut) = lossy(Captured { bytes: bytes.to_vec(), truncated }, keep);
        assert_eq!((text.as_str(), cut), expected, "{bytes:?} in {keep}");
    }
}
