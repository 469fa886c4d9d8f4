"""Runs a program of this folder apart from the rest of the machine, see docs/isolation.md.

The first line on standard input is the plan: which parts of the isolation are wanted, and for which program. A part that
cannot be had ends the process with status 71 and the line ``isolation: <part>: <reason>`` on standard error.
"""

import json
import os
import resource
import signal
import sys

# The descriptors of a program: its input, output and errors, and the channel for the messages of nodes.
LAST_STREAM = 3
OPEN_FILES = 1024
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import bubblewrap  # noqa: E402
import calls  # noqa: E402
import layout  # noqa: E402
import system  # noqa: E402
import users  # noqa: E402
from namespaces import (  # noqa: E402
    FAILED, Part, change_user, follow_parent, fork_watched, make_root, map_user, mount_processes,
)

sys.path.remove(HERE)
for name in ("bubblewrap", "calls", "layout", "namespaces", "system", "users"):
    del sys.modules[name]


def read_line():
    """Reads one line and not a byte more: the rest is for the program."""
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


def limit(processes):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Sockets hold data in the kernel's memory, which no other limit counts, so the number of files is limited.
    bounds = [(resource.RLIMIT_NOFILE, OPEN_FILES), (resource.RLIMIT_NPROC, processes)]
    for kind, bound in bounds:
        _, most = resource.getrlimit(kind)
        if bound is not None and (most == resource.RLIM_INFINITY or bound < most):
            resource.setrlimit(kind, (bound, bound))


def new_namespaces(parts):
    wanted = [part for part in ("files", "processes", "network") if part in parts]
    uid, gid = os.geteuid(), os.getegid()
    if wanted and uid != 0:
        with Part(wanted[0]):
            system.unshare(system.NEWUSER)
            map_user(uid, gid, uid, gid)
    for part, flags in (
        ("files", system.NEWNS), ("processes", system.NEWPID | system.NEWIPC | system.NEWUTS), ("network", system.NEWNET)
    ):
        if part in parts:
            with Part(part):
                system.unshare(flags)


def furnish(plan, entries):
    """The new root, on the run's folder."""

    def rest(root):
        if "processes" in plan["parts"]:
            mount_processes(root)
        flags = system.REMOUNT | system.BIND | system.RDONLY | system.NOSUID | system.NODEV
        system.mount(None, root, None, flags)

    make_root(os.getcwd(), entries, plan["temporaryBytes"], rest)


def kill_others(uid):
    """Kills processes that earlier programs of this user left behind. Needed where no process namespace does so."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def give_up(parts, uid):
    """Called before the first process of the namespaces starts another one, because that one inherits its user."""
    change_user(parts, uid)
    if "privileges" in parts:
        with Part("privileges"):
            calls.refuse()


def enter(plan):
    """Returns in the process that runs the program."""
    parts, uid, lease = plan["parts"], plan.get("user"), None
    if "in" not in plan:
        system.end_with_parent()
        if "user" in parts:
            with Part("user"):
                uid, lease = users.lease()
    own = uid if "user" in parts else os.geteuid()
    entries = []
    if "files" in parts:
        with Part("files"):
            group = uid if "user" in parts else os.getegid()
            entries = layout.entries(programs(), own, group, "network" not in parts, plan["hidden"])
        if plan["bubblewrap"] is not None:
            if lease is not None:
                follow_parent(fork_watched())
                os.close(lease)
            with Part("files"):
                bubblewrap.become({**plan, "user": uid}, entries)
    if "in" not in plan:
        new_namespaces(parts)
        if "user" in parts and "files" not in parts:
            with Part("user"):
                os.chown(".", uid, uid)
        if "user" in parts and "processes" not in parts:
            kill_others(uid)
        # This is the first process of the namespace: when it ends, the kernel ends all others there.
        reader = fork_watched()
        if lease is not None:
            os.close(lease)
        if "network" in parts:
            with Part("network"):
                system.enable_loopback()
        if "files" in parts:
            with Part("files"):
                furnish(plan, entries)
        give_up(parts, uid)
        follow_parent(reader)
        if "processes" in parts:
            follow_parent(fork_watched())
    else:
        give_up(parts, uid)
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
    system.close_above(LAST_STREAM)
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
