"""A file system without modes, as FAT or a shared folder is: every file has the same mode, and chmod is refused.

    unshare --mount --map-root-user python3 modeless.py BACKING MOUNT MODE COMMAND...

Shows the folder BACKING at MOUNT through FUSE, runs COMMAND there, and ends with its exit code; 77 where nothing can be
mounted. In a mount namespace of its own it leaves nothing behind.
"""
import ctypes, errno, os, struct, subprocess, sys, threading

CANNOT_MOUNT = 77
back, mnt, mode, command = sys.argv[1], sys.argv[2], int(sys.argv[3], 8), sys.argv[4:]
libc = ctypes.CDLL(None, use_errno=True)
try:
    fd = os.open("/dev/fuse", os.O_RDWR)
except OSError:
    sys.exit(CANNOT_MOUNT)
options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,default_permissions".encode()
if libc.mount(b"modeless", mnt.encode(), b"fuse", 0, options):
    sys.exit(CANNOT_MOUNT)

FORGET, DESTROY, INTERRUPT, BATCH_FORGET = 2, 38, 36, 42
nodes, ids, handles = {1: ""}, {"": 1}, {}


def number(relative):
    if relative not in ids:
        ids[relative] = len(nodes) + 1
        nodes[ids[relative]] = relative
    return ids[relative]


def attributes(node):
    place = os.path.join(back, nodes[node])
    s = os.lstat(place)
    shown = (0o40000 if os.path.isdir(place) else 0o100000) | mode
    times = (int(s.st_atime), int(s.st_mtime), int(s.st_ctime), 0, s.st_mtime_ns % 10**9, s.st_ctime_ns % 10**9)
    return struct.pack("<QQQ QQQIII IIIIIII", node, s.st_size, s.st_blocks, *times, shown, 1, 0, 0, 0, 4096, 0)


def entry(relative):
    node = number(relative)
    return struct.pack("<QQQQII", node, 0, 0, 0, 0, 0) + attributes(node)


def keep(value):
    handle = len(handles) + 1
    handles[handle] = value
    return struct.pack("<QII", handle, 0, 0)


def listing(names, offset, size):
    out = b""
    for at, name in enumerate(names[offset:], offset + 1):
        name = name.encode()
        one = struct.pack("<QQII", at, at, len(name), 0) + name
        one += b"\0" * (-len(one) % 8)
        if len(out) + len(one) > size:
            break
        out += one
    return out


def moved(old, new):
    ids.pop(new, None)
    for relative in [known for known in ids if known == old or known.startswith(old + "/")]:
        node = ids.pop(relative)
        nodes[node] = new + relative[len(old):]
        ids[nodes[node]] = node


def child(node, name):
    return os.path.join(nodes[node], name.decode())


def answer(operation, node, data):
    place = os.path.join(back, nodes.get(node, ""))
    text = lambda start: data[start:].split(b"\0")
    handle, offset, size = struct.unpack_from("<QQI", data) if len(data) >= 20 else (0, 0, 0)
    if operation == 26:  # INIT
        return struct.pack("<IIIIHHIIHHI", 7, 31, 65536, 0, 16, 12, 131072, 1, 32, 0, 0) + b"\0" * 24
    if operation == 1:  # LOOKUP
        return entry(child(node, text(0)[0]))
    if operation == 3:  # GETATTR
        return struct.pack("<QII", 0, 0, 0) + attributes(node)
    if operation == 4:  # SETATTR
        valid, _, _, length = struct.unpack_from("<IIQQ", data)
        if valid & 1:
            raise OSError(errno.EPERM, "there are no modes")
        if valid & 8:
            os.truncate(place, length)
        return struct.pack("<QII", 0, 0, 0) + attributes(node)
    if operation == 14:  # OPEN
        return keep(os.open(place, struct.unpack_from("<I", data)[0] & (os.O_ACCMODE | os.O_APPEND | os.O_TRUNC)))
    if operation == 35:  # CREATE
        relative = child(node, text(16)[0])
        opened = os.open(os.path.join(back, relative), struct.unpack_from("<I", data)[0] | os.O_CREAT, 0o700)
        return entry(relative) + keep(opened)
    if operation == 15:  # READ
        return os.pread(handles[handle], size, offset)
    if operation == 16:  # WRITE
        return struct.pack("<II", os.pwrite(handles[handle], data[40:40 + size], offset), 0)
    if operation == 18:  # RELEASE
        os.close(handles[handle])
        return b""
    if operation == 27:  # OPENDIR
        return keep([".", ".."] + os.listdir(place))
    if operation == 28:  # READDIR
        return listing(handles[handle], offset, size)
    if operation == 9:  # MKDIR
        relative = child(node, text(8)[0])
        os.mkdir(os.path.join(back, relative))
        return entry(relative)
    if operation in (10, 11):  # UNLINK, RMDIR
        relative = child(node, text(0)[0])
        (os.unlink if operation == 10 else os.rmdir)(os.path.join(back, relative))
        ids.pop(relative, None)
        return b""
    if operation in (12, 45):  # RENAME, RENAME2
        old, new = text(16 if operation == 45 else 8)[:2]
        old, new = child(node, old), child(struct.unpack_from("<Q", data)[0], new)
        os.rename(os.path.join(back, old), os.path.join(back, new))
        moved(old, new)
        return b""
    if operation in (20, 25, 29, 30, 34):  # FSYNC, FLUSH, RELEASEDIR, FSYNCDIR, ACCESS
        return b""
    raise OSError(errno.ENOSYS, "")


def serve():
    while True:
        try:
            request = os.read(fd, 1 << 20)
        except InterruptedError:
            continue
        length, operation, unique, node = struct.unpack_from("<IIQQ", request)
        if operation in (FORGET, BATCH_FORGET, INTERRUPT, DESTROY):
            continue
        try:
            out, error = answer(operation, node, request[40:length]), 0
        except OSError as problem:
            out, error = b"", -(problem.errno or errno.EIO)
        os.write(fd, struct.pack("<IiQ", 16 + len(out), error, unique) + out)


threading.Thread(target=serve, daemon=True).start()
code = subprocess.Popen(command, cwd=mnt).wait()
sys.stdout.flush()
os._exit(code)
