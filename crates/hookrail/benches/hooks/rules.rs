//! P10: rules, which need no process.

use std::hint::black_box;
use std::task::{Context, Waker};
use std::time::Duration;

use hookrail::JsonObject;
use serde_json::{Value, json};

use crate::args::Args;
use crate::engine::Engine;
use crate::floor::Floor;
use crate::report::{Report, Target, time};
use crate::stats::{Budget, Ratio, duel, median};
use crate::sys::allocations;

/// Events in one sample of rules: one of them is too short to be timed.
const EVENTS: u32 = 200;
/// A shell line of about two hundred bytes, as agents write them.
const LINE: &str = "cd /srv/app && git fetch --all --prune && FILES=$(git diff --name-only origin/main | grep '\\.rs$') && \
                    for f in src/main.rs src/lib.rs; do cargo fmt -- --check \"$f\" || echo \"bad: $f\" >&2; done; ls -la | head -20";

/// Compares an event with one rule with the bare spawn of a shell, and an event that none of many rules is for with the
/// same event without rules.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let time_for = if args.quick { Duration::from_secs(1) } else { Duration::from_secs(6) };
    let budget = Budget { time: time_for, most: 2_000, least: 20 };
    let spawn = Floor::shell(&[":".to_owned()]);
    for (bench, rule, input, least) in [
        (
            "P10 bare bash spawn, to a rule on an argument",
            json!({ "when": { "input.file_path": "secrets/**" }, "block": "no" }),
            json!({ "file_path": "src/main.rs", "content": "x" }),
            500.0,
        ),
        (
            "P10 bare bash spawn, to a rule on a shell line of 200 bytes",
            json!({ "when": { "command": "rm -r -f" }, "block": "no" }),
            json!({ "command": LINE }),
            20.0,
        ),
    ] {
        let tool = if input.get("command").is_some() { "run_shell_command" } else { "write_file" };
        let engine = Engine::with_settings(&settings(&[rule]));
        let input = object(input);
        let ours = || {
            for _ in 0..EVENTS {
                engine.fire_tool(tool, black_box(&input));
            }
        };
        let duel = duel(
            budget,
            || {
                spawn.run(b"{}");
            },
            ours,
        );
        let ratio = duel.wall().inverse().scaled(f64::from(EVENTS));
        let each = median(&duel.ours.wall) / f64::from(EVENTS);
        let detail = format!("{}, to {}", time(median(&duel.base.wall)), time(each));
        report.add(bench, ratio, Target::AtLeast(least), detail);
    }
    let rules: Vec<Value> =
        (0..100).map(|number| json!({ "when": { "input.a": number }, "block": "no" })).collect();
    let with = Engine::with_settings(&settings_for("write_file", &rules));
    let without = Engine::with_settings(r#"{"enableHooks": true}"#);
    let mut context = Context::from_waker(Waker::noop());
    let mut other = Context::from_waker(Waker::noop());
    let repeat = |engine: &Engine, context: &mut Context<'_>| {
        for _ in 0..20_000 {
            black_box(engine.idle_before_tool(context, black_box("read_file")));
        }
    };
    repeat(&with, &mut other);
    let before = allocations();
    repeat(&with, &mut other);
    #[allow(clippy::cast_precision_loss, reason = "a small count")]
    let count = (allocations() - before) as f64;
    let duel = duel(budget, || repeat(&without, &mut context), || repeat(&with, &mut other));
    report.add(
        "P10 none of 100 rules is for the tool, to no rules",
        duel.wall(),
        Target::AtMost(2.0),
        String::new(),
    );
    report.add(
        "P10 none of 100 rules is for the tool: allocations",
        Ratio { middle: count, low: count, high: count },
        Target::AtMost(0.0),
        String::new(),
    );
}

fn settings(rules: &[Value]) -> String {
    settings_for("", rules)
}

fn settings_for(matcher: &str, rules: &[Value]) -> String {
    let rules: Vec<Value> = rules
        .iter()
        .map(|rule| {
            let mut rule = object(rule.clone());
            rule.insert("type".to_owned(), "rule".into());
            Value::Object(rule)
        })
        .collect();
    json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "matcher": matcher, "hooks": rules }] } })
        .to_string()
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => panic!("an object and not {other}"),
    }
}
