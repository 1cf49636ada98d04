/*
 * Numbers published in the documents on which the workloads are based: a small table, drawn beside the
 * results of this machine. Static data, any thread.
 */
#ifndef CLI_SCREEN_PUBLISHED_FIGURES_H
#define CLI_SCREEN_PUBLISHED_FIGURES_H

#include "tui/frame/workload.h"

/* The figures of a workload; *count 0 where the documents give none. */
const struct tui_figure *figures_of(const char *workload, size_t *count);

#endif
