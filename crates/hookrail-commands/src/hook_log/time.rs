//! Times of logs and transcripts: written in UTC, shown and asked for in the local time zone.

use std::fmt;
use std::fs::Metadata;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, civil};

/// A time as people of the given zone write it; what is not a time stays as it is.
/// The zone is passed in for tests.
fn in_zone(timestamp: &str, zone: &TimeZone) -> String {
    let Ok(time) = timestamp.parse::<Timestamp>() else { return timestamp.to_owned() };
    time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S%.3f").to_string()
}

/// A time in the local time zone.
pub(crate) fn local_time(timestamp: &str) -> String {
    in_zone(timestamp, &TimeZone::system())
}

/// A time as a column of a table: the hour of today, or the day before it.
pub(crate) fn short_local_time(timestamp: &str) -> String {
    let Ok(time) = timestamp.parse::<Timestamp>() else { return timestamp.to_owned() };
    let (time, now) = (time.to_zoned(TimeZone::system()), Timestamp::now().to_zoned(TimeZone::system()));
    let form = if time.date() == now.date() {
        "%H:%M:%S"
    } else if time.year() == now.year() {
        "%m-%d %H:%M"
    } else {
        "%Y-%m-%d"
    };
    time.strftime(form).to_string()
}

/// A span of time, as people write it: `90s`, `30m`, `2h`, `7d`, `4w`.
pub(crate) fn span(text: &str) -> Option<SignedDuration> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let number: u32 = number.parse().ok()?;
    Some(SignedDuration::from_secs(i64::from(number).checked_mul(seconds)?))
}

/// The start of a span of time that reaches to the present: `--since 2h`, `--since 2026-01-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Since(Timestamp);

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Since {
    /// Reads what a person wrote.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::parse_at(text, Timestamp::now(), &TimeZone::system())
            .ok_or_else(|| "write `30m`, `2h`, `7d`, `4w`, `2026-01-31` or `2026-01-31T18:00`".to_owned())
    }

    /// A date alone is the start of that day in the local zone. Spans that reach before all time mean everything.
    fn parse_at(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Self> {
        if let Ok(time) = text.parse::<Timestamp>() {
            return Some(Self(time));
        }
        if let Ok(time) = text.parse::<civil::DateTime>() {
            return Some(Self(time.to_zoned(zone.clone()).ok()?.timestamp()));
        }
        Some(Self(now.checked_sub(span(text)?).unwrap_or(Timestamp::MIN)))
    }

    /// Whether a line of the log is as young. A line without a time is not.
    pub(crate) fn covers(self, timestamp: &str) -> bool {
        timestamp.parse::<Timestamp>().is_ok_and(|time| time >= self.0)
    }

    /// Whether a file changed since then. One whose time is not known may have.
    pub(crate) fn covers_file(self, metadata: &Metadata) -> bool {
        let changed = metadata.modified().ok().and_then(|changed| Timestamp::try_from(changed).ok());
        changed.is_none_or(|changed| changed >= self.0)
    }
}

#[cfg(test)]
mod tests;
