use super::*;

#[test]
fn words_are_read_as_far_as_they_are_plain() {
    for (command, words, whole) in [
        ("./a.sh", "./a.sh", true),
        (" python3  x.py --strict ", "python3|x.py|--strict", true),
        ("\"$LLXPRT_PROJECT_DIR\"/a.sh", "/p q/a.sh", true),
        ("${GEMINI_PROJECT_DIR}/a.sh 'b c'", "/p q/a.sh|b c", true),
        ("~/a.sh", "/home/u/a.sh", true),
        ("~other/a.sh", "", false),
        ("$HOOKS/a.sh", "", false),
        ("MODE=strict ./a.sh", "./a.sh", false),
        ("./a.sh | tee log", "./a.sh", false),
        ("cd sub && ./a.sh", "cd|sub", false),
        ("if true; then ./a.sh; fi", "", false),
        ("'if' x", "if|x", true),
        ("./a.sh > log", "./a.sh", false),
        ("echo \"unclosed", "echo", false),
        ("a\\ b", "", false),
    ] {
        let read = beginning(command, Path::new("/p q"), Some(Path::new("/home/u")));
        assert_eq!((read.words.join("|").as_str(), read.whole), (words, whole), "{command}");
    }
}
