/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resources of a case's host code: a device, the number of launches, and buffers that are kept from case
 * to case (pinning 64 MB of host memory for each of 200 cases would cost more than all their kernels).
 *
 * Owned by one thread, as the device is. Buffers belong to the bench; a later request for the same slot may
 * move them.
 */
#ifndef WORKLOADS_FRAME_WORKBENCH_H
#define WORKLOADS_FRAME_WORKBENCH_H

#include "core/hardware/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORKBENCH_SLOTS 6
#define WORKBENCH_STREAMS 33
#define WORKBENCH_POISON 0xff /* every byte of an output before a run; as a float it is NaN */
#define WORKBENCH_POISON_WORD 0xffffffffu

enum workbench_tell { WORKBENCH_RANGE_BEGIN, WORKBENCH_RANGE_END, WORKBENCH_MARK };

struct workbench {
    struct device *device;
    struct device *peer; /* a second device of the same kind, or NULL; not owned */
    /* The GPU of this number, from 0, for the calls that follow: the device model is one device that holds
     * them all. Calls of its host follow each other, whatever thread makes them. NULL: `device` and `peer`
     * are two devices. */
    struct device *(*gpu)(void *listener, uint32_t number);
    const struct library *library; /* CUDA's libraries (workloads/frame/library.h), or NULL */
    uint32_t launches;             /* of a case's kernel, at least 1 */
    uint32_t rounds;               /* of a case that is a schedule of many copies and launches, at least 1 */
    /* Every launch is replayed for its counters: CUPTI saves all pinned memory of the process and restores it
     * for each pass. Memory that would be pinned, except mapped memory, is therefore pageable. Set before the
     * first buffer. */
    bool replayed;
    /* A kernel is checked: device buffers have the size that a case asks for, and nothing of the case before,
     * so that an access past the end is one. */
    bool exact;
    struct workbench_device_slot {
        device_pointer pointer;
        size_t size_bytes;
    } device_slots[WORKBENCH_SLOTS];
    struct workbench_host_slot {
        void *pointer;
        size_t size_bytes;
    } host_slots[HOST_MEMORY_COUNT][WORKBENCH_SLOTS]; /* [enum host_memory] */
    struct workbench_host_slot pattern;
    size_t pattern_words;        /* that it has, of this seed: */
    uint64_t pattern_seed, seed; /* seed: of the case's input (workload_seed) */
    /* Called with the time of a host function (CLOCK_REALTIME): a driver does not report it, the model
     * reports it itself. May be NULL. */
    void (*host_ran)(void *listener, uint32_t thread, int64_t start_ns, int64_t end_ns);
    /* Shows what the program's own host code measures on the timeline, at the moment of the call: a range
     * begins, the last one ends, or a mark with a text. May be NULL. */
    void (*tell)(void *listener, enum workbench_tell what, const char *text);
    void *listener;
    uint64_t digest; /* hash of the outputs that the current case has read, in that order; 0: none */
    uint64_t streams[WORKBENCH_STREAMS];
    uint32_t stream_count;
};

void workbench_init(struct workbench *bench, struct device *device, uint32_t launches, uint32_t rounds);
/* Frees everything. Ignores errors: after a failed kernel nothing can be freed, and the context is destroyed
 * next. */
void workbench_fini(struct workbench *bench);

/* Between cases: frees what only the last case needed, and what would slow down the next ones. */
void workbench_case_ended(struct workbench *bench);

static inline void workbench_tell(const struct workbench *bench, enum workbench_tell what, const char *text)
{
    if (bench->tell)
        bench->tell(bench->listener, what, text);
}

/* At least size_bytes of device memory with undefined contents. */
enum status workbench_device_buffer(struct workbench *bench, uint32_t slot, size_t size_bytes,
                                    device_pointer *pointer, struct error *error);
enum status workbench_host_buffer(struct workbench *bench, uint32_t slot, enum host_memory kind,
                                  size_t size_bytes, void **pointer, struct error *error);

/* The first `words` words of the input that all cases of the seed share: pinned (but see replayed), made
 * once. */
enum status workbench_pattern(struct workbench *bench, size_t words, const float **pattern,
                              struct error *error);
/* Its word i: floats in [1, 2); any 2^23 neighbours are all different. */
static inline float workbench_pattern_at(size_t i)
{
    /* An odd factor permutes the numbers below 2^23, which become the mantissas. */
    union {
        uint32_t bits;
        float value;
    } word = {.bits = 0x3f800000u | (((uint32_t)i * 0x9e3779b1u) & 0x7fffffu)};

    return word.value;
}

/* Random bits of word i of a seed's input: nothing that a kernel reads of some words tells it the others. */
static inline uint64_t workbench_random(uint64_t seed, size_t i)
{
    uint64_t mixed = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}
/* Word i of the shared input of a seed: in [1, 2) as well. */
static inline float workbench_word_at(uint64_t seed, size_t i)
{
    union {
        uint32_t bits;
        float value;
    } word = {.bits = 0x3f800000u | (uint32_t)(workbench_random(seed, i) >> 41)};

    return seed ? word.value : workbench_pattern_at(i);
}

/* The steps of a case with one kernel: send the input, poison the output, launch `launches` times on the
 * default stream, fetch the output. */
enum status workbench_input(struct workbench *bench, uint32_t slot, size_t words, device_pointer *pointer,
                            const float **input, struct error *error);
enum status workbench_output(struct workbench *bench, uint32_t slot, size_t words, device_pointer *pointer,
                             struct error *error);
enum status workbench_launch(struct workbench *bench, const struct device_launch *launch,
                             struct error *error);
/* Waits for the device; *values are valid until the next fetch from the same slot, and are added to the
 * digest. */
enum status workbench_fetch(struct workbench *bench, uint32_t slot, size_t words, const float **values,
                            struct error *error);

/* Adds an output that reached the host in another way to the digest (64-bit FNV-1a over words), which is the
 * same on all devices that computed the same. */
void workbench_digest(struct workbench *bench, const void *words, size_t count);

/* Non-blocking streams 0..count-1 of the bench. */
enum status workbench_streams(struct workbench *bench, uint32_t count, const uint64_t **streams,
                              struct error *error);

#endif
