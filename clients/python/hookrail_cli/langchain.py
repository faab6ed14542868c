"""An adapter for LangChain's agents: a middleware that asks the user's hooks around each tool call."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Mapping, cast

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage

from .client import AsyncHooks, Blocked, Hooks, Verdict

__all__ = ["HookrailMiddleware"]


class HookrailMiddleware(AgentMiddleware):
    """Guards every tool of an agent: ``create_agent(model, tools, middleware=[HookrailMiddleware()])``.

    ``names`` maps the agent's tool names to those that rules know, such as ``{"shell": "run_shell_command"}``. A blocked
    call becomes an error message of the tool, which the model reads; a stop is raised as ``Stopped``. ``ask`` decides for a
    person; it may be a coroutine where the agent runs in asyncio.
    """

    def __init__(
        self,
        hooks: Hooks | None = None,
        *,
        async_hooks: AsyncHooks | None = None,
        names: Mapping[str, str] | None = None,
        ask: Callable[[Verdict], bool | Awaitable[bool]] | None = None,
    ) -> None:
        super().__init__()
        self._hooks, self._async_hooks = hooks, async_hooks
        self._names, self._ask = dict(names or {}), cast(Any, ask)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Called by LangChain around a tool call."""
        if self._hooks is None:
            self._hooks = Hooks()
        call = request.tool_call
        messages: list[Any] = []

        def run(arguments: dict[str, Any]) -> Any:
            message = handler(request.override(tool_call={**call, "args": arguments}))
            messages.append(message)
            return message.content if isinstance(message, ToolMessage) else ""

        try:
            content = self._hooks.run_tool(self._name(call), call["args"], run, ask=self._ask)
        except Blocked as blocked:
            return _refusal(call, blocked)
        return _with_content(messages[-1], content)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same for asyncio."""
        if self._async_hooks is None:
            self._async_hooks = AsyncHooks()
        call = request.tool_call
        messages: list[Any] = []

        async def run(arguments: dict[str, Any]) -> Any:
            message = await handler(request.override(tool_call={**call, "args": arguments}))
            messages.append(message)
            return message.content if isinstance(message, ToolMessage) else ""

        async def ask(verdict: Verdict) -> bool:
            answer = self._ask is not None and self._ask(verdict)
            return answer if isinstance(answer, bool) else await answer

        try:
            content = await self._async_hooks.run_tool(self._name(call), call["args"], run, ask=ask)
        except Blocked as blocked:
            return _refusal(call, blocked)
        return _with_content(messages[-1], content)

    def _name(self, call: Mapping[str, Any]) -> str:
        name = str(call["name"])
        return self._names.get(name, name)


def _refusal(call: Mapping[str, Any], blocked: Blocked) -> ToolMessage:
    return ToolMessage(content=str(blocked), tool_call_id=call["id"], name=call["name"], status="error")


def _with_content(message: Any, content: Any) -> Any:
    return message.model_copy(update={"content": content}) if isinstance(message, ToolMessage) else message
