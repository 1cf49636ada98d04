/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a graph: collects, finds the loop or a piece of it, learns, and judges the replay by the second half. */
#include "core/replay/replay.h"

#include "core/analysis/partition.h"
#include "core/base/array.h"
#include "core/replay/replay_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the loop ---- */

#define LOOP_OPERATIONS \
    65536u /* chosen: a replay of so many takes 4 ms, and a queue ahead of them is 2 % of it */
#define LOOP_PIECES 16u

/* The time from the first to the last of some operations' calls, for each. */
static double pace_ns(const struct replay *replay, uint32_t first, uint32_t count)
{
    const struct replay_call *begin = &replay->calls[replay->operations[first].call],
                             *end = &replay->calls[replay->operations[first + count - 1].call];
    return (double)(end->start_ns - begin->start_ns) / (double)count;
}

/* Of a long loop a piece stands for all, so that each replay is short: of some pieces, the one whose operations were
 * issued at a pace nearest to that of the whole loop. */
static void keep_piece(struct replay *replay)
{
    uint32_t from = replay->calls[replay->first_call].operations,
             to = replay->calls[replay->end_call].operations, kept = from;
    if (to - from <= LOOP_OPERATIONS)
        return;
    const double whole_ns = pace_ns(replay, from, to - from);
    double apart_ns = INFINITY;
    for (uint32_t i = 0; i < LOOP_PIECES; i++) { /* of equal ones that nearest to the middle */
        uint32_t at = (LOOP_PIECES + (i % 2 == 0 ? i : -i - 1)) / 2;
        uint32_t first = from + (uint32_t)((uint64_t)(to - from - LOOP_OPERATIONS) * at / (LOOP_PIECES - 1));
        double piece_ns = fabs(pace_ns(replay, first, LOOP_OPERATIONS) - whole_ns);
        if (piece_ns < 0.99 * apart_ns) {
            apart_ns = piece_ns;
            kept = first;
        }
    }
    replay->first_call = replay->operations[kept].call;
    if (kept + LOOP_OPERATIONS < to) /* else to the loop's end */
        replay->end_call = replay->operations[kept + LOOP_OPERATIONS].call;
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

static void find_kernels(struct replay *replay, bool without_steps)
{
    const uint32_t from = replay->calls[replay->first_call].operations,
                   to = replay->calls[replay->end_call].operations;
    replay->kernels_first = replay->first_call;
    replay->kernels_end = replay->end_call;
    uint32_t first = from, end = to;
    while (without_steps && first < to && replay->operations[first].kind > REPLAY_GRAPH)
        first++;
    while (without_steps && end > first && replay->operations[end - 1].kind > REPLAY_GRAPH)
        end--;
    if (without_steps && first < end) { /* else nothing but copies and sets */
        replay->kernels_first = replay->operations[first].call;
        replay->kernels_end = replay->operations[end - 1].call + 1;
    }
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
    replay->facts.calls = end - replay->first_call;
    replay->facts.operations = replay->calls[end].operations - replay->calls[replay->first_call].operations;
    if (end > replay->first_call) {
        int64_t loop_end_ns, loop_ns = measured_from(replay, replay->first_call, false, &loop_end_ns);
        replay->facts.loop_ns = loop_end_ns - loop_ns;
    }
    replay->whole_first = replay->first_call;
    replay->whole_end = end;
    replay->without_steps = start_ns == INT64_MIN;
    find_kernels(replay, replay->without_steps);
    keep_piece(replay);
    end = replay->end_call;
    uint32_t from = replay->calls[replay->first_call].operations, to = replay->calls[end].operations;
    replay->facts.piece = to - from;
    replay->half_call = replay->first_call;
    if (to > from)
        replay->half_call = replay->operations[from + (to - from) / 2].call;
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
        if (pinned && operation->bytes >= LINK_LEAST_BYTES) { /* rows may be slower than the link */
            const char *call = session_string(replay->session, replay->calls[operation->call].name);
            pinned = !strstr(call, "Memcpy2D") && !strstr(call, "Memcpy3D");
        }
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
#define TURN_NS 100000  /* chosen: a lock is taken within that time */
#define TURNS_ALL 3u    /* chosen: where no thread works beside another */

/* Does the thread of one of these calls, which issue to streams of their own, wait for the other one? Both share the work:
 * one that hands it on launches other kernels, or none. */
static bool is_turn(const struct replay *replay, uint32_t from, uint32_t to)
{
    if (!replay->sharing[replay->calls[from].thread] || !replay->sharing[replay->calls[to].thread])
        return false;
    uint32_t theirs = replay->calls[from].operations, own = replay->calls[to].operations;
    /* Of a call that waits the operation before it was issued by its thread, too. */
    theirs -= theirs == replay_operations_end(replay, from) && theirs > 0;
    return own < replay->operation_count && theirs < replay->operation_count &&
           replay->operations[own].stream != replay->operations[theirs].stream;
}

/* Threads take turns: they often wait for a call of another one; or there are changes between threads, and at each the
 * one that comes waits for the wait of the one that goes. */
static bool takes_turns(struct replay *replay)
{
    uint64_t turns = 0, changes = 0, direct = 0;
    uint16_t thread = replay->calls[replay->first_call].thread;
    for (size_t i = 0; i < replay->hand_count; i++)
        if (replay->hands[i].to >= replay->first_call && replay->hands[i].to < replay->end_call) {
            const struct replay_call *from = &replay->calls[replay->hands[i].from];
            bool turn = is_turn(replay, replay->hands[i].from, replay->hands[i].to);
            turns += turn;
            direct += turn && from->wait >= REPLAY_WAITS_CONTEXT && from->wait <= REPLAY_WAITS_EVENT &&
                      replay->calls[replay->hands[i].to].start_ns - from->end_ns <= TURN_NS;
        }
    for (size_t i = replay->first_call; i < replay->end_call; i++)
        if (replay->calls[i].operations < replay_operations_end(replay, i)) {
            changes += replay->calls[i].thread != thread;
            thread = replay->calls[i].thread;
        }
    replay->kept_lock = direct >= TURNS_ALL && direct >= changes;
    return turns >= TURNS_LEAST || replay->kept_lock;
}

static const struct shape_row *shape_of(const struct replay *replay, uint32_t kernel)
{
    return session_shape(replay->session, session_kernel(replay->session, kernel)->shape);
}

/* Which threads launch kernels in the loop that another one launches, too, by their names. */
static enum status find_sharing(struct replay *replay, struct error *error)
{
    const size_t slots = 2 * (size_t)replay->kernels + 1;
    struct launcher {
        uint32_t name, thread;
    } *first = calloc(slots, sizeof *first);
    replay->sharing = calloc(replay->thread_count + 1, sizeof *replay->sharing);
    for (size_t i = replay->first_call; first && replay->sharing && i < replay->end_call; i++)
        for (uint32_t at = replay->calls[i].operations; at < replay_operations_end(replay, i); at++) {
            const struct replay_operation *operation = &replay->operations[at];
            if (operation->kind > REPLAY_GRAPH || operation->kernel == NONE)
                continue;
            uint32_t name = shape_of(replay, operation->kernel)->name, thread = replay->calls[i].thread;
            size_t slot = name % slots;
            while (first[slot].name != 0 && first[slot].name != name)
                slot = (slot + 1) % slots;
            if (first[slot].name == 0)
                first[slot] = (struct launcher){name, thread};
            else if (first[slot].thread != thread)
                replay->sharing[thread] = replay->sharing[first[slot].thread] = true;
        }
    enum status status = first && replay->sharing ? STATUS_OK : error_no_memory(error, "to replay the run");
    free(first);
    return status;
}

#define TRIPS_OPEN 16u /* sizes of which a copy to the host may come back */

#define WRITTEN_BYTES_PER_NS 50.0 /* chosen: a host writes no faster */
#define UPLOADS_KNOWN 16u         /* sizes */

/* The time in which each thread of the host worked between its calls, until now. */
static int64_t *make_worked(const struct replay *replay)
{
    return calloc(2 * (replay->thread_count + 1), sizeof(int64_t));
}

/* Marks copies to the device that come again: of as many bytes as one before, between which the host had no time to
 * write them anew. And the calls that set constants. */
static enum status find_again(struct replay *replay, struct error *error)
{
    struct upload {
        float bytes;
        int64_t worked_ns;
    } known[UPLOADS_KNOWN];
    uint32_t count = 0, named = NONE;
    bool sets_constant = false;
    int64_t *worked_ns = make_worked(replay),
            *ends_ns = worked_ns ? worked_ns + replay->thread_count + 1 : NULL;
    replay->again = calloc(replay->operation_count / 8 + 1, 1);
    replay->constants = calloc(replay->call_count / 8 + 1, 1);
    for (size_t i = replay->first_call;
         worked_ns && replay->again && replay->constants && i < replay->end_call; i++) {
        const struct replay_call *call = &replay->calls[i];
        const struct replay_operation *operation = &replay->operations[call->operations];
        if (ends_ns[call->thread] > 0 && call->start_ns > ends_ns[call->thread])
            worked_ns[call->thread] += call->start_ns - ends_ns[call->thread];
        ends_ns[call->thread] = call->end_ns;
        if (call->operations == replay_operations_end(replay, i) ||
            (operation->kind != REPLAY_IN_PAGEABLE && operation->kind != REPLAY_IN_PINNED))
            continue;
        if (call->name != named)
            sets_constant = strstr(session_string(replay->session, call->name), "MemcpyToSymbol") != NULL;
        named = call->name;
        if (sets_constant) {
            replay->constants[i / 8] |= (uint8_t)(1u << (i % 8));
            replay->facts.has |= REPLAY_HAS_CONSTANTS;
        }
        uint32_t at = 0;
        while (at < count && known[at].bytes != operation->bytes)
            at++;
        if (at < count && !replay_is_small(operation) &&
            (double)(worked_ns[call->thread] - known[at].worked_ns) * WRITTEN_BYTES_PER_NS <
                (double)operation->bytes) {
            replay->again[call->operations / 8] |= (uint8_t)(1u << (call->operations % 8));
            replay->facts.has |= REPLAY_HAS_UPLOADS;
        }
        if (at == count && count < UPLOADS_KNOWN)
            count++;
        if (at < count)
            known[at] = (struct upload){operation->bytes, worked_ns[call->thread]};
    }
    enum status status = worked_ns && replay->again && replay->constants
                             ? STATUS_OK
                             : error_no_memory(error, "to replay the run");
    free(worked_ns);
    return status;
}

/* Marks copies to the host that one of as many bytes follows, and that one: by sizes, since addresses are not recorded. */
static enum status find_trips(struct replay *replay, struct error *error)
{
    struct trip {
        uint32_t operation;
        float bytes;
    } open[TRIPS_OPEN];
    uint32_t count = 0;
    uint32_t from = replay->calls[replay->first_call].operations;
    uint32_t to = replay->calls[replay->end_call].operations;
    replay->trips = calloc(replay->operation_count / 8 + 1, 1);
    if (!replay->trips)
        return error_no_memory(error, "to replay the run");
    for (uint32_t i = from; i < to; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        bool out = operation->kind == REPLAY_OUT_PAGEABLE || operation->kind == REPLAY_OUT_PINNED;
        bool in = operation->kind == REPLAY_IN_PAGEABLE || operation->kind == REPLAY_IN_PINNED;
        uint32_t at = 0;
        if ((!in && !out) || replay_is_small(operation))
            continue;
        while (at < count && open[at].bytes != operation->bytes)
            at++;
        if (in && at < count) {
            replay->trips[i / 8] |= (uint8_t)(1u << (i % 8));
            replay->trips[open[at].operation / 8] |= (uint8_t)(1u << (open[at].operation % 8));
            replay->facts.has |= REPLAY_HAS_TRIPS;
        }
        if (at < count)
            memmove(&open[at], &open[at + 1], (--count - at) * sizeof *open);
        if (out && count == TRIPS_OPEN)
            memmove(open, open + 1, --count * sizeof *open);
        if (out)
            open[count++] = (struct trip){i, operation->bytes};
    }
    return STATUS_OK;
}

#define SWAPS_LEAST 10u /* chosen */
#define SWAP_SIZES 16u
#define FIELDS_MOST 16u /* chosen */
#define PART_LEAST 0.05 /* chosen: of the loop's time */

/* Between kernels of its stream, or among copies inside the device that are: a program copies several fields. */
static bool is_between_kernels(const struct replay *replay, uint32_t stream, uint32_t at)
{
    const uint32_t first = replay->stream_first[stream], end = replay->stream_first[stream + 1];
    uint32_t before = at, after = at + 1;
    while (before > first && replay->operations[replay->by_stream[before - 1]].inside &&
           at - before < FIELDS_MOST)
        before--;
    while (after < end && replay->operations[replay->by_stream[after]].inside && after - at < FIELDS_MOST)
        after++;
    return before > first && after < end &&
           replay->operations[replay->by_stream[before - 1]].kind <= REPLAY_GRAPH &&
           replay->operations[replay->by_stream[after]].kind <= REPLAY_GRAPH;
}

/* Marks copies inside the device that stand between kernels of their stream, of which as many of that size come. */
static enum status find_swaps(struct replay *replay, struct error *error)
{
    struct {
        float bytes;
        uint32_t count;
    } known[SWAP_SIZES];
    uint32_t count = 0, from = replay->calls[replay->first_call].operations,
             to = replay->calls[replay->end_call].operations;
    int64_t ns = 0;
    replay->swaps = calloc(replay->operation_count / 8 + 1, 1);
    if (!replay->swaps)
        return error_no_memory(error, "to replay the run");
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t s = 0; s < replay->stream_count; s++)
            for (uint32_t i = replay->stream_first[s]; i < replay->stream_first[s + 1]; i++) {
                const uint32_t at = replay->by_stream[i];
                const struct replay_operation *copy = &replay->operations[at];
                uint32_t size = 0;
                if (at < from || at >= to || copy->kind != REPLAY_COPY || !copy->inside ||
                    replay_is_small(copy) || !is_between_kernels(replay, s, i))
                    continue;
                while (size < count && known[size].bytes != copy->bytes)
                    size++;
                if (pass == 0 && size == count && count < SWAP_SIZES) {
                    known[count].bytes = copy->bytes;
                    known[count++].count = 0;
                }
                if (pass == 0 && size < count)
                    known[size].count++;
                if (pass == 0 || size == count || known[size].count < SWAPS_LEAST)
                    continue;
                replay->swaps[at / 8] |= (uint8_t)(1u << (at % 8));
                ns += copy->end_ns - copy->start_ns;
            }
    if ((double)ns >=
        PART_LEAST * (double)replay->facts.loop_ns * (double)(to - from) / (double)replay->facts.operations)
        replay->facts.has |= REPLAY_HAS_SWAPS;
    return STATUS_OK;
}

#define TRIMMED_NS \
    50000 /* chosen: from a pool that has memory a call takes 2 us, and 200 to 400 where it maps some */
#define TRIMS_LEAST 10u /* chosen */

/* Marks allocations from a pool that take long behind a wait before which memory was freed. */
static enum status find_trims(struct replay *replay, struct error *error)
{
    bool freed = false, emptied = false;
    uint64_t waits = 0, trims = 0;
    int64_t ns = 0;
    replay->trimmed = calloc(replay->call_count / 8 + 1, 1);
    if (!replay->trimmed)
        return error_no_memory(error, "to replay the run");
    for (size_t i = replay->first_call; i < replay->end_call; i++) {
        const struct replay_call *call = &replay->calls[i];
        const char *name = session_string(replay->session, call->name);
        if (call->category == CALL_FREE) {
            freed |= strstr(name, "FreeAsync") != NULL;
        } else if (call->wait >= REPLAY_WAITS_CONTEXT && call->wait <= REPLAY_WAITS_EVENT) {
            waits++;
            emptied = freed;
            freed = false;
        } else if (call->category == CALL_ALLOC && emptied && call->end_ns - call->start_ns > TRIMMED_NS &&
                   (strstr(name, "AllocAsync") || strstr(name, "AllocFromPoolAsync") ||
                    strstr(name, "MallocAsync") || strstr(name, "MallocFromPoolAsync"))) {
            replay->trimmed[i / 8] |= (uint8_t)(1u << (i % 8));
            trims++;
            ns += call->end_ns - call->start_ns;
        }
    }
    if (trims >= TRIMS_LEAST && 2 * trims >= waits &&
        (double)ns >= PART_LEAST * (double)replay->facts.loop_ns)
        replay->facts.has |= REPLAY_HAS_TRIMS;
    return STATUS_OK;
}

#define UNEVEN_LEAST 1.25   /* chosen: the longest by the mean */
#define UNEVEN_LAUNCHES 0.1 /* chosen: streams that share the work launch as often */

/* Sums of the kernel that takes most of the loop: of each kernel row; of that kernel by stream. */
struct sharing {
    int64_t *by_kernel, *busy_ns;
    uint64_t *launches;
};

static void find_shared_kernel(struct replay *replay, struct sharing *sums, uint32_t from, uint32_t to)
{
    int64_t most_ns = 0;
    for (uint32_t i = from; i < to; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        if (operation->kind > REPLAY_GRAPH || operation->kernel == NONE)
            continue;
        int64_t *ns = &sums->by_kernel[operation->kernel];
        *ns += operation->end_ns - operation->start_ns;
        if (*ns > most_ns) {
            most_ns = *ns;
            replay->uneven = shape_of(replay, operation->kernel)->name;
        }
    }
    for (uint32_t i = from; i < to; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        if (!replay_is_uneven(replay, operation))
            continue;
        sums->busy_ns[operation->stream] += operation->end_ns - operation->start_ns;
        sums->launches[operation->stream]++;
    }
}

/* Do the streams share it, of which one is busy with it for longer? */
static bool is_uneven(struct replay *replay, const struct sharing *sums)
{
    int64_t sum_ns = 0, top_ns = 0;
    uint64_t all = 0;
    uint32_t streams = 0, context = NONE;
    bool equal = true;
    for (uint32_t s = 0; s < replay->stream_count; s++) {
        if (sums->launches[s] == 0)
            continue;
        equal = equal && (context == NONE || context == replay->streams[s].context);
        context = replay->streams[s].context;
        streams++;
        all += sums->launches[s];
        sum_ns += sums->busy_ns[s];
        top_ns = sums->busy_ns[s] > top_ns ? sums->busy_ns[s] : top_ns;
    }
    for (uint32_t s = 0; s < replay->stream_count && streams > 1; s++) {
        double mean = (double)all / streams, launched = (double)sums->launches[s];
        equal = equal && (launched == 0 || fabs(launched - mean) <= UNEVEN_LAUNCHES * mean);
        replay->even[s] =
            sums->busy_ns[s] > 0 ? (float)((double)sum_ns / streams / (double)sums->busy_ns[s]) : 1;
    }
    return streams > 1 && equal && (double)top_ns * streams >= UNEVEN_LEAST * (double)sum_ns &&
           (replay->facts.has & REPLAY_HAS_KERNELS_BESIDE) != 0;
}

/* The kernel that takes most of the loop, where several streams of a context launch it equally often and one of them is
 * busy with it for longer. */
static enum status find_uneven(struct replay *replay, struct error *error)
{
    struct sharing sums = {.by_kernel = calloc(replay->kernels + 1u, sizeof *sums.by_kernel),
                           .busy_ns = calloc(replay->stream_count + 1u, sizeof *sums.busy_ns),
                           .launches = calloc(replay->stream_count + 1u, sizeof *sums.launches)};
    enum status status = STATUS_OK;
    replay->even = calloc(replay->stream_count + 1u, sizeof *replay->even);
    if (!sums.by_kernel || !sums.busy_ns || !sums.launches || !replay->even) {
        status = error_no_memory(error, "to replay the run");
    } else {
        find_shared_kernel(replay, &sums, replay->calls[replay->first_call].operations,
                           replay->calls[replay->end_call].operations);
        if (is_uneven(replay, &sums))
            replay->facts.has |= REPLAY_HAS_UNEVEN;
        else
            replay->uneven = 0;
    }
    free(sums.by_kernel);
    free(sums.busy_ns);
    free(sums.launches);
    return status;
}

/* What the loop has, and what runs beside what in it: as many operations as this, or it is no sign. */
#define SIGN_LEAST 2
/* Are copies to the device in a stream that has no kernels, while another one has? */
static bool has_copy_stream(const struct replay *replay)
{
    uint32_t copies = NONE, to = replay->calls[replay->end_call].operations;
    bool kernels = false;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = replay->calls[replay->first_call].operations; i < to; i++) {
            const struct replay_operation *operation = &replay->operations[i];
            bool in = operation->kind == REPLAY_IN_PAGEABLE || operation->kind == REPLAY_IN_PINNED;
            if (pass == 0 && in && !replay_is_small(operation) && copies == NONE)
                copies = operation->stream;
            if (pass == 1 && operation->kind <= REPLAY_GRAPH) {
                if (operation->stream == copies)
                    return false;
                kernels = true;
            }
        }
    return copies != NONE && kernels;
}

#define FIRST_USES \
    4u /* chosen: the first call of a library makes its context or loads its code, and a pool grows */

/* Is memory allocated in the loop, again and again? Where no steps are known, a few calls that take most of the time in
 * which it is are those of first use: set-up, which no loop could leave out. */
static bool allocates_again(const struct replay *replay)
{
    int64_t longest_ns[FIRST_USES] = {0}, all_ns = 0, few_ns = 0;
    uint64_t count = 0;
    for (size_t i = replay->first_call; i < replay->end_call; i++) {
        const struct replay_call *call = &replay->calls[i];
        if ((call->category != CALL_ALLOC && call->category != CALL_FREE) || replay_is_set_up(replay, i))
            continue;
        int64_t ns = call->end_ns - call->start_ns;
        count++;
        all_ns += ns;
        for (size_t k = 0; k < FIRST_USES; k++)
            if (ns > longest_ns[k]) {
                const int64_t shorter_ns = longest_ns[k];
                longest_ns[k] = ns;
                ns = shorter_ns;
            }
    }
    for (size_t k = 0; k < FIRST_USES; k++)
        few_ns += longest_ns[k];
    return count > 0 && (!replay->without_steps || 2 * few_ns < all_ns);
}

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
        if (is_copy && replay_is_of_rows(replay, operation))
            facts->has |= REPLAY_HAS_ROWS;
        if ((replay->calls[operation->call].flags & REPLAY_CALL_READ) != 0)
            facts->has |= REPLAY_HAS_WAITS | REPLAY_HAS_READS;
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
        if (operation->edge == REPLAY_BY_EVENT && (operation->flags & REPLAY_OPERATION_NODE) == 0)
            facts->has |= REPLAY_HAS_EVENTS;
        if (operation->edge == REPLAY_BY_HOST)
            facts->has |= REPLAY_HAS_HOSTS;
    }
    uint32_t kernel_stream = NONE;
    bool exchanged = false, worked = false; /* a collective; and another kernel since */
    for (uint32_t i = from; i < to; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        bool collective = operation->kind <= REPLAY_GRAPH && operation->kernel != NONE &&
                          replay->collectives[operation->kernel];
        if (collective && worked)
            facts->has |= REPLAY_HAS_COLLECTIVES;
        worked = !collective && (worked || (exchanged && operation->kind <= REPLAY_GRAPH));
        exchanged |= collective;
        if (operation->kind > REPLAY_GRAPH ||
            (replay->streams[operation->stream].flags & STREAM_DEFAULT) != 0)
            continue;
        if (kernel_stream != NONE && kernel_stream != operation->stream)
            facts->has |= REPLAY_HAS_STREAMS;
        kernel_stream = operation->stream;
    }
    facts->has |= takes_turns(replay) ? REPLAY_HAS_HANDS : 0;
    facts->has |= kernel_signs >= SIGN_LEAST ? REPLAY_HAS_KERNELS_BESIDE : 0;
    facts->has |= copy_signs >= SIGN_LEAST ? REPLAY_HAS_COPIES_BESIDE : 0;
    facts->has |= kernels.other_end_ns == INT64_MIN ? REPLAY_HAS_ONE_STREAM : 0;
    /* A bundled workload waits at the end of each round, and checks results between its calls: neither is its lesson. */
    const struct run_row *row = run == NONE ? NULL : session_run(replay->session, run);
    const uint64_t left_out = row && row->workload != 0 ? REPLAY_HAS_GAPS | REPLAY_HAS_WAITS : 0;
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
        if ((call->flags & REPLAY_CALL_ASIDE) != 0 && !replay_is_set_up(replay, i))
            facts->has |= REPLAY_HAS_ASIDE;
        if ((call->flags & (REPLAY_CALL_LOADS | REPLAY_CALL_CAPTURED)) != 0)
            facts->has |= REPLAY_HAS_LOADING;
        if (replay_bit(replay->polled, i))
            facts->has |= REPLAY_HAS_POLLS;
    }
    facts->has |= allocates_again(replay) ? REPLAY_HAS_ALLOCATIONS : 0;
    if (replay->sleeps && (facts->has & (REPLAY_HAS_POLLS | REPLAY_HAS_TRIMS)) == 0)
        facts->has |= REPLAY_HAS_SLEEPS;
    if ((facts->has & REPLAY_HAS_COPIES_BESIDE) != 0) /* they are pieces of a longer run */
        facts->has &= ~REPLAY_HAS_UPLOADS;
    facts->has |= has_copy_stream(replay) ? REPLAY_HAS_COPY_STREAM : 0;
    facts->has |= 2 * graphs > issuing ? REPLAY_HAS_GRAPHS : 0;
    facts->has &= ~left_out;
}

#define LOAD_NAMES 8u /* further ones are not told */

static enum status find_loads(struct replay *replay, struct error *error)
{
    struct {
        uint32_t name;
        uint64_t count;
        int64_t ns;
    } names[LOAD_NAMES];
    uint32_t known = 0;
    int64_t *ends_ns = calloc(replay->thread_count + 1, sizeof *ends_ns);
    if (!ends_ns)
        return error_no_memory(error, "to replay the run");
    for (size_t i = replay->first_call; i < replay->end_call; i++) {
        const struct replay_call *call = &replay->calls[i];
        const int64_t before_ns = ends_ns[call->thread] == 0 ? call->start_ns : ends_ns[call->thread];
        uint32_t at = 0;
        ends_ns[call->thread] = call->end_ns;
        if ((call->flags & REPLAY_CALL_LOADS) == 0)
            continue;
        while (at < known && names[at].name != call->name)
            at++;
        if (at == LOAD_NAMES)
            continue;
        if (at == known) {
            names[known].name = call->name;
            names[known].count = 0;
            names[known++].ns = 0;
        }
        names[at].count++;
        names[at].ns += call->end_ns - before_ns;
    }
    for (uint32_t at = 0; at < known; at++)
        if (names[at].ns > replay->facts.loads_ns) {
            replay->facts.loads_name = names[at].name;
            replay->facts.loads = names[at].count;
            replay->facts.loads_ns = names[at].ns;
        }
    free(ends_ns);
    return STATUS_OK;
}

/* ---- the error ---- */

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
                 "The run is all set-up: code is loaded during %.0f %% of it, and it has %llu operation%s.",
                 100 * (double)loading_ns(replay) / (double)facts->measured_ns,
                 (unsigned long long)facts->operations, facts->operations == 1 ? "" : "s");
    else if (isnan(facts->error))
        snprintf(facts->why, sizeof facts->why,
                 "It has %llu operation%s: too few to judge one half by the other.",
                 (unsigned long long)facts->operations, facts->operations == 1 ? "" : "s");
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
    const struct run_row *row = run == NONE ? NULL : session_run(session, run);
    replay->short_gap_ns =
        row && process_runs_python(session, row->process) ? REPLAY_PYTHON_GAP_NS : REPLAY_SHORT_GAP_NS;
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
    if (status == STATUS_OK)
        status = find_sharing(replay, error);
    if (status == STATUS_OK)
        status = find_trips(replay, error);
    if (status == STATUS_OK)
        status = find_again(replay, error);
    if (status == STATUS_OK)
        status = find_swaps(replay, error);
    if (status == STATUS_OK)
        status = find_trims(replay, error);
    if (status == STATUS_OK) {
        find_link(replay);
        find_signs(replay, run);
        status = find_uneven(replay, error);
    }
    if (status == STATUS_OK)
        status = find_loads(replay, error);
    if (status == STATUS_OK) {
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
    free(replay->collectives);
    free(replay->sharing);
    free(replay->trips);
    free(replay->again);
    free(replay->polled);
    free(replay->trimmed);
    free(replay->swaps);
    free(replay->even);
    free(replay->constants);
    free(replay->bounds);
    free(replay->products);
    free(replay->ends_ns);
    free(replay->call_ends_ns);
    free(replay);
}

const struct replay_facts *replay_facts(const struct replay *replay)
{
    return &replay->facts;
}

/* Copies the parts of kernels' times, and says whether any is less than all. */
static enum status set_parts(struct replay *replay, float **parts, const float *left, uint32_t kernels,
                             uint64_t has, struct error *error)
{
    float *copy = malloc((replay->kernels + 1u) * sizeof *copy);
    if (!copy)
        return error_no_memory(error, "for the bounds of kernels");
    replay->facts.has &= ~has;
    for (uint32_t i = 0; i < replay->kernels; i++) {
        copy[i] = i < kernels ? left[i] : 1;
        if (copy[i] < 1)
            replay->facts.has |= has;
    }
    free(*parts);
    *parts = copy;
    return STATUS_OK;
}

enum status replay_set_bounds(struct replay *replay, const float *bounds, uint32_t kernels,
                              struct error *error)
{
    return set_parts(replay, &replay->bounds, bounds, kernels, REPLAY_HAS_BOUNDS, error);
}

enum status replay_set_products(struct replay *replay, const float *left, uint32_t kernels, bool bound,
                                struct error *error)
{
    replay->facts.has &= ~REPLAY_HAS_PRODUCTS_BOUND;
    replay->facts.has |= bound ? REPLAY_HAS_PRODUCTS_BOUND : 0;
    return set_parts(replay, &replay->products, left, kernels, REPLAY_HAS_PRODUCTS, error);
}

void replay_cap_spread(struct replay *replay, double active)
{
    double total_ns = 0, spread_ns = 0;
    if ((replay->facts.has & REPLAY_HAS_ONE_STREAM) == 0)
        return; /* side by side, kernels share the multiprocessors */
    uint32_t from = replay->calls[replay->first_call].operations,
             to = replay->calls[replay->end_call].operations;
    for (uint32_t i = from; i < to; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        if (operation->kind > REPLAY_GRAPH || operation->kernel == NONE)
            continue;
        double ns = (double)(operation->end_ns - operation->start_ns);
        total_ns += ns;
        spread_ns += ns * (double)replay->spread[operation->kernel];
    }
    if (spread_ns >= active * total_ns || spread_ns >= total_ns)
        return;
    const float of_it = (float)(total_ns * (1 - active) / (total_ns - spread_ns));
    for (uint32_t i = 0; i < replay->kernels; i++)
        replay->spread[i] = 1 - of_it * (1 - replay->spread[i]);
}

#define ELEMENT_REGISTERS 40u /* chosen: work on single elements needs few */

static bool is_of_elements(const struct shape_row *shape)
{
    return shape->grid[1] <= 1 && shape->grid[2] <= 1 && shape->block[1] <= 1 && shape->block[2] <= 1 &&
           shape->static_shared_bytes + shape->dynamic_shared_bytes == 0 &&
           shape->registers_per_thread <= ELEMENT_REGISTERS;
}

#define PERIOD_MOST 2048u
#define PERIODS_SEEN 3u

static uint32_t issued_at(const struct replay *replay, uint32_t at)
{
    const struct replay_operation *operation = &replay->operations[at];
    return operation->kind <= REPLAY_GRAPH ? operation->kernel : UINT32_MAX - operation->kind;
}

/* After how many operations the same ones are issued again, in the middle of the loop. */
static uint32_t find_period(const struct replay *replay)
{
    uint32_t from = replay->calls[replay->first_call].operations;
    uint32_t count = replay->calls[replay->end_call].operations - from, middle = from + count / 3;
    for (uint32_t period = 1; period <= PERIOD_MOST && (PERIODS_SEEN + 1) * period <= count / 2; period++) {
        uint32_t same = 0;
        while (same < PERIODS_SEEN * period &&
               issued_at(replay, middle + same) == issued_at(replay, middle + same + period))
            same++;
        if (same == PERIODS_SEEN * period)
            return period;
    }
    return 0;
}

static bool has_fusible(const struct replay *replay)
{
    uint32_t to = replay->calls[replay->end_call].operations;
    for (uint32_t i = replay->calls[replay->first_call].operations + 1; i < to; i++) {
        const struct replay_operation *one = &replay->operations[i - 1], *next = &replay->operations[i];
        if (one->kind <= REPLAY_GRAPH && next->kind <= REPLAY_GRAPH && one->stream == next->stream &&
            one->kernel != NONE && next->kernel != NONE && one->kernel != next->kernel &&
            replay->fusible[next->kernel] != 0 &&
            ((replay->fusible[one->kernel] ^ replay->fusible[next->kernel]) & ~REPLAY_FUSIBLE_NAMED) == 0)
            return true;
    }
    return false;
}

/* May one kernel do the work of both? */
static bool is_alike(const struct replay *replay, const struct replay_at_dram *at_dram, uint32_t one,
                     uint32_t other, enum replay_dram least)
{
    const struct shape_row *a = shape_of(replay, one), *b = shape_of(replay, other);
    double more = fmax(at_dram[one].stored_bytes, at_dram[other].stored_bytes);
    if (a->grid[0] != b->grid[0] || a->block[0] != b->block[0])
        return false;
    if (least == REPLAY_DRAM_SHAPED)
        return true;
    return at_dram[one].how == at_dram[other].how &&
           fabs(at_dram[one].stored_bytes - at_dram[other].stored_bytes) <= REPLAY_BYTES_ALIKE * more;
}

static void set_fusible(struct replay *replay, const struct replay_at_dram *at_dram, uint32_t kernels,
                        enum replay_dram least)
{
    for (uint32_t i = 0; i < replay->kernels; i++) {
        const struct shape_row *shape = i < kernels && at_dram[i].how >= least ? shape_of(replay, i) : NULL;
        replay->fusible[i] = 0;
        if (!shape || !is_of_elements(shape))
            continue;
        replay->fusible[i] = i + 1;
        for (uint32_t k = 0; k < i; k++)
            if (replay->fusible[k] != 0 && is_alike(replay, at_dram, i, k, least)) {
                replay->fusible[i] = replay->fusible[k] & ~REPLAY_FUSIBLE_NAMED;
                break;
            }
        replay->fusible[i] |= at_dram[i].how == REPLAY_DRAM_NAMED ? REPLAY_FUSIBLE_NAMED : 0;
    }
}

void replay_set_at_dram(struct replay *replay, const struct replay_at_dram *at_dram, uint32_t kernels)
{
    replay->facts.has &= ~(REPLAY_HAS_FUSIBLE | REPLAY_HAS_ELEMENTS);
    set_fusible(replay, at_dram, kernels, REPLAY_DRAM_COUNTED);
    replay->period = find_period(replay);
    if (has_fusible(replay)) {
        replay->facts.has |= REPLAY_HAS_FUSIBLE | REPLAY_HAS_ELEMENTS;
        return;
    }
    set_fusible(replay, at_dram, kernels, REPLAY_DRAM_SHAPED);
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
