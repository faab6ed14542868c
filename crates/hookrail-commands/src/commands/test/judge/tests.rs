use hookrail::components::Level;

use super::*;
use crate::commands::test::case::DecisionWord;
use crate::commands::test::seen::HookThatRan;

fn seen() -> SeenOutcome {
    let input = json!({ "command": "ls", "n": 1, "deep": { "a": [1, 2], "b": true } });
    SeenOutcome {
        decision: DecisionWord::Block,
        reasons: vec!["force pushes are for people".to_owned(), "second".to_owned()],
        ran: vec![HookThatRan {
            name: "guard".to_owned(),
            how: "a rule".to_owned(),
            level: Level::Project,
            decided: true,
            stands_in: false,
        }],
        input: input.as_object().cloned(),
        output: Some(json!({ "decision": "block" })),
        failures: Vec::new(),
        took_ms: 20,
        warnings: Vec::new(),
    }
}

#[test]
fn each_key_is_compared_in_its_own_way() {
    let object = |value: Value| value.as_object().cloned();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let none = Expect::default;
    for (expect, keys) in [
        (none(), ""),
        (Expect { decision: Some(DecisionWord::Block), ..none() }, ""),
        (Expect { decision: Some(DecisionWord::Allow), ..none() }, "decision"),
        (Expect { reason: Some("people".to_owned()), ..none() }, ""),
        (Expect { reason: Some("second".to_owned()), ..none() }, ""),
        (Expect { reason: Some(String::new()), ..none() }, ""),
        (Expect { reason: Some("People".to_owned()), ..none() }, "reason"),
        (Expect { ran: names(&["guard"]), ..none() }, ""),
        (Expect { ran: names(&["guard", "other"]), ..none() }, "ran"),
        (Expect { not_ran: names(&["other"]), ..none() }, ""),
        (Expect { not_ran: names(&["guard", "other"]), ..none() }, "notRan"),
        (Expect { input: object(json!({ "n": 1.0, "deep": { "b": true } })), ..none() }, ""),
        (Expect { input: object(json!({ "deep": { "a": [1] } })), ..none() }, "input"),
        (Expect { input: object(json!({ "missing": null })), ..none() }, "input"),
        (Expect { output: object(json!({ "decision": "block" })), ..none() }, ""),
        (Expect { output: object(json!({ "decision": "deny" })), ..none() }, "output"),
        (Expect { errors: Some(false), ..none() }, ""),
        (Expect { errors: Some(true), ..none() }, "errors"),
        (Expect { max_ms: Some(20), ..none() }, ""),
        (Expect { max_ms: Some(19), ..none() }, "maxMs"),
    ] {
        let found: Vec<_> = mismatches(&expect, &seen()).iter().map(|found| found.key).collect();
        assert_eq!(found.join(" "), keys, "{expect:?}");
    }
}

#[test]
fn a_failing_hook_fails_a_test_that_does_not_expect_it() {
    let failing = SeenOutcome { failures: vec!["hook `a` failed: boom".to_owned()], ..seen() };
    let found = mismatches(&Expect::default(), &failing);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].line(), "errors: expected none, seen hook `a` failed: boom");
    assert_eq!(found[0].accepted, json!(true));
    assert!(mismatches(&Expect { errors: Some(true), ..Expect::default() }, &failing).is_empty());
}

#[test]
fn what_would_be_accepted_holds() {
    let expect = Expect {
        ran: vec!["other".to_owned()],
        not_ran: vec!["guard".to_owned(), "x".to_owned()],
        input: json!({ "command": "rm", "gone": 1 }).as_object().cloned(),
        ..Expect::default()
    };
    let found = mismatches(&expect, &seen());
    let accepted: Vec<_> = found.iter().map(|found| (found.key, found.accepted.to_string())).collect();
    assert_eq!(
        accepted,
        [
            ("ran", r#"["guard"]"#.to_owned()),
            ("notRan", r#"["x"]"#.to_owned()),
            ("input", r#"{"command":"ls"}"#.to_owned())
        ]
    );
}
