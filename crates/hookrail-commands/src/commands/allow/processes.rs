//! The processes above this one, as far as they matter here.

/// How many processes above this one are looked at.
const HIGHEST: usize = 256;

/// How many processes above a bridge call are remembered.
const REMEMBERED: usize = 3;

/// Programs that a person's terminals and agents have in common.
const SHARED: [&str; 10] = [
    "SCREEN",
    "init",
    "launchd",
    "login",
    "screen",
    "sshd",
    "sshd-session",
    "systemd",
    "tmux",
    "tmux: server",
];

/// Shells, by the name of the program.
const SHELLS: [&str; 9] = ["bash", "csh", "dash", "fish", "ksh", "nu", "sh", "tcsh", "zsh"];

pub(crate) struct Process {
    pub(crate) id: u32,
    parent: u32,
    /// Together with the id this is one process only, also when ids are given again.
    pub(crate) start: String,
    pub(crate) name: String,
    /// Whether it is the first process of a terminal.
    leads_terminal: bool,
}

impl Process {
    /// What distinguishes it from all others.
    pub(crate) fn mark(&self) -> String {
        format!("{} {}", self.id, self.start)
    }

    /// Whether a person types into it: a shell that leads a terminal and runs neither a script nor a command.
    fn is_persons_shell(&self) -> bool {
        self.leads_terminal && SHELLS.contains(&self.name.as_str()) && is_interactive(&words(self.id))
    }
}

/// The processes above this one, the nearest first.
pub(crate) fn above() -> impl Iterator<Item = Process> {
    let first = Process::of(std::process::id());
    std::iter::successors(first, |process| Process::of(process.parent)).skip(1).take(HIGHEST)
}

/// The marks of those processes above a bridge call that belong to the agent. What a person's terminals have above them,
/// too, is not among them.
pub(crate) fn of_agent() -> Vec<String> {
    let mut marks = Vec::new();
    for process in above() {
        if process.id <= 1 || SHARED.contains(&process.name.as_str()) || process.is_persons_shell() {
            break;
        }
        marks.push(process.mark());
        if process.leads_terminal || marks.len() == REMEMBERED {
            break;
        }
    }
    marks
}

/// Whether the words of a shell's command line name no script and no command.
fn is_interactive(words: &[String]) -> bool {
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rcfile" | "--init-file" => {
                words.next();
            }
            long if long.starts_with("--") => {}
            short if short.starts_with('-') && !short.contains('c') => {}
            _ => return false,
        }
    }
    true
}

#[cfg(target_os = "linux")]
impl Process {
    pub(crate) fn of(id: u32) -> Option<Self> {
        use std::io::Read as _;

        // One read, for each bridge call: `fs::read` begins with many small ones where a file does not tell its size.
        let mut buffer = [0; 4096];
        let length = std::fs::File::open(format!("/proc/{id}/stat")).ok()?.read(&mut buffer).ok()?;
        let stat = String::from_utf8_lossy(buffer.get(..length)?);
        // The name may contain anything, also parentheses and spaces.
        let (before, fields) = stat.rsplit_once(')')?;
        let (_, name) = before.split_once('(')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let field = |at: usize| fields.get(at).copied();
        let leads_session = field(3)?.parse() == Ok(id);
        Some(Self {
            id,
            parent: field(1)?.parse().ok()?,
            start: field(19)?.to_owned(),
            name: name.to_owned(),
            leads_terminal: leads_session && field(4)? != "0",
        })
    }
}

/// The command line of a process.
#[cfg(target_os = "linux")]
fn words(id: u32) -> Vec<String> {
    let words = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words = words.strip_suffix(b"\0").unwrap_or(&words);
    words.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

#[cfg(not(target_os = "linux"))]
impl Process {
    /// Looks at a process. There is no `/proc` here.
    pub(crate) fn of(id: u32) -> Option<Self> {
        let line = ps(id, "ppid=,stat=,tty=,lstart=")?;
        let mut fields = line.split_whitespace();
        let parent = fields.next()?.parse().ok()?;
        let leads_session = fields.next()?.contains('s');
        let has_terminal = !fields.next()?.starts_with('?');
        let start = fields.collect::<Vec<_>>().join(" ");
        let program = ps(id, "comm=")?;
        let name = program.rsplit('/').next().unwrap_or_default().trim_start_matches('-').to_owned();
        Some(Self { id, parent, start, name, leads_terminal: leads_session && has_terminal })
    }
}

/// The command line of a process.
#[cfg(not(target_os = "linux"))]
fn words(id: u32) -> Vec<String> {
    ps(id, "args=").unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// What `ps` knows of a process.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ps(id: u32, columns: &str) -> Option<String> {
    let output = std::process::Command::new("/bin/ps")
        .args(["-o", columns, "-p", &id.to_string()])
        .env_clear()
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_with_a_script_is_not_a_persons() {
        let is = |line: &str| is_interactive(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for line in ["bash", "-zsh", "bash -l", "/bin/bash -i", "bash --login", "bash --init-file /x/y.sh -i"]
        {
            assert!(is(line), "{line}");
        }
        for line in ["sh agent.sh", "bash -c x", "bash -lc x", "bash -l agent.sh", "sh -x agent.sh"] {
            assert!(!is(line), "{line}");
        }
    }

    #[test]
    fn each_process_has_a_mark_of_its_own() {
        let own = Process::of(std::process::id()).unwrap();
        let parent = above().next().unwrap();
        assert_eq!(parent.id, own.parent);
        assert_ne!(parent.mark(), own.mark());
        assert_eq!(parent.mark(), Process::of(parent.id).unwrap().mark());
        assert!(of_agent().len() <= REMEMBERED);
    }
}
