//! What the command line asks for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::stats::Budget;

pub(crate) const USAGE: &str = "\
Measures the hook engine against the floor of what the kernel allows.

cargo bench -p hookrail                      everything, a few minutes
cargo bench -p hookrail -- --quick           everything, under a minute
cargo bench -p hookrail -- P1 P6             these workloads only; `P` and `W` are all of a kind
cargo bench -p hookrail -- --check           exit 1 if a target is missed
cargo bench -p hookrail -- --plots DIR       draw the plots into a folder, measure nothing else (`W`: of workers only, `B`: of the bridge)";

/// The options.
#[derive(Debug, Default)]
pub(crate) struct Args {
    pub(crate) quick: bool,
    pub(crate) check: bool,
    pub(crate) plots: Option<PathBuf>,
    /// Workloads to run; all if there are none.
    only: Vec<String>,
    /// `cargo bench` says so; `cargo test` and test runners that merely list tests do not.
    pub(crate) bench: bool,
}

impl Args {
    /// Reads the options; an error is a sentence.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut args = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => args.quick = true,
                "--check" => args.check = true,
                "--bench" => args.bench = true,
                "--plots" => {
                    let folder = arguments.next().ok_or("`--plots` needs a folder")?;
                    // Cargo starts benchmarks in the folder of their crate; people call it from the workspace.
                    args.plots = Some(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(folder));
                }
                flag if flag.starts_with('-') => return Err(format!("unknown option `{flag}`")),
                word => args.only.push(word.to_uppercase()),
            }
        }
        Ok(args)
    }

    /// Whether a workload is to be run.
    pub(crate) fn wants(&self, workload: &str) -> bool {
        let kind = workload.trim_end_matches(|c: char| c.is_ascii_digit());
        self.only.is_empty() || self.only.iter().any(|word| word == workload || word == kind)
    }

    /// How long a comparison of whole events may take.
    pub(crate) fn budget(&self) -> Budget {
        if self.quick {
            Budget { time: Duration::from_millis(1_500), most: 300, least: 15 }
        } else {
            Budget { time: Duration::from_secs(12), most: 2_000, least: 60 }
        }
    }
}
