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
        ("2w", Some("2025-12-27T12:00:00Z")),
        ("4294967295w", Some("-009999-01-02T01:59:59Z")),
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
    let folder = tempfile::tempdir().unwrap();
    let metadata = folder.path().metadata().unwrap();
    assert!(since.covers_file(&metadata) && !Since(Timestamp::MAX).covers_file(&metadata));
}
