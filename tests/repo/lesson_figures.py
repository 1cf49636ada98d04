# SPDX-License-Identifier: Apache-2.0
"""What the figures of the lessons are compared with: `figures` (lesson_runs.py has the form of a row), and `said`: (lesson, words of it,
why no run bears them out)."""
from lesson_runs import call_us, count, find, h200, metric, model, modelled, of_h200, of_model, recorded, say, table, us

DOCUMENT = "a document says it"
RULE = "it follows from rules or parameters"
NOT_KEPT = "its run is not kept"
ROUNDED = "it is of other figures of the lesson"

WANTED = "global_load_bytes_wanted_per_byte_moved"
figures, said = [], []

# ---- l1-carveout, occupancy-smem on an M2090 ----

carveouts = ("--model", "m2090", "l1-carveout")
figures += [
    model("l1-carveout", "prefer-l1 takes {} us with", "us", "prefer-l1", arguments=carveouts),
    model("l1-carveout", "us with {} % of hits, and prefer-shared", "l1_hit_pct", "prefer-l1", arguments=carveouts),
    model("l1-carveout", "prefer-shared {} us with", "us", "prefer-shared", arguments=carveouts),
    model("l1-carveout", "prefer-shared 152 us with {} %", "l1_hit_pct", "prefer-shared", arguments=carveouts),
    model("occupancy-smem", "the guide's plateau: {} GB/s with", "GB/s", "copy kib=0",
          arguments=("--model", "m2090", "--size", "default", "occupancy-smem:copy,kib=0|12|16|24|48")),
]
said += [("occupancy-smem", "(100 %) and 12 KiB (67 %), 129 with 16 KiB (50 %), but 114 with 24 KiB (33 %) and 63 with 48 KiB (17 %)", RULE)]

# ---- matmul-aat on 1.x ----

for sentence, gpu in (("it has {} and {}, ", "8800gtx"), ("10.4, {} and {} (", "gtx280")):
    figures.append(model("matmul-aat", sentence, "GB/s", "simple m=512", "pad m=512",
                         arguments=("--model", gpu, "--size", "default", "matmul-aat:simple,m=512", "matmul-aat:pad,m=512")))
said += [("matmul-aat", "measured 0.5 GB/s for simple and 13.2 for pad on a GeForce 8800 GTX, 1.1 and 24.9 on a GTX 280", DOCUMENT)]



# ---- copy-offset ----

offsets = (0, 8, 5)
rules = [of_model("copy-offset", "--cc", rule, "copy-offset,offset=0..8") for rule in ("2.0-no-l1", "2.0")]
figures += [
    table("copy-offset", "| offset |", "", [[of_model("copy-offset")("sectors", f"copy offset={offset}"), rules[0]("sectors", f"copy offset={offset}"),
                                             rules[1]("lines", f"copy offset={offset}")] for offset in offsets]),
    h200("copy-offset", "the copy reaches {} TB/s at offset 0 and {} at offset 1", "TB/s", "copy offset=0", "copy offset=1"),
    h200("copy-offset", "the L1 hit rate: {} % at offset 0, about {} % at offset 1", "l1_hit_pct", "copy offset=0", "copy offset=1"),
    model("copy-offset", "of that GPU gives {} and {} GB/s", "GB/s", "copy offset=0", "copy offset=1",
          arguments=("--model", "m2090", "--size", "default", "copy-offset,offset=0|1")),
]
figures.append(model("copy-offset", "The model gives {} and {} (the second", "GB/s", "copy offset=0", "copy offset=1",
                     arguments=("--model", "8800gtx", "--size", "default", "copy-offset,offset=0|1")))
said += [("copy-offset", "measured about 74 GB/s at offset 0 and about 7 GB/s at offset 1", DOCUMENT)]
said += [("copy-offset", "about 130 GB/s at offsets 0 and 32 and about 104 GB/s between them", DOCUMENT)]

# ---- copy-stride ----

here, old = of_model("copy-stride"), of_model("copy-stride", "--cc", "2.0", "copy-stride,stride=1..32")
figures += [
    table("copy-stride", "| stride |", "", [[here("sectors", case), here(WANTED, case), old("lines", case), old(WANTED, case)]
                                            for case in (f"copy stride={stride}" for stride in (1, 2, 4, 8, 32))]),
    h200("copy-stride", "bandwidth is {} TB/s at stride 1, {} at 2, {} at 8 and {} at 32", "TB/s", *[f"copy stride={stride}" for stride in (1, 2, 8, 32)]),
    h200("copy-stride", "reads {} MB from DRAM; at stride 2 it reads {} MB", "MB read", "copy stride=1", "copy stride=2"),
]

# ---- load-pattern ----

patterns = ("aligned", "permuted", "misaligned", "one-word", "scattered lines=32")
here, hopper, lines = of_model("load-pattern"), of_h200("load-pattern"), of_h200("load-pattern", "load_pattern_h200")
rules = [of_model("load-pattern", "--cc", rule, "load-pattern") for rule in ("2.0-no-l1", "2.0", "1.3", "1.0")]
figures += [
    table("load-pattern", "| pattern | sectors", "", [[here("sectors", case), here(WANTED, case)] for case in patterns]),
    table("load-pattern", "| pattern | 2.x", "", [[rule(WANTED, case) for rule in rules] for case in patterns]),
    h200("load-pattern", "all patterns but scattered take about {} us", "us", "one-word"),
    say("load-pattern", "lines takes {}, {}, {} and {} us", "H200",
        *[lines("us", f"scattered lines={count}") for count in (4, 8, 16)], hopper("us", "scattered lines=32")),
    h200("load-pattern", "but {} MB are read from DRAM, where aligned reads {} MB", "MB read", "misaligned", "aligned"),
]

# ---- word-size ----

sizes = ("8", "16", "32", "64", "128", "float3", "packed")
here, hopper = of_model("word-size"), of_h200("word-size")
figures += [
    table("word-size", "| variant |", "", [[None, here("loads", size), here("sectors", size), here(WANTED, size)] for size in sizes]),
    h200("word-size", "take the same time, {}, {} and {} us", "us", "8", "16", "32"),
    h200("word-size", "us: {}, {} and {} TB/s", "TB/s", "8", "16", "32"),
    say("word-size", "8 bytes take {} us and 16 bytes {} us, which is {} TB/s", "H200", hopper("us", "64"), hopper("us", "128"), hopper("TB/s", "128")),
    say("word-size", "float3 takes {} us with an L1 hit rate of {} %, packed {} us with {} %", "H200", hopper("us", "float3"), hopper("l1_hit_pct", "float3"),
        hopper("us", "packed"), hopper("l1_hit_pct", "packed")),
]

# ---- aos-soa ----

kinds = ("aos", "soa", "aligned")
here, hopper = of_model("aos-soa"), of_h200("aos-soa")
losses = [hopper("us", f"soa fields={words} used=0") / hopper("us", f"aos fields={words} used=0") * 100 - 100 for words in (2, 3, 5, 6, 7)]
figures += [
    table("aos-soa", "| words of a structure | sectors", "", [[here("sectors", f"{kind} fields={words} used=0") for kind in kinds] for words in (1, 2, 4, 8)]),
    table("aos-soa", "| words of a structure | 1 |", "H200", [[hopper("us", f"{kind} fields={words} used=0") for words in range(1, 9)] for kind in kinds]),
    h200("aos-soa", "aos takes {} us and soa {} us", "us", "aos fields=8 used=1", "soa fields=8 used=1"),
    h200("aos-soa", "no better: {} us", "us", "aligned fields=8 used=1"),
    say("aos-soa", "soa even takes {} to {} % longer", "H200", min(losses), max(losses)),
    h200("aos-soa", "with 7 words soa reads {} MB and aos {} MB", "MB read", "soa fields=7 used=0", "aos fields=7 used=0"),
    say("aos-soa", "4 words reach {} TB/s of effective bandwidth, and the peak of the DRAM is {} TB/s", "H200", hopper("TB/s", "aligned fields=4 used=0"),
        hopper("theoretical_bandwidth_bytes_per_second", "aligned fields=4 used=0") / 1e12),
    h200("aos-soa", "Only {} MB were read", "MB read", "aligned fields=4 used=0"),
    h200("aos-soa", "hit rate of aos is about {} %", "l1_hit_pct", "aos fields=8 used=0"),
]

# ---- block-multiple ----

hopper = of_h200("block-multiple")
blocks = (192, 200, 250, 256, 257)
figures += [
    table("block-multiple", "| threads |", "", [[hopper("sectors", f"copy block={block}"), hopper("active", f"copy block={block}")] for block in (256, 100, 250, 257)]),
    h200("block-multiple", "192 threads take {} us, 200 threads {} us, 250 threads {} us, 256 threads {} us, 257 threads {} us", "us",
         *[f"copy block={block}" for block in blocks]),
    say("block-multiple", "take {} to {} % more", "H200", *[hopper("us", f"copy block={block}") / hopper("us", "copy block=256") * 100 - 100 for block in (250, 257)]),
    h200("block-multiple", "DRAM reads are {} MB", "MB read", "copy block=256"),
    h200("block-multiple", "they take {} us and {} us, but 96 threads take {} us", "us", "copy block=100", "copy block=128", "copy block=96"),
]

# ---- bank-stride ----

hopper = of_h200("bank-stride")
rules = [of_model("bank-stride", "--cc", rule, "bank-stride:32-bit,stride=1..33") for rule in ("1.0", "2.0", "3.5", "3.5-64-bit")] + [of_model("bank-stride")]
figures += [
    table("bank-stride", "| access |", "", [[rule("wavefronts", f"32-bit stride={stride}") for rule in rules] for stride in (1, 2, 3, 32)]),
    h200("bank-stride", "take {}, {}, {}, {}, {}, {} and {} us", "us", *[f"32-bit stride={stride}" for stride in (1, 2, 4, 8, 16, 32, 33)]),
]
said += [("bank-stride", "| 8-bit, 16-bit | 32 | lanes share words, so there are fewer conflicts than with 4-byte words of the same stride |", RULE),
         ("bank-stride", "| 32-bit | 32 |", RULE), ("bank-stride", "| 16 | 32 lanes want 256 bytes: at least 2 wavefronts |", RULE),
         ("bank-stride", "| 8 | at least 4 wavefronts |", RULE)]

# ---- bank-broadcast ----

here, old = of_model("bank-broadcast"), of_model("bank-broadcast", "--cc", "1.3", "bank-broadcast,groups=1|4|32")
figures += [
    table("bank-broadcast", "| groups |", "", [[rule("wavefronts", f"{variant} groups={groups}") for rule in (here, old) for variant in ("neighbours", "one-bank")]
                                               for groups in (1, 4, 32)]),
    h200("bank-broadcast", "neighbours takes {} us for", "us", "neighbours groups=1"),
    h200("bank-broadcast", "32 groups takes {}, {}, {}, {}, {} and {} us", "us", *[f"one-bank groups={groups}" for groups in (1, 2, 4, 8, 16, 32)]),
]

# ---- transpose ----

here = of_model("transpose")
figures += [
    table("transpose", "| variant |", "", [[here("store sectors", variant), [] if variant in ("copy", "naive") else here("wavefronts", variant)]
                                           for variant in ("copy", "naive", "tile", "pad", "swizzle")]),
    h200("transpose", "copy reaches {} TB/s, naive {} TB/s, tile {} TB/s, pad {} TB/s and swizzle {} TB/s", "TB/s", "copy", "naive", "tile", "pad", "swizzle"),
    say("transpose", "conflicts cost a factor of {}, the uncoalesced store a factor of {}", "H200",
        *[us(find(recorded("curriculum_h200"), "transpose", slow)) / us(find(recorded("curriculum_h200"), "transpose", fast))
          for slow, fast in (("tile", "pad"), ("naive", "copy"))]),
]

# ---- matmul-ab, matmul-aat ----

here = of_model("matmul-ab")
warps = {name: here("global_store_requests", name) for name in ("simple", "a-tile", "ab-tiles")}  # each stores its row once
figures += [
    table("matmul-ab", "| variant |", "", [[here("global_load_requests", name) / warps[name], here("shared_load_instructions", name) / warps[name]] for name in warps]),
    h200("matmul-ab", "the variants take {}, {} and {} us", "us", *warps),
    h200("matmul-ab", "with {}, {} and {} million load requests", "M requests", *warps),
    h200("matmul-ab", "{} % of the sectors of simple", "l1_hit_pct", "simple"),
    h200("matmul-ab", "cuBLAS takes {} us", "us", "cublas"),
]
said += [("matmul-ab", "from 6.6 to 14.9 GB/s", DOCUMENT), ("matmul-ab", "the table of 6.6, 7.8 and 14.9 GB/s", DOCUMENT)]
here = of_model("matmul-aat")
figures += [
    table("matmul-aat", "| variant |", "", [[here("sectors", name), [] if name == "simple" else here("store wavefronts", name)] for name in ("simple", "tile", "pad")]),
    h200("matmul-aat", "they take {}, {} and {} us", "us", "simple", "tile", "pad"),
    h200("matmul-aat", "In simple {} % of the sectors", "l1_hit_pct", "simple"),
]


# ---- host-copy, zero-copy ----

kept = recorded("curriculum_h200")
figures += [
    h200("host-copy", "65536 KiB reach {}, {}, {} and {} GB/s", "copy in GB/s", *[f"pinned-in kib={kib} pieces=1" for kib in (1, 256, 1024, 65536)]),
    h200("host-copy", "1,024 pieces reaches {} GB/s", "copy in GB/s", "pinned-in kib=1024 pieces=1024"),
    say("host-copy", "it takes {} us for 1 MiB, and {} us for pinned memory", "H200",
        *[call_us(find(kept, "host-copy", variant, kib=1024, pieces=1), "cuMemcpyHtoDAsync") for variant in ("pageable-in", "pinned-in")]),
    h200("host-copy", "pageable memory reaches {} GB/s", "copy in GB/s", "pageable-in kib=65536 pieces=1"),
    h200("zero-copy", "busy for {} ms with copied and {} ms with mapped", "round ms", "copied reads=1", "mapped reads=1"),
    h200("zero-copy", "With 16 reads it is busy for {} ms and {} ms", "round ms", "copied reads=16", "mapped reads=16"),
]
said += [("zero-copy", "(8 MB in, 8 MB out)", RULE)]

# ---- multi-gpu ----

figures += [
    model("multi-gpu", "`one` takes {} us, `in-turn` {} us and `threads` {} us", "overlap us", "one", "in-turn", "threads"),
    model("multi-gpu", "for `in-turn` it is {}, for `threads` nearly {}", "active streams", "in-turn", "threads"),
]

# ---- n-way, staged-overlap ----

figures += [
    h200("n-way", "a round takes {} ms serial, then {} ms, {} ms and {} ms", "busy ms", "serial", "2-way", "3-way", "4-way"),
    model("n-way", "the device is busy for {}, {}, {} and {} us", "busy us", "serial", "2-way", "3-way", "4-way"),
    h200("staged-overlap", "whole takes {} ms", "input ms", "whole-pinned"),
    h200("staged-overlap", "16 chunks takes {}, {}, {} and {} ms", "input ms", *[f"staged-pinned streams={streams}" for streams in (2, 4, 8, 16)]),
    h200("staged-overlap", "Pageable memory takes {} ms whole", "input ms", "whole-pageable"),
]

# ---- issue-order, default-stream, concurrent-kernels ----

for sentence, gpu in (("an M2090 takes {} ms depth-first and {} ms breadth-first", "m2090"), ("A GTX 680 takes {} ms and {} ms", "gtx680"),
                      ("a GTX 280 {} ms and {} ms", "gtx280")):
    figures.append(model("issue-order", sentence, "round ms", "depth-first", "breadth-first", arguments=("--model", gpu, "issue-order")))
figures += [
    h200("issue-order", "the same time: {} and {} ms", "round ms", "depth-first", "breadth-first"),
    h200("default-stream", "a kernel takes {} us", "us", "streams"),
    h200("default-stream", "take {} ms at the same time, and {} ms one after the other", "round ms", "streams", "legacy"),
    say("default-stream", "cudaFree that waits: {} us", "H200", call_us(find(kept, "default-stream", "allocation"), "cuMemFree")),
    say("default-stream", "after {} us", "H200", call_us(find(kept, "default-stream", "allocation"), "cuMemAlloc")),
    h200("concurrent-kernels", "a kernel takes {} us", "us", "kernels kernels=16 streams=1"),
    h200("concurrent-kernels", "take {} ms in one stream, {} ms in two, {} ms in four, {} ms in eight and {} ms in sixteen", "round ms",
         *[f"kernels kernels=16 streams={streams}" for streams in (1, 2, 4, 8, 16)]),
]

# ---- peer, launch ----

peers = {run["variant"]: run for run in recorded("peer_h200")}
copy, = [copy for copy in peers["direct"]["copies"] if copy["kind"] == "ptop"]
times = copy["median_ns"] / 1e3, us(peers["kernel"])
figures += [
    say("peer", "takes {} us, and a kernel that reads as many bytes takes {} us", "H200", *times),
    say("peer", "That is {} and {} GB/s", "H200", *[(64 << 20) / time / 1e3 for time in times]),
    say("peer", "reads at {} GB/s", "model", (16 << 20) / us(modelled("--model", "c2050", "peer:kernel,n=4194304")[0]) / 1e3),
    h200("launch", "a kernel takes {} us, and", "us", "stream kernels=1000"),
    say("launch", "its launch call {} us", "H200", call_us(find(kept, "launch", "stream", kernels=1000), "cuLaunchKernel")),
    say("launch", "each takes {} us", "H200", us(find(kept, "launch", "nested", kernels=1000)) / 1000),
    h200("launch", "100 a kernel takes {} us", "us", "graph kernels=100"),
]

# ---- occupancy-smem, block-size, ilp ----

hopper = of_h200("occupancy-smem")
kibs = (0, 32, 40, 48, 64, 90, 150)
figures += [
    table("occupancy-smem", "| KiB per block |", "H200", [[hopper("theoretical_occupancy_pct", f"copy kib={kib}") for kib in kibs]]
          + [[hopper("TB/s", f"{variant} kib={kib}") for kib in kibs] for variant in ("copy", "four-loads")]),
    say("occupancy-smem", "it loses {} % without a quarter of its warps, on the H200, and {} % without half", "H200",
        *[100 - hopper("TB/s", f"four-loads kib={kib}") / hopper("TB/s", "four-loads kib=0") * 100 for kib in (32, 48)]),
    count("occupancy-smem", "in the panel is {}, {}, {}, {}, {} and {} %", "theoretical_occupancy_pct", *[f"copy kib={kib}" for kib in (0, 16, 32, 64, 113, 227)],
          arguments=("occupancy-smem:copy,kib=0|16|32|64|113|227",)),
]
hopper = of_h200("block-size")
figures += [
    table("block-size", "| threads of a block |", "H200", [[hopper("us", f"{variant} block={block} rounds=32") for block in (32, 64, 128, 256, 512, 1024)]
                                                           for variant in ("copy", "barriers")]),
    count("block-size", "occupancy is {} % at 32 threads, limited by blocks, and {} % from 64", "theoretical_occupancy_pct", "copy block=32 rounds=32",
          "copy block=64 rounds=32"),
]
hopper = of_h200("ilp")
figures += [
    h200("ilp", "chains take {}, {}, {}, {}, {}, {}, {} and {} us", "us", *"12345678"),
    h200("ilp", "occupancy falls from {} % to {} %", "achieved_occupancy_pct", "1", "8"),
    *[model("ilp", sentence, "us", *cases, arguments=("--model", "m2090", "ilp:1,n=2048|8192|16384", "ilp:4,n=16384")) for sentence, *cases in (
        ("`ilp:1` takes {} us for 2,048 words, and {} us for 8,192", "1 n=2048", "1 n=8192"), ("16,384 words take {} us", "1 n=16384"),
        ("`ilp:4` takes {} us", "4 n=16384"))],
    count("ilp", "words they execute {}, {} and {} thousand instructions", "K instructions", *[f"{variant} n=4096" for variant in ("rolled", "1", "unrolled")],
          arguments=("ilp:rolled,n=4096", "ilp:1,n=4096", "ilp:unrolled,n=4096")),
]

# ---- divergence, math, l1-carveout ----

hopper = of_h200("divergence")
figures += [
    table("divergence", "| ways |", "H200", [[hopper("us", f"{variant} ways={ways}") for ways in (1, 2, 4, 8, 16, 32)] for variant in ("lane", "warp", "data")]),
    h200("divergence", "({} million, and lane {} million)", "M instructions", "data ways=32", "lane ways=32"),
]
pairs = (("double-constants", "float-constants"), ("sin", "sin-intrinsic"), ("exp", "exp-intrinsic"), ("log", "log-intrinsic"), ("divide", "divide-intrinsic"),
         ("formula", "formula-fast"), ("divide-whole", "divide-constant"), ("pow-3", "multiply-3"), ("pow-of-2", "exp2"), ("pow-third", "cbrt"),
         ("unsigned-counter", "signed-counter"), ("multiply-24", "multiply"))
hopper = of_h200("math")
figures += [
    table("math", "| results per cycle, compute capability | 1.0", "", [[None] * 6] * 12),  # of a document: no run gives it
    table("math", "| results per cycle, compute capability | 5.x", "", [[None] * 5] * 10),
    table("math", "| power |", "", [[None]] * 8),
    table("math", "| expensive |", "", [[None] * 5] * 10),  # of the model at full size: a minute, too long for every test; equal on 2026-11-24
    table("math", "| operation |", "", [[None] * 4] * 2),  # of ptxas's machine code
    table("math", "| function, and a cheaper one |", "H200", [[hopper("us", slow), hopper("us", fast)] for slow, fast in pairs]),
    h200("math", "sin-of-pi and sinpi take {} us", "us", "sinpi"),
]
hopper = of_h200("l1-carveout")
figures += [
    table("l1-carveout", "| preference |", "H200", [[hopper(kind, f"{preference} kib={kib}") for kib in (8, 24, 48, 64) for kind in ("us", "l1_hit_pct")]
                                                    for preference in ("prefer-l1", "equal", "prefer-shared")]),
    say("l1-carveout", "takes {} us, and the launches right behind it {} to {} us", "H200",
        *[find(kept, "l1-carveout", "prefer-l1", kib=48)["kernels"][0]["time_ns"][name] / 1e3 for name in ("min", "median", "max")]),
    h200("l1-carveout", "has an L1 hit rate of {} %", "l1_hit_pct", "prefer-shared kib=8"),
]

# ---- atomics, registers, constant ----

hopper = of_h200("atomics")
figures += [table("atomics", "| lanes on a word |", "H200", [[hopper("us", f"{variant} lanes={lanes}") for lanes in (1, 2, 4, 8, 16, 32)]
                                                             for variant in ("global", "float", "shared")])]
hopper = of_h200("registers")
figures += [
    table("registers", "| bound |", "", [[hopper("theoretical_occupancy_pct", bound), []] for bound in ("24", "40", "64")]),
    h200("registers", "takes {}, {}, {} and {} us", "us", "24", "32", "40", "64"),
    count("registers", "occupancy of {}, {} and {} %", "theoretical_occupancy_pct", "32", "40", "64"),
    h200("constant", "words take {}, {}, {}, {}, {} and {} us", "us", *[f"read words={words}" for words in (1, 2, 4, 8, 16, 32)]),
]
said += [("registers", "128: five blocks fit, 83 %; of 256 threads two fit, 66 %", "the calculator gives it: tests/unit/tui/test_view_occupancy.c"),
         ("registers", "(the example of 1.1: 83 % and 66 %)", DOCUMENT)]

# ---- texture, readonly, local-array ----

here, hopper = of_model("texture"), of_h200("texture")
figures += [
    table("texture", "| variant | lanes read |", "", [[[], here("sectors", "copy-plain"), []], [[], here("sectors", "column-plain"), []],
                                                      [[30], here("sectors", "rotate-plain angle=30"), []]]),
    h200("texture", "rows take {} us", "us", "copy-plain"),
    h200("texture", "Columns take {} us with plain loads and {} us", "us", "column-plain", "column-texture"),
    h200("texture", "degrees it is {} and {} us, and {} us", "us", "rotate-plain", "rotate-texture", "rotate-linear"),
]
arguments = ("--model", "m2090", "--size", "default", *(f"texture:{way}-{through}" for way in ("copy", "column") for through in ("plain", "texture")))
figures += [
    model("texture", "rows take {} us with plain loads and {} us through a texture: L1", "us", "copy-plain", "copy-texture", arguments=arguments),
    model("texture", "Columns take {} us and {} us", "us", "column-plain", "column-texture", arguments=arguments),
]
here = of_model("texture-kinds")
warps = find(modelled(), "texture-kinds", "bytes-plain")["params"]["n"] / 32
arguments = ("--size", "default", "texture-kinds")
figures += [
    table("texture-kinds", "| variant |", "", [[[], here("global_load_requests", variant) / warps] for variant in
                                               ("line-plain", "line-texture", "bytes-plain", "bytes-texture", "volume-plain", "volume-texture")]),
    model("texture-kinds", "volume-plain takes {} us and volume-texture {} us, bytes-plain {} us and bytes-texture {} us", "us",
          "volume-plain", "volume-texture", "bytes-plain", "bytes-texture", arguments=arguments),
    model("texture-kinds", "take {} sectors per request at offsets 0 and 8 and {} at offset 4", "sectors", "line-plain offset=0", "line-plain offset=4",
          arguments=("texture-kinds:line-plain,offset=0..8/4",)),
    model("texture-kinds", "{} sectors per request at offset 0 and {} at offset 1", "sectors", "line-plain offset=0", "line-plain offset=1",
          arguments=("--cc", "1.0", "texture-kinds:line-plain,offset=0..1")),
]
here = of_model("readonly")
figures += [
    table("readonly", "| variant |", "", [[here("global_load_requests", f"{variant} rounds=4") / here("global_store_requests", f"{variant} rounds=4"), []]
                                          for variant in ("plain", "restrict", "ldg")]),
    h200("readonly", "they take {}, {} and {} us", "us", "plain rounds=4", "restrict rounds=4", "ldg rounds=4"),
]
here = of_model("local-array")
warps = find(modelled(), "local-array", "variable")["params"]["n"] / 32
figures += [
    table("local-array", "| variant |", "", [[here(f"local_{what}_sectors", variant) / warps for what in ("load", "store")] for variant in ("constant", "variable")]),
    h200("local-array", "it takes {} us with constant indices, and {} us", "us", "constant", "variable"),
]

# ---- what host calls cost ----

said += [
    ("async-calls", "pageable memory to the device, 64 KiB", RULE),
    ("async-calls", "the same, 1 MiB", RULE),
    ("async-calls", "copies to the device of 64 KB and less", DOCUMENT),
    ("transfer-worth", "| add | n x n | 3 x n x n | 1:3, for any n |", RULE),
    ("transfer-worth", "| multiply | about n x n x n | 3 x n x n |", RULE),
    ("transfer-worth", "| keep | steps x n x n | 3 x n x n |", RULE),
    ("transfer-worth", "| back | steps x n x n | 2 x n x n in each step", RULE),
]

# ---- block-shape ----

shapes = ("x=32", "x=16", "x=8", "x=4")
rules = [of_model("block-shape", "--cc", rule, "block-shape:rows,x=4|8|16|32") for rule in ("1.0", "1.3", "2.0")] + [of_model("block-shape", "block-shape,x=4|8|16|32")]
figures += [table("block-shape", "| x, y", "", [[rule("sectors", f"rows {shape}") for rule in rules] for shape in shapes])]

# ---- prefetch ----

hopper, more = of_h200("prefetch"), of_h200("prefetch", "prefetch_blocks_h200")
cases = [f"{variant} distance={distance} blocks=1" for variant, distance in (("loop", 6), ("scalar-batched", 16), ("scalar-rolling", 16), ("smem-rolling", 6), ("l2", 6),
                                                                            ("smem-rolling-async", 16), ("smem-rolling-async-pad", 16))]
figures += [
    say("prefetch", "wait for memory {} % of the time, at {} %", "H200",
        hopper("stall_long_scoreboard", cases[0]) / hopper("cycles_per_issue", cases[0]) * 100, hopper("dram_peak_pct", cases[0])),
    table("prefetch", "| variant and distance |", "H200", [[hopper(kind, case) for kind in ("us", "stall_long_scoreboard", "cycles_per_issue", "dram_peak_pct")]
                                                           for case in cases]),
    say("prefetch", "by factors of {}, {}, {} and {}", "H200", hopper("us", cases[0]) / hopper("us", "smem-rolling-async-pad distance=6 blocks=1"),
        *[more("us", f"loop blocks={blocks}") / more("us", f"smem-rolling-async-pad blocks={blocks}") for blocks in (2, 4, 8)]),
]
said += [("prefetch", "about 60 % for the padded asynchronous ring at distance 6, 20 to 30 % for the others, and says that scalar rolling alone loses about 60 %", DOCUMENT)]

# ---- primitives ----

hopper = of_h200("reduction")
figures += [
    table("reduction", "| variant | us |", "H200", [[hopper(kind, variant) for kind in ("us", "active", "M instructions")]
                                                    for variant in ("divergent", "conflicts", "sequential", "first-add", "shuffle")]),
    say("reduction", "takes {} us on the H200", "H200", find(kept, "reduction", "cub")["kernels"][0]["time_ns"]["median"] / 1e3),
    table("reduction", "| variant | active threads |", "", [[None, None]] * 5),
]
said += [("reduction", "on a GPU with 4.8 TB/s", RULE)]
hopper = of_h200("scan")
figures += [
    h200("scan", "naive takes {} us, efficient {} us, padded {} us and shuffle {} us", "us", "naive", "efficient", "padded", "shuffle"),
    h200("scan", "kernels of blocks take {}, {} and {} us", "us", "blocks/scan_blocks", "blocks/scan_sums", "blocks/scan_add"),
    say("scan", "takes {} us there", "H200", max(us(find(kept, "scan", "cub"), kernel["name"]) for kernel in find(kept, "scan", "cub")["kernels"])),
    table("scan", "| variant |", "", [[None] * 3] * 4),  # of the algorithm
]
hopper = of_h200("compaction")
figures += [
    table("compaction", "| words kept, % |", "H200", [[hopper("us", f"{variant} keep={keep}") for variant in ("atomic", "warp", "block")] for keep in (1, 50, 100)]),
    h200("compaction", "kernels of scan take {}, {} and {} us", "us", "scan/compaction_count keep=50", "scan/scan_sums keep=50", "scan/compaction_move keep=50"),
    say("compaction", "`compaction:cub` takes {} us", "H200", max(kernel["time_ns"]["median"] / 1e3 for kernel in find(kept, "compaction", "cub", keep=50)["kernels"])),
    h200("compaction", "atomic stores {} sectors a request, the others {}", "store sectors", "atomic keep=100", "warp keep=100"),
    table("compaction", "| variant |", "", [[None] * 3] * 4),  # of the algorithm
]
said += [("compaction", "16 million words", RULE)]
hopper = of_h200("radix-sort")
movers = ("split/radix_sort_split", "scatter/radix_sort_scatter", "local-sort/radix_sort_local")
cub = max(find(kept, "radix-sort", "cub")["kernels"], key=lambda kernel: kernel["launches"])
figures += [
    table("radix-sort", "| variant | store sectors", "H200", [[hopper(kind, f"{mover} bits=32") for kind in ("store sectors", "us")] for mover in movers]),
    say("radix-sort", "takes {} us for each of its four passes on the H200, with {} store", "H200", cub["time_ns"]["median"] / 1e3,
        cub["metrics"]["global_store_sectors_per_request"]["value"]),
    table("radix-sort", "| variant | bits", "", [[None] * 3] * 3),  # of the algorithm
]
said += [("radix-sort", "16 million keys", RULE)]
hopper = of_h200("histogram")
cub = [max(kernel["time_ns"]["median"] / 1e3 for kernel in find(kept, "histogram", "cub", skew=skew, bins=bins)["kernels"])
       for skew, bins in ((100, 256), (50, 256), (0, 1024))]
figures += [
    table("histogram", "| skew |", "H200", [[hopper("us", f"{variant} skew={skew} bins=256") for skew in (0, 50, 100)] for variant in ("global", "shared", "warps")]),
    h200("histogram", "with 32 bins takes {} us", "us", "shared skew=0 bins=32"),
    h200("histogram", "leaves: {} % on an H200", "theoretical_occupancy_pct", "shared skew=0 bins=1024"),
    say("histogram", "takes {} to {} us there with 256 bins, and {} us", "H200", *cub),
    table("histogram", "| variant |", "", [[None] * 3] * 3),  # of the algorithm
]
said += [("histogram", "16 million values", RULE)]

# ---- variants of prefetch, scan, transpose, local-array ----

figures += [
    model("prefetch", "loop takes {} us, smem-rolling {} us and smem-rolling-barrier {} us, but smem-rolling-async-barrier {} us", "us",
          *[f"{variant} distance=6" for variant in ("loop", "smem-rolling", "smem-rolling-barrier", "smem-rolling-async-barrier")],
          arguments=("--size", "default", *[f"prefetch:{variant},distance=6" for variant in ("loop", "smem-rolling", "smem-rolling-barrier", "smem-rolling-async-barrier")])),
    model("scan", "the loads of efficient take {} wavefronts, those of padded {} and those of padded-16 {}", "shared_load_wavefronts", "efficient", "padded", "padded-16",
          arguments=("--model", "gtx280", "scan:efficient", "scan:padded", "scan:padded-16")),
    model("scan", "rules padded takes {}, the ideal, and padded-16 takes {}", "shared_load_wavefronts", "padded", "padded-16", arguments=("scan:padded", "scan:padded-16")),
    model("local-array", "the L1 hit rate is {} % with the largest and {} % with the smallest", "l1_hit_pct", "variable-l1", "variable-shared",
          arguments=("--size", "default", "local-array:variable-l1", "local-array:variable-shared")),
]
