/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is ordered before what is found by vector clocks: seen[s][t] is how many operations of stream t have
 * ended before the next one of stream s begins.
 */
#include "workloads/frame/host_order.h"

#include <string.h>

#define OP_TEXT(name, text) text,
static const char *const op_texts[] = {ORDER_OP_LIST(OP_TEXT)};

struct issued {
    uint8_t stream;
    uint16_t turn; /* in its stream, from 1; 0: not done */
};

struct clocks {
    uint16_t seen[ORDER_STREAMS][ORDER_STREAMS];
    uint16_t turns[ORDER_STREAMS];
    struct issued done[ORDER_OP_COUNT][ORDER_CHUNKS]; /* of UPLOAD, COMPUTE, DOWNLOAD */
};

static void clocks_join(struct clocks *clocks, int stream, int other)
{
    for (int t = 0; t < ORDER_STREAMS; t++)
        if (clocks->seen[other][t] > clocks->seen[stream][t])
            clocks->seen[stream][t] = clocks->seen[other][t];
    if (clocks->turns[other] > clocks->seen[stream][other])
        clocks->seen[stream][other] = clocks->turns[other];
}

static void clocks_synchronize(struct clocks *clocks)
{
    for (int s = 0; s < ORDER_STREAMS; s++)
        memcpy(clocks->seen[s], clocks->turns, sizeof clocks->turns);
}

static enum status check_chunk(struct clocks *clocks, unsigned number, const struct order_call *call,
                               uint32_t chunk, struct error *error)
{
    struct issued *mine = &clocks->done[call->op][chunk];
    const struct issued *before = call->op > ORDER_UPLOAD ? &clocks->done[call->op - 1][chunk] : NULL;

    if (mine->turn)
        return error_set(error, STATUS_CHECK, "call %u: %s of chunk %u for the second time.", number,
                         op_texts[call->op], chunk);
    if (before && !before->turn)
        return error_set(error, STATUS_CHECK, "call %u: %s of chunk %u comes before its %s.", number,
                         op_texts[call->op], chunk, op_texts[call->op - 1]);
    if (before && before->stream != call->stream && before->turn > clocks->seen[call->stream][before->stream])
        return error_set(error, STATUS_CHECK,
                         "call %u: %s of chunk %u in stream %u does not wait for its %s in stream %u: the "
                         "order of two streams is not defined.",
                         number, op_texts[call->op], chunk, call->stream, op_texts[call->op - 1],
                         before->stream);
    *mine = (struct issued){(uint8_t)call->stream, clocks->turns[call->stream]};
    return STATUS_OK;
}

/* The default stream waits for all others, and they for it. */
static void begin_step(struct clocks *clocks, int stream)
{
    for (int t = 1; stream == 0 && t < ORDER_STREAMS; t++)
        clocks_join(clocks, 0, t);
    clocks->turns[stream]++;
}

static void end_step(struct clocks *clocks, int stream)
{
    for (int t = 1; stream == 0 && t < ORDER_STREAMS; t++)
        clocks_join(clocks, t, 0);
}

static enum status check_complete(const struct clocks *clocks, struct error *error)
{
    for (int op = ORDER_UPLOAD; op <= ORDER_DOWNLOAD; op++)
        for (int chunk = 0; chunk < ORDER_CHUNKS; chunk++)
            if (!clocks->done[op][chunk].turn)
                return error_set(error, STATUS_CHECK, "chunk %d of %d has no %s.", chunk, ORDER_CHUNKS,
                                 op_texts[op]);
    return STATUS_OK;
}

static bool call_is_one(const struct order_call *call)
{
    const uint32_t most = call->op == ORDER_WAIT ? ORDER_STREAMS : ORDER_CHUNKS;

    return call->op < ORDER_OP_COUNT && call->stream < ORDER_STREAMS && call->first < most &&
           (call->op == ORDER_WAIT ? call->first != call->stream
                                   : call->first <= call->last && call->last < most);
}

enum status host_order_check(const struct order_call calls[ORDER_CALLS_MAX], bool *pinned,
                             struct error *error)
{
    struct clocks clocks = {0};

    *pinned = false;
    for (unsigned i = 0; i < ORDER_CALLS_MAX && calls[i].op != ORDER_END; i++) {
        const struct order_call *call = &calls[i];

        if (!call_is_one(call))
            return error_set(error, STATUS_CHECK,
                             "call %u is none: what = %u, stream = %u, first = %u, last = %u; there are %d "
                             "chunks from 0, streams 0 to %d, and a stream waits for another one.",
                             i + 1, call->op, call->stream, call->first, call->last, ORDER_CHUNKS,
                             ORDER_STREAMS - 1);
        if (call->op == ORDER_PINNED)
            *pinned = true;
        else if (call->op == ORDER_SYNCHRONIZE)
            clocks_synchronize(&clocks);
        else if (call->op == ORDER_WAIT)
            clocks_join(&clocks, (int)call->stream, (int)call->first);
        else
            begin_step(&clocks, (int)call->stream);
        for (uint32_t chunk = call->first; order_moves(call) && chunk <= call->last; chunk++) {
            enum status status = check_chunk(&clocks, i + 1, call, chunk, error);

            if (status != STATUS_OK)
                return status;
        }
        if (order_moves(call))
            end_step(&clocks, (int)call->stream);
    }
    return check_complete(&clocks, error);
}
