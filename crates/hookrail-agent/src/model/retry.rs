//! When a failed call is tried again, and how long to wait before that. Pure: clock and chance are given.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;

/// How often a failed call is tried again, and how long the waits between are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often a call is tried at most, the first time included.
    pub max_attempts: u32,
    /// The wait before the second attempt; it doubles from then on.
    pub base_delay: Duration,
    /// The longest wait that doubling leads to.
    pub max_delay: Duration,
    /// The longest wait that a server can ask for.
    pub max_server_delay: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 5,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(20),
            max_server_delay: Duration::from_mins(1),
        }
    }
}

impl RetryPolicy {
    /// How long to wait after `attempt` attempts (1 after the first), or `None` to give up.
    ///
    /// `chance` between 0 and 1 takes up to half of the doubled wait away, so that many clients which
    /// failed together do not come back together. What the server asked for is a minimum and is kept.
    pub fn delay(&self, attempt: u32, server: Option<Duration>, chance: f64) -> Option<Duration> {
        if attempt >= self.max_attempts {
            return None;
        }
        let doubled = self.base_delay.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)));
        // Written so that a NaN, too, leaves the wait as it is.
        let taken = if chance > 0.0 { chance.min(1.0) / 2.0 } else { 0.0 };
        let own = doubled.min(self.max_delay).mul_f64(1.0 - taken);
        Some(server.map_or(own, |server| server.min(self.max_server_delay).max(own)))
    }
}

/// What the host is given before the agent waits for another attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryNotice {
    /// How many attempts have failed so far.
    pub failed_attempts: u32,
    /// After how many attempts the call fails for good.
    pub max_attempts: u32,
    /// How long the wait will be.
    pub delay: Duration,
    /// Why the last attempt failed.
    pub why: String,
}

impl fmt::Display for RetryNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { failed_attempts, max_attempts, delay, why } = self;
        let seconds = delay.as_secs_f64();
        write!(f, "{why} (attempt {failed_attempts} of {max_attempts}, next in {seconds:.1} s)")
    }
}

/// A number between 0 and 1. The standard library seeds its hash maps with chance good enough for this.
pub(crate) fn chance() -> f64 {
    let bits = u32::try_from(RandomState::new().hash_one(0_u8) >> 32).unwrap_or_default();
    f64::from(bits) / f64::from(u32::MAX)
}

/// Reads a `Retry-After` header: seconds, or a date. A date that has passed means at once.
pub(crate) fn parse_retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(SystemTime::from(date).duration_since(now).unwrap_or_default())
}

/// Reads the wait that Google puts into an error's `details` (`google.rpc.RetryInfo`, `"34.5s"`).
pub(crate) fn parse_retry_info(error: &Value) -> Option<Duration> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds = delay.strip_suffix('s')?.parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests;
