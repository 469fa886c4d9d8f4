"""Starts the process of a run apart from the rest of the machine, see docs/isolation.md.

    launch.py PARTS TEMPORARY_BYTES [show PATH | cache PATH | hide PATH]... -- COMMAND...

The command sees the system's folders and what is shown, and nothing of a tenant: at its start nobody knows yet whose run
it will be. Until somebody does, it can write to the cache. It gets the file descriptors 0 to 4. Descriptor 5 is the door:
when the gateway knows the run, it writes the places there, and they appear under their names. It writes ``KIND NUL PATH
NUL`` for each, and a NUL behind the last. The kinds are ``read``, ``write``, ``socket`` and ``folder``, which shows an
empty one; what is to be read need not exist. The answer is a line: ``ok``, or why not.

A part that cannot be had ends the process with status 71 and the line ``isolation: <part>: <reason>`` on standard error.
No module of Python is loaded that this does not need: each run starts it.
"""

import os
import select
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import layout  # noqa: E402
import system  # noqa: E402
import users  # noqa: E402
from namespaces import (  # noqa: E402
    Part, change_user, close, end_with, fail, follow_parent, fork_watched, make_root, make_target, map_user,
    mount_processes, reason_of,
)

DOOR = 5
# The number of every run of root within its user namespace. With 0 it could not make a namespace for Python, and with a
# number of its own it would find no compiled modules: Node keeps them by user.
INNER_USER = 60577


def name_process():
    """Tells the command which process of the machine this is, because it cannot see the id from inside."""
    with open("/proc/self/stat", "rb") as file:
        start = file.read().rpartition(b")")[2].split()[19].decode()
    os.environ["FLOW_RUN_PROCESS"] = f"{os.getpid()}-{start}"
    # When the machine runs out of memory, Linux kills runs before the gateway.
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("800")


def run_inside(parts, user, told, size, shifted):
    """In the first process of the namespaces: makes the root and gives up all privileges."""
    uid = INNER_USER if "user" in parts else os.geteuid()
    gid = INNER_USER if "user" in parts else os.getegid()
    named = {kind: [path for it, path in told if it == kind] for kind in ("show", "cache", "hide")}
    entries = layout.run_entries(named["show"], uid, gid, named["hide"])
    if "network" in parts:
        with Part("network"):
            system.unshare(system.NEWNET)
            system.enable_loopback()

    def opened(path, attributes):
        """Before the new root covers the folder that it is made on."""
        return path, os.path.isdir(path), system.clone_tree(path, attributes | system.NOSUID | system.NODEV, shifted)

    def show(root, path, is_folder, tree):
        make_target(root + path, is_folder)
        system.mount_tree(tree, root + path)

    def rest(root):
        for it in own:
            show(root, *it)
        for path, is_folder in hidden:
            if is_folder:
                # The run's places are mounted below, so this is not read-only. Nothing that is written there stays.
                options = "size=64k,nr_inodes=64,mode=755"
                system.mount("tmpfs", root + path, "tmpfs", system.NOSUID | system.NODEV, options)
            else:
                system.mount("/dev/null", root + path, None, system.BIND)
        for it in caches:
            show(root, *it)
        if "processes" in parts:
            mount_processes(root)
        else:
            os.makedirs(f"{root}/proc")
            system.mount("/proc", f"{root}/proc", None, system.BIND | system.REC)

    with Part("files"):
        system.unshare(system.NEWNS)
        own = [opened(path, system.RDONLY) for kind, path, _ in entries if kind == "own"]
        caches = [opened(path, 0) for path in named["cache"] if os.path.isdir(path)]
        hidden = [(path, os.path.isdir(path)) for kind, path, _ in entries if kind == "hidden"]
        make_root(os.getcwd(), [it for it in entries if it[0] not in ("own", "hidden")], size, rest)
    change_user(parts, user)
    if "user" in parts:
        with Part("user"):
            system.allow_own_files()
            system.unshare(system.NEWUSER)
            map_user(INNER_USER, INNER_USER, user, user)
            change_user(["files", "privileges"], user)


def read_places():
    """Reads the places of the run from the gateway; empty when there will be no run."""
    text = b""
    while not text.endswith(b"\0\0"):
        more = os.read(DOOR, 65536)
        if not more:
            return []
        text += more
    fields = [os.fsdecode(field) for field in text[:-2].split(b"\0")]
    return list(zip(fields[::2], fields[1::2]))


def admit(places, mounts, shifted, user):
    """
    Mounts the places where the command sees them, under their names. What the operator opens to runs may belong to
    anybody: a run with a user of its own has the rights of the folder's owner and group in it.
    """
    trees = []
    for kind, path in places:
        if kind == "folder":
            if os.path.isdir(path):
                trees.append((None, path, True))
            continue
        is_open = kind.startswith("open-")
        if (kind == "read" or is_open) and not os.path.exists(path):
            continue
        attributes = system.NOSUID | system.NODEV | (system.RDONLY if kind.endswith("read") else 0)
        # The owner of a socket decides who may connect to it, so its owner is not mapped.
        tree_shift = None if kind == "socket" else shifted
        if is_open and shifted is not None:
            found = os.stat(path)
            tree_shift = system.shift(user, found.st_uid, found.st_gid)
        tree = system.clone_tree(path, attributes, tree_shift)
        trees.append((tree, path, os.path.isdir(path)))
    system.enter_mounts(mounts)
    for tree, path, is_folder in trees:
        make_target(path, is_folder)
        if tree is not None:
            system.mount_tree(tree, path)


def attend(pid, ready, shifted, user):
    """Mounts the run's places when the gateway names them, and ends with the status of the command."""
    # The run has to be able to enter the folders that are made for its places.
    os.umask(0o022)
    if os.read(ready, 1) == b"":
        end_with(pid)
    mounts = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY)
    poll = select.poll()
    poll.register(DOOR, select.POLLIN)
    # Nothing more is written to it: it closes when the last process inside ends.
    poll.register(ready, 0)
    if any(number == DOOR for number, _ in poll.poll()):
        places = read_places()
        if places:
            try:
                admit(places, mounts, shifted, user)
                os.write(DOOR, b"ok\n")
            except (OSError, ValueError) as error:
                os.write(DOOR, f"{reason_of(error)}\n".encode())
    close(DOOR, mounts)
    # The kernel sends the command the signal of this process's end only if this process may signal the command's user.
    system.drop_capabilities(system.MAY_KILL if shifted is not None else 0)
    end_with(pid)


def main():
    at = sys.argv.index("--")
    parts, size, command = sys.argv[1].split(","), sys.argv[2], sys.argv[at + 1:]
    told = list(zip(sys.argv[3:at:2], sys.argv[4:at:2]))
    system.end_with_parent()
    system.close_above(DOOR)
    # Occupies the low descriptors that the command was not given, so that no file of this program gets one of them.
    while (number := os.open("/dev/null", os.O_RDWR)) <= DOOR:
        pass
    close(number)
    name_process()
    user, shifted, lease = None, None, None
    if "user" in parts:
        with Part("user"):
            user, lease = users.lease()
            shifted = system.shift(user)
            # Fails here if the kernel or the file system cannot do it.
            os.close(system.clone_tree(os.getcwd(), 0, shifted))
    else:
        with Part("files"):
            uid, gid = os.geteuid(), os.getegid()
            system.unshare(system.NEWUSER | system.NEWNS)
            map_user(uid or INNER_USER, gid or INNER_USER, uid, gid)
    if "processes" in parts:
        with Part("processes"):
            system.unshare(system.NEWPID | system.NEWIPC)
    reader, writer = os.pipe()
    ready, is_ready = os.pipe()
    pid = os.fork()
    if pid != 0:
        close(0, 1, 3, 4, reader, is_ready)
        attend(pid, ready, shifted, user)
    close(DOOR, ready, writer, *([] if lease is None else [lease]))
    run_inside(parts, user, told, size, shifted)
    follow_parent(reader)
    os.write(is_ready, b"1")
    if "processes" in parts:
        follow_parent(fork_watched())
    os.chdir(layout.TEMPORARY)
    try:
        os.execv(command[0], command)
    except OSError as error:
        fail("files", f"{command[0]}: {reason_of(error)}")


main()
