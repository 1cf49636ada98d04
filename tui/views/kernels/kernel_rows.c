/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each row is a line of columns; a narrow list leaves columns out, and the name takes what they leave. What
 * distinguishes the row's run has a column of its own, or follows the name. The verdict on the run has its
 * partition; a row of copies or idle time is made of one class of it.
 */
#include "tui/views/kernels/kernel_rows.h"

#include "core/base/array.h"
#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/views/kernels/kernel_sweeps.h"
#include "tui/widgets/field.h"
#include "tui/widgets/time_bar.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PART_LEAST_PCT 5    /* least share of the run for a row */
#define PART_BLAME_LEAST 10 /* cells of what a class is of: " (cudaMal…" */

static int64_t time_of(const struct partition *whole, enum partition_class part)
{
    return whole->ns[part] + (part == PARTITION_COPY ? whole->copy_hidden_ns : 0);
}

/* Idle time counts fully, but for that of the tracing, which other runs do not have, and that of unknown
 * cause. Copies can become hidden. */
static int64_t gain_of(const struct partition *whole, enum partition_class part)
{
    return part == PARTITION_TOOL || part == PARTITION_UNKNOWN ? 0 : whole->ns[part];
}

static const char *name_of(enum partition_class part)
{
    return part == PARTITION_COPY ? "copies and sets" : partition_class_brief(part);
}

int kernel_parts_add(struct screen *screen, int shown)
{
    struct kernel_list *kernels = kernels_state(screen);
    const int kernel_count = shown;
    uint32_t run = shown > 0 ? kernels->items[0].run : screen->run;
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, run);
    const struct partition *whole = run_verdict_time(verdict);
    kernels->run_ns = 0;
    kernels->steps = false;
    bool other = screen->state.live && run != screen->run; /* the rows are of the run before */
    if (!kernels->one_run || other || shown + (int)kernels->hidden == 0 || !verdict->known ||
        whole->operations == 0 ||
        !array_grow(kernels->items, kernels->capacity, (size_t)shown, PARTITION_COUNT))
        return shown;
    kernels->run_ns = partition_sum_ns(whole);
    kernels->steps = verdict->by_steps;
    for (enum partition_class part = PARTITION_COPY; part < PARTITION_COUNT; part++) {
        int64_t ns = time_of(whole, part);
        if (ns == 0 || 100 * (double)ns < PART_LEAST_PCT * (double)kernels->run_ns)
            continue;
        if (!strcasestr(name_of(part), kernels->filter))
            continue;
        kernels->items[shown++] = (struct kernel_item){.kernel = NONE,
                                                       .run = run,
                                                       .mark_run = run,
                                                       .part = (uint8_t)part,
                                                       .launches = whole->times[part],
                                                       .total_ns = (uint64_t)ns,
                                                       .share_ns = (uint64_t)ns,
                                                       .typical_ns = -1,
                                                       .gain_ns = (double)gain_of(whole, part),
                                                       .name = name_of(part)};
    }
    for (int i = 0; i < kernel_count && kernels->run_ns > 0; i++)
        kernels->items[i].share_ns = kernels->items[i].kernel < verdict->kernel_count
                                         ? verdict->kernel_ns[kernels->items[i].kernel]
                                         : 0;
    return shown;
}

struct kernel_gain kernel_parts_gain(const struct kernel_item *item)
{
    if (item->part == PARTITION_UNKNOWN)
        return (struct kernel_gain){GAIN_UNKNOWN, 0};
    return (struct kernel_gain){item->gain_ns > 0 ? GAIN_SOME : GAIN_NOTHING,
                                (float)(item->gain_ns / (double)item->total_ns)};
}

void kernel_parts_draw_name(const struct screen *screen, struct canvas *canvas, int x, int y, int cells,
                            const struct kernel_item *item, bool selected)
{
    const struct partition *whole = run_verdict_time(run_verdicts_of(&screen->verdicts, item->run));
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    char text[400], name[300] = "";
    if (item->part == PARTITION_COPY && whole->copy_hidden_ns > 0)
        snprintf(name, sizeof name, "%.0f %% hidden by kernels",
                 100 * (double)whole->copy_hidden_ns / (double)time_of(whole, PARTITION_COPY));
    for (uint32_t i = 0; i < whole->blame_count && name[0] == '\0'; i++)
        if (whole->blames[i].part == item->part)
            partition_blame_name(screen->session, &whole->blames[i], name, sizeof name);
    snprintf(text, sizeof text, "%s%s%s%s", item->name, name[0] != '\0' ? " (" : "", name,
             name[0] != '\0' ? ")" : "");
    int own = text_width(item->name, cells + 1); /* alone, rather than cut */
    if (text_width(text, cells + 1) > cells && own <= cells && own + PART_BLAME_LEAST > cells)
        snprintf(text, sizeof text, "%s", item->name);
    canvas_text(canvas, x, y, cells,
                STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0), text);
}

/* ---- names ---- */

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

/* Does the variant say the kernel, and if `more`, more than that: smem-rolling-pad of
 * prefetch_smem_rolling_16? The words after the workload's name count, without a number at the end. */
static bool variant_says_kernel(const struct screen *screen, const struct kernel_item *item, bool more)
{
    const struct run_row *run = session_run(screen->session, item->run);
    const char *variant = session_string(screen->session, run->variant), *name = item->name;
    size_t prefix = strlen(session_string(screen->session, run->workload)), length = strlen(name), i = 0;
    while (length > 0 && strchr("0123456789_", name[length - 1]))
        length--;
    if (length <= prefix + 1 || name[prefix] != '_')
        return false;
    for (name += prefix + 1, length -= prefix + 1; i < length; i++)
        if (variant[i] != name[i] && !(variant[i] == '-' && name[i] == '_'))
            return false;
    return variant[i] == '-' || (variant[i] == '\0' && !more);
}

/* Names that end with different values: without the value. One ellipsis says so, which a shortened name has. */
static void leave_value_out(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr("0123456789", text[length - 1]))
        text[--length] = '\0';
    if (strstr(text, "\xe2\x80\xa6"))
        text[length - (length > 0 && text[length - 1] == '_')] = '\0';
    else
        strcpy(text + length, "\xe2\x80\xa6");
}

/* A sweep has the name without the number that tells two shapes of a kernel apart. */
static void print_name(const struct screen *screen, const struct kernel_item *item, int cells, char *text,
                       size_t size_bytes)
{
    if (item->sweep_count > 0 && item->names_differ && size_bytes > 4) {
        short_names_print(screen->naming.names, item->name, cells, text, size_bytes - 3);
        leave_value_out(text);
    } else if (item->sweep_count > 0) {
        short_names_print(screen->naming.names, item->name, cells, text, size_bytes);
    } else {
        short_names_print_kernel(screen->naming.names, screen->session, item->kernel, cells, text,
                                 size_bytes);
    }
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

/* Does no other row have the kernel's name? */
static bool is_alone(const struct screen *screen, const struct kernel_item *item)
{
    const struct kernel_list *kernels = kernels_state(screen);
    uint16_t name = naming_of_kernel(&screen->naming, screen->session, item->kernel);
    return name < kernels->name_capacity && kernels->rows_of_name[name] == 1;
}

/* The cells for what the row's name leaves open: variant and essential parameters. 0: the name is enough. */
static int count_run_cells(const struct screen *screen, const struct kernel_item *item)
{
    char text[300];
    bool alone = is_alone(screen, item), bare = alone || says_variant(screen, item);
    if (session_run(screen->session, item->run)->workload == 0 || (item->sweep_count == 0 && alone))
        return 0;
    print_run(screen, item, true, (int)sizeof text, text, sizeof text);
    int cells = text_width(text, (int)sizeof text);
    const char *variant = session_string(screen->session, session_run(screen->session, item->run)->variant);
    return bare && cells > 0 ? cells : cells + (cells > 0) + text_width(variant, (int)sizeof text);
}

#define VARIANT_LEAST 8 /* cells of a variant if only that distinguishes runs */

static int count_essential_cells(const struct screen *screen, const struct kernel_item *item)
{
    const char *variant = session_string(screen->session, session_run(screen->session, item->run)->variant);
    char text[300];
    print_run(screen, item, true, 100, text, sizeof text);
    return text[0] != '\0' ? text_width(text, 100) : text_width(variant, VARIANT_LEAST);
}

static void count_names(struct screen *screen, struct kernel_list *kernels, int shown)
{
    for (uint32_t name = 0; name < screen->naming.count; name++)
        kernels->rows_of_name[name] = 0;
    for (int i = 0; i < shown; i++) {
        uint16_t name = naming_of_kernel(&screen->naming, screen->session, kernels->items[i].kernel);
        if (name < screen->naming.count)
            kernels->rows_of_name[name]++;
    }
}

void kernel_rows_measure(struct screen *screen, int shown)
{
    struct kernel_list *kernels = kernels_state(screen);
    if (!array_grow(kernels->rows_of_name, kernels->name_capacity, 0, screen->naming.count))
        return;
    kernels->name_cells = kernels->run_cells = 0;
    memset(kernels->names_of_cells, 0, sizeof kernels->names_of_cells);
    memset(kernels->runs_of_cells, 0, sizeof kernels->runs_of_cells);
    count_names(screen, kernels, shown);
    for (int i = 0; i < shown; i++) {
        const struct kernel_item *item = &kernels->items[i];
        char text[300];
        if (item->part != 0)
            continue;
        print_name(screen, item, SHORT_NAME_WHOLE, text, sizeof text);
        int cells = text_width(text, 100);
        kernels->name_cells = cells > kernels->name_cells ? cells : kernels->name_cells;
        if (session_run(screen->session, item->run)->workload == 0)
            continue;
        int essential = count_essential_cells(screen, item), run = count_run_cells(screen, item);
        kernels->run_cells = essential > kernels->run_cells ? essential : kernels->run_cells;
        if (run == 0) /* such a name also takes the run's column */
            continue;
        kernels->names_of_cells[cells < NAMES_MOST ? cells : NAMES_MOST]++;
        kernels->runs_of_cells[run < NAMES_MOST ? run : NAMES_MOST]++;
    }
}

/* ---- columns ---- */

static const struct {
    const char *title;
    int width, since; /* shown if the list is at least `since` wide */
    enum kernel_sort sort;
} columns[C_COUNT] = {
    [C_MARK] = {"", 3, 0, SORT_COUNT},        [C_SHARE] = {"kern %", 7, 24, SORT_TOTAL},
    [C_GAIN] = {"gain <=", 9, 57, SORT_GAIN}, [C_TOTAL] = {"total", 9, 66, SORT_TOTAL},
    [C_CALLS] = {"calls", 7, 74, SORT_CALLS}, [C_MEDIAN] = {"median", 9, 34, SORT_MEDIAN},
    [C_MIN] = {"min", 9, 92, SORT_MIN},       [C_MAX] = {"max", 9, 92, SORT_MAX},
    [C_NAME] = {"kernel", 0, 0, SORT_NAME},   [C_RUN] = {"run", 0, 46, SORT_RUN},
};

#define KERNEL_LEAST 6 /* cells of a kernel's name beside what distinguishes its run */
#define CURVE_CELLS 7  /* of the times of a sweep; a time takes as many, "12.3 ms" */
#define HEAD_CELLS 9   /* of the name's column: its heading, with the mark of the order */

/* The width of the column of names, of `cells` for names and runs: the least part of the texts is cut, and
 * two blanks stand before the runs if there is room. */
static int choose_name_width(const struct kernel_list *kernels, int cells)
{
    int best = HEAD_CELLS;
    long least = -1;
    for (int width = best; width <= kernels->name_cells + 3 && width < cells; width++) {
        long cut = 0;
        for (int i = 1; i <= NAMES_MOST; i++) {
            int name = i - (width - 1), run = i - (cells - width - 1);
            cut += (long)kernels->names_of_cells[i] * 1000 * (name > 0 ? name : 0) / i;
            cut += (long)kernels->runs_of_cells[i] * 1000 * (run > 0 ? run : 0) / i;
        }
        if (least < 0 || cut <= least) {
            least = cut;
            best = width;
        }
    }
    return best;
}

/* If the run has no column of its own, its essential parameters are shown in the column of the name. */
struct kernel_places kernel_rows_places(const struct kernel_list *kernels, struct rect inside)
{
    struct kernel_places places = {0};
    int left = inside.width;
    bool gains = kernels->gains.known || kernels->gains.coming;
    for (int c = 0; c < C_COUNT; c++)
        if (columns[c].width > 0 && inside.width >= columns[c].since && (c != C_GAIN || gains))
            left -= places.width[c] = columns[c].width;
    bool run = !kernels->one_run && inside.width >= columns[C_RUN].since;
    if (inside.width < columns[C_TOTAL].since && places.width[C_MEDIAN] > CURVE_CELLS + 1) {
        left += places.width[C_MEDIAN] - CURVE_CELLS - 1; /* names need every cell */
        places.width[C_MEDIAN] = CURVE_CELLS + 1;
    }
    places.width[C_NAME] = run ? choose_name_width(kernels, left) : left;
    places.width[C_RUN] = left - places.width[C_NAME];
    for (int c = 0, x = inside.x; c < C_COUNT; x += places.width[c], c++)
        places.x[c] = x;
    return places;
}

const char *kernel_rows_order(enum kernel_sort sort)
{
    static const char *const texts[SORT_COUNT] = {
        [SORT_TOTAL] = " by time",    [SORT_GAIN] = " by gain", [SORT_CALLS] = " by calls",
        [SORT_MEDIAN] = " by median", [SORT_MIN] = " by min",   [SORT_MAX] = " by max",
        [SORT_NAME] = " by name",     [SORT_RUN] = " by run"};
    return texts[sort];
}

const char *kernel_rows_unseen_order(const struct kernel_list *kernels, const struct kernel_places *places)
{
    for (int c = 0; c < C_COUNT; c++)
        if (places->width[c] > 0 && columns[c].sort == kernels->sort)
            return "";
    return kernel_rows_order(kernels->sort);
}

void kernel_rows_draw_head(const struct kernel_list *kernels, struct canvas *canvas,
                           const struct kernel_places *places, int y)
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
                    c == C_MEDIAN && !kernels->gains.index ? "mean"
                    : c == C_SHARE && kernels->steps       ? "step %"
                    : c == C_SHARE && kernels->run_ns > 0  ? "run %"
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

/* Where the run begins in `room` cells of a narrow row, after the name and a blank; `usual`: where it begins
 * if the name fits before it. A longer name moves it as far as the run stays whole, if need be without a
 * variant that the name says (bare). If that is not enough, a variant that says the kernel stands alone (0),
 * and so does a name that no other row has; a sweep is known by its curve, and a run by the values of its
 * parameters. */
static int place_run(const struct screen *screen, const struct kernel_item *item, int room, int usual,
                     bool *bare)
{
    char text[300], essential[300];
    print_name(screen, item, SHORT_NAME_WHOLE, text, sizeof text);
    int needed = text_width(text, room + 1) + 1;
    *bare = false;
    if (needed <= usual)
        return usual;
    if (item->names_differ && variant_says_kernel(screen, item, false))
        return 0;
    print_run(screen, item, false, room, text, sizeof text);
    int free = room - text_width(text, room);
    if (needed > free && says_variant(screen, item)) {
        *bare = true;
        print_bare(screen, item, room - needed, room - usual, text, sizeof text);
        free = text[0] == '\0' ? room + 1 : room - text_width(text, room);
    }
    if (needed <= free || free > room)
        return needed < free ? needed : free;
    if (variant_says_kernel(screen, item, true))
        return 0;
    if (is_alone(screen, item) || (*bare && item->sweep_count > 0))
        return room + 1;
    if (variant_says_kernel(screen, item, false))
        return 0;
    if (!*bare) { /* no variant has room: as if the name said it */
        print_run(screen, item, false, room - usual, text, sizeof text);
        print_run(screen, item, true, room - usual, essential, sizeof essential);
        *bare = text[0] != '\0' && item->sweep_count == 0 && strcmp(text, essential) == 0;
    }
    if (*bare)
        free = room - least_bare(screen, item, room - usual);
    return needed <= free ? needed : *bare && free > usual ? free : usual;
}

/* Where the run begins in its column, which is the same in all rows; `room`: it is not shown; 0: it says the
 * kernel, whose name has no room. Bare: without a variant if it fits only so, and the whole name says the
 * variant or is of no other row. */
static int place_in_column(const struct screen *screen, const struct kernel_item *item, int room, int column,
                           bool *bare)
{
    char text[300];
    print_name(screen, item, SHORT_NAME_WHOLE, text, sizeof text);
    bool whole = text_width(text, room) < column;
    if (!whole && session_run(screen->session, item->run)->workload != 0 &&
        text_width(text, room + 1) <= room && count_run_cells(screen, item) == 0)
        return room + 1;
    if (!whole && item->names_differ && variant_says_kernel(screen, item, false))
        return 0;
    bool alone = is_alone(screen, item);
    print_run(screen, item, false, (int)sizeof text, text, sizeof text);
    if (!whole && !alone && variant_says_kernel(screen, item, false) &&
        text_width(text, room) > room - column)
        return 0;
    *bare = whole && (alone || says_variant(screen, item)) && text_width(text, room) > room - column;
    print_run(screen, item, true, (int)sizeof text, text, sizeof text);
    *bare = *bare && (text[0] != '\0' || alone);
    return column;
}

/* Draws the kernel's name, and its run. */
static void draw_names(const struct screen *screen, struct canvas *canvas, const struct kernel_places *places,
                       int y, const struct kernel_item *item, bool selected)
{
    const struct kernel_list *kernels = kernels_state(screen);
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    bool of_workload = session_run(screen->session, item->run)->workload != 0;
    bool column = places->width[C_RUN] > 0, bare = false;
    bool named = !kernels->one_run && (column || (of_workload && kernels->run_cells > 0));
    int x = places->x[C_NAME] + 1, room = places->width[C_NAME] + places->width[C_RUN] - 1, run = room + 1;
    char text[300];
    if (named && column) {
        run = place_in_column(screen, item, room, places->width[C_NAME], &bare);
    } else if (named) {
        run = room - kernels->run_cells > KERNEL_LEAST + 1 ? room - kernels->run_cells : KERNEL_LEAST + 1;
        run = place_run(screen, item, room, run, &bare);
    }
    struct style style = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0);
    if (run == 0) {
        print_run(screen, item, false, room, text, sizeof text);
        canvas_text(canvas, x, y, room, style, text);
        return;
    }
    print_name(screen, item, run - 1, text, sizeof text);
    int taken = canvas_text(canvas, x, y, run - 1, style, text);
    if (!column)
        run = taken + 1 < run ? taken + 1 : run;
    if (!named || run >= room)
        return;
    print_run(screen, item, bare, room - run, text, sizeof text);
    canvas_text(canvas, x + run, y, room - run, STYLE(selected ? COLOR_TEXT : COLOR_DIM, ground, 0), text);
}

void kernel_rows_draw(const struct screen *screen, struct canvas *canvas, const struct kernel_places *places,
                      int y, const struct kernel_item *item, bool selected)
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
    numbers[C_SHARE] = number_percent(100.0 * (double)item->share_ns / (double)(all_ns > 0 ? all_ns : 1), 1);
    numbers[C_GAIN] = gain.state == GAIN_SOME ? number_gain((double)gain.share) : (struct number){"-"};
    numbers[C_TOTAL] = number_time((int64_t)item->total_ns);
    numbers[C_CALLS] = number_short(item->launches);
    numbers[C_MEDIAN] = number_time(item->typical_ns);
    numbers[C_MIN] = number_time((int64_t)item->min_ns);
    numbers[C_MAX] = number_time((int64_t)item->max_ns);
    for (int c = C_SHARE; c <= C_MAX; c++) {
        if (places->width[c] == 0)
            continue;
        bool known = c == C_GAIN ? gain.state >= GAIN_NOTHING : timed || c == C_CALLS;
        bool is_coming = c == C_GAIN && kernels_state(screen)->gains.coming;
        bool says_nothing = c == C_GAIN && gain.state == GAIN_SOME && gain.share >= 1; /* all of its time */
        if (!kernel && (c >= C_MEDIAN || says_nothing)) { /* idle times have no usual length */
            field_words(canvas, places->x[c], y, places->width[c] - 1, STYLE(COLOR_DIM, ground, 0), "-");
            continue;
        }
        if (c == C_MEDIAN && item->sweep_count > 0) {
            kernel_sweeps_draw(&kernels_state(screen)->sweeps, item, canvas,
                               places->x[c] + places->width[c] - 1 - CURVE_CELLS, y, CURVE_CELLS,
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
        kernel_parts_draw_name(screen, canvas, places->x[C_NAME] + 1, y, places->width[C_NAME] - 1, item,
                               selected);
}

bool kernel_rows_sort_by_head(struct kernel_list *kernels, struct rect inside, int x)
{
    struct kernel_places places = kernel_rows_places(kernels, inside);
    for (int c = C_SHARE; c < C_COUNT; c++) {
        if (x < places.x[c] || x >= places.x[c] + places.width[c])
            continue;
        kernels->reverse = columns[c].sort == kernels->sort && !kernels->reverse;
        kernels->sort = columns[c].sort;
        return true;
    }
    return false;
}
