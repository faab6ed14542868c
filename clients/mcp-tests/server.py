"""A server made with the official SDK."""
import os

from mcp.server.fastmcp import Context, FastMCP

server = FastMCP("test")


@server.tool()
def echo(text: str) -> str:
    return f"echo {text}"


@server.tool()
def remove(path: str) -> str:
    return f"removed {path}"


@server.tool(structured_output=False)
def secret() -> str:
    return "KEY=abc"


@server.tool()
def big(bytes: int) -> str:
    return "x" * bytes


@server.tool()
async def steps(context: Context) -> str:
    for step in range(1, 4):
        await context.report_progress(step, 3)
    return "done"


@server.tool()
def crash() -> str:
    os._exit(7)


server.run()
