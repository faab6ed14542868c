"""An adapter for the Claude Agent SDK: hook callbacks that answer as `hookrail bridge claude` does in Claude Code.

    options = ClaudeAgentOptions(hooks=hookrail_hooks())
"""

from __future__ import annotations

import json
import os
from typing import Any, Mapping

import anyio
from claude_agent_sdk import HookMatcher

from ._program import find_program

__all__ = ["hookrail_hooks"]

EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "UserPromptSubmit",
    "Stop",
    "PreCompact",
    "Notification",
    "PermissionRequest",
)


def hookrail_hooks(
    *,
    program: str | None = None,
    timeout: float = 120.0,
    fail_closed: bool = True,
    environment: Mapping[str, str] | None = None,
) -> dict[Any, list[HookMatcher]]:
    """The hooks of ``ClaudeAgentOptions``, for all events of hookrail at which the SDK calls.

    Where hookrail cannot be asked, tools and prompts are refused, unless ``fail_closed`` is false.
    """
    # What calls the bridge in Claude Code does not let the environment say whose settings count; the host's own may.
    given = os.environ if environment is None else environment
    named = {"--home": given.get("HOOKRAIL_HOME") or given.get("HOME"), "--system": given.get("HOOKRAIL_SYSTEM_SETTINGS")}
    places = [word for option, place in named.items() if place for word in (option, place)]

    async def callback(payload: Any, tool_use_id: str | None, context: Any) -> Any:
        # The SDK goes on where a callback raises.
        try:
            with anyio.fail_after(timeout):
                command = [program or find_program(), "bridge", *places, "claude", payload["hook_event_name"]]
                ran = await anyio.run_process(
                    command,
                    input=json.dumps(payload).encode(),
                    check=False,
                    cwd=payload["cwd"],
                    env=environment,
                )
            if ran.returncode == 0:
                return json.loads(ran.stdout or "{}")
            said = ran.stderr.decode(errors="replace").strip() or f"exit code {ran.returncode}"
            why = said if ran.returncode == 2 else f"hookrail cannot decide: {said}"
        except TimeoutError:
            why = f"hookrail cannot decide: no answer within {timeout:g} s"
        except Exception as error:
            why = f"hookrail cannot decide: {error}"
        if fail_closed and payload["hook_event_name"] == "PreToolUse":
            decision = {"permissionDecision": "deny", "permissionDecisionReason": why}
            return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}
        if fail_closed and payload["hook_event_name"] == "UserPromptSubmit":
            return {"decision": "block", "reason": why}
        return {"systemMessage": why}

    # The SDK waits for less than this by itself, and then goes on.
    return {event: [HookMatcher(hooks=[callback], timeout=timeout + 10)] for event in EVENTS}
