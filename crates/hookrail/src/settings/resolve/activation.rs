//! Whether hooks are on, decided from the flags of all levels and the approvals.

use crate::hook::Level;
use crate::settings::{ConfiguredHook, PerLevel};
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

/// Whether hooks are on, and whether those outside of the project are.
///
/// A project's own `enableHooks: true` counts as soon as one of its hooks is approved: approvals are per hook,
/// and changing one hook must not switch its neighbours off. Its `false` concerns its own hooks only.
pub(super) fn activation(
    enable: PerLevel<Option<bool>>,
    judgement: &Judgement<ConfiguredHook>,
) -> (Activation, bool) {
    let approved = judgement.keeps_enabled
        || judgement.project_settings_approved
        || judgement.hooks.iter().any(|hook| hook.trust == HookTrust::Approved);
    let by_project = enable.project == Some(true) && approved;
    let outside = enable.user.map(|on| (on, Level::User)).or(enable.system.map(|on| (on, Level::System)));
    let activation = match outside {
        _ if by_project => Activation::On,
        Some((true, _)) => Activation::On,
        _ if enable.project == Some(true) => Activation::OffUntilApproved,
        Some((false, level)) => Activation::OffBy(level),
        None if enable.project == Some(false) => Activation::OffBy(Level::Project),
        None => Activation::OffByDefault,
    };
    let on = activation.is_on();
    (activation, on)
}
