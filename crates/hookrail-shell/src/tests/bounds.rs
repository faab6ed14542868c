//! No text takes long, much memory, or more stack than a thread of the test runner has.

use std::time::{Duration, Instant};

use super::super::parse::MAX_NESTING;
use super::super::{Cause, MAX_TEXT, Piece, ShellFacts, facts_of_argv, facts_of_line, outline};

/// The facts of `text`, which must be there soon. The time allowed is a hundred times what is needed.
fn soon(name: &str, text: &str) -> ShellFacts {
    let start = Instant::now();
    let facts = facts_of_line(text);
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(20), "{name} took {taken:?}");
    let bytes: usize =
        facts.commands.iter().flat_map(|command| &command.argv).flatten().map(String::len).sum();
    assert!(bytes < 64 << 20, "{name} tells {bytes} bytes");
    facts
}

/// The outline of `text` must be there soon as well, and must not be much larger than the text.
fn outline_soon(name: &str, text: &str) {
    let start = Instant::now();
    let outline = outline(text);
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(20), "the outline of {name} took {taken:?}");
    let texts = outline.words().flat_map(|(_, word)| &word.pieces).map(|piece| match piece {
        Piece::Text { text, .. } => text.len(),
        Piece::Variable { .. } | Piece::Expansion => 0,
    });
    assert!(texts.sum::<usize>() <= 2 * MAX_NESTING * text.len(), "the outline of {name} repeats its text");
}

#[test]
fn deep_nesting_is_dynamic() {
    let depth = 20_000;
    for (open, close) in [
        ("$(", ")"),
        ("echo $(", ")"),
        ("echo \"$(", ")\""),
        ("`", "`"),
        ("(", ")"),
        ("( ", " )"),
        ("((", "))"),
        ("{ ", "; }"),
        ("{", "}"),
        ("{a,", "}"),
        ("${x:-", "}"),
        ("\"${x:-", "}\""),
        ("$((", "))"),
        ("$[", "]"),
        ("a[", "]=1"),
        ("a[$(", ")]=1"),
        ("a=(", ")"),
        ("<(", ")"),
        ("if ", "; then a; fi"),
        ("if a; then ", "; fi"),
        ("while ", "; do a; done"),
        ("for x in a; do ", "; done"),
        ("case x in x) ", ";; esac"),
        ("[[ ( ", " ) ]]"),
        ("[[ x =~ (", ") ]]"),
        ("f() { ", "; }"),
        ("function f { ", "; }"),
        ("coproc ", ""),
        ("coproc { ", "; }"),
        ("! ", ""),
        ("time ", ""),
        ("eval ", ""),
        ("bash -c ", ""),
        ("sudo ", ""),
        ("env ", ""),
        ("cat <<E\n$(", ")\nE\n"),
        ("extglob +(", ")"),
        ("a && ", ""),
        ("a | ", ""),
    ] {
        let whole = format!("{}rm x{}", open.repeat(depth), close.repeat(depth));
        let half = open.repeat(depth);
        for text in [whole, half] {
            let facts = soon(open, &text);
            outline_soon(open, &text);
            let runs_rm = facts.programs.contains("rm");
            assert!(
                facts.is_dynamic() || runs_rm || !text.contains("rm") || harmless(open),
                "{open}: {facts:?}"
            );
        }
    }
}

/// Repeated openings that hold no command at all: patterns, subscripts and expressions.
fn harmless(open: &str) -> bool {
    matches!(open, "(" | "((" | "$((" | "{" | "{a," | "a[" | "[[ x =~ (" | "[[ ( " | "$[" | "a=(")
}

#[test]
fn a_line_of_any_length_is_read_in_time() {
    for piece in [
        "rm -rf a b c\n",
        "rm -rf a;",
        "rm a|",
        "rm ",
        "a=b ",
        "a=b;",
        "$x ",
        "\"$x\"",
        "$(rm a) ",
        "`rm a` ",
        "'",
        "\"",
        "\\",
        "(",
        ")",
        "((",
        "{",
        "}",
        "{a,b}",
        "<<E ",
        "<<E\n",
        "cat <<E\nx\nE\n",
        "[[ ",
        "a[",
        "a[1]=",
        "$((",
        "${",
        "${x",
        "${x:-",
        "case x in ",
        "x) ;;",
        "if a; then b; fi;",
        "f() { a; };",
        "alias a=b;",
        "cd a;",
        "cd a && ",
        "#",
        "\n",
        " ",
        "é",
        "> f ",
        "& ",
        "; ",
        "&& ",
        "|| ",
        "(X=1);",
        "X=1 | Y=2;",
        "eval a;",
        "eval 'X=$X$X';",
        "trap 'a' 0;",
        "find -exec a \\; ",
        "-exec ",
        "set -- a;",
        "local a=b;",
        "for x in a; do b; done;",
        "while a; do b; done;",
        "read a;",
        "declare -n a;",
        "! ",
        "time ",
        "extglob ",
        "?(a|b)",
        "@(",
        "*",
        "~",
        "$'\\x41'",
        "sudo ",
        "su a ",
        "ssh a ",
        "parallel a ::: ",
        "xargs ",
        "env -S 'a' ",
    ] {
        soon(piece, &piece.repeat(MAX_TEXT / 2 / piece.len()));
        outline_soon(piece, &piece.repeat(MAX_TEXT / 8 / piece.len()));
    }
}

#[test]
fn code_in_odd_places_is_read_in_time() {
    for piece in [
        "uv run ",
        "npx -a ",
        "npx -a b ",
        "strace ",
        "script a ",
        "tar -I a ",
        "tar -I 'tar -I a' ",
        "hyperfine a ",
        "find a -delete ",
        "git config alias.a b ",
        "git config alias.a 'config alias.b c';",
        "EDITOR=a ",
        "BASH_ENV=a bash -c b;",
        "trap a INT;",
        "trap a INT; a() { b=c; };",
        "crontab <<< '@daily a';",
        "((x));",
    ] {
        soon(piece, &piece.repeat(MAX_TEXT / 2 / piece.len()));
    }
}

#[test]
fn a_line_as_long_as_the_bound_is_read_in_time() {
    for piece in
        ["rm -rf a b c;", "$(rm a) ", "`rm a` ", "{ a; };", "if a; then b; fi;", "\"$x\"", "cat <<E\nx\nE\n"]
    {
        let text = piece.repeat(MAX_TEXT / piece.len());
        soon(piece, &text);
        outline_soon(piece, &text);
    }
}

#[test]
fn text_over_the_bound_is_dynamic() {
    let text = "a ".repeat(MAX_TEXT);
    assert!(facts_of_line(&text).is_dynamic());
    assert!(facts_of_argv(&[text]).is_dynamic());
    assert!(!facts_of_argv(&["a".to_owned()]).is_dynamic());
}

#[test]
fn growth_is_bounded() {
    let functions: Vec<_> = (0..60).map(|n| format!("f{n}() {{ f{}; f{}; rm x; }};", n + 1, n + 1)).collect();
    let loops = "while a; do ".repeat(30) + "b; " + &"done; ".repeat(30);
    let variables = "X=aaaaaaaaaa;".to_owned() + &"X=$X$X;".repeat(60) + "$X b";
    let positional = "set -- rm x;".to_owned() + &"set -- \"$@\" \"$@\";".repeat(40) + "\"$@\"";
    let arrays = "a=(rm x);".to_owned() + &"a=(\"${a[@]}\" \"${a[@]}\");".repeat(40) + "\"${a[@]}\"";
    let aliases: Vec<_> = (0..60).map(|n| format!("alias a{n}='a{} ; a{}';", n + 1, n + 1)).collect();
    let evals = "X='eval \"$X$X\"'; eval \"$X\"";
    for (name, text) in [
        ("functions", functions.concat() + " f0"),
        ("variables", variables),
        ("positional", positional),
        ("arrays", arrays),
        ("aliases", aliases.concat() + " a0"),
        ("evals", evals.to_owned()),
        ("braces", "{rm,ls}".repeat(30)),
        ("sequence of sequences", "echo {1..500}{1..500}{1..500}".to_owned()),
    ] {
        let facts = soon(name, &text);
        assert!(facts.causes.contains(&Cause::Bound), "{name} reaches a bound: {:?}", facts.causes);
    }
    // What calls itself is read with nothing known once; then it adds nothing new.
    for (name, text) in [
        ("recursion", "f() { f; f; rm x; }; f"),
        ("mutual recursion", "f() { g; g; rm x; }; g() { f; f; }; f"),
        ("fork bomb", ":(){ :|:& rm x; };:"),
    ] {
        let facts = soon(name, text);
        assert!(facts.programs.contains("rm") && !facts.is_dynamic(), "{name}: {facts:?}");
    }
    // A sequence holds numbers, and as a program these are not known.
    for text in ["{1..100000000} a", "{-9223372036854775808..9223372036854775807..1} a"] {
        assert_eq!(soon(text, text).causes.into_iter().collect::<Vec<_>>(), [Cause::Variable], "{text}");
    }
    // Loops, and braces inside braces, grow nothing.
    assert!(!soon("loops", &loops).is_dynamic());
    assert!(!soon("nested braces", &("{a,".repeat(40) + &"}".repeat(40))).is_dynamic());
}
