//! How processes start, what they inherit, and what is said when they cannot.

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;

use rustix::io::Errno;

use super::*;
use crate::verdict::failure::IoError;

fn script(folder: &Path, name: &str, content: &str, mode: u32) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_command_gets_exactly_what_was_prepared() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = bash_in(folder.path(), "echo \"$0|$1|$PWD|$ONLY|$HOME\"; exec env");
    command.args.extend(["name".into(), "an 'argument'".into()]);
    command.arg0 = Some("shell".into());
    command.env = [("ONLY".into(), "this".into()), ("PATH".into(), "/usr/bin:/bin".into())].into();
    let finished = run_process(&command, &small_payload(), LONG, ALL, &Reaper::new()).await;
    let text = text(&finished.stdout);
    let folder = folder.path().canonicalize().unwrap();
    let expected = format!("name|an 'argument'|{}|this|\n", folder.display());
    assert!(text.starts_with(&expected), "{text}");
    let mut names: Vec<&str> =
        text.lines().skip(1).filter_map(|line| line.split('=').next()).filter(|&name| name != "_").collect();
    names.sort_unstable();
    assert_eq!(names, ["ONLY", "PATH", "PWD", "SHLVL"]);

    let shell = command_in(&folder, "/bin/bash", &["-c", "tr '\\0' ' ' </proc/$$/cmdline"]);
    let shell = PreparedCommand { arg0: Some("other".into()), ..shell };
    let finished = run_process(&shell, &small_payload(), LONG, ALL, &Reaper::new()).await;
    assert!(finished.stdout.bytes.starts_with(b"other -c "));
}

#[tokio::test]
async fn signals_are_as_a_program_expects_them() {
    let finished = run("grep -E '^Sig(Blk|Ign):' /proc/self/status").await;
    let text = text(&finished.stdout);
    let mask = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect(name);
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    assert_eq!(mask("SigBlk:"), 0, "{text}");
    assert_eq!(mask("SigIgn:") & (1 << 12), 0, "a broken pipe ends a hook's programs: {text}");
}

#[tokio::test]
async fn each_hook_leads_its_own_group() {
    let finished =
        run("read -r _ _ _ _ group _ < <(cat /proc/$$/stat); echo $$ $group; ps -o pid= -p $$ >&2").await;
    let words: Vec<&str> = text(&finished.stdout).split(' ').collect();
    assert_eq!(words[0], words[1]);
}

#[tokio::test]
async fn what_cannot_be_executed_directly_goes_to_the_shell() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, path, expected, said) in [
        ("ENOEXEC", script(folder, "plain", "echo from-a-script; exit 5", 0o755), 5, ""),
        ("ENOENT", folder.join("missing").to_str().unwrap().to_owned(), 127, "No such file or directory"),
        ("EACCES", script(folder, "locked", "#!/bin/sh\n", 0o644), 126, "Permission denied"),
        ("EACCES of a directory", folder.to_str().unwrap().to_owned(), 126, "Is a directory"),
        ("no interpreter", script(folder, "lost", "#!/no/such/thing\n", 0o755), 126, "lost"),
    ] {
        let mut direct = command_in(folder, &path, &[]);
        direct.fallback = Some(Box::new(bash_in(folder, &path)));
        let finished = run_process(&direct, &small_payload(), LONG, ALL, &Reaper::new()).await;
        let by_shell =
            run_process(&bash_in(folder, &path), &small_payload(), LONG, ALL, &Reaper::new()).await;
        assert_eq!(finished.exit, by_shell.exit, "{name}");
        assert_eq!((&finished.stdout, &finished.stderr), (&by_shell.stdout, &by_shell.stderr), "{name}");
        if name != "no interpreter" {
            assert_eq!(finished.exit, Exit::Code(expected), "{name}");
        }
        assert!(text(&finished.stderr).contains(said), "{name}: {}", text(&finished.stderr));
    }
}

#[tokio::test]
async fn a_start_that_fails_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("gone");
    let file = script(folder.path(), "file", "", 0o644);
    let mut with_fallback = bash_in(&missing, "true");
    with_fallback.fallback = Some(Box::new(bash_in(&missing, "true")));
    let mut nul = bash("true");
    nul.args.push("a\0b".into());
    let not_found = || IoError::from(&io::Error::from_raw_os_error(Errno::NOENT.raw_os_error()));
    let no_directory = || StartFailure::NoDirectory { directory: missing.clone(), error: not_found() };
    let nul_byte = io::Error::new(io::ErrorKind::InvalidInput, "nul byte found in provided data");
    for (command, expected) in [
        (bash_in(&missing, "true"), no_directory()),
        (with_fallback, no_directory()),
        (bash_in(Path::new(&file), "true"), StartFailure::NotADirectory { directory: file.into() }),
        (
            command_in(Path::new("/"), "/no/such/shell", &[]),
            StartFailure::Program { program: "/no/such/shell".into(), error: not_found() },
        ),
        (nul, StartFailure::Program { program: "/bin/bash".into(), error: (&nul_byte).into() }),
    ] {
        let finished = run_process(&command, &small_payload(), LONG, ALL, &Reaper::new()).await;
        assert_eq!(finished.exit, Exit::NotStarted(expected));
        assert_eq!(finished.stdout, Captured::default());
    }
}

#[tokio::test]
async fn a_program_that_is_just_being_written_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program");
    std::fs::copy("/bin/true", &path).unwrap();
    let writer = File::options().append(true).open(&path).unwrap();
    let command = command_in(folder.path(), path.to_str().unwrap(), &[]);
    let (payload, reaper) = (small_payload(), Reaper::new());
    let mut running = std::pin::pin!(run_process(&command, &payload, LONG, ALL, &reaper));
    let first = std::future::poll_fn(|cx| std::task::Poll::Ready(running.as_mut().poll(cx))).await;
    assert!(first.is_pending(), "the first attempt meets the writer");
    drop(writer);
    assert_eq!(running.await.exit, Exit::Code(0));

    let _writer = File::options().append(true).open(&path).unwrap();
    let finished = run_process(&command, &small_payload(), LONG, ALL, &Reaper::new()).await;
    let Exit::NotStarted(StartFailure::Program { error, .. }) = finished.exit else {
        panic!("{:?}", finished.exit)
    };
    assert_eq!(error.kind(), io::ErrorKind::ExecutableFileBusy);
    let mut with_shell = command.clone();
    with_shell.fallback = Some(Box::new(bash_in(folder.path(), "./program")));
    let finished = run_process(&with_shell, &small_payload(), LONG, ALL, &Reaper::new()).await;
    assert_eq!(finished.exit, Exit::Code(126), "{}", text(&finished.stderr));
}

#[tokio::test]
async fn no_timeout_is_too_long() {
    let finished = run_process(&bash("true"), &small_payload(), Duration::MAX, ALL, &Reaper::new()).await;
    assert_eq!(finished.exit, Exit::Code(0));
}

#[tokio::test]
async fn a_host_that_reaps_what_is_not_its_own_is_survived() {
    for outputs in ["", "exec sleep 100 &"] {
        let reaper = Reaper::new();
        let (group, streams) = started(&bash(&format!("{outputs} exit 0")), &small_payload(), &reaper);
        let leader = group.leader;
        rustix::process::waitpid(Some(leader), rustix::process::WaitOptions::empty()).unwrap();
        let finished = finish(group, streams, LONG).await;
        assert_eq!(finished.exit, Exit::Unknown);
        if !outputs.is_empty() {
            // Its background child keeps the number of the group taken.
            unix::signal_group(leader, unix::Signal::KILL);
        }
    }
}
