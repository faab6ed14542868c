#!/usr/bin/env python3
"""Blocks writes to .env files. Started once and asked about many events; see hookrail_hook.py."""
import os.path

from hookrail_hook import Block, hook


@hook
def guard(event):
    name = os.path.basename(str(event["tool_input"].get("file_path", "")))
    if name == ".env" or name.startswith(".env."):
        raise Block("Files named .env hold secrets: ask the user to change them.")
