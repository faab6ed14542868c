//! `hookrail test`: the tests that a project keeps for its hooks.
//!
//! The form of a test file is described once more by `hookrail schema test`; the help names the fields only.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::TrustFlag;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail test\n  hookrail test --filter push --coverage\n  hookrail test --junit report.xml --trust-hooks\n  hookrail fire BeforeTool --tool write_file --save-test 'writes are fine'\n\nTests are in .hookrail/tests/*.json: [{ name, event, tool + input or payload (or agent + stdin), files, home, expect }];\nexpect: decision (allow, block, ask, stop), reason, ran, notRan, input, output, errors, maxMs.\n\nJSON: { \"passed\": N, \"failed\": N, \"tests\": [{ name, file, line, passed, why }], \"coverage\": [{ hook, ran, decided, matched }] };\ncoverage has blocked for guards, and unusedTools and untriedExamples where there are any.\n\nExit codes: 0 all passed, 1 some failed, 64 a file is not a test file"
)]
pub(crate) struct TestArgs {
    /// Test files, or folders of them, instead of the project's
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only tests with this text in their name
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Write what was seen into the tests that failed; comments are kept
    #[arg(long)]
    pub(crate) accept: bool,
    /// Show which hooks, rules, tools of matchers and examples no test exercised, and which guards neither blocked nor asked
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Write a `JUnit` report into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: TestFormat,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// Annotations for GitHub's workflows
    Github,
}
