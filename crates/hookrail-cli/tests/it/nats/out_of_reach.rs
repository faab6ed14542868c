//! A guard out of the agent's reach, end to end: an agent without privileges does what it can to get rid of its guard. The
//! policy is in files of root's, the decision is made by a service behind NATS, and what was tried arrives at a collector.

use std::fs;
use std::io::Cursor;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookrail_testkit::TestProject;
use hookrail_testkit::model_server::{Server, sized};
use minisign::KeyPair;
use serde_json::{Value, json};

use super::kit::{NatsServer, Service, failure, fire, private, service_with};
use crate::program::{Ran, hookrail, left_out};

/// The user `nobody`.
const NOBODY: u32 = 65534;

/// The machine of the agent: root's folder with the policy, the agent's home and project.
struct Machine {
    project: TestProject,
    program: PathBuf,
}

impl Machine {
    /// A policy whose one hook asks the services of a server.
    fn new(nats: &NatsServer, credentials: &str) -> Self {
        let project = TestProject::new();
        let base = project.home().parent().unwrap().to_owned();
        fs::set_permissions(&base, fs::Permissions::from_mode(0o755)).unwrap();
        // Where it was built, another user may not reach it.
        let program = base.join("hookrail");
        fs::copy(env!("CARGO_BIN_EXE_hookrail"), &program).unwrap();
        let keys = KeyPair::generate_unencrypted_keypair().unwrap();
        let terms = json!({ "keys": [keys.pk.to_base64()], "audience": "laptops" });
        project.system_settings(&json!({ "policy": terms }));
        let hook = json!({ "type": "remote", "name": "far", "url": nats.url(), "credentials": credentials, "timeout": 20_000 });
        let settings = json!({ "hooks": { "BeforeTool": [{ "hooks": [hook] }] } });
        let source = base.join("etc/source.json").display().to_string();
        fs::write(&source, settings.to_string()).unwrap();
        let document = base.join("etc/policy.json").display().to_string();
        let made = [
            "policy",
            "make",
            &source,
            "--version",
            "1",
            "--audience",
            "laptops",
            "--expires",
            "2199-12-31",
            "-o",
            &document,
        ];
        let made = Ran::new(&project, &made);
        assert_eq!(made.code, Some(0), "{}", made.shown());
        let signature =
            minisign::sign(Some(&keys.pk), &keys.sk, Cursor::new(fs::read(&document).unwrap()), None, None);
        fs::write(format!("{document}.minisig"), signature.unwrap().into_string()).unwrap();
        let pulled = Ran::new(&project, &["policy", "pull", &document]);
        assert_eq!(pulled.code, Some(0), "{}", pulled.shown());
        fs::create_dir(project.dir().join("vault")).unwrap();
        fs::write(project.dir().join("secret"), "s3cret").unwrap();
        fs::remove_dir_all(project.home()).unwrap();
        fs::create_dir(project.home()).unwrap();
        for path in [project.dir(), project.dir().join("vault"), project.dir().join("secret"), project.home()]
        {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        Self { project, program }
    }

    /// Runs the agent, whose model makes these calls one after another, and returns what came of each.
    fn agent(&self, name: &str, calls: &[(&str, Value)]) -> Vec<(String, String)> {
        let lines =
            calls.iter().map(|(tool, args)| json!([{ "functionCall": { "name": tool, "args": args } }]));
        let lines = lines.chain([json!([{ "text": "done" }])]).map(|parts| {
            let content = json!({ "role": "model", "parts": parts });
            let response = json!([{ "candidates": [{ "content": content, "finishReason": "STOP" }] }]);
            json!({ "method": "generateContentStream", "response": response }).to_string()
        });
        let replay = self.project.dir().join(format!("{name}.replay"));
        fs::write(&replay, lines.collect::<Vec<_>>().join("\n")).unwrap();
        let log = self.project.dir().join(format!("{name}.session"));
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"])
            // Not as the first process of its namespace, which no signal reaches.
            .args([
                "sh",
                "-c",
                "setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs -- \"$@\"; exit $?",
                "sh",
            ])
            .arg(&self.program)
            .args(["agent", "--approval-mode", "yolo", "--prompt", "go on", "--replay"])
            .arg(&replay)
            .arg("--session-log")
            .arg(&log)
            .arg("--system")
            .arg(self.project.system_settings_path())
            .current_dir(self.project.dir())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.project.home())
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        let log = fs::read_to_string(&log)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let calls = lines.filter(|line| line["type"] == "tool_call");
        calls.map(|line| (line["status"].as_str().unwrap().to_owned(), line["result"].to_string())).collect()
    }
}

/// Whether an agent can be put into a namespace as another user here.
fn can_separate() -> bool {
    let test = [
        "--mount",
        "--pid",
        "--fork",
        "--mount-proc",
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "true",
    ];
    Command::new("unshare").args(test).output().is_ok_and(|output| output.status.success())
}

fn shell(line: impl Into<String>) -> (&'static str, Value) {
    ("run_shell_command", json!({ "command": line.into() }))
}

/// The bodies of the records that a collector got, each with its decision.
fn records(collector: &Server) -> Vec<(String, String)> {
    let bodies =
        collector.received().into_iter().map(|got| serde_json::from_str::<Value>(&got.body).unwrap());
    let of = |body: Value| body["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap().clone();
    let decision = |record: &Value| {
        let attributes = record["attributes"].as_array().unwrap();
        let found = attributes.iter().find(|attribute| attribute["key"] == "hookrail.decision").unwrap();
        found["value"]["stringValue"].as_str().unwrap().to_owned()
    };
    let summary = |record: &Value| record["body"]["stringValue"].as_str().unwrap_or_default().to_owned();
    bodies.flat_map(of).map(|record| (summary(&record), decision(&record))).collect()
}

#[test]
fn an_agent_cannot_get_rid_of_a_guard_elsewhere() {
    if !can_separate() {
        return left_out(
            "the test of a guard out of reach is left out: no namespace with another user can be made here",
        );
    }
    let [asks, answers] = [0; 2].map(|_| nkeys::KeyPair::new_user());
    let config = format!(
        "authorization {{ users = [
            {{ nkey: {asker}, permissions: {{ publish: \"hookrail.decide\", subscribe: \"_INBOX.{asker}.>\" }} }}
            {{ nkey: {}, permissions: {{ subscribe: \"hookrail.decide\", publish: \"_INBOX.>\" }} }}
        ] }}",
        answers.public_key(),
        asker = asks.public_key(),
    );
    let Some(nats) = NatsServer::start(&config) else { return };
    let outside = service_with(&json!([
        { "type": "rule", "name": "vault", "when": { "writes": "vault/**" }, "block": "the vault is closed" },
        { "type": "command", "name": "audit", "command": "true" },
    ]));
    let service_key = private(&outside.home(), "service", &answers.seed().unwrap(), 0o600);
    let service = Service::start(&outside, &nats, &["--credentials", &service_key]);
    let keys = tempfile::tempdir().unwrap();
    fs::set_permissions(keys.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let asker_key = private(keys.path(), "agent", &asks.seed().unwrap(), 0o644);
    let machine = Machine::new(&nats, &asker_key);

    let etc = machine.project.system_settings_path().parent().unwrap().display().to_string();
    let off = r#"{"enableHooks":false,"hooksConfig":{"disabled":["far"]},"policy":{"onMissing":"allow"}}"#;
    let program = machine.program.display();
    let attempts = [
        format!(
            "rm -rf ~/.hookrail ~/.llxprt; mkdir -p ~/.hookrail; echo '{off}' > ~/.hookrail/settings.json"
        ),
        format!("mkdir -p .hookrail; echo '{off}' > .hookrail/settings.json; {program} trust --yes"),
        format!(
            "rm -rf {etc}; mv {etc} {etc}.old; echo '{off}' > {etc}/settings.json; chmod -R 777 {etc}; rm -f {program}"
        ),
        format!("kill -9 {} {}; kill -9 -1; echo still here", service.id(), nats.id()),
        "export PATH=$HOME/bin HOOKRAIL_SYSTEM_SETTINGS=/dev/null HOOKRAIL_HOME=/tmp; /bin/mkdir -p $PATH; \
         printf '#!/bin/sh\\nexit 0\\n' > $PATH/hookrail; /bin/chmod 755 $PATH/hookrail; \
         echo 'HOOKRAIL_SYSTEM_SETTINGS=/dev/null' > .env; echo 'export HOOKRAIL_HOME=/tmp' > ~/.profile"
            .to_owned(),
        // It answers itself, as far as the server lets it.
        format!(
            "setsid {program} serve --nats {} --credentials {asker_key} --home /tmp < /dev/null > /dev/null 2>&1 & sleep 1",
            nats.url()
        ),
    ];
    let mut forbidden = 0;
    for (index, attempt) in attempts.iter().enumerate() {
        let name = format!("run{index}");
        let calls = [
            shell(attempt),
            shell(format!("cp secret vault/{name}")),
            ("write_file", json!({ "file_path": format!("vault/{name}.txt"), "content": "s3cret" })),
            shell(format!("cd vault && sh -c 'echo x > {name}'")),
        ];
        let came = machine.agent(&name, &calls);
        // One that killed itself tried nothing more.
        assert!(came.len() == 4 || (index == 3 && came.is_empty()), "{attempt}: {came:?}");
        for (status, result) in came.iter().skip(1) {
            assert!(
                status == "blocked" && result.contains("the vault is closed"),
                "{attempt}: {status} {result}"
            );
            forbidden += 1;
        }
        assert!(is_empty(&machine.project.dir().join("vault")), "{attempt}");
    }
    assert_eq!(forbidden, 15);

    let collector = Server::start(vec![sized("200 OK", "Content-Type: application/json\r\n", "{}")]);
    let mut export = hookrail(&outside, &["export", "--otlp"]);
    export.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url());
    let exported = Ran::in_project(&outside, export);
    assert_eq!(exported.code, Some(0), "{}", exported.shown());
    let records = records(&collector);
    let blocked =
        records.iter().filter(|(summary, decision)| decision == "block" && summary.contains("vault"));
    assert_eq!(blocked.count(), forbidden, "{records:?}");
    for attempt in &attempts {
        let start: String = attempt.chars().take(40).collect();
        assert!(records.iter().any(|(summary, _)| summary.starts_with(&start)), "{start}: {records:?}");
    }

    // Cut off, nothing passes at all.
    drop(nats);
    let came = machine.agent("cut", &[shell("ls")]);
    assert!(came.len() == 1 && came[0].0 == "blocked", "{came:?}");
    assert!(failure(&fire(&machine.project, "ls")).contains("cannot connect"));
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}
