"""What an isolated program sees of the file system: a list of entries, the outer folders first."""

import os
import sys

# The folder of the product's programs, as seen inside.
PROGRAMS = "/flow-gateway"
TEMPORARY = "/tmp"

SYSTEM = ["/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/nix/store", "/gnu/store"]
# None of these reveals who uses the machine or what else it serves.
SETTINGS = [
    "/etc/alternatives", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/ld.so.cache", "/etc/ld.so.conf",
    "/etc/ld.so.conf.d", "/etc/localtime", "/etc/mime.types", "/etc/pki/ca-trust", "/etc/pki/tls/certs",
    "/etc/pki/tls/openssl.cnf", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/timezone",
]
NAMES = ["/etc/gai.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf"]
# Without /dev/zero: shared mappings of it are memory that no process has, see calls.py.
DEVICES = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"]
LINKS = [
    ("/proc/self/fd", "/dev/fd"), ("/proc/self/fd/0", "/dev/stdin"), ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"), (TEMPORARY, "/dev/shm"),
]


def _is_below(path, folder):
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _interpreter():
    """The folders of the interpreter and of its packages. It may be a venv, and packages may lie elsewhere."""
    found = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, os.path.dirname(sys.executable)]
    found += [os.path.dirname(os.path.realpath(sys.executable)), *sys.path]
    return [os.path.abspath(path) for path in found if path and os.path.exists(path)]


def _system(network):
    """The folders of the system that are shown, and links to them."""
    shown = []
    made = []
    for path in [*SYSTEM, *SETTINGS, *(NAMES if network else [])]:
        if os.path.islink(path) and path != "/etc/resolv.conf":
            made.append(("link", path, os.readlink(path)))
        elif os.path.exists(path):
            shown.append(path)
    return shown, made


def _hidden(shown, hidden):
    """Hides what the operator keeps below one of the shown folders, such as a data folder in /usr/local."""
    for path in hidden:
        if any(path != other and _is_below(path, other) for other in shown) and os.path.exists(path):
            yield ("hidden", path, None)


def _made(uid, gid):
    """The user's name, devices and a temporary folder."""
    yield ("file", "/etc/passwd", f"node:x:{uid}:{gid}::{TEMPORARY}:/bin/sh\n".encode())
    yield ("file", "/etc/group", f"node:x:{gid}:\n".encode())
    for path in DEVICES:
        if os.path.exists(path):
            yield ("device", path, None)
    for target, path in LINKS:
        yield ("link", path, target)
    yield ("temporary", TEMPORARY, None)


def entries(programs, uid, gid, network, hidden):
    """``(kind, path, value)`` with the kinds ``bind``, ``link``, ``file``, ``device``, ``temporary`` and ``hidden``."""
    shown, made = _system(network)
    for path in _interpreter():
        # A prefix of / would show everything; the parts of it that are needed are among the system's folders.
        if path != "/" and not any(_is_below(path, other) for other in shown):
            shown.append(path)
    found = [("bind", path, None) for path in sorted(shown)]
    found += _hidden(shown, hidden)
    found += made
    found += [("file", f"{PROGRAMS}/{name}", text) for name, text in programs.items()]
    if not network:
        found.append(("file", "/etc/hosts", b"127.0.0.1 localhost\n::1 localhost\n"))
    found += _made(uid, gid)
    return found


def run_entries(own, uid, gid, hidden):
    """The entries for the process of a run. ``own``: the files of the product, of Node and of Python."""
    shown, made = _system(True)
    more = []
    for path in sorted(own):
        if path != "/" and os.path.exists(path) and not any(_is_below(path, other) for other in [*shown, *more]):
            more.append(path)
    found = [("bind", path, None) for path in sorted(shown)]
    found += [("own", path, None) for path in more]
    found += _hidden([*shown, *more], hidden)
    found += made
    found += _made(uid, gid)
    return found


def folders_above(found):
    """The folders that have to be made for what is shown, the outer ones first."""
    shown = [path for kind, path, _ in found if kind == "bind"]
    above = set()
    for path in [path for kind, path, _ in found if kind != "hidden"]:
        while (path := os.path.dirname(path)) != "/":
            if not any(_is_below(path, other) for other in shown):
                above.add(path)
    return sorted(above)
