use super::*;

#[test]
fn lines_are_orders_or_prompts() {
    for (line, expected) in [
        ("  ", Order::Nothing),
        ("/clear ", Order::Clear),
        ("/compress", Order::Compress),
        ("/hooks", Order::Hooks),
        ("/help", Order::Help),
        ("/quit", Order::Quit),
        ("/exit", Order::Quit),
        ("/clera", Order::Unknown("/clera")),
        ("/hooks all", Order::Unknown("/hooks all")),
        ("/etc/hosts: what is it?", Order::Prompt("/etc/hosts: what is it?")),
        ("/", Order::Prompt("/")),
        (" what is /clear? ", Order::Prompt("what is /clear?")),
    ] {
        assert_eq!(Order::read(line), expected, "{line:?}");
    }
}
