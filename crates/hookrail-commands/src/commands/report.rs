//! `hookrail report`: one HTML file that needs no network, or the same page on 127.0.0.1. Page, style and script are files
//! of their own in `report/`; here the data is collected and put into the page.
//!
//! Text from the log is data inside of the page: it can end neither the element that holds it nor run as a script, because
//! the page names the hash of the only script that may run.

mod collect;
mod live;

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context as _;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use hookrail_bridge::limits;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use self::collect::Collected;
use super::connect::status::Connected;
use super::connect::version::measured_version;
use super::status::guard_states;
use crate::cli::ReportArgs;
use crate::context::Context;
use crate::display::shown;
use crate::exit::ExitStatus;
use crate::terminal::layout::counted;
use crate::terminal::printer::Printer;
use crate::texts::TEXTS;

// Files of the packed texts.
const PAGE: &str = "page.html";
const STYLE: &str = "style.css";
const SCRIPT: &str = "app.js";

/// Collects what the log has, and writes the page or serves it.
pub(crate) fn run(args: &ReportArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let collected = Collected::load(args, context)?;
    if args.live {
        return live::run(args, collected, context, printer);
    }
    let (text, count) = collected.page_data(args, &coverage(context), false);
    let file = &args.output;
    // As private as the log that it shows.
    let opened = File::options().create(true).truncate(true).write(true).mode(0o600).open(file);
    let written = opened.and_then(|mut opened| opened.write_all(page(&text, "").as_bytes()));
    written.with_context(|| format!("cannot write `{}`", file.display()))?;
    printer.data(format_args!("wrote {}: {}", file.display(), counted(count as u64, "decision")))?;
    if args.open {
        open(file, context, printer);
    }
    Ok(ExitStatus::Success)
}

/// Which agents are guarded, and what each of them cannot enforce.
fn coverage(context: &Context) -> Value {
    let states = guard_states(context);
    let rows = states.iter().map(|state| {
        json!({
            "agent": state.agent,
            "title": state.which.title(),
            "connected": state.connected != Connected::No,
            "guarded": state.guarded,
            "why": state.why,
            "guards": state.counted(),
            "measured": measured_version(state.which),
            "cannot": limits(state.which),
        })
    });
    rows.collect()
}

/// The page with its style, its data and its script. `connect` is what it may connect to, besides nothing.
fn page(data: &str, connect: &str) -> String {
    let [page, style, script] = [PAGE, STYLE, SCRIPT].map(|file| TEXTS.get(file));
    let policy = policy(&[script], &[style], connect);
    let head =
        format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<style>{style}</style>");
    let script = format!("<script>{script}</script>");
    let data = format!("<script type=\"application/json\" id=\"data\">{data}</script>");
    // The data comes last, so that nothing in it is taken for a place of the page.
    let page = page.replace("<!--head-->", &head).replace("<!--script-->", &script);
    page.replacen("<!--data-->", &data, 1)
}

/// A content policy under which only these scripts and styles have an effect.
fn policy(scripts: &[&str], styles: &[&str], connect: &str) -> String {
    let hash = |text: &&str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text.as_bytes())));
    let hashes = |texts: &[&str]| texts.iter().map(hash).collect::<Vec<_>>().join(" ");
    let connect = if connect.is_empty() { String::new() } else { format!("; connect-src {connect}") };
    format!(
        "default-src 'none'; script-src {}; style-src {}{connect}; base-uri 'none'; form-action 'none'",
        hashes(scripts),
        hashes(styles)
    )
}

/// JSON that can be in a page: in JSON the sign occurs in texts alone, where it may be written like this.
fn for_page(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Opens a file in the person's browser. A machine without one is not a reason to fail.
fn open(file: &Path, context: &Context, printer: &mut Printer) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    // An absolute path is taken neither for an option nor for an address.
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let mut command = Command::new(opener);
    command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if !command.status().is_ok_and(|status| status.success()) {
        printer.message(format_args!("no browser could be started: open {} yourself", shown(file, context)));
    }
}
