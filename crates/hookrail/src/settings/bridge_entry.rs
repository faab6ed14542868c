//! Entries that call `hookrail bridge`. They belong into other agents' settings; run as a hook of ours, or imported, the
//! program would call itself.

/// The agents that `hookrail bridge` answers.
const AGENTS: [&str; 14] = [
    "claude", "codex", "gemini", "qwen", "copilot", "llxprt", "opencode", "crush", "cursor", "grok", "kimi",
    "kilo", "pi", "cline",
];

/// Whether a command of some settings calls the bridge.
pub fn calls_bridge(command: &str) -> bool {
    if !command.contains("hookrail") {
        return false;
    }
    let is_border =
        |sign: char| sign.is_whitespace() || matches!(sign, '\'' | '"' | ';' | '&' | '|' | '(' | ')' | '`');
    let mut words = command.split(is_border).filter(|word| !word.is_empty());
    while words.any(|word| word == "bridge") {
        let mut rest = words.clone();
        // The paths that options name may have any words in them.
        let calls = match rest.next() {
            Some(option) if option.starts_with("--") => rest.any(|word| AGENTS.contains(&word)),
            agent => agent.is_some_and(|word| AGENTS.contains(&word)),
        };
        if calls {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_told_from_other_commands() {
        for (command, expected) in [
            ("hookrail bridge claude", true),
            ("'/opt/hook rail/hookrail' bridge codex PreToolUse", true),
            ("/bin/sh -c '\"$0\" \"$@\"' /usr/bin/hookrail bridge qwen Stop", true),
            ("(hookrail bridge opencode)", true),
            ("hookrail bridge --home '/home/a b' --system /etc/s.json claude PreToolUse", true),
            ("hookrail bridge --home=/home/bridge gemini", true),
            ("bridge hookrail bridge claude", true),
            ("hookrail bridge --home /h windsurf", false),
            ("hookrail fire BeforeTool", false),
            ("./bridge claude", false),
            ("hookrail bridge windsurf", false),
            ("hookrail bridge", false),
            ("", false),
        ] {
            assert_eq!(calls_bridge(command), expected, "{command}");
        }
    }
}
