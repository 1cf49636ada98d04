#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_with_ncu.py LANESCOPE [--turns N] [--keep FOLDER] [WORKLOAD...]

Runs lanescope and ncu in turn, N times (5), over the same bundled workloads, and prints both ranges per kernel and metric. lanescope counts as
it does by itself: a counter run, then a memory run (DRAM bytes and time, in one pass). ncu gets the same two lists of counters, in two runs.
Requests, sectors, sectors per request and instrumented wavefronts must be equal at every launch. Occupancy, DRAM bytes and time: the medians of
both may differ by the larger of ncu's own range and 3 % (DRAM: or 64 KB). Exit status 0: all within.

A kernel's value in a turn is its median launch's, the lower of two middle ones, in both tools: launches of one schedule differ by what the one
before left in the L2 cache, and a mean of the middle two is no launch's. DRAM bytes are also printed launch by launch, each the median of the turns.
"""
import argparse
import csv
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import report_runs  # noqa: E402

try:
    import sqlite3
except ImportError:  # then the launches of lanescope are not shown one by one
    sqlite3 = None

CASES = [
    "copy-offset,offset=0|1|8|17|32",
    "copy-stride,stride=1..4|7|8|16|32",
    "bank-stride:32-bit,stride=1|2|3|16|32|33",
    "bank-stride:8-bit,stride=1|4|33",
    "bank-stride:16-bit,stride=1|2|33",
    "bank-stride:64-bit,stride=1|2|16|33",
    "bank-stride:128-bit,stride=1|2|8|33",
    "transpose",
    "matmul-ab",
    "n-way:serial",
    "n-way:2-way",
    "staged-overlap:staged-pinned,streams=4",
]

# What a metric of lanescope is in ncu's counters: alternatives, each a sum of counters; all must agree.
SASS = "smsp__sass_l1tex_"
EXACT = {
    f"global_{name}_requests": [[f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum"]] for name, op in (("load", "ld"), ("store", "st"))
}
for name, op in (("load", "ld"), ("store", "st")):
    EXACT[f"global_{name}_sectors"] = [
        [f"{SASS}t_sectors_pipe_lsu_mem_global_op_{op}.sum"],
        [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum"],
    ]
    EXACT[f"shared_{name}_instructions"] = [[f"smsp__sass_inst_executed_op_shared_{op}.sum"]]
    EXACT[f"shared_{name}_wavefronts"] = [[f"{SASS}data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"]]
NOISY = {
    "time_ns": "gpu__time_duration.sum",
    "achieved_occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
}
# What lanescope's memory run takes, in one pass: in several each tool's own way of restoring memory shows in it (docs/cupti-notes.md).
ONE_PASS_COUNTERS = sorted(NOISY[metric] for metric in ("time_ns", "dram_read_bytes", "dram_write_bytes"))
BY_LAUNCH = ("dram_read_bytes", "dram_write_bytes")
COUNTERS = sorted(({c for ways in EXACT.values() for way in ways for c in way} | set(NOISY.values())) - set(ONE_PASS_COUNTERS))


def lanescope_turn(lanescope, cases, keep):
    """Per case and kernel: {"case", "kernel", "launches", "by_launch": {counter: [number]}, metric: (median, min, max)}, in the order they ran."""
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "turn.lsr")
        subprocess.run([lanescope, "--record", recording, "--runs", "counters", *cases], check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run([lanescope, "report", recording, "--json"], check=True, stdout=subprocess.PIPE).stdout
        by_launch = memory_runs(recording)
        if keep:
            shutil.copy(recording, keep)
    rows = []
    for run in report_runs.nested(json.loads(text))["runs"]:
        params = ",".join(f"{name}={value}" for name, value in run["params"].items())
        for kernel in run["kernels"]:
            row = {"case": f"{run['workload']}:{run['variant']},{params}", "kernel": kernel["name"], "launches": kernel["measured_launches"]}
            row["by_launch"] = by_launch[len(rows)] if by_launch else {}
            for metric in [*EXACT, *NOISY]:
                value = kernel["metrics"][metric]
                if value["value"] is not None and value["provenance"] == "measured":
                    row[metric] = (value["value"], value["min"], value["max"])
            rows.append(row)
    if by_launch and len(rows) != len(by_launch):
        sys.exit(f"the report has {len(rows)} kernels, the memory runs {len(by_launch)}")
    return rows


def memory_runs(recording):
    """Every kernel of the memory runs, in the order they ran: {counter: [number per launch]}."""
    if not sqlite3:
        return []
    query = """SELECT m.kernel, c.text, v.number FROM measurement m JOIN kernel k ON k.id = m.kernel JOIN run r ON r.id = k.run
               JOIN value v ON v.measurement = m.id JOIN string c ON c.id = v.counter WHERE r.mode = 2 ORDER BY r.id, k.id, m.start_ns"""
    kernels = {}
    with sqlite3.connect(f"file:{recording}?mode=ro", uri=True) as database:
        for kernel, counter, value in database.execute(query):
            kernels.setdefault(kernel, {}).setdefault(counter, []).append(value)
    return list(kernels.values())


def ncu_turn(lanescope, cases):
    """A dictionary of counters per launch, in the order they ran; the same two runs."""
    return [{**a, **b} for a, b in zip(ncu_run(lanescope, cases, COUNTERS), ncu_run(lanescope, cases, ONE_PASS_COUNTERS))]


def ncu_run(lanescope, cases, counters):
    child = [lanescope, "--workload-child", "counters", "cuda", "0", "default", *cases]
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control", "none"]
    environment = {k: v for k, v in os.environ.items() if k != "LANESCOPE_SOCKET" and not k.endswith("INJECTION64_PATH")}
    done = subprocess.run([*command, "--metrics", ",".join(counters), *child], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if done.returncode or first is None:
        sys.exit(f"ncu ended with {done.returncode}:\n" + "\n".join(lines[-20:]))
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[first:]))))
    return rows[1:]  # the first row holds units


def number(text):
    return float(text.replace(",", ""))


def ncu_by_case(launches, rows):
    """The launches in groups as lanescope's rows have them; each group: {metric alternative: [value per launch]}."""
    if sum(row["launches"] for row in rows) != len(launches):
        sys.exit(f"lanescope measured {sum(row['launches'] for row in rows)} launches, ncu {len(launches)}")
    groups, at = [], 0
    for row in rows:
        group = launches[at : at + row["launches"]]
        at += row["launches"]
        names = {launch["Kernel Name"].split("(")[0] for launch in group}
        if names != {row["kernel"].split("(")[0]}:
            sys.exit(f"lanescope's {row['kernel']} of {row['case']} is {names} in ncu")
        groups.append({c: [number(launch[c]) for launch in group] for c in [*COUNTERS, *ONE_PASS_COUNTERS]})
    return groups


def exact_line(metric, ours, theirs):
    """ours: (median, min, max) per turn; theirs: groups per turn."""
    mine = {v for turn in ours for v in turn}
    other = {sum(values) for group in theirs for way in EXACT[metric] for values in zip(*(group[c] for c in way))}
    return min(mine), max(mine), min(other), max(other), mine == other and len(mine) == 1


def noisy_line(metric, ours, theirs):
    mine = [turn[0] for turn in ours]
    other = [statistics.median_low(group[NOISY[metric]]) for group in theirs]
    middle = statistics.median(other)
    allowed = max(max(other) - min(other), 0.03 * middle, 65536 if metric.startswith("dram_") else 0)
    return min(mine), max(mine), min(other), max(other), abs(statistics.median(mine) - middle) <= allowed


def per_request_line(kind, ours, theirs):
    mine = {v / r for s, r in zip(ours[f"{kind}_sectors"], ours[f"{kind}_requests"]) for v, r in zip(s, r) if r}
    sectors, requests = EXACT[f"{kind}_sectors"][0][0], EXACT[f"{kind}_requests"][0][0]
    other = {s / r for group in theirs for s, r in zip(group[sectors], group[requests]) if r}
    return (min(mine), max(mine), min(other), max(other), mine == other and len(mine) == 1) if mine or other else None


def by_launch_lines(metric, ours, theirs):
    """The median of the turns for each launch of a schedule, in MB; nothing for a kernel that is launched once."""
    for name, turns in (("lanescope", [row["by_launch"] for row in ours]), ("ncu", theirs)):
        launches = list(zip(*(turn.get(NOISY[metric], []) for turn in turns)))
        if len(launches) > 1:
            yield f"        {name:9} launch by launch, MB " + " ".join(f"{statistics.median(values) / 1e6:.2f}" for values in launches)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--keep", metavar="FOLDER", help="lanescope's recording of the last turn goes there, as turn.lsr")
    parser.add_argument("cases", nargs="*", default=CASES)
    options = parser.parse_args()
    ours, theirs, seconds = [], [], [0.0, 0.0]
    for _ in range(options.turns):
        start = time.monotonic()
        ours.append(lanescope_turn(options.lanescope, options.cases, options.keep))
        middle = time.monotonic()
        theirs.append(ncu_by_case(ncu_turn(options.lanescope, options.cases), ours[-1]))
        seconds[0] += middle - start
        seconds[1] += time.monotonic() - middle

    wrong = compared = 0
    print(f"{options.turns} turns; lanescope {seconds[0] / options.turns:.1f} s a turn (with its report), ncu {seconds[1] / options.turns:.1f} s")
    print(f"{'case, kernel; metric':40} {'lanescope':>20} {'ncu':>33}")
    for i, row in enumerate(ours[0]):
        mine = {m: [turn[i][m] for turn in ours if m in turn[i]] for m in [*EXACT, *NOISY]}
        groups = [turn[i] for turn in theirs]
        lines = []
        for metric, values in mine.items():
            if len(values) != options.turns:
                lines.append((metric, None))
            else:
                lines.append((metric, (exact_line if metric in EXACT else noisy_line)(metric, values, groups)))
        for kind in ("global_load", "global_store"):
            if all(len(mine[f"{kind}_{what}"]) == options.turns for what in ("sectors", "requests")):
                found = per_request_line(kind, mine, groups)
                lines += [(f"{kind}_sectors_per_request", found)] if found else []
        print(f"{row['case']} {row['kernel']}, {row['launches']} launches")
        for metric, found in lines:
            compared += 1
            if found is None:
                wrong += 1
                print(f"    {metric:36} not measured by lanescope in every turn  DIFFERS")
                continue
            low, high, ncu_low, ncu_high, good = found
            wrong += not good
            verdict = "DIFFERS" if not good else "within" if metric in NOISY else "equal"
            print(f"    {metric:36} {low:16,.8g} .. {high:<16,.8g} {ncu_low:16,.8g} .. {ncu_high:<16,.8g} {verdict}")
            for line in by_launch_lines(metric, [turn[i] for turn in ours], groups) if metric in BY_LAUNCH else ():
                print(line)
    print(f"{len(ours[0])} kernels, {compared} comparisons, {wrong} differ")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
