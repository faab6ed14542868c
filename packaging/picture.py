#!/usr/bin/env python3
"""Draws docs/plots/blocked.svg, the picture of a blocked call: `picture.py PROGRAM`.

The commands run in a real terminal, in a home directory of their own with an agent that does nothing; what they print is drawn
with its colours. `cargo xtask picture` calls it. Times are the only thing that differs from run to run, and are replaced.
"""

from __future__ import annotations

import html
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 104
SESSION = [
    "hookrail setup --yes",
    "hookrail agent --replay session.jsonl -p 'Publish my branch.'",
    "hookrail log",
]
# What a model answers: it forces a push, and then reads that this was refused.
SAID = [
    {"functionCall": {"name": "run_shell_command", "args": {"command": "cd . && git push --force"}}},
    {"text": "I may not force the push. Shall I open a pull request instead?\n"},
]
COLOURS = {30: "#6e7681", 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 37: "#e6edf3", 90: "#8b949e"}
COLOURS.update({code + 60: COLOURS[code] for code in (31, 32, 33, 34, 35, 36, 37)})


def in_terminal(line: str, env: dict[str, str], folder: pathlib.Path) -> str:
    """What a command shows on a terminal of its own."""
    main, other = pty.openpty()
    subprocess.run(["stty", "cols", str(COLUMNS), "rows", "60"], stdin=other, check=True)
    child = subprocess.Popen(["/bin/sh", "-c", line], stdin=other, stdout=other, stderr=other, env=env, cwd=folder, start_new_session=True)
    os.close(other)
    shown = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # Nobody has the other end any more.
            break
        if not part:
            break
        shown += part
    child.wait()
    os.close(main)
    return shown.decode().replace("\r\n", "\n").replace(str(folder), "~/project")


def wrapped(shown: str) -> list[str]:
    """The lines of a text, broken as a terminal of this width breaks them."""
    lines, style = [], ""
    for line in re.sub(r"\x1b\[[0-9;]*[A-Za-ln-z]|\x1b\][^\x07]*\x07|\r", "", shown).rstrip("\n").split("\n"):
        lines.append(style)
        count = 0
        for text, code in re.findall(r"([^\x1b])|(\x1b\[[0-9;]*m)", line):
            if count == COLUMNS and text:
                lines.append(style)
                count = 0
            lines[-1] += text or code
            count += len(text)
            style = code or style
    return lines


def spans(line: str) -> str:
    """A line with its colours, as parts of an SVG text."""
    drawn, colour, bold, faint = [], None, False, False
    for text, code in re.findall(r"([^\x1b]+)|\x1b\[([0-9;]*)m", line):
        if text:
            # Browsers draw one space for many, also where `xml:space` says otherwise.
            text = text.replace(" ", "\u00a0")
            style = (f' fill="{colour}"' if colour else "") + (' font-weight="bold"' if bold else "") + (' opacity=".7"' if faint else "")
            drawn.append(f"<tspan{style}>{html.escape(text, quote=False)}</tspan>" if style else html.escape(text, quote=False))
        for number in [int(part or 0) for part in code.split(";")] if not text else []:
            if number == 0:
                colour, bold, faint = None, False, False
            bold, faint = bold or number == 1, faint or number == 2
            colour = COLOURS.get(number, colour)
    return "".join(drawn)


def main() -> None:
    program = pathlib.Path(sys.argv[1]).resolve()
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder).resolve()
        (home / "bin").mkdir()
        (home / "project").mkdir()
        (home / "bin/hookrail").symlink_to(program)
        agent = home / "bin/claude"
        agent.write_text("#!/bin/sh\necho 1.0.0\n")
        agent.chmod(0o755)
        answers = [{"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]} for part in SAID]
        calls = [json.dumps({"method": "generateContentStream", "response": [answer]}) + "\n" for answer in answers]
        (home / "project/session.jsonl").write_text("".join(calls))
        env = {"HOME": str(home), "PATH": f"{home}/bin:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC", "PAGER": "cat"}
        for command in SESSION:
            shown = in_terminal(command, env, home / "project")
            shown = re.sub(r"\b\d\d:\d\d:\d\d\b", "09:41:00", re.sub(r"\b\d+ ms\b", "0 ms", shown))
            lines += [f"\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m", *wrapped(shown), ""]
    width, height = 24 + COLUMNS * 8, 24 + len(lines) * 19
    text = "".join(f'<text x="14" y="{28 + row * 19}">{spans(line)}</text>\n' for row, line in enumerate(lines) if line)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="A terminal: hookrail setup protects Claude Code, a forced push is refused, and the log shows it.">\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n'
        f'<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="13" fill="#e6edf3">\n{text}</g>\n</svg>\n'
    )
    path = ROOT / "docs/plots/blocked.svg"
    path.write_text(svg)
    print(f"wrote {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
