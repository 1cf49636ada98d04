#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""curriculum.py: one table of what the bundled workloads gave, a row for each variant, for docs/results.

    curriculum.py TITLE REPORT.json[+MORE.json]... >TABLE.md

Each REPORT is a recording's `lanescope report --json`, one for a device; of one that has MORE, that has its workloads. Times are the medians of kernels' launches, from the
fastest to the slowest kernel of the variant's cases. Counts are of a whole case, all its measured launches: global memory's sectors over
the least that the accesses need, and the wavefronts of shared memory that conflicts added; the least and the most of the variant's cases.
"""

import json
import sys

import report_runs


def spread(numbers, scale, unit):
    texts = [f"{float(f'{number / scale:.3g}'):g}" for number in (min(numbers), max(numbers))] if numbers else []
    return f"{'..'.join(dict.fromkeys(texts))} {unit}" if texts else "-"


def bounded(text, bound):
    return f">= {text.strip()}" if bound else text.strip()


def value(kernel, metric):
    found = kernel["metrics"].get(metric) or {}
    return found.get("value")


def total(run, metrics):
    """Over all measured launches of a run's kernels: the sum, and whether it is only a lower bound; None where one was not counted."""
    numbers, bound = [], False
    for kernel in run["kernels"]:
        for metric in metrics:
            found = kernel["metrics"].get(metric) or {}
            if found.get("value") is None:
                return None, False
            numbers.append(found["value"] * max(kernel.get("measured_launches") or 1, 1))
            bound = bound or found["bound"] != "exact"
    return (sum(numbers), bound) if numbers else (None, False)


def counts(run, row):
    moved, _ = total(run, ["global_load_sectors", "global_store_sectors"])
    least, bounded = total(run, ["global_load_ideal_sectors", "global_store_ideal_sectors"])
    conflicts, at_least = total(run, ["shared_load_conflicts", "shared_store_conflicts"])
    if moved and least:
        row["waste"].append(moved / least)
        row["waste_bound"] |= bounded
    if conflicts is not None:
        row["conflicts"].append(conflicts)
        row["conflicts_bound"] |= at_least


def variants(report):
    rows = {}
    for run in report["runs"]:
        if "workload" not in run:
            continue
        row = rows.setdefault((run["workload"], run["variant"]), {"cases": 0, "verified": 0, "times": [], "bandwidths": [], "waste": [], "waste_bound": False,
                                                                     "conflicts": [], "conflicts_bound": False})
        row["cases"] += 1
        row["verified"] += run["verified"] is True
        counts(run, row)
        for kernel in run["kernels"]:
            row["times"] += [number for number in [value(kernel, "time_ns")] if number is not None]
            row["bandwidths"] += [number for number in [value(kernel, "effective_bandwidth_bytes_per_second")] if number]
    return rows


def load(paths):
    report = None
    for path in paths.split("+"):
        with open(path, encoding="utf-8") as file:
            more = report_runs.nested(json.load(file))
        if report:
            own = {run["workload"] for run in more["runs"]}
            report["runs"] = [run for run in report["runs"] if run["workload"] not in own] + more["runs"]
        else:
            report = more
    return report


def main():
    title, reports = sys.argv[1], [load(paths) for paths in sys.argv[2:]]
    tables = [variants(report) for report in reports]
    names = [report["devices"][0]["name"] + (", modelled" if report["runs"][0]["clock"] == "model" else "") for report in reports]
    print(f"# {title}\n\nMade by tests/tools/curriculum.py.\n")
    for name, table in zip(names, tables):
        cases, verified = (sum(row[what] for row in table.values()) for what in ("cases", "verified"))
        print(f"- {name}: {verified} of {cases} cases verified against the CPU reference")
    print("\n| workload:variant |" + "".join(f" {name}: verified | kernel time | effective bandwidth | sectors over ideal | bank conflicts |" for name in names))
    print("|---|" + "---|---|---|---|---|" * len(names))
    # On a GPU the libraries' rungs are a process of their own; the model, which comes last, has all rows in the order of the list.
    for key in dict.fromkeys(key for table in reversed(tables) for key in table):
        print(f"| {':'.join(key)} |", end="")
        for table in tables:
            row = table.get(key)
            cells = ["-"] * 5
            if row:
                cells = [f"{row['verified']} of {row['cases']}", spread(row["times"], 1e3, "us"), spread(row["bandwidths"], 1e9, "GB/s"),
                         bounded(spread(row["waste"], 1, ""), row["waste_bound"]), bounded(spread(row["conflicts"], 1, ""), row["conflicts_bound"])]
            print("".join(f" {cell} |" for cell in cells), end="")
        print()


if __name__ == "__main__":
    main()
