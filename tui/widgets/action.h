/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user can do: one table with an id, the keys and the help of every action. Bindings, the help
 * screen, the key hints and the manual come from it. Static data, any thread.
 */
#ifndef TUI_WIDGETS_ACTION_H
#define TUI_WIDGETS_ACTION_H

#include "tui/terminal/key.h"

#include <stdbool.h>
#include <stdio.h>

/* id, section, keys (0: none), hint in the key bar ("": none), help */
#define ACTION_LIST(X)                                                                                      \
    X(UP, MOVE, 'k', CODE_UP, "", "one row up; chart: the previous metric")                                 \
    X(DOWN, MOVE, 'j', CODE_DOWN, "", "one row down; chart: the next metric")                               \
    X(LEFT, MOVE, 'h', CODE_LEFT, "",                                                                       \
      "timeline: cursor left; lab, lane map, occupancy: smaller; chart, source: left")                      \
    X(RIGHT, MOVE, 'l', CODE_RIGHT, "",                                                                     \
      "timeline: cursor right; lab, lane map, occupancy: larger; chart, source: right")                     \
    X(PAGE_UP, MOVE, CODE_PAGE_UP, KEY_CONTROL('b'), "", "a page up")                                       \
    X(PAGE_DOWN, MOVE, CODE_PAGE_DOWN, KEY_CONTROL('f'), "", "a page down")                                 \
    X(HOME, MOVE, 'g', CODE_HOME, "", "to the first row; timeline: to the start")                           \
    X(END, MOVE, 'G', CODE_END, "", "to the last row; timeline: to the end")                                \
    X(NEXT_PANE, MOVE, KEY_TAB, 0, "pane", "to the next pane; chart: to the next workload")                 \
    X(PREVIOUS_PANE, MOVE, CODE_BACKTAB, 0, "", "to the previous pane")                                     \
    X(OPEN, MOVE, KEY_RETURN, 0, "open", "open what is selected: a kernel, a run, a workload")              \
    X(NEXT, MOVE, 'n', 0, "next",                                                                           \
      "next event (that matches a search), sample or row; source: next costly line")                        \
    X(PREVIOUS, MOVE, 'N', 0, "", "to the previous event or row")                                           \
    X(PAN_LEFT, TIME, 'H', CODE_SHIFT_LEFT, "", "half a screen to the left")                                \
    X(PAN_RIGHT, TIME, 'L', CODE_SHIFT_RIGHT, "", "half a screen to the right")                             \
    X(ZOOM_IN, TIME, '+', '=', "zoom", "zoom in at the cursor")                                             \
    X(ZOOM_OUT, TIME, '-', '_', "out", "zoom out at the cursor")                                            \
    X(FIT, TIME, '0', 0, "fit", "show all of the run")                                                      \
    X(UNDO_ZOOM, TIME, 'u', 0, "undo", "the previous time range; occupancy: the kernel's values")           \
    X(REDO_ZOOM, TIME, 'U', 0, "", "the next time range, after u")                                          \
    X(FOLLOW, TIME, 'f', 0, "follow", "live: follow the newest events until you pan")                       \
    X(FREEZE, TIME, KEY_SPACE, 0, "freeze", "freeze the screen; collection and recording continue")         \
    X(CPU_ROWS, TIME, 'c', 0, "CPU", "show or hide the CPU: API calls, waits, profiling overhead")          \
    X(ZERO, TIME, 'Z', 0, "zero", "count times from the start of the run's work, or of the session")        \
    X(NUDGE_LEFT, TIME, '<', 0, "", "a few columns to the left")                                            \
    X(NUDGE_RIGHT, TIME, '>', 0, "", "a few columns to the right")                                          \
    X(RUN_PREVIOUS, TIME, '(', 0, "", "show the previous run of a workload")                                \
    X(RUN_NEXT, TIME, ')', 0, "", "show the next run of a workload")                                        \
    X(FROM, TIME, '[', 0, "", "set or clear the start mark of a measured range")                            \
    X(TO, TIME, ']', 0, "", "set or clear its end mark; the title shows the range in ns")                   \
    X(BOOKMARK, TIME, 'B', 0, "bookmark",                                                                   \
      "store the time of the cursor in the recording as a bookmark; asks for a name")                       \
    X(BOOKMARK_NEXT, TIME, '\'', 0, "", "to the next bookmark")                                             \
    X(BOOKMARK_PREVIOUS, TIME, '"', 0, "", "to the previous bookmark")                                      \
    X(BURST, TIME, 'b', 0, "burst", "with --burst: sample the GPU's counters in a burst now")               \
    X(LONGEST, TIME, 'M', 0, "longest",                                                                     \
      "to the longest event, a chart's highest sample, a source's costliest line")                          \
    X(SAME_NEXT, TIME, '*', 0, "", "to the next event of the same name, in any row")                        \
    X(SAME_PREVIOUS, TIME, '#', 0, "", "to the previous event of the same name")                            \
    X(OTHER_END, TIME, '%', 0, "", "from an API call to its kernel or copy, and back")                      \
    X(PATH, TIME, '&', 0, "path", "the critical path of the run: what its end depends on; again: hide it")  \
    X(ONLY, TIME, 'F', 0, "only", "show only events that match: gemm >10us stream=13 counter=dram")         \
    X(FOLD, TIME, 'z', 0, "fold",                                                                           \
      "fold or unfold a device, a process, lanes, a line, a sweep, equal rows; a chart: 1 to 4 lines")      \
    X(HIDE, TIME, 'i', 0, "", "hide the row")                                                               \
    X(SHOW_HIDDEN, TIME, 'I', 0, "", "show all hidden rows again")                                          \
    X(ROW_UP, TIME, 'K', 0, "", "move the row up")                                                          \
    X(ROW_DOWN, TIME, 'J', 0, "", "move the row down")                                                      \
    X(PIN, TIME, 'P', 0, "", "pin the row to the top, or unpin it")                                         \
    X(FILTER, LIST, '/', 0, "filter", "list, chart: filter by a text; timeline, source: find")              \
    X(SORT, LIST, 's', 0, "sort", "sort by the next column; chart: the next axis; source: the next cost")   \
    X(REVERSE, LIST, 'S', 0, "reverse",                                                                     \
      "reverse the order; comparison: swap the two runs; source: the previous cost")                        \
    X(RUNS, VIEW, 'r', 0, "runs", "the runs of this session: choose one to show")                           \
    X(WORKLOADS, VIEW, 'w', 0, "workloads", "the bundled workloads: choose one to run")                     \
    X(AMDAHL, VIEW, 'a', 0, "Amdahl", "Amdahl's law: the gain of the whole run from a faster kernel")       \
    X(ROOFLINE, VIEW, 'R', 0, "roofline", "roofline: how close each kernel is to the limits of the device") \
    X(LANES, VIEW, 'A', 0, "lanes", "lane map: the addresses of the 32 lanes of a warp")                    \
    X(OCCUPANCY, VIEW, 'C', 0, "occupancy", "occupancy calculator: block size, registers, shared memory")   \
    X(DEVICE, VIEW, 'd', 0, "device", "the device: properties, limits, health")                             \
    X(EDIT, VIEW, 'e', 0, "lab", "lab: set the parameters of a workload, run it, read its lesson")          \
    X(ANSWER, VIEW, '!', 0, "answer", "lab: show or hide the answer to the question of the lesson")         \
    X(GLOSSARY, VIEW, 'Y', 0, "", "the glossary: what the terms of screens and lessons mean")               \
    X(STEP, VIEW, '$', 0, "", "with --write-steps: end the step of the lesson, and begin the next")         \
    X(SOURCE, VIEW, 'v', 0, "source", "the kernel's source and instructions, and the cost of each")         \
    X(STEPPER, VIEW, '@', 0, "step",                                                                        \
      "source: step a warp from this line on, forward and back, on the device model")                       \
    X(OWN, VIEW, 'E', 0, "edit",                                                                            \
      "lab, workloads: edit your copy of the kernels; each save is compiled, checked and run")              \
    X(GENERATIONS, VIEW, '^', 0, "GPUs",                                                                    \
      "lab: run the case on every modelled GPU, from the oldest on, and chart it")                          \
    X(STOP, VIEW, KEY_CONTROL('k'), 0, "stop",                                                              \
      "end the current run and the runs queued after it; attached: end the capture, or begin another")      \
    X(SIDE, VIEW, 'V', 0, "", "source: switch between measured and modelled counts")                        \
    X(LINES, VIEW, 'D', 0, "count", "run the case again, to sample and count each instruction on the GPU")  \
    X(PLOT, VIEW, 'p', 0, "plot", "chart: a metric over the parameter that was swept")                      \
    X(SCALE, VIEW, 'y', 0, "scale",                                                                         \
      "chart: linear, logarithmic, share of each series' best; table: copy the cell")                       \
    X(MARK, VIEW, 'x', 0, "mark", "mark the run shown, to compare it with another")                         \
    X(COMPARE, VIEW, 'X', 0, "compare",                                                                     \
      "two runs side by side: the marked ones, or this and the previous one")                               \
    X(OVERLAP, VIEW, 'o', 0, "overlap", "overlap in the time shown or marked: what waited, and why")        \
    X(STATISTICS, VIEW, 'T', 0, "statistics",                                                               \
      "statistics of the time shown or marked: events and times by name")                                   \
    X(WHAT_IF, VIEW, ';', 0, "what if",                                                                     \
      "what if: edits of the run, what each gains, and the timeline that they would give")                  \
    X(NOTICES, VIEW, 'm', 0, "notices", "all notices and losses, as sentences")                             \
    X(KEEP, VIEW, 'W', 0, "save", "save the recording of this live session; asks for a file name")          \
    X(THEME, VIEW, 't', 0, "theme", "next theme: standard, colorblind, projector, mono")                    \
    X(LARGE, VIEW, 'O', 0, "large", "maximise the focused pane, or restore its size")                       \
    X(FIND, VIEW, ':', 0, "all", "find a view, action, table, workload, metric, run or kernel by its name") \
    X(HELP, VIEW, '?', CODE_F1, "help", "this help")                                                        \
    X(REDRAW, VIEW, KEY_CONTROL('l'), 0, "", "redraw the screen")                                           \
    X(BACK, VIEW, 'q', 0, "back", "close this view; in the first one: quit; asks before runs are lost")     \
    X(CLOSE, VIEW, KEY_ESCAPE, 0, "",                                                                       \
      "clear the filter or the marks of a range, else close this view; never quits")                        \
    X(QUIT, VIEW, 'Q', 0, "", "quit at once")

#define ACTION_ENUM(id, section, key, key2, hint, help) ACTION_##id,
enum action { ACTION_NONE, ACTION_LIST(ACTION_ENUM) ACTION_COUNT };
#undef ACTION_ENUM

enum action_section { SECTION_MOVE, SECTION_TIME, SECTION_LIST, SECTION_VIEW, SECTION_COUNT };

struct action_info {
    const char *id; /* "ZOOM_IN" */
    enum action_section section;
    uint32_t key[2];
    const char *hint, *help;
};

const struct action_info *action_info(enum action action); /* NULL for ACTION_NONE and invalid ones */
enum action action_of_key(uint32_t key);                   /* ACTION_NONE: the key does nothing */
const char *action_section_text(enum action_section section);
/* Does it create or change files of the user's? */
bool action_writes(enum action action);

/* The help of an action in one view, given by the view's title: from "one row down; chart: the next metric"
 * the part about the chart, or for another view the first part. */
void action_help_in(enum action action, const char *view, char *text, size_t size_bytes);

/* "+ =": the names of an action's keys. */
void action_keys(enum action action, char *text, size_t size_bytes);

/* What the mouse does, one line each; ends with NULL. */
const char *const *action_mouse_help(void);

/* Prints all of it as text. */
void action_print(FILE *out);

#endif
