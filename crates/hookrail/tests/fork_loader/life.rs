//! The loader's own life: kills, many forks, changed scripts, the end of the engine.

use std::fs;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::{Duration, Instant};

use hookrail_testkit::{make_pipe, process};
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

use crate::client::{Hook, Loader, Outcome, Streams};
use crate::table::{folder, simple};

fn outcome(end: &str, stdout: &str) -> Outcome {
    Outcome { end: end.to_owned(), stdout: stdout.into(), stderr: Vec::new() }
}

fn pid(text: &str) -> Pid {
    Pid::from_raw(text.parse().expect("a number")).expect("a process")
}

/// Waits for something that is bound to happen.
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The descriptors of a process.
fn descriptors(process: u32) -> Vec<String> {
    let entries = fs::read_dir(format!("/proc/{process}/fd")).expect("it lives").flatten();
    let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn children(loader: &Loader) -> usize {
    let parent = loader.child.id();
    process::all().iter().filter(|process| process.parent == parent).count()
}

/// Reads the first line that a script prints once it runs.
fn wait_for_line(streams: &mut Streams) {
    let mut byte = [0];
    while streams.stdout.read(&mut byte).expect("a pipe can be read") == 1 && byte != *b"\n" {}
    assert_eq!(byte, *b"\n", "the script runs");
}

#[test]
fn a_killed_fork_harms_nobody() {
    let (_folder, path) = folder();
    let text = "import subprocess, time\nsubprocess.Popen(['sleep', '600'])\nprint('up', flush=True)\ntime.sleep(600)\n";
    let mut loader = Loader::start(&simple(&path, text));
    for signal in [Signal::KILL, Signal::TERM, Signal::ABORT] {
        let mut streams = loader.ask();
        let group = pid(&loader.expect(&streams.id, "pid"));
        wait_for_line(&mut streams);
        kill_process_group(group, signal).expect("the group is there");
        let ended = loader.expect(&streams.id, "signal");
        assert_eq!(ended, signal.as_raw().to_string());
        // The leader is a zombie, so its group's number is still its own.
        kill_process_group(group, Signal::KILL).expect("the zombie keeps the number");
        let id = streams.id.clone();
        loader.send(&format!("done {id}"), &[]);
        eventually("the group is gone", || test_kill_process_group(group).is_err());
    }
    simple(&path, "print('well')");
    assert_eq!(loader.run(b""), outcome("exit 0", "well\n"));
    assert_eq!(loader.end(), ("exit 0".to_owned(), String::new()));
}

#[test]
fn hundreds_of_forks_leave_nothing_behind() {
    let (_folder, path) = folder();
    let mut loader = Loader::start(&simple(&path, "import sys\nprint(sys.stdin.read())\n"));
    assert_eq!(loader.run(b"first"), outcome("exit 0", "first\n"));
    let before = descriptors(loader.child.id());
    for number in 0..300 {
        let text = number.to_string();
        assert_eq!(loader.run(text.as_bytes()), outcome("exit 0", &format!("{text}\n")));
    }
    eventually("no zombie is left", || children(&loader) == 0);
    assert_eq!(descriptors(loader.child.id()), before);
}

#[test]
fn events_run_side_by_side() {
    let (_folder, path) = folder();
    let mut loader = Loader::start(&simple(
        &path,
        "import sys\nprint('up', flush=True)\nsys.exit(int(sys.stdin.read()))\n",
    ));
    let mut open: Vec<_> = (0..20).map(|_| loader.ask()).collect();
    for streams in &mut open {
        wait_for_line(streams);
    }
    // All of them run now. They are let go from the last to the first.
    for _ in 0..20 {
        assert!(loader.receive().is_some_and(|message| message.starts_with("pid ")), "each tells its number");
    }
    for (code, mut streams) in open.into_iter().enumerate().rev() {
        write!(streams.stdin, "{code}").expect("it reads");
        let Streams { id, stdin, stdout, stderr } = streams;
        drop(stdin);
        assert_eq!(loader.expect(&id, "exit"), code.to_string());
        loader.send(&format!("done {id}"), &[]);
        drop((stdout, stderr));
    }
}

#[test]
fn a_changed_script_is_run_as_it_is_now() {
    let (_folder, path) = folder();
    let mut loader = Loader::start(&simple(&path, "print('one')"));
    assert_eq!(loader.run(b""), outcome("exit 0", "one\n"));
    simple(&path, "import decimal\nprint(decimal.Decimal(2))");
    assert_eq!(loader.run(b""), outcome("exit 0", "2\n"), "it may import more");
    let hook = simple(&path, "print('broken'");
    assert_eq!(loader.run(b""), hook.run_new(b""), "it may be broken");
    fs::remove_file(path.join("hook.py")).expect("it is there");
    assert_eq!(loader.run(b""), hook.run_new(b""), "it may be gone");
    fs::create_dir(path.join("hook.py")).expect("a folder");
    fs::write(path.join("hook.py/__main__.py"), "print('a folder')").expect("a file");
    assert_eq!(loader.run(b""), outcome("exit 0", "a folder\n"));
    fs::remove_dir_all(path.join("hook.py")).expect("it is there");
    simple(&path, "import json\nprint(json.dumps(1))");
    assert_eq!(loader.run(b""), outcome("exit 0", "1\n"));
    fs::write(path.join("json.py"), "def dumps(value): return 'hidden'").expect("a file");
    assert_eq!(loader.run(b""), outcome("exit 0", "hidden\n"), "a file beside it hides a module");
    fs::remove_file(path.join("json.py")).expect("it is there");
    assert_eq!(loader.run(b""), outcome("exit 0", "1\n"), "and no longer");
}

#[test]
fn nothing_passes_from_one_event_to_the_next() {
    let (_folder, path) = folder();
    let text = "import builtins, json, os, sys, random, decimal, logging, atexit, signal\n\
        print(hasattr(builtins, 'leak'), json.__dict__.get('leak'), os.environ.get('LEAK'), os.getcwd(), len(sys.path),\n\
        decimal.getcontext().prec, len(logging.root.handlers), signal.getsignal(signal.SIGUSR1), sys.argv)\n\
        builtins.leak = json.leak = os.environ['LEAK'] = 'x'\n\
        os.chdir('/')\nsys.path.append('x')\ndecimal.getcontext().prec = 3\nlogging.basicConfig()\n\
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)\nsys.argv.append('x')\nos.umask(0)\n\
        print(os.umask(0o77), random.random(), file=sys.stderr)\nos.nice(1)\nopen(0).read()\n";
    let mut loader = Loader::start(&simple(&path, text));
    let first = loader.run(b"one");
    let second = loader.run(b"two");
    assert_eq!(first.end, "exit 0", "{first:?}");
    assert_eq!(first.stdout, second.stdout);
    assert_ne!(first.stderr, second.stderr, "each event has other random numbers");
}

#[test]
fn nothing_of_the_project_runs_before_an_event() {
    let (_folder, path) = folder();
    for name in
        ["linecache", "json", "os", "select", "_socket", "sitecustomize", "usercustomize", "helper", "stat"]
    {
        let mark = format!("open({:?}, 'w')\n", path.join(format!("{name}.ran")));
        fs::write(path.join(format!("{name}.py")), mark).expect("a file");
    }
    let hook = simple(&path, "import json, os, helper\nopen('hook.ran', 'w')\n");
    let traces = || {
        let names = fs::read_dir(&path).expect("a folder").flatten();
        names.filter(|entry| entry.path().extension().is_some_and(|kind| kind == "ran")).count()
    };
    let mut loader = Loader::start(&hook);
    assert_eq!(traces(), 0);
    assert_eq!(loader.run(b""), hook.run_new(b""));
    assert!(traces() > 1, "then it does");
}

#[test]
fn the_end_of_the_engine_ends_everything() {
    let (_folder, path) = folder();
    let text = "import signal, time\nsignal.signal(signal.SIGTERM, lambda *a: None if DEAF else exit(0))\nprint('up', flush=True)\n\
        while True: time.sleep(1)\n";
    for (deaf, patience) in [("False", 4), ("True", 15)] {
        let mut loader = Loader::start(&simple(&path, &text.replace("DEAF", deaf)));
        let mut streams = loader.ask();
        let group = pid(&loader.expect(&streams.id, "pid"));
        wait_for_line(&mut streams);
        let start = Instant::now();
        assert_eq!(loader.end(), ("exit 0".to_owned(), String::new()));
        assert!(start.elapsed() < Duration::from_secs(patience), "deaf: {deaf}: {:?}", start.elapsed());
        assert!(test_kill_process_group(group).is_err(), "deaf: {deaf}");
    }
}

#[test]
fn an_engine_that_leaves_words_unread_ends_everything_too() {
    let (_folder, path) = folder();
    let mut loader = Loader::start(&simple(&path, "import time\nprint('up', flush=True)\ntime.sleep(600)\n"));
    let mut streams = loader.ask();
    wait_for_line(&mut streams);
    // The number of the fork was sent before, and is never read.
    assert_eq!(children(&loader), 1);
    assert_eq!(loader.end(), ("exit 0".to_owned(), String::new()));
    let mut rest = Vec::new();
    streams.stdout.read_to_end(&mut rest).expect("the fork has closed its output");
    assert!(rest.is_empty());
}

#[test]
fn a_fork_outlives_its_loader_but_never_unknown() {
    let (_folder, path) = folder();
    let mut loader = Loader::start(&simple(&path, "import time\nprint('up', flush=True)\ntime.sleep(600)\n"));
    let mut streams = loader.ask();
    let group = pid(&loader.expect(&streams.id, "pid"));
    wait_for_line(&mut streams);
    kill_process(pid(&loader.child.id().to_string()), Signal::KILL).expect("it lives");
    assert_eq!(loader.receive(), None, "the fork has closed the control");
    kill_process_group(group, Signal::KILL).expect("the engine knows whom to end");
}

#[test]
fn what_cannot_be_run_is_told() {
    let (_folder, path) = folder();
    let inner = path.join("inner");
    fs::create_dir(&inner).expect("a folder");
    let mut loader = Loader::start(&simple(&inner, "print('here')"));
    fs::rename(&inner, path.join("away")).expect("it is there");
    let streams = loader.ask();
    assert_eq!(loader.expect(&streams.id, "failed"), "2 chdir");
    fs::create_dir(&inner).expect("a folder");
    simple(&inner, "print('another folder by the same name')");
    assert_eq!(loader.run(b""), outcome("exit 0", "another folder by the same name\n"));
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    loader.send("run 77", &[reader.as_fd()]);
    assert_eq!(loader.expect("77", "failed"), "0 descriptors");
    loader.send("run 78", &[reader.as_fd(); 5]);
    assert_eq!(loader.expect("78", "failed"), "0 descriptors");
    assert_eq!(loader.run(b""), outcome("exit 0", "another folder by the same name\n"));
}

#[test]
fn an_unknown_message_ends_it_with_a_word() {
    let (_folder, path) = folder();
    for message in ["hello", "run", "run 1 2", "done 5", "\u{e4}"] {
        let mut loader = Loader::start(&simple(&path, "print('here')"));
        loader.send(message, &[]);
        assert_eq!(loader.receive(), None, "{message}");
        let (end, said) = loader.end();
        assert_eq!(
            (end.as_str(), said.contains("a message that it does not know")),
            ("exit 70", true),
            "{said}"
        );
    }
}

#[test]
fn a_script_that_is_no_file_does_not_stop_the_loader() {
    let (_folder, path) = folder();
    make_pipe(&path.join("hook.py"));
    let mut loader = Loader::start(&Hook::new(&path, "hook.py"));
    let streams = loader.ask();
    let group = pid(&loader.expect(&streams.id, "pid"));
    kill_process_group(group, Signal::KILL).expect("it waits for the pipe's other end");
    assert_eq!(loader.expect(&streams.id, "signal"), "9");
    loader.send(&format!("done {}", streams.id), &[]);
    assert!(Path::new("/proc").join(loader.child.id().to_string()).exists());
}
