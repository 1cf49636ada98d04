/*
 * Draws from screen->run and its verdict, line by line; text that no longer fits is left out. Advice on the
 * run and on its kernels is in one list, in the order of the run's time that each could gain.
 */
#include "tui/views/panel/panel_run.h"

#include "core/advice/session_advice.h"
#include "core/advice/verdict.h"
#include "tui/frame/screen.h"
#include "tui/views/kernels/view_kernels.h"
#include "tui/views/panel/panel_card.h"
#include "tui/views/panel/view_panel.h"
#include "tui/widgets/number.h"
#include "tui/widgets/time_bar.h"

#include <stdio.h>

#define SENTENCE_LINES 3
#define NOW_LINES 2
#define BLAMES 6
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
    double span_ns = (double)partition_span_ns(&verdict->time);
    for (int i = 0; i < kernels->item_count && kernels->gains.index != NULL && span_ns > 0; i++) {
        uint32_t kernel = kernels->items[i].kernel;
        if (kernels->items[i].part != 0 || session_kernel(screen->session, kernel)->run != screen->run)
            continue;
        struct kernel_times times = kernel_index_times(kernels->gains.index, kernel);
        if (100 * (double)times.total_ns < VERDICT_LEAST_PCT * span_ns)
            continue;
        struct kernel_gain gain = kernel_gains_judge(&kernels->gains, kernel);
        panel->not_judged = panel->not_judged || gain.state <= GAIN_UNKNOWN;
        double share = gain.share * (double)times.total_ns / span_ns;
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

/* kernel: the kernel that the advice is about; NONE: the run. share: of the run's time that it could gain. */
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
        snprintf(gain, sizeof gain, "%.0f %% of the run at most, ", 100 * share);
    snprintf(text, sizeof text, "%s%s%s (%s%s)", name, kernel != NONE ? ": " : "", advice->text, gain,
             provenance_text(advice->provenance));
    say_text(canvas, left, SENTENCE_LINES, style, text);
    snprintf(text, sizeof text, "do: %s (%s)", advice->rule->now, advice_taught_text(advice->rule, taught));
    if (!advice->fine && left->height > LEAST_LINES)
        say_text(canvas, left, NOW_LINES, STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
}

struct said { /* number of items shown so far */
    size_t of_run;
    int of_kernels;
};

/* Draws the next advice of the run or of its kernels; false: all have been drawn. */
static bool say_next(const struct screen *screen, struct canvas *canvas, struct rect *left, struct said *said)
{
    const struct panel *panel = panel_state(screen);
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    const struct panel_finding *finding =
        said->of_kernels < panel->finding_count ? &panel->findings[said->of_kernels] : NULL;
    const struct advice *advice =
        said->of_run < verdict->advice_count ? &verdict->advice[said->of_run] : NULL;
    if (finding != NULL && (advice == NULL || advice->fine || finding->share > advice->gain)) {
        say_advice(screen, canvas, left, &finding->advice, finding->kernel, finding->share);
        said->of_kernels++;
    } else if (advice != NULL) {
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
        snprintf(text, sizeof text, "%s in %s, %s %s", number_time(blame->ns).text, name,
                 number_exact((int64_t)blame->times).text, blame->times == 1 ? "time" : "times");
        say_text(canvas, left, 1, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
    }
}

/* Returns the lines taken. */
static int draw_content(const struct screen *screen, struct canvas *canvas, struct rect left)
{
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    int height = left.height;
    if (partition_span_ns(&verdict->time) == 0 && left.height > 0) {
        say_text(canvas, &left, 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                 "No work of this run has ended on the device yet.");
    } else if (verdict->wrong == 0 && panel_state(screen)->finding_count == 0 && left.height > 0) {
        bool judged = !panel_state(screen)->not_judged;
        struct style style =
            judged ? STYLE(COLOR_GOOD, COLOR_NONE, ATTRIBUTE_BOLD) : STYLE(COLOR_TEXT, COLOR_NONE, 0);
        if (judged)
            canvas_glyph(canvas, left.x, left.y, GLYPH_VERIFIED, style);
        char text[120];
        snprintf(text, sizeof text, "No rule finds %d %% of the run's time to gain%s", VERDICT_LEAST_PCT,
                 judged ? "" : "; not all of its kernels were counted");
        say_text(canvas, &left, 2, style, text);
    }
    struct said said = {0};
    say_next(screen, canvas, &left, &said);
    say_time(screen, canvas, &left, verdict);
    while (say_next(screen, canvas, &left, &said))
        ;
    say_blames(screen, canvas, &left, &verdict->time);
    if (left.height > 1)
        say_text(canvas, &left, 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                 "o: what waited, and why; T: each kind of copy and kernel; a: what a faster kernel gains");
    return height - left.height;
}

int panel_run_lines(const struct screen *screen, int width)
{
    struct canvas canvas = {0};
    if (canvas_init(&canvas, width, LINES_MOST, false, NULL) != STATUS_OK)
        return 0;
    int lines = draw_content(screen, &canvas, (struct rect){0, 0, width, LINES_MOST});
    canvas_fini(&canvas);
    return lines;
}

void panel_run_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    char name[400], title[480];
    screen_run_name(screen, screen->run, name, sizeof name);
    snprintf(title, sizeof title, "Run %s", name);
    draw_content(screen, canvas, view_frame(canvas, area, title, focus));
}
