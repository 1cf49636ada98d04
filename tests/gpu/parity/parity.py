#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parity.py: what a GPU counted beside what the device model counts (docs/parity.md).

    parity.py kernels LANESCOPE PARITY_CUDA CUBINS OUT.csv
        Runs the parity kernels on this machine's GPU, alone and under lanescope's counters; a row for each launch: what it left
        in memory, and its counters. Those it could not be counted with are left empty.
    parity.py workloads REPORT.json OUT.csv
        Keeps the counts of a recording of the bundled workloads (`lanescope report --json FILE`), a row for each kernel of
        each run, and the digest of what the run computed. "<=N": the counters of a GPU tell no more than that it is at most N.
        Rows that OUT.csv has of other variants stay; those of these variants are replaced where they stand.
    parity.py compare MODEL.json FOLDER [DOCUMENT.md]
        Compares a recording of the model with the kept counts FOLDER/workloads_h200.csv. Every difference in a count must be
        in FOLDER/workloads_known.csv (workload, variant, kernel, metric, why; "unsteady: why" is not compared), every row
        there must still be needed, every variant without kept counts must be in FOLDER/not_measured.txt (a workload, or
        WORKLOAD:VARIANT, a line), and DOCUMENT must have the tables of what was compared, and of the threads per
        instruction, as they are now. Exit status 0: so it is.
"""

import collections
import csv
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools'))
import report_runs  # noqa: E402

WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
SECTORS = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_"
INSTRUCTIONS = "smsp__inst_executed_op_"
KERNEL_COUNTERS = [
    *(REQUESTS + op for op in ("ld.sum", "st.sum", "red.sum", "atom.sum")),
    *(SECTORS + "global_op_" + op for op in ("ld.sum", "ldgsts.sum", "st.sum", "red.sum", "atom.sum")),
    *(SECTORS + "local_op_" + op for op in ("ld.sum", "st.sum")),
    *("smsp__sass_inst_executed_op_shared_" + op for op in ("ld.sum", "st.sum", "atom.sum")),
    *(WAVEFRONTS + op for op in ("ld.sum", "st.sum", "atom.sum", "ldgsts.sum")),
    *(INSTRUCTIONS + "generic_" + op + "_pred_on_any.sum" for op in ("ld", "st")),
    *("smsp__sass_data_bytes_mem_global_op_" + op for op in ("ld.sum", "ldgsts.sum", "st.sum")),
    *("smsp__sass_inst_executed_op_memory_" + width for width in ("8b.sum", "16b.sum", "64b.sum", "128b.sum")),
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
]
KERNEL_SECONDS = 20  # to measure them in, all told
KERNEL_RESTARTS = 8

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
THREADS = "active_threads_per_warp"
THREADS_EQUAL = 0.01
DIGEST = "output_digest"
UNSTEADY = "unsteady: "  # so begins why a count is not compared at all: it is another one in each run
LIBRARIES = {"cub", "cublas"}  # variants whose kernels are a library's, which the model does not run
KEY = ["workload", "variant", "params", "kernel", "grid", "block"]


class Kernels:
    """parity_cuda's cases: what each left in memory (digest) and what it was counted as. A case in which the program ends early
    is left out, and the next begins a new process."""

    def __init__(self, program, cubins):
        self.command, self.until = [program, cubins], time.monotonic() + KERNEL_SECONDS

    def run(self, before, first, count):
        """[(case, kernel, digest)] of the cases done, and the case begun last where it was not done."""
        command = [*before, *self.command, str(first), str(count)]
        left_s = self.until - time.monotonic()
        if left_s < 1:
            print(f"no time was left for cases from {first}")
            return [], None
        with subprocess.Popen(["timeout", "-k", "1", f"{left_s:.1f}", *command], stdout=subprocess.PIPE, text=True) as process:
            lines = [line.split() for line in process.stdout]
        status = process.returncode
        done = [(int(line[0]), *line[1:]) for line in lines if len(line) == 3 and line[0].isdigit()]
        begun = [(int(line[1]), line[2]) for line in lines if len(line) == 3 and line[0] == "begin"]
        if status and not begun:
            print("\n".join([*map(" ".join, lines[-9:]), f"exit status {status} of {' '.join(command)}"]))
            return [], None
        failed = begun[-1] if status and len(begun) > len(done) else None
        if status:
            print(f"case {begun[-1][0]} {begun[-1][1]}: exit status {status} {'in' if failed else 'after'} it, of {command[0]}")
        return done, failed

    def all(self, once):
        """The cases by number, from once(first, count), which returns what run does; and those that failed."""
        cases, failures, first = {}, [], 0
        for _ in range(KERNEL_RESTARTS):
            done, failed = once(first, 100000)
            cases.update({case[0]: case for case in done})
            if not failed:
                break
            failures.append(failed)
            first = failed[0] + 1
        return cases, failures

    def counted(self, lanescope, counters, first, count, values):
        """As run does; and the counters of each case into values."""
        with tempfile.TemporaryDirectory() as folder:
            recording = os.path.join(folder, "parity.lsr")
            done, failed = self.run([lanescope, "--record", recording, "--launches", "0", "--runs", "counters", "--counters",
                                     ",".join(counters), "--"], first, count)
            measured = collections.defaultdict(dict)
            if not os.path.exists(recording):
                return done, failed
            for measurement, counter, number in sqlite3.connect(recording).execute(
                "SELECT measurement.id, string.text, value.number FROM value JOIN measurement ON measurement.id = value.measurement "
                "JOIN string ON string.id = value.counter ORDER BY measurement.id"
            ):
                measured[measurement][counter] = number
        if len(measured) not in (len(done), len(done) + (failed is not None)):
            print(f"cases from {first}: {len(done)} launches and {len(measured)} measurements")
            return [], failed
        for case, measurement in zip(done, sorted(measured)):
            values[case[0]].update(measured[measurement])
        return done, failed


def kernels(lanescope, program, cubins, out):
    all_cases = Kernels(program, cubins)
    alone, _ = all_cases.all(lambda first, count: all_cases.run([], first, count))
    if not alone:
        sys.exit("parity.py: none of the cases ran")
    values = collections.defaultdict(dict)
    cases, failures = all_cases.all(lambda first, count: all_cases.counted(lanescope, KERNEL_COUNTERS, first, count, values))
    for number, _ in failures:  # perhaps it is one of the counters
        for half in (KERNEL_COUNTERS[::2], KERNEL_COUNTERS[1::2]):
            all_cases.counted(lanescope, half, number, 1, values)
    with open(out, "w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "kernel", "digest", *KERNEL_COUNTERS])
        for number, case in sorted({**{failed[0]: (*failed, "") for failed in failures}, **cases, **alone}.items()):
            if number in cases and cases[number] != case:
                print(f"case {number} {case[1]}: counted it left {cases[number][2]} in memory, alone {case[2]}")
            row = values[number]
            writer.writerow([*case, *(f"{row[name]:.0f}" if name in row else "" for name in KERNEL_COUNTERS)])
    print(f"{len(alone)} cases run, {len(cases)} counted, {len(failures)} failures")
    return not failures and len(cases) == len(alone) and all(cases[number] == alone[number] for number in cases)


def rows(report, provenance):
    """Key to values, of the runs that were counted; several launches of one key must agree."""
    with open(report, encoding="utf-8") as file:
        runs = [run for run in report_runs.nested(json.load(file))["runs"] if "workload" in run and run["variant"] not in LIBRARIES]
    found = {}
    for run in runs:
        params = " ".join(f"{name}={value}" for name, value in run["params"].items())
        for kernel in run["kernels"]:
            grid, block = ("x".join(map(str, kernel[which])) for which in ("grid", "block"))
            key = (run["workload"], run["variant"], params, kernel["name"], grid, block)
            values = {DIGEST: run[DIGEST]}
            for metric in [*EXACT, THREADS]:
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


def digests(report):
    """Of the runs, also of those that only a trace run made: (workload, variant, params) to what it computed."""
    with open(report, encoding="utf-8") as file:
        runs = [run for run in report_runs.nested(json.load(file))["runs"] if "workload" in run]
    return {(run["workload"], run["variant"], " ".join(f"{name}={value}" for name, value in run["params"].items())): run[DIGEST]
            for run in runs}


def csv_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def workloads(report, out):
    found = rows(report, "measured")
    count, variants, merged = len(found), {key[:2] for key in found}, {}
    for row in csv_rows(out) if os.path.exists(out) else []:
        variant = (row["workload"], row["variant"])
        if variant in variants:
            merged.update((key, values) for key, values in found.items() if key[:2] == variant)
        else:
            merged[tuple(row[name] for name in KEY)] = row
    merged.update(found)
    outputs = digests(report)
    for key, values in merged.items():
        values[DIGEST] = outputs.get(key[:3]) or values[DIGEST]
    with open(out, "w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*KEY, DIGEST, *EXACT, THREADS])
        for key, values in merged.items():
            writer.writerow([*key, *(values[name] or "" for name in [DIGEST, *EXACT, THREADS])])
    print(f"{count} kernels, {len(merged)} in all")


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


def threads_table(threads):
    """Of the workloads in which threads per instruction differ: (measured, modelled, variant) by workload."""
    lines = ["| workload | kernels | equal | farthest: variant | H200 | model |", "|---|---|---|---|---|---|"]
    same = 0
    for workload, cases in threads.items():
        equal = sum(abs(measured - modelled) <= THREADS_EQUAL for measured, modelled, _ in cases)
        if equal == len(cases):
            same += equal
            continue
        measured, modelled, variant = max(cases, key=lambda case: abs(case[0] - case[1]) / case[0])
        lines.append(f"| {workload} | {len(cases)} | {equal} | {variant} | {measured:.2f} | {modelled:.2f} |")
    lines.append(f"| all others | {same} | {same} | - | - | - |")
    return "\n".join(lines) + "\n"


def compare(report, folder, document):
    model = rows(report, "modelled")
    kept = csv_rows(os.path.join(folder, "workloads_h200.csv"))
    known = {(row["workload"], row["variant"], row["kernel"], row["metric"]): row["why"]
             for row in csv_rows(os.path.join(folder, "workloads_known.csv"))}
    used, cases, threads = set(), collections.OrderedDict(), collections.OrderedDict()
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
            reason = (row["workload"], row["variant"], row["kernel"], metric)
            if known.get(reason, "").startswith(UNSTEADY):
                used.add(reason)
                continue
            if metric == DIGEST and not row[metric]:
                continue
            case["outputs" if metric == DIGEST else "counts"] += 1
            case["bounded"] += row[metric].startswith("<=")
            if agrees(row[metric], model[key][metric]):
                continue
            differs = True
            if reason in known:
                used.add(reason)
                case["differ"][metric] += 1
            else:
                print(f"{name}: {metric} is {row[metric] or 'not there'} on the GPU, {model[key][metric]} on the model")
                failures += 1
        case["equal"] += not differs
        if row[THREADS]:
            threads.setdefault(row["workload"], []).append(
                (float(row[THREADS]), float(model[key][THREADS]), f"{row['variant']} {row['params']}"))
    for reason in sorted(set(known) - used):
        print(f"{':'.join(reason[:2])}, {reason[2]}: {reason[3]} no longer differs")
        failures += 1
    for table in (table_of(cases), threads_table(threads)):
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
        sys.exit(0 if kernels(*arguments) else 1)
    elif mode == "workloads" and len(arguments) == 2:
        workloads(*arguments)
    elif mode == "compare" and len(arguments) in (2, 3):
        sys.exit(1 if compare(*arguments[:2], arguments[2] if arguments[2:] else None) else 0)
    else:
        sys.exit(__doc__)


main()
