//! `hookrail test`: events with expectations, run against the hooks as they are.
//!
//! Test files are read completely before the first hook starts. A file that is not a test file ends the command, because
//! tests that are silently left out look like tests that pass.

pub(crate) mod case;
mod coverage;
mod edit;
mod judge;
mod junit;
pub(crate) mod load;
pub(crate) mod read;
mod run;
pub(crate) mod save;
pub(crate) mod schema;
mod scratch;
pub(crate) mod seen;
mod show;
mod source;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use hookrail::{Diagnostic, Severity};
use serde::Serialize;

use self::case::{Expect, TestCase};
use self::coverage::{Coverage, Covered};
use self::edit::Accepted;
use self::judge::{Mismatch, mismatches};
use self::load::{TESTS_FOLDER, TestFile};
use self::run::{FiledTest, FinishedTest, TestSetup};
use self::show::SLOW_MS;
use crate::cli::{TestArgs, TestFormat};
use crate::commands::check::finding::{Finding, Sources};
use crate::commands::check::published::Annotation;
use crate::context::Context;
use crate::display::shown;
use crate::exit::{ExitStatus, fail};
use crate::findings;
use crate::signals::EndSignals;
use crate::terminal::meter::Meter;
use crate::terminal::printer::{Printer, escape_line};
use crate::terminal::screen;
use crate::terminal::style::{Style, paint};

/// A test with its verdict. The fields that are written are a contract.
/// `took_ms` is shown for slow tests and written to the `JUnit` report, but not to the JSON report, which would then
/// differ from run to run.
#[derive(Debug, Serialize)]
struct Judged {
    name: String,
    /// Relative to the project where it lies in it.
    file: String,
    line: usize,
    passed: bool,
    /// One line for each key that differs; empty for a test that passed.
    why: Vec<String>,
    #[serde(skip)]
    took_ms: u64,
}

/// The report for programs.
/// `coverage` is there with and without `--coverage`; the flag decides about the text only.
#[derive(Serialize)]
struct TestReport<'a> {
    passed: usize,
    failed: usize,
    tests: &'a [Judged],
    coverage: &'a [Covered],
}

/// Runs the tests of the project, or those named.
/// Hooks that are not approved do not run here either, and the test reports it; `--trust-hooks` is for machines on which
/// no person can approve.
pub(crate) fn run(args: &TestArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let mut files = match load::find(&args.files, context.project()).and_then(load::load) {
        Ok(files) => files,
        Err(problems) => return Ok(print_problems(&problems, context, printer)),
    };
    let session = Arc::new(context.engine(args.trust.trust_hooks, None).build());
    let settings = session.settings();
    findings::begin(settings, args.trust.trust_hooks, context, printer)?;
    findings::print_why_off(settings, context, printer);
    let is_any = files.iter().any(|file| !file.tests.is_empty());
    if let Some(wanted) = &args.filter {
        for file in &mut files {
            file.tests.retain(|test| test.name.contains(wanted.as_str()));
        }
    }
    let is_left = files.iter().any(|file| !file.tests.is_empty());
    if !is_left && is_any {
        let wanted = args.filter.as_deref().unwrap_or_default();
        let hint = "`hookrail test` without `--filter` runs all of them";
        return fail(format!("no test has `{wanted}` in its name"), hint);
    }
    if !is_left {
        let place = if args.files.is_empty() { TESTS_FOLDER } else { "these files" };
        printer.message(format_args!("no tests were found in {place}"));
        printer.message("hint: `hookrail fire … --save-test NAME` keeps a call as a test");
    }
    let coverage = Coverage::new(settings, context);
    let mut run = TestRun { args, context, coverage, judged: Vec::new(), accepted: BTreeMap::new() };
    let setup = TestSetup { session: Arc::clone(&session), context, trust_hooks: args.trust.trust_hooks };
    let runtime = crate::signals::runtime()?;
    if !runtime.block_on(run.run(&setup, &mut files, printer))? {
        printer.message("interrupted");
        return Ok(ExitStatus::Interrupted);
    }
    run.finish(&files, printer)
}

/// Files that are no test files, with the places where that shows.
/// They go to stderr: stdout stays empty or holds results.
fn print_problems(problems: &[Diagnostic], context: &Context, printer: &mut Printer) -> ExitStatus {
    let mut sources = Sources::default();
    for problem in problems {
        let finding = Finding::from_engine(problem, &mut sources);
        printer.message(finding.render(&sources, context));
    }
    printer.message("hint: `hookrail schema test` prints what belongs in a test file");
    ExitStatus::Usage
}

struct TestRun<'a> {
    args: &'a TestArgs,
    context: &'a Context,
    coverage: Coverage,
    judged: Vec<Judged>,
    /// What is to be written, by the place of its file.
    /// Nothing is written before all tests have run.
    accepted: BTreeMap<usize, Vec<Accepted>>,
}

impl TestRun<'_> {
    /// Runs everything; `false` when the person interrupted it. Hooks that run then are ended.
    /// Each line is printed when its test and all before it are done, so the order is that of the files.
    async fn run(
        &mut self,
        setup: &TestSetup<'_>,
        files: &mut [TestFile],
        printer: &mut Printer,
    ) -> anyhow::Result<bool> {
        let mut signals = EndSignals::listen().context("cannot listen to signals")?;
        let mut tests = Vec::new();
        for (file, test_file) in files.iter_mut().enumerate() {
            tests.extend(test_file.tests.drain(..).map(|case| FiledTest { case: Arc::new(case), file }));
        }
        Self::print_unknown_names(&tests, setup, printer);
        let files: &[TestFile] = files;
        // Where the lines of the tests go to a terminal, they are the progress.
        let meter = Meter::new(self.args.format != TestFormat::Text || !screen::is_stdout_shown());
        let total = tests.len();
        let work = run::run_all(setup, &tests, |finished| {
            meter.show(|| format!("{} of {total} tests", finished.place + 1));
            let Some(FiledTest { case, file }) = tests.get(finished.place) else { return Ok(()) };
            self.judge(case, *file, files, &finished, printer)
        });
        let ended = tokio::select! {
            ended = work => Some(ended),
            _ = signals.next() => None,
        };
        meter.wipe();
        if let Some(system) = setup.session.hook_system() {
            tokio::select! { () = system.drain() => {} _ = signals.next() => {} }
        }
        ended.transpose().map(|ended| ended.is_some())
    }

    /// Compares a finished test with its expectations, prints its line and keeps the verdict. With `--accept`, a test
    /// that will be rewritten counts as passed.
    fn judge(
        &mut self,
        case: &TestCase,
        place: usize,
        files: &[TestFile],
        finished: &FinishedTest,
        printer: &mut Printer,
    ) -> anyhow::Result<()> {
        self.coverage.add(&case.input, &finished.result);
        let nothing = Expect::default();
        let found = mismatches(case.expect.as_ref().unwrap_or(&nothing), &finished.seen);
        let accepted = self.args.accept && self.accept(case, place, &found, finished);
        let Some(file) = files.get(place) else { return Ok(()) };
        if self.args.format == TestFormat::Text {
            let place = format!("{}:{}", shown(&file.path, self.context), case.line);
            printer.data(show::render(&case.name, &place, &finished.seen, &found, accepted))?;
        }
        let passed = found.is_empty() || accepted;
        self.judged.push(Judged {
            name: case.name.clone(),
            file: file.path.strip_prefix(self.context.project()).unwrap_or(&file.path).display().to_string(),
            line: case.line,
            passed,
            why: if passed { Vec::new() } else { found.iter().map(Mismatch::line).collect() },
            took_ms: finished.seen.took_ms,
        });
        Ok(())
    }

    /// Notes what `--accept` is to write; whether it is anything.
    /// Only keys that differ are written. A test without `expect` gets the decision, which is the least it can expect.
    fn accept(&mut self, case: &TestCase, place: usize, found: &[Mismatch], finished: &FinishedTest) -> bool {
        let mut keys: Vec<_> = found.iter().map(|found| (found.key, found.accepted.clone())).collect();
        if case.expect.is_none() {
            keys.insert(0, ("decision", finished.seen.decision.as_str().into()));
        }
        let is_any = !keys.is_empty();
        if is_any {
            self.accepted.entry(place).or_default().push(Accepted { index: case.index, keys });
        }
        is_any
    }

    /// A name that no hook has makes `notRan` true for ever, which is never meant.
    /// It is a warning: the hook may be one of another machine.
    fn print_unknown_names(tests: &[FiledTest], setup: &TestSetup<'_>, printer: &mut Printer) {
        let hooks = &setup.session.settings().hooks;
        for case in tests.iter().map(|test| &test.case).filter(|case| case.files.is_none()) {
            for name in case.expect.iter().flat_map(|expect| &expect.not_ran) {
                if !hooks.iter().any(|resolved| resolved.hook.name == *name) {
                    printer.message(format_args!(
                        "warning: test `{}`: `notRan` names `{}`, and there is no such hook",
                        escape_line(&case.name),
                        escape_line(name)
                    ));
                }
            }
        }
    }

    /// Writes accepted tests and reports, and prints the summary. Files are written only after all tests have run, so
    /// an interrupted run changes nothing.
    fn finish(mut self, files: &[TestFile], printer: &mut Printer) -> anyhow::Result<ExitStatus> {
        for (place, changes) in &self.accepted {
            let Some(file) = files.get(*place) else { continue };
            save::accept(file, changes, self.context)?;
            let path = shown(&file.path, self.context);
            printer.message(format_args!("wrote {} accepted tests to {path}", changes.len()));
        }
        let passed = self.judged.iter().filter(|test| test.passed).count();
        let failed = self.judged.len() - passed;
        if let Some(file) = &self.args.junit {
            std::fs::write(file, junit::render(&self.judged))
                .with_context(|| format!("cannot write `{}`", file.display()))?;
        }
        match self.args.format {
            TestFormat::Json => printer.json_pretty(&TestReport {
                passed,
                failed,
                tests: &self.judged,
                coverage: self.coverage.hooks(),
            })?,
            TestFormat::Github => {
                for test in self.judged.iter().filter(|test| !test.passed) {
                    let annotation = Annotation {
                        severity: Severity::Error,
                        file: Path::new(&test.file),
                        line: test.line,
                        column: None,
                        title: &escape_line(&test.name),
                        message: &test.why.iter().map(|why| escape_line(why)).collect::<Vec<_>>().join("\n"),
                    };
                    printer.data(annotation.render(self.context))?;
                }
                printer.data(format_args!("{passed} passed, {failed} failed"))?;
            }
            TestFormat::Text => {
                for slow in self.judged.iter().filter(|test| test.took_ms >= SLOW_MS) {
                    printer.data(format_args!(
                        "SLOW   [{:>6} ms] {}",
                        slow.took_ms,
                        escape_line(&slow.name)
                    ))?;
                }
                if self.args.coverage {
                    printer.data(self.coverage.render())?;
                }
                if !self.judged.is_empty() {
                    let style = if failed == 0 { Style::BoldGreen } else { Style::Red };
                    printer.data(paint(style, &format!("{passed} passed, {failed} failed")))?;
                }
            }
        }
        Ok(if failed == 0 { ExitStatus::Success } else { ExitStatus::Failure })
    }
}
