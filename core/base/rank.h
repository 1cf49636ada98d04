/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.h: which process of a parallel program this one is. The launcher that started it says so in the
 * environment; rank.c has the table of launchers. Any thread, unless another one changes the environment.
 */
#ifndef LANESCOPE_CORE_BASE_RANK_H
#define LANESCOPE_CORE_BASE_RANK_H

#include <stdint.h>

/* The number among all processes of the program; -1: no launcher gave one. */
int32_t rank_of_job(void);
/* The number among those on this host; -1: no launcher gave one. */
int32_t rank_of_host(void);

#endif
