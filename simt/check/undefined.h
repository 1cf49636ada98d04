/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of values that depend on memory which nothing has written. The bits of
 * memory_range.initialised say which bytes are undefined; for those that a kernel has stored, this says where
 * the value came from. A value's mark is the number of its origin (the read of unwritten memory, or the
 * shuffle from a lane that has returned) and how it was made since; it goes with the value through registers
 * (simt/engine/warp_undefined) and memory. A report is made where the value has an effect: as an address, in
 * a branch, as an operand that is no data, or when it is copied to the host.
 *
 * Copied to the host, a value that was only copied is not reported where it can be the padding of a struct.
 * One thread; belongs to a device.
 */
#ifndef SIMT_CHECK_UNDEFINED_H
#define SIMT_CHECK_UNDEFINED_H

#include "simt/check/check.h"
#include "simt/memory/memory.h"

#define UNDEFINED_COMPUTED 1u /* in a mark: it is the result of arithmetic */
#define UNDEFINED_PART 2u /* of an element of which other bytes were written: padding, in all likelihood */
#define UNDEFINED_ORIGIN_SHIFT 2

struct undefined_origin { /* its last execution with such a result */
    const struct program *program;
    uint32_t instruction;
    enum ptx_space space;
    uint8_t size_bytes, element; /* of the vector */
    bool defined;                /* other lanes, or other times, read bytes here that were written */
    bool told;                   /* of a copy to the host */
    uint32_t block[3], block_size[3], warp, lanes;
    uint64_t block_number;
    uint64_t address[32]; /* a shuffle: the lane that has returned */
};

struct undefined_place { /* a word of memory that has such bytes */
    uint64_t key;
    uint32_t mark, instruction; /* that stored it; mark 0: free */
    const struct program *program;
};

struct undefined_map { /* a hash table */
    struct undefined_place *places;
    uint32_t count, room;
};

struct undefined {
    struct undefined_origin *origins;
    uint32_t count, room;
    struct undefined_map memory, block; /* global memory; shared and local memory of the launch's blocks */
};

enum status undefined_create(struct undefined **undefined, struct error *error);
void undefined_destroy(struct undefined *undefined);
/* The mark of an instruction's result (element of a vector), and its origin, to be filled; 0: no memory. */
uint32_t undefined_mark(struct undefined *undefined, const struct program *program, uint32_t instruction,
                        uint8_t element);
static inline struct undefined_origin *undefined_origin_of(const struct undefined *undefined, uint32_t mark)
{
    return &undefined->origins[(mark >> UNDEFINED_ORIGIN_SHIFT) - 1];
}

/* The keys of words of memory. Shared memory belongs to a block, local memory to a thread of it. */
static inline uint64_t undefined_key(enum ptx_space space, uint64_t block, uint32_t thread, uint64_t address)
{
    if (space != PTX_SHARED && space != PTX_LOCAL)
        return address >> 2;
    return (space == PTX_SHARED ? UINT64_C(1) : UINT64_C(2)) << 62 | (block & 0xffffff) << 38 |
           (uint64_t)thread << 28 | (address >> 2 & 0xfffffff);
}
void undefined_note(struct undefined *undefined, const struct undefined_place *place);
const struct undefined_place *undefined_find(const struct undefined *undefined, uint64_t key);
void undefined_launch_begins(struct undefined *undefined);
/* Memory was given to someone else, or is freed: what was noted of it is forgotten. */
void undefined_forget(struct undefined *undefined, uint64_t address, uint64_t size_bytes);

/* Fills a report of the origin's read; `block_number`, warp, lane: of the thread that uses the value. */
void undefined_describe(const struct undefined_origin *origin, uint64_t block_number, uint32_t warp,
                        uint32_t lane, struct check_report *report);

/* A copy from a range to the host: calls `tell` with each report. */
typedef void undefined_tell(void *owner, const struct program *program, const struct check_report *report);
void undefined_to_host(struct undefined *undefined, const struct memory_range *range, uint64_t from,
                       uint64_t size_bytes, undefined_tell *tell, void *owner);
/* Nothing has written one of these bytes, and no kernel has stored there what depends on such bytes. `undefined` NULL:
 * none has run. */
bool undefined_is_all(const struct undefined *undefined, const struct memory_range *range, uint64_t from,
                      uint64_t size_bytes);
/* A copy on the device: the bytes behind it are as they were in front of it. */
struct undefined_side {
    const struct memory_range *range;
    uint64_t at, key; /* in the range; undefined_key of its first word */
};
void undefined_copy(struct undefined *undefined, const struct undefined_side *from,
                    const struct undefined_side *to, uint64_t size_bytes);

#endif
