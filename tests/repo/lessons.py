"""lessons.py ROOT LANESCOPE: numbers that lessons give are those of the kept recording of an H200, or of the device model.

Each row of `figures` names a place of a lesson by the text before it and what stands there, in that order; a number is
rounded as the lesson has it. A lesson's other numbers are of runs that are not kept."""
import json
import os
import re
import subprocess
import sys
import tempfile

root, lanescope = sys.argv[1:3]


def report(path):
    return json.loads(subprocess.run([lanescope, "report", path, "--json"], check=True, stdout=subprocess.PIPE).stdout)["runs"]


def modelled(workload):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.lsr")
        subprocess.run([lanescope, "--record", path, "--device", "simt", workload], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, XDG_STATE_HOME=folder))
        return report(path)


def find(runs, workload, variant, **params):
    found = [run for run in runs if run["workload"] == workload and run["variant"] == variant
             and all(run["params"][name] == value for name, value in params.items())]
    assert len(found) == 1, f"{workload}:{variant} {params}: {len(found)} runs"
    return found[0]


def us(run):
    return run["kernels"][0]["time_ns"]["median"] / 1e3


def metric(run, name):
    return run["kernels"][0]["metrics"][name]["value"]


def busy_us(run):
    """The time of the device in one round: kernels and copies, what runs side by side once."""
    overlap = run["overlap"]
    rounds = run["copies"][-1]["count"] / 2  # the poison of the input and of the output
    assert run["copies"][-1]["kind"] == "set"
    return (overlap["kernel_busy_ns"] + overlap["copy_busy_ns"] - overlap["copy_hidden_ns"]) / rounds / 1e3


h200 = report(root + "/tests/data/curriculum_h200.lsr")
lines = report(root + "/tests/data/load_pattern_h200.lsr")  # load-pattern:scattered and -l2, lines=4, 8, 16
blocks = report(root + "/tests/data/prefetch_blocks_h200.lsr")  # prefetch, blocks=2, 4, 8
model = modelled("n-way")
preferences = ["prefer-l1", "equal", "prefer-shared"]
schedules = ["serial", "2-way", "3-way", "4-way"]


def layout(kind, fields, used=0):
    return find(h200, "aos-soa", kind, fields=fields, used=used)


def pattern(kind):
    return metric(find(h200, "load-pattern", kind, lines=32), "dram_read_bytes") / 1e6


def carveout(preference, kib):
    return find(h200, "l1-carveout", preference, kib=kib)


def prefetch(variant, distance=6):
    return find(h200, "prefetch", variant, blocks=1, distance=distance)


def gain(count):
    """Of the padded ring, with so many blocks on a multiprocessor."""
    return us(find(blocks, "prefetch", "loop", blocks=count)) / us(find(blocks, "prefetch", "smem-rolling-async-pad", blocks=count))


def prefetch_row(before, *cases):
    """Microseconds of these cases, then what they wait and for how long, then their shares of DRAM's bandwidth."""
    runs = [prefetch(variant, distance) for variant, distance in cases]
    waits = [metric(run, name) for run in runs for name in ("stall_long_scoreboard", "cycles_per_issue")]
    return ("prefetch", before, [us(run) for run in runs] + waits + [metric(run, "dram_peak_pct") for run in runs])


loop = prefetch("loop")
soa_losses = [us(layout("soa", words)) / us(layout("aos", words)) * 100 - 100 for words in (2, 3, 5, 6, 7)]
figures = [
    *[("aos-soa", f"\n| {kind} |", [us(layout(kind, words)) for words in range(1, 9)]) for kind in ("aos", "soa", "aligned")],
    ("aos-soa", "of eight, on an H200**: aos ", [us(layout("aos", 8, 1)), us(layout("soa", 8, 1))]),
    ("aos-soa", "no better:", [us(layout("aligned", 8, 1))]),
    ("aos-soa", "and 7 words it takes ", [min(soa_losses), max(soa_losses)]),
    ("aos-soa", "words soa reads ", [metric(layout("soa", 7), "dram_read_bytes") / 1e6]),
    ("aos-soa", "MB and aos ", [metric(layout("aos", 7), "dram_read_bytes") / 1e6]),
    ("aos-soa", "structures of 4 words reach ", [metric(layout("aligned", 4), "effective_bandwidth_bytes_per_second") / 1e12]),
    ("aos-soa", "and DRAM can do ", [metric(layout("aligned", 4), "theoretical_bandwidth_bytes_per_second") / 1e12]),
    ("aos-soa", "MB, and only ", [metric(layout("aligned", 4), "dram_read_bytes") / 1e6]),
    ("load-pattern", "3.5 us; scattered takes ", [us(find(lines, "load-pattern", "scattered", lines=4))]),
    *[("load-pattern", f"over {before} lines, " if before == 4 else f"over {before}, ", [us(find(runs, "load-pattern", "scattered", lines=after))])
      for before, after, runs in ((4, 8, lines), (8, 16, lines), (16, 32, h200))],
    ("load-pattern", "in a kernel this short, but ", [pattern("misaligned")]),
    ("load-pattern", "read from DRAM where aligned reads ", [pattern("aligned")]),
    *[("l1-carveout", f"\n| {preference} |", [us(carveout(preference, kib)) for kib in (8, 24, 48, 64)]
       + [metric(carveout(preference, kib), "l1_hit_pct") for kib in (8, 24, 48, 64)]) for preference in preferences],
    ("l1-carveout", "the first launch takes ", [carveout("prefer-l1", 48)["kernels"][0]["time_ns"]["min"] / 1e3]),
    ("l1-carveout", "launches right behind it ", [us(carveout("prefer-l1", 48)), carveout("prefer-l1", 48)["kernels"][0]["time_ns"]["max"] / 1e3]),
    ("n-way", "**On an H200** ", [busy_us(find(h200, "n-way", "serial")) / 1e3]),
    ("n-way", "serial, then ", [busy_us(find(h200, "n-way", name)) / 1e3 for name in schedules[1:]]),
    ("n-way", "On the device model, at its small size: ", [busy_us(find(model, "n-way", name)) for name in schedules]),
    ("prefetch", "wait for memory ", [metric(loop, "stall_long_scoreboard") / metric(loop, "cycles_per_issue") * 100,
                                      metric(loop, "dram_peak_pct")]),
    ("prefetch", "passes takes ", [us(loop) / loop["params"]["passes"] * 1e3]),
    prefetch_row("|---|---|---|---|\n| loop | ", ("loop", 6)),
    prefetch_row("smem-batched-pad, 8 | ", ("scalar-batched", 16), ("smem-batched-pad", 8)),
    ("prefetch", "at distance 1 and 16 | ", [us(prefetch("scalar-rolling", 1)), us(prefetch("scalar-rolling", 16))]),
    prefetch_row("| smem-rolling, 6 | ", ("smem-rolling", 6)),
    prefetch_row("| l2, 6 | ", ("l2", 6)),
    prefetch_row("-pad: none | ", ("smem-rolling-async", 16), ("smem-rolling-async-pad", 16)),
    ("prefetch", "The gains (", [max(us(loop) / us(run) for run in h200 if run["workload"] == "prefetch")]),
    ("prefetch", "the padded ring gains ", [us(loop) / us(prefetch("smem-rolling-async-pad"))] + [gain(count) for count in (2, 4, 8)]),
]

failures = 0
for lesson, before, values in figures:
    with open(f"{root}/docs/lessons/{lesson}.md", encoding="utf-8") as file:
        text = re.sub(r"(?<!\n)\n(?![\n|])", " ", file.read())
    at = text.find(before)
    told = re.findall(r"\d+(?:\.\d+)?", text[at + len(before):])[:len(values)] if at >= 0 else []
    wanted = [f"{value:.{len(number.partition('.')[2])}f}" for number, value in zip(told, values)]
    if told != wanted or len(told) != len(values):
        print(f"docs/lessons/{lesson}.md, after {before!r}: it says {told}, and the runs {wanted or values}")
        failures += 1
sys.exit(failures != 0)
