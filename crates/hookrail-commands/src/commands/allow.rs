//! `hookrail allow`: a person lets one call pass that rules stopped.

mod blocked;
mod grants;
mod person;
pub(crate) mod private_file;
pub(crate) mod processes;

use std::fmt::Write as _;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use self::blocked::{BlockedCall, BlockedCalls};
pub(crate) use self::grants::KeptGrants;
use self::grants::{Grant, GrantFile};
use self::person::Terminal;
use crate::cli::{AllowArgs, Format};
use crate::context::Context;
use crate::display::short_home;
use crate::exit::{ExitStatus, Hinted, fail};
use crate::hook_log::{GrantLine, HookLog, short_local_time};
use crate::terminal::printer::{Printer, escape, escape_line};

/// How long a call may pass once.
const ONCE: SignedDuration = SignedDuration::from_mins(10);

/// How many calls are offered.
const OFFERED: usize = 20;

/// How often an answer that is not a number is asked for again.
const ATTEMPTS: usize = 3;

/// How long another program's change of a file is waited for. An agent waits meanwhile.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// Calls that rules stopped, and grants.
struct Kept {
    calls: Vec<BlockedCall>,
    grants: Vec<Grant>,
}

/// Shows what was stopped and asks which one may pass; or lists, or takes back.
pub(crate) fn run(args: &AllowArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let state_dir = context.state_dir();
    if let Some(id) = &args.revoke {
        return revoke(id, args.all, context, printer);
    }
    if !args.list && args.format == Format::Text {
        return allow(args, context);
    }
    let (calls, blocked_problem) = or_problem(BlockedCalls::new(&state_dir).load());
    let (grants, grants_problem) = or_problem(GrantFile::new(&state_dir).load());
    let kept = Kept { calls, grants: grants.into_iter().filter(Grant::is_unused).collect() };
    let problems: Vec<String> = [blocked_problem, grants_problem].into_iter().flatten().collect();
    match args.format {
        Format::Json => printer.json_pretty(&kept.json())?,
        Format::Text => printer.data(kept.text(context))?,
    }
    for problem in &problems {
        printer.message(format_args!("warning: {}", escape_line(problem)));
    }
    Ok(if problems.is_empty() { ExitStatus::Success } else { ExitStatus::Failure })
}

fn or_problem<T: Default>(read: Result<T, String>) -> (T, Option<String>) {
    match read {
        Ok(read) => (read, None),
        Err(problem) => (T::default(), Some(problem)),
    }
}

fn allow(args: &AllowArgs, context: &Context) -> anyhow::Result<ExitStatus> {
    let refused = |why: String| {
        let hint = "run `hookrail allow` yourself, in a terminal in which no agent runs";
        anyhow::Error::from(Hinted::new(format!("only a person can allow a call: {why}"), hint))
    };
    let state_dir = context.state_dir();
    if let Some(why) = person::refusal(&state_dir) {
        return Err(refused(why));
    }
    let Some(mut terminal) = Terminal::open() else { return Err(refused("there is no terminal".to_owned())) };
    let calls = BlockedCalls::new(&state_dir).load().map_err(anyhow::Error::msg)?;
    let file = GrantFile::new(&state_dir);
    file.load().map_err(|problem| Hinted::new(problem, "`hookrail allow --revoke --all` removes it"))?;
    if calls.is_empty() {
        terminal.show("No rule stopped a call in the last 24 hours.")?;
        return Ok(ExitStatus::Success);
    }
    let offered: Vec<&BlockedCall> = calls.iter().take(OFFERED).collect();
    // The latest is last, right above the question.
    for (at, call) in offered.iter().enumerate().rev() {
        terminal.show(&render(call, Some(at + 1), context))?;
    }
    let span = args.span.unwrap_or(ONCE);
    let how = if args.span.is_some() { "whenever it comes" } else { "once" };
    let until = Timestamp::now().checked_add(span)?;
    let question = format!(
        "Which one may pass, {how}, until {}? Type its number and press Enter, or press Enter alone for none: ",
        short_local_time(&until.to_string())
    );
    let Some(call) = choose(&mut terminal, &question, &offered)? else {
        terminal.show("Nothing was allowed.")?;
        return Ok(ExitStatus::Success);
    };
    let now = Timestamp::now();
    let grant = Grant {
        id: uuid::Uuid::new_v4().simple().to_string().chars().take(8).collect(),
        rules: call.rules.clone(),
        key: call.key(),
        given: now,
        until: now.checked_add(span)?,
        once: args.span.is_none(),
        used_by: None,
        summary: call.summary(),
    };
    file.change(|grants| grants.push(grant.clone())).map_err(anyhow::Error::msg)?;
    log(context, &grant, "given");
    let until = short_local_time(&grant.until.to_string());
    terminal.show(&format!(
        "Allowed {how}, until {until}. `hookrail allow --revoke {}` takes it back.",
        grant.id
    ))?;
    Ok(ExitStatus::Success)
}

/// The call that the person chose; `None` for none.
fn choose<'c>(
    terminal: &mut Terminal,
    question: &str,
    offered: &[&'c BlockedCall],
) -> anyhow::Result<Option<&'c BlockedCall>> {
    for _ in 0..ATTEMPTS {
        let Some(answer) = terminal.ask(question)? else { return Ok(None) };
        if answer.is_empty() {
            return Ok(None);
        }
        let number = answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        match number.and_then(|at| offered.get(at)) {
            Some(call) => match &call.obstacle {
                None => return Ok(Some(call)),
                Some(obstacle) => {
                    terminal.show(&format!("It cannot be allowed: {}.", escape_line(obstacle)))?;
                }
            },
            None => terminal.show(&format!("Write a number from 1 to {}.", offered.len()))?,
        }
    }
    Ok(None)
}

/// Takes grants back. Anybody may: it makes nothing less strict.
fn revoke(id: &str, all: bool, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let file = GrantFile::new(&context.state_dir());
    let revoked = if all {
        let present = file.load().unwrap_or_default();
        file.clear().map_err(anyhow::Error::msg)?;
        present
    } else {
        let taken = file.change(|grants| {
            let (taken, kept) = std::mem::take(grants).into_iter().partition(|grant| grant.id == id);
            *grants = kept;
            taken
        });
        taken.map_err(anyhow::Error::msg)?
    };
    for grant in &revoked {
        log(context, grant, "revoked");
    }
    let revoked: Vec<Grant> = revoked.into_iter().filter(Grant::is_unused).collect();
    if revoked.is_empty() && !all {
        return fail(
            format!("nothing is allowed under the id `{}`", escape_line(id)),
            "`hookrail allow --list` shows what is",
        );
    }
    printer.data(format_args!("revoked: {}", revoked.len()))?;
    Ok(ExitStatus::Success)
}

fn log(context: &Context, grant: &Grant, action: &str) {
    let rules: Vec<&str> = grant.rules.iter().map(|rule| rule.name.as_str()).collect();
    HookLog::new(&context.state_dir()).grant(&GrantLine {
        action,
        id: &grant.id,
        rule: &rules.join(", "),
        project: &grant.key.project,
        tool: &grant.key.tool,
        summary: &grant.summary,
        until: &grant.until.to_string(),
        once: grant.once,
    });
}

impl Kept {
    /// Whether a grant lets a call pass.
    fn allows(&self, call: &BlockedCall) -> bool {
        let key = call.key();
        let lifts = |rule| self.grants.iter().any(|grant| grant.key == key && grant.rules.contains(rule));
        !call.rules.is_empty() && call.rules.iter().all(lifts)
    }

    fn json(&self) -> Value {
        let calls = self.calls.iter().map(|call| {
            json!({
                "id": call.id,
                "time": call.time.to_string(),
                "agent": call.agent,
                "project": call.project,
                "tool": call.tool,
                "summary": call.summary(),
                "rule": call.rule(),
                "allowed": self.allows(call),
                "obstacle": call.obstacle,
            })
        });
        let grants = self.grants.iter().map(|grant| {
            let rules: Vec<&str> = grant.rules.iter().map(|rule| rule.name.as_str()).collect();
            json!({
                "id": grant.id,
                "until": grant.until.to_string(),
                "once": grant.once,
                "rule": rules.join(", "),
                "project": grant.key.project,
                "tool": grant.key.tool,
                "summary": grant.summary,
            })
        });
        json!({ "calls": calls.collect::<Vec<_>>(), "grants": grants.collect::<Vec<_>>() })
    }

    fn text(&self, context: &Context) -> String {
        let mut text = String::new();
        if self.calls.is_empty() {
            text.push_str("No rule stopped a call in the last 24 hours.\n");
        }
        for call in self.calls.iter().rev() {
            let _ = writeln!(text, "{}", render(call, None, context));
        }
        for grant in &self.grants {
            let until = short_local_time(&grant.until.to_string());
            let how = if grant.once { "once" } else { "whenever it comes" };
            let (tool, summary) = (escape_line(&grant.key.tool), escape_line(&grant.summary));
            let _ = writeln!(text, "{}  allowed {how}, until {until}: {tool}  {summary}", grant.id);
        }
        text.trim_end().to_owned()
    }
}

/// A call with everything that decides.
fn render(call: &BlockedCall, number: Option<usize>, context: &Context) -> String {
    let time = short_local_time(&call.time.to_string());
    let head = number.map_or_else(|| call.id.clone(), |number| format!("[{number}]"));
    let project = escape_line(&short_home(&call.project, context));
    let mut text = format!(
        "{head} {time}  {}  {}  in {project}  stopped by {}",
        escape_line(&call.agent),
        escape_line(&call.tool),
        escape_line(&call.rule())
    );
    if call.directory != call.project {
        let _ = write!(text, "\n    folder: {}", escape_line(&call.directory));
    }
    for (name, value) in &call.input {
        argument(&mut text, name, value);
    }
    if !call.beside.is_empty() {
        text.push_str("\n    also in the call, and free to differ:");
        for (name, value) in &call.beside {
            argument(&mut text, name, value);
        }
    }
    if let Some(obstacle) = &call.obstacle {
        let _ = write!(text, "\n    It cannot be allowed: {}.", escape_line(obstacle));
    }
    text
}

/// An argument as a whole, over as many lines as it has.
fn argument(text: &mut String, name: &str, value: &Value) {
    let whole = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let _ = write!(text, "\n    {}: {}", escape_line(name), escape(&whole).replace('\n', "\n      "));
}
