/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of the source tree that are embedded in the program: the lessons (docs/lessons/NAME.md), the
 * glossary, the kernels (workloads/kernels) and the exercises. UTF-8, ended by a zero byte; constant, any
 * thread.
 */
#ifndef WORKLOADS_FRAME_TEXTS_H
#define WORKLOADS_FRAME_TEXTS_H

#include <stddef.h>

struct text_file {
    const char *path; /* from the root of the tree */
    const char *text;
};

/* NULL past the end. */
const struct text_file *text_at(size_t index);
/* NULL: there is none of that path. */
const struct text_file *text_find(const char *path);
/* The lesson of a workload; NULL: there is none. */
const char *text_lesson(const char *workload);
/* The minutes that a workload's lesson takes, by its part Minutes; 0: there is no lesson. */
unsigned text_lesson_minutes(const char *workload);
const char *text_glossary(void);
/* The source of a workload's kernels, from the file of the same name; NULL: there is none. */
const char *text_source(const char *workload);

#endif
