/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where work of the device was asked for: call paths, and the launches and copies of each.
 *
 * Like all tables of the session append-only with one writer; the fields marked _Atomic grow. A row is known
 * by its key: adding it again adds to it. A path is its innermost frame and the path of the caller, so that
 * paths share what they have in common. Files are named as code_file_name does: never by a path of the
 * machine.
 */
#ifndef CORE_SESSION_STACKS_H
#define CORE_SESSION_STACKS_H

#include "core/session/session.h"

#define STACK_LIBRARY 1u /* of an installed package, the standard library or a .so */

/* Key: all of it. */
struct stack_row {
    uint32_t caller;     /* an earlier stack row; NONE: not known, or no caller */
    uint32_t name, file; /* strings: the function; its source file or, when native, its object. 0 none */
    uint32_t line;       /* 0: not known, or native */
    uint32_t flags;      /* STACK_ */
};

/* Key: run, kernel, stack, kind, copy_kind. */
struct launch_site_row {
    uint32_t run, kernel; /* NONE: not known, or not a launch */
    uint32_t stack;
    uint8_t kind;                        /* ITEM_LAUNCH, ITEM_COPY, ITEM_SET */
    uint8_t copy_kind;                   /* of a COPY */
    _Atomic uint64_t launches, total_ns; /* on the device; at most SESSION_SUM_MAX_NS */
};

/* ---- writer: each gives the row's index, found or added; NONE when memory ran out or a row it names is not
 * there ---- */
uint32_t session_add_stack(struct session *session, const struct stack_row *row);
/* Adds row->launches and row->total_ns. */
uint32_t session_add_launch_site(struct session *session, const struct launch_site_row *row);

/* ---- readers ---- */
/* The frame to show: the innermost one of the program's own code, else the innermost. */
uint32_t session_stack_own(const struct session *session, uint32_t stack);
/* "train.py:42 Block.forward"; for a native frame "step (train)". Terminated. */
void session_stack_text(const struct session *session, uint32_t stack, char *text, size_t size_bytes);

#endif
