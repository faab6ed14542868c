use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn waits_double_up_to_a_limit() {
    let policy = RetryPolicy { max_attempts: 8, max_delay: Duration::from_secs(5), ..RetryPolicy::default() };
    let waits: Vec<_> = (1..=8).map(|attempt| policy.delay(attempt, None, 0.0)).collect();
    let expected = [500, 1000, 2000, 4000, 5000, 5000, 5000].map(|wait| Some(Duration::from_millis(wait)));
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
