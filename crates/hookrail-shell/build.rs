//! Puts the book of programs (`programs/*.txt`) into one text with a sorted index, so that finding a program or one of its
//! subcommands costs a few comparisons and only the entries that a line names are ever read.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// The text of all entries, and where the entry of each name is in it.
#[derive(Default)]
struct Book {
    text: String,
    index: BTreeMap<String, (usize, usize)>,
}

impl Book {
    /// Adds an entry whose lines are indented by `indent`, then its subcommands. Each begins with a line of its own: its
    /// path of names, its names, its properties, and a sign if it has subcommands.
    fn add(
        &mut self,
        parent: &str,
        names: &str,
        lines: &[&str],
        indent: usize,
        spelling: &str,
    ) -> Result<(), Box<dyn Error>> {
        let join = |name: &str| if parent.is_empty() { name.to_owned() } else { format!("{parent} {name}") };
        let path = join(names.split(['|', ',']).next().unwrap_or_default());
        let own: Vec<&str> =
            lines.iter().filter(|line| indent_of(line) == indent).map(|line| line.trim()).collect();
        let spells = |word: &&str| matches!(*word, "abbreviated" | "in-full" | "single-dash");
        let properties =
            || own.iter().filter_map(|line| line.strip_prefix("is ")).flat_map(str::split_whitespace);
        let spelling = properties().find(spells).unwrap_or(spelling);
        let start = self.text.len();
        let sign = if own.iter().any(|line| line.starts_with(": ")) { "+" } else { "" };
        let mut all: Vec<&str> = properties().filter(|word| !spells(word)).collect();
        all.push(spelling);
        writeln!(self.text, "{path}\t{names}\t{}\t{sign}", all.join(" "))?;
        // Examples are for people and tests.
        let is_elsewhere = |line: &str| ["e.g. ", ": ", "is "].iter().any(|start| line.starts_with(start));
        for line in own.iter().filter(|line| !is_elsewhere(line)) {
            writeln!(self.text, "{line}")?;
        }
        for name in names.split(['|', ',']) {
            if self.index.insert(join(name), (start, self.text.len())).is_some() {
                return Err(format!("`{}` has two entries", join(name)).into());
            }
        }
        let is_header = |line: &&str| indent_of(line) == indent && line.trim().starts_with(": ");
        for (at, header) in lines.iter().enumerate().filter(|(_, line)| is_header(line)) {
            let inside: Vec<&str> =
                lines.iter().skip(at + 1).take_while(|line| indent_of(line) > indent).copied().collect();
            self.add(&path, header.trim().trim_start_matches(": "), &inside, indent + 2, spelling)?;
        }
        Ok(())
    }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut files =
        fs::read_dir("programs")?.map(|file| Ok(file?.path())).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    files.sort();
    let mut book = Book::default();
    for file in files {
        for entry in fs::read_to_string(file)?.split("\n\n").map(|entry| entry.trim_matches('\n')) {
            let lines: Vec<&str> = entry.lines().collect();
            match lines.split_first() {
                Some((names, lines)) if !names.is_empty() && !names.starts_with('#') => {
                    book.add("", names, lines, 2, "abbreviated")?;
                }
                _ => {}
            }
        }
    }
    let mut index = String::from("[\n");
    for (name, (start, end)) in &book.index {
        writeln!(index, "({name:?}, {start}, {end}),")?;
    }
    index.push(']');
    let folder = env::var("OUT_DIR")?;
    fs::write(Path::new(&folder).join("book.txt"), book.text)?;
    fs::write(Path::new(&folder).join("index.rs"), index)?;
    Ok(())
}
