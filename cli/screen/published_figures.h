/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers published in the documents on which the workloads are based: a small table, drawn beside the
 * results of this machine. Static data, any thread.
 */
#ifndef CLI_SCREEN_PUBLISHED_FIGURES_H
#define CLI_SCREEN_PUBLISHED_FIGURES_H

#include "tui/frame/workload.h"

/* The published figures for a workload; *count 0 if the documents have none. */
const struct tui_figure *figures_of(const char *workload, size_t *count);

#endif
