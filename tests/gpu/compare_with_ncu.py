#!/usr/bin/env python3
"""compare_with_ncu.py LANESCOPE [--turns N] [--json] [WORKLOAD...]

Runs lanescope and ncu in turn, N times (5), over the same bundled workloads, and prints both ranges per kernel and metric.
Each of them runs the workloads twice a turn: once with all counters, once with DRAM bytes and time alone, which then take one pass. Requests,
sectors, sectors per request and instrumented wavefronts must be equal at every launch. Occupancy, DRAM bytes and
time: the medians of both may differ by the larger of ncu's own range and 3 % (DRAM: or 64 KB). Exit status 0: all within.
"""
import argparse
import csv
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

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
    EXACT[f"shared_{name}_instructions"] = [[f"smsp__inst_executed_op_shared_{op}_pred_on_any.sum"]]
    EXACT[f"shared_{name}_wavefronts"] = [[f"{SASS}data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"]]
NOISY = {
    "time_ns": "gpu__time_duration.sum",
    "achieved_occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
}
# DRAM bytes and time are taken in one pass, by both: in several each tool's own way of restoring memory shows in them (docs/cupti-notes.md).
ONE_PASS = ["time_ns", "dram_read_bytes", "dram_write_bytes"]
ONE_PASS_COUNTERS = sorted(NOISY[metric] for metric in ONE_PASS)
COUNTERS = sorted(({c for ways in EXACT.values() for way in ways for c in way} | set(NOISY.values())) - set(ONE_PASS_COUNTERS))


def lanescope_run(lanescope, cases, options, metrics):
    """Per case and kernel: {"case", "kernel", "launches", metric: (median, min, max)}, in the order they ran."""
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "turn.lsr")
        subprocess.run([lanescope, "--record", recording, "--runs", "counters", *options, *cases], check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run([lanescope, "report", recording, "--json"], check=True, stdout=subprocess.PIPE).stdout
    rows = []
    for run in json.loads(text)["runs"]:
        params = ",".join(f"{name}={value}" for name, value in run["params"].items())
        for kernel in run["kernels"]:
            row = {"case": f"{run['workload']}:{run['variant']},{params}", "kernel": kernel["name"], "launches": kernel["measured_launches"]}
            for metric in metrics:
                value = kernel["metrics"][metric]
                if value["value"] is not None and value["provenance"] == "measured":
                    row[metric] = (value["value"], value["min"], value["max"])
            rows.append(row)
    return rows


def lanescope_turn(lanescope, cases):
    """All counters as they come by themselves, and those of ONE_PASS in a run of their own."""
    whole = lanescope_run(lanescope, cases, [], [m for m in [*EXACT, *NOISY] if m not in ONE_PASS])
    single = lanescope_run(lanescope, cases, ["--counters", ",".join(ONE_PASS_COUNTERS)], ONE_PASS)
    return [{**a, **{m: b[m] for m in ONE_PASS if m in b}} for a, b in zip(whole, single)]


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
    other = [statistics.median(group[NOISY[metric]]) for group in theirs]
    middle = statistics.median(other)
    allowed = max(max(other) - min(other), 0.03 * middle, 65536 if metric.startswith("dram_") else 0)
    return min(mine), max(mine), min(other), max(other), abs(statistics.median(mine) - middle) <= allowed


def per_request_line(kind, ours, theirs):
    mine = {v / r for s, r in zip(ours[f"{kind}_sectors"], ours[f"{kind}_requests"]) for v, r in zip(s, r) if r}
    sectors, requests = EXACT[f"{kind}_sectors"][0][0], EXACT[f"{kind}_requests"][0][0]
    other = {s / r for group in theirs for s, r in zip(group[sectors], group[requests]) if r}
    return (min(mine), max(mine), min(other), max(other), mine == other and len(mine) == 1) if mine or other else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("cases", nargs="*", default=CASES)
    options = parser.parse_args()
    ours, theirs, seconds = [], [], [0.0, 0.0]
    for _ in range(options.turns):
        start = time.monotonic()
        ours.append(lanescope_turn(options.lanescope, options.cases))
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
    print(f"{len(ours[0])} kernels, {compared} comparisons, {wrong} differ")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
