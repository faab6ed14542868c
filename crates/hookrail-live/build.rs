//! Packs what is known of the programs of other agents, and the settings for trying them.

use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let files = ["measured.json", "programs.jsonc", "scenarios.jsonc", "settings.jsonc"];
    hookrail_texts::pack(&files.map(|file| PathBuf::from("src").join(file)))
}
