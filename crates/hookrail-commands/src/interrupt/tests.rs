use super::*;

#[test]
fn once_ends_the_turn_and_twice_within_a_second_the_session() {
    let start = Instant::now();
    let interrupt = Interrupt::new(true);
    let turn = interrupt.turn();
    interrupt.press_at(start);
    assert!(turn.is_cancelled() && !interrupt.is_ended());
    let next = interrupt.turn();
    assert!(!next.is_cancelled(), "the session goes on");
    interrupt.press_at(start + Duration::from_secs(2));
    assert!(next.is_cancelled() && !interrupt.is_ended(), "too late for a second one");
    interrupt.press_at(start + Duration::from_millis(2_900));
    assert!(interrupt.is_ended());
    assert!(interrupt.turn().is_cancelled(), "no further turn");

    let single = Interrupt::new(false);
    single.press_at(start);
    assert!(single.is_ended(), "a run with one prompt ends at once");
}
