/*
 * The roofline: the highest speed of a kernel with the operations it executes and the bytes it moves if only
 * the device's memory bandwidth and arithmetic limit it, and how close the kernel is to it (Williams,
 * Waterman, Patterson, 2009). Pure arithmetic; any thread.
 *
 * Single and double precision have pipes of their own, so the slower of the two is the arithmetic roof. Half
 * precision and tensor cores are not included.
 */
#ifndef CORE_HARDWARE_ROOFLINE_H
#define CORE_HARDWARE_ROOFLINE_H

#define ROOFLINE_BOUND_LIST(X) \
    X(MEMORY, "memory")        \
    X(FLOAT, "single")         \
    X(DOUBLE, "double")
#define ROOFLINE_BOUND_ENUM(id, text) ROOFLINE_##id,
enum roofline_bound { ROOFLINE_BOUND_LIST(ROOFLINE_BOUND_ENUM) ROOFLINE_BOUND_COUNT };
#undef ROOFLINE_BOUND_ENUM
const char *roofline_bound_text(enum roofline_bound bound); /* one word: "memory" */

struct roofline_roofs { /* of the device, per second; all above 0 */
    double bytes, float_operations, double_operations;
};

struct roofline_work { /* of a launch */
    double float_operations, double_operations;
    double bytes; /* of device memory, both directions */
};

struct roofline {
    enum roofline_bound bound; /* the roof above it */
    double ns;                 /* the least time that the limits allow */
};

struct roofline roofline_of(const struct roofline_roofs *roofs, const struct roofline_work *work);

/* The highest speed in operations per second at an intensity (operations per byte), either all in single
 * precision or all in double. */
double roofline_height(const struct roofline_roofs *roofs, double intensity, enum roofline_bound precision);

#endif
