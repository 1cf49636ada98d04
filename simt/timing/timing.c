/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model, in full in docs/model.md. Every roof is the time a launch would take if nothing else limited it:
 * those of a multiprocessor for the one with the most blocks, those of the device for all of them.
 */
#include "simt/timing/timing.h"

#include "simt/timing/chain.h"

#include <math.h>

const char *timing_roof_text(enum timing_roof roof)
{
#define TIMING_TEXT(id, text) [TIMING_##id] = text,
    static const char *const texts[] = {TIMING_ROOF_LIST(TIMING_TEXT)};
#undef TIMING_TEXT
    return (unsigned)roof < TIMING_ROOF_COUNT ? texts[roof] : "?";
}

/* Of additions: mma.m16n8k16 of halves takes 33 cycles on an H100 (Luo et al., Dissecting the NVIDIA Hopper
 * Architecture through Microbenchmarking, 2024). */
#define MATRIX_LATENCIES 8

struct estimate {
    const struct timing_input *input;
    double cycle_ns;
    double busiest; /* blocks on the multiprocessor that has most */
    double share;   /* of the launch's work that is its */
    struct chain chain;
    bool awaits_atomics; /* cycles in which a warp waits for the result of some instruction */
};

static double at_least(double value, double least)
{
    return value > least ? value : least;
}

/* The share of the loads that wait for L2 or farther, and the share of these that wait for DRAM: a warp has
 * its words when its last line has arrived, so a request waits for the farthest one. */
static void load_shares(const struct timing_input *input, double *from_l2, double *from_dram)
{
    const struct count_totals *t = input->totals;
    double loads = (double)(t->global[0].requests + t->local[0].requests + t->textures.requests);

    *from_l2 = *from_dram = 1;
    if (!input->caches || loads == 0 || input->caches->l2_lookups == 0)
        return;
    double in_l2 = (double)input->caches->l2_load_lines, missed = (double)input->caches->l2_load_missed;
    *from_l2 = fmin(in_l2 / loads, 1);
    *from_dram = in_l2 > 0 ? fmin(missed / fmin(in_l2, loads), 1) : 0;
}

/* The time of a warp's 32-bit integer multiplication on the integer units, beyond an addition's. */
static double multiply_extra_cycles(const struct gpu *gpu)
{
    return 32.0 / gpu->multiply_lanes_per_cycle - 32.0 / gpu->lanes_per_cycle[CLASS_INTEGER];
}

/* A barrier opens when the last warp of its block has arrived, and they arrive one after the other. */
static double barrier_queue_cycles(const struct timing_input *input)
{
    uint32_t warps = (input->threads_per_block + 31) / 32;

    return (warps - 1) * 32.0 / input->gpu->lanes_per_cycle[CLASS_BARRIER];
}

static struct chain_latencies latencies_of(const struct timing_input *input)
{
    const struct gpu *gpu = input->gpu;
    double alu = gpu->alu_latency_cycles, l1 = gpu->l1_latency_cycles;
    double l2 = gpu->l2_latency_cycles * gpu->fit.far_latency,
           dram = gpu->dram_latency_cycles * gpu->fit.far_latency, from_l2, from_dram, far;

    load_shares(input, &from_l2, &from_dram);
    far = l2 > 0 ? l2 + from_dram * (dram - l2) : dram;
    if (input->caches && input->caches->host_read_bytes) {
        double host = (double)input->caches->host_read_bytes;
        double all =
            l2 > 0 ? 32 * (double)input->caches->l2_lookups : host + (double)input->caches->dram_read_bytes;
        far += host / all * gpu->link_latency_ns * gpu->info.core_clock_khz / 1e6;
    }
    return (struct chain_latencies){
        .arithmetic = alu,
        .double_precision = gpu->double_latency_cycles,
        .special = gpu->special_latency_cycles,
        .shuffle = gpu->shared_latency_cycles,
        .shared = gpu->shared_latency_cycles,
        .global = l1 + from_l2 * (far - l1),
        .local = l1 + from_l2 * (far - l1),
        .constant = gpu->constant_latency_cycles,
        .atomic = far,
        .barrier = gpu->barrier_latency_cycles + barrier_queue_cycles(input),
        .branch = gpu->branch_latency_cycles,
        .matrix = MATRIX_LATENCIES * alu,
        .multiply = multiply_extra_cycles(gpu) > 0 ? alu + multiply_extra_cycles(gpu) : 0,
        .multiply_24 = gpu->multiplies_24_bits,
        .prefetch = l2 > 0 ? dram - l2 : 0,
    };
}

static double arithmetic_cycles(const struct estimate *e)
{
    double longest = 0;

    for (int class = 0; class < CLASS_COUNT; class ++) {
        uint32_t lanes = e->input->gpu->lanes_per_cycle[class];
        double cycles = e->chain.class_issued[class] * 32 / (lanes ? lanes : 1);
        if (class == CLASS_INTEGER)
            cycles += e->chain.multiplies * multiply_extra_cycles(e->input->gpu);
        if (class != CLASS_MEMORY)
            longest = fmax(longest, cycles);
    }
    return longest * e->share;
}

/* The passes of shared memory alone. */
static double shared_cycles(const struct estimate *e)
{
    const struct count_totals *t = e->input->totals;
    uint64_t passes = t->shared[0].transfers + t->shared[1].transfers + t->shared_atomics.transfers;

    return (double)passes * e->share * 100 / e->input->gpu->lsu_wavefronts_per_cycle_x100;
}

/* On GPUs without a cache, whose transactions are smaller than a line: a request is a pass, and each
 * transaction beyond the ideal is another one. */
static double transaction_passes(const struct count_instruction *c)
{
    double excess = (double)c->transfers - (double)c->ideal_transfers;

    return (double)c->requests + at_least(excess, 0);
}

/* The L1 takes one line of a request per pass, with any of its sectors: an H200 reads structures of eight
 * words in 19.4 us; with a pass for each of their sectors it would take 60. */
static double global_passes(const struct timing_input *input)
{
    const struct count_totals *t = input->totals;
    double requests =
        (double)(t->global[0].requests + t->global[1].requests + t->local[0].requests + t->local[1].requests);

    if (!input->caches || !input->gpu->info.l2_bytes)
        return transaction_passes(&t->global[0]) + transaction_passes(&t->global[1]) +
               transaction_passes(&t->local[0]) + transaction_passes(&t->local[1]);
    return fmax(requests, (double)input->caches->l1_lines);
}

/* Atomics: a pass for each sector, or for each lane that waits for another on its address. */
static double atomic_passes(const struct count_totals *t)
{
    return fmax((double)t->global_atomics.transfers, (double)t->global_atomics.contention);
}

/* The load of atomics on the L2's slices and the paths to them, in sectors that a store writes in part. */
static double atomic_traffic(const struct gpu_fit *fit, const struct count_totals *t)
{
    double sectors = (double)t->global_atomics.transfers;

    return fit->atomic_sector_stores * sectors +
           fit->atomic_again_stores * at_least((double)t->global_atomics.passes - sectors, 0);
}

/* Warp instructions that load and store words without a register. ptxas says how many there are, not where:
 * each is taken to be executed as often as the kernel's mean instruction. */
static double spill_requests(const struct estimate *e)
{
    const uint32_t *bytes = e->input->spilled_bytes;

    return e->chain.different > 0 ? (bytes[0] + bytes[1]) / 4.0 * e->chain.issued / e->chain.different : 0;
}

/* Copies in bulk take as many passes as loads of whole lines of the same bytes. */
#define PASS_BYTES 128

static double lsu_cycles(const struct estimate *e)
{
    const struct gpu *gpu = e->input->gpu;
    const struct count_totals *t = e->input->totals;
    uint64_t matrices = t->matrices[0].transfers + t->matrices[1].transfers;
    uint64_t bulk = (t->bulk[0].bytes_moved + t->bulk[1].bytes_moved) / PASS_BYTES;
    double passes = spill_requests(e) +
                    (double)(t->shared[0].transfers + t->shared[1].transfers + t->shared_atomics.transfers +
                             t->shared_fills.transfers + gpu->fit.constant_passes * t->constant.transfers) +
                    (double)(matrices + bulk) + global_passes(e->input) + atomic_passes(t) +
                    gpu->texture_passes * (double)t->textures.requests;

    return passes * e->share * 100 / gpu->lsu_wavefronts_per_cycle_x100;
}

static double l2_cycles(const struct estimate *e)
{
    const struct timing_input *input = e->input;
    const struct count_totals *t = input->totals;
    double sectors = input->caches ? (double)input->caches->l2_lookups
                                   : (double)(t->global[0].transfers + t->global[1].transfers +
                                              t->local[0].transfers + t->local[1].transfers);
    sectors += 4 * spill_requests(e);
    double scattered = at_least((double)t->global[1].transfers - (double)t->global[1].ideal_transfers, 0) +
                       atomic_traffic(&input->gpu->fit, t);

    if (!input->gpu->l2_bytes_per_cycle)
        return 0;
    return fmax(sectors * 32 / input->gpu->l2_bytes_per_cycle,
                scattered / input->gpu->l2_scattered_stores_per_cycle);
}

/* Number of slices with an atomic unit. 94 on an H200, one for each 64 bits of its memory's bus; where the L2
 * is wider, as many as its width needs. */
static double l2_slices(const struct gpu *gpu)
{
    uint32_t slice = gpu->l2_slice_bytes_per_cycle, by_width = slice ? gpu->l2_bytes_per_cycle / slice : 0;

    return fmax(gpu->info.memory_bus_bits / 64.0, by_width);
}

/* The passes of the busiest slice of L2, at least the mean over all slices. */
static double busiest_slice(const struct estimate *e)
{
    const struct counter *counter = e->input->counter;
    uint64_t most = 0, all = 0;

    for (uint32_t i = 0; i < COUNT_PLACES; i++) {
        most = counter->atomic_passes[i] > most ? counter->atomic_passes[i] : most;
        all += counter->atomic_passes[i];
    }
    return fmax((double)most, (double)all / l2_slices(e->input->gpu));
}

/* A slice executes one pass after the other; its adder limits how fast floats of one sector are added. */
static double atomics_cycles(const struct estimate *e)
{
    const struct counter *counter = e->input->counter;
    uint64_t sector = 0;

    for (uint32_t i = 0; i < COUNT_FLOAT_SECTORS; i++)
        sector = counter->float_passes[i] > sector ? counter->float_passes[i] : sector;
    return fmax(busiest_slice(e), e->input->gpu->fit.atomic_float_passes * (double)sector) *
           e->input->gpu->l2_atomic_pass_cycles_x100 / 100;
}

static double dram_ns(const struct estimate *e)
{
    const struct timing_input *input = e->input;
    const struct count_totals *t = input->totals;
    double bytes = input->caches ? (double)(input->caches->dram_read_bytes + input->caches->dram_write_bytes)
                                 : 32 * (double)(t->global[0].transfers + t->global[1].transfers);

    if (!input->gpu->info.l2_bytes && input->gpu->fit.lone_store > 1)
        bytes += (input->gpu->fit.lone_store - 1) * 32 * (double)t->global[1].incoherent;
    return bytes / (device_info_peak_bandwidth(&input->gpu->info) * input->gpu->dram_efficiency_pct / 100) *
           1e9;
}

/* Mapped memory of the host and memory of other GPUs; both directions at once. */
static double link_ns(const struct estimate *e)
{
    const struct cache_counts *c = e->input->caches;
    double bytes =
        c ? (double)(c->host_read_bytes > c->host_write_bytes ? c->host_read_bytes : c->host_write_bytes) : 0;

    return bytes / (double)e->input->gpu->host_link_bytes_per_second[1] * 1e9;
}

static double block_ns(const struct timing_input *input)
{
    return input->gpu->block_ns + input->gpu->block_warp_ns * ((input->threads_per_block + 31) / 32);
}

/* From a block's write of a flag until the block that polls it goes on: the way to L2, the look that is on its way when
 * the write arrives, and the next one, which finds it. */
#define HANDOFF_LATENCIES 3

static double handoffs_ns(const struct estimate *e)
{
    const struct gpu *gpu = e->input->gpu;
    double far = gpu->l2_latency_cycles ? gpu->l2_latency_cycles : gpu->dram_latency_cycles;

    return (double)e->input->counter->handoffs * HANDOFF_LATENCIES * far * e->cycle_ns;
}

/* Rounds of resident blocks, each as long as a block that has the multiprocessor's units to itself; or the waiting of
 * blocks for each other, where that takes longer: the looks of a block that waits are in its chain, too. */
static double latency_ns(const struct estimate *e)
{
    double rounds = at_least(e->busiest / e->input->resident_blocks, 1);

    return rounds * block_ns(e->input) + fmax(rounds * e->chain.cycles * e->cycle_ns, handoffs_ns(e));
}

static void estimate_occupancy(const struct estimate *e, double throughput_ns, struct timing *timing)
{
    const struct gpu *gpu = e->input->gpu;
    const struct device_info *info = &gpu->info;
    double most = info->max_threads_per_multiprocessor / 32.0;
    double warps = ((e->input->threads_per_block + 31) / 32) * e->input->resident_blocks;
    double running = timing->ns - gpu->launch_ns,
           rounds = at_least(e->busiest / e->input->resident_blocks, 1);
    double round_ns = running / rounds, latency = timing->roof_ns[TIMING_LATENCY];
    double waves = timing->waves, compete = throughput_ns > 0 ? fmin(latency / throughput_ns, 1) : 1;
    double last = gpu->fit.last_wave_occupancy + (1 - gpu->fit.last_wave_occupancy) * compete * compete;

    /* The warps of the busiest multiprocessors: multiprocessors without a block are not active, and do not
     * count. */
    if (waves < 1)
        waves = fmin(e->busiest / e->input->resident_blocks, 1);
    double mean = waves > 1 ? (waves - 1 + last) / waves : waves * last;
    double filled = round_ns > 0 ? 1 - fmin(gpu->fit.empty_ns / round_ns, 0.5) : 1;
    timing->achieved_occupancy_pct = 100 * warps / most * mean * filled;
}

static enum timing_roof throughput_bound(const struct timing *timing)
{
    enum timing_roof most = TIMING_ISSUE;

    for (int roof = TIMING_ISSUE; roof < TIMING_LATENCY; roof++)
        if (timing->roof_ns[roof] > timing->roof_ns[most])
            most = (enum timing_roof)roof;
    return most;
}

/*
 * What a resident warp waits for, per instruction: its residence is time x resident warps (Little), whatever
 * the reason. A lone warp waits for memory as long as its chain is longer than with memory that answers like
 * an addition. What all wait beyond the lone warp's chain is memory's where that sets the time, else another
 * unit's: that of atomics whose results nobody wants is the queue's in front of L2 (on an H200, 2 % of the
 * waiting in histogram:global is for memory, and 53 to 99 % in compaction:atomic, which wants them).
 */
static void estimate_waits(const struct estimate *e, const struct chain *near, struct timing *timing)
{
    const struct gpu *gpu = e->input->gpu;
    const struct device_info *info = &gpu->info;
    double most = info->max_threads_per_multiprocessor / 32.0, warps = (double)e->input->counter->warps;
    double resident = timing->achieved_occupancy_pct / 100 * most;
    double busy = fmin(e->input->blocks > 0 ? (double)e->input->blocks : 0, info->multiprocessors);
    double cycles = (timing->ns - gpu->launch_ns) / e->cycle_ns * resident * busy;

    if (!(e->chain.issued > 0) || !(warps > 0))
        return;
    double lone = e->chain.cycles * warps / e->chain.issued,
           lone_near = near->cycles * warps / e->chain.issued;
    enum timing_roof most_used = throughput_bound(timing);
    bool memory = most_used == TIMING_DRAM || most_used == TIMING_L2 || most_used == TIMING_LINK ||
                  (most_used == TIMING_ATOMICS && e->awaits_atomics);
    timing->cycles_per_issue = cycles / e->chain.issued;
    double all = fmin(at_least(timing->cycles_per_issue - lone_near, 0), timing->cycles_per_issue);
    timing->memory_cycles_per_issue = memory ? all : fmin(at_least(lone - lone_near, 0), all);
    if (lone <= lone_near)
        timing->memory_cycles_per_issue = 0;
}

static double roofs_norm(const double *roofs, const enum timing_roof *which, size_t count, double power)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += pow(roofs[which[i]], power);
    return pow(sum, 1 / power);
}

/* The units of a multiprocessor work for the same instructions, and the highest roof counts. Latency overlaps
 * with their work, and with memory's, as far as warps are apart: after a barrier, in a kernel's only wave or
 * in a burst of loads they wait together. */
static double roofs_join(const struct timing *timing, const struct gpu_fit *fit)
{
    static const enum timing_roof units[] = {TIMING_ISSUE, TIMING_ARITHMETIC, TIMING_LSU},
                                  memory[] = {TIMING_L2, TIMING_ATOMICS, TIMING_DRAM, TIMING_LINK},
                                  all[] = {0, 1, 2, 3};
    const double joined[] = {
        roofs_norm(timing->roof_ns, units, sizeof units / sizeof *units, fit->unit_power),
        roofs_norm(timing->roof_ns, memory, sizeof memory / sizeof *memory, fit->unit_power),
        timing->roof_ns[TIMING_BLOCKS], timing->roof_ns[TIMING_LATENCY]};

    return roofs_norm(joined, all, sizeof all / sizeof *all, fit->join_power);
}

/* Of the device, while the launch runs alone: bandwidths as used; only multiprocessors with blocks. */
static double busy_share(const struct estimate *e, const struct timing *timing)
{
    static const enum timing_roof units[] = {TIMING_ISSUE, TIMING_ARITHMETIC, TIMING_LSU},
                                  wide[] = {TIMING_L2, TIMING_DRAM, TIMING_LINK, TIMING_BLOCKS},
                                  running[] = {TIMING_ISSUE, TIMING_ARITHMETIC, TIMING_LSU,
                                               TIMING_L2,    TIMING_ATOMICS,    TIMING_DRAM,
                                               TIMING_LINK,  TIMING_BLOCKS,     TIMING_LATENCY};
    double capacity = e->busiest * e->input->gpu->info.multiprocessors, busy = 0;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        busy = fmax(busy, timing->roof_ns[units[i]]);
    busy *= capacity > 0 ? (double)e->input->blocks / capacity : 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        busy = fmax(busy, timing->roof_ns[wide[i]]);
    /* Beside another kernel, the highest roof counts: its warps fill what others wait for. */
    return busy /
           (e->input->gpu->launch_ns + roofs_norm(timing->roof_ns, running, sizeof running / sizeof *running,
                                                  e->input->gpu->fit.unit_power));
}

enum status timing_estimate(const struct timing_input *input, struct timing *timing, struct error *error)
{
    const struct gpu *gpu = input->gpu;
    double multiprocessors = gpu->info.multiprocessors, blocks = (double)input->blocks, throughput = 0;
    struct estimate e = {.input = input, .cycle_ns = 1e6 / gpu->info.core_clock_khz};
    struct chain_latencies latencies = latencies_of(input);
    struct chain_latencies near_memory = latencies;
    struct chain_latencies near_atomics = latencies;
    struct chain near = {0}, unawaited = {0};

    near_atomics.atomic = latencies.arithmetic;
    near_memory.global = near_memory.local = near_memory.atomic = latencies.arithmetic;
    enum status status = chain_estimate(input->counter, &latencies, &e.chain, error);
    if (!status)
        status = chain_estimate(input->counter, &near_memory, &near, error);
    if (!status && input->totals->global_atomics.requests)
        status = chain_estimate(input->counter, &near_atomics, &unawaited, error);
    e.awaits_atomics = input->totals->global_atomics.requests && unawaited.cycles < e.chain.cycles;

    *timing = (struct timing){0};
    if (status)
        return status;
    e.busiest = ceil(blocks / multiprocessors);
    e.share = blocks > 0 ? e.busiest / blocks : 0;
    timing->waves = blocks / (input->resident_blocks * multiprocessors);
    timing->roof_ns[TIMING_LAUNCH] = gpu->launch_ns;
    timing->roof_ns[TIMING_ISSUE] =
        (e.chain.issued + spill_requests(&e)) * e.share / gpu->issue_per_cycle * e.cycle_ns;
    timing->roof_ns[TIMING_ARITHMETIC] =
        (arithmetic_cycles(&e) + (gpu->arithmetic_waits_for_shared ? shared_cycles(&e) : 0)) * e.cycle_ns;
    timing->roof_ns[TIMING_LSU] = lsu_cycles(&e) * e.cycle_ns;
    timing->roof_ns[TIMING_L2] = l2_cycles(&e) * e.cycle_ns;
    timing->roof_ns[TIMING_ATOMICS] = atomics_cycles(&e) * e.cycle_ns;
    timing->roof_ns[TIMING_DRAM] = dram_ns(&e);
    timing->roof_ns[TIMING_LINK] = link_ns(&e);
    timing->roof_ns[TIMING_BLOCKS] = blocks / gpu->fit.blocks_per_cycle * e.cycle_ns;
    timing->roof_ns[TIMING_LATENCY] = latency_ns(&e);
    for (int roof = 0; roof < TIMING_ROOF_COUNT; roof++) {
        if (timing->roof_ns[roof] > timing->roof_ns[timing->bound])
            timing->bound = (enum timing_roof)roof;
        if (roof != TIMING_LAUNCH && roof != TIMING_LATENCY)
            throughput = fmax(throughput, timing->roof_ns[roof]);
    }
    timing->ns = gpu->launch_ns + roofs_join(timing, &gpu->fit);
    timing->atomic_busiest_pct = 100 * gpu->fit.atomic_input_share * busiest_slice(&e) *
                                 gpu->l2_atomic_pass_cycles_x100 / 100 * e.cycle_ns / timing->ns;
    timing->multiprocessor_share = fmin(1, fmax(timing->waves, busy_share(&e, timing)));
    estimate_occupancy(&e, throughput, timing);
    estimate_waits(&e, &near, timing);
    return STATUS_OK;
}
