"""A node that tries what no node may do. It yields what came of each attempt: "refused" or what it got.

No attempt changes anything outside of the run when it succeeds, as it does where the isolation is broken or off: the
machine that the tests run on must not suffer from them.
"""

import ctypes
import mmap
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading

from flow import Node


def read(path):
    with open(path, "rb") as file:
        return f"read {len(file.read(100))} bytes of {path}"


def connect(host, port):
    with socket.create_connection((host, port), timeout=5):
        return f"connected to {host}:{port}"


def connect_unguarded(host, port):
    try:
        return connect(host, port)
    except OSError as error:
        raise RuntimeError("not expected") from error


def kill_group():
    os.kill(0, signal.SIGKILL)


def write(path):
    """Opens the file for writing and changes nothing; one that is new is removed at once."""
    flags = os.O_WRONLY | os.O_APPEND
    if os.path.exists(path):
        os.close(os.open(path, flags))
    else:
        os.close(os.open(path, flags | os.O_CREAT | os.O_EXCL))
        os.unlink(path)
    return f"could write {path}"


def kill(pid):
    """Signal 0 arrives nowhere, but is refused as any other."""
    os.kill(pid, 0)
    return f"could kill {pid}"


def trace(pid):
    """Does not stop the other, and lets go of it."""
    libc = ctypes.CDLL(None, use_errno=True)
    seize, detach = 0x4206, 17
    if libc.ptrace(seize, pid, 0, 0) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")
    libc.ptrace(detach, pid, 0, 0)
    return f"could trace {pid}"


def become_root():
    """In a child, which ends at once."""
    libc = ctypes.CDLL(None, use_errno=True)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if libc.setgid(0) == 0 or libc.setuid(0) == 0 else 1)
    if os.waitpid(pid, 0)[1] != 0:
        raise PermissionError("setuid")
    return "became root"


def mount():
    """Whoever may have a mount namespace may mount. It is made in a child, which mounts nothing."""
    libc = ctypes.CDLL(None, use_errno=True)
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        new_mounts = 0x00020000
        failed = libc.unshare(new_mounts) == -1
        os.write(writer, str(ctypes.get_errno() if failed else 0).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(pid, 0)
    number = int(os.read(reader, 10))
    os.close(reader)
    if number != 0:
        raise OSError(number, "unshare")
    return "could mount"


def become_capable(way):
    """Whoever may have a user namespace has all capabilities in it. It is made in a child, which ends at once."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_user, arm = 0x10000000, os.uname().machine == "aarch64"
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        if way == "unshare":
            failed = libc.unshare(new_user) == -1
        else:
            number, arguments = {
                "clone": (220 if arm else 56, [new_user | signal.SIGCHLD, 0, 0, 0, 0]),
                "clone3": (435, [struct.pack("8Q", new_user, 0, 0, 0, signal.SIGCHLD, 0, 0, 0), 64]),
                # The numbers of another calling convention of the same processor.
                "x32": (0x40000000 + 272, [new_user]),
            }[way]
            libc.syscall.restype = ctypes.c_long
            got = libc.syscall(ctypes.c_long(number), *(it if isinstance(it, bytes) else ctypes.c_long(it) for it in arguments))
            failed = got == -1
        os.write(writer, f"{ctypes.get_errno() if failed else 0} {status('CapEff:')}\n".encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(pid, 0)
    number, held = os.read(reader, 100).decode().split("\n")[0].split()
    os.close(reader)
    if number != "0":
        raise OSError(int(number), way)
    return f"has {held}"


def hold(kind):
    """Memory that is no process's own; a page of it, which is given back."""
    libc = ctypes.CDLL(None, use_errno=True)
    if kind == "memfd":
        os.close(os.memfd_create("hidden"))
        return "could hold a memfd"
    if kind == "io_uring":
        # The same number on all processors.
        libc.syscall.restype = ctypes.c_long
        found = libc.syscall(ctypes.c_long(425), ctypes.c_long(8), ctypes.create_string_buffer(120))
        if found == -1:
            raise OSError(ctypes.get_errno(), kind)
        os.close(found)
        return "could hold an io_uring"
    if kind in ("mapping", "device"):
        # What processes share without a file is nobody's once it is not mapped, or as soon as its owner says so.
        file = -1 if kind == "mapping" else os.open("/dev/zero", os.O_RDWR)
        mmap.mmap(file, 4096).close()
        return f"could hold a shared {kind}"
    private, create, remove = 0, 0o1600, 0
    get, end = {"shm": ("shmget", "shmctl"), "msg": ("msgget", "msgctl"), "sem": ("semget", "semctl")}[kind]
    arguments = {"shm": (4096, create), "msg": (create,), "sem": (1, create)}[kind]
    found = libc[get](private, *arguments)
    if found == -1:
        raise OSError(ctypes.get_errno(), get)
    libc[end](found, *([0] if kind == "sem" else []), remove, None)
    return f"could hold {kind}"


def open_files():
    """Opens sockets until it is refused, at most twice the bound."""
    found = []
    try:
        for _ in range(1024):
            found += socket.socketpair()
    except OSError:
        return f"opened {len(found)}"
    finally:
        for it in found:
            it.close()
    return "opened all"


def share():
    """What multiprocessing shares between processes lies in the temporary folder."""
    from multiprocessing import shared_memory

    it = shared_memory.SharedMemory(create=True, size=4096)
    it.close()
    it.unlink()
    return "shared"


def fill():
    """Writes until there is no room, at most twice the bound."""
    written = 0
    try:
        with open("filler", "wb") as file:
            for _ in range(512):
                written += file.write(bytes(1024 * 1024))
    except OSError:
        return f"wrote {written // (1024 * 1024)} MiB"
    finally:
        os.unlink("filler")
    return "wrote all"


def start_threads():
    """Starts threads, which count as processes do, until it is refused."""
    end = threading.Event()
    started = []
    try:
        for _ in range(600):
            it = threading.Thread(target=end.wait)
            it.start()
            started.append(it)
    except RuntimeError:
        return f"started {len(started)}"
    finally:
        end.set()
        for it in started:
            it.join()
    return "started all"


def others():
    found = [name for name in os.listdir("/proc") if name.isdigit()]
    return f"sees {len(found)} processes"


def status(name):
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith(name))


def leave_behind(mark):
    """A process of a session of its own, which outlives its parents where nothing ends it."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)", mark], start_new_session=True)
    return "left one behind"


def environment():
    return " ".join(sorted(os.environ))


def setuid_programs():
    """Runs what would make an ordinary user root, if there is any."""
    said = subprocess.run(["su", "-c", "id -u"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    if said.returncode != 0:
        raise PermissionError(said.stderr.decode()[:80])
    return "su gave " + said.stdout.decode().strip()


def socket_of(path):
    with socket.socket(socket.AF_UNIX) as it:
        it.connect(path)
    return f"connected to {path}"


def roots():
    return names("/")


def names(folder):
    return " ".join(sorted(os.listdir(folder)))


class Hostile(Node):
    """Tries what it is told to try."""

    attempts: list

    def execute(self, rows):
        for _ in rows:
            for name, function, *arguments in self.attempts:
                try:
                    outcome = globals()[function](*arguments)
                except (OSError, FileNotFoundError, subprocess.SubprocessError) as error:
                    outcome = f"refused: {error}"
                yield {"attempt": name, "outcome": outcome}
