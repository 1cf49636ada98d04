#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""atomic_passes.py REPORT.json

Reads what `lanescope report --json` says of workloads that ran on a GPU and on the device model at the same size (--device both), and checks the
passes of atomics in L2: what the GPU counted must be what the model counted, exactly, or up to SPREAD more where requests span more than 512 bytes
(histogram with 256 bins and more, as an H200 has it). Prints a line per kernel, with how busy the slice is where most meet and the times of both. Exit
status 0: all so, and some were counted.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import report_runs  # noqa: E402

SPREAD = 0.02


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = report_runs.nested(json.load(file))
    counted = wrong = 0
    for run in report["runs"]:
        params = ",".join(f"{name}={value}" for name, value in run["params"].items())
        for kernel in run["kernels"]:
            passes, busiest, time = (kernel["metrics"][name] for name in ("atomic_passes", "atomic_busiest_pct", "time_ns"))
            if passes["provenance"] != "measured" or passes["value"] is None or passes["modelled"] is None:
                continue
            counted += 1
            more = passes["value"] - passes["modelled"]
            spread = run["workload"] == "histogram" and int(run["params"]["bins"]) >= 256 and 0 < more <= SPREAD * passes["modelled"]
            wrong += bool(more) and not spread
            print(f"{'equal' if not more else 'more' if spread else 'DIFFERENT'} {run['workload']}:{run['variant']},{params} {kernel['name']}: {passes['value']:.0f} passes, model "
                  f"{passes['modelled']:.0f}; busiest slice {busiest['value']:.1f} %, model {busiest['modelled'] or 0:.1f} %; "
                  f"{(time['value'] or 0) / 1e3:.1f} us, model {(time['modelled'] or 0) / 1e3:.1f} us")
    print(f"{counted} kernels, {wrong} different")
    sys.exit(0 if counted and not wrong else 1)


main()
