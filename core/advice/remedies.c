/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds of kernels go into the replay; the findings are put in the order of its edits. */
#include "core/advice/remedies.h"

#include "core/session/samples.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels ---- */

static bool is_sampled(const struct session *session, uint32_t run)
{
    for (uint32_t i = 0; i < session_series_count(session); i++)
        if (series_is_of_run(session, session_series(session, i), run))
            return true;
    return false;
}

static uint32_t name_of(const struct session *session, uint32_t kernel)
{
    return kernel == NONE ? NONE : session_shape(session, session_kernel(session, kernel)->shape)->name;
}

static double blocks_of(const struct session *session, uint32_t kernel)
{
    const struct shape_row *shape = session_shape(session, session_kernel(session, kernel)->shape);
    return (double)shape->grid[0] * shape->grid[1] * shape->grid[2];
}

/* The figures of a run with samples; false: it has none, or they are not known. */
static bool find_figures(const struct session *session, uint32_t run, struct advice_run *figures)
{
    struct advice_range range;
    *figures = (struct advice_run){.dram_pct = NAN};
    return is_sampled(session, run) && session_find_range(session, run, figures, &range, NULL) == STATUS_OK &&
           overlap_sums(session, run, range.start_ns, range.end_ns, &figures->overlap, NULL) == STATUS_OK &&
           session_run_figures(session, run, figures, NULL) == STATUS_OK;
}

/* Of kernels with enough blocks what the samples say of the multiprocessors: some blocks are far longer than others. */
static void bound_by_samples(const struct session *session, uint32_t run, const struct advice_run *figures,
                             uint32_t kernels, float *bounds)
{
    struct advice_list list;
    advice_of_run(figures, &list);
    for (size_t i = 0; i < list.count; i++)
        for (uint32_t k = 0; strcmp(list.items[i].rule->id, ADVICE_LONG_BLOCKS) == 0 && k < kernels; k++) {
            double many_ns = fmin(figures->many_blocks_ns, (double)figures->partition.ns[PARTITION_KERNEL]);
            float active = (float)(1 - list.items[i].gain_ns / many_ns);
            if (session_kernel(session, k)->run == run && active < bounds[k] &&
                blocks_of(session, k) >= (double)figures->multiprocessors)
                bounds[k] = active;
        }
}

/* Warps that wait for memory in a program's kernel with few blocks: more blocks come first, and hide the latency. */
static bool is_of_few_blocks(const struct session *session, uint32_t kernel, const struct advice *advice)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct device_row *device = session_device(session, row->device);
    return device && session_run(session, row->run)->workload == 0 &&
           strcmp(advice->rule->id, ADVICE_LATENCY) == 0 &&
           2 * blocks_of(session, kernel) <= (double)device->info.multiprocessors;
}

#define DRAM_ATTAINABLE 0.9 /* as the rules on kernels have it */
#define PAIR_MOST 0.95      /* chosen: together */

/* One mistake in an index costs loads and stores alike, and each rule knows its own share: what the other one gains on top
 * of the first finding. */
static double gain_of_pair(const struct advice_list *list)
{
    static const char *const pairs[][2] = {{"uncoalesced_loads", "uncoalesced_stores"},
                                           {"shared_load_conflicts", "shared_store_conflicts"}};
    const char *first = list->items[0].rule->id, *other = NULL;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int side = 0; side < 2; side++)
            other = strcmp(first, pairs[i][side]) == 0 ? pairs[i][1 - side] : other;
    for (size_t i = 1; other && i < list->count; i++)
        if (strcmp(list->items[i].rule->id, other) == 0 && !list->items[i].fine)
            return fmax(0, fmin(list->items[i].gain, PAIR_MOST - list->items[0].gain));
    return 0;
}

#define ISSUE_PCT 50 /* chosen: with waits between instructions a kernel reaches no more than 60 to 90 % */
#define ISSUE_LEAST \
    0.1 /* chosen: passes of L1 and shared memory that gain less run beside the instructions */
#define ISSUE_DRAM_PCT 60

/* The issue slots that the kernel fills, in per cent, if these are its limit by its counters; else 0. */
static double issue_bound_pct(const struct kernel_index *index, uint32_t kernel)
{
    struct value slots =
                     kernel_index_statistic(index, kernel, METRIC_issue_slots_pct, PROVENANCE_MEASURED).value,
                 dram =
                     kernel_index_statistic(index, kernel, METRIC_dram_peak_pct, PROVENANCE_MEASURED).value;
    bool bound =
        slots.available && slots.number >= ISSUE_PCT && dram.available && dram.number < ISSUE_DRAM_PCT;
    return bound ? slots.number : 0;
}

/* What a kernel's rules, and the samples (figures NULL: none), leave of its time, 0 to 1, by kernel row; 1 where they
 * find nothing, and for kernels of other runs. NULL: no memory. */
static float *find_bounds(const struct kernel_index *index, uint32_t run, const struct advice_run *figures)
{
    const struct session *session = kernel_index_session(index);
    uint32_t kernels = kernel_index_count(index);
    float *bounds = malloc((kernels + 1u) * sizeof *bounds);
    for (uint32_t i = 0; bounds && i < kernels; i++) {
        struct advice_list list;
        bounds[i] = 1;
        if (session_kernel(session, i)->run != run)
            continue;
        session_advise_indexed(index, i, &list);
        if (advice_has_judged(&list) && list.count > 0 && !list.items[0].fine && list.items[0].gain > 0 &&
            !is_of_few_blocks(session, i, &list.items[0]) &&
            (list.items[0].gain > ISSUE_LEAST || issue_bound_pct(index, i) == 0))
            bounds[i] = 1 - (float)fmin(1, list.items[0].gain + gain_of_pair(&list));
    }
    if (bounds && figures)
        bound_by_samples(session, run, figures, kernels, bounds);
    return bounds;
}

#define PRODUCT_PCT 50 /* chosen: of the peak of FP32 arithmetic */

/* Of matrix products what the tensor cores would leave of their time: the bytes of DRAM and L2 stay. `bound`: FP32
 * arithmetic is the limit of one by its counters. NULL: no memory. */
static float *find_products(const struct kernel_index *index, uint32_t run, bool *bound)
{
    const struct session *session = kernel_index_session(index);
    uint32_t kernels = kernel_index_count(index);
    float *left = malloc((kernels + 1u) * sizeof *left);
    *bound = false;
    for (uint32_t i = 0; left && i < kernels; i++) {
        left[i] = 1;
        double least = session_kernel(session, i)->run == run ? session_product_left(session, i) : 1;
        if (least >= 1)
            continue;
        struct value
            dram = kernel_index_statistic(index, i, METRIC_dram_peak_pct, PROVENANCE_MEASURED).value,
            l2 = kernel_index_statistic(index, i, METRIC_l2_peak_pct, PROVENANCE_MEASURED).value,
            floats =
                kernel_index_statistic(index, i, METRIC_operations_per_second, PROVENANCE_MEASURED).value,
            peak = kernel_index_statistic(index, i, METRIC_peak_float_per_second, PROVENANCE_EXPECTED).value;
        if (dram.available)
            least = fmax(least, dram.number / 100 / DRAM_ATTAINABLE);
        if (l2.available)
            least = fmax(least, l2.number / 100 / ADVICE_L2_ATTAINABLE);
        *bound |= floats.available && peak.available && 100 * floats.number >= PRODUCT_PCT * peak.number;
        left[i] = (float)fmin(least, 1);
    }
    return left;
}

#define FUSED_PCT 45 /* chosen: five elementwise kernels of 128 MB reached 49 to 72 % on an H200 */
#define NAMED_PCT 30 /* chosen: the same over a loop, of kernels that are elementwise by their names */
#define LIMIT_PCT 60 /* as the rules on kernels: about nine tenths of a peak are attainable */

/* By the names that PyTorch and CuPy (cupy_add__float32_float32_float32) give to kernels on single elements. */
static bool is_elementwise(const char *name)
{
    return strstr(name, "elementwise_kernel") || (strncmp(name, "cupy_", 5) == 0 && strstr(name, "__"));
}

#define ONCE \
    0.9 /* chosen: the part of the loaded bytes that came from DRAM; of a stencil no more than 3/4 does */
#define ELEMENT_BYTES 16 /* that a thread stores: more are a loop over elements, as a sweep along a row is */
#define SECTOR_BYTES 32

/* The bytes that a launch loads or stores in whole sectors by neighbouring threads; NAN: otherwise, or not counted. */
static double bytes_in_order(const struct kernel_index *index, uint32_t kernel, enum metric sectors,
                             enum metric ideal, enum provenance provenance)
{
    struct value moved = kernel_index_statistic(index, kernel, sectors, provenance).value,
                 needed = kernel_index_statistic(index, kernel, ideal, provenance).value;
    return moved.available && needed.available && moved.number <= needed.number * (1 + REPLAY_BYTES_ALIKE)
               ? moved.number * SECTOR_BYTES
               : NAN;
}

/* Do the counters show that each thread works on elements of its own? It stores few bytes, and what it loads is a whole
 * multiple of them, each loaded once and exchanged with nobody. Returns the bytes that the launch stores; 0: they do not. */
static double elements_of(const struct kernel_index *index, uint32_t kernel, enum provenance provenance)
{
    double loaded = bytes_in_order(index, kernel, METRIC_global_load_sectors,
                                   METRIC_global_load_ideal_sectors, provenance),
           stored = bytes_in_order(index, kernel, METRIC_global_store_sectors,
                                   METRIC_global_store_ideal_sectors, provenance);
    struct value read = kernel_index_statistic(index, kernel, METRIC_dram_read_bytes, provenance).value,
                 passes = kernel_index_statistic(index, kernel, METRIC_atomic_passes, provenance).value,
                 exchanged = kernel_index_statistic(index, kernel, METRIC_lane_exchanges, provenance).value;
    const struct shape_row *shape = session_shape(kernel_index_session(index),
                                                  session_kernel(kernel_index_session(index), kernel)->shape);
    if (!shape || !(loaded > 0) || !(stored > 0) || !read.available || read.number < ONCE * loaded ||
        (passes.available && passes.number > 0) || (exchanged.available && exchanged.number > 0))
        return 0;
    double times = loaded / stored,
           threads = blocks_of(kernel_index_session(index), kernel) * shape->block[0];
    return fabs(times - round(times)) <= REPLAY_BYTES_ALIKE * times && round(times) >= 1 &&
                   stored <= threads * ELEMENT_BYTES * (1 + REPLAY_BYTES_ALIKE)
               ? stored
               : 0;
}

/* Which kernels of the run move their bytes at DRAM's limit: by their counters, else by the samples of the whole run
 * (figures NULL: none); and which of these work on single elements. NULL: no memory. */
static struct replay_at_dram *find_at_dram(const struct kernel_index *index, uint32_t run,
                                           const struct advice_run *figures)
{
    const struct session *session = kernel_index_session(index);
    uint32_t kernels = kernel_index_count(index);
    struct replay_at_dram *at_dram = calloc(kernels + 1u, sizeof *at_dram);
    for (uint32_t i = 0; at_dram && i < kernels; i++) {
        if (session_kernel(session, i)->run != run)
            continue;
        enum provenance provenance = kernel_on_model(session, i) ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
        struct value peak = kernel_index_statistic(index, i, METRIC_dram_peak_pct, provenance).value;
        bool named = is_elementwise(session_string(session, name_of(session, i)));
        bool at_limit = peak.available ? peak.number >= FUSED_PCT
                                       : figures && figures->dram_pct >= (named ? NAMED_PCT : LIMIT_PCT);
        if (!at_limit)
            continue;
        at_dram[i].stored_bytes = named ? 0 : elements_of(index, i, provenance);
        at_dram[i].how = named                         ? REPLAY_DRAM_NAMED
                         : at_dram[i].stored_bytes > 0 ? REPLAY_DRAM_COUNTED
                                                       : REPLAY_DRAM_SHAPED;
    }
    return at_dram;
}

enum status remedies_set_limits(const struct kernel_index *index, uint32_t run,
                                const struct advice_run *figures, struct replay *replay, struct error *error)
{
    const struct session *session = kernel_index_session(index);
    uint32_t kernels = kernel_index_count(index);
    struct advice_run found;
    if (!figures)
        figures = find_figures(session, run, &found) ? &found : NULL;
    else if (!is_sampled(session, run))
        figures = NULL;
    float *bounds = find_bounds(index, run, figures);
    struct replay_at_dram *at_dram = find_at_dram(index, run, figures);
    bool bound;
    float *products = find_products(index, run, &bound);
    enum status status = bounds && at_dram && products ? replay_set_bounds(replay, bounds, kernels, error)
                                                       : error_no_memory(error, "for the limits of kernels");
    if (status == STATUS_OK)
        status = replay_set_products(replay, products, kernels, bound, error);
    if (status == STATUS_OK)
        replay_set_at_dram(replay, at_dram, kernels);
    if (figures && figures->active_pct > 0)
        replay_cap_spread(replay, fmin(figures->active_pct / 100, 1)); /* samples end between operations */
    free(bounds);
    free(at_dram);
    free(products);
    return status;
}

/* ---- the replay ---- */

void remedies_prepare(const struct session *session, uint32_t run, const struct steps *steps,
                      struct remedies_ground *ground)
{
    int64_t start_ns, end_ns;
    *ground = (struct remedies_ground){0};
    ground->status = what_if_range(session, run, steps, &start_ns, &end_ns, &ground->steps, &ground->error);
    if (ground->status == STATUS_OK && ground->steps > 0)
        ground->step_ns = (end_ns - start_ns) / (int64_t)ground->steps;
    if (ground->status == STATUS_OK)
        ground->status = replay_open(&ground->replay, session, run, start_ns, end_ns, &ground->error);
}

static enum status replay_range(struct remedies_ground *ground, const struct kernel_index *index,
                                uint32_t run, const struct advice_run *figures,
                                const struct replay_edit *const *chosen, size_t count,
                                struct remedies *remedies, struct error *error)
{
    remedies->steps = ground->steps;
    remedies->step_ns = ground->step_ns;
    if (ground->status != STATUS_OK)
        return error_set(error, ground->status, "%s", ground->error.text);
    struct replay *replay = ground->replay;
    enum status status = STATUS_OK;
    if (!replay_facts(replay)->why[0]) /* else nothing is claimed */
        status = remedies_set_limits(index, run, figures, replay, error);
    if (status == STATUS_OK)
        what_if_make(replay, chosen, count, &remedies->gains);
    if (remedies->gains.no_memory)
        status = error_no_memory(error, "to find the places of a run's edits");
    replay_close(replay);
    ground->replay = NULL;
    return status;
}

static enum status replay_on(struct remedies_ground *ground, const struct kernel_index *index, uint32_t run,
                             const struct advice_run *figures, const struct replay_edit *const *chosen,
                             size_t count, struct remedies *remedies, struct error *error)
{
    struct error failure;
    *remedies = (struct remedies){.gains = {.facts = {.error = NAN}}};
    for (size_t i = 0; i < VERDICT_MAX; i++)
        remedies->of[i] = SIZE_MAX;
    enum status status = replay_range(ground, index, run, figures, chosen, count, remedies, &failure);
    if (status == STATUS_MEMORY)
        return error_set(error, status, "%s", failure.text);
    snprintf(remedies->why, sizeof remedies->why, "%.*s", REMEDY_WHY_BYTES - 1,
             status != STATUS_OK ? failure.text : remedies->gains.facts.why);
    return STATUS_OK;
}

enum status remedies_replay(const struct kernel_index *index, uint32_t run, const struct advice_run *figures,
                            const struct replay_edit *const *chosen, size_t count, struct remedies *remedies,
                            struct error *error)
{
    struct remedies_ground ground;
    remedies_prepare(kernel_index_session(index), run, figures ? &figures->steps : NULL, &ground);
    return replay_on(&ground, index, run, figures, chosen, count, remedies, error);
}

int64_t remedies_one_ns(const struct remedies *remedies, int64_t ns)
{
    double measured_ns = (double)remedies->gains.facts.measured_ns;
    return remedies->steps > 0 && measured_ns > 0
               ? (int64_t)((double)ns / measured_ns * (double)remedies->step_ns)
               : ns;
}

void remedies_row(const struct remedies *remedies, struct what_if_run *row)
{
    row->steps = remedies->steps;
    row->result = remedies->gains;
    if (remedies->gains.facts.operations == 0) /* it could not be replayed at all */
        snprintf(row->failed, sizeof row->failed, "%.*s", (int)sizeof row->failed - 1, remedies->why);
}

/* ---- findings ---- */

/* Of several steps of an edit the first; of a kernel's that of its name, since each has its own. */
static size_t find_step(const struct session *session, const struct remedies *remedies,
                        const struct run_finding *finding)
{
    const char *edit = finding->advice.fine ? NULL : advice_rule_edit(finding->advice.rule);
    for (size_t i = 0; edit && i < remedies->gains.count; i++) {
        const struct what_if_step *step = &remedies->gains.steps[i];
        bool own = !step->at_place || step->kernel == NONE || finding->kernel == NONE ||
                   name_of(session, step->kernel) == name_of(session, finding->kernel);
        if (own && strcmp(step->edit->id, edit) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* By the step that they explain; of one step those that gain most by their own bound first, as they were. */
static void order_findings(struct verdict *verdict, struct remedies *remedies)
{
    for (size_t i = 1; i < verdict->count; i++) {
        struct run_finding moved = verdict->findings[i];
        size_t step = remedies->of[i], to = i;
        for (; to > 0 && !moved.advice.fine && remedies->of[to - 1] > step; to--) {
            verdict->findings[to] = verdict->findings[to - 1];
            remedies->of[to] = remedies->of[to - 1];
        }
        verdict->findings[to] = moved;
        remedies->of[to] = step;
    }
}

const struct run_finding *remedy_finding(const struct remedies *remedies, const struct verdict *verdict,
                                         size_t step)
{
    for (size_t i = 0; i < verdict->count; i++)
        if (remedies->of[i] == step)
            return &verdict->findings[i];
    return NULL;
}

/* ---- the limit ---- */

#define LIMIT_TIME 0.5 /* chosen: of the span, of one kernel */
#define LANES_OFF 0.15 /* chosen: lanes that conditions switch off */

/* A kernel whose limit is the rate at which instructions are issued. */
static void say_issue_limit(const struct kernel_index *index, uint32_t kernel, const char *name,
                            double slots_pct, struct remedies *remedies)
{
    struct value
        active =
            kernel_index_statistic(index, kernel, METRIC_active_threads_per_warp, PROVENANCE_MEASURED).value,
        working =
            kernel_index_statistic(index, kernel, METRIC_working_threads_per_warp, PROVENANCE_MEASURED).value;
    double off =
        active.available && working.available && active.number > 0 ? 1 - working.number / active.number : 0;
    if (off >= LANES_OFF)
        snprintf(
            remedies->limit, sizeof remedies->limit,
            "%.40s fills %.0f %% of its issue slots, and conditions switch %.0f %% of the lanes off: let whole "
            "warps take or skip a branch; no division or %% where a shift, mask or table will do",
            name, slots_pct, 100 * off);
    else
        snprintf(
            remedies->limit, sizeof remedies->limit,
            "%.40s fills %.0f %% of its issue slots: fewer instructions help (once what is equal for all "
            "threads; no division or 64-bit arithmetic where a shift or table will do)",
            name, slots_pct);
}

/* What helps where a unit is at its limit, by the unit's name (core/hardware/roofline.h). */
static const char *help_of_unit(const char *unit)
{
    static const struct {
        const char *unit, *help;
    } rows[] = {
        {"shared memory's banks", "several results a thread, kept in registers, use each word more often"},
        {"L2's bandwidth", "a tile in shared memory or registers that is used more often moves fewer bytes"},
        {"L1's bandwidth", "words kept in registers, or in shared memory, are loaded less often"},
        {"single precision", "only fewer operations, or the tensor cores, make it faster"},
        {"double precision", "only fewer operations, or floats where they are enough, make it faster"},
        {"the tensor cores", "only fewer operations or smaller types make it faster"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(unit, rows[i].unit) == 0)
            return rows[i].help;
    return NULL;
}

/* A kernel that takes most of the time, and which unit of the device is its limit by its counters. */
static void find_unit_limit(const struct kernel_index *index, uint32_t run, double span_ns,
                            struct remedies *remedies)
{
    const struct session *session = kernel_index_session(index);
    for (uint32_t i = 0; i < kernel_index_count(index); i++) {
        if (session_kernel(session, i)->run != run || kernel_on_model(session, i) ||
            (double)kernel_index_times(index, i).total_ns < LIMIT_TIME * span_ns)
            continue;
        struct advice_list list;
        char name[REPLAY_PLACE_TEXT];
        replay_kernel_text(session_string(session, name_of(session, i)), name);
        session_advise_indexed(index, i, &list);
        const char *help = list.use_pct >= 0 ? help_of_unit(list.unit) : NULL;
        double slots_pct = issue_bound_pct(index, i),
               least_pct = strncmp(list.unit, "L2", 2) == 0 ? 100 * ADVICE_L2_ATTAINABLE * ADVICE_L2_BOUND
                                                            : LIMIT_PCT;
        if (help && list.use_pct >= least_pct) {
            snprintf(remedies->limit, sizeof remedies->limit, "%.40s uses %.0f %% of %s%s: %s", name,
                     list.use_pct, list.unit,
                     strncmp(list.unit, "L2", 2) == 0 ? ", of which some 60 % can be reached" : "", help);
            remedies->limit_leads = true;
        } else if (slots_pct > 0) {
            say_issue_limit(index, i, name, slots_pct, remedies);
            remedies->limit_leads = true;
        }
    }
}

/* What the loop is bound by if nothing is gained any more: what the device did for most of the time, and which of its
 * units was near its peak then, by samples. */
static void find_limit(const struct kernel_index *index, uint32_t run, const struct advice_run *figures,
                       struct remedies *remedies)
{
    const struct partition *time = &figures->partition;
    double span_ns = (double)partition_span_ns(time);
    if (time->operations == 0 || span_ns <= 0)
        return;
    double kernels_pct = 100 * (double)time->ns[PARTITION_KERNEL] / span_ns;
    double copies_pct = 100 * (double)time->ns[PARTITION_COPY] / span_ns;
    if (kernels_pct >= 50) {
        size_t size = sizeof remedies->limit;
        if (figures->dram_pct >= LIMIT_PCT && !(figures->tensor_pct > figures->dram_pct))
            snprintf(
                remedies->limit, size,
                "Kernels run for %.0f %% of it with DRAM at %.0f %% of its peak: fewer bytes help, by fused "
                "kernels or smaller types",
                kernels_pct, figures->dram_pct);
        else if (figures->tensor_pct >= LIMIT_PCT)
            snprintf(remedies->limit, size,
                     "Kernels run for %.0f %% of it with the tensor cores %.0f %% busy", kernels_pct,
                     figures->tensor_pct);
        else if (figures->active_pct >= 0)
            snprintf(remedies->limit, size,
                     "Kernels run for %.0f %% of it; DRAM %.0f %%, tensor cores %.0f %% of their peaks",
                     kernels_pct, figures->dram_pct, figures->tensor_pct);
        else
            snprintf(remedies->limit, size, "Kernels run for %.0f %% of it", kernels_pct);
    } else if (copies_pct >= 50) {
        snprintf(remedies->limit, sizeof remedies->limit, "Copies and sets alone take %.0f %% of it",
                 copies_pct);
    }
    find_unit_limit(index, run, span_ns, remedies);
}

/* Is there a step that rests on the trace alone? */
static bool is_supported(const struct remedies *remedies)
{
    for (size_t i = 0; i < remedies->gains.count; i++)
        if (!remedies->gains.steps[i].assumed)
            return true;
    return false;
}

enum status remedies_make(const struct kernel_index *index, uint32_t run, const struct advice_run *figures,
                          struct verdict *verdict, struct remedies *remedies, struct error *error)
{
    struct remedies_ground ground;
    remedies_prepare(kernel_index_session(index), run, figures ? &figures->steps : NULL, &ground);
    return remedies_make_on(&ground, index, run, figures, verdict, remedies, error);
}

enum status remedies_make_on(struct remedies_ground *ground, const struct kernel_index *index, uint32_t run,
                             const struct advice_run *figures, struct verdict *verdict,
                             struct remedies *remedies, struct error *error)
{
    enum status status = replay_on(ground, index, run, figures, NULL, 0, remedies, error);
    if (status != STATUS_OK)
        return status;
    if (!remedies->why[0] && session_run(kernel_index_session(index), run)->workload != 0 &&
        !is_supported(remedies))
        snprintf(remedies->why, sizeof remedies->why, "No edit that its trace supports gains 2 %%.");
    for (size_t i = 0; i < verdict->count && !remedies->why[0]; i++) {
        struct run_finding *finding = &verdict->findings[i];
        remedies->of[i] = find_step(kernel_index_session(index), remedies, finding);
        const struct what_if_step *step =
            remedies->of[i] == SIZE_MAX ? NULL : &remedies->gains.steps[remedies->of[i]];
        const char *now = step ? what_if_now(step, &remedies->gains.facts) : NULL;
        if (step && now != replay_edit_now(step->edit, &remedies->gains.facts)) /* of that place alone */
            snprintf(finding->advice.how, sizeof finding->advice.how, "%s", now);
    }
    if (!remedies->why[0])
        order_findings(verdict, remedies);
    find_limit(index, run, figures, remedies);
    return STATUS_OK;
}

/* ---- the findings, ranked ---- */

/* Of a step that no rule explains: what would be done is no statement about the run, so its text asks. */
static const struct advice_rule edit_rule = {
    .id = "edit",
    .now = "look at it with what-if",
    .taught = "n-way",
    .source = "the run replayed with an edit",
};

static struct run_finding make_finding(const struct kernel_index *index, const struct remedies *remedies,
                                       const struct what_if_step *step, uint32_t run_kernel)
{
    char title[WHAT_IF_TITLE];
    struct run_finding made = {.kernel = run_kernel,
                               .advice = {.rule = &edit_rule, .provenance = PROVENANCE_MEASURED}};
    const struct session *session = kernel_index_session(index);
    if (run_kernel != NONE && kernel_on_model(session, run_kernel))
        made.advice.provenance = PROVENANCE_MODELLED;
    what_if_title(step, title);
    if ((step->edit->at & REPLAY_AT_KERNEL) == 0) /* else it begins with the kernel's name */
        title[0] = (char)tolower((unsigned char)title[0]);
    snprintf(made.advice.text, sizeof made.advice.text, "What if %.*s", (int)sizeof made.advice.text - 9,
             title);
    snprintf(made.advice.how, sizeof made.advice.how, "%.*s", (int)sizeof made.advice.how - 1,
             what_if_now(step, &remedies->gains.facts));
    return made;
}

void remedies_rank(const struct kernel_index *index, const struct remedies *remedies,
                   const struct verdict *verdict, struct verdict *ranked)
{
    double measured_ns = (double)remedies->gains.facts.measured_ns;
    *ranked = *verdict;
    if (remedies->why[0] || !(measured_ns > 0))
        return;
    ranked->count = ranked->wrong = ranked->more = 0;
    for (size_t i = 0; i < remedies->gains.count && ranked->count < VERDICT_MAX; i++) {
        const struct what_if_step *step = &remedies->gains.steps[i];
        const struct run_finding *explains = remedy_finding(remedies, verdict, i);
        if (step->assumed)
            continue;
        struct run_finding *finding = &ranked->findings[ranked->count++];
        *finding = explains ? *explains : make_finding(index, remedies, step, step->kernel);
        finding->advice.gain = (double)(step->before_ns - step->after_ns) / measured_ns;
        finding->advice.gain_ns = finding->advice.gain * verdict->span_ns;
    }
    ranked->wrong = ranked->count;
    for (size_t i = 0; i < verdict->count && ranked->count < VERDICT_MAX; i++) {
        if (remedies->of[i] != SIZE_MAX)
            continue;
        struct run_finding *seen = &ranked->findings[ranked->count++];
        *seen = verdict->findings[i];
        seen->advice.gain = seen->advice.gain_ns = 0;
    }
}
