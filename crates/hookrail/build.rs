//! Packs the texts that an event needs none of: schemas, the loader of Python hooks.

use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let files = ["payload/schemas.json", "run/worker/fork_loader.py", "settings/settings.schema.json"];
    hookrail_texts::pack(&files.map(|file| PathBuf::from("src").join(file)))
}
