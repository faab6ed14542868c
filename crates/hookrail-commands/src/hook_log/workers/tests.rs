use super::*;
use crate::hook_log::HookLog;

#[test]
fn the_last_word_about_a_worker_counts() {
    let folder = tempfile::tempdir().unwrap();
    let log = HookLog::new(folder.path());
    let mut status = hookrail::components::WorkerStatus::default();
    status.command = "a \"b\"".to_owned();
    (status.answered, status.started, status.memory) = (7, 1, Some(4096));
    log.workers(&[status.clone()]);
    (status.answered, status.started, status.restarts) = (9, 2, 1);
    let failure = hookrail::components::WorkerFailure::Exited { code: 1 };
    status.last_failure = Some(failure.clone());
    log.workers(&[status]);
    let read = PastWorkers::load(&crate::hook_log::path_in(folder.path()));
    let worker = read.of("a \"b\"").unwrap();
    assert_eq!((worker.started, worker.answered, worker.restarts), (2, 9, 1));
    assert_eq!((&worker.last_failure, worker.memory), (&Some(failure.to_string()), Some(4096)));
    assert_eq!(read.of("b"), None);
    let described = worker.describe();
    let (before, after) = described.split_once(" as of ").expect("when it was noted");
    assert_eq!(before, "9 events answered, 2 starts, 1 restart, 0 MB");
    assert!(after.ends_with(&format!("; last failure: {failure}")), "{described}");
}

#[test]
fn a_worker_without_a_process_has_no_memory() {
    let past = |running| PastWorker { answered: 1, started: 1, running, ..PastWorker::default() };
    assert_eq!(past(Some(false)).describe(), "1 event answered, 1 start, 0 restarts, no process");
    assert_eq!(past(Some(true)).describe(), "1 event answered, 1 start, 0 restarts, memory not known");
    assert_eq!(past(None).describe(), past(Some(true)).describe(), "a line of an older version");
}
