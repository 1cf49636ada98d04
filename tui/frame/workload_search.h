/*
 * Finding workloads by words: in the name, the title, the words that are used for it, the lesson. Pure; any
 * thread.
 */
#ifndef TUI_FRAME_WORKLOAD_SEARCH_H
#define TUI_FRAME_WORKLOAD_SEARCH_H

#include "tui/frame/workload.h"

enum workload_match { /* the best first */
                      MATCH_NONE,
                      MATCH_NAME_BEGINS,
                      MATCH_NAME,
                      MATCH_TITLE, /* or the chapter's name */
                      MATCH_WORDS, /* or a variant's name */
                      MATCH_LESSON,
                      MATCH_COUNT
};

/* All of the words of `text` have to be found; the match is that of the word found last in this order. hit:
 * what was found that neither name nor title shows, "gemm", "..a 32-way conflict costs"; else "". */
enum workload_match workload_search(const struct tui_workload *workload, const char *text, char *hit,
                                    size_t size_bytes);

/* For a text that finds nothing: the nearest word that would, and a workload that it finds; NULL: none is
 * near. */
const struct tui_workload *workload_search_nearest(const struct tui_workload *workloads, size_t count,
                                                   const char *text, char *word, size_t size_bytes);

#endif
