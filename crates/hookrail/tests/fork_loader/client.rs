//! The engine's side of the loader's protocol, and the same script run by a new process.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, IoSlice, PipeReader, PipeWriter, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::thread::{self, JoinHandle};

use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    recv, sendmsg, socketpair,
};

const LOADER: &str = include_str!("../../src/run/worker/fork_loader.py");

/// One way to start a script.
#[derive(Debug, Clone)]
pub(crate) struct Hook {
    pub(crate) python: PathBuf,
    pub(crate) options: Vec<String>,
    pub(crate) directory: PathBuf,
    pub(crate) script: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// What came of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// `exit 0`, `signal 9`.
    pub(crate) end: String,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// The interpreter that `python3` stands for, without anything a version manager puts before it.
pub(crate) fn python() -> PathBuf {
    static PYTHON: LazyLock<PathBuf> = LazyLock::new(|| {
        let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let output = output.expect("`python3` is needed to test the fork loader");
        PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
    });
    PYTHON.clone()
}

impl Hook {
    /// A script in a directory, without options or arguments.
    pub(crate) fn new(directory: &Path, script: &str) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let environment = [
            ("PATH", path),
            ("HOME", directory.into()),
            ("PWD", directory.into()),
            ("LANG", "C.UTF-8".into()),
            ("RAW", OsString::from_vec(vec![b'x', 0xff])),
        ];
        Self {
            python: python(),
            options: Vec::new(),
            directory: directory.to_owned(),
            script: script.to_owned(),
            arguments: Vec::new(),
            environment: environment.map(|(name, value)| (name.into(), value)).into(),
        }
    }

    /// Sets a variable of its environment.
    pub(crate) fn with(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.into(), value.as_ref().into()));
        self
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        command.args(&self.options).env_clear().envs(self.environment.iter().cloned()).process_group(0);
        command
    }

    /// Runs the script once, in a process of its own.
    pub(crate) fn run_new(&self, stdin: &[u8]) -> Outcome {
        let mut command = self.command();
        command.arg(&self.script).args(&self.arguments).current_dir(&self.directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the interpreter starts");
        let feed = feed(child.stdin.take().expect("stdin is piped"), stdin);
        let stdout = collect(child.stdout.take().expect("stdout is piped"));
        let stderr = collect(child.stderr.take().expect("stderr is piped"));
        let end = brief(child.wait().expect("the child is ours"));
        feed.join().expect("feeding does not panic");
        Outcome { end, stdout: taken(stdout), stderr: taken(stderr) }
    }
}

/// A running loader.
pub(crate) struct Loader {
    pub(crate) child: Child,
    control: Option<OwnedFd>,
    diagnostics: PipeReader,
    events: usize,
}

/// The engine's ends of the streams of one event.
pub(crate) struct Streams {
    pub(crate) id: String,
    pub(crate) stdin: PipeWriter,
    pub(crate) stdout: PipeReader,
    pub(crate) stderr: PipeReader,
}

impl Loader {
    /// Starts the loader for a script, and waits until it is ready.
    pub(crate) fn start(hook: &Hook) -> Self {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .expect("sockets are available");
        let (diagnostics, writer) = io::pipe().expect("pipes are available");
        let mut command = hook.command();
        command.arg("-c").arg(LOADER).arg(&hook.directory).arg(&hook.script).args(&hook.arguments);
        command.current_dir("/").stdin(theirs).stdout(writer.try_clone().expect("a copy")).stderr(writer);
        let child = command.spawn().expect("the interpreter starts");
        drop(command);
        let mut loader = Self { child, control: Some(ours), diagnostics, events: 0 };
        match loader.receive() {
            Some(ready) if ready.starts_with("ready ") => loader,
            other => panic!("{other:?}: {}", loader.end().1),
        }
    }

    /// Asks for one event.
    pub(crate) fn ask(&mut self) -> Streams {
        self.events += 1;
        let id = self.events.to_string();
        let [stdin, stdout, stderr] = [(); 3].map(|()| io::pipe().expect("pipes are available"));
        self.send(&format!("run {id}"), &[stdin.0.as_fd(), stdout.1.as_fd(), stderr.1.as_fd()]);
        Streams { id, stdin: stdin.1, stdout: stdout.0, stderr: stderr.0 }
    }

    /// Runs one event to its end, alone.
    pub(crate) fn run(&mut self, stdin: &[u8]) -> Outcome {
        let Streams { id, stdin: writer, stdout, stderr } = self.ask();
        let (feed, stdout, stderr) = (feed(writer, stdin), collect(stdout), collect(stderr));
        let pid = self.expect(&id, "pid");
        let end = self.receive().unwrap_or_else(|| panic!("event {id}, fork {pid}: {}", self.diagnose()));
        let mut words = end.split(' ');
        let (kind, event, number) = (words.next(), words.next(), words.next());
        assert_eq!(event, Some(id.as_str()), "{end}");
        let (stdout, stderr) = (taken(stdout), taken(stderr));
        self.send(&format!("done {id}"), &[]);
        feed.join().expect("feeding does not panic");
        let end = format!("{} {}", kind.unwrap_or_default(), number.unwrap_or_default());
        Outcome { end, stdout, stderr }
    }

    /// The last word of the next message, which must be of this kind and for this event.
    pub(crate) fn expect(&mut self, id: &str, kind: &str) -> String {
        let message = self.receive().unwrap_or_else(|| panic!("{kind} {id}: {}", self.diagnose()));
        let prefix = format!("{kind} {id} ");
        message.strip_prefix(&prefix).unwrap_or_else(|| panic!("{prefix}…, not {message}")).to_owned()
    }

    /// The next message; `None` when the loader is gone.
    pub(crate) fn receive(&mut self) -> Option<String> {
        let mut buffer = [0; 256];
        let control = self.control.as_ref().expect("the control is open");
        let (length, _) = recv(control, &mut buffer, RecvFlags::empty()).expect("the control can be read");
        (length > 0).then(|| String::from_utf8_lossy(buffer.get(..length).unwrap_or_default()).into_owned())
    }

    /// Sends a message with descriptors.
    pub(crate) fn send(&self, message: &str, descriptors: &[std::os::fd::BorrowedFd<'_>]) {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            assert!(ancillary.push(SendAncillaryMessage::ScmRights(descriptors)), "room for descriptors");
        }
        let control = self.control.as_ref().expect("the control is open");
        let bytes = [IoSlice::new(message.as_bytes())];
        sendmsg(control, &bytes, &mut ancillary, SendFlags::NOSIGNAL).expect("the loader lives");
    }

    /// Closes the control and waits for the end; what the loader said of itself.
    pub(crate) fn end(&mut self) -> (String, String) {
        self.control = None;
        let end = brief(self.child.wait().expect("the child is ours"));
        (end, self.diagnose())
    }

    fn diagnose(&mut self) -> String {
        let mut said = String::new();
        _ = self.child.kill();
        _ = self.diagnostics.read_to_string(&mut said);
        said
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.control = None;
        _ = self.child.wait();
    }
}

fn feed(mut writer: impl Write + Send + 'static, bytes: &[u8]) -> JoinHandle<()> {
    let bytes = bytes.to_vec();
    // Whoever does not read its stdin closes it: nothing is wrong with that.
    thread::spawn(move || _ = writer.write_all(&bytes))
}

fn collect(mut reader: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

fn taken(collected: JoinHandle<Vec<u8>>) -> Vec<u8> {
    collected.join().expect("reading does not panic")
}

fn brief(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    }
}

/// Copies a folder with its folders.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a folder can be read").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}
