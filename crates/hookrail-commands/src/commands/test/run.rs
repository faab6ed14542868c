//! Runs tests: side by side, each through settings, matcher, plan, run and merge, as `fire` does.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookrail::HookSession;
use hookrail::components::ProcessedHookResult;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::case::TestCase;
use super::scratch;
use super::seen::SeenOutcome;
use crate::context::Context;

/// How many tests run at once for each processor. Hooks wait more than they compute.
const AT_ONCE: usize = 2;

/// Everything that tests share.
pub(super) struct TestSetup<'c> {
    /// The project's session, for tests without a project or a home of their own.
    pub(super) session: Arc<HookSession>,
    /// Where the program works.
    pub(super) context: &'c Context,
    /// Whether the project's hooks are approved for this run.
    pub(super) trust_hooks: bool,
}

/// A test, and the file that it was read from.
pub(super) struct FiledTest {
    pub(super) case: Arc<TestCase>,
    /// The place of its file in the list of test files.
    pub(super) file: usize,
}

pub(super) struct FinishedTest {
    /// Which one: its place in the list that was given.
    pub(super) place: usize,
    /// What came of its event.
    pub(super) seen: SeenOutcome,
    /// The whole result, for coverage.
    pub(super) result: ProcessedHookResult,
}

/// Runs all tests and hands each over as soon as it and all before it are finished, so that output has one order.
///
/// Tests that look at the time run alone, after the others: a time that was taken beside other hooks means little.
pub(super) async fn run_all(
    setup: &TestSetup<'_>,
    tests: &[FiledTest],
    mut done: impl FnMut(FinishedTest) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let permits = Arc::new(Semaphore::new(processors * AT_ONCE));
    let is_timed = |case: &TestCase| case.expect.as_ref().is_some_and(|expect| expect.max_ms.is_some());
    let mut tasks = JoinSet::new();
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    // A result waits until all before it are there.
    let mut keep = |finished: FinishedTest| {
        waiting.insert(finished.place, finished);
        while let Some(finished) = waiting.remove(&next) {
            next += 1;
            done(finished)?;
        }
        anyhow::Ok(())
    };
    for (place, test) in tests.iter().enumerate().filter(|(_, test)| !is_timed(&test.case)) {
        // Taken before the test's project is made, so that at most so many projects exist at once.
        let permit = Arc::clone(&permits).acquire_owned().await;
        let work = prepared(place, &test.case, setup)?;
        tasks.spawn(async move {
            let finished = work.await;
            drop(permit);
            finished
        });
        while let Some(finished) = tasks.try_join_next() {
            keep(finished?)?;
        }
    }
    while let Some(finished) = tasks.join_next().await {
        keep(finished?)?;
    }
    for (place, test) in tests.iter().enumerate().filter(|(_, test)| is_timed(&test.case)) {
        keep(prepared(place, &test.case, setup)?.await)?;
    }
    Ok(())
}

/// One test in its session. Most tests share the project's and its workers; those with files or a home of their own cannot:
/// their temporary project is made at once, and is gone when the test is.
fn prepared(
    place: usize,
    case: &Arc<TestCase>,
    setup: &TestSetup<'_>,
) -> anyhow::Result<impl Future<Output = FinishedTest> + Send + use<>> {
    let case = Arc::clone(case);
    let (session, own) = if case.files.is_none() && !case.scratch_home {
        (Arc::clone(&setup.session), None)
    } else {
        let settings = setup.session.settings();
        let (session, own) = scratch::session(&case, settings, setup.context, setup.trust_hooks)?;
        (Arc::new(session), Some(own))
    };
    Ok(async move {
        let (result, took) = fire(&session, &case).await;
        let mut seen = SeenOutcome::new(&case.input.event, &result, took);
        seen.note_stand_ins(result.event, session.settings());
        if let Some(own) = own {
            seen.warnings.extend(own.warning);
            // Before its folder goes.
            session.drain().await;
        }
        FinishedTest { place, seen, result }
    })
}

/// Fires a test's event.
async fn fire(session: &HookSession, case: &TestCase) -> (ProcessedHookResult, Duration) {
    let event = case.input.event();
    let start = Instant::now();
    let result = match session.hook_system() {
        Some(system) => {
            system.initialize();
            match system.event_handler() {
                Ok(handler) => handler.fire_with(&event, &case.input.base, &case.input.extra).await,
                Err(_) => ProcessedHookResult::empty(event.name()),
            }
        }
        None => ProcessedHookResult::empty(event.name()),
    };
    (result, start.elapsed())
}
