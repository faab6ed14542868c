//! Which tools a model was allowed to call. A reply may call others all the same, and those must not run.

use crate::formats::genai::{FunctionCallingMode, GenerateContentParameters};

/// The tools that a request let the model call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedTools {
    /// All that the request offered.
    All,
    /// Those with these names.
    Only(Vec<String>),
}

impl AllowedTools {
    /// Reads what is sent with a request.
    pub fn of(request: &GenerateContentParameters) -> Self {
        let config = request.config.as_ref().and_then(|config| config.tool_config.as_ref());
        let Some(calling) = config.and_then(|config| config.function_calling_config.as_ref()) else {
            return Self::All;
        };
        match (&calling.mode, &calling.allowed_function_names) {
            (Some(FunctionCallingMode::None), _) => Self::Only(Vec::new()),
            (_, Some(names)) => Self::Only(names.clone()),
            (_, None) => Self::All,
        }
    }

    /// Whether this tool may run.
    pub fn permits(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(|allowed| allowed == name),
        }
    }
}
