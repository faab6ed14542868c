//! Variables that a project puts into the environment of its agents, and so of hookrail and of hooks.
//!
//! Agents load `.env` files and the `env` object of their settings. What acts on hookrail's decisions is ignored there,
//! and hooks do not inherit what makes programs run something else; but a loader's variables act on the agent itself, on
//! its shell and on hookrail before any of them can look.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookrail::components::is_withheld;
use hookrail::settings::jsonc::PARSE_OPTIONS;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, parse_to_ast};

use super::{DoctorReport, RowState};
use crate::context::Context;
use crate::display::{home, shown};
use crate::plain_file;

/// In the project, in each folder above it and in the home directory: agents search upwards.
const DOTENV: [&str; 7] =
    [".env", ".env.local", ".gemini/.env", ".qwen/.env", ".llxprt/.env", ".claude/.env", ".codex/.env"];
/// In the project and in the home directory.
const SETTINGS: [&str; 7] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".llxprt/settings.json",
    ".copilot/config.json",
    ".codex/config.toml",
];

/// Looks at every file from which an agent takes variables, and names each line that sets one that matters.
pub(super) fn look(context: &Context, report: &mut DoctorReport) {
    let before = report.findings.len();
    let project = context.project();
    let mut files: Vec<PathBuf> = SETTINGS.iter().map(|name| project.join(name)).collect();
    for folder in project.ancestors().chain(home(context)) {
        files.extend(DOTENV.iter().map(|name| folder.join(name)));
    }
    files.extend(home(context).into_iter().flat_map(|home| SETTINGS.iter().map(|name| home.join(name))));
    let mut seen = Vec::new();
    for file in files {
        if seen.contains(&file) {
            continue;
        }
        if let Ok(bytes) = plain_file::read(&file) {
            for (line, name) in set_in(&file, &String::from_utf8_lossy(&bytes)) {
                add(&file, line, &name, context, report);
            }
        }
        seen.push(file);
    }
    if report.findings.len() == before {
        report.ok(
            "environment",
            "no file from which agents take variables sets one that acts on hookrail or hooks",
        );
    }
}

fn add(file: &Path, line: usize, name: &str, context: &Context, report: &mut DoctorReport) {
    let place = format!("`{}:{line}` sets `{name}`", shown(file, context));
    let starts = |start: &str| name.starts_with(start);
    let (state, effect) = if starts("HOOKRAIL_") {
        (
            RowState::Warning,
            "which the bridge ignores, and which moves the settings of every other program of hookrail",
        )
    } else if starts("LD_") || starts("DYLD_") || name == "GCONV_PATH" {
        (
            RowState::Warning,
            "which loads code into the agent's programs, hookrail included, before they start to work",
        )
    } else if ["HOME", "PATH"].contains(&name) {
        (RowState::Warning, "by which the agent finds other programs and settings; hookrail takes its own")
    } else if starts("BASH") || ["ENV", "SHELLOPTS", "PS4"].contains(&name) {
        (
            RowState::Warning,
            "which shells act on, the one that calls hookrail included; hooks do not inherit it",
        )
    } else {
        (RowState::Note, "which makes programs load or run something else; hooks do not inherit it")
    };
    let help = "if you do not know why it is there, remove the line before you start an agent here";
    report.add(state, "environment", format!("{place}, {effect}"), help);
}

/// Whether a variable acts on hookrail, on hooks, or on what is between them and the agent.
fn matters(name: &str) -> bool {
    name.starts_with("HOOKRAIL_") || ["HOME", "PATH"].contains(&name) || is_withheld(OsStr::new(name))
}

/// The variables that matter, with the lines that set them.
fn set_in(file: &Path, text: &str) -> Vec<(usize, String)> {
    let found = match file.extension().and_then(OsStr::to_str) {
        Some("json") => in_env_object(text),
        Some("toml") => in_assignments(text),
        _ => in_dotenv(text),
    };
    found.into_iter().filter(|(_, name)| matters(name)).collect()
}

/// `NAME=value`, also with `export` before it and with white space around it.
fn in_dotenv(text: &str) -> Vec<(usize, String)> {
    let name = |line: &str| {
        let line = line.trim_start_matches('\u{feff}').trim_start();
        let line =
            line.strip_prefix("export").filter(|rest| rest.starts_with(char::is_whitespace)).unwrap_or(line);
        let (name, _) = line.split_once(['=', ':'])?;
        Some(name.trim().trim_matches(['"', '\'']).to_owned())
    };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim_start().starts_with('#'));
    lines.filter_map(|(line, number)| Some((number, name(line)?))).collect()
}

/// Every word before an equals sign: Codex's settings hold variables in more than one form.
fn in_assignments(text: &str) -> Vec<(usize, String)> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (place, _) in line.match_indices('=') {
            let before = line.get(..place).unwrap_or_default().trim_end().trim_end_matches(['"', '\'']);
            let start = before.rfind(|sign| !is_part(sign)).map_or(0, |sign| sign + 1);
            found.extend(before.get(start..).map(|name| (index + 1, name.to_owned())));
        }
    }
    found
}

/// The names in the `env` object of an agent's settings.
fn in_env_object(text: &str) -> Vec<(usize, String)> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &PARSE_OPTIONS).ok();
    let Some(Value::Object(root)) = parsed.as_ref().and_then(|parsed| parsed.value.as_ref()) else {
        return Vec::new();
    };
    let objects = root.properties.iter().filter(|property| property.name.as_str() == "env");
    let objects = objects.filter_map(|property| property.value.as_object());
    let line = |offset: usize| 1 + text.get(..offset).unwrap_or_default().matches('\n').count();
    objects
        .flat_map(|object| &object.properties)
        .map(|property| (line(property.range().start), property.name.as_str().to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_with_their_lines() {
        for (file, text, expected) in [
            (".env", "A=1\nHOOKRAIL_BRIDGE=1\n", &[(2, "HOOKRAIL_BRIDGE")][..]),
            (".env", "# LD_PRELOAD=x\r\n export LD_PRELOAD = ./x.so\r\n", &[(2, "LD_PRELOAD")]),
            (".env", "\u{feff}BASH_ENV=x\rPATH: y", &[(1, "BASH_ENV"), (2, "PATH")]),
            (".env", "exported=1\nHOMEPAGE=2\nGITHUB=3\n\n", &[]),
            (".env", "BASH_FUNC_ls%%='() { :; }'", &[(1, "BASH_FUNC_ls%%")]),
            (
                "settings.json",
                "{\n  // x\n  \"env\": {\n \"A\": 1,\n\"LD_AUDIT\": \"x\" } }",
                &[(5, "LD_AUDIT")],
            ),
            ("settings.json", "{ \"LD_AUDIT\": 1, \"env\": [] }", &[]),
            ("settings.json", "{ \"env\": { \"LD_AUDIT\"", &[]),
            (
                "config.toml",
                "[shell_environment_policy]\nset = { \"LD_PRELOAD\" = \"x\" }\n",
                &[(2, "LD_PRELOAD")],
            ),
            ("config.toml", "model = \"x\"\n\nNODE_OPTIONS = 'y'\n", &[(3, "NODE_OPTIONS")]),
        ] {
            let found = set_in(Path::new(file), text);
            let found: Vec<(usize, &str)> = found.iter().map(|(line, name)| (*line, name.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
