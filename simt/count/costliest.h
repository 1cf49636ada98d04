/*
 * The addresses of each memory instruction of a launch in the execution that cost most, of any warp. Each
 * worker has its own; they are merged into the launch's result. Limited in size.
 */
#ifndef SIMT_COUNT_COSTLIEST_H
#define SIMT_COUNT_COSTLIEST_H

#include "core/hardware/access.h"
#include "simt/count/count.h"

#define COSTLIEST_ACCESSES 256 /* per launch: an instruction that accesses two spaces has two */

struct costliest_access {
    uint32_t instruction, warp;
    uint64_t block;
    enum ptx_space space; /* global, shared or local */
    struct warp_access access;
    struct count_instruction cost; /* only its requests, transfers (count_steps) and ideal_transfers */
};

struct costliest {
    struct costliest_access *accesses; /* COSTLIEST_ACCESSES; NULL: none are kept */
    uint32_t count;
    uint32_t *index; /* by instruction and space: number of the access, from 1 */
    bool full;       /* some instructions have none */
};

enum status costliest_init(struct costliest *costliest, const struct program *program, struct error *error);
void costliest_fini(struct costliest *costliest);
/* Keeps the access if it costs more beyond its ideal than the kept one; of equal ones the one that costs
 * more, then that of the lower block, so that the choice does not depend on the number of workers. */
void costliest_add(struct costliest *costliest, const struct costliest_access *access);
void costliest_merge(struct costliest *to, const struct costliest *from);
/* In the order of the program. */
void costliest_sort(struct costliest *costliest);

#endif
