import dataclasses
import enum
import pathlib
import pickle
import typing


@dataclasses.dataclass
class Event:
    name: str
    path: typing.Optional[pathlib.Path] = None


class Kind(enum.Enum):
    A = 1


print(pickle.loads(pickle.dumps([Event("x", pathlib.Path("a")), Kind.A])), Event.__module__)
