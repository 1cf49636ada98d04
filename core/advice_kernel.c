/* The rules on a kernel. Each looks at its values, counts as judged when they are there, and speaks when all
 * of its limits hold. */
#include "core/advice_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECTOR_BYTES 32
#define DEVICE_LOAD_CYCLES 5000 /* a load that takes longer is of host memory */
#define ATOMIC_PASS_CYCLES 3 /* of the L2, at most: of floats, from one to the next at one word */
#define L1_WORTH_SAYING_PCT 10
#define CONFLICT_COST 1.5 /* times what one a cycle and multiprocessor says, at most, on an H200 */

bool advice_uses(enum metric metric)
{
    switch (metric) {
    case METRIC_global_load_sectors:
    case METRIC_global_load_ideal_sectors:
    case METRIC_global_store_sectors:
    case METRIC_global_store_ideal_sectors:
    case METRIC_shared_load_wavefronts:
    case METRIC_shared_load_ideal_wavefronts:
    case METRIC_shared_store_wavefronts:
    case METRIC_shared_store_ideal_wavefronts:
    case METRIC_local_load_sectors:
    case METRIC_local_store_sectors:
    case METRIC_active_threads_per_warp:
    case METRIC_divergent_branch:
    case METRIC_achieved_occupancy_pct:
    case METRIC_theoretical_occupancy_pct:
    case METRIC_l1_hit_pct:
    case METRIC_dram_peak_pct:
    case METRIC_dram_bandwidth_bytes_per_second:
    case METRIC_effective_bandwidth_bytes_per_second:
    case METRIC_theoretical_bandwidth_bytes_per_second:
    case METRIC_instructions:
    case METRIC_cta_launched:
    case METRIC_global_load_requests:
    case METRIC_wide_memory_instructions:
    case METRIC_float_operations:
    case METRIC_double_operations:
    case METRIC_peak_float_per_second:
    case METRIC_peak_double_per_second:
    case METRIC_cycles_per_issue:
    case METRIC_stall_long_scoreboard:
    case METRIC_atomic_busiest_pct:
    case METRIC_atomic_passes:
    case METRIC_time_ns: return true;
    default: return false;
    }
}

static const struct value *value_of(const struct advice_kernel *kernel, enum metric metric)
{
    const struct value *value = &kernel->values[metric];
    return value->available && value->word == NULL ? value : NULL;
}

static double number_or(const struct advice_kernel *kernel, enum metric metric, double otherwise)
{
    const struct value *value = value_of(kernel, metric);
    return value != NULL ? value->number : otherwise;
}

static void add_metric(struct advice *advice, const struct advice_kernel *kernel, enum metric metric)
{
    if (kernel->values[metric].available)
        advice_add_evidence(advice, metric_info(metric)->id, metric_info(metric)->unit,
                            kernel->values[metric]);
}

/* ---- more than the ideal ---- */
static const struct excess {
    enum advice_rule rule;
    enum metric real, ideal, other; /* other: of the same kind in the other direction */
    const char *sentence;
    bool ways; /* conflicts: the ratio is how many ways */
} excesses[] = {
    {ADVICE_UNCOALESCED_LOADS, METRIC_global_load_sectors, METRIC_global_load_ideal_sectors,
     METRIC_global_store_sectors, "Global loads move %s%.3gx the sectors they need", false},
    {ADVICE_UNCOALESCED_STORES, METRIC_global_store_sectors, METRIC_global_store_ideal_sectors,
     METRIC_global_load_sectors, "Global stores move %s%.3gx the sectors they need", false},
    {ADVICE_LOAD_CONFLICTS, METRIC_shared_load_wavefronts, METRIC_shared_load_ideal_wavefronts,
     METRIC_shared_store_wavefronts, "Shared loads take %s%.3gx the wavefronts they need", true},
    {ADVICE_STORE_CONFLICTS, METRIC_shared_store_wavefronts, METRIC_shared_store_ideal_wavefronts,
     METRIC_shared_load_wavefronts, "Shared stores take %s%.3gx the wavefronts they need", true},
};

/* What so many sectors, or wavefronts of shared memory, take of the measured time if nothing else is done
 * meanwhile, in per cent; negative: not known. */
static double share_pct(const struct advice_kernel *kernel, double count, bool wavefronts)
{
    const struct value *time = value_of(kernel, METRIC_time_ns);
    double seconds = time != NULL && time->provenance == PROVENANCE_MEASURED ? time->number * 1e-9 : 0;
    double a_second = number_or(kernel, METRIC_theoretical_bandwidth_bytes_per_second, 0) / SECTOR_BYTES;
    if (wavefronts)
        a_second = fmin(kernel->multiprocessors, fmax(kernel->blocks, 1)) * kernel->clock_hz;
    return seconds > 0 && a_second > 0 ? 100 * count / a_second / seconds : -1;
}

/* What L1 has been brought already is no traffic: bytes of a sector that other requests take later. */
static void say_what_l1_has(struct advice *advice, const struct advice_kernel *kernel)
{
    double hit_pct = number_or(kernel, METRIC_l1_hit_pct, 0);
    if (hit_pct < L1_WORTH_SAYING_PCT)
        return;
    size_t used = strlen(advice->text);
    snprintf(advice->text + used, sizeof advice->text - used, ", but L1 has %.0f %% of what is asked",
             hit_pct);
    add_metric(advice, kernel, METRIC_l1_hit_pct);
}

static void judge_excess(const struct excess *excess, const struct advice_kernel *kernel,
                         struct advice_list *list)
{
    const struct value *real = value_of(kernel, excess->real), *ideal = value_of(kernel, excess->ideal);
    if (real == NULL || ideal == NULL || ideal->number <= 0)
        return;
    list->judged++;
    double ratio = real->number / ideal->number, more = real->number - ideal->number;
    double all = real->number + number_or(kernel, excess->other, 0);
    double share = share_pct(kernel, more, excess->ways);
    if (!advice_beyond(excess->rule, 0, ratio) || !advice_beyond(excess->rule, 1, 100 * more / all) ||
        (share >= 0 && !advice_beyond(excess->rule, 2, share)))
        return;
    struct advice *advice = advice_add(list, excess->rule);
    snprintf(advice->text, sizeof advice->text, excess->sentence,
             ideal->bound == VALUE_AT_MOST ? "at least " : "", ratio);
    if (excess->ways)
        snprintf(advice->how, sizeof advice->how,
                 "on average %.3g lanes of a warp want different words of one bank", ratio);
    add_metric(advice, kernel, excess->real);
    add_metric(advice, kernel, excess->ideal);
    if (excess->rule == ADVICE_UNCOALESCED_LOADS)
        say_what_l1_has(advice, kernel);
    advice->gain = 1 - 1 / ratio;
    if (excess->ways && share >= 0)
        advice->gain = fmin(advice->gain, CONFLICT_COST * share / 100);
}

/* ---- the rest ---- */
static void judge_spills(const struct advice_kernel *kernel, struct advice_list *list)
{
    const struct value *loads = value_of(kernel, METRIC_local_load_sectors),
                       *stores = value_of(kernel, METRIC_local_store_sectors);
    if (loads == NULL || stores == NULL)
        return;
    list->judged++;
    double local = loads->number + stores->number;
    double all = local + number_or(kernel, METRIC_global_load_sectors, 0) +
                 number_or(kernel, METRIC_global_store_sectors, 0);
    double share = share_pct(kernel, local, false);
    if (local <= 0 || !advice_beyond(ADVICE_SPILLS, 0, 100 * local / all) ||
        (share >= 0 && !advice_beyond(ADVICE_SPILLS, 1, share)))
        return;
    struct advice *advice = advice_add(list, ADVICE_SPILLS);
    snprintf(advice->text, sizeof advice->text,
             "Spilled registers or local arrays are %.0f %% of the sectors", 100 * local / all);
    add_metric(advice, kernel, METRIC_local_load_sectors);
    add_metric(advice, kernel, METRIC_local_store_sectors);
    advice->gain = local / all;
}

static void judge_divergence(const struct advice_kernel *kernel, struct advice_list *list)
{
    const struct value *active = value_of(kernel, METRIC_active_threads_per_warp);
    uint32_t lanes = kernel->arch != NULL ? kernel->arch->warp_lanes : 0,
             threads = kernel->shape.threads_per_block;
    if (active == NULL || lanes == 0 || threads == 0)
        return;
    list->judged++;
    double full = threads / ceil((double)threads / lanes); /* the last warp of a block may have fewer */
    if (!advice_beyond(ADVICE_DIVERGENCE, 0, 100 * active->number / full))
        return;
    struct advice *advice = advice_add(list, ADVICE_DIVERGENCE);
    snprintf(advice->text, sizeof advice->text, "Only %.1f of %.3g lanes take part in an instruction",
             active->number, full);
    add_metric(advice, kernel, METRIC_active_threads_per_warp);
    add_metric(advice, kernel, METRIC_divergent_branch);
    advice->gain = 1 - active->number / full;
}

/* Blocks resident on the whole device; 0: not known. */
static double resident_blocks(const struct advice_kernel *kernel, struct occupancy *occupancy)
{
    if (kernel->arch == NULL || kernel->multiprocessors == 0 || kernel->shape.threads_per_block == 0)
        return 0;
    *occupancy = occupancy_compute(kernel->arch, &kernel->shape);
    return (double)occupancy->blocks * kernel->multiprocessors;
}

/* What would let one block more be resident. */
static void say_lift(struct advice *advice, const struct advice_kernel *kernel,
                     const struct occupancy *occupancy)
{
    struct occupancy_input shape = kernel->shape;
    uint32_t wanted = occupancy->blocks + 1;
    if (occupancy->limiter == OCCUPANCY_REGISTERS) {
        while (shape.registers_per_thread > 1 && occupancy_compute(kernel->arch, &shape).blocks < wanted)
            shape.registers_per_thread--;
        snprintf(advice->how, sizeof advice->how,
                 "with %u registers a thread instead of %u, %u blocks fit a multiprocessor instead of %u",
                 shape.registers_per_thread, kernel->shape.registers_per_thread,
                 occupancy_compute(kernel->arch, &shape).blocks, occupancy->blocks);
    } else if (occupancy->limiter == OCCUPANCY_SHARED) {
        uint32_t unit = kernel->arch->shared_unit_bytes > 0 ? kernel->arch->shared_unit_bytes : 128;
        while (shape.shared_bytes_per_block > unit && occupancy_compute(kernel->arch, &shape).blocks < wanted)
            shape.shared_bytes_per_block -=
                shape.shared_bytes_per_block % unit ? shape.shared_bytes_per_block % unit : unit;
        snprintf(advice->how, sizeof advice->how,
                 "with %u bytes of shared memory a block instead of %u, %u blocks fit a multiprocessor "
                 "instead of %u",
                 shape.shared_bytes_per_block, kernel->shape.shared_bytes_per_block,
                 occupancy_compute(kernel->arch, &shape).blocks, occupancy->blocks);
    } else {
        snprintf(advice->how, sizeof advice->how,
                 "%u blocks of %u threads are resident: larger blocks bring more warps", occupancy->blocks,
                 kernel->shape.threads_per_block);
    }
}

/* How far the memory's bandwidth or the issue slots are used, whichever is more; negative: neither is known.
 */
static double use_pct(const struct advice_kernel *kernel)
{
    double use = number_or(kernel, METRIC_dram_peak_pct, -1);
    double effective = number_or(kernel, METRIC_effective_bandwidth_bytes_per_second, -1);
    double peak = number_or(kernel, METRIC_theoretical_bandwidth_bytes_per_second, 0);
    double instructions = number_or(kernel, METRIC_instructions, -1),
           time_ns = number_or(kernel, METRIC_time_ns, 0);
    if (effective >= 0 && peak > 0)
        use = fmax(use, 100 * effective / peak);
    if (instructions >= 0 && time_ns > 0 && kernel->clock_hz > 0 && kernel->arch->issue_slots > 0)
        use = fmax(use, 100 * instructions /
                            ((double)kernel->arch->issue_slots * kernel->multiprocessors * kernel->clock_hz *
                             time_ns * 1e-9));
    return use;
}

static void judge_occupancy(const struct advice_kernel *kernel, struct advice_list *list)
{
    struct occupancy occupancy;
    double resident = resident_blocks(kernel, &occupancy), use = resident > 0 ? use_pct(kernel) : -1;
    if (resident <= 0 || use < 0)
        return;
    list->judged++;
    if (!advice_beyond(ADVICE_OCCUPANCY, 0, occupancy.percent) ||
        !advice_beyond(ADVICE_OCCUPANCY, 1, kernel->blocks / resident) ||
        !advice_beyond(ADVICE_OCCUPANCY, 2, use))
        return;
    struct advice *advice = advice_add(list, ADVICE_OCCUPANCY);
    snprintf(advice->text, sizeof advice->text,
             "Occupancy can be %.3g %% at most, limited by %s, and %.0f %% of the device is used",
             occupancy.percent, occupancy_limiter_text(occupancy.limiter), use);
    say_lift(advice, kernel, &occupancy);
    add_metric(advice, kernel, METRIC_theoretical_occupancy_pct);
    add_metric(advice, kernel, METRIC_achieved_occupancy_pct);
    add_metric(advice, kernel, METRIC_dram_peak_pct);
    add_metric(advice, kernel, METRIC_effective_bandwidth_bytes_per_second);
    advice->gain = 1 - occupancy.percent / 100;
}

static void judge_tail(const struct advice_kernel *kernel, struct advice_list *list)
{
    struct occupancy occupancy;
    double resident = resident_blocks(kernel, &occupancy);
    if (resident <= 0)
        return;
    list->judged++;
    double waves = kernel->blocks / resident, empty = 1 - waves / ceil(waves);
    if (!advice_beyond(ADVICE_TAIL, 0, waves) || !advice_beyond(ADVICE_TAIL, 1, 100 * empty))
        return;
    struct advice *advice = advice_add(list, ADVICE_TAIL);
    snprintf(advice->text, sizeof advice->text, "The last of %.0f waves fills %.0f of %.0f places for blocks",
             ceil(waves), kernel->blocks - resident * (ceil(waves) - 1), resident);
    add_metric(advice, kernel, METRIC_cta_launched);
    add_metric(advice, kernel, METRIC_theoretical_occupancy_pct);
    advice->gain = empty;
}

/* Few words, or many in one place: a slice of L2 has so much to do while others wait. */
static void judge_atomics(const struct advice_kernel *kernel, struct advice_list *list)
{
    const struct value *busiest = value_of(kernel, METRIC_atomic_busiest_pct);
    if (busiest == NULL)
        return;
    list->judged++;
    if (!advice_beyond(ADVICE_ATOMICS, 0, busiest->number))
        return;
    struct advice *advice = advice_add(list, ADVICE_ATOMICS);
    snprintf(advice->text, sizeof advice->text,
             "Atomics meet in the L2 cache: one of its slices takes them in %.0f %% of its cycles",
             busiest->number);
    add_metric(advice, kernel, METRIC_atomic_busiest_pct);
    add_metric(advice, kernel, METRIC_atomic_passes);
    add_metric(advice, kernel, METRIC_time_ns);
    advice->gain = fmin(1, ATOMIC_PASS_CYCLES * busiest->number / 100);
}

/* The article's three checks before prefetching; a warp with many loads stands for the large loop, unrolled
 * or not. */
static void judge_latency(const struct advice_kernel *kernel, struct advice_list *list)
{
    const struct value *waits = value_of(kernel, METRIC_stall_long_scoreboard),
                       *cycles = value_of(kernel, METRIC_cycles_per_issue),
                       *peak = value_of(kernel, METRIC_dram_peak_pct),
                       *loads = value_of(kernel, METRIC_global_load_requests);
    double warps = kernel->blocks * ceil(kernel->shape.threads_per_block / 32.0);
    const struct value *instructions = value_of(kernel, METRIC_instructions);
    if (waits == NULL || cycles == NULL || peak == NULL || loads == NULL || instructions == NULL ||
        !(cycles->number > 0) || !(warps > 0))
        return;
    list->judged++;
    double share = fmin(100 * waits->number / cycles->number, 100), each = loads->number / warps;
    double of_load = waits->number * instructions->number / fmax(loads->number, 1);
    if (!advice_beyond(ADVICE_LONG_SCOREBOARD, 0, peak->number) ||
        !advice_beyond(ADVICE_LONG_SCOREBOARD, 1, share) || !advice_beyond(ADVICE_LONG_SCOREBOARD, 2, each) ||
        !advice_beyond(ADVICE_LONG_SCOREBOARD, 3, of_load) || of_load > DEVICE_LOAD_CYCLES)
        return;
    /* What wasted accesses and spills cost is what is waited for; for shared memory a warp waits otherwise.
     */
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].rule <= ADVICE_UNCOALESCED_STORES || list->items[i].rule == ADVICE_SPILLS ||
            list->items[i].rule == ADVICE_ATOMICS)
            return;
    struct advice *advice = advice_add(list, ADVICE_LONG_SCOREBOARD);
    snprintf(advice->text, sizeof advice->text,
             "Warps wait for memory %.0f %% of their time, with %.0f %% of its bandwidth in use", share,
             peak->number);
    snprintf(advice->how, sizeof advice->how, "each warp loads %.0f times and waits %.0f cycles each time",
             each, of_load);
    add_metric(advice, kernel, METRIC_stall_long_scoreboard);
    add_metric(advice, kernel, METRIC_cycles_per_issue);
    add_metric(advice, kernel, METRIC_dram_peak_pct);
    add_metric(advice, kernel, METRIC_global_load_requests);
    advice->gain = fmin(share, 100 - peak->number) / 100;
}

/* By accident: nothing that it reads or writes can hold a double. */
static void judge_double(const struct advice_kernel *kernel, struct advice_list *list)
{
    const struct value *doubles = value_of(kernel, METRIC_double_operations),
                       *floats = value_of(kernel, METRIC_float_operations),
                       *wide = value_of(kernel, METRIC_wide_memory_instructions),
                       *time = value_of(kernel, METRIC_time_ns);
    double peak = number_or(kernel, METRIC_peak_double_per_second, 0),
           peak_float = number_or(kernel, METRIC_peak_float_per_second, 0);
    if (doubles == NULL || floats == NULL || wide == NULL || time == NULL || !(time->number > 0) ||
        !(peak > 0) || !(peak_float > 0))
        return;
    list->judged++;
    double all = doubles->number + floats->number, share = 100 * doubles->number / fmax(all, 1);
    if (!advice_beyond(ADVICE_DOUBLE_PRECISION, 0, share) ||
        !advice_beyond(ADVICE_DOUBLE_PRECISION, 1, wide->number) ||
        !advice_beyond(ADVICE_DOUBLE_PRECISION, 2, 100e9 * doubles->number / peak / time->number))
        return;
    struct advice *advice = advice_add(list, ADVICE_DOUBLE_PRECISION);
    snprintf(advice->text, sizeof advice->text,
             "%.0f %% of the operations are in double precision, and no word in memory is a double", share);
    add_metric(advice, kernel, METRIC_double_operations);
    add_metric(advice, kernel, METRIC_float_operations);
    add_metric(advice, kernel, METRIC_wide_memory_instructions);
    add_metric(advice, kernel, METRIC_time_ns);
    advice->gain = fmax(1 - 1e9 * all / peak_float / time->number, 0);
}

/* What a multiprocessor does in a cycle at most: 4 sectors of L1, a wavefront of shared memory. */
static double unit_use_pct(const struct advice_kernel *kernel, double time_ns)
{
    double cycles = kernel->multiprocessors * kernel->clock_hz * time_ns * 1e-9;
    double sectors =
        number_or(kernel, METRIC_global_load_sectors, 0) + number_or(kernel, METRIC_global_store_sectors, 0) +
        number_or(kernel, METRIC_local_load_sectors, 0) + number_or(kernel, METRIC_local_store_sectors, 0);
    double wavefronts = number_or(kernel, METRIC_shared_load_wavefronts, 0) +
                        number_or(kernel, METRIC_shared_store_wavefronts, 0);
    double doubles = number_or(kernel, METRIC_double_operations, 0),
           peak = number_or(kernel, METRIC_peak_double_per_second, 0);
    return 100 *
           fmax(fmax(sectors / 4, wavefronts) / cycles, peak > 0 ? doubles / peak / (time_ns * 1e-9) : 0);
}

static void judge_unexplained(const struct advice_kernel *kernel, struct advice_list *list)
{
    const struct value *time = value_of(kernel, METRIC_time_ns),
                       *instructions = value_of(kernel, METRIC_instructions),
                       *sectors = value_of(kernel, METRIC_global_load_sectors),
                       *wavefronts = value_of(kernel, METRIC_shared_load_wavefronts),
                       *peak = value_of(kernel, METRIC_dram_peak_pct);
    if (time == NULL || instructions == NULL || sectors == NULL || wavefronts == NULL || peak == NULL ||
        kernel->arch == NULL || kernel->multiprocessors == 0 || !(kernel->clock_hz > 0))
        return;
    list->judged++;
    double use = fmax(use_pct(kernel), unit_use_pct(kernel, time->number));
    if (list->count > 0 || !advice_beyond(ADVICE_UNEXPLAINED, 0, use) ||
        !advice_beyond(ADVICE_UNEXPLAINED, 1, time->number) ||
        !advice_beyond(ADVICE_UNEXPLAINED, 2, kernel->blocks / kernel->multiprocessors))
        return;
    struct advice *advice = advice_add(list, ADVICE_UNEXPLAINED);
    snprintf(advice->text, sizeof advice->text, "Not explained by counters: no unit above %.2g %%", use);
    snprintf(advice->how, sizeof advice->how,
             "of DRAM, issue slots, L1, shared memory and double-precision units none is used more");
    add_metric(advice, kernel, METRIC_time_ns);
    add_metric(advice, kernel, METRIC_dram_peak_pct);
    add_metric(advice, kernel, METRIC_instructions);
    add_metric(advice, kernel, METRIC_achieved_occupancy_pct);
    advice->gain = 1 - use / 100;
}

/* Only where the bytes are not wasted. */
static void judge_bandwidth(const struct advice_kernel *kernel, struct advice_list *list)
{
    const struct value *peak = value_of(kernel, METRIC_dram_peak_pct);
    if (peak == NULL)
        return;
    list->judged++;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].rule <= ADVICE_SPILLS)
            return;
    if (!advice_beyond(ADVICE_BANDWIDTH_BOUND, 0, peak->number))
        return;
    struct advice *advice = advice_add(list, ADVICE_BANDWIDTH_BOUND);
    advice->fine = true;
    snprintf(advice->text, sizeof advice->text,
             "Device memory is at %.0f %% of its peak and no access wastes it", peak->number);
    add_metric(advice, kernel, METRIC_dram_peak_pct);
    add_metric(advice, kernel, METRIC_dram_bandwidth_bytes_per_second);
}

void advice_of_kernel(const struct advice_kernel *kernel, struct advice_list *list)
{
    const struct value *time = value_of(kernel, METRIC_time_ns);

    list->count = list->judged = 0;
    for (size_t i = 0; i < sizeof excesses / sizeof *excesses; i++)
        judge_excess(&excesses[i], kernel, list);
    judge_spills(kernel, list);
    judge_divergence(kernel, list);
    judge_occupancy(kernel, list);
    judge_tail(kernel, list);
    judge_atomics(kernel, list);
    judge_latency(kernel, list);
    judge_double(kernel, list);
    judge_bandwidth(kernel, list);
    judge_unexplained(kernel, list);
    for (size_t i = 0; i < list->count && time != NULL; i++)
        list->items[i].gain_ns = list->items[i].gain * time->number;
    advice_list_sort(list);
}
