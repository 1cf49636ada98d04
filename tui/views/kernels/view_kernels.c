/*
 * The kernel list: every kernel of every run with its share of GPU time, sortable and filterable. Times are
 * those of the trace runs; the same work in counter runs is in the same row.
 */
#include "tui/views/kernels/view_kernels.h"
#include "core/base/array.h"
#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"
#include "tui/views/kernels/kernel_parts.h"
#include "tui/views/kernels/kernel_run.h"
#include "tui/views/kernels/kernel_sweeps.h"

#include "tui/terminal/text.h"
#include "tui/widgets/field.h"
#include "tui/widgets/time_bar.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does the kernel's full or short name, or its run, match the filter? */
static bool passes_filter(const struct screen *screen, const struct kernel_item *item, const char *filter)
{
    char text[300];
    if (filter[0] == '\0' || strcasestr(item->name, filter) != NULL)
        return true;
    short_names_print(screen->naming.names, item->name, SHORT_NAME_WHOLE, text, sizeof text);
    if (strcasestr(text, filter) != NULL)
        return true;
    screen_run_name(screen, item->run, text, sizeof text);
    return strcasestr(text, filter) != NULL;
}

/* The time of a launch: the median, as everywhere else; -1 if it is not known. If no snapshot of the launches
 * could be made (there are too many, or they are still loading) it is the mean, and the column's heading says
 * so. */
static int64_t typical_ns(const struct kernel_list *kernels, const struct kernel_item *item)
{
    if (item->launches == 0)
        return -1;
    if (kernels->gains.index == NULL)
        return (int64_t)((double)item->total_ns / (double)item->launches + 0.5);
    struct kernel_times times = kernel_index_times(kernels->gains.index, item->kernel);
    return times.median_ns > 0 ? times.median_ns : -1;
}

static int compare_numbers(double left, double right)
{
    return left > right ? -1 : left < right;
}

/* Largest first; names and runs in alphabetical order. */
static int compare_items(const void *a, const void *b, void *context)
{
    const struct kernel_list *kernels = context;
    const struct kernel_item *left = a, *right = b;
    int order = 0;
    switch (kernels->sort) {
    case SORT_TOTAL: order = compare_numbers((double)left->share_ns, (double)right->share_ns); break;
    case SORT_GAIN: order = compare_numbers(left->gain_ns, right->gain_ns); break;
    case SORT_CALLS: order = compare_numbers((double)left->launches, (double)right->launches); break;
    case SORT_MEDIAN: order = compare_numbers((double)left->typical_ns, (double)right->typical_ns); break;
    case SORT_MIN: order = compare_numbers((double)left->min_ns, (double)right->min_ns); break;
    case SORT_MAX: order = compare_numbers((double)left->max_ns, (double)right->max_ns); break;
    case SORT_NAME: order = strcmp(left->name, right->name); break;
    case SORT_RUN:
    case SORT_COUNT: order = left->run < right->run ? -1 : left->run > right->run; break;
    }
    if (order == 0 && left->kernel == right->kernel)
        return left->part < right->part ? -1 : left->part > right->part;
    if (order == 0)
        return left->kernel < right->kernel ? -1 : left->kernel > right->kernel;
    return kernels->reverse ? -order : order;
}

static bool in_scope(const struct screen *screen, uint32_t index, struct kernel_item *item)
{
    const struct session *session = screen->session;
    const struct kernel_row *kernel = session_kernel(session, index);
    const struct run_row *run = session_run(session, kernel->run);
    if (run == NULL) /* recordings may come from others and be invalid */
        return false;
    if (kernels_state(screen)->scope_group != NONE && run->group != kernels_state(screen)->scope_group)
        return false;
    if (!kernels_state(screen)->leads[index])
        return false;
    *item = (struct kernel_item){
        .kernel = index,
        .run = kernel->run,
        .mark_run = kernel->run,
        .launches = atomic_load_explicit(&kernel->launches, memory_order_relaxed),
        .total_ns = atomic_load_explicit(&kernel->total_ns, memory_order_relaxed),
        .min_ns = atomic_load_explicit(&kernel->min_ns, memory_order_relaxed),
        .max_ns = atomic_load_explicit(&kernel->max_ns, memory_order_relaxed),
        .name = session_string(session, session_shape(session, kernel->shape)->name),
    };
    item->share_ns = item->total_ns;
    return true;
}

/* Only when kernels have come: what a row is does not change. False: no memory. */
static bool find_leaders(struct kernel_list *kernels, const struct session *session, uint32_t count)
{
    if (kernels->lead_count == count)
        return true;
    if (!array_grow(kernels->leads, kernels->lead_capacity, count, 1) ||
        kernel_find_leaders(session, count, kernels->leads, NULL) != STATUS_OK)
        return false;
    kernels->lead_count = count;
    return true;
}

/* Does the kernel's name say the variant: "transpose_naive" of naive? */
static bool says_variant(const struct screen *screen, const struct kernel_item *item)
{
    const char *variant = session_string(screen->session, session_run(screen->session, item->run)->variant);
    size_t length = strlen(variant);
    for (const char *at = item->name; length > 0 && *at != '\0'; at++) {
        size_t i = 0;
        while (i < length && (at[i] == variant[i] || (at[i] == '_' && variant[i] == '-')))
            i++;
        if (i == length && (at == item->name || at[-1] == '_') && (at[i] == '\0' || at[i] == '_'))
            return true;
    }
    return false;
}

/* What distinguishes the row's run; bare: without the variant. */
static void print_run(const struct screen *screen, const struct kernel_item *item, bool bare, int cells,
                      char *text, size_t size_bytes)
{
    const struct run_names *names = &kernels_state(screen)->names;
    if (session_run(screen->session, item->run)->workload == 0)
        screen_run_name(screen, item->run, text, size_bytes);
    else if (item->sweep_count > 0)
        (bare ? run_names_print_range : run_names_print_sweep)(names, screen->session, item->first_run,
                                                               item->last_run, item->sweep_count, cells, text,
                                                               size_bytes);
    else
        (bare ? run_names_print_essential : run_names_print)(names, screen->session, item->run, cells, text,
                                                             size_bytes);
}

#define VARIANT_LEAST 8 /* cells of a variant if only that distinguishes runs */

/* Computes the cells that the columns of names need: for the kernels, and for what distinguishes their runs.
 */
static void measure_names(struct screen *screen, int shown)
{
    struct kernel_list *kernels = kernels_state(screen);
    kernels->name_cells = kernels->run_cells = kernels->variant_cells = 0;
    for (int i = 0; i < shown; i++) {
        char text[300];
        if (kernels->items[i].part != 0)
            continue;
        short_names_print(screen->naming.names, kernels->items[i].name, SHORT_NAME_WHOLE, text, sizeof text);
        int cells = text_width(text, 100);
        kernels->name_cells = cells > kernels->name_cells ? cells : kernels->name_cells;
        const struct run_row *run = session_run(screen->session, kernels->items[i].run);
        if (run->workload == 0)
            continue;
        print_run(screen, &kernels->items[i], true, 100, text, sizeof text);
        cells = text_width(text, 100);
        int variant = text_width(session_string(screen->session, run->variant), 100);
        int least = cells > 0 ? cells : variant < VARIANT_LEAST ? variant : VARIANT_LEAST;
        kernels->run_cells = least > kernels->run_cells ? least : kernels->run_cells;
        cells += variant + 1;
        kernels->variant_cells = cells > kernels->variant_cells ? cells : kernels->variant_cells;
    }
}

/* Selects the kernel, or the row of the class; before the user has chosen a row, the first kernel. */
static void select_wanted(struct kernel_list *kernels, uint32_t kernel, uint8_t part)
{
    const struct kernel_item *items = kernels->items;
    for (int i = 0; i < kernels->list.count; i++) {
        if (items[i].kernel == kernel && items[i].part == part) {
            kernels->list.selected = i;
            return;
        }
    }
    for (int i = 0; i < kernels->list.count && !kernels->chosen; i++) {
        if (items[i].part == 0) {
            kernels->list.selected = i;
            return;
        }
    }
}

static void collect_items(struct screen *screen, uint32_t wanted)
{
    struct kernel_list *kernels = kernels_state(screen);
    uint32_t count = session_kernel_count(screen->session);
    int shown = 0;
    if (!array_grow(kernels->items, kernels->capacity, count, 1) ||
        !find_leaders(kernels, screen->session, count))
        return;
    memset(kernels->total_ns, 0, sizeof kernels->total_ns);
    kernels->hidden = kernels->modelled = 0;
    run_names_begin(&kernels->names);
    for (uint32_t i = 0; i < count; i++) {
        struct kernel_item *item = &kernels->items[shown];
        if (!in_scope(screen, i, item))
            continue;
        enum clock_kind clock = session_run(screen->session, item->run)->clock;
        kernels->total_ns[clock] += item->total_ns;
        if (!passes_filter(screen, item, kernels->filter)) {
            kernels->hidden++;
            continue;
        }
        kernels->modelled += clock == CLOCK_MODEL;
        run_names_add(&kernels->names, screen->session, item->run);
        shown++;
    }
    for (int i = 0; i < shown; i++)
        kernels->items[i].typical_ns = typical_ns(kernels, &kernels->items[i]);
    kernels->kernel_count = shown;
    kernels->one_run = true;
    for (int i = 1; i < shown; i++)
        kernels->one_run = kernels->one_run && kernels->items[i].run == kernels->items[0].run;
    shown = kernels->item_count = kernel_parts_add(screen, shown);
    for (int i = 0; i < kernels->kernel_count && kernels->sort == SORT_GAIN; i++)
        kernels->items[i].gain_ns = kernel_gains_judge(&kernels->gains, kernels->items[i].kernel).share *
                                    (double)kernels->items[i].share_ns;
    if (!kernels->one_run && kernels->filter[0] == '\0' && kernels->scope_group == NONE)
        shown = kernel_sweeps_fold(kernels, screen->session, wanted, shown);
    qsort_r(kernels->items, (size_t)shown, sizeof *kernels->items, compare_items, kernels);
    kernels->list.count = shown;
    measure_names(screen, shown);
    select_wanted(kernels, wanted, wanted == NONE ? screen->part : 0);
}

/* Shows the run in the timeline, unless that belongs to the view on top. */
static void show_run(struct screen *screen, uint32_t run)
{
    const struct view *top = screen_top(screen);
    if (top == NULL || (top->flags & VIEW_HAS_TIMELINE) == 0)
        timeline_show_run(screen, run);
}

/* For a workload that only copies: no kernel leads to its run, so the timeline shows the newest such run
 * while more may come. */
static void show_run_without_kernels(struct screen *screen)
{
    uint32_t runs = session_run_count(screen->session);
    bool follows = screen->state.live && screen->follows_runs;
    bool chosen = kernels_state(screen)->scope_group != NONE || (screen->run != NONE && !follows);
    if (runs == 0 || chosen || session_kernel_count(screen->session) > 0)
        return;
    uint32_t run = screen->state.live ? runs - 1 : 0;
    if (session_run(screen->session, run)->workload != 0)
        show_run(screen, run);
}

/* The newest run of a workload with known times; NONE: there is none, or the user has chosen a run. */
static uint32_t followed_run(const struct screen *screen)
{
    if (!screen->follows_runs || !screen->state.live || screen->frozen)
        return NONE;
    for (uint32_t i = session_run_count(screen->session); i-- > 0;) {
        const struct run_row *run = session_run(screen->session, i);
        if (run->workload != 0 && run_is_traced(run))
            return i;
    }
    return NONE;
}

/* Selects the run's main kernel, once there is one. False: no kernel of the run is in the list. */
static bool select_of_run(struct screen *screen, uint32_t run)
{
    struct kernel_list *kernels = kernels_state(screen);
    uint32_t kernel = screen_kernel_of_run(screen, run);
    for (int i = 0; i < kernels->list.count; i++) {
        if (kernels->items[i].part == 0 && kernels->items[i].kernel == kernel) {
            list_select(&kernels->list, i);
            return true;
        }
    }
    return false;
}

/* The selection in the list decides what timeline and panel show. */
static void take_selection(struct screen *screen)
{
    struct kernel_list *kernels = kernels_state(screen);
    uint32_t followed = followed_run(screen);
    screen->part = 0;
    if (followed != NONE && !select_of_run(screen, followed)) {
        screen->kernel = NONE;
        show_run(screen, followed);
        return;
    }
    if (kernels->list.count == 0) {
        screen->kernel = NONE;
        show_run_without_kernels(screen);
        return;
    }
    const struct kernel_item *item = &kernels->items[kernels->list.selected];
    screen->kernel = item->kernel;
    screen->part = item->part;
    show_run(screen, item->run);
}

static void kernels_update(struct screen *screen, struct rect area)
{
    struct kernel_list *kernels = kernels_state(screen);
    if (!screen->frozen || kernels->items == NULL) {
        kernels->gains.coming = screen->state.loading && (session_measurement_count(screen->session) > 0 ||
                                                          session_tally_count(screen->session) > 0);
        if (!screen->state.loading)
            kernel_gains_update(&kernels->gains, screen->session, screen->state.live, screen->clock_ms);
        uint32_t followed = followed_run(screen);
        collect_items(screen, followed != NONE ? screen_kernel_of_run(screen, followed) : screen->kernel);
    }
    int height = view_inside(area).height;
    kernel_run_update(screen, height);
    list_update(&kernels->list, kernels->list.count, height - 1 - kernels->run_lines);
    screen->list_rows = kernels->list.count + 1 + kernels->run_lines;
    for (int i = kernels->list.top; i < kernels->list.count && i < kernels->list.top + kernels->list.height;
         i++)
        if (kernels->items[i].part == 0)
            kernel_gains_judge(&kernels->gains, kernels->items[i].kernel);
    take_selection(screen);
}

/* ---- drawing ---- */

enum column { C_MARK, C_SHARE, C_GAIN, C_TOTAL, C_CALLS, C_MEDIAN, C_MIN, C_MAX, C_NAME, C_RUN, C_COUNT };

static const struct {
    const char *title;
    int width, since; /* shown if the list is at least `since` wide */
    enum kernel_sort sort;
} columns[C_COUNT] = {
    [C_MARK] = {"", 3, 0, SORT_COUNT},        [C_SHARE] = {"time %", 7, 24, SORT_TOTAL},
    [C_GAIN] = {"gain <=", 9, 57, SORT_GAIN}, [C_TOTAL] = {"total", 9, 66, SORT_TOTAL},
    [C_CALLS] = {"calls", 7, 74, SORT_CALLS}, [C_MEDIAN] = {"median", 9, 34, SORT_MEDIAN},
    [C_MIN] = {"min", 9, 92, SORT_MIN},       [C_MAX] = {"max", 9, 92, SORT_MAX},
    [C_NAME] = {"kernel", 0, 0, SORT_NAME},   [C_RUN] = {"run", 0, 46, SORT_RUN},
};

struct places {
    int x[C_COUNT], width[C_COUNT]; /* width 0: not shown */
};

#define NAME_STEP 4    /* the widths of names that are cut are multiples of it */
#define KERNEL_LEAST 6 /* cells of a kernel's name beside what distinguishes its run */
#define CURVE_CELLS 7  /* of the times of a sweep; a time takes as many */

/* If the run has no column of its own, its essential parameters are shown in the column of the name. */
static struct places places_of(const struct kernel_list *kernels, struct rect inside)
{
    struct places places = {0};
    int left = inside.width;
    bool gains = kernels->gains.known || kernels->gains.coming;
    for (int c = 0; c < C_COUNT; c++)
        if (columns[c].width > 0 && inside.width >= columns[c].since && (c != C_GAIN || gains))
            left -= places.width[c] = columns[c].width;
    bool run = !kernels->one_run && inside.width >= columns[C_RUN].since;
    if (inside.width < columns[C_RUN].since && places.width[C_MEDIAN] > CURVE_CELLS + 1) {
        left += places.width[C_MEDIAN] - CURVE_CELLS - 1; /* names need every cell */
        places.width[C_MEDIAN] = CURVE_CELLS + 1;
    }
    int name = left * 11 / 20, needed = kernels->name_cells + 3, spare = left - kernels->variant_cells - 2;
    if (kernels->variant_cells > 0) /* runs first: kernels also have letters */
        name = spare > name ? name : spare > left * 2 / 5 ? spare : left * 2 / 5;
    name = needed < name ? needed : name;
    places.width[C_NAME] = run ? name : left;
    places.width[C_RUN] = run ? left - name : 0;
    for (int c = 0, x = inside.x; c < C_COUNT; x += places.width[c], c++)
        places.x[c] = x;
    return places;
}

static const char *const order_texts[SORT_COUNT] = {
    [SORT_TOTAL] = " by time",    [SORT_GAIN] = " by gain", [SORT_CALLS] = " by calls",
    [SORT_MEDIAN] = " by median", [SORT_MIN] = " by min",   [SORT_MAX] = " by max",
    [SORT_NAME] = " by name",     [SORT_RUN] = " by run"};

/* For the title, if no column on the screen shows the order. */
static const char *sorted_by(const struct kernel_list *kernels, const struct places *places)
{
    for (int c = 0; c < C_COUNT; c++)
        if (places->width[c] > 0 && columns[c].sort == kernels->sort)
            return "";
    return order_texts[kernels->sort];
}

static void draw_head(const struct kernel_list *kernels, struct canvas *canvas, const struct places *places,
                      int y)
{
    for (int c = 0; c < C_COUNT; c++) {
        bool sorted = columns[c].sort == kernels->sort && (c != C_TOTAL || places->width[C_SHARE] == 0);
        struct style style = STYLE(sorted ? COLOR_FOCUS : COLOR_DIM, COLOR_NONE, sorted ? ATTRIBUTE_BOLD : 0);
        int width = places->width[c] - 1, x = places->x[c];
        if (width < 1)
            continue;
        if (c == C_NAME || c == C_RUN) {
            x += canvas_text(canvas, x + 1, y, width - 1, style, columns[c].title) + 1;
            if (sorted)
                canvas_glyph(canvas, x, y, kernels->reverse ? GLYPH_SORTED_UP : GLYPH_SORTED_DOWN, style);
            continue;
        }
        field_words(canvas, x, y, width, style,
                    c == C_MEDIAN && kernels->gains.index == NULL ? "mean"
                    : c == C_SHARE && kernels->steps              ? "step %"
                    : c == C_SHARE && kernels->run_ns > 0         ? "run %"
                                                                  : columns[c].title);
        if (sorted)
            canvas_glyph(canvas, x + width, y, kernels->reverse ? GLYPH_SORTED_UP : GLYPH_SORTED_DOWN, style);
    }
}

static int count_commas(const char *text)
{
    int commas = 0;
    for (; *text != '\0'; text++)
        commas += *text == ',';
    return commas;
}

/* In `cells` cells if that leaves no parameter out, else in `usual` ones. */
static void print_bare(const struct screen *screen, const struct kernel_item *item, int cells, int usual,
                       char *text, size_t size_bytes)
{
    char all[300];
    print_run(screen, item, true, (int)sizeof all, all, sizeof all);
    print_run(screen, item, true, cells > 0 ? cells : 0, text, size_bytes);
    if (cells <= 0 || count_commas(text) < count_commas(all) || (text[0] == '\0' && all[0] != '\0'))
        print_run(screen, item, true, usual, text, size_bytes);
}

/* The least cells in which no parameter is left out: with values alone, "100" of "keep=100". */
static int least_bare(const struct screen *screen, const struct kernel_item *item, int most)
{
    char all[300], text[300] = "";
    int cells = 1;
    print_run(screen, item, true, (int)sizeof all, all, sizeof all);
    for (; cells < most; cells++) {
        print_run(screen, item, true, cells, text, sizeof text);
        if (text[0] != '\0' && count_commas(text) == count_commas(all))
            break;
    }
    return cells;
}

/* Where the run begins in `room` cells of a row, after the name and a blank; `usual`: where it begins if the
 * name fits before it. A longer name moves it as far as the run stays whole, if need be without a variant
 * that the name says (bare). If that is not enough in a narrow list, a sweep is known by its curve alone, and
 * a run by the values of its parameters. */
static int place_run(const struct screen *screen, const struct kernel_item *item, int room, int usual,
                     bool narrow, bool *bare)
{
    char text[300];
    short_names_print_kernel(item->sweep_count > 0 ? NULL : screen->naming.names, screen->session,
                             item->kernel, SHORT_NAME_WHOLE, text, sizeof text);
    int needed = text_width(text, room) + 1;
    *bare = false;
    if (needed <= usual)
        return usual;
    print_run(screen, item, false, room, text, sizeof text);
    int free = room - text_width(text, room);
    if (needed > free && says_variant(screen, item)) {
        *bare = true;
        print_bare(screen, item, room - needed, room - usual, text, sizeof text);
        free = text[0] == '\0' ? room + 1 : room - text_width(text, room);
    }
    if (needed <= free || free > room)
        return needed < free ? needed : free;
    if (*bare && narrow && item->sweep_count > 0)
        return room + 1;
    if (narrow && !*bare) { /* no variant has room: as if the name said it */
        char essential[300];
        print_run(screen, item, false, room - usual, text, sizeof text);
        print_run(screen, item, true, room - usual, essential, sizeof essential);
        *bare = text[0] != '\0' && item->sweep_count == 0 && strcmp(text, essential) == 0;
    }
    if (*bare && narrow)
        free = room - least_bare(screen, item, room - usual);
    if (needed <= free)
        return needed;
    free = free / NAME_STEP * NAME_STEP; /* names are worked out anew for every other width */
    return *bare && free > usual ? free : usual;
}

/* Draws the kernel's name, and its run. */
static void draw_names(const struct screen *screen, struct canvas *canvas, const struct places *places, int y,
                       const struct kernel_item *item, bool selected)
{
    const struct kernel_list *kernels = kernels_state(screen);
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    bool of_workload = session_run(screen->session, item->run)->workload != 0;
    int x = places->x[C_NAME] + 1, room = places->width[C_NAME] + places->width[C_RUN] - 1, run = room + 1;
    bool named = places->width[C_RUN] > 0 || (of_workload && kernels->run_cells > 0), bare = false;
    char text[300];
    if (places->width[C_RUN] > 0)
        run = places->width[C_NAME];
    else if (named)
        run = room - kernels->run_cells > KERNEL_LEAST + 1 ? room - kernels->run_cells : KERNEL_LEAST + 1;
    named = named && !kernels->one_run;
    run = named ? place_run(screen, item, room, run, places->width[C_RUN] == 0, &bare) : room + 1;
    if (item->sweep_count > 0)
        short_names_print(screen->naming.names, item->name, run - 1, text, sizeof text);
    else
        short_names_print_kernel(screen->naming.names, screen->session, item->kernel, run - 1, text,
                                 sizeof text);
    int taken =
        canvas_text(canvas, x, y, run - 1,
                    STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0), text);
    if (places->width[C_RUN] == 0)
        run = taken + 1;
    if (!named || run >= room)
        return;
    print_run(screen, item, bare, room - run, text, sizeof text);
    canvas_text(canvas, x + run, y, room - run, STYLE(selected ? COLOR_TEXT : COLOR_DIM, ground, 0), text);
}

static void draw_item(const struct screen *screen, struct canvas *canvas, const struct places *places, int y,
                      const struct kernel_item *item, bool selected)
{
    const struct session *session = screen->session;
    const struct run_row *run = session_run(session, item->run);
    bool kernel = item->part == 0;
    uint16_t name = kernel ? naming_of_kernel(&screen->naming, session, item->kernel) : 0;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style plain = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, 0), mark_style;
    enum glyph mark = screen_run_mark(session_run(session, item->mark_run), &mark_style);
    mark_style.background = ground;
    if (kernel) {
        canvas_put(canvas, places->x[C_MARK], y, (unsigned char)naming_letter(name),
                   STYLE(naming_color(name), ground, ATTRIBUTE_BOLD));
        canvas_glyph(canvas, places->x[C_MARK] + 1, y, mark, mark_style);
    } else {
        canvas_put(canvas, places->x[C_MARK], y,
                   (unsigned char)partition_class_letter((enum partition_class)item->part),
                   time_bar_style((enum partition_class)item->part));
    }

    if (run->clock == CLOCK_MODEL)
        canvas_put(canvas, places->x[C_MARK] + 2, y, '~', STYLE(COLOR_FOCUS, ground, 0));
    struct kernel_gain gain =
        kernel ? kernel_gains_of(&kernels_state(screen)->gains, item->kernel) : kernel_parts_gain(item);
    if (kernel && gain.state == GAIN_SOME) /* to the left of the number, whose first cell is free */
        canvas_glyph(canvas, places->x[C_MARK] + 3, y, GLYPH_WARNING,
                     STYLE(COLOR_WARN, ground, ATTRIBUTE_BOLD));
    bool timed = item->launches > 0 && run_is_traced(run);
    uint64_t all_ns = kernels_state(screen)->run_ns > 0 ? (uint64_t)kernels_state(screen)->run_ns
                                                        : kernels_state(screen)->total_ns[run->clock];
    struct number numbers[C_COUNT] = {0};
    snprintf(numbers[C_SHARE].text, NUMBER_SIZE, "%.1f",
             100.0 * (double)item->share_ns / (double)(all_ns > 0 ? all_ns : 1));
    snprintf(numbers[C_GAIN].text, NUMBER_SIZE, gain.state == GAIN_SOME ? "%.0f %%" : "-", 100 * gain.share);
    numbers[C_TOTAL] = number_time((int64_t)item->total_ns);
    numbers[C_CALLS] = number_short(item->launches);
    numbers[C_MEDIAN] = number_time(item->typical_ns);
    numbers[C_MIN] = number_time((int64_t)item->min_ns);
    numbers[C_MAX] = number_time((int64_t)item->max_ns);
    for (int c = C_SHARE; c <= C_MAX; c++) {
        bool known = c == C_GAIN ? gain.state >= GAIN_NOTHING : timed || c == C_CALLS;
        bool is_coming = c == C_GAIN && kernels_state(screen)->gains.coming;
        if (!kernel && c >= C_MEDIAN) { /* idle times have no usual length */
            field_words(canvas, places->x[c], y, places->width[c] - 1, STYLE(COLOR_DIM, ground, 0), "-");
            continue;
        }
        if (c == C_MEDIAN && item->sweep_count > 0) {
            kernel_sweeps_draw(kernels_state(screen), item, canvas, places->x[c] + 1, y, CURVE_CELLS,
                               STYLE(naming_color(name), ground, 0));
            continue;
        }
        field_number(canvas, places->x[c], y, places->width[c] - 1,
                     known ? plain : STYLE(COLOR_DIM, ground, 0),
                     known       ? numbers[c].text
                     : is_coming ? ""
                                 : "n/a");
    }
    if (kernel)
        draw_names(screen, canvas, places, y, item, selected);
    else
        kernel_parts_draw_name(screen, canvas, places->x[C_NAME] + 1, y, places->width[C_NAME] - 2, item,
                               selected);
}

static bool run_has_ended(const struct screen *screen)
{
    const struct run_row *run = screen->run == NONE ? NULL : session_run(screen->session, screen->run);
    return run && atomic_load_explicit(&run->end_ns, memory_order_relaxed) != INT64_MIN;
}

static void kernels_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct kernel_list *kernels = kernels_state(screen);
    char title[700], filter[300] = "", scope[300] = "", common[200];
    if (kernels->filter[0] != '\0')
        snprintf(filter, sizeof filter, "  filter: %.200s", kernels->filter);
    if (kernels->scope_group != NONE && kernels->list.count > 0) {
        screen_run_name(screen, kernels->items[kernels->list.selected].run, title, sizeof title);
        snprintf(scope, sizeof scope, " of %.200s", title);
    }
    const char *times = kernels->modelled == 0                                 ? "measured"
                        : kernels->modelled == (uint32_t)kernels->kernel_count ? "~ modelled"
                                                                               : "measured and ~ modelled";
    struct places places = places_of(kernels, view_inside(area));
    bool sweep = kernels->list.count > 0 && kernels->items[kernels->list.selected].sweep_count > 0;
    snprintf(title, sizeof title, "Kernels  %d%s%s%.120s%.200s", kernels->kernel_count,
             sweep ? "  z unfolds" : "", sorted_by(kernels, &places), scope, filter);
    if (kernels->list.count > 0)
        snprintf(title + strlen(title), sizeof title - strlen(title), ", %s times", times);
    run_names_print_common(&kernels->names, common, sizeof common); /* the parameters that no row shows */
    if (common[0] != '\0')
        snprintf(title + strlen(title), sizeof title - strlen(title), ", all with %s", common);
    struct rect inside = view_frame(canvas, area, title, focus);
    if (kernels->list.count == 0) {
        const char *text = kernels->hidden > 0     ? "No kernel matches the filter. / changes it."
                           : run_has_ended(screen) ? "This run started no kernel."
                                                   : screen_why_empty(screen, "No kernel has run yet.");
        struct rect lines = {inside.x + 1, inside.y, inside.width - 2, inside.height};
        struct style dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
        lines.y += canvas_wrap(canvas, lines, dim, text);
        if (kernels->hidden == 0 && run_has_ended(screen))
            canvas_text(canvas, lines.x, lines.y, lines.width, dim,
                        "T shows the times of its copies, p a chart of all runs.");
        return;
    }
    view_frame_list(canvas, area, &kernels->list);
    kernel_run_draw(screen, canvas, inside);
    inside.y += kernels->run_lines;
    inside.height -= kernels->run_lines;
    draw_head(kernels, canvas, &places, inside.y);
    for (int line = 0; line + 1 < inside.height; line++) {
        int index = kernels->list.top + line;
        if (index >= kernels->list.count)
            break;
        bool selected = index == kernels->list.selected && !screen->on_run;
        if (selected)
            canvas_fill(canvas, (struct rect){inside.x, inside.y + 1 + line, inside.width, 1}, ' ',
                        STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
        draw_item(screen, canvas, &places, inside.y + 1 + line, &kernels->items[index], selected);
    }
}

/* ---- moving ---- */

/* The selected kernel stays selected, wherever the new order puts it. */
static void say_order(struct screen *screen)
{
    const struct kernel_list *kernels = kernels_state(screen);
    screen_message(screen, SEVERITY_INFO, "Sorted%s%s; g goes to the first.", order_texts[kernels->sort],
                   kernels->reverse ? ", reversed" : "");
}

static bool kernels_act(struct screen *screen, enum action action)
{
    struct kernel_list *kernels = kernels_state(screen);
    switch (action) {
    case ACTION_SORT:
        kernels->sort = (enum kernel_sort)((kernels->sort + 1) % SORT_COUNT);
        kernels->reverse = false;
        say_order(screen);
        return true;
    case ACTION_REVERSE:
        kernels->reverse = !kernels->reverse;
        say_order(screen);
        return true;
    case ACTION_FILTER: prompt_filter(&screen->prompt, "Filter:"); return true;
    case ACTION_FOLD: return kernel_sweeps_toggle(kernels, screen->session, kernels->list.selected);
    case ACTION_OPEN:
        screen->focus = PANE_PANEL;
        screen->maximised = screen->from_list = true;
        return true;
    default: break;
    }
    if (kernel_run_choose(screen, action))
        return true;
    if (!list_act(&kernels->list, action))
        return false;
    screen->follows_runs = screen->on_run = false;
    kernels->chosen = true;
    take_selection(screen);
    return true;
}

/* Sorts by the column whose heading was clicked; a second click reverses the order. */
static void sort_by_head(struct screen *screen, struct rect inside, int x)
{
    struct kernel_list *kernels = kernels_state(screen);
    struct places places = places_of(kernels, inside);
    for (int c = C_SHARE; c < C_COUNT; c++) {
        if (x < places.x[c] || x >= places.x[c] + places.width[c])
            continue;
        kernels->reverse = columns[c].sort == kernels->sort && !kernels->reverse;
        kernels->sort = columns[c].sort;
        say_order(screen);
    }
}

static void kernels_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct kernel_list *kernels = kernels_state(screen);
    struct rect inside = view_inside(area);
    int line = event->y - inside.y - 1 - kernels->run_lines;
    if (event->kind == MOUSE_DOWN && line == -1) {
        sort_by_head(screen, inside, event->x);
        return;
    }
    if (event->kind == MOUSE_DOWN)
        screen->on_run = line < 0 && kernels->run_lines > 0;
    kernels->chosen = true;
    screen->follows_runs = false;
    screen_list_mouse(screen, &kernels->list, event, line);
    take_selection(screen);
}

static void forget_kernels(struct screen *screen)
{
    struct kernel_list *kernels = kernels_state(screen);
    free(kernels->items);
    free(kernels->leads);
    free(kernels->sorted);
    free(kernels->medians);
    run_names_fini(&kernels->names);
    kernel_gains_fini(&kernels->gains);
    *kernels = (struct kernel_list){.scope_group = NONE, .sort = kernels->sort};
}

static char *filter_text(struct screen *screen)
{
    return kernels_state(screen)->filter;
}

static bool select_kernel(struct screen *screen, uint32_t kernel, bool show)
{
    struct kernel_list *kernels = kernels_state(screen);
    kernels->chosen = true;
    if (show) {
        kernels->filter[0] = '\0';
        kernels->scope_group = NONE;
        return true;
    }
    for (int i = 0; i < kernels->item_count; i++) {
        if (kernels->items[i].kernel != kernel || kernels->items[i].part != 0)
            continue;
        if (i >= kernels->list.count) /* a member of a sweep: it represents the sweep from now on */
            collect_items(screen, kernel);
        else
            list_select(&kernels->list, i);
        return true;
    }
    return false;
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN},
    {.action = ACTION_STOP},
    {.action = ACTION_NEXT_PANE},
    {.action = ACTION_SOURCE},
    {.action = ACTION_LANES},
    {.action = ACTION_EDIT},
    {.action = ACTION_RUNS},
    {.action = ACTION_KEEP},
    {.action = ACTION_WORKLOADS},
    {.action = ACTION_FILTER},
    {.action = ACTION_SORT},
    {.action = ACTION_PLOT},
    {.action = ACTION_FOLD, .help = "fold or unfold a sweep"},
    {.action = ACTION_NONE},
};

const struct view view_kernels = {
    .title = "Kernels",
    .state_bytes = sizeof(struct kernel_list),
    .forget = forget_kernels,
    .update = kernels_update,
    .draw = kernels_draw,
    .act = kernels_act,
    .mouse = kernels_mouse,
    .filter = filter_text,
    .select_kernel = select_kernel,
    .keys = keys,
};
