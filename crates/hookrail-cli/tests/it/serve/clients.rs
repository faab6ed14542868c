//! The example clients of the documentation, run as they are.

use super::*;

/// The clients, with what runs them.
const CLIENTS: [(&str, &str); 2] = [("python3", "serve_client.py"), ("node", "serve_client.mjs")];

/// Runs a client by its interpreter; what it printed, its exit, and what hookrail wrote to stderr.
fn run_client(
    interpreter: &str,
    file: &str,
    project: &TestProject,
    arguments: &[&str],
) -> (String, Option<i32>, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program_folder = Path::new(env!("CARGO_BIN_EXE_hookrail")).parent().unwrap();
    let mut path = std::ffi::OsString::from(program_folder);
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new(interpreter)
        .arg(root.join("docs/clients").join(file))
        .args(arguments)
        .env_clear()
        .env("PATH", path)
        .env("HOME", project.home())
        .env("HOOKRAIL_HOME", project.home())
        .env("HOOKRAIL_SYSTEM_SETTINGS", project.system_settings_path())
        .current_dir(project.dir())
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("`{interpreter}` is needed to test docs/clients/{file}: {error}"));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (stdout.into_owned(), output.status.code(), stderr.into_owned())
}

#[test]
fn the_documented_clients_work() {
    let project = project_with(&[
        ("BeforeTool", "write_file", "echo 'keep out' >&2; exit 2"),
        ("BeforeTool", "replace", r#"echo '{"decision":"ask","reason":"sure?"}'"#),
        ("BeforeTool", "glob", r#"echo '{"continue":false,"stopReason":"enough"}'"#),
    ]);
    for (interpreter, file) in CLIENTS {
        for (tool, said, code) in [
            ("write_file", "blocked: keep out", 2),
            ("replace", "a person is to decide: sure?", 4),
            ("glob", "the agent is to stop: enough", 3),
            ("read_file", "allowed", 0),
        ] {
            let ran = run_client(interpreter, file, &project, &[tool]);
            assert_eq!(ran, (format!("{tool}: {said}\n"), Some(code), String::new()), "{file}");
        }
    }
    std::fs::write(project.user_settings_path(), "{").unwrap();
    for (interpreter, file) in CLIENTS {
        let (stdout, code, stderr) = run_client(interpreter, file, &project, &["read_file"]);
        let said = "read_file: no verdict: hookrail has ended; what it wrote to stderr says why\n";
        assert_eq!((&*stdout, code), (said, Some(1)), "{file}: {stderr}");
        assert!(stderr.starts_with("error: ") && !stderr.contains("Traceback"), "{file}: {stderr}");
    }
}
