use std::path::Path;

use proptest::prelude::*;

use super::*;

type Check = fn(&[u8]);
const CHECKS: [(&str, Check); 6] = [
    ("hook_stdout", hook_stdout),
    ("settings_text", settings_text),
    ("bus_line", bus_line),
    ("matcher", matcher),
    ("command_expansion", command_expansion),
    ("shell_line", shell_line),
];

/// Bytes made of pieces that mean something to one check or another.
fn meaningful() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        3 => prop::sample::select(vec![
            "{", "}", "[", "]", "\"", ":", ",", "\\", "\u{1e}", "null", "true", "1e999", "-0", "\u{feff}", "\n", " ",
            r#"{"decision":"block"}"#, r#""reason":"no""#, r#""continue":false"#, r#"{"hooks":{"BeforeTool":[{"hooks":["#,
            r#"{"type":"command","command":"x"}"#, "]}]}}", r#""hooksConfig":{"disabled":["guard"]}"#, "// note\n",
            r#"{"type":"hook-execution-request","eventName":"BeforeTool","correlationId":"1","input":{"#,
            r#""tool_name":"ls","tool_input":{}}}"#, "(a+)+", "(?=", "(?<!", "a", "*", "+", "{2}", "|", "^", "$", "[a-z]",
            "$LLXPRT_PROJECT_DIR", "${CLAUDE_PROJECT_DIR}", "$(", ")", "`", "'", "<<E\n", "case x in ", "esac", "#", ";", "~",
            "rm ", "if ", "then ", "fi", "do ", "done", "for x in ", "f() { ", "eval ", "bash -c ", "X=rm", "$X", "&&", "(", "((", "[[ ",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => any::<Vec<u8>>(),
    ];
    (any::<[u8; 2]>(), prop::collection::vec(piece, 0..16))
        .prop_map(|(start, pieces)| [start.to_vec(), pieces.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn everything_holds_for_any_bytes(data in any::<Vec<u8>>()) {
        for (_, check) in CHECKS {
            check(&data);
        }
    }

    #[test]
    fn everything_holds_for_what_looks_meaningful(data in meaningful(), skip in 0..3usize) {
        for (_, check) in CHECKS {
            check(data.get(skip..).unwrap_or_default());
        }
    }
}

#[test]
fn everything_holds_for_the_seeds() {
    for (name, check) in CHECKS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
        let seeds: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(seeds.len() >= 3, "{} holds too little", folder.display());
        for seed in seeds {
            check(&std::fs::read(seed).unwrap());
        }
    }
}
