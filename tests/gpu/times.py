#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""times.py GPU.lsr MODEL.lsr: times of a program's kernels on the device model beside a GPU's, first launches of each kernel and shape.

MODEL.lsr is made with lanescope --device simt --model h100 --launches 1 --record MODEL.lsr -- program_times, and GPU.lsr with
--device cuda --runs trace --launches 0; tests/data/times_h100.lsr is such a recording of an H100 (docs/model.md, Time)."""
import sqlite3
import statistics
import sys

FIRST = """SELECT k.name, k.grid_x * k.grid_y * k.grid_z, k.block_x * k.block_y * k.block_z, l.duration_ns
FROM launches l JOIN kernels k ON k.id = l.kernel_id WHERE k.mode = 'trace' ORDER BY l.start_ns DESC"""


def first_launches(path):
    with sqlite3.connect(f"file:{path}?immutable=1", uri=True) as recording:
        return {(name.split("(")[0], blocks, threads): ns for name, blocks, threads, ns in recording.execute(FIRST)}


def quantiles(ratios):
    ratios = sorted(ratios)
    tenth = round((len(ratios) - 1) / 10)
    return f"{ratios[tenth]:.2f} {statistics.median(ratios):.2f} {ratios[-1 - tenth]:.2f}"


gpu, model = map(first_launches, sys.argv[1:3])
kernels = {}
for case in sorted(gpu.keys() & model.keys()):
    kernels.setdefault(case[0], []).append(model[case] / gpu[case])
    print(f"{case[0]:20} {case[1]:6} x {case[2]:4} {gpu[case] / 1e3:9.2f} us, model {model[case] / 1e3:9.2f}: {model[case] / gpu[case]:.2f}")
cases = [ratio for ratios in kernels.values() for ratio in ratios]
print(f"model / GPU, 10 %, median, 90 %: {len(kernels)} kernels {quantiles([statistics.median(r) for r in kernels.values()])}, "
      f"{len(cases)} cases {quantiles(cases)}")
