/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The digest of one rank (.lsd): what a verdict on a job needs of a process and a device, and no events. Its size is
 * bounded whatever the length of the run: of collectives, steps and kernels it holds at most so many. Where a
 * communicator has more collectives, every second, fourth, ... of its sequence is kept, and what lies between two kept
 * ones is added up; all ranks keep the same ones. Steps are added up in pairs.
 *
 * A collective is a kernel of such a name (core/analysis/partition.h). Sequence numbers count a communicator's
 * collectives from 0 in the order of their starts. A communicator is what the trace names, else the streams of
 * collectives, numbered by their first one (DIGEST_BY_STREAM). Where NCCL's plug-in was there, a communicator is one of
 * NCCL's and a function, and the numbers are NCCL's, from its start on: traces need not begin together then.
 *
 * The file is the structures below one after the other, in the byte order of x86-64 and AArch64, without gaps: the
 * head, communicators, collectives, steps, kernels, texts. Times are ns; those of events count from utc_ns, the
 * CLOCK_REALTIME (UTC) of the rank's host. Whatever a file says is checked by digest_check before it is used.
 * Plain data. Any thread.
 */
#ifndef CORE_RANKS_DIGEST_H
#define CORE_RANKS_DIGEST_H

#include "core/base/error.h"
#include "core/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_MAGIC "LSdigest"
#define DIGEST_VERSION 1u
#define DIGEST_COMMUNICATORS_MAX 64u
#define DIGEST_COLLECTIVES_MAX 1024u
#define DIGEST_STEPS_MAX 256u
#define DIGEST_KERNELS_MAX 256u
#define DIGEST_TEXTS_MAX 65536u /* bytes */
#define DIGEST_NUMBERED 1u      /* collectives have the numbers that NCCL gave them */
/* Communicators that no trace names are so called, and numbered. */
#define DIGEST_BY_STREAM "collective stream "

/* Where time went: the classes of core/analysis/partition.h, as far as a job needs them apart. Every ns is in one.
 * id, words, as a cause */
#define RANK_CLASS_LIST(X)                                                                             \
    X(COMPUTE, compute, "kernels", "its kernels took longer")                                          \
    X(COLLECTIVE, collectives, "collectives, not hidden", "it was in other collectives")               \
    X(COPY, copies, "copies, not hidden, and calls that copy", "its copies took longer")               \
    X(LAUNCH, launching, "idle: launching, allocating, loading code", "its host launched more slowly") \
    X(WAIT, waiting, "idle: the host waited", "its host waited")                                       \
    X(HOST, host, "idle: outside CUDA", "its host was busy outside CUDA")                              \
    X(LOADER, loader, "idle: loading data", "it waited for its data loader")                           \
    X(OTHER, other, "idle: cause not traced", "it was idle, and why was not traced")
#define RANK_CLASS_ENUM(name, id, words, cause) RANK_##name,
enum rank_class { RANK_CLASS_LIST(RANK_CLASS_ENUM) RANK_CLASS_COUNT };
#undef RANK_CLASS_ENUM
const char *rank_class_id(enum rank_class class);
const char *rank_class_words(enum rank_class class);
const char *rank_class_cause(enum rank_class class);

/* id, words, do all members leave together */
#define OPERATION_LIST(X)                     \
    X(OTHER, "other", false)                  \
    X(ALL_REDUCE, "all-reduce", true)         \
    X(ALL_GATHER, "all-gather", true)         \
    X(REDUCE_SCATTER, "reduce-scatter", true) \
    X(ALL_TO_ALL, "all-to-all", true)         \
    X(BROADCAST, "broadcast", false)          \
    X(REDUCE, "reduce", false)                \
    X(SEND_RECEIVE, "send and receive", false)
#define OPERATION_ENUM(name, words, together) OPERATION_##name,
enum rank_operation { OPERATION_LIST(OPERATION_ENUM) OPERATION_COUNT };
#undef OPERATION_ENUM
const char *rank_operation_words(uint8_t operation);
bool rank_operation_is_together(uint8_t operation);

struct digest_head {
    char magic[8];
    uint32_t version, size_bytes;    /* of the whole digest */
    uint32_t check;                  /* CRC-32 of what follows this field */
    uint32_t flags;                  /* DIGEST_ */
    int32_t rank, local_rank, world; /* -1: not known */
    uint32_t pid, device;            /* device: the ordinal in its process */
    uint32_t communicators, collectives, steps, kernels, texts_bytes;
    /* Texts: offsets, of terminated texts; 0 is the empty one. clock: whose clock the times are of, the host, or where it
     * is not known the file; file: where the digest was made from. */
    uint32_t host, clock, program, device_name, file, reserved;
    int64_t utc_ns, first_ns, last_ns; /* first start and last end of the device's operations */
    int64_t ns[RANK_CLASS_COUNT];      /* add up to last_ns - first_ns */
    int64_t hidden_ns;                 /* collectives while other kernels ran */
    uint64_t launches, collectives_all, steps_all, lost;
    int64_t loop_first_ns, loop_last_ns; /* of the steps; both 0: none were found */
};

struct digest_communicator {
    uint64_t key; /* equal in all its ranks */
    uint32_t name;
    uint32_t size;   /* ranks; 0: not known */
    uint32_t count;  /* collectives in the run */
    uint32_t stride; /* of these each so-manyth is kept, a power of two */
};

struct digest_collective {
    int64_t start_ns, end_ns;
    uint64_t bytes;    /* UINT64_MAX: not known */
    int64_t hidden_ns; /* of its time, while other kernels ran */
    uint32_t sequence; /* in its communicator */
    uint16_t communicator;
    uint8_t operation; /* enum rank_operation */
    uint8_t reserved;
    uint32_t
        previous; /* 1 + which kept collective, of any communicator, was the last to end before it; 0: none */
    uint32_t range; /* text: the range (NVTX) that most of the idle time outside CUDA lies in */
    /* From the end of `previous` to its start, what the device did; without one from the device's first operation. */
    int64_t before_ns[RANK_CLASS_COUNT];
};

struct digest_step { /* or several that follow each other */
    int64_t start_ns, end_ns;
    uint32_t first, count;
    int64_t ns[RANK_CLASS_COUNT];
};

struct digest_kernel { /* or, of copies, those of one direction */
    uint64_t key;      /* of name and shape, equal in all ranks */
    uint64_t count, bytes;
    int64_t sum_ns, min_ns, max_ns;
    uint32_t name, is_copy;
};

_Static_assert(sizeof(struct digest_head) == 232 && sizeof(struct digest_communicator) == 24 &&
                   sizeof(struct digest_collective) == 112 && sizeof(struct digest_step) == 88 &&
                   sizeof(struct digest_kernel) == 56,
               "the file's records have no gaps");
#define DIGEST_SIZE_MAX                                                                                  \
    (sizeof(struct digest_head) + DIGEST_COMMUNICATORS_MAX * sizeof(struct digest_communicator) +        \
     DIGEST_COLLECTIVES_MAX * sizeof(struct digest_collective) +                                         \
     DIGEST_STEPS_MAX * sizeof(struct digest_step) + DIGEST_KERNELS_MAX * sizeof(struct digest_kernel) + \
     DIGEST_TEXTS_MAX)

/* The parts of a digest that lies in memory, 8-aligned; valid as long as its bytes. */
struct digest {
    const struct digest_head *head;
    const struct digest_communicator *communicators;
    const struct digest_collective *collectives;
    const struct digest_step *steps;
    const struct digest_kernel *kernels;
    const char *texts;
};
const char *digest_text(const struct digest *digest, uint32_t text); /* never NULL */

/* Everything that the bytes say is checked: sizes, the checksum, references, order, times, texts. `name`: for the
 * sentence. STATUS_FORMAT, STATUS_VERSION. */
enum status digest_check(const void *bytes, size_t size_bytes, const char *name, struct digest *digest,
                         struct error *error);

/* The order of digests in a job: by rank, those without one last, then host, pid, device, size and checksum. Equal ones are
 * the same digest. */
int digest_compare(const struct digest *a, const struct digest *b);

/* A digest that is being made: arrays of the caller's, within the limits above. The bytes are malloc's. */
struct digest_parts {
    struct digest_head head; /* sizes, magic and checksum are filled in */
    const struct digest_communicator *communicators;
    const struct digest_collective *collectives;
    const struct digest_step *steps;
    const struct digest_kernel *kernels;
    const char *texts;
};
enum status digest_join(const struct digest_parts *parts, void **bytes, size_t *size_bytes,
                        struct error *error);

/* Makes the digests of a session: one of each run of a program or a trace and each device of it that had work.
 * `take` gets the bytes of each, which are its caller's. path: the session's file. Reader side. STATUS_STATE: there is no
 * work, or events were evicted; else what `take` returned. */
typedef enum status digest_taker(void *context, const void *bytes, size_t size_bytes, struct error *error);
enum status digest_make(const struct session *session, const char *path, digest_taker *take, void *context,
                        struct error *error);

#endif
