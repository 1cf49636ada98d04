/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finding of --check as it is taken on: read back from its sentence (check_text), which is what notices and
 * recordings carry; and the findings that somebody has judged, kept in a file. A row of that file is
 *
 *     KERNEL | FILE:LINE | KIND | REASON
 *
 * with patterns (fnmatch) of the first three: the kernel as the sentence names it, the source's path and line
 * or only its name and line ("-": the program has no lines), and the kind's words. '#' begins a comment. The
 * caller owns what is opened; one thread.
 */
#ifndef SIMT_CHECK_FINDING_H
#define SIMT_CHECK_FINDING_H

#include "core/base/error.h"
#include "simt/check/check.h"

#define FINDING_KERNEL_BYTES 512

struct finding {
    enum check_kind kind;
    char kernel[FINDING_KERNEL_BYTES]; /* "": of a copy or a set */
    char file[512];                    /* "": not known */
    uint32_t line;                     /* 0: not known */
    /* Races: the other lines of its sentence, between which and a second one the same is missing. */
    struct finding_line {
        char file[512];
        uint32_t line, other_line;
    } also[CHECK_PAIRS];
    uint32_t also_count,
        pairs; /* pairs: of lines, with those that the sentence only counts; 0: it is no race */
};

/* False: it is no check's sentence. */
bool finding_read(const char *text, struct finding *finding);
/* The reason behind a sentence of one that is known; NULL: it is new. */
const char *finding_reason(const char *text, char *reason, size_t size_bytes);
void finding_add_reason(char *text, size_t size_bytes, const char *reason);
/* A row of the file for it, without a line break. */
void finding_row(const struct finding *finding, const char *reason, char *text, size_t size_bytes);

struct known_findings;
/* STATUS_IO or STATUS_FORMAT with a sentence that names the line. */
enum status known_findings_open(const char *path, struct known_findings **known, struct error *error);
/* The reason of the first row that fits the finding, with one of its lines: one missing barrier is one finding. The row
 * counts as met. NULL: none fits, or known is NULL. */
const char *known_findings_find(struct known_findings *known, const struct finding *finding);
/* How many rows there are that fit nothing yet, and the line of the first of them. */
size_t known_findings_unmet(const struct known_findings *known, unsigned *line);
void known_findings_close(struct known_findings *known);

#endif
