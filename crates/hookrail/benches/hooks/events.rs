//! P1 to P5: events whose hooks run, to the floor.

use crate::args::Args;
use crate::engine::{Engine, large_payload, request_of, small_payload};
use crate::floor::Floor;
use crate::report::{Report, Target, say, time};
use crate::stats::{Budget, Duel, duel, median};
use crate::sys::own_cpu_time;

/// Reads its input and says nothing; the shell alone does it.
const SILENT: &str = "read -r _; exit 0";
/// Reads its input and answers with a decision.
const DECIDING: &str = r#"read -r _; echo '{"decision":"allow","reason":"fine"}'"#;
/// Reads all of a large input.
const READING: &str = "cat >/dev/null";

const WALL: f64 = 1.08;
const CPU: f64 = 1.08;
/// Several hooks share the cores, so that what the engine adds to each weighs less.
const SIDE_BY_SIDE: f64 = 1.05;

/// P1: one hook under the shell.
pub(crate) fn one_hook(args: &Args, report: &mut Report) {
    for (bench, command) in [("P1 silent hook", SILENT), ("P1 deciding hook", DECIDING)] {
        let duel = small_event(args.budget(), &[command.to_owned()]);
        add_wall(report, bench, &duel, Target::AtMost(WALL));
        add_cpu(report, bench, &duel, Target::AtMost(CPU));
    }
}

/// P2: hooks that need no shell.
pub(crate) fn direct_hook(args: &Args, report: &mut Report) {
    let folder = tempfile::tempdir().expect("makes a temporary folder");
    let script = folder.path().join("hook.sh");
    std::fs::write(&script, "#!/bin/sh\nexit 0\n").expect("writes a script");
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, permissions).expect("makes a script executable");
    let script = script.to_str().expect("temporary folders have plain names").to_owned();
    for (bench, command, target) in
        [("P2 plain program", "/usr/bin/true".to_owned(), 0.60), ("P2 script path", script, 0.65)]
    {
        let duel = small_event(args.budget(), &[command]);
        add_wall(report, bench, &duel, Target::AtMost(target));
        add_cpu(report, bench, &duel, Target::None);
    }
}

/// P3: hooks side by side.
pub(crate) fn parallel_hooks(args: &Args, report: &mut Report) {
    for count in [8, 32] {
        let bench = format!("P3 {count} hooks");
        let duel = small_event(args.budget(), &several(SILENT, count));
        add_wall(report, &bench, &duel, Target::AtMost(SIDE_BY_SIDE));
        add_cpu(report, &bench, &duel, Target::AtMost(CPU));
    }
}

/// P4: P1 in a large process. A fork would copy the page tables of all of it.
pub(crate) fn large_host(args: &Args, report: &mut Report) {
    // Not zeroes, which the system would hand out untouched.
    let heap = std::hint::black_box(vec![0xa5_u8; 512 << 20]);
    for (command, bench, as_in) in [
        (SILENT, "P4 512 MB host, silent hook", "P1 silent hook"),
        (DECIDING, "P4 512 MB host, deciding hook", "P1 deciding hook"),
    ] {
        let duel = small_event(args.budget(), &[command.to_owned()]);
        // As good as in a small host, or at least as good as it has to be there.
        let target = |what: &str, target: f64| {
            let ratio = report.ratio(&format!("{as_in}, {what}")).unwrap_or(target);
            Target::AtMost(ratio.max(target) + 0.10)
        };
        let (wall, cpu) = (target("wall", WALL), target("CPU", CPU));
        add_wall(report, bench, &duel, wall);
        add_cpu(report, bench, &duel, cpu);
    }
    drop(std::hint::black_box(heap));
}

/// P5: a large request to several hooks.
pub(crate) fn large_request(args: &Args, report: &mut Report) {
    for (bench, bytes, target) in
        [("P5 1 MB to 8 hooks", 1 << 20, 1.05), ("P5 10 MB to 8 hooks", 10 << 20, 1.30)]
    {
        let duel = large_event(args.budget(), bytes, 8);
        add_wall(report, bench, &duel, Target::None);
        add_cpu(report, bench, &duel, Target::AtMost(target));
    }
}

/// Small payloads to these commands: ours and the floor.
pub(crate) fn small_event(budget: Budget, commands: &[String]) -> Duel {
    let payload = small_payload();
    let floor = Floor::shell(commands);
    let engine = Engine::with_hooks("BeforeTool", commands);
    assert!(
        floor.run(&payload).iter().all(|said| said.code == 0 && said.stderr.is_empty()),
        "the floor works"
    );
    duel(budget, || drop(floor.run(&payload)), || engine.before_tool())
}

/// A large payload to hooks that read it: ours, serialisation included, and the floor.
pub(crate) fn large_event(budget: Budget, bytes: usize, hooks: usize) -> Duel {
    let request = request_of(bytes);
    let payload = large_payload(&request);
    let commands = several(READING, hooks);
    let floor = Floor::shell(&commands);
    let engine = Engine::with_hooks("BeforeModel", &commands);
    assert!(
        floor.run(&payload).iter().all(|said| said.code == 0 && said.stderr.is_empty()),
        "the floor works"
    );
    duel(budget, || drop(floor.run(&payload)), || engine.before_model(&request))
}

/// Contenders without a report, for a profiler to look at: `engine`, `floor`, or both in turns. Tells the CPU time
/// that this process took for an event.
pub(crate) fn repeat(who: &str, count: usize, hooks: usize, bytes: usize) {
    let large = bytes > 0;
    let request = request_of(bytes);
    let commands = several(if large { READING } else { SILENT }, hooks);
    let payload = if large { large_payload(&request) } else { small_payload() };
    let engine = Engine::with_hooks(if large { "BeforeModel" } else { "BeforeTool" }, &commands);
    let floor = Floor::shell(&commands);
    let mut own = [Vec::new(), Vec::new()];
    for _ in 0..count {
        for (name, samples) in ["engine", "floor"].into_iter().zip(&mut own) {
            if who == name || who == "both" {
                let before = own_cpu_time();
                match name {
                    "engine" if large => engine.before_model(&request),
                    "engine" => engine.before_tool(),
                    _ => drop(floor.run(&payload)),
                }
                samples.push(own_cpu_time().saturating_sub(before).as_secs_f64());
            }
        }
    }
    for (name, samples) in
        ["engine", "floor"].into_iter().zip(&own).filter(|(_, samples)| !samples.is_empty())
    {
        say(&format!("{name}: own CPU {}", time(median(samples))));
    }
}

/// The same command several times, but not so that they would count as duplicates.
pub(crate) fn several(command: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{command} # {number}")).collect()
}

/// The command that reads its input.
pub(crate) fn silent() -> &'static str {
    SILENT
}

/// The command that reads all of a large input.
pub(crate) fn reading() -> &'static str {
    READING
}

fn add_wall(report: &mut Report, bench: &str, duel: &Duel, target: Target) {
    let detail = format!("{}, floor {}", time(median(&duel.ours.wall)), time(median(&duel.base.wall)));
    report.add(&format!("{bench}, wall"), duel.wall(), target, detail);
}

fn add_cpu(report: &mut Report, bench: &str, duel: &Duel, target: Target) {
    let detail = format!("{}, floor {}", time(median(&duel.ours.cpu)), time(median(&duel.base.cpu)));
    report.add(&format!("{bench}, CPU"), duel.cpu(), target, detail);
}
