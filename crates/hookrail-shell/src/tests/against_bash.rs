//! Every program that Bash starts is among the facts, or the line is dynamic.
//!
//! Bash runs each line with nothing on its `PATH` but stubs that write down how they were called. The launchers among
//! them write that down too and then hand over to the real one, which finds the same stubs.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookrail_testkit::write_executable;

use super::super::{CommandFact, facts_of_line};

/// Programs that only say that they were called.
const STUBS: &str = "rm ls cp mv git grep curl mkfs dd touch sed awk make python ssh docker kubectl sudo su doas \
    chmod ll head out x y a b c d one two three four five chroot parallel watch ionice [[ ]] function select coproc \
    time {a command_x rm1 rm2 rm3 5 -c é f+ !! %1 select{ true.sh";

/// Launchers that are what they seem to be; none of them starts anything that is not on the `PATH`.
const REAL: &str = "cat tee env nice nohup timeout xargs setsid stdbuf flock bash sh dash setpriv prlimit taskset \
    chrt choom setarch linux64 script tar split strace unshare";

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bench = Self { folder };
        fs::create_dir(bench.bin()).unwrap();
        for name in STUBS.split_whitespace() {
            bench.stub(name, "exit 0");
        }
        bench.stub("give", "printf '%s\\n' \"$*\"");
        bench.stub("fail", "exit 1");
        for name in REAL.split_whitespace() {
            let real = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
            match real.iter().find(|path| path.exists()) {
                Some(path) => bench.stub(name, &format!("exec {} \"$@\"", path.display())),
                None => bench.stub(name, "exit 0"),
            }
        }
        bench
    }

    fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    fn stub(&self, name: &str, then: &str) {
        let log = self.folder.path().join("log");
        let text =
            format!("#!/bin/sh\nprintf '%s\\0' \"$#\" \"${{0##*/}}\" \"$@\" >> {}\n{then}\n", log.display());
        write_executable(&self.bin().join(name), text);
    }

    /// The programs that Bash starts for `line`, each with its arguments.
    fn started(&self, line: &str) -> Vec<Vec<String>> {
        let work = self.folder.path().join("work");
        let _ = fs::remove_dir_all(&work);
        fs::create_dir_all(work.join("dir")).unwrap();
        for file in ["a.txt", "b.txt", "dir/c.txt"] {
            fs::write(work.join(file), "one two\n").unwrap();
        }
        fs::write(work.join("script"), "rm from script\n").unwrap();
        let log = self.folder.path().join("log");
        let _ = fs::remove_file(&log);
        // The real `timeout` ends whatever a line leaves running.
        let output = Command::new("/usr/bin/timeout")
            .args(["-s", "KILL", "10", "/bin/bash", "--norc", "--noprofile", "-c", line])
            .env_clear()
            .env("PATH", self.bin())
            .env("HOME", &work)
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&work)
            .stdin(Stdio::null())
            // Reading to the end waits for what runs in the background too.
            .output()
            .unwrap();
        assert_ne!(output.status.code(), Some(137), "{line:?} did not end");
        let bytes = fs::read(&log).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut words = text.split('\0');
        let mut calls = Vec::new();
        while let Some(count) = words.next().filter(|count| !count.is_empty()) {
            let count: usize = count.parse().unwrap();
            calls.push(words.by_ref().take(count + 1).map(str::to_owned).collect());
        }
        calls
    }

    /// How many programs were started for `lines`. Fails with those that the facts do not tell of.
    fn check<'l>(&self, lines: impl IntoIterator<Item = Cow<'l, str>>) -> usize {
        let mut count = 0;
        let mut misses = Vec::new();
        for line in lines {
            let facts = facts_of_line(&line);
            let is_told = |call: &Vec<String>| facts.commands.iter().any(|fact| tells(fact, call));
            let started = self.started(&line);
            count += started.len();
            for call in started.iter().filter(|call| !facts.is_dynamic() && !is_told(call)) {
                misses.push(format!("{line}\n    started {call:?}, told {:?}", super::commands(&facts)));
            }
        }
        assert!(misses.is_empty(), "{}", misses.join("\n"));
        count
    }
}

/// Whether a fact tells of a call. A word that cannot be determined stands for any number of words, and so does a pattern.
fn tells(fact: &CommandFact, call: &[String]) -> bool {
    let Some(((Some(name), words), (called, args))) = fact.argv.split_first().zip(call.split_first()) else {
        return false;
    };
    name.rsplit('/').next() == Some(called) && !fact.builtin && tells_words(words, args)
}

fn tells_words(words: &[Option<String>], args: &[String]) -> bool {
    let Some((word, rest)) = words.split_first() else { return args.is_empty() };
    match word {
        Some(word) if !word.contains(['*', '?', '[', '~']) => {
            args.first() == Some(word) && tells_words(rest, &args[1..])
        }
        _ => (0..=args.len()).any(|taken| tells_words(rest, &args[taken..])),
    }
}

/// The lines of the corpus: blocks between lines that are only `%%`.
fn corpus() -> Vec<&'static str> {
    let lines: Vec<&str> = include_str!("corpus.txt").split("\n%%\n").collect();
    assert!(lines.len() > 900, "a corpus of {} lines is no proof", lines.len());
    lines
}

#[test]
fn every_program_that_bash_starts_is_told() {
    let started = Bench::new().check(corpus().into_iter().map(Cow::Borrowed));
    assert!(started > 600, "only {started} programs were started: the bench does not work");
}

/// Pieces that are put into each other; `@` is a place for another piece.
const PIECES: &str = include_str!("pieces.txt");

/// A line made of pieces, the same for the same number.
fn composed(number: u64) -> String {
    let pieces: Vec<&str> = PIECES.split("\n%%\n").collect();
    let mut seed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    let mut next = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % bound as u64).unwrap()
    };
    let mut line = "@".to_owned();
    for round in 0..6 {
        let Some(at) = line.find('@') else { break };
        let piece = if round > 3 { "rm p q" } else { pieces[next(pieces.len())] };
        line.replace_range(at..=at, piece);
    }
    line.replace('@', "ls z")
}

#[test]
fn composed_lines_hold_no_surprise() {
    let asked = std::env::var("HOOKRAIL_SHELL_LINES").ok().and_then(|range| {
        let (from, to) = range.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    let started = Bench::new().check(asked.unwrap_or(0..200).map(|number| Cow::Owned(composed(number))));
    assert!(started > 200, "only {started} programs were started: the bench does not work");
}
