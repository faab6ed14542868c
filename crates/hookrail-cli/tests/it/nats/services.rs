//! Several services share the work; they come and go.

use std::collections::BTreeSet;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::kit::{LIMIT, LongClient, NatsServer, Service, client, fire, service_with};
use hookrail_testkit::{TestProject, wait_until};

/// A service that blocks everything and says who it is.
fn blocking(name: &str) -> TestProject {
    service_with(&json!([{ "type": "rule", "name": name, "when": {}, "block": name }]))
}

/// One whose hook is a process that takes a moment.
fn slow(name: &str) -> TestProject {
    let output = json!({ "decision": "block", "reason": name });
    service_with(
        &json!([{ "type": "command", "name": name, "command": format!("sleep 0.05; echo '{output}'") }]),
    )
}

#[test]
fn three_services_share_the_work_and_one_may_be_killed() {
    let Some(nats) = NatsServer::start("") else { return };
    let projects = ["one", "two", "three"].map(blocking);
    let services = projects.each_ref().map(|project| Service::start(project, &nats, &[]));
    let mut asking = LongClient::start(client(&nats, &json!({ "timeout": 2000 })));
    asking.ask(300);
    let verdicts = asking.verdicts(300);
    let by: BTreeSet<&str> = verdicts.iter().map(|(_, reason)| reason.as_str()).collect();
    assert_eq!(by, BTreeSet::from(["one", "two", "three"]));

    asking.ask(300);
    services[1].signal(Signal::KILL);
    let verdicts = asking.verdicts(300);
    for (cause, reason) in &verdicts {
        // Every call has its verdict: of a service, or of the deadline for what only the dead one knew.
        assert!(cause == "policy" || (cause == "failure" && reason.contains("2000")), "{cause}: {reason}");
    }
    asking.ask(60);
    let after: BTreeSet<(String, String)> = asking.verdicts(60).into_iter().collect();
    let of = |name: &str| ("policy".to_owned(), name.to_owned());
    assert_eq!(after, BTreeSet::from([of("one"), of("three")]));
}

#[test]
fn what_a_service_took_before_it_ends_is_answered() {
    let Some(nats) = NatsServer::start("") else { return };
    let projects = ["one", "two"].map(slow);
    let [one, _two] = projects.each_ref().map(|project| Service::start(project, &nats, &[]));
    let mut asking = LongClient::start(client(&nats, &json!({})));
    asking.ask(200);
    let mut verdicts = asking.verdicts(20);
    assert_eq!(one.end(), Some(0));
    verdicts.extend(asking.verdicts(180));
    let causes: BTreeSet<&str> = verdicts.iter().map(|(cause, _)| cause.as_str()).collect();
    assert_eq!(causes, BTreeSet::from(["policy"]), "{verdicts:?}");
    asking.ask(20);
    let after: BTreeSet<String> = asking.verdicts(20).into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(after, BTreeSet::from(["two".to_owned()]), "the other one is left");
}

#[test]
fn a_service_waits_for_a_server_that_is_away() {
    let Some(nats) = NatsServer::start("") else { return };
    let (url, port) = (nats.url(), nats.port);
    drop(nats);
    let project = blocking("one");
    let mut service = Service::launch(&project, &url, &[]);
    service.wait_for("is away; trying again in 1 s");
    service.wait_for("is away; trying again in 2 s");
    assert!(service.is_running(), "its stdin has ended, too");
    let nats = NatsServer::start_at("", port).unwrap();
    service.wait_for("connected to");
    let caller = client(&nats, &json!({ "timeout": 60_000 }));
    wait_until(LIMIT, "an answer", || fire(&caller, "ls").json()["reason"] == "one");
    drop(nats);
    service.wait_for("is lost");
    service.wait_for("is away; trying again in 1 s");
    assert_eq!(service.end(), Some(0), "also while the server is away");
}

#[test]
fn settings_are_read_again_and_hooks_that_are_off_decide_nothing() {
    let Some(nats) = NatsServer::start("") else { return };
    let project = blocking("one");
    let mut service = Service::start(&project, &nats, &[]);
    let caller = client(&nats, &json!({}));
    assert_eq!(fire(&caller, "ls").json()["reason"], "one");
    project.user_settings(&json!({ "enableHooks": false }));
    service.signal(Signal::HUP);
    service.wait_for("settings reloaded");
    let ran = fire(&caller, "ls");
    assert!(super::kit::failure(&ran).contains("hooks are off at the service"), "{ran}");
}

#[test]
fn queue_and_subject_can_be_chosen() {
    let Some(nats) = NatsServer::start("") else { return };
    let project = blocking("one");
    let _service = Service::start(&project, &nats, &["--subject", "team.blue", "--queue", "blue"]);
    let caller = client(&nats, &json!({ "subject": "team.blue" }));
    let reason = || fire(&caller, "ls").json()["reason"].clone();
    wait_until(LIMIT, "an answer", || reason() == "one");
    let none: Value = fire(&client(&nats, &json!({})), "ls").json();
    assert_eq!(none["blockCause"], "failure");
    for bad in [
        &["serve", "--nats", "http://a"][..],
        &["serve", "--nats", "nats://a", "--subject", "a.*"],
        &["serve", "--nats", "nats://a", "--socket", "/tmp/x"],
        &["serve", "--queue", "a"],
    ] {
        assert_eq!(crate::program::run(&project, bad).code, Some(64), "{bad:?}");
    }
}

/// On one machine, service and agent would share the system's settings: each question would ask the next one.
#[test]
fn a_service_does_not_ask_itself() {
    let Some(nats) = NatsServer::start("") else { return };
    let project = client(&nats, &json!({}));
    let ran = crate::program::run(&project, &["serve", "--nats", &nats.url()]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stderr.contains("and so itself") && ran.stderr.contains("--system"), "{ran}");
    // Another subject is another service's; so is a hook that does not run.
    let _other = Service::start(&project, &nats, &["--subject", "other"]);
    let own = blocking("one");
    let mut service = Service::start(&own, &nats, &[]);
    let hook = json!({ "type": "remote", "url": nats.url(), "timeout": 30_000 });
    own.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } }));
    service.signal(Signal::HUP);
    service.wait_for("and so itself");
    service.wait_for("were not reloaded");
    assert_eq!(fire(&client(&nats, &json!({})), "ls").json()["reason"], "one");
}
