//! The codes of findings.

use std::fmt;

use serde::{Serialize, Serializer};

/// Defines the codes once, with their texts.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)+) => {
        /// What a finding is about. The texts are stable, so that programs can compare them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DiagnosticCode {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl DiagnosticCode {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The code in kebab case, such as `unknown-event`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

codes! {
    // Files
    /// A settings file is not JSON with comments and trailing commas.
    MalformedSettings = "malformed-settings",
    /// A settings file cannot be read, is not a regular file or is too large.
    UnreadableSettings = "unreadable-settings",
    /// Another user may write a settings file of the user or the system.
    SettingsWritableByOthers = "settings-writable-by-others",
    /// The home directory is not an absolute path.
    HomeNotAbsolute = "home-not-absolute",
    /// A folder among the extensions has no manifest.
    ExtensionWithoutManifest = "extension-without-manifest",
    /// The `policy` of the system's settings cannot be read.
    InvalidPolicy = "invalid-policy",
    /// The system's settings name a policy, and there is none that can be used.
    PolicyMissing = "policy-missing",
    /// The policy has expired.
    PolicyExpired = "policy-expired",

    // Structure
    /// A value has another type than its field.
    WrongType = "wrong-type",
    /// A value is not among those that its field accepts.
    InvalidValue = "invalid-value",
    /// A key occurs twice in one object.
    RepeatedKey = "repeated-key",
    /// A field is nearly spelt like a known one, and has no effect as it is.
    MisspeltField = "misspelt-field",
    /// A field is not known.
    UnknownField = "unknown-field",
    /// A field has no effect where it is written.
    NoEffect = "no-effect",
    /// The flag that turns hooks on is neither `true` nor `false`.
    FlagNotABoolean = "flag-not-a-boolean",
    /// A field is nearly spelt like the flag that turns hooks on.
    MisspeltFlag = "misspelt-flag",
    /// There is no event of this name.
    UnknownEvent = "unknown-event",
    /// An event goes by the name that another agent has for it.
    ForeignEvent = "foreign-event",
    /// An event is beside `hooks` instead of inside of it.
    MisplacedEvent = "misplaced-event",
    /// A group has no `hooks`.
    MissingHooks = "missing-hooks",

    // Hooks
    /// A hook has no `type`, or one that does not exist.
    InvalidHookType = "invalid-hook-type",
    /// A hook of type `plugin`, which does not run.
    PluginHook = "plugin-hook",
    /// A command hook has no command, or a blank one.
    MissingCommand = "missing-command",
    /// A hook that calls `hookrail bridge`, which does not run here.
    BridgeEntry = "bridge-entry",
    /// A timeout is zero, negative or not a number: the default counts.
    InvalidTimeout = "invalid-timeout",
    /// A timeout is so short that seconds were probably meant.
    TimeoutLooksLikeSeconds = "timeout-looks-like-seconds",
    /// A matcher is not a valid pattern and is compared as a whole.
    MatcherNotARegex = "matcher-not-a-regex",
    /// The event ignores matchers.
    MatcherWithoutEffect = "matcher-without-effect",
    /// No value of the event can match.
    MatcherNeverMatches = "matcher-never-matches",

    // Rules
    /// There is no shipped guard of this name.
    UnknownRule = "unknown-rule",
    /// Exceptions of a shipped guard have ended.
    ExpiredException = "expired-exception",
    /// A rule has no condition.
    MissingWhen = "missing-when",
    /// A rule has `then` beside one of its short forms.
    ThenTwice = "then-twice",
    /// A rule would change nothing if its condition held.
    NothingToSay = "nothing-to-say",
    /// A rule blocks or asks without a reason.
    NoReason = "no-reason",
    /// The `unknown` of a rule is neither `block` nor `ask`.
    InvalidUnknown = "invalid-unknown",
    /// There is no fact of this name.
    UnknownFact = "unknown-fact",
    /// The event of the rule never has this fact.
    FactNotOnEvent = "fact-not-on-event",
    /// There is no test of this name.
    UnknownTest = "unknown-test",
    /// A test or a list of conditions is empty.
    EmptyTest = "empty-test",
    /// A command pattern cannot be read.
    InvalidPattern = "invalid-pattern",
    /// A glob cannot be read.
    InvalidGlob = "invalid-glob",
    /// A regular expression cannot be read.
    InvalidRegex = "invalid-regex",
    /// A condition is nested too deeply.
    TooDeep = "too-deep",
    /// A condition or a test always holds.
    AlwaysHolds = "always-holds",
    /// A condition or a test can never hold.
    NeverHolds = "never-holds",
    /// An example cannot be read, or belongs to a hook that has none.
    InvalidExample = "invalid-example",
    /// An example of a rule does not hold.
    FailedExample = "failed-example",
    /// Another rule of the same file already blocks whatever a rule is for.
    RuleShadowed = "rule-shadowed",

    // Approvals
    /// Hooks are configured and turned off.
    HooksOff = "hooks-off",
    /// Hooks of the project wait for approval and do not run.
    ProjectNotApproved = "project-not-approved",
    /// Other settings of the project wait for approval and do not count.
    ProjectSettingsNotApproved = "project-settings-not-approved",
    /// An approved guard of the project changed or is gone: guarded events are blocked.
    GuardVanished = "guard-vanished",
    /// An approved guard of a folder around the project has changed or is gone, and guarded events are blocked here too.
    EnclosingGuardVanished = "enclosing-guard-vanished",
    /// The approvals cannot be read.
    ApprovalsUnreadable = "approvals-unreadable",
    /// The file of approvals is damaged.
    ApprovalsDamaged = "approvals-damaged",
    /// A newer program wrote the approvals.
    ApprovalsVersion = "approvals-version",
    /// Another user may write the approvals.
    ApprovalsUnsafe = "approvals-unsafe",
    /// The approvals could not be changed.
    ApprovalsUnchanged = "approvals-unchanged",

    // Programs and scripts (found by `hookrail check` alone)
    /// A command begins with a dash: a shell would take it for an option.
    CommandStartsWithDash = "command-starts-with-dash",
    /// The shell cannot parse a command.
    ShellSyntax = "shell-syntax",
    /// A program is in none of the folders of `PATH`.
    ProgramNotFound = "program-not-found",
    /// A command outside of the project's settings is relative and could run a file of the project.
    RelativeCommand = "relative-command",
    /// A script does not exist.
    ScriptMissing = "script-missing",
    /// A script is a directory.
    ScriptIsDirectory = "script-is-directory",
    /// A script is not executable.
    ScriptNotExecutable = "script-not-executable",
    /// The first line of a script has a Windows line end.
    ShebangCrlf = "shebang-crlf",
    /// The interpreter in the first line of a script does not exist.
    InterpreterMissing = "interpreter-missing",
    /// A script has no first line that names its interpreter.
    ScriptWithoutShebang = "script-without-shebang",
    /// A file of the project takes the place of a module that a hook imports.
    PythonShadowedImport = "python-shadowed-import",
    /// Python looks for modules in the project first.
    PythonImportsFromProject = "python-imports-from-project",

    // Effects (found by `hookrail check` alone)
    /// A hook is on a list of disabled hooks.
    HookDisabled = "hook-disabled",
    /// Two hooks of an event have the same command: one of them runs.
    DuplicateCommand = "duplicate-command",
    /// A matcher looks like a glob and is read as a regular expression.
    MatcherLikeGlob = "matcher-like-glob",
    /// A matcher matches none of the known tools.
    MatcherMatchesNoTool = "matcher-matches-no-tool",
    /// The output of a hook is recorded and not applied.
    OnlyObserved = "only-observed",
    /// A rule or a hook blocks an event that cannot be blocked.
    BlockInVain = "block-in-vain",
    /// `"worker": "fork"` has no effect on this command.
    ForkWithoutEffect = "fork-without-effect",
    /// Another agent has hooks that were not imported.
    HooksNotImported = "hooks-not-imported",

    // Tests (found by `hookrail test` alone)
    /// A file is not a test file: it cannot be read, or does not have the form of one.
    NoTestFile = "no-test-file",
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for DiagnosticCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
