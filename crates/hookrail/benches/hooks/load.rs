//! P7: loading settings with many hooks or rules, to parsing the same text.

use std::fmt::Write;
use std::hint::black_box;

use hookrail::JsonObject;

use crate::args::Args;
use crate::bridge::own_rules;
use crate::engine::{Engine, Project};
use crate::report::{Report, Target, time};
use crate::stats::{Duel, duel, median};

/// Settings with many hooks before tools, none of which matches a tool of the benchmark. One in four has a
/// regular expression as its matcher, the others name a tool.
pub(crate) fn settings_text(hooks: usize) -> String {
    let mut text = String::from(r#"{"enableHooks": true, "hooks": {"BeforeTool": ["#);
    for number in 0..hooks {
        let comma = if number == 0 { "" } else { "," };
        let matcher = match number % 8 {
            0 => format!("^edit_{number}_(file|folder)$"),
            4 => format!("^mcp__server{number}__.*_write"),
            _ => format!("tool_{number}"),
        };
        let _ = write!(
            text,
            r#"{comma}
    {{"matcher": "{matcher}", "hooks": [
      {{"type": "command", "name": "hook {number}", "command": "./hooks/check-{number}.sh --strict", "timeout": 5000}}
    ]}}"#
        );
    }
    text.push_str("\n]}}\n");
    text
}

/// Compares loading with parsing.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let text = settings_text(10_000);
    let project = Project::with_user_settings(&text);
    let duel = duel(
        args.budget(),
        || {
            black_box(serde_json::from_str::<serde_json::Value>(&text).expect("is JSON"));
        },
        || {
            let config = black_box(project.start());
            let system = config.hook_system().expect("hooks are on");
            assert_eq!(system.status().total_hooks, 10_000, "all hooks are read");
        },
    );
    let detail =
        format!("{}, parsing alone {}", time(median(&duel.ours.wall)), time(median(&duel.base.wall)));
    report.add("P7 loading 10,000 hooks, wall", duel.wall(), Target::AtMost(12.0), detail);
}

/// P7b: loading many rules, to parsing their text; and an event that none of them is for, to the same with ten.
pub(crate) fn rules(args: &Args, report: &mut Report) {
    const COUNT: usize = 10_000;
    let text = own_rules(COUNT);
    let project = Project::with_user_settings(&text);
    let loading = duel(
        args.budget(),
        || crate::bridge::parse(&text),
        || {
            let config = black_box(project.start_untried());
            let system = config.hook_system().expect("hooks are on");
            assert_eq!(system.status().total_hooks, COUNT, "all rules are read");
        },
    );
    let detail = |duel: &Duel, base: &str| {
        format!("{}, {base} {}", time(median(&duel.ours.wall)), time(median(&duel.base.wall)))
    };
    let target = Target::AtMost(2.0);
    report.add(
        "P7b loading 10,000 rules, to parsing them, wall",
        loading.wall(),
        target,
        detail(&loading, "parsing"),
    );
    let line = "cd crates/cli && cargo test --locked --test it rules 2>&1 | tail -20; git status";
    let input: JsonObject = [("command".to_owned(), line.into())].into_iter().collect();
    let [few, many] = [10, COUNT].map(|count| Engine::with_settings(&own_rules(count)));
    let fire = |engine: &Engine| {
        for _ in 0..200 {
            engine.fire_tool("run_shell_command", black_box(&input));
        }
    };
    let events = duel(args.budget(), || fire(&few), || fire(&many));
    let bench = "P7b event, 10,000 rules to ten, 200 events, wall";
    report.add(bench, events.wall(), Target::AtMost(1.25), detail(&events, "ten"));
}
