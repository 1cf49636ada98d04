# SPDX-License-Identifier: Apache-2.0
# gains.py ADVICE.md REPORT.json|LANESCOPE RECORDING: what each rule says that a fixed twin could gain at most, beside what
# the twin really gained; prints the tables of docs/results/gains.md. The report is of a recording made with --record FILE
# --all on a GPU. Pairs are the twins that docs/advice.md names ("try it"), at every value of the other parameters.
# Ends with 1 where fewer than 90 % of the bounds lie between the real gain and 1.5 times it.
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import report_runs  # noqa: E402

# What workloads call the amount of work: equal in both of a pair (core/analysis/compare_work.c).
SIZES = {"n", "m", "rounds", "passes", "reads", "bits", "kernels"}
ON_IDLE = {"launch_bound", "host_bound", "host_waits", "allocations", "module_loading", "exposed_collectives"}
SLACK = 0.02  # repeated runs differ by so much


def case(text):
    name, *params = text.split(",")
    workload, _, variant = name.partition(":")
    return workload, variant, dict(param.split("=") for param in params)


def twins(path):
    for section in open(path).read().split("\n## ")[1:]:
        found = re.search(r"try it: `lanescope ([^`]+)`, and fixed `lanescope ([^`]+)`", section)
        if found:
            yield re.match(r"`(\w+)`", section).group(1), case(found.group(1)), case(found.group(2))


def advice(run, rule):
    for kernel in run["kernels"]:
        for item in kernel["advice"]:
            if item["id"] == rule:
                return kernel, item
    return None, next((item for item in run["advice"] if item["id"] == rule), None)


def kernels_ns(run):
    return sum((kernel["time_ns"]["median"] or 0) * kernel["launches"] for kernel in run["kernels"])


def useful_bytes(run):
    kernel = run["kernels"][0]
    return (kernel["metrics"]["effective_bandwidth_bytes_per_second"]["value"] or 0) * kernel["time_ns"]["median"]


def twin_of(run, runs, rule, bad, fixed):
    variant = run["variant"]
    if bad[1] != fixed[1]:
        if fixed[1].startswith(bad[1]):  # "-pad"
            variant += fixed[1][len(bad[1]):]
        elif variant == bad[1]:
            variant = fixed[1]
        else:
            return None
    params = {name: value for name, value in run["params"].items() if name in SIZES or bad[2].get(name) == fixed[2].get(name)}
    params.update({name: int(value) for name, value in fixed[2].items() if bad[2].get(name) != value and name not in SIZES})
    for twin in runs:
        if twin is not run and twin["workload"] == run["workload"] and twin["variant"] == variant:
            if all(twin["params"].get(name) == value for name, value in params.items()) and not advice(twin, rule)[1]:
                return twin
    return None


def occupancy(run):
    return run["kernels"][0]["metrics"]["theoretical_occupancy_pct"]["value"] if run["kernels"] else 0


def next_of(run, runs):
    """The run with one more block on a multiprocessor, which is what the rule on occupancy bounds."""
    more = [other for other in runs if (other["workload"], other["variant"]) == (run["workload"], run["variant"]) and
            other["params"]["n"] == run["params"]["n"] and occupancy(other) > occupancy(run)]
    return min(more, key=occupancy, default=None)


def pair(run, twin, rule):
    kernel, item = advice(run, rule)
    bound = item["gain_at_most"]
    if kernel:
        before, after = kernels_ns(run), kernels_ns(twin)
        bound *= (kernel["time_ns"]["median"] or 0) * kernel["launches"] / before
        if useful_bytes(run) > 0 and useful_bytes(twin) > 0:  # a stride touches fewer words: time per useful byte
            after *= useful_bytes(run) / useful_bytes(twin)
    elif rule in ON_IDLE:
        before, after = run["verdict"]["span_ns"], twin["verdict"]["span_ns"]
    else:
        before, after = run["device_time_ns"], twin["device_time_ns"]
    return bound, 1 - after / before


def name(run):
    params = " ".join(f"{key}={value}" for key, value in run["params"].items() if key not in SIZES)
    return f"{run['workload']}:{run['variant']} {params}".strip()


advice_md, source, *recording = sys.argv[1:]
if recording:
    report = report_runs.nested(json.loads(subprocess.run([source, "report", "--json", *recording], check=True,
                                                          stdout=subprocess.PIPE).stdout))
else:
    report = report_runs.nested(json.load(open(source)))
runs = [run for run in report["runs"] if run["workload"] and run["verdict"] and run["device_time_ns"]]
rows, within = [], collections.Counter()
for rule, bad, fixed in twins(advice_md):
    for run in runs:
        item = advice(run, rule)[1] if run["workload"] == bad[0] else None
        twin = twin_of(run, runs, rule, bad, fixed) if item and not item["fine"] else None
        twin = next_of(run, runs) if twin and rule == "occupancy" else twin
        if twin:
            bound, real = pair(run, twin, rule)
            right = real - SLACK <= bound <= 1.5 * real + SLACK
            within[rule, right] += 1
            rows.append(f"| {rule} | {name(run)} | {name(twin)} | {100 * bound:.0f} % | {100 * real:.0f} % | "
                        f"{'yes' if right else 'NO'} |")
print("| rule | pairs | bound between the real gain and 1.5 times it |\n|---|---|---|")
for rule in dict.fromkeys(rule for rule, _ in within):
    print(f"| {rule} | {within[rule, True] + within[rule, False]} | {within[rule, True]} |")
right = sum(count for (_, yes), count in within.items() if yes)
print(f"| all | {len(rows)} | {right} ({100 * right / max(len(rows), 1):.0f} %) |\n")
print("| rule | run | fixed | gain at most | real gain | within |\n|---|---|---|---|---|---|")
print("\n".join(rows))
sys.exit(len(rows) == 0 or right < 0.9 * len(rows))
