//! `python3 -c` and `python3 -m`: both look for modules in the folder that they run in first, which is the project.
//!
//! A guard of the user that imports `json` would run a `json.py` that an agent wrote into the project. That is reported
//! also where no such file is there yet.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookrail::components::Level;
use hookrail::{DiagnosticCode, Hook};
use hookrail_shell::is_python;

use super::finding::Finding;

/// What is wrong with a Python command of the user, the system or an extension, by its known words. A project's own
/// commands are reviewed with the project.
pub(super) fn problem(hook: &Hook, words: &[String], project: &Path) -> Option<Finding> {
    let (program, options) = words.split_first()?;
    let name = program.rsplit('/').next().unwrap_or_default();
    if !is_python(program) || hook.origin.level == Level::Project {
        return None;
    }
    let (imports, option) = imports(options)?;
    let help = format!("write `{name} -I {option} …`, which does not load modules from the project");
    if let Some(file) = imports.iter().find_map(|module| shadowing(module, project)) {
        let message =
            format!("`{}` of the project is run by this command in place of the module", file.display());
        return Some(Finding::error(DiagnosticCode::PythonShadowedImport, message, help));
    }
    let message = format!("`{name} {option}` takes modules from the project before all others");
    Some(Finding::warning(DiagnosticCode::PythonImportsFromProject, message, help))
}

/// The modules that a command imports, as far as its text shows, and the option that makes the project count; `None`
/// where it does not.
/// `-I` and `-P` make Python ignore the folder. Options end at the first word that is not one.
fn imports(options: &[String]) -> Option<(BTreeSet<String>, &'static str)> {
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        for (at, letter) in letters.char_indices() {
            let value = || {
                let glued = letters.get(at + 1..).unwrap_or_default();
                if glued.is_empty() {
                    rest.clone().next().cloned().unwrap_or_default()
                } else {
                    glued.to_owned()
                }
            };
            match letter {
                'I' | 'P' => return None,
                'm' => return Some((BTreeSet::from([top_level(&value())]), "-m")),
                'c' => return Some((imported(&value()), "-c")),
                // These take a value of their own.
                'W' | 'X' => {
                    if letters.len() == at + 1 {
                        rest.next();
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

/// The modules that a text names in `import` and `from` statements.
/// It reads line by line and does not recognise strings; a module too many leads at worst to a finding that names a
/// real file.
fn imported(code: &str) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for statement in code.split(['\n', ';']) {
        let statement = statement.trim();
        if let Some(names) = statement.strip_prefix("import ") {
            modules.extend(names.split(',').map(top_level));
        } else if let Some(rest) = statement.strip_prefix("from ") {
            modules.insert(top_level(rest));
        }
    }
    modules
}

/// `a` of `a.b as c`.
fn top_level(module: &str) -> String {
    let module = module.trim_start();
    module.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
}

/// The file of the project that is found in place of a module.
fn shadowing(module: &str, project: &Path) -> Option<PathBuf> {
    if module.is_empty() {
        return None;
    }
    let candidates = [format!("{module}/__init__.py"), format!("{module}.py"), format!("{module}.so")];
    candidates.into_iter().map(|name| project.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests;
