//! Every view is made of an output, and the output can be taken out of it.

use super::{
    AfterModelHookOutput, BeforeModelHookOutput, BeforeToolHookOutput, BeforeToolSelectionHookOutput,
    DefaultHookOutput,
};
use crate::output::HookOutput;

impl From<HookOutput> for DefaultHookOutput {
    fn from(output: HookOutput) -> Self {
        Self(output)
    }
}

impl From<DefaultHookOutput> for HookOutput {
    fn from(view: DefaultHookOutput) -> Self {
        view.0
    }
}

impl From<HookOutput> for BeforeToolHookOutput {
    fn from(output: HookOutput) -> Self {
        Self(output)
    }
}

impl From<BeforeToolHookOutput> for HookOutput {
    fn from(view: BeforeToolHookOutput) -> Self {
        view.0
    }
}

impl From<HookOutput> for BeforeModelHookOutput {
    fn from(output: HookOutput) -> Self {
        Self(output)
    }
}

impl From<BeforeModelHookOutput> for HookOutput {
    fn from(view: BeforeModelHookOutput) -> Self {
        view.0
    }
}

impl From<HookOutput> for AfterModelHookOutput {
    fn from(output: HookOutput) -> Self {
        Self(output)
    }
}

impl From<AfterModelHookOutput> for HookOutput {
    fn from(view: AfterModelHookOutput) -> Self {
        view.0
    }
}

impl From<HookOutput> for BeforeToolSelectionHookOutput {
    fn from(output: HookOutput) -> Self {
        Self(output)
    }
}

impl From<BeforeToolSelectionHookOutput> for HookOutput {
    fn from(view: BeforeToolSelectionHookOutput) -> Self {
        view.0
    }
}
