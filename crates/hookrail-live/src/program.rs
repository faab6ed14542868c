//! The agents' programs: where they come from, and how each is run headless, offline and without questions.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::model::Call;
use crate::observed::Signs;

/// One agent's program.
///
/// It has everything that makes the program call the scripted model and nothing else. A program that still needs
/// the network fails or hangs offline, and then its cells show it.
pub struct Program {
    /// As `hookrail connect` calls it, and as its executable is called.
    pub name: &'static str,
    /// As its makers write it.
    pub title: &'static str,
    /// On npm.
    pub package: &'static str,
    /// The names under which it is given the model; the first one is the usual one. Which tools an agent offers may
    /// depend on the name.
    pub(crate) models: &'static [&'static str],
    /// The command line behind the program, for a prompt and a model.
    pub(crate) arguments: fn(&str, &str) -> Vec<String>,
    /// The command line behind the program for another prompt of the same session, where one is needed.
    pub(crate) go_on: Option<fn(&str, &str) -> Vec<String>>,
    /// Variables, for the URL and the name of the model.
    pub(crate) environment: fn(&str, &str) -> Vec<(&'static str, String)>,
    /// What makes it offer all of its tools at once instead of letting the model search for some.
    pub(crate) all_tools: AllTools,
    /// What makes it offer tools that are off unless somebody switches them on, for the list of its tools.
    pub(crate) further_tools: Option<AllTools>,
    /// The words by which it reports what it did.
    pub(crate) signs: Signs,
    /// Writes the settings that point it at the model.
    pub(crate) prepare: fn(&Setup<'_>) -> Result<()>,
    /// How its model writes a file.
    pub(crate) write: fn(&Path, &str) -> Call,
    /// How its model runs a command by another tool than the shell.
    pub(crate) monitor: Option<fn(&str) -> Call>,
    /// How its model searches in a file by its name.
    pub(crate) search: Option<fn(&Path) -> Vec<Call>>,
    /// How its model calls the tool `leave_mark` of the MCP server `probe`; `None` if it has no MCP servers.
    pub(crate) mcp: fn() -> Option<Call>,
    /// How its model gives a task to a subagent.
    pub(crate) subagent: Option<fn(&str) -> Call>,
}

impl Program {
    /// The name of the model for a scenario. An agent may let a model that it knows search for some of its tools, and
    /// declare all of them to one that it does not know.
    pub(crate) fn model(&self, declares_all: bool) -> &'static str {
        let unknown = self.models.iter().find(|name| **name == "scripted").filter(|_| declares_all);
        unknown.or(self.models.first()).copied().unwrap_or_default()
    }
}

/// What an agent's settings are written for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup<'a> {
    /// The home directory.
    pub(crate) home: &'a Path,
    /// The URL of the model.
    pub(crate) url: &'a str,
    /// An MCP server that the agent is given: a script for `sh`.
    pub(crate) mcp: Option<&'a Path>,
}

impl Setup<'_> {
    /// The MCP server in the form that most agents share.
    fn mcp_servers(&self) -> Value {
        match self.mcp {
            Some(script) => json!({ "probe": { "command": "sh", "args": [script], "trust": true } }),
            None => json!({}),
        }
    }

    /// The same in TOML.
    fn mcp_table(&self) -> String {
        let table = |script: Value| format!("\n[mcp_servers.probe]\ncommand = \"sh\"\nargs = [{script}]\n");
        self.mcp.map(|script| table(json!(script))).unwrap_or_default()
    }
}

/// How an agent is told to declare every tool in its first request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AllTools {
    /// It always does.
    Always,
    /// With these variables.
    Variables(&'static [(&'static str, &'static str)]),
    /// With these words on its command line.
    Arguments(&'static [&'static str]),
    /// With this file in the project, and this text in it.
    ProjectFile(&'static str, &'static str),
}

/// All of them.
/// Permissions are switched off wherever the agent has a switch for it: a refusal that is seen comes from hookrail.
pub const PROGRAMS: [Program; 11] = [
    Program {
        name: "claude",
        title: "Claude Code",
        package: "@anthropic-ai/claude-code",
        models: &[""],
        arguments: |prompt, _| words(&["-p", prompt, "--dangerously-skip-permissions"]),
        go_on: None,
        all_tools: AllTools::Variables(&[("ENABLE_TOOL_SEARCH", "false")]),
        further_tools: None,
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
        prepare: |setup| {
            write_json(&setup.home.join(".claude.json"), &json!({ "mcpServers": setup.mcp_servers() }))
        },
        write: |file, text| Call::new("Write", json!({ "file_path": file, "content": text })),
        monitor: Some(|command| {
            Call::new(
                "Monitor",
                json!({ "command": command, "description": "as scripted", "timeout_ms": 5000 }),
            )
        }),
        search: Some(|file| vec![Call::new("Read", json!({ "file_path": file }))]),
        mcp: || Some(Call::new("leave_mark", json!({}))),
        subagent: Some(|prompt| {
            let kind = "general-purpose";
            Call::new(
                "Agent",
                json!({ "description": "a task", "prompt": prompt, "subagent_type": kind,
                "run_in_background": false }),
            )
        }),
    },
    Program {
        name: "codex",
        title: "Codex CLI",
        package: "@openai/codex",
        // One of its older models, which call tools, one of its newer models, which write scripts, and a name that it
        // does not know.
        models: &["gpt-5.5", "gpt-6-sol", "scripted"],
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
        further_tools: Some(AllTools::Arguments(CODEX_FEATURES)),
        environment: |_, _| vec![("SCRIPTED_MODEL_KEY", "fake".to_owned())],
        signs: Signs { stopped: None, prompt_refused: Some("hook: UserPromptSubmit Blocked") },
        prepare: |setup| {
            let url = setup.url;
            let mut config = format!(
                "model_provider = \"scripted\"\n\n\
                 [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{url}/v1\"\n\
                 env_key = \"SCRIPTED_MODEL_KEY\"\nwire_api = \"responses\"\n\n\
                 [features]\nplugins = false\napps = false\n"
            );
            config.push_str(&setup.mcp_table());
            write(&setup.home.join(".codex/config.toml"), &config)
        },
        write: |file, text| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let patch = format!("*** Begin Patch\n*** Add File: {name}\n+{text}\n*** End Patch");
            Call::new("apply_patch", json!({ "input": patch }))
        },
        monitor: None,
        search: None,
        mcp: || Some(Call::new("leave_mark", json!({}))),
        subagent: Some(|prompt| Call::new("spawn_agent", json!({ "message": prompt }))),
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
        further_tools: None,
        environment: |url, _| {
            vec![
                ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
                ("GEMINI_API_KEY", "fake".to_owned()),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
            ]
        },
        signs: Signs { stopped: Some("Agent execution stopped"), prompt_refused: None },
        prepare: |setup| {
            let settings = json!({
                "mcpServers": setup.mcp_servers(),
                "security": { "auth": { "selectedType": "gemini-api-key" } },
                "privacy": { "usageStatisticsEnabled": false },
                "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
            });
            write_json(&setup.home.join(".gemini/settings.json"), &settings)
        },
        write: |file, text| Call::new("write_file", json!({ "file_path": file, "content": text })),
        monitor: None,
        search: Some(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            vec![Call::new("grep_search", json!({ "pattern": "TOKEN", "include_pattern": name }))]
        }),
        mcp: || Some(Call::new("leave_mark", json!({}))),
        subagent: Some(|prompt| {
            Call::new("invoke_agent", json!({ "agent_name": "generalist", "prompt": prompt }))
        }),
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
        further_tools: None,
        environment: |url, model| {
            vec![
                ("OPENAI_BASE_URL", format!("{url}/v1")),
                ("OPENAI_API_KEY", "fake".to_owned()),
                ("OPENAI_MODEL", model.to_owned()),
            ]
        },
        signs: Signs { stopped: Some("execution_denied"), prompt_refused: None },
        prepare: |setup| {
            let settings = json!({
                "mcpServers": setup.mcp_servers(),
                "security": { "auth": { "selectedType": "openai" } },
                "privacy": { "usageStatisticsEnabled": false },
                "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
            });
            write_json(&setup.home.join(".qwen/settings.json"), &settings)
        },
        write: |file, text| Call::new("write_file", json!({ "file_path": file, "content": text })),
        monitor: Some(|command| Call::new("monitor", json!({ "command": command }))),
        search: Some(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            vec![Call::new("grep_search", json!({ "pattern": "TOKEN", "glob": name }))]
        }),
        mcp: || {
            // It finds such tools later, and the model calls them through another one.
            let call = json!({ "name": "mcp__probe__leave_mark", "arguments": {} });
            Some(Call::new("tool_call", call))
        },
        subagent: Some(|prompt| {
            let kind = "general-purpose";
            Call::new(
                "agent",
                json!({ "description": "a task", "prompt": prompt, "subagent_type": kind,
                "run_in_background": false }),
            )
        }),
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
        further_tools: Some(AllTools::Arguments(&["--experimental", "--enable-memory"])),
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
        prepare: |setup| {
            let Some(script) = setup.mcp else { return Ok(()) };
            let server = json!({ "type": "local", "command": "sh", "args": [script], "tools": ["*"] });
            let settings = json!({ "mcpServers": { "probe": server } });
            write_json(&setup.home.join(".copilot/mcp-config.json"), &settings)
        },
        write: |file, text| Call::new("create", json!({ "path": file, "file_text": text })),
        monitor: None,
        search: Some(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let call = |mut arguments: Value| {
                if let Some(arguments) = arguments.as_object_mut() {
                    arguments.insert("pattern".to_owned(), json!("TOKEN"));
                    arguments.insert("output_mode".to_owned(), json!("content"));
                }
                Call::new("grep", arguments)
            };
            vec![
                call(json!({ "paths": name })),
                call(json!({ "paths": [name] })),
                call(json!({ "glob": name })),
            ]
        }),
        mcp: || Some(Call::new("leave_mark", json!({}))),
        subagent: Some(|prompt| {
            Call::new(
                "task",
                json!({ "name": "a-task", "description": "a task", "prompt": prompt,
                "agent_type": "general-purpose", "mode": "sync" }),
            )
        }),
    },
    Program {
        name: "opencode",
        title: "opencode",
        package: "opencode-ai",
        models: &["scripted/scripted", "scripted/gpt-5"],
        arguments: |prompt, model| words(&["run", "--model", model, prompt]),
        go_on: Some(|prompt, model| words(&["run", "--continue", "--model", model, prompt])),
        all_tools: AllTools::Always,
        further_tools: Some(AllTools::Variables(&[
            ("OPENCODE_EXPERIMENTAL", "1"),
            ("OPENCODE_EXPERIMENTAL_LSP_TOOL", "1"),
            ("OPENCODE_EXPERIMENTAL_PLAN_MODE", "1"),
            ("OPENCODE_ENABLE_EXA", "1"),
            ("OPENCODE_ENABLE_QUESTION_TOOL", "1"),
        ])),
        environment: |_, _| {
            vec![
                ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
            ]
        },
        signs: Signs { stopped: None, prompt_refused: None },
        prepare: |setup| like_opencode(setup, &setup.home.join(".config/opencode"), "@opencode-ai/plugin"),
        write: |file, text| Call::new("write", json!({ "filePath": file, "content": text })),
        monitor: None,
        search: Some(search_like_opencode),
        mcp: || Some(Call::new("leave_mark", json!({}))),
        subagent: Some(task_like_opencode),
    },
    Program {
        name: "grok",
        title: "Grok Build",
        package: "@xai-official/grok",
        models: &["scripted"],
        arguments: |prompt, model| words(&["-p", prompt, "--always-approve", "-m", model]),
        go_on: Some(|prompt, model| words(&["-p", prompt, "--continue", "--always-approve", "-m", model])),
        all_tools: AllTools::Always,
        further_tools: None,
        environment: |_, _| vec![("XAI_API_KEY", "fake".to_owned())],
        signs: Signs { stopped: None, prompt_refused: None },
        prepare: |setup| {
            let url = setup.url;
            let mut config = format!(
                "[models]\ndefault = \"scripted\"\n\n[model.scripted]\nmodel = \"scripted\"\n\
                 base_url = \"{url}/v1\"\napi_key = \"fake\"\ncontext_window = 128000\n"
            );
            config.push_str(&setup.mcp_table());
            write(&setup.home.join(".grok/config.toml"), &config)
        },
        write: |file, text| Call::new("write", json!({ "file_path": file, "content": text })),
        monitor: Some(|command| {
            Call::new("monitor", json!({ "command": command, "description": "as scripted" }))
        }),
        search: Some(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            vec![Call::new("grep", json!({ "pattern": "TOKEN", "glob": name }))]
        }),
        mcp: || Some(Call::new("use_tool", json!({ "tool_name": "probe__leave_mark", "tool_input": {} }))),
        subagent: Some(|prompt| {
            Call::new(
                "spawn_subagent",
                json!({ "description": "a task", "prompt": prompt, "background": false }),
            )
        }),
    },
    Program {
        name: "kimi",
        title: "Kimi Code",
        package: "@moonshot-ai/kimi-code",
        models: &["scripted"],
        arguments: |prompt, _| words(&["-p", prompt]),
        go_on: Some(|prompt, _| words(&["--continue", "-p", prompt])),
        all_tools: AllTools::Always,
        further_tools: None,
        environment: |_, _| Vec::new(),
        signs: Signs { stopped: None, prompt_refused: None },
        prepare: |setup| {
            let url = setup.url;
            let config = format!(
                "default_model = \"scripted\"\ntelemetry = false\n\n\
                 [providers.scripted]\ntype = \"openai\"\nbase_url = \"{url}/v1\"\napi_key = \"fake\"\n\n\
                 [models.scripted]\nprovider = \"scripted\"\nmodel = \"scripted\"\nmax_context_size = 100000\n"
            );
            let folder = setup.home.join(".kimi-code");
            write_json(&folder.join("mcp.json"), &json!({ "mcpServers": setup.mcp_servers() }))?;
            write(&folder.join("config.toml"), &config)
        },
        write: |file, text| Call::new("Write", json!({ "path": file, "content": text })),
        monitor: None,
        search: Some(|file| vec![Call::new("Read", json!({ "path": file }))]),
        mcp: || Some(Call::new("leave_mark", json!({}))),
        subagent: Some(|prompt| Call::new("Agent", json!({ "description": "a task", "prompt": prompt }))),
    },
    Program {
        name: "kilo",
        title: "Kilo",
        package: "@kilocode/cli",
        models: &["scripted/scripted", "scripted/gpt-5"],
        arguments: |prompt, model| words(&["run", "--auto", "--model", model, prompt]),
        go_on: Some(|prompt, model| words(&["run", "--auto", "--continue", "--model", model, prompt])),
        all_tools: AllTools::Always,
        further_tools: Some(AllTools::Variables(&[
            ("KILO_EXPERIMENTAL", "1"),
            ("KILO_EXPERIMENTAL_LSP_TOOL", "1"),
            ("KILO_ENABLE_EXA", "1"),
            ("KILO_ENABLE_QUESTION_TOOL", "1"),
        ])),
        environment: |_, _| {
            vec![
                ("KILO_DISABLE_AUTOUPDATE", "1".to_owned()),
                ("KILO_DISABLE_MODELS_FETCH", "1".to_owned()),
                ("KILO_TELEMETRY_LEVEL", "off".to_owned()),
            ]
        },
        signs: Signs { stopped: None, prompt_refused: None },
        prepare: |setup| like_opencode(setup, &setup.home.join(".config/kilo"), "@kilocode/plugin"),
        write: |file, text| Call::new("write", json!({ "filePath": file, "content": text })),
        monitor: Some(|command| {
            Call::new("background_process", json!({ "action": "start", "command": command }))
        }),
        search: Some(search_like_opencode),
        mcp: || Some(Call::new("leave_mark", json!({}))),
        subagent: Some(task_like_opencode),
    },
    Program {
        name: "pi",
        title: "pi",
        package: "@earendil-works/pi-coding-agent",
        models: &["scripted"],
        arguments: |prompt, model| {
            let tools = "read,bash,edit,write,grep,find,ls";
            words(&["-p", "--provider", "scripted", "--model", model, "--tools", tools, prompt])
        },
        go_on: None,
        all_tools: AllTools::Always,
        further_tools: None,
        environment: |_, _| vec![("PI_OFFLINE", "1".to_owned()), ("PI_SKIP_VERSION_CHECK", "1".to_owned())],
        signs: Signs { stopped: Some("This operation was aborted"), prompt_refused: None },
        prepare: |setup| {
            let provider = json!({
                "baseUrl": format!("{}/v1", setup.url), "api": "openai-completions", "apiKey": "fake",
                "models": [{ "id": "scripted" }],
            });
            let file = setup.home.join(".pi/agent/models.json");
            write_json(&file, &json!({ "providers": { "scripted": provider } }))
        },
        write: |file, text| Call::new("write", json!({ "path": file, "content": text })),
        monitor: None,
        search: Some(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            vec![
                Call::new("grep", json!({ "pattern": "TOKEN", "glob": name })),
                Call::new("grep", json!({ "pattern": "TOKEN", "path": file })),
            ]
        }),
        mcp: || None,
        subagent: None,
    },
    Program {
        name: "cline",
        title: "Cline",
        package: "cline",
        models: &["scripted", "gpt-5"],
        arguments: |prompt, model| {
            words(&["--auto-approve", "true", "--retries", "50", "--model", model, prompt])
        },
        go_on: None,
        all_tools: AllTools::Always,
        further_tools: None,
        // Else it leaves a process behind, which does the work.
        environment: |_, _| {
            vec![
                ("CLINE_SESSION_BACKEND_MODE", "local".to_owned()),
                // It goes on without plugins that take longer than four seconds to load, as on a busy machine.
                ("CLINE_PLUGIN_IMPORT_TIMEOUT_MS", "60000".to_owned()),
            ]
        },
        signs: Signs {
            stopped: Some("[abort] aborted by another client"),
            prompt_refused: Some("[abort] aborted by another client"),
        },
        prepare: |setup| {
            let folder = setup.home.join(".cline/data/settings");
            let provider = json!({ "provider": "openai-compatible", "apiKey": "fake", "model": "scripted",
                "baseUrl": format!("{}/v1", setup.url) });
            let provider =
                json!({ "settings": provider, "updatedAt": "2026-01-01T00:00:00Z", "tokenSource": "manual" });
            let settings = json!({ "version": 1, "lastUsedProvider": "openai-compatible", "modes": {},
                "providers": { "openai-compatible": provider } });
            write_json(&folder.join("providers.json"), &settings)?;
            let servers = json!({ "mcpServers": setup.mcp_servers() });
            write_json(&folder.join("cline_mcp_settings.json"), &servers)
        },
        write: |file, text| Call::new("editor", json!({ "path": file, "new_text": text })),
        monitor: None,
        search: Some(|file| vec![Call::new("read_files", json!({ "files": [{ "path": file }] }))]),
        mcp: || Some(Call::new("leave_mark", json!({}))),
        subagent: Some(|prompt| Call::new("spawn_agent", json!({ "systemPrompt": "do it", "task": prompt }))),
    },
];

/// The features of Codex that bring tools and are off in its releases. One that needs a service or settings of its own
/// cannot be switched on alone.
const CODEX_FEATURES: &[&str] = &[
    "--enable=agent_message_board",
    "--enable=agent_message_board_mcp",
    "--enable=artifact",
    "--enable=context_management",
    "--enable=current_time_reminder",
    "--enable=deferred_executor",
    "--enable=exec_permission_approvals",
    "--enable=memories",
    "--enable=multi_env_copy_file",
    "--enable=request_permissions_tool",
    "--enable=send_message_to_user_async",
    "--enable=skill_search",
    "--enable=standalone_web_search",
    "--enable=token_budget",
    "--enable=tool_suggest",
];

/// The settings of opencode and its forks. `library` is what it installs from npm into every folder with plugins, unless a
/// lock file there names it; hookrail's plugin does not use it.
fn like_opencode(setup: &Setup<'_>, folder: &Path, library: &str) -> Result<()> {
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible",
        "options": { "baseURL": format!("{}/v1", setup.url), "apiKey": "fake" },
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
        "mcp": setup.mcp.map_or(json!({}), |script| {
            json!({ "probe": { "type": "local", "command": ["sh", script], "enabled": true } })
        }),
    });
    let lock = json!({ "packages": { "": { "dependencies": { library: "*" } } } });
    write_json(&folder.join("package-lock.json"), &lock)?;
    fs::create_dir_all(folder.join("node_modules"))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    write_json(&folder.join(format!("{name}.json")), &settings)
}

fn search_like_opencode(file: &Path) -> Vec<Call> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    vec![
        Call::new("grep", json!({ "pattern": "TOKEN", "include": name })),
        Call::new("grep", json!({ "pattern": "TOKEN", "path": file })),
    ]
}

fn task_like_opencode(prompt: &str) -> Call {
    Call::new("task", json!({ "description": "a task", "prompt": prompt, "subagent_type": "general" }))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn write_json(file: &Path, value: &Value) -> Result<()> {
    write(file, &serde_json::to_string_pretty(value)?)
}

/// Writes a file and the folders above it.
pub(crate) fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
