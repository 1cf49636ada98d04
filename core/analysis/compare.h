/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One metric of two kernels, A and B: the difference, the ratio, and whether that is more than repeated
 * launches differ anyway. Both kernels may be of one session or of two. Reader side, any thread.
 *
 * The values compared are those of each kernel's own device (measured on a GPU, modelled on the model), or
 * the expected values of both if neither device gave one. A measured number is never compared with an
 * expected one.
 *
 * The rule for `weight`: counts that are the same in every measured launch, modelled values and expected
 * values have no spread; two such numbers differ or are equal (CERTAIN, EQUAL). Otherwise
 * core/analysis/mann_whitney.h's test says how likely launches that do not differ are to come out so far apart:
 * up to SPREAD_LEVEL they are BEYOND the spread, else WITHIN it. TOO_FEW launches: even if all of A's lay on
 * one side of all of B's, the chance would be above that level.
 *
 * Values are called better or worse only for the same work (core/analysis/compare_work.h); values of the
 * model and of a GPU only where both count the same: instructions and their sectors and wavefronts, never
 * times.
 */
#ifndef CORE_ANALYSIS_COMPARE_H
#define CORE_ANALYSIS_COMPARE_H

#include "core/analysis/compare_work.h"

#define COMPARE_WEIGHT_LIST(X)                                                                      \
    X(UNKNOWN, "unknown")          /* no two exact numbers */                                       \
    X(EQUAL, "equal")              /* the same number */                                            \
    X(CERTAIN, "certain")          /* the values differ, and neither has a spread */                \
    X(BEYOND, "beyond-spread")     /* the values differ by more than the launches of one side do */ \
    X(WITHIN, "within-spread")     /* the values differ no more than the launches of one side do */ \
    X(TOO_FEW, "too-few-launches") /* they differ, and nobody can tell */
#define COMPARE_WEIGHT_ENUM(id, text) COMPARE_##id,
enum compare_weight { COMPARE_WEIGHT_LIST(COMPARE_WEIGHT_ENUM) COMPARE_WEIGHT_COUNT };
#undef COMPARE_WEIGHT_ENUM
const char *compare_weight_text(enum compare_weight weight);

/* What becomes of A on the way to B. */
struct compare_change {
    bool known;        /* both are exact numbers */
    double difference; /* B - A */
    bool has_ratio;
    double ratio; /* B / A */
    int better;   /* 1: B is better, -1: worse, 0: neither, or equal, or not the same work, or only a small
                     change (a rate or a time up to COMPARE_SLIGHT of A) */
};
const char *compare_change_text(const struct compare_change *change); /* "worse", "neither", "better" */
struct compare_change compare_values(enum metric metric, const struct value *a, const struct value *b);

struct compare_metric {
    struct kernel_statistic a, b;
    struct compare_change change;
    enum compare_weight weight;
    double chance; /* of the test; for BEYOND, WITHIN and TOO_FEW, else NaN */
    bool alike;    /* the same work, and times of one clock or counts of instructions; else `better` is 0 */
};

/* STATUS_MEMORY. */
enum status compare_metric(const struct compare_kernel *a, const struct compare_kernel *b, enum metric metric,
                           struct compare_metric *result, struct error *error);

/* Do the two sides differ, or has only one of them a value? */
bool compare_differs(const struct compare_metric *compared);
/* Both are at least, or at most, the same number: nothing can be concluded. */
bool compare_bounded_alike(const struct compare_metric *compared);
/* How much a metric changed, whichever way: |ln(B / A)|. INFINITY: from or to zero, or from one word to
 * another; -1: nothing, or not known. */
double compare_distance(const struct compare_metric *compared);
/* The order in which comparisons list metrics: first the time, then those of `first` (NULL: none), then
 * what changed most; what differs within the spread or on one side only follows, then what does not differ.
 * Metrics without a value are left out. Returns their number; `differing` of them, the first ones, differ. */
int compare_order(const struct compare_metric compared[METRIC_COUNT], const bool first[METRIC_COUNT],
                  enum metric order[METRIC_COUNT], int *differing);

/* The metric summed over all launches of the trace run: for times, and for counts that are the same in every
 * launch. */
struct compare_sums {
    double sums[2];
    /* known: both sums are known. `better` is set for counts if both sides did the same work in all; never
     * for time, since launches that overlap count twice: compare the runs' device time instead. */
    struct compare_change change;
};
struct compare_sums compare_sums(const struct compare_kernel *a, const struct compare_kernel *b,
                                 enum metric metric);

/* MEASURED, or MODELLED for a run on the model. */
enum provenance compare_own(const struct compare_kernel *side);

#endif
