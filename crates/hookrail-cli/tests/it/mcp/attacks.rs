//! Ways past the hooks that were tried.

use std::fs;

use super::*;

/// A project that blocks every call of `rm`, and nothing else.
fn guarded() -> TestProject {
    with_hooks(&json!({ "BeforeTool": [rule("rm", &json!({ "when": {}, "block": "no rm" }))] }))
}

#[test]
fn a_call_that_servers_read_in_different_ways_is_refused() {
    let project = guarded();
    let mut client = Client::start(&project);
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"rm"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping","params":{"name":"rm"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"rm"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"rm"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":" tools/call","params":{"name":"rm"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls"},"params":{"name":"rm"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls"},"paramſ":{"name":"rm"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","name":"rm"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","Name":"rm"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","arguments":{},"arguments":{"a":1}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","arguments":{"a":{"b":1,"b":2}}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","arguments":{"path":"x","PATH":"y"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","arguments":{"n":1e400}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","arguments":{"n":-123456789012345678901}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","arguments":{"t":"\ud800"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm\udc00"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["rm"]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","arguments":["rm"]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["rm"]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
    ] {
        client.send(line);
        let answer = client.next();
        assert!(is_refused(&answer) && texts(&answer)[0].contains("cannot tell"), "{line}: {answer}");
    }
    for escaped in [
        r#"{"jsonrpc":"2.0","id":2,"\u006dethod":"tools\u002fcall","params":{"n\u0061me":"r\u006d"}}"#,
        r#"[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rm"}}]"#,
        "\t{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}\r",
    ] {
        client.send(escaped);
        let answer = client.next();
        assert!(is_refused(&answer) && texts(&answer) == ["no rm"], "{escaped}: {answer}");
    }
    // Nobody waits for an answer to a notification; it does not pass either.
    client.send(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"rm"}}"#);
    client.send(r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"rm"},}"#);
    let answer = client.next();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &Value::Null), "{answer}");
    // Servers that end a line at a carriage return would find a call in it.
    for around in [
        ("{\"a\":\r", "\r}"),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[\r", "\r]}"),
        ("[\r", "\r]"),
    ] {
        let call = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"rm"}}"#;
        client.send(&format!("{}{call}{}", around.0, around.1));
        let answer = client.next();
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
    }
    assert_eq!(texts(&client.ask(4, "ls", &json!({ "n": 18_446_744_073_709_551_615_u64 }))).len(), 1);
    let (code, rest, _) = client.close();
    assert_eq!((code, rest.len()), (Some(0), 0));
    let received = received(&project);
    assert!(!received.contains("rm") && received.matches("tools/call").count() == 1, "{received}");
}

#[test]
fn odd_calls_pass_where_no_hook_decides_about_calls() {
    let project = TestProject::new();
    let mut client = Client::start(&project);
    let line =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls","arguments":{"a":1,"a":2}}}"#;
    client.send(line);
    assert_eq!(texts(&client.next()), [r#"ls {"a": 2}"#]);
    client.close();
    assert_eq!(received(&project), format!("{line}\n"));
}

#[test]
fn broken_settings_refuse_every_call_until_they_are_mended() {
    let project = guarded();
    let file = project.user_settings_path();
    let good = fs::read_to_string(&file).unwrap();
    fs::write(&file, "{ \"hooks\": ").unwrap();
    let mut client = Client::start(&project);
    let refused = client.ask(1, "ls", &json!({}));
    assert!(is_refused(&refused) && texts(&refused)[0].contains("settings"), "{refused}");
    client.send(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(client.next()["result"]["method"], "ping", "everything else passes");
    fs::write(&file, &good).unwrap();
    assert_eq!(texts(&client.ask(3, "ls", &json!({}))), ["ls {}"]);
    assert_eq!(texts(&client.ask(4, "rm", &json!({}))), ["no rm"]);
    fs::write(&file, format!("{good} x")).unwrap();
    assert!(is_refused(&client.ask(5, "ls", &json!({}))));
    fs::remove_file(&file).unwrap();
    assert_eq!(texts(&client.ask(6, "rm", &json!({}))), ["rm {}"], "the guard was removed by its owner");
    let (_, _, stderr) = client.close();
    assert!(stderr.contains("settings.json"), "{stderr}");
}

#[test]
fn the_environment_decides_nothing() {
    let project = guarded();
    let elsewhere = tempfile::tempdir().unwrap();
    let mut command = proxy(&project, &[]);
    command
        .env("HOOKRAIL_HOME", elsewhere.path())
        .env("HOME", elsewhere.path())
        .env("HOOKRAIL_SYSTEM_SETTINGS", elsewhere.path().join("none"))
        .env("HOOKRAIL_BRIDGE", "1 1")
        .env("HOOKRAIL_WORKER", "1")
        .env("HOOKRAIL_AGENT", "1")
        .env("RUST_LOG", "trace")
        .env("HOOKRAIL_LOG", "trace");
    let mut client = Client::of(command);
    assert_eq!(texts(&client.ask(1, "rm", &json!({}))), ["no rm"]);
    let (code, _, stderr) = client.close();
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_home_that_is_not_there_refuses_every_call() {
    let project = guarded();
    let mut command = crate::program::program();
    command.args(["mcp", "--home", "/no/such/home", "--server", "files", "--", "python3"]).arg(script());
    command.arg(project.home().join("received")).current_dir(project.dir());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut client = Client::of(command);
    let answer = client.ask(1, "ls", &json!({}));
    assert!(is_refused(&answer) && texts(&answer)[0].contains("--home"), "{answer}");
    client.close();
    assert_eq!(received(&project), "");
}

#[test]
fn an_answer_that_clients_read_in_different_ways_is_not_passed_on() {
    let project = with_hooks(&json!({ "AfterTool": [command("twice", "cat > /dev/null")] }));
    let mut client = Client::start(&project);
    let answer = client.ask(1, "twice", &json!({}));
    assert!(is_refused(&answer) && texts(&answer)[0].contains("key twice"), "{answer}");
    client.close();
}

#[test]
fn an_answer_before_the_decision_is_not_an_answer() {
    let wait = "cat > /dev/null; while [ ! -e \"$HOOKRAIL_PROJECT_DIR/go\" ]; do sleep 0.02; done; echo no >&2; exit 2";
    let project = with_hooks(&json!({ "BeforeTool": [command("slow", wait)] }));
    let mut client = Client::start(&project);
    client.call(1, "slow", &json!({}));
    let early = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#;
    client.send(&json!({ "jsonrpc": "2.0", "method": "raw", "params": { "text": early } }).to_string());
    client.send(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(client.next()["id"], 2);
    project.file("go", "");
    assert_eq!(texts(&client.next()), ["no"]);
    client.close();
}

#[test]
fn names_with_odd_signs_match_as_they_are_and_as_agents_write_them() {
    let project = with_hooks(&json!({ "BeforeTool": [
        { "matcher": "^mcp__files__d_l_te__it$", "hooks": [{ "type": "rule", "when": {}, "block": "plain" }] },
        { "matcher": "lösche", "hooks": [{ "type": "rule", "when": {}, "block": "own" }] },
    ] }));
    let mut client = Client::start(&project);
    assert_eq!(texts(&client.ask(1, "d/l te__it", &json!({}))), ["plain"]);
    assert_eq!(texts(&client.ask(2, "lösche 🦀\n", &json!({}))), ["own"]);
    client.close();
}

#[test]
fn two_calls_with_one_id_are_not_both_made() {
    let wait = "cat > /dev/null; while [ ! -e \"$HOOKRAIL_PROJECT_DIR/go\" ]; do sleep 0.02; done";
    let project = with_hooks(&json!({ "BeforeTool": [command("slow", wait)] }));
    let mut client = Client::start(&project);
    client.call(1, "slow", &json!({}));
    assert!(is_refused(&client.ask(1, "slow", &json!({ "x": 1 }))));
    project.file("go", "");
    assert_eq!(texts(&client.next()), ["slow {}"]);
    client.close();
}
