//! The log as a file: bounded, rotated, shared by several writers.

use std::path::Path;
use std::sync::Arc;

use hookrail_testkit::make_pipe;

use super::*;

fn batch(number: usize) -> HookBatch {
    HookBatch::new(hookrail::EventName::BeforeTool, number, number, std::time::Duration::ZERO)
}

/// The numbers of all batches in a log and those moved aside, the oldest first.
fn numbers(path: &Path) -> Vec<u64> {
    let mut numbers = Vec::new();
    for number in (0..=KEPT).rev() {
        let path = if number == 0 { path.to_owned() } else { rotated(path, number) };
        for line in fs::read_to_string(path).unwrap_or_default().lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            numbers.push(line["hookCount"].as_u64().unwrap());
        }
    }
    numbers
}

#[test]
fn a_full_log_is_moved_aside_and_three_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/log.jsonl");
    let log = HookLog::with_limit(path.clone(), 1_000);
    for number in 0..100 {
        log.hook_batch(&batch(number));
    }
    let kept = numbers(&path);
    assert_eq!(kept.last(), Some(&99));
    assert!(kept.windows(2).all(|pair| pair[1] == pair[0] + 1), "in order, without gaps: {kept:?}");
    let mut names: Vec<_> = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["log.jsonl", "log.jsonl.1", "log.jsonl.2", "log.jsonl.3", "log.lock"]);
    for name in names {
        let metadata = fs::metadata(path.with_file_name(&name)).unwrap();
        assert!(metadata.len() <= 1_000, "{name}");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{name}");
    }
}

#[test]
fn several_writers_lose_nothing_while_the_log_is_rotated() {
    let folder = tempfile::tempdir().unwrap();
    let path = Arc::new(folder.path().join("log.jsonl"));
    // Each writer has a log of its own, as a program has; 800 lines of about 150 bytes fill three files.
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let path = Arc::clone(&path);
            std::thread::spawn(move || {
                let log = HookLog::with_limit((*path).clone(), 40_000);
                for number in 0..100 {
                    log.hook_batch(&batch(writer * 100 + number));
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    assert!(rotated(&path, 1).exists(), "it was rotated");
    let mut all = numbers(&path);
    all.sort_unstable();
    assert_eq!(all, (0..800).collect::<Vec<_>>());
}

#[test]
fn a_log_that_was_removed_begins_anew_and_a_public_one_becomes_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let log = HookLog::with_limit(path.clone(), 1_000_000);
    log.hook_batch(&batch(1));
    fs::remove_file(&path).unwrap();
    log.hook_batch(&batch(2));
    assert_eq!(numbers(&path), [2]);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    HookLog::with_limit(path.clone(), 1_000_000).hook_batch(&batch(3));
    assert_eq!(numbers(&path), [2, 3]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_writer_never_waits_for_another_that_rotates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let log = HookLog::with_limit(path.clone(), 200);
    log.hook_batch(&batch(1));
    let lock = File::create(path.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    log.hook_batch(&batch(2));
    log.hook_batch(&batch(3));
    assert_eq!(numbers(&path), [1, 2, 3]);
    assert!(!rotated(&path, 1).exists());
}

#[test]
fn percentiles_are_values_that_were_measured() {
    for (values, p50, p95, max) in [
        (vec![], None, None, None),
        (vec![7], Some(7), Some(7), Some(7)),
        (vec![1, 2], Some(1), Some(2), Some(2)),
        ((1..=100).collect(), Some(50), Some(95), Some(100)),
    ] {
        let at = |percent| percentile(&values, percent);
        assert_eq!((at(50), at(95), at(100)), (p50, p95, max), "{values:?}");
    }
}

#[test]
fn statistics_know_hooks_by_event_and_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(folder.path());
    let line = |event: &str, milliseconds: u64, output: &str| {
        format!(
            r#"{{"type":"hook_call","event":"{event}","name":"it","output":{output},"durationMs":{milliseconds},"error":null,"timestamp":"t{milliseconds}"}}"#
        )
    };
    fs::write(rotated(&path, 1), line("BeforeTool", 1, r#"{"decision":"deny"}"#) + "\n").unwrap();
    let now =
        [line("BeforeTool", 3, "null"), line("AfterTool", 5, r#"{"decision":"deny"}"#), "{torn".to_owned()];
    fs::write(&path, now.join("\n")).unwrap();
    let statistics = Statistics::load(&path);
    let stats = statistics.of(std::path::Path::new("/p"), hookrail::EventName::BeforeTool, "it").unwrap();
    assert_eq!((stats.runs, stats.blocks, stats.p50_ms, stats.max_ms, &*stats.last_run), (2, 1, 1, 3, "t3"));
    let after = statistics.of(std::path::Path::new("/p"), hookrail::EventName::AfterTool, "it").unwrap();
    assert_eq!((after.runs, after.blocks), (1, 0), "what cannot be blocked was not");
    assert_eq!(statistics.of(std::path::Path::new("/p"), hookrail::EventName::AfterTool, "other"), None);
    assert_eq!(statistics.all().len(), 2);
}

#[test]
fn long_answers_keep_what_decides() {
    let long = "é".repeat(10_000);
    let mut specific = hookrail::JsonObject::new();
    specific.insert("permissionDecision".to_owned(), "deny".into());
    specific.insert("tool_input".to_owned(), long.clone().into());
    let output = hookrail::HookOutput {
        decision: Some(hookrail::Decision::Deny),
        reason: Some(long.clone()),
        continue_: Some(false),
        hook_specific_output: Some(specific),
        ..hookrail::HookOutput::default()
    };
    let kept = bounded::output(&output);
    assert_eq!((&kept["decision"], &kept["continue"]), (&"deny".into(), &false.into()));
    assert_eq!(kept["hookSpecificOutput"], serde_json::json!({ "permissionDecision": "deny" }));
    assert_eq!(kept["truncated"], true);
    assert!(kept.to_string().len() < 10_000);
    assert!(bounded::text(&long).ends_with("é… (15904 bytes more)"), "{}", bounded::text(&long));
    assert_eq!(bounded::text("short"), "short");
}

#[test]
fn only_the_end_of_long_logs_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    // Ten bytes each; the number shows in which order they were written.
    let lines =
        |range: std::ops::Range<usize>| range.fold(String::new(), |text, n| format!("{text}{n:09}\n"));
    fs::write(rotated(&path, 2), lines(0..10)).unwrap();
    fs::write(rotated(&path, 1), lines(10..20)).unwrap();
    fs::write(&path, lines(20..30)).unwrap();
    for (bytes, first, is_cut) in [
        (1000, 0, false),
        (300, 0, false),
        (299, 1, true),
        (200, 10, true),
        (195, 11, true),
        (100, 20, true),
        (10, 29, true),
        (9, 30, true),
        (0, 30, true),
    ] {
        let mut logs = open_with_rotated(&path).unwrap();
        logs.keep_last(bytes).unwrap();
        let mut text = String::new();
        for (_, mut file) in logs.files {
            io::Read::read_to_string(&mut file, &mut text).unwrap();
        }
        assert_eq!((text, logs.is_cut), (lines(first..30), is_cut), "{bytes}");
    }
}

#[test]
fn a_pipe_is_no_log_and_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    make_pipe(&path);
    assert_eq!(open_with_rotated(&path).unwrap().files.len(), 0);
    assert_eq!(Statistics::load(&path).all(), []);
    assert!(Tail::new(&path).poll(&mut |_: LoggedCall| Ok(())).is_err());
    let named = open_named(std::slice::from_ref(&path)).unwrap();
    assert_eq!(named.lines::<LoggedCall>().count(), 0);
    // Also where it takes the place of the lock, and the log is to be moved aside.
    let path = folder.path().join("full.jsonl");
    fs::write(&path, "x".repeat(100)).unwrap();
    let lock = path.with_extension("lock");
    make_pipe(&lock);
    assert!(HookLog::with_limit(path, 10).rotate(1).is_err());
}
