/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors: a status for the program and a sentence for the user.
 *
 * The caller owns the struct error (usually on its stack) and may pass NULL when it does not want the
 * sentence. The sentence says what failed, on what, and what to do now. Any thread; no global state.
 */
#ifndef CORE_BASE_ERROR_H
#define CORE_BASE_ERROR_H

#include <stddef.h>

#define STATUS_LIST(X)                            \
    X(OK, "ok")                                   \
    X(USAGE, "the command line is wrong")         \
    X(IO, "reading or writing failed")            \
    X(FORMAT, "the data are malformed")           \
    X(VERSION, "the data are of a newer version") \
    X(MEMORY, "out of memory")                    \
    X(NO_DEVICE, "no usable device")              \
    X(DEVICE, "the device or its driver failed")  \
    X(PERMISSION, "no permission")                \
    X(UNSUPPORTED, "not supported here")          \
    X(CHECK, "a check failed")                    \
    X(STATE, "not possible in this state")

#define STATUS_ENUM(name, text) STATUS_##name,
enum status { STATUS_LIST(STATUS_ENUM) STATUS_COUNT };
#undef STATUS_ENUM

struct error {
    enum status status;
    char text[1024]; /* one or more sentences, UTF-8, no newline at the end */
};

/* Fill *error (may be NULL) with the formatted sentence and return status, so that `return error_set(...)`
 * reads well. */
enum status error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with ": " and the text of errno_value appended. */
enum status error_set_errno(struct error *error, enum status status, int errno_value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* STATUS_MEMORY: "There is no memory %s: close other programs."; the format begins with "for" or "to". */
enum status error_no_memory(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The generic words for a status. */
const char *status_text(enum status status);

#endif
