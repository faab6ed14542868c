//! The socket's file, and who may use it.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};

use super::*;

/// Asks one thing on a connection of its own.
fn ask(path: &Path, line: &str) -> Value {
    let mut stream = BufReader::new(UnixStream::connect(path).unwrap());
    writeln!(stream.get_mut(), "{line}").unwrap();
    let mut answer = String::new();
    stream.read_line(&mut answer).unwrap();
    serde_json::from_str(&answer).unwrap()
}

/// Runs a server that must refuse to start; returns what it prints.
fn refusal(project: &TestProject, path: &Path) -> String {
    let output =
        program(project).arg("serve").arg("--socket").arg(path).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_file_is_private_and_gone_at_the_end() {
    let project = project_with(&[("BeforeTool", "", "exit 2")]);
    let (server, path) = Server::on_socket(&project, &[]);
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for id in ["1", "2"] {
        let answer = ask(&path, &tool_request(id, "t"));
        assert_eq!((&answer["correlationId"], &answer["output"]["blocked"]), (&json!(id), &json!(true)));
    }
    server.signal(Signal::TERM);
    let (status, _, messages) = server.end();
    assert_eq!(status.code(), Some(0), "{messages}");
    assert!(!path.exists(), "the file is removed");
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "only `.hookrail` is left");
}

#[test]
fn the_file_of_a_dead_server_is_replaced_and_that_of_a_living_one_is_not() {
    let project = project_with(&[]);
    let (mut server, path) = Server::on_socket(&project, &[]);
    let said = refusal(&project, &path);
    assert!(said.contains("another server listens on"), "{said}");
    assert_eq!(ask(&path, &tool_request("1", "t"))["correlationId"], "1", "the first one was not disturbed");

    server.signal(Signal::KILL);
    server.wait();
    assert!(path.exists(), "nobody could clean up");
    let (second, path) = Server::on_socket(&project, &[]);
    assert_eq!(ask(&path, &tool_request("2", "t"))["correlationId"], "2");
    second.signal(Signal::TERM);
    assert_eq!(second.end().0.code(), Some(0));
    assert!(!path.exists());
}

#[test]
fn of_servers_that_start_at_once_on_a_dead_socket_one_wins() {
    let project = project_with(&[]);
    let path = project.home().join("bus.sock");
    drop(UnixListener::bind(&path).unwrap());
    let mut servers: Vec<_> =
        (0..4).map(|_| Server::start(&project, &["--socket", path.to_str().unwrap()])).collect();
    let mut losers = 0;
    wait_until(LIMIT, "all but one to give up", || {
        losers = servers.iter_mut().filter_map(|server| server.child.try_wait().unwrap()).count();
        losers == 3
    });
    assert_eq!(ask(&path, &tool_request("1", "t"))["correlationId"], "1");
    for mut server in servers {
        if server.child.try_wait().unwrap().is_none() {
            server.signal(Signal::TERM);
            assert_eq!(server.end().0.code(), Some(0));
        }
    }
}

#[test]
fn what_is_no_socket_is_left_alone() {
    let project = project_with(&[]);
    let file = project.file("precious", "data");
    assert!(refusal(&project, &file).contains("not a socket"));
    assert_eq!(project.read("precious"), "data");
    let link = project.dir().join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert!(refusal(&project, &link).contains("not a socket"));
    assert!(refusal(&project, &project.dir().join("no/such/folder")).contains("cannot make a socket"));
}

#[test]
fn a_folder_where_any_user_may_replace_it_is_refused() {
    let project = project_with(&[]);
    let folder = project.dir().join("open");
    std::fs::create_dir(&folder).unwrap();
    let open_to = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
    open_to(0o777);
    assert!(refusal(&project, &folder.join("bus")).contains("any user may write"));
    // As in /tmp: no user can replace what belongs to another.
    open_to(0o1777);
    let path = folder.join("bus");
    let server = Server::start(&project, &["--socket", path.to_str().unwrap()]);
    wait_until(LIMIT, "the socket", || path.exists());
    server.signal(Signal::TERM);
    assert_eq!(server.end().0.code(), Some(0));
}

#[test]
fn another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        // The mode of the file is tested always.
        eprintln!("not run: only root can become another user to try it");
        return;
    }
    let project = project_with(&[]);
    let (server, path) = Server::on_socket(&project, &[]);
    // It sends nothing: whether unread bytes make the end of a connection a reset depends on the moment.
    let stranger = r#"
import os, socket, sys
os.setgid(65534); os.setuid(65534)
s = socket.socket(socket.AF_UNIX)
s.settimeout(60)
try:
    s.connect(sys.argv[1])
    print("answered" if s.recv(100) else "closed")
except OSError as error:
    print(type(error).__name__)
"#;
    let visit = || {
        let output =
            Command::new("python3").args(["-c", stranger]).arg(&path).output().expect("python3 is here");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let root = path.parent().unwrap().parent().unwrap().to_owned();
    for folder in [&root, &project.home()] {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(visit(), "PermissionError", "the file's mode keeps others out");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(visit(), "closed", "and so does the server");
    assert_eq!(ask(&path, &tool_request("1", "t"))["correlationId"], "1");
    server.signal(Signal::TERM);
    let (_, _, messages) = server.end();
    assert!(messages.contains("refused a client"), "{messages}");
}

#[test]
fn asked_to_end_it_answers_every_client() {
    let wait = "touch began.$$; until [ -e go ]; do sleep 0.02; done; exit 2";
    let project = project_with(&[("BeforeTool", "", wait)]);
    let (server, path) = Server::on_socket(&project, &[]);
    let clients: Vec<_> = (0..4)
        .map(|client| {
            let stream = UnixStream::connect(&path).unwrap();
            writeln!(&stream, "{}", tool_request(&format!("{client}"), "t")).unwrap();
            stream
        })
        .collect();
    wait_until(LIMIT, "four hooks", || {
        let files = std::fs::read_dir(project.dir()).unwrap().flatten();
        files.filter(|file| file.file_name().to_string_lossy().starts_with("began.")).count() == 4
    });
    server.signal(Signal::TERM);
    wait_until(LIMIT, "the file of the socket to be removed, when the end begins", || !path.exists());
    project.file("go", "");
    for (client, stream) in clients.into_iter().enumerate() {
        let answers: Vec<String> = BufReader::new(stream).lines().map(|line| line.unwrap()).collect();
        assert_eq!(answers.len(), 1, "{answers:?}");
        let answer: Value = serde_json::from_str(&answers[0]).unwrap();
        assert_eq!(answer["correlationId"], client.to_string());
        assert_eq!(answer["output"]["blocked"], true);
    }
    assert_eq!(server.end().0.code(), Some(0));
}
