/*
 * Which kernels of one run have the same name, and differ only in how they were launched. Such rows get their
 * launch behind the name, as CUDA writes it: "scale <<<64,128>>>". One thread; reads a session that grows.
 */
#ifndef TUI_WIDGETS_KERNEL_SHAPES_H
#define TUI_WIDGETS_KERNEL_SHAPES_H

#include "core/base/lookup.h"
#include "core/session/session.h"

/* The others of its run with its name. */
struct kernel_alike {
    uint32_t next;              /* of them; NONE: the last */
    bool any;                   /* one has another launch */
    bool same_grid, same_block; /* one of these has the same grid, the same block */
};

struct kernel_shapes {
    const struct session *session;
    struct kernel_alike *alike; /* by kernel */
    uint32_t seen, room;
    struct lookup first; /* by run and name: the first kernel */
};

void kernel_shapes_fini(struct kernel_shapes *shapes); /* a zeroed one is empty */
/* "<<<8x4,256>>>", with the bytes of dynamic shared memory where they alone may differ; "" where the name
 * alone tells the kernel apart, or memory ran out. Brief: "grid 512" or "block 64", if that alone is of no
 * other launch. Another session than at the last call: begins again. */
void kernel_shapes_print(struct kernel_shapes *shapes, const struct session *session, uint32_t kernel,
                         bool brief, char *text, size_t size_bytes);

#endif
