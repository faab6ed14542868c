//! `{a,b}` in a glob: written out, one glob for each choice.

/// More combinations than this are refused.
const MAX_BRANCHES: usize = 128;

/// Writes the braces of a glob out. A brace without a comma, such as `{}`, is text, as in a shell.
pub(crate) fn expand(glob: &str) -> Result<Vec<String>, String> {
    let mut open = vec![glob.to_owned()];
    let mut done = Vec::new();
    while let Some(text) = open.pop() {
        let Some(group) = first_group(&text)? else {
            done.push(text);
            continue;
        };
        for choice in group.choices.iter().rev() {
            open.push(format!("{}{choice}{}", group.before, group.after));
        }
        if open.len() + done.len() > MAX_BRANCHES {
            return Err(format!("its braces expand to more than {MAX_BRANCHES} globs"));
        }
    }
    Ok(done)
}

/// A group of choices and what is around it.
struct BraceGroup<'t> {
    before: &'t str,
    choices: Vec<&'t str>,
    after: &'t str,
}

/// The first `{…}` that has a comma of its own.
fn first_group(text: &str) -> Result<Option<BraceGroup<'_>>, String> {
    // For each open brace: where it is and where its commas are.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut found: Option<(usize, Vec<usize>, usize)> = None;
    let mut is_escaped = false;
    // Byte by byte, which is quicker: no part of a longer character is one of these signs.
    for (at, byte) in text.bytes().enumerate() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match byte {
            b'\\' => is_escaped = true,
            b'{' => open.push((at, Vec::new())),
            b',' => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            b'}' => {
                if let Some((start, commas)) = open.pop()
                    && !commas.is_empty()
                    && found.as_ref().is_none_or(|(first, ..)| start < *first)
                {
                    found = Some((start, commas, at));
                }
            }
            _ => {}
        }
    }
    if open.iter().any(|(_, commas)| !commas.is_empty()) {
        return Err("a `{` has no `}`; for the character itself write `\\{`".to_owned());
    }
    let Some((start, commas, end)) = found else { return Ok(None) };
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let mut choices = Vec::with_capacity(commas.len() + 1);
    let mut from = start + 1;
    for comma in commas {
        choices.push(part(from, comma));
        from = comma + 1;
    }
    choices.push(part(from, end));
    Ok(Some(BraceGroup { before: part(0, start), choices, after: part(end + 1, text.len()) }))
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn braces_are_written_out_in_order() {
        for (glob, expected) in [
            ("a", "a"),
            ("*.{pem,key}", "*.pem *.key"),
            ("{a,b{c,d}}/{e,f}", "a/e a/f bc/e bc/f bd/e bd/f"),
            ("{}", "{}"),
            ("{x}", "{x}"),
            ("a\\{b,c}", "a\\{b,c}"),
            ("{a,}x", "ax x"),
            ("}{", "}{"),
        ] {
            assert_eq!(expand(glob).unwrap().join(" "), expected, "{glob}");
        }
    }

    #[test]
    fn what_is_unclosed_or_explodes_is_refused() {
        assert!(expand("{a,b").unwrap_err().contains("no `}`"));
        assert!(expand(&"{a,b}".repeat(20)).unwrap_err().contains("128"));
        assert!(expand(&"{a,".repeat(1000)).is_err());
        assert_eq!(expand(&format!("{}{}", "{".repeat(1500), "}".repeat(1500))).unwrap().len(), 1);
    }
}
