//! Finds test files and reads them, all or none: a file that is not a test file stops the run before any hook does
//! anything.
//!
//! Files are read with a limit and without waiting, since a path may lead to a pipe or a device.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hookrail::rules::order;
use hookrail::{Diagnostic, DiagnosticCode, Severity};

use super::case::TestCase;
use super::read;
use crate::plain_file;

/// Where a project's new tests are written.
pub(crate) const TESTS_FOLDER: &str = ".hookrail/tests";

/// Where a project keeps its tests.
const TESTS_FOLDERS: [&str; 2] = [TESTS_FOLDER, ".llxprt/tests"];

/// The largest test file that is read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct TestFile {
    /// The path under which the file was found.
    pub(crate) path: PathBuf,
    /// Its text as the tests were read from it.
    pub(crate) text: String,
    /// Its tests, in their order.
    pub(crate) tests: Vec<TestCase>,
}

/// The files named, or the project's. Folders stand for the `.json` files in them.
pub(crate) fn find(named: &[PathBuf], project: &Path) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    if named.is_empty() {
        return Ok(TESTS_FOLDERS.iter().flat_map(|folder| in_folder(&project.join(folder))).collect());
    }
    let mut files = Vec::new();
    for path in named {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => files.extend(in_folder(path)),
            Ok(_) => files.push(path.clone()),
            Err(error) => return Err(vec![unreadable(path, &error)]),
        }
    }
    Ok(files)
}

/// Sorted by name, so that reports have one order. A folder that is not there has no tests.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_test = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    let mut files: Vec<PathBuf> = entries.filter(is_test).collect();
    order::sort(&mut files);
    files
}

/// Reads all files; what is wrong with any of them comes back instead.
pub(crate) fn load(paths: Vec<PathBuf>) -> Result<Vec<TestFile>, Vec<Diagnostic>> {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        match load_one(path) {
            Ok(file) => files.push(file),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(files) } else { Err(problems) }
}

/// The text is kept for `--accept`, which must edit what was read.
fn load_one(path: PathBuf) -> Result<TestFile, Vec<Diagnostic>> {
    let text = read_text(&path).map_err(|why| vec![unreadable(&path, &why)])?;
    let tests = read::parse(&path, &text)?;
    Ok(TestFile { path, text, tests })
}

/// The text of a test file, if it is not too large to be one.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    plain_file::read_text_within(path, MAX_BYTES)
}

/// Without a place, because nothing of the file was read.
fn unreadable(path: &Path, why: &io::Error) -> Diagnostic {
    let message = format!("`{}` cannot be read: {why}", path.display());
    Diagnostic::new(DiagnosticCode::NoTestFile, Severity::Error, message)
}
