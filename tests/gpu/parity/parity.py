#!/usr/bin/env python3
"""parity.py: what a GPU counted beside what the device model counts (docs/parity.md).

    parity.py kernels LANESCOPE PARITY_CUDA CUBINS OUT.csv
        Runs the parity kernels on this machine's GPU under lanescope's counters; a row for each launch.
    parity.py workloads REPORT.json OUT.csv
        Keeps the counts of a recording of the bundled workloads (`lanescope report --json FILE`), a row for each kernel of
        each run. "<=N": the counters of a GPU tell no more than that it is at most N.
    parity.py compare MODEL.json FOLDER [DOCUMENT.md]
        Compares a recording of the model with the kept counts FOLDER/workloads_h200.csv. Every difference in a count must be
        in FOLDER/workloads_known.csv (workload, variant, kernel, metric, why), every row there must still be needed, every
        variant without kept counts must be in FOLDER/not_measured.txt (a workload, or WORKLOAD:VARIANT, a line), and
        DOCUMENT must have the table of what was compared as it is now. Exit status 0: so it is.
"""

import collections
import csv
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
SECTORS = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_"
INSTRUCTIONS = "smsp__inst_executed_op_"
KERNEL_COUNTERS = {
    "global_load_requests": REQUESTS + "ld.sum",
    "global_store_requests": REQUESTS + "st.sum",
    "global_red_requests": REQUESTS + "red.sum",
    "global_atom_requests": REQUESTS + "atom.sum",
    "global_load_sectors": SECTORS + "global_op_ld.sum",
    "global_copy_sectors": SECTORS + "global_op_ldgsts.sum",
    "global_store_sectors": SECTORS + "global_op_st.sum",
    "global_red_sectors": SECTORS + "global_op_red.sum",
    "global_atom_sectors": SECTORS + "global_op_atom.sum",
    "local_load_sectors": SECTORS + "local_op_ld.sum",
    "local_store_sectors": SECTORS + "local_op_st.sum",
    "shared_load_instructions": INSTRUCTIONS + "shared_ld_pred_on_any.sum",
    "shared_store_instructions": INSTRUCTIONS + "shared_st_pred_on_any.sum",
    "shared_atomic_instructions": INSTRUCTIONS + "shared_atom_pred_on_any.sum",
    "shared_load_wavefronts": WAVEFRONTS + "ld.sum",
    "shared_store_wavefronts": WAVEFRONTS + "st.sum",
    "shared_atomic_wavefronts": WAVEFRONTS + "atom.sum",
    "shared_copy_wavefronts": WAVEFRONTS + "ldgsts.sum",
    "generic_loads": INSTRUCTIONS + "generic_ld_pred_on_any.sum",
    "generic_stores": INSTRUCTIONS + "generic_st_pred_on_any.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "branch_targets_divergent": "smsp__sass_branch_targets_threads_divergent.sum",
}

# Metrics that must agree, and those that are shown beside them.
EXACT = [
    f"{space}_{op}_{what}"
    for space, whats in (
        ("global", ("requests", "sectors", "ideal_sectors")),
        ("shared", ("instructions", "wavefronts", "ideal_wavefronts")),
        ("local", ("sectors",)),
    )
    for what in whats
    for op in ("load", "store")
]
SHOWN = ["active_threads_per_warp"]
DIGEST = "output_digest"
KEY = ["workload", "variant", "params", "kernel", "grid", "block"]


def kernels(lanescope, program, cubins, out):
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "parity.lsr")
        counters = ",".join(KERNEL_COUNTERS.values())
        command = [lanescope, "--record", recording, "--launches", "0", "--runs", "counters", "--counters", counters, "--", program, cubins]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        lines = [line.split() for line in done if len(line.split()) == 3 and line.split()[0].isdigit()]
        values = collections.defaultdict(dict)
        for measurement, counter, number in sqlite3.connect(recording).execute(
            "SELECT measurement.id, string.text, value.number FROM value JOIN measurement ON measurement.id = value.measurement "
            "JOIN string ON string.id = value.counter ORDER BY measurement.id"
        ):
            values[measurement][counter] = number
    if len(values) != len(lines):
        sys.exit(f"parity.py: {len(lines)} launches and {len(values)} measurements")
    with open(out, "w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "kernel", "digest", *KERNEL_COUNTERS])
        for line, measurement in zip(lines, sorted(values)):
            row = values[measurement]
            writer.writerow([*line, *(f"{row[name]:.0f}" if name in row else "" for name in KERNEL_COUNTERS.values())])
    print(f"{len(lines)} launches")


def rows(report, provenance):
    """Key to values, of the runs that were counted; several launches of one key must agree."""
    with open(report, encoding="utf-8") as file:
        runs = [run for run in json.load(file)["runs"] if "workload" in run]
    found = {}
    for run in runs:
        params = " ".join(f"{name}={value}" for name, value in run["params"].items())
        for kernel in run["kernels"]:
            grid, block = ("x".join(map(str, kernel[which])) for which in ("grid", "block"))
            key = (run["workload"], run["variant"], params, kernel["name"], grid, block)
            values = {DIGEST: run[DIGEST]}
            for metric in EXACT + SHOWN:
                value = kernel["metrics"].get(metric) or {}
                if value.get("provenance") == provenance:
                    values[metric] = value.get("value")
                else:
                    values[metric] = value.get(provenance)
                if values[metric] is not None:
                    bound = "<=" if value.get("provenance") == provenance and value["bound"] == "at-most" else ""
                    values[metric] = f"{bound}{values[metric]:.10g}"
            if values["global_load_requests"] is not None:
                found[key] = values
    return found


def workloads(report, out):
    found = rows(report, "measured")
    with open(out, "w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(KEY + [DIGEST] + EXACT + SHOWN)
        for key, values in found.items():
            writer.writerow([*key, *(values[name] or "" for name in [DIGEST] + EXACT + SHOWN)])
    print(f"{len(found)} kernels")


def csv_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def agrees(measured, modelled):
    if measured.startswith("<="):
        return modelled is not None and float(modelled) <= float(measured[2:])
    return measured == modelled


def table_of(cases):
    lines = ["| workload | kernels | counts compared | of these only bounded | kernels equal in all | outputs compared | what differs |",
             "|---|---|---|---|---|---|---|"]
    for workload, case in cases.items():
        differ = ", ".join(f"{metric} of {count}" for metric, count in sorted(case["differ"].items())) or "-"
        numbers = (case[what] for what in ("kernels", "counts", "bounded", "equal", "outputs"))
        lines.append(f"| {workload} | {' | '.join(map(str, numbers))} | {differ} |")
    return "\n".join(lines) + "\n"


def not_measured(model, kept, path):
    """Complaints about what has no kept counts, and about the list of it."""
    with open(path, encoding="ascii") as file:
        listed = {line.split()[0] for line in file if line.strip() and not line.startswith("#")}
    variants = {(key[0], f"{key[0]}:{key[1]}") for key in model}
    counted = {name for row in kept for name in (row["workload"], f"{row['workload']}:{row['variant']}")}
    complaints = [f"{variant} was not measured: list {workload} in {path}, or measure it"
                  for workload, variant in sorted(variants) if variant not in counted and not {workload, variant} & listed]
    complaints += [f"{name} was measured: take it out of {path}" for name in sorted(listed & counted)]
    complaints += [f"the model runs no {name}, which {path} lists" for name in sorted(listed - {name for both in variants for name in both})]
    return complaints


def compare(report, folder, document):
    model = rows(report, "modelled")
    kept = csv_rows(os.path.join(folder, "workloads_h200.csv"))
    known = {(row["workload"], row["variant"], row["kernel"], row["metric"]): row["why"]
             for row in csv_rows(os.path.join(folder, "workloads_known.csv"))}
    used, cases = set(), collections.OrderedDict()
    complaints = not_measured(model, kept, os.path.join(folder, "not_measured.txt"))
    for complaint in complaints:
        print(complaint)
    failures = len(complaints)
    for row in kept:
        key = tuple(row[name] for name in KEY)
        name = f"{row['workload']}:{row['variant']} {row['params']}, {row['kernel']}"
        case = cases.setdefault(row["workload"], {
            "kernels": 0, "equal": 0, "counts": 0, "bounded": 0, "outputs": 0, "differ": collections.Counter()})
        case["kernels"] += 1
        if key not in model:
            print(f"{name}: the model has no such kernel")
            failures += 1
            continue
        differs = False
        for metric in [DIGEST] + EXACT:
            if metric == DIGEST and not row[metric]:
                continue
            case["outputs" if metric == DIGEST else "counts"] += 1
            case["bounded"] += row[metric].startswith("<=")
            if agrees(row[metric], model[key][metric]):
                continue
            differs = True
            reason = (row["workload"], row["variant"], row["kernel"], metric)
            if reason in known:
                used.add(reason)
                case["differ"][metric] += 1
            else:
                print(f"{name}: {metric} is {row[metric] or 'not there'} on the GPU, {model[key][metric]} on the model")
                failures += 1
        case["equal"] += not differs
    for reason in sorted(set(known) - used):
        print(f"{':'.join(reason[:2])}, {reason[2]}: {reason[3]} no longer differs")
        failures += 1
    table = table_of(cases)
    print(table)
    if document:
        with open(document, encoding="utf-8") as file:
            if table not in file.read():
                print(f"{document} has another table")
                failures += 1
    return failures


def main():
    mode, *arguments = sys.argv[1:] or [""]
    if mode == "kernels" and len(arguments) == 4:
        kernels(*arguments)
    elif mode == "workloads" and len(arguments) == 2:
        workloads(*arguments)
    elif mode == "compare" and len(arguments) in (2, 3):
        sys.exit(1 if compare(*arguments[:2], arguments[2] if arguments[2:] else None) else 0)
    else:
        sys.exit(__doc__)


main()
