//! `hookrail init`: a starter script, its settings entry and its approval.
//!
//! What is written runs at once: the script is executable, the entry is in the settings, hooks are turned on if they
//! were off, and what was just written is approved. Anything else in the project still waits for `hookrail trust`.

mod approve;
mod first_test;
mod kits;
mod rule;
mod starters;

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use hookrail::EventName;
use hookrail::approvals::{FileContent, Pending};
use hookrail::components::Level;
use hookrail::settings::AgentEvents;
use hookrail::settings::ResolvedSettings;
use hookrail_shell::quote;
use serde_json::{Value, json};

use self::kits::Kit;
use self::starters::Starter;
use crate::cli::{InitArgs, Language, hook_name};
use crate::context::{Context, refuse_inside_agent};
use crate::display::{is_home, shown};
use crate::exit::{ExitStatus, Hinted, fail};
use crate::findings::{self, Off};
use crate::settings_file::{self, edit};
use crate::terminal::printer::{Printer, escape_line};
use crate::terminal::screen;

/// An agent must not call it: a model that writes and approves its own hooks would have no guard at all.
pub(crate) fn run(args: &InitArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    refuse_inside_agent("hooks and their approvals")?;
    if args.rule {
        return rule::run(args, context, printer);
    }
    let starter = Starter::of(args.event);
    let kit = Kit::of(args)?;
    let mut target = TargetFile::new(args, context)?;
    if let Some(kit) = kit {
        target.extension = kit.extension();
    }
    let target = target;
    let before = context.settings();
    for line in findings::lines_about_files(&before, context) {
        printer.message(line.text);
    }
    let hooks = before.hook_list();
    let settings_waited = approve::settings_wait(&before, context);

    let script = match kit {
        Some(kit) => kit.script.to_owned(),
        None => starter.script(args.lang),
    };
    let mut written = None;
    let hook = match wanted_name(args, &starter, printer)? {
        Some(name) => target.named(&name, &hooks)?,
        None => target.free_name(starter.name, &hooks)?,
    };
    let mut entry =
        json!({ "type": "command", "command": hook.command, "name": hook.name, "timeout": 10_000 });
    if let (Some(_), Some(fields)) = (kit, entry.as_object_mut()) {
        fields.insert("worker".to_owned(), true.into());
    }
    let added = target.add((args.event, starter.matcher()), &entry, &before, context, || {
        if let Some(kit) = kit {
            kit.write(&target.scripts)?;
        }
        write_script(&hook.script, &script)?;
        written = Some(&hook.script);
        Ok(())
    });
    let flag_file = added.inspect_err(|_| {
        if let Some(script) = written {
            // A script that no settings name would only be in the way of the next attempt.
            let _ = fs::remove_file(script);
        }
    })?;
    printer.data(format_args!("wrote {}", shown(&hook.script, context)))?;
    printer.data(format_args!(
        "added the {} hook `{}` to {}",
        args.event,
        hook.name,
        shown(&target.settings, context)
    ))?;
    if let Some(file) = flag_file {
        turn_on(&file, context, printer)?;
    }
    if !target.is_users {
        let own_text = FileContent::Text { text: script.clone() };
        let is_written_here = |pending: &Pending| {
            pending.hook.command() == hook.command
                && pending.files.iter().all(|file| file.content() == own_text)
        };
        approve::approve(&hook.name, is_written_here, settings_waited, context, printer)?;
        first_test::write(&hook.name, &first_test::of_starter(args.event, &hook.name), context, printer)?;
    }
    print_next_steps(args.event, &target, context, printer)?;
    Ok(ExitStatus::Success)
}

/// Where the hook goes.
/// Scripts are beside the settings that name them, in `hooks/`.
struct TargetFile {
    /// The file that gets the entry.
    settings: PathBuf,
    scripts: PathBuf,
    /// Whether the hook is the user's, which needs no approval and runs in every project.
    is_users: bool,
    extension: &'static str,
}

/// A name that is still free, with what follows from it.
/// The script has the hook's name, so that a person finds one by the other.
struct NewHook {
    name: String,
    script: PathBuf,
    command: String,
}

impl TargetFile {
    /// Where settings and script go for these arguments. It writes nothing.
    fn new(args: &InitArgs, context: &Context) -> anyhow::Result<Self> {
        let project = context.paths.project_file();
        let user = context.paths.user_file();
        // In the home directory the one settings file is the user's, and its hooks run in every project.
        let is_users = args.user || is_home(context.project(), context);
        let settings = if is_users {
            user.ok_or_else(|| Hinted::new("there is no home directory", "set HOME, or leave --user out"))?
        } else {
            project
        };
        let scripts = settings.parent().unwrap_or(Path::new("")).join("hooks");
        let extension = match args.lang {
            Language::Sh => "sh",
            Language::Python => "py",
            Language::Node => "js",
        };
        Ok(Self { settings, scripts, is_users, extension })
    }

    /// The file whose enable flag counts for the hook's level; for a new flag, the file that new entries go to.
    fn flag_file(&self, settings: &ResolvedSettings) -> PathBuf {
        let level = if self.is_users { Level::User } else { Level::Project };
        settings.flag_file(&level).map_or_else(|| self.settings.clone(), Path::to_owned)
    }

    /// Adds an entry for an event and a matcher to the settings, after `before_write`. Where hooks are off, the answer is the
    /// file that has to turn them on; if it is the same one, that is done with it.
    fn add(
        &self,
        (event, matcher): (EventName, Option<&str>),
        entry: &Value,
        settings: &ResolvedSettings,
        context: &Context,
        before_write: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<Option<PathBuf>> {
        let flag_file = self.flag_file(settings);
        let is_on = settings.activation.is_on();
        let edit = |text: &str| {
            let text = edit::add_hook(text, event, matcher, false, entry)?;
            if is_on || flag_file != self.settings { Ok(text) } else { edit::set_enable_hooks(&text, true) }
        };
        settings_file::change(&self.settings, context, edit, before_write)?;
        Ok((!is_on).then_some(flag_file))
    }

    /// The first name that neither a hook nor a file has: the given one, or the given one with a number.
    /// After 999 of them it gives up: it is probably run in a loop.
    fn free_name(&self, name: &str, hooks: &[hookrail::Hook]) -> anyhow::Result<NewHook> {
        for number in 1..1000 {
            let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
            if let Ok(hook) = self.named(&name, hooks) {
                return Ok(hook);
            }
        }
        fail(
            format!("`{}` has too many hooks named `{name}` already", self.scripts.display()),
            "choose another name with `--name`",
        )
    }

    /// A hook of this name, if neither a hook nor a file has it.
    /// A name that was asked for is not changed: it is taken or refused.
    fn named(&self, name: &str, hooks: &[hookrail::Hook]) -> anyhow::Result<NewHook> {
        let script = self.scripts.join(format!("{name}.{}", self.extension));
        let taken = if hooks.iter().any(|hook| hook.name == name) {
            Some(format!("there is a hook named `{name}`"))
        } else if fs::symlink_metadata(&script).is_ok() {
            Some(format!("there is a file `{}`", script.display()))
        } else {
            None
        };
        if let Some(taken) = taken {
            return fail(taken, "choose another name with `--name`");
        }
        Ok(NewHook { name: name.to_owned(), command: self.command(&script)?, script })
    }

    /// How settings name the script.
    /// A project's command uses the variable that every hook is given, because the project may be anywhere; a user's
    /// command has a fixed path.
    fn command(&self, script: &Path) -> anyhow::Result<String> {
        let name = script.file_name().unwrap_or_default().to_string_lossy();
        if !self.is_users {
            return Ok(format!("\"$HOOKRAIL_PROJECT_DIR\"/.hookrail/hooks/{name}"));
        }
        let expected = std::env::var_os("HOME").map(|home| Path::new(&home).join(".hookrail/hooks"));
        if expected.as_deref() == Some(self.scripts.as_path()) {
            return Ok(format!("~/.hookrail/hooks/{name}"));
        }
        // `HOOKRAIL_HOME` is not what the shell means by `~`.
        let path = script.to_str().context("the home directory's name is not UTF-8")?;
        Ok(quote(path))
    }
}

/// The name for the hook, if one was given or can be asked for.
/// On a terminal the person is asked, and Enter takes the proposed name. Elsewhere the proposed name is taken.
fn wanted_name(args: &InitArgs, starter: &Starter, printer: &mut Printer) -> anyhow::Result<Option<String>> {
    if args.name.is_some() || !screen::can_ask() {
        return Ok(args.name.clone());
    }
    let question = format!("Name of the hook, which {} [{}] ", starter.does(), starter.name);
    let answer = printer.ask(&question).context("cannot read the name")?;
    let Some(name) = answer.filter(|name| !name.is_empty()) else { return Ok(None) };
    let checked = hook_name(&name);
    checked.map(Some).map_err(|why| Hinted::new(format!("`{name}` cannot be a hook's name"), why).into())
}

/// Writes a script where no file is; an existing one is never touched.
/// Its folder is made, and the script can be executed.
fn write_script(script: &Path, text: &str) -> anyhow::Result<()> {
    let folder = script.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let file = OpenOptions::new().write(true).create_new(true).mode(0o755).open(script);
    let write = file.and_then(|mut file| file.write_all(text.as_bytes()));
    write.with_context(|| format!("cannot write `{}`", script.display()))
}

/// Turns hooks on, where that is not done yet, and prints it: it concerns every other hook of the level too.
fn turn_on(flag_file: &Path, context: &Context, printer: &mut Printer) -> anyhow::Result<()> {
    settings_file::change(flag_file, context, |text| edit::set_enable_hooks(text, true), || Ok(()))?;
    printer
        .data(format_args!("turned hooks on: `\"enableHooks\": true` in {}", shown(flag_file, context)))?;
    Ok(())
}

/// What to type next. If hooks stay off although they were just turned on, another file turns them off, and that is printed
/// first.
fn print_next_steps(
    event: EventName,
    target: &TargetFile,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let settings = context.settings();
    if let Some(Off { why, help }) = findings::why_off(&settings, context) {
        printer.message(format_args!("warning: {why}"));
        printer.message(format_args!("hint: {help}"));
    }
    let elsewhere = std::env::current_dir().is_ok_and(|current| current != context.project());
    let directory = match context.project().to_str() {
        Some(project) if elsewhere => format!(" -C {}", quote(project)),
        _ => String::new(),
    };
    let directory = escape_line(&directory);
    printer.data("\nTry it:")?;
    printer.data(format_args!("  hookrail{directory} fire {event}"))?;
    if event == EventName::BeforeTool {
        let write = r#"--tool write_file --input '{"file_path":".env","content":"KEY=1"}'"#;
        printer.data("See it block:")?;
        printer.data(format_args!("  hookrail{directory} fire {event} {write}"))?;
    }
    let asks = matches!(event, EventName::SessionStart | EventName::BeforeAgent | EventName::AfterAgent);
    if asks && settings.agent_events() == AgentEvents::Observe {
        // Unlike here, the default is to apply them.
        let others = if settings.agent_events_or(AgentEvents::Apply) == AgentEvents::Apply {
            "; agents connected with `hookrail connect` need nothing"
        } else {
            ""
        };
        printer.data(format_args!(
            "\n`hookrail agent` applies the answers of {event} hooks only with this in the settings{others}:"
        ))?;
        printer.data("  \"hooksConfig\": { \"agentEvents\": \"apply\" }")?;
    }
    let schema = shown(&target.settings.with_file_name("settings.schema.json"), context);
    printer.data(format_args!(
        "\nTo have your editor check and complete the settings:\n  hookrail schema settings > {schema}\n\
         and put `\"$schema\": \"./settings.schema.json\"` first in {}, or tell VS Code with `json.schemas`.",
        shown(&target.settings, context)
    ))
}
