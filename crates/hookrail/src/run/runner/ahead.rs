//! Runs hooks on an input that is not written yet. A large payload takes about as long to be written as to be sent, so a
//! worker that is the only hook of an event gets it while it is being written.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use tokio::sync::SemaphorePermit;

use super::HookRunner;
use crate::hook::{Hook, WorkerMode};
use crate::run::payload::{Payload, PayloadError};
use crate::run::worker::{Admitted, OpenQuestionCount, Worker};
use crate::verdict::hook_run::HookRun;

/// The state of an early question.
enum Early<'w> {
    /// The payload is small up to now.
    NotTried,
    /// The worker does not run yet, or is busy.
    Impossible,
    /// The worker has received a part.
    Sending(EarlyRequest<'w>),
}

/// A question that is being sent, with the slot of its hook.
struct EarlyRequest<'w> {
    question: Admitted<'w>,
    _slot: SemaphorePermit<'w>,
    _counted: OpenQuestionCount<'w>,
}

impl HookRunner {
    /// Writes the payload and runs hooks side by side on it. The results keep the order of the hooks.
    pub(crate) async fn execute_hooks_on(
        &self,
        hooks: &[Arc<Hook>],
        input: &impl Serialize,
        cwd: &Path,
    ) -> Result<(Payload, Vec<HookRun>), PayloadError> {
        match hooks {
            [hook] if hook.worker == WorkerMode::Lines => {
                self.execute_ahead(hook, input, hook.folder(cwd)).await
            }
            hooks => {
                let payload = Payload::new(input)?;
                let runs = self.execute_hooks_parallel(hooks, &payload, cwd).await;
                Ok((payload, runs))
            }
        }
    }

    async fn execute_ahead(
        &self,
        hook: &Arc<Hook>,
        input: &impl Serialize,
        cwd: &Path,
    ) -> Result<(Payload, Vec<HookRun>), PayloadError> {
        let worker = OnceLock::new();
        let mut early = Early::NotTried;
        let payload = Payload::new_growing(input, &mut |part| match &early {
            Early::NotTried => early = self.begin(hook, &worker, part, cwd),
            Early::Impossible => {}
            Early::Sending(request) => request.question.grow(part),
        })?;
        if let Early::Sending(EarlyRequest { question, _slot, _counted }) = early {
            let keep = self.limits_of(hook).keep(&payload);
            if let Some(finished) = question.ask(&payload, self.time_for(hook), keep, false).await {
                let run = self.outputs.read(hook, finished, keep).await;
                return Ok((payload, vec![run]));
            }
        }
        let runs = self.execute_hooks_parallel(std::slice::from_ref(hook), &payload, cwd).await;
        Ok((payload, runs))
    }

    /// Begins to send the first part of a payload, if that is possible without waiting.
    fn begin<'w>(
        &'w self,
        hook: &Arc<Hook>,
        worker: &'w OnceLock<Arc<Worker>>,
        part: &Payload,
        cwd: &Path,
    ) -> Early<'w> {
        let worker = worker.get_or_init(|| self.worker_of(hook, cwd));
        let Ok(slot) = self.limits_of(hook).slots.try_acquire() else { return Early::Impossible };
        let Some(question) = worker.begin(part) else { return Early::Impossible };
        self.report_start(hook);
        Early::Sending(EarlyRequest { question, _slot: slot, _counted: self.workers.count_question() })
    }
}

#[cfg(test)]
mod tests {
    use serde::ser::{Error as _, SerializeSeq as _};
    use serde_json::{Value, json};

    use super::*;
    use crate::run::runner::tests::{hook, project, runner};
    use crate::verdict::hook_run::Exit;

    /// Answers with what it was asked: how long the text is, how often it is there, and its process.
    const ECHO: &str = r#"
import json, os, sys
for line in sys.stdin:
    question = json.loads(line)
    texts = question["input"]
    said = {"texts": len(texts), "bytes": sum(map(len, texts)), "pid": os.getpid()}
    print(json.dumps({"id": question["id"], "exitCode": 0, "stdout": json.dumps(said)}), flush=True)
"#;

    fn worker(command: &str) -> Arc<Hook> {
        let hook = hook(command);
        Arc::new(Hook { worker: WorkerMode::Lines, ..Hook::clone(&hook) })
    }

    fn answer(run: &HookRun) -> Value {
        assert_eq!(*run.exit(), Exit::Code(0), "{run:?}");
        serde_json::from_str(&run.stdout).unwrap()
    }

    /// A text that is long, written so often; the last one cannot be written.
    struct BreaksOff(usize);

    impl Serialize for BreaksOff {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut list = serializer.serialize_seq(None)?;
            for _ in 0..self.0 {
                list.serialize_element(&"x".repeat(100_000))?;
            }
            Err(S::Error::custom("breaks off"))
        }
    }

    #[tokio::test]
    async fn a_large_payload_is_the_same_for_a_worker_that_gets_it_while_it_is_written() {
        let (_root, dir) = project();
        std::fs::write(dir.join("echo.py"), ECHO).unwrap();
        let hook = worker("python3 echo.py");
        let runner = runner();
        let mut pids = Vec::new();
        // The first one is sent when it is whole, because the process has to be started.
        for (texts, length) in [(50, 100_000), (50, 100_000), (1, 30), (300, 7_000), (1, 5_000_000)] {
            let input: Vec<String> = (0..texts).map(|_| "\n".repeat(length)).collect();
            let (payload, runs) =
                runner.execute_hooks_on(std::slice::from_ref(&hook), &input, &dir).await.unwrap();
            assert_eq!(payload.len(), serde_json::to_vec(&input).unwrap().len());
            let [run] = &runs[..] else { panic!("one hook, one run: {runs:?}") };
            let answer = answer(run);
            assert_eq!((&answer["texts"], &answer["bytes"]), (&json!(texts), &json!(texts * length)));
            pids.push(answer["pid"].clone());
        }
        pids.dedup();
        assert_eq!(pids.len(), 1, "one process was asked every time");
        runner.drain().await;
    }

    #[tokio::test]
    async fn a_payload_that_breaks_off_costs_the_process_that_got_half_of_it() {
        let (_root, dir) = project();
        std::fs::write(dir.join("echo.py"), ECHO).unwrap();
        let hook = worker("python3 echo.py");
        let runner = runner();
        let hooks = std::slice::from_ref(&hook);
        let (_, before) = runner.execute_hooks_on(hooks, &["a"], &dir).await.unwrap();
        let broken = runner.execute_hooks_on(hooks, &BreaksOff(30), &dir).await;
        assert!(matches!(broken, Err(PayloadError::Serialize(_))));
        let (_, after) = runner.execute_hooks_on(hooks, &["a", "b"], &dir).await.unwrap();
        assert_ne!(answer(&before[0])["pid"], answer(&after[0])["pid"]);
        assert_eq!(answer(&after[0])["texts"], 2, "no byte of the broken question is left");
        runner.drain().await;
    }

    #[tokio::test]
    async fn an_event_waits_while_the_worker_is_busy() {
        let (_root, dir) = project();
        std::fs::write(dir.join("echo.py"), ECHO).unwrap();
        let hook = worker("python3 echo.py");
        let runner = runner();
        let hooks = std::slice::from_ref(&hook);
        runner.execute_hooks_on(hooks, &["a"], &dir).await.unwrap();
        let large: Vec<String> = vec!["y".repeat(3_000_000)];
        let (one, two) = tokio::join!(
            runner.execute_hooks_on(hooks, &large, &dir),
            runner.execute_hooks_on(hooks, &large, &dir)
        );
        for (_, runs) in [one.unwrap(), two.unwrap()] {
            assert_eq!(answer(&runs[0])["bytes"], 3_000_000);
        }
        runner.drain().await;
    }
}
