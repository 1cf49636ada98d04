/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the screen: the current subject, the open views and the state of each view. Every view gets a
 * pointer to it; only update, act and mouse change it. The screen knows the views only through their tables.
 * Owner: tui_run or tui_snapshot; one thread.
 */
#ifndef TUI_FRAME_SCREEN_H
#define TUI_FRAME_SCREEN_H

#include "core/session/session.h"

#include "tui/frame/finder.h"
#include "tui/frame/host.h"
#include "tui/frame/present.h"
#include "tui/frame/run_verdicts.h"
#include "tui/frame/view.h"
#include "tui/widgets/list.h"
#include "tui/widgets/naming.h"
#include "tui/widgets/number.h"
#include "tui/widgets/prompt.h"

/* Views in the room that the panes leave on a wide screen: under the list and under the panel. Which views can be there,
 * and how many lines each would use for what is selected, is in their table; the keys stay with the panes, a click opens
 * the view. */
#define BESIDE_MAX 4

struct beside {
    const struct view *view[BESIDE_MAX];
    struct rect area[BESIDE_MAX];
    int count;
};

#define SCREEN_STACK_MAX VIEW_COUNT /* each view at most once */

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
    bool from_list; /* the focused pane is the panel because the user opened its kernel: closing it returns
                       the focus to the list */
    bool frozen, quit, repaint;
    uint32_t
        step_line; /* the debugger is to have the terminal now, at this line of the case `step_spec`; 0: it is not */
    char step_spec[512];
    uint32_t step_run; /* the run that it was; NONE: none */
    bool edits;        /* the user's editor is to have the terminal now */
    bool follows_runs; /* while live, the newest run is shown, until the user chooses another */
    uint32_t run_seen; /* the newest run of the host, and the time at which it was first seen */
    int64_t run_seen_ms;
    bool kept;                   /* the user has chosen where to keep the recording */
    bool asked;                  /* the previous key asked whether to leave without saving */
    bool pasting;                /* inside a paste: the keys were not typed */
    bool refused;                /* a filter was refused: what is typed for it is no command */
    int64_t refused_ms;          /* the time of the newest such key */
    int64_t now_ns[CLOCK_COUNT]; /* session time up to which is drawn; does not advance while frozen */
    int64_t clock_ms;            /* monotonic; the caller sets it before screen_update and before input */
    char message[1100];
    enum severity message_severity;
    char copied[1024];                    /* is to be copied to the terminal's clipboard; "": nothing */
    uint32_t notices_seen, notice_errors; /* notices looked at; errors among them */
    struct naming naming;
    struct run_verdicts verdicts;
    struct device_health health; /* of the device on display, or the reason why it is not known */
    uint32_t kernel;             /* the selected kernel; NONE */
    uint32_t run;                /* the run whose work the timeline shows; NONE: all processes */
    bool on_run;                 /* the list's selection is the run, not one of its rows */
    uint8_t part; /* enum partition_class: the list's selection is the copies, or idle time of a cause; 0: a
                     kernel; `kernel` is NONE then */
    uint32_t marked[2]; /* runs to compare, NONE if not set */
    int timeline_rows;  /* rows that the timeline needs */
    int list_rows;      /* rows that the kernel list needs */
    int panel_rows;     /* rows that the panel needs; 0: all that there are */
    struct beside beside;
    int64_t zero_ns;      /* the time that is shown as 0: the start of the run's work, or 0 */
    bool dragging;        /* the mouse is being dragged in the timeline */
    struct mouse clicked; /* the newest click, and its time */
    int64_t clicked_ms;
    struct prompt prompt;
    struct present present;          /* of a lesson; nothing, unless the options have one */
    struct finder finder;            /* used while the prompt's purpose is PROMPT_FIND */
    const struct view *const *views; /* by enum view_id */
    void *view_state[VIEW_COUNT];    /* the state of each view; NULL: the view has none */
};

/* `views` has VIEW_COUNT tables, by enum view_id. */
enum status screen_init(struct screen *screen, const struct view *const *views, const struct tui_host *host,
                        const struct tui_options *options, struct error *error);
void screen_fini(struct screen *screen);

/* Reads new data from the session and the host, for a screen of this size. */
void screen_update(struct screen *screen, int width, int height);
/* Does a slice of the remaining work of the current view; false: there was none. */
bool screen_work(struct screen *screen);
void screen_draw(const struct screen *screen, struct canvas *canvas);
void screen_key(struct screen *screen, uint32_t key);
void screen_mouse(struct screen *screen, const struct mouse *mouse);

#define REFUSED_MS 2000 /* a word for a filter is typed with shorter pauses */

/* Is a word being typed for a filter that the view does not have? It is no command. */
static inline bool screen_refuses_word(const struct screen *screen)
{
    return screen->refused && screen->clock_ms - screen->refused_ms < REFUSED_MS;
}

/* ---- for the views ---- */
void screen_open(struct screen *screen, enum view_id view);
/* The full view that is shown; NULL: the panes are shown. */
const struct view *screen_top(const struct screen *screen);
/* Does this view get the keys, as the one on top? Else it is not shown, or beside the panes. */
static inline bool screen_has_open(const struct screen *screen, enum view_id view)
{
    return screen_top(screen) == screen->views[view];
}
/* Does the view on top show this warning or error itself? */
static inline bool screen_says(const struct screen *screen, const char *trouble)
{
    const struct view *top = screen_top(screen);
    return top && top->says && top->says(screen, trouble);
}
/* The view that an action opens; NULL: the action opens none. */
const struct view *screen_view_of(const struct screen *screen, enum action action);
/* The view that receives the keys: the open view, or the pane with the focus. */
const struct view *screen_focused(const struct screen *screen);
void screen_close(struct screen *screen); /* the outermost view: quits, but asks if runs would be lost */
/* Is there no view below the one that is shown? */
bool screen_is_outermost(const struct screen *screen);
/* Closes all views, so that timeline, kernels and panel are visible. */
void screen_show_panes(struct screen *screen);
/* Uses the text that was typed into the prompt. */
void screen_take_typed(struct screen *screen, enum prompt_result result);
/* list_mouse, and a double click on a row does the same as ENTER. */
void screen_list_mouse(struct screen *screen, struct list *list, const struct mouse *mouse, int line);
/* Clears the filter of the focused view; false: it has none. */
bool screen_clear_filter(struct screen *screen);
void screen_message(struct screen *screen, enum severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Starts a run; false: it cannot be started, and a message says why. */
bool screen_start(struct screen *screen, const char *spec);
/* Starts a run and shows it in the panes. */
void screen_run(struct screen *screen, const char *spec);
/* Selects a kernel in all views. */
void screen_select_kernel(struct screen *screen, uint32_t kernel);
/* Selects a kernel in all views, and clears a filter or a chosen run that would hide it. */
void screen_show_kernel(struct screen *screen, uint32_t kernel);
/* The main kernel of a run: the one whose useful bytes are known, else the one that took the most time; NONE:
 * no kernel. */
uint32_t screen_kernel_of_run(const struct screen *screen, uint32_t run);
bool screen_run_is_of(const struct screen *screen, uint32_t run, const char *workload);
/* What a key is about: all of it, or only its kernel (NONE), its run (NONE), its workload (""). */
struct subject screen_subject(const struct screen *screen);
uint32_t screen_kernel_looked_at(const struct screen *screen);
uint32_t screen_run_looked_at(const struct screen *screen);
const char *screen_workload_looked_at(const struct screen *screen);
/* For a view: sets the subject's kernel (or NONE), and its run. */
void subject_set_kernel(struct subject *subject, const struct screen *screen, uint32_t kernel);

/* Can workloads be run, and was none run yet? The focused pane then fills the screen. */
bool screen_can_begin(const struct screen *screen);
/* The message of a view that has nothing to show: `text`, or before the first run how to start one. */
const char *screen_why_empty(const struct screen *screen, const char *text);

/* The device on display: the selected kernel's, else the first; NULL: none is known yet. */
const struct device_row *screen_device(const struct screen *screen);

/* The limits of that device's compute capability; those of an H200 if it is not known. */
const struct arch *screen_arch(const struct screen *screen);

/* The name of the model that the numbers on the screen come from: the device of the run shown, or before the
 * first run that of the next one. NULL: the numbers are measured. */
const char *screen_model(const struct screen *screen);

/* The name of a run: "copy-offset:offset offset=3", or the program. */
void screen_run_name(const struct screen *screen, uint32_t run, char *text, size_t size_bytes);
/* Is the run of this live session still in progress? Until it has ended no verdict is shown. */
bool screen_run_runs(const struct screen *screen, uint32_t run);
/* The mark that shows whether a run's result was verified. */
enum glyph screen_run_mark(const struct run_row *run, struct style *style);

/* The clock of the run shown: all times of an axis use one clock. */
enum clock_kind screen_clock(const struct screen *screen);

#endif
