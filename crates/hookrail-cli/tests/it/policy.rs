//! `hookrail policy`, and what a policy does in every program: signed by a real key, attacked in the ways that a server, a
//! network, a user and a project have.

use std::fs;
use std::io::Cursor;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use hookrail_testkit::model_server::{Server, sized};
use hookrail_testkit::{TestProject, make_pipe};
use minisign::KeyPair;
use serde_json::{Value, json};

use crate::program::{Ran, hookrail};

/// A machine with a policy's key in its system settings.
struct Machine {
    project: TestProject,
    keys: KeyPair,
}

impl Machine {
    fn new(terms: &Value) -> Self {
        let machine =
            Self { project: TestProject::new(), keys: KeyPair::generate_unencrypted_keypair().unwrap() };
        machine.terms(terms);
        machine
    }

    /// Names the policy in the system's settings, with these terms besides the key.
    fn terms(&self, terms: &Value) {
        let mut policy = json!({"keys": [self.keys.pk.to_base64()], "audience": "laptops"});
        policy.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
        self.project.system_settings(&json!({ "policy": policy }));
    }

    fn folder(&self) -> PathBuf {
        self.project.system_settings_path().with_file_name("policy")
    }

    fn run(&self, args: &[&str]) -> Ran {
        Ran::new(&self.project, args)
    }

    /// Makes a document with the program, and signs it.
    fn make(&self, name: &str, version: u32, settings: &Value, more: &[&str]) -> String {
        let source = self.project.file(&format!("{name}.settings"), settings.to_string());
        let file = self.project.home().join(name).display().to_string();
        let (source, version) = (source.display().to_string(), version.to_string());
        let mut args = vec!["policy", "make", &source, "--version", &version, "-o", &file];
        if !more.contains(&"--audience") {
            args.extend(["--audience", "laptops"]);
        }
        if !more.contains(&"--expires") {
            args.extend(["--expires", "2199-12-31"]);
        }
        args.extend(more);
        let run = self.run(&args);
        assert_eq!(run.code, Some(0), "{}", run.shown());
        self.sign(&file);
        file
    }

    fn sign(&self, file: &str) {
        let content = fs::read(file).unwrap();
        let signature =
            minisign::sign(Some(&self.keys.pk), &self.keys.sk, Cursor::new(content), None, None).unwrap();
        fs::write(format!("{file}.minisig"), signature.into_string()).unwrap();
    }

    fn pull(&self, from: &str) -> Ran {
        self.run(&["policy", "pull", from])
    }

    /// Whether a shell command is blocked, and why.
    fn fire(&self, line: &str) -> Value {
        let input = json!({ "command": line }).to_string();
        self.run(&[
            "fire",
            "BeforeTool",
            "--tool",
            "run_shell_command",
            "--input",
            &input,
            "--format",
            "json",
        ])
        .json()
    }

    fn version(&self) -> Value {
        self.run(&["policy", "status", "--format", "json"]).json()["version"].clone()
    }
}

/// Settings that block a command.
fn no(command: &str) -> Value {
    let rule = json!({"type": "rule", "name": format!("no-{command}"), "when": {"command": command}, "block": "by policy"});
    json!({"hooks": {"BeforeTool": [{"hooks": [rule]}]}})
}

#[test]
fn a_policy_holds_whatever_other_levels_say() {
    let machine = Machine::new(&json!({}));
    let mut settings = no("shred");
    let asks = json!({"type": "rule", "name": "ask-touch", "when": {"command": "touch"}, "ask": "really?"});
    settings["hooks"]["BeforeTool"][0]["hooks"].as_array_mut().unwrap().push(asks);
    let document = machine.make("policy.json", 1, &settings, &[]);
    let pulled = machine.pull(&document);
    assert_eq!(pulled.code, Some(0), "{}", pulled.shown());
    let hostile = json!({
        "enableHooks": false,
        "hooksConfig": {"disabled": ["no-shred", "ask-touch"], "ask": "allow"},
        "hooks": {"BeforeTool": [{"hooks": [{"type": "rule", "name": "no-shred", "when": {"command": "ls"}, "context": "x"}]}]},
    });
    for place in ["user", "project"] {
        if place == "user" {
            machine.project.user_settings(&hostile);
        } else {
            machine.project.settings(&hostile);
        }
        let fired = machine.fire("sudo shred x");
        assert_eq!(
            (&fired["blocked"], &fired["blockCause"]),
            (&json!(true), &json!("policy")),
            "{place}: {fired}"
        );
        assert_eq!(fired["hooks"][0]["origin"]["level"], "managed");
        assert_eq!(machine.fire("touch x")["ask"], json!(true), "{place}");
        assert_eq!(machine.fire("ls")["blocked"], json!(false), "{place}");
    }
    // Through the bridge as well, which ignores variables and is told where the settings are.
    let payload = json!({"session_id": "s", "cwd": machine.project.dir(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "shred x"}, "tool_use_id": "t"});
    let stdin = machine.project.file("payload.json", payload.to_string());
    let system = machine.project.system_settings_path();
    let home = machine.project.home();
    let args = ["--system", system.to_str().unwrap(), "--home", home.to_str().unwrap(), "bridge", "claude"];
    let mut bridge = hookrail(&machine.project, &args);
    bridge.stdin(fs::File::open(stdin).unwrap());
    let run = Ran::in_project(&machine.project, bridge);
    assert!(run.stdout.contains("\"deny\"") && run.stdout.contains("by policy"), "{}", run.shown());
    let listed = machine.run(&["list", "--format", "json"]);
    assert!(listed.stdout.contains("\"managed\""), "{}", listed.shown());
    let disabled = machine.run(&["disable", "no-shred"]);
    assert_eq!(machine.fire("shred x")["blocked"], json!(true), "{}", disabled.shown());
}

#[test]
fn files_run_from_the_verified_copy() {
    let machine = Machine::new(&json!({}));
    let script = machine.project.script("guard.sh", "echo 'stopped by the file' >&2; exit 2");
    let settings = json!({"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "name": "file", "command": "\"$HOOKRAIL_POLICY_DIR/guard.sh\"", "onFailure": "block"}]}]}});
    let file = format!("guard.sh={}", script.display());
    let document = machine.make("policy.json", 1, &settings, &["--file", &file]);
    assert_eq!(machine.pull(&document).code, Some(0));
    let fired = machine.fire("ls");
    assert_eq!(fired["reason"], "stopped by the file", "{fired}");
    // A copy that was changed is not run, and the policy with it counts as missing.
    let current = fs::read_to_string(machine.folder().join("current")).unwrap();
    let copy = machine.folder().join(current.trim()).join("files/guard.sh");
    fs::write(&copy, "#!/bin/sh\nexit 0\n").unwrap();
    let fired =
        machine.run(&["fire", "BeforeTool", "--tool", "run_shell_command", "--input", r#"{"command":"ls"}"#]);
    assert_eq!(fired.code, Some(1), "{}", fired.shown());
    assert!(fired.stderr.contains("differs from the signed document"), "{}", fired.shown());
    assert_eq!(machine.run(&["policy", "status"]).code, Some(1));
    // A pull of the same document mends it.
    assert_eq!(machine.pull(&document).code, Some(0));
    assert_eq!(machine.fire("ls")["reason"], "stopped by the file");
}

#[test]
fn nothing_but_a_good_document_replaces_the_last_good_one() {
    let machine = Machine::new(&json!({}));
    let second = machine.make("second.json", 2, &no("shred"), &[]);
    assert_eq!(machine.pull(&second).code, Some(0));
    let refused = |what: &str, file: &str, words: &str| {
        let run = machine.pull(file);
        assert_eq!(run.code, Some(1), "{what}: {}", run.shown());
        assert!(run.stderr.contains(words), "{what}: {}", run.shown());
        assert_eq!(machine.version(), json!(2), "{what}");
        assert_eq!(machine.fire("shred x")["blocked"], json!(true), "{what}");
    };
    let other = |name: &str| machine.make(name, 3, &json!({}), &[]);
    let file = other("changed.json");
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("laptops", "laptop5")).unwrap();
    refused("changed after it was signed", &file, "the signature is wrong");
    let file = other("truncated.json");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    refused("truncated", &file, "the signature is wrong");
    let file = other("stripped.json");
    fs::remove_file(format!("{file}.minisig")).unwrap();
    refused("without its signature", &file, ".minisig");
    let file = other("swapped.json");
    fs::copy(format!("{second}.minisig"), format!("{file}.minisig")).unwrap();
    refused("with another one's signature", &file, "the signature is wrong");
    let file = other("garbage.json");
    fs::write(format!("{file}.minisig"), "x\ny\n").unwrap();
    refused("with garbage as its signature", &file, "the signature cannot be read");
    let stranger = Machine::new(&json!({}));
    let file = stranger.make("stranger.json", 3, &json!({}), &[]);
    refused("signed by another key", &file, "the signature is wrong");
    let file = machine.make("servers.json", 3, &json!({}), &["--audience", "servers"]);
    refused("for other machines", &file, "this machine is `laptops`");
    let file = machine.make("older.json", 1, &json!({}), &[]);
    refused("an older one", &file, "an older policy never replaces a newer one");
    let file = machine.make("same.json", 2, &no("dd"), &[]);
    refused("the same version with other content", &file, "give it a higher version");
    let ahead = other("ahead.json");
    let text = fs::read_to_string(&ahead).unwrap();
    let issued = text.lines().find(|line| line.contains("\"issued\"")).unwrap();
    fs::write(&ahead, text.replace(issued, "  \"issued\": \"2150-01-01T00:00:00Z\",")).unwrap();
    machine.sign(&ahead);
    refused("issued in the future", &ahead, "ahead of this machine's clock");
    let huge = other("huge.json");
    fs::write(&huge, vec![b' '; 5 << 20]).unwrap();
    machine.sign(&huge);
    refused("huge", &huge, "larger than 4 MiB");
    for (what, files, words) in [
        (
            "a name with a slash",
            json!({"../x": {"sha256": "", "mode": "0644", "content": ""}}),
            "`files.../x`",
        ),
        (
            "a wrong digest",
            json!({"x": {"sha256": "00", "mode": "0644", "content": ""}}),
            "differs from its `sha256`",
        ),
        ("a wide mode", json!({"x": {"sha256": EMPTY, "mode": "4755", "content": ""}}), "beyond 0755"),
    ] {
        let file = other("files.json");
        let mut document: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        document["files"] = files;
        fs::write(&file, document.to_string()).unwrap();
        machine.sign(&file);
        refused(what, &file, words);
    }
    // The same document again changes nothing, and a newer one counts.
    assert_eq!(machine.pull(&second).code, Some(0));
    assert_eq!(machine.pull(&other("third.json")).code, Some(0));
    assert_eq!(machine.version(), json!(3));
    assert_eq!(machine.fire("shred x")["blocked"], json!(false));
}

/// The SHA-256 of nothing.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn without_a_policy_the_terms_decide() {
    let machine = Machine::new(&json!({}));
    let fire = ["fire", "BeforeTool", "--tool", "run_shell_command", "--input", r#"{"command":"ls"}"#];
    let run = machine.run(&fire);
    assert_eq!(run.code, Some(1), "{}", run.shown());
    assert!(run.stderr.contains("there is no policy in"), "{}", run.shown());
    assert!(run.stderr.contains("hookrail policy pull"), "{}", run.shown());
    machine.terms(&json!({"onMissing": "ask"}));
    let fired = machine.fire("ls");
    assert_eq!((&fired["ask"], &fired["blocked"]), (&json!(true), &json!(false)), "{fired}");
    machine.terms(&json!({"onMissing": "allow"}));
    let run = machine.run(&fire);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    assert_eq!(machine.run(&["check"]).code, Some(1), "it is an error nevertheless");
    // Terms that cannot be read: which policy was meant is not known.
    for broken in
        [json!({"keys": []}), json!({"keys": ["x"]}), json!({"audience": 1}), json!({"onMissing": "alow"})]
    {
        machine.terms(&broken);
        let run = machine.run(&fire);
        assert_eq!(run.code, Some(1), "{broken}: {}", run.shown());
        assert!(run.stderr.contains("`policy."), "{broken}: {}", run.shown());
    }
    // A policy under a wrong name was meant all the same.
    for name in ["Policy", "polcy", "policys"] {
        machine.project.system_settings(&json!({ name: {"keys": ["x"], "audience": "laptops"} }));
        let run = machine.run(&fire);
        assert_eq!(run.code, Some(1), "{name}: {}", run.shown());
        assert!(run.stderr.contains(&format!("`{name}` has no effect")), "{}", run.shown());
    }
    // In other settings it has no effect, and `check` says so.
    let elsewhere = TestProject::new();
    elsewhere.user_settings(&json!({"policy": {"keys": ["x"], "audience": "a"}}));
    let run = Ran::new(&elsewhere, &["check"]);
    assert_eq!(run.code, Some(1), "{}", run.shown());
    assert!(run.stdout.contains("no policy is in force"), "{}", run.shown());
}

#[test]
fn an_expired_policy_counts_or_blocks_as_the_terms_say() {
    let machine = Machine::new(&json!({}));
    let document = machine.make("policy.json", 1, &no("shred"), &["--expires", "2020-01-01"]);
    let run = machine.pull(&document);
    assert_eq!(run.code, Some(0), "an expired document may be pulled: {}", run.shown());
    assert!(run.stderr.contains("expired at 2020-01-01T23:59:59"), "{}", run.shown());
    let fired = machine.fire("shred x");
    assert_eq!(fired["blockCause"], "policy", "{fired}");
    assert_eq!(machine.fire("ls")["blocked"], json!(false));
    assert_eq!(machine.run(&["policy", "status"]).code, Some(1));
    machine.terms(&json!({"onExpired": "block"}));
    let run =
        machine.run(&["fire", "BeforeTool", "--tool", "run_shell_command", "--input", r#"{"command":"ls"}"#]);
    assert_eq!(run.code, Some(1), "{}", run.shown());
    assert!(run.stderr.contains("expired at"), "{}", run.shown());
}

#[test]
fn links_and_foreign_hands_in_its_folder_are_refused() {
    let machine = Machine::new(&json!({}));
    let document = machine.make("policy.json", 1, &no("shred"), &[]);
    assert_eq!(machine.pull(&document).code, Some(0));
    let folder = machine.folder();
    let current = folder.join("current");
    let name = fs::read_to_string(&current).unwrap().trim().to_owned();
    let status = || machine.run(&["policy", "status", "--format", "json"]).json()["state"].clone();
    assert_eq!(status(), "in force");
    for (what, text) in [("another folder", "../../x"), ("nothing", ""), ("a path", "/etc")] {
        fs::write(&current, text).unwrap();
        assert_eq!(status(), "unusable", "`current` names {what}");
    }
    fs::write(&current, &name).unwrap();
    let (kept, aside) = (folder.join(&name), folder.join("aside"));
    fs::rename(&kept, &aside).unwrap();
    symlink(&aside, &kept).unwrap();
    assert_eq!(status(), "unusable", "a link in place of the document's folder");
    fs::remove_file(&kept).unwrap();
    fs::rename(&aside, &kept).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(status(), "unusable", "a folder that anybody may write");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(status(), "in force");
}

#[test]
fn nothing_in_its_folder_may_be_a_link_or_a_pipe() {
    let machine = Machine::new(&json!({}));
    let script = machine.project.script("guard.sh", "exit 0");
    let file = format!("guard.sh={}", script.display());
    let document = machine.make("policy.json", 1, &no("shred"), &["--file", &file]);
    assert_eq!(machine.pull(&document).code, Some(0));
    let folder = machine.folder();
    let kept = folder.join(fs::read_to_string(folder.join("current")).unwrap().trim());
    let state = || machine.run(&["policy", "status", "--format", "json"]).json()["state"].clone();
    let aside = folder.with_file_name("aside");
    for path in [
        folder.clone(),
        folder.join("current"),
        kept.clone(),
        kept.join("policy.json"),
        kept.join("policy.json.minisig"),
        kept.join("files"),
        kept.join("files/guard.sh"),
    ] {
        let shown = path.display();
        fs::rename(&path, &aside).unwrap();
        symlink(&aside, &path).unwrap();
        assert_eq!(state(), "unusable", "{shown} is a link");
        fs::remove_file(&path).unwrap();
        if aside.is_file() {
            make_pipe(&path);
            assert_eq!(state(), "unusable", "{shown} is a pipe");
            fs::remove_file(&path).unwrap();
        }
        fs::rename(&aside, &path).unwrap();
        assert_eq!(state(), "in force", "{shown}");
    }
    // What a pull writes goes through no link either.
    let victim = machine.project.file("victim", "mine");
    let second = machine.make("second.json", 2, &no("shred"), &[]);
    for name in ["current.new", "pull.json.new", "lock"] {
        let _ = fs::remove_file(folder.join(name));
        symlink(&victim, folder.join(name)).unwrap();
    }
    assert_eq!(machine.pull(&second).code, Some(1), "the lock is a link");
    fs::remove_file(folder.join("lock")).unwrap();
    assert_eq!(machine.pull(&second).code, Some(0));
    assert_eq!((machine.version(), fs::read_to_string(victim).unwrap().as_str()), (json!(2), "mine"));
}

/// A network that answers with the old document for ever, and a clock that it sets back.
#[test]
fn a_clock_that_was_set_back_revives_nothing() {
    let machine = Machine::new(&json!({ "onExpired": "block" }));
    let document = machine.make("policy.json", 1, &no("shred"), &["--expires", "2150-01-01"]);
    assert_eq!(machine.pull(&document).code, Some(0));
    let state = || machine.run(&["policy", "status", "--format", "json"]).json()["state"].clone();
    assert_eq!(state(), "in force");
    // As a pull in the year 2151 leaves it.
    let last = machine.folder().join("pull.json");
    let later = |time: &str| {
        let mut pull: Value = serde_json::from_str(&fs::read_to_string(&last).unwrap()).unwrap();
        pull["time"] = json!(time);
        fs::write(&last, pull.to_string()).unwrap();
    };
    later("2151-01-01T00:00:00Z");
    assert_eq!(state(), "expired, blocking", "the clock says less than what has passed");
    assert_eq!(machine.pull(&document).code, Some(0));
    assert_eq!(state(), "expired, blocking", "the same document again says nothing about the time");
    let body = fs::read_to_string(&document).unwrap();
    let signature = fs::read_to_string(format!("{document}.minisig")).unwrap();
    let server = Server::start(vec![
        sized("200 OK", "ETag: \"one\"\r\n", &body),
        sized("200 OK", "", &signature),
        sized("304 Not Modified", "ETag: \"one\"\r\n", ""),
    ]);
    for _ in 0..2 {
        let run = machine.pull(&format!("{}/policy.json", server.url()));
        assert_eq!(run.code, Some(0), "{}", run.shown());
        assert_eq!(state(), "expired, blocking", "nor does a server that says that nothing changed");
    }
    assert_eq!(server.received().len(), 3);
    // Only something new of the signer's does: then the clock was ahead.
    assert_eq!(
        machine.pull(&machine.make("second.json", 2, &no("shred"), &["--expires", "2150-01-01"])).code,
        Some(0)
    );
    assert_eq!(state(), "in force");
}

#[test]
fn a_server_is_asked_with_what_it_said_last() {
    let machine = Machine::new(&json!({}));
    let document = machine.make("policy.json", 1, &no("shred"), &[]);
    let (body, signature) =
        (fs::read_to_string(&document).unwrap(), fs::read_to_string(format!("{document}.minisig")).unwrap());
    let server = Server::start(vec![
        sized("200 OK", "ETag: \"one\"\r\n", &body),
        sized("200 OK", "", &signature),
        sized("304 Not Modified", "ETag: \"one\"\r\n", ""),
        sized("302 Found", "Location: http://127.0.0.1:9/policy.json\r\n", ""),
        sized("500 Oh", "", "no"),
        sized("200 OK", "", "x".repeat((4 << 20) + 2)),
    ]);
    let url = format!("{}/a/policy.json", server.url());
    let run = machine.pull(&url);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    let again = machine.pull(&url);
    assert!(again.code == Some(0) && again.stderr.contains("has not changed"), "{}", again.shown());
    for what in ["a redirect", "an error", "too much"] {
        let run = machine.pull(&url);
        assert_eq!(run.code, Some(1), "{what}: {}", run.shown());
        assert_eq!(machine.version(), json!(1), "{what}");
    }
    let asked: Vec<String> = server.received().into_iter().map(|got| got.head).collect();
    assert!(
        asked[0].contains("/a/policy.json ") && asked[1].contains("/a/policy.json.minisig "),
        "{asked:?}"
    );
    assert!(asked[2].to_lowercase().contains("if-none-match: \"one\""), "{asked:?}");
    for address in ["http://example.invalid/policy.json", "file:///etc/policy.json"] {
        assert!(machine.pull(address).stderr.contains("a policy comes by https"), "{address}");
    }
}

/// The real system file names the policy, in a mount namespace whose `/etc` and `/var/lib` are empty.
#[cfg(target_os = "linux")] // It needs namespaces.
#[test]
fn nothing_replaces_the_policy_of_the_real_system_file() {
    let machine = Machine::new(&json!({}));
    let document = machine.make("policy.json", 1, &no("shred"), &[]);
    // `$0` is the program, `$1` the settings that name the policy, `$2` the document, the rest a command.
    let script = "mount -t tmpfs none /etc && mount -t tmpfs none /var/lib && mkdir /etc/hookrail \
        && cp \"$1\" /etc/hookrail/settings.json && unset HOOKRAIL_SYSTEM_SETTINGS \
        && \"$0\" policy pull \"$2\" >&2 || exit 99
        system=$3; shift 3; [ -z \"$system\" ] || export HOOKRAIL_SYSTEM_SETTINGS=\"$system\"; exec \"$0\" \"$@\"";
    let named = machine.project.system_settings_path();
    let other = machine.project.file("other.json", "{}").display().to_string();
    let fire = ["fire", "BeforeTool", "--tool", "run_shell_command", "--input", r#"{"command":"shred x"}"#];
    for (variable, option) in [("", None), (other.as_str(), None), ("", Some(other.as_str()))] {
        let plain = hookrail(&machine.project, &[]);
        let mut inside = std::process::Command::new("unshare");
        inside.args(["--mount", "sh", "-c", script]).arg(plain.get_program());
        inside.arg(&named).args([document.as_str(), variable]).args(fire);
        inside.args(["--format", "json"]).args(option.iter().flat_map(|file| ["--system", file]));
        inside.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        inside.current_dir(machine.project.dir());
        let run = Ran::in_project(&machine.project, inside);
        if run.code != Some(2) && !can_mount() {
            return crate::program::left_out(
                "the test of the real system file is left out: nothing can be mounted here",
            );
        }
        assert_eq!(run.code, Some(2), "{variable} {option:?} {}", run.shown());
        assert_eq!(run.json()["hooks"][0]["origin"]["level"], "managed", "{variable} {option:?}");
    }
}

#[cfg(target_os = "linux")]
fn can_mount() -> bool {
    let test = ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"];
    std::process::Command::new("unshare").args(test).output().is_ok_and(|output| output.status.success())
}

#[test]
fn pulls_at_once_leave_one_whole_policy() {
    let machine = Machine::new(&json!({}));
    let documents: Vec<String> =
        (1..=6).map(|version| machine.make(&format!("{version}.json"), version, &no("shred"), &[])).collect();
    let running: Vec<_> = documents
        .iter()
        .map(|document| hookrail(&machine.project, &["policy", "pull", document]).spawn().unwrap())
        .collect();
    for mut pull in running {
        pull.wait().unwrap();
    }
    let pulled = machine.pull(&documents[5]);
    assert_eq!(pulled.code, Some(0), "{}", pulled.shown());
    assert_eq!(machine.version(), json!(6));
    assert_eq!(machine.fire("shred x")["blocked"], json!(true));
}

#[test]
fn documents_are_made_verified_and_refused_by_hand() {
    let machine = Machine::new(&json!({}));
    let document = machine.make("policy.json", 7, &no("shred"), &[]);
    let run = machine.run(&["policy", "verify", &document]);
    assert!(run.code == Some(0) && run.stdout.contains("version 7, for laptops"), "{}", run.shown());
    let key = machine.keys.pk.to_base64();
    let other = machine.run(&["policy", "verify", &document, "--key", &key, "--audience", "servers"]);
    assert!(other.code == Some(1) && other.stderr.contains("this machine is `servers`"), "{}", other.shown());
    let broken =
        machine.project.file("broken.json", r#"{"hooks":{"BeforeTool":[{"hooks":[{"type":"rule"}]}]}}"#);
    let broken = broken.display().to_string();
    let args = [
        "policy",
        "make",
        &broken,
        "--version",
        "1",
        "--audience",
        "a",
        "--expires",
        "2199-01-01",
        "-o",
        "x",
    ];
    let run = machine.run(&args);
    assert!(run.code == Some(1) && run.stderr.contains("has errors"), "{}", run.shown());
    let units = machine.run(&["policy", "unit"]);
    assert!(units.stdout.contains("policy pull") && units.stdout.contains("[Timer]"), "{}", units.shown());
    // In a crontab `%` ends the line.
    let cron = units.stdout.lines().last().unwrap_or_default();
    let minutes: Vec<u32> =
        cron[2..].split(' ').next().unwrap_or_default().split(',').filter_map(|n| n.parse().ok()).collect();
    assert!(minutes.len() == 4 && minutes[3] < 60 && !cron.contains('%'), "{cron}");
    let none = Ran::new(&TestProject::new(), &["policy", "pull"]);
    assert!(none.code == Some(1) && none.stderr.contains("no policy is named"), "{}", none.shown());
}
