//! Puts the book of programs (`programs/*.txt`) into one text with a sorted index, so that finding a program costs a few
//! comparisons and only the entries of programs that a line names are ever read.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let mut files =
        fs::read_dir("programs")?.map(|file| Ok(file?.path())).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    files.sort();
    let mut book = String::new();
    let mut index = BTreeMap::new();
    for file in files {
        for entry in fs::read_to_string(file)?.split("\n\n").map(|entry| entry.trim_matches('\n')) {
            let names = entry.lines().next().unwrap_or_default();
            if names.is_empty() || names.starts_with('#') {
                continue;
            }
            let start = book.len();
            // Examples are for people and tests.
            for line in entry.lines().filter(|line| !line.trim_start().starts_with("e.g. ")) {
                writeln!(book, "{line}")?;
            }
            for name in names.split(['|', ',']) {
                if index.insert(name.to_owned(), (start, book.len())).is_some() {
                    return Err(format!("`{name}` has two entries").into());
                }
            }
        }
    }
    let mut rust = String::from("[\n");
    for (name, (start, end)) in &index {
        writeln!(rust, "({name:?}, {start}, {end}),")?;
    }
    rust.push(']');
    let folder = env::var("OUT_DIR")?;
    fs::write(Path::new(&folder).join("book.txt"), book)?;
    fs::write(Path::new(&folder).join("index.rs"), rust)?;
    Ok(())
}
