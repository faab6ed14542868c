//! The six other events: fired with real data, observed by default, applied where the settings ask for it.

use serde_json::{Value, json};

use crate::agent_scenario::{Run, Scenario, answer, record, write};

fn of_event<'a>(seen: &'a [Value], event: &str) -> Vec<&'a Value> {
    seen.iter().filter(|input| input["hook_event_name"] == event).collect()
}

/// A run in which each of the eleven events happens, if the prompt is long.
fn a_full_session() -> Scenario {
    Scenario::new()
        .approval("default")
        .calls(&[write("a.txt", "x"), ("list_directory", json!({ "path": "." }))])
        .calls(&[("list_directory", json!({ "path": "." }))])
        .says("a summary")
        .says("Done.")
        .args(&["--history-budget", "700"])
}

/// The same with hooks for all eleven events that write down what they get.
fn a_recorded_session() -> Scenario {
    let mut scenario = a_full_session();
    for event in [
        "SessionStart",
        "BeforeAgent",
        "BeforeModel",
        "BeforeToolSelection",
        "AfterModel",
        "BeforeTool",
        "Notification",
        "AfterTool",
        "PreCompress",
        "AfterAgent",
        "SessionEnd",
    ] {
        scenario = scenario.hook(event, record("all.jsonl"));
    }
    scenario
}

/// HOOK-203: all eleven events fire, with the data that belongs to them.
#[test]
fn all_eleven_events_fire_with_real_data() {
    let prompt = format!("do it: {}", "x".repeat(300));
    let run = a_recorded_session().run(&prompt);
    run.expect(0, "Done.\n");
    let seen = run.recorded("all.jsonl");
    let one = |event: &str| *of_event(&seen, event).first().unwrap_or_else(|| panic!("HOOK-203: no {event}"));
    assert_eq!(one("SessionStart")["source"], "startup");
    assert_eq!(one("BeforeAgent")["prompt"], prompt);
    assert_eq!(one("AfterTool")["tool_name"], "list_directory", "a denied tool has not run");
    assert_eq!(one("PreCompress")["trigger"], "auto", "HOOK-203");
    let after = one("AfterAgent");
    assert_eq!(
        (&after["prompt"], &after["prompt_response"], &after["stop_hook_active"]),
        (&json!(prompt), &json!("Done."), &json!(false))
    );
    assert_eq!(one("SessionEnd")["reason"], "exit");
    let notification = one("Notification");
    assert_eq!(notification["notification_type"], "ToolPermission");
    assert!(notification["message"].as_str().unwrap().contains("a.txt"));
    assert_eq!(notification["details"]["type"], "edit");
    assert!(notification["details"]["title"].as_str().unwrap().contains("a.txt"));
    assert_eq!(run.tools()[0], "write_file denied", "without a terminal the answer is no");
    for input in &seen {
        for field in ["session_id", "cwd", "timestamp", "transcript_path"] {
            assert!(input[field].is_string(), "HOOK-215: {field} in {input}");
        }
    }
    let events = run.events();
    assert_eq!((events.first(), events.last()), (Some(&"SessionStart"), Some(&"SessionEnd")));
    assert_eq!(run.log.last().unwrap()["type"], "session_end", "the log is complete");
}

/// The history past its budget is summarised by the model, and no tool call is torn from its result.
#[test]
fn a_large_history_is_summarised() {
    let run = a_recorded_session().run(&"x".repeat(300));
    run.expect(0, "Done.\n");
    let summary = run.request(2);
    assert!(
        summary["config"].get("tools").is_none() && run.last_content(2).to_string().contains("Summarise")
    );
    let contents = run.request(3)["contents"].as_array().unwrap();
    assert!(contents[0]["parts"][0]["text"].as_str().unwrap().contains("a summary"), "{contents:?}");
    assert!(contents[1]["parts"][0].get("functionCall").is_some(), "{contents:?}");
    assert!(contents[2]["parts"][0].get("functionResponse").is_some(), "{contents:?}");
    run.expect_printed("history summarised");
}

/// HOOK-203: by default, nothing that the hooks of these events ask for has an effect.
#[test]
fn the_six_are_observed_by_default() {
    let everything = answer(
        &json!({ "decision": "block", "reason": "no", "continue": false, "stopReason": "stop",
        "systemMessage": "msg", "hookSpecificOutput": { "additionalContext": "ctx", "clearContext": true } }),
    );
    let six = ["SessionStart", "BeforeAgent", "Notification", "PreCompress", "AfterAgent", "SessionEnd"];
    let mut scenario = a_full_session();
    for event in six {
        scenario = scenario.hook(event, everything.clone());
    }
    let run = scenario.run(&"x".repeat(300));
    run.expect(0, "Done.\n");
    assert_eq!(run.events(), six, "HOOK-203");
    run.expect_printed("history summarised");
    let sent: String = (0..4).map(|index| run.request(index).to_string()).collect();
    assert!(!sent.contains("ctx") && !sent.contains("[System]"), "HOOK-203");
}

/// With `agentEvents: "apply"` context is added where it belongs.
#[test]
fn context_is_added() {
    let context = |text: &str| answer(&json!({ "hookSpecificOutput": { "additionalContext": text } }));
    let run = Scenario::new()
        .apply_agent_events()
        .says("Done.")
        .hook("SessionStart", context("from the session"))
        .hook("BeforeAgent", context("from the prompt"))
        .run("hi");
    run.expect(0, "Done.\n");
    let contents = &run.request(0)["contents"];
    assert_eq!(contents[0]["parts"], json!([{ "text": "from the session" }]));
    assert_eq!(contents[1]["parts"], json!([{ "text": "hi" }, { "text": "from the prompt" }]));
}

/// A blocked prompt never reaches the model; the run came to its end all the same.
#[test]
fn a_prompt_can_be_blocked() {
    let run = Scenario::new()
        .apply_agent_events()
        .says("never")
        .hook("BeforeAgent", "echo 'not that' >&2; exit 2")
        .run("hi");
    run.expect(0, "");
    run.expect_printed("blocked prompt: not that");
    assert!(run.lines("model_request").is_empty());
}

/// A stop holds in each event that is applied.
#[test]
fn each_event_can_stop() {
    let stop = answer(&json!({ "continue": false, "stopReason": "over" }));
    for (event, requests) in
        [("SessionStart", 0), ("BeforeAgent", 0), ("Notification", 1), ("PreCompress", 2), ("AfterAgent", 2)]
    {
        let list = ("list_directory", json!({ "path": "." }));
        let mut scenario = Scenario::new().apply_agent_events().approval("default").hook(event, stop.clone());
        scenario = match event {
            "Notification" => scenario.calls(&[write("a.txt", "x")]),
            "PreCompress" => {
                scenario.calls(std::slice::from_ref(&list)).calls(&[list]).args(&["--history-budget", "300"])
            }
            _ => scenario.calls(&[list]),
        };
        let run = scenario.says("Done.").run("hi");
        run.expect(3, "");
        run.expect_printed("Agent execution stopped by hook: over");
        assert_eq!(run.lines("model_request").len(), requests, "{event}");
        assert_eq!(run.lines("stop")[0]["reason"], "over", "{event}");
    }
}

/// The message of a hook for the model is in the next request that the model gets for the user.
#[test]
fn messages_to_the_model_are_not_lost() {
    let list = ("list_directory", json!({ "path": "." }));
    let note = answer(&json!({ "systemMessage": "remember this" }));
    // It answers once, so that the next request differs.
    let once = |output: &Value| {
        format!(
            "cat >/dev/null; [ -e \"$LLXPRT_PROJECT_DIR/said\" ] || {{ touch \"$LLXPRT_PROJECT_DIR/said\"; echo '{output}'; }}"
        )
    };
    let back = |marker: &str| {
        format!(
            "cat >/dev/null; [ -e \"$LLXPRT_PROJECT_DIR/{marker}\" ] || {{ touch \"$LLXPRT_PROJECT_DIR/{marker}\"; echo 'go on' >&2; exit 2; }}"
        )
    };
    let notification = Scenario::new()
        .apply_agent_events()
        .approval("default")
        .hook("Notification", note.clone())
        .calls(&[write("a.txt", "x")])
        .says("Done.");
    let pre_compress = Scenario::new()
        .apply_agent_events()
        .hook("PreCompress", note)
        .calls(std::slice::from_ref(&list))
        .calls(&[list])
        .says("A summary.")
        .says("Done.")
        .args(&["--history-budget", "300"]);
    let block = json!({ "decision": "block", "reason": "not now", "systemMessage": "remember this" });
    let before_model = Scenario::new()
        .apply_agent_events()
        .hook("BeforeModel", once(&block))
        .hook("AfterAgent", back("sent-back"))
        .says("Done.");
    for (event, scenario) in
        [("Notification", notification), ("PreCompress", pre_compress), ("BeforeModel", before_model)]
    {
        let run = scenario.run("hi");
        run.expect(0, "Done.\n");
        let requests = run.lines("model_request");
        let contents = requests.last().unwrap()["request"]["contents"].to_string();
        assert!(contents.contains("[System] remember this"), "{event}: {contents}");
        assert!(!run.stdout.contains("remember this"), "{event}");
    }
}

fn inputs(run: &Run, file: &str) -> Vec<(String, bool)> {
    let seen = run.recorded(file);
    seen.iter().map(|i| (i["prompt"].as_str().unwrap().to_owned(), i["stop_hook_active"] == true)).collect()
}

/// `AfterAgent` sends the agent back to work, and its payload has whether it has done so before.
#[test]
fn the_end_can_be_blocked() {
    let once = "input=$(cat); echo \"$input\" >>\"$LLXPRT_PROJECT_DIR/seen.jsonl\"; \
        case $input in *'\"stop_hook_active\":true'*) exit 0;; esac; echo 'run the tests' >&2; exit 2";
    let run =
        Scenario::new().apply_agent_events().says("Done.").says("Tested.").hook("AfterAgent", once).run("hi");
    run.expect(0, "Tested.\n");
    assert_eq!(inputs(&run, "seen.jsonl"), [("hi".to_owned(), false), ("run the tests".to_owned(), true)]);
    assert!(run.last_content(1).to_string().contains("run the tests"));
    run.expect_printed("run the tests");
}

/// A hook that blocks the end for ever does not keep the agent for ever.
#[test]
fn blocking_the_end_has_an_end() {
    let mut scenario = Scenario::new().apply_agent_events().hook("AfterAgent", "echo again >&2; exit 2");
    for turn in 0..10 {
        scenario = scenario.says(&format!("answer {turn}"));
    }
    let run = scenario.run("hi");
    run.expect(0, "answer 5\n");
    run.expect_printed("kept sending the agent back");
}

/// `clearContext` clears the conversation.
#[test]
fn after_agent_clears_the_context() {
    let clear = "case $(cat) in *'\"stop_hook_active\":true'*) exit 0;; esac; \
        echo '{\"decision\":\"block\",\"reason\":\"start over\",\"hookSpecificOutput\":{\"clearContext\":true}}'";
    let run =
        Scenario::new().apply_agent_events().says("one").says("two").hook("AfterAgent", clear).run("hi");
    run.expect(0, "two\n");
    assert_eq!(run.request(1)["contents"], json!([{ "role": "user", "parts": [{ "text": "start over" }] }]));
}

/// Nothing outlives the run: `SessionEnd` hooks are awaited.
#[test]
fn session_end_hooks_are_awaited() {
    let slow = "sleep 0.3; touch \"$LLXPRT_PROJECT_DIR/ended\"";
    let run = Scenario::new().says("Done.").hook("SessionEnd", slow).run("hi");
    run.expect(0, "Done.\n");
    assert!(run.project.dir().join("ended").exists());
}

/// L15: a hook's answer in the model's place is not a summary; the history stays, and the trace has the reason.
#[test]
fn a_blocked_summary_call_leaves_the_history_as_it_was() {
    let no_summaries = "grep -q 'Summarise the conversation' && \
        echo '{\"decision\":\"block\",\"reason\":\"no summaries\",\"hookSpecificOutput\":{\"llm_response\":{\"text\":\"made up\"}}}' || true";
    let prompt = "x".repeat(300);
    let run = Scenario::new()
        .calls(&[("list_directory", json!({ "path": "." }))])
        .calls(&[("list_directory", json!({ "path": "." }))])
        .says("Done.")
        .args(&["--history-budget", "700"])
        .hook("BeforeModel", no_summaries)
        .run(&prompt);
    run.expect(0, "Done.\n");
    run.expect_printed("the history was not summarised: a hook blocked the summary call: no summaries");
    let last = run.request(2).to_string();
    assert!(last.contains(&prompt) && !last.contains("made up"), "L15: {last}");
}
