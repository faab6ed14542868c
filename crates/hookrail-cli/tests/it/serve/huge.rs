//! Hooks whose answers are huge, and clients whose lines are, beside others that have to be served.

use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::*;
use crate::fire_limits::{huge_answer, peak_memory};

/// Asks for an event without hooks, again and again: how often, and how long an answer took at most.
fn slowest_answer(path: &Path, done: &AtomicBool) -> (usize, Duration) {
    let mut stream = UnixStream::connect(path).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    let (mut count, mut slowest) = (0, Duration::ZERO);
    let line =
        request("quick", "AfterTool", &json!({ "tool_name": "x", "tool_input": {}, "tool_response": {} }));
    while !done.load(Ordering::Relaxed) {
        let begin = Instant::now();
        stream.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(answer.contains("\"success\":true"), "{answer}");
        (count, slowest) = (count + 1, slowest.max(begin.elapsed()));
        std::thread::sleep(Duration::from_millis(1));
    }
    (count, slowest)
}

#[test]
fn no_client_waits_for_the_answers_of_others_to_be_read() {
    let project = TestProject::new();
    huge_answer(&project, "numbers.json", "[", |_| "0".to_owned(), "]");
    huge_answer(&project, "keys.json", "{", |n| format!("\"k{n:07}\":[]"), "}");
    // Plain text that is six times as long in JSON.
    let commands = ["cat numbers.json", "cat keys.json", "head -c 2000000 /dev/zero; echo x"];
    let hooks: Vec<Value> = (0..8)
        .map(|n| json!({ "type": "command", "command": format!("{}; true {n}", commands[n % 3]) }))
        .collect();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": hooks }] } }));
    let (server, path) = Server::on_socket(&project, &[]);
    let done = AtomicBool::new(false);
    let (answer, (count, slowest)) = std::thread::scope(|scope| {
        let other = scope.spawn(|| slowest_answer(&path, &done));
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(format!("{}\n", tool_request("big", "write_file")).as_bytes()).unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        done.store(true, Ordering::Relaxed);
        (answer, other.join().unwrap())
    });
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let failures = answer["output"]["errors"].as_array().unwrap();
    assert_eq!(failures.len(), 6, "R15: {failures:?}");
    for failure in failures {
        assert!(failure["message"].as_str().unwrap().contains("more values than are read"), "R15: {failure}");
    }
    assert!(count > 10, "R15: {count} answers to another client meanwhile");
    assert!(slowest < LIMIT, "R15: another client waited for {slowest:?}");
    let peak = peak_memory(server.child.id()).unwrap();
    assert!(peak < 700_000_000, "R15: {peak} bytes");
}

#[test]
fn unfinished_lines_of_all_clients_together_are_bounded() {
    const LONGEST: usize = 8 * 1024 * 1024;
    let project = project_with(&[("BeforeTool", "", "true")]);
    let (server, path) = Server::on_socket(&project, &["--max-line-bytes", &LONGEST.to_string()]);
    let before = server.memory();
    let half_line = vec![b'x'; LONGEST - 1];
    let mut clients: Vec<UnixStream> = (0..24)
        .map(|_| {
            let mut client = UnixStream::connect(&path).unwrap();
            client.write_all(&half_line).unwrap();
            client
        })
        .collect();
    // Every client's line ends now; whether a line was kept or refused, it is answered.
    let mut refused = 0;
    for client in &mut clients {
        client.write_all(b"\n").unwrap();
        let mut answer = String::new();
        BufReader::new(client).read_line(&mut answer).unwrap();
        refused += usize::from(answer.contains("all clients together are too long"));
        assert!(answer.contains("invalid_request"), "{answer}");
    }
    assert!(refused >= clients.len() - 8, "{refused} lines were refused");
    let peak = peak_memory(server.child.id()).unwrap_or(0) / 1024;
    assert!(peak.saturating_sub(before) < 6 * LONGEST as u64 / 1024, "{before} KiB grew to {peak} KiB");
    let mut client = UnixStream::connect(&path).unwrap();
    client.write_all(format!("{}\n", tool_request("later", "x")).as_bytes()).unwrap();
    let mut answer = String::new();
    BufReader::new(client).read_line(&mut answer).unwrap();
    assert!(answer.contains("\"later\""), "{answer}");
}
