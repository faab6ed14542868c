//! The example clients of the documentation, run as they are.

use super::*;

/// Runs a client by its interpreter; what it printed, and its exit.
fn run_client(
    interpreter: &str,
    file: &str,
    project: &TestProject,
    arguments: &[&str],
) -> (String, Option<i32>) {
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
    assert!(stderr.is_empty(), "{file}: {stderr}");
    (stdout.into_owned(), output.status.code())
}

#[test]
fn the_documented_clients_work() {
    let project = project_with(&[("BeforeTool", "write_file", "echo 'keep out' >&2; exit 2")]);
    for (interpreter, file) in [("python3", "serve_client.py"), ("node", "serve_client.mjs")] {
        let blocked = run_client(interpreter, file, &project, &["write_file"]);
        assert_eq!(blocked, ("write_file: blocked: keep out\n".to_owned(), Some(2)), "{file}");
        let allowed = run_client(interpreter, file, &project, &["read_file"]);
        assert_eq!(allowed, ("read_file: allowed\n".to_owned(), Some(0)), "{file}");
    }
}
