#!/usr/bin/env python3
"""Makes what is shipped out of built programs: `packages.py --version V --out DIR TARGET=PROGRAM…`.

    hookrail-V-TARGET.tar.gz   program, completions, manual pages, documents; in the layout of a prefix such as /usr/local
    npm/*.tgz                  `hookrail` (launcher and client) and one `@hookrail/PLATFORM` for each program
    pypi/*.whl                 `hookrail-cli`, one wheel for each program
    homebrew/hookrail.rb       the formula
    install.sh                 fetches an archive and compares it with the checksum that is written in the script
    SHA256SUMS                 of everything above

`cargo xtask packages` builds the programs and calls this. The same programs, version and date give the same bytes: order,
owners, modes and times are fixed. Nothing but Python's own modules is used.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RELEASES = "https://github.com/hookrail/hookrail/releases/download"

# Cargo's target: npm's platform and processor, the wheel's tags, Homebrew's blocks. The Linux programs are static, so that
# they run with both C libraries.
TARGETS = {
    "x86_64-unknown-linux-musl": ("linux", "x64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", "linux", "intel"),
    "aarch64-unknown-linux-musl": ("linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64", "linux", "arm"),
    "x86_64-apple-darwin": ("darwin", "x64", "macosx_10_12_x86_64", "macos", "intel"),
    "aarch64-apple-darwin": ("darwin", "arm64", "macosx_11_0_arm64", "macos", "arm"),
}

# Shells with a place where they look for completions, and that place below the prefix.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/hookrail",
    "fish": "share/fish/vendor_completions.d/hookrail.fish",
    "zsh": "share/zsh/site-functions/_hookrail",
}

Files = "dict[str, tuple[bytes, int]]"
"""What a package has inside: path, content and mode."""


def shared_files(programs: list[pathlib.Path], version: str) -> Files:
    """Completions, manual pages and documents. A program that runs here makes them, which also shows that it runs.

    One that reports another version is refused: it is a stale build or one of another target directory.
    """
    runs = None
    for program in programs:
        try:
            said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            continue  # For another machine.
        if said.split(" ")[-1] != version:
            sys.exit(f"error: {program} says `{said}`, not {version}")
        runs = program
    if runs is None:
        sys.exit("error: none of the programs runs here, and one has to make the completions and manual pages")
    files = {}
    for shell, place in COMPLETIONS.items():
        script = subprocess.run([runs, "completions", shell], capture_output=True, check=True).stdout
        if not script.strip():
            sys.exit(f"error: no completions for {shell}")
        files[place] = (script, 0o644)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([runs, "man", folder], check=True, stdout=subprocess.DEVNULL)
        for page in pathlib.Path(folder).glob("*.1"):
            files[f"share/man/man1/{page.name}"] = (page.read_bytes(), 0o644)
    if "share/man/man1/hookrail.1" not in files:
        sys.exit("error: no manual page")
    for document in ("CHANGELOG.md", "LICENSE", "README.md"):
        files[f"share/doc/hookrail/{document}"] = ((ROOT / document).read_bytes(), 0o644)
    return files


def tree(folder: pathlib.Path, *names: str) -> Files:
    """The files below some names of a folder. Links are followed: the kits for hooks have their place in `docs/`."""
    files = {}
    for name in names:
        place = folder / name
        found = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in found:
            if file.is_file() and "__pycache__" not in file.parts:
                files[str(file.relative_to(folder))] = (file.read_bytes(), 0o755 if file.parent.name == "bin" else 0o644)
    return files


def tar(path: pathlib.Path, top: str, files: Files, date: int) -> None:
    """Writes a compressed archive whose files are below the folder `top`."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, (content, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), mode, date
            archive.addfile(entry, io.BytesIO(content))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(plain.getvalue(), mtime=date))


def archive(out: pathlib.Path, version: str, target: str, program: bytes, shared: Files, date: int) -> None:
    """The archive of one target, with its digest beside it in the form that `sha256sum --check` reads."""
    name = f"hookrail-{version}-{target}"
    path = out / f"{name}.tar.gz"
    tar(path, name, {**shared, "bin/hookrail": (program, 0o755)}, date)
    (out / f"{name}.tar.gz.sha256").write_text(f"{digest(path)}  {path.name}\n")


def npm(out: pathlib.Path, version: str, programs: dict[str, bytes], date: int) -> None:
    """The package with launcher and client, and those with the programs. None has an install script."""
    files = tree(ROOT / "clients/node", "bin", "lib", "README.md")
    files["LICENSE"] = ((ROOT / "LICENSE").read_bytes(), 0o644)
    about = json.loads((ROOT / "clients/node/package.json").read_text())
    about["version"] = version
    about["optionalDependencies"] = {f"@hookrail/{os}-{cpu}": version for os, cpu, *_ in sorted(TARGETS.values())}
    files["package.json"] = ((json.dumps(about, indent=2) + "\n").encode(), 0o644)
    tar(out / f"npm/hookrail-{version}.tgz", "package", files, date)
    for target, program in programs.items():
        os, cpu, *_ = TARGETS[target]
        platform = {
            "name": f"@hookrail/{os}-{cpu}",
            "version": version,
            "description": f"The program hookrail for {os}-{cpu}. Install the package hookrail instead.",
            **{key: about[key] for key in ("license", "homepage", "repository")},
            "os": [os],
            "cpu": [cpu],
            "files": ["bin"],
            "preferUnplugged": True,
        }
        files = {
            "package.json": ((json.dumps(platform, indent=2) + "\n").encode(), 0o644),
            "README.md": (f"{platform['description']}\n".encode(), 0o644),
            "LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644),
            "bin/hookrail": (program, 0o755),
        }
        tar(out / f"npm/hookrail-{os}-{cpu}-{version}.tgz", "package", files, date)


def python_version(version: str) -> str:
    """The version as Python writes it: `1.0.0-rc.1` is `1.0.0rc1`."""
    match = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?", version)
    if match is None:
        sys.exit(f"error: PyPI has no such version: `{version}`; use X.Y.Z, -alpha.N, -beta.N or -rc.N")
    stage = {None: "", "alpha": "a", "beta": "b", "rc": "rc"}[match[2]]
    return f"{match[1]}{stage}{match[3] or ''}"


def wheel(out: pathlib.Path, version: str, target: str, program: bytes, date: int) -> None:
    """The wheel of one target: the module, and the program among the scripts."""
    client = ROOT / "clients/python"
    about = dict(re.findall(r'^([\w-]+) = "(.*)"$', (client / "pyproject.toml").read_text(), re.MULTILINE))
    version, tags = python_version(version), TARGETS[target][2]
    info = f"hookrail_cli-{version}.dist-info"
    metadata = [
        "Metadata-Version: 2.4",
        f"Name: {about['name']}",
        f"Version: {version}",
        f"Summary: {about['description']}",
        f"License-Expression: {about['license']}",
        "License-File: LICENSE",
        f"Requires-Python: {about['requires-python']}",
        "Project-URL: Repository, https://github.com/hookrail/hookrail",
        "Description-Content-Type: text/markdown",
        "",
        (client / "README.md").read_text(),
    ]
    about_wheel = ["Wheel-Version: 1.0", "Generator: hookrail packages.py", "Root-Is-Purelib: false"]
    about_wheel += [f"Tag: py3-none-{tag}" for tag in tags.split(".")]
    files = tree(client, "hookrail_cli")
    files[f"hookrail_cli-{version}.data/scripts/hookrail"] = (program, 0o755)
    files[f"{info}/METADATA"] = ("\n".join(metadata).encode(), 0o644)
    files[f"{info}/WHEEL"] = (("\n".join(about_wheel) + "\n").encode(), 0o644)
    files[f"{info}/licenses/LICENSE"] = ((ROOT / "LICENSE").read_bytes(), 0o644)
    record = f"{info}/RECORD"
    lines = [f"{name},sha256={url_digest(content)},{len(content)}\n" for name, (content, _) in sorted(files.items())]
    files[record] = ("".join([*lines, f"{record},,\n"]).encode(), 0o644)
    path = out / f"pypi/hookrail_cli-{version}-py3-none-{tags}.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    # A zip file has no times before 1980. RECORD comes last, as the specification recommends.
    when = time.gmtime(max(date, 315_532_800))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, (content, mode) in sorted(files.items(), key=lambda file: (file[0] == record, file[0])):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, (0o100000 | mode) << 16
            package.writestr(entry, content)


def formula(out: pathlib.Path, version: str, targets: list[str]) -> None:
    """Homebrew's formula, for the targets that there are."""
    systems: dict[str, str] = {}
    for target in targets:
        *_, system, cpu = TARGETS[target]
        name = f"hookrail-{version}-{target}.tar.gz"
        block = f'    on_{cpu} do\n      url "{RELEASES}/v{version}/{name}"\n      sha256 "{digest(out / name)}"\n    end\n'
        systems[system] = systems.get(system, "") + block
    blocks = "".join(f"  on_{system} do\n{inside}  end\n\n" for system, inside in sorted(systems.items(), reverse=True))
    text = (ROOT / "packaging/hookrail.rb.in").read_text().replace("@VERSION@", version).replace("@TARGETS@\n", blocks)
    path = out / "homebrew/hookrail.rb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def installer(out: pathlib.Path, version: str, targets: list[str]) -> None:
    """The script that fetches an archive. The checksums are written into it, so that one who can only replace archives
    cannot get another program installed."""
    sums = "".join(f"    {target}) echo {digest(out / f'hookrail-{version}-{target}.tar.gz')} ;;\n" for target in targets)
    text = (ROOT / "packaging/install.sh.in").read_text().replace("@VERSION@", version).replace("@CHECKSUMS@\n", sums)
    path = out / "install.sh"
    path.write_text(text.replace("@BASE@", f"{RELEASES}/v{version}"))
    path.chmod(0o755)


def digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def url_digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--date", type=int, default=0, help="seconds since 1970, the time of every file")
    parser.add_argument("--archives-only", action="store_true", help="no packages for package managers; any target")
    parser.add_argument("programs", nargs="+", metavar="TARGET=PROGRAM")
    args = parser.parse_args()
    programs = {target: pathlib.Path(file) for target, file in (item.split("=", 1) for item in args.programs)}
    unknown = [target for target in programs if target not in TARGETS and not args.archives_only]
    if unknown:
        sys.exit(f"error: no package is made for {', '.join(unknown)}; known are {', '.join(TARGETS)}")
    shared = shared_files(list(programs.values()), args.version)
    # Files of an earlier run must not be among the packages of this one.
    shutil.rmtree(args.out, ignore_errors=True)
    args.out.mkdir(parents=True)
    contents = {target: program.read_bytes() for target, program in sorted(programs.items())}
    for target, program in contents.items():
        archive(args.out, args.version, target, program, shared, args.date)
        if not args.archives_only:
            wheel(args.out, args.version, target, program, args.date)
    if not args.archives_only:
        npm(args.out, args.version, contents, args.date)
        formula(args.out, args.version, list(contents))
        installer(args.out, args.version, list(contents))
        made = sorted(file for file in args.out.rglob("*") if file.is_file() and file.suffix != ".sha256")
        sums = "".join(f"{digest(file)}  {file.relative_to(args.out)}\n" for file in made)
        (args.out / "SHA256SUMS").write_text(sums)
    for file in sorted(args.out.rglob("*")):
        if file.is_file():
            print(file)


if __name__ == "__main__":
    main()
