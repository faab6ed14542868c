use proptest::prelude::*;

use super::*;

fn env(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn words_that_name_files_are_found_in_every_dress() {
    for (command, expected) in [
        ("./x.sh", "./x.sh"),
        ("hooks/x.sh --strict", "hooks/x.sh"),
        ("python3 hooks/x.py", "hooks/x.py"),
        ("cat x|./y.sh", "./y.sh"),
        ("cat x|./y.sh", "x"),
        ("true&&./y.sh;echo", "./y.sh"),
        ("(./y.sh)", "./y.sh"),
        ("./y.sh<input.json", "input.json"),
        ("./y.sh 2>&1", "./y.sh"),
        ("./y.sh>out", "./y.sh"),
        ("\"./a b.sh\"", "./a b.sh"),
        ("'./a b.sh'", "./a b.sh"),
        ("./a\\ b.sh", "./a b.sh"),
        ("./\"a\"' 'b.sh", "./a b.sh"),
        ("$LLXPRT_PROJECT_DIR/x.sh", "\0/x.sh"),
        ("\"$GEMINI_PROJECT_DIR/a b.sh\"", "\0/a b.sh"),
        ("\"${CLAUDE_PROJECT_DIR}\"/x.sh", "\0/x.sh"),
        ("${LLXPRT_PROJECT_DIR:-.}/x.sh", "\0/x.sh"),
        ("$PWD/x.sh", "\0/x.sh"),
        ("${GUARD:-./default.sh}", "./default.sh"),
        ("$UNKNOWN/x.sh", "/x.sh"),
        ("\"$UNKNOWN/a b.sh\"", "/a b.sh"),
        ("$(pwd)/x.sh", "/x.sh"),
        ("\"$(git rev-parse --show-toplevel)/x.sh\"", "/x.sh"),
        ("`pwd`/x.sh", "/x.sh"),
        ("bash -c 'cat \"./a b.sh\" | sh'", "./a b.sh"),
        ("bash -c \"exec '$LLXPRT_PROJECT_DIR/x.sh'\"", "\0/x.sh"),
        ("bash -c '$LLXPRT_PROJECT_DIR/x.sh'", "\0/x.sh"),
        ("node --require=./x.js", "./x.js"),
        ("FOO=./x.sh env", "./x.sh"),
        ("PATH=$PWD/bin:$PATH x", "\0/bin"),
        ("node -e \"require('./x.js')\"", "./x.js"),
        ("curl -d @body.json", "body.json"),
        ("cat <<E\n> x.sh\nE", "x.sh"),
        ("cat <> x.sh", "x.sh"),
        ("tee >(./x.sh)", "./x.sh"),
        ("echo a > log; ./log", "./log"),
        (">$UNKNOWN ./x.sh", "./x.sh"),
        (">\"\" ./x.sh", "./x.sh"),
        ("> log ./x.sh", "./x.sh"),
        ("bash $SCRIPT", "./from-env.sh"),
        ("bash -c \"$LINE\"", "\0/two.sh"),
        ("~/tools/x.sh", "~/tools/x.sh"),
        ("echo it's ./x.sh", "./x.sh"),
        ("echo \"open ./x.sh", "./x.sh"),
        ("# it's\n./x.sh", "./x.sh"),
        (".\u{fc}/\u{e9}.sh", ".\u{fc}/\u{e9}.sh"),
    ] {
        let env = env(&[("SCRIPT", "./from-env.sh"), ("LINE", "sh ${LLXPRT_PROJECT_DIR}/two.sh $LINE")]);
        let words = words(command, &env).unwrap();
        assert!(words.contains(expected), "{command:?}: {words:?} lack {expected:?}");
    }
}

#[test]
fn the_first_word_is_known_where_it_is_plain() {
    for (command, expected) in [
        ("./x.sh --strict", Some("./x.sh")),
        ("  hooks/x.sh", Some("hooks/x.sh")),
        ("\"./a b.sh\" c", Some("./a b.sh")),
        ("'./a b.sh'; true", Some("./a b.sh")),
        ("./x.sh|cat", Some("./x.sh")),
        ("$LLXPRT_PROJECT_DIR/x.sh", Some("\0/x.sh")),
        ("\"${GEMINI_PROJECT_DIR}/x.sh\"", Some("\0/x.sh")),
        ("bash x.sh", Some("bash")),
        ("$OTHER/x.sh", None),
        ("./*.sh", None),
        ("A=1 ./x.sh", None),
        ("\"./x.sh", None),
        ("./x\\ y", None),
        ("", None),
    ] {
        assert_eq!(first_word(command).as_deref(), expected, "{command:?}");
    }
}

#[test]
fn targets_of_output_redirections_are_not_read() {
    for command in [
        "cat >> audit.log",
        "cat>audit.log",
        "cat >| audit.log",
        "cat &> audit.log",
        "cat 2>>\"audit.log\"",
        "cat > $UNKNOWN/audit.log",
        "cat > \"$LLXPRT_PROJECT_DIR/audit.log\"",
    ] {
        let words = words(command, &[]).unwrap();
        assert!(!words.iter().any(|word| word.contains("audit.log")), "{command:?}: {words:?}");
    }
}

#[test]
fn files_that_interpreters_run_by_themselves_are_found() {
    let words = words("true", &env(&[("BASH_ENV", "./first.sh"), ("LOG", "./log")])).unwrap();
    assert!(words.contains("./first.sh") && !words.contains("./log"), "{words:?}");
}

#[test]
fn what_cannot_be_read_within_bounds_is_refused() {
    let long = env(&[("A", &"x".repeat(4000))]);
    assert_eq!(words(&"$A ".repeat(4000), &long), Err(FilesError::TooComplex));
    assert_eq!(words(&"${a:-".repeat(100), &[]), Err(FilesError::TooComplex));
    // A variable that names itself is not a trap.
    words("$A", &env(&[("A", "$A:$A ./x")])).unwrap();
}

proptest! {
    #[test]
    fn no_command_is_too_odd(command in "[ -~\\n\\x00\u{e9}]{0,80}", value in "[$\\{\\}A-Z'\" /]{0,20}") {
        let _ = words(&command, &env(&[("A", &value)]));
    }

    #[test]
    fn a_quoted_name_is_found_behind_any_harmless_words(
        before in proptest::collection::vec("[a-z-]{1,8}", 0..5), name in "[a-z][a-z .$;|]{0,10}[a-z]",
    ) {
        let quoted = format!("{} './{name}' --flag", before.join(" "));
        let expected = format!("./{name}");
        prop_assert!(words(&quoted, &[]).unwrap().contains(&expected));
    }
}

#[test]
fn only_values_of_options_are_data() {
    for (command, expected) in [
        ("./x.sh --config package.json", "package.json"),
        ("./x.sh --config=conf/rules.yaml --strict", "conf/rules.yaml"),
        ("lint --config 'a.toml' && ./x.sh", "a.toml"),
        ("bash rules.txt", ""),
        ("bash --rcfile x.txt", ""),
        ("node --require x.json", ""),
        ("./x.sh -c package.json", ""),
        ("./x.sh --config guard.py", ""),
        ("cat rules.json | ./x.sh --config rules.json", ""),
        ("bash --posix x.sh", ""),
        ("./x.sh --config rules.json < rules.json", ""),
        ("bash -c 'sh rules.json' --config rules.json", ""),
        ("echo $(./x.sh --config rules.json)", "rules.json"),
        ("./x.sh --config \"a b.json\"", "a b.json"),
    ] {
        assert_eq!(data_files(command).into_iter().collect::<Vec<_>>().join(" "), expected, "{command}");
    }
}
