"""Becomes another program, which ends when its parent ends. Run as a file, without site packages.

``launch.py UID GID PARENT SIGNAL PROGRAM ARGUMENT…`` gives up root for UID and GID (``-`` keeps
both), asks Linux to send SIGNAL once the thread of process PARENT that started it is gone (0 asks
for none), and runs PROGRAM in its own place. The order matters: a change of user clears the request.
A process of its own, since running Python between fork and exec is unsafe with threads around.
"""

from __future__ import annotations

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1


def main(uid: str, gid: str, parent: str, signal: str, *command: str) -> None:
    if uid != "-":
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    if int(signal) and sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal), 0, 0, 0)
        if os.getppid() != int(parent):
            sys.exit("the parent is gone")
    os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
