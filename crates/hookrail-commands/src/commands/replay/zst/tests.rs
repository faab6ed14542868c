use super::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

#[test]
fn frames_are_read_one_after_another_and_a_torn_one_is_an_error() {
    let text = "{\"a\":1}\n".repeat(50_000);
    let packed = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    assert!(packed.len() < text.len() / 10);
    let twice = [packed.clone(), packed.clone()].concat();
    let read = |bytes: &[u8]| {
        let mut content = String::new();
        Unpacked::new(bytes)?.read_to_string(&mut content).map(|_| content)
    };
    assert_eq!(read(&packed).unwrap(), text);
    assert_eq!(read(&twice).unwrap(), text.repeat(2));
    assert!(read(&packed[..packed.len() / 2]).is_err());
    assert!(read(b"no such thing").is_err());
}

#[test]
fn compressed_files_are_recognised_by_name() {
    assert!(is_compressed(Path::new("/a/rollout-1.jsonl.zst")));
    assert!(!is_compressed(Path::new("/a/rollout-1.jsonl")));
    assert!(!is_compressed(Path::new("/a/backup.tar.zst")));
}
