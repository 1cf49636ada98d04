#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_counts.py GPU MODEL: two folders with PROGRAM.json, what `lanescope report --json` says of a program's counter run on a GPU and of its run
on the device model. Prints as CSV each count of a kernel and shape (grid, block, dynamic shared memory) whose least or most of the counted launches differs,
then, in lines that begin with #, how many are equal, of each count and of all."""
import csv
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import report_runs  # noqa: E402

COUNTS = (
    [f"global_{way}_{what}" for way in ("load", "store") for what in ("requests", "sectors")]
    + [f"shared_{way}_{what}" for way in ("load", "store") for what in ("instructions", "wavefronts")]
    + ["local_load_sectors", "local_store_sectors"]
)


def kernels_of(path):
    """(mangled name, shape) -> kernel, of those with a counted launch."""
    kernels = {}
    for run in report_runs.nested(json.loads(path.read_text()))["runs"]:
        for kernel in run["kernels"]:
            if kernel["measured_launches"] > 0:
                shape = "x".join(map(str, kernel["grid"])) + " of " + "x".join(map(str, kernel["block"]))
                if kernel["dynamic_shared_bytes"]:
                    shape += f", {kernel['dynamic_shared_bytes']} bytes"
                kernels[kernel["mangled"], shape] = kernel
    return kernels


def extremes(kernel, count):
    """The least and the most of the launches, or nothing if it was not counted."""
    value = kernel["metrics"].get(count)
    return None if value is None or value["value"] is None else (value["min"], value["max"])


def text_of(pair):
    return str(pair[0]) if pair[0] == pair[1] else f"{pair[0]} to {pair[1]}"


def main():
    gpu, model = map(pathlib.Path, sys.argv[1:3])
    equal, compared = dict.fromkeys(COUNTS, 0), dict.fromkeys(COUNTS, 0)
    programs, shapes, alike = 0, 0, 0
    to = csv.writer(sys.stdout, lineterminator="\n")
    to.writerow(["program", "kernel", "grid and block", "count", "GPU", "model"])
    for path in sorted(gpu.glob("*.json")):
        if not (model / path.name).exists():
            continue
        here, there = kernels_of(path), kernels_of(model / path.name)
        both = sorted(here.keys() & there.keys())
        programs += bool(both)
        for key in both:
            shapes += 1
            differ = 0
            for count in COUNTS:
                pair = extremes(here[key], count), extremes(there[key], count)
                if None in pair:
                    continue
                compared[count] += 1
                equal[count] += pair[0] == pair[1]
                if pair[0] != pair[1]:
                    differ += 1
                    to.writerow([path.stem, here[key]["short_name"], key[1], count, *map(text_of, pair)])
            alike += differ == 0
    for count in COUNTS:
        print(f"# {count}: {equal[count]} of {compared[count]} equal")
    print(f"# {programs} programs, {shapes} kernels and shapes, {alike} of them alike in all")
    print(f"# all counts: {sum(equal.values())} of {sum(compared.values())} equal")


if __name__ == "__main__":
    main()
