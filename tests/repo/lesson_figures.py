"""What the figures of the lessons are compared with: `figures` (lesson_runs.py has the form of a row), and `said`: (lesson, words of it,
why no run bears them out)."""
from lesson_runs import count, find, h200, metric, model, modelled, of_h200, of_model, recorded, say, table, us

# Lessons that are not in the form of lesson_form.py yet.
NOT_YET = {"atomics", "block-shape", "block-size", "compaction", "concurrent-kernels", "constant",
           "default-stream", "divergence", "histogram", "host-copy", "ilp", "issue-order", "l1-carveout", "launch", "local-array", "math",
           "n-way", "occupancy-smem", "peer", "prefetch", "radix-sort", "readonly", "reduction", "registers",
           "scan", "staged-overlap", "texture", "zero-copy"}

DOCUMENT = "a document says it"
RULE = "it follows from rules or parameters"
NOT_KEPT = "its run is not kept"
ROUNDED = "it is of other figures of the lesson"

WANTED = "global_load_bytes_wanted_per_byte_moved"
figures, said = [], []


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
