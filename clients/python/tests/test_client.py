"""The client against the real program, which HOOKRAIL_PROGRAM names (else the one of the search path)."""

import asyncio
import json
import os
import pathlib
import signal
import tempfile
import threading
import unittest

from hookrail_cli import AsyncHooks, Blocked, HookrailError, Hooks, Stopped

PROGRAM = os.environ.get("HOOKRAIL_PROGRAM", "hookrail")


def rule(name, when, **then):
    return {"type": "rule", "name": name, "when": when, **then}


SETTINGS = {
    "enableHooks": True,
    "hooks": {
        "BeforeTool": [
            {
                "hooks": [
                    rule("no-rm", {"command": "rm"}, block="rm is not for agents"),
                    rule("ask-push", {"command": "git push"}, ask="May I push?"),
                    rule("stop", {"command": "halt"}, then={"continue": False, "stopReason": "enough"}),
                    rule("pnpm", {"command": "npm install"}, then={"hookSpecificOutput": {"tool_input": {"command": "pnpm install"}}}),
                    {"type": "command", "name": "slow", "when": {"command": "slow"}, "command": "sleep 5"},
                ]
            }
        ],
        "AfterTool": [
            {
                "hooks": [
                    rule("context", {"command": "ls"}, context="mind the gap"),
                    rule("replace", {"command": "cat"}, then={"hookSpecificOutput": {"tool_response": {"llmContent": "masked"}}}),
                ]
            }
        ],
    },
}


class Home:
    """A home with settings, and the environment that leads there."""

    def __init__(self, settings=SETTINGS):
        self.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.folder.name)
        # Both places are read by the program.
        (root / ".llxprt").mkdir()
        text = settings if isinstance(settings, str) else json.dumps(settings)
        (root / ".llxprt/settings.json").write_text(text)
        (root / "project").mkdir()
        self.options = {
            "program": PROGRAM,
            "directory": root / "project",
            "environment": {**os.environ, "HOOKRAIL_HOME": str(root), "HOOKRAIL_SYSTEM_SETTINGS": str(root / "none.json")},
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


def shell(line):
    return {"command": line}


class Sync(unittest.TestCase):
    def test_every_effect_is_acted_on(self):
        with Home() as home, Hooks(**home.options) as hooks:
            ran = []

            def run(arguments):
                ran.append(arguments["command"])
                return "result"

            call = lambda line, **options: hooks.run_tool("run_shell_command", shell(line), run, **options)
            with self.assertRaisesRegex(Blocked, "rm is not for agents"):
                call("sudo rm -rf x")
            with self.assertRaisesRegex(Blocked, "May I push"):
                call("git push")
            with self.assertRaises(Blocked):
                call("git push", ask=lambda verdict: False)
            with self.assertRaisesRegex(Stopped, "enough"):
                call("halt")
            self.assertEqual(ran, [])
            self.assertEqual(call("git push", ask=lambda verdict: verdict.reason == "May I push?"), "result")
            self.assertEqual(call("npm install"), "result")
            self.assertEqual(call("ls"), "result\n\nmind the gap")
            self.assertEqual(call("cat secrets"), "masked")
            self.assertEqual(ran, ["git push", "pnpm install", "ls", "cat secrets"])

    def test_many_questions_at_once(self):
        with Home() as home, Hooks(**home.options) as hooks:
            verdicts = {}

            def ask(number):
                line = f"rm {number}" if number % 2 else f"ls {number}"
                verdicts[number] = hooks.before_tool("run_shell_command", shell(line)).decision

            threads = [threading.Thread(target=ask, args=(number,)) for number in range(40)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(verdicts, {number: "block" if number % 2 else "allow" for number in range(40)})

    def test_the_program_is_started_again(self):
        with Home() as home, Hooks(**home.options) as hooks:
            self.assertEqual(hooks.before_tool("run_shell_command", shell("rm x")).decision, "block")
            hooks._server.send_signal(signal.SIGKILL)
            hooks._server.wait()
            self.assertEqual(hooks.before_tool("run_shell_command", shell("rm x")).cause, "policy")

    def test_failures_refuse_guarded_events_unless_told_otherwise(self):
        with Home() as home:
            options = {**home.options, "program": "/no/such/hookrail"}
            verdict = Hooks(**options).before_tool("x", {})
            self.assertEqual((verdict.decision, verdict.cause), ("block", "failure"))
            with self.assertRaises(HookrailError):
                Hooks(**options).after_tool("x", {}, {})
            with self.assertRaises(HookrailError):
                Hooks(**options, fail_closed=False).before_tool("x", {})

    def test_broken_settings_refuse(self):
        with Home(settings="{ broken") as home, Hooks(**home.options) as hooks:
            verdict = hooks.before_tool("run_shell_command", shell("ls"))
            self.assertEqual((verdict.decision, verdict.cause), ("block", "failure"))

    def test_a_late_answer_refuses(self):
        with Home() as home, Hooks(**home.options, timeout=0.3) as hooks:
            verdict = hooks.before_tool("run_shell_command", shell("slow"))
            self.assertEqual((verdict.decision, verdict.cause), ("block", "failure"))
            self.assertEqual(hooks.fire("BeforeTool", {"tool_name": "run_shell_command", "tool_input": shell("rm x")}, timeout=60).decision, "block")


class Async(unittest.IsolatedAsyncioTestCase):
    async def test_every_effect_is_acted_on(self):
        with Home() as home:
            async with AsyncHooks(**home.options) as hooks:
                async def run(arguments):
                    return arguments["command"]

                async def yes(verdict):
                    return True

                call = lambda line, **options: hooks.run_tool("run_shell_command", shell(line), run, **options)
                with self.assertRaises(Blocked):
                    await call("rm x")
                with self.assertRaises(Blocked):
                    await call("git push")
                with self.assertRaises(Stopped):
                    await call("halt")
                self.assertEqual(await call("git push", ask=yes), "git push")
                self.assertEqual(await call("npm install"), "pnpm install")
                self.assertEqual(await call("cat x"), "masked")

    async def test_a_cancelled_question_disturbs_no_other(self):
        with Home() as home:
            async with AsyncHooks(**home.options) as hooks:
                slow = asyncio.create_task(hooks.before_tool("run_shell_command", shell("slow")))
                await asyncio.sleep(0.2)
                slow.cancel()
                self.assertEqual((await hooks.before_tool("run_shell_command", shell("rm x"))).decision, "block")

    async def test_the_program_is_started_again(self):
        with Home() as home:
            async with AsyncHooks(**home.options) as hooks:
                await hooks.before_tool("x", {})
                hooks._server.kill()
                await hooks._server.wait()
                self.assertEqual((await hooks.before_tool("run_shell_command", shell("rm x"))).cause, "policy")


if __name__ == "__main__":
    unittest.main()
