/*
 * Which kernels of one run have the same name, and differ only in how they were launched. Such rows get their
 * launch behind the name, as CUDA writes it: "scale <<<64,128>>>". One thread; reads a session that grows.
 */
#ifndef TUI_WIDGETS_KERNEL_SHAPES_H
#define TUI_WIDGETS_KERNEL_SHAPES_H

#include "core/base/lookup.h"
#include "core/session/session.h"

struct kernel_shapes {
    const struct session *session;
    uint8_t *alike; /* by kernel: another one of its run has its name and another launch */
    uint32_t seen, room;
    struct lookup first; /* by run and name: the first kernel */
};

void kernel_shapes_fini(struct kernel_shapes *shapes); /* a zeroed one is empty */
/* "<<<8x4,256>>>", with the bytes of dynamic shared memory where they alone may differ; "" where the name
 * alone tells the kernel apart, or memory ran out. Another session than at the last call: begins again. */
void kernel_shapes_print(struct kernel_shapes *shapes, const struct session *session, uint32_t kernel,
                         char *text, size_t size_bytes);

#endif
