# SPDX-License-Identifier: Apache-2.0
"""One quantity, one number: the views and reports of every recording of a folder against `report --json`.

`consistency.py LANESCOPE FOLDER_OR_FILE...` captures the views of each recording, takes from them each quantity of the table QUANTITIES, and fails where a number
differs from the reference by more than the rounding of what is printed, or where a green tick meets a reason. A row that no recording shows fails, too.
Beside a folder of a GPU's recordings, runs on the device model are recorded and compared: several, and one alone.
`--planted` corrupts, for each place of each row, a number of a captured view: each wrong copy must be seen.
TEST_EVERY, in the environment: one in so many of the recordings.
"""

import json
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import report_runs  # noqa: E402

SIZE = "160x50"
ON_MODEL = {
    "model_runs": ["transpose,n=128", "copy-stride,stride=1..3,n=65536", "n-way,n=65536,rounds=4"],
    "model_run": ["n-way:serial,n=65536,rounds=4"],
}
KERNELS_SHOWN = (0, 3, 7)  # rows of the list of kernels, not folded, whose run is looked at; further rows than there are: the last
KERNEL_VIEWS = {"kernels": "", "o": " o", "a": " a", "R": " R", "X": " X", "p": " p"}
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "%": 1, "x": 1, "": 1}
NUMBER = r"[\d,]+(?:\.\d+)?"
TIME = rf"{NUMBER} (?:ns|us|ms|s)\b"
RUN = r"[\w-]+:\S+(?: [\w-]+=\S+)*"
NAME = r"(?P<run>\S+(?: \S+=\S+)*(?:, pid \d+)?)"


class Recording:
    """The reference and the captured texts of one file."""

    def __init__(self, lanescope, path):
        self.path = path
        self.lanescope = lanescope
        self.texts = {}
        document = json.loads(self.output("report", path, "--json"))
        self.sheets, self.data = document["sheets"], report_runs.nested(document)
        self.runs = {}
        for run in self.data["runs"]:
            self.runs.setdefault(run_name(run), []).append(run)
        self.texts["report"] = self.output("report", path)
        self.texts["--full"] = self.output("report", path, "--full", "--wide")
        self.texts["--csv"] = self.output("report", path, "--table", "kernels", "--csv")
        self.texts["r"] = self.screen("r") + self.screen("r z") + self.screen("r z PGDN PGDN")
        self.texts["w"] = self.screen("w")
        self.texts["what-if"] = self.screen(";")
        for row in KERNELS_SHOWN:
            for view, keys in KERNEL_VIEWS.items():
                self.texts[f"{view} {row}"] = self.screen("z" + " j" * row + keys)
        pair = self.pair_to_compare()
        if pair:
            self.texts["diff"] = self.output("diff", *(f"{path}:{name.replace(' ', ',')}" for name in pair))

    def launches(self):
        """The durations of all launches in trace runs and on the model, by the kernel's name."""
        if not hasattr(self, "durations"):
            self.durations = {}
            with sqlite3.connect(f"file:{self.path}?mode=ro&immutable=1", uri=True) as file:
                for name, ns in file.execute("SELECT l.kernel, l.duration_ns FROM launches l JOIN kernels k ON k.id = l.kernel_id WHERE k.mode = 'trace'"):
                    self.durations.setdefault(name, []).append(ns)
        return self.durations

    def output(self, *arguments):
        done = subprocess.run([self.lanescope, *arguments], capture_output=True, check=False, timeout=60)
        if done.returncode not in (0, 1):
            raise SystemExit(f"lanescope {' '.join(arguments)}: status {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace")

    def screen(self, keys):
        return self.output("view", self.path, "--snapshot", "text", "--size", SIZE, "--keys", keys)

    def pair_to_compare(self):
        """The first two variants of a workload that have device times: their names."""
        first = {}
        for run in self.data["runs"]:
            if run.get("workload") and device_time(run) and ":" in run_name(run):
                other = first.setdefault(run["workload"], run)
                if other["variant"] != run["variant"]:
                    return run_name(other), run_name(run)
        return None

    def named(self, text):
        """The runs that a view names so. A view may end a name by an ellipsis, or leave the workload out; the report has blanks between parameters."""
        text = re.sub(r", pid \d+$", "", text.strip()).replace(" ", ",")
        whole = [run for name, runs in self.runs.items() for run in runs if name.replace(" ", ",") == text]
        if whole:
            return whole
        start = text.rstrip("….,")
        return [
            run
            for name, runs in self.runs.items()
            for run in runs
            if start and (name.replace(" ", ",").startswith(start) or name.partition(":")[2].replace(" ", ",").startswith(start))
        ]


def rows_of_what_if(recording):
    """The rows of `what-if --json` of the runs that have the name which the view shows: its first rows are those, chosen but for the assumptions."""
    shown = recording.texts["what-if"]
    title = re.search(r"┌─.?What if  (.*?)(?:, pid \d+)? ─", shown)
    if not hasattr(recording, "gains"):
        recording.gains = json.loads(recording.output("what-if", recording.path, "--json"))["rows"]
    name = title[1].replace(" ", ",") if title else ""
    return [row for row in recording.gains if row["name"] == name]


def of_edit(key, factor=1):
    """Of the step that is the view's row of this number; without one of the loop as it was measured. The view's further rows are in no list."""

    def find(recording, found, runs):
        all_rows, step = rows_of_what_if(recording), int(found.get("step", 0))
        rows = [row for row in all_rows if row["step"] == step and row["edit"] == found.get("edit", "none")]
        if not rows and len({row["run"] for row in all_rows}) == 1 and any(row["step"] == step for row in all_rows):
            return ["another edit"]
        return [factor * row[key] for row in rows if row[key] is not None]

    return find


def left_by_chosen(recording, found, runs):
    """The last of the steps that assume nothing says what is left."""
    rows = [row for row in rows_of_what_if(recording) if not row["assumption"]]
    return [row["after_ns"] for row, after in zip(rows, rows[1:] + [{"step": 0}]) if row["step"] > 0 and after["step"] == 0]


def run_name(run):
    name = run.get("workload") or run.get("program") or ""
    if run.get("variant"):
        name += f":{run['variant']}"
    return name + (" " if run["params"] else "") + ",".join(f"{key}={value}" for key, value in run["params"].items())


# References: the values that a view may show there, each a number or a word. None: it has no reference there.


def device_time(run):
    return run["device_time_ns"]


def first_to_last(run):
    return run["first_to_last_ns"] if "first_to_last_ns" in run else (run["overlap"] or {}).get("span_ns")


def whole_run(run):
    return run["span_ns"]


def of_runs(length):
    """A length of the run that the match, or else the view's title, names."""
    return lambda recording, found, runs: [length(run) for run in (recording.named(found["run"]) if "run" in found else runs) if length(run)]


def sum_of_runs(length):
    return lambda recording, found, runs: [sum(length(run) or 0 for run in recording.data["runs"] if device_time(run))]


def of_json(length):
    """The same length where another part of the JSON has it."""
    return lambda recording, found, runs: [length(recording.data["runs"][int(found["index"])])]


def best_time(recording, found, runs):
    """A run that took `of best` as long as the best: its time over that is the device time of a run of its workload."""
    return [
        device_time(run) / device_time(other)
        for run in recording.named(found["run"])
        for other in recording.data["runs"]
        if device_time(run) and device_time(other) and other.get("workload") == run.get("workload")
    ]


def full_ratios(recording, workload):
    rows = re.findall(rf"^ *{TIME} +({NUMBER})x .* {re.escape(workload)}:", recording.texts["--full"], re.M)
    return [float(row.replace(",", "")) for row in rows]


def most_of_best(recording, found, runs):
    ratios = full_ratios(recording, found["workload"])
    return [max(ratios)] if ratios else []


def least_of_best(recording, found, runs):
    ratios = full_ratios(recording, found["workload"])
    return [min(ratios)] if ratios else []


def ratio_of_variants(recording, found, runs):
    """`w`: worst variant or case -> best. With `kernels` the ratio is of the kernels' time for each wanted byte."""
    sides = [
        [
            run
            for run in recording.data["runs"]
            if run.get("workload") == found["workload"] and (side == run["variant"] or side in run_name(run).partition(" ")[2].split(","))
        ]
        for side in (found["worst"], found["best"])
    ]
    cost = kernel_cost if found["kernels"] else device_time
    return [cost(worst) / cost(best) for worst in sides[0] for best in sides[1] if cost(worst) and cost(best)]


def kernel_cost(run):
    """The median launches of all its kernels for each byte that they want; if those are not known, their time."""
    rates = [kernel["metrics"]["effective_bandwidth_bytes_per_second"]["value"] for kernel in run["kernels"]]
    if len(rates) == 1 and rates[0]:
        return 1 / rates[0]
    return sum((kernel["time_ns"]["median"] or 0) * kernel["launches"] for kernel in run["kernels"])


def factor(recording, found, runs):
    """A change of the device time, which is said as a factor or in per cent."""
    pairs = [
        (device_time(a), device_time(b))
        for a in recording.named(found["run"])
        for b in recording.named(found["other"])
        if device_time(a) and device_time(b) and near(device_time(a), found["a"]) and near(device_time(b), found["b"])
    ]
    return [100 * (max(pair) / min(pair) - 1) if "%" in found["value"] else max(pair) / min(pair) for pair in pairs]


def faster(recording, found, runs):
    """How much faster the second run is: below 1 if it is slower."""
    return [
        device_time(a) / device_time(b)
        for a in recording.named(found["run"])
        for b in recording.named(found["other"])
        if device_time(a) and device_time(b) and near(device_time(a), found["a"]) and near(device_time(b), found["b"])
    ]


def time_of_side(side):
    return lambda recording, found, runs: [device_time(run) for run in recording.named(found[side]) if device_time(run)]


def name_of_span(recording, found, runs):
    """Of a part of the run it is not the run's, and says so."""
    return ["first to last" if shows_whole_run(recording.texts[found["key"]], runs) else "first to last, in the range"] if runs else []


def kernels_named(runs, name):
    start, _, end = name.strip().replace("..", "…").partition("…")
    start = start.split(" <<<")[0].strip()
    return [
        kernel
        for run in runs
        for kernel in run["kernels"]
        if (not end and kernel["short_name"] == start) or (end and kernel["short_name"].startswith(start) and kernel["short_name"].endswith(end))
    ]


def kernel_median(recording, found, runs):
    """Of a row of a list: a kernel and its run."""
    kernels = kernels_named(recording.named(found["run"]), found["kernel"])
    return [kernel["time_ns"]["median"] for kernel in kernels if kernel["time_ns"]["median"]]


def median_of_all(recording, found, runs):
    """Of all launches of a kernel in the recording, whatever the run: from the file itself."""
    kernels = [kernel for run in recording.data["runs"] for kernel in run["kernels"] if found["kernel"] in (kernel["name"], kernel["short_name"])]
    names = {kernel["mangled"] for kernel in kernels} | {kernel["name"] for kernel in kernels}
    clocks = {run["clock"] for run in recording.data["runs"] if any(kernel in run["kernels"] for kernel in kernels)}
    durations = [ns for name in names for ns in recording.launches().get(name, [])]
    return [statistics.median_low(durations)] if durations and len(clocks) == 1 else []


def share_of_kernels(recording, found, runs):
    """In a list of several runs: of all kernels' time on the run's clock."""
    if "kern %" not in recording.texts[found["key"]]:
        return []
    row = [(run, kernel) for run in recording.named(found["run"]) for kernel in kernels_named([run], found["kernel"])]
    return [
        100 * kernel["time_ns"]["total"] / sum(other["time_ns"]["total"] or 0 for of in recording.data["runs"] if of["clock"] == run["clock"] for other in of["kernels"])
        for run, kernel in row
        if kernel["time_ns"]["total"]
    ]


def share_in_list(recording, found, runs):
    """What the list of kernels says of the only run's kernel."""
    heading = re.search(r"(?:run|step) %", recording.texts["kernels 0"])
    shares = [float(share) for share, kernel in re.findall(LONE_ROW, recording.texts["kernels 0"], re.M) if kernel == found["kernel"]]
    return [sum(shares)] if shares and heading and heading[0] in recording.texts["report"] else []


def share_of_run(recording, found, runs):
    """In a list of one run: of its time from the first operation to the last, where no launches overlap."""
    if "run %" not in recording.texts[found["key"]]:
        return []
    return [
        100 * kernel["time_ns"]["total"] / first_to_last(run)
        for run in recording.data["runs"]
        for kernel in kernels_named([run], found["kernel"])
        if kernel["time_ns"]["total"] and first_to_last(run) and len(run["time"]) == 1  # of several devices: the sum of their spans
    ]


def of_shown_kernel(reference):
    """Of the kernel that is chosen in the list: the panel beside the list names it, as its title the run."""

    def find(recording, found, runs):
        row = "kernels " + found["key"].partition(" ")[2]
        return [
            value
            for key, text, shown in texts_of(recording, "panel")
            if key == row
            for value in reference(recording, {**found, "kernel": text.partition("\n")[0]}, shown)
        ]

    return find


def name_of_roof(recording, found, runs):
    return [ROOFS[word] for word in kernel_metric("roof")(recording, found, runs)]


def kernel_metric(metric):
    return lambda recording, found, runs: [
        kernel["metrics"][metric]["value"]
        for kernel in kernels_named(recording.named(found["run"]) if "run" in found else runs, found["kernel"])
        if kernel["metrics"][metric]["value"] is not None
    ]


def kernel_state(kernel):
    if "state" in kernel:
        return kernel["state"]
    return "gain" if any(not advice.get("fine") for advice in kernel["advice"]) else "fine"


def panel_mark(recording, found, runs):
    """A tick is green: the kernel was checked, nothing was found, and its run has no problem either."""
    fine = all(run_is_fine(recording, run) for run in runs)
    return [
        "✓" if fine and kernel_state(kernel) == "fine" and not report_why(recording, kernel, runs) else "no tick"
        for kernel in kernels_named(runs, found["kernel"])
    ]


def run_is_fine(recording, run):
    """By its replay, where that claims something: no edit of the run itself gains 5 %; else by the rules."""
    index = next(i for i, other in enumerate(recording.data["runs"]) if other is run)
    rows = [row for row in recording.sheets["remedies"]["rows"] if row["run"] == index]
    if not any(row["step"] == 0 and row["error"] is not None and abs(row["error"]) <= 0.05 for row in rows):
        return all(advice.get("fine") for advice in run["advice"])
    return not any(row["step"] > 0 and not row["assumption"] and row["edit"] != "bounds" and row["gain"] >= 0.05 for row in rows)


def report_why(recording, kernel, runs):
    """Whether the report gives a reason against this kernel of one of these runs."""
    names = "|".join([re.escape(run_name(run)) for run in runs] + (["its time"] if len(recording.data["runs"]) == 1 else []))
    return re.search(rf"^[^\n]*  {re.escape(kernel['name'])}\n +why: [^\n]* of (?:{names})\)", recording.texts["--full"], re.M)


def said(recording, found, runs):
    kernels = kernels_named(runs, found["kernel"])
    return [kernel["said"] for kernel in kernels if kernel.get("said") and kernel_state(kernel) in ("fine", "limit", "not_checked")]


def gain_mark(recording, found, runs):
    kernels = kernels_named(recording.named(found["run"]), found["kernel"])
    return ["▲" if any(not advice.get("fine") and advice.get("gain", 1) for advice in kernel["advice"]) else " " for kernel in kernels]


def said_in_report(recording, found, runs):
    """What the summary says of a kernel: the sentence of one of its launches."""
    start = re.split(r"\.\.|…", found["value"])[0].strip()
    if start.startswith("takes "):  # not counted: how long it takes
        return []
    for run in recording.data["runs"]:
        for kernel in kernels_named([run], found["kernel"]):
            for text in [kernel.get("said") or ""] + [advice.get("text") or "" for advice in kernel["advice"]]:
                if start and text.startswith(start.removeprefix("fine: ")) and (kernel_state(kernel) == "fine" or not found["value"].startswith("fine")):
                    return [found["value"]]
    return ["a sentence of one of its launches"]


ROOFS = {
    "DRAM": "DRAM's bandwidth",
    "L2": "L2's bandwidth",
    "L1": "L1's bandwidth",
    "shared": "shared memory's banks",
    "single": "single precision",
    "double": "double precision",
}
TITLE = r"┌─.?{}  (?P<title>.*?)(?::? the gain from| ──|  shows )"
MEDIAN_ROW = rf"^│(?P<letter>.)[✓·✗][ ~](?P<mark>.) +\S+ +(?:- |n/a|\S+ %) +{TIME} +[\d,]+ +(?P<value>{TIME}) +{TIME} +{TIME}  (?P<kernel>\S+) +(?P<run>\S+ \S+?) *││"
SHARE_ROW = rf"^│.[✓·✗][ ~]. +(?P<value>\d\S*) +(?:- |n/a|\S+ %) +{TIME} +[\d,]+ +{TIME} +{TIME} +{TIME}  (?P<kernel>\S+) +(?P<run>\S+ \S+?) *││"
LONE_ROW = rf"^│.[✓·✗][ ~]. +(\d\S*) +(?:- |n/a|\S+ %) +{TIME} +[\d,]+ +{TIME} +{TIME} +{TIME}  (\S+) *││"
# name; the places: view, pattern with the group `value` and what names the run, reference
EDIT_ROW = r"^│.\[[x ]\] (?P<step>\d) (?P<edit>[\w-]+) +"
QUANTITIES = (
    ("gain of an edit", (("what-if", EDIT_ROW + r"(?P<value>[\d.]+ %)", of_edit("gain", 100)),)),
    (
        "time that an edit leaves",
        (
            ("what-if", EDIT_ROW + rf"-?[\d.]+ % +(?P<value>{TIME})", of_edit("after_ns")),
            ("what-if", rf"^│ The loop takes {TIME}; with [^\n]*?(?P<value>{TIME}):", left_by_chosen),
        ),
    ),
    ("time of the loop", (("what-if", rf"^│ The loop takes (?P<value>{TIME})", of_edit("before_ns")),)),
    (
        "device time",
        (
            ("--full", rf"^ *(?P<value>{TIME}) +(?:-|bound|{NUMBER}x) +(?:{TIME}|-) .*?  {NAME}$", of_runs(device_time)),
            ("report", rf"^device time (?P<value>{TIME})", sum_of_runs(device_time)),
            ("report", rf"^ *(?:{NUMBER}x\.\.{NUMBER}x|-) +(?P<value>{TIME}) +1  (?P<run>[\w-]+:[\w-]+):", of_runs(device_time)),
            ("r", rf"^│.*(?:trace|model) +(?P<value>{TIME}) +{TIME} +{NAME} *│", of_runs(device_time)),
            ("a", rf"of device time, (?P<value>{TIME})", of_runs(device_time)),
            ("o", rf"first to last \.* [^\n]*device time (?P<value>{TIME})", of_runs(device_time)),
            ("X", rf"A .? ?{NAME}  [^\n]*\n[^\n]* B .? ?(?P<other>\S+)[^\n]*\n[^\n]*device time: (?P<value>{TIME}) ->", time_of_side("run")),
            ("X", rf" B .? ?{NAME}  [^\n]*\n[^\n]*device time: {TIME} -> (?P<value>{TIME})", time_of_side("run")),
            ("p", rf"▸[^\n]*: device time over(?:.|\n)*\n│ [A-Z] (?P<run>\S.*?): (?P<value>{TIME}), m", of_runs(device_time)),
            ("diff", rf"by their device time\n[^\n]*\n *(?P<value>{TIME}) +{TIME} +{NUMBER}x \S+ +(?P<run>{RUN})", time_of_side("run")),
            ("diff", rf"by their device time\n[^\n]*\n *{TIME} +(?P<value>{TIME}) +{NUMBER}x \S+ +{RUN} +(?P<run>{RUN})", time_of_side("run")),
        ),
    ),
    (
        "first to last",
        (
            ("kernels", rf"^│ *first to last (?P<value>{TIME})", of_runs(first_to_last)),
            ("o", rf"first to last \.* *(?P<value>{TIME})", of_runs(first_to_last)),
        ),
    ),
    (
        "name of first to last",
        (("o", rf"(?P<value>first to last(?:, in the range)?) \.* *{TIME}", name_of_span),),
    ),
    (
        "whole run",
        (
            ("--full", rf"^ *{TIME} +(?:-|bound|{NUMBER}x) +(?P<value>{TIME}) .*?  {NAME}$", of_runs(whole_run)),
            ("report", rf"^device time .*, whole runs? (?P<value>{TIME})", sum_of_runs(whole_run)),
            ("r", rf"^│.*(?:trace|model) +{TIME} +(?P<value>{TIME}) +{NAME} *│", of_runs(whole_run)),
            ("a", rf"of whole run, (?P<value>{TIME})", of_runs(whole_run)),
        ),
    ),
    (
        "best of equal work",
        (
            ("--full", rf"^ *{TIME} +(?P<value>{NUMBER}x) .*?  {NAME}$", best_time),
            ("report", rf"^ *{NUMBER}x\.\.(?P<value>{NUMBER}x) +{TIME} +\d+  (?P<workload>[\w-]+)", most_of_best),
            ("report", rf"^ *(?P<value>{NUMBER}x)\.\.{NUMBER}x +{TIME} +\d+  (?P<workload>[\w-]+)", least_of_best),
            (
                "w",
                rf"[✓·✗] (?P<workload>[\w-]+) +\d+ \w+, (?P<worst>\S+) -> (?P<best>\S+) (?P<kernels>kernels )?(?P<value>{NUMBER}x)",
                ratio_of_variants,
            ),
        ),
    ),
    (
        "change of the device time",
        (
            (
                "diff",
                rf"by their device time\n[^\n]*\n *(?P<a>{TIME}) +(?P<b>{TIME}) +(?P<value>{NUMBER}x) \S+ +(?P<run>{RUN}) +(?P<other>{RUN})",
                faster,
            ),
            (
                "X",
                rf"A .? ?{NAME}  [^\n]*\n[^\n]* B .? ?(?P<other>\S+:\S+(?: \S*=\S+)*)  [^\n]*\n[^\n]*device time: (?P<a>{TIME}) -> (?P<b>{TIME})"
                rf" \((?P<value>{NUMBER}(?:x| %))",
                factor,
            ),
        ),
    ),
    (
        "median of a kernel's launches",
        (
            ("kernels", MEDIAN_ROW, kernel_median),
            ("X", rf"A .? ?{NAME}  (?P<kernel>\S+), [^\n]*\n(?:.|\n)*^│.median time +(?:n/a +)?(?P<value>{TIME}) +(?:n/a +)?{TIME}", kernel_median),
            ("--full", rf"^ +<?{NUMBER} % +{TIME} +[\d,]+ +(?P<value>{TIME}) +{TIME} +{TIME} +(?P<kernel>\S.*)$", median_of_all),
            ("--csv", r'^"\w+",(?:[^,]*,){4}(?P<value>[\d.]+),.*,"(?P<kernel>[^"]*)"$', median_of_all),
        ),
    ),
    (
        "share of a kernel",
        (
            ("kernels", SHARE_ROW, share_of_kernels),
            ("kernels", rf"^│.[✓·✗][ ~]. +(?P<value>\d\S*) +(?:- |n/a|\S+ %) +{TIME} +[\d,]+ +{TIME} +{TIME} +{TIME}  (?P<kernel>\S+) *││", share_of_run),
            ("report", rf"^ +~?(?P<value>{NUMBER}) % +{TIME} +[\d,]+  (?P<kernel>[^:\n]+): ", share_in_list),
        ),
    ),
    (
        "lowest roof",
        (
            ("R", r"^│ Lowest roof[^:]*: (?P<value>[^,]+), ", of_shown_kernel(name_of_roof)),
            ("R", rf"^│.(?:>=)?{NUMBER} % +(?P<value>\w+) .*? (?P<run>\S+ \S+=\S+) +[A-Za-z0-9] (?P<kernel>\S+)", kernel_metric("roof")),
            ("--full", rf"^ .*\S*OP/s +\S+ \S+ +(?P<value>\w+) +(?:>=)?{NUMBER} % +{NAME} (?P<kernel>\S+)$", kernel_metric("roof")),
        ),
    ),
    (
        "share of the lowest roof",
        (
            ("R", rf"^│ Lowest roof[^:]*: [^,]+, [^;]*; (?:>=)?(?P<value>{NUMBER} %) reached", of_shown_kernel(kernel_metric("roof_pct"))),
            ("R", rf"^│.(?:>=)?(?P<value>{NUMBER} %) +\w+ .*? (?P<run>\S+ \S+=\S+) +[A-Za-z0-9] (?P<kernel>\S+)", kernel_metric("roof_pct")),
            ("--full", rf"^ .*OP/s +\S+ \S+ +\w+ +(?:>=)?(?P<value>{NUMBER} %) +{NAME} (?P<kernel>\S+)$", kernel_metric("roof_pct")),
        ),
    ),
    (
        "verdict",
        (
            ("panel", r"^(?P<kernel>.+)\n(?P<value>✓|no tick) ", panel_mark),
            ("panel", r"^(?P<kernel>.+)\n(?:✓|no tick) This kernel: (?P<value>.*?)(?: \(\w+\))?$", said),
            ("kernels", MEDIAN_ROW.replace("?P<value>", "").replace("?P<mark>", "?P<value>"), gain_mark),
            ("report", rf"^ +~?<?{NUMBER} % +{TIME} +[\d,]+  (?P<kernel>[^:\n]+): (?P<value>.*)$", said_in_report),
        ),
    ),
)


def panel_text(screen):
    """The panel beside the list: the kernel's name, and on one line whether the first sentence has a tick, and that sentence."""
    lines, kernel = [], None
    for line in screen.splitlines():
        head = re.search(r"┐┌─.?(?P<kernel>\S.*?) ─+┐$", line)
        if head:
            kernel, lines = head["kernel"].lstrip("▸ "), []
        elif kernel and "││" in line:
            lines.append(line.rpartition("││")[2].rstrip("│").rstrip())
    if not kernel or not lines:
        return ""
    sentence = [lines[0].strip()] + [line.strip() for line in takewhile_indented(lines[1:])]
    text = " ".join(sentence)
    mark = "✓" if text.startswith("✓") else "no tick"
    return f"{re.sub(r'^[A-Za-z0-9] ', '', kernel)}\n{mark} {re.sub(r'^[^A-Za-z0-9]+', '', text)}\n"


def takewhile_indented(lines):
    """Further lines of a sentence: with two blanks, and no bar of the chart below."""
    for line in lines:
        if not re.match(r"  \S", line) or re.match(r"  [A-Za-z ]+ {2,}[\d.,]+", line) or re.match(r"  (DRAM|issue|do:|overlap)", line):
            return
        yield line


def number_of(text):
    """A printed number in its base unit, and half of its last digit."""
    digits, _, unit = text.strip().partition(" ")
    if digits.endswith("x"):
        digits, unit = digits[:-1], "x"
    digits = digits.replace(",", "")
    decimals = len(digits.partition(".")[2])
    return float(digits) * UNITS[unit], 0.5 * 10.0**-decimals * UNITS[unit]


def near(value, text):
    shown, half = number_of(text)
    return abs(shown - value) <= half * 1.0001 + 1e-9 * abs(value)


def agrees(text, wanted):
    """Whether what a view shows is one of the values."""
    for value in wanted:
        if isinstance(value, str):
            if text.strip() == value.strip() or (text.rstrip().endswith("…") and value.startswith(text.rstrip("… "))):
                return True
        elif near(value, text):
            return True
    return False


def texts_of(recording, view):
    """The captured texts of a view, each with the runs that its title names."""
    for key, text in recording.texts.items():
        name, _, row = key.partition(" ")
        if name == view or (view == "panel" and name == "kernels"):
            title = re.search(r"┌─.?(?:Timeline|Overlap|Amdahl)  (.*?)(?:: the gain from|  shows | ─)", text)
            runs = recording.named(title[1]) if title else []
            yield key, panel_text(text) if view == "panel" else text, runs


def shows_whole_run(text, runs):
    """Whether the range of `o` has all operations of its run: else its lengths are of the range."""
    shown = re.search(rf"range \.* *(?P<value>{TIME})", text)
    return shown and any(first_to_last(run) and number_of(shown["value"])[0] > first_to_last(run) for run in runs)


def check_place(recording, place, on_match):
    """Calls on_match(view key, text, match, wanted, runs) for each value of a place that has a reference."""
    view, pattern, reference = place
    for key, text, runs in texts_of(recording, view):
        for found in re.finditer(pattern, text, re.M):
            wanted = reference(recording, {**found.groupdict(), "key": key}, runs)
            if wanted:
                on_match(key, text, found, wanted, runs)


GAIN_LINE = re.compile(r"^ [ ?] +(\d+) %  (?=\w)", re.M)
FULL_GAIN_LINE = re.compile(r"^ +(\d+\.\d+) % (?=\w)", re.M)


def remedies_differences(recording):
    """The list of what would help, of every run: `what-if` against `report --json`; of a single run also the first screen and --full."""
    claimed = {}
    for row in json.loads(recording.output("what-if", recording.path, "--json"))["rows"]:
        claimed.setdefault(row["run"], []).append((row["edit"], row["gain"], row["before_ns"], row["after_ns"]))
    reported = {}
    for row in recording.sheets["remedies"]["rows"]:
        reported.setdefault(row["run"], []).append((row["edit"], row["gain"], row["before_ns"], row["after_ns"]))
    wrong = []
    claimed, one_each = sorted(map(str, claimed.values())), sorted(map(str, reported.values()))
    if claimed != one_each:
        differ = [(a, b) for a, b in zip(claimed, one_each) if a != b]
        wrong.append(f"{recording.path}: what-if and report --json differ: {len(claimed)} and {len(reported)} runs, {str(differ[:1])[:300]}")
    if len(reported) == 1:
        gains = [row[1] for row in next(iter(reported.values()))[1:]]
        first, full = recording.output("report", recording.path), recording.output("report", recording.path, "--full")
        for name, text, pattern, places in (("the first screen", first, GAIN_LINE, 0), ("--full", full, FULL_GAIN_LINE, 2)):
            _, _, block = text.partition("what would help, by replaying")
            shown = [float(found) for found in pattern.findall(block.split("the kernels that matter")[0])][: len(gains)]
            if any(abs(one - 100 * gain) > 0.5001 * 10**-places for one, gain in zip(shown, gains)) or (gains and not shown):
                wrong.append(f"{recording.path}: {name} has the gains {shown}, report --json {gains}")
    return wrong


def check_recording(lanescope, path):
    """The differences found in a file, and how many values each place has compared."""
    recording = Recording(lanescope, str(path))
    wrong, counts, planted = [], {}, {}
    for quantity, places in QUANTITIES:
        for at, place in enumerate(places):
            seen = []

            def compare(key, text, found, wanted, runs, quantity=quantity, seen=seen):
                seen.append(found)
                if not agrees(found["value"], wanted):
                    shown = ", ".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in sorted(set(wanted), key=str)[:4])
                    wrong.append(f"{path.name}: {quantity}: view '{key}' shows '{found['value']}', the reference is {shown}: {found[0].splitlines()[-1].strip()[:150]}")

            check_place(recording, place, compare)
            counts[quantity, at] = len(seen)
            planted[quantity, at] = plant(recording, place) if seen else None
    wrong += remedies_differences(recording)
    wrong += [f"{path.name}: '{view}' says a gain of all of an idle time: {line[:90]}" for view, line in idle_gains(recording)]
    wrong += [f"{path.name}: a share above its whole in '{view}': {line.strip()[:150]}" for view, line in shares_above(recording)]
    wrong += [f"{path.name}: the '{view}' says first {text}" for view, text in other_first(recording)]
    for view in ORDERED:
        values = values_in_order(view, recording.texts[view])
        counts["order", view] = len(values)
        planted["order", view] = not falls(values[::-1]) if len(set(values)) > 1 else None
        if not falls(values):
            wrong.append(f"{path.name}: the kernels in '{view}' are not in the order of time that its head states: {values}")
    return wrong, counts, planted


def idle_gains(recording):
    """Rows of the list that say that all of an idle time could go: that is no bound."""
    for view, text in recording.texts.items():
        if view.startswith("kernels"):
            yield from ((view, line) for line in re.findall(r"^│\w[ ~]* .*\b100 % .*idle: .*$", text, re.M))


def shares_above(recording):
    """Lines that begin with a share of more than 100 %: in the statistics of a range, and in the tables of the report."""
    for view, text in (("T", recording.screen("T")), ("--full", recording.output("report", recording.path, "--full"))):
        for line in text.splitlines():
            share = re.match(r"[│|▸>\s]*([\d,]+\.\d+) %", line)
            if share and float(share[1].replace(",", "")) > 100:
                yield view, line


def other_first(recording):
    """Of a recording of one run: what the panel says first, where that is not the report's first edit. Of kernels it has its own words."""
    first = next((row for row in recording.sheets["remedies"]["rows"] if row["step"] == 1), None)
    if len(recording.data["runs"]) != 1 or not first or first["assumption"] or first["edit"] == "bounds" or first["gain"] < 0.05:
        return
    explains = [row["text"] for row in recording.sheets["advice"]["rows"] if row["of"] == "verdict" and row["step"] == 1]
    said = (explains or ["What if " + first["title"][:1].lower() + first["title"][1:]])[0]
    halves = [line.split("││")[1].rstrip("│ ").strip() for line in recording.screen("").splitlines() if line.count("││") == 1]
    shown = re.search(r"▲ (.{20,})", " ".join(halves))
    if not shown or not shown[1].startswith(said[:FIRST_CHARACTERS]):
        yield "panel", f"{shown[1][:60] if shown else 'nothing'}, the report {said[:60]}"


FIRST_CHARACTERS = 40

ORDERED = {  # view key: the head that says by what its rows are in order, and a row's value
    "kernels 0": (r"^│[ ▸]*(?:kern|step|run) %▾", r"^│[▸ ]?\S[✓✗?· ]?[ ~▲]*(?P<value>[\d,]+\.\d) "),
    "report": (r"the kernels that matter", rf"^ *[~<]?[\d.]+ % +(?P<value>{TIME})"),
}


def values_in_order(view, text):
    """The values of the rows that stand under a view's head."""
    head, row = ORDERED[view]
    lines = iter(text.splitlines())
    values = []
    for line in lines:
        if re.search(head, line):
            break
    for line in lines:
        found = re.match(row, line)
        if not found:
            break
        values.append(number_of(found["value"])[0])
    return values


def falls(values):
    return all(before >= after for before, after in zip(values, values[1:]))


def plant(recording, place):
    """Whether a wrong copy of a place's first value is seen: the text itself is changed and read again."""
    view = place[0]
    key, text, found = first_of(recording, place)
    copy = text[: found.start("value")] + corrupted(found["value"]) + text[found.end("value") :]
    seen = []
    _, pattern, reference = place
    for other_key, _, runs in texts_of(recording, view):
        if other_key == key:
            for match in re.finditer(pattern, copy, re.M):
                wanted = reference(recording, {**match.groupdict(), "key": key}, runs)
                if wanted and not agrees(match["value"], wanted):
                    seen.append(match)
    return bool(seen)


def first_of(recording, place):
    firsts = []
    check_place(recording, place, lambda key, text, found, wanted, runs: firsts.append((key, text, found)))
    return firsts[0]


def corrupted(text):
    """Another value of the same length."""
    marks = {"✓": "no tick", "no tick": "✓", "▲": " ", " ": "▲"}
    if text in marks:
        return marks[text]
    if text.startswith("first to last"):  # the longer name is not found where the shorter one is wanted, and the other way round
        return "first to last" if "range" in text else "first to last, in the range"
    if re.match(r"\d", text):
        return re.sub(r"\d", lambda digit: "7" if digit[0] != "7" else "3", text)
    return "other" + text


def record_on_model(lanescope, folder, name):
    path = folder / f"{name}.lsr"
    subprocess.run([lanescope, "--device", "simt", "--record", path, *ON_MODEL[name]], capture_output=True, check=True, timeout=120, stdin=subprocess.DEVNULL)
    return path


def main():
    lanescope, *folders = [argument for argument in sys.argv[1:] if argument != "--planted"]
    paths = [path for folder in map(pathlib.Path, folders) for path in ([folder] if folder.is_file() else sorted(folder.glob("*.lsr")))]
    if not paths:
        raise SystemExit("no recordings")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        whole = len(paths) > 10 and os.environ.get("TEST_EVERY", "1") == "1"
        paths = paths[:: int(os.environ.get("TEST_EVERY", "1"))]
        paths += [record_on_model(lanescope, pathlib.Path(folder), name) for name in ON_MODEL]
        results = list(pool.map(lambda path: check_recording(lanescope, path), paths))
    failures = []
    for quantity, places in QUANTITIES:
        for at, (view, _, _) in enumerate(places):
            compared = sum(counts[quantity, at] for _, counts, _ in results)
            planted = [planted[quantity, at] for _, _, planted in results if planted[quantity, at] is not None]
            print(f"{quantity:32} {view:8} {compared:6} compared" + (f", a wrong copy seen in {sum(planted)} of {len(planted)} files" if "--planted" in sys.argv else ""))
            if compared == 0 and whole:
                failures.append(f"{quantity}: no recording shows it in '{view}' (place {at + 1}): the pattern is out of date")
            if "--planted" in sys.argv and not all(planted):
                failures.append(f"{quantity}: a wrong copy in '{view}' (place {at + 1}) is not seen")
    for view in ORDERED:
        rows = [counts["order", view] for _, counts, _ in results]
        print(f"{'order of kernels: by time':32} {view:8} {sum(rows):6} rows")
        if whole and sum(count > 1 for count in rows) < len(paths) // 2:
            failures.append(f"order of kernels: few recordings show rows in '{view}': the pattern is out of date")
        if "--planted" in sys.argv and not all(planted["order", view] in (True, None) for _, _, planted in results):
            failures.append(f"order of kernels: the reverse in '{view}' is not seen")
    if "--planted" not in sys.argv:
        failures += [line for wrong, _, _ in results for line in wrong]
    print("\n".join(failures))
    print(f"{len(paths)} recordings, {len(failures)} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
