"""The adapters against the real packages. `cargo xtask clients` installs them; without them these tests are skipped by name."""

import asyncio
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import unittest
import unittest.mock

from test_client import PROGRAM, Home, shell
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
        def sh(command: str) -> str:
            """Runs a command."""
            ran.append(command)
            return "result"

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
            with self.assertRaises(Stopped):
                self.answer(hooks, "halt")

    def test_asyncio(self):
        async def run():
            with Home() as home:
                async with AsyncHooks(**home.options) as hooks:
                    ran = []
                    agent = self.agent(None, "rm x", ran, async_hooks=hooks)
                    state = await agent.ainvoke({"messages": [("user", "go")]})
                    message = next(message for message in state["messages"] if message.type == "tool")
                    return message.content, ran

        self.assertEqual(asyncio.run(run()), ("rm is not for agents", []))


@unittest.skipUnless(HAS_CLAUDE, "claude_agent_sdk is not installed")
class ClaudeAgent(unittest.IsolatedAsyncioTestCase):
    async def test_every_effect(self):
        from claude_agent_sdk import ClaudeAgentOptions
        from hookrail_cli.claude_agent import hookrail_hooks

        with Home() as home:
            async with AsyncHooks(**home.options) as hooks:
                options = ClaudeAgentOptions(hooks=hookrail_hooks(hooks))
                before = options.hooks["PreToolUse"][0].hooks[0]
                after = options.hooks["PostToolUse"][0].hooks[0]
                base = {"session_id": "s", "cwd": str(home.options["directory"]), "tool_name": "Bash"}

                async def ask(line):
                    return await before({**base, "hook_event_name": "PreToolUse", "tool_input": shell(line)}, "t", {})

                deny = (await ask("rm x"))["hookSpecificOutput"]
                self.assertEqual((deny["permissionDecision"], deny["permissionDecisionReason"]), ("deny", "rm is not for agents"))
                self.assertEqual((await ask("git push"))["hookSpecificOutput"]["permissionDecision"], "ask")
                self.assertEqual((await ask("npm install"))["hookSpecificOutput"]["updatedInput"], shell("pnpm install"))
                stop = await ask("halt")
                self.assertEqual((stop["continue_"], stop["hookSpecificOutput"]["permissionDecision"]), (False, "deny"))
                self.assertEqual(await ask("true"), {})
                answer = await after({**base, "hook_event_name": "PostToolUse", "tool_input": shell("ls"), "tool_response": {"stdout": "x"}}, "t", {})
                self.assertEqual(answer["hookSpecificOutput"]["additionalContext"], "mind the gap")


@unittest.skipUnless("HOOKRAIL_DOCS" in os.environ, "HOOKRAIL_DOCS does not name the folder of the documentation")
class Documentation(unittest.TestCase):
    def example(self, name, **names):
        """Runs an example of the page as a user would, with the program on the search path; what it printed and defined."""
        page = (pathlib.Path(os.environ["HOOKRAIL_DOCS"]) / "embedding-python.md").read_text()
        code = re.search(rf"```python file={re.escape(name)}\n(.*?)```", page, re.DOTALL)
        with Home() as home, contextlib.redirect_stdout(io.StringIO()) as printed:
            programs = pathlib.Path(home.folder.name) / "bin"
            programs.mkdir()
            (programs / "hookrail").symlink_to(PROGRAM)
            environment = {**home.options["environment"], "PATH": f"{programs}:{os.environ['PATH']}"}
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
        async def query(*, prompt, options):
            before = options.hooks["PreToolUse"][0].hooks[0]
            payload = {"session_id": "s", "cwd": os.getcwd(), "tool_name": "Bash", "tool_input": shell("rm x"), "hook_event_name": "PreToolUse"}
            yield (await before(payload, "t", {}))["hookSpecificOutput"]["permissionDecisionReason"]

        with unittest.mock.patch("claude_agent_sdk.query", query):
            self.assertEqual(self.example("claude_agent.py")[0], "rm is not for agents\n")


if __name__ == "__main__":
    unittest.main()
