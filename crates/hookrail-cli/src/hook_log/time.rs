//! Times of a log: written in UTC, shown and asked for in the local time zone.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, civil};

/// A time as people of the given zone write it; what is no time stays as it is.
fn in_zone(timestamp: &str, zone: &TimeZone) -> String {
    let Ok(time) = timestamp.parse::<Timestamp>() else { return timestamp.to_owned() };
    time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S%.3f").to_string()
}

/// A time in the local time zone.
pub(crate) fn local_time(timestamp: &str) -> String {
    in_zone(timestamp, &TimeZone::system())
}

/// The start of a span of time that reaches to the present: `--since 2h`, `--since 2026-01-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Since(Timestamp);

impl Since {
    /// Reads what a person wrote.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::parse_at(text, Timestamp::now(), &TimeZone::system())
            .ok_or_else(|| "write `30m`, `2h`, `7d`, `2026-01-31` or `2026-01-31T18:00`".to_owned())
    }

    fn parse_at(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Self> {
        if let Ok(time) = text.parse::<Timestamp>() {
            return Some(Self(time));
        }
        if let Ok(time) = text.parse::<civil::DateTime>() {
            return Some(Self(time.to_zoned(zone.clone()).ok()?.timestamp()));
        }
        let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let seconds = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 60 * 60,
            "d" => 24 * 60 * 60,
            _ => return None,
        };
        let number: u32 = number.parse().ok()?;
        let ago = SignedDuration::from_secs(i64::from(number).checked_mul(seconds)?);
        Some(Self(now.checked_sub(ago).unwrap_or(Timestamp::MIN)))
    }

    /// Whether a line of the log is as young. A line without a time is not.
    pub(crate) fn covers(self, timestamp: &str) -> bool {
        timestamp.parse::<Timestamp>().is_ok_and(|time| time >= self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_the_zone_of_the_reader() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(in_zone("2026-01-01T23:30:00.500Z", &zone), "2026-01-02 01:30:00.500");
        assert_eq!(in_zone("never", &zone), "never");
    }

    #[test]
    fn a_span_of_time_is_read_as_people_write_it() {
        let now: Timestamp = "2026-01-10T12:00:00Z".parse().unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        for (text, expected) in [
            ("90s", Some("2026-01-10T11:58:30Z")),
            ("30m", Some("2026-01-10T11:30:00Z")),
            ("2h", Some("2026-01-10T10:00:00Z")),
            ("7d", Some("2026-01-03T12:00:00Z")),
            ("2026-01-09", Some("2026-01-08T23:00:00Z")),
            ("2026-01-09T10:00", Some("2026-01-09T09:00:00Z")),
            ("2026-01-09T10:00:00Z", Some("2026-01-09T10:00:00Z")),
            ("yesterday", None),
            ("-1h", None),
            ("1ä", None),
            ("", None),
        ] {
            let since = Since::parse_at(text, now, &zone);
            assert_eq!(since, expected.map(|time| Since(time.parse().unwrap())), "{text}");
        }
        let since = Since::parse_at("2h", now, &zone).unwrap();
        assert!(since.covers("2026-01-10T10:00:00.000Z") && !since.covers("2026-01-10T09:59:59.999Z"));
        assert!(!since.covers("t5"));
    }
}
