//! The agents' programs: where they come from, and how each is run headless, offline and without questions.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::observed::Signs;

/// One agent's program.
///
/// It has everything that makes the program call the scripted model and nothing else. A program that still needs
/// the network fails or hangs offline, and then its cells show it.
pub(super) struct Program {
    /// As `hookrail connect` calls it, and as its executable is called.
    pub(super) name: &'static str,
    /// As its makers write it.
    pub(super) title: &'static str,
    /// On npm.
    pub(super) package: &'static str,
    /// The names under which it is given the model; the first one is the usual one. Which tools an agent offers may
    /// depend on the name.
    pub(super) models: &'static [&'static str],
    /// The command line behind the program, for a prompt and a model.
    pub(super) arguments: fn(&str, &str) -> Vec<String>,
    /// The command line behind the program for another prompt of the same session, where one is needed.
    pub(super) go_on: Option<fn(&str, &str) -> Vec<String>>,
    /// Variables, for the URL and the name of the model.
    pub(super) environment: fn(&str, &str) -> Vec<(&'static str, String)>,
    /// What makes it offer all of its tools at once instead of letting the model search for some.
    pub(super) all_tools: AllTools,
    /// The words by which it reports what it did.
    pub(super) signs: Signs,
    /// Writes the settings that point it at the model, for a home directory and the URL.
    pub(super) prepare: fn(&Path, &str) -> Result<()>,
}

/// How an agent is told to declare every tool in its first request.
#[derive(Debug, Clone, Copy)]
pub(super) enum AllTools {
    /// It always does.
    Always,
    /// With this variable.
    Variable(&'static str, &'static str),
    /// With this file in the project, and this text in it.
    ProjectFile(&'static str, &'static str),
}

/// All of them.
/// Permissions are switched off wherever the agent has a switch for it: a refusal that is seen comes from hookrail.
pub(super) const PROGRAMS: [Program; 6] = [
    Program {
        name: "claude",
        title: "Claude Code",
        package: "@anthropic-ai/claude-code",
        models: &[""],
        arguments: |prompt, _| words(&["-p", prompt, "--dangerously-skip-permissions"]),
        go_on: None,
        all_tools: AllTools::Variable("ENABLE_TOOL_SEARCH", "false"),
        environment: |url, _| {
            vec![
                ("ANTHROPIC_BASE_URL", url.to_owned()),
                ("ANTHROPIC_API_KEY", "fake".to_owned()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
                ("DISABLE_AUTOUPDATER", "1".to_owned()),
                // Else it refuses to skip permissions for root, as in containers.
                ("IS_SANDBOX", "1".to_owned()),
            ]
        },
        signs: Signs { stopped: Some("hook_stopped_continuation"), prompt_refused: None },
        prepare: |_, _| Ok(()),
    },
    Program {
        name: "codex",
        title: "Codex CLI",
        package: "@openai/codex",
        // A name that it does not know, one of its older and one of its newer models.
        models: &["scripted", "gpt-5.5", "gpt-6-sol"],
        arguments: |prompt, model| {
            words(&[
                "exec",
                "--model",
                model,
                "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox",
                "--dangerously-bypass-hook-trust",
                prompt,
            ])
        },
        go_on: None,
        all_tools: AllTools::Always,
        environment: |_, _| vec![("SCRIPTED_MODEL_KEY", "fake".to_owned())],
        signs: Signs { stopped: None, prompt_refused: Some("hook: UserPromptSubmit Blocked") },
        prepare: |home, url| {
            let config = format!(
                "model_provider = \"scripted\"\n\n\
                 [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{url}/v1\"\n\
                 env_key = \"SCRIPTED_MODEL_KEY\"\nwire_api = \"responses\"\n\n\
                 [features]\nplugins = false\napps = false\n"
            );
            write(&home.join(".codex/config.toml"), &config)
        },
    },
    Program {
        name: "gemini",
        title: "Gemini CLI",
        package: "@google/gemini-cli",
        // A model by name: otherwise it asks another model first which one to take.
        models: &["gemini-2.5-flash"],
        arguments: |prompt, model| words(&["-p", prompt, "--yolo", "--model", model]),
        go_on: None,
        all_tools: AllTools::Always,
        environment: |url, _| {
            vec![
                ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
                ("GEMINI_API_KEY", "fake".to_owned()),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
            ]
        },
        signs: Signs { stopped: Some("Agent execution stopped"), prompt_refused: None },
        prepare: |home, _| {
            let settings = json!({
                "security": { "auth": { "selectedType": "gemini-api-key" } },
                "privacy": { "usageStatisticsEnabled": false },
                "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
            });
            write_json(&home.join(".gemini/settings.json"), &settings)
        },
    },
    Program {
        name: "qwen",
        title: "Qwen Code",
        package: "@qwen-code/qwen-code",
        models: &["scripted"],
        arguments: |prompt, _| words(&["-p", prompt, "--yolo"]),
        go_on: None,
        all_tools: AllTools::ProjectFile(
            ".qwen/settings.json",
            "{ \"tools\": { \"toolSearch\": { \"threshold\": 100 } } }",
        ),
        environment: |url, model| {
            vec![
                ("OPENAI_BASE_URL", format!("{url}/v1")),
                ("OPENAI_API_KEY", "fake".to_owned()),
                ("OPENAI_MODEL", model.to_owned()),
            ]
        },
        signs: Signs { stopped: Some("execution_denied"), prompt_refused: None },
        prepare: |home, _| {
            let settings = json!({
                "security": { "auth": { "selectedType": "openai" } },
                "privacy": { "usageStatisticsEnabled": false },
                "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
            });
            write_json(&home.join(".qwen/settings.json"), &settings)
        },
    },
    Program {
        name: "copilot",
        title: "Copilot CLI",
        package: "@github/copilot",
        models: &["scripted", "gpt-5.3-codex"],
        arguments: |prompt, _| {
            words(&["-p", prompt, "--allow-all-tools", "--allow-all-paths", "--no-auto-update"])
        },
        go_on: None,
        all_tools: AllTools::Always,
        environment: |url, model| {
            vec![
                ("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1")),
                ("COPILOT_PROVIDER_TYPE", "openai".to_owned()),
                ("COPILOT_PROVIDER_API_KEY", "fake".to_owned()),
                ("COPILOT_MODEL", model.to_owned()),
                ("COPILOT_OFFLINE", "true".to_owned()),
            ]
        },
        signs: Signs { stopped: Some("denied-by-permission-request-hook"), prompt_refused: None },
        prepare: |_, _| Ok(()),
    },
    Program {
        name: "opencode",
        title: "opencode",
        package: "opencode-ai",
        models: &["scripted/scripted", "scripted/gpt-5"],
        arguments: |prompt, model| words(&["run", "--model", model, prompt]),
        go_on: Some(|prompt, model| words(&["run", "--continue", "--model", model, prompt])),
        all_tools: AllTools::Always,
        environment: |_, _| {
            vec![
                ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
            ]
        },
        signs: Signs { stopped: None, prompt_refused: None },
        prepare: |home, url| {
            let provider = json!({
                "npm": "@ai-sdk/openai-compatible",
                "options": { "baseURL": format!("{url}/v1"), "apiKey": "fake" },
                "models": {
                    "scripted": { "name": "scripted", "tool_call": true },
                    "gpt-5": { "name": "gpt-5", "tool_call": true },
                },
            });
            let settings = json!({
                "share": "disabled", "autoupdate": false,
                "permission": { "bash": "allow", "edit": "allow", "external_directory": "allow" },
                "provider": { "scripted": provider },
                "small_model": "scripted/scripted",
            });
            let folder = home.join(".config/opencode");
            // It installs its plugin library from npm into every folder with plugins, unless a lock file there names
            // the library. hookrail's plugin does not use it.
            let lock = json!({ "packages": { "": { "dependencies": { "@opencode-ai/plugin": "*" } } } });
            write_json(&folder.join("package-lock.json"), &lock)?;
            fs::create_dir_all(folder.join("node_modules"))?;
            write_json(&folder.join("opencode.json"), &settings)
        },
    },
];

/// Where the programs are kept: `HOOKRAIL_AGENTS`, else a folder of the user's cache.
pub(super) fn cache() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("HOOKRAIL_AGENTS") {
        return Ok(PathBuf::from(folder));
    }
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    Ok(cache.context("there is no home directory; set HOOKRAIL_AGENTS")?.join("hookrail/agents"))
}

/// The folder of the installed package.
pub(super) fn package(program: &Program) -> Result<PathBuf> {
    Ok(cache()?.join(program.name).join("node_modules").join(program.package))
}

/// The version that is installed.
/// It is read from the installed package; asking the program would start it once more, with whatever it does at a
/// start.
pub(super) fn version(program: &Program) -> Result<String> {
    let manifest: Value = serde_json::from_str(&fs::read_to_string(package(program)?.join("package.json"))?)?;
    Ok(manifest.get("version").and_then(Value::as_str).unwrap_or("?").to_owned())
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn write_json(file: &Path, value: &Value) -> Result<()> {
    write(file, &serde_json::to_string_pretty(value)?)
}

/// Writes a file and the folders above it.
pub(super) fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
