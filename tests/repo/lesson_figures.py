"""What the figures of the lessons are compared with: `figures` (lesson_runs.py has the form of a row), and `said`: (lesson, words of it,
why no run bears them out)."""
from lesson_runs import busy_us, count, find, h200, metric, model, modelled, recorded, us

# Lessons that are not in the form of lesson_form.py yet.
NOT_YET = {"block-shape", "aos-soa", "atomics", "bank-broadcast", "bank-stride", "block-multiple", "block-size", "compaction", "concurrent-kernels",
           "constant", "copy-stride", "default-stream", "divergence", "histogram", "host-copy", "ilp", "issue-order", "l1-carveout",
           "launch", "load-pattern", "local-array", "math", "matmul-aat", "matmul-ab", "n-way", "occupancy-smem", "peer", "prefetch",
           "radix-sort", "readonly", "reduction", "registers", "scan", "staged-overlap", "texture", "transpose", "word-size", "zero-copy"}

kept = recorded("curriculum_h200")
lines = recorded("load_pattern_h200")  # load-pattern:scattered and -l2, lines=4, 8, 16
blocks = recorded("prefetch_blocks_h200")  # prefetch, blocks=2, 4, 8
on_model = modelled()
preferences = ["prefer-l1", "equal", "prefer-shared"]
schedules = ["serial", "2-way", "3-way", "4-way"]


def layout(kind, fields, used=0):
    return find(kept, "aos-soa", kind, fields=fields, used=used)


def pattern(kind):
    return metric(find(kept, "load-pattern", kind, lines=32), "dram_read_bytes") / 1e6


def carveout(preference, kib):
    return find(kept, "l1-carveout", preference, kib=kib)


def prefetch(variant, distance=6):
    return find(kept, "prefetch", variant, blocks=1, distance=distance)


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
old = [
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
      for before, after, runs in ((4, 8, lines), (8, 16, lines), (16, 32, kept))],
    ("load-pattern", "in a kernel this short, but ", [pattern("misaligned")]),
    ("load-pattern", "read from DRAM where aligned reads ", [pattern("aligned")]),
    *[("l1-carveout", f"\n| {preference} |", [us(carveout(preference, kib)) for kib in (8, 24, 48, 64)]
       + [metric(carveout(preference, kib), "l1_hit_pct") for kib in (8, 24, 48, 64)]) for preference in preferences],
    ("l1-carveout", "the first launch takes ", [carveout("prefer-l1", 48)["kernels"][0]["time_ns"]["min"] / 1e3]),
    ("l1-carveout", "launches right behind it ", [us(carveout("prefer-l1", 48)), carveout("prefer-l1", 48)["kernels"][0]["time_ns"]["max"] / 1e3]),
    ("n-way", "**On an H200** ", [busy_us(find(kept, "n-way", "serial")) / 1e3]),
    ("n-way", "serial, then ", [busy_us(find(kept, "n-way", name)) / 1e3 for name in schedules[1:]]),
    ("n-way", "On the device model, at its small size: ", [busy_us(find(on_model, "n-way", name)) for name in schedules]),
    ("prefetch", "wait for memory ", [metric(loop, "stall_long_scoreboard") / metric(loop, "cycles_per_issue") * 100,
                                      metric(loop, "dram_peak_pct")]),
    ("prefetch", "passes takes ", [us(loop) / loop["params"]["passes"] * 1e3]),
    prefetch_row("|---|---|---|---|\n| loop | ", ("loop", 6)),
    prefetch_row("smem-batched-pad, 8 | ", ("scalar-batched", 16), ("smem-batched-pad", 8)),
    ("prefetch", "at distance 1 and 16 | ", [us(prefetch("scalar-rolling", 1)), us(prefetch("scalar-rolling", 16))]),
    prefetch_row("| smem-rolling, 6 | ", ("smem-rolling", 6)),
    prefetch_row("| l2, 6 | ", ("l2", 6)),
    prefetch_row("-pad: none | ", ("smem-rolling-async", 16), ("smem-rolling-async-pad", 16)),
    ("prefetch", "The gains (", [max(us(loop) / us(run) for run in kept if run["workload"] == "prefetch")]),
    ("prefetch", "the padded ring gains ", [us(loop) / us(prefetch("smem-rolling-async-pad"))] + [gain(count) for count in (2, 4, 8)]),
]


DOCUMENT = "a document says it"
RULE = "it follows from rules or parameters"
NOT_KEPT = "its run is not kept"

OFFSETS = (("0, 32", 0), ("8, 16, 24", 8), ("any other", 5))
figures = [(lesson, before, values, "") for lesson, before, values in old] + [
    *[count("copy-offset", f"| {name} |", "sectors", f"copy offset={offset}") for name, offset in OFFSETS],
    *[count("copy-offset", f"| {name} | {sectors} |", "sectors", f"copy offset={offset}", arguments=("--cc", "2.0-no-l1", "copy-offset,offset=0..8"))
      for (name, offset), sectors in zip(OFFSETS, (4, 4, 5))],
    *[count("copy-offset", f"| {name} | {sectors} | {sectors} |", "lines", f"copy offset={offset}", arguments=("--cc", "2.0", "copy-offset,offset=0..8"))
      for (name, offset), sectors in zip(OFFSETS, (4, 4, 5))],
    h200("copy-offset", "the copy reaches ", "TB/s", "copy offset=0"),
    h200("copy-offset", "at offset 0 and ", "TB/s", "copy offset=1"),
    h200("copy-offset", "the L1 hit rate: ", "l1_hit_pct", "copy offset=0"),
    h200("copy-offset", "at offset 0, about ", "l1_hit_pct", "copy offset=1"),
    model("copy-offset", "of that GPU gives ", "GB/s", "copy offset=0", "copy offset=1", arguments=("--model", "m2090", "--size", "default",
                                                                                             "copy-offset,offset=0|1")),
]

said = [
    ("async-calls", "pageable memory to the device, 64 KiB", RULE),
    ("async-calls", "the same, 1 MiB", RULE),
    ("async-calls", "copies to the device of 64 KB and less", DOCUMENT),
    ("transfer-worth", "| add | n x n | 3 x n x n | 1:3, for any n |", RULE),
    ("transfer-worth", "| multiply | about n x n x n | 3 x n x n |", RULE),
    ("transfer-worth", "| keep | steps x n x n | 3 x n x n |", RULE),
    ("transfer-worth", "| back | steps x n x n | 2 x n x n in each step", RULE),
    ("copy-offset", "about 130 GB/s at offsets 0 and 32 and about 104 GB/s between them", DOCUMENT),
]
