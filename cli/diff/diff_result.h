/* The result of a comparison: the two sides, the pairs of kernels, the state of each limit. One thread. */
#ifndef CLI_DIFF_DIFF_RESULT_H
#define CLI_DIFF_DIFF_RESULT_H

#include "cli/diff/diff_side.h"
#include "cli/diff/limit.h"

#include "core/analysis/compare.h"
#include "tui/widgets/short_names.h"

struct diff {
    struct diff_side sides[2]; /* A, B */
    struct compare_matches matches;
    struct short_names *names; /* of the kernels of both */
    const struct limit *limits;
    size_t limit_count;
    uint8_t *states; /* enum limit_state, by limit and match */
    bool wide;       /* also what is equal */
};

struct compare_metric diff_metric(const struct diff *diff, const struct compare_match *match,
                                  enum metric metric);
struct compare_kernel diff_kernel(const struct diff *diff, const struct compare_match *match, int side);

/* The short name of a side's kernel; `wide`: all of it except the parameters. */
void diff_kernel_name(const struct diff *diff, int side, uint32_t kernel, char *text, size_t size_bytes);

/* The pairs of runs whose kernels were compared, each once, with the worst result of their kernels. */
struct diff_runs {
    struct compare_run *rows; /* in the order of the kernels */
    uint32_t *kernels[2];     /* of A, of B, one a pair: names it */
    size_t count;
};
/* STATUS_STATE: not all events are in memory. The caller frees with diff_runs_fini, also after a failure. */
enum status diff_runs_make(struct diff_runs *runs, const struct diff *diff, struct error *error);
void diff_runs_fini(struct diff_runs *runs);
enum limit_state diff_state(const struct diff *diff, size_t limit, size_t match);
/* Over all matches: BROKEN if one is, else KEPT if one is, else UNCHECKED. */
enum limit_state diff_limit(const struct diff *diff, size_t limit);
/* Is all as it should be? */
bool diff_is_fine(const struct diff *diff);

#endif
