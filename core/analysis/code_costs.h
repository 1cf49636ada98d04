/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the instructions of one kernel cost: PC samples by stall reason, executed instructions, sectors,
 * wavefronts and their ideals, and the same summed over the lines of the source. A listing is made from a
 * session (MEASURED, SASS), or filled by the code that ran the kernel on the device model (MODELLED, PTX).
 * Reader side, any thread; a listing belongs to its maker.
 *
 * Samples are sums over all sampled launches; counts are of one launch, the mean if several were counted. On
 * the model, both are of the whole case at small size. Stall reasons that end in "_not_issued" count samples
 * again and are left out.
 *
 * struct stall_reason: the reasons why a warp was stalled, as a GPU's PC sampling names them: what each
 * means, and what to do about it. The names are those of CUPTI without their prefix ("long_scoreboard"); the
 * meanings follow the descriptions of warp stall reasons in NVIDIA's Nsight Compute documentation. Static
 * data; any thread.
 */
#ifndef CORE_ANALYSIS_CODE_COSTS_H
#define CORE_ANALYSIS_CODE_COSTS_H

#include "core/metric/metric.h"
#include "core/session/code.h"

#include <stdbool.h>

/* id, title of a column, meaning */
#define CODE_COST_LIST(X)                                                                 \
    X(SAMPLES, "samples", "samples", "PC samples")                                        \
    X(INSTRUCTIONS, "instructions", "instr", "warp instructions")                         \
    X(THREADS, "thread_instructions", "threads", "thread instructions")                   \
    X(SECTORS, "sectors", "sectors", "sectors of global memory")                          \
    X(IDEAL_SECTORS, "ideal_sectors", "ideal", "ideal sectors of global memory")          \
    X(WAVEFRONTS, "wavefronts", "wavefr", "wavefronts of shared memory")                  \
    X(IDEAL_WAVEFRONTS, "ideal_wavefronts", "ideal", "ideal wavefronts of shared memory") \
    X(LOCAL_SECTORS, "local_sectors", "local", "sectors of local memory")                 \
    X(TEXTURE_SECTORS, "texture_sectors", "texture", "sectors fetched through textures")  \
    X(DIVERGENT, "divergent_branches", "parted", "divergent branches")                    \
    X(PASSES, "passes", "passes", "passes of atomics in the L2 cache")                    \
    X(ATOMIC_SECTORS, "atomic_sectors", "of atom", "sectors of these atomics")
#define CODE_COST_ENUM(name, id, title, meaning) CODE_##name,
enum code_cost { CODE_COST_LIST(CODE_COST_ENUM) CODE_COST_COUNT };
#undef CODE_COST_ENUM

struct code_cost_info {
    const char *id, *title, *meaning; /* "ideal_sectors", "ideal", "ideal sectors of global memory" */
};
const struct code_cost_info *code_cost_info(enum code_cost cost);
/* Counters of the device model have this before the id of their cost. */
#define CODE_COST_OF_MODEL "model."
/* The cost that a SASS metric of CUPTI or a counter of the model gives, or contributes to; CODE_COST_COUNT:
 * none. */
enum code_cost code_cost_of_counter(const char *counter);

#define CODE_REASONS_MAX 40u
#define CODE_PLACES_MAX 65536u /* most instructions of a listing; those beyond are left out */

/* Texts belong to the session, or lie in the listing. */
struct code_place {                     /* an instruction */
    const char *function, *text, *file; /* text "": not disassembled; file "": no line information */
    uint32_t pc_offset, line;           /* of PTX: the line in its file; line 0: none */
    double costs[CODE_COST_COUNT];
    double samples[CODE_REASONS_MAX]; /* by reason */
};

struct code_listing {
    enum provenance provenance;
    struct code_place *places; /* functions: the kernel's own first, then by name; instructions in order */
    uint32_t count;
    const char *reasons[CODE_REASONS_MAX]; /* "long_scoreboard" */
    uint32_t reason_count;
    bool has[CODE_COST_COUNT];
    double totals[CODE_COST_COUNT];
    char *texts; /* owned; NULL: the session's */
};

/* The MEASURED listing of a kernel row, from all runs of the same work. count 0: nothing was measured.
 * STATUS_MEMORY. */
enum status code_listing_make(const struct session *session, uint32_t kernel, struct code_listing *listing,
                              struct error *error);
void code_listing_fini(struct code_listing *listing);
/* Recomputes the totals, after the places are filled. */
void code_listing_sum(struct code_listing *listing);
/* Marks it as counted by the device model: all costs but samples. */
void code_listing_of_model(struct code_listing *listing);

struct code_line {
    const char *file; /* "": no line information */
    uint32_t line;
    uint32_t first, count; /* of code_lines.places */
    double costs[CODE_COST_COUNT];
};

/* By file, then by line. */
struct code_lines {
    struct code_line *lines;
    uint32_t count;
    uint32_t *places; /* of the listing, by line */
};
enum status code_lines_make(const struct code_listing *listing, struct code_lines *lines,
                            struct error *error);
void code_lines_fini(struct code_lines *lines);

/* What all memory instructions take one after the other: sectors, wavefronts, and of an atomic in global
 * memory its passes instead of its sectors. */
double code_steps(const double costs[CODE_COST_COUNT]);
/* For SECTORS and WAVEFRONTS the excess of `cost` over its ideal; for other costs the cost itself. */
double code_excess(const double costs[CODE_COST_COUNT], enum code_cost cost);

/* Sums the stall reasons over some places of a listing and sorts them, most samples first. Returns how many
 * reasons have samples. */
struct code_reason {
    const char *name;
    double samples;
};
uint32_t code_reasons(const struct code_listing *listing, const uint32_t *places, uint32_t count,
                      struct code_reason reasons[CODE_REASONS_MAX]);

struct stall_reason {
    const char *name;
    const char *title;   /* at most 18 cells: "global memory" */
    const char *meaning; /* a clause: the warp ... */
    const char *now;     /* what to do, or "" */
    bool works;          /* no stall: the warp issued, or could have */
};

/* NULL: not known. */
const struct stall_reason *stall_reason_find(const char *name);
/* Our name and ncu's, "memory queue (lg_throttle)"; one of them where they are equal or the reason is not
 * known.
 */
#define STALL_REASON_TEXT_BYTES 64
void stall_reason_text(const char *name, char text[STALL_REASON_TEXT_BYTES]);
/* The n-th row of the table; NULL past the end. */
const struct stall_reason *stall_reason_at(unsigned index);

#endif
