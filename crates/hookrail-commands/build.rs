//! Packs the larger texts that a call by an agent needs none of: the page of `report`, the kits of `init`, a schema.

use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let files = [
        "commands/init/kits/hookrail_hook.mjs",
        "commands/init/kits/hookrail_hook.py",
        "commands/session-log.schema.json",
        "commands/test/schema.json",
        "report/app.js",
        "report/page.html",
        "report/style.css",
    ];
    hookrail_texts::pack(&files.map(|file| PathBuf::from("src").join(file)))
}
