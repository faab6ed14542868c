"""A hook as a function of the event. Put this file beside your hook:

    from hookrail_hook import Block, hook

    @hook                                   # the last thing in the file
    def guard(event):
        if event["tool_input"].get("file_path", "").endswith(".env"):
            raise Block("secrets stay where they are")
        return None                         # or a dict: the output of the hook

With `"worker": true` in the settings the file is started once and asked many times; without it, once per event. The
verdicts are the same. Whatever the function prints is shown as what the hook wrote to stderr; stdout is for answers.
An exception is a failure of the hook, with the traceback on stderr; `sys.exit(N)` is exit code N for that event.
When the file is imported, `@hook` does nothing: a test can call the function.
"""
import contextlib
import io
import itertools
import json
import os
import sys
import traceback


class Block(Exception):
    """Raised by a hook to block, with the reason."""


def hook(function):
    """Runs a function as a hook if its file is the program."""
    if function.__module__ == "__main__":
        requests, answers = take_streams()
        first = requests.readline()
        is_worker = bool(os.environ.get("HOOKRAIL_WORKER"))
        if is_worker and is_question(first):
            serve(function, itertools.chain([first], requests), answers)
        elif first or not is_worker:
            sys.exit(run_once(function, first + requests.read(), answers))
    return function


def is_question(line):
    """Whether a line asks a worker. The variable alone does not tell: a hook that is not a worker may inherit it."""
    try:
        question = json.loads(line)
    except ValueError:
        return False
    return isinstance(question, dict) and "input" in question and "hook_event_name" not in question


def take_streams():
    """Reserves stdin and stdout for events and answers: the hook, and every program it starts, reads nothing and
    writes to stderr."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout.flush()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, answers


def serve(function, requests, answers):
    """Answers one line after another, until there are no more."""
    try:
        write_line(answers, {"ready": True, "concurrent": 1})
        for line in requests:
            request = json.loads(line)
            printed = Printed()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                answer = ask(function, request["input"])
            write_line(answers, {"id": request["id"], **with_printed(answer, printed.getvalue())})
    except BrokenPipeError:
        pass  # No reader is left.


class Printed(io.StringIO):
    """What a hook prints while it answers. It is written at once, too, for a hook that never answers."""

    def write(self, text):
        sys.__stderr__.write(text)
        sys.__stderr__.flush()
        return super().write(text)


def with_printed(answer, printed):
    """The answer with what the hook printed as its stderr."""
    if not printed:
        return answer
    if "output" in answer:
        answer = {"exitCode": 0, "stdout": json.dumps(answer["output"]), "stderr": ""}
    return {**answer, "stderr": printed + answer["stderr"]}


def run_once(function, event, answers):
    """Answers the one event on stdin. Returns the exit code."""
    answer = ask(function, json.loads(event))
    if "output" in answer:
        write_line(answers, answer["output"])
        return 0
    sys.stderr.write(answer["stderr"])
    return answer["exitCode"]


def ask(function, event):
    """The answer of the function to an event, in the form of the protocol."""
    try:
        output = function(event)
        if output is None:
            return exited(0)
        if not isinstance(output, dict):
            raise TypeError("a hook returns None or a dict, not " + type(output).__name__)
        json.dumps(output, allow_nan=False)
        return {"output": output}
    except Block as block:
        return {"output": {"decision": "block", "reason": str(block).strip() or "Blocked by hook"}}
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return exited((end.code or 0) & 0xFF)
        return exited(1, str(end.code) + "\n")
    except Exception as error:
        # The first frame is this file's.
        trace = error.__traceback__.tb_next or error.__traceback__
        return exited(1, "".join(traceback.format_exception(type(error), error, trace)))


def exited(code, stderr=""):
    """The answer of a hook without output."""
    return {"exitCode": code, "stdout": "", "stderr": stderr}


def write_line(answers, value):
    """Writes one value as one line."""
    answers.write(json.dumps(value).encode() + b"\n")
    answers.flush()
