//! Panics become messages at the boundary of the engine: a panic inside of it does not end the agent.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

/// Awaits a future and turns a panic into its message.
pub(crate) async fn catch_panic_in_future<T>(future: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(future).catch_unwind().await.map_err(|panic| panic_message(panic.as_ref()))
}

/// Calls a function and turns a panic into its message.
#[inline]
pub(crate) fn catch_panic<T>(function: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(AssertUnwindSafe(function)).map_err(|panic| panic_message(panic.as_ref()))
}

/// The text of a caught panic.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    format!("panic: {text}")
}
