//! `hookrail init --worker`: a hook that is a function of the event, with the kit that makes it one.
//!
//! Kits are single files without dependencies, copied beside the hook, so that nothing has to be installed.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use hookrail::EventName;

use crate::cli::{InitArgs, Language};
use crate::exit::fail;
use crate::texts::TEXTS;

/// A kit for authors: the name of its file.
pub(super) struct Kit {
    name: &'static str,
    /// The hook that is written with it.
    pub(super) script: &'static str,
}

/// The same guard as the shell starter, so that the two can be compared.
const PYTHON: Kit = Kit { name: "hookrail_hook.py", script: include_str!("kits/guard.py") };

/// A module, because the kit is one.
const NODE: Kit = Kit { name: "hookrail_hook.mjs", script: include_str!("kits/guard.mjs") };

impl Kit {
    /// The kit that was asked for; `None` without `--worker`.
    pub(super) fn of(args: &InitArgs) -> anyhow::Result<Option<&'static Self>> {
        if !args.worker {
            return Ok(None);
        }
        if args.event != EventName::BeforeTool {
            let message = format!("there is no starter worker for {}", args.event);
            return fail(message, "leave the event out, and change the script to your needs");
        }
        match args.lang {
            Language::Python => Ok(Some(&PYTHON)),
            Language::Node => Ok(Some(&NODE)),
            Language::Sh => {
                fail("there is no kit for this language", "choose `--lang python` or `--lang node`")
            }
        }
    }

    /// How the names of its hooks end.
    pub(super) fn extension(&self) -> &'static str {
        if self.name == NODE.name { "mjs" } else { "py" }
    }

    /// Its text.
    fn text(&self) -> &'static str {
        TEXTS.get(self.name)
    }

    /// Puts the kit into a folder. The same file may be there already, another one is not touched.
    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let path = folder.join(self.name);
        match fs::read(&path) {
            Ok(text) if text == self.text().as_bytes() => return Ok(()),
            Ok(_) => {
                let message = format!("there is another file `{}`", path.display());
                return fail(message, "move it away, or write the hook without `--worker`");
            }
            Err(_) => {}
        }
        fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        fs::write(&path, self.text()).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kits_are_those_of_the_documentation() {
        let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/clients");
        for kit in [PYTHON, NODE] {
            assert_eq!(fs::read_to_string(clients.join(kit.name)).unwrap(), kit.text(), "{}", kit.name);
        }
    }
}
