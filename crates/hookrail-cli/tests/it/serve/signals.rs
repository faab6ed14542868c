//! The end, the quick end, and new settings.

use std::os::unix::net::UnixStream;

use super::*;

/// In milliseconds: enough for a hook to begin on a busy machine, for hooks that run out of it.
const HOOK_TIMEOUT: u64 = 3000;

#[test]
fn asked_to_end_it_answers_what_runs() {
    for signal in [Signal::TERM, Signal::INT] {
        let wait = "echo $$ > pid.$$; until [ -e go ]; do sleep 0.02; done; exit 2";
        let project = project_with(&[("BeforeTool", "", wait)]);
        let mut server = Server::start(&project, &[]);
        for number in 0..5 {
            server.send(&tool_request(&format!("s{number}"), "t"));
        }
        wait_until(LIMIT, "five hooks", || {
            let files = std::fs::read_dir(project.dir()).unwrap().flatten();
            files.filter(|file| file.file_name().to_string_lossy().starts_with("pid.")).count() == 5
        });
        server.signal(signal);
        project.file("go", "");
        // Stdin stays open: the signal alone ends it.
        let stdin = server.stdin.take();
        let (status, answers, messages) = server.end();
        drop(stdin);
        assert_eq!(status.code(), Some(0), "{messages}");
        let answers = by_id(answers);
        assert_eq!(answers.len(), 5, "{answers:?}");
        assert!(answers.values().all(|answer| answer["output"]["blocked"] == true), "{answers:?}");
    }
}

#[test]
fn an_idle_server_ends_at_once() {
    let project = project_with(&[]);
    let mut server = Server::start(&project, &[]);
    server.ask(&tool_request("1", "t"));
    server.signal(Signal::TERM);
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn the_end_of_input_waits_for_what_runs() {
    let project = project_with(&[("BeforeTool", "", "sleep 0.5; exit 2")]);
    let mut server = Server::start(&project, &[]);
    for number in 0..5 {
        server.send(&tool_request(&format!("e{number}"), "t"));
    }
    let left = by_id(server.finish());
    assert_eq!(left.len(), 5);
    assert!(left.values().all(|answer| answer["output"]["blocked"] == true));
}

#[test]
fn asked_twice_it_kills_its_hooks_and_ends() {
    let project = project_with(&[
        ("BeforeTool", "endless", "trap '' TERM; echo $$ > pid; sleep 300 & sleep 300; wait"),
        ("BeforeTool", "waiting", "touch began; until [ -e go ]; do sleep 0.02; done; exit 2"),
    ]);
    let (mut server, path) = Server::on_socket(&project, &[]);
    let client = |tool: &str| {
        let stream = UnixStream::connect(&path).unwrap();
        writeln!(&stream, "{}", tool_request(tool, tool)).unwrap();
        BufReader::new(stream)
    };
    let _endless = client("endless");
    let mut waiting = client("waiting");
    let hook = pid_in(&project.dir().join("pid"));
    wait_until(LIMIT, "the other hook", || project.dir().join("began").exists());
    server.signal(Signal::TERM);
    wait_until(LIMIT, "the file of the socket to be removed, when the end begins", || !path.exists());
    project.file("go", "");
    let mut answer = String::new();
    waiting.read_line(&mut answer).unwrap();
    assert!(answer.contains("\"blocked\":true"), "it waits for its hooks: {answer}");
    assert!(process_is_alive(hook));
    server.signal(Signal::TERM);
    let status = server.wait();
    assert_eq!(status.code(), Some(130));
    wait_for_end_of(hook);
}

#[test]
fn asked_twice_it_does_not_wait_for_a_hook_that_cleans_up() {
    let project = TestProject::new();
    let command = "trap 'sleep 300' TERM; echo $$ > pid; sleep 300 & wait";
    let mut settings = hooks(&[("BeforeTool", "", command)]);
    settings["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"] = json!(HOOK_TIMEOUT);
    project.user_settings(&settings);
    let mut server = Server::start(&project, &[]);
    let answer = server.ask(&tool_request("1", "t"));
    assert_eq!(answer["success"], false, "it ran out of time: {answer}");
    let hook = pid_in(&project.dir().join("pid"));
    server.signal(Signal::TERM);
    server.signal(Signal::TERM);
    // Two signals of a kind may arrive as one.
    wait_until(LIMIT, "the end", || {
        let _ = kill_process(server.pid(), Signal::INT);
        server.child.try_wait().unwrap().is_some()
    });
    wait_for_end_of(hook);
}

#[test]
fn a_hook_that_ran_out_of_time_is_gone_before_the_server_is() {
    let project = TestProject::new();
    let mut settings =
        hooks(&[("BeforeTool", "", "trap '' TERM; echo $$ > pid; sleep 300 & sleep 300; wait")]);
    settings["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"] = json!(HOOK_TIMEOUT);
    project.user_settings(&settings);
    let mut server = Server::start(&project, &[]);
    server.ask(&tool_request("1", "t"));
    let hook = pid_in(&project.dir().join("pid"));
    assert!(server.finish().is_empty());
    assert!(!process_is_alive(hook));
}

#[test]
fn new_settings_count_for_later_requests() {
    let project = project_with(&[("BeforeTool", "slow", "echo $$ > pid; sleep 1; echo old")]);
    let mut server = Server::start(&project, &[]);
    assert_eq!(server.ask(&tool_request("before", "guarded"))["output"]["blocked"], false);
    server.send(&tool_request("running", "slow"));
    pid_in(&project.dir().join("pid"));
    project.user_settings(&hooks(&[("BeforeTool", "guarded", "exit 2")]));
    server.signal(Signal::HUP);
    wait_until(LIMIT, "the new settings", || {
        server.send(&tool_request("probe", "guarded"));
        loop {
            let answer = server.answer();
            if answer["correlationId"] == "running" {
                assert_eq!(answer["output"]["systemMessage"], "old", "what runs is finished as it began");
                continue;
            }
            break answer["output"]["blocked"] == true;
        }
    });
    // A file that cannot be read switches no guard off.
    std::fs::write(project.user_settings_path(), "{ \"enableHooks\": ").unwrap();
    server.signal(Signal::HUP);
    for number in 0..20 {
        std::thread::sleep(Duration::from_millis(10));
        server.send(&tool_request(&format!("p{number}"), "guarded"));
        let answer = loop {
            let answer = server.answer();
            if answer["correlationId"] != "running" {
                break answer;
            }
        };
        assert_eq!(answer["output"]["blocked"], true, "{answer}");
    }
    server.close_input();
    let (status, _, messages) = server.end();
    assert_eq!(status.code(), Some(0));
    assert_eq!(messages.matches("settings reloaded").count(), 1, "{messages}");
    assert!(messages.contains("not reloaded"), "{messages}");
}

#[test]
fn hooks_can_be_switched_on_while_it_runs() {
    let project = TestProject::new();
    let mut server = Server::start(&project, &[]);
    assert_eq!(server.ask(&tool_request("1", "t"))["output"]["blocked"], false);
    project.user_settings(&hooks(&[("BeforeTool", "", "exit 2")]));
    server.signal(Signal::HUP);
    wait_until(LIMIT, "the hooks to be on", || {
        server.ask(&tool_request("2", "t"))["output"]["blocked"] == true
    });
    assert!(server.finish().is_empty());
}
