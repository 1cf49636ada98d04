/*
 * Memory that a copy or a set by the device reads or writes: rows of bytes of the device or of pinned memory
 * of the host, or a box of texels of an array. Kernels that may run at the same time, and other copies and
 * sets, are compared with it.
 */
#ifndef SIMT_CHECK_CLAIM_H
#define SIMT_CHECK_CLAIM_H

#include "simt/memory/texture.h"

struct claim {
    uint64_t address, size_bytes; /* of a row; of an array: of all its texels */
    uint64_t rows, pitch;         /* rows: 0 or 1: pitch is not used; else pitch is at least size_bytes */
    struct texture_box box;       /* of an array; depth 0: not of an array */
    struct texture_view array;
    uint32_t run; /* number of the operation, as in struct order_launch */
    bool write;
};

/* The end of its last byte. The bytes between two rows are not its own. */
uint64_t claim_end(const struct claim *claim);
/* Whether one of these bytes is its own. */
bool claim_touches(const struct claim *claim, uint64_t address, uint64_t size_bytes);
/* The first address from this one on that may be its own. */
uint64_t claim_next(const struct claim *claim, uint64_t address);
/* Whether the two have a byte in common; *address: such a byte, *size_bytes: how many follow it in a row. */
bool claims_overlap(const struct claim *a, const struct claim *b, uint64_t *address, uint64_t *size_bytes);

#endif
