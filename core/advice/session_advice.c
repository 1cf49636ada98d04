/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the input of the rules from a session. Rules request a kernel's values one by one; a run's figures
 * are sums over the copies and launches of its streams, collected in one walk.
 */
#include "core/advice/session_advice.h"
#include "core/analysis/partition.h"

#include "core/analysis/code_costs.h"
#include "core/analysis/kernel_sources.h"
#include "core/base/function_name.h"
#include "core/session/samples.h"
#include "core/session/session_walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- kernels ---- */
struct kernel_values {
    uint32_t kernel;
    const struct session *session;
    enum provenance own;
    advice_statistic *statistic;
    const void *context;
    bool
        lent; /* nothing was counted on the GPU, and the same work ran on the device model, which counts all */
};

static struct value value_of(const struct kernel_values *values, enum metric metric,
                             enum provenance provenance)
{
    return values->statistic(values->context, values->kernel, metric, provenance);
}

static bool is_lent(const struct kernel_values *values)
{
    if (values->own != PROVENANCE_MEASURED ||
        !value_of(values, METRIC_achieved_occupancy_pct, PROVENANCE_MODELLED).available)
        return false;
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
        if (!kernel_metric_of_trace(metric) && value_of(values, metric, PROVENANCE_MEASURED).available)
            return false;
    return true;
}

static struct value read_value(const void *context, enum metric metric)
{
    const struct kernel_values *values = context;
    struct value value = value_of(values, metric, values->own);
    if (!value.available && values->lent && !kernel_metric_of_trace(metric))
        value = value_of(values, metric, PROVENANCE_MODELLED);
    return value.available ? value : value_of(values, metric, PROVENANCE_EXPECTED);
}

#define TABLE_OF_ANGLES \
    "__cudart_i2opi" /* the bits of 2 / pi: in PTX its address is read beside the local array */

/* By the instruction with the most sectors of local memory: in a function that the kernel calls, or on the
 * line of such a table. */
static enum advice_local find_local(const void *context)
{
    const struct kernel_values *values = context;
    struct code_listing listing;
    const struct code_place *most = NULL;
    enum advice_local what = ADVICE_LOCAL_SOME;
    if (code_listing_make(values->session, values->kernel, &listing, NULL) != STATUS_OK)
        return what;
    for (uint32_t i = 0; i < listing.count; i++)
        if (listing.places[i].costs[CODE_LOCAL_SECTORS] > (most ? most->costs[CODE_LOCAL_SECTORS] : 0))
            most = &listing.places[i];
    if (most && strcmp(most->function, listing.places[0].function) != 0)
        what = ADVICE_LOCAL_STACK;
    for (uint32_t i = 0; most && i < listing.count; i++) {
        const struct code_place *place = &listing.places[i];
        if (place->line == most->line && strcmp(place->file, most->file) == 0 &&
            strstr(place->text, TABLE_OF_ANGLES))
            what = ADVICE_LOCAL_ANGLES;
    }
    code_listing_fini(&listing);
    return what;
}

/* A matrix product on 32-bit floats that does not use the tensor cores, by the names of cuBLAS and CUTLASS:
 * "cutlass_80_simt_sgemm_128x256_8x4_nn", "sm80_xmma_gemm_f32f32_f32f32_f32_nn", "ampere_sgemm_64x64_nn". */
static bool kernel_is_float_product(const char *name)
{
    return (name_has_words(name, "sgemm") || strstr(name, "gemm_f32f32_f32f32_f32")) &&
           !strstr(name, "tensorop") && !strstr(name, "tf32");
}

static bool tensor_is_faster(const struct arch *arch)
{
    return arch && arch->tf32_lanes > arch->float_lanes;
}

double session_product_left(const struct session *session, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = session_shape(session, row->shape);
    const struct device_row *device = session_device(session, row->device);
    const struct arch *arch = device ? arch_find(device->info.compute_capability) : NULL;
    const char *name = shape ? session_string(session, shape->name) : "";
    const bool library = !strchr(name, '(') || strstr(name, "cutlass"); /* cuBLAS's own have names of C */
    return library && tensor_is_faster(arch) && kernel_is_float_product(name)
               ? (double)arch->float_lanes / arch->tf32_lanes
               : 1;
}

/* By the types of its arguments, which a name of C++ has: "forces(float4 const*, int)". */
static bool takes_no_doubles(const char *name)
{
    return strchr(name, '(') && strstr(name, "float") && !strstr(name, "double");
}

static void take_launch_facts(struct advice_kernel *facts, const struct session *session, uint32_t kernel)
{
    if (!kernel_is_whole(session, kernel))
        return;
    const struct device_row *device = session_device(session, session_kernel(session, kernel)->device);
    struct metric_facts launch = kernel_facts(session, kernel);
    facts->arch = launch.arch;
    facts->shape = (struct occupancy_input){.threads_per_block = launch.threads_per_block,
                                            .registers_per_thread = launch.registers_per_thread,
                                            .shared_bytes_per_block =
                                                launch.static_shared_bytes + launch.dynamic_shared_bytes,
                                            .shared_bytes_available = launch.shared_config_bytes};
    facts->blocks = launch.blocks;
    facts->calls = session_shape(session, session_kernel(session, kernel)->shape)->flags;
    facts->no_doubles = takes_no_doubles(
        session_string(session, session_shape(session, session_kernel(session, kernel)->shape)->name));
    facts->float_product =
        tensor_is_faster(launch.arch) &&
        kernel_is_float_product(
            session_string(session, session_shape(session, session_kernel(session, kernel)->shape)->name));
    if (device) {
        facts->multiprocessors = device->info.multiprocessors;
        facts->clock_hz = 1e3 * device->info.core_clock_khz;
        facts->l2_bytes = (double)device->info.l2_bytes;
    }
}

/* What the model's counts say of a kernel whose time was measured: a list shows the sentence without its provenance.
 * They do not show that nothing keeps the kernel from being faster. */
static void label_modelled(struct advice_list *list)
{
    const enum provenance of = list->count > 0 ? list->items[0].provenance : list->weakest;
    char said[sizeof list->said];
    if (of != PROVENANCE_MODELLED || !list->said[0])
        return;
    snprintf(said, sizeof said, "modelled: %.*s", (int)sizeof said - 11, list->said);
    memcpy(list->said, said, sizeof said);
    if (list->state == ADVICE_STATE_FINE)
        list->state = ADVICE_STATE_UNCHECKED;
}

void session_advise_kernel(const struct session *session, uint32_t kernel, advice_statistic *statistic,
                           const void *context, struct advice_list *list)
{
    struct kernel_values values = {.kernel = kernel,
                                   .session = session,
                                   .own = kernel_on_model(session, kernel) ? PROVENANCE_MODELLED
                                                                           : PROVENANCE_MEASURED,
                                   .statistic = statistic,
                                   .context = context};
    values.lent = is_lent(&values);
    struct advice_kernel facts = {.read = read_value, .local = find_local, .context = &values};
    take_launch_facts(&facts, session, kernel);
    advice_of_kernel(&facts, list);
    if (values.lent)
        label_modelled(list);
}

static struct value indexed_statistic(const void *context, uint32_t kernel, enum metric metric,
                                      enum provenance provenance)
{
    return kernel_index_statistic(context, kernel, metric, provenance).value;
}

void session_advise_indexed(const struct kernel_index *index, uint32_t kernel, struct advice_list *list)
{
    session_advise_kernel(kernel_index_session(index), kernel, indexed_statistic, index, list);
}

/* ---- runs ---- */
#define NAMES_KEPT 64u /* a run launches few kernels many times */

/* What a kernel's name says. */
struct named_kind {
    uint32_t name;
    bool known, collective, product;
};

struct gathering {
    const struct session *session;
    struct named_kind kinds[NAMES_KEPT]; /* by name % NAMES_KEPT, the last one asked for */
    struct advice_run *figures;
    double longest_few_ns; /* of kernels with few blocks; the track of the last of them */
    uint32_t few_track;
    bool bundled;               /* the run is of a bundled workload */
    double moved_ns, inside_ns; /* of copies and sets, and of those that only device memory knows */
    struct event_ref lane;      /* of the previous launch; call_ns: when its call started */
    int64_t call_ns;
};

/* A bundled workload fills and reads back its memory with synchronous copies; the copies that it demonstrates
 * are asynchronous (workloads/cuda/cuda_memory.c). */
static void take_copy(struct gathering *gathering, const struct item *item, double ns)
{
    struct advice_run *figures = gathering->figures;
    if (gathering->bundled && !(item->flags & ITEM_ASYNC)) {
        figures->set_up_copies_ns += ns;
        return;
    }
    bool in = item->a == COPY_HTOD;
    if (!in && item->a != COPY_DTOH)
        return;
    uint8_t host = in ? item_copy_source(item) : item_copy_destination(item);
    if (host == MEMORY_PAGEABLE && item->copy.size_bytes >= ADVICE_SMALL_COPY_BYTES &&
        item->copy.size_bytes <= ADVICE_PAGEABLE_BYTES) {
        figures->middle_copies++;
        figures->middle_ns += ns;
    }
    if (host == MEMORY_PAGEABLE && item->copy.size_bytes > ADVICE_PAGEABLE_BYTES) {
        figures->pageable_copies++;
        figures->pageable_ns += ns;
        figures->pageable_needs_ns += (double)item->copy.size_bytes / ADVICE_LINK_BYTES_PER_NS;
    }
    if (item->copy.size_bytes < ADVICE_SMALL_COPY_BYTES) {
        figures->small_copies++;
        figures->small_ns += ns;
        figures->small_needs_ns += (double)item->copy.size_bytes / ADVICE_LINK_BYTES_PER_NS;
    }
}

/* The kernels of one graph launch follow each other in a lane and have the same call. */
static void take_launch(struct gathering *gathering, const struct walk_event *event, double ns)
{
    struct advice_run *figures = gathering->figures;
    const struct item *item = &event->item;
    bool same_lane = event->ref.track == gathering->lane.track && event->ref.lane == gathering->lane.lane;
    figures->launches++;
    if (item->launch.call_start_ns == INT64_MIN)
        return;
    figures->call_kernel_ns += ns;
    if (!same_lane || item->launch.call_start_ns != gathering->call_ns) {
        figures->launch_calls++;
        figures->graph_calls += item->launch.graph != 0;
        figures->call_ns += item->launch.call_duration_ns;
    }
    gathering->lane = event->ref;
    gathering->call_ns = item->launch.call_start_ns;
}

static void take_float_product(struct advice_run *figures, const struct device_info *info, double ns)
{
    const struct arch *arch = arch_find(info->compute_capability);
    if (!tensor_is_faster(arch))
        return;
    figures->float_product_ns += ns;
    figures->float_product_gain_ns += ns * (1 - (double)arch->float_lanes / arch->tf32_lanes);
}

/* Counts a kernel that fills less than half of its device, unless it is a collective, which needs no more
 * blocks, or is limited by its launch; other kernels may run beside it. */
static void take_blocks(struct gathering *gathering, const struct walk_event *event, uint64_t blocks,
                        double ns)
{
    struct advice_run *figures = gathering->figures;
    figures->few_blocks_beside |=
        figures->few_blocks_launches > 0 && gathering->few_track != event->ref.track;
    gathering->few_track = event->ref.track;
    if (ns <= ADVICE_LAUNCH_LIMITED_NS)
        return;
    figures->few_blocks_ns += ns;
    figures->few_blocks_launches++;
    figures->few_blocks_gain_ns += ns * (1 - (double)blocks / (double)figures->multiprocessors);
    if (ns > gathering->longest_few_ns) {
        gathering->longest_few_ns = ns;
        figures->few_blocks = blocks;
    }
}

static const struct named_kind *kind_of(struct gathering *gathering, uint32_t name)
{
    struct named_kind *kind = &gathering->kinds[name % NAMES_KEPT];
    if (!kind->known || kind->name != name) {
        const char *text = session_string(gathering->session, name);
        *kind = (struct named_kind){name, true, kernel_is_collective(text), kernel_is_float_product(text)};
    }
    return kind;
}

static void take_kernel(struct gathering *gathering, const struct walk_event *event, double ns)
{
    struct advice_run *figures = gathering->figures;
    const struct session *session = gathering->session;
    const struct kernel_row *kernel = session_kernel(session, event->item.launch.kernel);
    const struct shape_row *shape = !kernel ? NULL : session_shape(session, kernel->shape);
    const struct device_row *device = !kernel ? NULL : session_device(session, kernel->device);
    if (!shape || !device || device->info.multiprocessors == 0)
        return;
    uint64_t blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    const struct named_kind *kind = kind_of(gathering, shape->name);
    figures->multiprocessors = device->info.multiprocessors;
    const uint32_t threads = (uint32_t)shape->block[0] * shape->block[1] * shape->block[2];
    if (blocks > 0 && blocks * 2 <= figures->multiprocessors && !kind->collective &&
        !occupancy_fills_schedulers(arch_find(device->info.compute_capability), threads, (double)blocks,
                                    device->info.multiprocessors))
        take_blocks(gathering, event, blocks, ns);
    else if (blocks >= figures->multiprocessors && ns > ADVICE_SAMPLED_NS) {
        figures->many_blocks_ns += ns;
        figures->allocating_ns += (shape->flags & SHAPE_ALLOCATES) != 0 ? ns : 0;
    }
    if (kind->product)
        take_float_product(figures, &device->info, ns);
}

static bool take_event(void *context, const struct walk_event *event)
{
    struct gathering *gathering = context;
    double ns = (double)(event->end_ns - event->start_ns);
    struct advice_run *figures = gathering->figures;
    figures->first_ns = event->start_ns < figures->first_ns ? event->start_ns : figures->first_ns;
    figures->last_ns = event->end_ns > figures->last_ns ? event->end_ns : figures->last_ns;
    if (figures->steps.count > 0 &&
        (event->start_ns < figures->steps.start_ns || event->start_ns >= figures->steps.end_ns))
        return true;
    if (event->item.kind == ITEM_COPY || event->item.kind == ITEM_SET) {
        gathering->moved_ns += ns;
        gathering->inside_ns += event->item.kind == ITEM_SET || event->item.a == COPY_DTOD ? ns : 0;
    }
    if (event->item.kind == ITEM_COPY)
        take_copy(gathering, &event->item, ns);
    else if (event->item.kind == ITEM_SET)
        figures->all_sets_ns += ns;
    else {
        take_launch(gathering, event, ns);
        take_kernel(gathering, event, ns);
        figures->start_ns = event->start_ns < figures->start_ns ? event->start_ns : figures->start_ns;
        figures->end_ns = event->end_ns > figures->end_ns ? event->end_ns : figures->end_ns;
    }
    return true;
}

/* Idle time is judged in the run's steps, or else from the first kernel to the last: before that it is set-up
 * or warm-up, and after it tear-down, and no rule is about those. If calls were evicted, the rules on idle
 * time are not evaluated. */
static enum status take_partition(struct gathering *gathering, uint32_t run, struct error *error)
{
    const struct session *session = gathering->session;
    struct advice_run *figures = gathering->figures;
    struct partition_list list;
    if (figures->launches == 0)
        return STATUS_OK;
    if (figures->steps.count > 0) {
        figures->start_ns = figures->steps.start_ns;
        figures->end_ns = figures->steps.end_ns;
    }
    enum status status = partition_compute(session, run, figures->start_ns, figures->end_ns, &list, error);
    if (status != STATUS_OK || list.count == 0)
        return status == STATUS_MEMORY ? status : STATUS_OK;
    figures->partition = list.items[0];
    figures->devices = list.count;
    partition_free(&list);
    for (uint32_t i = figures->partition.blame_count; i-- > 0;) { /* longest first */
        const struct partition_blame *blame = &figures->partition.blames[i];
        if (partition_blame_named(blame)) {
            struct advice_idle *idle = &figures->idle[blame->part];
            partition_blame_name(session, blame, idle->name, sizeof idle->name);
            idle->place = blame->place != 0;
            idle->ns = blame->ns;
            idle->times = blame->times;
        }
    }
    return STATUS_OK;
}

#define CALLS_TO_RECORD 3 /* chosen: between a set that empties a cache and the start of the timing */

/* Does a set empty the L2 cache before a timing? It is no smaller than the cache, and the thread records an
 * event before it launches anything else. */
static bool set_empties_cache(const struct session *session, const struct walk_event *event)
{
    const struct device_row *device = session_device(session, event->track->device);
    const struct item *set = &event->item;
    if (!device || device->info.l2_bytes == 0 || set->set.size_bytes < device->info.l2_bytes)
        return false;
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        if (row->kind != TRACK_CALLS || row->process != event->track->process ||
            row->thread != set->set.call_thread)
            continue;
        uint64_t at = session_lane_find(session, track, 0, set->set.call_start_ns);
        int64_t start_ns, end_ns;
        struct item call;
        for (int i = 0; i < CALLS_TO_RECORD; at++) {
            if (!session_event(session, (struct event_ref){track, 0, at}, &start_ns, &end_ns, &call))
                break;
            if (start_ns <= set->set.call_start_ns)
                continue;
            if (call.b == CALL_LAUNCH || call.b == CALL_COPY)
                break;
            if (strstr(session_string(session, call.call.name), "EventRecord"))
                return true;
            i++;
        }
    }
    return false;
}

/* Memsets in the span; earlier ones are set-up. */
static bool take_set(void *context, const struct walk_event *event)
{
    struct gathering *gathering = context;
    if (event->start_ns >= gathering->figures->start_ns && event->start_ns < gathering->figures->end_ns &&
        !set_empties_cache(gathering->session, event)) {
        gathering->figures->sets++;
        gathering->figures->set_ns += (double)(event->end_ns - event->start_ns);
        gathering->figures->set_bytes += (double)event->item.set.size_bytes;
    }
    return true;
}

/* Their records name no function, and their time is recorded nowhere. */
static bool take_host_function(void *context, const struct walk_event *event)
{
    struct gathering *gathering = context;
    struct advice_run *figures = gathering->figures;
    const char *name = session_string(gathering->session, event->item.call.name);
    figures->host_functions += event->start_ns >= figures->start_ns && event->start_ns < figures->end_ns &&
                               (strstr(name, "LaunchHostFunc") || strstr(name, "StreamAddCallback"));
    return true;
}

/* The mean of a counter of the run's device over the span; NaN: less than half of the span was sampled. */
static double span_mean(const struct gathering *gathering, uint32_t run, const char *counter)
{
    const struct session *session = gathering->session;
    for (uint32_t series = 0; series < session_series_count(session); series++) {
        const struct series_row *row = session_series(session, series);
        const char *name = session_string(session, row->name);
        if (strncmp(name, counter, strlen(counter)) != 0 || !series_is_of_run(session, row, run))
            continue;
        struct sample_column column =
            samples_over(session, series, gathering->figures->start_ns, gathering->figures->end_ns);
        if (2 * column.covered_ns >= gathering->figures->end_ns - gathering->figures->start_ns)
            return column.mean;
    }
    return NAN;
}

/* An idle device uses neither multiprocessors, DRAM nor tensor cores, so the mean over the span divided by
 * the share of time with kernels gives the use while kernels ran. Copies inside the device and sets run on its
 * multiprocessors: their time alone counts, too. Not for a run on several devices. */
static void take_samples(struct gathering *gathering, uint32_t run)
{
    struct advice_run *figures = gathering->figures;
    const struct partition *partition = &figures->partition;
    figures->dram_pct = figures->tensor_pct = figures->active_pct = NAN;
    if (figures->devices != 1 || partition->ns[PARTITION_KERNEL] == 0)
        return;
    double inside = gathering->moved_ns > 0 ? gathering->inside_ns / gathering->moved_ns : 0;
    double running =
        ((double)partition->ns[PARTITION_KERNEL] + inside * (double)partition->ns[PARTITION_COPY]) /
        (double)partition_span_ns(partition);
    figures->dram_pct = (span_mean(gathering, run, "dram__read_throughput") +
                         span_mean(gathering, run, "dram__write_throughput")) /
                        running;
    figures->tensor_pct = span_mean(gathering, run, "sm__pipe_tensor_cycles_active") / running;
    figures->active_pct = span_mean(gathering, run, "sm__cycles_active.avg.pct") / running;
}

/* The repetitions of a bundled workload are not steps. */
enum status session_find_range(const struct session *session, uint32_t run, struct advice_run *figures,
                               struct advice_range *range, struct error *error)
{
    const struct run_row *row = session_run(session, run);
    enum status status = STATUS_OK;
    if (row && row->workload == 0)
        status = steps_find(session, run, &figures->steps, error);
    bool steps = status == STATUS_OK && figures->steps.count > 0;
    *range = (struct advice_range){steps ? figures->steps.start_ns : INT64_MIN,
                                   steps ? figures->steps.end_ns : INT64_MAX};
    return status == STATUS_MEMORY ? status : STATUS_OK;
}

enum status session_run_figures(const struct session *session, uint32_t run, struct advice_run *figures,
                                struct error *error)
{
    const struct run_row *row = session_run(session, run);
    struct gathering gathering = {.session = session,
                                  .figures = figures,
                                  .bundled = row && row->workload != 0,
                                  .lane = {.track = NONE}};
    figures->start_ns = figures->first_ns = INT64_MAX;
    figures->end_ns = figures->last_ns = INT64_MIN;
    if (!row)
        return STATUS_OK;
    figures->provenance = row->clock == CLOCK_MODEL ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    session_walk(session,
                 &(struct walk){.run = run,
                                .tracks = WALK_TRACK(STREAM),
                                .items = WALK_ITEM(COPY) | WALK_ITEM(SET) | WALK_ITEM(LAUNCH)},
                 take_event, &gathering);
    enum status status = take_partition(&gathering, run, error);
    if (status == STATUS_OK && figures->all_sets_ns > 0) {
        session_walk(session,
                     &(struct walk){.run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(SET)},
                     take_set, &gathering);
    }
    if (status == STATUS_OK && figures->partition.ns[PARTITION_DEVICE] > 0)
        session_walk(session,
                     &(struct walk){.run = run, .tracks = WALK_TRACK(CALLS), .items = WALK_ITEM(CALL)},
                     take_host_function, &gathering);
    if (status == STATUS_OK)
        take_samples(&gathering, run);
    return status;
}
