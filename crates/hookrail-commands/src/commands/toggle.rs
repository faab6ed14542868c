//! `hookrail enable` and `hookrail disable`: entries of the disabled lists.
//!
//! A change holds where the hook that it names runs: for a project's hook in that project alone, in the user's own state;
//! for any other hook everywhere, in the user's settings. `--project` writes the list in the project's file instead.

use std::path::PathBuf;

use hookrail::Hook;
use hookrail::components::{DisabledEntry, DisabledList, Level};
use hookrail::settings::ResolvedSettings;

use crate::cli::ToggleArgs;
use crate::context::{Context, refuse_inside_agent};
use crate::display::{is_home, name_operand, near_words, shown};
use crate::exit::{ExitStatus, Hinted, fail};
use crate::settings_file::{self, edit};
use crate::terminal::printer::{Printer, escape_line};

/// An agent must not call it: it could turn its guards off. What was done is data on stdout; that
/// another list still disables the hook is a warning.
pub(crate) fn run(
    args: &ToggleArgs,
    enable: bool,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    refuse_inside_agent("which hooks are enabled")?;
    let before = context.settings();
    // In the home directory the one settings file is the user's.
    let in_project_file = args.project && !is_home(context.project(), context);
    refuse_unknown(args, enable, in_project_file, &before)?;
    for place in places(&args.name, enable, in_project_file, &before, context)? {
        let changed = place.change(&args.name, enable, &before, context)?;
        printer.data(place.confirmation(&args.name, enable, changed, context))?;
    }
    if enable {
        warn_about_other_lists(&args.name, context, printer);
    }
    Ok(ExitStatus::Success)
}

/// Where an entry is written or taken out.
/// The user's own state is for hooks of a project that the user cannot or does not want to change for others.
enum EntryPlace {
    /// The list in this settings file.
    File { file: PathBuf, list: DisabledList },
    /// The user's own state for this project.
    State,
}

/// The places that a change concerns.
/// Enabling also takes back entries elsewhere that the user owns, so that the hook really runs afterwards.
fn places(
    name: &str,
    enable: bool,
    in_project_file: bool,
    settings: &ResolvedSettings,
    context: &Context,
) -> anyhow::Result<Vec<EntryPlace>> {
    if in_project_file {
        let list = DisabledList::Settings(Level::Project);
        return Ok(in_files(name, enable, &list, context.paths.project_file(), settings));
    }
    let user_file = context
        .paths
        .user_file()
        .ok_or_else(|| Hinted::new("there is no home directory", "set HOME, or use --project"))?;
    let named: Vec<&Hook> = hooks_named(name, settings).collect();
    let is_projects = |hook: &&Hook| hook.origin.level == Level::Project;
    let listed = |list: &DisabledList| entries_for(name, settings).iter().any(|entry| entry.list == *list);
    let in_users_list = DisabledList::Settings(Level::User);
    let mut places = Vec::new();
    if named.iter().any(is_projects) || (enable && listed(&DisabledList::ForThisProject)) {
        places.push(EntryPlace::State);
    }
    if places.is_empty() || !named.iter().all(is_projects) || (enable && listed(&in_users_list)) {
        places.extend(in_files(name, enable, &in_users_list, user_file, settings));
    }
    Ok(places)
}

/// The files of a level that a change concerns: those whose lists name the hook; for a new entry, the file that new
/// entries go to.
fn in_files(
    name: &str,
    enable: bool,
    list: &DisabledList,
    for_new: PathBuf,
    settings: &ResolvedSettings,
) -> Vec<EntryPlace> {
    let entries = entries_for(name, settings).into_iter().filter(|entry| entry.list == *list);
    let entries = entries.filter(|entry| enable || entry.name_or_command == name);
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.file.clone()).collect();
    files.dedup();
    if files.is_empty() {
        files.push(for_new);
    }
    files.into_iter().map(|file| EntryPlace::File { file, list: list.clone() }).collect()
}

impl EntryPlace {
    /// Makes the change; whether anything is different afterwards.
    fn change(
        &self,
        name: &str,
        enable: bool,
        before: &ResolvedSettings,
        context: &Context,
    ) -> anyhow::Result<bool> {
        // A hook can be listed by its name and by its command; enabling takes back both.
        let listed = entries_for(name, before).into_iter().filter(|entry| entry.list == self.list());
        let mut entries: Vec<&str> = listed.map(|entry| entry.name_or_command.as_str()).collect();
        if !enable || entries.is_empty() {
            entries = vec![name];
        }
        entries.dedup();
        match self {
            Self::State => {
                let store = context.approvals();
                let mut changed = false;
                for entry in entries {
                    changed |= store.set_disabled(context.project(), entry, !enable)?;
                }
                Ok(changed)
            }
            Self::File { file, .. } => {
                let edit = |text: &str| {
                    entries.iter().try_fold(text.to_owned(), |text, entry| {
                        edit::set_hook_disabled(&text, entry, !enable)
                    })
                };
                settings_file::change(file, context, edit, || Ok(()))
            }
        }
    }

    /// The list as the engine names it.
    fn list(&self) -> DisabledList {
        match self {
            Self::File { list, .. } => list.clone(),
            Self::State => DisabledList::ForThisProject,
        }
    }

    /// The line that reports what was done, and for which projects it holds.
    fn confirmation(&self, name: &str, enable: bool, changed: bool, context: &Context) -> String {
        let name = escape_line(name);
        let (place, reach) = match self {
            Self::State => ("your own state".to_owned(), "in this project only"),
            Self::File { file, list: DisabledList::Settings(Level::Project) } => {
                (shown(file, context), "for all users of this project")
            }
            Self::File { file, .. } => (shown(file, context), "in all projects"),
        };
        match (enable, changed) {
            (true, true) => format!("enabled `{name}` {reach} ({place})"),
            (false, true) => format!("disabled `{name}` {reach} ({place})"),
            (true, false) => format!("nothing to do: {place} does not disable `{name}`"),
            (false, false) => format!("nothing to do: {place} already disables `{name}`"),
        }
    }
}

/// Lists that disable a hook of this name after all.
/// The settings are read again, so the warning is about what is in force now.
fn warn_about_other_lists(name: &str, context: &Context, printer: &mut Printer) {
    let after = context.settings();
    for entry in entries_for(name, &after) {
        let how = match &entry.list {
            DisabledList::Settings(Level::Project) => {
                format!("`hookrail enable --project {}` changes that", name_operand(name))
            }
            DisabledList::Settings(Level::User) | DisabledList::ForThisProject => {
                format!("`hookrail enable {}` changes that", name_operand(name))
            }
            DisabledList::Settings(_) => "only its owner can change that".to_owned(),
        };
        let place =
            entry.file.as_deref().map_or_else(|| "your own state".to_owned(), |file| shown(file, context));
        printer.message(format_args!(
            "warning: `{}` is still disabled by {place}: its list names `{}`",
            escape_line(name),
            escape_line(&entry.name_or_command)
        ));
        printer.message(format_args!("hint: {}", escape_line(&how)));
    }
}

/// Several hooks may go by one name.
fn hooks_named<'s>(name: &'s str, settings: &'s ResolvedSettings) -> impl Iterator<Item = &'s Hook> {
    settings.hooks.iter().map(|resolved| &*resolved.hook).filter(move |hook| goes_by(hook, name))
}

/// The entries of all lists that disable a hook of this name.
/// An entry counts also if its hook is gone.
fn entries_for<'s>(name: &'s str, settings: &'s ResolvedSettings) -> Vec<&'s DisabledEntry> {
    settings
        .disabled
        .iter()
        .filter(|entry| {
            hooks_named(name, settings).any(|hook| entry.disables(hook)) || entry.name_or_command == name
        })
        .collect()
}

/// A hook goes by its name, or by its command; without a name they are the same.
fn goes_by(hook: &Hook, name: &str) -> bool {
    !name.is_empty() && (hook.name == name || hook.command() == name)
}

/// A name that no hook has, and a list that would have no effect, are mistakes.
/// Without this check a typo would be written into a list, and the hook that was meant would go on running.
fn refuse_unknown(
    args: &ToggleArgs,
    enable: bool,
    in_project_file: bool,
    settings: &ResolvedSettings,
) -> anyhow::Result<()> {
    let name = args.name.as_str();
    if enable && settings.disabled.iter().any(|entry| entry.name_or_command == name) {
        return Ok(()); // The entry of a hook that is gone can still be taken back.
    }
    let mut hooks = hooks_named(name, settings).peekable();
    if hooks.peek().is_none() {
        let names: Vec<&str> = settings
            .hooks
            .iter()
            .flat_map(|resolved| [resolved.hook.name.as_str(), resolved.hook.command()])
            .collect();
        let near = near_words(name, names);
        let hint = if near.is_empty() {
            "`hookrail list` shows all hooks".to_owned()
        } else {
            let near: Vec<String> = near.into_iter().map(|near| format!("`{near}`")).collect();
            format!("did you mean {}?", near.join(" or "))
        };
        return fail(format!("there is no hook `{name}`"), hint);
    }
    if in_project_file && hooks.all(|hook| hook.origin.level != Level::Project) {
        let message = format!("`{name}` is not the project's: a project's list has no effect on it");
        let verb = if enable { "enable" } else { "disable" };
        return fail(message, format!("use `hookrail {verb} {}`", name_operand(name)));
    }
    Ok(())
}
