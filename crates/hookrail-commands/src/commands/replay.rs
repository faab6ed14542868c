//! `hookrail replay`: today's hooks are asked about the tool calls of past sessions. Transcripts are streamed, calls
//! are decided in this process, and nothing leaves it.
//!
//! It answers "what would a new rule have done to last month's work?" before the rule is turned on. A call is different
//! when it ran then and would be blocked or asked about now, or the other way round.

mod call;
mod decide;
mod differences;
mod formats;
mod lines;
mod own_log;
mod show;
mod transcript;
mod transcripts;
mod zst;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::{Value, json};

use self::call::{PastCall, PastOutcome};
use self::decide::{Interrupted, PresentDecision, ReplayDecider};
use self::differences::{Difference, Differences};
use self::own_log::BlockedCalls;
use self::transcripts::TranscriptFile;
use crate::cli::{Format, ReplayArgs};
use crate::commands::test::case::{DecisionWord, Expect};
use crate::commands::test::save;
use crate::context::Context;
use crate::display::shown;
use crate::exit::{ExitStatus, Hinted};
use crate::findings;
use crate::hook_log;
use crate::terminal::layout::counted;
use crate::terminal::meter::Meter;
use crate::terminal::printer::{Printer, escape_json, escape_line};

/// How many differences are kept as tests at most.
const MAX_SAVED: usize = 1_000;

/// How much of the result is written at once.
/// In bytes; larger pieces save calls, not memory.
const PIECE: usize = 64 * 1024;

/// What was counted.
/// `files` counts transcripts only; `unreadable` lines and calls.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    /// Calls that were decided; each is allowed, blocked or asked about.
    calls: u64,
    allow: u64,
    block: u64,
    ask: u64,
    /// Lines, or calls in them, that were not understood.
    unreadable: u64,
    files: u64,
}

/// One run of the command.
/// Differences may be many more than fit into memory, so they are kept in [`Differences`] and not here.
struct Replay<'c> {
    context: &'c Context,
    decider: ReplayDecider,
    counts: Counts,
    /// How often each hook blocked and asked.
    by_hook: BTreeMap<String, (u64, u64)>,
    differences: Differences,
    /// The transcript at hand, as it is named in the result.
    file: String,
    /// The session of the transcript at hand, if it names one.
    session: Option<String>,
    /// What hookrail blocked then.
    blocked: BlockedCalls,
    meter: Meter,
    /// Read so far, for the progress line.
    bytes: u64,
    all_bytes: u64,
}

/// Replays transcripts and prints what would be decided otherwise.
/// Nothing is changed by it but the file of `--save-tests`. It fails when no file is a transcript, because
/// "no differences" would then be misleading.
pub(crate) fn run(args: &ReplayArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let session = context.engine(args.trust.trust_hooks, None).build();
    findings::begin(session.settings(), args.trust.trust_hooks, context, printer)?;
    let candidates = find(args, context)?;
    let mut replay = Replay {
        context,
        decider: ReplayDecider::new(session, args.run_hooks)?,
        counts: Counts::default(),
        by_hook: BTreeMap::new(),
        differences: Differences::new(),
        file: String::new(),
        session: None,
        blocked: BlockedCalls::load(&hook_log::path_in(&context.state_dir())),
        meter: Meter::new(true),
        bytes: 0,
        all_bytes: candidates.iter().map(|candidate| candidate.bytes).sum(),
    };
    let outcome = replay.all(&candidates, printer);
    replay.meter.wipe();
    replay.decider.finish();
    match outcome {
        Err(error) if error.is::<Interrupted>() => {
            printer.message("interrupted");
            return Ok(ExitStatus::Interrupted);
        }
        other => other?,
    }
    if replay.counts.files == 0 {
        return Err(nothing_found(args).into());
    }
    match args.format {
        Format::Json => replay.print_json(printer)?,
        Format::Text => replay.print_text(args, printer)?,
    }
    if let Some(file) = &args.save_tests {
        replay.save(file, args.all, printer)?;
    }
    Ok(ExitStatus::Success)
}

/// Files that may be transcripts: those that were named, or those in the places where agents keep theirs.
fn find(args: &ReplayArgs, context: &Context) -> anyhow::Result<Vec<TranscriptFile>> {
    let usual = args.paths.is_empty();
    let paths: Vec<PathBuf> =
        if usual { transcripts::usual_places(args.agent, context) } else { args.paths.clone() };
    let mut all = Vec::new();
    for path in &paths {
        match transcripts::candidates(path, args.since) {
            // Few users have every agent.
            Err(_) if usual => {}
            found => all.extend(found.with_context(|| format!("cannot read `{}`", path.display()))?),
        }
    }
    if all.is_empty() && args.since.is_none() {
        return Err(nothing_found(args).into());
    }
    Ok(all)
}

/// The hint depends on whether the person named files.
fn nothing_found(args: &ReplayArgs) -> Hinted {
    let since = if args.since.is_some() { " that are so recent" } else { "" };
    if args.paths.is_empty() {
        let message = format!("there are no transcripts{since} where agents keep them");
        return Hinted::new(message, "name the files, or the folder that holds them");
    }
    let paths: Vec<String> = args.paths.iter().map(|path| path.display().to_string()).collect();
    let message = format!("there are no transcripts{since} in `{}`", paths.join("`, `"));
    Hinted::new(
        message,
        "hookrail reads its own session logs, Claude Code transcripts, Codex rollouts, Gemini and Qwen chats",
    )
}

impl Replay<'_> {
    /// Replays one file after the other. A file that was found and cannot be read is a warning; one that was named is
    /// an error.
    fn all(&mut self, candidates: &[TranscriptFile], printer: &mut Printer) -> anyhow::Result<()> {
        for candidate in candidates {
            self.file = candidate.path.to_string_lossy().into_owned();
            self.session = None;
            let found = transcript::read(&candidate.path, candidate.is_named, self);
            let path = shown(&candidate.path, self.context);
            match found {
                Ok(found) => {
                    self.counts.unreadable += found.unreadable;
                    self.counts.files += u64::from(found.is_transcript);
                    if candidate.is_named && !found.is_transcript {
                        self.meter.wipe();
                        printer.message(format_args!(
                            "warning: {path} is not a transcript that hookrail can read"
                        ));
                    }
                }
                Err(error) if error.is::<std::io::Error>() && !candidate.is_named => {
                    self.meter.wipe();
                    let error = escape_line(&error.to_string());
                    printer.message(format_args!("warning: {path} cannot be read: {error}"));
                }
                Err(error) => return Err(error.context(format!("cannot replay `{path}`"))),
            }
        }
        Ok(())
    }

    /// The result as the contract has it, written piece by piece: it may be larger than memory.
    fn print_json(&mut self, printer: &mut Printer) -> anyhow::Result<()> {
        let Counts { calls, allow, block, ask, unreadable, .. } = self.counts;
        let head = json!({
            "calls": calls, "allow": allow, "block": block, "ask": ask,
            "notAsked": self.decider.not_asked, "unreadable": unreadable,
        });
        let head = head.to_string();
        let mut text = format!("{},\"different\":[", head.trim_end_matches('}'));
        let mut comma = "\n";
        self.differences.each(|line| {
            text.push_str(comma);
            text.push_str(&escape_json(line));
            comma = ",\n";
            if text.len() > PIECE {
                printer.piece(&text)?;
                text.clear();
            }
            Ok(())
        })?;
        printer.data(format_args!("{text}]}}"))
    }

    /// Without `--all` there is one example of each kind of difference.
    fn print_text(&mut self, args: &ReplayArgs, printer: &mut Printer) -> anyhow::Result<()> {
        printer.data(show::summary(self))?;
        if args.all && self.differences.count > 0 {
            printer.data(format_args!("{} would be decided differently:", self.differences.count))?;
            return self.differences.each(|line| {
                let difference: Difference = serde_json::from_str(line)?;
                printer.data(show::line(&difference))
            });
        }
        printer.data(show::groups(&self.differences))
    }

    /// Keeps what was shown as tests that expect today's decision.
    /// At most [`MAX_SAVED`], since nobody reads a larger test file.
    fn save(&mut self, file: &std::path::Path, all: bool, printer: &mut Printer) -> anyhow::Result<()> {
        let mut tests: Vec<Value> = Vec::new();
        if all {
            self.differences.each(|line| {
                if tests.len() < MAX_SAVED {
                    tests.push(as_test(&serde_json::from_str(line)?));
                }
                Ok(())
            })?;
        } else {
            let groups = self.differences.groups();
            tests.extend(groups.iter().take(MAX_SAVED).map(|(_, group)| as_test(&group.example)));
        }
        save::add(file, &tests, self.context)?;
        let kept = counted(tests.len() as u64, "test");
        printer.message(format_args!("kept {kept} in {}", shown(file, self.context)));
        Ok(())
    }

    /// Decides about a call that was made, by today's hooks.
    fn call(&mut self, call: &PastCall) -> anyhow::Result<PresentDecision> {
        let now = self.decider.decide(call)?;
        self.counts.calls += 1;
        let (count, blocked, asked) = match now.word {
            DecisionWord::Allow => (&mut self.counts.allow, 0, 0),
            DecisionWord::Ask => (&mut self.counts.ask, 0, 1),
            DecisionWord::Block | DecisionWord::Stop => (&mut self.counts.block, 1, 0),
        };
        *count += 1;
        if let Some(by) = &now.by {
            let sums = self.by_hook.entry(by.clone()).or_default();
            *sums = (sums.0 + blocked, sums.1 + asked);
        }
        Ok(now)
    }

    /// A call came to its end.
    fn ended(&mut self, call: PastCall, was: PastOutcome, now: PresentDecision) -> anyhow::Result<()> {
        // Agents show a refusal of hookrail's in their own words, or as a failure of the tool.
        let is_blocked = was == PastOutcome::Allow && self.blocked.contains(self.session.as_deref(), &call);
        let was = if is_blocked { PastOutcome::Block } else { was };
        Ok(self.differences.add(&self.file, call, was, now)?)
    }

    /// So many bytes more were read of files.
    fn read(&mut self, bytes: u64) {
        self.bytes += bytes;
        let (done, all, calls) = (self.bytes, self.all_bytes.max(self.bytes), self.counts.calls);
        let elapsed = self.meter.elapsed();
        self.meter.show(|| {
            let speed = u128::from(done) / elapsed.as_millis().max(1);
            let left = u128::from(all - done) / speed.max(1) / 1000;
            let mb = |bytes: u64| bytes / 1_000_000;
            format!("{calls} calls, {} of {} MB, about {left} s left", mb(done), mb(all))
        });
    }
}

/// A difference as a test.
/// The name has the place of the call in its transcript, without the folders of this machine.
fn as_test(difference: &Difference) -> Value {
    let Difference { file, line, tool, input, now, reason, by, .. } = difference;
    let file = file.rsplit('/').next().unwrap_or(file);
    let expect = Expect {
        decision: DecisionWord::parse(now),
        reason: reason.clone(),
        ran: by.iter().cloned().collect(),
        ..Expect::default()
    };
    save::test(&format!("{tool} of {file}:{line}"), "BeforeTool", save::tool_call(tool, input), &expect)
}
