/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lab: the parameters of a workload, its lesson, the values of its newest run and that run's timeline, on
 * one screen. The lane map of the current settings is shown in the place of the values until there are some,
 * and on a wide screen beside them.
 *
 * The timeline is above the other parts, as it is above the panes: for a lesson about overlap on any screen
 * that has room for two parts, else where the other parts keep TALL lines. Below it, if there is no room for
 * three parts side by side and below each other, or one was maximised, only the focused one is shown.
 */
#include "core/base/append.h"
#include "core/session/session_walk.h"
#include "tui/frame/lesson.h"
#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/timeline/view_timeline.h"
#include "tui/views/chart/chart.h"
#include "tui/views/compare.h"
#include "tui/views/lab.h"
#include "tui/views/lab_own.h"
#include "tui/views/lanes/lane_map.h"
#include "tui/views/panel/view_panel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct lab_places {
    struct rect part[LAB_PART_COUNT]; /* width 0: not shown */
    struct rect map;                  /* the lane map; in place of the values, or beside them */
};

#define LAB_COMMAND_SIZE (LAB_SPEC_SIZE + 1600)
#define LAB_TWIN_LINES 2 /* what an edit of another run predicted of this one */
#define LAB_FORM_TAIL 4  /* lines below the form's values: the meaning of the selected one, the last run */

#define SPLIT_WIDTH 76
#define SPLIT_HEIGHT 12
#define TALL 28          /* lines that a timeline leaves if the lesson is not about overlap */
#define TIMELINE_LEAST 8 /* lines: frame, axis, read-out and four rows */
#define TIMELINE_FRAME 5 /* lines of it that are no rows */
#define LESSON_LEAST 5   /* lines below which the lesson takes the form's place when it has the focus */
#define VALUES_WIDTH_MAX 78
#define MAP_WIDTH_MIN 50 /* beside the values */
#define LEFT_WIDTH_MIN 56
#define MAP_OF_TWO_COLUMNS 74 /* of lanes, with their names */
#define LESSON_WIDTH_MIN 46
#define OWN_WIDTH 60      /* code that is less wide is wrapped too often: it gets all of the width */
#define LEFT_WIDTH_MAX 84 /* cells; longer lines of the lesson are hard to read */

/* Is the lesson about copies, streams and overlap? The timeline is then more important than counters. */
static bool lab_is_of_transfers(const struct lab *lab)
{
    return strcmp(lab->workload->chapter, CHAPTER_TRANSFERS) == 0;
}

/* Is there something that the timeline can show? */
static bool lab_has_timeline(const struct lab *lab)
{
    return lab->run != NONE;
}

static int clamp_cells(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* The lines of the timeline; 0: it has no room beside the other parts. */
static int timeline_lines(const struct screen *screen, struct rect area)
{
    const struct lab *lab = lab_state(screen);
    int most = lab_is_of_transfers(lab) ? area.height * 9 / 20 : area.height - TALL;
    if (!lab_has_timeline(lab) || most < TIMELINE_LEAST || area.height - most < SPLIT_HEIGHT)
        return 0;
    most = most < area.height * 9 / 20 ? most : area.height * 9 / 20;
    return clamp_cells(screen->timeline_rows + TIMELINE_FRAME, TIMELINE_LEAST, most);
}

/* Lines below the form's values. */
static int lab_tail(const struct lab *lab)
{
    return LAB_FORM_TAIL + (lab->has_twin ? LAB_TWIN_LINES : 0);
}

/* Form and lesson, one below the other; the lesson needs LESSON_LEAST lines, or else the focus. */
static void place_left(const struct lab *lab, struct rect left, struct rect part[LAB_PART_COUNT])
{
    int form = lab->form.count + lab_tail(lab) + 2, most = left.height / 2 + 3;
    form = form > most ? most : form;
    if (left.height - form < LESSON_LEAST) {
        part[lab->focus == LAB_LESSON ? LAB_LESSON : LAB_FORM] = left;
        return;
    }
    part[LAB_FORM] = (struct rect){left.x, left.y, left.width, form};
    part[LAB_LESSON] = (struct rect){left.x, left.y + form, left.width, left.height - form};
}

static struct lab_places lab_places_of(const struct screen *screen, struct rect area)
{
    const struct lab *lab = lab_state(screen);
    struct lab_places places = {0};
    if (screen->maximised || area.width < SPLIT_WIDTH || area.height < SPLIT_HEIGHT + 2) {
        places.part[lab->focus] = area;
        if (lab->focus == LAB_VALUES && lab->kernel == NONE)
            places.map = area;
        return places;
    }
    int timeline = timeline_lines(screen, area);
    if (timeline == 0 && lab->focus == LAB_TIMELINE) {
        places.part[LAB_TIMELINE] = area;
        return places;
    }
    places.part[LAB_TIMELINE] = (struct rect){area.x, area.y, timeline > 0 ? area.width : 0, timeline};
    area.y += timeline;
    area.height -= timeline;
    int values = area.width * 52 / 100;
    values = values > VALUES_WIDTH_MAX ? VALUES_WIDTH_MAX : values;
    int left = area.width - values, map = 0;
    if (left >= LEFT_WIDTH_MIN + MAP_WIDTH_MIN) {
        map = left - left * LEFT_WIDTH_MIN / (LEFT_WIDTH_MIN + MAP_WIDTH_MIN);
        left -= map;
        if (left > LEFT_WIDTH_MAX) {
            map += left - LEFT_WIDTH_MAX;
            left = LEFT_WIDTH_MAX;
        }
    }
    if (lab->kernel == NONE && left > LESSON_WIDTH_MIN &&
        area.width >= LESSON_WIDTH_MIN + MAP_OF_TWO_COLUMNS) { /* the map is in the place of the values */
        left = clamp_cells(area.width - MAP_OF_TWO_COLUMNS, LESSON_WIDTH_MIN, left);
        values = area.width - left - map;
    }
    if (left < OWN_WIDTH && lab_own_is_shown(screen)) {
        int form = lab->form.count + lab_tail(lab) + 2, most = area.height / 3;
        form = form < most ? form : most;
        places.part[LAB_FORM] = (struct rect){area.x, area.y, left, form};
        places.part[LAB_VALUES] = (struct rect){area.x + left, area.y, area.width - left, form};
        places.part[LAB_LESSON] = (struct rect){area.x, area.y + form, area.width, area.height - form};
        return places;
    }
    place_left(lab, (struct rect){area.x, area.y, left, area.height}, places.part);
    places.part[LAB_VALUES] = (struct rect){area.x + left + map, area.y, values, area.height};
    places.map = (struct rect){area.x + left, area.y, map, area.height};
    if (lab->kernel == NONE) {
        places.map.width += values;
        places.part[LAB_VALUES] = places.map;
    }
    return places;
}

#define VARIANTS_LEAST 8 /* lines below a lesson that are enough for pictures of other variants */
#define MINUTES_FROM 44  /* cells: with as many the title of the lesson has room for its minutes */
#define WIDE 50          /* with this width the columns of the form have gaps */

/* The lines below the values: fewer than LAB_FORM_TAIL rather than hidden values, but those two that say what
 * ENTER runs and how the last run ended. */
static int form_tail(const struct lab *lab, struct rect inside)
{
    int left = inside.height - lab->form.count;
    if (left >= 2)
        return left < lab_tail(lab) ? left : lab_tail(lab);
    return inside.height > LAB_FORM_TAIL ? LAB_FORM_TAIL : 0;
}

static int form_rows(const struct lab *lab, struct rect inside)
{
    return inside.height - form_tail(lab, inside);
}

/* ---- the last run ---- */

static bool is_running(const struct screen *screen, uint32_t run)
{
    return atomic_load_explicit(&session_run(screen->session, run)->end_ns, memory_order_relaxed) ==
           INT64_MIN;
}

/* The newest run from `first` on of the workload (with `matching`, also of the form's values) that times and,
 * on the model, counts. A run that ended without a kernel, as a library's without a GPU, only if no other run
 * was requested with it. NONE: there is no such run. */
static uint32_t newest_run(const struct screen *screen, uint32_t first, bool matching)
{
    const struct session *session = screen->session;
    uint32_t without = NONE;
    for (uint32_t i = session_run_count(session); i-- > first;) {
        if (without != NONE && without >= lab_state(screen)->runs_asked && i < lab_state(screen)->runs_asked)
            break;
        if (!run_is_traced(session_run(session, i)) ||
            !screen_run_is_of(screen, i, lab_state(screen)->workload->name) ||
            (matching && !lab_matches(lab_state(screen), session, session_run(session, i))))
            continue;
        if (screen_kernel_of_run(screen, i) != NONE || is_running(screen, i))
            return i;
        without = without == NONE ? i : without;
    }
    return without;
}

/* Finds the run to show: one that matches the form, if there is one, else the last run. */
static void find_run(struct screen *screen)
{
    struct lab *lab = lab_state(screen);
    uint32_t run = newest_run(screen, 0, true);
    if (run == NONE)
        run = newest_run(screen, lab->runs_asked, false);
    if (run == NONE && lab->run == NONE)
        run = newest_run(screen, 0, false);
    if (run == NONE || (run == lab->run && lab->kernel != NONE))
        return;
    if (run != lab->run && lab->kernel != NONE)
        lab->before = lab->kernel;
    lab->run = run;
    lab->kernel = screen_kernel_of_run(screen, run);
    if (lab->kernel != NONE)
        screen_show_kernel(screen, lab->kernel);
}

/* The timeline shows the lab's run, whatever is selected in the list of kernels. */
static void update_timeline(struct screen *screen, struct rect area)
{
    const struct lab *lab = lab_state(screen);
    if (lab->run != NONE)
        timeline_show_run(screen, lab->run);
    if (rect_shown(area))
        screen->views[VIEW_TIMELINE]->update(screen, area);
}

#define TWIN_EVENTS 32768u /* of both runs: more are not replayed between two frames */

static uint64_t run_event_count(const struct session *session, uint32_t run)
{
    const struct walk walk = {.run = run, .tracks = WALK_TRACK(STREAM) | WALK_TRACK(CALLS)};
    return session_walk_events(session, &walk);
}

/* Is the run one that really has what an edit does to another one? Looked for once it has ended. */
static void find_twin(struct screen *screen)
{
    struct lab *lab = lab_state(screen);
    const struct session *session = screen->session;
    if (lab->run == NONE || lab->twin_of == lab->run + 1 || is_running(screen, lab->run))
        return;
    lab->twin_of = lab->run + 1;
    lab->has_twin =
        replay_twin_find(session, lab->run, &lab->twin) &&
        run_event_count(session, lab->twin.run) + run_event_count(session, lab->twin.base) <= TWIN_EVENTS &&
        replay_twin_compare(session, &lab->twin, NULL) == STATUS_OK;
}

static void lab_update(struct screen *screen, struct rect area)
{
    struct lab *lab = lab_state(screen);
    find_run(screen);
    find_twin(screen);
    struct lab_places places = lab_places_of(screen, area);
    struct rect form = view_inside(places.part[LAB_FORM]), lesson = view_inside(places.part[LAB_LESSON]);
    list_update(&lab->form, lab->form.count, form_rows(lab, form));
    update_timeline(screen, places.part[LAB_TIMELINE]);
    lab_own_update(screen, lesson);
    if (rect_shown(lesson) && !lab_own_is_shown(screen) && lab_lesson(lab)) {
        int lines = lesson_lines(lab_lesson(lab), lesson.width, lab->answered);
        lab->lesson.count = lines > lesson.height ? lines - lesson.height + 1 : 1; /* tops of the page */
        lab->lesson.height = 1;
        int answer = lab->turn_to_answer
                         ? lesson_part_line(lab_lesson(lab), LESSON_ANSWER, lesson.width, true)
                         : lab->lesson.selected;
        lab->turn_to_answer = false;
        list_select(&lab->lesson, answer);
    }
    if (rect_shown(places.part[LAB_VALUES]) && lab->kernel != NONE) {
        screen->on_run = lab_is_of_transfers(lab) && lab->focus != LAB_VALUES &&
                         run_verdicts_of(&screen->verdicts, lab->run)->known;
        panel_state(screen)->studied = lab->focus == LAB_VALUES;
        panel_state(screen)->before = lab->before;
        screen->views[VIEW_PANEL]->update(screen, places.part[LAB_VALUES]);
    }
    if (rect_shown(places.map))
        lane_map_make(screen);
}

/* ---- drawing ---- */

static const char *size_name(const struct lab *lab)
{
    return *lab->full_size ? "full" : "small";
}

static void draw_row(const struct lab *lab, struct canvas *canvas, struct rect line, int row, bool selected)
{
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style dim = STYLE(COLOR_DIM, ground, 0),
                 strong = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0);
    const struct tui_workload *workload = lab->workload;
    int name_cells = line.width < WIDE ? 8 : 10, value_cells = line.width < WIDE ? 9 : 14;
    if (selected) {
        canvas_fill(canvas, line, ' ', STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
        canvas_glyph(canvas, line.x, line.y, GLYPH_SELECTED, strong);
    }
    canvas_text(canvas, line.x + 1, line.y, name_cells, dim,
                row == 0                ? "variant"
                : lab_is_size(lab, row) ? "size"
                                        : workload->params[row - 1].name);
    int x = line.x + 2 + name_cells, end = line.x + line.width;
    if (row == 0) {
        const struct tui_variant *variant =
            lab->variant == LAB_ALL_VARIANTS ? NULL : &workload->variants[lab->variant];
        int taken = canvas_text(canvas, x, line.y, end - x, strong, variant ? variant->name : "all");
        x += taken < value_cells ? value_cells : taken + 1;
        if (workload->variant_count > 0)
            canvas_printf(canvas, x, line.y, end - x, dim, "of %zu", workload->variant_count);
        return;
    }
    if (lab_is_size(lab, row)) {
        canvas_text(canvas, x, line.y, end - x, strong, size_name(lab));
        canvas_text(canvas, x + value_cells, line.y, end - x - value_cells, dim, "small, full");
        return;
    }
    const struct tui_param *param = &workload->params[row - 1];
    int taken = canvas_text(canvas, x, line.y, end - x, strong, lab_value(lab, (size_t)row - 1));
    x += taken < value_cells ? value_cells : taken + 1;
    char maximum[NUMBER_SIZE]; /* all digits if there are few */
    snprintf(maximum, sizeof maximum, "%" PRId64, param->maximum);
    canvas_printf(canvas, x, line.y, end - x, dim, "%" PRId64 "..%s%s%s (%s)", param->minimum,
                  strlen(maximum) > 6 ? number_short((uint64_t)param->maximum).text : maximum,
                  param->unit[0] != '\0' ? " " : "", param->unit, param_standard(param).text);
}

static const char *meaning_of(const struct lab *lab)
{
    const struct tui_workload *workload = lab->workload;
    if (lab_is_size(lab, lab->form.selected))
        return *lab->full_size
                   ? "as on a GPU: times are meaningful; the model takes seconds (C-k ends a run)"
                   : "counts are exact; the time is mostly that of launching: full shows the kernel's";
    if (lab->form.selected > 0)
        return workload->params[lab->form.selected - 1].meaning;
    return lab->variant == LAB_ALL_VARIANTS ? workload->meaning : workload->variants[lab->variant].meaning;
}

/* Why a run was not verified. */
static const char *detail_of(const struct screen *screen, uint32_t run)
{
    const struct run_row *row = session_run(screen->session, run);
    return session_string(screen->session, atomic_load_explicit(&row->detail, memory_order_relaxed));
}

/* "runs, 42 %, 12 s" */
static void print_progress(const struct screen *screen, char *text, size_t size_bytes)
{
    const struct tui_host_state *state = &screen->state;
    size_t used = 0;
    append_text(text, size_bytes, &used, "runs");
    if (state->launching)
        append_text(text, size_bytes, &used, ", %u %%", progress_percent(&state->launch));
    if (state->live && state->run > 0)
        append_text(text, size_bytes, &used, ", %lld s",
                    (long long)((screen->clock_ms - screen->run_seen_ms) / 1000));
}

/* Draws the run shown, and whether its result was verified. */
static void draw_run(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    const struct lab *lab = lab_state(screen);
    struct style style = STYLE(COLOR_DIM, COLOR_NONE, 0);
    char name[300];
    if (lab->run == NONE) {
        canvas_text(canvas, line.x + 1, line.y, line.width - 1, style,
                    screen->host->run ? "not run yet: ENTER runs it" : "not in this recording");
        return;
    }
    const struct run_row *run = session_run(screen->session, lab->run);
    const char *detail = detail_of(screen, lab->run);
    int8_t verified = atomic_load_explicit(&run->verified, memory_order_relaxed);
    bool running = is_running(screen, lab->run);
    enum glyph mark = screen_run_mark(run, &style);
    canvas_put(canvas, line.x, line.y, (unsigned char)compare_mark_of(screen, lab->run),
               STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD));
    canvas_glyph(canvas, line.x + 1, line.y, mark, style);
    bool failed = verified <= 0 && !running && *detail;
    char progress[80];
    print_progress(screen, progress, sizeof progress);
    const char *verdict = running ? progress : verified > 0 ? "verified" : failed ? detail : "not verified";
    int room = line.width - 4 - (failed ? 0 : (int)strlen(verdict)); /* the name is cut, not the verdict */
    run_variant_print_within(screen->session, lab->run, room, name, sizeof name);
    int taken = canvas_text(canvas, line.x + 3, line.y, room, STYLE(COLOR_TEXT, COLOR_NONE, 0), name);
    canvas_printf(canvas, line.x + 4 + taken, line.y, line.width - 4 - taken, style, "%s", verdict);
}

/* The command that ENTER runs, as one types it in a shell. */
static void print_command(const struct screen *screen, char command[LAB_COMMAND_SIZE])
{
    const struct lab *lab = lab_state(screen);
    char spec[LAB_SPEC_SIZE], own[600];
    lab_spec(lab, spec, sizeof spec);
    lab_own_print_option(screen, own, sizeof own);
    snprintf(command, LAB_COMMAND_SIZE, "lanescope%s %s%s%s",
             screen->host->run_options ? screen->host->run_options : "", spec, own,
             lab->full_size && *lab->full_size ? " --size default" : "");
}

static void print_share(double share, char text[32])
{
    snprintf(text, 32, "%.0f %% %s", 100 * (share < 0 ? -share : share), share < 0 ? "more" : "less");
}

/* "what-if chunks of serial: 56 % less predicted, 50 % less here": of the last round */
static void draw_twin(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct replay_twin *twin = &lab_state(screen)->twin;
    const struct run_row *base = session_run(screen->session, twin->base);
    char text[400], predicted[32], real[32];
    print_share(twin->predicted, predicted);
    print_share(twin->real, real);
    snprintf(text, sizeof text, "what-if %s of %s: %s predicted, %s here", twin->edit->id,
             session_string(screen->session, base->variant), predicted, real);
    canvas_wrap(canvas, area, STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
}

static void draw_form(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct lab *lab = lab_state(screen);
    char title[300];
    snprintf(title, sizeof title, "Lab  %s", lab->workload->title);
    struct rect inside = view_frame(canvas, area, title, focus);
    int rows = form_rows(lab, inside), y = inside.y;
    for (int row = lab->form.top; row < lab->form.count && row < lab->form.top + rows; row++)
        draw_row(lab, canvas, (struct rect){inside.x, y++, inside.width, 1}, row, row == lab->form.selected);
    if (rows == inside.height)
        return;
    const char *key = screen->host->run ? "ENTER" : "";
    char command[LAB_COMMAND_SIZE];
    print_command(screen, command);
    struct rect at = {inside.x + 2 + (int)strlen(key), 0, inside.width - 3 - (int)strlen(key), 0};
    int tail = form_tail(lab, inside), lines = canvas_wrapped_lines(command, at.width);
    at.height = lines < tail ? lines : tail - 1;
    at.y = inside.y + inside.height - 1 - at.height;
    int said = lab->has_twin && tail - 1 - at.height > LAB_TWIN_LINES ? LAB_TWIN_LINES : 0;
    canvas_wrap(canvas,
                (struct rect){inside.x + 1, inside.y + rows, inside.width - 2, tail - 1 - at.height - said},
                STYLE(COLOR_FOCUS, COLOR_NONE, 0), meaning_of(lab));
    if (said > 0)
        draw_twin(screen, canvas, (struct rect){inside.x + 1, at.y - said, inside.width - 2, said});
    canvas_text(canvas, inside.x + 1, at.y, inside.width - 2, STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD),
                key);
    canvas_wrap(canvas, at, STYLE(COLOR_DIM, COLOR_NONE, 0), command);
    draw_run(screen, canvas, (struct rect){inside.x, inside.y + inside.height - 1, inside.width, 1});
}

/* What a short lesson leaves. */
static struct rect room_below_lesson(const struct lab *lab, struct rect inside)
{
    int lines = lab_lesson(lab) ? lesson_lines(lab_lesson(lab), inside.width, lab->answered) + 1 : 0;
    return (struct rect){inside.x, inside.y + lines, inside.width, inside.height - lines};
}

/* Draws the worst instruction of each other variant. */
static void draw_variants(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct lane_map *map = lane_map_state(screen);
    if (area.height >= VARIANTS_LEAST && map->side[0].access)
        workload_pictures_draw(&map->variants, &map->side[0], 1, canvas, area,
                               screen->options.color && !screen->theme->mono);
}

static void draw_lesson(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus,
                        bool has_others)
{
    const struct lab *lab = lab_state(screen);
    char title[200], minutes[24] = "";
    const struct tui_workload *told = lab->exercise ? lab->exercise : lab->workload;
    if (told->minutes > 0 && area.width >= MINUTES_FROM)
        snprintf(minutes, sizeof minutes, ", %u min", told->minutes);
    snprintf(title, sizeof title, "%s%s%s%s%s", lab->exercise ? lab->exercise->name : "Lesson  chapter ",
             lab->exercise ? "" : lab->workload->chapter, minutes,
             lab->lesson.count > 1 ? focus ? "  j k" : "  TAB, j k" : "",
             screen->maximised     ? "  O: beside the values"
             : focus && has_others ? "  O: large"
                                   : "");
    struct rect inside = view_frame(canvas, area, title, focus);
    if (lab_lesson(lab)) {
        lesson_draw(canvas, inside, lab_lesson(lab), lab->lesson.selected, lab->answered);
        draw_variants(screen, canvas, room_below_lesson(lab, inside));
    } else
        canvas_text(canvas, inside.x, inside.y, inside.width, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    "This workload has no lesson yet.");
}

/* The reason why there are no values yet. */
static const char *text_without_values(const struct screen *screen)
{
    const struct lab *lab = lab_state(screen);
    const char *detail = lab->run == NONE ? "" : detail_of(screen, lab->run);
    return lab->run == NONE ? "Its values appear here after a run: expected, modelled or measured."
           : is_running(screen, lab->run) ? "Running: values appear here after its first kernel. C-k ends it."
           : *detail                      ? detail
                                          : "This run has no kernel: the timeline shows what it did (q).";
}

/* The variants for the lane map's pane: none if they are below the lesson. */
static const struct workload_pictures *other_variants(const struct screen *screen)
{
    static const struct workload_pictures none;
    const struct lab *lab = lab_state(screen);
    struct lab_places places = lab_places_of(screen, screen->layout.body);
    struct rect below = room_below_lesson(lab, view_inside(places.part[LAB_LESSON]));
    return below.height >= VARIANTS_LEAST ? &none : &lane_map_state(screen)->variants;
}

/* Draws the lane map of the current settings; until there are values it is in their place, above the sentence
 * that says why. */
static void draw_map(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct lane_case *map = &lane_map_state(screen)->side[0];
    const struct lane_picture_options options = {.halves = true,
                                                 .color = screen->options.color && !screen->theme->mono};
    bool shown = map->access != NULL, values = lab_state(screen)->kernel == NONE;
    struct rect inside = view_frame(canvas, area, !shown ? "Values" : "Lane map  A: large", focus);
    const char *text = values ? text_without_values(screen) : "";
    int lines = values ? canvas_wrapped_lines(text, inside.width) : 0;
    lines = lines > inside.height || !shown ? inside.height : lines;
    inside.height -= lines;
    canvas_wrap(canvas, (struct rect){inside.x, inside.y + inside.height, inside.width, lines},
                STYLE(COLOR_DIM, COLOR_NONE, 0), text);
    if (shown)
        lane_case_draw(map, other_variants(screen), canvas, inside, &options);
}

static void lab_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct lab *lab = lab_state(screen);
    struct lab_places places = lab_places_of(screen, area);
    (void)focus;
    if (rect_shown(places.part[LAB_TIMELINE]))
        screen->views[VIEW_TIMELINE]->draw(screen, canvas, places.part[LAB_TIMELINE],
                                           lab->focus == LAB_TIMELINE);
    if (rect_shown(places.part[LAB_FORM]))
        draw_form(screen, canvas, places.part[LAB_FORM], lab->focus == LAB_FORM);
    if (rect_shown(places.part[LAB_LESSON]) && lab_own_is_shown(screen))
        lab_own_draw(screen, canvas, places.part[LAB_LESSON], lab->focus == LAB_LESSON);
    else if (rect_shown(places.part[LAB_LESSON]))
        draw_lesson(screen, canvas, places.part[LAB_LESSON], lab->focus == LAB_LESSON,
                    rect_shown(places.part[LAB_FORM]));
    if (rect_shown(places.map))
        draw_map(screen, canvas, places.map, lab->kernel == NONE && lab->focus == LAB_VALUES);
    if (rect_shown(places.part[LAB_VALUES]) && lab->kernel != NONE)
        screen->views[VIEW_PANEL]->draw(screen, canvas, places.part[LAB_VALUES], lab->focus == LAB_VALUES);
}

/* ---- keys ---- */

static bool can_run(const struct screen *screen)
{
    return screen->host->run != NULL;
}

static bool has_form(const struct screen *screen)
{
    return lab_state(screen)->focus == LAB_FORM;
}

static bool has_time(const struct screen *screen)
{
    return lab_state(screen)->focus == LAB_TIMELINE;
}

static bool has_values(const struct screen *screen)
{
    return lab_state(screen)->focus == LAB_VALUES;
}

/* Is the selected row a parameter? */
static bool has_param(const struct screen *screen)
{
    const struct lab *lab = lab_state(screen);
    return has_form(screen) && lab->form.selected > 0 && !lab_is_size(lab, lab->form.selected);
}

static bool has_case_row(const struct screen *screen)
{
    return has_form(screen) && !has_param(screen);
}

/* The case then and now. */
static void run_generations(struct screen *screen)
{
    char spec[LAB_SPEC_SIZE], text[LAB_SPEC_SIZE + 20];
    if (!screen->host->model) {
        screen_message(screen, SEVERITY_INFO, "Other GPUs are modelled: start lanescope with --device simt.");
        return;
    }
    lab_spec(lab_state(screen), spec, sizeof spec);
    snprintf(text, sizeof text, "--model all %s", spec);
    if (!screen_start(screen, text))
        return;
    screen_key(screen, action_info(ACTION_PLOT)->key[0]);
    chart_state(screen)->axis = CHART_VARIANTS; /* a bar for each GPU */
    chart_state(screen)->axis_chosen = true;
}

static bool act_form(struct screen *screen, enum action action)
{
    struct lab *lab = lab_state(screen);
    char spec[LAB_SPEC_SIZE];
    switch (action) {
    case ACTION_OPEN:
        if (lab_own_is_shown(screen)) {
            lab_own_run(screen);
            return true;
        }
        lab_spec(lab, spec, sizeof spec);
        lab->runs_asked = session_run_count(screen->session);
        screen_start(screen, spec);
        return true;
    case ACTION_GENERATIONS: run_generations(screen); return true;
    case ACTION_LEFT: lab_step(screen, -1); return true;
    case ACTION_RIGHT: lab_step(screen, 1); return true;
    case ACTION_EDIT:
        lab_ask(screen, lab->form.selected > 0 && !lab_is_size(lab, lab->form.selected)
                            ? lab->value[lab->form.selected - 1]
                            : "");
        return true;
    default: return list_act(&lab->form, action);
    }
}

static bool has_lesson(const struct screen *screen)
{
    return lab_lesson(lab_state(screen)) != NULL;
}

/* Shows the answer at the top of the lesson's page, or hides it. */
static void show_answer(struct screen *screen)
{
    struct lab *lab = lab_state(screen);
    lab->answered = !lab->answered;
    lab->focus = LAB_LESSON;
    lab->turn_to_answer = lab->answered;
}

static bool lab_act(struct screen *screen, enum action action)
{
    struct lab *lab = lab_state(screen);
    if (action == ACTION_ANSWER && has_lesson(screen)) {
        show_answer(screen);
        return true;
    }
    if (action == ACTION_NEXT_PANE || action == ACTION_PREVIOUS_PANE) {
        int parts = lab_has_timeline(lab) ? LAB_PART_COUNT : LAB_TIMELINE;
        int by = action == ACTION_NEXT_PANE ? 1 : parts - 1;
        lab->focus = (enum lab_part)(((int)lab->focus + by) % parts);
        return true;
    }
    if (action == ACTION_SIDE && lab_own_is_there(screen)) {
        lab->original = !lab->original;
        return true;
    }
    bool taken = false;
    if (lab->focus == LAB_LESSON)
        taken = list_act(lab_own_is_shown(screen) ? &lab->own : &lab->lesson, action);
    else if (lab->focus == LAB_VALUES && action != ACTION_OPEN && lab->kernel != NONE)
        taken = screen->views[VIEW_PANEL]->act(screen, action);
    else if (lab->focus == LAB_TIMELINE && action != ACTION_OPEN)
        taken = screen->views[VIEW_TIMELINE]->act(screen, action);
    return taken || act_form(screen, action);
}

/* A digit starts the input of a new value. */
static bool lab_key(struct screen *screen, uint32_t key)
{
    if (!has_param(screen) || key < '0' || key > '9')
        return false;
    lab_ask(screen, (char[]){(char)key, '\0'});
    return true;
}

static void lab_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct lab *lab = lab_state(screen);
    struct lab_places places = lab_places_of(screen, area);
    if (screen->dragging && event->kind != MOUSE_DOWN) {
        screen->views[VIEW_TIMELINE]->mouse(screen, event, places.part[LAB_TIMELINE]);
        return;
    }
    for (enum lab_part part = 0; part < LAB_PART_COUNT; part++) {
        if (!rect_holds(places.part[part], event->x, event->y))
            continue;
        if (event->kind == MOUSE_DOWN)
            lab->focus = part;
        if (part == LAB_FORM)
            list_mouse(&lab->form, event, event->y - view_inside(places.part[part]).y);
        else if (part == LAB_LESSON && event->kind != MOUSE_DOWN)
            list_mouse(lab_own_is_shown(screen) ? &lab->own : &lab->lesson, event, -1);
        else if (part == LAB_TIMELINE)
            screen->views[VIEW_TIMELINE]->mouse(screen, event, places.part[part]);
        else if (part == LAB_VALUES && lab->kernel != NONE)
            screen->views[VIEW_PANEL]->mouse(screen, event, places.part[part]);
    }
}

static void show_workload(struct screen *screen, uint32_t index)
{
    lab_open(screen, index);
}

/* The workload stays; the run belonged to the old session. */
static void forget_run(struct screen *screen)
{
    struct lab *lab = lab_state(screen);
    lab->run = lab->kernel = lab->before = NONE;
    lab->focus = lab->focus == LAB_TIMELINE ? LAB_FORM : lab->focus;
}

static bool act_anywhere(struct screen *screen, enum action action)
{
    if (action == ACTION_LINES) {
        lab_run_lines(screen);
        return true;
    }
    if (action == ACTION_OWN) {
        lab_own_edit(screen);
        return true;
    }
    if (action != ACTION_EDIT || screen->stack_count > 0)
        return false;
    lab_open_selected(screen);
    return true;
}

static void take_subject(const struct screen *screen, struct subject *subject)
{
    const struct lab *lab = lab_state(screen);
    subject->kernel = lab->kernel;
    subject->run = lab->run;
    subject->workload = lab->workload->name;
}

/* Has a parameter a sweep? Its values are then shown as a curve. */
static bool has_sweep(const struct screen *screen)
{
    const struct lab *lab = lab_state(screen);
    for (int row = 1; row < lab_case_rows(lab); row++)
        if (strpbrk(lab->value[row - 1], ".,"))
            return true;
    return false;
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN, .hint = "run", .when = can_run, .help = "run it with these values"},
    {.action = ACTION_DOWN, .hint = "row", .when = has_case_row, .help = "to the next row"},
    {.action = ACTION_RIGHT, .hint = "change", .name = "h l", .when = has_form, .help = "larger; h: smaller"},
    {.action = ACTION_EDIT,
     .hint = "value or 1..32",
     .name = "0-9",
     .when = has_param,
     .help = "a number, or a sweep: 1..32, or 1,2,4"},
    {.action = ACTION_OWN},
    {.action = ACTION_SIDE,
     .hint = "lesson or yours",
     .when = lab_own_is_there,
     .help = "show the lesson, or your copy; ENTER runs what is shown"},
    {.action = ACTION_STOP},
    {.action = ACTION_ZOOM_IN, .hint = "zoom", .name = "+ -", .when = has_time, .help = "zoom at the cursor"},
    {.action = ACTION_FIT, .when = has_time},
    {.action = ACTION_FOLLOW, .when = has_time},
    {.action = ACTION_PLOT, .when = has_sweep},
    {.action = ACTION_NEXT_PANE},
    {.action = ACTION_ANSWER, .when = has_lesson},
    {.action = ACTION_GLOSSARY, .hint = "terms", .when = has_lesson},
    {.action = ACTION_LANES},
    {.action = ACTION_PLOT},
    {.action = ACTION_FILTER, .when = has_values},
    {.action = ACTION_SOURCE},
    {.action = ACTION_GENERATIONS, .when = has_form},
    {.action = ACTION_COMPARE},
    {.action = ACTION_MARK},
    {.action = ACTION_KEEP},
    {.action = ACTION_NONE},
};

/* Its lane map is counted beside the screen. */
static bool lab_work(struct screen *screen)
{
    return screen->views[VIEW_LANE_MAP]->work(screen);
}

const struct view view_lab = {
    .title = "Lab",
    .flags = VIEW_HAS_TIMELINE,
    .state_bytes = sizeof(struct lab),
    .forget = forget_run,
    .update = lab_update,
    .work = lab_work,
    .draw = lab_draw,
    .act_anywhere = act_anywhere,
    .act = lab_act,
    .key = lab_key,
    .show = {[ITEM_WORKLOAD] = show_workload, [ITEM_RUN] = lab_take_run},
    .mouse = lab_mouse,
    .filter = panel_filter,
    .filtered = panel_filtered,
    .subject = take_subject,
    .keys = keys,
};
