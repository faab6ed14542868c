//! One settings file of another agent: found, read, edited and replaced under a lock.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use hookrail::settings::LockedFile;
use hookrail_bridge::{
    Agent, ConnectOptions, Connection, EditError, EntryScope, SettingsEdit, SettingsFormat, SettingsPlace,
    bridge_entries, connection, uses_toml,
};

use super::show::Changed;
use super::{agents_home, place, program, record};
use crate::context::Context;
use crate::display::{home, shown};
use crate::exit::{Hinted, fail};
use crate::plain_file;

/// The file of an agent that holds, or would hold, the bridge.
/// The file belongs to another program, so it is changed as little as possible and never when it cannot be read.
pub(crate) struct AgentFile {
    pub(crate) agent: Agent,
    pub(crate) place: SettingsPlace,
    pub(crate) is_toml: bool,
    /// Whether it is the project's, which others may have written.
    pub(crate) is_project: bool,
}

impl AgentFile {
    /// Finds the file. An agent may have two, of which the one that holds hooks counts.
    pub(crate) fn find(agent: Agent, project: bool, context: &Context) -> anyhow::Result<Self> {
        // Without it the lock has no place either.
        if home(context).is_none() || (!project && agents_home(context).is_none()) {
            return fail("there is no home directory", "set HOME");
        }
        let title = agent.title();
        let mut place = place(agent, project, context).ok_or_else(|| {
            let hint = format!("`hookrail connect {agent}` connects it for you in all projects");
            Hinted::new(format!("{title} cannot be connected by a project's file"), hint)
        })?;
        let mut is_toml = place.format == SettingsFormat::Toml;
        if let Some(config) = place.toml.take() {
            let text = |path: &Path| load(path).ok().flatten();
            is_toml = uses_toml(text(&config).as_deref(), text(&place.path).as_deref());
            if is_toml {
                place.path = config;
            }
        }
        Ok(Self { agent, place, is_toml, is_project: project })
    }

    /// Its text; `None` where there is none.
    pub(crate) fn load(&self) -> anyhow::Result<Option<String>> {
        load(&self.place.path).with_context(|| format!("cannot read `{}`", self.place.path.display()))
    }

    /// What applies to the text of this file.
    pub(crate) fn options(&self) -> ConnectOptions {
        ConnectOptions { toml: self.is_toml, ..ConnectOptions::default() }
    }

    /// Calls something with the entries that belong into this file.
    pub(crate) fn with_scope<T>(
        &self,
        require: bool,
        context: &Context,
        work: impl FnOnce(EntryScope<'_>) -> T,
    ) -> T {
        if self.is_project {
            return work(EntryScope::Project { require });
        }
        let program = program::path(context);
        work(EntryScope::User { program: &program, home: &context.paths.home, file: &self.place.path })
    }

    /// To what extent a text of this file calls the bridge.
    pub(crate) fn connection(&self, text: &str, context: &Context) -> Result<Connection, EditError> {
        let with = |require: bool| {
            self.with_scope(require, context, |scope| connection(self.agent, text, scope, self.options()))
        };
        let first = with(false)?;
        if self.is_project && with(true)? == Connection::Full {
            return Ok(Connection::Full);
        }
        Ok(first)
    }

    /// Edits the file under a lock. Two programs at once lose nothing, and a file that cannot be read is not touched.
    /// `edit` may be called twice: before the lock, to see whether there is anything to write, and under it. What
    /// `connect` replaces is recorded for `disconnect`.
    pub(crate) fn change(
        &self,
        context: &Context,
        dry_run: bool,
        is_connecting: bool,
        edit: impl Fn(Option<&str>) -> Result<SettingsEdit, EditError>,
    ) -> anyhow::Result<Changed> {
        let path = &self.place.path;
        if dry_run {
            let before = self.load()?;
            let edited = edit(before.as_deref()).map_err(|error| self.unusable(&error, context))?;
            return Ok(Changed { before, edit: edited });
        }
        if !path.exists() {
            let edited = edit(None).map_err(|error| self.unusable(&error, context))?;
            if !edited.is_changed {
                return Ok(Changed { before: None, edit: edited }); // Nothing to write, so no folder to make.
            }
        }
        let folders: Vec<PathBuf> =
            path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        let locked = LockedFile::lock(path, &context.state_dir().join("connect.lock"))?;
        let before = load(locked.path()).with_context(|| format!("cannot read `{}`", path.display()))?;
        let edited = edit(before.as_deref()).map_err(|error| self.unusable(&error, context))?;
        if edited.is_changed {
            if is_connecting && let Some(text) = &edited.new_text {
                let entries = before.as_deref().map(|text| bridge_entries(self.agent, text, self.options()));
                let is_connected =
                    entries.is_some_and(|entries| entries.is_ok_and(|found| !found.is_empty()));
                record::remember(
                    self.agent.as_str(),
                    path,
                    (before.as_deref(), text),
                    is_connected,
                    folders,
                    context,
                )?;
            }
            match &edited.new_text {
                Some(text) => locked.replace(text.as_bytes(), 0o644)?,
                None => fs::remove_file(locked.path())
                    .with_context(|| format!("cannot remove `{}`", path.display()))?,
            }
        }
        if !is_connecting {
            record::forget(path, context)?;
        }
        Ok(Changed { before, edit: edited })
    }

    /// Why the file was left alone.
    pub(crate) fn unusable(&self, error: &EditError, context: &Context) -> anyhow::Error {
        let message = format!("`{}` was left alone: {error}", shown(&self.place.path, context));
        let hint = match error {
            EditError::Malformed { .. } => {
                format!("fix the file; {} would not read it either", self.agent.title())
            }
            EditError::NotOurs => "move that file away first".to_owned(),
            _ => "fix the file, then run this again".to_owned(),
        };
        Hinted::new(message, hint).into()
    }
}

/// A file that is not UTF-8 is an error and not an empty file.
pub(crate) fn load(path: &Path) -> io::Result<Option<String>> {
    match plain_file::read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
