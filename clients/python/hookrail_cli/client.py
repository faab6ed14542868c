"""A client of ``hookrail serve``: asks the user's hooks and rules before and after what an agent does.

``Hooks`` is for threads, ``AsyncHooks`` for asyncio. Both start the program when first needed, start it again when it
has ended, take any number of questions at once, and end it with the process that uses them: the program stops when its
standard input is closed.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Mapping, Sequence

from ._program import find_program
from .events import EventName

__all__ = ["AsyncHooks", "Blocked", "Hooks", "HookrailError", "Stopped", "Verdict"]

GUARDED_EVENTS: frozenset[EventName] = frozenset({"BeforeTool", "BeforeModel", "BeforeAgent"})
"""Events at which a failure of hookrail itself refuses, unless ``fail_closed`` is false."""

_LONGEST_LINE = 256 * 1024 * 1024


class HookrailError(Exception):
    """hookrail could not answer: it cannot be started, it ended, it took too long or it refused the request."""


class Blocked(Exception):
    """Raised by ``run_tool`` when hooks blocked a call or a person declined it."""


class Stopped(Exception):
    """Raised by ``run_tool`` when a hook wants the agent to stop."""


@dataclass(frozen=True)
class Verdict:
    """What the hooks decided about one event."""

    event: EventName
    blocked: bool = False
    ask: bool = False
    reason: str | None = None
    cause: str | None = None
    """``"policy"`` if a hook decided to block, ``"failure"`` if one failed to decide."""
    stop: bool = False
    stop_reason: str | None = None
    system_message: str | None = None
    suppress_output: bool = False
    changes: Mapping[str, Any] = field(default_factory=dict)
    """``hookSpecificOutput`` of the merged output: what hooks changed or added."""
    warnings: Sequence[str] = ()
    output: Mapping[str, Any] = field(default_factory=dict)
    """The whole answer."""

    @property
    def decision(self) -> str:
        """``"block"``, ``"stop"``, ``"ask"`` or ``"allow"``, the strongest first."""
        if self.blocked:
            return "block"
        if self.stop:
            return "stop"
        return "ask" if self.ask else "allow"

    @property
    def tool_input(self) -> Mapping[str, Any]:
        """Changed arguments of a tool; merge them over the original ones."""
        changed = self.changes.get("tool_input")
        return changed if isinstance(changed, dict) else {}

    @property
    def context(self) -> str | None:
        """Text to add for the model."""
        text = self.changes.get("additionalContext")
        return text if isinstance(text, str) else None

    @property
    def tool_response(self) -> Any:
        """What replaces the result of a tool; ``None`` if nothing does."""
        return self.changes.get("tool_response")

    @classmethod
    def of(cls, event: EventName, output: Mapping[str, Any]) -> "Verdict":
        """The verdict in the ``output`` of a response."""
        final = output.get("finalOutput") or {}
        changes = final.get("hookSpecificOutput")
        return cls(
            event=event,
            blocked=bool(output.get("blocked")),
            ask=bool(output.get("ask")),
            reason=output.get("reason"),
            cause=output.get("blockCause"),
            stop=bool(output.get("shouldStop")),
            stop_reason=output.get("stopReason"),
            system_message=output.get("systemMessage"),
            suppress_output=bool(output.get("suppressOutput")),
            changes=changes if isinstance(changes, dict) else {},
            warnings=tuple(output.get("warnings") or ()),
            output=output,
        )

    @classmethod
    def failure(cls, event: EventName, why: str) -> "Verdict":
        """The verdict where hookrail itself failed and the caller wants that to refuse."""
        return cls(event=event, blocked=True, cause="failure", reason=f"hookrail cannot decide: {why}")


def _command(program: str | None, directory: str | os.PathLike[str] | None, trust_hooks: bool) -> list[str]:
    command = [program or find_program()]
    if directory is not None:
        command += ["-C", os.fspath(directory)]
    command.append("serve")
    if trust_hooks:
        command.append("--trust-hooks")
    return command


def _request(event: str, identity: str, payload: Mapping[str, Any]) -> bytes:
    request = {"type": "hook-execution-request", "eventName": event, "correlationId": identity, "input": payload}
    return json.dumps(request).encode() + b"\n"


def _merged(arguments: Mapping[str, Any], verdict: Verdict) -> dict[str, Any]:
    return {**arguments, **verdict.tool_input}


def _refused(verdict: Verdict) -> Blocked:
    return Blocked(verdict.reason or "Blocked by hook")


def _stopped(verdict: Verdict) -> Stopped:
    return Stopped(verdict.stop_reason or "Hook requested stop")


def _response(result: Any) -> dict[str, Any]:
    return result if isinstance(result, dict) else {"llmContent": result if isinstance(result, str) else json.dumps(result, default=str)}


def _shown(result: Any, verdict: Verdict) -> Any:
    """The result as hooks leave it: replaced, and with their context behind it."""
    replaced = verdict.tool_response
    if replaced is not None:
        result = replaced.get("llmContent", replaced) if isinstance(replaced, dict) else replaced
    if verdict.context is None:
        return result
    if isinstance(result, str):
        return f"{result}\n\n{verdict.context}"
    return [*(result if isinstance(result, list) else [result]), verdict.context]


class Hooks:
    """Asks hooks from any thread.

    >>> with Hooks() as hooks:                                                      # doctest: +SKIP
    ...     hooks.run_tool("run_shell_command", {"command": "ls"}, run=my_shell)
    """

    def __init__(
        self,
        *,
        directory: str | os.PathLike[str] | None = None,
        program: str | None = None,
        timeout: float = 120.0,
        fail_closed: bool = True,
        trust_hooks: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._directory, self._program = directory, program
        self._timeout, self._fail_closed, self._trust_hooks = timeout, fail_closed, trust_hooks
        self._environment = environment
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._server: subprocess.Popen[bytes] | None = None
        self._waiting: dict[str, Future[dict[str, Any]]] = {}
        self._closed = False

    def __enter__(self) -> "Hooks":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fire(self, event: EventName, payload: Mapping[str, Any], *, timeout: float | None = None) -> Verdict:
        """Asks the hooks of an event. Where hookrail fails, a guarded event is refused, or the error is raised."""
        try:
            return Verdict.of(event, self._ask(event, payload, self._timeout if timeout is None else timeout))
        except HookrailError as error:
            if self._fail_closed and event in GUARDED_EVENTS:
                return Verdict.failure(event, str(error))
            raise

    def before_tool(self, name: str, arguments: Mapping[str, Any], **base: Any) -> Verdict:
        """Asks before a tool runs."""
        return self.fire("BeforeTool", {"tool_name": name, "tool_input": dict(arguments), **base})

    def after_tool(self, name: str, arguments: Mapping[str, Any], response: Mapping[str, Any], **base: Any) -> Verdict:
        """Tells the hooks what a tool gave."""
        return self.fire("AfterTool", {"tool_name": name, "tool_input": dict(arguments), "tool_response": dict(response), **base})

    def run_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        run: Callable[[dict[str, Any]], Any],
        *,
        ask: Callable[[Verdict], bool] | None = None,
        **base: Any,
    ) -> Any:
        """One tool call with every effect: blocked (``Blocked``), asked, changed, run, replaced, stopped (``Stopped``).

        ``ask`` decides for a person; without it, and by anything but ``True``, a question refuses the call.
        """
        before = self.before_tool(name, arguments, **base)
        if before.blocked:
            raise _refused(before)
        if before.stop:
            raise _stopped(before)
        if before.ask and not (ask is not None and ask(before) is True):
            raise _refused(before)
        arguments = _merged(arguments, before)
        result = run(arguments)
        after = self.after_tool(name, arguments, _response(result), **base)
        if after.stop:
            raise _stopped(after)
        return _shown(result, after)

    def close(self) -> None:
        """Ends the program after it has answered what it was asked."""
        with self._lock:
            self._closed = True
            server, self._server = self._server, None
        if server is not None:
            _close_quietly(server.stdin)
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()

    def _ask(self, event: str, payload: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        identity = str(next(self._ids))
        line = _request(event, identity, payload)
        answer: Future[dict[str, Any]] = Future()
        with self._lock:
            server = self._running()
            self._waiting[identity] = answer
            try:
                assert server.stdin is not None
                server.stdin.write(line)
                server.stdin.flush()
            except OSError as error:
                self._waiting.pop(identity, None)
                raise HookrailError(f"hookrail does not take questions: {error}") from error
        try:
            return answer.result(timeout)
        except FutureTimeout:
            raise HookrailError(f"no answer within {timeout:g} s") from None
        finally:
            self._waiting.pop(identity, None)

    def _running(self) -> "subprocess.Popen[bytes]":
        """The program; started if it is not there. Called with the lock held."""
        if self._closed:
            raise HookrailError("this client was closed")
        if self._server is not None and self._server.poll() is None:
            return self._server
        command = _command(self._program, self._directory, self._trust_hooks)
        try:
            server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment)
        except OSError as error:
            raise HookrailError(f"`{command[0]}` cannot be started: {error}") from error
        self._server = server
        threading.Thread(target=self._read, args=(server,), name="hookrail", daemon=True).start()
        return server

    def _read(self, server: "subprocess.Popen[bytes]") -> None:
        assert server.stdout is not None
        for line in server.stdout:
            try:
                response = json.loads(line)
                waiting = self._waiting.pop(str(response.get("correlationId")), None)
            except (ValueError, AttributeError):
                continue
            if waiting is not None:
                _settle(waiting, response)
        code = server.wait()
        _close_quietly(server.stdout)
        _close_quietly(server.stdin)
        with self._lock:
            if self._server is server:
                self._server = None
                lost, self._waiting = self._waiting, {}
            else:
                lost = {}
        for waiting in lost.values():
            waiting.set_exception(HookrailError(f"hookrail ended with exit code {code}; its message is on stderr"))


def _settle(waiting: "Future[dict[str, Any]] | asyncio.Future[dict[str, Any]]", response: Mapping[str, Any]) -> None:
    error = response.get("error")
    if error:
        waiting.set_exception(HookrailError(f"{error.get('code')}: {error.get('message')}"))
    elif isinstance(response.get("output"), dict):
        waiting.set_result(response["output"])
    else:
        waiting.set_exception(HookrailError("the answer has no output"))


def _close_quietly(stream: Any) -> None:
    try:
        stream.close()
    except OSError:
        pass


class AsyncHooks:
    """The same for asyncio. A question whose task is cancelled is forgotten; its answer is dropped."""

    def __init__(
        self,
        *,
        directory: str | os.PathLike[str] | None = None,
        program: str | None = None,
        timeout: float = 120.0,
        fail_closed: bool = True,
        trust_hooks: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._directory, self._program = directory, program
        self._timeout, self._fail_closed, self._trust_hooks = timeout, fail_closed, trust_hooks
        self._environment = environment
        self._start = asyncio.Lock()
        self._ids = itertools.count(1)
        self._server: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._closed = False

    async def __aenter__(self) -> "AsyncHooks":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def fire(self, event: EventName, payload: Mapping[str, Any], *, timeout: float | None = None) -> Verdict:
        """Asks the hooks of an event. Where hookrail fails, a guarded event is refused, or the error is raised."""
        try:
            return Verdict.of(event, await self._ask(event, payload, self._timeout if timeout is None else timeout))
        except HookrailError as error:
            if self._fail_closed and event in GUARDED_EVENTS:
                return Verdict.failure(event, str(error))
            raise

    async def before_tool(self, name: str, arguments: Mapping[str, Any], **base: Any) -> Verdict:
        """Asks before a tool runs."""
        return await self.fire("BeforeTool", {"tool_name": name, "tool_input": dict(arguments), **base})

    async def after_tool(self, name: str, arguments: Mapping[str, Any], response: Mapping[str, Any], **base: Any) -> Verdict:
        """Tells the hooks what a tool gave."""
        return await self.fire("AfterTool", {"tool_name": name, "tool_input": dict(arguments), "tool_response": dict(response), **base})

    async def run_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        run: Callable[[dict[str, Any]], Awaitable[Any]],
        *,
        ask: Callable[[Verdict], Awaitable[bool]] | None = None,
        **base: Any,
    ) -> Any:
        """One tool call with every effect; see ``Hooks.run_tool``."""
        before = await self.before_tool(name, arguments, **base)
        if before.blocked:
            raise _refused(before)
        if before.stop:
            raise _stopped(before)
        if before.ask and not (ask is not None and await ask(before) is True):
            raise _refused(before)
        arguments = _merged(arguments, before)
        result = await run(arguments)
        after = await self.after_tool(name, arguments, _response(result), **base)
        if after.stop:
            raise _stopped(after)
        return _shown(result, after)

    async def close(self) -> None:
        """Ends the program after it has answered what it was asked."""
        self._closed = True
        server, self._server = self._server, None
        if server is None:
            return
        assert server.stdin is not None
        server.stdin.close()
        try:
            await asyncio.wait_for(server.wait(), 10)
        except asyncio.TimeoutError:
            server.kill()
            await server.wait()
        if self._reader is not None:
            await self._reader

    async def _ask(self, event: str, payload: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        identity = str(next(self._ids))
        line = _request(event, identity, payload)
        server = await self._running()
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[identity] = answer
        try:
            assert server.stdin is not None
            server.stdin.write(line)
            await server.stdin.drain()
            return await asyncio.wait_for(answer, timeout)
        except asyncio.TimeoutError:
            raise HookrailError(f"no answer within {timeout:g} s") from None
        except OSError as error:
            raise HookrailError(f"hookrail does not take questions: {error}") from error
        finally:
            self._waiting.pop(identity, None)

    async def _running(self) -> asyncio.subprocess.Process:
        async with self._start:
            if self._closed:
                raise HookrailError("this client was closed")
            if self._server is not None and self._server.returncode is None:
                return self._server
            command = _command(self._program, self._directory, self._trust_hooks)
            try:
                server = await asyncio.create_subprocess_exec(
                    *command,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    env=self._environment,
                    limit=_LONGEST_LINE,
                )
            except OSError as error:
                raise HookrailError(f"`{command[0]}` cannot be started: {error}") from error
            self._server = server
            self._reader = asyncio.create_task(self._read(server))
            return server

    async def _read(self, server: asyncio.subprocess.Process) -> None:
        assert server.stdout is not None
        while line := await server.stdout.readline():
            try:
                response = json.loads(line)
                waiting = self._waiting.pop(str(response.get("correlationId")), None)
            except (ValueError, AttributeError):
                continue
            if waiting is not None and not waiting.done():
                _settle(waiting, response)
        code = await server.wait()
        if self._server is server:
            self._server = None
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(HookrailError(f"hookrail ended with exit code {code}; its message is on stderr"))
