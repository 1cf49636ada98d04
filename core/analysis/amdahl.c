/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sweep over the starts and ends of a run's operations in order of time. At each instant `different` says
 * how many kernels run, all other work being one more of them, and while it is one, `sum` is that one: time
 * in which a kernel ran alone is counted without a look at the others. Starts go before ends of the same ns.
 */
#include "core/analysis/amdahl.h"

#include "core/analysis/overlap/overlap_internal.h"
#include "core/base/array.h"

#include <math.h>
#include <stdlib.h>

/* A start or an end of work; `who` is a kernel's row, or the number of kernels for all other work. */
struct edge {
    int64_t time_ns;
    uint32_t who;
    bool start;
};

static int edge_compare(const void *a, const void *b, void *context)
{
    (void)context;
    const struct edge *left = a, *right = b;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

struct amdahl_sweep {
    uint32_t kernels;      /* rows there are */
    uint32_t *running;     /* by who: how many of it */
    int64_t *since_ns;     /* by who: when the first of its running launches started */
    int64_t *busy, *alone; /* by who, ns */
    uint32_t different;    /* how many of them run */
    uint64_t sum;          /* sum of the running whos: if only one is running, its number */
};

static void sweep_take(struct amdahl_sweep *sweep, const struct edge *edge)
{
    uint32_t who = edge->who;
    if (edge->start) {
        if (sweep->running[who]++ == 0) {
            sweep->since_ns[who] = edge->time_ns;
            sweep->different++;
            sweep->sum += who;
        }
        return;
    }
    if (--sweep->running[who] == 0) {
        sweep->busy[who] += edge->time_ns - sweep->since_ns[who];
        sweep->different--;
        sweep->sum -= who;
    }
}

/* At equal times starts come before ends, so that no count becomes negative. */
static void sweep_edges(struct amdahl_sweep *sweep, const struct edge *starts, const struct edge *ends,
                        size_t count)
{
    int64_t before_ns = count > 0 ? starts[0].time_ns : 0;
    size_t s = 0, e = 0;
    while (e < count) {
        const struct edge *edge =
            s < count && starts[s].time_ns <= ends[e].time_ns ? &starts[s++] : &ends[e++];
        if (sweep->different == 1)
            sweep->alone[sweep->sum] += edge->time_ns - before_ns;
        before_ns = edge->time_ns;
        sweep_take(sweep, edge);
    }
}

static int share_compare(const void *a, const void *b)
{
    const struct amdahl_share *left = a, *right = b;
    if (left->alone_ns != right->alone_ns)
        return left->alone_ns < right->alone_ns ? 1 : -1;
    if (left->busy_ns != right->busy_ns)
        return left->busy_ns < right->busy_ns ? 1 : -1;
    return (left->kernel > right->kernel) - (left->kernel < right->kernel);
}

static bool take_shares(struct amdahl *amdahl, const struct amdahl_sweep *sweep)
{
    amdahl->shares = calloc(sweep->kernels + 1u, sizeof *amdahl->shares);
    for (uint32_t kernel = 0; amdahl->shares && kernel < sweep->kernels; kernel++) {
        if (sweep->busy[kernel] > 0) {
            amdahl->shares[amdahl->count++] = (struct amdahl_share){
                .kernel = kernel, .busy_ns = sweep->busy[kernel], .alone_ns = sweep->alone[kernel]};
        }
    }
    if (amdahl->count > 0)
        qsort(amdahl->shares, amdahl->count, sizeof *amdahl->shares, share_compare);
    return amdahl->shares != NULL;
}

/* Not with qsort, which takes as much memory again, and that not as an array that may lie in a file. */
static bool sort_ends(struct edge **ends, size_t count)
{
    struct slice_sort sort;
    size_t left = SIZE_MAX;
    slice_sort_begin(&sort, (void **)ends, count, sizeof **ends, edge_compare, NULL);
    bool sorted = slice_sort_step(&sort, &left) == SLICE_DONE;
    slice_sort_fini(&sort);
    return sorted;
}

static bool take_work(struct amdahl *amdahl, const struct work *work)
{
    uint32_t kernels = session_kernel_count(work->session);
    struct amdahl_sweep sweep = {.kernels = kernels,
                                 .running = calloc(kernels + 1u, sizeof *sweep.running),
                                 .since_ns = calloc(kernels + 1u, sizeof *sweep.since_ns),
                                 .busy = calloc(kernels + 1u, sizeof *sweep.busy),
                                 .alone = calloc(kernels + 1u, sizeof *sweep.alone)};
    struct edge *starts = array_make(work->count + 1, sizeof *starts),
                *ends = array_make(work->count + 1, sizeof *ends);
    bool there = sweep.running && sweep.since_ns && sweep.busy && sweep.alone && starts && ends;
    for (size_t i = 0; there && i < work->count; i++) {
        const struct operation *operation = &work->operations[i];
        uint32_t who = operation->kernel < kernels ? operation->kernel : kernels;
        starts[i] = (struct edge){operation->start_ns, who, true};
        ends[i] = (struct edge){operation->end_ns, who, false};
    }
    there = there && (work->count == 0 || sort_ends(&ends, work->count));
    if (there && work->count > 0)
        sweep_edges(&sweep, starts, ends, work->count);
    there = there && take_shares(amdahl, &sweep);
    free(sweep.running);
    free(sweep.since_ns);
    free(sweep.busy);
    free(sweep.alone);
    free(starts);
    free(ends);
    return there;
}

enum status amdahl_compute(const struct session *session, uint32_t run, struct amdahl *amdahl,
                           struct error *error)
{
    struct work work = {0};
    *amdahl = (struct amdahl){0};
    enum status status = work_collect(&work, session, run, INT64_MIN, INT64_MAX, error);
    if (status == STATUS_OK)
        status = run_times_of(session, run, &amdahl->times, error);
    if (status == STATUS_OK && !take_work(amdahl, &work))
        status = error_no_memory(error, "to find which of %zu operations ran alone", work.count);
    work_free(&work);
    return status;
}

void amdahl_fini(struct amdahl *amdahl)
{
    free(amdahl->shares);
    *amdahl = (struct amdahl){0};
}

double amdahl_speedup(int64_t alone_ns, int64_t whole_ns, double factor)
{
    if (whole_ns <= 0)
        return (double)NAN;
    double left_ns = (double)(whole_ns - alone_ns) + (double)alone_ns / factor;
    return left_ns > 0 ? (double)whole_ns / left_ns : (double)INFINITY;
}

double amdahl_scaled(int64_t alone_ns, int64_t whole_ns, double factor)
{
    double p = (double)alone_ns / (double)whole_ns;

    return whole_ns > 0 ? 1 - p + factor * p : NAN;
}
