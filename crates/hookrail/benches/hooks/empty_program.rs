//! The empty program that calls of the bridge are compared with: it reads its stdin to the end. The benchmark compiles it by
//! itself, so that nothing else is linked to it.

use std::io::Read as _;

fn main() {
    let mut stdin = Vec::new();
    let _ = std::io::stdin().read_to_end(&mut stdin);
}
