/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the pairs of kernels of A and B that are compared. Reader side, any thread.
 *
 * A pick says which work of a recording takes part. Two kernels are the same when their work is (workload or
 * program, variant and parameters, but for what either pick names; any two works when each side has one only)
 * and
 *   1. their name and launch shape (grid, block, dynamic shared memory) are the same;
 *   2. else their name is, and no other kernel of either side that is left over has it;
 *   3. else each side has one kernel of that work left over: they are then taken for each other's
 * counterpart. Each of these is tried first among kernels on the same kind of device (GPU or model), then
 * among all. Of several equal ones (a workload that was run again, the ranks of a parallel program) the first
 * is compared with the first, and so on. A kernel is the row that leads its work (kernel_index_leads), so its
 * trace and counter runs are one.
 */
#ifndef CORE_ANALYSIS_COMPARE_MATCH_H
#define CORE_ANALYSIS_COMPARE_MATCH_H

#include "core/analysis/kernel_index.h"

enum compare_device { COMPARE_ANY_DEVICE, COMPARE_GPU, COMPARE_MODEL };

struct compare_pick { /* NULL or empty: any */
    const char *work, *variant;
    const char *params; /* "offset=3,n=1024": parameters that the run must have */
    enum compare_device device;
};

#define COMPARE_HOW_LIST(X) X(SHAPE, "name and shape") X(NAME, "name") X(LEFT, "the only ones left")
#define COMPARE_HOW_ENUM(id, text) COMPARE_BY_##id,
enum compare_how { COMPARE_HOW_LIST(COMPARE_HOW_ENUM) COMPARE_HOW_COUNT };
#undef COMPARE_HOW_ENUM
const char *compare_how_text(enum compare_how how);

struct compare_match {
    uint32_t a, b; /* kernel rows */
    enum compare_how how;
};

struct compare_matches {
    struct compare_match *rows; /* in A's order */
    size_t count;
    uint32_t *only[2]; /* kernels of A, and of B, without a counterpart */
    size_t only_count[2];
};

/* Returns STATUS_OK or STATUS_MEMORY. The caller frees with compare_matches_fini, also after a failure. */
enum status compare_match(struct compare_matches *matches, const struct kernel_index *a,
                          const struct compare_pick *pick_a, const struct kernel_index *b,
                          const struct compare_pick *pick_b, struct error *error);
void compare_matches_fini(struct compare_matches *matches);

/* Does the pick match this run's work? The device is not checked here; it is checked per kernel. */
bool compare_pick_takes(const struct compare_pick *pick, const struct session *session,
                        const struct run_row *run);

#endif
