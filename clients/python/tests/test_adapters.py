"""The adapters against the real packages. `cargo xtask clients` installs them; without them these tests are skipped by name."""

import asyncio
import contextlib
import http.server
import importlib.util
import io
import json
import os
import pathlib
import re
import tempfile
import threading
import unittest
import unittest.mock
import warnings

from test_client import PROGRAM, Home, rule, shell
from hookrail_cli import AsyncHooks, Hooks, Stopped

HAS_LANGCHAIN = importlib.util.find_spec("langchain") is not None
HAS_CLAUDE = importlib.util.find_spec("claude_agent_sdk") is not None


@unittest.skipUnless(HAS_LANGCHAIN, "langchain is not installed")
class LangChain(unittest.TestCase):
    def agent(self, hooks, line, ran, **options):
        """An agent whose model calls the shell once and then ends."""
        from langchain.agents import create_agent
        from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
        from langchain_core.messages import AIMessage
        from langchain_core.tools import tool
        from hookrail_cli.langchain import HookrailMiddleware

        class Model(GenericFakeChatModel):
            def bind_tools(self, tools, **_):
                return self

        @tool
        def sh(command: str) -> str | list[dict[str, str]]:
            """Runs a command."""
            ran.append(command)
            return [{"type": "text", "text": "part"}] if command.endswith("-parts") else "result"

        call = {"name": "sh", "args": {"command": line}, "id": "1", "type": "tool_call"}
        model = Model(messages=iter([AIMessage(content="", tool_calls=[call]), AIMessage(content="done")]))
        middleware = HookrailMiddleware(hooks, names={"sh": "run_shell_command"}, **options)
        return create_agent(model, [sh], middleware=[middleware])

    def answer(self, hooks, line, **options):
        """What the model reads as the tool's result, and what ran."""
        ran = []
        state = self.agent(hooks, line, ran, **options).invoke({"messages": [("user", "go")]})
        message = next(message for message in state["messages"] if message.type == "tool")
        return message.content, message.status, ran

    def test_every_effect(self):
        with Home() as home, Hooks(**home.options) as hooks:
            self.assertEqual(self.answer(hooks, "rm x"), ("rm is not for agents", "error", []))
            self.assertEqual(self.answer(hooks, "git push"), ("May I push?", "error", []))
            self.assertEqual(self.answer(hooks, "git push", ask=lambda verdict: True), ("result", "success", ["git push"]))
            self.assertEqual(self.answer(hooks, "npm install"), ("result", "success", ["pnpm install"]))
            self.assertEqual(self.answer(hooks, "ls"), ("result\n\nmind the gap", "success", ["ls"]))
            self.assertEqual(self.answer(hooks, "cat x"), ("masked", "success", ["cat x"]))
            parts = [{"type": "text", "text": "part"}, "mind the gap"]
            self.assertEqual(self.answer(hooks, "ls -parts"), (parts, "success", ["ls -parts"]))
            with self.assertRaises(Stopped):
                self.answer(hooks, "halt")

    def test_asyncio(self):
        async def permit(verdict):
            return True

        async def refuse(verdict):
            return False

        async def run(line, ask=None):
            with Home() as home:
                async with AsyncHooks(**home.options) as hooks:
                    ran = []
                    agent = self.agent(None, line, ran, async_hooks=hooks, ask=ask)
                    state = await agent.ainvoke({"messages": [("user", "go")]})
                    message = next(message for message in state["messages"] if message.type == "tool")
                    return message.content, ran

        self.assertEqual(asyncio.run(run("rm x")), ("rm is not for agents", []))
        self.assertEqual(asyncio.run(run("ls")), ("result\n\nmind the gap", ["ls"]))
        self.assertEqual(asyncio.run(run("git push")), ("May I push?", []))
        self.assertEqual(asyncio.run(run("git push", refuse)), ("May I push?", []))
        for ask in (permit, lambda verdict: True):
            self.assertEqual(asyncio.run(run("git push", ask)), ("result", ["git push"]))

    def test_an_answer_that_nobody_waited_for_permits_nothing(self):
        async def permit(verdict):
            return True

        with Home() as home, Hooks(**home.options) as hooks, warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            self.assertEqual(self.answer(hooks, "git push", ask=permit), ("May I push?", "error", []))


class Anthropic(http.server.BaseHTTPRequestHandler):
    """A model that calls the shell once, and then ends. What it reads is kept."""

    @classmethod
    def serve(cls, test, line):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), cls)
        server.line, server.requests = line, []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        test.addCleanup(server.server_close)
        test.addCleanup(server.shutdown)
        return server

    @staticmethod
    def environment(server, home):
        return {
            "HOME": home,
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
            "ANTHROPIC_API_KEY": "fake",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",
        }

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = request.get("messages", [])
        is_agent = any(tool["name"] == "Bash" for tool in request.get("tools", []))
        if is_agent:
            self.server.requests.append(messages)
        if is_agent and '"tool_result"' not in json.dumps(messages):
            block = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
            delta, reason = {"type": "input_json_delta", "partial_json": json.dumps(shell(self.server.line))}, "tool_use"
        else:
            block, delta, reason = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}, "end_turn"
        message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None, "stop_sequence": None}
        events = [
            {"type": "message_start", "message": {**message, "usage": {"input_tokens": 1, "output_tokens": 1}}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_):
        pass


@unittest.skipUnless(HAS_CLAUDE, "claude_agent_sdk is not installed")
class ClaudeAgent(unittest.IsolatedAsyncioTestCase):
    """The SDK with the program that it brings, and a model on loopback."""

    async def run_agent(self, home, line, program=PROGRAM, **answers):
        """What the model reads as the result of the call, and what the agent reports at the end."""
        from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query
        from hookrail_cli.claude_agent import hookrail_hooks

        async def prompt():
            yield {"type": "user", "message": {"role": "user", "content": "go"}}

        server = Anthropic.serve(self, line)
        environment = home.options["environment"]
        options = ClaudeAgentOptions(
            hooks=hookrail_hooks(program=program, environment=environment),
            cwd=home.options["directory"],
            setting_sources=[],
            env=Anthropic.environment(server, environment["HOOKRAIL_HOME"]),
            **answers,
        )
        ended = [message.result async for message in query(prompt=prompt(), options=options) if isinstance(message, ResultMessage)]
        parts = [part for request in server.requests[1:2] for message in request for part in message["content"] if isinstance(part, dict)]
        result = next(((part["content"], part["is_error"]) for part in parts if part["type"] == "tool_result"), None)
        return result, "mind the gap" in json.dumps(parts), len(server.requests), ended

    async def test_every_effect(self):
        from claude_agent_sdk import PermissionResultAllow

        # These lines may be run: what the agent does is real.
        settings = {
            "BeforeTool": [
                rule("refused", {"command": "echo refused"}, block="not for agents"),
                rule("asked", {"command": "echo asked"}, ask="May I?"),
                rule("changed", {"command": "echo before"}, then={"hookSpecificOutput": {"tool_input": {"command": "echo after"}}}),
                rule("stopped", {"command": "echo stop"}, then={"continue": False, "stopReason": "enough"}),
            ],
            "AfterTool": [
                rule("context", {"command": "echo seen"}, context="mind the gap"),
                rule("replaced", {"command": "echo secret"}, then={"hookSpecificOutput": {"tool_response": {"llmContent": "masked"}}}),
            ],
        }
        settings = {"enableHooks": True, "hooks": {event: [{"hooks": rules}] for event, rules in settings.items()}}
        with Home(settings) as home:
            for line, result, has_context in (
                ("echo refused", ("PreToolUse:Bash hook error: not for agents\n[hookrail: refused; a person can run hookrail allow]", True), False),
                ("echo asked", ("May I?", True), False),
                ("echo before", ("after", False), False),
                ("echo seen", ("seen", False), True),
                ("echo secret", ("masked", False), False),
                ("echo nothing", ("nothing", False), False),
            ):
                with self.subTest(line):
                    said = await self.run_agent(home, line, permission_mode="bypassPermissions")
                    self.assertEqual(said, (result, has_context, 2, ["done"]))
            self.assertEqual(await self.run_agent(home, "echo stop", permission_mode="bypassPermissions"), (None, False, 1, [""]))

            async def permit(name, arguments, context):
                return PermissionResultAllow()

            self.assertEqual(await self.run_agent(home, "echo asked", can_use_tool=permit), (("asked", False), False, 2, ["done"]))

    async def test_what_cannot_be_asked_refuses(self):
        from hookrail_cli.claude_agent import hookrail_hooks

        with tempfile.TemporaryDirectory() as folder:
            base = {"session_id": "s", "cwd": folder, "tool_name": "Bash", "tool_input": shell("echo nothing"), "prompt": "go"}
            slow, broken = pathlib.Path(folder) / "slow", pathlib.Path(folder) / "broken"
            slow.write_text("#!/bin/sh\nexec sleep 60\n")
            broken.write_text("#!/bin/sh\ncat > /dev/null\necho '{'\n")
            for program in (slow, broken):
                program.chmod(0o755)
            for program, why in (("/nonexistent", "No such file"), (slow, "no answer within 0.5 s"), (broken, "Expecting property name")):
                for event, refusal in (("PreToolUse", "permissionDecision"), ("UserPromptSubmit", "decision"), ("PostToolUse", "systemMessage")):
                    for fail_closed in (True, False):
                        with self.subTest(program=program, event=event, fail_closed=fail_closed):
                            hooks = hookrail_hooks(program=str(program), timeout=0.5, fail_closed=fail_closed)
                            answer = await hooks[event][0].hooks[0]({**base, "hook_event_name": event}, "t", {})
                            answer = answer.get("hookSpecificOutput", answer)
                            self.assertIn(why, " ".join(answer.values()))
                            self.assertIn(refusal if fail_closed else "systemMessage", answer)


@unittest.skipUnless("HOOKRAIL_DOCS" in os.environ, "HOOKRAIL_DOCS does not name the folder of the documentation")
class Documentation(unittest.TestCase):
    def example(self, name, server=None, **names):
        """Runs an example of the page as a user would, with the program on the search path; what it printed and defined."""
        page = (pathlib.Path(os.environ["HOOKRAIL_DOCS"]) / "embedding-python.md").read_text()
        code = re.search(rf"```python file={re.escape(name)}\n(.*?)```", page, re.DOTALL)
        with Home() as home, contextlib.redirect_stdout(io.StringIO()) as printed:
            programs = pathlib.Path(home.folder.name) / "bin"
            programs.mkdir()
            (programs / "hookrail").symlink_to(PROGRAM)
            environment = {**home.options["environment"], "PATH": f"{programs}:{os.environ['PATH']}"}
            if server is not None:
                environment |= Anthropic.environment(server, home.folder.name)
            with unittest.mock.patch.dict(os.environ, environment):
                exec(code[1], names)
                if "main" in names:
                    asyncio.run(names["main"]())
        return printed.getvalue(), names

    def test_the_client(self):
        self.assertEqual(self.example("own_agent.py")[0], "refused: rm is not for agents\n")

    @unittest.skipUnless(HAS_LANGCHAIN, "langchain is not installed")
    def test_langchain(self):
        from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
        from langchain_core.messages import AIMessage

        class Model(GenericFakeChatModel):
            def bind_tools(self, tools, **_):
                return self

        call = {"name": "sh", "args": shell("rm x"), "id": "1", "type": "tool_call"}
        model = Model(messages=iter([AIMessage(content="", tool_calls=[call]), AIMessage(content="done")]))
        answer = self.example("langchain_agent.py", model=model, execute=self.fail)[1]["answer"]
        self.assertEqual([message.content for message in answer["messages"] if message.type == "tool"], ["rm is not for agents"])

    @unittest.skipUnless(HAS_CLAUDE, "claude_agent_sdk is not installed")
    def test_claude_agent(self):
        server = Anthropic.serve(self, "rm x")
        self.assertIn("rm is not for agents", self.example("claude_agent.py", server)[0])
        self.assertEqual(len(server.requests), 2)


if __name__ == "__main__":
    unittest.main()
