use super::*;

#[test]
fn pairs_a_changed_message_with_the_text_it_resembles() {
    let message = |role: &'static str, text: &'static str| LlmMessage::new(role, text);
    let steps = align(
        &[message("user", "my password is 1234, please log in"), message("model", "done")],
        &[
            message("user", "context"),
            message("user", "my password is ****, please log in"),
            message("model", "done"),
        ],
    );
    assert_eq!(steps, [Step::Add { given: 0 }, Step::Change { shown: 0, given: 1 }, Step::Keep { shown: 1 }]);
}
