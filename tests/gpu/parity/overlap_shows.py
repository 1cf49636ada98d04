#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""overlap_shows.py REPORT.json: do the lessons on overlap show at the size at which REPORT, of the device model, ran the workloads?

A class without GPUs sees the small size on the model: there n-way must take less with each way more, chunks less than the whole,
and kernels of other streams must run side by side, so far as the lesson says. Exit status 1, and a line for each that does not.
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools'))
import report_runs  # noqa: E402


class Runs:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.runs = [run for run in report_runs.nested(json.load(file))["runs"] if run.get("overlap")]

    def overlap(self, workload, variant, **params):
        found = [run["overlap"] for run in self.runs
                 if (run["workload"], run["variant"]) == (workload, variant) and params.items() <= run["params"].items()]
        if len(found) != 1:
            sys.exit(f"{len(found)} runs of {workload}:{variant} {params}")
        return found[0]

    def busy_ns(self, *case, **params):
        overlap = self.overlap(*case, **params)
        return overlap["kernel_busy_ns"] + overlap["copy_busy_ns"] - overlap["copy_hidden_ns"]


def complaints(runs):
    """(what should hold, does it) of all that the lessons say."""
    ways = ["serial", "2-way", "3-way", "4-way"]
    for more, fewer in zip(ways[1:], ways):
        yield f"n-way:{more} takes less than {fewer}", runs.busy_ns("n-way", more) < runs.busy_ns("n-way", fewer)
    two = runs.overlap("n-way", "2-way")
    yield "n-way:2-way hides a tenth of its copies", two["copy_hidden_ns"] > two["copy_busy_ns"] / 10
    whole = runs.busy_ns("staged-overlap", "whole-pinned")
    for streams in (2, 4, 8):
        staged = runs.busy_ns("staged-overlap", "staged-pinned", streams=streams)
        yield f"{streams} chunks take less than the whole", staged < whole
    for streams in (2, 4, 8):
        pageable = runs.overlap("staged-overlap", "staged-pageable", streams=streams)
        yield f"{streams} pageable chunks hide nothing", pageable["copy_hidden_ns"] == 0
    small = runs.overlap("staged-overlap", "staged-pageable", streams=16)  # each fits into the driver's buffer
    yield "16 pageable chunks hide less than a quarter of their copies", small["copy_hidden_ns"] < small["copy_busy_ns"] / 4
    orders = [runs.busy_ns("issue-order", variant) for variant in ("depth-first", "breadth-first")]
    yield "the order of issue does not matter", orders[0] == orders[1]
    for variant, beside in [("streams", True), ("non-blocking", True), ("per-thread", True), ("legacy", False), ("allocation", False)]:
        active = runs.overlap("default-stream", variant)["mean_active_streams"]
        yield f"default-stream:{variant}: {active:.2f} streams at once", active > 2.5 if beside else active == 1
    alone_ns = runs.overlap("concurrent-kernels", "kernels", kernels=16, streams=1)["kernel_busy_ns"]
    for streams, gain in [(2, 1.9), (4, 3.6), (8, 6), (16, 8)]:
        together_ns = runs.overlap("concurrent-kernels", "kernels", kernels=16, streams=streams)["kernel_busy_ns"]
        yield f"16 kernels in {streams} streams: {together_ns} of {alone_ns} ns", together_ns * gain < alone_ns


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failed = [what for what, holds in complaints(Runs(sys.argv[1])) if not holds]
    for what in failed:
        print(f"not so: {what}")
    sys.exit(1 if failed else 0)


main()
