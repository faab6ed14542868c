//! Many requests at once, in pieces, by clients that come and go.

use std::os::unix::net::UnixStream;

use super::*;

fn marked(id: &str, tool: &str) -> String {
    request(id, "BeforeTool", &json!({ "tool_name": tool, "tool_input": { "marker": id } }))
}

#[test]
fn hundreds_of_requests_are_each_answered_once_and_by_their_own_hooks() {
    const COUNT: usize = 400;
    let project = TestProject::new();
    let script = project
        .script("echo.sh", r#"input=$(cat); m=${input#*\"marker\":\"}; echo "{\"reason\":\"${m%%\"*}\"}""#);
    project.user_settings(&hooks(&[("BeforeTool", "guarded", script.to_str().unwrap())]));
    let mut server = Server::start(&project, &[]);
    server.ask(&marked("warm", "guarded"));
    let before = server.footprint();
    let mut stdin = server.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for number in 0..COUNT {
            let tool = if number % 4 == 0 { "guarded" } else { "free" };
            writeln!(stdin, "{}", marked(&format!("r{number}"), tool)).unwrap();
        }
        stdin
    });
    let answers = by_id((0..COUNT).map(|_| server.answer()));
    assert_eq!(answers.len(), COUNT, "DELTA-HEVT-002: one answer for each");
    for number in 0..COUNT {
        let id = format!("r{number}");
        let answer = &answers[&id];
        assert_eq!(answer["success"], true, "{answer}");
        let expected = if number % 4 == 0 { json!({ "reason": id }) } else { Value::Null };
        let said = &answer["output"]["finalOutput"];
        assert_eq!(said.get("reason"), expected.get("reason"), "the answer of its own hook: {answer}");
    }
    server.stdin = Some(writer.join().unwrap());
    wait_until(LIMIT, "nothing to be left behind", || {
        let (descriptors, children) = server.footprint();
        children == 0 && descriptors <= before.0
    });
    assert!(server.finish().is_empty());
}

#[test]
fn torn_lines_are_put_together() {
    let project = project_with(&[("BeforeTool", "guarded", "exit 2")]);
    let mut server = Server::start(&project, &[]);
    let mut text = Vec::new();
    for number in 0..200 {
        let tool = if number % 10 == 0 { "guarded" } else { "grüße 🎉" };
        text.extend(format!("{}\n", tool_request(&format!("t{number}"), tool)).bytes());
    }
    let mut numbers = Numbers(7);
    let mut rest = &text[..];
    while !rest.is_empty() {
        let (piece, left) = rest.split_at(numbers.below(90).clamp(1, rest.len()));
        server.send_bytes(piece);
        if numbers.below(8) == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        rest = left;
    }
    let answers = by_id((0..200).map(|_| server.answer()));
    assert_eq!(answers.len(), 200);
    let blocked = answers.values().filter(|answer| answer["output"]["blocked"] == true).count();
    assert_eq!(blocked, 20);
    assert!(server.finish().is_empty());
}

#[test]
fn a_giant_line_is_thrown_away_in_bounded_memory() {
    let project = project_with(&[]);
    let mut server = Server::start(&project, &["--max-line-bytes", "1000000"]);
    server.ask(&tool_request("warm", "t"));
    let before = server.memory();
    let chunk = vec![b'a'; 1024 * 1024];
    for _ in 0..100 {
        server.send_bytes(&chunk);
    }
    let grown = server.memory().saturating_sub(before);
    server.send_bytes(b"\n");
    let answer = server.answer();
    assert_eq!(answer["error"]["code"], "invalid_request");
    assert!(answer["error"]["message"].as_str().unwrap().contains("1000000"), "{answer}");
    assert!(grown < 16 * 1024, "grew by {grown} KiB");
    assert_eq!(server.ask(&tool_request("after", "t"))["correlationId"], "after");
    assert!(server.finish().is_empty());
}

#[test]
fn a_large_payload_passes() {
    let project = project_with(&[("BeforeAgent", "", "wc -c")]);
    let mut server = Server::start(&project, &[]);
    let prompt = "p".repeat(5_000_000);
    let answer = server.ask(&request("big", "BeforeAgent", &json!({ "prompt": prompt })));
    let said = answer["output"]["systemMessage"].as_str().unwrap();
    assert!(said.trim().parse::<usize>().unwrap() > 5_000_000, "{said}");
    assert!(server.finish().is_empty());
}

#[test]
fn no_more_hooks_run_at_once_than_allowed() {
    let project = TestProject::new();
    let script = project.script(
        "count.sh",
        "touch running.$$; ls running.* 2>/dev/null | wc -l >> most; sleep 0.05; rm -f running.$$",
    );
    project.user_settings(&hooks(&[("BeforeTool", "", script.to_str().unwrap())]));
    let mut server = Server::start(&project, &["--max-in-flight", "3"]);
    for number in 0..30 {
        server.send(&tool_request(&format!("n{number}"), "t"));
    }
    assert_eq!(by_id((0..30).map(|_| server.answer())).len(), 30);
    assert!(server.finish().is_empty());
    let most = project.read("most").lines().map(|line| line.trim().parse::<usize>().unwrap()).max();
    assert!(most.unwrap() <= 3, "{most:?} at once");
}

#[test]
fn a_client_that_does_not_read_is_not_read_from_and_delays_no_other() {
    let project = project_with(&[]);
    let (server, path) = Server::on_socket(&project, &[]);
    let slow = UnixStream::connect(&path).unwrap();
    slow.set_write_timeout(Some(Duration::from_millis(700))).unwrap();
    let line = format!("{}\n", tool_request("slow", "t"));
    let mut sent = 0usize;
    let block = line.repeat(100);
    // Far more than the queue and the socket's buffers hold; the server stops reading before that.
    let stalled = (0..4000).any(|_| match (&slow).write(block.as_bytes()) {
        Ok(count) => {
            sent += count;
            false
        }
        Err(error) => {
            assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "{error}");
            true
        }
    });
    assert!(stalled, "the server reads on and on: {sent} bytes");
    assert!(server.memory() < 64 * 1024, "{} KiB", server.memory());

    let mut quick = BufReader::new(UnixStream::connect(&path).unwrap());
    for number in 0..20 {
        let id = format!("q{number}");
        writeln!(quick.get_mut(), "{}", tool_request(&id, "t")).unwrap();
        let mut answer = String::new();
        quick.read_line(&mut answer).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&answer).unwrap()["correlationId"], id.as_str());
    }

    // Nothing was lost for the slow one either: every whole line it sent is answered.
    slow.shutdown(std::net::Shutdown::Write).unwrap();
    let answers =
        BufReader::new(slow).lines().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let whole = answers.filter(|answer| answer["correlationId"] == "slow").count();
    assert_eq!(whole, sent / line.len());
    server.signal(Signal::TERM);
    assert_eq!(server.end().0.code(), Some(0));
}

#[test]
fn clients_that_come_and_go_cost_nothing_and_the_others_get_every_answer() {
    let project = TestProject::new();
    let script = project
        .script("echo.sh", r#"input=$(cat); m=${input#*\"marker\":\"}; echo "{\"reason\":\"${m%%\"*}\"}""#);
    project.user_settings(&hooks(&[("BeforeTool", "guarded", script.to_str().unwrap())]));
    let (server, path) = Server::on_socket(&project, &["--max-in-flight", "32"]);
    // The first answers open the engine's log, which stays open.
    talk_and_maybe_leave(&path, 0);
    wait_until(LIMIT, "the first client to be gone", || server.footprint().1 == 0);
    let before = server.footprint().0;
    let clients: Vec<_> = (0..10u64)
        .map(|client| {
            let path = path.clone();
            std::thread::spawn(move || talk_and_maybe_leave(&path, client))
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
    wait_until(LIMIT, "everything to be given back", || {
        let (descriptors, children) = server.footprint();
        // Connections that were being looked at when it was counted first may be gone now.
        children == 0 && descriptors <= before
    });
    server.signal(Signal::TERM);
    let (status, _, messages) = server.end();
    assert_eq!(status.code(), Some(0), "{messages}");
    assert!(!path.exists());
}

/// Fifty requests; odd clients leave somewhere in between, the others read every answer.
fn talk_and_maybe_leave(path: &Path, client: u64) {
    const COUNT: usize = 50;
    let stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let mut numbers = Numbers(client);
    let leaves_after = (client % 2 == 1).then(|| numbers.below(COUNT));
    let mut reading = BufReader::new(stream.try_clone().unwrap());
    for number in 0..COUNT {
        if leaves_after == Some(number) {
            // In the middle of a line.
            let _ = (&stream).write_all(br#"{"type":"hook-exec"#);
            return;
        }
        let tool = if numbers.below(5) == 0 { "guarded" } else { "free" };
        writeln!(&stream, "{}", marked(&format!("c{client}-{number}"), tool)).unwrap();
    }
    let answers = by_id((0..COUNT).map(|_| {
        let mut line = String::new();
        reading.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("torn ({error}): {line}"))
    }));
    for (id, answer) in &answers {
        assert!(id.starts_with(&format!("c{client}-")), "another client's answer: {id}");
        if let Some(said) = answer["output"]["finalOutput"].get("reason") {
            assert_eq!(said, id.as_str());
        }
    }
    assert_eq!(answers.len(), COUNT);
}

#[test]
fn the_hooks_of_a_client_that_went_away_run_to_their_end() {
    let project = project_with(&[("BeforeTool", "", "echo $$ > pid; sleep 1; touch done")]);
    let (server, path) = Server::on_socket(&project, &[]);
    let client = UnixStream::connect(&path).unwrap();
    writeln!(&client, "{}", tool_request("1", "t")).unwrap();
    pid_in(&project.dir().join("pid"));
    drop(client);
    wait_until(LIMIT, "the hook to come to its end", || project.dir().join("done").exists());
    server.signal(Signal::TERM);
    assert_eq!(server.end().0.code(), Some(0));
}

#[test]
fn a_closed_stdout_is_no_error() {
    let project = project_with(&[("BeforeTool", "", "sleep 0.3; touch done")]);
    let mut command = program(&project);
    command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", tool_request("1", "t")).unwrap();
    wait_until(LIMIT, "the hook to come to its end", || project.dir().join("done").exists());
    wait_until(LIMIT, "the server's end", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(0), "it ends although its input is open");
}
