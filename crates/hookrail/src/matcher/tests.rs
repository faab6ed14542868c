use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// What `node` answers to `new RegExp(pattern).test(name)`.
#[test]
fn patterns_mean_what_they_mean_in_javascript() {
    use MatchVerdict::{No, Yes};
    for (requirement, pattern, name, expected) in [
        ("HOOK-021", "write_file", "write_file", Yes),
        ("HOOK-021", "write_file", "read_file", No),
        ("HOOK-087", "write", "over_write_file", Yes),
        ("HOOK-087", "read|write", "write_file", Yes),
        ("HOOK-087", "^(read|write)$", "write_file", No),
        ("HOOK-087", "^(?:read|write)$", "write", Yes),
        ("HOOK-087", "^read|write$", "read_all", Yes),
        ("HOOK-087", "^read|write$", "to_write", Yes),
        ("HOOK-087", "^read|write$", "to_write_", No),
        ("HOOK-087", "write_*", "write_file", Yes),
        ("HOOK-087", "write_*", "rewrite", Yes),
        ("HOOK-087", "mcp__.*", "mcp__git__log", Yes),
        ("HOOK-087", "^mcp__.*__(delete|drop)$", "mcp__db__drop", Yes),
        ("HOOK-087", "^mcp__.*__(delete|drop)$", "mcp__db__dropped", No),
        ("HOOK-087", "^write.*$", "write\nfile", No),
        ("HOOK-087", "^write.*", "write\nfile", Yes),
        ("HOOK-087", "^a$", "a\n", No),
        ("HOOK-087", "^(?!read_)", "write_file", Yes),
        ("HOOK-087", "^(?!read_)", "read_file", No),
        ("HOOK-087", "^(?!.*(read|list))", "file_list", No),
        ("HOOK-087", "^(?!.*(read|list))", "file_write", Yes),
        ("HOOK-087", "(?<!_)write", "over_write", No),
        ("HOOK-087", "(?<!_)write", "overwrite", Yes),
        ("HOOK-087", "(?<=mcp__)(git|gh)", "mcp__gh", Yes),
        ("HOOK-087", "(?<=mcp__)(git|gh)", "my_gh", No),
        ("HOOK-087", "^(?=.*write)(?=.*file)(?!.*temp)", "file_write", Yes),
        ("HOOK-087", "^(?=.*write)(?=.*file)(?!.*temp)", "temp_file_write", No),
        ("HOOK-087", r"(\w+)_\1", "go_go", Yes),
        ("HOOK-087", r"(\w+)_\1", "ab_c", No),
        ("HOOK-087", r"^(?<word>\w+)-\k<word>$", "tick-tick", Yes),
        ("HOOK-087", r"^(?<word>\w+)-\k<word>$", "tick-tock", No),
        ("HOOK-087", r"^\k<word>$", "k<word>", Yes),
        ("HOOK-087", r"(?<=(\d+)(\d+))$", "1053", Yes),
        ("HOOK-087", r"^(?:(a)|b)*\1$", "ab", Yes),
        ("HOOK-087", r"^(a\1)$", "a", Yes),
        ("HOOK-087", r"^(?=(a+))a*b\1$", "aaabaa", No),
        ("HOOK-087", r"^(?=(a+))a*b\1$", "aaabaaa", Yes),
        ("HOOK-087", r"^(a*)*\1b$", "aab", Yes),
        ("HOOK-087", r"^(?:a?){3}$", "aa", Yes),
        ("HOOK-087", r"\bfile\b", "read-file", Yes),
        ("HOOK-087", r"\bfile\b", "read_file", No),
        ("HOOK-087", r"^\w+$", "é", No),
        ("HOOK-087", r"\bé", "aé", Yes),
        ("HOOK-087", r"^\d$", "٣", No),
        ("HOOK-087", r"^\s$", "\u{feff}", Yes),
        ("HOOK-087", r"^.$", "é", Yes),
        ("HOOK-087", r"^.$", "😀", No),
        ("HOOK-087", r"^..$", "😀", Yes),
        ("HOOK-087", r"^[^a]$", "\u{2028}", Yes),
        ("HOOK-087", r"^.$", "\u{2028}", No),
        ("HOOK-087", r"^[^]$", "\n", Yes),
        ("HOOK-087", r"[]", "a", No),
        ("HOOK-087", r"^[\w-]+$", "a-b", Yes),
        ("HOOK-087", r"^[a\-z]+$", "m", No),
        ("HOOK-087", r"^\x41\u0042\103\0?$", "ABC", Yes),
        ("HOOK-087", r"^\u{3}$", "uuu", Yes),
        ("HOOK-087", r"^a{,2}$", "a{,2}", Yes),
        ("HOOK-087", r"^a{2$", "a{2", Yes),
        ("HOOK-087", r"^\c$", r"\c", Yes),
        ("HOOK-087", r"^\p{L}$", "p{L}", Yes),
        ("HOOK-087", r"^]}$", "]}", Yes),
        ("HOOK-087", r"^\8$", "8", Yes),
        ("HOOK-087", "^(?i:Write)_file", "wRITE_file", Yes),
        ("HOOK-087", "^(?i:Write)_file", "WRITE_FILE", No),
        ("HOOK-087", "^(a|ab)(c|bcd)(d*)$", "abcd", Yes),
        ("HOOK-087", "^[a-z_]{3,200}$", "write_file", Yes),
        ("HOOK-087", "^[a-z_]{3,200}$", "write-file", No),
        ("HOOK-087", "^[a-z_]{3,200}$", "writé_file", No),
        ("HOOK-087", "^[^-]{3,200}$", "writé_file", Yes),
        ("HOOK-088", "[unclosed", "[unclosed", Yes),
        ("HOOK-088", "[unclosed", "a[unclosed", No),
        ("HOOK-088", "*_file", "read_file", No),
        ("HOOK-088", "*_file", "*_file", Yes),
        ("HOOK-089", "", "anything", Yes),
        ("HOOK-089", "*", "anything", Yes),
        ("HOOK-089", ".*", "anything", Yes),
    ] {
        assert_eq!(
            Matcher::compile(pattern).matches_tool(name),
            expected,
            "{requirement}: {pattern} on {name}"
        );
    }
    assert_eq!(Matcher::any().matches_tool("anything"), Yes, "HOOK-022");
}

#[test]
fn an_invalid_pattern_says_why() {
    for (pattern, is_valid) in [
        ("[unclosed", false),
        ("(", false),
        ("*", true),
        ("a**", false),
        ("a{2,1}", false),
        ("^(?!read_)", true),
    ] {
        assert_eq!(Matcher::compile(pattern).problem().is_none(), is_valid, "HOOK-088: {pattern}");
    }
}

#[test]
fn other_events_compare_the_whole_word() {
    for (matcher, word, expected) in [
        (Matcher::any(), "startup", true),
        (Matcher::exact(""), "startup", true),
        (Matcher::exact("*"), "startup", true),
        (Matcher::exact("startup"), "startup", true),
        (Matcher::exact("start"), "startup", false),
        (Matcher::exact("startup|clear"), "startup", false),
        (Matcher::for_event(EventName::SessionStart, Some("[")), "[", true),
    ] {
        assert_eq!(matcher.matches_exactly(word), expected, "HOOK-089: {matcher:?} {word}");
        assert_eq!(matcher.problem(), None);
    }
}

/// None of these may take longer than a moment, and none may switch a guard off.
#[test]
fn catastrophic_patterns_are_decided_or_count_as_matches() {
    use MatchVerdict::{BoundReached, No};
    let long = "a".repeat(10_000);
    let longer = "a".repeat(1_000_000);
    let accented = format!("{}é", "a".repeat(10_000));
    let words = (0..5_000).map(|word| format!("x{word}.")).collect::<Vec<_>>().join("|");
    let deep = format!("{}a{}", "(".repeat(300), ")".repeat(300));
    let very_deep = format!("{}a{}", "(".repeat(4_000), ")".repeat(4_000));
    let started = Instant::now();
    for (pattern, name, expected) in [
        ("(a+)+b$", long.as_str(), No),
        ("(a+)+b$", accented.as_str(), No),
        ("(?=(a+)+$)b", long.as_str(), No),
        ("(?=(a+)+$)b", accented.as_str(), No),
        ("(?<=(a+)+b)$", long.as_str(), No),
        (r"(a+)+b\1$", long.as_str(), BoundReached),
        (r"(a+)+\1$b", long.as_str(), BoundReached),
        (r"^(a*)*(?!\1)b", long.as_str(), BoundReached),
        ("^(?!a{1,300})", long.as_str(), BoundReached),
        ("(?:a{1000}){1000}", long.as_str(), BoundReached),
        ("((){9999}){9999}b", long.as_str(), No),
        ("((?=){9999}){9999}b", long.as_str(), BoundReached),
        ("(?:){4294967295}b", long.as_str(), No),
        ("((((a{10}){10}){10}){10}){10}b", long.as_str(), BoundReached),
        ("[ab]c", longer.as_str(), BoundReached),
        ("b", longer.as_str(), No),
        (words.as_str(), "read_file", BoundReached),
        (deep.as_str(), "read_file", BoundReached),
        (very_deep.as_str(), "read_file", BoundReached),
    ] {
        let shown: String = pattern.chars().take(40).collect();
        assert_eq!(Matcher::compile(pattern).matches_tool(name), expected, "{shown} on {} bytes", name.len());
    }
    assert!(started.elapsed() < Duration::from_secs(30), "took {:?}", started.elapsed());
}

#[test]
fn the_matchers_of_one_plan_share_their_steps() {
    let matcher = Matcher::compile(r"(a+)+b\1$");
    let name = "a".repeat(5_000);
    let mut steps = Steps(3 * MAX_STEPS);
    for left in [2 * MAX_STEPS, MAX_STEPS, 0, 0] {
        assert_eq!(matcher.matches_tool_within(&name, &mut steps), MatchVerdict::BoundReached);
        assert_eq!(steps.0, left, "no matcher takes more than its own bound, nor more than is left");
    }
    assert_eq!(Steps::default().0, MAX_STEPS_PER_PLAN);
}

/// Patterns whose parts are taken from all over the grammar, most of them valid.
fn patterns() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        8 => "[ab_]",
        1 => prop::sample::select(vec![
            ".", r"\w", r"\W", r"\d", r"\s", r"\S", r"\b", r"\B", "^", "$", "[ab]", "[^a]", "[^]", "[]", r"[\w-]", "[a-c_]",
            r"\x61", r"\u0062", r"\n", r"\.", r"\-", "é", r"\c", r"\ca", "]", "{", "}", r"\0", r"\141", r"\1", r"\2", r"\k", "-",
        ])
        .prop_map(str::to_owned),
    ];
    let node = atom.prop_recursive(4, 24, 4, |inner| {
        let quantifier = prop::sample::select(vec!["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "??", "{1,3}?", "{0}"]);
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            2 => prop::collection::vec(inner.clone(), 1..3).prop_map(|parts| format!("({})", parts.join("|"))),
            1 => (prop::sample::select(vec!["(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?m:", "(?s:", "(?-i:"]), inner.clone())
                .prop_map(|(open, inner)| format!("{open}{inner})")),
            3 => (inner, quantifier).prop_map(|(inner, quantifier)| format!("(?:{inner}){quantifier}")),
        ]
    });
    prop::collection::vec(node, 1..4).prop_map(|parts| parts.concat())
}

/// Pieces of patterns in any order.
fn broken_patterns() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "-",
        ",",
        "1",
        "2",
        "|",
        "(",
        "(",
        "(?:",
        "(?=",
        "(?!",
        "(?<=",
        "(?<!",
        "(?<a>",
        "(?<b>",
        "(?<a",
        "(?<1>",
        "(?<é>",
        r"(?<\u0061>",
        r"(?<\u{62}>",
        r"(?<\u{}>",
        "(?i:",
        "(?-s:",
        "(?i-i:",
        "(?ii:",
        "(?-:",
        "(?-",
        "(?",
        "(?i",
        "(?x:",
        ")",
        ")",
        ")",
        "[",
        "[^",
        "]",
        "[a-b]",
        "[b-a]",
        r"[\d-a]",
        "*",
        "+",
        "?",
        "{",
        "}",
        "{1}",
        "{1,2}",
        "{2,1}",
        "{,1}",
        "{1,",
        "^",
        "$",
        ".",
        r"\",
        r"\d",
        r"\w",
        r"\1",
        r"\2",
        r"\k",
        r"\k<a>",
        r"\k<b>",
        r"\k<c>",
        r"\k<",
        r"\c",
        r"\cA",
        r"\x4",
        r"\u00",
        r"\p{L}",
    ]);
    prop::collection::vec(piece, 1..10).prop_map(|pieces| pieces.concat())
}

/// Whether the pattern may repeat a `\b`, which `regress` accepts and JavaScript does not.
fn repeats_a_boundary(pattern: &str) -> bool {
    pattern.to_ascii_lowercase().split(r"\b").skip(1).any(|rest| rest.starts_with(['*', '+', '?', '{']))
}

/// What `new RegExp(pattern)` throws in Node.js 20, and what it accepts.
#[test]
fn valid_is_what_javascript_accepts() {
    for pattern in [
        "(?=a)*",
        "(?!a)+b",
        "(?=a){2}",
        "a{",
        "a{,2}",
        "a{2",
        "{",
        "}",
        "]",
        "{a}",
        "x{1}{",
        r"\k",
        r"\k<a>",
        r"\c",
        r"\8",
        r"\x4",
        r"\u00",
        r"\u{1}",
        r"\p{L}",
        r"[\d-z]",
        r"[a-\d]",
        "[]",
        "[^]",
        "[-a]",
        "[a-]",
        "(?<a>x)\\k<a>",
        r"(?<\u0061>x)\k<a>",
        r"(?<\u{61}>x)",
        "(?<$>x)",
        "(?<_>x)",
        "(?<é>x)",
        "(?<a1>x)",
        "()",
        "(|a)",
        "a||b",
        r"\0",
        "(?:)",
    ] {
        assert_eq!(Matcher::compile(pattern).problem(), None, "{pattern}");
    }
    for (pattern, problem) in [
        ("(", "a `(` without its `)`"),
        ("a)", "a `)` without its `(`"),
        ("[a", "a `[` without its `]`"),
        ("a**", "nothing to repeat"),
        ("{1}", "nothing to repeat"),
        ("x|+", "nothing to repeat"),
        ("^*", "nothing to repeat"),
        ("a$+", "nothing to repeat"),
        (r"\b+", "nothing to repeat"),
        (r"\B{2}", "nothing to repeat"),
        ("(?<=a)*", "nothing to repeat"),
        ("(?<!a)?", "nothing to repeat"),
        ("a{2,1}", "the numbers of a `{}` are out of order"),
        ("[b-a]", "a range of a `[]` is out of order"),
        ("a\\", "a `\\` at the end"),
        ("(?", "an unknown kind of group"),
        ("(?x:a)", "an unknown kind of group"),
        ("(?>a)", "an unknown kind of group"),
        ("(?#a)", "an unknown kind of group"),
        ("(?P<a>x)", "an unknown kind of group"),
        ("(?i)a", "an unknown kind of group"),
        ("(?<a", "a group with an invalid name"),
        ("(?<>x)", "a group with an invalid name"),
        ("(?<1a>x)", "a group with an invalid name"),
        ("(?<a-b>x)", "a group with an invalid name"),
        ("(?<a>x)(?<a>y)", "two groups with the same name"),
        (r"(?<a>x)\k<b>", "a `\\k` with a name that no group has"),
        (r"(?<a>x)\k", "a `\\k` without a group's name"),
        (r"\k<a>(?<b>x)", "a `\\k` with a name that no group has"),
        (r"(?<a>x)[\k]", "a `\\k` without a group's name"),
    ] {
        assert_eq!(Matcher::compile(pattern).problem(), Some(problem), "{pattern}");
    }
    // Later editions of the language accept flags of groups, and one name in two branches.
    for (pattern, is_valid) in [
        ("(?i:a)", true),
        ("(?-i:a)", true),
        ("(?i-s:a)", true),
        ("(?ii:a)", false),
        ("(?i-i:a)", false),
        ("(?-:a)", false),
        ("(?<a>x)|(?<a>y)", true),
        ("(?:(?<a>x)|(?<a>y))(?<a>z)", false),
        ("(?<b>z)(?:(?<a>x)|(?<b>y))", false),
    ] {
        assert_eq!(Matcher::compile(pattern).problem().is_none(), is_valid, "{pattern}");
    }
}

/// What Node.js says, where `regress` says something else.
#[test]
fn a_reference_to_an_open_group_is_empty() {
    for (pattern, name, matches) in
        [(r"((?:_|\1))_", "_", true), (r"(a\1)b", "ab", true), (r"(a\1)b", "aab", true)]
    {
        assert_eq!(Matcher::compile(pattern).matches_tool(name).is_match(), matches, "{pattern} on {name}");
    }
}

/// `regress` runs into these without end, so it must never be asked.
#[test]
fn loops_that_can_match_nothing_come_to_an_end() {
    for (pattern, name, matches) in [
        ("(?:(?:(?:_)?){2})+_a_", "-B-B_B", false),
        ("(?:(?:(?:_)?){2})+_a_", "__a_", true),
        ("(?:(?:(?:b)?)+)+(b)", "bbab", true),
        ("(?:(?:(?:a)*)??)+(?:b){2}", "_-a-B", false),
        ("(?:(?:(?:a)?)*){1,3}?(?:a){2}", "c_aba", false),
    ] {
        assert_eq!(reference::finds(pattern, name), None, "{pattern}");
        assert_eq!(Matcher::compile(pattern).matches_tool(name).is_match(), matches, "{pattern} on {name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn verdicts_are_those_of_regress(pattern in patterns(), names in prop::collection::vec("[abcAB_\\-é\\n]{0,8}", 1..6)) {
        let matcher = Matcher::compile(&pattern);
        if !repeats_a_boundary(&pattern) {
            prop_assert_eq!(matcher.problem().is_none(), regress::Regex::new(&pattern).is_ok());
        }
        prop_assert!(!matcher.is_too_large(), "not understood: {pattern}");
        if matcher.problem().is_some() {
            return Ok(());
        }
        for name in &names {
            let verdict = matcher.matches_tool(name);
            if verdict == MatchVerdict::BoundReached {
                prop_assert!(pattern.contains("(?i") && !name.is_ascii(), "{pattern} on {name:?}");
            } else if let Some(is_found) = reference::finds(&pattern, name) {
                prop_assert_eq!(verdict, MatchVerdict::from(is_found), "{} on {:?}", pattern, name);
            }
        }
    }

    /// All ways of running a pattern agree where they can run the same one.
    #[test]
    fn all_ways_agree(pattern in patterns(), name in "[abcAB_\\-é\\n]{0,8}") {
        let Ok(read) = syntax::parse(&pattern) else { return Ok(()) };
        let units: Vec<u16> = name.encode_utf16().collect();
        let attempts = Program::compile_for(&read, Way::Attempts)
            .and_then(|program| attempts::is_match(&program, &units, &mut 1_000_000).ok());
        if !read.has_back_references {
            let sets = Program::compile_for(&read, Way::Sets).map(|program| sets::is_match(&program, &units));
            prop_assert_eq!(attempts, sets, "{} on {:?}", pattern, name);
        }
        if let Some(long) = LongPattern::compile(&read.root) {
            prop_assert_eq!(attempts, Some(long.is_match(&name)), "{} on {:?}", pattern, name);
        }
    }

    #[test]
    fn words_are_read_as_the_pattern_they_are(
        pattern in "\\^?(\\.\\*)?(\\(|\\(\\?:)?[ab]{0,2}(\\|[ab]{0,2}){0,2}\\)?(\\.\\*)?\\$?",
        name in "[ab\\n]{0,5}",
    ) {
        if let (Some(words), Some(is_found)) = (Words::parse(&pattern), reference::finds(&pattern, &name)) {
            prop_assert_eq!(words.is_match(&name), is_found, "{} on {:?}", pattern, name);
        }
    }

    /// Most of these are invalid.
    #[test]
    fn what_is_valid_is_what_regress_accepts(pattern in broken_patterns()) {
        // It also accepts `\k` in a class beside a named group.
        let is_known_to_differ =
            repeats_a_boundary(&pattern) || pattern.contains('[') && pattern.contains(r"\k");
        if !is_known_to_differ {
            let problem = syntax::parse(&pattern).err();
            let reference = regress::Regex::new(&pattern).err();
            prop_assert_eq!(problem.is_some(), reference.is_some(), "{}: {:?}, {:?}", pattern, problem, reference);
        }
    }

    #[test]
    fn no_text_breaks_the_compiler(pattern in any::<String>(), name in any::<String>()) {
        let _ = Matcher::compile(&pattern).matches_tool(&name);
    }
}
