/*
 * The screen. Give it a session and it draws; give it a host and it can also run workloads.
 *
 * tui_run owns the terminal until it returns and restores it after any end. tui_snapshot draws the same views
 * without a terminal. One thread. tui knows nothing of workloads or processes: the host (cli) answers through
 * struct tui_host.
 */
#ifndef TUI_FRAME_TUI_H
#define TUI_FRAME_TUI_H

#include "core/base/error.h"
#include "core/hardware/device_attribute.h"
#include "core/hardware/device_health.h"
#include "core/session/session.h"

#include "tui/frame/workload.h"
#include "tui/views/lane_map.h"
#include "tui/views/source/source.h"

#include <stdbool.h>
#include <stdio.h>

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

enum status tui_run(const struct tui_host *host, const struct tui_options *options, struct error *error);

/* The signal (SIGTERM, SIGINT, SIGHUP, SIGQUIT) that ended the last tui_run; 0: the user left. */
int tui_ending_signal(void);

enum tui_format { TUI_TEXT, TUI_ANSI, TUI_SVG };
/* Draw the screen width x height after the keys ("j j + TAB ENTER ?", names as the help shows them), to out.
 */
enum status tui_snapshot(const struct tui_host *host, const struct tui_options *options,
                         enum tui_format format, int width, int height, const char *keys, FILE *out,
                         struct error *error);

/* Help text of the keys, from the action table: for the manual. */
void tui_print_keys(FILE *out);

#endif
