//! `hookrail check`: what is wrong with the settings.
//!
//! Its exit code is for continuous integration: with `--strict`, warnings fail a build as well.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail check\n  hookrail check --strict --format json\n  hookrail check --format sarif > hookrail.sarif\n\nJSON: { \"findings\": [{ code, severity, file, line, column, message, help }], \"errors\": N, \"warnings\": N };\nseverity is error, warning or note; file, line, column and help may be null.\n\nExit code: 1 if there are errors (with --strict also if there are warnings), else 0."
)]
pub(crate) struct CheckArgs {
    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: CheckFormat,
    /// Let warnings count as errors
    #[arg(long)]
    pub(crate) strict: bool,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// Annotations for GitHub's workflows
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}
