/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of a kernel: chains of instructions worked by hand, and what must hold of any estimate: each limit
 * on its own is found to be the limit, more work never takes less time, more warps hide more latency.
 */
#include "simt/timing/chain.h"
#include "simt/timing/timing.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define SLOT(n) ((uint32_t)(n)*128)
#define NO PROGRAM_NO_SLOT
#define MOST 32
#define LAST PROGRAM_VECTOR - 1

/* A program written down: one destination, up to three sources. */
struct line {
    enum program_op op;
    uint32_t destination, source[3];
    enum ptx_space space;
    uint32_t target, immediate;
    uint64_t executions; /* by each warp */
    const char *opcode;  /* NULL: "add" */
    enum program_class class;
};

struct made {
    struct program program;
    struct program_instruction instructions[MOST];
    struct program_origin origins[MOST];
    struct ptx_instruction texts[MOST];
    struct ptx_function function;
    struct counter counter;
};

#define WARPS 1000

static void make(struct made *made, const struct line *lines, uint32_t count)
{
    memset(made, 0, sizeof *made);
    made->function = (struct ptx_function){
        .name = "made", .entry = true, .instructions = made->texts, .instruction_count = count};
    made->program = (struct program){.entry = &made->function,
                                     .instructions = made->instructions,
                                     .instruction_count = count,
                                     .origins = made->origins,
                                     .origin_count = count,
                                     .frame_bytes = SLOT(14),
                                     .name_bytes = SLOT(14)};
    for (uint32_t i = 0; i < count; i++) {
        struct program_instruction *is = &made->instructions[i];
        memset(is->destination, 0xff, sizeof is->destination);
        memset(is->source, 0xff, sizeof is->source);
        is->op = (uint8_t)lines[i].op;
        is->space = (uint8_t)lines[i].space;
        is->class = (uint8_t)lines[i].class;
        is->guard = NO;
        is->destination[0] = lines[i].destination;
        memcpy(is->source, lines[i].source, sizeof lines[i].source);
        is->target = lines[i].op == PROGRAM_BRA ? lines[i].target : PROGRAM_END;
        is->immediate = lines[i].immediate;
        is->origin = i;
        made->origins[i] = (struct program_origin){&made->function, i};
        made->texts[i].opcode = lines[i].opcode ? lines[i].opcode : "add";
    }
    cr_assert_eq(counter_init(&made->counter, &made->program, arch_find(90), NULL), STATUS_OK);
    made->counter.warps = WARPS;
    made->counter.blocks = WARPS / 8;
    for (uint32_t i = 0; i < count; i++) {
        made->counter.instructions[i].warp_instructions = WARPS * lines[i].executions;
        if (lines[i].op == PROGRAM_LD || lines[i].op == PROGRAM_ST)
            made->counter.instructions[i].requests = made->counter.instructions[i].warp_instructions;
    }
}

#define ADD(d, a, b)                                                \
    {                                                               \
        PROGRAM_LANES, d, {a, b, NO}, 0, 0, 0, 1, NULL, CLASS_FLOAT \
    }
#define MOVE(d, a)                                                      \
    {                                                                   \
        PROGRAM_LANES, d, {a, NO, NO}, 0, 0, 0, 1, "mov", CLASS_INTEGER \
    }
#define LOAD(d, a)                                                          \
    {                                                                       \
        PROGRAM_LD, d, {a, NO, NO}, PTX_GLOBAL, 0, 0, 1, "ld", CLASS_MEMORY \
    }
#define STORE(a, v)                                                         \
    {                                                                       \
        PROGRAM_ST, NO, {a, v, NO}, PTX_GLOBAL, 0, 0, 1, "st", CLASS_MEMORY \
    }
#define RETURN                                                          \
    {                                                                   \
        PROGRAM_RET, NO, {NO, NO, NO}, 0, 0, 0, 1, "ret", CLASS_CONTROL \
    }
#define BARRIER                                                              \
    {                                                                        \
        PROGRAM_BAR_SYNC, NO, {NO, NO, NO}, 0, 0, 0, 1, "bar", CLASS_BARRIER \
    }
#define IN_LOOP(n, line_op, d, a, b, space)                       \
    {                                                             \
        line_op, d, {a, b, NO}, space, 0, 0, n, NULL, CLASS_FLOAT \
    }
#define BACK(n, to)                                                      \
    {                                                                    \
        PROGRAM_BRA, NO, {NO, NO, NO}, 0, to, 0, n, "bra", CLASS_CONTROL \
    }
#define PREFETCH(n)                                                                       \
    {                                                                                     \
        PROGRAM_PREFETCH, NO, {NO, NO, NO}, PTX_GLOBAL, 0, 0, n, "prefetch", CLASS_MEMORY \
    }
#define COPY_ASYNC(n)                                                               \
    {                                                                               \
        PROGRAM_CP_ASYNC, NO, {NO, NO, NO}, PTX_GLOBAL, 0, 0, n, "cp", CLASS_MEMORY \
    }
#define COMMIT(n)                                                                 \
    {                                                                             \
        PROGRAM_CP_ASYNC_COMMIT, NO, {NO, NO, NO}, 0, 0, 0, n, "cp", CLASS_MEMORY \
    }
#define AWAIT(n, open)                                                             \
    {                                                                              \
        PROGRAM_CP_ASYNC_WAIT, NO, {NO, NO, NO}, 0, 0, open, n, "cp", CLASS_MEMORY \
    }

static const struct chain_latencies latencies = {.arithmetic = 4,
                                                 .double_precision = 8,
                                                 .special = 16,
                                                 .shuffle = 24,
                                                 .shared = 30,
                                                 .global = 500,
                                                 .local = 100,
                                                 .constant = 8,
                                                 .atomic = 300,
                                                 .barrier = 20,
                                                 .prefetch = 900};

struct chain_case {
    const char *what;
    double cycles, issued;
    uint32_t count;
    struct line lines[MOST];
};

static const struct chain_case chains[] = {
    {"three that wait for each other",
     9,
     4,
     4,
     {ADD(SLOT(1), SLOT(0), SLOT(0)), ADD(SLOT(2), SLOT(1), SLOT(0)), ADD(SLOT(3), SLOT(2), SLOT(0)),
      RETURN}},
    {"three that do not",
     4,
     4,
     4,
     {ADD(SLOT(1), SLOT(0), SLOT(0)), ADD(SLOT(2), SLOT(0), SLOT(0)), ADD(SLOT(3), SLOT(0), SLOT(0)),
      RETURN}},
    {"moves cost nothing",
     5,
     3,
     4,
     {ADD(SLOT(1), SLOT(0), SLOT(0)), MOVE(SLOT(2), SLOT(1)), ADD(SLOT(3), SLOT(2), SLOT(0)), RETURN}},
    {"a move waits where its old word was needed beside the new one",
     501,
     4,
     5,
     {LOAD(SLOT(1), SLOT(0)), ADD(SLOT(3), SLOT(2), SLOT(0)), MOVE(SLOT(2), SLOT(1)),
      ADD(SLOT(4), SLOT(0), SLOT(0)), RETURN}},
    {"else it does not",
     4,
     4,
     5,
     {ADD(SLOT(3), SLOT(2), SLOT(0)), LOAD(SLOT(1), SLOT(0)), MOVE(SLOT(2), SLOT(1)),
      ADD(SLOT(4), SLOT(0), SLOT(0)), RETURN}},
    {"two loads overlap",
     502,
     4,
     4,
     {LOAD(SLOT(1), SLOT(0)), LOAD(SLOT(2), SLOT(0)), ADD(SLOT(3), SLOT(1), SLOT(2)), RETURN}},
    {"a load behind a store does not move up",
     1001,
     5,
     5,
     {LOAD(SLOT(1), SLOT(0)), STORE(SLOT(5), SLOT(1)), LOAD(SLOT(2), SLOT(0)), STORE(SLOT(5), SLOT(2)),
      RETURN}},
    {"nothing passes a barrier",
     525,
     4,
     4,
     {LOAD(SLOT(1), SLOT(0)), STORE(SLOT(5), SLOT(1)), BARRIER, ADD(SLOT(2), SLOT(0), SLOT(0)), RETURN}},
    {"a chain through a loop",
     4 * 100,
     300,
     3,
     {IN_LOOP(100, PROGRAM_LANES, SLOT(1), SLOT(1), SLOT(0), 0),
      IN_LOOP(100, PROGRAM_LANES, SLOT(2), SLOT(2), SLOT(0), 0), BACK(100, 0)}},
    {"a load in a loop is waited for each time",
     100 * 504,
     400,
     4,
     {IN_LOOP(100, PROGRAM_LD, SLOT(1), SLOT(0), NO, PTX_GLOBAL),
      IN_LOOP(100, PROGRAM_LANES, SLOT(2), SLOT(1), SLOT(2), 0),
      IN_LOOP(100, PROGRAM_LANES, SLOT(3), SLOT(2), SLOT(2), 0), BACK(100, 0)}},
    {"a prefetch that takes longer than a pass: a load waits for that of the pass before, two passes take "
     "900 "
     "+ 504",
     100 * 702,
     500,
     5,
     {PREFETCH(100), IN_LOOP(100, PROGRAM_LD, SLOT(1), SLOT(0), NO, PTX_GLOBAL),
      IN_LOOP(100, PROGRAM_LANES, SLOT(2), SLOT(1), SLOT(2), 0),
      IN_LOOP(100, PROGRAM_LANES, SLOT(3), SLOT(2), SLOT(2), 0), BACK(100, 0)}},
    {"two groups of copies ahead: a wait for the one before the last",
     100 * 250,
     400,
     4,
     {COPY_ASYNC(100), COMMIT(100), AWAIT(100, 1), BACK(100, 0)}},
};

Test(simt_timing, chains_by_hand)
{
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        struct made made;
        struct chain chain;
        make(&made, chains[i].lines, chains[i].count);
        cr_assert_eq(chain_estimate(&made.counter, &latencies, &chain, NULL), STATUS_OK);
        cr_assert_float_eq(chain.cycles / chains[i].cycles, 1, 0.02, "%s: %g cycles, not %g", chains[i].what,
                           chain.cycles, chains[i].cycles);
        cr_assert_float_eq(chain.issued, chains[i].issued * WARPS, 1e-6, "%s: %g issued", chains[i].what,
                           chain.issued / WARPS);
        counter_fini(&made.counter);
    }
}

/* --- roofs ------------------------------------------------------------------------------------------------
 */

static const struct line short_kernel[] = {LOAD(SLOT(1), SLOT(0)),
                                           IN_LOOP(1, PROGRAM_LANES, SLOT(2), SLOT(2), SLOT(1), 0),
                                           BACK(1, 1), STORE(SLOT(5), SLOT(2)), RETURN};
#define SHORT_KERNEL 5

struct load {              /* what a launch of it is said to have done */
    uint64_t blocks, adds; /* adds: by each warp */
    enum program_class class;
    uint64_t passes; /* of atomics at one slice */
    bool awaited;    /* these give what the load does else; not: they take the store's place */
    uint64_t wavefronts, lines, load_sectors, store_sectors, l2_lookups, l2_hits, dram_bytes;
    uint32_t resident;
};

static struct timing estimate(const struct gpu *gpu, const struct load *load)
{
    struct made made;
    struct count_totals totals;
    struct timing timing;
    uint64_t warps = load->blocks * 8;
    const struct cache_counts caches = {.l2_lookups = load->l2_lookups,
                                        .l2_hits = load->l2_hits,
                                        .dram_read_bytes = load->dram_bytes,
                                        .l1_lines = load->lines};

    make(&made, short_kernel, SHORT_KERNEL);
    made.counter.warps = warps;
    for (int i = 0; i < SHORT_KERNEL; i++)
        made.counter.instructions[i].warp_instructions = i == 1 || i == 2 ? warps * load->adds : warps;
    made.instructions[1].class = (uint8_t)load->class;
    made.counter.atomic_passes[1] = load->passes;
    if (load->passes)
        made.instructions[load->awaited ? 0 : 3].op = PROGRAM_ATOM;
    memset(&totals, 0, sizeof totals);
    totals.shared[0].transfers = load->wavefronts;
    totals.global_atomics.requests = load->passes ? warps : 0;
    totals.global[0].transfers = totals.global[0].ideal_transfers = load->load_sectors;
    totals.global[1].transfers = load->store_sectors;
    const struct timing_input input = {.gpu = gpu,
                                       .counter = &made.counter,
                                       .totals = &totals,
                                       .caches = load->l2_lookups ? &caches : NULL,
                                       .blocks = load->blocks,
                                       .threads_per_block = 256,
                                       .resident_blocks = load->resident};
    cr_assert_eq(timing_estimate(&input, &timing, NULL), STATUS_OK);
    counter_fini(&made.counter);
    return timing;
}

Test(simt_timing, each_limit_is_found)
{
    static const struct {
        enum timing_roof bound;
        double least_ns, most_ns;
        struct load load;
    } cases[] = {
        /* Nothing to do but to start. */
        {TIMING_LAUNCH, 1000, 2500, {.blocks = 1, .adds = 1, .class = CLASS_FLOAT, .resident = 8}},
        /* 80 warps a multiprocessor, 10,000 turns of two instructions, four a cycle at 1.98 GHz: 202 us. */
        {TIMING_ISSUE, 202e3, 215e3, {.blocks = 1320, .adds = 10000, .class = CLASS_FLOAT, .resident = 8}},
        /* Half a warp a cycle of special functions: 808 us. */
        {TIMING_ARITHMETIC,
         808e3,
         820e3,
         {.blocks = 1320, .adds = 10000, .class = CLASS_SPECIAL_FUNCTION, .resident = 8}},
        /* 200 M passes over 132 multiprocessors: 765 us. */
        {TIMING_LSU,
         760e3,
         780e3,
         {.blocks = 1320, .adds = 1, .class = CLASS_FLOAT, .wavefronts = 200000000, .resident = 8}},
        /* As many lines that loads look up, each with four sectors: a pass each, not four. */
        {TIMING_LSU,
         760e3,
         780e3,
         {.blocks = 1320,
          .adds = 1,
          .class = CLASS_FLOAT,
          .lines = 200000000,
          .load_sectors = 800000000,
          .l2_lookups = 1000,
          .l2_hits = 1000,
          .resident = 8}},
        /* A grid of 16.8 M threads in blocks of 32: 1.65 blocks a ns, 318 us. */
        {TIMING_BLOCKS, 318e3, 330e3, {.blocks = 524288, .adds = 1, .class = CLASS_FLOAT, .resident = 32}},
        /* 16.8 M sectors written in part, as a naive transpose of 64 MB does. */
        {TIMING_L2,
         240e3,
         330e3,
         {.blocks = 1320,
          .adds = 1,
          .class = CLASS_FLOAT,
          .store_sectors = 16777216,
          .l2_lookups = 16777216,
          .l2_hits = 16777216,
          .resident = 8}},
        /* 16.8 M additions to one word, as histogram:global with one value makes them. */
        {TIMING_ATOMICS,
         12.2e6,
         12.4e6,
         {.blocks = 4096, .adds = 1, .class = CLASS_FLOAT, .passes = 16777216, .resident = 8}},
        /* 4.8 GB at 4.8 TB/s. */
        {TIMING_DRAM,
         1000e3,
         1150e3,
         {.blocks = 132000,
          .adds = 1,
          .class = CLASS_FLOAT,
          .load_sectors = 150000000,
          .l2_lookups = 150000000,
          .dram_bytes = UINT64_C(4800000000),
          .resident = 8}},
        /* Two warps a scheduler wait eight cycles for each addition: 40 us, of which half are used; as both
         * take turns with the unit, 47 us. */
        {TIMING_LATENCY, 40e3, 48e3, {.blocks = 66, .adds = 10000, .class = CLASS_DOUBLE, .resident = 8}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct timing timing = estimate(gpu_at(0), &cases[i].load);
        cr_assert_eq(timing.bound, cases[i].bound, "%s, not %s", timing_roof_text(timing.bound),
                     timing_roof_text(cases[i].bound));
        cr_assert(timing.ns >= cases[i].least_ns && timing.ns <= cases[i].most_ns, "%s: %g ns",
                  timing_roof_text(timing.bound), timing.ns);
    }
}

/* Of a device that they keep busy, blocks on 4 of 132 multiprocessors take 4: 33 such kernels run side by
 * side. */
Test(simt_timing, few_blocks_leave_the_device_to_others)
{
    const struct load few = {.blocks = 4, .adds = 100000, .class = CLASS_SPECIAL_FUNCTION, .resident = 8};
    const struct load many = {.blocks = 132, .adds = 100000, .class = CLASS_SPECIAL_FUNCTION, .resident = 8};

    double of_all = estimate(gpu_at(0), &many).multiprocessor_share;

    cr_assert_gt(of_all, 0.8);
    cr_assert_float_eq(estimate(gpu_at(0), &few).multiprocessor_share / of_all, 4 / 132.0, 0.001);
}

/* What warps wait for: nearly all of it memory where that sets the time, hardly any where issue does; and the
 * cycles between instructions are the resident warps over the instructions issued a cycle (Little). */
Test(simt_timing, what_a_warp_waits_for)
{
    struct load dram = {.blocks = 132000,
                        .adds = 1,
                        .class = CLASS_FLOAT,
                        .load_sectors = 150000000,
                        .l2_lookups = 150000000,
                        .dram_bytes = UINT64_C(4800000000),
                        .resident = 8},
                issue = {.blocks = 1320, .adds = 10000, .class = CLASS_FLOAT, .resident = 8},
                chain = {.blocks = 66, .adds = 10000, .class = CLASS_DOUBLE, .resident = 8},
                queue = {.blocks = 4096, .adds = 1, .class = CLASS_FLOAT, .passes = 16777216, .resident = 8},
                result = queue;
    result.awaited = true;
    struct timing by_dram = estimate(gpu_at(0), &dram), by_issue = estimate(gpu_at(0), &issue),
                  by_chain = estimate(gpu_at(0), &chain);
    cr_assert_gt(by_dram.memory_cycles_per_issue, 0.8 * by_dram.cycles_per_issue);
    cr_assert_lt(by_issue.memory_cycles_per_issue, 0.01 * by_issue.cycles_per_issue);
    /* Four instructions a cycle, 64 warps but for those at the ends: 16 cycles each at most. */
    cr_assert(by_issue.cycles_per_issue > 11 && by_issue.cycles_per_issue < 16.5, "%g",
              by_issue.cycles_per_issue);
    cr_assert_lt(by_chain.memory_cycles_per_issue, 0.1 * by_chain.cycles_per_issue);
    /* The queue of atomics is no wait for memory, their results are. */
    struct timing by_queue = estimate(gpu_at(0), &queue), by_result = estimate(gpu_at(0), &result);
    cr_assert_lt(by_queue.memory_cycles_per_issue, 0.05 * by_queue.cycles_per_issue);
    cr_assert_gt(by_result.memory_cycles_per_issue, 0.9 * by_result.cycles_per_issue);
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

static struct load random_load(uint64_t *state)
{
    struct load load = {.blocks = 1 + random_next(state) % 5000,
                        .adds = 1 + random_next(state) % 3000,
                        .class = random_next(state) % 2 ? CLASS_FLOAT : CLASS_INTEGER,
                        .wavefronts = random_next(state) % 10000000,
                        .load_sectors = random_next(state) % 10000000,
                        .resident = 1 + (uint32_t)(random_next(state) % 8)};

    load.l2_lookups = load.load_sectors + load.store_sectors;
    load.l2_hits = load.l2_lookups / (1 + random_next(state) % 5);
    load.dram_bytes = (load.l2_lookups - load.l2_hits) * 32;
    return load;
}

Test(simt_timing, more_work_never_takes_less)
{
    uint64_t state = 11;
    const struct gpu *gpu;

    for (int i = 0; i < 400; i++) {
        struct load load = random_load(&state), more = load;
        gpu = gpu_at((size_t)i % 16);
        if (!gpu->info.l2_bytes)
            continue;
        struct timing timing = estimate(gpu, &load), other;
        cr_assert(timing.ns > gpu->launch_ns && timing.waves > 0);
        cr_assert(timing.multiprocessor_share > 0 && timing.multiprocessor_share <= 1);
        cr_assert(timing.memory_cycles_per_issue >= 0 &&
                  timing.memory_cycles_per_issue <= timing.cycles_per_issue);
        cr_assert(timing.achieved_occupancy_pct > 0 &&
                  timing.achieved_occupancy_pct <=
                      100.0 * 8 * load.resident * 32 / gpu->info.max_threads_per_multiprocessor + 1e-9);
        more.adds += 500;
        cr_assert_geq(estimate(gpu, &more).ns, timing.ns);
        more = load;
        more.wavefronts += 1000000;
        cr_assert_geq(estimate(gpu, &more).ns, timing.ns);
        more = load;
        more.dram_bytes *= 2;
        cr_assert_geq(estimate(gpu, &more).ns, timing.ns);
        more = load;
        more.resident++;
        other = estimate(gpu, &more);
        cr_assert_leq(other.ns, timing.ns + 1e-6, "more warps hide more");
    }
}
