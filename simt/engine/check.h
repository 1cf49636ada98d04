/*
 * Errors of a kernel, found while the model runs it. Bounds and alignment are always checked; the rest on
 * request, since it costs time: reads of uninitialised global, shared or local memory, races in shared memory
 * between two barriers, barriers that not all lanes of a warp reach, lanes that are not in their own member
 * mask.
 */
#ifndef SIMT_ENGINE_CHECK_H
#define SIMT_ENGINE_CHECK_H

#include "simt/lanes/program.h"

/* The number is the cudaError that a launch ends with; 0: a GPU lets it pass. */
#define CHECK_KIND_LIST(X)                                \
    X(OUT_OF_BOUNDS, "out of bounds", 700)                \
    X(MISALIGNED, "misaligned", 716)                      \
    X(NO_TEXTURE, "not a texture object", 700)            \
    X(UNINITIALISED, "read before written", 0)            \
    X(RACE, "race in shared memory", 0)                   \
    X(DIVERGENT_BARRIER, "barrier in divergent code", 0)  \
    X(NOT_A_MEMBER, "not in its own member mask", 0)      \
    X(ILLEGAL_BARRIER, "impossible barrier", 715)         \
    X(DEADLOCK, "threads wait for each other", 702)       \
    X(TRAP, "trap", 719)                                  \
    X(ASSERT, "assertion failed", 710)                    \
    X(FREE, "free of what malloc did not return", 719)    \
    X(NO_FUNCTION, "call of what is not a function", 718) \
    X(STACK, "stack overflow", 714)

#define CHECK_ENUM(id, text, cuda) CHECK_##id,
enum check_kind { CHECK_KIND_LIST(CHECK_ENUM) CHECK_KIND_COUNT };
#undef CHECK_ENUM

const char *check_kind_text(enum check_kind kind);
uint32_t check_cuda_error(enum check_kind kind);

/* Kept of a launch: the first of each instruction and kind, first instructions before later ones. */
#define CHECK_REPORTS 32

struct check_report {
    enum check_kind kind;
    enum ptx_space space;
    uint32_t instruction; /* of the program */
    uint32_t block[3], thread[3];
    uint32_t other_thread[3]; /* RACE: whose access this one met; DEADLOCK: who does not come;
                                 ILLEGAL_BARRIER: who names another one */
    bool has_other;
    bool write, other_write;             /* RACE: this access, the one before it */
    uint64_t address, width_bytes;       /* FREE, NO_FUNCTION: the address; STACK: width_bytes, the limit */
    uint64_t range_address, range_bytes; /* OUT_OF_BOUNDS: what lies nearest; bytes 0: nothing does */
    uint32_t barrier, barrier_threads;   /* ILLEGAL_BARRIER, DEADLOCK: its number, how many it waits for */
    uint32_t members;                    /* NOT_A_MEMBER: the mask */
    char asserted[96];                   /* ASSERT: what */
    uint32_t waiting_threads;            /* DEADLOCK: who are there; 0: it turns in a loop */
    uint64_t count;                      /* times seen at this instruction */
};

struct check_result {
    struct check_report reports[CHECK_REPORTS];
    uint32_t report_count;
    uint64_t total[CHECK_KIND_COUNT];
};

/* Adds a report with its count; where one of this instruction and kind is kept, that of the lower block
 * stays. What is kept does not depend on the order of calls. */
void check_add(struct check_result *result, const struct check_report *report);
void check_merge(struct check_result *to, const struct check_result *from);
/* Would a GPU stop a kernel that does this? */
bool check_stops(enum check_kind kind);

/* "out of bounds: thread (3,0,0) of block (1,0,0) reads 4 bytes at global 0x...: 12 bytes past ...
 * (kernel.cu:14, ld.global.f32 ...)". */
void check_text(const struct program *program, const struct check_report *report, char *text,
                size_t size_bytes);

#endif
