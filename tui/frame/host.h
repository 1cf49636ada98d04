/*
 * What the screen asks of the program that it is part of: the session to draw, the workloads that can be run,
 * and what only the program knows (sources, addresses of a warp, the GPU's sensors). The program fills a
 * struct tui_host; tui knows nothing of workloads or processes. Called on the tui's thread; nothing waits.
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
    bool live;       /* something may still come */
    bool loading;    /* a recording is being read */
    double progress; /* 0...1 while loading */
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
};

struct tui_access { /* one execution of one memory instruction */
    uint32_t site;  /* instructions are numbered from 0, in their order */
    uint32_t execution;
    enum tui_space space;
    bool atomic, compare_and_swap;
    bool by_rule; /* its cost is that of an access by the rules alone; else ptxas makes another instruction of
                     it */
    struct warp_access access;
    uint32_t counted, counted_ideal; /* by the model: sectors or wavefronts */
    uint32_t line;                   /* of the source; 0: not known */
    char kernel[64], place[48];      /* "transpose.cu:31" */
    char instruction[80], text[100]; /* as the PTX has it; the line of the source, "": not known */
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
    /* End what run() and run_lines() began, and what waits; false: nothing runs. NULL where they are. */
    bool (*stop)(void *context);
    /* Run it so that each instruction is sampled and counted; NULL: it cannot be, as on the model. */
    enum status (*run_lines)(void *context, const char *spec, struct error *error);
    /* Whether that could be run; without a reason it says so with the sentence that names the range. NULL:
     * nothing is known of what is typed. */
    enum status (*check)(void *context, const char *spec, struct error *error);
    /* The source of a kernel with what its instructions cost on the model; NULL: there is none. */
    enum status (*source)(void *context, const struct tui_source_query *query, struct tui_source *source,
                          struct error *error);
    /* The addresses of a warp's memory instructions, which the caller frees; NULL: there are none. */
    enum status (*accesses)(void *context, const struct tui_access_query *query,
                            struct tui_accesses *accesses, struct error *error);
    /* The GPU that workloads run on is the device model of this one; NULL: they run on a GPU. */
    const char *model;
    /* What the device that work will run on is, and what more the driver said of it; NULL: not known. */
    const struct device_description *device;
    /* How the GPU with this UUID (all zeros: the first) is doing; must not wait. NULL: it is not asked, as of
     * a recording. */
    void (*health)(void *context, const uint8_t uuid[16], struct device_health *health);
    /* What is run next takes a GPU's problems, not small ones: the screen's to change. NULL: there is no
     * choice. */
    bool *full_size;
    /* What the user should know of what will be run: "Problems are small: ..."; NULL: nothing. */
    const char *note;
    /* Keep the live recording under this path; NULL when there is none to keep. */
    enum status (*keep)(void *context, const char *path, struct error *error);
    /* Keep a bookmark that the session has now; NULL: it is recorded with the rest. A failure is shown as its
     * sentence. */
    enum status (*bookmark)(void *context, const struct bookmark_row *row, struct error *error);
    /* Sample the GPUs' counters in a burst, now; waits a moment. False: none has begun. NULL: they are not
     * sampled in bursts. */
    bool (*burst)(void *context);
    /* Brings detail back that has left memory; NULL: it stays where it is. */
    struct readback *readback;
    const char *title; /* "all.lsr", "./a.out 12" */
    bool watch;        /* nothing is run: a GPU's counters over time are watched, whoever uses it */
};

struct tui_options {
    bool color, ascii, mouse;
    bool transparent;  /* leave the terminal's own ground: legible only where that suits the theme */
    const char *theme; /* NULL: the standard one */
};

#endif
