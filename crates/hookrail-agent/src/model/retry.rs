//! When a failed call is tried again, and how long to wait before that. Pure: clock and chance are given.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;

/// How often and how patiently a call is tried again.
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

/// Told before the agent waits for another attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryNotice {
    /// How many attempts have failed so far.
    pub failed_attempts: u32,
    /// How many there can be.
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
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn waits_double_up_to_a_limit() {
        let policy =
            RetryPolicy { max_attempts: 8, max_delay: Duration::from_secs(5), ..RetryPolicy::default() };
        let waits: Vec<_> = (1..=8).map(|attempt| policy.delay(attempt, None, 0.0)).collect();
        let expected =
            [500, 1000, 2000, 4000, 5000, 5000, 5000].map(|wait| Some(Duration::from_millis(wait)));
        assert_eq!(waits.split_last(), Some((&None, &expected[..])));
    }

    #[test]
    fn what_the_server_asks_for_is_kept_and_capped() {
        let policy = RetryPolicy::default();
        for (server, chance, expected) in
            [(0, 0.0, 500), (0, 1.0, 250), (100, 0.0, 500), (7_000, 1.0, 7_000), (86_400_000, 0.5, 60_000)]
        {
            let delay = policy.delay(1, Some(Duration::from_millis(server)), chance);
            assert_eq!(delay, Some(Duration::from_millis(expected)), "{server} ms asked, chance {chance}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::from("2026-11-06T08:49:37Z".parse::<jiff::Timestamp>().unwrap());
        for (value, expected) in [
            ("0", Some(0)),
            (" 17 ", Some(17)),
            ("Fri, 06 Nov 2026 08:50:07 GMT", Some(30)),
            ("Fri, 06 Nov 2026 08:00:00 GMT", Some(0)),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(parse_retry_after(value, now), expected.map(Duration::from_secs), "{value:?}");
        }
    }

    #[test]
    fn retry_info_of_google() {
        let with = |details| json!({ "code": 429, "details": details });
        let kind = "type.googleapis.com/google.rpc.RetryInfo";
        for (error, expected) in [
            (with(json!([{ "@type": "other" }, { "@type": kind, "retryDelay": "34.5s" }])), Some(34_500)),
            (with(json!([{ "@type": kind, "retryDelay": "-3s" }])), None),
            (with(json!([{ "@type": kind, "retryDelay": "1e300s" }])), None),
            (with(json!("none")), None),
            (json!({}), None),
        ] {
            assert_eq!(parse_retry_info(&error), expected.map(Duration::from_millis), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_wait_is_never_longer_than_its_limits(attempt in any::<u32>(), server: Option<Duration>, chance: f64) {
            let policy = RetryPolicy { max_attempts: u32::MAX, ..RetryPolicy::default() };
            if let Some(delay) = policy.delay(attempt, server, chance) {
                prop_assert!(delay <= policy.max_delay.max(policy.max_server_delay));
            }
        }
    }

    #[test]
    fn chance_is_spread() {
        let drawn: Vec<f64> = (0..200).map(|_| chance()).collect();
        assert!(drawn.iter().all(|chance| (0.0..=1.0).contains(chance)));
        assert!(drawn.iter().any(|chance| *chance < 0.3) && drawn.iter().any(|chance| *chance > 0.7));
    }
}
