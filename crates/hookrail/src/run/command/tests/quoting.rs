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
        ("\"$(if a; then case a in a) :;; esac; fi) @\"", "\"$(if a; then case a in a) :;; esac; fi) @\""),
        ("case @ in @/*) ls @;; esac", "case % in %/*) ls %;; esac"),
        (r"`ls \@`@", r"`ls \@`%"),
        (r"`\@ @`", r"`\@ %`"),
        ("\"`ls \\\"a\\\" @ \\\"@\\\"`\"", "\"`ls \\\"a\\\" % \\\"@\\\"`\""),
        ("cat <<E\n$(ls @) @\nE", "cat <<E\n$(ls %) @\nE"),
        ("cat <<-E\n\t$(ls @)\n\tE", "cat <<-E\n\t$(ls %)\n\tE"),
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
        let expected = expected.replace('@', "$LLXPRT_PROJECT_DIR").replace('%', "\"$LLXPRT_PROJECT_DIR\"");
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
    #![proptest_config(ProptestConfig::with_cases(48))]

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
