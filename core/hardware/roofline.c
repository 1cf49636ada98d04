/* SPDX-License-Identifier: Apache-2.0 */
/* One row of text for each limit. */
#include "core/hardware/roofline.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *text, *name;
} bounds[] = {
#define ROOFLINE_TEXTS(id, text, name) [ROOFLINE_##id] = {text, name},
    ROOFLINE_BOUND_LIST(ROOFLINE_TEXTS)
#undef ROOFLINE_TEXTS
};

const char *roofline_bound_text(enum roofline_bound bound)
{
    return (unsigned)bound < ROOFLINE_BOUND_COUNT ? bounds[bound].text : "?";
}

const char *roofline_bound_name(const char *word)
{
    for (int bound = 0; bound < ROOFLINE_BOUND_COUNT; bound++)
        if (strcmp(bounds[bound].text, word) == 0)
            return bounds[bound].name;
    return "?";
}

struct roofline roofline_of(const double least_ns[ROOFLINE_BOUND_COUNT])
{
    struct roofline roofline = {.bound = ROOFLINE_DRAM, .whole = true};
    for (enum roofline_bound bound = ROOFLINE_DRAM; bound < ROOFLINE_BOUND_COUNT; bound++) {
        if (isnan(least_ns[bound])) {
            roofline.whole = false;
        } else if (least_ns[bound] > roofline.ns) {
            roofline.bound = bound;
            roofline.ns = least_ns[bound];
        }
    }
    return roofline;
}
