//! Prompts, output formats, exit codes, logs.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::agent_scenario::{Run, Scenario, answer, record, shell, write};

/// A run in which hooks of several kinds have effects.
fn with_effects() -> Scenario {
    let adds = json!({ "systemMessage": "noted", "hookSpecificOutput": { "additionalContext": "context" } });
    Scenario::new()
        .calls(&[write("a.txt", "x"), ("list_directory", json!({ "path": "." }))])
        .says("Done.")
        .hook_with("BeforeTool", "echo no >&2; exit 2", json!({ "matcher": "write_file" }))
        .hook("AfterTool", answer(&adds))
        .hook("BeforeModel", record("model.jsonl"))
}

/// What hooks did and what came of it, without times and ids.
fn story(run: &Run) -> Vec<Value> {
    let kept =
        ["type", "event", "name", "status", "output", "exitCode", "success", "result", "prompt", "reason"];
    run.log
        .iter()
        .map(|line| {
            kept.iter().filter_map(|key| Some(((*key).to_owned(), line.get(*key)?.clone()))).collect()
        })
        .collect()
}

/// HOOK-125: hooks behave the same however the prompt comes in.
#[test]
fn prompt_and_pipe_are_the_same() {
    let (prompted, piped) = (with_effects().run("go on"), with_effects().pipe("go on\n"));
    prompted.expect(0, "Done.\n");
    piped.expect(0, "Done.\n");
    assert_eq!(story(&prompted), story(&piped), "HOOK-125");
    assert_eq!(
        prompted.recorded("model.jsonl")[0]["llm_request"]["messages"],
        piped.recorded("model.jsonl")[0]["llm_request"]["messages"],
        "HOOK-125"
    );
}

/// HOOK-206: with hooks off nothing about them is read, run or printed.
#[test]
fn hooks_off_means_off() {
    let scenario = with_effects();
    let mut command = scenario.command();
    let settings = std::fs::read_to_string(scenario.project.user_settings_path()).unwrap();
    std::fs::write(
        scenario.project.user_settings_path(),
        settings.replace("\"enableHooks\": true", "\"enableHooks\": false"),
    )
    .unwrap();
    let output = command.args(["-p", "hi"]).stdin(Stdio::null()).output().unwrap();
    let run = scenario.over(&output);
    run.expect(0, "Done.\n");
    assert!(run.events().is_empty(), "HOOK-206");
    assert_eq!(run.tools(), ["write_file success", "list_directory success"]);
}

#[test]
fn a_run_without_a_prompt_is_a_usage_error() {
    for prompt in ["", " \n"] {
        let run = Scenario::new().says("never").pipe(prompt);
        run.expect(64, "");
        run.expect_printed("there is no prompt");
    }
    Scenario::new().says("never").args(&["--no-such-flag"]).run("hi").expect(64, "");
}

#[test]
fn model_errors_and_endless_runs_exit_with_1() {
    let list = ("list_directory", json!({ "path": "." }));
    let run = Scenario::new().calls(std::slice::from_ref(&list)).hook("SessionEnd", "true").run("hi");
    run.expect(1, "");
    run.expect_printed("error: the replay file");
    run.expect_printed("has no answer left");
    assert_eq!(run.lines("session_end").len(), 1, "a failed run ends properly");
    assert_eq!(run.events(), ["SessionEnd"]);

    let run = Scenario::new()
        .calls(std::slice::from_ref(&list))
        .calls(&[list])
        .says("never")
        .args(&["--max-turns", "2"])
        .run("hi");
    run.expect(1, "");
    run.expect_printed("--max-turns");
    assert_eq!(run.lines("model_request").len(), 2);
}

#[test]
fn json_is_one_object() {
    let run = with_effects().args(&["--output-format", "json"]).run("go");
    let result: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&result["sessionId"], &result["response"]), (&run.log[0]["sessionId"], &json!("Done.")));
    assert_eq!(result["stats"]["toolCalls"], json!({ "blocked": 1, "success": 1 }));
    assert_eq!((&result["stats"]["modelCalls"], &result["stats"]["hooks"]["total"]), (&json!(2), &json!(4)));
    assert!(result.get("stop").is_none() && result.get("error").is_none());

    let stop = answer(&json!({ "continue": false, "stopReason": "enough" }));
    let run =
        Scenario::new().says("x").hook("BeforeModel", stop).args(&["--output-format", "json"]).run("go");
    let result: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (run.code, &result["response"], &result["stop"]["reason"]),
        (3, &Value::Null, &json!("enough"))
    );

    let scenario = Scenario::new().calls(&[shell("true")]).args(&["--output-format", "json"]);
    let run = scenario.run("go");
    let result: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &result["error"]["type"]), (1, &json!("model")));
}

#[test]
fn stream_json_is_one_object_per_happening() {
    let run = with_effects().args(&["--output-format", "stream-json"]).run("go");
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .filter(|kind| *kind != "tool_state")
        .collect();
    assert_eq!(
        kinds,
        [
            "init",
            "hook",
            "tool_use",
            "tool_use",
            "hook",
            "blocked",
            "tool_result",
            "hook",
            "tool_result",
            "hook",
            "message",
            "result"
        ],
        "{}",
        run.shown()
    );
    assert_eq!(lines.last().unwrap()["response"], "Done.");
}

/// Every line has `type`, `timestamp` and `sessionId`, and its own fields under the documented names.
#[test]
fn the_session_log_has_the_documented_fields() {
    let stop = answer(&json!({ "continue": false, "stopReason": "enough" }));
    let run = with_effects().hook_with("AfterTool", stop, json!({ "matcher": "list" })).run("go");
    let session = &run.log[0]["sessionId"];
    assert!(run.log.iter().all(|line| line["timestamp"].is_string() && &line["sessionId"] == session));
    let expected: [(&str, &[&str]); 9] = [
        ("session_start", &[]),
        ("user", &["prompt"]),
        ("model_request", &["request"]),
        ("model_response", &["response"]),
        ("tool_call", &["name", "args", "status", "durationMs", "result"]),
        (
            "hook_call",
            &[
                "event",
                "name",
                "command",
                "input",
                "output",
                "exitCode",
                "signal",
                "stdout",
                "stderr",
                "durationMs",
                "success",
                "error",
            ],
        ),
        ("hook_batch", &["event", "hookCount", "successCount", "failureCount", "durationMs"]),
        ("stop", &["reason"]),
        ("session_end", &["reason"]),
    ];
    for (kind, fields) in expected {
        let lines = run.lines(kind);
        let line = lines.first().unwrap_or_else(|| panic!("no {kind}"));
        for field in fields {
            assert!(line.get(*field).is_some(), "{kind}.{field}: {line}");
        }
    }
    let call = run.lines("hook_call").into_iter().find(|line| line["event"] == "BeforeTool").unwrap();
    assert_eq!(call["command"], "echo no >&2; exit 2");
    assert_eq!(call["input"]["tool_name"], "write_file");
    assert_eq!(
        (&call["exitCode"], &call["stderr"], &call["signal"]),
        (&json!(2), &json!("no\n"), &Value::Null)
    );
}

/// Without `--session-log` the log is in the state folder, readable for the user alone.
#[test]
fn the_default_log_is_private() {
    let scenario = Scenario::new().says("hi").hook("SessionStart", record("start.jsonl"));
    let command = scenario.command();
    let args: Vec<_> = command.get_args().map(std::ffi::OsStr::to_owned).collect();
    let mut bare = std::process::Command::new(command.get_program());
    bare.args(args.iter().enumerate().filter(|(index, _)| ![1, 2].contains(index)).map(|(_, arg)| arg));
    bare.current_dir(scenario.project.dir()).env_clear();
    bare.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = bare.args(["-p", "hi"]).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let folder = scenario.project.home().join(".hookrail/sessions");
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let log = std::fs::read_to_string(&file).unwrap();
    let first: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(file.file_stem().unwrap().to_str(), first["sessionId"].as_str());
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let run = scenario.over(&output);
    assert_eq!(run.recorded("start.jsonl")[0]["transcript_path"], file.to_str().unwrap(), "HOOK-161");
}

/// The key is the agent's: no tool and no log sees it.
#[test]
fn the_key_does_not_leak() {
    let run = Scenario::new()
        .calls(&[shell("env")])
        .says("Done.")
        .env("GEMINI_API_KEY", "s3cret-key")
        .env("GOOGLE_API_KEY", "s3cret-too")
        .env("HARMLESS", "visible")
        .run("go");
    run.expect(0, "Done.\n");
    let log = serde_json::to_string(&run.log).unwrap();
    assert!(log.contains("HARMLESS=visible") && !log.contains("s3cret"), "{log}");
}

/// A log that cannot be written stops nothing, and a warning is printed.
#[cfg(target_os = "linux")] // It needs a full disk.
#[test]
fn an_incomplete_log_is_reported() {
    let scenario = Scenario::new().says("hi");
    let mut command = scenario.command();
    // The later of two equal flags would be an error, so that the path is made to lead to the full disk.
    std::os::unix::fs::symlink("/dev/full", scenario.log_path()).unwrap();
    let output = command.args(["-p", "hi"]).stdin(Stdio::null()).output().unwrap();
    std::fs::remove_file(scenario.log_path()).unwrap();
    let run = scenario.over(&output);
    run.expect(0, "hi\n");
    run.expect_printed("is not complete");
}
