/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws from screen->run and its verdict, line by line; text that no longer fits is left out. Advice on the
 * run and on its kernels is in one list, in the order of the run's time that each could gain.
 */

#include "core/advice/session_advice.h"
#include "core/advice/verdict.h"
#include "tui/frame/screen.h"
#include "tui/views/kernels/view_kernels.h"
#include "tui/views/panel/panel_part.h"
#include "tui/views/panel/view_panel.h"
#include "tui/widgets/field.h"
#include "tui/widgets/number.h"
#include "tui/widgets/time_bar.h"

#include <stdio.h>

#define SENTENCE_LINES 3
#define NOW_LINES 2
#define BLAMES 6
#define KERNELS_MOST 5
#define NUMBER_CELLS 9
#define BAR_LEAST 24
#define TABLES_BESIDE 140 /* cells: with as many the tables are beside the verdict, else below it */
#define EVENTS_MAX UINT64_C(1000000) /* a walk over more takes too long for a frame */
#define LINES_MOST 60
#define LEAST_LINES 4 /* least lines of a panel that shows more than the first advice */

bool panel_shows_run(const struct screen *screen)
{
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    return verdict->known && (screen->on_run || screen->kernel == NONE);
}

static void add_finding(struct panel *panel, const struct kernel_index *index, uint32_t kernel, double share)
{
    struct advice_list list;
    int place = panel->finding_count;
    while (place > 0 && panel->findings[place - 1].share < share)
        place--;
    if (place == PANEL_FINDINGS_MAX)
        return;
    session_advise_indexed(index, kernel, &list);
    panel->finding_count += panel->finding_count < PANEL_FINDINGS_MAX;
    for (int i = panel->finding_count - 1; i > place; i--)
        panel->findings[i] = panel->findings[i - 1];
    panel->findings[place] = (struct panel_finding){list.items[0], kernel, share};
}

void panel_run_update(struct screen *screen)
{
    struct panel *panel = panel_state(screen);
    struct kernel_list *kernels = kernels_state(screen);
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    uint64_t made_of = kernels->gains.made_of + verdict->made_of;
    if (!panel_shows_run(screen) ||
        (panel->findings_run == screen->run && panel->findings_made_of == made_of))
        return;
    panel->findings_run = screen->run;
    panel->findings_made_of = made_of;
    panel->finding_count = 0;
    panel->not_judged = false;
    panel->run_copies.count = 0;
    if (session_event_count(screen->session) <= EVENTS_MAX)
        copy_times_make(screen->session, screen->run, &panel->run_copies);
    double span_ns = (double)partition_span_ns(&verdict->time);
    for (int i = 0; i < kernels->item_count && kernels->gains.index && span_ns > 0; i++) {
        uint32_t kernel = kernels->items[i].kernel;
        if (kernels->items[i].part != 0 || session_kernel(screen->session, kernel)->run != screen->run)
            continue;
        double kernel_ns = kernel < verdict->kernel_count /* in the span: of the steps' launches alone */
                               ? (double)verdict->kernel_ns[kernel]
                               : (double)kernel_index_times(kernels->gains.index, kernel).total_ns;
        if (100 * kernel_ns < VERDICT_LEAST_PCT * span_ns)
            continue;
        struct kernel_gain gain = kernel_gains_judge(&kernels->gains, kernel);
        panel->not_judged = panel->not_judged || gain.state <= GAIN_UNKNOWN;
        double share = gain.share * kernel_ns / span_ns;
        if (gain.state == GAIN_SOME && 100 * share >= VERDICT_LEAST_PCT)
            add_finding(panel, kernels->gains.index, kernel, share);
    }
}

static void take_lines(struct rect *left, int lines)
{
    left->y += lines;
    left->height -= lines;
}

static void say_text(struct canvas *canvas, struct rect *left, int most, struct style style, const char *text)
{
    struct rect lines = {left->x + 2, left->y, left->width - 2, left->height < most ? left->height : most};
    if (lines.height > 0)
        take_lines(left, canvas_wrap(canvas, lines, style, text));
}

/* kernel: the kernel that the advice is about; NONE: the run. share: of the time of the steps, else of the
 * run, that it could gain. */
static void say_advice(const struct screen *screen, struct canvas *canvas, struct rect *left,
                       const struct advice *advice, uint32_t kernel, double share)
{
    char taught[ADVICE_TAUGHT_TEXT];
    struct style style = STYLE(advice->fine ? COLOR_TEXT : COLOR_WARN, COLOR_NONE, ATTRIBUTE_BOLD);
    char text[600], name[100] = "", gain[60] = "";
    if (left->height <= 0)
        return;
    if (!advice->fine)
        canvas_glyph(canvas, left->x, left->y, GLYPH_WARNING, style);
    if (kernel != NONE)
        short_names_print_kernel(screen->naming.names, screen->session, kernel, SHORT_NAME_WHOLE, name,
                                 sizeof name);
    if (share > 0)
        snprintf(gain, sizeof gain, "%.20s of the %s at most, ", number_gain(share).text,
                 run_verdicts_of(&screen->verdicts, screen->run)->steps > 0 ? "steps" : "run");
    snprintf(text, sizeof text, "%s%s%s (%s%s)", name, kernel != NONE ? ": " : "", advice->text, gain,
             provenance_text(advice->provenance));
    say_text(canvas, left, SENTENCE_LINES, style, text);
    snprintf(text, sizeof text, "do: %s (%s)", advice_now(advice), advice_taught_text(advice->rule, taught));
    if (!advice->fine && left->height > LEAST_LINES)
        say_text(canvas, left, NOW_LINES, STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
}

struct said { /* number of items shown so far */
    size_t of_run;
    int of_kernels;
};

/* Is the finding of a kernel of the name that the replay ranks first? */
static bool is_first(const struct screen *screen, const struct run_verdict *verdict,
                     const struct panel_finding *finding)
{
    const struct kernel_row *first = session_kernel(screen->session, verdict->first_kernel),
                            *own = session_kernel(screen->session, finding->kernel);
    return first && own &&
           session_shape(screen->session, first->shape)->name ==
               session_shape(screen->session, own->shape)->name;
}

/* Draws the next advice of the run or of its kernels; false: all have been drawn. */
static bool say_next(const struct screen *screen, struct canvas *canvas, struct rect *left, struct said *said)
{
    const struct panel *panel = panel_state(screen);
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    const struct panel_finding *finding =
        said->of_kernels < panel->finding_count ? &panel->findings[said->of_kernels] : NULL;
    const struct advice *advice =
        said->of_run < verdict->advice_count ? &verdict->advice[said->of_run] : NULL;
    const bool first = said->of_run == 0 && said->of_kernels == 0,
               run_first = verdict->run_first && said->of_run == 0;
    if (finding && (!advice || advice->fine || (finding->share > advice->gain && !run_first) ||
                    (first && is_first(screen, verdict, finding)))) {
        say_advice(screen, canvas, left, &finding->advice, finding->kernel, finding->share);
        said->of_kernels++;
    } else if (advice) {
        say_advice(screen, canvas, left, advice, NONE, advice->gain);
        said->of_run++;
    } else {
        return false;
    }
    return true;
}

static void say_time(const struct screen *screen, struct canvas *canvas, struct rect *left,
                     const struct run_verdict *verdict)
{
    const struct partition *time = &verdict->time;
    enum partition_class parts[PARTITION_COUNT];
    if (time->operations == 0 || left->height <= 0)
        return;
    time_bar_draw(time, canvas, left->x + 2, left->y, left->width - 4);
    take_lines(left, 1);
    int count = time_bar_parts(time, 0, parts, PARTITION_COUNT);
    for (int i = 0; i < count && left->height > 0; i++, take_lines(left, 1))
        time_bar_draw_part(screen->session, time, parts[i], canvas, left->x + 2, left->y, left->width - 2);
    if (left->height > 0 && panel_card_draw_overlap(verdict, canvas, left->x + 2, left->y, left->width - 4))
        take_lines(left, 1);
}

/* "743 ms  cudaLaunchKernel, in 4,100 idle times" */
static void say_blames(const struct screen *screen, struct canvas *canvas, struct rect *left,
                       const struct partition *time)
{
    for (uint32_t i = 0; i < time->blame_count && i < BLAMES && left->height > 0; i++) {
        const struct partition_blame *blame = &time->blames[i];
        char name[200], text[400];
        partition_blame_name(screen->session, blame, name, sizeof name);
        if (name[0] == '\0')
            continue;
        snprintf(text, sizeof text, "%s %s%s, %s %s", number_time(blame->ns).text, blame->place ? "" : "in ",
                 name, number_exact((int64_t)blame->times).text, blame->times == 1 ? "time" : "times");
        say_text(canvas, left, 1, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
    }
}

/* The kernels of the run that took the most time, at most `most`, the first the longest. Returns their
 * number.
 */
static int longest_kernels(const struct screen *screen, uint32_t *kernels, int most)
{
    const struct kernel_index *index = kernels_state(screen)->gains.index;
    uint32_t all = index ? kernel_index_count(index) : 0;
    int count = 0;
    for (uint32_t kernel = 0; kernel < all; kernel++) {
        int64_t total_ns = kernel_index_times(index, kernel).total_ns;
        if (session_kernel(screen->session, kernel)->run != screen->run || total_ns == 0)
            continue;
        int place = count;
        while (place > 0 && kernel_index_times(index, kernels[place - 1]).total_ns < total_ns)
            place--;
        if (place == most)
            continue;
        count += count < most;
        for (int i = count - 1; i > place; i--)
            kernels[i] = kernels[i - 1];
        kernels[place] = kernel;
    }
    return count;
}

/* "  2.97 ms  61.5 us  48  chunk", with a bar of its part of the kernels' time. */
static void say_kernels(const struct screen *screen, struct canvas *canvas, struct rect *left)
{
    const struct kernel_index *index = kernels_state(screen)->gains.index;
    static const char *const titles[] = {"total", "median", "calls"};
    uint32_t kernels[KERNELS_MOST];
    int count = longest_kernels(screen, kernels, KERNELS_MOST);
    struct style head = STYLE(COLOR_FOCUS, COLOR_TRACK, ATTRIBUTE_BOLD),
                 plain = STYLE(COLOR_TEXT, COLOR_NONE, 0);
    if (count == 0 || left->height < 2)
        return;
    int x = left->x + 2, name_x = x + 3 * (NUMBER_CELLS + 1);
    canvas_fill(canvas, (struct rect){x, left->y, left->width - 2, 1}, ' ', head);
    for (int i = 0; i < 3; i++)
        field_words(canvas, x + i * (NUMBER_CELLS + 1), left->y, NUMBER_CELLS, head, titles[i]);
    canvas_text(canvas, name_x, left->y, left->x + left->width - name_x, head, "kernel");
    take_lines(left, 1);
    int64_t most_ns = kernel_index_times(index, kernels[0]).total_ns;
    int room = left->x + left->width - name_x, words = room > 2 * BAR_LEAST ? room / 2 : room;
    for (int i = 0; i < count && left->height > 0; i++, take_lines(left, 1)) {
        struct kernel_times times = kernel_index_times(index, kernels[i]);
        uint16_t name = naming_of_kernel(&screen->naming, screen->session, kernels[i]);
        char text[200];
        field_number(canvas, x, left->y, NUMBER_CELLS, plain, number_time(times.total_ns).text);
        field_number(canvas, x + NUMBER_CELLS + 1, left->y, NUMBER_CELLS, plain,
                     times.median_ns > 0 ? number_time(times.median_ns).text : "-");
        field_number(canvas, x + 2 * (NUMBER_CELLS + 1), left->y, NUMBER_CELLS, plain,
                     number_short(times.launches).text);
        canvas_put(canvas, name_x, left->y, (unsigned char)naming_letter(name),
                   STYLE(naming_color(name), COLOR_NONE, ATTRIBUTE_BOLD));
        short_names_print_kernel(screen->naming.names, screen->session, kernels[i], words - 3, text,
                                 sizeof text);
        canvas_text(canvas, name_x + 2, left->y, words - 3, plain, text);
        if (words < room)
            canvas_bar(canvas, name_x + words, left->y, room - words,
                       (double)times.total_ns / (double)most_ns, (enum color)naming_color(name));
    }
}

/* Draws the copies by kind, the kernels and the longest idle times of the run. */
static void say_tables(const struct screen *screen, struct canvas *canvas, struct rect *left)
{
    struct rect table = {left->x + 2, left->y, left->width - 2, left->height};
    take_lines(left, panel_part_draw_copies(&panel_state(screen)->run_copies, canvas, table));
    say_kernels(screen, canvas, left);
    table.y = left->y;
    table.height = left->height;
    take_lines(left, panel_part_draw_gaps(screen, canvas, table));
}

/* Green if all was checked and kernels ran for most of the time; else grey, with what is to be known. */
static void say_nothing_found(const struct screen *screen, struct canvas *canvas, struct rect *left,
                              const struct partition *time)
{
    enum partition_class most = partition_mostly(time);
    char text[200], rest[100] = "";
    if (panel_state(screen)->not_judged)
        snprintf(rest, sizeof rest, "; not all of its kernels were counted");
    else if (most != PARTITION_KERNEL)
        snprintf(rest, sizeof rest, "; %.0f %% of it is %s",
                 100 * (double)time->ns[most] / (double)partition_sum_ns(time), partition_class_brief(most));
    struct style style =
        rest[0] == '\0' ? STYLE(COLOR_GOOD, COLOR_NONE, ATTRIBUTE_BOLD) : STYLE(COLOR_TEXT, COLOR_NONE, 0);
    if (rest[0] == '\0')
        canvas_glyph(canvas, left->x, left->y, GLYPH_VERIFIED, style);
    else
        canvas_put(canvas, left->x, left->y, '?', STYLE(COLOR_DIM, COLOR_NONE, 0));
    snprintf(text, sizeof text, "No rule finds %d %% of the run's time to gain%s", VERDICT_LEAST_PCT, rest);
    say_text(canvas, left, 2, style, text);
}

/* tables: in the room that is left. Returns the lines taken without them. */
static int draw_content(const struct screen *screen, struct canvas *canvas, struct rect left, bool tables)
{
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    int height = left.height;
    struct rect beside = {0};
    if (left.width >= TABLES_BESIDE) {
        beside = (struct rect){left.x + left.width / 2, left.y, left.width - left.width / 2, height};
        left.width /= 2;
    }
    bool runs = screen_run_runs(screen, screen->run), judged = !runs && !verdict->replaying;
    if (runs && left.height > 0) {
        char text[120];
        uint64_t ended = verdict->known ? verdict->time.operations : 0;
        if (ended > 0)
            snprintf(text, sizeof text, "running: %llu operation%s ended so far; judged at its end",
                     (unsigned long long)ended, ended == 1 ? " has" : "s have");
        else
            snprintf(text, sizeof text, "running: judged at its end");
        say_text(canvas, &left, 2, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
    } else if (verdict->replaying && left.height > 0) {
        say_text(canvas, &left, 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                 "What would help is not known yet: the run is replayed.");
    } else if (run_verdicts_is_due(&screen->verdicts, screen->run) && !verdict->known && left.height > 0) {
        say_text(canvas, &left, 2, STYLE(COLOR_DIM, COLOR_NONE, 0), "The run's times are added up.");
    } else if (partition_span_ns(&verdict->time) == 0 && left.height > 0) {
        say_text(canvas, &left, 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                 "No work of this run has ended on the device yet.");
    } else if (verdict->wrong == 0 && panel_state(screen)->finding_count == 0 && left.height > 0) {
        say_nothing_found(screen, canvas, &left, &verdict->time);
    }
    struct said said = {0};
    char set_up[PARTITION_SET_UP_TEXT];
    if (judged && verdict->steps == 0 && (verdict->wrong > 0 || panel_state(screen)->finding_count > 0) &&
        partition_set_up_text(&verdict->time, set_up)) /* the rules judge the rest, however little it is */
        say_text(canvas, &left, 1, STYLE(COLOR_TEXT, COLOR_NONE, 0), set_up);
    if (judged)
        say_next(screen, canvas, &left, &said);
    say_time(screen, canvas, &left, verdict);
    while (judged && say_next(screen, canvas, &left, &said))
        ;
    say_blames(screen, canvas, &left, &verdict->time);
    if (left.height > 1)
        say_text(canvas, &left, 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                 "o: what waited, and why; T: each kind of copy and kernel; a: what a faster kernel gains");
    int used = height - left.height;
    if (tables)
        say_tables(screen, canvas, beside.width > 0 ? &beside : &left);
    return used;
}

int panel_run_lines(const struct screen *screen, int width)
{
    struct canvas canvas = {0};
    if (canvas_init(&canvas, width, LINES_MOST, false, NULL) != STATUS_OK)
        return 0;
    int lines = draw_content(screen, &canvas, (struct rect){0, 0, width, LINES_MOST}, false);
    canvas_fini(&canvas);
    return lines;
}

void panel_run_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    char name[400], title[480];
    screen_run_name(screen, screen->run, name, sizeof name);
    snprintf(title, sizeof title, "Run %s", name);
    draw_content(screen, canvas, view_frame(canvas, area, title, focus), true);
}
