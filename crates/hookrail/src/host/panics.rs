//! Panics become messages at the boundary of the engine: a panic inside of it does not end the agent.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;

/// Polls a future and turns a panic of any poll into its message.
pub(crate) async fn catch_panic_in_future<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let mut future = pin!(future);
    std::future::poll_fn(|context| match catch_panic(|| future.as_mut().poll(context)) {
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Ok(Poll::Pending) => Poll::Pending,
        // The future is never polled again after a panic, so that no broken state is observed.
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
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
