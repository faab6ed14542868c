//! Whether hooks are on, decided from the flags of all levels and the approvals.

use crate::hook::Level;
use crate::settings::PerLevel;
use crate::trust::{HookTrust, Judgement};

/// Whether hooks are on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activation {
    /// They are.
    On,
    /// They are not, because the settings of this level say so.
    OffBy(Level),
    /// They are not: only the project turns them on, and none of its hooks is approved.
    OffUntilApproved,
    /// They are not: no settings turn them on.
    OffByDefault,
}

impl Activation {
    /// Whether hooks are on.
    pub fn is_on(&self) -> bool {
        *self == Self::On
    }
}

/// Whether hooks may be on, as far as the flags decide it before approvals are read. If not, they are off; if a project's flag
/// is all that turns them on, approvals decide.
pub(crate) fn may_be_on(enable: PerLevel<Option<bool>>) -> bool {
    enable.project == Some(true) || matches!(outside(enable), Some((true, _)))
}

/// The flag outside of the project, and the level that sets it: the policy's, else the user's, else the system's.
fn outside(enable: PerLevel<Option<bool>>) -> Option<(bool, Level)> {
    let levels =
        [(enable.managed, Level::Managed), (enable.user, Level::User), (enable.system, Level::System)];
    levels.into_iter().find_map(|(flag, level)| Some((flag?, level)))
}

/// Decides whether hooks are on.
///
/// A project's own `enableHooks: true` counts as soon as one of its hooks is approved: approvals are per hook,
/// and changing one hook must not switch its neighbours off. Its `false` concerns its own hooks only.
pub(super) fn activation(enable: PerLevel<Option<bool>>, judgement: &Judgement) -> Activation {
    let approved = judgement.keeps_enabled
        || judgement.project_settings_approved
        || judgement.hooks.iter().any(|hook| hook.trust == HookTrust::Approved);
    let by_project = enable.project == Some(true) && approved;
    match outside(enable) {
        _ if by_project => Activation::On,
        Some((true, _)) => Activation::On,
        _ if enable.project == Some(true) => Activation::OffUntilApproved,
        Some((false, level)) => Activation::OffBy(level),
        None if enable.project == Some(false) => Activation::OffBy(Level::Project),
        None => Activation::OffByDefault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_on_only_where_they_may_be_and_always_where_they_may_be_and_all_is_approved() {
        let said = [None, Some(false), Some(true)];
        for project in said {
            for user in said {
                for system in said {
                    let enable = PerLevel { managed: None, project, user, system };
                    for approved in [false, true] {
                        let judgement =
                            Judgement { project_settings_approved: approved, ..Judgement::default() };
                        let activation = activation(enable, &judgement);
                        let on = activation.is_on();
                        let may_be = may_be_on(enable);
                        assert!(may_be || !on, "{enable:?}, {approved}: {activation:?}");
                        assert!(on || !may_be || !approved, "{enable:?}: {activation:?}");
                    }
                }
            }
        }
    }
}
