//! `hookrail report`: one HTML file that needs no network. Its page, style and script are files of their own in
//! `report/`; here the data is collected and put into the page.
//!
//! Text from the log is data inside of the page: it can end neither the element that holds it nor run as a script,
//! because only the page's own script has the nonce of this report.

use std::collections::BTreeMap;

use anyhow::Context as _;
use hookrail_bridge::Agent;
use serde_json::{Value, json};

use super::connect::status::{AgentStatus, Connected, statuses};
use crate::cli::ReportArgs;
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::hook_log::{LogEntry, LoggedLines, open_with_rotated, path_in};
use crate::terminal::printer::Printer;

const PAGE: &str = include_str!("../report/page.html");
const STYLE: &str = include_str!("../report/style.css");
const SCRIPT: &str = include_str!("../report/app.js");

/// The page filters so many decisions at once; of more, the newest are shown.
const MOST_DECISIONS: usize = 20_000;

/// Collects what the log has and writes the page.
pub(crate) fn run(args: &ReportArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let log = path_in(&context.state_dir());
    let logs = open_with_rotated(&log).with_context(|| format!("cannot read `{}`", log.display()))?;
    let (mut decisions, mut hook_calls) = (Vec::new(), Vec::new());
    let is_wanted = |timestamp: &str, session: &str| {
        args.since.covers(timestamp) && args.session.as_deref().is_none_or(|wanted| wanted == session)
    };
    for (path, file) in logs.files {
        for entry in LoggedLines::<_, LogEntry>::of(file) {
            match entry.with_context(|| format!("cannot read `{}`", path.display()))? {
                LogEntry::Decision(decision) if is_wanted(&decision.timestamp, &decision.session_id) => {
                    decisions.extend(serde_json::from_str::<Value>(&decision.text).ok());
                }
                LogEntry::Call(line)
                    if line.call.command.is_some()
                        && is_wanted(&line.call.timestamp, &line.call.session_id) =>
                {
                    hook_calls.push(json!([line.call.name, line.call.duration_ms]));
                }
                _ => {}
            }
        }
    }
    for (at, decision) in decisions.iter_mut().enumerate() {
        decision["id"] = json!(at.to_string());
    }
    decisions.drain(..decisions.len().saturating_sub(MOST_DECISIONS));
    let count = decisions.len();
    let data = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "since": args.since.to_string(),
        "until": hookrail::components::timestamp_now(),
        "coverage": coverage(&decisions, context, printer),
        "decisions": decisions,
        "hookCalls": hook_calls,
    });
    std::fs::write(&args.output, page(&data))
        .with_context(|| format!("cannot write `{}`", args.output.display()))?;
    printer.data(format_args!("wrote {}: {count} decisions", args.output.display()))?;
    Ok(ExitStatus::Success)
}

/// Which agents are guarded, and when each of their events came last.
fn coverage(decisions: &[Value], context: &Context, printer: &mut Printer) -> Vec<Value> {
    let settings = context.settings();
    let found = statuses(context, printer);
    let is_shown = |status: &&AgentStatus| status.found || status.connected != Connected::No;
    let shown = found.iter().filter(is_shown);
    let rows = shown.map(|status| {
        let mut last: BTreeMap<&str, &str> = BTreeMap::new();
        for decision in decisions.iter().filter(|decision| decision["agent"] == status.agent) {
            let (event, at) = (decision["event"].as_str(), decision["timestamp"].as_str());
            let Some((event, at)) = event.zip(at) else { continue };
            let newest = last.entry(event).or_insert(at);
            *newest = at.max(newest);
        }
        let mut last: Vec<_> = last.into_iter().collect();
        last.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
        let is_on = settings.activation.is_on();
        let obstacle = status.not_running.first().cloned();
        let note = obstacle.or_else(|| (!is_on).then(|| "hooks are off in the settings".to_owned()));
        let title = Agent::ALL.into_iter().find(|agent| agent.as_str() == status.agent).map(Agent::title);
        json!({
            "agent": status.agent,
            "title": title,
            "connected": status.connected == Connected::Yes,
            "guarded": status.connected == Connected::Yes && status.not_running.is_empty() && is_on,
            "note": note.or_else(|| status.version.clone()),
            "lastEvents": last.into_iter().map(|(event, at)| json!({ "event": event, "at": at })).collect::<Vec<_>>(),
        })
    });
    rows.collect()
}

/// The page with its style, its data and its script.
fn page(data: &Value) -> String {
    let nonce = uuid::Uuid::new_v4().simple().to_string();
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'"
    );
    // In JSON the sign occurs in texts alone, where it may be written like this.
    let data = data.to_string().replace('<', "\\u003c");
    let head = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<style nonce=\"{nonce}\">\n{STYLE}</style>"
    );
    let script = format!("<script nonce=\"{nonce}\">\n{SCRIPT}</script>");
    let data = format!("<script type=\"application/json\" id=\"data\">{data}</script>");
    // The data comes last, so that nothing in it is taken for a place of the page.
    let page = PAGE.replace("<!--head-->", &head).replace("<!--script-->", &script);
    page.replacen("<!--data-->", &data, 1)
}
