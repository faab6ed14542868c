//! What was measured with which version of each agent. `cargo xtask agents --table` writes the file.

use serde_json::Value;

use crate::prove::Proved;
use crate::texts::TEXTS;

/// The results for one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The version of the agent's program.
    pub version: String,
    /// Effects and results.
    pub effects: Vec<(String, Proved)>,
}

impl Measured {
    /// What this version did about an effect.
    pub fn result(&self, effect: &str) -> Option<Proved> {
        self.effects.iter().find(|(name, _)| name == effect).map(|(_, result)| *result)
    }
}

/// What was measured with an agent; `None` for one that was never run.
pub fn measured(agent: &str) -> Option<Measured> {
    let table: Value = serde_json::from_str(TEXTS.get("measured.json")).ok()?;
    let entry = table.get(agent)?;
    let effects = entry.get("effects")?.as_object()?;
    let effects = effects
        .iter()
        .filter_map(|(effect, result)| Some((effect.clone(), Proved::parse(result.as_str()?)?)))
        .collect();
    Some(Measured { version: entry.get("version")?.as_str()?.to_owned(), effects })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EFFECTS, PROGRAMS};

    #[test]
    fn every_agent_was_measured_in_every_effect() {
        for program in PROGRAMS.iter() {
            let measured =
                measured(&program.name).unwrap_or_else(|| panic!("{} was not measured", program.name));
            for effect in EFFECTS {
                assert!(measured.result(effect).is_some(), "{}: {effect}", program.name);
            }
        }
    }

    #[test]
    fn every_effect_has_its_scenario() {
        for effect in EFFECTS {
            let count =
                crate::SCENARIOS.iter().filter(|scenario| scenario.effect.as_deref() == Some(effect)).count();
            assert_eq!(count, 1, "{effect}");
        }
    }
}
