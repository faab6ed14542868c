//! Scarcity and leaks, each seen in a process of its own so that other tests neither disturb nor are disturbed.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, WaitOptions, setrlimit};

use super::*;

/// Set in the process that a test starts of itself.
const INSIDE: &str = "HOOKRAIL_TEST_INSIDE";
/// Lists the shell's descriptors.
const LIST: &str = "for fd in /proc/$$/fd/*; do [[ -e $fd ]] && echo ${fd##*/}; done";

/// Runs a test of this module again in a fresh process; `true` there, where the test is to do its work.
fn inside(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let (_crate, module) = module_path!().split_once("::").unwrap();
    let name = format!("{module}::{test}");
    let output = Command::new(std::env::current_exe().unwrap())
        .args([&name, "--exact", "--nocapture", "--test-threads=1"])
        .env(INSIDE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{}\n{said}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("1 passed"), "{said}");
    false
}

fn limit(resource: Resource, to: u64) {
    setrlimit(resource, Rlimit { current: Some(to), maximum: rustix::process::getrlimit(resource).maximum })
        .unwrap();
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn descriptors() -> BTreeSet<OsString> {
    // The descriptor that lists the folder is in the list both times.
    std::fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn assert_no_children() {
    let children = rustix::process::wait(WaitOptions::NOHANG);
    assert_eq!(children.err(), Some(Errno::CHILD), "a child is left, as a zombie or alive");
}

#[test]
fn a_lack_of_descriptors_is_waited_out() {
    if !inside("a_lack_of_descriptors_is_waited_out") {
        return;
    }
    block_on(async {
        let (payload, expected) = payload_of(200_000);
        limit(Resource::Nofile, descriptors().len() as u64 + 20);
        let mut runs = tokio::task::JoinSet::new();
        for n in 0..40 {
            let payload = payload.clone();
            runs.spawn(async move {
                let command = bash(&format!("sleep 0.05; cat; exit {n}"));
                (n, run_process(&command, &payload, LONG, ALL, &Reaper::new()).await)
            });
        }
        while let Some(run) = runs.join_next().await {
            let (n, finished) = run.unwrap();
            assert_eq!(finished.exit, Exit::Code(n));
            assert!(finished.stdout.bytes == expected);
        }

        // The wait ends with the timeout.
        limit(Resource::Nofile, descriptors().len() as u64 - 1);
        let timeout = Duration::from_millis(300);
        let finished = run_process(&bash("true"), &payload, timeout, ALL, &Reaper::new()).await;
        let Exit::NotStarted(StartFailure::Scarce { within, error, .. }) = finished.exit else {
            panic!("{:?}", finished.exit)
        };
        assert_eq!((within, error.code()), (timeout, Some(Errno::MFILE.raw_os_error())));
    });
    assert_no_children();
}

#[test]
fn nothing_is_left_behind() {
    if !inside("nothing_is_left_behind") {
        return;
    }
    block_on(async {
        let reaper = Reaper::with_grace(Duration::from_millis(50));
        let (large, _) = payload_of(500_000);
        let mut before = (BTreeSet::new(), 0);
        for round in 0..4 {
            for (script, timeout) in [
                ("exit 0", LONG),
                ("cat", LONG),
                ("exit 3", LONG),
                ("kill -9 $$", LONG),
                ("(exec sleep 0.3) & exit 0", LONG),
                ("sleep 100", Duration::from_millis(50)),
                ("trap '' TERM; sleep 100", Duration::from_millis(50)),
            ] {
                for payload in [&small_payload(), &large] {
                    run_process(&bash(script), payload, timeout, ALL, &reaper).await;
                }
            }
            let sleeper = bash("sleep 100");
            let given_up = run_process(&sleeper, &large, LONG, ALL, &reaper);
            assert!(tokio::time::timeout(Duration::from_millis(30), given_up).await.is_err());
            run_process(&bash_in(Path::new("/no/such/place"), "true"), &large, LONG, ALL, &reaper).await;
            reaper.drain().await;
            assert_no_children();
            // A thread that has done its work may need a moment to disappear.
            if round == 0 {
                std::thread::sleep(Duration::from_millis(300));
                before = (descriptors(), threads());
            }
        }
        eventually("the end of the reaper's thread", || threads() <= before.1);
        assert_eq!(descriptors(), before.0);
    });
}

#[test]
fn a_limit_on_file_sizes_does_not_kill_the_host() {
    if !inside("a_limit_on_file_sizes_does_not_kill_the_host") {
        return;
    }
    limit(Resource::Fsize, 100_000);
    block_on(async {
        let (payload, expected) = payload_of(2_000_000);
        let finished = run_process(&bash("cat"), &payload, LONG, ALL, &Reaper::new()).await;
        assert!(finished.stdout.bytes == expected);
    });
}

#[test]
fn nothing_but_the_three_streams_is_inherited() {
    if !inside("nothing_but_the_three_streams_is_inherited") {
        return;
    }
    // The parent of this process may have left descriptors open that are inherited.
    let inherited = Command::new("/bin/bash").args(["-c", LIST]).output().unwrap().stdout;
    block_on(async {
        let (payload, _) = payload_of(1_000_000);
        let reaper = Reaper::new();
        let neighbour = started(&bash("sleep 100"), &payload, &reaper);
        let finished = run_process(&bash(LIST), &payload, LONG, ALL, &reaper).await;
        assert_eq!(text(&finished.stdout), String::from_utf8_lossy(&inherited).trim_end());
        drop(neighbour);
        reaper.drain().await;
    });
}

#[test]
fn hosts_may_have_closed_their_standard_streams() {
    if !inside("hosts_may_have_closed_their_standard_streams") {
        return;
    }
    let streams = [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
    let kept = streams.map(|stream| rustix::io::fcntl_dupfd_cloexec(stream, 3).unwrap());
    let finished = block_on(async {
        close_standard_streams();
        run("cat; echo complaint >&2").await
    });
    rustix::stdio::dup2_stdin(&kept[0]).unwrap();
    rustix::stdio::dup2_stdout(&kept[1]).unwrap();
    rustix::stdio::dup2_stderr(&kept[2]).unwrap();
    assert_eq!(finished.exit, Exit::Code(0));
    assert_eq!(text(&finished.stdout), r#"{"hook_event_name":"BeforeTool"}"#);
    assert_eq!(text(&finished.stderr), "complaint");
}

/// A hook inherits which signals are blocked, so that it may not hear of its end. It ends nevertheless.
#[test]
fn a_hook_of_a_host_that_blocks_signals_ends() {
    if !inside("a_hook_of_a_host_that_blocks_signals_ends") {
        return;
    }
    block_terminating_signals();
    block_on(async {
        let (reaper, timeout) = (Reaper::with_grace(Duration::from_millis(100)), Duration::from_secs(1));
        let finished = run_process(&bash("sleep 100"), &small_payload(), timeout, ALL, &reaper).await;
        assert_eq!(finished.exit, Exit::TimedOut(timeout));
        reaper.drain().await;
    });
    assert_no_children();
}

#[allow(unsafe_code, reason = "nothing safe closes a descriptor that it does not own")]
fn close_standard_streams() {
    for number in 0..3 {
        // SAFETY: this process has one thread at work, which opens them again before they are used.
        assert_eq!(unsafe { libc::close(number) }, 0);
    }
}

#[allow(unsafe_code, reason = "nothing safe blocks signals")]
fn block_terminating_signals() {
    let mut signals = std::mem::MaybeUninit::uninit();
    // SAFETY: the set is initialised first and outlives the calls.
    unsafe {
        libc::sigemptyset(signals.as_mut_ptr());
        libc::sigaddset(signals.as_mut_ptr(), libc::SIGTERM);
        assert_eq!(libc::pthread_sigmask(libc::SIG_BLOCK, signals.as_ptr(), std::ptr::null_mut()), 0);
    }
}
