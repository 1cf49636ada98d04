/*
 * A lower bound of the time of a range's work: the time that each engine of each device needs by itself. See
 * core/analysis/overlap/overlap.h for the rule.
 */
#include "core/analysis/overlap/overlap_internal.h"
#include "core/base/array.h"

#include <math.h>
#include <stdlib.h>

#define ENGINE_COUNT (ENGINE_COPIES + COPY_KIND_COUNT)

struct load {
    uint32_t device, process;                                /* device NONE: by process */
    int64_t busy_ns[ENGINE_COUNT], covered_ns[ENGINE_COUNT]; /* the union of an engine's work */
    double kernel_area_ns;                                   /* time by share of the device */
    int64_t longest_kernel_ns;
};

static struct load *load_of(const struct work *work, uint32_t track, struct load **loads, size_t *count,
                            size_t *capacity)
{
    const struct track_row *row = session_track(work->session, track);
    for (size_t i = 0; i < *count; i++)
        if ((*loads)[i].device == row->device && (row->device != NONE || (*loads)[i].process == row->process))
            return &(*loads)[i];
    if (!array_grow(*loads, *capacity, *count, 1))
        return NULL;
    struct load *load = &(*loads)[(*count)++];
    *load = (struct load){.device = row->device, .process = row->process};
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        load->covered_ns[engine] = INT64_MIN;
    return load;
}

static void load_add(struct load *load, const struct operation *operation, int64_t start_ns, int64_t end_ns)
{
    int64_t *covered_ns = &load->covered_ns[operation->engine];
    int64_t from_ns = start_ns > *covered_ns ? start_ns : *covered_ns, duration_ns = end_ns - start_ns;
    if (end_ns > from_ns) {
        load->busy_ns[operation->engine] += end_ns - from_ns;
        *covered_ns = end_ns;
    }
    if (operation->engine == ENGINE_KERNELS) {
        load->kernel_area_ns +=
            (double)duration_ns * (isnan(operation->share) ? 1.0 : (double)operation->share);
        load->longest_kernel_ns =
            duration_ns > load->longest_kernel_ns ? duration_ns : load->longest_kernel_ns;
    }
}

static int64_t needs_ns(const struct load *load, int engine)
{
    int64_t busy_ns = load->busy_ns[engine];
    if (engine != ENGINE_KERNELS || load->kernel_area_ns >= (double)busy_ns)
        return busy_ns;
    int64_t area_ns = (int64_t)ceil(load->kernel_area_ns);
    return area_ns > load->longest_kernel_ns ? area_ns : load->longest_kernel_ns;
}

enum slice least_step(struct least *least, const struct work *work, struct overlap *overlap, size_t *left)
{
    size_t own = work->next - work->own;
    for (; *left > 0 && least->at < own; least->at++, slice_take(left, 1)) {
        const struct operation *operation = &work->operations[work->own + least->at];
        struct load *load = load_of(work, operation->track, &least->loads, &least->count, &least->capacity);
        if (load == NULL)
            return SLICE_NO_MEMORY;
        load_add(load, operation, operation->start_ns > work->start_ns ? operation->start_ns : work->start_ns,
                 operation->end_ns < work->end_ns ? operation->end_ns : work->end_ns);
    }
    if (least->at < own)
        return SLICE_MORE;
    overlap->least_ns = 0;
    for (size_t i = 0; i < least->count; i++) {
        for (int engine = 0; engine < ENGINE_COUNT; engine++) {
            int64_t needs = needs_ns(&least->loads[i], engine);
            if (needs > overlap->least_ns) {
                overlap->least_ns = needs;
                overlap->least_engine = (uint8_t)engine;
            }
        }
    }
    return SLICE_DONE;
}
