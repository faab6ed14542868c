//! Counts allocations, which needs a program of its own: with hooks off, or with none for an event, a trigger
//! allocates nothing.
#![expect(clippy::panic, reason = "helpers of tests fail them by panicking")]
#![expect(unsafe_code, reason = "an allocator cannot be written without it; this one only counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hookrail::effects::{ModelGate, ToolSelection};
use hookrail::genai::{Content, GenerateContentParameters, GenerateContentResponse};
use hookrail::model::ResponseChange;
use hookrail::{HookSession, JsonObject, TrustPolicy};
use serde_json::{Value, json};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the future waits for something"),
    }
}

/// How often all five triggers allocate together.
fn allocations(config: &HookSession) -> usize {
    let input = JsonObject::from_iter([("path".to_owned(), json!("x"))]);
    let request = GenerateContentParameters {
        contents: vec![Content::text("user", "Hello")],
        ..GenerateContentParameters::default()
    };
    let response = GenerateContentResponse::from_text("Hello");
    let before = ALLOCATIONS.get();
    let tool = at_once(config.fire_before_tool("write_file", &input));
    let after_tool = at_once(config.fire_after_tool("write_file", &input, &input));
    let model = at_once(config.fire_before_model(&request));
    let after_model = at_once(config.fire_after_model(&request, response));
    let selection = at_once(config.fire_before_tool_selection(&request));
    let count = ALLOCATIONS.get() - before;
    assert!(
        tool.notes.output.is_none()
            && after_tool.notes.output.is_none()
            && matches!(model.gate, ModelGate::Send { .. })
    );
    assert_eq!(after_model.change, ResponseChange::Unchanged);
    assert_eq!(selection.gate, ToolSelection::Unchanged);
    count
}

fn session(settings: Value) -> HookSession {
    HookSession::builder("/", TrustPolicy::AllowAll).settings(settings).build()
}

#[test]
fn triggers_without_hooks_allocate_nothing() {
    let other_tools =
        json!([{ "matcher": "^(?!write_)", "hooks": [{ "type": "command", "command": "true" }] }]);
    for (requirement, settings, fires_first) in [
        ("HOOK-010, HOOK-013: off", json!({}), false),
        ("HOOK-011: none for these events", json!({ "enableHooks": true }), true),
        (
            "HOOK-011, HOOK-012: none for this tool, as is known from the last time",
            json!({ "enableHooks": true, "hooks": { "BeforeTool": other_tools, "AfterTool": other_tools } }),
            true,
        ),
    ] {
        let config = session(settings);
        let first = allocations(&config);
        assert_eq!(first > 0, fires_first, "{requirement}: only a start allocates");
        assert_eq!(allocations(&config), 0, "{requirement}");
    }
}
