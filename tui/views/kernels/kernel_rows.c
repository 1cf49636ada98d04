/*
 * Each row is a line of columns; a narrow list leaves columns out, and the name takes what they leave. What
 * distinguishes the row's run has a column of its own, or follows the name.
 */
#include "tui/views/kernels/kernel_rows.h"

#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/views/kernels/kernel_parts.h"
#include "tui/views/kernels/kernel_sweeps.h"

#include "tui/terminal/text.h"
#include "tui/widgets/field.h"
#include "tui/widgets/time_bar.h"

#include <stdio.h>
#include <string.h>

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

void kernel_rows_measure(struct screen *screen, int shown)
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

/* ---- columns ---- */

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

#define NAME_STEP 4    /* the widths of names that are cut are multiples of it */
#define KERNEL_LEAST 6 /* cells of a kernel's name beside what distinguishes its run */
#define CURVE_CELLS 7  /* of the times of a sweep; a time takes as many */

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
static void draw_names(const struct screen *screen, struct canvas *canvas, const struct kernel_places *places,
                       int y, const struct kernel_item *item, bool selected)
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
            kernel_sweeps_draw(&kernels_state(screen)->sweeps, item, canvas, places->x[c] + 1, y, CURVE_CELLS,
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
