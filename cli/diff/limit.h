/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A limit of `lanescope diff --fail-on`: "METRIC > NUMBER", or "METRIC > NUMBERx", which is that many times
 * A's value. > and >= bound B from above, < and <= from below; the limit is broken if the condition is true
 * for B. Plain data; any thread.
 */
#ifndef CLI_DIFF_LIMIT_H
#define CLI_DIFF_LIMIT_H

#include "core/base/error.h"
#include "core/metric/metric.h"

#include <stdbool.h>

struct limit {
    const char *text; /* as typed */
    enum metric metric;
    bool above;    /* a value above the bound breaks the limit */
    bool or_equal; /* ... or just as much */
    bool times_a;  /* bound is a factor of A's value */
    double bound;
};

/* STATUS_USAGE with a sentence on the mistake. The text must outlive the limit. */
enum status limit_parse(struct limit *limit, const char *text, struct error *error);

/* UNCHECKED: a number is missing, or is only bounded by counters and can be on either side. */
#define LIMIT_STATE_LIST(X) X(UNCHECKED, "unchecked") X(KEPT, "kept") X(BROKEN, "broken")
#define LIMIT_STATE_ENUM(id, text) LIMIT_##id,
enum limit_state { LIMIT_STATE_LIST(LIMIT_STATE_ENUM) LIMIT_STATE_COUNT };
#undef LIMIT_STATE_ENUM
const char *limit_state_text(enum limit_state state);

enum limit_state limit_check(const struct limit *limit, const struct value *a, const struct value *b);

#endif
