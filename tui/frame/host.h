/*
 * The functions that the program provides to the screen: the session to draw, the workloads that can be run,
 * and data that only the program has (sources, addresses of a warp, the GPU's sensors). The program fills a
 * struct tui_host; tui knows nothing about workloads or processes. They are called on the tui's thread and
 * must not block.
 */
#ifndef TUI_FRAME_HOST_H
#define TUI_FRAME_HOST_H

#include "core/analysis/code_costs.h"
#include "core/base/error.h"
#include "core/hardware/access.h"
#include "core/hardware/arch.h"
#include "core/hardware/device_attribute.h"
#include "core/hardware/device_health.h"
#include "core/session/session.h"

#include "tui/frame/workload.h"

#include <stdbool.h>
#include <stdint.h>

/* What the host is doing, for the status line. */
struct tui_host_state {
    bool live;             /* something may still come */
    bool loading;          /* a recording is being read */
    double progress;       /* 0...1 while loading */
    uint32_t run, planned; /* of the workloads that run: the newest run, from 1, of so many; 0: not known */
    uint64_t dropped;
    double overhead_pct; /* profiling overhead where known, else negative */
    uint64_t lag_rows;   /* not yet on disk */
    uint64_t readings;   /* of the sensors so far (health) */
    char text[160];      /* "recording to all.lsr", "copy-offset 12/33", a sentence about what went wrong */
    enum severity severity;
};

/* ---- the source of a kernel ---- */

struct tui_source_query { /* a case as its run names it, and the kernel in it */
    const char *workload, *variant, *params, *kernel;
};

struct tui_source {
    const char *path, *text;     /* constant */
    struct code_listing listing; /* MODELLED; code_listing_fini */
    char model[64];              /* the modelled GPU */
};

/* ---- the addresses of a warp ---- */

enum tui_space { TUI_SPACE_GLOBAL, TUI_SPACE_LOCAL, TUI_SPACE_SHARED };

struct tui_access_query {
    const char *spec;         /* the case: "copy-stride:copy,stride=8" */
    const struct arch *rules; /* to count by */
    uint64_t block;           /* by its number in the grid; the warp in it */
    uint32_t warp;
    bool stated; /* only what the workload's table states: in microseconds, since nothing runs */
};

struct tui_access { /* one execution of one memory instruction */
    uint32_t site;  /* instructions are numbered from 0, in their order */
    uint32_t execution;
    enum tui_space space;
    bool atomic, compare_and_swap;
    bool by_rule; /* its cost follows from the rules alone; else ptxas replaces it by another instruction */
    struct warp_access access;
    uint32_t counted, counted_ideal; /* by the model: sectors or wavefronts */
    uint32_t line;                   /* of the source; 0: not known */
    char kernel[64], place[48];      /* "transpose.cu:31" */
    char instruction[80], text[100]; /* as the PTX has it; the line of the source, "": not known */
    const char *file_text;           /* of all its source, constant; NULL: not known */
};

struct tui_accesses {
    struct tui_access *items; /* by site, then execution; free() */
    uint32_t count, sites;
    uint64_t blocks; /* of the launch that has most */
    uint32_t warps;  /* of its blocks */
    bool cut;        /* there were more than are kept */
    char model[64];
};

/* ---- the host ---- */

struct readback;
struct tui_host {
    void *context;
    const struct tui_workload *workloads;
    size_t workload_count;
    /* The session to draw; may change (a new run). Never NULL. */
    struct session *(*session)(void *context);
    /* Do a slice of the host's own work on the tui's thread (load rows); NULL if there is none. True: the
     * screen should be drawn again. */
    bool (*work)(void *context);
    void (*state)(void *context, struct tui_host_state *state);
    /* Run "NAME:variant,param=value"; NULL when nothing can be run (replay). A failure is shown as its
     * sentence. */
    enum status (*run)(void *context, const char *spec, struct error *error);
    /* Ends what run() and run_lines() started, and clears their queue; false: nothing runs. NULL if these are
     * NULL. */
    bool (*stop)(void *context);
    /* Runs it with sampling and counting of each instruction; NULL: not possible, as on the model. */
    enum status (*run_lines)(void *context, const char *spec, struct error *error);
    /* Can this be run? If not, the error names the valid range. NULL: typed text cannot be checked. */
    enum status (*check)(void *context, const char *spec, struct error *error);
    /* The source of a kernel with what its instructions cost on the model; NULL: there is none. */
    enum status (*source)(void *context, const struct tui_source_query *query, struct tui_source *source,
                          struct error *error);
    /* The addresses of a warp's memory instructions, which the caller frees; NULL: there are none. */
    enum status (*accesses)(void *context, const struct tui_access_query *query,
                            struct tui_accesses *accesses, struct error *error);
    /* The GPU that the device model imitates when workloads run on it; NULL: they run on a GPU. */
    const char *model;
    /* The device on which work will run, with the driver's attributes; NULL: not known. */
    const struct device_description *device;
    /* The state of the GPU with this UUID (all zeros: the first); must not block. NULL: not available, as for
     * a recording. */
    void (*health)(void *context, const uint8_t uuid[16], struct device_health *health);
    /* The next run uses problem sizes for a GPU, not small ones; the screen changes it. NULL: there is no
     * choice. */
    bool *full_size;
    /* A note for the user about the next run: "Problems are small: ..."; NULL: none. */
    const char *note;
    /* Keep the live recording under this path; NULL when there is none to keep. */
    enum status (*keep)(void *context, const char *path, struct error *error);
    /* Keep a bookmark that the session has now; NULL: it is recorded with the rest. A failure is shown as its
     * sentence. */
    enum status (*bookmark)(void *context, const struct bookmark_row *row, struct error *error);
    /* Samples the GPUs' counters in a burst now; blocks for a moment. False: no burst began. NULL: there are
     * no bursts. */
    bool (*burst)(void *context);
    /* Reads evicted events back; NULL: they cannot be read back. */
    struct readback *readback;
    const char *title; /* "all.lsr", "./a.out 12" */
    bool watch; /* nothing is run: only a GPU's counters over time are shown, whichever program uses it */
};

struct tui_options {
    bool color, ascii, mouse;
    bool transparent;  /* keep the terminal's own background: legible only if it suits the theme */
    const char *theme; /* NULL: the standard one */
};

#endif
