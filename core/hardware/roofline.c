/*
 * The roof is the lower of the arithmetic and the memory limit at the kernel's operations per byte; an
 * unknown input makes the results that depend on it unknown.
 */
#include "core/hardware/roofline.h"

#include <math.h>

const char *roofline_bound_text(enum roofline_bound bound)
{
#define ROOFLINE_TEXT(id, text) [ROOFLINE_##id] = text,
    static const char *const texts[] = {ROOFLINE_BOUND_LIST(ROOFLINE_TEXT)};
#undef ROOFLINE_TEXT
    return (unsigned)bound < ROOFLINE_BOUND_COUNT ? texts[bound] : "?";
}

struct roofline roofline_of(const struct roofline_roofs *roofs, const struct roofline_work *work)
{
    const double ns[ROOFLINE_BOUND_COUNT] = {
        [ROOFLINE_MEMORY] = 1e9 * work->bytes / roofs->bytes,
        [ROOFLINE_FLOAT] = 1e9 * work->float_operations / roofs->float_operations,
        [ROOFLINE_DOUBLE] = 1e9 * work->double_operations / roofs->double_operations,
    };
    struct roofline roofline = {.bound = ROOFLINE_MEMORY, .ns = ns[ROOFLINE_MEMORY]};
    for (enum roofline_bound bound = ROOFLINE_FLOAT; bound < ROOFLINE_BOUND_COUNT; bound++)
        if (ns[bound] > roofline.ns)
            roofline = (struct roofline){bound, ns[bound]};
    return roofline;
}

double roofline_height(const struct roofline_roofs *roofs, double intensity, enum roofline_bound precision)
{
    double flat = precision == ROOFLINE_DOUBLE ? roofs->double_operations : roofs->float_operations;
    return fmin(intensity * roofs->bytes, flat);
}
