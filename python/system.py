"""System calls of Linux that not all supported versions of Python offer."""

import _signal as signal  # Without the names of `signal`, which take 4 ms to load.
import ctypes
import os
import struct

_libc = ctypes.CDLL(None, use_errno=True)

NEWNS, NEWUTS, NEWIPC = 0x00020000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000

RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_DETACH = 2

_SET_DUMPABLE = 4
_PDEATHSIG, _CAPBSET_READ, _CAPBSET_DROP, _NO_NEW_PRIVS, _CAP_AMBIENT = 1, 23, 24, 38, 47
_CAP_AMBIENT_CLEAR_ALL = 4
MAY_KILL = 1 << 5


def _check(name, result):
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def close_above(last):
    """Closes inherited descriptors above this one: they may give access to other folders."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > last:
            try:
                os.close(int(name))
            except OSError:  # the list itself was one of them
                pass


def unshare(flags):
    _check("unshare", _libc.unshare(flags))


def mount(source, target, kind, flags, options=None):
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    _check(f"mount of {target}", _libc.mount(*texts, ctypes.c_ulong(flags), options and options.encode()))


def restrict(target):
    """Makes a mount and all below it read-only, without devices and without setuid programs. Needs Linux 5.12."""
    attributes = struct.pack("QQQQ", RDONLY | NOSUID | NODEV, 0, 0, 0)
    at_fdcwd, recursive, mount_setattr = -100, 0x8000, 442
    _check(f"mount_setattr of {target}", _libc.syscall(
        ctypes.c_long(mount_setattr), ctypes.c_int(at_fdcwd), os.fsencode(target), ctypes.c_uint(recursive),
        attributes, ctypes.c_size_t(len(attributes)),
    ))


def change_root(folder):
    """Makes the folder the root of this process, and detaches the former root."""
    os.chdir(folder)
    _check("pivot_root", _libc.pivot_root(b".", b"."))
    _check("umount", _libc.umount2(b".", _DETACH))
    os.chdir("/")


def end_with_parent():
    """Kills this process when its parent ends. A change of the user undoes it."""
    _check("prctl", _libc.prctl(_PDEATHSIG, ctypes.c_ulong(9), 0, 0, 0))


def enable_loopback():
    """Switches on the loopback device, which is off in a new network namespace."""
    found = _check("socket", _libc.socket(2, 2, 0))
    up_running, set_flags = 0x41, 0x8914
    request = ctypes.create_string_buffer(struct.pack("16sh22x", b"lo", up_running))
    _check("ioctl", _libc.ioctl(found, ctypes.c_ulong(set_flags), request))
    os.close(found)


def bound_capabilities():
    """Keeps programs that this process starts from getting capabilities by their files. Needs CAP_SETPCAP."""
    for capability in range(64):
        if _libc.prctl(_CAPBSET_READ, ctypes.c_ulong(capability), 0, 0, 0) == 1:
            _check("prctl", _libc.prctl(_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0))


def drop_capabilities(kept=0):
    """Drops all capabilities but the kept ones, a mask of numbers below 32, of which it may have only some."""
    _libc.prctl(_CAP_AMBIENT, ctypes.c_ulong(_CAP_AMBIENT_CLEAR_ALL), 0, 0, 0)
    version_3 = 0x20080522
    had = ctypes.create_string_buffer(24)
    _check("capget", _libc.capget(struct.pack("Ii", version_3, 0), had))
    kept &= struct.unpack_from("III", had)[1]
    _check("capset", _libc.capset(struct.pack("Ii", version_3, 0), struct.pack("6I", kept, kept, 0, 0, 0, 0)))


def refuse_privileges():
    _check("prctl", _libc.prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0))


def allow_own_files():
    """Allows this process to write to its own files in /proc again, which a change of the user forbids."""
    _check("prctl", _libc.prctl(_SET_DUMPABLE, ctypes.c_ulong(1), 0, 0, 0))


def control(option, value, given):
    _check("prctl", _libc.prctl(option, ctypes.c_ulong(value), given, 0, 0))


def enter_mounts(namespace):
    """Moves this process into an open mount namespace."""
    _check("setns", _libc.setns(ctypes.c_int(namespace), ctypes.c_int(NEWNS)))


def _shifted(owner, user):
    """The id map from this owner to the user, and from all others but the user to themselves."""
    low, high, last = min(owner, user), max(owner, user), 0xFFFFFFFF
    ranges = [(owner, user, 1), (0, 0, low), (low + 1, low + 1, high - low - 1), (high + 1, high + 1, last - high - 1)]
    return "".join(f"{inside} {outside} {count}\n" for inside, outside, count in ranges if count > 0)


def shift(user, owner=0, group=0):
    """
    An open user namespace in which the files of an owner and of a group, by default root's, belong to this user and its
    group, and those of all others to whom they belong anyway. Only for `clone_tree`.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            end_with_parent()
            unshare(NEWUSER)
            # The parent may have ended before this process could watch it. Then nobody reads, and writing fails. The
            # parent's process id does not show that: in a new process namespace it is always 0.
            os.close(reader)
            os.write(writer, b"1")
            signal.pause()
        finally:
            os._exit(0)
    os.close(writer)
    try:
        if os.read(reader, 1) == b"":
            raise OSError(1, "there is no other user namespace")
        for name, owned in (("uid_map", owner), ("gid_map", group)):
            with open(f"/proc/{pid}/{name}", "w") as file:
                file.write(_shifted(owned, user))
        return os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(reader)


def clone_tree(path, attributes, shifted=None):
    """
    An open copy of the mount at the path and of all below it, with these attributes besides its own, as `mount_tree`
    takes it. What is mounted below it later appears nowhere else. Needs Linux 5.12.
    """
    at_fdcwd, clone, recursive, open_tree = -100, 1, 0x8000, 428
    tree = _check(f"open_tree of {path}", _libc.syscall(
        ctypes.c_long(open_tree), ctypes.c_int(at_fdcwd), os.fsencode(path),
        ctypes.c_uint(clone | recursive | os.O_CLOEXEC),
    ))
    idmapped, empty_path, mount_setattr = 0x00100000, 0x1000, 442
    wanted = struct.pack(
        "QQQQ", attributes | (0 if shifted is None else idmapped), 0, PRIVATE, 0 if shifted is None else shifted
    )
    _check(f"mount_setattr of {path}", _libc.syscall(
        ctypes.c_long(mount_setattr), ctypes.c_int(tree), b"", ctypes.c_uint(empty_path | recursive),
        wanted, ctypes.c_size_t(len(wanted)),
    ))
    return tree


def mount_tree(tree, target):
    """Mounts an open copy in the mount namespace of this process."""
    at_fdcwd, from_empty_path, move_mount = -100, 4, 429
    _check(f"move_mount to {target}", _libc.syscall(
        ctypes.c_long(move_mount), ctypes.c_int(tree), b"", ctypes.c_int(at_fdcwd), os.fsencode(target),
        ctypes.c_uint(from_empty_path),
    ))
    os.close(tree)
