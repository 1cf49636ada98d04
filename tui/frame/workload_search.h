/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds workloads by words in their name, title, other words for them, or lesson. Pure; any thread.
 */
#ifndef TUI_FRAME_WORKLOAD_SEARCH_H
#define TUI_FRAME_WORKLOAD_SEARCH_H

#include "tui/frame/workload.h"

enum workload_match { /* best first */
                      MATCH_NONE,
                      MATCH_NAME_BEGINS,
                      MATCH_NAME,
                      MATCH_TITLE, /* or in the chapter's name */
                      MATCH_WORDS, /* or in a variant's name */
                      MATCH_LESSON,
                      MATCH_COUNT
};

/* All words of `text` must be found; the result is the worst match of them. hit: the text found where neither
 * name nor title shows it, "gemm", "..a 32-way conflict costs"; else "". */
enum workload_match workload_search(const struct tui_workload *workload, const char *text, char *hit,
                                    size_t size_bytes);

/* For a text that finds nothing: the nearest word that would, and a workload that this word finds; NULL: no
 * such word. */
const struct tui_workload *workload_search_nearest(const struct tui_workload *workloads, size_t count,
                                                   const char *text, char *word, size_t size_bytes);

#endif
