//! A panic inside of the hook system, injected through the host's observer, becomes an explicit failure.

use std::sync::Arc;

use hookrail::components::Event;
use hookrail::observer::{HookBatch, HookCall, HookObserver};
use hookrail::{
    BlockCause, EventName, Hook, HookSession, JsonObject, ToolResult, TrustPolicy, permit_unless_asked,
};
use hookrail_testkit::{TestProject, process};
use serde_json::json;

use crate::kit::{block_of, execute_tool_with_hooks};

/// Where the observer panics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    Start,
    Call,
    Batch,
}

struct Panics(At);

impl HookObserver for Panics {
    fn hook_started(&self, _: EventName, _: &Hook) {
        assert!(self.0 != At::Start, "injected");
    }

    fn hook_call(&self, _: &HookCall<'_>) {
        assert!(self.0 != At::Call, "injected");
    }

    fn hook_batch(&self, _: &HookBatch) {
        assert!(self.0 != At::Batch, "injected");
    }
}

#[tokio::test]
async fn a_panic_is_a_failure_envelope_and_blocks_where_a_guard_was_to_speak() {
    for at in [At::Start, At::Call, At::Batch] {
        for (on_failure, sequential) in [("allow", false), ("allow", true), ("block", false), ("block", true)]
        {
            let project = TestProject::new();
            let hooks = json!([
                { "type": "command", "command": "exit 0", "onFailure": on_failure },
                { "type": "command", "command": "sleep 0.2" },
            ]);
            let mark = format!("panics-{}-{at:?}-{on_failure}-{sequential}", std::process::id());
            let path = std::env::var_os("PATH").expect("a search path");
            let groups = json!([{ "sequential": sequential, "hooks": hooks }]);
            let session = HookSession::builder(project.dir(), TrustPolicy::AllowAll)
                .settings(json!({ "enableHooks": true, "hooks": { "BeforeTool": groups } }))
                .environment(vec![("PATH".into(), path), (process::MARK.into(), mark.clone().into())])
                .observer(Arc::new(Panics(at)))
                .build();
            let system = session.hook_system().expect("hooks are on");
            system.initialize();
            let handler = system.event_handler().expect("a started system");
            let result =
                handler.fire(&Event::BeforeTool { tool_name: "ls", tool_input: &JsonObject::new() }).await;
            assert!(!result.aggregated.success && result.aggregated.final_output.is_none(), "{at:?}");
            let failure =
                result.infrastructure_failure().expect("it is told from a hook's failure").to_string();
            assert!(failure.contains("injected"), "{failure}");
            assert_eq!(
                result.block.map(|block| block.cause),
                (on_failure == "block").then_some(BlockCause::Failure),
                "{at:?} {on_failure}"
            );

            assert_eq!(block_of(&session, "ls").await.is_some(), on_failure == "block");
            let run = async |_: &JsonObject| ToolResult::text("ran");
            let execution =
                execute_tool_with_hooks(&session, "ls", JsonObject::new(), permit_unless_asked, run).await;
            assert_eq!(execution.blocked, on_failure == "block");
            system.drain().await;
            assert_eq!(process::marked(&mark), [], "the hooks of a failed event are ended and waited for");
        }
    }
}
