"""Runs a program of this folder apart from the rest of the machine, see docs/isolation.md.

The first line on standard input is the plan: which parts of the isolation are wanted, and for which program. A part that
cannot be had ends the process with status 71 and the line ``isolation: <part>: <reason>`` on standard error.
"""

import json
import os
import resource
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import bubblewrap  # noqa: E402
import layout  # noqa: E402
import system  # noqa: E402

sys.path.remove(HERE)
for name in ("bubblewrap", "layout", "system"):
    del sys.modules[name]

FAILED = 71


class Part:
    """Names the part of the isolation that fails within it."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        return self

    def __exit__(self, _, error, __):
        if isinstance(error, Exception):
            reason = error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            fail(self._name, reason)


def fail(part, reason):
    os.write(2, f"isolation: {part}: {reason}\n".encode())
    os._exit(FAILED)


def read_line():
    """A line, and not a byte more: the rest is for the program."""
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(0, 1)
        if not more:
            os._exit(FAILED)
        line += more
    return line


def programs():
    found = {}
    for name in os.listdir(HERE):
        if name.endswith(".py"):
            with open(os.path.join(HERE, name), "rb") as file:
                found[name] = file.read()
    return found


def place(root, entry, size):
    """Puts one entry of the layout below the new root."""
    kind, path, value = entry
    target = root + path
    # The folder of one that is shown may have been shown with another.
    if kind != "hidden":
        os.makedirs(os.path.dirname(target), exist_ok=True)
    if kind == "link":
        if not os.path.lexists(target):
            os.symlink(value, target)
    elif kind == "file":
        with open(target, "wb") as file:
            file.write(value)
    elif kind == "temporary":
        os.makedirs(target)
        options = f"mode=1777,size={size},nr_inodes=65536"
        system.mount("tmpfs", target, "tmpfs", system.NOSUID | system.NODEV, options)
    elif kind == "hidden":
        if os.path.isdir(path):
            system.mount("tmpfs", target, "tmpfs", system.RDONLY, "size=4k,mode=555")
        else:
            system.mount("/dev/null", target, None, system.BIND)
    else:
        if os.path.isdir(path):
            os.makedirs(target, exist_ok=True)
        else:
            open(target, "ab").close()
        system.mount(path, target, None, system.BIND | system.REC)
        if kind == "bind":
            system.restrict(target)


def map_user(uid, gid):
    """Keeps the user's number in the new user namespace."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def wait_for(pid):
    """Waits for a child and reaps all others."""
    while True:
        ended, status = os.wait()
        if ended == pid:
            return status


def end_like(status):
    if os.WIFEXITED(status):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    # The first process of a namespace cannot end itself by a signal.
    if os.getpid() == 1:
        os._exit(128 + number)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def fork_watched():
    """Forks. The child ends with its parent; the parent waits and ends as the child has ended."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid != 0:
        os.close(reader)
        for inherited in (0, 1, 3):
            try:
                os.close(inherited)
            except OSError:
                pass
        status = wait_for(pid)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) > 128 and os.getpid() != 1:
            status = os.WEXITSTATUS(status) - 128
        end_like(status)
    os.close(writer)
    return reader


def follow_parent(reader):
    """After the last change of the user, which would undo it. The parent may have ended meanwhile."""
    system.end_with_parent()
    os.set_blocking(reader, False)
    try:
        if os.read(reader, 1) == b"":
            os._exit(FAILED)
    except BlockingIOError:
        pass
    os.close(reader)


def change_user(parts, uid):
    if "privileges" in parts:
        with Part("privileges"):
            if os.geteuid() == 0:
                system.bound_capabilities()
    if "user" in parts:
        with Part("user"):
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
    if "privileges" in parts:
        with Part("privileges"):
            system.drop_capabilities()
            system.refuse_privileges()


def limit(processes):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_NPROC)
    if processes is not None and (most == resource.RLIM_INFINITY or processes < most):
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))


def new_namespaces(parts):
    wanted = [part for part in ("files", "processes", "network") if part in parts]
    uid, gid = os.geteuid(), os.getegid()
    if wanted and uid != 0:
        with Part(wanted[0]):
            system.unshare(system.NEWUSER)
            map_user(uid, gid)
    for part, flags in (
        ("files", system.NEWNS), ("processes", system.NEWPID | system.NEWIPC | system.NEWUTS), ("network", system.NEWNET)
    ):
        if part in parts:
            with Part(part):
                system.unshare(flags)


def furnish(plan, entries):
    """The new root, on the run's folder, which only this process sees covered."""
    root = os.getcwd()
    # Whoever the program runs as has to read what is made here.
    os.umask(0o022)
    system.mount(None, "/", None, system.REC | system.PRIVATE)
    system.mount("tmpfs", root, "tmpfs", system.NOSUID | system.NODEV, "mode=755,size=4m")
    for entry in entries:
        place(root, entry, plan["temporaryBytes"])
    if "processes" in plan["parts"]:
        os.makedirs(f"{root}/proc")
        system.mount("proc", f"{root}/proc", "proc", system.NOSUID | system.NODEV | system.NOEXEC)
    flags = system.REMOUNT | system.BIND | system.RDONLY | system.NOSUID | system.NODEV
    system.mount(None, root, None, flags)
    system.change_root(root)


def kill_others(uid):
    """Ends what earlier programs of this user have left behind, where no namespace does so."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def enter(plan):
    """Returns in the process that runs the program."""
    parts, uid = plan["parts"], plan["user"]
    own = uid if "user" in parts else os.geteuid()
    entries = []
    if "files" in parts:
        with Part("files"):
            group = uid if "user" in parts else os.getegid()
            entries = layout.entries(programs(), own, group, "network" not in parts, plan["hidden"])
        if plan["bubblewrap"] is not None:
            with Part("files"):
                bubblewrap.become(plan, entries)
    if "in" not in plan:
        system.end_with_parent()
        new_namespaces(parts)
        if "user" in parts and "files" not in parts:
            with Part("user"):
                os.chown(".", uid, uid)
        if "user" in parts and "processes" not in parts:
            kill_others(uid)
        # The first process of the namespace; its end is that of all others there.
        reader = fork_watched()
        if "network" in parts:
            with Part("network"):
                system.enable_loopback()
        if "files" in parts:
            with Part("files"):
                furnish(plan, entries)
        change_user(parts, uid)
        follow_parent(reader)
        if "processes" in parts:
            follow_parent(fork_watched())
    else:
        change_user(parts, uid)
    # Its group is its own: a signal to the whole group reaches nothing outside.
    if plan["apart"]:
        os.setsid()
    limit(plan["processes"])
    os.umask(0o077)
    os.environ.update(HOME=os.getcwd())
    if "in" in plan or "files" in parts:
        os.chdir(layout.TEMPORARY)
        os.environ.update(HOME=layout.TEMPORARY, TMPDIR=layout.TEMPORARY)
        return layout.PROGRAMS
    return HERE


def main():
    if len(sys.argv) > 1:
        with os.fdopen(int(sys.argv[1]), "rb") as file:
            plan = json.loads(file.readline())
    else:
        plan = json.loads(read_line())
    folder = enter(plan)
    path = f"{folder}/{plan['program']}"
    with Part("user" if "user" in plan["parts"] else "files"):
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec")
    module = type(sys)("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    sys.argv = [path]
    exec(code, module.__dict__)


main()
