/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of kernels: the text of a format and arguments of vprintf, and the lines of a launch in the
 * order of its blocks. CUDA C++ Programming Guide, formatted output: the formats of C's printf except %n, at
 * most 32 arguments; an invalid format is printed unchanged. All output of a launch is kept; a GPU keeps 1
 * MiB by default and overwrites the oldest part.
 *
 * A log belongs to a launch; any of its threads adds to it. Texts are plain bytes and may contain zeros.
 */
#ifndef SIMT_ENGINE_PRINT_H
#define SIMT_ENGINE_PRINT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct print_text {
    char *bytes; /* allocated by malloc */
    size_t size_bytes, capacity;
};

/* The memory that the printing thread can read. False: the address is invalid. */
struct print_memory {
    bool (*read)(void *owner, uint64_t address, void *bytes, uint32_t size_bytes);
    void *owner;
};

enum print_end { PRINT_DONE, PRINT_UNREADABLE, PRINT_NO_MEMORY };
/* Appends a string in device memory. */
enum print_end print_string(const struct print_memory *memory, uint64_t address, struct print_text *text);
/* Appends the formatted text. *result is the value that printf returns in a kernel: the number of arguments
 * that the format takes, or -1 if the format is at address 0. Arguments lie one after the other, each aligned
 * to its size. */
enum print_end print_format(const struct print_memory *memory, uint64_t format, uint64_t arguments,
                            struct print_text *text, int32_t *result);
/* Appends text formatted as by snprintf; false: out of memory. */
bool print_add(struct print_text *text, const char *format, ...);

struct print_line;
struct print_log {
    pthread_mutex_t mutex;
    struct print_text text; /* in the order of arrival */
    struct print_line *lines;
    size_t count, capacity;
};

void print_log_init(struct print_log *log);
void print_log_fini(struct print_log *log);
bool print_log_add(struct print_log *log, uint64_t block, const struct print_text *text);
/* The text ordered by block and, within a block, by arrival; the caller frees it. False: out of memory. */
bool print_log_take(struct print_log *log, struct print_text *text);

#endif
