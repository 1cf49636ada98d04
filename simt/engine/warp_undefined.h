/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of registers that depend on memory which nothing has written (simt/check/undefined): a frame of bits
 * beside the warp's frame, of the same layout, says which bits are undefined, and a mark per slot where they
 * came from. Both exist from the first such load of a warp on. Used only in simt/engine, in checked launches.
 */
#ifndef SIMT_ENGINE_WARP_UNDEFINED_H
#define SIMT_ENGINE_WARP_UNDEFINED_H

#include "simt/engine/worker.h"

/* Executes an arithmetic instruction, and finds which bits of its results are undefined. */
void undefined_lanes(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
/* The lanes `active` read the guard of an instruction: reports it where it is undefined. */
void undefined_guard(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t active);
/* Before any other instruction: reports undefined addresses and other operands that are no data. */
void undefined_before(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
/* A load or store of a function's parameters. */
void undefined_parameters(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on, bool store);
/* Executes an instruction whose lanes exchange values: `execute` changes the frame alone. */
typedef void undefined_execute(void *context);
void undefined_exchange(struct worker *worker, struct warp *warp, const uint32_t *pcs, uint32_t count,
                        undefined_execute *execute, void *context);
/* Lanes got the value of a lane that has returned, `of` each. */
void undefined_returned(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t lanes,
                        const uint8_t of[32]);

/* Element k of a lane's load, store or atomic, at `address` of the space. `bits`: of
 * memory_range.initialised, from `at` on; `key`: undefined_key of its first byte. A store's bytes are marked
 * as written before. */
struct undefined_element {
    enum ptx_space space;
    uint8_t *bits;
    uint64_t at, address, key;
    uint32_t size_bytes, lane, k;
};
void undefined_load(struct worker *worker, struct warp *warp, uint32_t pc,
                    const struct undefined_element *element);
void undefined_store(struct worker *worker, struct warp *warp, uint32_t pc,
                     const struct undefined_element *element);
/* Before the bytes are marked as written: what will be undefined after the atomic, for undefined_keep. */
struct undefined_kept {
    uint32_t bytes, mark;
};
struct undefined_kept undefined_atomic(struct worker *worker, struct warp *warp, uint32_t pc,
                                       const struct undefined_element *element);
void undefined_keep(struct worker *worker, uint32_t pc, const struct undefined_element *element,
                    struct undefined_kept kept);
bool undefined_stores(const struct warp *warp, const struct program_instruction *instruction);
/* A warp begins; the end of the launch. */
void undefined_begin(struct warp *warp);
void undefined_finish(struct worker *worker);
void undefined_fini(struct warp *warp);

#endif
