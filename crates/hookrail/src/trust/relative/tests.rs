use super::*;

#[test]
fn relative_programs_and_scripts_are_found() {
    for (command, expected) in [
        ("./guard.sh --strict", "./guard.sh"),
        ("hooks/guard.sh", "hooks/guard.sh"),
        ("bash guard.sh", "guard.sh"),
        ("bash -eu ./guard.sh arg.txt", "./guard.sh"),
        ("/usr/bin/python3 -I hooks/x.py", "hooks/x.py"),
        ("python3 -c 'import x' y.py", ""),
        ("python3 -m x y.py", ""),
        ("\"./a b.sh\" c", "./a b.sh"),
        ("cd /tmp && ./x.sh", "./x.sh"),
        ("true; exec ./x.sh | bin/y", "./x.sh bin/y"),
        ("A=1 B='c d' ./x.sh", "./x.sh"),
        ("if ./x.sh; then true; fi", "./x.sh"),
        (". lib.sh; source other.sh", "lib.sh other.sh"),
        ("$(./x.sh)", "./x.sh"),
        ("$LLXPRT_PROJECT_DIR/x.sh", ""),
        ("\"$HOME/guard.sh\"", ""),
        ("~/guard.sh", ""),
        ("/opt/guard.sh ./input", ""),
        ("guard ./input", ""),
        ("jq -f rules.jq", ""),
        ("echo './x.sh'", ""),
        ("node --require x.js main.js", "x.js"),
        ("bash < guard.sh", "guard.sh"),
        ("bash x.sh < input", "x.sh"),
        ("> log ./x.sh", "./x.sh"),
        ("echo `./x.sh`", "./x.sh"),
        ("time ./x.sh && ! ./y.sh", "./x.sh ./y.sh"),
        ("case a in a) ./x.sh;; esac", "./x.sh"),
        ("", ""),
    ] {
        let words = relative_words(command);
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts.join(" "), expected, "{command:?}");
        for word in words {
            assert!(command[word.range].contains(&word.text), "{command:?}");
        }
    }
}

proptest::proptest! {
    #[test]
    fn no_command_is_too_odd(command in "[ -~\\n\u{e9}]{0,60}") {
        for word in relative_words(&command) {
            proptest::prop_assert!(command.get(word.range).is_some());
        }
    }
}
