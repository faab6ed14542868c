//! The merge strategies, as folds in plan order. Pure.
