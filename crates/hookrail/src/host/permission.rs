//! The step between the hooks and the call: the host decides whether it is made.

use crate::formats::genai::GenerateContentParameters;
use crate::formats::json_object::JsonObject;
use crate::verdict::result::StopReason;

/// A call that the hooks let through, as it would be made.
#[derive(Debug)]
#[non_exhaustive]
pub struct PermissionRequest<'a, R = GenerateContentParameters> {
    /// What is to be done.
    pub subject: PermissionSubject<'a, R>,
    /// Who has to decide.
    pub decider: Decider<'a>,
}

/// What permission is needed for.
#[derive(Debug)]
#[non_exhaustive]
pub enum PermissionSubject<'a, R = GenerateContentParameters> {
    /// A tool call.
    Tool {
        /// The tool.
        name: &'a str,
        /// The arguments as hooks left them.
        input: &'a JsonObject,
    },
    /// A model call.
    Model {
        /// The request as hooks left it.
        request: &'a R,
    },
}

/// Who has to decide about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decider<'a> {
    /// The host, by its own rules.
    Host,
    /// A person: a hook decided `ask`. No approval mode of the host replaces the question, and no answer means no.
    Person {
        /// What the question shows.
        reason: &'a str,
    },
}

/// The host's answer.
#[must_use = "a call without permission must not be made"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// The call is made.
    Granted,
    /// It is not made; the reason becomes its result.
    Denied {
        /// Why.
        reason: String,
    },
    /// It is not made, and the agent stops.
    Stopped {
        /// Why.
        reason: StopReason,
    },
}

/// The permission step of a host that has no rules of its own and cannot ask a person: what the hooks let through is
/// done, and what they ask a person about is refused.
pub async fn permit_unless_asked<R>(request: PermissionRequest<'_, R>) -> Permission {
    match request.decider {
        Decider::Host => Permission::Granted,
        Decider::Person { reason } => Permission::Denied {
            reason: format!("A hook asked for a person's decision, and no one can be asked here: {reason}"),
        },
    }
}
