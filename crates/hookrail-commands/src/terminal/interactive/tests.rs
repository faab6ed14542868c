use super::*;

#[test]
fn lines_are_orders_or_prompts() {
    for (line, expected) in [
        ("  ", TypedCommand::Nothing),
        ("/clear ", TypedCommand::Clear),
        ("/compress", TypedCommand::Compress),
        ("/hooks", TypedCommand::Hooks),
        ("/help", TypedCommand::Help),
        ("/quit", TypedCommand::Quit),
        ("/exit", TypedCommand::Quit),
        ("/clera", TypedCommand::Unknown("/clera")),
        ("/hooks all", TypedCommand::Unknown("/hooks all")),
        ("/etc/hosts: what is it?", TypedCommand::Prompt("/etc/hosts: what is it?")),
        ("/", TypedCommand::Prompt("/")),
        (" what is /clear? ", TypedCommand::Prompt("what is /clear?")),
    ] {
        assert_eq!(TypedCommand::read(line), expected, "{line:?}");
    }
}
