#!/usr/bin/env python3
"""Installs the packages of a folder as a user would, offline, and tries each: `check.py DIR`.

Each goes into an empty folder, with a home of its own. Then `hookrail --version`, `demo`, `setup --yes` with an agent on the
search path; then the folder is removed, as the caches of `npx` and `uvx` are, and the entry that `setup` wrote must still
refuse a call. What cannot be tried on this machine is said in one line.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import platform
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

DIR = pathlib.Path(sys.argv[1]).resolve()
SYSTEM = {"Linux": "unknown-linux-musl", "Darwin": "apple-darwin"}[platform.system()]
CPU = {"x86_64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}[platform.machine()]
TARGET = f"{CPU}-{SYSTEM}"


class Machine:
    """An empty machine: a home, a project, and an agent that `setup` finds."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder, self.home, self.project = folder, folder / "home", folder / "project"
        self.prefix = folder / "prefix"
        agents = folder / "agents"
        for made in (self.home, self.project, self.prefix, agents):
            made.mkdir()
        agent = agents / "claude"
        agent.write_text("#!/bin/sh\necho 1.0.0\n")
        agent.chmod(0o755)
        # Only what a user's shell would set: a variable by which agents mark what they start would refuse `setup`.
        node = os.path.dirname(shutil.which("node") or "/usr/bin/node")
        self.env = {"HOME": str(self.home), "PATH": f"{agents}:{node}:/usr/bin:/bin", "LANG": "C.UTF-8", "TMPDIR": str(folder)}
        self.env["npm_config_cache"] = str(folder / "npm")

    def run(self, *command: object, ok: bool = True, stdin: str = "", env: dict[str, str] | None = None) -> str:
        """Runs a command in the project; returns what it wrote to both streams."""
        ran = subprocess.run([str(word) for word in command], cwd=self.project, env={**self.env, **(env or {})}, input=stdin,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        assert (ran.returncode == 0) == ok, f"{command}: exit code {ran.returncode}\n{ran.stdout}"
        return ran.stdout

    def try_program(self, program: pathlib.Path, version: str, client: tuple[object, ...] = ()) -> None:
        """The first minutes of a user, then the day after, when the folder it came from is gone.

        `client` is a command that asks through the package's client about a forced push and prints what it says.
        """
        self.installed_is(program, version)
        assert "blocked" in self.run(program, "demo").lower()
        done = json.loads(self.run(program, "setup", "--yes", "--format", "json"))
        assert done["agents"] == [{"agent": "claude", "connected": True, "proved": True, "needs": None}], done
        if client:
            said = self.run(*client)
            assert said.lower() == "true block policy\n", said
        shutil.rmtree(self.prefix)
        written = json.loads((self.home / ".claude/settings.json").read_text())
        entry = written["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
        answers = []
        for line in ("git push --force", "git status"):
            call = {"session_id": "s", "cwd": str(self.project), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": line}}
            answers.append(self.run("/bin/sh", "-c", entry, stdin=json.dumps(call)))
        assert '"deny"' in answers[0], answers
        assert answers[1] == "", answers

    def installed_is(self, program: pathlib.Path, version: str) -> None:
        said = self.run(program, "--version")
        assert said == f"hookrail {version}\n", said


def fixed_address(version: str) -> None:
    """The programs for Linux, of every processor, are static and at a fixed address: nothing is relocated at a start."""
    for path in sorted(DIR.glob(f"hookrail-{version}-*-linux-musl.tar.gz")):
        with tarfile.open(path) as packed:
            member = packed.extractfile(f"{path.name.removesuffix('.tar.gz')}/bin/hookrail")
            assert member is not None, path
            program = member.read()
        assert program[:6] == b"\x7fELF\x02\x01", f"{path.name}: not a 64-bit program"
        # From the ELF header: the type (2 is a program at a fixed address), and where the segments are described.
        kind, segments_at, size, count = struct.unpack_from("<16xH14xQ14xHH", program)
        kinds = [struct.unpack_from("<I", program, segments_at + number * size)[0] for number in range(count)]
        assert kind == 2, f"{path.name}: the program has no fixed address"
        # 2 is what a dynamic linker reads, and where relocations are found; 3 is its name.
        assert not {2, 3} & set(kinds), f"{path.name}: the program is not static"
        print(f"{path.name}: static, at a fixed address, {len(program) / 1e6:.1f} MB", flush=True)


def archive(machine: Machine, version: str) -> str | None:
    name = f"hookrail-{version}-{TARGET}"
    machine.run("tar", "-xzf", DIR / f"{name}.tar.gz", "-C", machine.prefix, "--strip-components=1")
    for place in ("share/man/man1/hookrail.1", "share/bash-completion/completions/hookrail", "share/doc/hookrail/LICENSE"):
        assert (machine.prefix / place).is_file(), place
    machine.try_program(machine.prefix / "bin/hookrail", version)
    return None


def install_script(machine: Machine, version: str) -> str | None:
    script, program = DIR / "install.sh", machine.prefix / "bin/hookrail"
    name = f"hookrail-{version}-{TARGET}.tar.gz"
    install = ("sh", script, "--prefix", machine.prefix)
    # Another archive under the same name, also with a fitting .sha256 beside it, is refused.
    forged = machine.folder / "forged"
    forged.mkdir()
    content = (DIR / name).read_bytes() + b"\0"
    (forged / name).write_bytes(content)
    (forged / f"{name}.sha256").write_text(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
    said = machine.run(*install, ok=False, env={"HOOKRAIL_INSTALL_BASE": str(forged)})
    assert "checksum" in said and not program.exists(), said
    for base in ("http://127.0.0.1:9", "file:///tmp", "relative", "ftp://127.0.0.1"):
        said = machine.run(*install, ok=False, env={"HOOKRAIL_INSTALL_BASE": base})
        assert "neither an https address" in said and not program.exists(), said
    said = machine.run(*install, ok=False, env={"HOOKRAIL_INSTALL_BASE": str(machine.folder)})
    assert "cannot read" in said and not program.exists(), said
    # A script that broke off anywhere does nothing. It is cut behind each line, at the places where a transfer may end.
    lines = script.read_text().splitlines(keepends=True)
    for end in range(len(lines)):
        subprocess.run(["sh"], input="".join(lines[:end]), env={**machine.env, "HOOKRAIL_INSTALL_BASE": str(DIR)}, cwd=machine.project,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        assert not (machine.home / ".local").exists(), f"line {end}"
    machine.run(*install, env={"HOOKRAIL_INSTALL_BASE": str(DIR)})
    machine.run(*install, env={"HOOKRAIL_INSTALL_BASE": str(DIR)})  # Again, over itself.
    machine.try_program(program, version)
    left = [path for path in machine.folder.iterdir() if path.name.startswith("tmp.")]
    assert left == [], left
    return None


def npm(machine: Machine, version: str) -> str | None:
    if shutil.which("npm") is None:
        return "npm is not installed"
    cpu = {"x86_64": "x64", "aarch64": "arm64"}[CPU]
    packages = [DIR / f"npm/hookrail-{version}.tgz", DIR / f"npm/hookrail-{platform.system().lower()}-{cpu}-{version}.tgz"]
    machine.run("npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", machine.prefix, *packages)
    modules = machine.prefix / "node_modules"
    client = f"""
        import {{ Hooks, findProgram }} from {json.dumps(str(modules / 'hookrail/lib/index.mjs'))};
        const hooks = new Hooks();
        const {{ decision, cause }} = await hooks.beforeTool('run_shell_command', {{ command: 'git push --force' }});
        await hooks.close();
        console.log(findProgram().includes('@hookrail/'), decision, cause);"""
    # The launcher passes exit codes on.
    assert "unrecognized" in machine.run(modules / ".bin/hookrail", "no-such-command", ok=False)
    machine.try_program(modules / ".bin/hookrail", version, ("node", "--input-type=module", "-e", client))
    return None


def wheel(machine: Machine, version: str) -> str | None:
    venv = machine.prefix / "venv"
    try:
        machine.run(sys.executable, "-m", "venv", venv)
    except AssertionError:
        return "this Python cannot make environments"
    machine.run(venv / "bin/pip", "install", "--no-index", "--find-links", DIR / "pypi", "--disable-pip-version-check", "hookrail-cli")
    machine.run(venv / "bin/pip", "check", "--disable-pip-version-check")
    client = """
import sys
from hookrail_cli import Hooks
from hookrail_cli._program import find_program
with Hooks() as hooks:
    verdict = hooks.before_tool("run_shell_command", {"command": "git push --force"})
print(find_program().startswith(sys.prefix), verdict.decision, verdict.cause)"""
    machine.try_program(venv / "bin/hookrail", version, (venv / "bin/python", "-c", client))
    return None


def formula(machine: Machine, version: str) -> str | None:
    if shutil.which("ruby") is None:
        return "ruby is not installed, so that the formula is not even parsed"
    machine.run(shutil.which("ruby"), "-c", DIR / "homebrew/hookrail.rb")
    return None if shutil.which("brew") else "brew is not installed; the formula is valid Ruby"


def main() -> None:
    version = next(DIR.glob(f"hookrail-*-{TARGET}.tar.gz"), None)
    if version is None:
        sys.exit(f"error: {DIR} has no package for this machine ({TARGET})")
    version = version.name[len("hookrail-") : -len(f"-{TARGET}.tar.gz")]
    for line in (DIR / "SHA256SUMS").read_text().splitlines():
        expected, name = line.split("  ")
        assert hashlib.sha256((DIR / name).read_bytes()).hexdigest() == expected, name
    fixed_address(version)
    for kind in (archive, install_script, npm, wheel, formula):
        with tempfile.TemporaryDirectory() as folder:
            skipped = kind(Machine(pathlib.Path(folder).resolve()), version)
        print(f"{kind.__name__:15} {'left out: ' + skipped if skipped else 'installed, guards, and still guards when its folder is gone' if kind is not formula else 'ok'}", flush=True)


if __name__ == "__main__":
    main()
