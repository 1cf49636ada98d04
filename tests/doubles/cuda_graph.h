/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of the double of libcuda. nodes: in the order in which they run, a digit for a kernel "node" of so many blocks, c for a copy,
 * s for a set, e for an empty node, h for a function of the host.
 */
#ifndef TESTS_DOUBLES_CUDA_GRAPH_H
#define TESTS_DOUBLES_CUDA_GRAPH_H

#include "tests/doubles/cupti_double.h"

#include <stddef.h>

typedef void *double_graph_make(const char *nodes);
typedef void *double_graph_exec_make(void *graph);
typedef void double_graph_end(void *graph);  /* cuGraphDestroy, unseen */
typedef size_t double_graph_count(void);     /* nodes that are enabled */
typedef const char *double_graph_text(void); /* what ran alone, a letter each */

#endif
