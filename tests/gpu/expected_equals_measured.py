#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""expected_equals_measured.py REPORT.json

Reads what `lanescope report --json` says of a recording of the bundled workloads, and checks that every count that follows from a
kernel's access sites is what the hardware counted, exactly and at every measured launch. Prints one line per workload and one per
difference. What has no expected value (libraries' kernels, and accesses that depend on the data) and cases that could not be
run here are named. Exit status 0: all equal.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import report_runs  # noqa: E402

COUNTS = [
    f"{space}_{op}_{what}"
    for space, whats in (
        ("global", ("requests", "sectors", "ideal_sectors", "excess_sectors", "sectors_per_request")),
        ("shared", ("instructions", "wavefronts", "ideal_wavefronts", "conflicts")),
    )
    for op in ("load", "store")
    for what in whats
]


def case_name(run):
    params = ",".join(f"{name}={value}" for name, value in run["params"].items())
    return f"{run['workload']}:{run['variant']},{params}"


def differences(metric, value):
    """Why this value is not the expected one; nothing if it is."""
    if value is None:
        yield "is not in the report"
    elif value["expected"] is None:  # a ratio, where there are no requests
        return
    elif value["value"] is None or value["provenance"] != "measured":
        yield f"was not measured: {value['why']}"
    elif value["bound"] != "exact":  # the counters only bound it
        if (value["max"] > value["expected"]) if value["bound"] == "at-least" else (value["min"] < value["expected"]):
            yield f"is {value['bound']} {value['value']}, expected {value['expected']}"
    elif not value["value"] == value["min"] == value["max"] == value["expected"]:
        yield f"is {value['value']} ({value['min']} to {value['max']} over {value['n']} launches), expected {value['expected']}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        runs = [run for run in report_runs.nested(json.load(file))["runs"] if "workload" in run]
    compared, wrong, cases, without, not_run = {}, 0, {}, set(), []
    for run in runs:
        name = run["workload"]
        if run["verified"] is None and not run["kernels"] and not run["copies"]:
            not_run.append(case_name(run))
            continue
        cases[name] = cases.get(name, 0) + 1
        complaints = []
        if run["verified"] is not True:
            complaints.append("was not verified")
        if not run["kernels"] and not run["copies"]:
            complaints.append("has neither kernel nor copy")
        for kernel in run["kernels"]:
            values = {metric: kernel["metrics"].get(metric) for metric in COUNTS}
            expected = sum(value is not None and value["expected"] is not None for value in values.values())
            if f"{name}:{run['variant']}" == "launch:graph":  # CUPTI counts no kernels of graphs
                continue
            if not expected:
                without.add(f"{name}:{run['variant']}")
                continue
            for metric, value in values.items():
                if value is not None and value["expected"] is None and not metric.endswith("_per_request"):
                    without.add(f"{name}:{run['variant']} {metric}")
                    continue
                complaints += [f"{kernel['name']}: {metric} {why}" for why in differences(metric, value)]
            compared[name] = compared.get(name, 0) + expected
        for complaint in complaints:
            print(f"{case_name(run)} {complaint}")
        wrong += len(complaints)
    for name, count in cases.items():
        print(f"{name:16} {count:4} cases, {compared.get(name, 0):5} counts compared")
    print(f"no expected value: {', '.join(sorted(without)) or 'none'}")
    print(f"not run here: {', '.join(not_run) or 'none'}")
    print(f"{sum(cases.values())} cases, {sum(compared.values())} counts compared, {wrong} complaints")
    return 1 if wrong or not sum(compared.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
