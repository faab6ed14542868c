use std::io;

use super::*;
use crate::diagnostic::{DiagnosticCode, Place};
use crate::hook::{Level, UnreadableRule};

/// A host may want every failure that is not a hook's doing to block.
#[test]
fn a_shortage_is_one_with_a_worker_too() {
    let (program, within) = ("/bin/bash".into(), Duration::from_secs(1));
    let scarce = StartFailure::Scarce { program, within, error: missing() };
    let start = || WorkerFailure::NotStarted(scarce.clone());
    let paused =
        |last| WorkerFailure::Paused { left: Duration::from_secs(1), failures: 3, last: Box::new(last) };
    let of_worker = |why| HookFailure::NoAnswer { why, stderr: String::new() };
    for (failure, expected) in [
        (HookFailure::NotStarted { why: scarce.clone() }, true),
        (HookFailure::NotStarted { why: StartFailure::NoTimeLeft }, false),
        (of_worker(start()), true),
        (of_worker(paused(start())), true),
        (of_worker(paused(WorkerFailure::Ended)), false),
        (of_worker(WorkerFailure::NotStarted(StartFailure::Rule)), false),
        (HookFailure::TimedOut(within), false),
    ] {
        assert_eq!(failure.is_shortage(), expected, "{failure}");
    }
}

/// Compares the texts of values with what is written here. Every variant needs a row: the rows are the arms of one `match`,
/// which does not compile if one is missing.
macro_rules! assert_words {
    ($kind:ident { $($variant:pat => [$(($sample:expr, $words:expr)),+ $(,)?]),+ $(,)? }) => {
        let _every_variant = |value: &$kind| match value {
            $($variant => {})+
        };
        $($(
            let sample: $kind = $sample;
            assert!(matches!(sample, $variant), "{sample:?} stands in the row of another variant");
            assert_eq!(sample.to_string(), $words);
        )+)+
    };
}

fn missing() -> IoError {
    (&io::Error::from_raw_os_error(2)).into()
}

fn place() -> Place {
    Place { file: "/p/settings.json".into(), line: 3, column: 7, span: 0..1 }
}

#[test]
fn the_texts_of_failures_are_a_contract() {
    let stderr = || "boom".to_owned();
    assert_words!(HookFailure {
        HookFailure::NotAnswered { .. } => [
            (HookFailure::NotAnswered { why: stderr() }, "boom"),
        ],
        HookFailure::Malformed { .. } => [
            (HookFailure::Malformed { why: stderr() }, "wrote an answer that Claude Code would ignore: boom"),
        ],
        HookFailure::ExitCode { .. } => [
            (HookFailure::ExitCode { code: 1, stderr: stderr() }, "exited with code 1: boom"),
            (HookFailure::ExitCode { code: 1, stderr: String::new() }, "exited with code 1"),
        ],
        HookFailure::Signal { .. } => [
            (HookFailure::Signal { signal: 9, stderr: stderr() }, "was ended by signal 9: boom"),
            (HookFailure::Signal { signal: 9, stderr: String::new() }, "was ended by signal 9"),
        ],
        HookFailure::TimedOut(_) => [
            (HookFailure::TimedOut(Duration::from_millis(1500)), "timed out after 1500 ms"),
        ],
        HookFailure::StatusUnknown => [(
            HookFailure::StatusUnknown,
            "ended with a status that is not known: another part of this program waited for its process"
        )],
        HookFailure::NotStarted { .. } => [
            (
                HookFailure::NotStarted { why: StartFailure::NoTimeLeft },
                "could not be started: there was no time left to run it"
            ),
            (
                HookFailure::NotStarted {
                    why: StartFailure::UnreadableRule(UnreadableRule::UnknownName { name: "x".into(), place: None }),
                },
                "there is no shipped rule `x`"
            ),
            (
                HookFailure::NotStarted {
                    why: StartFailure::RunsProjectFile { level: Level::User, file: "/p/x.sh".into() },
                },
                "a hook of the user settings must not run `/p/x.sh`, a file of the folder that it runs in; write an \
                 absolute path"
            ),
        ],
        HookFailure::NoAnswer { .. } => [
            (
                HookFailure::NoAnswer { why: WorkerFailure::StrayLine, stderr: stderr() },
                "wrote a line that is not an answer: boom"
            ),
            (
                HookFailure::NoAnswer { why: WorkerFailure::StrayLine, stderr: String::new() },
                "wrote a line that is not an answer"
            ),
        ],
        HookFailure::Truncated => [(
            HookFailure::Truncated,
            "wrote more to stdout than is kept, so its answer could not be read"
        )],
        HookFailure::Unreadable(AnswerBound::Depth) => [(
            HookFailure::Unreadable(AnswerBound::Depth),
            "wrote an answer that could not be read: nested deeper than 1024 levels"
        )],
        HookFailure::Unreadable(AnswerBound::Values) => [(
            HookFailure::Unreadable(AnswerBound::Values),
            "wrote an answer that could not be read: more values than are read from an answer of this size"
        )],
    });
}

#[test]
fn the_texts_of_starts_that_failed_are_a_contract() {
    let no_file = "No such file or directory (os error 2)";
    assert_words!(StartFailure {
        StartFailure::NoDirectory { .. } => [(
            StartFailure::NoDirectory { directory: "/gone".into(), error: missing() },
            format!("cannot enter the working directory `/gone`: {no_file}")
        )],
        StartFailure::NotADirectory { .. } => [(
            StartFailure::NotADirectory { directory: "/file".into() },
            "the working directory `/file` is not a directory"
        )],
        StartFailure::Program { .. } => [(
            StartFailure::Program { program: "/bin/gone".into(), error: missing() },
            format!("cannot start `/bin/gone`: {no_file}")
        )],
        StartFailure::Scarce { .. } => [(
            StartFailure::Scarce {
                program: "/bin/bash".into(),
                within: Duration::from_millis(300),
                error: (&io::Error::from_raw_os_error(24)).into(),
            },
            "cannot start `/bin/bash` within 300ms: Too many open files (os error 24)"
        )],
        StartFailure::InputNotWritten { .. } => [(
            StartFailure::InputNotWritten { error: (&io::Error::other("key must be a string")).into() },
            "cannot write the hook input as JSON: key must be a string"
        )],
        StartFailure::NoTimeLeft => [(StartFailure::NoTimeLeft, "there was no time left to run it")],
        StartFailure::Plugin => [(StartFailure::Plugin, "hooks of type `plugin` cannot be run yet")],
        StartFailure::Rule => [(StartFailure::Rule, "a rule is not a program")],
        StartFailure::UnreadableRule(_) => [(
            StartFailure::UnreadableRule(UnreadableRule::UnknownName { name: "x".into(), place: None }),
            "there is no shipped rule `x`"
        )],
        StartFailure::RunsProjectFile { .. } => [(
            StartFailure::RunsProjectFile { level: Level::System, file: "/p/x.sh".into() },
            "a hook of the system settings must not run `/p/x.sh`, a file of the folder that it runs in; write an \
             absolute path"
        )],
    });
    let message = || "the rule has no `when`".to_owned();
    let code = DiagnosticCode::MissingWhen;
    assert_words!(UnreadableRule {
        UnreadableRule::Malformed { .. } => [
            (
                UnreadableRule::Malformed { what: "rule", place: Some(place()), code, message: message() },
                "the rule at /p/settings.json:3:7 cannot be read: the rule has no `when`"
            ),
            (
                UnreadableRule::Malformed { what: "rule", place: None, code, message: message() },
                "a rule cannot be read: the rule has no `when`"
            ),
        ],
        UnreadableRule::UnknownName { .. } => [
            (
                UnreadableRule::UnknownName { name: "no-such".into(), place: Some(place()) },
                "there is no shipped rule `no-such` (named at /p/settings.json:3:7)"
            ),
            (
                UnreadableRule::UnknownName { name: "no-such".into(), place: None },
                "there is no shipped rule `no-such`"
            ),
        ],
    });
}

#[test]
fn the_texts_of_workers_that_failed_are_a_contract() {
    assert_words!(WorkerFailure {
        WorkerFailure::Reported { .. } => [(
            WorkerFailure::Reported { text: "exited with code 1 without an answer".to_owned() },
            "exited with code 1 without an answer"
        )],
        WorkerFailure::NotStarted(_) => [(
            WorkerFailure::NotStarted(StartFailure::NotADirectory { directory: "/file".into() }),
            "the working directory `/file` is not a directory"
        )],
        WorkerFailure::Paused { .. } => [
            (
                WorkerFailure::Paused {
                    left: Duration::from_millis(900),
                    failures: 3,
                    last: Box::new(WorkerFailure::TooLong),
                },
                "is not started for another 900 ms, after 3 failures in a row; the last: wrote a longer answer than \
                 is kept"
            ),
            (
                WorkerFailure::Paused {
                    left: Duration::from_micros(5),
                    failures: 4,
                    last: Box::new(WorkerFailure::Ended),
                },
                "is not started for another 1 ms, after 4 failures in a row; the last: ended without an answer"
            ),
        ],
        WorkerFailure::TimedOut(_) => [
            (WorkerFailure::TimedOut(Duration::from_millis(1500)), "gave no answer within 1500 ms"),
        ],
        WorkerFailure::Exited { .. } => [
            (WorkerFailure::Exited { code: 1 }, "exited with code 1 without an answer"),
        ],
        WorkerFailure::Signal { .. } => [
            (WorkerFailure::Signal { signal: 9 }, "was ended by signal 9 without an answer"),
        ],
        WorkerFailure::Ended => [(WorkerFailure::Ended, "ended without an answer")],
        WorkerFailure::EndedTwice => [
            (WorkerFailure::EndedTwice, "ended twice while this event waited for its answer"),
        ],
        WorkerFailure::ClosedStdin => [(WorkerFailure::ClosedStdin, "closed its stdin without an answer")],
        WorkerFailure::ClosedStdout => [(WorkerFailure::ClosedStdout, "closed its stdout without an answer")],
        WorkerFailure::TooLong => [(WorkerFailure::TooLong, "wrote a longer answer than is kept")],
        WorkerFailure::StrayLine => [(WorkerFailure::StrayLine, "wrote a line that is not an answer")],
        WorkerFailure::UnknownQuestion => [
            (WorkerFailure::UnknownQuestion, "answered a question that was not asked"),
        ],
        WorkerFailure::Malformed(_) => [(
            WorkerFailure::Malformed(AnswerFault::Both),
            "gave an answer that has both `output` and `exitCode`"
        )],
        WorkerFailure::InterpreterEnded => [
            (WorkerFailure::InterpreterEnded, "ended with the interpreter that it was forked from"),
        ],
        WorkerFailure::NoFork { .. } => [
            (WorkerFailure::NoFork { output: "an error".into() }, "no fork could be made: an error"),
        ],
    });
    assert_words!(AnswerFault {
        AnswerFault::Both => [(AnswerFault::Both, "has both `output` and `exitCode`")],
        AnswerFault::Neither => [(AnswerFault::Neither, "has neither `output` nor `exitCode`")],
        AnswerFault::ExitCode => [(AnswerFault::ExitCode, "has an `exitCode` that no process has")],
        AnswerFault::Stdout => [(AnswerFault::Stdout, "has a `stdout` that is not a text")],
        AnswerFault::Stderr => [(AnswerFault::Stderr, "has a `stderr` that is not a text")],
    });
}

#[test]
fn in_json_a_failure_is_its_text() {
    let failure = HookFailure::NotStarted { why: StartFailure::Plugin };
    assert_eq!(serde_json::to_value(&failure).unwrap(), failure.to_string());
    let failure = WorkerFailure::Exited { code: 3 };
    assert_eq!(serde_json::to_value(&failure).unwrap(), failure.to_string());
}

#[test]
fn an_error_of_the_system_keeps_its_kind_and_its_number() {
    let busy = IoError::from(&io::Error::from_raw_os_error(26));
    assert_eq!((busy.kind(), busy.code()), (io::ErrorKind::ExecutableFileBusy, Some(26)));
    let other = IoError::from(&io::Error::from(io::ErrorKind::InvalidInput));
    assert_eq!((other.kind(), other.code()), (io::ErrorKind::InvalidInput, None));
}
