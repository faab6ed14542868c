//! `hookrail policy`: fetching, showing and making signed policies. What a document must be is decided in
//! `hookrail-policy`; that it counts, in the engine's settings.

mod fetch;
mod make;

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::Context as _;
use hookrail::settings::NamedPolicy;
use hookrail_policy::{
    CurrentPolicy, Document, Expiry, FolderError, Installed, LastPull, OnExpired, PolicyTerms,
};
use jiff::Timestamp;
use serde_json::json;

use self::fetch::Fetched;
use crate::cli::{Format, PolicyAction, PolicyStatusArgs, PullArgs, VerifyArgs};
use crate::context::Context;
use crate::exit::{ExitStatus, Hinted, fail};
use crate::terminal::layout::counted;
use crate::terminal::printer::{Printer, escape_line};

/// What `hookrail policy unit` prints.
const UNITS: &str = include_str!("policy/units.txt");

pub(crate) fn run(
    action: &PolicyAction,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    match action {
        PolicyAction::Pull(args) => pull(args, context, printer),
        PolicyAction::Status(args) => status(args, context, printer),
        PolicyAction::Verify(args) => verify(args, context, printer),
        PolicyAction::Make(args) => make::run(args, printer),
        PolicyAction::Unit => {
            let program = std::env::current_exe().context("it is not known where this program is")?;
            // Not all machines at once; cron has no random delay, and its shell no random number.
            let first = std::process::id() % 15;
            let minutes = [0, 15, 30, 45].map(|quarter| (first + quarter).to_string()).join(",");
            let units = UNITS.trim_end().replace("@MINUTES@", &minutes);
            printer.data(units.replace("@PROGRAM@", &program.display().to_string()))?;
            if let Some(place) = program.ancestors().find(|place| !only_root_may_write(place)) {
                let (program, place) = (program.display(), place.display());
                printer.message(format_args!(
                    "warning: these units run `{program}` as root, and other users may write `{place}`; install \
                     hookrail in /usr/local/bin and print them from there"
                ));
            }
            Ok(ExitStatus::Success)
        }
    }
}

fn only_root_may_write(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|it| it.uid() == 0 && (it.gid() == 0 || it.mode() & 0o020 == 0) && it.mode() & 0o002 == 0)
}

/// The policy that the system's settings name.
fn named(context: &Context) -> anyhow::Result<Option<NamedPolicy>> {
    context.paths.policy().map_err(|finding| {
        let place = finding.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let hint = finding.help.clone().unwrap_or_else(|| "correct the file".to_owned());
        Hinted::new(format!("{}{}", escape_line(&place), escape_line(&finding.message)), hint).into()
    })
}

fn named_or_fail(context: &Context) -> anyhow::Result<NamedPolicy> {
    named(context)?.ok_or_else(|| {
        let files: Vec<String> =
            context.paths.system.iter().map(|file| format!("`{}`", file.display())).collect();
        let hint = "add \"policy\": { \"url\": \"…\", \"keys\": [\"…\"], \"audience\": \"…\" }";
        Hinted::new(format!("no policy is named in {}", files.join(" or ")), hint).into()
    })
}

fn pull(args: &PullArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let policy = named_or_fail(context)?;
    if policy.folder.roots_only() && !rustix::process::geteuid().is_root() {
        return fail("only root may put a policy in force", "run it with sudo");
    }
    let Some(from) = args.from.as_deref().or(policy.terms.url.as_deref()) else {
        return fail("the settings name no `policy.url`", "name a URL or a file on the command line");
    };
    let last = policy.folder.last_pull();
    // The server's word counts only for the same address, and only while there is a good document.
    let is_usable = policy.folder.load(&policy.terms).is_ok() && last.from.as_deref() == Some(from);
    let fetched = fetch::fetch(from, last.etag.as_deref().filter(|_| is_usable))?;
    let now = Timestamp::now();
    let shown = escape_line(from);
    let Fetched::Document { bytes, signature, etag } = fetched else {
        policy.folder.remember(&LastPull { time: Some(now), ..last })?;
        printer.message(format_args!("the policy has not changed ({shown})"));
        return Ok(ExitStatus::Success);
    };
    let keeps = "the last good policy stays in force";
    let document = Document::verify(bytes, &signature, &policy.terms)
        .and_then(|document| document.check_issued(now).map(|()| document))
        .map_err(|error| Hinted::new(format!("the policy from {shown} is not used: {error}"), keeps))?;
    let pull = LastPull { time: Some(now), from: Some(from.to_owned()), etag };
    let installed = policy
        .folder
        .install(&document, &policy.terms, &pull)
        .map_err(|error| Hinted::new(format!("the policy from {shown} is not used: {error}"), keeps))?;
    let version = document.version;
    match installed {
        Installed::New => {
            printer.message(format_args!("version {version} of the policy is in force ({shown})"));
        }
        Installed::Same => {
            printer.message(format_args!("version {version} of the policy is in force already ({shown})"));
        }
    }
    if let Expiry::ExpiredAt(moment) = document.expiry(now, None) {
        printer.message(format_args!("warning: it expired at {moment}"));
    }
    Ok(ExitStatus::Success)
}

/// The state of a policy, in the word that programs read.
fn state(policy: &NamedPolicy, loaded: &Result<CurrentPolicy, FolderError>) -> &'static str {
    match loaded {
        Ok(current) => match current.document.expiry(Timestamp::now(), current.last_pull.time) {
            Expiry::Current => "in force",
            Expiry::ExpiredAt(_) if policy.terms.on_expired == OnExpired::Block => "expired, blocking",
            Expiry::ExpiredAt(_) => "expired",
        },
        Err(FolderError::Missing(_)) => "missing",
        Err(_) => "unusable",
    }
}

fn status(args: &PolicyStatusArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let Some(policy) = named(context)? else {
        match args.format {
            Format::Json => printer.json_pretty(&json!({ "state": "none" }))?,
            Format::Text => printer.data("no policy is named in the system's settings")?,
        }
        return Ok(ExitStatus::Success);
    };
    let loaded = policy.folder.load(&policy.terms);
    let state = state(&policy, &loaded);
    let document = loaded.as_ref().ok().map(|current| &current.document);
    let why = loaded.as_ref().err().map(ToString::to_string);
    let pulled = policy.folder.last_pull().time;
    if args.format == Format::Json {
        printer.json_pretty(&json!({
            "state": state,
            "file": policy.file,
            "audience": policy.terms.audience,
            "version": document.map(|document| document.version),
            "issued": document.map(|document| document.issued),
            "expires": document.map(|document| document.expires),
            "folder": policy.folder.path(),
            "url": policy.terms.url,
            "pulled": pulled,
            "why": why,
        }))?;
    } else {
        let mut row =
            |name: &str, value: String| printer.data(format_args!("{name:9} {}", escape_line(&value)));
        row("policy", state.to_owned())?;
        if let Some(document) = document {
            row("version", document.version.to_string())?;
            row("issued", document.issued.to_string())?;
            row("expires", document.expires.to_string())?;
        }
        row("audience", policy.terms.audience.clone())?;
        row("named in", policy.file.display().to_string())?;
        row("kept in", policy.folder.path().display().to_string())?;
        row("url", policy.terms.url.clone().unwrap_or_else(|| "none".to_owned()))?;
        row("pulled", pulled.map_or_else(|| "never".to_owned(), |time| time.to_string()))?;
        if let Some(why) = why {
            row("why", why)?;
        }
        for index in &policy.terms.unreadable_keys {
            printer.message(format_args!("warning: `policy.keys[{index}]` is not a minisign public key"));
        }
    }
    Ok(if state == "in force" { ExitStatus::Success } else { ExitStatus::Failure })
}

fn verify(args: &VerifyArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let terms = match &args.audience {
        Some(audience) => {
            let keys: Vec<&str> = args.key.iter().map(String::as_str).collect();
            PolicyTerms::of_keys(&keys, audience).map_err(|_| {
                Hinted::new("no `--key` is a minisign public key", "give the second line of `minisign.pub`")
            })?
        }
        None => named_or_fail(context)?.terms,
    };
    let file = Path::new(&args.file);
    let (bytes, signature) = fetch::read_files(file)?;
    match Document::verify(bytes, &signature, &terms) {
        Ok(document) => {
            printer.data(format_args!(
                "{}: good; version {}, for {}, issued {}, expires {}, {}",
                escape_line(&file.display().to_string()),
                document.version,
                escape_line(&terms.audience),
                document.issued,
                document.expires,
                counted(document.files.len() as u64, "file"),
            ))?;
            Ok(ExitStatus::Success)
        }
        Err(error) => {
            printer.message(format_args!("{}: {error}", escape_line(&file.display().to_string())));
            Ok(ExitStatus::Failure)
        }
    }
}
