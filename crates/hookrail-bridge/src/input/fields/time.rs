//! Milliseconds since 1970 as text.

use jiff::Timestamp;

/// As hooks read it; `None` for times before 1970, and for those that no clock shows.
pub(super) fn iso_timestamp(milliseconds: i64) -> Option<String> {
    let time =
        Timestamp::from_millisecond(milliseconds).ok().filter(|time| *time >= Timestamp::UNIX_EPOCH)?;
    Some(hookrail::components::iso_timestamp(time))
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
            (253_402_127_999_999, Some("9999-12-29T23:59:59.999Z")),
            (-1, None),
            (i64::MAX, None),
        ] {
            assert_eq!(iso_timestamp(milliseconds).as_deref(), expected, "{milliseconds}");
        }
    }
}
