//! The names of the agents that can be bridged. Their dialects are in `agents`.

use std::fmt;
use std::str::FromStr;

/// Makes the enum, the list and the names from one line for each agent.
macro_rules! agents {
    ($($(#[$doc:meta])+ $agent:ident, $word:literal, $title:literal;)+) => {
        /// Another coding agent that can call hookrail as its hook.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Agent {
            $($(#[$doc])+ $agent,)+
        }

        impl Agent {
            /// All agents, in the order in which lists name them.
            pub const ALL: [Self; [$(stringify!($agent)),+].len()] = [$(Self::$agent),+];

            /// The word on the command line.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$agent => $word,)+
                }
            }

            /// The name as its makers write it.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$agent => $title,)+
                }
            }
        }
    };
}

agents! {
    /// Claude Code.
    Claude, "claude", "Claude Code";
    /// Codex CLI.
    Codex, "codex", "Codex";
    /// Gemini CLI.
    Gemini, "gemini", "Gemini CLI";
    /// Qwen Code.
    Qwen, "qwen", "Qwen Code";
    /// GitHub Copilot CLI.
    Copilot, "copilot", "Copilot CLI";
    /// `LLxprt` Code, which reads our own settings.
    Llxprt, "llxprt", "LLxprt Code";
    /// opencode, which has plugins and no command hooks.
    Opencode, "opencode", "opencode";
    /// Crush.
    Crush, "crush", "Crush";
    /// Cursor.
    Cursor, "cursor", "Cursor";
    /// Grok Build.
    Grok, "grok", "Grok Build";
    /// Kimi Code.
    Kimi, "kimi", "Kimi Code";
    /// Kilo, a fork of opencode.
    Kilo, "kilo", "Kilo";
    /// pi, which has extensions and no command hooks.
    Pi, "pi", "pi";
    /// Cline, whose plugins can do more than its hooks.
    Cline, "cline", "Cline";
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown agent `{word}` (known: {})", Agent::ALL.map(Agent::as_str).join(", "))]
pub struct UnknownAgent {
    /// The word as given.
    pub word: String,
}

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(word: &str) -> Result<Self, UnknownAgent> {
        let agent = Self::ALL.into_iter().find(|agent| agent.as_str() == word);
        agent.ok_or_else(|| UnknownAgent { word: word.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_is_named_by_its_word() {
        for agent in Agent::ALL {
            assert_eq!(agent.to_string().parse(), Ok(agent));
        }
        let error = "windsurf".parse::<Agent>().unwrap_err().to_string();
        for agent in Agent::ALL {
            assert!(error.contains(agent.as_str()), "{error}");
        }
    }
}
