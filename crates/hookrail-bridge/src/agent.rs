//! The agents that can be bridged.

use std::fmt;
use std::str::FromStr;

use crate::agents;
use crate::dialect::Dialect;

/// Makes the enum, the list and the way to the tables from one line for each agent.
macro_rules! agents {
    ($($(#[$doc:meta])+ $agent:ident is $file:ident,)+) => {
        /// Another coding agent whose hooks hookrail can be.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Agent {
            $($(#[$doc])+ $agent,)+
        }

        impl Agent {
            /// All agents, in the order in which lists name them.
            pub const ALL: [Self; [$(stringify!($agent)),+].len()] = [$(Self::$agent),+];

            /// Everything that is particular to this agent.
            pub(crate) fn dialect(self) -> &'static Dialect {
                match self {
                    $(Self::$agent => &agents::$file::DIALECT,)+
                }
            }
        }
    };
}

agents! {
    /// Claude Code.
    Claude is claude,
    /// Codex CLI.
    Codex is codex,
    /// Gemini CLI.
    Gemini is gemini,
    /// Qwen Code.
    Qwen is qwen,
    /// GitHub Copilot CLI.
    Copilot is copilot,
    /// `LLxprt` Code, which reads our own settings.
    Llxprt is llxprt,
    /// opencode, which has plugins and no command hooks.
    Opencode is opencode,
}

impl Agent {
    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        self.dialect().name
    }

    /// The name as its makers write it.
    pub fn title(self) -> &'static str {
        self.dialect().title
    }

    /// The version that was observed when this dialect was written down.
    pub fn tested_with(self) -> &'static str {
        self.dialect().tested_with
    }

    /// The environment variable in which the agent tells its hooks the project's folder.
    pub fn project_variable(self) -> Option<&'static str> {
        self.dialect().project_variable
    }
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
    /// What was given.
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
        let error = "cursor".parse::<Agent>().unwrap_err().to_string();
        for agent in Agent::ALL {
            assert!(error.contains(agent.as_str()), "{error}");
        }
    }
}
