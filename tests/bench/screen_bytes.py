# SPDX-License-Identifier: Apache-2.0
"""What two builds send to a terminal: the bytes of the first frame and of a row of keys, by recording and size.

screen_bytes.py OLD DATA_OF_OLD NEW DATA_OF_NEW: the builds take turns. TERM is xterm-256color. A frame is over when
nothing has come for a quarter of a second. The terminal answers that it repeats letters (REP), as xterm does. Then the
milliseconds from the start to the end of the first frame, and those of CPU of a snapshot at 300x80, both the least of so
many in turn.
"""

import fcntl
import os
import pty
import resource
import select
import struct
import subprocess
import sys
import termios
import time

RECORDINGS = ("h200", "curriculum_h200", "lines_h200", "stalls_h200", "bursts_h200", "reduction_h200")
SIZES = ((120, 40), (200, 60))
KEYS = (b"j", b"j", b"\t", b"+", b"l", b">", b"-", b"0")
TURNS = 15
FRAME_LEAST = 2000  # bytes: what comes before them sets up the terminal


def start(program, file, width, height):
    """Starts the program on a terminal of this size; returns the child and the terminal."""
    terminal, of_child = pty.openpty()
    fcntl.ioctl(of_child, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLORTERM", "TERM_PROGRAM")}
    environment.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
    child = subprocess.Popen([program, "view", file], stdin=of_child, stdout=of_child, stderr=of_child,
                             env=environment, start_new_session=True)
    os.close(of_child)
    return child, terminal


def stop(child, terminal):
    child.kill()
    child.wait()
    os.close(terminal)


def take(terminal):
    """Reads what has come, and answers the question where the cursor is after a letter and two repeats."""
    sent = os.read(terminal, 65536)
    if b"\x1b[2b\x1b[6n" in sent:
        os.write(terminal, b"\x1b[2;4R")
    return sent


def bytes_until_quiet(terminal, seconds):
    count, last = 0, time.monotonic()
    while time.monotonic() - last < seconds:
        if select.select([terminal], [], [], 0.05)[0]:
            count += len(take(terminal))
            last = time.monotonic()
    return count


def frames(program, file, width, height):
    child, terminal = start(program, file, width, height)
    first, keys = bytes_until_quiet(terminal, 1), 0
    for key in KEYS:
        os.write(terminal, key)
        keys += bytes_until_quiet(terminal, 0.25)
    stop(child, terminal)
    return first, keys


def frame_ms(program, file, width, height):
    """From the start to the last byte of the first frame: until nothing comes for 15 ms."""
    began = time.monotonic()
    child, terminal = start(program, file, width, height)
    count, last = 0, began
    while count < FRAME_LEAST or select.select([terminal], [], [], 0.015)[0]:
        count += len(take(terminal))
        last = time.monotonic()
    stop(child, terminal)
    return 1e3 * (last - began)


def cpu_ms(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def row(name, old, new):
    print(f"{name:36} {old:9.6g} {new:9.6g} {100 * (new / old - 1):+7.1f} %", flush=True)


def main():
    builds = (sys.argv[1:3], sys.argv[3:5])
    print(f"{'':36} {'old':>9} {'new':>9}  change")
    for name in RECORDINGS:
        for width, height in SIZES:
            sent = [frames(program, f"{data}/{name}.lsr", width, height) for program, data in builds]
            for i, what in enumerate(("first frame", f"{len(KEYS)} keys")):
                row(f"{name} {width}x{height} {what}", sent[0][i], sent[1][i])
    for name in RECORDINGS:
        least = [1e9, 1e9]
        for _ in range(TURNS):
            for i, (program, data) in enumerate(builds):
                least[i] = min(least[i], frame_ms(program, f"{data}/{name}.lsr", 120, 40))
        row(f"ms to the first frame, {name} 120x40", *least)
    for what in ((), ("view", "h200.lsr")):
        least = [1e9, 1e9]
        for _ in range(TURNS):
            for i, (program, data) in enumerate(builds):
                file = [f"{data}/{what[1]}"] if what else []
                command = [program, *what[:1], "--snapshot", "text", "--size", "300x80", *file]
                least[i] = min(least[i], cpu_ms(command))
        row(f"ms of CPU, {what[1] if what else 'list of workloads'} 300x80", *least)


main()
