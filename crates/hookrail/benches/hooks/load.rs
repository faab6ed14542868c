//! P7: loading settings with many hooks, to parsing the same text into a value.

use std::fmt::Write;
use std::hint::black_box;

use crate::args::Args;
use crate::report::{Report, Target, time};
use crate::stats::{duel, median};

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
    let project = crate::engine::Project::with_user_settings(&text);
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
