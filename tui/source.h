/*
 * A kernel's source with what each line costs, and the line that costs most. The text and the counts are the
 * host's, which has the device model run the kernel; they are MODELLED, whatever the run itself was on. A
 * line's cost is the 32-byte sectors of memory (global, local, textures) and the wavefronts of shared memory
 * that it moves, or its warp instructions, as the user chooses; of a kernel that moves nothing those come
 * first. Part of the screen; the tui's thread.
 */
#ifndef TUI_SOURCE_H
#define TUI_SOURCE_H

#include "tui/list.h"

#include <stdbool.h>
#include <stdint.h>

struct screen;

struct tui_source_query { /* a case as its run names it, and the kernel in it */
    const char *workload, *variant, *params, *kernel;
};

struct tui_source_line {
    uint64_t instructions, sectors, wavefronts; /* of warps, over all launches of the case */
};

struct tui_source {
    const char *path, *text;       /* constant */
    struct tui_source_line *lines; /* line_count of them, free() */
    uint32_t line_count;
    char model[64]; /* the modelled GPU */
};

struct source_view {
    struct tui_source source;
    bool by_instructions; /* what a line costs is its instructions */
    uint32_t worst;       /* line, from 0 */
    uint64_t total;       /* cost of all lines */
    struct list list;
};

uint64_t source_cost(const struct source_view *view, uint32_t line);

/* Open the source of the kernel that is looked at; a sentence where there is none. */
void source_open(struct screen *screen);
void source_fini(struct source_view *view);

#endif
