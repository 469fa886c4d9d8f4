"""System calls of Linux that users' programs may not make, although these need no privileges."""

import ctypes
import errno
import os
import struct

import system

# A user namespace gives all capabilities within it. The others give memory that belongs to no process, so that the limit
# of a run would not count it; pages that processes share are files in the temporary folder instead. Pages of a shared
# mapping without a file stay when the process has unmapped some of them, or gives them back with madvise. The queues of
# io_uring belong to an open file.
MAKING = ("clone", "unshare")
ABSENT = ("clone3", "memfd_create", "memfd_secret", "io_uring_setup", "shmget", "msgget", "semget")
NAMES = (*ABSENT, "mmap", *MAKING)
MACHINES = {
    "x86_64": (0xC000003E, (435, 319, 447, 425, 29, 68, 64, 9, 56, 272)),
    "aarch64": (0xC00000B7, (435, 279, 447, 425, 194, 186, 190, 222, 220, 97)),
}
# MAP_SHARED and MAP_ANONYMOUS, see mmap(2).
_SHARED_WITHOUT_FILE = 0x01 | 0x20
# On x86-64 the same calls have other numbers from here on.
X32 = 0x40000000

_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _FIRST_ARGUMENT, _FOURTH_ARGUMENT = 0, 4, 16, 40
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_SET_SECCOMP, _FILTER = 22, 2


def _program(machine):
    """The filter, see seccomp(2) and bpf(4). Refused calls fail as unknown ones do, so that libraries do without."""
    architecture, numbers = MACHINES[machine]
    calls = dict(zip(NAMES, numbers))
    absent, refused = "absent", "refused"
    steps = [
        (_LOAD, _MACHINE), (_EQUAL, architecture, None, absent),
        (_LOAD, _NUMBER), (_AT_LEAST, X32, absent, None),
        *[(_EQUAL, calls[name], absent, None) for name in ABSENT],
        (_EQUAL, calls["mmap"], "mapping", None),
        *[(_EQUAL, calls[name], "flags", None) for name in MAKING],
        (_RETURN, _ALLOW),
        "mapping", (_LOAD, _FOURTH_ARGUMENT), (_AND, _SHARED_WITHOUT_FILE),
        (_EQUAL, _SHARED_WITHOUT_FILE, refused, None), (_RETURN, _ALLOW),
        "flags", (_LOAD, _FIRST_ARGUMENT), (_ANY_BIT, system.NEWUSER, refused, None), (_RETURN, _ALLOW),
        absent, (_RETURN, _ERROR | errno.ENOSYS),
        refused, (_RETURN, _ERROR | errno.EPERM),
    ]
    places, at = {}, 0
    for step in steps:
        if isinstance(step, str):
            places[step] = at
        else:
            at += 1
    text, at = b"", 0
    for step in steps:
        if isinstance(step, str):
            continue
        at += 1
        jumps = [0 if name is None else places[name] - at for name in step[2:]] or [0, 0]
        text += struct.pack("HBBI", step[0], *jumps, step[1])
    return text


def refuse():
    """Refuses the calls to this process and its descendants, irrevocably. Needs the no_new_privs flag."""
    machine = os.uname().machine
    if machine not in MACHINES or struct.calcsize("P") != 8:
        raise OSError(errno.ENOSYS, f"calls cannot be refused on {machine}")
    text = _program(machine)
    steps = ctypes.create_string_buffer(text, len(text))
    system.control(_SET_SECCOMP, _FILTER, struct.pack("HP", len(text) // 8, ctypes.addressof(steps)))
