"""The users that isolated programs run as: a range that neither systemd nor a distribution gives to anybody.

Who has a user has locked a byte of a file that only the gateway's user can open, so that no program can take users away.
The kernel gives the lock to one process of the machine, and takes it back when that process ends, however it does.
"""

import errno
import os
import stat

FIRST, LAST = 60578, 61183
# The first one that is there and can be written, so that all gateways of a machine agree.
FOLDERS = ("/run/flow-gateway-users", "/dev/shm/flow-gateway-users")


def _opened(folders):
    refused = OSError(errno.ENOENT, "there is no folder for the locks of users")
    for folder in folders:
        try:
            try:
                os.mkdir(folder, 0o700)
            except FileExistsError:
                pass
            found = os.lstat(folder)
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
                raise OSError(errno.EPERM, f"{folder} belongs to others or can be written by them")
            return os.open(f"{folder}/locks", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            refused = error
    raise refused


def lease(folders=FOLDERS, first=FIRST, last=LAST):
    """
    A user that nobody else of this machine has, and the open file that says so. The user is this process's until it ends
    or closes the file. A process that is forked has no share in it, and should close it.
    """
    file = _opened(folders)
    size = last - first + 1
    start = int.from_bytes(os.urandom(4), "little")
    for step in range(size):
        user = first + (start + step) % size
        os.lseek(file, user, os.SEEK_SET)
        try:
            os.lockf(file, os.F_TLOCK, 1)
            return user, file
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EAGAIN):
                raise
    raise OSError(errno.EBUSY, f"all {size} users for isolated programs are taken on this machine; try again later")
