/* SPDX-License-Identifier: Apache-2.0 */
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
#include "core/base/progress.h"
#include "core/hardware/access.h"
#include "core/hardware/arch.h"
#include "core/hardware/device_health.h"
#include "core/hardware/device_info.h"
#include "core/replay/replay_picture.h"
#include "core/replay/what_if.h"
#include "core/session/session.h"
#include "core/sheet/sheet_kept.h"

#include "tui/frame/workload.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What the host is doing, for the status line. */
struct tui_host_state {
    bool live;              /* more events may come */
    bool loading;           /* a recording is being read */
    double progress;        /* 0...1 while loading */
    uint32_t run, planned;  /* newest run, from 1, and number of runs; 0: not known */
    bool launching;         /* a launch has run for a while on the device model: */
    struct progress launch; /* how far it is */
    char kernel[80];        /* plain name of its kernel */
    uint64_t dropped;
    double overhead_pct; /* profiling overhead; negative: not known */
    uint64_t lag_rows;   /* rows not yet on disk */
    bool watching;       /* a file of the user's is watched: work() is to be called often */
    uint64_t saves;      /* versions of it that were seen, compiled or refused */
    uint64_t readings;   /* number of sensor readings so far (health) */
    char text[160];      /* "recording to all.lsr", "copy-offset 12/33", a sentence about what went wrong */
    enum severity severity;
};

/* ---- the source of a kernel ---- */

struct tui_source_query { /* a case, named as its run names it, and a kernel in it */
    const char *workload, *variant, *params, *kernel;
    const char *
        gpu; /* name of the run's device: costs are those of the modelled GPU of that name, else of the default one; or NULL */
    bool background; /* do not wait for the counts: `counting` says that they are not there yet */
};

struct tui_source {
    const char *path, *text;     /* constant */
    struct code_listing listing; /* MODELLED; free with code_listing_fini */
    char model[64];              /* the modelled GPU */
    /* By line of the text, from 0: is it other than in the file that the user's began with? NULL: it is
     * bundled. */
    const bool *changed;
    uint32_t line_count;
    bool counting; /* only `text` is there: ask again */
};

/* ---- the addresses of a warp ---- */

enum tui_space { TUI_SPACE_GLOBAL, TUI_SPACE_LOCAL, TUI_SPACE_SHARED };

struct tui_access_query {
    const char *spec;         /* the case: "copy-stride:copy,stride=8"; of a recorded kernel any text */
    const struct arch *rules; /* the rules that count */
    uint64_t block;           /* the block's number in the grid, and a warp in it */
    uint32_t warp;
    bool recorded;   /* what the model recorded of a program's kernel; the host is not asked */
    uint32_t kernel; /* row of that kernel */
    bool stated;     /* only what the workload's table states: takes microseconds, since nothing runs */
    bool background; /* do not wait: `counting` says that nothing is there yet */
    const char *own; /* the user's kernels that the case runs, as its run's params name them; NULL or "": the
                        bundled ones */
};

struct tui_access { /* one execution of one memory instruction */
    uint32_t site;  /* instructions are numbered from 0, in program order */
    uint32_t execution;
    enum tui_space space;
    bool atomic, compare_and_swap;
    bool by_rule; /* its cost follows from the rules alone; false: ptxas replaces it by another instruction */
    struct warp_access access;
    /* Sectors or wavefronts, of an atomic in global memory passes, counted by the model. */
    uint32_t counted, counted_ideal;
    /* Of an access that was recorded of a program: whose it was, and sums over all executions of the
     * instruction in the launch. requests 0: they are not known. */
    uint64_t block, all_counted, all_ideal;
    uint32_t warp, requests;
    uint32_t line;                   /* of the source; 0: not known */
    char kernel[64], place[48];      /* "transpose.cu:31" */
    char instruction[80], text[100]; /* in the PTX; in the source, "": not known */
    const char *file_text;           /* the whole source file, constant; NULL: not known */
};

struct tui_accesses {
    struct tui_access *items; /* by site, then execution; free with free() */
    uint32_t count, sites;
    uint64_t blocks; /* of the launch that has the most blocks */
    uint32_t warps;  /* of one of its blocks */
    bool cut;        /* there were more items than are kept */
    bool counting;   /* nothing is there yet: ask again */
    char model[64];
};

/* ---- the user's own kernels ---- */

struct tui_own_line {      /* what the compiler says of a line */
    uint32_t line, column; /* 0: of none; of no byte in it */
    bool warning;
    const char *text; /* valid as those of struct tui_own */
};

/* The file that is watched, and its newest version; the texts are valid until the host is called again. */
struct tui_own {
    const char *workload; /* "": no file is watched */
    const char *exercise; /* "": it is a copy of the workload's kernels */
    const char *path, *text;
    const bool *changed; /* by line, from 0: is it other than in the bundled file? */
    uint32_t line_count, changed_count;
    bool compiling;
    uint64_t made;       /* versions that were compiled, or refused, so far */
    double compile_s;    /* of the newest */
    const char *label;   /* of its runs' params; "": it was refused, or is an order */
    const char *refused; /* the sentence why; "": it was not */
    struct tui_own_line said[20];
    uint32_t said_count;
};

struct tui_own_host {
    /* Makes the user's copy of a workload's kernels, or of an exercise's that runs in this workload (NULL:
     * none), if there is none, and watches it. */
    enum status (*open)(void *context, const char *workload, const char *exercise, struct error *error);
    /* Runs the user's editor on it, which gets the terminal; waits for its end. */
    enum status (*edit)(void *context, struct error *error);
    /* Is there a version that was not run yet? */
    bool (*saved)(void *context);
    /* Compiles the newest version and runs the case with it; it does not wait. */
    enum status (*run)(void *context, const char *spec, struct error *error);
    void (*state)(void *context, struct tui_own *own);
    /* What helps with an exercise, after a run of the newest version that does not pass; "": nothing. */
    const char *(*hint)(void *context, uint32_t run);
    /* Of a goal that no metric has; NAN: not known. */
    double (*share)(void *context, uint32_t run, size_t goal);
};

/* ---- a run replayed with edits ---- */

enum tui_what_if_kind {
    TUI_WHAT_IF_OPEN,    /* the facts of the loop */
    TUI_WHAT_IF_LIST,    /* and its edits in order of gain */
    TUI_WHAT_IF_PICTURE, /* and the loop's time with some edits, drawn */
    TUI_WHAT_IF_PATH     /* the critical path in a time; asked and answered beside the other questions */
};

struct tui_what_if_question {
    enum tui_what_if_kind kind;
    uint32_t run;
    struct what_if_set set; /* of PICTURE, of the list that was given before */
    struct replay_stretch stretch;
    int64_t start_ns, end_ns; /* of PATH */
    uint32_t columns;
};

struct tui_what_if_answer {
    struct tui_what_if_question of;
    struct what_if_run row;
    int64_t after_ns;
    struct replay_picture picture;
    struct replay_line line;
};

/* ---- the host ---- */

struct readback;
struct run_verdict_share;
struct lesson_script;
struct tui_host {
    void *context;
    const struct tui_workload *workloads;
    size_t workload_count;
    /* The session to draw; changes when a new run starts a new session. Never NULL. */
    struct session *(*session)(void *context);
    /* Does a slice of the host's own work on the tui's thread (load rows); NULL if there is none. True: the
     * screen should be drawn again. */
    bool (*work)(void *context);
    void (*state)(void *context, struct tui_host_state *state);
    /* The name of a run of those that are in progress, by its number from 1 (state.planned: the last), also
     * before it starts: "n-way:2-way"; "": not known. NULL: no names are known. */
    void (*planned)(void *context, uint32_t number, char *text, size_t size_bytes);
    /* Runs "NAME:variant,param=value"; NULL if nothing can be run (a recording). The text of a failure is
     * shown to the user. */
    enum status (*run)(void *context, const char *spec, struct error *error);
    /* Ends what run() and run_lines() started, and clears their queue; false: nothing runs. NULL if these are
     * NULL. */
    bool (*stop)(void *context);
    /* Runs the case with sampling and with counts per instruction; NULL: not possible, as on the model. */
    enum status (*run_lines)(void *context, const char *spec, struct error *error);
    /* Steps the case's kernel on the model, from a line of its source on; it gets the terminal, and is waited for. With the GPU,
     * the rules and the user's kernels of that run; NONE: of none. NULL: nothing is stepped. */
    enum status (*step)(void *context, const char *spec, uint32_t run, uint32_t line, struct error *error);
    const struct tui_own_host *own; /* NULL: nothing can be run */
    /* Can this be run? If not, the error names the valid range. NULL: typed text cannot be checked. */
    enum status (*check)(void *context, const char *spec, struct error *error);
    /* The source of a kernel with the costs of its instructions on the model; NULL: not available. */
    enum status (*source)(void *context, const struct tui_source_query *query, struct tui_source *source,
                          struct error *error);
    /* The addresses of a warp's memory instructions; the caller frees them. NULL: not available. */
    enum status (*accesses)(void *context, const struct tui_access_query *query,
                            struct tui_accesses *accesses, struct error *error);
    /* Ends what is counted in the background. NULL if these are. */
    void (*stop_counting)(void *context);
    /* The tables of the session (core/sheet/sheet.h); NULL past the last. The function NULL: there are none.
     */
    const struct sheet *(*sheet_at)(size_t index);
    /* The rows of one of them, made beside the screen: *made false: they are not there yet, ask again. The
     * caller frees them with sheet_kept_fini. */
    enum status (*sheet_rows)(void *context, const struct sheet *sheet, struct sheet_kept *kept, bool *made,
                              struct error *error);
    /* Ends what sheet_rows began; NULL: it begins nothing. */
    void (*stop_sheet)(void *context);
    /* Answers a question on the replay of a run, made beside the screen: *made false: ask the same again. The
     * error is a sentence for the user. NULL: nothing is replayed. */
    enum status (*what_if)(void *context, const struct tui_what_if_question *question,
                           struct tui_what_if_answer *answer, bool *made, struct error *error);
    void (*stop_what_if)(void *context); /* ends what what_if began; NULL: it begins nothing */
    void (*stop_path)(void *context);    /* the same of PATH */
    /* Judges a run beside the screen: begins, and says at each call what there is; it stays until stop_judging. *done: it
     * has ended, and there is no more. NULL: there is no memory, and `done`. The function NULL: the screen itself judges
     * all runs. */
    const struct run_verdict_share *(*judge)(void *context, uint32_t run, bool *done);
    void (*stop_judging)(void *context); /* ends what judge began; NULL if it is */
    /* The GPU that the device model imitates if workloads run on the model; NULL: they run on a GPU. */
    const char *model;
    /* The device on which work will run, with the driver's attributes; NULL: not known. */
    const struct device_description *device;
    /* The state of the GPU with this UUID (all zeros: the first); must not block. NULL: not available, as for
     * a recording. */
    void (*health)(void *context, const uint8_t uuid[16], struct device_health *health);
    /* The options of this session that decide how a run is made, as they are typed: " --device simt --cc 8.0".
     * NULL: none. */
    const char *run_options;
    /* True: the next run uses problem sizes for a GPU, not small ones. The screen changes it. NULL: there is
     * no choice. */
    bool *full_size;
    /* A note for the user about the next run: "Problems are small: ..."; NULL: none. */
    const char *note;
    /* Saves the live recording under this path; NULL if there is none to save. */
    enum status (*keep)(void *context, const char *path, struct error *error);
    /* Saves a bookmark that has been added to the session; NULL: it is saved with the recording. The text of
     * a failure is shown to the user. */
    enum status (*bookmark)(void *context, const struct bookmark_row *row, struct error *error);
    /* Captures the process once more that is attached to. NULL: none is. */
    enum status (*attach)(void *context, struct error *error);
    /* Starts a burst of samples of the GPUs' counters now; blocks for a moment. False: no burst was started.
     * NULL: there are no bursts. */
    bool (*burst)(void *context);
    /* Reads evicted events back; NULL: they cannot be read back. */
    struct readback *readback;
    const char *glossary;               /* docs/glossary.md; NULL: it is not at hand */
    const char *title;                  /* "all.lsr", "./a.out 12" */
    const struct lesson_script *script; /* is presented; NULL: none */
    /* `session` is then this recording's, as a step of the script names it; path NULL: the live one again.
     * NULL: no recordings are opened. */
    enum status (*open)(void *context, const char *path, struct error *error);
    FILE *steps; /* the keys of the session are written to it as the steps of a lesson; NULL: no */
    bool watch;  /* only counters of a GPU over time are shown: nothing is run */
};

struct tui_options {
    bool color, ascii, mouse;
    bool transparent;  /* keep the terminal's own background: legible only if it suits the theme */
    const char *theme; /* NULL: the standard theme; with `transparent` on a light terminal: projector */
};

#endif
