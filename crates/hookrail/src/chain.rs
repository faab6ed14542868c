//! One hook's output applied to the next hook's input. Pure.
