use std::borrow::Cow;

use super::*;

#[test]
fn pairs_a_changed_message_with_the_text_it_resembles() {
    let shown = |role: &'static str, text: &'static str| LlmMessage {
        role: Cow::Borrowed(role),
        content: Cow::Borrowed(text),
        extra: None,
    };
    let given = |role: &'static str, text: &'static str| GivenMessage { role, text: Cow::Borrowed(text) };
    let steps = align(
        &[shown("user", "my password is 1234, please log in"), shown("model", "done")],
        &[
            given("user", "context"),
            given("user", "my password is ****, please log in"),
            given("model", "done"),
        ],
    );
    assert_eq!(steps, [Step::Add { given: 0 }, Step::Change { shown: 0, given: 1 }, Step::Keep { shown: 1 }]);
}
