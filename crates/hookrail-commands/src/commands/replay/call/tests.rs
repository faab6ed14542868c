use super::*;

#[test]
fn who_stopped_a_call_is_read_from_what_agents_say() {
    for (text, was) in [
        ("Command blocked by PreToolUse hook: no. Command: rm x", PastOutcome::Block),
        ("Script error: Command blocked by PreToolUse hook", PastOutcome::Block),
        ("PreToolUse:Bash hook error: [guard.py]: no", PastOutcome::Block),
        ("Hook PreToolUse:Bash denied this tool", PastOutcome::Block),
        (
            "The user doesn't want to proceed with this tool use. The tool use was rejected",
            PastOutcome::Denied,
        ),
        ("Claude requested permissions to write to /x, but you haven't granted it yet.", PastOutcome::Denied),
        ("Permission to use Bash with command rm has been denied.", PastOutcome::Denied),
        ("exec command rejected by user", PastOutcome::Denied),
        ("Tool execution blocked: no", PastOutcome::Block),
        ("Agent execution stopped by hook: enough", PastOutcome::Block),
        ("Tool execution denied by policy.", PastOutcome::Denied),
        ("[Operation Cancelled] Reason: User did not allow tool call", PastOutcome::Denied),
        (
            r#"Qwen Code requires permission to use "write_file", but that permission was declined."#,
            PastOutcome::Denied,
        ),
        (r#"Tool "edit" is denied by permission rules. Matching deny rule: "edit"."#, PastOutcome::Denied),
        (r#"Permission denied by hook for "edit""#, PastOutcome::Block),
        ("bash: rm: command not found", PastOutcome::Allow),
        ("", PastOutcome::Allow),
    ] {
        assert_eq!(refusal(text), was, "{text}");
    }
    let far = format!("{}blocked by PreToolUse hook", "x".repeat(10_000));
    assert_eq!(refusal(&far), PastOutcome::Allow, "the output of a tool is not the agent's own word");
}
