//! `$'…'`: the escapes of C.
//!
//! They are decoded because they are the shortest way to write a program's name that no text pattern finds:
//! `$'\x72m' -rf /`.

/// The text between the quotes, decoded; `None` if it is not UTF-8. Such a word cannot be determined, since facts are text; it
/// is dynamic where it names a program.
pub(crate) fn decode(written: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(written.len());
    let mut chars = written.chars().peekable();
    while let Some(next) = chars.next() {
        if next != '\\' {
            push(&mut bytes, next);
            continue;
        }
        let Some(escape) = chars.next() else {
            bytes.push(b'\\');
            break;
        };
        let byte = match escape {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' => b'\\',
            '\'' => b'\'',
            '"' => b'"',
            '?' => b'?',
            '0'..='7' => {
                let first = escape.to_digit(8).unwrap_or_default();
                let value =
                    digits(&mut chars, 8, 2).map_or(first, |(value, count)| (first << (3 * count)) | value);
                // Bash keeps eight bits.
                u8::try_from(value & 0xff).unwrap_or_default()
            }
            'x' => {
                let braced = chars.next_if_eq(&'{').is_some();
                let value = digits(&mut chars, 16, if braced { 8 } else { 2 });
                if braced {
                    chars.next_if_eq(&'}');
                }
                match value {
                    Some((value, _)) => u8::try_from(value & 0xff).unwrap_or_default(),
                    None if braced => 0,
                    None => {
                        bytes.extend_from_slice(b"\\x");
                        continue;
                    }
                }
            }
            'u' | 'U' => {
                let Some((value, _)) = digits(&mut chars, 16, if escape == 'u' { 4 } else { 8 }) else {
                    bytes.push(b'\\');
                    push(&mut bytes, escape);
                    continue;
                };
                if value == 0 {
                    break;
                }
                push(&mut bytes, char::from_u32(value)?);
                continue;
            }
            'c' => match chars.next() {
                Some(control) if control.is_ascii() => (control as u8).to_ascii_uppercase() & 0x1f,
                _ => return None,
            },
            _ => {
                bytes.push(b'\\');
                push(&mut bytes, escape);
                continue;
            }
        };
        if byte == 0 {
            // The rest is lost, as in Bash.
            break;
        }
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

/// Adds a character in its form in UTF-8.
fn push(bytes: &mut Vec<u8>, character: char) {
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Up to `most` digits, as a number and with their count; `None` if there are none.
fn digits(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: u32) -> Option<(u32, u32)> {
    let (mut value, mut count) = (0_u32, 0);
    while count < most {
        let Some(digit) = chars.peek().and_then(|next| next.to_digit(radix)) else { break };
        chars.next();
        value = value.wrapping_mul(radix).wrapping_add(digit);
        count += 1;
    }
    (count > 0).then_some((value, count))
}
