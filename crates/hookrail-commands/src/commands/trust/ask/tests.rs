use std::collections::VecDeque;
use std::sync::Arc;

use hookrail::settings::Settings;
use hookrail::{ApprovalStore, Hook};
use serde_json::{Value, json};

use super::*;

/// Answers from a list, and remembers what was shown before each answer.
struct Script {
    answers: VecDeque<&'static str>,
    seen: String,
}

impl Person for Script {
    fn show(&mut self, text: &str) {
        self.seen.push_str(text);
    }

    fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        self.seen.push_str(question);
        Ok(self.answers.pop_front().map(str::to_owned))
    }
}

fn review(commands: &[&str], settings: &Value) -> (tempfile::TempDir, Review) {
    let folder = tempfile::tempdir().unwrap();
    let hooks: Vec<Value> =
        commands.iter().map(|command| json!({ "type": "command", "command": command })).collect();
    let given = json!({ "hooks": { "BeforeTool": [{ "hooks": hooks }] } });
    let read = Settings::from_value(folder.path(), &given);
    let mut hooks: Vec<Hook> =
        read.hooks.into_iter().map(|configured| Arc::unwrap_or_clone(configured.hook)).collect();
    for hook in &mut hooks {
        hook.origin.level = hookrail::components::Level::Project;
    }
    let store = ApprovalStore::new(folder.path().join("state"));
    let review = store.pending(folder.path(), &hooks, settings);
    (folder, review)
}

#[test]
fn approves_what_was_answered_and_nothing_unseen() {
    for (answers, expected) in [
        (&["y", "n", "y"][..], Some("a c")),
        (&["n", "no", "n"], None),
        (&["y", "q"], Some("a")),
        (&["q"], None),
        (&["y"], Some("a")), // The end of input is a quit.
        (&[], None),
        (&["n", "a", "y"], Some("b c")),
        (&["a", "n"], None),
        (&["y", "a"], Some("a")),
        (&["maybe", "", "yes", "quit"], Some("a")),
        (&["n", "n", "all"], Some("c")),
    ] {
        let (_folder, review) = review(&["a", "b", "c"], &json!({ "enableHooks": true }));
        let mut person = Script { answers: answers.iter().copied().collect(), seen: String::new() };
        let chosen = choose(&review, &mut person).unwrap().approved;
        let names =
            chosen.map(|chosen| chosen.iter().map(|pending| pending.hook.name.as_str()).collect::<Vec<_>>());
        for name in names.iter().flatten() {
            assert!(person.seen.contains(&format!("hook `{name}`, new")), "{answers:?}: {name} unseen");
        }
        assert_eq!(names.map(|names| names.join(" ")).as_deref(), expected, "{answers:?}");
        assert!(person.seen.contains("| {\n    |   \"enableHooks\": true"), "{}", person.seen);
    }
}

#[test]
fn settings_alone_are_asked_about() {
    for (answers, approved) in [(&["y"][..], true), (&["n"], false), (&[], false)] {
        let (_folder, review) = review(&[], &json!({ "enableHooks": true }));
        let mut person = Script { answers: answers.iter().copied().collect(), seen: String::new() };
        let chosen = choose(&review, &mut person).unwrap().approved;
        assert_eq!(chosen.map(|chosen| chosen.len()), approved.then_some(0), "{answers:?}");
    }
}

#[test]
fn what_cannot_be_approved_is_not_asked_about() {
    let endless = "${a:-".repeat(100);
    let (_folder, review) = review(&[&endless, "b"], &Value::Null);
    let mut person = Script { answers: VecDeque::from(["y"]), seen: String::new() };
    let chosen = choose(&review, &mut person).unwrap().approved.unwrap();
    assert_eq!(chosen.iter().map(|pending| pending.hook.name.as_str()).collect::<Vec<_>>(), ["b"]);
    assert!(person.seen.contains("It cannot be approved: "));
}
