use super::*;

#[test]
fn the_texts_of_failures_are_a_contract() {
    let stderr = || "boom".to_owned();
    for (failure, expected) in [
        (HookFailure::ExitCode { code: 1, stderr: stderr() }, "exited with code 1: boom"),
        (HookFailure::ExitCode { code: 1, stderr: String::new() }, "exited with code 1"),
        (HookFailure::Signal { signal: 9, stderr: stderr() }, "was ended by signal 9: boom"),
        (HookFailure::TimedOut(Duration::from_millis(1500)), "timed out after 1500 ms"),
        (HookFailure::NotStarted { why: stderr() }, "could not be started: boom"),
        (
            HookFailure::NoAnswer { why: "answered a question twice".to_owned(), stderr: stderr() },
            "answered a question twice: boom",
        ),
        (HookFailure::Truncated, "wrote more to stdout than is kept, so that its answer could not be read"),
        (
            HookFailure::Unreadable(AnswerBound::Depth),
            "wrote an answer that could not be read: nested deeper than 1024 levels",
        ),
        (
            HookFailure::Unreadable(AnswerBound::Values),
            "wrote an answer that could not be read: more values than are read from an answer of this size",
        ),
        (HookFailure::UnreadableRule { why: stderr() }, "boom"),
        (
            HookFailure::RunsProjectFile { level: Level::User, file: PathBuf::from("/p/x.sh") },
            "a hook of the user settings must not run `/p/x.sh`, a file of the folder that it runs in; write an \
             absolute path",
        ),
    ] {
        assert_eq!(failure.to_string(), expected);
        assert_eq!(serde_json::to_value(&failure).unwrap(), expected, "as JSON it is its text");
    }
}
