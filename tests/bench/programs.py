# SPDX-License-Identifier: Apache-2.0
"""User seconds and M warp instructions a second of programs on the device model: programs.py LANESCOPE LIST.

LIST has a line per program and size: name | size | folder | command. A line of the table has, for one worker and for two:
every launch counted, the first 3 of each kernel and shape (the default), and the first one of each, the others executed only.
Times are user seconds of lanescope and the program together, the least of three: what else the machine does counts little; in
parentheses is the least elapsed time. With two workers they are the sum of both. Warp instructions are those of all launches, from
the recording in which all are counted.

A fifth field is the command of the same program with each launch REPEATS times in place of once: the last column is then the speed of
launches that are not counted, the instructions of REPEATS - 1 of them over what they add to the user seconds of one worker.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

RUNS = 3
REPEATS = 5
MODES = "0", "3", "1"


def run(lanescope, folder, command, workers, launches, recording):
    """(user seconds, elapsed seconds, status)"""
    begun = time.monotonic()
    child = subprocess.Popen([lanescope, "--device", "simt", "--launches", launches, "--record", recording, "--", *command],
                             cwd=folder, env=dict(os.environ, LANESCOPE_WORKERS=str(workers)), stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    return usage.ru_utime, time.monotonic() - begun, os.waitstatus_to_exitcode(status)


def instructions(recording):
    """(launches, warp instructions, those counted by default): of all launches, all of them counted."""
    with sqlite3.connect(recording) as file:
        launches, = file.execute("SELECT count(*) FROM launch").fetchone()
        counted = file.execute(
            "SELECT e.kernel, v.number FROM value v JOIN measurement e ON e.id = v.measurement "
            "JOIN string c ON c.id = v.counter WHERE c.text = 'model.instructions' ORDER BY e.id").fetchall()
    if len(counted) != launches:
        sys.exit(f"{len(counted)} of {launches} launches are counted")
    seen, first = {}, 0.0
    for kernel, number in counted:
        seen[kernel] = seen.get(kernel, 0) + 1
        first += number if seen[kernel] == 1 else 0
    return launches, sum(number for _, number in counted), first


def uncounted(lanescope, folder, command, repeated, count):
    """M warp instructions a second of launches that are executed only."""
    with tempfile.TemporaryDirectory() as scratch:
        times = []
        for one in command, repeated:
            runs = [run(lanescope, folder, one, 1, "1", f"{scratch}/{i}.lsr") for i in range(RUNS)]
            times.append(min(seconds for seconds, _, _ in runs))
    more = times[1] - times[0]
    return f"{(REPEATS - 1) * count / more / 1e6:.1f}" if more >= 0.05 else "too short"


def measure(lanescope, name, size, folder, command, repeated=None):
    cells, what = [], None
    with tempfile.TemporaryDirectory() as scratch:
        for workers in 1, 2:
            for launches in MODES:
                least = elapsed = None
                for _ in range(RUNS):
                    recording = f"{scratch}/{name}.lsr"
                    seconds, wall, status = run(lanescope, folder, command, workers, launches, recording)
                    if status != 0:
                        return f"| {name} | {size} | status {status} with {workers} workers |"
                    what = what or instructions(recording)
                    os.remove(recording)
                    least = seconds if least is None else min(least, seconds)
                    elapsed = wall if elapsed is None else min(elapsed, wall)
                speed = f", {what[1] / least / 1e6:.1f}" if least >= 0.01 else ""
                cells.append(f"{least:.2f} ({elapsed:.2f}){speed}")
    cells.append(uncounted(lanescope, folder, command, repeated, what[1]) if repeated else "")
    share = 100 * what[2] / what[1] if what[1] else 100
    return f"| {name} | {size} | {what[0]} | {what[1] / 1e6:.2f} M | {share:.0f} % | " + " | ".join(cells) + " |"


def main():
    lanescope = os.path.abspath(sys.argv[1])
    print("| program | size | launches | warp instructions | of first launches | 1 worker: all counted | first 3 | first 1 "
          "| 2 workers: all counted | first 3 | first 1 | not counted, 1 worker |\n|" + "---|" * 12, flush=True)
    with open(sys.argv[2], encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                name, size, folder, *commands = (field.strip() for field in line.split("|"))
                print(measure(lanescope, name, size, folder, *(command.split() for command in commands)), flush=True)


main()
