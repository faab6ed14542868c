"""A client made with the official SDK: client.py PROGRAM SERVER…"""
import asyncio
import json
import shutil
import sys
import tempfile
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

program, server = sys.argv[1], sys.argv[2:]


def command(tool, line):
    return {"matcher": f"mcp__test__{tool}$", "hooks": [{"type": "command", "command": line}]}


def say(**fields):
    return f"cat > /dev/null; echo '{json.dumps({'hookSpecificOutput': fields})}'"


RULE = {"type": "rule", "when": {}, "block": "nothing is removed", "instead": "move it"}
CHANGE = 'if grep -q change; then echo \'{"hookSpecificOutput":{"tool_input":{"text":"changed"}}}\'; fi'
SETTINGS = {
    "enableHooks": True,
    "hooks": {
        "BeforeTool": [{"matcher": "mcp__test__remove", "hooks": [RULE]}, command("echo", CHANGE)],
        "AfterTool": [
            command("secret", say(tool_response="KEY=***")),
            command("steps", say(additionalContext="three steps")),
        ],
    },
}


async def main(home):
    settings = home / ".hookrail/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps(SETTINGS))
    arguments = ["mcp", "--home", str(home), "--server", "test", "--", *server]
    async with stdio_client(StdioServerParameters(command=program, args=arguments)) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()

            async def call(name, **given):
                result = await session.call_tool(name, given)
                return [part.text for part in result.content], bool(result.isError)

            assert len((await session.list_tools()).tools) == 6
            assert await call("echo", text="né 🦀") == (["echo né 🦀"], False)
            assert await call("echo", text="change me") == (["echo changed"], False)
            texts, is_error = await call("remove", path="x")
            assert is_error and "nothing is removed" in texts[0] and "move it" in texts[0], texts
            texts, _ = await call("secret")
            assert texts == ["KEY=***"], texts
            texts, _ = await call("steps")
            assert texts[-1] == "three steps", texts
            texts, _ = await call("big", bytes=10 << 20)
            assert len(texts[0]) == 10 << 20
            many = await asyncio.gather(*(call("echo", text=f"n{n}") for n in range(50)))
            assert [texts[0] for texts, _ in many] == [f"echo n{n}" for n in range(50)]
            settings.write_text("{")
            assert (await call("echo", text="x"))[1]


home = Path(tempfile.mkdtemp(prefix="hookrail-mcp-")).resolve()
asyncio.run(main(home))
shutil.rmtree(home)
