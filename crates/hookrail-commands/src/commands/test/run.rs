//! Runs tests: side by side, each through settings, matcher, plan, run and merge, as `fire` does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hookrail::HookSession;
use hookrail::components::ProcessedHookResult;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::case::TestCase;
use super::scratch::{self, Scratch};
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
    let mut waiting: Vec<Option<FinishedTest>> = tests.iter().map(|_| None).collect();
    let mut next = 0;
    for (place, test) in tests.iter().enumerate().filter(|(_, test)| !is_timed(&test.case)) {
        // Taken before the test's project is made, so that at most so many projects exist at once.
        let permit = Arc::clone(&permits).acquire_owned().await;
        let work = PreparedTest::new(place, &test.case, setup)?;
        tasks.spawn(async move {
            let finished = work.run().await;
            drop(permit);
            finished
        });
        while let Some(finished) = tasks.try_join_next() {
            keep(&mut waiting, finished?);
            hand_over(&mut waiting, &mut next, &mut done)?;
        }
    }
    while let Some(finished) = tasks.join_next().await {
        keep(&mut waiting, finished?);
        hand_over(&mut waiting, &mut next, &mut done)?;
    }
    for (place, test) in tests.iter().enumerate().filter(|(_, test)| is_timed(&test.case)) {
        keep(&mut waiting, PreparedTest::new(place, &test.case, setup)?.run().await);
        hand_over(&mut waiting, &mut next, &mut done)?;
    }
    Ok(())
}

/// A result waits in its slot until all before it are there.
fn keep(waiting: &mut [Option<FinishedTest>], finished: FinishedTest) {
    if let Some(slot) = waiting.get_mut(finished.place) {
        *slot = Some(finished);
    }
}

/// Hands over every result whose turn it is.
fn hand_over(
    waiting: &mut [Option<FinishedTest>],
    next: &mut usize,
    done: &mut impl FnMut(FinishedTest) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    while let Some(finished) = waiting.get_mut(*next).and_then(Option::take) {
        *next += 1;
        done(finished)?;
    }
    Ok(())
}

/// One test with the session that it runs in. Most tests share the project's and its workers; those with files or a home of
/// their own cannot.
struct PreparedTest {
    place: usize,
    case: Arc<TestCase>,
    session: Arc<HookSession>,
    own: Option<Scratch>,
}

impl PreparedTest {
    /// Makes the temporary project, if the test has one. It is gone when the test is.
    fn new(place: usize, case: &Arc<TestCase>, setup: &TestSetup<'_>) -> anyhow::Result<Self> {
        let case = Arc::clone(case);
        if case.files.is_none() && !case.scratch_home {
            return Ok(Self { place, case, session: Arc::clone(&setup.session), own: None });
        }
        let settings = setup.session.settings();
        let (session, own) = scratch::session(&case, settings, setup.context, setup.trust_hooks)?;
        Ok(Self { place, case, session: Arc::new(session), own: Some(own) })
    }

    /// A session of its own is drained here, before its folder goes.
    async fn run(self) -> FinishedTest {
        let (result, took) = fire(&self.session, &self.case).await;
        let mut seen = SeenOutcome::new(&self.case.input.event, &result, took);
        seen.note_stand_ins(result.event, self.session.settings());
        if let Some(own) = self.own {
            seen.warnings.extend(own.warning);
            self.session.drain().await;
        }
        FinishedTest { place: self.place, seen, result }
    }
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
