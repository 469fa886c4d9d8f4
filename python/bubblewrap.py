"""The same namespaces through bubblewrap, where a system allows them to it alone."""

import json
import os
import sys

import layout


def passed(text):
    """The descriptor of a pipe from which bubblewrap, or a program that it starts, can read the text."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        with os.fdopen(writer, "wb") as file:
            file.write(text)
        os._exit(0)
    os.close(writer)
    os.set_inheritable(reader, True)
    return str(reader)


def become(plan, entries):
    """Replaces this process by bubblewrap, which makes the namespaces and starts ``isolated.py`` again for the rest."""
    parts = plan["parts"]
    command = [plan["bubblewrap"], "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    if "network" in parts:
        command.append("--unshare-net")
    # Only root can enter folders that bubblewrap creates by itself.
    for folder in layout.folders_above(entries):
        command += ["--perms", "0755", "--dir", folder]
    for kind, path, value in entries:
        if kind == "link":
            command += ["--symlink", value, path]
        elif kind == "file":
            command += ["--perms", "0444", "--ro-bind-data", passed(value), path]
        elif kind == "temporary":
            command += ["--perms", "1777", "--size", str(plan["temporaryBytes"]), "--tmpfs", path]
        elif kind == "hidden":
            command += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
        else:
            command += ["--dev-bind" if kind == "device" else "--ro-bind", path, path]
    rest = {**plan, "parts": [part for part in parts if part in ("user", "privileges")], "bubblewrap": None, "in": True}
    again = passed(json.dumps(rest).encode() + b"\n")
    command += ["--proc", "/proc", "--remount-ro", "/", "--chdir", layout.TEMPORARY, sys.executable]
    os.execv(command[0], [*command, "-I", "-B", "-X", "utf8", f"{layout.PROGRAMS}/isolated.py", again])
