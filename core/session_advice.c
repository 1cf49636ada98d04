#include "core/session_advice.h"

#include "core/kernel_sources.h"

#include <math.h>
#include <string.h>

void session_advice_kernel(const struct session *session, uint32_t kernel, struct advice_kernel *facts)
{
    memset(facts, 0, sizeof *facts);
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

/* The kernels of one graph launch follow each other in a lane and have its call. */
static void take_launch(struct advice_run *figures, const struct item *item, double ns, int64_t *call_ns)
{
    figures->launches++;
    if (item->launch.call_start_ns == INT64_MIN)
        return;
    figures->call_kernel_ns += ns;
    if (item->launch.call_start_ns != *call_ns) {
        figures->launch_calls++;
        figures->call_ns += item->launch.call_duration_ns;
    }
    *call_ns = item->launch.call_start_ns;
}

static void take_lane(struct advice_run *figures, const struct session *session, uint32_t track,
                      uint32_t lane, const struct run_row *run, struct small small[2])
{
    int64_t end_ns = atomic_load_explicit(&run->end_ns, memory_order_acquire), call_ns = INT64_MIN;
    uint64_t events = session_lane_count_events(session, track, lane);
    for (uint64_t i = session_lane_find(session, track, lane, run->start_ns); i < events; i++) {
        struct event_ref ref = {.track = track, .lane = lane, .index = i};
        int64_t start = session_event_start_ns(session, ref);
        if (end_ns != INT64_MIN && start >= end_ns)
            break;
        struct item item = session_event_item(session, ref);
        if (item.flags & ITEM_FOLDED) /* no event of its own */
            continue;
        double ns = (double)(session_event_end_ns(session, ref) - start);
        if (start >= run->start_ns && item.kind == ITEM_COPY)
            take_copy(figures, &item, ns, small);
        else if (start >= run->start_ns && item.kind == ITEM_LAUNCH)
            take_launch(figures, &item, ns, &call_ns);
    }
}

void session_advice_run(const struct session *session, uint32_t run, const struct overlap *overlap,
                        struct advice_run *figures)
{
    const struct run_row *row = session_run(session, run);
    struct small small[2] = {0};

    *figures = (struct advice_run){.overlap = *overlap};
    if (row == NULL)
        return;
    figures->provenance = row->clock == CLOCK_MODEL ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *stream = session_track(session, track);
        if (stream->kind != TRACK_STREAM || stream->process != row->process || stream->clock != row->clock)
            continue;
        uint32_t lanes = atomic_load_explicit(&stream->lane_count, memory_order_acquire);
        for (uint32_t lane = 0; lane < lanes; lane++)
            take_lane(figures, session, track, lane, row, small);
    }
    for (int i = 0; i < 2; i++)
        if (small[i].count > 1)
            figures->small_mergeable_ns += (double)(small[i].count - 1) * small[i].shortest_ns;
}
