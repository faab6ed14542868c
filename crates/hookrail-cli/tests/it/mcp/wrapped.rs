//! `mcp wrap` and `unwrap`: clients' configurations, everything else in them kept byte for byte.

use std::fs;

use super::*;
use crate::program::{hookrail, run};

/// A configuration that a person wrote, with a place for everything that an editor could lose.
fn written(project: &TestProject) -> String {
    let server = json!(script());
    let file = json!(project.home().join("received"));
    format!(
        "\u{feff}{{\r\n\t// mine\r\n\t\"mcpServers\" : {{\r\n\t\t\"files\": {{ \"command\": \"python3\", \"args\": [ {server}, {file}, ], \"env\": {{ \"A\": \"b\" }} }}, // local\r\n\t\t\"far\": {{ \"url\": \"https://mcp.example\" }},\r\n\t}},\r\n}}"
    )
}

#[test]
fn wrapping_works_when_followed_literally_and_is_taken_back_byte_for_byte() {
    let project =
        with_hooks(&json!({ "BeforeTool": [rule("rm", &json!({ "when": {}, "block": "no rm" }))] }));
    let before = written(&project);
    let file = project.file("mcp.json", &before);
    let name = file.to_str().unwrap();
    let dry = run(&project, &["mcp", "wrap", name, "--dry-run", "--diff"]);
    assert_eq!(dry.code, Some(0), "{dry}");
    assert!(dry.stdout.contains("would go through hookrail: files") && dry.stdout.contains("+++"), "{dry}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let ran = run(&project, &["mcp", "wrap", name]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.contains("these servers go through hookrail: files"), "{ran}");
    assert!(ran.stderr.contains("not wrapped: far: it is not a program"), "{ran}");
    let wrapped = fs::read_to_string(&file).unwrap();
    let again = run(&project, &["mcp", "wrap", name]);
    assert!(
        again.stdout.contains("nothing to change") && again.stderr.contains("wrapped already: files"),
        "{again}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), wrapped);

    let doctor = run(&project, &["doctor"]);
    assert!(doctor.stdout.contains("mcp: `mcp.json`: these servers go through hookrail: files"), "{doctor}");

    // What the client would start.
    let value: Value = serde_json::from_str(
        &wrapped
            .trim_start_matches('\u{feff}')
            .replace("// mine", "")
            .replace("// local", "")
            .replace(", ]", " ]")
            .replace("},\r\n\t}", "}\r\n\t}")
            .replace("},\r\n}", "}\r\n}"),
    )
    .unwrap();
    let server = &value["mcpServers"]["files"];
    assert_eq!(server["env"]["A"], "b");
    let program = server["command"].as_str().unwrap();
    assert_eq!(program, project.home().join(".hookrail/bin/hookrail").to_str().unwrap());
    let mut command = Command::new(program);
    command.args(server["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()));
    command.current_dir(project.dir()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut client = Client::of(command);
    assert_eq!(texts(&client.ask(1, "rm", &json!({}))), ["no rm"]);
    assert_eq!(texts(&client.ask(2, "ls", &json!({}))), ["ls {}"]);
    client.close();

    let ran = run(&project, &["mcp", "unwrap", name]);
    assert!(ran.code == Some(0) && ran.stdout.contains("no longer go through hookrail: files"), "{ran}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let again = run(&project, &["mcp", "unwrap", name]);
    assert!(again.code == Some(0) && again.stdout.contains("nothing to change"), "{again}");
}

#[test]
fn a_file_that_was_changed_meanwhile_keeps_the_change() {
    let project = TestProject::new();
    let before = written(&project);
    let file = project.file("mcp.json", &before);
    let name = file.to_str().unwrap();
    assert_eq!(run(&project, &["mcp", "wrap", name]).code, Some(0));
    let changed = fs::read_to_string(&file).unwrap().replace("// mine", "// still mine");
    fs::write(&file, &changed).unwrap();
    assert_eq!(run(&project, &["mcp", "unwrap", name]).code, Some(0));
    assert_eq!(
        fs::read_to_string(&file).unwrap().replace("[\"", "[ \""),
        before.replace("// mine", "// still mine")
    );
}

/// A project may bring a configuration in which servers look as if hookrail started them.
#[test]
fn what_only_looks_wrapped_is_not_taken_for_guarded() {
    let project = TestProject::new();
    let program = json!(project.home().join(".hookrail/bin/hookrail"));
    let before = format!(
        "{{\"mcpServers\":{{\"own\":{{\"command\":\"./hookrail\",\"args\":[\"mcp\",\"--server=own\",\"--\",\"x\"]}},\n\
         \"home\":{{\"command\":{program},\"args\":[\"mcp\",\"--home\",\"/tmp/theirs\",\"--server=home\",\"--\",\"x\"]}}}}}}"
    );
    let file = project.file("mcp.json", &before);
    let name = file.to_str().unwrap();
    let ran = run(&project, &["mcp", "wrap", name]);
    assert!(ran.code == Some(0) && ran.stdout.contains("go through hookrail: own, home"), "{ran}");
    let doctor = run(&project, &["doctor"]);
    assert!(
        doctor.stdout.contains("mcp: `mcp.json`: these servers go through hookrail: own, home"),
        "{doctor}"
    );
    let wrapped = fs::read_to_string(&file).unwrap();

    // As a pull would bring it back.
    fs::write(&file, &before).unwrap();
    let doctor = run(&project, &["doctor"]);
    assert!(doctor.stdout.contains("these servers are not started through hookrail: own, home"), "{doctor}");
    fs::write(&file, &wrapped).unwrap();
    assert_eq!(run(&project, &["mcp", "unwrap", name]).code, Some(0));
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn uninstall_takes_it_back_too() {
    let project = TestProject::new();
    let before = written(&project);
    let file = project.file("mcp.json", &before);
    assert_eq!(run(&project, &["mcp", "wrap", file.to_str().unwrap()]).code, Some(0));
    let ran = run(&project, &["uninstall"]);
    assert!(ran.code == Some(0) && ran.stdout.contains("mcp       disconnected: mcp.json"), "{ran}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn what_is_not_a_configuration_is_left_alone() {
    let project = TestProject::new();
    for (text, expected) in [
        ("{\"hooks\": {}}", "it has none of `mcpServers`"),
        ("{\"mcpServers\": {", "line 1, column"),
        ("{\"mcpServers\": {}, \"mcpServers\": {}}", "occurs twice"),
    ] {
        let file = project.file("x.json", text);
        let ran = run(&project, &["mcp", "wrap", file.to_str().unwrap()]);
        assert!(ran.code == Some(1) && ran.stderr.contains(expected), "{ran}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    assert!(!project.home().join(".hookrail/bin").exists(), "nothing was installed for it");
    assert_eq!(run(&project, &["mcp", "wrap", "missing.json"]).code, Some(1));
    let file = project.file("x.json", written(&project));
    for action in ["wrap", "unwrap"] {
        let mut command = hookrail(&project, &["mcp", action, file.to_str().unwrap()]);
        let output = command.env("HOOKRAIL_AGENT", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(1), "an agent cannot do it");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), written(&project));
    for usage in [
        &["mcp"][..],
        &["mcp", "--server", "x"],
        &["mcp", "--", "true"],
        &["mcp", "--server", "", "--", "true"],
    ] {
        assert_eq!(run(&project, usage).code, Some(64), "{usage:?}");
    }
}
