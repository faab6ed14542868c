"""hookrail for Python: the client of ``hookrail serve`` and the kit for hooks."""

from .client import AsyncHooks, Blocked, HookrailError, Hooks, Stopped, Verdict
from .events import EventName
from .hook import Block, hook

__all__ = ["AsyncHooks", "Block", "Blocked", "EventName", "HookrailError", "Hooks", "Stopped", "Verdict", "hook"]
