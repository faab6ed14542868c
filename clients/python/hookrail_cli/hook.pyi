from typing import Any, Callable, Mapping, Optional, TypeVar

_F = TypeVar("_F", bound=Callable[[Any], Optional[Mapping[str, Any]]])

class Block(Exception): ...

def hook(function: _F) -> _F: ...
