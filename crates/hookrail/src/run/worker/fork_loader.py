"""hookrail: runs an unmodified Python hook, each event in a fork of this interpreter.

Started once by the engine as

    python3 [-u -B -E -s -S -I] -c THIS_TEXT DIRECTORY SCRIPT [ARGUMENT ...]

in the directory `/` (so that no file of a project can be imported while the interpreter starts), with exactly the
environment of the hook, and in a process group of its own. DIRECTORY is the absolute working directory of the hook;
SCRIPT and the arguments are as in `python3 SCRIPT ARGUMENT ...`.

Descriptor 0 is one end of a pair of Unix sockets of type SEQPACKET, the control; 1 and 2 are pipes (one may serve for
both) to which the loader writes only what went wrong with itself. The streams must not be terminals: the text streams
that the interpreter made for them are what the script will use, with other pipes underneath.

One packet is one message of ASCII words. To the loader:

    run ID        with three descriptors (SCM_RIGHTS): the stdin, stdout and stderr of one event; a fourth is a file of
                  further variables, NAME=VALUE, each ended by a NUL
    done ID       the engine has nothing more to do with the process group of that event

From the loader, in any order for different events:

    ready N               once; N modules were loaded ahead
    pid ID PID            sent by the fork itself, as leader of the new process group PID, before it runs the script
    exit ID CODE          the fork ended with this code
    signal ID NUMBER      a signal ended it
    failed ID ERRNO WHAT  there is no such fork: WHAT is `chdir`, `fork` or `descriptors`

ID is a word of at most 64 characters that the engine chooses. After `exit` or `signal` the fork is a zombie until
`done` comes, so that its number, which is also the number of its group, belongs to nobody else and the engine can
signal the group without a race. `pid` may be missing if the fork was killed at once. Events run side by side; whoever
wants one after the other sends them so. The end of the control means that the engine is gone or wants no more: every
fork that still runs gets SIGTERM, five seconds, SIGKILL, is reaped, and the loader exits with 0. A message that is
none of these ends it with 70 and a line on stderr, the running forks likewise.

What is loaded ahead: modules of the standard library that the script names in import statements, found by reading it.
Nothing of the project is imported or run here. A fork that could not behave as a new process would (the script does
not compile, is no plain text, files beside it hide modules that are already loaded, settings of the interpreter that
act at its start) executes a new interpreter instead: slower, and the same by construction.
"""
import sys

if sys.version_info < (3, 8):
    sys.exit("hookrail: the fork loader needs Python 3.8 or newer")

# `-c` puts the working directory on the path. Nothing may be imported from there. From 3.13 on the interpreter loads
# `linecache` for the sake of `-c`, which it would not do for a script.
LOADED_AT_START = frozenset(sys.modules) - {"linecache"}
IS_SAFE_PATH = bool(sys.flags.isolated or getattr(sys.flags, "safe_path", False))
if not IS_SAFE_PATH and sys.path[:1] == [""]:
    del sys.path[0]

import _frozen_importlib as bootstrap
import _frozen_importlib_external as bootstrap_external
import _imp
import _signal
import _thread
import _warnings
import atexit
import gc
import time

GRACE_SECONDS = 5
LARGEST_SCRIPT = 8 * 1024 * 1024
ONLY_AST = 0x400  # `ast.PyCF_ONLY_AST`, without loading `ast`.
# Modules that do something visible when they are imported, or that others replace at import.
NEVER_AHEAD = frozenset(
    ["__hello__", "__main__", "__phello__", "antigravity", "distutils", "ensurepip", "idlelib", "lib2to3", "pip"]
    + ["readline", "rlcompleter", "site", "sitecustomize", "test", "this", "turtledemo", "usercustomize"]
)
# Variables that make an interpreter report on, or end, differently; a fork would do so for the loader's life.
ACTS_AT_START = (
    ["PYTHONINSPECT", "PYTHONPROFILEIMPORTTIME", "PYTHONTRACEMALLOC", "PYTHONDUMPREFS", "PYTHONDUMPREFSFILE"]
    + ["PYTHONMALLOCSTATS", "PYTHONPERFSUPPORT", "PYTHON_PERF_JIT_SUPPORT", "PYTHON_PRESITE", "PYTHONVERBOSE"]
    + ["PYTHONDEBUG"]
)


def find_standard_library():
    """The directories of the standard library among those of `sys.path`; the first holds its pure modules."""
    home = sys.modules["encodings"].__path__[0].rpartition("/")[0]
    prefixes = (sys.base_prefix + "/", sys.base_exec_prefix + "/")
    if home not in sys.path or not home.startswith(prefixes):
        return []
    dynamic = [path for path in sys.path if path.endswith("/lib-dynload") and path.startswith(prefixes)]
    return [home] + dynamic


STANDARD_LIBRARY = find_standard_library()
STANDARD_FINDERS = [bootstrap.BuiltinImporter, bootstrap.FrozenImporter, bootstrap_external.PathFinder]


class StandardLibraryOnly:
    """While it lasts, imports find the standard library and nothing else."""

    def __enter__(self):
        self.path, self.finders = sys.path, sys.meta_path
        sys.path, sys.meta_path = list(STANDARD_LIBRARY), list(STANDARD_FINDERS)

    def __exit__(self, *failure):
        sys.path, sys.meta_path = self.path, self.finders


class Warned:
    """While it lasts, all warnings have this action."""

    def __init__(self, action):
        self.filter = (action, None, Warning, None, 0)

    def __enter__(self):
        _warnings.filters.insert(0, self.filter)
        self.mutated()

    def __exit__(self, *failure):
        _warnings.filters.remove(self.filter)
        self.mutated()

    @staticmethod
    def mutated():
        if hasattr(_warnings, "_filters_mutated"):
            _warnings._filters_mutated()
        else:
            _warnings._acquire_lock()
            try:
                _warnings._filters_mutated_lock_held()
            finally:
                _warnings._release_lock()


with StandardLibraryOnly():
    import _socket
    import os
    import select
    import stat

OWN_MODULES = frozenset(sys.modules) - LOADED_AT_START - frozenset(sys.builtin_module_names)
DIRECTORY, SCRIPT = sys.argv[1:3]
HOOK_ARGUMENTS = sys.argv[2:]
ORIGINAL_CHILD_SIGNAL = _signal.getsignal(_signal.SIGCHLD)


def interpreter_command():
    """The program and the options that this interpreter was started with, as it was typed."""
    words = getattr(sys, "orig_argv", None)
    if words is None:
        with open("/proc/self/cmdline", "rb") as file:
            words = [os.fsdecode(word) for word in file.read().split(b"\0")]
    return words[: words.index("-c")]


INTERPRETER = interpreter_command()


def acts_at_start():
    """Whether this interpreter is one whose start a fork cannot repeat."""
    flags = sys.flags
    if flags.inspect or flags.interactive or flags.verbose or flags.debug or not STANDARD_LIBRARY:
        return True
    if any(name in os.environ for name in ACTS_AT_START) or sys.gettrace() or sys.getprofile() or _thread._count():
        return True
    # The interpreter was started in another directory.
    if not flags.ignore_environment and os.environ.get("PYTHONPATH"):
        if not all(path.startswith("/") for path in os.environ["PYTHONPATH"].split(":")):
            return True
    for name in ("sitecustomize", "usercustomize"):
        file = getattr(sys.modules.get(name), "__file__", None) or STANDARD_LIBRARY[0] + "/"
        if not file.startswith(STANDARD_LIBRARY[0] + "/") or "-packages/" in file:
            return True
    return False


ALWAYS_NEW = acts_at_start()


# Reading the script


def read_script():
    """The text of the script; None if it is no plain file of Python text."""
    if SCRIPT.endswith(".pyc"):
        return None
    try:
        file = os.open(SCRIPT, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SCRIPT:
            return None
        parts, size = [], 0
        while size <= LARGEST_SCRIPT:
            part = os.read(file, status.st_size + 1)
            if not part:
                return b"".join(parts)
            parts.append(part)
            size += len(part)
        return None
    except OSError:
        return None
    finally:
        os.close(file)


def main_filename():
    """`__file__` of the script: absolute from 3.9 on."""
    if sys.version_info < (3, 9) or SCRIPT.startswith("/"):
        return SCRIPT
    return os.getcwd() + "/" + SCRIPT


class Compiled:
    """What is known about one text of the script."""

    def __init__(self, text, filename):
        self.text, self.filename = text, filename
        self.code = None
        self.directories = None  # None: cannot be told
        self.compiles = False
        try:
            with Warned("error"):
                self.code = self.compile()
            self.compiles = True
        except Exception:
            # It may be a warning only. The fork will compile it anew, and the warning appears where it should.
            try:
                with Warned("ignore"):
                    self.compile()
                self.compiles = True
            except Exception:
                pass
        try:
            with Warned("ignore"):
                tree = self.compile(ONLY_AST)
            self.imports = imported_names(tree)
            self.directories = PathChanges(tree, os.path.abspath(filename)).directories
        except Exception:
            self.imports = []

    def compile(self, flags=0):
        return compile(self.text, self.filename, "exec", flags, dont_inherit=True)


def walk(tree):
    """All nodes of a syntax tree in the order of the text, each with its parent."""
    nodes = [(tree, None)]
    while nodes:
        node, parent = nodes.pop()
        yield node, parent
        children = []
        for field in node._fields:
            value = getattr(node, field, None)
            for item in value if isinstance(value, list) else [value]:
                if hasattr(item, "_fields"):
                    children.append((item, node))
        nodes.extend(reversed(children))


def kind_of(node):
    return type(node).__name__


def imported_names(tree):
    """What the import statements of a text name: pairs of a module and the names taken from it."""
    names = []
    for node, _ in walk(tree):
        if kind_of(node) == "Import":
            names.extend((alias.name, ()) for alias in node.names)
        elif kind_of(node) == "ImportFrom" and not node.level:
            names.append((node.module, [alias.name for alias in node.names]))
    return names


class CannotTell(Exception):
    """Where the script will look for modules cannot be told from its text."""


class PathChanges:
    """Which directories a script puts before the standard library, as far as its text tells.

    A module that was loaded ahead would hide a file of the same name there. So they are searched for such files
    before each event; and if they cannot be told, nothing is loaded ahead.
    """

    def __init__(self, tree, filename):
        self.filename, self.directories, self.values = filename, [], {}
        self.tell_assignments(tree)
        for node, parent in walk(tree):
            kind = kind_of(node)
            if kind == "ImportFrom" and node.module == "sys":
                if any(alias.name in ("path", "meta_path", "path_hooks", "*") for alias in node.names):
                    raise CannotTell()
            elif kind == "Import" and any(alias.name == "sys" and alias.asname for alias in node.names):
                raise CannotTell()
            elif kind == "Attribute" and kind_of(node.value) == "Name" and node.value.id == "sys":
                if node.attr in ("meta_path", "path_hooks"):
                    raise CannotTell()
                if node.attr == "path":
                    self.tell_use(node, parent)
            elif kind == "Call" and kind_of(node.func) == "Attribute" and node.func.attr == "insert":
                target = node.func.value
                if kind_of(target) == "Attribute" and target.attr == "path":
                    if len(node.args) != 2 or node.keywords:
                        raise CannotTell()
                    self.directories.append(os.path.abspath(self.value(node.args[1])))

    def tell_assignments(self, tree):
        """Names that are given a value once, at the top of the script."""
        stored = [node.id for node, _ in walk(tree) if kind_of(node) == "Name" and kind_of(node.ctx) != "Load"]
        for node in tree.body:
            if kind_of(node) == "Assign" and len(node.targets) == 1 and kind_of(node.targets[0]) == "Name":
                if stored.count(node.targets[0].id) == 1:
                    self.values[node.targets[0].id] = node.value

    @staticmethod
    def tell_use(node, parent):
        """`sys.path` may be asked, added to at its end, and inserted into. Anything else may be anything."""
        if kind_of(parent) == "Attribute" and parent.attr in ("append", "extend", "insert", "index", "copy"):
            return
        if kind_of(parent) not in ("Compare", "For", "comprehension") or kind_of(node.ctx) != "Load":
            raise CannotTell()

    def value(self, node, depth=0):
        """The path that an expression stands for."""
        kind, depth = kind_of(node), depth + 1
        if depth > 20:
            raise CannotTell()
        if kind in ("Constant", "Str"):
            text = getattr(node, "value", None)
            if isinstance(text, str):
                return text
        elif kind == "Name" and node.id == "__file__":
            return self.filename
        elif kind == "Name" and node.id in self.values:
            return self.value(self.values[node.id], depth)
        elif kind == "BinOp" and kind_of(node.op) == "Div":
            return os.path.join(self.value(node.left, depth), self.value(node.right, depth))
        elif kind == "Attribute" and node.attr == "parent":
            return os.path.dirname(self.value(node.value, depth))
        elif kind == "Call" and not node.keywords:
            return self.call(node, depth)
        raise CannotTell()

    def call(self, node, depth):
        """The path that a call of a well-known function stands for."""
        owner = node.func.value if kind_of(node.func) == "Attribute" else None
        name = node.func.id if kind_of(node.func) == "Name" else getattr(node.func, "attr", None)
        if owner is not None and kind_of(owner) == "Attribute" and owner.attr == "path":
            if name in ("join", "dirname", "abspath", "realpath", "normpath"):
                return getattr(os.path, name)(*[self.value(argument, depth) for argument in node.args])
        if name in ("str", "fspath", "Path", "PurePath") and len(node.args) == 1:
            return self.value(node.args[0], depth)
        if owner is not None and name in ("resolve", "absolute") and not node.args:
            return (os.path.realpath if name == "resolve" else os.path.abspath)(self.value(owner, depth))
        raise CannotTell()


def is_standard(name):
    """Whether a module belongs to the standard library, as far as this interpreter has it."""
    top = name.partition(".")[0]
    if top in NEVER_AHEAD:
        return False
    known = getattr(sys, "stdlib_module_names", None)
    if known is not None and top not in known:
        return False
    if top in sys.builtin_module_names or _imp.is_frozen(top):
        return True
    spec = bootstrap_external.PathFinder.find_spec(top, STANDARD_LIBRARY)
    origin = getattr(spec, "origin", None)
    if not origin or "-packages/" in origin:
        return False
    return any(origin.startswith(path + "/") for path in STANDARD_LIBRARY)


def load_ahead(imports):
    """Imports what the script will import of the standard library. One that fails will fail in the script."""
    for module, names in imports:
        try:
            if not is_standard(module):
                continue
            __import__(module)
            for name in names:
                if name != "*" and not hasattr(sys.modules[module], name):
                    __import__(module + "." + name)
        except Exception:
            pass


# The end of an interpreter takes every module apart. In a fork that means to copy nearly all of its memory, and takes
# longer than anything else it does, for modules that are as they were when they were loaded. So those are kept out of
# it: at the very end they are no longer in `sys.modules`, something holds them, and the collector leaves them alone.
# What the script made is taken apart as ever, if anybody could notice: its modules, its objects, their `__del__` and
# files with something left to write. If nobody could, the process ends at once.

SHARED = {}
FROZEN = []  # How many objects are frozen.
# Extensions that may have something to do when one of their objects, or the process, ends.
ACT_AT_END = ("ctypes", "_dbm", "_gdbm", "_sqlite3", "_curses", "_tkinter", "readline")
MOST_OBJECTS = 50000
AT_EXIT_BEFORE = atexit._ncallbacks()
STREAMS = (id(sys.stdout), id(sys.stderr))  # Not the streams: what is left in one is written when nobody holds it.
EXIT_CODE = None  # What the script's end means, once it is known.


def share_modules():
    """Makes all modules that are loaded now last longer than any fork."""
    for name, module in sys.modules.items():
        if name != "__main__" and name not in sys.builtin_module_names and not name.startswith("_frozen_importlib"):
            SHARED[name] = module
    held = [SHARED]
    held.append(held)  # Nobody but the collector could free it, which does not look at what is frozen.
    gc.collect()
    gc.freeze()
    FROZEN.append(gc.get_freeze_count())


def exit_code(error):
    """The exit code that a SystemExit stands for; None if that is better left to the interpreter."""
    if type(error) is not SystemExit:
        return None
    code = error.code
    if code is None:
        return 0
    if type(code) is int or type(code) is bool:
        return code & 0xFF if -(2**31) <= code < 2**31 else None
    return 1


def has_finalizer(kind):
    """Whether the end of an object of this type may do something."""
    return any("__del__" in TYPE_DICT(base) for base in TYPE_MRO(kind))


def leaves_nothing_to_do():
    """Whether nobody can tell if the objects of the script are taken apart."""
    if _thread._count() or AT_EXIT_BEFORE or sys.flags.dev_mode or sys.warnoptions:
        return False
    if gc.get_freeze_count() > FROZEN[0] or any(name in sys.modules for name in ACT_AT_END):
        return False
    for name, module in sys.modules.items():
        # An extension of somebody else may have something to do at the end of the process.
        if SHARED.get(name) is not module and str(getattr(module, "__file__", "")).endswith(".so"):
            return False
    objects = gc.get_objects()
    if len(objects) > MOST_OBJECTS:
        return False
    harmless = set()
    for item in objects:
        kind = type(item)
        if kind in harmless:
            continue
        bases = TYPE_MRO(kind)
        if has_finalizer(kind):
            return False
        if REFERENCE in bases:
            if REFERENCE_CALLBACK(item) is not None:
                return False
        elif type in bases:
            # Objects without attributes are unknown to the collector; their classes are not.
            if has_finalizer(item):
                return False
        else:
            harmless.add(kind)
    return True


def end_quickly():
    """Runs in a fork after everything that the script or a module wants to be done at exit."""
    try:
        if EXIT_CODE is not None and (id(sys.stdout), id(sys.stderr)) == STREAMS and leaves_nothing_to_do():
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(EXIT_CODE)
    except:  # Anything: the interpreter knows what to do.
        pass
    try:
        for name, module in SHARED.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
    except:
        pass


# Files that hide modules

SUFFIXES = tuple(_imp.extension_suffixes()) + (".py", ".pyc")


def hidden_in(directory, loaded):
    """Whether a file or package in a directory has the name of one of these modules."""
    try:
        entries = os.listdir(directory)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    for entry in entries:
        name, dot, _ = entry.partition(".")
        if name not in loaded:
            continue
        if dot and entry[len(name) :] in SUFFIXES:
            return True
        if not dot and any(os.path.exists(directory + "/" + entry + "/__init__" + suffix) for suffix in SUFFIXES):
            return True
    return False


class Hiding:
    """Remembers whether directories that come before the standard library hide a module that is loaded already."""

    def __init__(self, loaded):
        self.loaded, self.known = loaded, {}

    def check(self, directory):
        try:
            status = os.stat(directory)
        except OSError:
            return hidden_in(directory, self.loaded)
        state = (status.st_dev, status.st_ino, status.st_mtime_ns)
        # A change within the same tick of the clock as the last look would not show.
        if self.known.get(directory, (None,))[0] != state or abs(time.time() - status.st_mtime) < 2:
            self.known[directory] = (state, hidden_in(directory, self.loaded))
        return self.known[directory][1]


# Serving


def fail(words):
    os.write(2, ("hookrail: the fork loader got " + words + "\n").encode())
    return 70


class Server:
    """Forks for each event, and hears of the forks' ends."""

    def __init__(self):
        self.control = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, 0)
        self.running = {}  # pid: id
        self.ended = {}  # id: pid of a zombie
        self.wake, wake_writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.descriptors = [self.wake, wake_writer]
        _signal.signal(_signal.SIGCHLD, lambda number, frame: None)
        _signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        self.poll = select.poll()
        self.poll.register(self.wake, select.POLLIN)
        self.poll.register(0, select.POLLIN)
        self.compiled = None
        self.loaded_ahead = False
        self.hiding = None

    def prepare(self):
        """Does once what all forks share."""
        try:
            os.chdir(DIRECTORY)
        except OSError:
            pass  # Each event tries it again, and says so.
        text = None if ALWAYS_NEW else read_script()
        if text is not None:
            self.compiled = Compiled(text, main_filename())
            if self.compiled.compiles:
                atexit.register(end_quickly)
            if self.compiled.compiles and self.compiled.directories is not None:
                self.loaded_ahead = True
                # A warning at import is for the script to see: such a module is left to it.
                with StandardLibraryOnly(), Warned("error"):
                    load_ahead(self.compiled.imports)
        loaded = {name.partition(".")[0] for name in sys.modules} - {name.partition(".")[0] for name in LOADED_AT_START}
        self.hiding = Hiding(loaded)
        share_modules()
        self.send("ready %d" % len(frozenset(sys.modules) - LOADED_AT_START))

    def send(self, words):
        try:
            self.control.send(words.encode())
        except OSError:
            pass  # The engine is gone; the next look at the control will tell.

    def serve(self):
        """Returns in a fork, with what it is to run; never in the loader."""
        status = 0
        while True:
            ready = [descriptor for descriptor, _ in self.poll.poll()]
            if self.wake in ready:
                self.reap()
            if 0 not in ready:
                continue
            try:
                space = _socket.CMSG_SPACE(4 * 4)
                message, ancillary, flags, _ = self.control.recvmsg(256, space, _socket.MSG_CMSG_CLOEXEC)
            except OSError:  # The engine left without having read everything.
                break
            if not message:
                break
            streams = received(ancillary)
            words = message.decode("ascii", "replace").split()
            if len(words) == 2 and words[0] == "run" and len(words[1]) <= 64:
                fork = self.run(words[1], streams, flags)
                if fork is not None:
                    return fork
            elif len(words) == 2 and words[0] == "done" and words[1] in self.ended and not streams:
                os.waitpid(self.ended.pop(words[1]), 0)
            else:
                status = fail("a message that it does not know")
                break
        self.end()
        os._exit(status)

    def reap(self):
        """Tells of forks that ended. They stay zombies until the engine is done with them."""
        try:
            while os.read(self.wake, 4096):
                pass
        except BlockingIOError:
            pass
        for pid in list(self.running):
            end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if end is not None:
                event = self.running.pop(pid)
                self.ended[event] = pid
                kind = "exit" if end.si_code == os.CLD_EXITED else "signal"
                self.send("%s %s %d" % (kind, event, end.si_status))

    def run(self, event, streams, flags):
        """Forks for one event. Returns None in the loader."""
        if len(streams) not in (3, 4) or flags & _socket.MSG_CTRUNC:
            for stream in streams:
                os.close(stream)
            self.send("failed %s 0 descriptors" % event)
            return None
        what = "chdir"
        try:
            os.chdir(DIRECTORY)
            what = "fork"
            fork = self.plan()
            pid = os.fork()
            if pid == 0:
                return fork.start(self, event, streams)
            self.running[pid] = event
        except OSError as error:
            self.send("failed %s %d %s" % (event, error.errno, what))
        for stream in streams:
            os.close(stream)
        return None

    def plan(self):
        """What the next fork does. The script is read for each event."""
        text = None if ALWAYS_NEW else read_script()
        if text is None:
            return Fork(None, None)
        filename = main_filename()
        if self.compiled is None or self.compiled.text != text or self.compiled.filename != filename:
            self.compiled = Compiled(text, filename)
        if not self.compiled.compiles:
            return Fork(None, None)
        folder = None if IS_SAFE_PATH else os.path.dirname(os.path.realpath(SCRIPT))
        before = sys.path[: sys.path.index(STANDARD_LIBRARY[0])] + ([] if folder is None else [folder])
        if self.compiled.directories is not None:
            before += self.compiled.directories
        elif self.loaded_ahead:
            return Fork(None, None)
        if any(self.hiding.check(path) for path in before):
            return Fork(None, None)
        return Fork(self.compiled, folder)

    def end(self):
        """Ends and reaps every fork."""
        deadline = time.monotonic() + GRACE_SECONDS
        self.poll.unregister(0)
        signal_groups(self.running, _signal.SIGTERM)
        while self.running and time.monotonic() < deadline:
            self.poll.poll(max(1, (deadline - time.monotonic()) * 1000))
            self.reap()
        signal_groups(self.running, _signal.SIGKILL)
        for pid in list(self.running) + list(self.ended.values()):
            os.waitpid(pid, 0)


def received(ancillary):
    """The descriptors that came with a message."""
    data = b"".join(data for level, kind, data in ancillary if kind == _socket.SCM_RIGHTS)
    return [int.from_bytes(data[at : at + 4], sys.byteorder) for at in range(0, len(data) - 3, 4)]


def add_variables(file):
    """Adds the variables of the session that asks."""
    text = b""
    while True:
        more = os.read(file, 1 << 20)
        if not more:
            break
        text += more
    for variable in text.split(b"\0")[:-1]:
        name, _, value = variable.partition(b"=")
        os.environb[name] = value


def signal_groups(pids, number):
    for pid in pids:
        for target in (os.killpg, os.kill):  # A fork that was not yet scheduled has no group of its own.
            try:
                target(pid, number)
                break
            except OSError:
                pass


class Fork:
    """What one fork runs: a compiled script, or a new interpreter."""

    def __init__(self, compiled, folder):
        self.compiled, self.folder = compiled, folder

    def start(self, server, event, streams):
        """Turns this fork into what a new process would be just before it runs the script; returns its code."""
        try:
            os.setpgid(0, 0)
            # An engine that cannot hear of this fork could not end it either.
            server.control.send(("pid %s %d" % (event, os.getpid())).encode())
            _signal.set_wakeup_fd(-1)
            _signal.signal(_signal.SIGCHLD, ORIGINAL_CHILD_SIGNAL)
            server.control.detach()
            for number, stream in enumerate(streams[:3]):
                os.dup2(stream, number)
            for stream in streams[3:]:
                add_variables(stream)
            for descriptor in streams + server.descriptors:
                os.close(descriptor)
            if self.compiled is None:
                self.execute()
            if not server.loaded_ahead:
                for name in OWN_MODULES:
                    sys.modules.pop(name, None)
            self.make_main_module()
            code = self.compiled.code
            return [self.compiled.compile() if code is None else code]
        except KeyboardInterrupt:
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
            os.kill(os.getpid(), _signal.SIGINT)
        except BaseException as error:
            fail("%s while it prepared an event: %s" % (type(error).__name__, error))
        os._exit(70)

    @staticmethod
    def execute():
        """Becomes a new interpreter."""
        for name in ("SIGPIPE", "SIGXFSZ"):
            _signal.signal(getattr(_signal, name), _signal.SIG_DFL)
        os.execv(sys.executable or INTERPRETER[0], INTERPRETER + HOOK_ARGUMENTS)

    def make_main_module(self):
        """Gives the script the modules, paths and arguments of a new process."""
        filename = self.compiled.filename
        main = type(sys)("__main__")
        if sys.version_info < (3, 14):
            main.__annotations__ = {}
        main.__builtins__ = sys.modules["builtins"]
        main.__file__ = filename
        main.__cached__ = None
        main.__loader__ = bootstrap_external.SourceFileLoader("__main__", filename)
        sys.modules["__main__"] = main
        sys.argv = list(HOOK_ARGUMENTS)
        if hasattr(sys, "orig_argv"):
            sys.orig_argv = INTERPRETER + HOOK_ARGUMENTS
        if self.folder is not None:
            sys.path.insert(0, self.folder)
        for path in list(sys.path_importer_cache):
            if path not in STANDARD_LIBRARY:
                del sys.path_importer_cache[path]
        logging = sys.modules.get("logging")
        if logging is not None:
            is_float = isinstance(logging._startTime, float)
            logging._startTime = time.time() if is_float else time.time_ns()


# The end of a fork. Kept from the script, which may change any of them.
BaseException, KeyboardInterrupt, SystemExit = BaseException, KeyboardInterrupt, SystemExit
AttributeError, type, getattr, display = AttributeError, type, getattr, sys.__excepthook__
TYPE_DICT, TYPE_MRO = type.__dict__["__dict__"].__get__, type.__dict__["__mro__"].__get__
REFERENCE = __import__("_weakref").ReferenceType
REFERENCE_CALLBACK = REFERENCE.__dict__["__callback__"].__get__


def report(error):
    """Shows an exception as the interpreter does when it leaves a script: by `sys.excepthook`, and nothing of us."""
    error.__traceback__ = error.__traceback__.tb_next
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    failure = None
    try:
        hook = sys.excepthook
    except AttributeError:
        sys.stderr.write("sys.excepthook is missing\n")
        display(type(error), error, error.__traceback__)
        return
    try:
        sys.audit("sys.excepthook", hook, type(error), error, error.__traceback__)
        hook(type(error), error, error.__traceback__)
    except SystemExit:
        raise
    except BaseException as second:
        failure = second
    if failure is not None:
        failure.__traceback__ = failure.__traceback__.tb_next
        sys.stderr.write("Error in sys.excepthook:\n")
        display(type(failure), failure, failure.__traceback__)
        sys.stderr.write("\nOriginal exception was:\n")
        display(type(error), error, error.__traceback__)


class Silence:
    """A `sys.excepthook` for an exception that was reported already. Puts everything back as it was."""

    def __init__(self):
        self.hook = getattr(sys, "excepthook", display)

    def __call__(self, kind, error, traceback):
        error.__traceback__ = sys.last_traceback = traceback.tb_next
        sys.excepthook = self.hook


SERVER = Server()
SERVER.prepare()
RUN = SERVER.serve()
# From here on this is a fork, and the only frame below the script's own.
del SERVER
ERROR = None
try:
    exec(RUN.pop(), sys.modules["__main__"].__dict__)
    EXIT_CODE = 0
except SystemExit as error:
    EXIT_CODE = exit_code(error)
    raise
except BaseException as error:
    ERROR = error
if ERROR is not None:
    report(ERROR)
    if type(ERROR) is KeyboardInterrupt:
        # Left to the interpreter, which ends itself by SIGINT when everything else is done.
        sys.excepthook = Silence()
        raise ERROR
    ERROR = None
    EXIT_CODE = 1
    raise SystemExit(1)
