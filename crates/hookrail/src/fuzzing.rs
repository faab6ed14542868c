//! What holds for any input at all. The test suite drives these checks with `proptest` and with the seeds in
//! `fuzz/seeds`; `cargo fuzz` drives them with whatever it can think of (feature `fuzzing`).
//!
//! A check takes raw bytes and panics when something does not hold.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::hook::fixtures;
use crate::hook::{Hook, HookKind};
use crate::host::bus::message::{BusErrorCode, ExecutionOutput, HookExecutionRequest, HookExecutionResponse};
use crate::matcher::{MatchVerdict, Matcher, reference};
use crate::output::json::{parse_json, trim_output};
use crate::rules::{Facts, Folders, Subject};
use crate::run::fuzzing::{interpreted, plain_words, quote_project_dirs};
use crate::settings::parse_user_text;
use crate::verdict::aggregator::HookAggregator;
use crate::verdict::common_fields::process_common_hook_output_fields;
use crate::verdict::hook_run::{Exit, HookRun};
use crate::verdict::result::ProcessedHookResult;
use hookrail_shell::{facts_of_argv, facts_of_line, outline, single_quoted};

/// Separates the parts of one input.
const SEPARATOR: u8 = 0x1e;

/// How any exit with any output is read, and what any event makes of it.
pub fn hook_stdout(data: &[u8]) {
    let Some(([how, event], rest)) = data.split_first_chunk::<2>() else { return };
    let (stdout, stderr) = split(rest);
    let exit = match how % 8 {
        0..=3 => Exit::Code(0),
        4 => Exit::Code(2),
        5 => Exit::Code(i32::from(*how)),
        6 => Exit::Signal(i32::from(*how % 64) + 1),
        _ => Exit::TimedOut(Duration::from_millis(u64::from(*how))),
    };
    let truncated = how & 0x80 != 0;
    let event = EventName::ALL.get(usize::from(*event) % EventName::ALL.len()).copied();
    let event = event.unwrap_or(EventName::BeforeTool);
    let run = interpreted(&hook(event), exit.clone(), (stdout, truncated), stderr);
    let blocks = run.output.as_ref().is_some_and(crate::output::HookOutput::is_blocking_decision);
    match exit {
        Exit::Code(2) => assert!(blocks && run.failure().is_none(), "exit 2 blocks: {run:?}"),
        Exit::Code(0) if truncated => assert!(!blocks && run.failure().is_some(), "half an answer: {run:?}"),
        // Text is text, however odd; only what nests too deep is not an answer.
        Exit::Code(0) => {
            assert!(run.failure().is_none() || (!blocks && may_nest_deep(&run.stdout)), "{run:?}");
        }
        _ => assert!(!blocks && run.failure().is_some(), "no verdict: {run:?}"),
    }
    if exit == Exit::Code(0) && !truncated && strictly_blocks(trim_output(&run.stdout)) {
        assert!(blocks, "a block in strict JSON is a block: {run:?}");
    }

    // Other hooks, before or after, never remove a block or a stop.
    let blocker = interpreted(&hook(event), Exit::Code(2), (b"", false), b"no");
    let stopper = interpreted(&hook(event), Exit::Code(0), (br#"{"continue":false}"#, false), b"");
    let quiet = interpreted(&hook(event), Exit::Code(0), (b"", false), b"");
    let alone = outcome(event, vec![run.clone()]);
    for (with, blocked, stopped) in [
        (&blocker, event.can_block(), alone.stop.is_some()),
        (&stopper, alone.block.is_some(), true),
        (&quiet, alone.block.is_some(), alone.stop.is_some()),
    ] {
        for runs in [vec![run.clone(), with.clone()], vec![with.clone(), run.clone()]] {
            let result = outcome(event, runs);
            assert!(result.block.is_some() || !blocked, "a block was lost: {result:?}");
            assert!(result.stop.is_some() || !stopped, "a stop was lost: {result:?}");
            assert!(
                result.stop.as_ref().is_none_or(|stop| !stop.as_str().trim().is_empty()),
                "a stop has a reason"
            );
            let written = serde_json::to_string(&ExecutionOutput::from(&result));
            assert!(written.is_ok(), "a result has a JSON form: {written:?}");
        }
    }
}

/// Any text of a settings file: findings are about places inside it, and hooks that are read are sound.
pub fn settings_text(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let settings = parse_user_text(text);
    for hook in &settings.hooks {
        assert!(!hook.timeout.is_zero() && !hook.name.is_empty());
        assert!(!matches!(hook.kind, HookKind::Command(_)) || !hook.command().trim().is_empty());
    }
    for finding in &settings.diagnostics {
        let place = finding.place.as_ref().map(|place| text.get(place.span.clone()));
        assert!(place.is_none_or(|text| text.is_some()), "a place outside of the text: {finding:?}");
    }
}

/// Any line that a client of the bus may send, on the way that `serve` takes. Where the line is JSON, the message in it
/// must be read alike on the way that hosts take.
pub fn bus_line(data: &[u8]) {
    let served = HookExecutionRequest::parse_text(data);
    let code = |refusal: &HookExecutionResponse| refusal.outcome.as_ref().err().map(|error| error.code);
    let refused_with = served.as_ref().err().and_then(code);
    assert_ne!(refused_with, Some(BusErrorCode::InternalError), "a panic is answered, but is still a panic");
    let answer = served.clone().map_or_else(|refusal| refusal, HookExecutionRequest::answer_without_hooks);
    let line = serde_json::to_string(&answer).unwrap_or_default();
    assert!(!line.is_empty() && !line.contains('\n'), "an answer is one line: {line:?}");
    let text = String::from_utf8_lossy(data);
    let Ok(message) = parse_json(&text) else {
        let refusal = served.err();
        assert!(refusal.is_some_and(|refusal| !refusal.success()), "what is no JSON is refused");
        return;
    };
    if std::str::from_utf8(data).is_ok() {
        let hosted = HookExecutionRequest::parse(message.clone());
        match (&served, &hosted) {
            (Ok(served), Ok(hosted)) => assert_eq!(served.event_name, hosted.event_name),
            (Err(served), Err(hosted)) => assert_eq!(code(served), code(hosted)),
            _ => assert_eq!(served.is_ok(), hosted.is_ok(), "both ways agree"),
        }
    }
    let given_id = message.get("correlationId").and_then(Value::as_str).map(str::to_owned);
    if std::str::from_utf8(data).is_ok() {
        assert!(given_id.as_ref().is_none_or(|id| *id == answer.correlation_id), "the id is echoed: {line}");
    }
    match HookExecutionRequest::parse(message) {
        Err(refusal) => {
            assert!(!refusal.success(), "a refusal is no success");
            assert!(given_id.is_none_or(|id| id == refusal.correlation_id), "the id is echoed");
            let written = serde_json::to_value(&refusal).unwrap_or_default();
            assert!(written.pointer("/error/code").is_some_and(Value::is_string), "{written}");
            assert!(!written.pointer("/error/message").is_none_or(|text| text == ""), "{written}");
        }
        Ok(request) => {
            assert!(given_id.is_none_or(|id| id == request.correlation_id), "the id is echoed");
            assert_eq!(request.input.event().name(), request.event_name);
        }
    }
}

/// Any matcher with any tool name: decided within bounds, and as the reference engine decides where that one
/// can be asked.
pub fn matcher(data: &[u8]) {
    let (pattern, name) = split(data);
    let (pattern, name) = (String::from_utf8_lossy(pattern), String::from_utf8_lossy(name));
    let matcher = Matcher::compile(&pattern);
    let verdict = matcher.matches_tool(&name);
    assert_eq!(verdict, matcher.matches_tool(&name), "the same answer twice");
    // The reference takes exponential time, does not know our wildcards, and reads `\u{3}` as one character.
    let has_digit_escape =
        pattern.contains('\\') && pattern.contains(|c: char| c.is_ascii_digit() || c == 'k');
    let is_wildcard = Matcher::is_wildcard(&pattern);
    if verdict == MatchVerdict::BoundReached
        || name.len() > 6
        || pattern.len() > 30
        || has_digit_escape
        || is_wildcard
    {
        return;
    }
    if let Some(is_found) = reference::finds(&pattern, &name) {
        assert_eq!(verdict.is_match(), is_found, "{pattern:?} on {name:?}");
    }
}

/// Any command: quotes come in pairs and only around the variables, and the words of a plain command are
/// what is in it.
pub fn command_expansion(data: &[u8]) {
    const VARIABLES: [&str; 6] = [
        "$LLXPRT_PROJECT_DIR",
        "$GEMINI_PROJECT_DIR",
        "$CLAUDE_PROJECT_DIR",
        "${LLXPRT_PROJECT_DIR}",
        "${GEMINI_PROJECT_DIR}",
        "${CLAUDE_PROJECT_DIR}",
    ];
    let (command, directory) = split(data);
    let (command, directory) = (String::from_utf8_lossy(command), String::from_utf8_lossy(directory));
    let quoted = quote_project_dirs(&command);
    let undone = without_added_quotes(&quoted, &command, &VARIABLES);
    assert_eq!(undone.as_deref(), Some(&*command), "became {quoted:?}");
    if !VARIABLES.iter().any(|name| command.contains(name)) {
        assert_eq!(quoted, command);
    }
    if let Some(words) = plain_words(&command, Path::new(&*directory)) {
        let written = command.matches('"').count();
        assert!(written % 2 == 0 && !words.is_empty());
        assert!(
            !command.contains(['\n', ';', '&', '|', '`', '\'', '*', '~', '(', '<', '>', '\\']),
            "{command:?}"
        );
        // The directory is never looked at: it is part of a word, whatever it holds.
        let expected = plain_words(&command, Path::new("/d")).unwrap_or_default();
        assert_eq!(words.len(), expected.len(), "{command:?} in {directory:?}");
    }
}

/// Any text as a shell line, and any words as an argv: the facts are the same twice, every program is one of the
/// commands, and in single quotes any text is one word.
pub fn shell_line(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let facts = facts_of_line(&text);
    assert_eq!(facts, facts_of_line(&text), "the same facts twice");
    for program in &facts.programs {
        let is_told = facts.commands.iter().any(|command| {
            let name = command.argv.first().and_then(Option::as_deref);
            !command.builtin && name.and_then(|name| name.rsplit('/').next()) == Some(program)
        });
        assert!(is_told, "{program:?} is no command of {text:?}");
    }
    assert!(facts.commands.iter().all(|command| !command.argv.is_empty()), "a command has a name");
    let quoted = format!("echo {}", single_quoted(&text));
    if quoted.len() < 1 << 20 && !text.contains('\0') {
        let facts = facts_of_line(&quoted);
        let argv: Vec<_> = facts.commands.iter().flat_map(|command| command.argv.iter().flatten()).collect();
        assert!(
            !facts.is_dynamic() && facts.paths.is_empty() && argv == ["echo", &*text],
            "{quoted:?}: {facts:?}"
        );
    }
    outline_is_sound(&text);
    let argv: Vec<String> = text.split(char::from(SEPARATOR)).map(str::to_owned).collect();
    let facts = facts_of_argv(&argv);
    assert!(
        facts.is_dynamic() || facts.commands.first().is_some_and(|command| command.argv.len() == argv.len())
    );
}

/// Any line of a worker: what it means does not depend on blanks around it, and both streams stay within the bound.
pub fn worker_line(data: &[u8]) {
    const KEEP: usize = 64;
    let meaning = crate::run::worker_fuzzing::meaning(data, KEEP);
    let padded = [b" ", data, b"\r"].concat();
    if !data.starts_with(&[0xef]) && !data.ends_with(&[0]) {
        assert_eq!(meaning, crate::run::worker_fuzzing::meaning(&padded, KEEP), "{data:?}");
    }
    if let Some((stdout, stderr)) = meaning.kept {
        assert!(stdout <= KEEP && stderr <= KEEP, "{data:?}");
    }
}

/// Any condition on any shell line: it comes out alike twice, an explanation says the same, and a rule that cannot be read
/// never goes without a finding.
pub fn rule(data: &[u8]) {
    evaluated_rules(data);
}

/// How many rules were evaluated.
fn evaluated_rules(data: &[u8]) -> usize {
    let (when, line) = split(data);
    let (when, line) = (String::from_utf8_lossy(when), String::from_utf8_lossy(line));
    // The line feed ends a comment, so that what follows is never part of one.
    let before = r#"{"hooks":{"BeforeTool":[{"hooks":[{"type":"rule","block":"no","when":"#;
    let text = format!("{before}{when}\n}}]}}]}}}}");
    let settings = parse_user_text(&text);
    let mut input = JsonObject::new();
    input.insert("command".to_owned(), Value::String(line.into_owned()));
    let mut count = 0;
    for hook in &settings.hooks {
        let rule = match &hook.kind {
            HookKind::Rule(rule) => rule,
            HookKind::UnreadableRule(_) => {
                assert!(!settings.diagnostics.is_empty(), "an unreadable rule is told: {text}");
                continue;
            }
            _ => continue,
        };
        if hook.event != EventName::BeforeTool {
            continue;
        }
        let facts = || {
            let subject = Subject {
                tool_name: Some("run_shell_command"),
                tool_input: Some(&input),
                ..Subject::default()
            };
            let folder = Path::new("/hookrail/no/such/folder");
            Facts::new(subject, Folders { project: folder, cwd: folder, home: None })
        };
        let truth = rule.evaluate(&facts());
        assert_eq!(truth, rule.evaluate(&facts()), "{text}");
        assert_eq!(truth, rule.explain(&facts()).truth, "{text}");
        count += 1;
    }
    count
}

/// Everything that an outline says is somewhere in the text, each variable at its dollar sign and once.
fn outline_is_sound(text: &str) {
    let outline = outline(text);
    for (_, word) in outline.words() {
        assert!(text.get(word.span.clone()).is_some(), "{word:?} of {text:?}");
    }
    let mut end = 0;
    for variable in &outline.variables {
        let written = text.get(variable.span.clone());
        assert!(written.is_some_and(|written| written.contains('$')), "{variable:?} of {text:?}");
        assert!(!variable.is_plain || variable.span.start >= end, "{variable:?} of {text:?} is told twice");
        end = variable.span.start + 1;
    }
    let beginning = outline.beginning(text);
    if beginning.is_whole {
        let spans = beginning.assignments.iter().map(|assignment| &assignment.span);
        let covered: usize =
            spans.chain(beginning.words.iter().map(|word| &word.span)).map(ExactSizeIterator::len).sum();
        let blanks = text.matches([' ', '\t']).count();
        assert!(covered <= text.len() && text.len() <= covered + blanks, "{text:?} is more than its words");
    }
}

fn outcome(event: EventName, runs: Vec<HookRun>) -> ProcessedHookResult {
    let aggregated = HookAggregator::default().aggregate_results(event, &runs, false);
    process_common_hook_output_fields(event, aggregated, runs)
}

fn hook(event: EventName) -> Arc<Hook> {
    Arc::new(Hook { event, ..fixtures::hook("hook") })
}

fn strictly_blocks(text: &str) -> bool {
    let decision = serde_json::from_str::<Value>(text).ok();
    decision.is_some_and(|value| {
        value.is_object() && matches!(value.get("decision").and_then(Value::as_str), Some("block" | "deny"))
    })
}

fn may_nest_deep(text: &str) -> bool {
    text.matches(['[', '{']).count() > 1000
}

/// What is left of a command when the quotes that were put around `variables` are taken away again; `None` where
/// something else was done to it.
fn without_added_quotes(quoted: &str, command: &str, variables: &[&str]) -> Option<String> {
    let (mut quoted, mut command, mut result) = (quoted, command, String::new());
    while let Some(next) = command.chars().next() {
        // A command goes on with `$` here and the quoted one with a quote: it must be one of ours.
        let mut length = next.len_utf8();
        if next == '$' && quoted.starts_with('"') {
            let variable = variables.iter().find(|variable| command.starts_with(**variable))?;
            length = variable.len();
            quoted = quoted.strip_prefix('"')?.strip_prefix(variable)?.strip_prefix('"')?;
        } else {
            quoted = quoted.strip_prefix(next)?;
        }
        result.push_str(command.get(..length)?);
        command = command.get(length..)?;
    }
    quoted.is_empty().then_some(result)
}

fn split(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|byte| *byte == SEPARATOR) {
        Some(at) => (data.get(..at).unwrap_or_default(), data.get(at + 1..).unwrap_or_default()),
        None => (data, &[]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Check = fn(&[u8]);
    const CHECKS: [(&str, Check); 8] = [
        ("hook_stdout", hook_stdout),
        ("settings_text", settings_text),
        ("bus_line", bus_line),
        ("matcher", matcher),
        ("command_expansion", command_expansion),
        ("shell_line", shell_line),
        ("rule", rule),
        ("worker_line", worker_line),
    ];

    /// Bytes made of pieces that mean something to one check or another.
    fn meaningful() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            3 => prop::sample::select(vec![
                "{", "}", "[", "]", "\"", ":", ",", "\\", "\u{1e}", "null", "true", "1e999", "-0", "\u{feff}", "\n", " ",
                r#"{"decision":"block"}"#, r#""reason":"no""#, r#""continue":false"#, r#"{"hooks":{"BeforeTool":[{"hooks":["#,
                r#"{"type":"command","command":"x"}"#, "]}]}}", r#""hooksConfig":{"disabled":["guard"]}"#, "// note\n",
                r#"{"type":"hook-execution-request","eventName":"BeforeTool","correlationId":"1","input":{"#,
                r#""tool_name":"ls","tool_input":{}}}"#, "(a+)+", "(?=", "(?<!", "a", "*", "+", "{2}", "|", "^", "$", "[a-z]",
                "$LLXPRT_PROJECT_DIR", "${CLAUDE_PROJECT_DIR}", "$(", ")", "`", "'", "<<E\n", "case x in ", "esac", "#", ";", "~",
                "rm ", "if ", "then ", "fi", "do ", "done", "for x in ", "f() { ", "eval ", "bash -c ", "X=rm", "$X", "&&", "(", "((", "[[ ",
            ]).prop_map(|text| text.as_bytes().to_vec()),
            1 => any::<Vec<u8>>(),
        ];
        (any::<[u8; 2]>(), prop::collection::vec(piece, 0..16))
            .prop_map(|(start, pieces)| [start.to_vec(), pieces.concat()].concat())
    }

    proptest! {
        #[test]
        fn everything_holds_for_any_bytes(data in any::<Vec<u8>>()) {
            for (_, check) in CHECKS {
                check(&data);
            }
        }

        #[test]
        fn everything_holds_for_what_looks_meaningful(data in meaningful(), skip in 0..3usize) {
            for (_, check) in CHECKS {
                check(data.get(skip..).unwrap_or_default());
            }
        }
    }

    #[test]
    fn a_condition_reaches_its_rule() {
        assert_eq!(evaluated_rules(b"{\"command\":\"git push\"} // a\x1egit push"), 1);
        assert_eq!(evaluated_rules(b"{\"comand\":\"git push\"}\x1egit push"), 0);
    }

    #[test]
    fn everything_holds_for_the_seeds() {
        for (name, check) in CHECKS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
            let seeds: Vec<_> =
                std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            assert!(seeds.len() >= 3, "{} holds too little", folder.display());
            for seed in seeds {
                check(&std::fs::read(seed).unwrap());
            }
        }
    }
}
