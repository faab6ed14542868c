//! What is executed for one hook.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// A hook's command, ready to be spawned: nothing is looked up any more.
#[derive(Debug, Clone)]
pub(crate) struct PreparedCommand {
    /// The program's absolute path. A bare name would be searched in `PATH`, and since the environment is
    /// replaced, the standard library would fork for that.
    pub program: OsString,
    /// What the program sees as its own name, when that differs from its path.
    pub arg0: Option<OsString>,
    /// The arguments after the name.
    pub args: Vec<OsString>,
    /// The complete environment.
    pub env: Arc<[(OsString, OsString)]>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The shell form, used when direct execution turns out not to be possible.
    pub fallback: Option<Box<PreparedCommand>>,
}
