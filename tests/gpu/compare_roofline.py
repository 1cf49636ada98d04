#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_roofline.py LANESCOPE [--turns N] [--within PERCENT] [WORKLOAD...]

Runs lanescope and ncu in turn, N times (3), over the same kernels, and compares what the roofline shows: floating-point operations, bytes of device
memory, operations per byte, operations per second and bandwidth; the last two over gpu__time_duration in both. lanescope counts as it does by
itself: a counter run, then a memory run (DRAM bytes and time, in one pass); ncu gets the same two lists of raw metrics in two runs, --clock-control
none. Operations must be equal at every launch; of the others the medians of the turns may differ by PERCENT (2). Exit status 0: all within.

The kernels move more than the L2 cache holds: what a smaller one reads from DRAM is what the launch before left.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import compare_with_ncu

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import report_runs  # noqa: E402

CASES = [
    "copy-offset,offset=0",
    "transpose:pad",
    "matmul-ab:simple,m=6144,n=6144",
    "matmul-ab:ab-tiles,m=6144,n=6144",
    "math:float-constants,n=16777216",
    "math:double-constants,n=16777216",
]
KINDS = {"float_operations": "f", "double_operations": "d", "half_operations": "h"}
OPERATION = "smsp__sass_thread_inst_executed_op_{}{}_pred_on.sum"
OPERATIONS = [OPERATION.format(kind, op) for kind in KINDS.values() for op in ("add", "mul", "fma")]
MEMORY = ["dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum"]
FIGURES = ["bytes", "arithmetic_intensity", "operations_per_second", "dram_bandwidth_bytes_per_second"]


def lanescope_turn(lanescope, cases):
    """Per case and kernel: name, launches and the report's metrics."""
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "turn.lsr")
        subprocess.run([lanescope, "--record", recording, "--runs", "counters", *cases], check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run([lanescope, "report", recording, "--json"], check=True, stdout=subprocess.PIPE).stdout
    rows = []
    for run in report_runs.nested(json.loads(text))["runs"]:
        for kernel in run["kernels"]:
            values = {name: (of["value"], of["min"], of["max"]) for name, of in kernel["metrics"].items() if of["value"] is not None}
            missing = [name for name in (*KINDS, *FIGURES[1:], "dram_read_bytes", "dram_write_bytes") if name not in values]
            if missing:
                sys.exit(f"{kernel['name']}: lanescope has no " + ", ".join(missing))
            values["bytes"] = (values["dram_read_bytes"][0] + values["dram_write_bytes"][0], 0, 0)
            rows.append({"case": f"{run['workload']}:{run['variant']}", "kernel": kernel["name"], "launches": kernel["measured_launches"], "values": values})
    return rows


def ncu_turn(lanescope, cases, rows):
    """The same figures of the same kernels: medians over the launches, and operations launch by launch."""
    launches = [{**a, **b} for a, b in zip(*(compare_with_ncu.ncu_run(lanescope, cases, names) for names in (OPERATIONS, MEMORY)))]
    if sum(row["launches"] for row in rows) != len(launches):
        sys.exit(f"lanescope measured {sum(row['launches'] for row in rows)} launches, ncu {len(launches)}")
    turns, at = [], 0
    for row in rows:
        group = [{name: compare_with_ncu.number(launch[name]) for name in OPERATIONS + MEMORY} for launch in launches[at : at + row["launches"]]]
        at += row["launches"]
        found = {}
        for metric, kind in KINDS.items():
            add, multiply, fused = (OPERATION.format(kind, op) for op in ("add", "mul", "fma"))
            found[metric] = {launch[add] + launch[multiply] + 2 * launch[fused] for launch in group}
        middle = {name: statistics.median_low(launch[name] for launch in group) for name in MEMORY}
        operations = sum(min(found[metric]) for metric in ("float_operations", "double_operations"))
        read, written, time_ns = (middle[name] for name in MEMORY)
        found["bytes"] = read + written
        found["arithmetic_intensity"] = operations / (read + written)
        found["operations_per_second"] = operations * 1e9 / time_ns
        of_launches = [(launch[MEMORY[0]] + launch[MEMORY[1]]) * 1e9 / launch[MEMORY[2]] for launch in group]
        found["dram_bandwidth_bytes_per_second"] = statistics.median_low(of_launches)
        turns.append(found)
    return turns


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--within", type=float, default=2)
    parser.add_argument("cases", nargs="*", default=CASES)
    options = parser.parse_args()
    ours, theirs = [], []
    for _ in range(options.turns):
        ours.append(lanescope_turn(options.lanescope, options.cases))
        theirs.append(ncu_turn(options.lanescope, options.cases, ours[-1]))
    compared = wrong = 0
    print(f"{options.turns} turns; the medians may differ by {options.within} %, operations not at all")
    print(f"{'kernel; figure':40} {'lanescope':>16} {'ncu':>16}")
    for i, row in enumerate(ours[0]):
        print(f"{row['case']} {row['kernel']}, {row['launches']} launches")
        for metric in KINDS:
            mine = {number for turn in ours for number in turn[i]["values"][metric]}
            other = set().union(*(turn[i][metric] for turn in theirs))
            good = mine == other and len(mine) == 1
            compared += 1
            wrong += not good
            print(f"    {metric:36} {min(mine):16,.0f} {min(other):16,.0f} {'equal' if good else 'DIFFERS'}")
        for figure in FIGURES:
            mine = statistics.median(turn[i]["values"][figure][0] for turn in ours)
            other = statistics.median(turn[i][figure] for turn in theirs)
            off = 100 * (mine / other - 1) if other else 0.0 if mine == other else float("inf")
            compared += 1
            wrong += abs(off) > options.within
            print(f"    {figure:36} {mine:16,.6g} {other:16,.6g} {off:+.2f} %{'' if abs(off) <= options.within else ' DIFFERS'}")
    print(f"{len(ours[0])} kernels, {compared} comparisons, {wrong} differ")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
