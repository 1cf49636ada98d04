/*
 * What a kernel prints: the text of vprintf's format and arguments, and the lines of a launch in the order of
 * its blocks. CUDA C++ Programming Guide, formatted output: the formats of C's printf but %n, at most 32
 * arguments; what is no format is printed as it stands. All of a launch's output is kept: a GPU keeps 1 MiB
 * by default and overwrites the oldest.
 *
 * A log belongs to a launch; any of its threads adds. Text is plain bytes and may hold zeros.
 */
#ifndef SIMT_ENGINE_PRINT_H
#define SIMT_ENGINE_PRINT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct print_text {
    char *bytes; /* malloc'ed */
    size_t size_bytes, capacity;
};

/* The memory of the thread that prints. False: the bytes are nowhere. */
struct print_memory {
    bool (*read)(void *owner, uint64_t address, void *bytes, uint32_t size_bytes);
    void *owner;
};

enum print_end { PRINT_DONE, PRINT_UNREADABLE, PRINT_NO_MEMORY };
/* A string of the device's, appended. */
enum print_end print_string(const struct print_memory *memory, uint64_t address, struct print_text *text);
/* Appends the text. *result: what printf returns in a kernel: the number of arguments that the format takes,
 * -1 for a format at 0. Arguments lie one behind the other, each at a multiple of its size. */
enum print_end print_format(const struct print_memory *memory, uint64_t format, uint64_t arguments,
                            struct print_text *text, int32_t *result);
/* Appends as snprintf writes; false: no memory. */
bool print_add(struct print_text *text, const char *format, ...);

struct print_line;
struct print_log {
    pthread_mutex_t mutex;
    struct print_text text; /* as it came */
    struct print_line *lines;
    size_t count, capacity;
};

void print_log_init(struct print_log *log);
void print_log_fini(struct print_log *log);
bool print_log_add(struct print_log *log, uint64_t block, const struct print_text *text);
/* By blocks, and within a block as it came; the caller frees it. False: no memory. */
bool print_log_take(struct print_log *log, struct print_text *text);

#endif
