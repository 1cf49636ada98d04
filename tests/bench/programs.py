"""User seconds and M warp instructions a second of programs on the device model: programs.py LANESCOPE LIST.

LIST has a line per program and size: name | size | folder | command. A line of the table has, for one worker and for two:
every launch counted, the first 3 of each kernel and shape (the default), and the first one of each, the others executed only.
Times are user seconds of lanescope and the program together, the least of three: what else the machine does counts little. With two
workers they are the sum of both. Warp instructions are those of all launches, from the recording in which all are counted.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile

RUNS = 3
MODES = "0", "3", "1"


def run(lanescope, folder, command, workers, launches, recording):
    """(user seconds, status)"""
    child = subprocess.Popen([lanescope, "--device", "simt", "--launches", launches, "--record", recording, "--", *command],
                             cwd=folder, env=dict(os.environ, LANESCOPE_WORKERS=str(workers)), stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    return usage.ru_utime, os.waitstatus_to_exitcode(status)


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


def measure(lanescope, name, size, folder, command):
    cells, what = [], None
    with tempfile.TemporaryDirectory() as scratch:
        for workers in 1, 2:
            for launches in MODES:
                least = None
                for _ in range(RUNS):
                    recording = f"{scratch}/{name}.lsr"
                    seconds, status = run(lanescope, folder, command, workers, launches, recording)
                    if status != 0:
                        return f"| {name} | {size} | status {status} with {workers} workers |"
                    what = what or instructions(recording)
                    os.remove(recording)
                    least = seconds if least is None else min(least, seconds)
                cells.append(f"{least:.2f}, {what[1] / least / 1e6:.1f}" if least >= 0.01 else f"{least:.3f}")
    share = 100 * what[2] / what[1] if what[1] else 100
    return f"| {name} | {size} | {what[0]} | {what[1] / 1e6:.2f} M | {share:.0f} % | " + " | ".join(cells) + " |"


def main():
    lanescope = os.path.abspath(sys.argv[1])
    print("| program | size | launches | warp instructions | of first launches | 1 worker: all counted | first 3 | first 1 "
          "| 2 workers: all counted | first 3 | first 1 |\n|" + "---|" * 11, flush=True)
    with open(sys.argv[2], encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                name, size, folder, command = (field.strip() for field in line.split("|"))
                print(measure(lanescope, name, size, folder, command.split()), flush=True)


main()
