//! The line of a script that names its interpreter.

/// How much of a file the system reads to find its interpreter.
pub const SHEBANG_BYTES: u64 = 256;

/// What follows `#!` in the first line of a script, without the end of the line; `None` for a text that does not
/// begin so. A carriage return stays, because for the system it is part of the line.
pub fn shebang_line(script: &[u8]) -> Option<&[u8]> {
    script.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_what_the_system_reads() {
        for (script, expected) in [
            ("#!/bin/sh\necho", Some("/bin/sh")),
            ("#! /usr/bin/env -S python3 -u \n", Some(" /usr/bin/env -S python3 -u ")),
            ("#!/bin/sh\r\necho", Some("/bin/sh\r")),
            ("#!/bin/sh", Some("/bin/sh")),
            ("#!", Some("")),
            (" #!/bin/sh\n", None),
            ("\n#!/bin/sh\n", None),
            ("echo", None),
            ("", None),
        ] {
            assert_eq!(shebang_line(script.as_bytes()), expected.map(str::as_bytes), "{script:?}");
        }
    }
}
