//! Texts that are packed when the program is built, and unpacked when they are asked for: a call by an agent needs none.

use std::env;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// What ends a name and a text in a block.
const END: &str = "\0";

/// Texts in one block. Each is found by the name of its file, without folders.
#[derive(Debug)]
pub struct Texts {
    block: &'static [u8],
    unpacked: OnceLock<String>,
}

impl Texts {
    /// The texts in a block that [`pack`] has made.
    pub const fn new(block: &'static [u8]) -> Self {
        Self { block, unpacked: OnceLock::new() }
    }

    /// The text of this file; empty if it is not among them.
    pub fn get(&'static self, file: &str) -> &'static str {
        let unpacked = self.unpacked.get_or_init(|| unpack(self.block).unwrap_or_default());
        let mut parts = unpacked.split(END);
        while let (Some(name), Some(text)) = (parts.next(), parts.next()) {
            if name == file {
                return text;
            }
        }
        ""
    }
}

fn unpack(block: &[u8]) -> io::Result<String> {
    let mut text = String::new();
    StreamingDecoder::new(block).map_err(io::Error::other)?.read_to_string(&mut text)?;
    Ok(text)
}

/// For a build script: packs files into `texts.zst` in the folder of what it makes.
///
/// # Errors
/// If a file cannot be read, is no text or contains what separates texts.
#[expect(clippy::print_stdout, reason = "build scripts talk to Cargo so")]
pub fn pack(files: &[PathBuf]) -> io::Result<()> {
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no build script"))?;
    fs::write(Path::new(&folder).join("texts.zst"), packed(files)?)
}

fn packed(files: &[PathBuf]) -> io::Result<Vec<u8>> {
    let mut texts = String::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(file)?;
        if text.contains(END) {
            return Err(io::Error::other(format!("`{name}` contains a NUL")));
        }
        texts.extend([&*name, END, &*text, END]);
    }
    Ok(compress_to_vec(texts.as_bytes(), CompressionLevel::Fastest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_by_their_names() {
        let files = ["Cargo.toml", "src/lib.rs", "README.md"].map(PathBuf::from);
        let block = packed(&files).unwrap();
        assert!(block.len() * 4 < include_str!("lib.rs").len() * 3, "{} bytes", block.len());
        let texts = Box::leak(Box::new(Texts::new(block.leak())));
        assert_eq!(texts.get("Cargo.toml"), include_str!("../Cargo.toml"));
        assert_eq!(texts.get("lib.rs"), include_str!("lib.rs"));
        assert_eq!(texts.get("README.md"), include_str!("../README.md"));
        assert_eq!(texts.get("src/lib.rs"), "");
    }
}
