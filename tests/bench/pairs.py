# SPDX-License-Identifier: Apache-2.0
"""User seconds of programs on the device model with one lanescope and with another, in turn: pairs.py LIST FOLDER BEFORE AFTER [ROUNDS].

LIST has a line per program: name | class | command, run in FOLDER. Each round runs all of a program's modes with BEFORE and with
AFTER, one after the other; a cell has the medians of ROUNDS (5) and the first over the second. Modes: every launch counted
(--launches 0), the first three of each kernel and shape (the default), all but the first of each executed only (--launches 1), all counted
and checked (--check); with one worker and, counted and by default, with two. Seconds are those of lanescope and the program together, starts included.
`check` is the checked run of one worker over the counted one, of AFTER. Warp instructions, of the recording with all
launches counted, must be the same of both. The last lines have the medians of each class.
"""
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

MODES = {"counted": (1, "--launches", "0"), "default": (1, "--launches", "3"), "first only": (1, "--launches", "1"),
         "checked": (1, "--launches", "0", "--check"), "2: counted": (2, "--launches", "0"), "2: default": (2, "--launches", "3")}


def run(lanescope, folder, command, mode, recording):
    """User seconds; the program's status does not matter, since --check reports by it."""
    workers, *options = MODES[mode]
    child = subprocess.Popen([lanescope, "--device", "simt", *options, "--record", recording, "--", *command], cwd=folder,
                             env=dict(os.environ, LANESCOPE_WORKERS=str(workers)), stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    return usage.ru_utime


def instructions(recording):
    with sqlite3.connect(recording) as file:
        return file.execute("SELECT sum(v.number) FROM value v JOIN string c ON c.id = v.counter "
                            "WHERE c.text = 'model.instructions'").fetchone()[0] or 0


def measure(pair, folder, command, rounds):
    """{mode: (seconds before, after)}, warp instructions."""
    seconds = {mode: ([], []) for mode in MODES}
    counts = set()
    with tempfile.TemporaryDirectory() as scratch:
        recording = f"{scratch}/it.lsr"
        for _ in range(rounds):
            for mode in MODES:
                for which, lanescope in enumerate(pair):
                    seconds[mode][which].append(run(lanescope, folder, command, mode, recording))
                    if mode == "counted":
                        counts.add(instructions(recording))
                    os.remove(recording)
    return {mode: tuple(statistics.median(times) for times in both) for mode, both in seconds.items()}, counts


def cell(before, after):
    return f"{before:.2f} {after:.2f} {before / max(after, 0.01):.2f}"


def main():
    list_file, folder, *pair = sys.argv[1:5]
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 5
    pair = [os.path.abspath(lanescope) for lanescope in pair]
    gains = {}
    print("| program | class | M warp instructions | " + " | ".join(MODES) + " | check |\n|" + "---|" * (len(MODES) + 4), flush=True)
    with open(list_file, encoding="utf-8") as lines:
        for line in lines:
            if not line.strip() or line.startswith("#"):
                continue
            name, kind, command = (field.strip() for field in line.split("|"))
            medians, counts = measure(pair, folder, command.split(), rounds)
            check = medians["checked"][1] / max(medians["counted"][1], 0.01)
            count = "/".join(f"{number / 1e6:.2f}" for number in sorted(counts))
            print(f"| {name} | {kind} | {count} | " + " | ".join(cell(*medians[mode]) for mode in MODES) + f" | {check:.2f} |", flush=True)
            for mode, (before, after) in medians.items():
                gains.setdefault((kind, mode), []).append(before / max(after, 0.01))
            gains.setdefault((kind, "check"), []).append(check)
    for kind in sorted({kind for kind, _ in gains}):
        print(f"| median | {kind} | | " + " | ".join(f"{statistics.median(gains[kind, mode]):.2f}" for mode in (*MODES, "check")) + " |")


main()
