//! Packs the texts that an event needs none of: shipped guards as people read them, schemas, the loader of Python hooks.

use std::fs;
use std::io;
use std::path::PathBuf;

/// Where the shipped guards are.
const LIBRARY: &str = "src/rules/library";

fn main() -> io::Result<()> {
    let mut files = [
        "src/payload/samples.json",
        "src/payload/schemas.json",
        "src/run/worker/fork_loader.py",
        "src/settings/settings.schema.json",
    ]
    .map(PathBuf::from)
    .to_vec();
    println!("cargo::rerun-if-changed={LIBRARY}");
    let library = fs::read_dir(LIBRARY)?.map(|file| Ok(file?.path())).collect::<io::Result<Vec<_>>>()?;
    files.extend(library.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "jsonc")));
    files.sort();
    hookrail_texts::pack(&files)
}
