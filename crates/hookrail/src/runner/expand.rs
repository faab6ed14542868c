//! The project-directory variables inside a command's text.
//!
//! Every hook finds these variables in its environment with exactly the value that they have in its
//! command, so the shell itself expands them correctly in double quotes, here-documents and nested shells,
//! and rightly not at all in single quotes. The one place where it would do too much is outside of quotes:
//! there it splits the directory's name at blanks and takes `*` in it for a pattern. So only those
//! occurrences are put into double quotes. The name of the directory never becomes shell text, which is why
//! none can be dangerous, and the text is the same for every directory.
//!
//! This is not a shell parser. It follows quotes and nesting as far as they decide whether an occurrence is
//! quoted. Should a very odd command lead it astray, the quotes it adds still come in pairs, and the worst
//! that can happen is that a name is split at its blanks.

use std::borrow::Cow;
use std::collections::VecDeque;

/// The variables that hold the working directory of a hook.
pub(crate) const PROJECT_DIR_VARIABLES: [&str; 3] =
    ["LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// Puts every unquoted project-directory variable of a command into double quotes.
pub(crate) fn quote_project_dirs(command: &str) -> Cow<'_, str> {
    if !PROJECT_DIR_VARIABLES.iter().any(|name| command.contains(name)) {
        return Cow::Borrowed(command);
    }
    let mut quoted = String::with_capacity(command.len() + 16);
    let mut rest = 0;
    for place in Scanner::new(command).unquoted_occurrences() {
        let (Some(before), Some(variable)) = (command.get(rest..place.start), command.get(place.clone()))
        else {
            continue;
        };
        quoted.push_str(before);
        quoted.push('"');
        quoted.push_str(variable);
        quoted.push('"');
        rest = place.end;
    }
    quoted.push_str(command.get(rest..).unwrap_or_default());
    Cow::Owned(quoted)
}

/// The length of the project-directory variable that `text` begins with, `$` and braces included.
pub(super) fn variable_length(text: &[u8]) -> Option<usize> {
    let name = text.strip_prefix(b"$")?;
    let (name, braced) = match name.strip_prefix(b"{") {
        Some(name) => (name, true),
        None => (name, false),
    };
    PROJECT_DIR_VARIABLES.iter().find_map(|variable| {
        let next = name.strip_prefix(variable.as_bytes())?.first().copied();
        match (braced, next) {
            (true, Some(b'}')) => Some(variable.len() + 3),
            (false, next) if !next.is_some_and(is_name_byte) => Some(variable.len() + 1),
            _ => None,
        }
    })
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What a place in the command is nested in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// A subshell, or anything else in parentheses.
    Parentheses,
    /// `$(…)`: code like a subshell, but the word around it goes on behind it.
    Substitution,
    /// Code between backticks.
    Backticks,
    /// From `case` to `esac`, where a `)` ends a pattern.
    Case,
    /// `"…"`.
    DoubleQuotes,
    /// `${…}`; in double quotes its single quotes mean nothing.
    Braces { quoted: bool },
    /// `((…))`, with the number of open parentheses. Nothing is split here, and `<<` is a shift.
    Arithmetic { depth: usize },
}

struct HereDocument {
    delimiter: Vec<u8>,
    strip_tabs: bool,
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// Innermost last; empty in the command's own code.
    frames: Vec<Frame>,
    /// Announced on this line; their bodies begin on the next.
    here_documents: VecDeque<HereDocument>,
    /// Whether a `#` here begins a comment.
    at_word_start: bool,
    /// Whether a reserved word here would be one.
    at_command_start: bool,
    occurrences: Vec<std::ops::Range<usize>>,
}

impl<'a> Scanner<'a> {
    fn new(command: &'a str) -> Self {
        Self {
            text: command.as_bytes(),
            at: 0,
            frames: Vec::new(),
            here_documents: VecDeque::new(),
            at_word_start: true,
            at_command_start: true,
            occurrences: Vec::new(),
        }
    }

    fn unquoted_occurrences(mut self) -> Vec<std::ops::Range<usize>> {
        while let Some(byte) = self.peek(0) {
            match self.frames.last().copied() {
                Some(Frame::DoubleQuotes) => self.step_in_double_quotes(byte),
                Some(Frame::Braces { quoted }) => self.step_in_braces(byte, quoted),
                Some(Frame::Arithmetic { depth }) => self.step_in_arithmetic(byte, depth),
                _ => self.step_in_code(byte),
            }
        }
        self.occurrences
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step_in_double_quotes(&mut self, byte: u8) {
        match byte {
            b'\\' => self.at += 2,
            b'"' => self.close_word_part(),
            b'$' => self.dollar(),
            b'`' => self.backtick(),
            _ => self.at += 1,
        }
    }

    fn step_in_braces(&mut self, byte: u8, quoted: bool) {
        match byte {
            b'\\' => self.at += 2,
            b'}' => self.close_word_part(),
            b'"' => self.open(Frame::DoubleQuotes, 1),
            b'\'' if !quoted => self.skip_single_quotes(),
            b'$' => self.dollar(),
            b'`' => self.backtick(),
            _ => self.at += 1,
        }
    }

    fn step_in_arithmetic(&mut self, byte: u8, depth: usize) {
        match byte {
            b'\\' => self.at += 2,
            b'"' => self.open(Frame::DoubleQuotes, 1),
            b'$' => self.dollar(),
            b'`' => self.backtick(),
            b'(' | b')' => {
                let depth = if byte == b'(' { depth + 1 } else { depth - 1 };
                self.frames.pop();
                if depth > 0 {
                    self.frames.push(Frame::Arithmetic { depth });
                }
                self.at += 1;
                self.at_word_start = false;
            }
            _ => self.at += 1,
        }
    }

    fn step_in_code(&mut self, byte: u8) {
        match byte {
            b'#' if self.at_word_start => self.skip_comment(),
            b'\n' => {
                self.at += 1;
                self.skip_here_documents();
                self.start_command();
            }
            b' ' | b'\t' => {
                self.at += 1;
                self.at_word_start = true;
            }
            b';' | b'&' | b'|' => {
                self.at += 1;
                self.start_command();
            }
            b'<' if self.rest().starts_with(b"<<<") => self.operator(3),
            b'<' if self.rest().starts_with(b"<<") => self.here_document(),
            b'<' | b'>' => self.operator(1),
            b'(' if self.at_command_start && self.peek(1) == Some(b'(') => {
                self.open(Frame::Arithmetic { depth: 2 }, 2);
            }
            b'(' => {
                self.open(Frame::Parentheses, 1);
                self.start_command();
            }
            b')' => self.close_parenthesis(),
            _ if self.at_command_start && self.reserved_word() => {}
            _ => self.step_in_word(byte),
        }
    }

    fn step_in_word(&mut self, byte: u8) {
        self.at_word_start = false;
        self.at_command_start = false;
        match byte {
            b'\\' => self.at += 2,
            b'\'' => self.skip_single_quotes(),
            b'"' => self.open(Frame::DoubleQuotes, 1),
            b'`' => self.backtick(),
            b'$' => self.dollar(),
            _ => self.at += 1,
        }
    }

    fn open(&mut self, frame: Frame, length: usize) {
        self.frames.push(frame);
        self.at += length;
    }

    fn close_word_part(&mut self) {
        self.frames.pop();
        self.at += 1;
        self.at_word_start = false;
        self.at_command_start = false;
    }

    fn start_command(&mut self) {
        self.at_word_start = true;
        self.at_command_start = true;
    }

    fn operator(&mut self, length: usize) {
        self.at += length;
        self.at_word_start = true;
    }

    fn close_parenthesis(&mut self) {
        match self.frames.last() {
            Some(Frame::Substitution) => self.close_word_part(),
            Some(Frame::Parentheses) => {
                self.frames.pop();
                self.operator(1);
            }
            Some(Frame::Case) => {
                self.at += 1;
                self.start_command();
            }
            _ => self.operator(1),
        }
    }

    /// A backtick ends the innermost code in backticks whatever is open inside of it, for the shell looks
    /// for it before it looks at anything else in there.
    fn backtick(&mut self) {
        if let Some(opened) = self.frames.iter().rposition(|frame| *frame == Frame::Backticks) {
            self.frames.truncate(opened + 1);
            self.close_word_part();
        } else {
            self.open(Frame::Backticks, 1);
            self.start_command();
        }
    }

    fn dollar(&mut self) {
        self.at_word_start = false;
        self.at_command_start = false;
        let quoted = match self.frames.last() {
            Some(Frame::DoubleQuotes | Frame::Arithmetic { .. }) => true,
            Some(Frame::Braces { quoted }) => *quoted,
            _ => false,
        };
        if let Some(length) = variable_length(self.rest()) {
            if !quoted {
                self.occurrences.push(self.at..self.at + length);
            }
            self.at += length;
            return;
        }
        match self.peek(1) {
            Some(b'(') if self.peek(2) == Some(b'(') => self.open(Frame::Arithmetic { depth: 2 }, 3),
            Some(b'(') => {
                self.open(Frame::Substitution, 2);
                self.start_command();
            }
            Some(b'{') => self.open(Frame::Braces { quoted }, 2),
            Some(b'\'') if !quoted => self.skip_ansi_quotes(),
            // The second character belongs to the parameter: `$$X` is the process id and a plain `X`.
            Some(b'$' | b'#' | b'?' | b'!' | b'@' | b'*' | b'-') => self.at += 2,
            _ => self.at += 1,
        }
    }

    fn skip_single_quotes(&mut self) {
        let length = self.rest().iter().skip(1).position(|byte| *byte == b'\'');
        self.at = length.map_or(self.text.len(), |length| self.at + length + 2);
    }

    /// `$'…'`, where a backslash keeps the next quote from closing it.
    fn skip_ansi_quotes(&mut self) {
        self.at += 2;
        while let Some(byte) = self.peek(0) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'\'' {
                break;
            }
        }
    }

    fn skip_comment(&mut self) {
        let in_backticks = self.frames.contains(&Frame::Backticks);
        while self.peek(0).is_some_and(|byte| byte != b'\n' && !(byte == b'`' && in_backticks)) {
            self.at += 1;
        }
    }

    /// Takes a reserved word, if one stands here. Only `case` and `esac` matter for themselves; the others
    /// are known because a command follows them.
    fn reserved_word(&mut self) -> bool {
        let word = self.rest();
        let length = word
            .iter()
            .position(|byte| !byte.is_ascii_lowercase() && !matches!(byte, b'!' | b'{'))
            .unwrap_or(word.len());
        let (word, next) = word.split_at_checked(length).unwrap_or_default();
        if !next.first().is_none_or(|byte| b" \t\n;&|()<>`".contains(byte)) {
            return false;
        }
        match word {
            b"case" => {
                self.frames.push(Frame::Case);
                self.at_command_start = false;
            }
            b"esac" if self.frames.last() == Some(&Frame::Case) => {
                self.frames.pop();
                self.at_command_start = false;
            }
            b"if" | b"then" | b"else" | b"elif" | b"while" | b"until" | b"do" | b"time" | b"!" | b"{" => {}
            _ => return false,
        }
        self.at += length;
        self.at_word_start = false;
        true
    }

    /// Notes a here-document, whose body follows at the next line.
    fn here_document(&mut self) {
        self.at += 2;
        let strip_tabs = self.peek(0) == Some(b'-');
        if strip_tabs {
            self.at += 1;
        }
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let mut delimiter = Vec::new();
        let mut quote = None;
        while let Some(byte) = self.peek(0) {
            match (quote, byte) {
                (Some(open), byte) if open == byte => quote = None,
                (None, b'\'' | b'"') => quote = Some(byte),
                (None, b'\\') => {
                    self.at += 1;
                    delimiter.extend(self.peek(0));
                }
                (None, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => break,
                (_, byte) => delimiter.push(byte),
            }
            self.at += 1;
        }
        self.here_documents.push_back(HereDocument { delimiter, strip_tabs });
    }

    fn skip_here_documents(&mut self) {
        while let Some(document) = self.here_documents.pop_front() {
            while self.at < self.text.len() {
                let line = self.rest().split(|byte| *byte == b'\n').next().unwrap_or_default();
                self.at = (self.at + line.len() + 1).min(self.text.len());
                let tabs = line.iter().take_while(|byte| document.strip_tabs && **byte == b'\t').count();
                if line.get(tabs..) == Some(document.delimiter.as_slice()) {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_unquoted_occurrences_are_quoted() {
        // In this table `@` stands for the variable and `%` for the variable in double quotes.
        for (command, expected) in [
            // Outside of quotes.
            ("@", "%"),
            ("@/a.sh b", "%/a.sh b"),
            ("ls @@ @", "ls %% %"),
            ("a=@ b:@", "a=% b:%"),
            ("ls @*;ls @&&ls @", "ls %*;ls %&&ls %"),
            ("(cd @; ls)", "(cd %; ls)"),
            ("a=(@)", "a=(%)"),
            ("cat <@ >@", "cat <% >%"),
            ("cat <<<@", "cat <<<%"),
            // Quoted for where they stand.
            ("\"@\"", "\"@\""),
            ("'@'", "'@'"),
            ("'a'@\"b\"@", "'a'%\"b\"%"),
            (r"\@", r"\@"),
            (r"\\@", r"\\%"),
            (r#""\"@" @"#, r#""\"@" %"#),
            (r"$'@ \' @' @", r"$'@ \' @' %"),
            ("$\"@\" @", "$\"@\" %"),
            ("\"$'@\" @", "\"$'@\" %"),
            // Substitutions begin afresh, also in double quotes.
            ("$(ls @)", "$(ls %)"),
            ("\"$(ls @ \"@\")@\" @", "\"$(ls % \"@\")@\" %"),
            ("`ls @`@", "`ls %`%"),
            ("\"`ls @` @\"", "\"`ls %` @\""),
            ("$(case a in a) ls @;; (b) ls @;; esac)@", "$(case a in a) ls %;; (b) ls %;; esac)%"),
            ("\"$(case a in\na) ls @;;\nesac; ls @) @\"", "\"$(case a in\na) ls %;;\nesac; ls %) @\""),
            (
                "\"$(if a; then case a in a) :;; esac; fi) @\"",
                "\"$(if a; then case a in a) :;; esac; fi) @\"",
            ),
            ("case @ in @/*) ls @;; esac", "case % in %/*) ls %;; esac"),
            // Expansions with operators.
            ("${a:-@} @", "${a:-%} %"),
            ("\"${a:-@}\" @", "\"${a:-@}\" %"),
            ("\"${a:-it's}\" @", "\"${a:-it's}\" %"),
            ("${a:-'@'}@", "${a:-'@'}%"),
            ("$((1<<2)) @", "$((1<<2)) %"),
            ("((a=1<<2)); ls @", "((a=1<<2)); ls %"),
            // Comments and here-documents.
            ("ls # it's @\nls @", "ls # it's @\nls %"),
            ("ls a#'@' @", "ls a#'@' %"),
            ("ls $# @", "ls $# %"),
            ("echo ${#a} @", "echo ${#a} %"),
            ("`ls # it's`@", "`ls # it's`%"),
            ("cat <<E @\nit's @\nE\nls @", "cat <<E %\nit's @\nE\nls %"),
            ("cat <<'E F'\n\"@\nE F\nls @", "cat <<'E F'\n\"@\nE F\nls %"),
            ("cat <<-\\E\n\t@\n\tE\nls @", "cat <<-\\E\n\t@\n\tE\nls %"),
            ("cat <<A <<B\n@\nA\n@\nB\nls @", "cat <<A <<B\n@\nA\n@\nB\nls %"),
            ("\"$(cat <<E\nit's \" @\nE\n)@\" @", "\"$(cat <<E\nit's \" @\nE\n)@\" %"),
            // Not these variables.
            ("$@ @Y @1 @_", "$@ @Y @1 @_"),
        ] {
            let command = command.replace('@', "$LLXPRT_PROJECT_DIR");
            let expected =
                expected.replace('@', "$LLXPRT_PROJECT_DIR").replace('%', "\"$LLXPRT_PROJECT_DIR\"");
            assert_eq!(quote_project_dirs(&command), expected, "HOOK-188: {command}");
        }
    }

    #[test]
    fn all_names_and_both_forms_are_known() {
        for name in PROJECT_DIR_VARIABLES {
            let command = format!("ls ${name} ${{{name}}} ${{{name}%/}} \"${{{name}}}\"");
            let expected = format!("ls \"${name}\" \"${{{name}}}\" ${{{name}%/}} \"${{{name}}}\"");
            assert_eq!(quote_project_dirs(&command), expected, "HOOK-188");
        }
        assert!(matches!(quote_project_dirs("ls $HOME \"a\""), Cow::Borrowed(_)));
    }

    /// What a shell makes of a command in a directory of this name.
    fn shell_output(shell: &str, command: &str, directory: &[u8]) -> Vec<u8> {
        let mut shell = Command::new(shell);
        shell.arg("-c").arg(&*quote_project_dirs(command));
        for name in PROJECT_DIR_VARIABLES {
            shell.env(name, OsStr::from_bytes(directory));
        }
        let output = shell.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command}");
        output.stdout
    }

    /// Every form in one command: each line below prints one word per occurrence, ended by a NUL.
    const FORMS: &str = "printf '%s\\0' $LLXPRT_PROJECT_DIR ${GEMINI_PROJECT_DIR}/x \"$CLAUDE_PROJECT_DIR/x\" '$CLAUDE_PROJECT_DIR'
printf '%s\\0' \"$(printf '%s.' $LLXPRT_PROJECT_DIR)\" \"`printf '%s.' $LLXPRT_PROJECT_DIR`\"
printf '%s\\0' ${nothing:-$LLXPRT_PROJECT_DIR}; v=$LLXPRT_PROJECT_DIR; printf '%s\\0' \"$v\"
case $LLXPRT_PROJECT_DIR in $LLXPRT_PROJECT_DIR) printf 'same\\0';; esac
cat <<E; printf '.\\0'
$LLXPRT_PROJECT_DIR
E
";

    fn check_round_trip(directory: &[u8]) {
        let end_of = |suffix: &str| [directory, suffix.as_bytes(), b"\0"].concat();
        let expected = [
            end_of(""),
            end_of("/x"),
            end_of("/x"),
            b"$CLAUDE_PROJECT_DIR\0".to_vec(),
            end_of("."),
            end_of("."),
            end_of(""),
            end_of(""),
            b"same\0".to_vec(),
            end_of("\n."),
        ]
        .concat();
        for shell in ["bash", "sh"] {
            assert_eq!(
                String::from_utf8_lossy(&shell_output(shell, FORMS, directory)),
                String::from_utf8_lossy(&expected),
                "HOOK-188: {shell} in {directory:?}"
            );
        }
    }

    #[test]
    fn hostile_directories_stay_names() {
        for directory in [
            "/a b",
            "/a; rm -rf \"$HOME\"",
            "/$(touch x)",
            "/`touch x`",
            "/it's",
            "/a\"b",
            "/*",
            "/~",
            "-n",
            "/!",
            "/a\nb",
            "/ü 日本",
            "/\\",
            "/a\\",
            "/${HOME}",
            "/#a",
            "/a&b|c>d<e",
            "/a\tb ",
            "/{a,b}",
            "/a=b",
            "/$",
        ] {
            check_round_trip(directory.as_bytes());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_directory_stays_a_name(directory in "/([ -~\n\t\u{e4}\u{1f980}]|[\"'`$\\\\;*! (){}]){0,20}") {
            check_round_trip(directory.as_bytes());
        }

        #[test]
        fn quotes_are_added_in_pairs_and_nothing_else_changes(command in "(\\$LLXPRT_PROJECT_DIR|[\"'`$\\\\;# (){}\na<-]|case |esac|in ){0,30}") {
            let quoted = quote_project_dirs(&command);
            let undone = quoted.replace("\"$LLXPRT_PROJECT_DIR\"", "$LLXPRT_PROJECT_DIR");
            prop_assert_eq!(undone, command.replace("\"$LLXPRT_PROJECT_DIR\"", "$LLXPRT_PROJECT_DIR"));
        }
    }
}
