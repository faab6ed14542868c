//! A person at a terminal: the program runs in a real pseudo-terminal, and the test types and reads.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, open};

/// Longer than any machine needs.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);
/// How long the end of the terminal is waited for after the end of the program.
const LAST_WORDS: Duration = Duration::from_secs(2);

pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";

pub(crate) struct Terminal {
    keyboard: File,
    screen: Arc<(Mutex<Screen>, Condvar)>,
    /// How much of the screen the test has looked at.
    seen: usize,
    child: Child,
}

#[derive(Default)]
struct Screen {
    text: Vec<u8>,
    closed: bool,
}

impl Terminal {
    /// Starts the program in a new terminal that controls it; its stdout may go elsewhere.
    pub(crate) fn start(
        args: &[OsString],
        directory: &Path,
        environment: &[(&str, OsString)],
        stdout: Option<Stdio>,
    ) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(40, 160)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookrail"))
            .args(args)
            .current_dir(directory)
            .env_clear()
            .envs(environment.iter().map(|(name, value)| (name, value)));
        if let Some(stdout) = stdout {
            command = command.stdout(stdout);
        }
        let child = command.spawn(pts).unwrap();
        let keyboard = File::from(OwnedFd::from(pty));
        let mut output = keyboard.try_clone().unwrap();
        let screen = Arc::new((Mutex::new(Screen::default()), Condvar::new()));
        let shared = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                // The terminal of a program that is gone gives an error or an end.
                let length = output.read(&mut bytes).unwrap_or(0);
                let mut screen = shared.0.lock().unwrap();
                screen.text.extend_from_slice(&bytes[..length]);
                screen.closed |= length == 0;
                shared.1.notify_all();
                if length == 0 {
                    return;
                }
            }
        });
        Self { keyboard, screen, seen: 0, child }
    }

    /// Waits until the text appears after what was seen so far; gives what came before it.
    pub(crate) fn expect(&mut self, text: &str) -> String {
        let start = Instant::now();
        let mut screen = self.screen.0.lock().unwrap();
        loop {
            let shown = String::from_utf8_lossy(&screen.text[self.seen..]).into_owned();
            if let Some(at) = shown.find(text) {
                self.seen += at + text.len();
                return shown[..at].to_owned();
            }
            assert!(!screen.closed, "the program ended before {text:?} came: {shown:?}");
            assert!(start.elapsed() < PATIENCE, "{text:?} never came: {shown:?}");
            screen = self.screen.1.wait_timeout(screen, Duration::from_millis(100)).unwrap().0;
        }
    }

    /// Types.
    pub(crate) fn send(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the prompt and types a line.
    pub(crate) fn enter(&mut self, line: &str) {
        self.expect("> ");
        self.send(line);
        // The editor echoes what it has read; pressing Enter later keeps the screen in a known order.
        self.expect(line);
        self.send("\r");
    }

    /// Presses Ctrl-C until two of them came within a second, that is, until `ended` or the program's end. Each press
    /// either ends the session or is answered with how to end it, so that no speed of the machine matters.
    pub(crate) fn press_ctrl_c_until(&mut self, ended: impl Fn() -> bool) {
        let answers = |this: &Self| this.text().matches("Ctrl-C again within a second").count();
        let start = Instant::now();
        loop {
            let before = answers(self);
            self.send(CTRL_C);
            while answers(self) == before {
                if ended() || self.child.try_wait().unwrap().is_some() {
                    return;
                }
                assert!(start.elapsed() < PATIENCE, "the session goes on: {:?}", self.text());
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Everything that was shown so far.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.screen.0.lock().unwrap().text).into_owned()
    }

    /// The terminal's modes.
    pub(crate) fn modes(&self) -> rustix::termios::Termios {
        rustix::termios::tcgetattr(&self.keyboard).unwrap()
    }

    /// Waits for the end: the exit code, and all that was shown.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "the program goes on: {:?}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        };
        // What it showed last may still be on its way. A process that it left behind keeps the terminal open.
        let mut screen = self.screen.0.lock().unwrap();
        let end = Instant::now();
        while !screen.closed && end.elapsed() < LAST_WORDS {
            screen = self.screen.1.wait_timeout(screen, Duration::from_millis(100)).unwrap().0;
        }
        drop(screen);
        (status.code(), self.text())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
