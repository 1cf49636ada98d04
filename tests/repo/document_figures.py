# SPDX-License-Identifier: Apache-2.0
"""The numbers of the user's documents: for each figure or table its source, the GPU of the document, the runs of the device model that
have the same quantity, and the points. A number of a document that no run can give is in NOT_HERE with the reason.

A point is (x, the document's number, or its (least, most) where it gives a range, case, what to read). What to read is
  METRIC             of the case's first kernel
  METRIC x N         times N; METRIC / METRIC of the same kernel
  faster than CASE   the time of CASE / the time of the case, both kernels
  span of CASE       the device's span of the case / that of CASE
  saved against CASE the device's span of CASE - that of the case, in us
  copy               bytes / time of the case's first copy to the device
or, for a figure that runs nothing, a property of `lanescope device --model GPU`. Then the case is the GPU."""

GUIDE, COURSE, ARTICLE = "CUDA C Best Practices Guide", "CUDA efficient programming", "GPU memory prefetching"
GUIDE_42 = "CUDA C Best Practices Guide 4.2"
AAT_WHY = ("Nothing is fitted here. Without tiles the model is too slow: it moves the transactions of the guide's own rules, 268 and 277 MB, at 90 % of the DRAM's peak, and the guide's figures would take 1.4 and 1.9 times the peak. "
           "One transaction for a word that a half-warp shares would give 0.59 GB/s on an 8800 GTX (+17 %), and 32 bytes for each lane 0.96 on a GTX 280 (-12 %); both are against the rules, the first also against the copy from an "
           "offset, whose 7 GB/s need 16 transactions. With tiles it is too slow, too: an arithmetic instruction of 1.x takes one operand from shared memory, and the model, which runs PTX, has a load for each. These loads, 131,072 warp "
           "instructions of 4 cycles, are 24 of 104 us and 13 of 60: without them it would be 13.6 and 23 GB/s. Blocks of 16 x 16, m = 512; at m = 2048 it is 10.5 and 18.8.")
BANDWIDTH, SECTORS = "effective_bandwidth_bytes_per_second", "global_load_sectors_per_request"
UTILISATION = "global_load_bytes_wanted_per_byte_moved"
WAVEFRONTS = "shared_load_wavefronts / shared_load_instructions"
COUNT = 0  # the bound of what must be equal


def figure(name, document, where, gpu, options, unit, bound, points, why="", fitted=""):
    """bound: where the test alarms, as a share of the document's number: it stands above the deviation of today, and is no accuracy.
    fitted: which of the model's constants were chosen to reproduce these points; "": none."""
    return {"fitted": fitted, "name": name, "document": document, "where": where, "gpu": gpu, "options": options, "unit": unit, "bound": bound, "points": points, "why": why}


def offset_point(x, number, what):
    return (f"offset {x}", number, f"copy-offset:copy,offset={x}", what)


def pattern_point(variant, number, lines=None):
    return (variant + (f", N = {lines}" if lines else ""), number, f"load-pattern:{variant}" + (f",lines={lines}" if lines else ""), UTILISATION)


def prefetch_points(blocks):
    """Best distance of each way, as the article gives one number for a way."""
    def case(variant, distance):
        return f"prefetch:{variant},distance={distance},blocks={blocks},passes=128"
    loop = "faster than " + case("loop", 6)
    return [("smem rolling async, padded, distance 6", 1.6, case("smem-rolling-async-pad", 6), loop),
            ("scalar rolling, distance 6", 0.4, case("scalar-rolling", 6), loop),
            ("smem rolling, padded, distance 6", (1.2, 1.3), case("smem-rolling-pad", 6), loop),
            ("scalar batched, distance 6", (1.2, 1.3), case("scalar-batched", 6), loop),
            ("smem batched, padded, distance 6", (1.2, 1.3), case("smem-batched-pad", 6), loop)]


OLD = {"1.0": "8800gtx", "1.1": "9800gt", "1.3": "gtx280", "2.0": "m2090", "3.0": "gtx680", "3.5": "k20x"}
LIMITS = [  # in the order of OLD
    ("threads of a block", "max_threads_per_block", (512, 512, 512, 1024, 1024, 1024)),
    ("blocks of an SM", "max_blocks_per_multiprocessor", (8, 8, 8, 8, 16, 16)),
    ("warps of an SM", "max_warps_per_multiprocessor", (24, 24, 32, 48, 64, 64)),
    ("threads of an SM", "max_threads_per_multiprocessor", (768, 768, 1024, 1536, 2048, 2048)),
    ("registers of an SM", "registers_per_multiprocessor", (8192, 8192, 16384, 32768, 65536, 65536)),
    ("registers of a thread", "max_registers_per_thread", (128, 128, 128, 63, 63, 255)),
    ("shared memory of an SM, B", "shared_bytes_per_multiprocessor", (16384, 16384, 16384, 49152, 49152, 49152)),
    ("banks", "banks", (16, 16, 16, 32, 32, 32)),
    ("float results a cycle and SM", "float_lanes", (8, 8, 8, 32, 192, 192)),
    ("local memory of a thread, B", "local_bytes_per_thread", (16384, 16384, 16384, 524288, 524288, 524288)),
    ("constant cache, B", "constant_cache_bytes", (8192,) * 6),
]

FIGURES = [
    figure("Copy with an offset: bandwidth", GUIDE, "figure 6", "Tesla M2090, ECC on", ("--model", "m2090", "--size", "default"), "GB/s", 0.08,
           [offset_point(x, 130 if x in (0, 32) else 104, BANDWIDTH + " x 1e-9") for x in (0, 1, 2, 4, 8, 12, 16, 17, 24, 31, 32)],
           "The guide gives one number for all offsets between, 4/5; the model has 0.82 of its 128.7 GB/s. At 8, 16 and 24 a warp's words are four segments of L2 that begin in the middle of a line; the model has less traffic there than at other offsets ([model](../model.md), \"Lines on 2.x\").",
           fitted="L2's bandwidth and the DRAM's efficiency of 2.x"),
    figure("Copy with an offset on 1.0: bandwidth", GUIDE_42, "Effects of Misaligned Accesses", "GeForce 8800 GTX", ("--model", "8800gtx", "--size", "default"), "GB/s", 0.25,
           [(f"offset {x}", number, f"copy-offset:copy,offset={x}", BANDWIDTH + " x 1e-9") for x, number in ((0, 74), (1, 7))],
           "The aligned copy waits for the start of blocks, which was chosen for an M2090.", fitted="what a store's transaction of its own takes of DRAM, to the 7 GB/s"),
    figure("Product with the transpose on 1.0", GUIDE_42, "Shared Memory in Matrix Multiplication (C=AAT)", "GeForce 8800 GTX", ("--model", "8800gtx", "--size", "default"), "GB/s", 0.5,
           [("strided loads", 0.5, "matmul-aat:simple,m=512", BANDWIDTH + " x 1e-9"), ("tiles without conflicts", 13.2, "matmul-aat:pad,m=512", BANDWIDTH + " x 1e-9")], AAT_WHY),
    figure("Product with the transpose on 1.3", GUIDE_42, "Shared Memory in Matrix Multiplication (C=AAT)", "GeForce GTX 280", ("--model", "gtx280", "--size", "default"), "GB/s", 0.65,
           [("strided loads", 1.1, "matmul-aat:simple,m=512", BANDWIDTH + " x 1e-9"), ("tiles without conflicts", 24.9, "matmul-aat:pad,m=512", BANDWIDTH + " x 1e-9")], AAT_WHY),
    figure("Copy with an offset: lines", GUIDE, "Effects of Misaligned Accesses", "compute capability 2.0", ("--cc", "2.0"), "sectors a request", COUNT,
           [offset_point(x, 4 if x in (0, 32) else 8, SECTORS) for x in (0, 1, 7, 8, 16, 31, 32)]),
    figure("Copy with an offset: segments, L1 off", GUIDE, "Effects of Misaligned Accesses", "compute capability 2.0", ("--cc", "2.0-no-l1"), "sectors a request", COUNT,
           [offset_point(x, 4 if x % 8 == 0 else 5, SECTORS) for x in (0, 1, 7, 8, 9, 16, 24, 31, 32)]),
    figure("Copy with a stride: bytes wanted per byte moved", GUIDE, "Strided Accesses", "compute capability 2.0", ("--cc", "2.0"), "share", COUNT,
           [(f"stride {x}", 1 / x, f"copy-stride:copy,stride={x}", UTILISATION) for x in (2, 32)]),
    figure("Copy with a stride: lines", GUIDE, "Strided Accesses", "compute capability 2.0", ("--cc", "2.0"), "sectors a request", COUNT,
           [(f"stride {x}", 4 * x, f"copy-stride:copy,stride={x}", SECTORS) for x in (2, 32)]),
    figure("Bus utilisation of five patterns", COURSE, "table of caching and non-caching loads", "compute capability 2.0", ("--cc", "2.0"), "share", COUNT,
           [pattern_point("aligned", 1), pattern_point("aligned-l2", 1), pattern_point("permuted", 1), pattern_point("permuted-l2", 1),
            pattern_point("misaligned", 0.5), pattern_point("misaligned-l2", 0.8), pattern_point("one-word", 1 / 32), pattern_point("one-word-l2", 1 / 8)]
           + [pattern_point("scattered", 1 / n, n) for n in (1, 2, 4, 8, 16, 32)] + [pattern_point("scattered-l2", 4 / n, n) for n in (4, 8, 16, 32)]),
    figure("Shared memory: passes of an n-way conflict, 32 banks", GUIDE, "Shared Memory and Memory Banks", "compute capability 2.0", ("--cc", "2.0"), "passes of a warp", COUNT,
           [(f"stride {x}", n, f"bank-stride:32-bit,stride={x}", WAVEFRONTS) for x, n in ((1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (32, 32), (33, 1))]),
    figure("Shared memory: passes of an n-way conflict, 16 banks", GUIDE, "Shared Memory and Memory Banks", "compute capability 1.3", ("--cc", "1.3"), "passes of a warp, which is two half-warps", COUNT,
           [(f"stride {x}", 2 * n, f"bank-stride:32-bit,stride={x}", WAVEFRONTS) for x, n in ((1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (17, 1))]),
    figure("Shared memory: broadcast and multicast", COURSE, "shared memory", "compute capability 2.0", ("--cc", "2.0"), "passes of a warp", COUNT,
           [("all lanes one word", 1, "bank-broadcast:one-bank,groups=1", WAVEFRONTS)]
           + [(f"{n} groups, one word each", 1, f"bank-broadcast:neighbours,groups={n}", WAVEFRONTS) for n in (2, 4, 8, 16)]),
    figure("Rules of 1.0: loads that coalesce", GUIDE, "Coalesced Access to Global Memory", "compute capability 1.0", ("--cc", "1.0"), "transactions of a half-warp", COUNT,
           [("offset 0", 1, "copy-offset:copy,offset=0", "gld_coherent / global_load_requests"),
            ("offset 16", 1, "copy-offset:copy,offset=16", "gld_coherent / global_load_requests")]),
    figure("Rules of 1.0: loads that do not", GUIDE, "Coalesced Access to Global Memory", "compute capability 1.0", ("--cc", "1.0"), "transactions of a half-warp", COUNT,
           [(f"offset {x}", 16, f"copy-offset:copy,offset={x}", "gld_incoherent / global_load_requests") for x in (1, 8, 15)]),
    figure("Constant memory: k words cost k times", GUIDE, "Constant Memory", "not named; Tesla M2090 here", ("--model", "m2090", "--size", "default"), "times as slow as 2 words", 0.1,
           [(f"{k} words", k / 2, "constant:read,words=2", f"faster than constant:read,words={k}") for k in (4, 8, 16, 32)],
           "One word for all lanes is hidden behind the kernel's other instructions, as the guide says of it, so the scale begins at two. The launch takes the same time for any number of words."),
    figure("Prefetching: padded rows have no conflicts", ARTICLE, "padding", "A100", ("--model", "a100"), "passes of a warp", COUNT,
           [(f"distance {d}", 1, f"prefetch:smem-rolling-async-pad,distance={d}", WAVEFRONTS) for d in (1, 2, 4, 6, 8, 12, 16)]),
    figure("Product A x B: bandwidth", GUIDE, "Shared Memory in Matrix Multiplication (C=AB), table", "Tesla K20X", ("--model", "k20x", "--size", "default"), "GB/s", 0.68,
           [(variant, number, f"matmul-ab:{variant},m=512,n=512", BANDWIDTH + " x 1e-9") for variant, number in (("simple", 6.6), ("a-tile", 7.8), ("ab-tiles", 14.9))],
           "The order and the gain of A's tile (1.18 in the guide) are right. Without a tile and with A's the model is a seventh too fast: it waits for L2 alone, 200 cycles a load, which is a stated default ([model](../model.md)); about 230 would give the guide's figures. With both tiles the model is too fast: it takes 47 us, of which 40 us are 409,600 wavefronts of shared memory, one a cycle on 14 multiprocessors of 732 MHz; the guide's 14.9 GB/s would be 79 us for this size. What the rest is, is not known: no time of a K20X was measured, the guide does not give its size in our list of the documents' contents, and a constant of the GPU's row cannot be derived from one point."),
    figure("Prefetching, 1 block per multiprocessor", ARTICLE, "speed-up over the distance", "A100", ("--model", "a100", "--size", "default"), "times as fast", 1.6, prefetch_points(1),
           "The article's loop is another one: the arithmetic for each load and the number of resident warps decide how much latency there is to hide, and we know neither of the article's loop. With one block the ways that keep several loads in flight "
           "gain more here, on an H200 too: the padded ring at distance 6 gains 4.8 there with one block and 1.13 with eight ([prefetch](../lessons/prefetch.md)). The synchronous ring loses: each word passes registers and shared memory. Scalar rolling does not lose here, nor on an H200 (203 us at distance 16 beside the loop's 213): "
           "nvcc 13 moves its words through registers. Why the article's loses is not known."),
    figure("Prefetching, 8 blocks per multiprocessor", ARTICLE, "speed-up over the distance", "A100", ("--model", "a100", "--size", "default"), "times as fast", 1.55, prefetch_points(8),
           "The same reasons as with one block; eight blocks hide much of the latency, so that the asynchronous ring has less left to gain than the article's loop."),
    figure("Large arguments of sin", GUIDE, "Math Libraries", "not named; Tesla M2090 here", ("--model", "m2090", "--size", "default"), "times as slow", 0.5,
           [("arguments above 105615", 10, "math:sin,n=65536", "faster than math:sin-large,n=65536")],
           "The guide names neither the GPU nor the arguments, and says ten times. The ratio is that of the instructions of the two paths, as nvcc 13 makes them; those of the guide's compiler are not at hand. The model has 5.4 on an M2090 and 6.9 on an H200 ([math](../lessons/math.md)); no GPU has run `sin-large`."),
    figure("Multiplication of integers", COURSE, "throughput by compute capability", "compute capability 1.3; GeForce GTX 280", ("--model", "gtx280", "--size", "default"), "times as fast", 0.45,
           [("24 bits against 32 bits", 4, "math:multiply-24", "faster than math:multiply")],
           "The course has 8 and 2 results a cycle for the multiplication alone. The other instructions of the kernels take the same time in both, so the ratio of whole kernels is smaller."),
    figure("Order of issue", "How to Overlap Data Transfers in CUDA C/C++ (cited by docs/model.md; not of the user's documents)", "breadth first / depth first", "Tesla C2050", ("--model", "c2050", "--size", "default"), "share of time", 0.22,
           [("two copy engines, no Hyper-Q", 7.60 / 5.74, "issue-order:breadth-first", "span of issue-order:depth-first")],
           "The article's kernel is as long as each of its copies, this one longer: copies are a smaller share of the time."),
    figure("Order of issue, one copy engine", "How to Overlap Data Transfers in CUDA C/C++ (cited by docs/model.md; not of the user's documents)", "breadth first / depth first", "Tesla C1060; GeForce GTX 280 here", ("--model", "gtx280", "--size", "default"), "share of time", 0.22,
           [("one copy engine", 8.85 / 13.64, "issue-order:breadth-first", "span of issue-order:depth-first")],
           "The article's kernel is as long as each of its copies, this one longer: copies, whose order it is about, are a smaller share of the time."),
    figure("Order of issue, Hyper-Q", "How to Overlap Data Transfers in CUDA C/C++ (cited by docs/model.md; not of the user's documents)", "breadth first / depth first", "Tesla K20c; K20X here", ("--model", "k20x", "--size", "default"), "share of time", 0.02,
           [("Hyper-Q", 1, "issue-order:breadth-first", "span of issue-order:depth-first")]),
    figure("Staged copies", GUIDE, "Overlapping Transfers and Computation with Streams (a formula)", "not named; Tesla M2090 here", ("--model", "m2090", "--size", "default"), "us saved", 0.06,
           [(f"{n} streams", {"of the copy": 1 - 1 / n}, f"staged-overlap:staged-pinned,streams={n}", "saved against staged-overlap:staged-pinned,streams=1") for n in (2, 4, 8)],
           "The guide: the kernels take longer than the copies, so that the whole takes as long as the kernels, and the copies divided by the number of streams. So the time saved is that of the copies times 1 - 1 / streams; the copies of one stream are measured in its run. Each copy of a stream begins with 5 us of its own, which eight streams pay more often."),
    figure("PCIe, pinned memory", COURSE, "peak of a bus of 16 lanes", "generation 2; Tesla M2090", ("--model", "m2090", "--size", "default"), "GB/s", 0.26,
           [("generation 2", 8, "host-copy:pinned-in,kib=16384", "copy")],
           "The course's number is the peak of the bus. A copy reaches about three quarters of it ([background](../background.md), \"The bus\")."),
    figure("PCIe of generation 3, pinned memory", COURSE, "peak of a bus of 16 lanes", "generation 3; GeForce GTX 680", ("--model", "gtx680", "--size", "default"), "GB/s", 0.26,
           [("generation 3", 16, "host-copy:pinned-in,kib=16384", "copy")],
           "The course's number is the peak of the bus, as for generation 2."),
    figure("Limits by compute capability", COURSE, "tables of limits, memory and throughput", "1.0 to 3.5", None, "", COUNT,
           [(f"{name}, {cc}", number, OLD[cc], read) for name, read, numbers in LIMITS for cc, number in zip(OLD, numbers)]),
    figure("Tesla C2050", COURSE, "host and device", "Tesla C2050", None, "", COUNT,
           [("multiprocessors", 14, "c2050", "multiprocessors"), ("threads of a multiprocessor", 1536, "c2050", "max_threads_per_multiprocessor"),
            ("threads resident at once", 21504, "c2050", "resident_threads"), ("bandwidth, B/s", 144000000000, "c2050", "theoretical_bandwidth_bytes_per_second")]),
    figure("L2 of Fermi", COURSE, "memory hierarchy", "2.0", None, "B", COUNT, [("size of L2", 768 * 1024, "m2090", "l2_bytes")]),
]

NOT_HERE = [
    (GUIDE, "C = A x A transposed on a Tesla K20X, three variants", "their numbers are not in our list of the documents' contents; `lanescope --model k20x matmul-aat` has the model's"),
    (GUIDE, "copy with a stride on a Tesla M2090 (curve)", "the curve has no numbers in the text, only \"falls with the stride\": [model](../model.md), \"Lines on 2.x\" has the model's times"),
    (GUIDE, "24 cycles of a dependence between registers, 24 warps hide it on 2.0", "`lanescope --model m2090 latency:register` has 22 cycles, which is the row's own figure"),
    (GUIDE, "predication of at most 4 or 7 instructions", "a choice of the compiler of that time; today's chooses differently"),
    (GUIDE, "resolution of timers", "a property of a real host and device: the model's clock has whole ns"),
    (COURSE, "Tesla C2050: a latency of 600 cycles; host 6.4 GB/s and 300 cycles", "`lanescope --model c2050 latency:dram` has 566 cycles (the row has 500 for all of 2.x, to which the way through L2 comes); hosts are not measured"),
    (COURSE, "`reverseArrayBlock`: gld_coherent 1,952, gst_incoherent 62,464", "no bundled workload is this kernel; by the guide's rule it has 1,952 and 31,232, a ratio of 16 beside the printed 32: [rules](../rules.md), \"Not explained\""),
    (COURSE, "throughput of operations other than float additions and multiplications of integers", "constants of the model's table, not results of a run: [math](../lessons/math.md) has the table"),
    (ARTICLE, "curves over the distances 1 to 16", "our list of the documents' contents has one number for each way, not the points of the curves"),
]
