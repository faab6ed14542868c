//! `hookrail policy make`: settings and files become one document.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::Context as _;
use hookrail::Severity;
use hookrail::settings::{Settings, SourceText};
use hookrail_policy::{Draft, PolicyFile, parse_moment};
use jiff::Timestamp;

use crate::cli::MakeArgs;
use crate::exit::{ExitStatus, Hinted, fail};
use crate::plain_file;
use crate::terminal::printer::{Printer, escape_line};

pub(super) fn run(args: &MakeArgs, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let shown = args.settings.display();
    let text = plain_file::read_text(&args.settings).with_context(|| format!("cannot read `{shown}`"))?;
    let root = SourceText::of_file(&args.settings, &text).parse().map_err(|finding| {
        let place = finding.place.as_ref().map(ToString::to_string).unwrap_or_default();
        Hinted::new(
            format!("{}: {}", escape_line(&place), finding.message),
            "settings are JSON, with comments",
        )
    })?;
    let value: serde_json::Value = jsonc_parser::ast::Value::Object(root).into();
    // What is wrong would be wrong on every machine.
    let settings = Settings::from_value("/", &value);
    let errors = settings.diagnostics.iter().filter(|finding| finding.severity == Severity::Error);
    let errors: Vec<String> = errors.map(|finding| escape_line(&finding.message)).collect();
    if !errors.is_empty() {
        let hint = "`hookrail check` shows the same with places, for settings of your own";
        return fail(format!("`{shown}` has errors: {}", errors.join("; ")), hint);
    }
    if settings.hooks.is_empty() {
        printer.message(format_args!("warning: `{shown}` has no hooks"));
    }
    let Some(expires) = parse_moment(&args.expires) else {
        let hint = "write a day such as 2027-03-31, or a time such as 2027-03-31T12:00:00Z";
        return fail(format!("`{}` is not a date", escape_line(&args.expires)), hint);
    };
    let mut files = BTreeMap::new();
    for entry in &args.file {
        let Some((name, path)) = entry.split_once('=') else {
            return fail(format!("`--file {}` has no `=`", escape_line(entry)), "write --file NAME=PATH");
        };
        let content = plain_file::read(Path::new(path)).with_context(|| format!("cannot read `{path}`"))?;
        let is_executable = fs::metadata(path)?.permissions().mode() & 0o100 != 0;
        files
            .insert(name.to_owned(), PolicyFile { mode: if is_executable { 0o755 } else { 0o644 }, content });
    }
    let draft = Draft {
        audience: args.audience.clone(),
        version: args.version,
        issued: Timestamp::now(),
        expires,
        settings: serde_json::to_string_pretty(&value)?,
        files,
    };
    let output = args.output.display();
    fs::write(&args.output, draft.to_bytes()?).with_context(|| format!("cannot write `{output}`"))?;
    printer.message(format_args!("wrote `{output}`; sign it with `minisign -S -m {output}`"));
    Ok(ExitStatus::Success)
}
