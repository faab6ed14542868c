import json
import sys
print(json.dumps({"decision": "block", "reason": "ä \u2028"}, ensure_ascii=False))
sys.stdout.buffer.write(b"\xff\xfe raw\n")
sys.stdout.write("out\n")
sys.stderr.write("err without newline")
sys.stdout.write("\r\n\ttail")
print(sys.stdout, sys.stderr, sys.stdin)
print(sys.stdout.line_buffering, sys.stderr.line_buffering, sys.stdin.line_buffering)
print(sys.stdout.write_through, sys.stdout.errors, sys.stderr.errors, sys.stdin.errors, sys.stdout.newlines)
print(sys.stdout.seekable(), sys.stdin.seekable(), sys.stdin.isatty(), sys.stdout.fileno(), sys.stdout.buffer.raw)
print(sys.__stdout__ is sys.stdout, sys.__stdin__ is sys.stdin, sys.__stderr__ is sys.stderr)
