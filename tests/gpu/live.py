# SPDX-License-Identifier: Apache-2.0
# live.py FILE COMMAND...: runs a screen in a terminal of 120x40 and ends it with Q once FILE has something in it.
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

path, command = sys.argv[1], sys.argv[2:]
pid, master = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm-256color"
    os.execvp(command[0], command)
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
end = time.monotonic() + 20
pressed_at = None
while time.monotonic() < end:
    readable, _, _ = select.select([master], [], [], 0.05)
    try:
        if readable and not os.read(master, 65536):
            break
    except OSError:
        break
    now = time.monotonic()
    done = os.path.exists(path) and os.path.getsize(path) > 0
    if done and (pressed_at is None or now - pressed_at > 0.5):
        os.write(master, b"Q")
        pressed_at = now
else:
    os.kill(pid, 9)
os.waitpid(pid, 0)
