"""An adapter for the Claude Agent SDK: hook callbacks that ask the user's hooks.

    options = ClaudeAgentOptions(hooks=hookrail_hooks())
"""

from __future__ import annotations

from typing import Any

from claude_agent_sdk import HookMatcher

from .client import AsyncHooks, HookrailError

__all__ = ["hookrail_hooks"]

NAMES = {
    "Bash": ("run_shell_command", {}),
    "Read": ("read_file", {}),
    "Write": ("write_file", {}),
    "Edit": ("replace", {}),
    "MultiEdit": ("replace", {}),
    "NotebookEdit": ("replace", {"notebook_path": "file_path", "new_source": "new_string"}),
    "Glob": ("glob", {}),
    "Grep": ("search_file_content", {"glob": "include"}),
}
"""The SDK's tools under the names that rules know, with the arguments that are called otherwise."""


def _ours(payload: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, str]]:
    name, renamed = NAMES.get(payload["tool_name"], (payload["tool_name"], {}))
    return name, {renamed.get(key, key): value for key, value in payload["tool_input"].items()}, renamed


def hookrail_hooks(hooks: AsyncHooks | None = None) -> dict[str, list[HookMatcher]]:
    """The hooks of ``ClaudeAgentOptions``: before and after each tool, and before each prompt."""
    asked = hooks or AsyncHooks()

    async def before_tool(payload: dict[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
        name, arguments, renamed = _ours(payload)
        verdict = await asked.before_tool(name, arguments, session_id=payload["session_id"], cwd=payload["cwd"])
        answer: dict[str, Any] = {"hookEventName": "PreToolUse"}
        if verdict.blocked or verdict.stop:
            answer |= {"permissionDecision": "deny", "permissionDecisionReason": verdict.reason or verdict.stop_reason or "Blocked by hook"}
        elif verdict.ask:
            answer |= {"permissionDecision": "ask", "permissionDecisionReason": verdict.reason or "A hook wants a person to decide"}
        elif verdict.tool_input:
            native = {ours: theirs for theirs, ours in renamed.items()}
            changed = {native.get(key, key): value for key, value in verdict.tool_input.items()}
            answer["updatedInput"] = {**payload["tool_input"], **changed}
        if verdict.context:
            answer["additionalContext"] = verdict.context
        stopped = {"continue_": False, "stopReason": verdict.stop_reason} if verdict.stop else {}
        return {"hookSpecificOutput": answer, **stopped} if len(answer) > 1 else stopped

    async def after_tool(payload: dict[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
        name, arguments, _ = _ours(payload)
        response = payload.get("tool_response")
        response = response if isinstance(response, dict) else {"llmContent": response}
        try:
            verdict = await asked.after_tool(name, arguments, response, session_id=payload["session_id"], cwd=payload["cwd"])
        except HookrailError as error:
            return {"systemMessage": f"hookrail: {error}"}
        answer: dict[str, Any] = {"hookEventName": "PostToolUse"}
        if verdict.context:
            answer["additionalContext"] = verdict.context
        stopped = {"continue_": False, "stopReason": verdict.stop_reason} if verdict.stop else {}
        return {"hookSpecificOutput": answer, **stopped} if len(answer) > 1 else stopped

    async def before_prompt(payload: dict[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
        verdict = await asked.fire("BeforeAgent", {"prompt": payload["prompt"], "session_id": payload["session_id"], "cwd": payload["cwd"]})
        if verdict.blocked or verdict.stop:
            return {"decision": "block", "reason": verdict.reason or verdict.stop_reason or "Blocked by hook"}
        if verdict.context:
            return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": verdict.context}}
        return {}

    return {
        "PreToolUse": [HookMatcher(hooks=[before_tool])],
        "PostToolUse": [HookMatcher(hooks=[after_tool])],
        "UserPromptSubmit": [HookMatcher(hooks=[before_prompt])],
    }
