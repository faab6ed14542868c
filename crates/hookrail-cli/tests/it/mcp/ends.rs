//! How a connection ends: from either side, by a signal, by a crash.

use hookrail_testkit::process;
use rustix::process::{Pid, Signal, kill_process};

use super::*;

#[test]
fn a_server_that_crashes_ends_the_connection_with_its_code() {
    let project = with_hooks(&json!({ "AfterTool": [command("never|crash", "cat > /dev/null")] }));
    let mut client = Client::start(&project);
    client.call(1, "never", &json!({}));
    client.call(2, "crash", &json!({}));
    let mut ids: Vec<i64> = Vec::new();
    for _ in 0..2 {
        let answer = client.next();
        assert!(answer["error"]["message"].as_str().unwrap().contains("server ended"), "{answer}");
        ids.push(answer["id"].as_i64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, [1, 2]);
    let (code, rest, stderr) = client.wait();
    assert_eq!((code, rest.len()), (Some(7), 0));
    assert_eq!(stderr, "the server crashes\n");
}

#[test]
fn calls_that_were_sent_are_answered_after_the_client_closed_its_end() {
    let project = with_hooks(&json!({ "BeforeTool": [command("echo", "sleep 0.3; cat > /dev/null")] }));
    let mut client = Client::start(&project);
    for id in 1..4 {
        client.call(id, "echo", &json!({}));
    }
    let (code, lines, stderr) = client.close();
    assert_eq!((code, lines.len(), stderr.as_str()), (Some(0), 3, ""), "{lines:?}");
}

#[test]
fn a_signal_reaches_the_server_and_nothing_is_left() {
    for (more, expected) in [(vec![], 128 + 15), (vec!["deaf"], 128 + 9)] {
        let project = TestProject::new();
        let mark = project.home().join("received").display().to_string();
        let mut command = proxy(&project, &more);
        let mut client = Client::of({
            command.env(process::MARK, &mark);
            command
        });
        client.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        assert_eq!(client.next()["id"], 1);
        let pid = Pid::from_raw(i32::try_from(client.child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        let (code, ..) = client.wait();
        assert_eq!(code, Some(expected), "{more:?}");
        wait_until(LIMIT, "nothing is left", || process::marked(&mark).is_empty());
    }
}

#[test]
fn a_client_that_is_gone_takes_its_hooks_with_it() {
    let hang = "cat > /dev/null; echo $$ > \"$HOOKRAIL_PROJECT_DIR/pid\"; exec sleep 600";
    let project = with_hooks(&json!({ "BeforeTool": [command("slow", hang)] }));
    let mut client = Client::start(&project);
    client.call(1, "slow", &json!({}));
    let pid = || std::fs::read_to_string(project.dir().join("pid")).ok()?.trim().parse::<u32>().ok();
    wait_until(LIMIT, "the hook runs", || pid().is_some());
    let proxy = Pid::from_raw(i32::try_from(client.child.id()).unwrap()).unwrap();
    kill_process(proxy, Signal::TERM).unwrap();
    client.wait();
    let pid = pid().unwrap();
    wait_until(LIMIT, "the hook is gone", || !hookrail_testkit::process_is_alive(pid));
}

#[test]
fn a_server_that_cannot_be_started_is_named() {
    let project = TestProject::new();
    let mut command = crate::program::program();
    command.args(["mcp", "--server", "x", "--", "/no/such/server"]).current_dir(project.dir());
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(127));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("`/no/such/server`"), "{stderr}");
}
