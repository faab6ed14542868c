//! Milliseconds since 1970 as text.

/// ISO 8601 in UTC with milliseconds and a `Z`; `None` for times that no clock shows.
pub(super) fn iso_timestamp(milliseconds: i64) -> Option<String> {
    const DAY: i64 = 86_400_000;
    // Until the end of the year 9999.
    if !(0..=253_402_300_799_999).contains(&milliseconds) {
        return None;
    }
    let (year, month, day) = date(milliseconds / DAY);
    let time = milliseconds % DAY;
    let (hours, minutes) = (time / 3_600_000, time / 60_000 % 60);
    let (seconds, rest) = (time / 1000 % 60, time % 1000);
    Some(format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{rest:03}Z"))
}

/// Year, month and day of a day counted from 1970-01-01.
fn date(mut day: i64) -> (i64, i64, i64) {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    // Whole periods of 400 years first, so that the loop below is short.
    let mut year = 1970 + 400 * (day / 146_097);
    day %= 146_097;
    while day >= if is_leap(year) { 366 } else { 365 } {
        day -= if is_leap(year) { 366 } else { 365 };
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    (year, month, day + 1)
}

#[cfg(test)]
mod tests {
    use super::iso_timestamp;

    #[test]
    fn known_times() {
        for (milliseconds, expected) in [
            (0, Some("1970-01-01T00:00:00.000Z")),
            (951_782_400_000, Some("2000-02-29T00:00:00.000Z")),
            (1_794_802_435_527, Some("2026-11-16T04:13:55.527Z")),
            (253_402_300_799_999, Some("9999-12-31T23:59:59.999Z")),
            (-1, None),
            (i64::MAX, None),
        ] {
            assert_eq!(iso_timestamp(milliseconds).as_deref(), expected, "{milliseconds}");
        }
    }
}
