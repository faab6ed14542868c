//! `hookrail enable` and `hookrail disable`: entries of the disabled lists.

use hookrail::{DisabledEntry, Hook, Level, Settings, edit};

use crate::cli::ToggleArgs;
use crate::context::Context;
use crate::exit::{ExitStatus, Hinted};
use crate::printer::{Printer, escape_line};
use crate::settings_file;
use crate::survey::{is_home, near_words, shown};

pub(crate) fn run(
    args: &ToggleArgs,
    enable: bool,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    // In the home directory the one settings file is the user's.
    let is_projects = args.project && !is_home(context.project(), context);
    let file = if is_projects {
        context.paths.project_file()
    } else {
        context
            .paths
            .user_file()
            .ok_or_else(|| Hinted::new("there is no home directory", "set HOME, or use --project"))?
    };
    let before = hookrail::load_settings(&context.paths);
    let level = if is_projects { Level::Project } else { Level::User };
    refuse_unknown(args, enable, &level, &before)?;

    let name = args.name.as_str();
    let entries = entries_for(name, &before);
    let mut entries: Vec<&str> = entries.iter().map(|entry| entry.name_or_command.as_str()).collect();
    if !enable || entries.is_empty() {
        entries = vec![name];
    }
    entries.dedup();
    let edit = |text: &str| {
        // A hook can be listed by its name and by its command; enabling takes back both.
        entries.iter().try_fold(text.to_owned(), |text, entry| edit::set_hook_disabled(&text, entry, !enable))
    };
    let changed = settings_file::change(&file, context, edit, || Ok(()))?;

    let (shown_name, shown_file) = (escape_line(name), shown(&file, context));
    printer.data(match (enable, changed) {
        (true, true) => format!("enabled `{shown_name}` in {shown_file}"),
        (false, true) => format!("disabled `{shown_name}` in {shown_file}"),
        (true, false) => format!("nothing to do: {shown_file} does not disable `{shown_name}`"),
        (false, false) => format!("nothing to do: {shown_file} already disables `{shown_name}`"),
    })?;
    if enable {
        warn_about_other_lists(name, context, printer);
    }
    Ok(ExitStatus::Success)
}

/// Lists that disable a hook of this name after all.
fn warn_about_other_lists(name: &str, context: &Context, printer: &mut Printer) {
    let after = hookrail::load_settings(&context.paths);
    for entry in entries_for(name, &after) {
        let (file, how) = match &entry.level {
            Level::Project => (
                context.paths.project_file(),
                format!("`hookrail enable --project {}` changes that", quoted(name)),
            ),
            Level::User => (
                context.paths.user_file().unwrap_or_default(),
                format!("`hookrail enable {}` changes that", quoted(name)),
            ),
            _ => (context.paths.system.clone(), "only its owner can change that".to_owned()),
        };
        printer.talk(format_args!(
            "warning: `{}` is still disabled by {}: its list names `{}`",
            escape_line(name),
            shown(&file, context),
            escape_line(&entry.name_or_command)
        ));
        printer.talk(format_args!("hint: {}", escape_line(&how)));
    }
}

/// The entries of all lists that disable a hook of this name.
fn entries_for<'s>(name: &str, settings: &'s Settings) -> Vec<&'s DisabledEntry> {
    let hooks: Vec<&Hook> = settings.hooks.iter().filter(|hook| goes_by(hook, name)).collect();
    let concerns = |entry: &DisabledEntry, hook: &Hook| {
        let reaches = matches!(entry.level, Level::User | Level::System) || entry.level == hook.origin.level;
        reaches && goes_by(hook, &entry.name_or_command)
    };
    settings
        .disabled
        .iter()
        .filter(|entry| hooks.iter().any(|hook| concerns(entry, hook)) || entry.name_or_command == name)
        .collect()
}

fn goes_by(hook: &Hook, name: &str) -> bool {
    !name.is_empty() && (hook.name == name || hook.command() == name)
}

/// A name that no hook has, and a list that would have no say, are mistakes.
fn refuse_unknown(args: &ToggleArgs, enable: bool, level: &Level, settings: &Settings) -> anyhow::Result<()> {
    let name = args.name.as_str();
    if enable && settings.disabled.iter().any(|entry| entry.name_or_command == name) {
        return Ok(()); // The entry of a hook that is gone can still be taken back.
    }
    let mut hooks = settings.hooks.iter().filter(|hook| goes_by(hook, name)).peekable();
    if hooks.peek().is_none() {
        let names: Vec<&str> =
            settings.hooks.iter().flat_map(|hook| [hook.name.as_str(), hook.command()]).collect();
        let near = near_words(name, names);
        let hint = if near.is_empty() {
            "`hookrail list` shows all hooks".to_owned()
        } else {
            let near: Vec<String> = near.into_iter().map(|near| format!("`{near}`")).collect();
            format!("did you mean {}?", near.join(" or "))
        };
        return Err(Hinted::new(format!("there is no hook `{name}`"), hint).into());
    }
    if *level == Level::Project && hooks.all(|hook| hook.origin.level != Level::Project) {
        let message = format!("`{name}` is not the project's: a project's list has no say over it");
        let verb = if enable { "enable" } else { "disable" };
        return Err(Hinted::new(message, format!("use `hookrail {verb} {}`", quoted(name))).into());
    }
    Ok(())
}

/// A name as one would type it.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:+@%=".contains(c);
    if !name.is_empty() && !name.starts_with('-') && name.chars().all(plain) {
        name.to_owned()
    } else {
        let dashes = if name.starts_with('-') { "-- " } else { "" };
        format!("{dashes}'{}'", name.replace('\'', "'\\''"))
    }
}
