//! Any bytes as the payload of any agent: reading them ends in an event or in an error, and what is answered is nothing or
//! one line of JSON. A refusal at a guarded event is never silent.
#![no_main]

use hookrail::{Block, BlockCause};
use hookrail_bridge::{Agent, SessionMemory, Verdict, answer, broken, read};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for agent in Agent::ALL {
        let said = broken(agent, None, data, "no");
        is_line(&said.stdout);
        let Ok(event) = read(agent, None, data) else { continue };
        let memory = SessionMemory::default();
        is_line(&answer(agent, &event, &Verdict::default(), &memory).stdout);
        let block = Some(Block::new("no", BlockCause::Policy));
        let refused = answer(agent, &event, &Verdict { block, ..Verdict::default() }, &memory);
        is_line(&refused.stdout);
        let is_guarded = event.event.is_some_and(|event| event.can_block());
        assert!(!is_guarded || !refused.stdout.is_empty(), "a refusal is said: {event:?}");
    }
});

fn is_line(stdout: &str) {
    let is_json = stdout.is_empty() || serde_json::from_str::<serde_json::Map<_, _>>(stdout.trim_end()).is_ok();
    assert!(is_json && stdout.matches('\n').count() <= 1, "{stdout:?}");
}
