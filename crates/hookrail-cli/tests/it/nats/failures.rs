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
    assert!(none.contains("no service listens to `hookrail.decide`"), "{none}");
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
        ("{}", "no response"),
        (r#"{"decision":"allow"}"#, "no response"),
        ("[]", "no response"),
        (&*response("null"), "could not decide"),
        (&*response(r#"{"finalOutput":[]}"#), "no object"),
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
