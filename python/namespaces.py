"""What the programs that isolate others share: the parts by name, namespaces, the new root, the end of a process."""

import _signal as signal  # Without the names of `signal`, which take 4 ms to load.
import os

import system

FAILED = 71


class Part:
    """Reports a failure inside the block as one of this part of the isolation."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        return self

    def __exit__(self, _, error, __):
        if isinstance(error, Exception):
            fail(self._name, reason_of(error))


def reason_of(error):
    return error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"


def fail(part, reason):
    os.write(2, f"isolation: {part}: {reason}\n".encode())
    os._exit(FAILED)


def map_user(inner_user, inner_group, user, group):
    """Maps the user into the new user namespace, as the only one there."""
    maps = (("setgroups", "deny"), ("uid_map", f"{inner_user} {user} 1"), ("gid_map", f"{inner_group} {group} 1"))
    for name, text in maps:
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def place(root, entry, size):
    """Puts one entry of a layout below the new root."""
    kind, path, value = entry
    target = root + path
    # The folder above it may already exist through another entry.
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
        make_target(target, os.path.isdir(path))
        system.mount(path, target, None, system.BIND | system.REC)
        if kind == "bind":
            system.restrict(target)


def make_target(target, is_folder):
    """Creates a file or folder to mount on."""
    os.makedirs(target if is_folder else os.path.dirname(target), exist_ok=True)
    if not is_folder:
        open(target, "ab").close()


def make_root(root, entries, size, make_rest):
    """Makes the new root, on a folder that only this process sees covered. `make_rest` adds what no entry can."""
    # Whoever the program runs as has to read what is made here. What it writes itself has the modes of the gateway.
    mask = os.umask(0o022)
    system.mount(None, "/", None, system.REC | system.PRIVATE)
    system.mount("tmpfs", root, "tmpfs", system.NOSUID | system.NODEV, "mode=755,size=4m")
    for entry in entries:
        place(root, entry, size)
    make_rest(root)
    os.umask(mask)
    system.change_root(root)


def mount_processes(root):
    os.makedirs(f"{root}/proc")
    system.mount("proc", f"{root}/proc", "proc", system.NOSUID | system.NODEV | system.NOEXEC)


def change_user(parts, uid):
    """Changes the user and drops privileges. With ``files`` this process has all capabilities in its own namespace."""
    if "privileges" in parts:
        with Part("privileges"):
            if os.geteuid() == 0 or "files" in parts:
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


def end_with(pid):
    """Waits for a child and ends with its status or signal."""
    status = wait_for(pid)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) > 128 and os.getpid() != 1:
        status = os.WEXITSTATUS(status) - 128
    end_like(status)


def fork_watched():
    """Forks. The child ends with its parent; the parent waits and ends with the child's status or signal."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid != 0:
        os.close(reader)
        close(0, 1, 3)
        end_with(pid)
    os.close(writer)
    return reader


def close(*numbers):
    for number in numbers:
        try:
            os.close(number)
        except OSError:
            pass


def follow_parent(reader):
    """Ends this process with its parent. Call it after the last change of the user, which would undo it."""
    system.end_with_parent()
    os.set_blocking(reader, False)
    try:
        if os.read(reader, 1) == b"":
            os._exit(FAILED)
    except BlockingIOError:
        pass
    os.close(reader)
