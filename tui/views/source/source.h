/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel's source and its instructions with the cost of each, and the line that costs the most. There are
 * two sides: MEASURED, from the session's PC samples and SASS counts, and MODELLED, from the host, which runs
 * the kernel on the device model and counts its PTX. Each column belongs to one side and names it. Part of
 * the screen; the tui's thread.
 */
#ifndef TUI_VIEWS_SOURCE_SOURCE_H
#define TUI_VIEWS_SOURCE_SOURCE_H

#include "core/analysis/code_costs.h"
#include "tui/frame/host.h"
#include "tui/frame/screen.h"
#include "tui/terminal/canvas.h"
#include "tui/widgets/list.h"

#include <stdbool.h>
#include <stdint.h>

enum source_shape { SOURCE_LINES, SOURCE_FOLDED, SOURCE_INSTRUCTIONS, SOURCE_SHAPE_COUNT };

/* The cost by which lines are ranked; `moved` is code_steps. id, words */
#define SOURCE_COST_LIST(X)                            \
    X(SAMPLES, "samples")                              \
    X(MOVED, "sectors and wavefronts")                 \
    X(INSTRUCTIONS, "warp instructions")               \
    X(SECTORS, "sectors of global memory")             \
    X(EXCESS_SECTORS, "sectors above the ideal")       \
    X(WAVEFRONTS, "wavefronts of shared memory")       \
    X(EXCESS_WAVEFRONTS, "wavefronts above the ideal") \
    X(PASSES, "passes of atomics in the L2 cache")
#define SOURCE_COST_ENUM(id, words) SOURCE_BY_##id,
enum source_cost { SOURCE_COST_LIST(SOURCE_COST_ENUM) SOURCE_COST_COUNT };
#undef SOURCE_COST_ENUM
const char *source_cost_text(enum source_cost cost);

struct source_side {
    struct code_listing listing;
    struct code_lines lines;
    bool known;
    bool small;  /* the host ran the case at small size */
    char of[64]; /* the device */
};

struct source_line {
    const char *file, *text;          /* the line's text ends at the next newline; NULL: not available */
    uint32_t line;                    /* from 1; 0: a heading, with its words in `text` */
    uint32_t place;                   /* an instruction of the side shown; NONE: the row is a line */
    uint32_t lines[PROVENANCE_COUNT]; /* in each side; NONE: no instruction comes from the line */
};

struct source_view {
    uint32_t kernel;
    const struct session *session; /* whose kernel it is */
    bool counting;                 /* the model counts in the background */
    bool wants_modelled;     /* its counts were asked for meanwhile: they are shown when they are there */
    const char *path, *text; /* the file that contains most of the kernel; text NULL: not available */
    const char *file_text;   /* the host's text, of its own file */
    const char *host_path;
    const bool *changed; /* by line of the host's text, from 0, as struct tui_source */
    uint32_t changed_count;
    struct source_side sides[PROVENANCE_COUNT];
    enum provenance shown;
    enum source_shape wanted, shape; /* without lines only instructions can be shown */
    enum source_cost cost;
    bool cost_chosen; /* by the user: data that arrives later does not change it */
    struct source_line *rows;
    size_t capacity;
    bool *open; /* FOLDED: for each line of the side shown, whether its instructions are listed */
    size_t open_count;
    enum provenance opened; /* the side that `open` belongs to */
    int worst;              /* row, or -1 */
    double total;           /* cost of all rows */
    uint64_t state;
    int64_t made_ms;
    char search[64];
    int left;      /* cells by which the texts are scrolled to the left */
    char why[240]; /* what is missing, and how to get it; "": nothing */
    struct list list;
};

static inline struct source_view *source_state(const struct screen *screen)
{
    return screen->view_state[VIEW_SOURCE];
}

static inline bool source_is_heading(const struct source_line *row)
{
    return row->place == NONE && row->line == 0;
}

/* Is it a line that the user has changed? */
bool source_row_is_changed(const struct source_view *view, const struct source_line *row);
/* The cost of a row, by the chosen cost. */
double source_row_cost(const struct source_view *view, const struct source_line *row);
/* The cost of a line or place, by `cost`. */
double source_cost_of(const double costs[CODE_COST_COUNT], enum source_cost cost);
/* The costs of a row on a side; NULL: the side has none. */
const double *source_row_costs(const struct source_view *view, const struct source_line *row,
                               enum provenance side);
/* The stall reasons of a row, most samples first. */
uint32_t source_row_reasons(const struct source_view *view, const struct source_line *row,
                            struct code_reason reasons[CODE_REASONS_MAX]);
bool source_has_cost(const struct source_view *view, enum source_cost cost);

/* Gets the model's listing of a kernel row of a bundled workload, which takes a tenth of a second and more;
 * the caller then owns source->listing. background: does not wait, and sets source->counting until it is
 * there. Else the error says why there is none; STATUS_STATE if there cannot be one. */
enum status source_of_model(const struct screen *screen, uint32_t kernel, bool background,
                            struct tui_source *source, struct error *error);

/* Opens the source of the current kernel, or shows a message if there is none. */
void source_open(struct screen *screen);
/* While the model counts: waits a moment, then takes the counts if they are there. */
bool source_work(struct screen *screen);
/* Reads new data from the session; keeps the selected line. */
void source_update(struct screen *screen);
/* Shows a side that is known, in the wanted shape if the side has lines. */
void source_show(struct source_view *view, const struct screen *screen, enum provenance side);
void source_rows_make(struct source_view *view, const struct session *session);
void source_choose_cost(struct source_view *view, enum source_cost cost);
/* Selects the row with the next lower cost (by > 0), the next higher cost, or the highest (0). */
void source_jump(struct source_view *view, int by);
/* Moves to the next (by > 0) or previous row that contains the text. False: no row has it. */
bool source_search(struct source_view *view, int by);
/* Moves to the next row that contains the text; "" ends the search. */
void source_search_for(struct screen *screen, const char *text);
/* Copies the first line of `text`, from cell `left` on, with tabs as blanks; terminated. */
void source_text_line(const char *text, int left, char *line, size_t size_bytes);
void source_fini(struct source_view *view);

/* ---- columns of the page ---- */

/*
 * The columns of the source page: those that fit in a width, the most important first; each belongs to one
 * side, and costs that were not counted have no column. Pure except for what it paints.
 */

#define SOURCE_COLUMNS_MAX 24

struct source_column {
    uint8_t kind; /* private to view_source.c */
    uint8_t side; /* enum provenance */
    uint8_t cost; /* enum code_cost */
    uint8_t width;
};

struct source_columns {
    struct source_column columns[SOURCE_COLUMNS_MAX]; /* in the order shown */
    int count, width;
    bool both_names; /* of a reason for waiting: ours and ncu's */
    bool both;       /* columns of both sides: a line above the headings then names the sides */
};

struct source_columns source_columns_of(const struct source_view *view, int width);
/* Draws the headings, and if both sides are shown, a line above them with the sides. */
void source_columns_draw_heads(const struct source_view *view, const struct source_columns *columns,
                               struct canvas *canvas, int x, int y);
void source_columns_draw(const struct source_view *view, const struct source_columns *columns,
                         struct canvas *canvas, int x, int y, const struct source_line *row,
                         struct style style);

#endif
