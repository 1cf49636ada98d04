/*
 * What a kernel did wrong, found while the model runs it. Bounds and alignment are always checked; the rest
 * when it is asked for, at a cost: reads of uninitialised global, shared or local memory, races in shared
 * memory between two barriers, barriers that not all lanes of a warp reach.
 */
#ifndef SIMT_CHECK_H
#define SIMT_CHECK_H

#include "simt/program.h"

#define CHECK_KIND_LIST(X)                            \
    X(OUT_OF_BOUNDS, "out of bounds")                 \
    X(MISALIGNED, "misaligned")                       \
    X(UNINITIALISED, "read before written")           \
    X(RACE, "race in shared memory")                  \
    X(DIVERGENT_BARRIER, "barrier in divergent code") \
    X(DEADLOCK, "threads wait for each other")        \
    X(TRAP, "trap")

#define CHECK_ENUM(id, text) CHECK_##id,
enum check_kind { CHECK_KIND_LIST(CHECK_ENUM) CHECK_KIND_COUNT };
#undef CHECK_ENUM

const char *check_kind_text(enum check_kind kind);

#define CHECK_REPORTS 32 /* kept of a launch: the first of each instruction and kind; all are counted */

struct check_report {
    enum check_kind kind;
    enum ptx_space space;
    uint32_t instruction; /* of the program */
    uint32_t block[3], thread[3];
    uint32_t other_thread[3]; /* RACE: whose access this one met */
    uint64_t address, width_bytes;
    uint64_t count; /* times seen at this instruction */
    bool write;
};

struct check_result {
    struct check_report reports[CHECK_REPORTS];
    uint32_t report_count;
    uint64_t total[CHECK_KIND_COUNT];
};

/* "out of bounds: thread (3,0,0) of block (1,0,0) reads 4 bytes at global 0x...: 12 bytes past ...
 * (kernel.cu:14, ld.global.f32 ...)". */
void check_text(const struct program *program, const struct check_report *report, char *text,
                size_t size_bytes);

#endif
