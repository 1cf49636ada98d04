/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a graph: collects, finds the loop and its middle, learns, and judges the replay by the second half. */
#include "core/replay/replay.h"

#include "core/base/array.h"
#include "core/replay/replay_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the loop ---- */

/* Of a long loop the middle: as many steps as these stand for the others, and each replay is short. */
#define LOOP_OPERATIONS 500000u
static void keep_middle(struct replay *replay)
{
    uint32_t from = replay->calls[replay->first_call].operations,
             to = replay->calls[replay->end_call].operations;
    if (to - from <= LOOP_OPERATIONS)
        return;
    uint32_t first = from + (to - from - LOOP_OPERATIONS) / 2;
    replay->first_call = replay->operations[first].call;
    replay->end_call = replay->operations[first + LOOP_OPERATIONS].call;
}

/* The call after which the code of a run without steps is loaded: until then it is set up. `first`: a loop loads code
 * in its second half, too, or it is the whole run that loads. */
static size_t loaded_call(const struct replay *replay, size_t first, size_t end)
{
    uint32_t from = replay->calls[first].operations, to = replay->calls[end].operations;
    size_t loaded = first;
    for (size_t i = first; i < end; i++) {
        if ((replay->calls[i].flags & REPLAY_CALL_LOADS) == 0)
            continue;
        if (replay->calls[i].operations - from > (to - from) / 2)
            return first;
        loaded = i + 1;
    }
    return loaded < end && to - replay->calls[loaded].operations >= REPLAY_LEAST ? loaded : first;
}

/* From the call of the first operation that starts in the range to that of the last, and those that follow
 * and wait for it before anything else is issued. A call that begins after the last operation's end waits for nothing. */
static void find_loop(struct replay *replay, int64_t start_ns, int64_t end_ns)
{
    size_t first = replay->call_count, end = 0;
    int64_t last_ns = INT64_MIN;
    for (size_t i = 0; i < replay->operation_count; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        if (operation->start_ns < start_ns || operation->start_ns >= end_ns)
            continue;
        last_ns = operation->end_ns > last_ns ? operation->end_ns : last_ns;
        first = operation->call < first ? operation->call : first;
        end = operation->call + 1u;
    }
    while (end > 0 && end < replay->call_count &&
           replay->calls[end].operations == replay_operations_end(replay, end) &&
           replay->calls[end].wait != REPLAY_WAITS_NOT && replay->calls[end].start_ns <= last_ns)
        end++;
    replay->first_call = first < end ? first : 0;
    replay->end_call = end;
    if (start_ns == INT64_MIN && end > 0) {
        size_t loaded = loaded_call(replay, replay->first_call, end);
        if (loaded > replay->first_call)
            replay->facts.set_up_ns =
                replay->calls[loaded - 1].end_ns - replay->calls[replay->first_call].start_ns;
        replay->first_call = loaded;
    } else if (end > replay->first_call + 1 && /* the first launch loads its code, or waits for the sampler */
               (replay->calls[replay->first_call].flags & (REPLAY_CALL_LOADS | REPLAY_CALL_TOOL)) != 0) {
        replay->first_call++;
    }
    keep_middle(replay);
    end = replay->end_call;
    uint32_t from = replay->calls[replay->first_call].operations, to = replay->calls[end].operations;
    replay->half_call = replay->first_call;
    if (to > from)
        replay->half_call = replay->operations[from + (to - from) / 2].call;
    replay->facts.calls = end - replay->first_call;
    replay->facts.operations = to - from;
    for (size_t i = end; i > replay->first_call; i--)
        if (replay->calls[i - 1].wait >= REPLAY_WAITS_CONTEXT &&
            replay->calls[i - 1].wait <= REPLAY_WAITS_EVENT) {
            replay->calls[i - 1].flags |= REPLAY_CALL_LAST;
            break;
        }
}

/* ---- facts ---- */

#define LINK_LEAST_BYTES 1e6F      /* smaller copies do not reach the link's rate */
#define LINK_BYTES_PER_NS 50.0     /* PCIe 5 with 16 lanes, as H100 and H200 reach it with pinned memory */
#define LINK_OLD_BYTES_PER_NS 12.0 /* PCIe 3 */
#define LINK_4_BYTES_PER_NS 25.0

static void find_link(struct replay *replay)
{
    struct replay_facts *facts = &replay->facts;
    for (size_t i = 0; i < replay->operation_count; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        double duration_ns = (double)(operation->end_ns - operation->start_ns);
        bool pinned = operation->kind == REPLAY_IN_PINNED || operation->kind == REPLAY_OUT_PINNED;
        if (pinned && operation->bytes >= LINK_LEAST_BYTES && duration_ns > 0 &&
            (double)operation->bytes / duration_ns > facts->link_bytes_per_ns)
            facts->link_bytes_per_ns = (double)operation->bytes / duration_ns;
    }
    facts->link_measured = facts->link_bytes_per_ns > 0;
    uint32_t newest = 0;
    for (uint32_t i = 0; i < session_device_count(replay->session); i++) {
        uint32_t capability = session_device(replay->session, i)->info.compute_capability;
        newest = capability > newest ? capability : newest;
    }
    if (!facts->link_measured)
        facts->link_bytes_per_ns = newest >= 90   ? LINK_BYTES_PER_NS
                                   : newest >= 80 ? LINK_4_BYTES_PER_NS
                                                  : LINK_OLD_BYTES_PER_NS;
}

/* The latest end so far of work of two streams: of the latest one, and of all others. */
struct two_streams {
    int64_t end_ns, other_end_ns;
    uint32_t stream;
};

static bool two_overlap(const struct two_streams *two, const struct replay_operation *operation)
{
    return (two->stream == operation->stream ? two->other_end_ns : two->end_ns) > operation->start_ns;
}

static void two_take(struct two_streams *two, const struct replay_operation *operation)
{
    if (two->stream == operation->stream) {
        two->end_ns = operation->end_ns > two->end_ns ? operation->end_ns : two->end_ns;
    } else if (operation->end_ns > two->end_ns) {
        two->other_end_ns = two->end_ns;
        two->end_ns = operation->end_ns;
        two->stream = operation->stream;
    } else if (operation->end_ns > two->other_end_ns) {
        two->other_end_ns = operation->end_ns;
    }
}

#define TURNS_LEAST 10u /* chosen */

/* How often a thread that issues to one stream waited for a call of another one that issues to another. */
static uint64_t turns_of(const struct replay *replay)
{
    uint64_t turns = 0;
    for (size_t i = 0; i < replay->hand_count; i++) {
        uint32_t to = replay->hands[i].to, from = replay->hands[i].from;
        if (to < replay->first_call || to >= replay->end_call)
            continue;
        uint32_t theirs = replay->calls[from].operations, own = replay->calls[to].operations;
        /* Of a call that waits the operation before it was issued by its thread, too. */
        theirs -= theirs == replay_operations_end(replay, from) && theirs > 0;
        turns += own < replay->operation_count && theirs < replay->operation_count &&
                 replay->operations[own].stream != replay->operations[theirs].stream;
    }
    return turns;
}

/* What the loop has, and what runs beside what in it: as many operations as this, or it is no sign. */
#define SIGN_LEAST 2
static void find_signs(struct replay *replay, uint32_t run)
{
    struct replay_facts *facts = &replay->facts;
    struct two_streams kernels = {.end_ns = INT64_MIN, .other_end_ns = INT64_MIN, .stream = NONE};
    struct two_streams copies = kernels;
    uint64_t kernel_signs = 0, copy_signs = 0;
    uint32_t from = replay->calls[replay->first_call].operations;
    uint32_t to = replay->calls[replay->end_call].operations;
    for (uint32_t i = from; i < to; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        bool is_kernel = operation->kind <= REPLAY_GRAPH;
        bool is_copy = operation->kind >= REPLAY_IN_PAGEABLE && operation->kind <= REPLAY_OUT_PINNED;
        if (is_kernel && (operation->flags & REPLAY_OPERATION_NODE) == 0)
            kernel_signs += two_overlap(&kernels, operation);
        copy_signs +=
            (is_kernel && two_overlap(&copies, operation)) || (is_copy && two_overlap(&kernels, operation));
        if (is_kernel)
            two_take(&kernels, operation);
        else if (is_copy)
            two_take(&copies, operation);
        if (is_copy)
            facts->has |= REPLAY_HAS_COPIES;
        if (operation->kind == REPLAY_IN_PAGEABLE || operation->kind == REPLAY_OUT_PAGEABLE)
            facts->has |= REPLAY_HAS_PAGEABLE;
        if (replay_is_small(operation) && replay->calls[operation->call].wait == REPLAY_WAITS_OWN &&
            (operation->kind == REPLAY_OUT_PAGEABLE || operation->kind == REPLAY_OUT_PINNED))
            facts->has |= REPLAY_HAS_WAITS;
        if (replay_is_small(operation) && i > from && replay->operations[i - 1].kind == operation->kind &&
            replay->operations[i - 1].stream == operation->stream)
            facts->has |= REPLAY_HAS_SMALL;
        if (operation->kind == REPLAY_SET && !replay_is_small(operation))
            facts->has |= REPLAY_HAS_SETS;
        if (is_kernel && operation->kernel != NONE && replay->spread[operation->kernel] < 1)
            facts->has |= REPLAY_HAS_SPREAD;
        if (is_kernel && operation->kernel != NONE && replay->casts[operation->kernel])
            facts->has |= REPLAY_HAS_CASTS;
        if (operation->edge == REPLAY_BY_LEGACY)
            facts->has |= REPLAY_HAS_LEGACY;
        if (operation->edge == REPLAY_BY_EVENT)
            facts->has |= REPLAY_HAS_EVENTS;
    }
    uint32_t kernel_stream = NONE;
    for (uint32_t i = from; i < to; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        if (operation->kind > REPLAY_GRAPH ||
            (replay->streams[operation->stream].flags & STREAM_DEFAULT) != 0)
            continue;
        if (kernel_stream != NONE && kernel_stream != operation->stream)
            facts->has |= REPLAY_HAS_STREAMS;
        kernel_stream = operation->stream;
    }
    facts->has |= turns_of(replay) >= TURNS_LEAST ? REPLAY_HAS_HANDS : 0;
    facts->has |= kernel_signs >= SIGN_LEAST ? REPLAY_HAS_KERNELS_BESIDE : 0;
    facts->has |= copy_signs >= SIGN_LEAST ? REPLAY_HAS_COPIES_BESIDE : 0;
    facts->has |= kernels.other_end_ns == INT64_MIN ? REPLAY_HAS_ONE_STREAM : 0;
    /* A bundled workload waits at the end of each round, and checks results between its calls: neither is its lesson. */
    const struct run_row *row = run == NONE ? NULL : session_run(replay->session, run);
    const uint32_t left_out = row && row->workload != 0 ? REPLAY_HAS_GAPS | REPLAY_HAS_WAITS : 0;
    uint64_t issuing = 0, graphs = 0;
    for (size_t i = replay->first_call; i < replay->end_call; i++) {
        const struct replay_call *call = &replay->calls[i];
        facts->has |= REPLAY_HAS_CALLS | REPLAY_HAS_GAPS;
        if (call->operations < replay_operations_end(replay, i)) {
            issuing++;
            graphs += (replay->operations[call->operations].flags & REPLAY_OPERATION_GRAPH) != 0;
        }
        if (call->wait >= REPLAY_WAITS_CONTEXT && call->wait <= REPLAY_WAITS_EVENT)
            facts->has |= REPLAY_HAS_WAITS;
        if ((call->flags & REPLAY_CALL_ASIDE) != 0)
            facts->has |= REPLAY_HAS_ASIDE;
        if (call->category == CALL_ALLOC || call->category == CALL_FREE)
            facts->has |= REPLAY_HAS_ALLOCATIONS;
        if ((call->flags & (REPLAY_CALL_LOADS | REPLAY_CALL_CAPTURED)) != 0)
            facts->has |= REPLAY_HAS_LOADING;
    }
    facts->has |= 2 * graphs > issuing ? REPLAY_HAS_GRAPHS : 0;
    facts->has &= ~left_out;
}

/* ---- the error ---- */

/* When the calls from `first` on began to matter: their first call, or their first operation if that began
 * later, since what ran before it is as measured. Sets the last measured end. */
static int64_t measured_from(const struct replay *replay, size_t first, bool by_operation, int64_t *end_ns)
{
    int64_t start_ns = replay->calls[first].start_ns, operation_ns = INT64_MAX;
    *end_ns = INT64_MIN;
    for (size_t at = first; at < replay->end_call; at++) {
        const struct replay_call *call = &replay->calls[at];
        *end_ns = call->end_ns > *end_ns ? call->end_ns : *end_ns;
        for (uint32_t i = call->operations; i < replay_operations_end(replay, at); i++) {
            const struct replay_operation *operation = &replay->operations[i];
            *end_ns = operation->end_ns > *end_ns ? operation->end_ns : *end_ns;
            operation_ns = operation->start_ns < operation_ns ? operation->start_ns : operation_ns;
        }
    }
    return by_operation && operation_ns != INT64_MAX && operation_ns > start_ns ? operation_ns : start_ns;
}

/* The calls of the loop that load code. */
static int64_t loading_ns(const struct replay *replay)
{
    int64_t ns = 0;
    for (size_t i = replay->first_call; i < replay->end_call; i++)
        if ((replay->calls[i].flags & REPLAY_CALL_LOADS) != 0)
            ns += replay->calls[i].end_ns - replay->calls[i].start_ns;
    return ns;
}

static void judge_replay(struct replay *replay)
{
    struct replay_facts *facts = &replay->facts;
    int64_t end_ns, start_ns = measured_from(replay, replay->half_call, true, &end_ns);
    int64_t replayed_ns = replay_go(replay, &replay_as_measured, replay->half_call, replay->end_call);
    facts->error = facts->operations >= REPLAY_LEAST && end_ns > start_ns
                       ? (double)(replayed_ns - end_ns) / (double)(end_ns - start_ns)
                       : NAN;
    start_ns = measured_from(replay, replay->first_call, false, &end_ns);
    facts->measured_ns = end_ns - start_ns;
    facts->replayed_ns = replay_run(replay, &replay_as_measured);
    uint64_t issued = replay->operation_count + facts->without_call;
    if (100 * facts->without_call > issued)
        snprintf(facts->why, sizeof facts->why,
                 "The trace has no call for %.0f %% of the operations: what the host did is not known.",
                 100 * (double)facts->without_call / (double)issued);
    else if (isnan(facts->error) && 2 * loading_ns(replay) > facts->measured_ns)
        snprintf(facts->why, sizeof facts->why,
                 "The run is all set-up: code is loaded during %.0f %% of it, and it has %llu operations.",
                 100 * (double)loading_ns(replay) / (double)facts->measured_ns,
                 (unsigned long long)facts->operations);
    else if (isnan(facts->error))
        snprintf(facts->why, sizeof facts->why,
                 "It has %llu operations: too few to judge one half by the other.",
                 (unsigned long long)facts->operations);
    else if (fabs(facts->error) > REPLAY_ERROR_MOST)
        snprintf(facts->why, sizeof facts->why,
                 "Its second half takes %.1f %% %s than it did: above %.0f %% no gain is claimed.",
                 100 * fabs(facts->error), facts->error > 0 ? "longer" : "less time",
                 100 * REPLAY_ERROR_MOST);
}

/* ---- life ---- */

#define SUM_MOST_NS \
    1e17 /* 3 years; a replay adds times up, in chunks up to 8 times as much: sums stay in 64 bits */

/* A recording may come from anybody. */
static enum status check_times(const struct replay *replay, struct error *error)
{
    double sum_ns = 0;
    for (size_t i = 0; i < replay->call_count; i++)
        sum_ns += (double)(replay->calls[i].end_ns - replay->calls[i].start_ns);
    for (size_t i = 0; i < replay->operation_count; i++)
        sum_ns += (double)(replay->operations[i].end_ns - replay->operations[i].start_ns);
    if (replay->call_count > 0)
        sum_ns += (double)replay->calls[replay->call_count - 1].start_ns - (double)replay->calls[0].start_ns;
    return sum_ns <= SUM_MOST_NS ? STATUS_OK
                                 : error_set(error, STATUS_UNSUPPORTED,
                                             "The times of this run add up to years, so it is not replayed.");
}

enum status replay_open(struct replay **opened, const struct session *session, uint32_t run, int64_t start_ns,
                        int64_t end_ns, struct error *error)
{
    struct replay *replay = *opened = calloc(1, sizeof *replay);
    if (!replay)
        return error_no_memory(error, "to replay the run");
    replay->session = session;
    enum status status = replay_collect(replay, run, error);
    if (status == STATUS_OK && replay->operation_count == 0)
        status =
            error_set(error, STATUS_STATE,
                      replay->facts.without_call > 0
                          ? "The trace has no calls, so it is not known what the host did: record without "
                            "--max-size, or a larger one."
                          : "Nothing ran on a device in this run.");
    if (status == STATUS_OK)
        status = check_times(replay, error);
    if (status == STATUS_OK)
        status = replay_find_edges(replay, error);
    if (status == STATUS_OK)
        status = replay_state_make(replay, error);
    if (status == STATUS_OK) {
        find_loop(replay, start_ns, end_ns);
        if (replay->facts.operations == 0)
            status = error_set(error, STATUS_STATE, "Nothing ran on a device in this range.");
    }
    if (status == STATUS_OK)
        status = replay_learn(replay, error);
    if (status == STATUS_OK) {
        find_link(replay);
        find_signs(replay, run);
        judge_replay(replay);
    } else {
        replay_close(replay);
        *opened = NULL;
    }
    return status;
}

void replay_close(struct replay *replay)
{
    if (!replay)
        return;
    replay_state_free(replay);
    replay_trace_free(replay);
    replay_places_free(replay);
    free(replay->calls);
    free(replay->operations);
    free(replay->threads);
    free(replay->contexts);
    free(replay->streams);
    free(replay->by_stream);
    free(replay->stream_first);
    free(replay->events);
    free(replay->hands);
    free(replay->waits);
    free(replay->shares);
    free(replay->spread);
    free(replay->fusible);
    free(replay->casts);
    free(replay->bounds);
    free(replay->ends_ns);
    free(replay->call_ends_ns);
    free(replay);
}

const struct replay_facts *replay_facts(const struct replay *replay)
{
    return &replay->facts;
}

enum status replay_set_bounds(struct replay *replay, const float *bounds, uint32_t kernels,
                              struct error *error)
{
    float *copy = malloc((replay->kernels + 1u) * sizeof *copy);
    if (!copy)
        return error_no_memory(error, "for the bounds of kernels");
    replay->facts.has &= ~REPLAY_HAS_BOUNDS;
    for (uint32_t i = 0; i < replay->kernels; i++) {
        copy[i] = i < kernels ? bounds[i] : 1;
        if (copy[i] < 1)
            replay->facts.has |= REPLAY_HAS_BOUNDS;
    }
    free(replay->bounds);
    replay->bounds = copy;
    return STATUS_OK;
}

#define ELEMENT_REGISTERS 40u /* chosen: work on single elements needs few */

static bool is_of_elements(const struct shape_row *shape)
{
    return shape->grid[1] <= 1 && shape->grid[2] <= 1 && shape->block[1] <= 1 && shape->block[2] <= 1 &&
           shape->static_shared_bytes + shape->dynamic_shared_bytes == 0 &&
           shape->registers_per_thread <= ELEMENT_REGISTERS;
}

static const struct shape_row *shape_of(const struct replay *replay, uint32_t kernel)
{
    return session_shape(replay->session, session_kernel(replay->session, kernel)->shape);
}

static bool has_fusible(const struct replay *replay)
{
    uint32_t to = replay->calls[replay->end_call].operations;
    for (uint32_t i = replay->calls[replay->first_call].operations + 1; i < to; i++) {
        const struct replay_operation *one = &replay->operations[i - 1], *next = &replay->operations[i];
        if (one->kind <= REPLAY_GRAPH && next->kind <= REPLAY_GRAPH && one->stream == next->stream &&
            one->kernel != NONE && next->kernel != NONE && one->kernel != next->kernel &&
            replay->fusible[next->kernel] != 0 &&
            replay->fusible[one->kernel] == replay->fusible[next->kernel])
            return true;
    }
    return false;
}

void replay_set_at_dram(struct replay *replay, const uint8_t *at_dram, uint32_t kernels)
{
    for (uint32_t i = 0; i < replay->kernels; i++) {
        const struct shape_row *shape = i < kernels && at_dram[i] ? shape_of(replay, i) : NULL;
        replay->fusible[i] = 0;
        if (!shape || !is_of_elements(shape))
            continue;
        replay->fusible[i] = i + 1;
        for (uint32_t k = 0; k < i; k++)
            if (replay->fusible[k] != 0 && shape_of(replay, k)->grid[0] == shape->grid[0] &&
                shape_of(replay, k)->block[0] == shape->block[0]) {
                replay->fusible[i] = replay->fusible[k];
                break;
            }
    }
    replay->facts.has &= ~REPLAY_HAS_FUSIBLE;
    replay->facts.has |= has_fusible(replay) ? REPLAY_HAS_FUSIBLE : 0;
}

float replay_bound(const struct replay *replay, uint32_t kernel)
{
    return replay->bounds && kernel < replay->kernels ? replay->bounds[kernel] : 1;
}

const struct session *replay_session(const struct replay *replay)
{
    return replay->session;
}

int64_t replay_run(struct replay *replay, const struct replay_change *change)
{
    return replay_go(replay, change, replay->first_call, replay->end_call) -
           replay->calls[replay->first_call].start_ns;
}

int64_t replay_end_ns(const struct replay *replay, size_t operation)
{
    return operation < replay->operation_count ? replay->ends_ns[operation] : INT64_MIN;
}
