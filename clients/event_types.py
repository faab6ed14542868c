#!/usr/bin/env python3
"""Makes the clients' types of events from `schemas/`: `event_types.py` writes them, `event_types.py --check` fails where they are out of date.

`cargo xtask all` calls it, and so does a test. TypeScript: `node/lib/events.d.mts`; Python: `python/hookrail_cli/events.py`.
"""

from __future__ import annotations

import json
import keyword
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTE = "Made from schemas/ by clients/event_types.py; `cargo xtask all` writes it again."


def load(folder: str) -> dict[str, dict]:
    """The schemas of all events. What only the name of the event tells apart gets a name of its own."""
    paths = {path.name.split(".")[0]: path for path in sorted((ROOT / "schemas" / folder).glob("*.json"))}
    return {event: json.loads(path.read_text().replace("NothingSpecific", f"{event}Specific")) for event, path in paths.items()}


INPUTS, OUTPUTS = load("input"), load("output")


def definitions() -> dict[str, dict]:
    """All named types. A name that two schemas define must mean the same in both."""
    found: dict[str, dict] = {}
    for schema in [*INPUTS.values(), *OUTPUTS.values()]:
        for name, inside in [*schema.get("$defs", {}).items(), (schema["title"], schema)]:
            inside = {key: value for key, value in inside.items() if key not in ("$defs", "$schema", "title")}
            if found.setdefault(name, inside) != inside:
                sys.exit(f"error: {name} is defined in two ways")
    return dict(sorted(found.items()))


def base() -> dict[str, dict]:
    """The fields that the inputs of all events have, apart from the event's name."""
    first, *others = [schema["properties"] for schema in INPUTS.values()]
    common = [name for name in first if all(other.get(name) == first[name] for other in others)]
    return {name: first[name] for name in common}


class TypeScript:
    plain = {"string": "string", "boolean": "boolean", "number": "number", "integer": "number", "null": "null"}

    def type(self, schema: dict) -> str:
        if "$ref" in schema:
            return schema["$ref"].rsplit("/", 1)[-1]
        if "anyOf" in schema:
            return " | ".join(self.type(inside) for inside in schema["anyOf"])
        if "enum" in schema or "const" in schema:
            words = [f"'{word}'" for word in schema.get("enum", [schema.get("const")])]
            return " | ".join(words + (["null"] if "null" in self.kinds(schema) else []))
        return " | ".join(self.kind(kind, schema) for kind in self.kinds(schema)) or "unknown"

    @staticmethod
    def kinds(schema: dict) -> list[str]:
        kinds = schema.get("type", [])
        return [kinds] if isinstance(kinds, str) else kinds

    def kind(self, kind: str, schema: dict) -> str:
        if kind == "object":
            return "JsonObject"
        if kind == "array":
            item = self.type(schema.get("items", {}))
            return f"({item})[]" if " " in item else f"{item}[]"
        return self.plain[kind]

    @staticmethod
    def doc(schema: dict, indent: str = "") -> str:
        text = " ".join(schema.get("description", "").split())
        return f"{indent}/** {text} */\n" if text else ""

    def fields(self, properties: dict, required: list[str]) -> str:
        lines = [
            f"{self.doc(field, '  ')}  {name}{'' if name in required else '?'}: {self.type(field)};\n"
            for name, field in properties.items()
        ]
        return "".join(lines)

    def file(self) -> str:
        events = " | ".join(f"'{event}'" for event in INPUTS)
        text = f"// {NOTE}\n\nexport type JsonObject = {{ [name: string]: unknown }};\n\nexport type EventName = {events};\n\n"
        text += f"/** Fields that every event has; all may be left out when a client asks. */\nexport interface BaseFields {{\n{self.fields(base(), [])}}}\n\n"
        for name, schema in definitions().items():
            if "properties" in schema:
                text += f"{self.doc(schema)}export interface {name} {{\n{self.fields(schema['properties'], schema.get('required', []))}}}\n\n"
            else:
                text += f"{self.doc(schema)}export type {name} = {self.type(schema)};\n\n"
        for title, schemas, doc in (("EventInputs", INPUTS, "What the hooks of an event receive."), ("EventOutputs", OUTPUTS, "What the hooks of an event may answer.")):
            lines = "".join(f"  {event}: {schema['title']};\n" for event, schema in schemas.items())
            text += f"/** {doc} */\nexport interface {title} {{\n{lines}}}\n\n"
        return text.rstrip() + "\n"


class Python:
    plain = {"string": "str", "boolean": "bool", "number": "float", "integer": "int", "null": "None"}

    def type(self, schema: dict) -> str:
        if "$ref" in schema:
            return f'"{schema["$ref"].rsplit("/", 1)[-1]}"'
        if "anyOf" in schema:
            return self.union([self.type(inside) for inside in schema["anyOf"]])
        kinds = TypeScript.kinds(schema)
        if "enum" in schema or "const" in schema:
            words = ", ".join(f'"{word}"' for word in schema.get("enum", [schema.get("const")]))
            return self.union([f"Literal[{words}]"] + (["None"] if "null" in kinds else []))
        return self.union([self.kind(kind, schema) for kind in kinds] or ["Any"])

    @staticmethod
    def union(types: list[str]) -> str:
        if len(types) == 2 and types[1] == "None":
            return f"Optional[{types[0]}]"
        return types[0] if len(types) == 1 else f"Union[{', '.join(types)}]"

    def kind(self, kind: str, schema: dict) -> str:
        if kind == "object":
            return "Dict[str, Any]"
        return f"List[{self.type(schema.get('items', {}))}]" if kind == "array" else self.plain[kind]

    @staticmethod
    def doc(schema: dict) -> str:
        text = " ".join(schema.get("description", "").split())
        return textwrap.indent(f'"""{text}"""\n', "    ") if text else ""

    def table(self, name: str, schema: dict) -> str:
        """A dictionary with known keys. Keys that may be left out are in a class of their own, because Python 3.9 has no
        other way; one whose keys are words of the language cannot be a class."""
        fields, required = schema["properties"], schema.get("required", [])
        if any(keyword.iskeyword(field) for field in fields):
            assert not required, name
            lines = "".join(f'        "{field}": {self.type(inside)},\n' for field, inside in fields.items())
            return f'{name} = TypedDict(\n    "{name}",\n    {{\n{lines}    }},\n    total=False,\n)\n'
        must = [f"    {field}: {self.type(inside)}\n" for field, inside in fields.items() if field in required]
        may = [f"    {field}: {self.type(inside)}\n" for field, inside in fields.items() if field not in required]
        doc = self.doc(schema)
        if not may:
            return f"class {name}(TypedDict):\n{doc}{'' if not doc else chr(10)}{''.join(must)}"
        if not must:
            return f"class {name}(TypedDict, total=False):\n{doc}{'' if not doc else chr(10)}{''.join(may)}"
        return f"class _{name}(TypedDict):\n{''.join(must)}\n\nclass {name}(_{name}, total=False):\n{doc}{'' if not doc else chr(10)}{''.join(may)}"

    def file(self) -> str:
        events = ", ".join(f'"{event}"' for event in INPUTS)
        text = f'"""The events: what hooks receive and may answer.\n\n{NOTE}\n"""\n\nfrom typing import Any, Dict, List, Literal, Optional, TypedDict\n\n'
        text += f"EventName = Literal[{events}]\n\n\n"
        for name, schema in definitions().items():
            text += self.table(name, schema) if "properties" in schema else f"{name} = {self.type(schema)}\n"
            text += "\n\n"
        return text.rstrip() + "\n"


def main() -> None:
    files = {ROOT / "clients/node/lib/events.d.mts": TypeScript().file(), ROOT / "clients/python/hookrail_cli/events.py": Python().file()}
    for path, text in files.items():
        if path.exists() and path.read_text() == text:
            continue
        if "--check" in sys.argv:
            sys.exit(f"error: {path} is out of date; run `cargo xtask all`")
        path.write_text(text)
        print(f"wrote {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
