/*
 * Collects the input of the rules from a session. Rules request a kernel's values one by one; a run's figures
 * are sums over the copies and launches of its streams, collected in one walk.
 */
#include "core/advice/session_advice.h"

#include "core/analysis/kernel_sources.h"
#include "core/session/session_walk.h"

#include <math.h>

/* ---- kernels ---- */
struct kernel_values {
    uint32_t kernel;
    enum provenance own;
    advice_statistic *statistic;
    const void *context;
};

static struct value read_value(const void *context, enum metric metric)
{
    const struct kernel_values *values = context;
    struct value value = values->statistic(values->context, values->kernel, metric, values->own);
    return value.available ? value
                           : values->statistic(values->context, values->kernel, metric, PROVENANCE_EXPECTED);
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
    if (device) {
        facts->multiprocessors = device->info.multiprocessors;
        facts->clock_hz = 1e3 * device->info.core_clock_khz;
    }
}

void session_advise_kernel(const struct session *session, uint32_t kernel, advice_statistic *statistic,
                           const void *context, struct advice_list *list)
{
    struct kernel_values values = {.kernel = kernel,
                                   .own = kernel_on_model(session, kernel) ? PROVENANCE_MODELLED
                                                                           : PROVENANCE_MEASURED,
                                   .statistic = statistic,
                                   .context = context};
    struct advice_kernel facts = {.read = read_value, .context = &values};
    take_launch_facts(&facts, session, kernel);
    advice_of_kernel(&facts, list);
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
struct small {
    uint64_t count;
    double shortest_ns;
};

static void take_copy(struct advice_run *figures, const struct item *item, double ns, struct small small[2])
{
    bool in = item->a == COPY_HTOD;
    if (!in && item->a != COPY_DTOH)
        return;
    uint8_t host = in ? item_copy_source(item) : item_copy_destination(item);
    if (host == MEMORY_PAGEABLE && item->copy.size_bytes > ADVICE_PAGEABLE_BYTES) {
        figures->pageable_copies++;
        figures->pageable_ns += ns;
    }
    if (item->copy.size_bytes < ADVICE_SMALL_COPY_BYTES) {
        small[in].shortest_ns = small[in].count++ == 0 ? ns : fmin(small[in].shortest_ns, ns);
        figures->small_copies++;
        figures->small_ns += ns;
    }
}

struct gathering {
    const struct session *session;
    struct advice_run *figures;
    double longest_few_ns; /* of kernels with few blocks, and the track of the last one */
    uint32_t few_track;
    struct small small[2];
    struct event_ref lane; /* of the previous launch; call_ns: when its call started */
    int64_t call_ns;
    int64_t first_kernel_ns, last_kernel_ns; /* start of the first, end of the last */
};

/* The kernels of one graph launch follow each other in a lane and have its call. */
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
        figures->call_ns += item->launch.call_duration_ns;
    }
    gathering->lane = event->ref;
    gathering->call_ns = item->launch.call_start_ns;
}

/* Of a kernel that fills less than half of its device, but no collective, which needs no more; others may run
 * beside it. */
static void take_blocks(struct gathering *gathering, const struct walk_event *event, double ns)
{
    struct advice_run *figures = gathering->figures;
    const struct session *session = gathering->session;
    const struct kernel_row *kernel = session_kernel(session, event->item.launch.kernel);
    const struct shape_row *shape = kernel == NULL ? NULL : session_shape(session, kernel->shape);
    const struct device_row *device = kernel == NULL ? NULL : session_device(session, kernel->device);
    if (shape == NULL || device == NULL || device->info.multiprocessors == 0)
        return;
    uint64_t blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    figures->multiprocessors = device->info.multiprocessors;
    if (blocks * 2 > figures->multiprocessors || kernel_is_collective(session_string(session, shape->name)))
        return;
    figures->few_blocks_beside |=
        figures->few_blocks_launches > 0 && gathering->few_track != event->ref.track;
    gathering->few_track = event->ref.track;
    figures->few_blocks_ns += ns;
    figures->few_blocks_launches++;
    figures->few_blocks_gain_ns += ns * (1 - (double)blocks / (double)figures->multiprocessors);
    if (ns > gathering->longest_few_ns) {
        gathering->longest_few_ns = ns;
        figures->few_blocks = blocks;
    }
}

static bool take_event(void *context, const struct walk_event *event)
{
    struct gathering *gathering = context;
    double ns = (double)(event->end_ns - event->start_ns);
    if (event->item.kind == ITEM_COPY)
        take_copy(gathering->figures, &event->item, ns, gathering->small);
    else {
        take_launch(gathering, event, ns);
        take_blocks(gathering, event, ns);
        if (event->start_ns < gathering->first_kernel_ns)
            gathering->first_kernel_ns = event->start_ns;
        if (event->end_ns > gathering->last_kernel_ns)
            gathering->last_kernel_ns = event->end_ns;
    }
    return true;
}

/* Over the run's steps, else from the first kernel to the last: idle time before is set-up or warm-up, and
 * after it tear-down, which no rule is about. With evicted calls the rules on idle time are not judged. */
static enum status take_partition(const struct gathering *gathering, uint32_t run, struct error *error)
{
    const struct session *session = gathering->session;
    struct advice_run *figures = gathering->figures;
    struct partition_list list;
    if (figures->launches == 0)
        return STATUS_OK;
    struct steps *steps = &figures->steps;
    enum status status = steps_find(session, run, steps, error);
    if (status == STATUS_OK && steps->count > 0)
        status = partition_compute(session, run, steps->start_ns, steps->end_ns, &list, error);
    else if (status == STATUS_OK)
        status = partition_compute(session, run, gathering->first_kernel_ns, gathering->last_kernel_ns, &list,
                                   error);
    if (status != STATUS_OK || list.count == 0)
        return status == STATUS_MEMORY ? status : STATUS_OK;
    figures->partition = list.items[0];
    partition_free(&list);
    for (uint32_t i = figures->partition.blame_count; i-- > 0;) { /* longest first */
        const struct partition_blame *blame = &figures->partition.blames[i];
        if (blame->name != 0) {
            struct advice_idle *idle = &figures->idle[blame->part];
            partition_blame_name(session, blame, idle->name, sizeof idle->name);
            idle->ns = blame->ns;
            idle->times = blame->times;
        }
    }
    return STATUS_OK;
}

enum status session_run_figures(const struct session *session, uint32_t run, struct advice_run *figures,
                                struct error *error)
{
    const struct run_row *row = session_run(session, run);
    struct gathering gathering = {.session = session,
                                  .figures = figures,
                                  .lane = {.track = NONE},
                                  .first_kernel_ns = INT64_MAX,
                                  .last_kernel_ns = INT64_MIN};

    if (row == NULL)
        return STATUS_OK;
    figures->provenance = row->clock == CLOCK_MODEL ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    session_walk(session,
                 &(struct walk){
                     .run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(COPY) | WALK_ITEM(LAUNCH)},
                 take_event, &gathering);
    for (int i = 0; i < 2; i++)
        if (gathering.small[i].count > 1)
            figures->small_mergeable_ns +=
                (double)(gathering.small[i].count - 1) * gathering.small[i].shortest_ns;
    return take_partition(&gathering, run, error);
}

enum status session_advise_run(const struct session *session, uint32_t run, const struct overlap *overlap,
                               struct advice_list *list, struct error *error)
{
    struct advice_run figures = {.overlap = *overlap};
    enum status status = session_run_figures(session, run, &figures, error);
    if (status == STATUS_OK)
        advice_of_run(&figures, list);
    return status;
}
