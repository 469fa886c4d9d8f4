"""The calls of Linux that Python has no name for in all versions that are supported."""

import ctypes
import os
import struct

_libc = ctypes.CDLL(None, use_errno=True)

NEWNS, NEWUTS, NEWIPC = 0x00020000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000

RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_DETACH = 2

_PDEATHSIG, _CAPBSET_READ, _CAPBSET_DROP, _NO_NEW_PRIVS, _CAP_AMBIENT = 1, 23, 24, 38, 47
_CAP_AMBIENT_CLEAR_ALL = 4


def _check(name, result):
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


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
    """Makes the folder the root of all that this process sees; what was seen before is let go of."""
    os.chdir(folder)
    _check("pivot_root", _libc.pivot_root(b".", b"."))
    _check("umount", _libc.umount2(b".", _DETACH))
    os.chdir("/")


def end_with_parent():
    """Kills this process when its parent ends. A change of the user undoes it."""
    _check("prctl", _libc.prctl(_PDEATHSIG, ctypes.c_ulong(9), 0, 0, 0))


def enable_loopback():
    """A new network namespace has a loopback device that is switched off."""
    found = _check("socket", _libc.socket(2, 2, 0))
    up_running, set_flags = 0x41, 0x8914
    request = ctypes.create_string_buffer(struct.pack("16sh22x", b"lo", up_running))
    _check("ioctl", _libc.ioctl(found, ctypes.c_ulong(set_flags), request))
    os.close(found)


def bound_capabilities():
    """No program that this process starts can get a capability from its file."""
    for capability in range(64):
        if _libc.prctl(_CAPBSET_READ, ctypes.c_ulong(capability), 0, 0, 0) == 1:
            _check("prctl", _libc.prctl(_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0))


def drop_capabilities():
    _libc.prctl(_CAP_AMBIENT, ctypes.c_ulong(_CAP_AMBIENT_CLEAR_ALL), 0, 0, 0)
    version_3 = 0x20080522
    _check("capset", _libc.capset(struct.pack("Ii", version_3, 0), bytes(24)))


def refuse_privileges():
    _check("prctl", _libc.prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0))
