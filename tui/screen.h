/*
 * The state of the screen: what is looked at, how, and what each view has prepared. Every view gets it; only
 * update, act and mouse change it. Owner: tui_run or tui_snapshot; one thread.
 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "core/advice.h"
#include "core/amdahl.h"
#include "core/device_sheet.h"
#include "core/kernel_metrics.h"
#include "core/lod.h"
#include "core/overlap.h"
#include "core/session.h"

#include "tui/array.h"
#include "tui/axis.h"
#include "tui/chart.h"
#include "tui/compare.h"
#include "tui/detail.h"
#include "tui/host.h"
#include "tui/kernel_gains.h"
#include "tui/lab.h"
#include "tui/lane_map.h"
#include "tui/list.h"
#include "tui/naming.h"
#include "tui/number.h"
#include "tui/occupancy.h"
#include "tui/prompt.h"
#include "tui/range.h"
#include "tui/roofline.h"
#include "tui/run_names.h"
#include "tui/run_verdicts.h"
#include "tui/source.h"
#include "tui/timeline.h"
#include "tui/timeline_charts.h"
#include "tui/view.h"

#define SCREEN_STACK_MAX 16 /* each view at most once */
#define SCREEN_OPEN_MAX 64

/* ---- timeline ---- */
enum cell_shape {
    CELL_EMPTY,
    CELL_FULL,
    CELL_LEFT,  /* filled from the left edge to `eighths` */
    CELL_RIGHT, /* filled from the right edge */
    CELL_SPLIT, /* two events: `color` to `eighths`, `color2` from there on */
    CELL_LEVEL, /* several folded into the cell: busy for `eighths` of the time */
    CELL_OPEN,  /* a launch that has not ended */
    CELL_CHART  /* of a chart: filled from below to `eighths`; mark '\'': the highest sample ends here, '_': 0
                 */
};

#define OWNER_HEADING 15u /* no item's look has it */
struct timeline_cell {
    uint8_t shape, eighths, color, color2;
    uint32_t count;         /* events that begin in it */
    char mark;              /* a kernel's letter, '>' to the device, '<' to the host, ... */
    uint32_t owner;         /* equal for cells of the same thing */
    struct event_ref event; /* the longest here */
};

struct timeline_readout { /* what lies under the cursor */
    bool found, exact;    /* exact: it starts where the cursor is, be it not the longest */
    uint32_t track;
    uint64_t count; /* events that start in the cursor's column */
    int64_t busy_ns, column_ns;
    struct event_ref event; /* the longest of them */
    int64_t start_ns, end_ns;
    struct item item;
    struct timeline_chart_readout chart;
    double streams, engines; /* a heading's: streams and copy engines busy on average */
};

#define ZOOM_HISTORY_MAX 32
struct timeline {
    struct window window, history[ZOOM_HISTORY_MAX];
    struct window undone[ZOOM_HISTORY_MAX]; /* gone back from */
    int history_count, undone_count;
    bool fitted, follow, cpu_rows, dragging;
    bool follow_whole;        /* following, and all there is fits */
    bool settled;             /* following, but the run shown has ended: all of it is shown, ... */
    struct window settled_on; /* ... which was this; the rest of a recording may be still to come */
    int drag_x;
    struct window drag_window;
    int64_t cursor_ns;
    uint32_t run;         /* whose work is shown; NONE: of all processes */
    struct window extent; /* of all its work */
    struct list rows_list;
    struct row_choices choices[ROW_KIND_COUNT];
    struct timeline_groups groups;
    struct timeline_filter filter, find; /* what is shown, what is looked for */
    int64_t mark_ns[2];                  /* measured between them */
    bool marked[2];
    uint32_t select_track; /* to be selected as soon as it has a row; NONE: none */
    uint32_t select_group; /* the same of a heading or chart, of select_kind */
    uint8_t select_kind;
    struct timeline_charts charts;
    /* prepared */
    struct timeline_row *rows;
    size_t row_capacity;
    int pinned, hidden; /* rows kept at the top; tracks hidden */
    int columns, label_width, cell_rows;
    struct timeline_cell *cells; /* cell_rows x columns, of the rows from rows_list.top on */
    size_t cell_capacity;
    struct lod_column *scratch; /* columns, or 2 x columns for the minimap */
    size_t scratch_capacity;
    uint8_t *minimap;             /* 2 x columns, 0...4 */
    struct window minimap_extent; /* what it was made for */
    uint64_t minimap_events;
    int minimap_columns;
    size_t minimap_tracks; /* and charts */
    uint32_t minimap_run;
    int64_t minimap_ms;
    size_t minimap_capacity;
    struct timeline_readout readout;
    struct timeline_link link;
    struct open_launch open[SCREEN_OPEN_MAX];
    size_t open_count;
};

/* ---- kernels ---- */
enum kernel_sort {
    SORT_TOTAL,
    SORT_GAIN,
    SORT_CALLS,
    SORT_MEDIAN,
    SORT_MIN,
    SORT_MAX,
    SORT_NAME,
    SORT_RUN,
    SORT_COUNT
};

struct kernel_item {
    uint32_t kernel, run;
    uint64_t launches, total_ns, min_ns, max_ns;
    int64_t typical_ns; /* of a launch: the median; -1: not known */
    const char *name;   /* the session's string */
    double gain_ns;   /* of all launches, at most; only while the list is sorted by it */
};

struct kernel_list {
    struct list list;
    struct kernel_item *items;
    size_t capacity;
    uint64_t total_ns[CLOCK_COUNT]; /* of all items, by their clock */
    uint32_t selected_kernel;       /* stays selected while the list is sorted anew */
    enum kernel_sort sort;
    bool reverse;
    char filter[FILTER_SIZE];
    uint32_t scope_group; /* only runs of this group; NONE: all */
    uint32_t hidden;      /* by the filter */
    bool one_run;         /* all items are of one run, which need not be named */
    struct run_names names;
    int name_cells;               /* of the widest kernel's name */
    int run_cells, variant_cells; /* of what is essential of a run, and with its variant */
    uint32_t modelled;            /* items whose times are the model's */
    struct kernel_gains gains;
};

/* ---- panel ---- */
struct panel_line {
    enum metric metric;
    struct kernel_statistic value[PROVENANCE_COUNT];
};

struct panel {
    struct list list;
    uint32_t kernel;
    uint64_t launches, measured; /* for which the lines were made */
    int64_t made_ms;
    struct panel_line lines[METRIC_COUNT];
    /* What the list shows: a metric, or a group's heading (METRIC_COUNT + group); groups that say something
     * come first. */
    int rows[METRIC_COUNT + METRIC_GROUP_COUNT];
    int row_count;
    bool has[PROVENANCE_COUNT]; /* a column has at least one value */
    char filter[FILTER_SIZE];   /* only metrics that hold this text */
    char headline[240];
    char whole_name[400];         /* with namespaces and template arguments; empty: it has none */
    enum provenance own;          /* what the kernel's device gives: MODELLED or MEASURED */
    struct code_listing modelled; /* of kernel modelled_of: names the lines that advice is about */
    uint32_t modelled_of;         /* NONE: not asked for yet */
    int64_t chosen_ms;            /* since when the kernel is the one looked at */
    bool wrong;                   /* the headline says that the result is wrong */
    bool uncounted;               /* it says that nothing was counted, and what does */
    uint32_t traced;              /* the run that times the kernel; NONE: there is none */
    struct run_verdict run;       /* on that one */
    struct advice_list advice;    /* else it is the first of these, or says that there is none */
};

void panel_fini(struct panel *panel);
void panel_filtered(struct panel *panel); /* its filter is another one */

/* ---- other views ---- */
struct run_list {
    struct list list;
    struct run_names names;
    uint32_t *runs;
    size_t capacity;
};

struct workload_list {
    struct list list;
    size_t *shown; /* indices that pass the filter */
    size_t capacity;
    char filter[FILTER_SIZE];
    char looked_for[FILTER_SIZE]; /* the filter that the selected one was chosen for */
};

/* ---- Amdahl ---- */
struct amdahl_view {
    struct list list;
    struct amdahl law;
    uint32_t run;      /* it is of; NONE: none */
    uint32_t followed; /* the kernel row that was selected when the list was last looked at */
    uint64_t state;    /* of the run, when the law was made */
    int64_t made_ms;
    bool of_run; /* narrow screens: of the run's span with its set-up, not of the device time */
    char error[160];
};
void amdahl_view_fini(struct amdahl_view *view);

/* ---- device sheet ---- */
#define DEVICE_LINES_MAX (SHEET_ROWS_MAX + SHEET_GROUP_COUNT + 1 + HEALTH_COUNT + HEALTH_PROCESSES_MAX)

struct device_view {
    struct list list;
    struct device_description device;
    struct sheet_row rows[SHEET_ROWS_MAX];
    size_t row_count;
    struct device_line {
        uint8_t kind, index; /* the view's: a heading, a property, a sensor, a process */
    } lines[DEVICE_LINES_MAX];
    int line_count;
    bool known; /* there is a device */
};

/* ---- overlap ---- */
#define OVERLAP_LINES_MAX (12 + SERIAL_COUNT + OVERLAP_WAITS_MAX)

#define OVERLAP_SLICE 16384u /* events or operations between two frames, some 2 ms */

struct overlap_view {
    struct list list;
    struct overlap_job *job; /* what is being made; NULL: nothing is */
    uint64_t operations;     /* of the range, about */
    bool made, marked; /* made: what is shown is of what was asked for; marked: the range lies between the
                          timeline's marks */
    /* What was asked for last. */
    bool asked;
    struct window range;
    uint32_t run;
    uint64_t events; /* of the session then */
    uint64_t detail; /* struct detail's changes, then */
    int64_t made_ms;
    struct overlap overlap;
    char why[1100]; /* there is nothing to show; "": there is */
    struct overlap_line {
        uint8_t kind, index; /* the view's: a sum, a reason, a wait */
    } lines[OVERLAP_LINES_MAX];
    int line_count;
};

struct screen {
    const struct tui_host *host;
    struct tui_options options;
    const struct theme *theme;
    struct session *session;
    struct tui_host_state state;
    int width, height;
    struct layout layout;
    enum pane focus;
    const struct view *stack[SCREEN_STACK_MAX]; /* full views over the panes */
    int stack_count;
    bool maximised; /* the focused pane fills the body */
    bool from_list; /* it is the panel, since its kernel was opened: closed, the list has the keys again */
    bool frozen, quit, repaint;
    bool kept;                   /* the user has said where the recording is to be kept */
    bool asked;                  /* whether to leave without: the key before did */
    bool pasting;                /* what comes is no key that somebody pressed */
    int64_t now_ns[CLOCK_COUNT]; /* session time that is drawn; stands still while frozen */
    int64_t clock_ms;            /* monotonic, set by the caller before screen_update */
    char message[1100];
    enum severity message_severity;
    uint32_t notices_seen, notice_errors; /* of the session's notices: looked at; errors among them */
    struct naming naming;
    struct timeline timeline;
    struct detail detail; /* of the timeline that has left memory */
    struct kernel_list kernels;
    struct panel panel;
    struct run_list runs;
    struct run_verdicts verdicts;
    struct workload_list workloads;
    struct lab lab;
    struct device_view device;
    struct overlap_view overlap;
    struct range_view range;
    struct amdahl_view amdahl;
    struct occupancy_view occupancy;
    struct roofline_view roofline;
    struct lane_map lane_map;
    struct device_health health; /* of the device shown, or why it is not known */
    uint32_t marked[2];          /* runs to compare, NONE where there is none */
    struct compare compare;
    struct chart chart;
    struct source_view source;
    struct list notices, help;
    struct prompt prompt;
};

enum status screen_init(struct screen *screen, const struct tui_host *host, const struct tui_options *options,
                        struct error *error);
void screen_fini(struct screen *screen);

/* Take in what is new in the session and at the host, for a screen of this size. */
void screen_update(struct screen *screen, int width, int height);
/* A slice of work that the view shown still has; false: it had none. */
bool screen_work(struct screen *screen);
void overlap_forget(struct overlap_view *view); /* all of it, since the session has gone */
void screen_draw(const struct screen *screen, struct canvas *canvas);
void screen_key(struct screen *screen, uint32_t key);
void screen_mouse(struct screen *screen, const struct mouse *mouse);

/* ---- for the views ---- */
void screen_open(struct screen *screen, const struct view *view);
void screen_close(struct screen *screen); /* the outermost: leaves, but asks before runs are lost */
/* Is there nothing below what is shown? */
bool screen_is_outermost(const struct screen *screen);
/* Away with all views, so that timeline, kernels and panel are seen. */
void screen_show_panes(struct screen *screen);
/* Take what was typed into the prompt. */
void screen_take_typed(struct screen *screen, enum prompt_result result);
/* Away with the filter of what has the keys; false: it has none. */
bool screen_clear_filter(struct screen *screen);
void screen_message(struct screen *screen, enum severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Start a run; false: it cannot be, and the message says why. */
bool screen_start(struct screen *screen, const char *spec);
/* The same, and show it on the panes. */
void screen_run(struct screen *screen, const char *spec);
/* Make a kernel the selected one, wherever that shows. */
void screen_select_kernel(struct screen *screen, uint32_t kernel);
/* The same, though a filter or a chosen run would hide it: they go. */
void screen_show_kernel(struct screen *screen, uint32_t kernel);
/* The kernel that a run is about: the one whose useful bytes are known, else what took most time. NONE. */
uint32_t screen_kernel_of_run(const struct screen *screen, uint32_t run);
bool screen_run_is_of(const struct screen *screen, uint32_t run, const char *workload);
/* What a key is about: the kernel, run (NONE) and workload ("") of the view that has the keys. */
uint32_t screen_kernel_looked_at(const struct screen *screen);
uint32_t screen_run_looked_at(const struct screen *screen);
const char *screen_workload_looked_at(const struct screen *screen);

/* What a view says that has nothing to show: `text`, or before the first run how to begin one. */
const char *screen_why_empty(const struct screen *screen, const char *text);

/* The device of what is shown: the selected kernel's, else the first; NULL: none is known yet. */
const struct device_row *screen_device(const struct screen *screen);

/* What that one's compute capability allows; an H200's where it is not known. */
const struct arch *screen_arch(const struct screen *screen);

/* What the numbers on the screen are modelled on: the device of the run shown, or before any run what the
 * host's will be. NULL: they are measured. */
const char *screen_model(const struct screen *screen);

/* "copy-offset:offset offset=3", or the program; of a run. */
void screen_run_name(const struct screen *screen, uint32_t run, char *text, size_t size_bytes);
/* The mark of a run that says whether its result was verified. */
enum glyph screen_run_mark(const struct run_row *run, struct style *style);

/* The clock of the timeline's run: one axis, one clock. */
enum clock_kind timeline_clock(const struct screen *screen);

/* The timeline's own parts, shared by its files. */
struct timeline_parts { /* lines of the pane; -1 where there is no room */
    struct rect inside;
    int axis, rows, row_count, minimap, readout;
};
struct timeline_parts timeline_parts_of(struct rect area);
void timeline_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);
void timeline_draw_label(const struct screen *screen, struct canvas *canvas, int x, int y,
                         const struct timeline_row *row, bool selected);
void timeline_fini(struct timeline *timeline);
void timeline_show_run(struct screen *screen, uint32_t run);
/* Does the window move with the newest events? Not once the run shown has ended: then all of it is shown. */
bool timeline_follows(const struct screen *screen);
void timeline_rows_make(struct screen *screen, int height); /* rows and their list */
void timeline_cells_make(struct screen *screen);            /* cells, minimap and read-out */
struct window timeline_extent(const struct screen *screen);
/* Between the marks, in whatever order they were set; else what is shown. */
struct window timeline_range(const struct timeline *timeline, bool *marked);
/* lod_query of the events that are shown. */
void timeline_query(struct screen *screen, uint32_t track, uint32_t lane, struct window window,
                    struct lod_column *columns, size_t count);
void timeline_item_look(const struct screen *screen, const struct item *item, struct timeline_cell *cell);
void timeline_item_text(const struct screen *screen, const struct item *item, int64_t duration_ns, char *text,
                        size_t size_bytes);
/* Where that is which has left memory: "in the recording". */
const char *timeline_detail_text(const struct screen *screen);
/* The name alone: "copy host to device". */
void timeline_item_name(const struct screen *screen, const struct item *item, char *text, size_t size_bytes);
/* Equal for events of the same name. */
uint64_t timeline_name_of(const struct session *session, const struct item *item);
#endif
