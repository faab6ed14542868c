use super::*;

#[test]
fn the_process_table_is_read_past_hostile_names() {
    for (stat, expected) in [
        ("12 (bash) S 1 12 12 0", Some((true, 12))),
        ("13 (a) Z 1 99 (b) Z 7 12 12 0", Some((false, 12))),
        ("14 (x) R", None),
        ("", None),
    ] {
        let expected = expected.map(|(is_alive, group)| ProcessStat { is_alive, group });
        assert_eq!(ProcessStat::parse(stat.as_bytes()), expected, "{stat}");
    }
}

#[test]
fn the_own_group_is_alive() {
    let table = ProcessTable::load().expect("/proc is readable");
    assert!(!table.shows_end_of_group(rustix::process::getpgrp()));
}
