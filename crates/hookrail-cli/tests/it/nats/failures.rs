//! Nobody answers, or somebody answers badly: guarded calls are refused.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::kit::{LIMIT, LongClient, NatsServer, Service, client, failure, fire, service_with};
use hookrail_testkit::wait_until;

#[test]
fn without_a_server_or_a_service_it_is_known_at_once() {
    let Some(nats) = NatsServer::start("") else { return };
    // A minute is allowed; a run that used it would end with another reason.
    let caller = client(&nats, &json!({ "timeout": 60_000 }));
    let begin = Instant::now();
    let none = failure(&fire(&caller, "ls"));
    assert!(none.contains("no service listens on `hookrail.decide`"), "{none}");
    drop(nats);
    let away = failure(&fire(&caller, "ls"));
    assert!(away.contains("cannot connect") && begin.elapsed() < Duration::from_mins(1), "{away}");
}

#[test]
fn what_is_no_response_is_a_failure() {
    let Some(nats) = NatsServer::start("max_payload: 8388608") else { return };
    let response = |output: &str| format!(r#"{{"type":"hook-execution-response","output":{output}}}"#);
    let huge = response(&format!(r#"{{"finalOutput":null,"x":"{}"}}"#, "x".repeat(1024 * 1024)));
    let deep = response(&"[".repeat(100_000));
    for (answer, why) in [
        ("", "not JSON"),
        ("allow", "not JSON"),
        ("{}", "not a response"),
        (r#"{"decision":"allow"}"#, "not a response"),
        ("[]", "not a response"),
        (&*response("null"), "could not decide"),
        (&*response(r#"{"finalOutput":[]}"#), "not an object"),
        (r#"{"type":"hook-execution-response","success":true}"#, "could not decide"),
        (r#"{"type":"hook-execution-response","error":{"message":"broken"}}"#, "broken"),
        (&*huge, "more than 1048576 bytes"),
        (&*deep, "not JSON"),
    ] {
        let mut service = nats.raw();
        service.subscribe("hookrail.decide");
        let caller = client(&nats, &json!({ "timeout": 60_000 }));
        let asking = std::thread::spawn(move || fire(&caller, "ls"));
        let (reply, _) = service.next();
        service.publish(&reply, answer.as_bytes());
        let shown = failure(&asking.join().unwrap());
        assert!(shown.contains(why), "{why}: {shown}");
    }
    // One that never answers: the deadline.
    let mut service = nats.raw();
    service.subscribe("hookrail.decide");
    let shown = failure(&fire(&client(&nats, &json!({ "timeout": 300 })), "ls"));
    assert!(shown.contains("300"), "{shown}");
    let open = fire(&client(&nats, &json!({ "timeout": 300, "onFailure": "allow" })), "ls");
    assert_eq!(open.code, Some(0), "{open}");
}

#[test]
fn a_partition_fails_closed_and_heals() {
    let Some(nats) = NatsServer::start("") else { return };
    let project = service_with(&json!([{ "type": "rule", "name": "one", "when": {}, "block": "one" }]));
    let mut service = Service::start(&project, &nats, &[]);
    let mut asking = LongClient::start(client(&nats, &json!({ "timeout": 1500 })));
    let mut verdict = || {
        asking.ask(1);
        asking.verdicts(1).remove(0)
    };
    assert_eq!(verdict().1, "one");
    // Nothing passes, and nothing is closed.
    nats.signal(Signal::STOP);
    let (cause, reason) = verdict();
    assert!(cause == "failure" && reason.contains("1500"), "{cause}: {reason}");
    nats.signal(Signal::CONT);
    wait_until(LIMIT, "an answer", || verdict().1 == "one");
    // The server is gone, and comes back.
    let port = nats.port;
    drop(nats);
    assert_eq!(verdict().0, "failure");
    let _nats = NatsServer::start_at("", port).unwrap();
    service.wait_for("connected to");
    wait_until(LIMIT, "an answer", || verdict().1 == "one");
}

#[test]
fn a_connection_that_is_closed_is_known_at_once() {
    let Some(nats) = NatsServer::start("") else { return };
    let mut service = nats.raw();
    service.subscribe("hookrail.decide");
    let caller = client(&nats, &json!({ "timeout": 60_000 }));
    let asking = std::thread::spawn(move || fire(&caller, "ls"));
    service.next();
    drop(nats);
    let shown = failure(&asking.join().unwrap());
    assert!(shown.contains("closed"), "{shown}");
}

/// A connection is kept, so that what comes late or twice meets the next question.
#[test]
fn an_answer_counts_once_and_for_its_own_question() {
    let Some(nats) = NatsServer::start("") else { return };
    let answer = |blocked: bool, reason: &str| {
        let output = json!({ "finalOutput": null, "blocked": blocked, "reason": reason });
        json!({ "type": "hook-execution-response", "success": true, "output": output })
            .to_string()
            .into_bytes()
    };
    let mut service = nats.raw();
    service.subscribe("hookrail.decide");
    let mut asking = LongClient::start(client(&nats, &json!({ "timeout": 2000 })));
    asking.ask(1);
    let (first, _) = service.next();
    let (cause, reason) = asking.verdicts(1).remove(0);
    assert!(cause == "failure" && reason.contains("2000"), "{cause}: {reason}");
    asking.ask(1);
    let (second, _) = service.next();
    assert_ne!(first, second);
    service.publish(&first, &answer(false, "late"));
    service.publish(&second, &answer(true, "in time"));
    service.publish(&second, &answer(false, "twice"));
    assert_eq!(asking.verdicts(1), [("policy".to_owned(), "in time".to_owned())]);
    asking.ask(1);
    let (third, _) = service.next();
    service.publish(&second, &answer(false, "a third time"));
    // Somebody who knows where answers go, and not to which question.
    let inbox = third.rsplit_once('.').unwrap().0;
    for guess in
        [format!("{inbox}.x"), format!("{inbox}.{}", second.rsplit('.').next().unwrap()), inbox.to_owned()]
    {
        service.publish(&guess, &answer(false, "guessed"));
    }
    service.publish(&third, &answer(true, "the true one"));
    assert_eq!(asking.verdicts(1), [("policy".to_owned(), "the true one".to_owned())]);
}

#[test]
fn a_question_longer_than_the_server_takes_is_refused_and_the_next_one_is_not() {
    let Some(nats) = NatsServer::start("max_payload: 4096") else { return };
    let project = service_with(&json!([{ "type": "rule", "name": "one", "when": {}, "block": "one" }]));
    let _service = Service::start(&project, &nats, &[]);
    let caller = client(&nats, &json!({ "timeout": 60_000 }));
    failure(&fire(&caller, &"x".repeat(8192)));
    assert_eq!(fire(&caller, "ls").json()["reason"], "one");
    // An answer that is too long is said to be.
    let long =
        service_with(&json!([{ "type": "rule", "name": "long", "when": {}, "block": "y".repeat(8192) }]));
    let _long = Service::start(&long, &nats, &["--subject", "long"]);
    let caller = client(&nats, &json!({ "subject": "long", "timeout": 60_000 }));
    wait_until(LIMIT, "an answer", || !failure(&fire(&caller, "ls")).contains("no service listens"));
    let shown = failure(&fire(&caller, "ls"));
    assert!(shown.contains("larger than the NATS server accepts"), "{shown}");
}
