//! Who may ask, who may answer, and over which connection.

use std::fs;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hookrail_testkit::{TestProject, wait_until};
use nkeys::KeyPair;
use serde_json::{Value, json};

use super::kit::{LIMIT, NatsServer, Service, client, failure, fire, private, service_with};
use crate::program::{Ran, hookrail, left_out, run};

fn blocking() -> TestProject {
    service_with(&json!([{ "type": "rule", "name": "one", "when": {}, "block": "one" }]))
}

fn doctor(project: &TestProject) -> Vec<Value> {
    let report = run(project, &["doctor", "--format", "json"]).json();
    let rows = report["findings"].as_array().unwrap().iter();
    rows.filter(|row| row["area"] == "remote").cloned().collect()
}

#[test]
fn nkeys_ask_and_answer_as_far_as_they_may() {
    let [asks, answers, both, stranger] = [0; 4].map(|_| KeyPair::new_user());
    let config = format!(
        "authorization {{ users = [
            {{ nkey: {asker}, permissions: {{ publish: \"hookrail.decide\", subscribe: \"_INBOX.{asker}.>\" }} }}
            {{ nkey: {}, permissions: {{ subscribe: \"hookrail.decide hookrail\", publish: \"_INBOX.>\" }} }}
            {{ nkey: {} }}
        ] }}",
        answers.public_key(),
        both.public_key(),
        asker = asks.public_key(),
    );
    let Some(nats) = NatsServer::start(&config) else { return };
    let project = blocking();
    let home = project.home();
    let file = |name: &str, key: &KeyPair| private(&home, name, &format!("{}\n", key.seed().unwrap()), 0o600);
    let service_file = file("service", &answers);
    let _service = Service::start(&project, &nats, &["--credentials", &service_file]);
    let caller = |file: &str| client(&nats, &json!({ "credentials": file }));

    let asking = caller(&file("asks", &asks));
    let answered = || fire(&asking, "ls").json()["reason"] == "one";
    wait_until(LIMIT, "an answer", answered);
    let rows = doctor(&asking);
    assert_eq!((rows.len(), &rows[0]["state"]), (1, &json!("ok")), "{rows:?}");

    let rows = doctor(&caller(&file("both", &both)));
    assert_eq!(rows[0]["state"], "error", "{rows:?}");
    assert!(rows[0]["message"].as_str().unwrap().contains("could also answer"), "{rows:?}");

    let refused = |ran: &Ran, why: &str| {
        let shown = failure(ran);
        assert!(shown.to_lowercase().contains(why), "{why}: {shown}");
    };
    refused(&fire(&caller(&file("stranger", &stranger)), "ls"), "authorization violation");
    refused(&fire(&client(&nats, &json!({})), "ls"), "authorization violation");
    refused(&fire(&client(&nats, &json!({ "credentials": service_file })), "ls"), "permissions violation");
    refused(&fire(&caller(&private(&home, "empty", "", 0o600)), "ls"), "no seed");
    refused(&fire(&caller(&private(&home, "open", "x", 0o666)), "ls"), "mode 0600");
    refused(&fire(&caller("/nowhere/at/all"), "ls"), "cannot be read");
    let checked = run(&caller("/nowhere/at/all"), &["check"]);
    assert_eq!(checked.code, Some(1), "{checked}");
    for row in doctor(&caller(&file("stranger", &stranger))) {
        assert_eq!(row["state"], "error", "{row}");
    }
}

/// Keys as the page makes them: the file is private, never overwritten, and belongs to what is printed.
#[test]
fn a_key_is_made_for_the_server_and_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = TestProject::new();
    let file = project.home().join("agent.nk");
    let path = file.display().to_string();
    let made = run(&project, &["serve", "--new-key", &path]);
    assert_eq!(made.code, Some(0), "{made}");
    let seed = fs::read_to_string(&file).unwrap();
    assert_eq!(KeyPair::from_seed(seed.trim()).unwrap().public_key(), made.stdout.trim(), "{made}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!made.to_string().contains(seed.trim()), "{made}");
    assert_eq!(run(&project, &["serve", "--new-key", &path]).code, Some(1));
    assert_eq!(fs::read_to_string(&file).unwrap(), seed);
}

#[test]
fn a_name_and_a_password_in_the_address_are_used_and_not_shown() {
    let config = "authorization { users = [ { user: bob, password: s3cret, permissions: { publish: \"hookrail.decide\", subscribe: \"_INBOX.bob.>\" } }, { user: svc, password: t0p } ] }";
    let Some(nats) = NatsServer::start(config) else { return };
    let project = blocking();
    let with = |user: &str| nats.url().replace("://", &format!("://{user}@"));
    let mut service = Service::launch(&project, &with("svc:t0p"), &[]);
    let said = service.wait_for("connected to");
    assert!(!said.contains("t0p"), "{said}");
    let caller = client(&nats, &json!({ "url": with("bob:s3cret") }));
    wait_until(LIMIT, "an answer", || fire(&caller, "ls").json()["reason"] == "one");
    let told = format!("{}{}", fire(&caller, "ls"), run(&caller, &["doctor"]));
    assert!(told.contains("can only ask") && !told.contains("s3cret"), "{told}");
}

/// A token of the protocol, signed by a key.
fn token(claims: &Value, issuer: &KeyPair) -> String {
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = encode(&json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let signed = format!("{head}.{}", encode(claims));
    let signature = URL_SAFE_NO_PAD.encode(issuer.sign(signed.as_bytes()).unwrap());
    format!("{signed}.{signature}")
}

#[test]
fn a_credentials_file_is_used() {
    let (operator, account, user) = (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_user());
    let claims = |issuer: &KeyPair, subject: &KeyPair, nats: Value| json!({ "jti": "x", "iat": 1_700_000_000, "iss": issuer.public_key(), "sub": subject.public_key(), "name": "n", "nats": nats });
    let kind = |kind: &str| json!({ "type": kind, "version": 2 });
    let unlimited = json!({ "subs": -1, "conn": -1, "leaf": -1, "imports": -1, "exports": -1, "data": -1, "payload": -1, "wildcards": true });
    let mut of_account = kind("account");
    of_account["limits"] = unlimited;
    let mut of_user = kind("user");
    of_user["subs"] = json!(-1);
    of_user["data"] = json!(-1);
    of_user["payload"] = json!(-1);
    let config = format!(
        "operator: {}\nresolver: MEMORY\nresolver_preload: {{ {}: {} }}",
        token(&claims(&operator, &operator, kind("operator")), &operator),
        account.public_key(),
        token(&claims(&operator, &account, of_account), &operator),
    );
    let Some(nats) = NatsServer::start(&config) else { return };
    let project = blocking();
    let text = format!(
        "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        token(&claims(&account, &user, of_user), &account),
        user.seed().unwrap(),
    );
    let file = private(&project.home(), "user.creds", &text, 0o600);
    let _service = Service::start(&project, &nats, &["--credentials", &file]);
    let caller = client(&nats, &json!({ "credentials": file }));
    wait_until(LIMIT, "an answer", || fire(&caller, "ls").json()["reason"] == "one");
}

/// The certificates are the system's. Where a test may put one of its own there, it sees that it counts.
#[test]
fn tls_takes_the_certificates_of_the_system() {
    let folder = TestProject::new();
    let at = |name: &str| folder.dir().join(name).display().to_string();
    // Its own configuration: the system's may be missing.
    fs::write(at("openssl.cnf"), "[req]\ndistinguished_name = name\n[name]\n").unwrap();
    let made = Command::new("openssl")
        .args([
            "req",
            "-config",
            &at("openssl.cnf"),
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args([
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ])
        .args(["-keyout", &at("key.pem"), "-out", &at("cert.pem")])
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        return left_out(
            "the test of NATS with TLS is left out: openssl is not installed, or makes no certificate",
        );
    }
    let config = format!("tls {{ cert_file: \"{}\", key_file: \"{}\" }}", at("cert.pem"), at("key.pem"));
    let Some(nats) = NatsServer::start(&config) else { return };
    let url = format!("tls://localhost:{}", nats.port);
    let caller = client(&nats, &json!({ "url": url }));
    let unknown = failure(&fire(&caller, "ls"));
    assert!(unknown.contains("cannot connect") && unknown.contains("certificate"), "{unknown}");
    let mut command = hookrail(&caller, &["fire", "BeforeTool", "--format", "json"]);
    let ran = Ran::of(&[], command.env("SSL_CERT_FILE", at("cert.pem")).output().unwrap());
    assert!(failure(&ran).contains("certificate"), "a variable counts for nothing: {ran}");

    let bundle = "/etc/ssl/certs/ca-certificates.crt";
    let trusted =
        fs::read_to_string(bundle).unwrap_or_default() + &fs::read_to_string(at("cert.pem")).unwrap();
    fs::write(at("bundle.pem"), trusted).unwrap();
    let script = format!("mount --bind '{}' {bundle} && exec \"$@\"", at("bundle.pem"));
    let inside = |command: &mut Command| {
        let mut outer = Command::new("unshare");
        outer
            .args(["--mount", "sh", "-c", &script, "sh"])
            .arg(command.get_program())
            .args(command.get_args());
        outer.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        outer.current_dir(command.get_current_dir().unwrap());
        outer.output()
    };
    if !inside(Command::new("true").current_dir("/")).is_ok_and(|output| output.status.success()) {
        return left_out(
            "the test of NATS with a trusted certificate is left out: no mount namespace can be made here",
        );
    }
    let ran =
        Ran::of(&[], inside(&mut hookrail(&caller, &["fire", "BeforeTool", "--format", "json"])).unwrap());
    assert!(failure(&ran).contains("no service listens"), "the connection stands: {ran}");
    let plain = client(&nats, &json!({ "url": format!("tls://127.0.0.1:{}", nats.port) }));
    let ran =
        Ran::of(&[], inside(&mut hookrail(&plain, &["fire", "BeforeTool", "--format", "json"])).unwrap());
    assert!(failure(&ran).contains("certificate"), "the name counts: {ran}");
}
