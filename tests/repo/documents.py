#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""documents.py ROOT LANESCOPE [--write]: docs/results/documents.md is what the device model gives for the documents' numbers in
document_figures.py. Counts and properties equal the documents', and no time deviates beyond its figure's bound."""
import functools
import json
import os
import statistics
import subprocess
import sys

from document_figures import COUNT, FIGURES, NOT_HERE
from lesson_runs import modelled

root, lanescope = sys.argv[1:3]
PAGE = f"{root}/docs/results/documents.md"
REASON = 0.05  # a figure whose worst point deviates more must say why
failures = []


def base_case(read):
    for word in ("faster than ", "span of ", "saved against "):
        if read.startswith(word):
            return [read[len(word):]]
    return []


@functools.lru_cache(maxsize=None)
def runs_of(options, cases):
    """The run of each case."""
    runs = modelled(*options, *cases)
    assert len(runs) == len(cases), f"{options} {cases}: {len(runs)} runs"
    for case, run in zip(cases, runs):
        assert case.split(",")[0] == f"{run['workload']}:{run['variant']}" and run["verified"], f"{case}: {run['workload']}:{run['variant']}"
        for word in case.split(",")[1:]:
            name, _, value = word.partition("=")
            assert run["params"][name] == int(value), f"{case}: {run['params']}"
    return dict(zip(cases, runs))


@functools.lru_cache(maxsize=None)
def properties_of(gpu):
    text = subprocess.run([lanescope, "device", "--model", gpu, "--json"], check=True, stdout=subprocess.PIPE).stdout
    return {row["id"]: row["value"] for row in json.loads(text)["sheets"]["properties"]["rows"]}


def kernel_ns(run):
    return run["kernels"][0]["time_ns"]["median"]


def value_read(run, read, runs):
    metrics = run["kernels"][0]["metrics"] if run["kernels"] else {}
    if read == "copy":
        copy = next(copy for copy in run["copies"] if copy["kind"] == "htod")
        return copy["bytes"] / copy["count"] / copy["median_ns"]
    if read.startswith("faster than "):
        return kernel_ns(runs[base_case(read)[0]]) / kernel_ns(run)
    if read.startswith("span of "):
        return run["overlap"]["span_ns"] / runs[base_case(read)[0]]["overlap"]["span_ns"]
    if read.startswith("saved against "):
        return (runs[base_case(read)[0]]["overlap"]["span_ns"] - run["overlap"]["span_ns"]) / 1e3
    if " x " in read:
        name, _, factor = read.partition(" x ")
        return metrics[name]["value"] * float(factor)
    if " / " in read:
        return metrics[read.split(" / ")[0]]["value"] / metrics[read.split(" / ")[1]]["value"]
    return metrics[read]["value"]


def number_resolved(number, read, runs):
    """The document's number; of a formula {"of the copy": share} that share of the copy to the device of the case compared with, in us."""
    if not isinstance(number, dict):
        return number
    copy = next(copy for copy in runs[base_case(read)[0]]["copies"] if copy["kind"] == "htod")
    return number["of the copy"] * copy["median_ns"] / 1e3


def deviation(number, ours):
    """As a share of the document's number; of the nearer end of a range."""
    least, most = number if isinstance(number, tuple) else (number, number)
    return ours / least - 1 if ours < least else ours / most - 1 if ours > most else 0.0


def points_of(figure):
    """(x, the document's number, ours, deviation) of each point."""
    if figure["options"] is None:
        values = [properties_of(case)[read] for _, _, case, read in figure["points"]]
    else:
        cases = []
        for _, _, case, read in figure["points"]:
            cases += [name for name in (*base_case(read), case) if name not in cases]
        runs = runs_of(figure["options"], tuple(cases))
        values = [value_read(runs[case], read, runs) for _, _, case, read in figure["points"]]
    numbers = [number_resolved(number, read, runs if isinstance(number, dict) else None) for _, number, _, read in figure["points"]]
    return [(x, number, ours, deviation(number, ours)) for (x, _, _, _), number, ours in zip(figure["points"], numbers, values)]


def number_text(value):
    if isinstance(value, tuple):
        return " to ".join(number_text(part) for part in value)
    return f"{value:,.0f}" if value == round(value) and value >= 1 else f"{value:.4g}"


def percent(share):
    return "0" if share == 0 else f"{100 * share:+.1f} %"


def bound_text(figure):
    return "equal" if figure["bound"] == COUNT else f"{100 * figure['bound']:.0f} %"


def command_text(figure):
    cases = []
    for _, _, case, read in figure["points"]:
        cases += [name for name in (*base_case(read), case) if name not in cases]
    if figure["options"] is None:
        return "`lanescope device --model " + "|".join(cases) + " --json`"
    return f"`lanescope --device simt {' '.join(figure['options'])} {' '.join(cases)}`"


def lessons_text(figure):
    """The lessons of the figure's workloads; those of a figure that runs nothing are none."""
    names = dict.fromkeys(case.split(":")[0] for _, _, case, _ in figure["points"])
    links = [f"[{name}](../lessons/{name}.md)" for name in names if os.path.exists(f"{root}/docs/lessons/{name}.md")]
    if figure["options"] is not None and len(links) < len(names):
        failures.append(f"{figure['name']}: a workload of {', '.join(names)} has no lesson")
    return f"Lesson: {', '.join(links)}." if links else "The sheet of a GPU; no lesson."


def figure_check(figure, points):
    worst = max(abs(point[3]) for point in points)
    if worst > figure["bound"]:
        failures.append(f"{figure['name']}: {percent(worst)} beside the document, beyond its bound ({bound_text(figure)})")
    if worst > REASON and not figure["why"]:
        failures.append(f"{figure['name']}: {percent(worst)} beside the document, and no reason")


def page_text():
    results = [(figure, points_of(figure)) for figure in FIGURES]
    lines = ["# The documents' numbers beside the device model's", "",
             "Made by `python3 tests/repo/documents.py . build/dev/lanescope --write` from the table in `tests/repo/document_figures.py`; a test holds this page against a new run. "
             "The numbers are modelled, on the GPU of the document where the model has it. A deviation is that of our number from the document's, as a share of the latter; "
             "where the document gives a range, from its nearer end. Counts and limits must be equal. The bound is where the test alarms: it stands above the deviation of today, so it finds changes and is no accuracy. "
             "**Fitted**: constants of the model were chosen to reproduce the figure, which then proves nothing.", "",
             "| figure | GPU | points | median deviation | worst | alarm at | fitted |", "|---|---|---|---|---|---|---|"]
    for figure, points in results:
        figure_check(figure, points)
        shares = [abs(point[3]) for point in points]
        lines.append(f"| {figure['name']} | {figure['gpu']} | {len(points)} | {100 * statistics.median(shares):.1f} % | {100 * max(shares):.1f} % | {bound_text(figure)} | {'yes' if figure['fitted'] else 'no'} |")
    for figure, points in results:
        unit = f", {figure['unit']}" if figure["unit"] else ""
        lines += ["", f"## {figure['name']}", "", f"{figure['document']}, {figure['where']}. GPU: {figure['gpu']}. {lessons_text(figure)}", "", command_text(figure), "",
                  f"| | document{unit} | lanescope{unit} | deviation |", "|---|---|---|---|"]
        lines += [f"| {x} | {number_text(number)} | {number_text(ours)} | {percent(share)} |" for x, number, ours, share in points]
        lines += ["", f"Fitted: {figure['fitted']}."] if figure["fitted"] else []
        lines += ["", figure["why"]] if figure["why"] else []
    lines += ["", "## Numbers that no run gives", "", "| document | number | why |", "|---|---|---|"]
    lines += [f"| {document} | {number} | {why} |" for document, number, why in NOT_HERE]
    return "\n".join(lines) + "\n"


text = page_text()
if sys.argv[3:] == ["--write"]:
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
elif not os.path.exists(PAGE) or open(PAGE, encoding="utf-8").read() != text:
    old = open(PAGE, encoding="utf-8").read().split("\n") if os.path.exists(PAGE) else []
    failures += [f"docs/results/documents.md lacks this line: {line}" for line in text.split("\n") if line not in old][:10] or ["docs/results/documents.md has lines that are not made"]
    failures.append("make it anew: python3 tests/repo/documents.py . build/dev/lanescope --write")
print("\n".join(failures) or f"{sum(len(figure['points']) for figure in FIGURES)} points of {len(FIGURES)} figures")
sys.exit(1 if failures else 0)
