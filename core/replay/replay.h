/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run replayed by its dependency graph. The graph is made from a session's events: host threads with their
 * calls and the gaps between them; operations (kernels, copies, sets) after the calls that issued them, in
 * the order of their streams, after the legacy default stream, after events and on their engine; calls that
 * wait, by what they wait for. A replay starts each operation when its call has issued it and its
 * predecessors have ended, and each call when its thread comes to it. Replayed as it was it should take the
 * time that was measured; by how much it does not is the replay's error. An edited replay says what a change
 * would gain.
 *
 * Delays between a predecessor's end and an operation's start are the means of classes (kind of predecessor,
 * kind of operation), learnt from the first half of the loop and never those of the operation itself; the
 * error is that of the second half, replayed by itself. Durations of operations, and of calls that do not
 * wait, are as measured.
 *
 * The loop is a range of a run, as calls in the order in which they began: from the call that issued the
 * first operation of the range to the last call that issued one, and calls that follow it and wait for it.
 * What stands before is taken as measured, so that its streams and engines are as full as they were. Of a loop of more
 * than 65,536 operations as many, issued at the pace of all, stand for it.
 *
 * Owned by the caller; one thread at a time. Reader side: of a session with a memory limit the caller holds
 * it while the graph is made; afterwards the session is read for names and rows alone. Times in ns. Memory:
 * about 80 bytes for each pair of a call and an operation.
 */
#ifndef CORE_REPLAY_REPLAY_H
#define CORE_REPLAY_REPLAY_H

#include "core/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay;

/* A change of the graph: what a replay does otherwise than the run did. replay_as_measured is none. */
struct replay_change {
    /* Factors of time, 1: as it was. launch: calls that launch, copy or set without waiting; gap: the host's
     * time between calls; allocate: calls that allocate or free, which wait for nothing then; load: calls
     * that load code, capture or instantiate graphs. */
    double launch, gap, allocate, load;
    bool no_waits;  /* synchronisation returns at once, but for the last one of the loop */
    bool pinned;    /* copies from and to pageable memory take their bytes at the link's rate */
    bool merged;    /* small copies or sets that follow each other in a stream are one */
    bool beside;    /* copies run beside kernels of the neighbouring steps in their stream: two buffers */
    bool no_events; /* streams do not wait for events */
    bool no_legacy; /* the legacy default stream waits for nobody, and nobody for it */
    bool no_calls;  /* calls that make or ask for something, and neither issue work nor wait, take no time */
    bool no_sets;   /* no memory is set, but by small sets */
    bool no_constants; /* calls that set constants take no time, nor do their copies */
    bool
        no_uploads; /* copies to the device of as many bytes as one before take no time, nor do their calls */
    bool kept;      /* copies to the host, and those of as many bytes that bring them back, take no time */
    bool exchanged; /* kernels do not wait for the collective before them, but for that before it */
    bool no_casts;  /* kernels that convert or copy elements, by their names, take no time */
    bool no_hosts;  /* host functions hold no stream */
    bool no_polls;  /* queries of unfinished work return when it has ended */
    bool no_swaps;  /* copies inside the device that come again between kernels take no time */
    bool whole;     /* copies of short rows take their bytes at the link's rate */
    bool no_sleeps; /* waits return as soon as what they wait for has ended */
    bool no_trims;  /* allocations from a pool do not map memory, and waits do not give it back */
    bool even;      /* streams that share a kernel are busy with it for equally long */
    bool no_hands;  /* threads do not wait until another one's call has ended */
    bool
        fused; /* kernels with equal grids, at DRAM's limit, that follow each other are the longest of them */
    bool spread;     /* kernels with few blocks, or whose last wave is short, use all multiprocessors */
    bool bound;      /* kernels take the part of their time that replay_set_bounds has */
    bool tensor;     /* matrix products take the part of their time that replay_set_products has */
    uint32_t chunks; /* operations are cut into so many, one chunk a stream; 1: they are not */
    /* Where gap, no_waits and pinned hold: REPLAY_AT_ by place (core/replay/replay_places.h); NULL: everywhere. Kernels
     * for which bound holds, not 0, by row; NULL: all. Owned by the caller. */
    const uint8_t *places, *kernels;
};
#define REPLAY_AT_GAP 1u
#define REPLAY_AT_WAIT 2u
#define REPLAY_AT_COPY 4u
#define REPLAY_AT_KERNEL 8u
#define REPLAY_CHUNKS_MAX 8u
extern const struct replay_change replay_as_measured;

/* What a loop has. The last three are signs that work may run side by side. */
#define REPLAY_HAS_CALLS UINT64_C(1) /* that issue operations */
#define REPLAY_HAS_GAPS UINT64_C(2)
#define REPLAY_HAS_WAITS UINT64_C(4)
#define REPLAY_HAS_ALLOCATIONS UINT64_C(8) /* or frees */
#define REPLAY_HAS_LOADING UINT64_C(16)    /* of code, or graphs that are captured or instantiated */
#define REPLAY_HAS_COPIES UINT64_C(32)     /* between host and device */
#define REPLAY_HAS_PAGEABLE UINT64_C(64)
#define REPLAY_HAS_SETS UINT64_C(128)
#define REPLAY_HAS_EVENTS UINT64_C(256)  /* that an operation was held by, as far as they were found */
#define REPLAY_HAS_LEGACY UINT64_C(512)  /* the same of the legacy default stream */
#define REPLAY_HAS_SPREAD UINT64_C(1024) /* kernels that do not use all multiprocessors all the time */
#define REPLAY_HAS_BOUNDS UINT64_C(2048)
#define REPLAY_HAS_COPIES_BESIDE UINT64_C(4096)  /* copies ran beside kernels */
#define REPLAY_HAS_KERNELS_BESIDE UINT64_C(8192) /* kernels ran beside kernels */
#define REPLAY_HAS_ONE_STREAM UINT64_C(16384)    /* all kernels are in one stream */
#define REPLAY_HAS_SMALL UINT64_C(32768)         /* small copies or sets that follow each other */
#define REPLAY_HAS_ASIDE \
    UINT64_C(65536) /* calls that make or ask for something: streams, events, memory's size */
#define REPLAY_HAS_STREAMS \
    UINT64_C(131072) /* kernels in several streams beside the legacy one: they are meant to overlap */
#define REPLAY_HAS_GRAPHS UINT64_C(262144)  /* most calls that issue operations launch graphs */
#define REPLAY_HAS_FUSIBLE UINT64_C(524288) /* such kernels, of one word a thread by their shape */
#define REPLAY_HAS_ELEMENTS \
    UINT64_C(536870912) /* of these, some that counters or names show to work on single elements */
#define REPLAY_HAS_CASTS UINT64_C(1048576)
#define REPLAY_HAS_HANDS UINT64_C(2097152) /* threads take turns, each with a stream of its own */
#define REPLAY_HAS_TRIPS \
    UINT64_C(4194304) /* copies to the host that are followed by one of as many bytes to the device */
#define REPLAY_HAS_COLLECTIVES UINT64_C(8388608) /* with other kernels between two of them */
#define REPLAY_HAS_HOSTS UINT64_C(16777216)      /* operations that a host function held */
#define REPLAY_HAS_CONSTANTS UINT64_C(33554432)  /* constants are set */
#define REPLAY_HAS_COPY_STREAM \
    UINT64_C(67108864) /* copies to the device have a stream of their own, without kernels */
#define REPLAY_HAS_READS \
    UINT64_C(268435456) /* results that the host reads, by small copies that it waits for */
#define REPLAY_HAS_UPLOADS UINT64_C(134217728) /* copies to the device, of as many bytes as one before */
#define REPLAY_HAS_POLLS UINT64_C(1073741824)  /* queries with other time of the host between them */
#define REPLAY_HAS_SWAPS UINT64_C(2147483648) /* copies inside the device between kernels, which come again */
#define REPLAY_HAS_TRIMS UINT64_C(4294967296) /* a pool maps memory anew behind each wait */
#define REPLAY_HAS_UNEVEN \
    UINT64_C(8589934592)                      /* one kernel in several streams, of which one is busy longer */
#define REPLAY_HAS_ROWS UINT64_C(17179869184) /* copies of short rows, far below the link's rate */
#define REPLAY_HAS_SLEEPS \
    UINT64_C(34359738368) /* waits of which the host is told late, as one that sleeps is */
#define REPLAY_HAS_PRODUCTS UINT64_C(1125899906842624) /* matrix products that leave the tensor cores idle */
#define REPLAY_HAS_PRODUCTS_BOUND \
    UINT64_C(2251799813685248)   /* some of them are at the limit of FP32 arithmetic by their counters */
#define REPLAY_SMALL_BYTES 65536 /* measured on an H200: overhead dominates the time of smaller copies */

/* How the operations of a loop hung together, as far as it was found, and what was not. */
struct replay_facts {
    uint64_t calls, operations;  /* of the loop, all of it */
    uint64_t piece;              /* operations of the piece that is replayed */
    uint64_t without_call;       /* operations of the run whose call is not in the trace: they are left out */
    uint64_t waits, waits_found; /* of streams for events; of these, those whose source was found */
    int64_t unexplained_ns;      /* delays that no predecessor explains */
    uint64_t has;                /* REPLAY_HAS_, of the loop */
    double link_bytes_per_ns;    /* the fastest copy from or to pinned memory; else what PCIe gives */
    bool link_measured;
    int64_t
        set_up_ns; /* of a run without steps: until its code was loaded, which is no part of the loop; else 0 */
    int64_t loop_ns;     /* measured, of the loop, from its first call to its last end */
    int64_t measured_ns; /* the same; of a piece of a long loop, of that piece */
    int64_t replayed_ns; /* the same, replayed unchanged */
    /* Of the calls that load code, capture or instantiate the name (string) that takes the most time with the host's work
     * just before it, as compiling is; how often it is called, and the sum of both times. 0: there are none. */
    uint32_t loads_name;
    uint64_t loads;
    int64_t loads_ns;
    double error;  /* of the second half: replayed by measured, minus 1; NAN: there is none */
    char why[160]; /* why no gain may be claimed, as a sentence; "": one may */
};
#define REPLAY_ERROR_MOST 0.05 /* above it no gain is claimed */
#define REPLAY_LEAST 10u       /* operations; of fewer there are no two halves */

/* Of one run (NONE: of all traced ones on the wall clock, or on the model's if there is no other); the range
 * is that of the starts of its operations. STATUS_STATE: events were evicted from memory, or there are none;
 * STATUS_MEMORY. */
enum status replay_open(struct replay **replay, const struct session *session, uint32_t run, int64_t start_ns,
                        int64_t end_ns, struct error *error);
void replay_close(struct replay *replay); /* NULL: nothing */
const struct replay_facts *replay_facts(const struct replay *replay);
/* The part of its time that a kernel (row) would take at the limit that its counters show, 0 to 1, for
 * replay_change.bound; the array is copied. STATUS_MEMORY. */
enum status replay_set_bounds(struct replay *replay, const float *bounds, uint32_t kernels,
                              struct error *error);

/* The same of matrix products in full 32-bit floats, if the tensor cores did them, for replay_change.tensor; 1: it is none.
 * `bound`: counters show that FP32 arithmetic is their limit. STATUS_MEMORY. */
enum status replay_set_products(struct replay *replay, const float *left, uint32_t kernels, bool bound,
                                struct error *error);

/* What the samples say of the multiprocessors while kernels run: `active` of them, 0 to 1, had a block. Kernels on all of
 * them, one after another, take no less than this share of their time. */
void replay_cap_spread(struct replay *replay, double active);

/* Kernels (rows) that move their bytes at DRAM's limit, for replay_change.fused: of these, those that look like work on
 * single elements (a grid and blocks of one dimension, no shared memory, few registers), and how far that is known. Where
 * some are more than SHAPED by it, those that follow each other and have equal grids and bytes are fused alone. */
enum replay_dram {
    REPLAY_DRAM_NOT,
    REPLAY_DRAM_SHAPED, /* a stencil or a sweep along rows may have that shape, too */
    REPLAY_DRAM_COUNTED, /* each byte is loaded once, for a thread that stores as many, or a whole part of them */
    REPLAY_DRAM_NAMED /* its name says it */
};
struct replay_at_dram {
    enum replay_dram how;
    double stored_bytes; /* COUNTED: by a launch */
};
#define REPLAY_BYTES_ALIKE 0.02 /* chosen: the counters of two launches over equal arrays */
void replay_set_at_dram(struct replay *replay, const struct replay_at_dram *at_dram, uint32_t kernels);
float replay_bound(const struct replay *replay, uint32_t kernel); /* 1: none is known */
const struct session *replay_session(const struct replay *replay);

/* The time of the loop with a change. */
int64_t replay_run(struct replay *replay, const struct replay_change *change);
/* When the operation ended in the last replay; in the order of their calls, from 0. INT64_MIN past the end. */
int64_t replay_end_ns(const struct replay *replay, size_t operation);

#endif
