#!/usr/bin/env python3
"""A few calls of a program that runs under an emulator: `smoke.py COMMAND…`. `fire` starts a hook, and the bridge refuses and allows."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1:]
RULE = {"type": "rule", "when": {"command": "git push --force"}, "block": "not by force"}
HOOK = {"type": "command", "when": {"command": "true"}, "command": "echo seen >&2; exit 2"}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder).resolve()
        (home / ".hookrail").mkdir(mode=0o700)
        settings = {"enableHooks": True, "hooks": {"BeforeTool": [{"hooks": [RULE, HOOK]}]}}
        (home / ".hookrail/settings.json").write_text(json.dumps(settings))
        env = {"HOOKRAIL_HOME": str(home), "HOOKRAIL_SYSTEM_SETTINGS": str(home / "none.json"), "PATH": "/usr/bin:/bin"}

        def run(*words: str, stdin: str = "") -> tuple[int, str]:
            ran = subprocess.run([*PROGRAM, *words], cwd=home, env=env, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return ran.returncode, ran.stdout

        fired = ["fire", "BeforeTool", "--tool", "run_shell_command", "--input"]
        for line, code, text in (("true", 2, "seen"), ("git push --force", 2, "not by force"), ("git status", 0, "")):
            said = run(*fired, json.dumps({"command": line}))
            assert said[0] == code and text in said[1], (line, said)
        for line, answer in (("git push --force", "not by force"), ("git status", "")):
            call = {"session_id": "s", "cwd": str(home), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": line}}
            code, said = run("bridge", "--home", str(home), "--system", str(home / "none.json"), "claude", "PreToolUse", stdin=json.dumps(call))
            assert code == 0 and answer in said and bool(said) == bool(answer), (line, code, said)
    print("fire and bridge: as on the machine's own processor")


if __name__ == "__main__":
    main()
