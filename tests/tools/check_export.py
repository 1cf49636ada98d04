# SPDX-License-Identifier: Apache-2.0
"""check_export.py RECORDING CHROME CSV JSON: the three exports of a recording, of one clock, hold what the recording holds.
RECORDING "-": it has names that are not UTF-8, which each format writes in its way: only the exports are compared, without names.

Nothing here is lanescope's: SQLite's, json's and csv's own readers. The Chrome trace is also checked against the rules of
the trace event format. A file may be compressed by gzip.
"""
import csv
import gzip
import json
import math
import sqlite3
import struct
import sys
from collections import Counter, defaultdict

failures = []


def expect(right, *words):
    if not right and len(failures) < 20:
        failures.append(" ".join(map(str, words)))


def open_text(path):
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8", errors="strict", newline="")
    return open(path, encoding="utf-8", errors="strict", newline="")


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def load(path):
    with open_text(path) as file:
        return json.load(file, parse_constant=no_constant)


def exact_ns(us):
    """What a reader gets that cuts off is what one gets that rounds."""
    cut, rounded = math.floor(us * 1000.0), round(us * 1000.0)
    expect(cut == rounded, "a time of", us, "us is", cut, "or", rounded, "ns")
    return cut


PHASES = {
    "X": {"name", "cat", "pid", "tid", "ts", "dur", "args"},
    "s": {"name", "cat", "pid", "tid", "ts", "id"},
    "f": {"name", "cat", "pid", "tid", "ts", "id", "bp"},
    "C": {"name", "pid", "ts", "args"},
    "M": {"name", "pid", "args"},
}


def check_slices(slices):
    """Events of a thread nest: here they may not even overlap."""
    for thread, rows in slices.items():
        rows.sort()
        for (start, duration, name), (following, _, other) in zip(rows, rows[1:]):
            expect(following >= start + duration, "thread", thread, ":", name, "at", start, "overlaps", other)


def check_flows(events, slices):
    ends = defaultdict(list)
    begins = {thread: {start for start, _, _ in rows} for thread, rows in slices.items()}
    for event in events:
        if event["ph"] in "sf":
            ends[event["id"]].append(event)
            expect(exact_ns(event["ts"]) in begins[event["pid"], event["tid"]], "flow", event["id"], "hangs in the air")
    for identity, pair in ends.items():
        expect([event["ph"] for event in pair] == ["s", "f"], "flow", identity, "has", len(pair), "ends")
        expect(pair[-1].get("bp") == "e", "flow", identity, "binds to the next slice")
        expect(pair[0]["name"] == pair[-1]["name"] and pair[0]["cat"] == pair[-1]["cat"], "flow", identity, "changes")
    return len(ends)


def running(events, kinds):
    """How many slices of these kinds ran, at each time at which that changed, by process."""
    changes = defaultdict(Counter)
    for event in events:
        if event["ph"] == "X" and event["cat"] in kinds:
            start = exact_ns(event["ts"])
            changes[event["pid"]][start] += 1
            changes[event["pid"]][start + exact_ns(event["dur"])] -= 1
    result = {}
    for process, at in changes.items():
        level, result[process] = 0, []
        for time in sorted(at):
            level += at[time]
            result[process].append((time, level))
    return result


def check_counters(events):
    series = defaultdict(list)
    for event in events:
        if event["ph"] == "C":
            expect(all(isinstance(number, (int, float)) for number in event["args"].values()), event, "holds no numbers")
            series[event["pid"], event["name"]].append((exact_ns(event["ts"]), sum(event["args"].values())))
    for name, kinds in (("kernels running", {"kernel"}), ("copies running", {"gpu_memcpy"})):
        for process, levels in running(events, kinds).items():
            expect(series[process, name] == levels, name, "of process", process, "is not what the slices say")
    for (process, name), rows in series.items():
        if "," in name:  # a metric while kernels run: in order within its stream, 0 in the end
            expect(rows == sorted(rows, key=lambda row: row[0]), name, "goes back in time")
            expect(rows[-1][1] == 0, name, "does not end")
    return series


def check_chrome(trace):
    events = trace["traceEvents"]
    origin = trace["otherData"]["origin_ns"]
    processes, threads, slices = set(), set(), defaultdict(list)
    for event in events:
        missing = PHASES.get(event["ph"], {"a phase that is known"}) - set(event)
        expect(not missing, event, "has no", missing)
        if event["ph"] == "M":
            if event["name"] == "process_name":
                processes.add(event["pid"])
            elif event["name"] == "thread_name":
                threads.add((event["pid"], event["tid"]))
            continue
        expect(event["pid"] in processes, "process", event["pid"], "has no name")
        expect(event["ts"] >= 0, event, "is before the origin")
        if event["ph"] != "C":
            expect((event["pid"], event["tid"]) in threads, "thread", event["tid"], "has no name")
        if event["ph"] == "X":
            start, duration = exact_ns(event["ts"]), exact_ns(event["dur"])
            expect(start + origin == event["args"]["start_ns"], event, "begins at", start)
            expect(duration == event["args"]["duration_ns"], event, "takes", duration)
            slices[event["pid"], event["tid"]].append((start, duration, event["name"]))
    check_slices(slices)
    return check_flows(events, slices), check_counters(events)


KINDS = {"kernel": "launch", "gpu_memcpy": "copy", "gpu_memset": "set", "cuda_runtime": "call", "cuda_driver": "call",
         "user_annotation": "range", "cpu_op": "range", "python_function": "range", "cuda_sync": "wait"}


DIRECTIONS = {"H": "host", "D": "device", "A": "array"}


def name_of_copy(name):
    """\"Memcpy HtoD (Pinned -> Device)\" is the other formats' \"host to device\"."""
    if name == "Memset (Device)":
        return "set"
    if not name.startswith("Memcpy "):
        return name
    kind = name.split()[1]
    return {"PtoP": "peer to peer"}.get(kind) or (kind if kind == "other" else DIRECTIONS[kind[0]] + " to " + DIRECTIONS[kind[3]])


def key_of_chrome(event):
    return KINDS.get(event["cat"], event["cat"]), name_of_copy(event["name"]), event["args"]["start_ns"], event["args"]["duration_ns"]


def key_of_csv(row):
    return row["kind"], row["name"], int(row["start_ns"]), int(row["duration_ns"])


def key_of_json(event):
    return event["kind"], event["name"], event["start_ns"], event["duration_ns"]


def recorded(path, clock):
    """Launches and copies by SQLite: name or kind, start, duration."""
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    launches = database.execute(
        "SELECT s.text, l.start_ns, l.duration_ns FROM launch l JOIN track t ON t.id = l.track JOIN kernel k ON k.id = l.kernel"
        " JOIN shape h ON h.id = k.shape JOIN string s ON s.id = h.name WHERE t.clock = ?",
        (clock,),
    ).fetchall()
    copies = database.execute(
        "SELECT c.start_ns, c.duration_ns, c.size_bytes FROM copy c JOIN track t ON t.id = c.track WHERE t.clock = ?",
        (clock,),
    ).fetchall()
    (calls,) = database.execute(
        "SELECT count(*) FROM (SELECT track FROM call UNION ALL SELECT call_track FROM launch UNION ALL"
        " SELECT call_track FROM copy UNION ALL SELECT call_track FROM memset) c JOIN track t ON t.id = c.track"
        " WHERE t.clock = ?",
        (clock,),
    ).fetchone()
    return launches, copies, calls


def main():
    recording, chrome, table, document = sys.argv[1:5]
    trace, exported = load(chrome), load(document)
    with open_text(table) as file:
        rows = list(csv.DictReader(file, strict=True))
    flows, counters = check_chrome(trace)
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    if recording == "-":
        for rows_of_one, key in ((slices, "name"), (rows, "name"), (exported["events"], "name")):
            for row in rows_of_one:
                row[key] = ""
    check_samples(trace, exported, rows)
    rows = [row for row in rows if row["kind"] != "sample"]
    kinds = Counter(map(key_of_json, exported["events"]))
    expect(kinds == Counter(map(key_of_csv, rows)), "CSV and JSON hold other events")
    expect(kinds == Counter(map(key_of_chrome, slices)), "the trace and JSON hold other events")

    check_order(exported, rows)
    if recording != "-":
        check_recorded(recording, trace["otherData"]["clock"], exported, flows)
    print(f"{len(slices)} slices, {flows} flows, {len(counters)} counters")
    for failure in failures:
        print(failure[:400])
    sys.exit(1 if failures or not slices else 0)


def as_float(number):
    """As 32 bits hold it."""
    return struct.unpack("f", struct.pack("f", number))[0]


def check_samples(trace, exported, rows):
    """Each sample of the JSON's is a line per series of the CSV's, and a level of the trace's."""
    places = defaultdict(list)
    for series in exported["series"]:
        places[series["sampling"]].append(series)
    lines, levels, ends = Counter(), Counter(), {}
    for sample in exported["samples"]:
        expect(len(sample["numbers"]) == len(places[sample["sampling"]]), sample, "has not a number of each series")
        expect(sample["start_ns"] >= ends.get(sample["sampling"], sample["start_ns"]), sample, "overlaps the one before")
        ends[sample["sampling"]] = sample["start_ns"] + sample["duration_ns"]
        for series, number in zip(places[sample["sampling"]], sample["numbers"]):
            text = None if number is None else as_float(number)
            lines[series["clock"], str(series["process"]), sample["start_ns"], sample["duration_ns"], text] += 1
            if number is not None:
                levels[series["process"] + 1, sample["start_ns"]] += 1
    found = Counter(
        (r["clock"], r["process"], int(r["start_ns"]), int(r["duration_ns"]), as_float(float(r["number"])) if r["number"] else None)
        for r in rows
        if r["kind"] == "sample"
    )
    differ = list(((lines - found) + (found - lines)).items())[:4]
    expect(lines == found, sum(lines.values()), "numbers are in the JSON,", sum(found.values()), "in the CSV:", differ)
    origin, drawn = trace["otherData"]["origin_ns"], Counter()
    for event in trace["traceEvents"]:
        if event["ph"] == "C" and ", device " in event["name"]:
            drawn[event["pid"], exact_ns(event["ts"]) + origin] += 1
    expect(not levels - drawn, "the trace lacks samples:", list((levels - drawn).items())[:3])


def check_order(exported, rows):
    for event, row in zip(exported["events"], rows):
        where = exported["tracks"][event["track"]]
        expect(str(event["track"]) == row["track"] and where["clock"] == row["clock"], "the order of CSV and JSON differs")
        if event.get("call"):
            expect(str(event["call"]["start_ns"]) == row["call_start_ns"], row, "has another call")


def check_recorded(recording, clock, exported, flows):
    launches, copies, calls = recorded(recording, 0 if clock == "wall" else 1)
    of_kind = defaultdict(list)
    for event in exported["events"]:
        of_kind[event["kind"]].append(event)
    named = [(e["name"], e["start_ns"], e["duration_ns"]) for e in of_kind["launch"] if e["kernel"] is not None]
    expect(sorted(named) == sorted(launches), len(named), "launches are exported,", len(launches), "recorded")
    moved = [(e["start_ns"], e["duration_ns"], e["size_bytes"]) for e in of_kind["copy"]]
    expect(sorted(moved) == sorted(copies), len(moved), "copies are exported,", len(copies), "recorded")
    expect(calls == len(of_kind["call"]), len(of_kind["call"]), "calls are exported,", calls, "recorded")
    asked = sum(1 for e in exported["events"] if e.get("call"))
    expect(flows <= asked and (not of_kind["call"] or flows >= 0.9 * asked), flows, "flows for", asked, "calls")


main()
