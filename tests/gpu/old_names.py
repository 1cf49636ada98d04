#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""old_names.py REPORT.json: what the old profiler's counters and the bandwidths of every kernel must hold among themselves, and
what they must show of the cases of test_old_names.sh. Prints a table. Exit status 0: all holds."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import report_runs  # noqa: E402

COUNTERS = ("instructions", "branch", "divergent_branch", "gld_coherent", "gld_incoherent", "gst_incoherent", "warp_serialize", "local_load",
            "gputime", "cputime")
failures = []


def number(kernel, metric):
    return kernel["metrics"][metric]["value"]


def check(name, holds, what):
    if not holds:
        failures.append(f"{name}: {what}")


def is_near(a, b):
    return a is not None and b is not None and abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1e-9)


def check_kernel(name, kernel):
    metrics = kernel["metrics"]
    for metric in COUNTERS:
        check(name, metrics[metric]["value"] is not None, f"{metric} is not there: {metrics[metric]['why']}")
    if any(number(kernel, metric) is None for metric in COUNTERS):
        return
    check(name, number(kernel, "instructions") > 0 and number(kernel, "cputime") > 0, "nothing was executed, or launched")
    check(name, number(kernel, "divergent_branch") <= number(kernel, "branch"), "more branches part than there are")
    check(name, is_near(number(kernel, "local_load"), number(kernel, "local_load_sectors")), "local_load is not local_load_sectors")
    check(name, is_near(number(kernel, "gputime") * 1000, number(kernel, "time_ns")), "gputime is not the time")
    x, y, z = kernel["grid"]
    check(name, number(kernel, "cta_launched") == x * y * z, "cta_launched is not the grid")
    check(name, is_near(number(kernel, "occupancy") * 100, number(kernel, "theoretical_occupancy_pct")), "occupancy is another")
    check(name, is_near(number(kernel, "gld_coherent") + number(kernel, "gld_incoherent"), number(kernel, "global_load_requests")),
          "coherent and incoherent loads are not the requests")
    for metric in ("gld_incoherent", "gst_incoherent"):
        value = metrics[metric]
        expected = value["expected"]
        if expected is not None:
            check(name, value["value"] == expected if value["bound"] == "exact" else value["value"] >= expected,
                  f"{metric} is {value['bound']} {value['value']}, expected {expected}")
    moved, peak = number(kernel, "dram_bandwidth_bytes_per_second"), number(kernel, "theoretical_bandwidth_bytes_per_second")
    check(name, moved is not None and peak is not None, f"no bandwidth: {metrics['dram_bandwidth_bytes_per_second']['why']}")
    if moved is not None and peak is not None:
        check(name, 0 <= moved <= 1.02 * peak, f"DRAM moved {moved:.3g} B/s of {peak:.3g} in theory")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        runs = [run for run in report_runs.nested(json.load(file))["runs"] if "workload" in run]
    found = {}
    print(f"{'case':38}", *(f"{name[:13]:>13}" for name in COUNTERS), f"{'effective':>10} {'DRAM':>10} {'theory':>10}")
    for run in runs:
        name = f"{run['workload']}:{run['variant']}," + ",".join(f"{k}={v}" for k, v in run["params"].items() if k != "n")
        for kernel in run["kernels"]:
            check_kernel(name, kernel)
            found[name] = kernel
            values = [kernel["metrics"][metric] for metric in COUNTERS]
            signs = {"exact": "", "at-most": "<=", "at-least": ">="}
            rates = [number(kernel, f"{which}_bandwidth_bytes_per_second") or 0 for which in ("effective", "dram", "theoretical")]
            print(f"{name:38}", *(f"{signs[v['bound']] + format(v['value'] if v['value'] is not None else float('nan'), '.6g'):>13}" for v in values),
                  *(f"{rate / 1e9:7.0f} GB" for rate in rates))
    one, eight = found.get("copy-stride:copy,stride=1"), found.get("copy-stride:copy,stride=8")
    lane, warp = found.get("divergence:lane,ways=8"), found.get("divergence:warp,ways=8")
    check("copy-stride", one and number(one, "gld_incoherent") == 0, "a copy in a row has incoherent loads")
    check("copy-stride", eight and number(eight, "gld_incoherent") > 0, "a copy with a stride of 8 has no incoherent loads")
    check("divergence", lane and warp and number(lane, "divergent_branch") > number(warp, "divergent_branch"),
          "lanes that part make no more divergent branches than warps that do")
    for failure in failures:
        print("FAILED", failure)
    print(f"{len(found)} cases, {len(failures)} complaints")
    return 1 if failures or not found else 0


if __name__ == "__main__":
    sys.exit(main())
