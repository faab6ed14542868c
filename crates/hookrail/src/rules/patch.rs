//! Which files a patch touches and what it does to each, in the format of `apply_patch`.
//!
//! The format is lines: `*** Begin Patch`, then for each file `*** Add File: P`, `*** Delete File: P` or
//! `*** Update File: P`, the last one perhaps followed by `*** Move to: Q`, then `*** End Patch`. Lines of content
//! begin with `+`, `-` or a space, so that no content can look like a header.

/// What a patch does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchAction {
    /// The file is created.
    Add,
    /// The file is changed.
    Update,
    /// The file is removed.
    Delete,
    /// The file is changed and moved away: the old name.
    MoveFrom,
    /// The file is changed and moved here: the new name.
    MoveTo,
}

/// One file that a patch touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedFile {
    /// The path as written.
    pub path: String,
    /// What happens to it.
    pub action: PatchAction,
    /// The lines that the patch expects in the file, of all its passages; empty for a file that is created.
    pub old: String,
    /// The lines that the patch leaves in their place; all lines of a file that is created.
    pub new: String,
}

/// What headers begin with, and what they say of the file that they name.
const HEADERS: [(&str, PatchAction); 4] = [
    ("Add File:", PatchAction::Add),
    ("Delete File:", PatchAction::Delete),
    ("Update File:", PatchAction::Update),
    ("Move to:", PatchAction::MoveTo),
];

/// The files that a patch touches, in its order; `None` for a text that is not a patch or has unknown headers: then
/// it cannot be determined what would be written.
pub fn patched_files(patch: &str) -> Option<Vec<PatchedFile>> {
    let mut files: Vec<PatchedFile> = Vec::new();
    let mut lines = patch.lines();
    // Applying programs accept a here-document and blank lines around the patch.
    lines.find(|line| line.trim() == "*** Begin Patch")?;
    for line in lines {
        let content = line;
        let line = line.trim_end();
        // Content differs from headers in its first character, so leading blanks are not dropped for it. But
        // programs that apply patches trim headers, and a blank before `***` must hide nothing.
        let Some(header) =
            line.trim_start().strip_prefix("*** ").or_else(|| line.trim_start().strip_prefix("***"))
        else {
            if let Some(file) = files.last_mut() {
                file.add_line(content);
            }
            continue;
        };
        let named = HEADERS.iter().find_map(|(start, action)| Some((header.strip_prefix(start)?, *action)));
        let Some((written, action)) = named else {
            if !matches!(header, "End Patch" | "End of File" | "Begin Patch") && line.starts_with("***") {
                return None;
            }
            continue;
        };
        let written = written.trim();
        if written.is_empty() {
            return None; // What the patch changes cannot be determined.
        }
        if action == PatchAction::MoveTo
            && let Some(last) = files.last_mut().filter(|last| last.action == PatchAction::Update)
        {
            last.action = PatchAction::MoveFrom;
        }
        files.push(PatchedFile { path: written.to_owned(), action, old: String::new(), new: String::new() });
    }
    Some(files)
}

impl PatchedFile {
    /// Adds a line of content: `-` is taken away, `+` is added, a blank or nothing before it is left as it is.
    fn add_line(&mut self, line: &str) {
        if line.starts_with("@@") {
            return;
        }
        let (is_old, is_new, text) = match line.split_at_checked(1) {
            Some(("-", text)) => (true, false, text),
            Some(("+", text)) => (false, true, text),
            Some((" ", text)) => (true, true, text),
            _ => (true, true, line),
        };
        for (is_part, lines) in [(is_old, &mut self.old), (is_new, &mut self.new)] {
            if is_part {
                lines.push_str(text);
                lines.push('\n');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(patch: &str) -> Option<String> {
        let shown = |file: &PatchedFile| format!("{:?} {}", file.action, file.path);
        patched_files(patch).map(|files| files.iter().map(shown).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn every_header_names_a_file() {
        let patch = "*** Begin Patch\n*** Add File: a b.txt\n+*** Delete File: no\n*** Update File: src/x.rs\n\
                     *** Move to: src/y.rs\n@@ fn x\n-old\n+new\n*** End of File\n*** Delete File: z\n*** End Patch\n";
        let expected = "Add a b.txt, MoveFrom src/x.rs, MoveTo src/y.rs, Delete z";
        assert_eq!(brief(patch).as_deref(), Some(expected));
        assert_eq!(brief(&patch.replace('\n', "\r\n")).as_deref(), Some(expected));
        assert_eq!(brief(&format!("<<'EOF'\n{patch}EOF\n")).as_deref(), Some(expected));
    }

    #[test]
    fn passages_are_joined_for_each_file() {
        let patch = "*** Begin Patch\n*** Add File: a\n+one \n+\n*** Update File: b\n*** Move to: c\n@@ x\n same\n-old\n\
                     +new\n@@\n-gone\n\n*** Delete File: d\n*** End Patch";
        let shown = |file: &PatchedFile| (file.path.clone(), file.old.clone(), file.new.clone());
        let files: Vec<_> = patched_files(patch).unwrap().iter().map(shown).collect();
        let expected = [
            ("a", "", "one \n\n"),
            ("b", "", ""),
            ("c", "same\nold\ngone\n\n", "same\nnew\n\n"),
            ("d", "", ""),
        ];
        assert_eq!(files, expected.map(|(path, old, new)| (path.to_owned(), old.to_owned(), new.to_owned())));
    }

    #[test]
    fn odd_spacing_hides_no_file() {
        let patch = "  *** Begin Patch  \n   *** Update File:.env   \n***Delete File: k.pem\n*** End Patch";
        assert_eq!(brief(patch).as_deref(), Some("Update .env, Delete k.pem"));
    }

    #[test]
    fn what_is_no_patch_cannot_be_told() {
        for text in [
            "",
            "hello",
            "*** Update File: x",
            "*** Begin Patch\n*** Add File:\n",
            "*** Begin Patch\n*** Rename File: x\n",
        ] {
            assert_eq!(brief(text), None, "{text:?}");
        }
        assert_eq!(brief("*** Begin Patch\n*** End Patch").as_deref(), Some(""));
    }
}
