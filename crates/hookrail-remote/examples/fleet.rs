//! A fleet in one process: many machines, each with a connection of its own, ask at a steady rate. It prints how many answers
//! came, and how long they took.
//!
//! `cargo run --release -p hookrail-remote --example fleet -- nats://127.0.0.1:4222 1000 10 20`: the server, machines, questions a
//! second of each, seconds. Services are started apart: `hookrail serve --nats nats://127.0.0.1:4222`.
#![expect(clippy::print_stdout, reason = "it is a program")]

use std::time::{Duration, Instant};

use hookrail_remote::{Asker, Endpoint, Question, output_of};
use serde_json::json;
use tokio::task::JoinSet;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [url, machines, rate, seconds] = args.as_slice() else {
        return Err("usage: fleet URL MACHINES RATE SECONDS".into());
    };
    let (machines, rate, seconds): (u32, u32, u32) = (machines.parse()?, rate.parse()?, seconds.parse()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run(url, machines, rate, seconds));
    Ok(())
}

async fn run(url: &str, machines: u32, rate: u32, seconds: u32) {
    let payload = json!({ "session_id": "s", "cwd": "/home/dev/project", "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command", "tool_input": { "command": "git status && cargo test -p core" } });
    let payload = payload.to_string().into_bytes();
    let caller =
        json!({ "home": "/home/dev", "project": "/home/dev/project", "directory": "/home/dev/project" });
    let question = Question { event: "BeforeTool", payload: &payload, caller: &caller };
    let Ok(message) = question.message() else { return };
    let pause = Duration::from_secs(1) / rate;
    let mut fleet = JoinSet::new();
    // Time for all of them to connect first.
    let start = Instant::now() + Duration::from_secs(5);
    for machine in 0..machines {
        let (url, message) = (url.to_owned(), message.clone());
        fleet.spawn(async move {
            let asker = Asker::default();
            let endpoint = Endpoint { url, credentials: None, certificates: "/etc/ssl/cert.pem".into() };
            let (mut took, mut failed) = (Vec::new(), 0_u32);
            if asker.ask(&endpoint, "hookrail.decide", message.clone()).await.is_err() {
                failed += 1;
            }
            let first = start + pause * machine / machines;
            for number in 0..rate * seconds {
                // Planned, not measured from the last answer: a service that falls behind must show.
                let at = first + pause * number;
                tokio::time::sleep_until(at.into()).await;
                let question = asker.ask(&endpoint, "hookrail.decide", message.clone());
                match tokio::time::timeout(Duration::from_millis(500), question).await {
                    Ok(Ok(answer)) if output_of(&answer).is_ok() => took.push(at.elapsed()),
                    _ => failed += 1,
                }
            }
            (took, failed)
        });
    }
    let (mut took, mut failed) = (Vec::new(), 0);
    while let Some(done) = fleet.join_next().await {
        let Ok((more, bad)) = done else { continue };
        took.extend(more);
        failed += bad;
    }
    took.sort_unstable();
    let at = |share: usize| took.get((took.len() * share / 1000).min(took.len().saturating_sub(1)));
    let shown = |share: usize| at(share).map_or(0.0, |time| time.as_secs_f64() * 1000.0);
    println!(
        "{} answers, {failed} failures; median {:.2} ms, 99 of 100 {:.2} ms, 999 of 1000 {:.2} ms, slowest {:.2} ms",
        took.len(),
        shown(500),
        shown(990),
        shown(999),
        shown(1000)
    );
}
