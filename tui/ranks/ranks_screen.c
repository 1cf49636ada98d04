/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows are hosts, where there are several, and ranks; they are made anew when the sorting or a fold changes. Only the
 * rows on the screen are drawn, and only their collectives are looked at.
 */
#include "tui/ranks/ranks_screen.h"

#include "core/metric/metric.h"
#include "core/ranks/job_sheets.h"
#include "tui/terminal/term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_RANK UINT32_MAX
#define LEAST_WINDOW_NS 1000
#define FOLD_FROM 64u /* ranks: jobs with more begin with folded hosts */

enum order { BY_CAUSED, BY_WAITED, BY_NUMBER, ORDERS };
static const char *const order_words[ORDERS] = {"waits caused", "waits suffered", "number"};

struct row {
    uint32_t host, rank; /* rank NO_RANK: the host */
};

struct ranks_screen {
    const struct job *job;
    const char *title;
    struct tui_options options;
    const struct theme *theme;
    struct row *rows;
    uint32_t row_count, selected, top;
    uint32_t *hosts; /* in the order of the rows */
    uint32_t *ranks; /* all, sorted */
    bool *folded;    /* by host */
    enum order order;
    int64_t from_ns, until_ns, latest_ns; /* the window; the longest lateness of the job */
    char message[300];
    bool quit, open, whole_verdict;
};

/* ---- rows ---- */
static int64_t key_of(const struct ranks_screen *screen, uint32_t rank)
{
    const struct job_rank *row = &screen->job->ranks[rank];
    return screen->order == BY_CAUSED   ? -row->caused_ns
           : screen->order == BY_WAITED ? -row->waited_ns
                                        : row->number;
}

struct keyed {
    int64_t key;
    uint32_t rank;
};

static int compare_keys(const void *a, const void *b)
{
    const struct keyed *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

/* False: no memory; the old order stays. */
static bool sort_ranks(struct ranks_screen *screen)
{
    const struct job *job = screen->job;
    struct keyed *keys = malloc(((size_t)job->rank_count + 1) * sizeof *keys);
    bool *met = calloc((size_t)job->host_count + 1, sizeof *met);
    uint32_t hosts = 0;
    if (keys && met) {
        for (uint32_t i = 0; i < job->rank_count; i++)
            keys[i] = (struct keyed){key_of(screen, i), i};
        qsort(keys, job->rank_count, sizeof *keys, compare_keys);
        for (uint32_t i = 0; i < job->rank_count; i++) {
            const uint32_t host = job->ranks[keys[i].rank].host;
            screen->ranks[i] = keys[i].rank;
            if (!met[host])
                screen->hosts[hosts++] = host;
            met[host] = true;
        }
    }
    const bool fine = keys && met;
    free(keys);
    free(met);
    return fine;
}

static bool has_host_rows(const struct ranks_screen *screen)
{
    return screen->job->host_count > 1 && screen->job->host_count < screen->job->rank_count;
}

static void make_rows(struct ranks_screen *screen)
{
    const struct job *job = screen->job;
    const struct row kept = screen->row_count > 0 ? screen->rows[screen->selected] : (struct row){0, NO_RANK};
    screen->row_count = 0;
    if (!has_host_rows(screen))
        for (uint32_t i = 0; i < job->rank_count; i++)
            screen->rows[screen->row_count++] =
                (struct row){job->ranks[screen->ranks[i]].host, screen->ranks[i]};
    /* The ranks of all hosts are in one order: each host takes its own of it, in one pass by places. */
    uint32_t *next = has_host_rows(screen) ? calloc((size_t)job->host_count + 1, sizeof *next) : NULL;
    if (next) {
        for (uint32_t i = 0; i < job->host_count; i++) {
            const uint32_t host = screen->hosts[i];
            screen->rows[screen->row_count++] = (struct row){host, NO_RANK};
            next[host] = screen->row_count;
            screen->row_count += screen->folded[host] ? 0 : job->hosts[host].ranks;
        }
        for (uint32_t i = 0; i < job->rank_count; i++) {
            const uint32_t host = job->ranks[screen->ranks[i]].host;
            if (!screen->folded[host])
                screen->rows[next[host]++] = (struct row){host, screen->ranks[i]};
        }
    }
    free(next);
    screen->selected = 0;
    for (uint32_t i = 0; i < screen->row_count; i++)
        if (screen->rows[i].host == kept.host &&
            (screen->rows[i].rank == kept.rank ||
             (screen->rows[i].rank == NO_RANK && screen->folded[kept.host])))
            screen->selected = i;
}

enum status ranks_screen_create(struct ranks_screen **result, const struct job *job, const char *title,
                                const struct tui_options *options, struct error *error)
{
    struct ranks_screen *screen = calloc(1, sizeof *screen);
    *result = screen;
    if (!screen)
        return error_no_memory(error, "to draw a screen");
    *screen = (struct ranks_screen){.job = job, .title = title, .options = *options, .until_ns = job->end_ns};
    screen->theme = theme_find(options->theme);
    screen->rows = malloc(((size_t)job->rank_count + job->host_count + 1) * sizeof *screen->rows);
    screen->ranks = malloc(((size_t)job->rank_count + 1) * sizeof *screen->ranks);
    screen->hosts = malloc(((size_t)job->host_count + 1) * sizeof *screen->hosts);
    screen->folded = calloc((size_t)job->host_count + 1, sizeof *screen->folded);
    if (!screen->rows || !screen->ranks || !screen->hosts || !screen->folded || !sort_ranks(screen))
        return error_no_memory(error, "to draw a screen");
    if (!screen->theme)
        return error_set(error, STATUS_USAGE,
                         "There is no theme \"%.40s\": there are standard, projector, colorblind and mono.",
                         options->theme);
    for (uint32_t i = 0; i < job->host_count; i++)
        screen->folded[i] = job->rank_count > FOLD_FROM;
    int64_t first_ns = job->end_ns; /* before it there is nothing to draw: set-up */
    for (uint32_t i = 0; i < job->collective_count; i++) {
        const struct job_collective *row = &job->collectives[i];
        if (row->state != COLLECTIVE_JUDGED)
            continue;
        first_ns = row->first_ns < first_ns ? row->first_ns : first_ns;
        if (row->last_ns - row->first_ns > screen->latest_ns)
            screen->latest_ns = row->last_ns - row->first_ns;
    }
    if (first_ns > job->end_ns / 10 && job->end_ns - first_ns >= LEAST_WINDOW_NS)
        screen->from_ns = first_ns;
    screen->until_ns = screen->until_ns < LEAST_WINDOW_NS ? LEAST_WINDOW_NS : screen->until_ns;
    /* The culprit's host is open, and it is selected. */
    const uint32_t culprit = job->verdict.culprit;
    if (culprit != JOB_NOBODY)
        screen->folded[job->ranks[culprit].host] = false;
    make_rows(screen);
    for (uint32_t i = 0; i < screen->row_count && culprit != JOB_NOBODY; i++)
        if (screen->rows[i].rank == culprit)
            screen->selected = i;
    return STATUS_OK;
}

void ranks_screen_destroy(struct ranks_screen *screen)
{
    if (!screen)
        return;
    free(screen->rows);
    free(screen->ranks);
    free(screen->hosts);
    free(screen->folded);
    free(screen);
}

/* ---- drawing ---- */
static const char *time_text(int64_t ns, char text[24])
{
    const struct value value = {.available = true, .number = (double)ns};
    metric_format(METRIC_time_ns, &value, text, 24);
    return text;
}

/* The longest lateness of the rank by column; -1: no judged collective there. */
static void find_lateness(const struct ranks_screen *screen, uint32_t rank, int64_t *late_ns, int columns)
{
    const struct job *job = screen->job;
    const double span_ns = (double)(screen->until_ns - screen->from_ns);
    for (uint64_t at = job->rows_from[rank]; at < job->rows_from[rank + 1]; at++) {
        const struct job_collective *row = &job->collectives[job->row_of[at]];
        const int64_t ns = job_lateness(job, rank, (uint32_t)(at - job->rows_from[rank]));
        if (ns < 0 || row->last_ns < screen->from_ns || row->last_ns >= screen->until_ns)
            continue;
        const int column = (int)((double)(row->last_ns - screen->from_ns) / span_ns * columns);
        if (column < columns && ns > late_ns[column])
            late_ns[column] = ns;
    }
}

static void draw_heat(const struct ranks_screen *screen, const struct row *row, struct canvas *canvas,
                      struct rect at, uint8_t ground)
{
    int64_t late_ns[CANVAS_SIDE_MAX];
    const struct job_host *host = &screen->job->hosts[row->host];
    const int columns = at.width < CANVAS_SIDE_MAX ? at.width : CANVAS_SIDE_MAX;
    for (int i = 0; i < columns; i++)
        late_ns[i] = -1;
    if (row->rank != NO_RANK)
        find_lateness(screen, row->rank, late_ns, columns);
    for (uint32_t i = 0; row->rank == NO_RANK && i < host->ranks; i++)
        find_lateness(screen, screen->job->order[host->first + i], late_ns, columns);
    for (int i = 0; i < columns; i++) {
        const double share = screen->latest_ns > 0 ? (double)late_ns[i] / (double)screen->latest_ns : 0;
        const int eighths = share <= 0 ? 0 : (int)ceil(share * 8);
        if (late_ns[i] < 0)
            continue;
        if (eighths == 0)
            canvas_put(canvas, at.x + i, at.y, '.', STYLE(COLOR_DIM, ground, 0));
        else
            canvas_put(canvas, at.x + i, at.y, glyph_lower_eighths(eighths > 8 ? 8 : eighths, canvas->ascii),
                       STYLE(share >= 0.5     ? COLOR_BAD
                             : share >= 0.125 ? COLOR_WARN
                                              : COLOR_GOOD,
                             ground, 0));
    }
}

#define NAME_CELLS 14
#define CAUSED_CELLS 10
#define CAUSE_CELLS 12
/* What the width has room for besides the heat map. */
static int words_cells(int width)
{
    return width >= 70   ? NAME_CELLS + CAUSED_CELLS + CAUSE_CELLS
           : width >= 40 ? NAME_CELLS + CAUSED_CELLS
                         : 7;
}

static void draw_row(const struct ranks_screen *screen, uint32_t index, struct canvas *canvas, struct rect at)
{
    const struct row *row = &screen->rows[index];
    const struct job_host *host = &screen->job->hosts[row->host];
    const uint8_t ground = index == screen->selected ? COLOR_SELECTED : COLOR_NONE;
    const int words = words_cells(at.width);
    const struct style style =
        row->rank == NO_RANK ? STYLE(COLOR_TITLE, ground, 0) : STYLE(COLOR_TEXT, ground, 0);
    int64_t caused_ns = 0;
    char text[24];
    canvas_fill(canvas, at, ' ', style);
    if (row->rank == NO_RANK) {
        canvas_printf(canvas, at.x, at.y, words < NAME_CELLS ? words - 1 : NAME_CELLS - 1, style, "%c%s",
                      screen->folded[row->host] ? '+' : '-', *host->name ? host->name : "file");
        for (uint32_t i = 0; i < host->ranks; i++)
            caused_ns += screen->job->ranks[screen->job->order[host->first + i]].caused_ns;
    } else {
        canvas_printf(canvas, at.x, at.y, words < NAME_CELLS ? words - 1 : NAME_CELLS - 1, style, "%s%u",
                      words < NAME_CELLS      ? ""
                      : has_host_rows(screen) ? "  rank "
                                              : "rank ",
                      screen->job->ranks[row->rank].number);
        caused_ns = screen->job->ranks[row->rank].caused_ns;
    }
    if (words >= NAME_CELLS + CAUSED_CELLS)
        canvas_printf(canvas, at.x + NAME_CELLS, at.y, CAUSED_CELLS - 1, style, "%9s",
                      time_text(screen->order == BY_WAITED && row->rank != NO_RANK
                                    ? screen->job->ranks[row->rank].waited_ns
                                    : caused_ns,
                                text));
    if (words >= NAME_CELLS + CAUSED_CELLS + CAUSE_CELLS && row->rank != NO_RANK)
        canvas_text(canvas, at.x + NAME_CELLS + CAUSED_CELLS, at.y, CAUSE_CELLS - 1, style,
                    rank_class_id(screen->job->ranks[row->rank].cause));
    draw_heat(screen, row, canvas, (struct rect){at.x + words, at.y, at.width - words, 1}, ground);
}

static void draw_verdict(const struct ranks_screen *screen, struct canvas *canvas, struct rect at)
{
    const struct job_verdict *verdict = &screen->job->verdict;
    char text[1200];
    if (verdict->silent)
        snprintf(text, sizeof text, "%s", verdict->silence);
    else
        snprintf(text, sizeof text, "%s holds the others up. %s %s", verdict->who, verdict->why,
                 verdict->evidence);
    canvas_wrap(canvas, at, STYLE(verdict->silent ? COLOR_GOOD : COLOR_WARN, COLOR_NONE, 0), text);
}

/* The selected row in words. */
static void describe_row(const struct ranks_screen *screen, char *text, size_t size_bytes)
{
    const struct job *job = screen->job;
    const struct row *row = &screen->rows[screen->selected];
    const struct job_host *host = &job->hosts[row->host];
    char caused[24], waited[24];
    if (row->rank == NO_RANK) {
        snprintf(text, size_bytes, "%s: %u ranks%s%s", *host->name ? host->name : "a file", host->ranks,
                 host->fitted ? row->host > 0 ? ", its clock agrees to " : ""
                              : ", its clock could not be compared",
                 host->fitted && row->host > 0 ? time_text((int64_t)host->residual_ns, caused) : "");
        return;
    }
    const struct job_rank *rank = &job->ranks[row->rank];
    const struct digest_head *head = rank->digest.head;
    const double span_ns = head->last_ns > head->first_ns ? (double)(head->last_ns - head->first_ns) : 1;
    size_t used = (size_t)snprintf(
        text, size_bytes, "rank %u: caused %s, last %u times, waited %s, kernels %.0f %%, exposed %.0f %%",
        rank->number, time_text(rank->caused_ns, caused), rank->last_times,
        time_text(rank->waited_ns, waited), 100 * (double)head->ns[RANK_COMPUTE] / span_ns,
        100 * (double)head->ns[RANK_COLLECTIVE] / span_ns);
    if (!isnan(rank->device_factor) && used < size_bytes)
        snprintf(text + used, size_bytes - used, ", GPU time %.2fx", rank->device_factor);
}

static void draw_axis(const struct ranks_screen *screen, struct canvas *canvas, struct rect at)
{
    const int words = words_cells(at.width);
    const struct style style = STYLE(COLOR_DIM, COLOR_NONE, 0);
    char from[24], until[24], latest[24], ends[80];
    if (words >= NAME_CELLS)
        canvas_text(canvas, at.x, at.y, NAME_CELLS - 1, style, has_host_rows(screen) ? "host, rank" : "rank");
    if (words >= NAME_CELLS + CAUSED_CELLS)
        canvas_printf(canvas, at.x + NAME_CELLS, at.y, CAUSED_CELLS - 1, style, "%9s",
                      screen->order == BY_WAITED ? "waited" : "caused");
    if (words >= NAME_CELLS + CAUSED_CELLS + CAUSE_CELLS)
        canvas_text(canvas, at.x + NAME_CELLS + CAUSED_CELLS, at.y, CAUSE_CELLS - 1, style, "cause");
    const int room = at.width - words;
    snprintf(ends, sizeof ends, "%s, full: %s late", time_text(screen->until_ns, until),
             time_text(screen->latest_ns, latest));
    canvas_text(canvas, at.x + words, at.y, room, style, time_text(screen->from_ns, from));
    const int length = (int)strlen(ends);
    if (room > length + 12)
        canvas_text(canvas, at.x + at.width - length, at.y, length, style, ends);
}

/* Lines of the verdict by the screen's height. */
static int verdict_lines(const struct ranks_screen *screen, int height)
{
    return screen->whole_verdict ? height - 3 : height >= 30 ? 5 : height >= 16 ? 4 : height >= 8 ? 2 : 0;
}

static void draw_screen(struct ranks_screen *screen, struct canvas *canvas)
{
    const int width = canvas->width, height = canvas->height;
    const struct job *job = screen->job;
    const struct style bar = STYLE(COLOR_TEXT, COLOR_BAR, 0);
    const int above = 1 + verdict_lines(screen, height), axis = height >= 5 ? 1 : 0,
              below = height >= 8 ? 2 : 1;
    const int lines = height - above - axis - below;
    char span[24], text[400];
    canvas_clear(canvas);
    canvas_fill(canvas, (struct rect){0, 0, width, 1}, ' ', bar);
    if (height < 8 && job->verdict.silent)
        canvas_text(canvas, 1, 0, width - 1, bar, "nobody stands out");
    else if (height < 8)
        canvas_printf(canvas, 1, 0, width - 1, bar, "rank %u: %s", job->ranks[job->verdict.culprit].number,
                      rank_class_id(job->verdict.cause));
    else
        canvas_printf(canvas, 1, 0, width - 1, STYLE(COLOR_TITLE, COLOR_BAR, ATTRIBUTE_BOLD),
                      "%s  %u ranks  %u %s  %u collectives  %s", screen->title, job->rank_count,
                      job->host_count, job->host_count == 1 ? "clock" : "clocks", job->collective_count,
                      time_text(job->end_ns, span));
    draw_verdict(screen, canvas, (struct rect){1, 1, width - 2, above - 1});
    if (lines > 0) {
        const uint32_t shown = (uint32_t)lines;
        if (screen->selected < screen->top)
            screen->top = screen->selected;
        if (screen->selected >= screen->top + shown)
            screen->top = screen->selected - shown + 1;
        if (screen->top + shown > screen->row_count)
            screen->top = screen->row_count > shown ? screen->row_count - shown : 0;
        if (axis)
            draw_axis(screen, canvas, (struct rect){0, above, width, 1});
        for (uint32_t i = 0; i < shown && screen->top + i < screen->row_count; i++)
            draw_row(screen, screen->top + i, canvas, (struct rect){0, above + axis + (int)i, width, 1});
    }
    describe_row(screen, text, sizeof text);
    if (below == 2)
        canvas_text(canvas, 1, height - 2, width - 2, STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
    canvas_fill(canvas, (struct rect){0, height - 1, width, 1}, ' ', bar);
    if (screen->message[0])
        canvas_text(canvas, 1, height - 1, width - 2, STYLE(COLOR_WARN, COLOR_BAR, 0), screen->message);
    else
        canvas_printf(canvas, 1, height - 1, width - 2, bar,
                      "q quit  ENTER open  z fold  s by %s  + - zoom  h l pan  v verdict",
                      order_words[screen->order]);
}

/* ---- keys ---- */
static void move_selection(struct ranks_screen *screen, int64_t by)
{
    const int64_t to = (int64_t)screen->selected + by, last = (int64_t)screen->row_count - 1;
    screen->selected = (uint32_t)(to < 0 ? 0 : to > last ? last : to);
}

static void set_window(struct ranks_screen *screen, int64_t from_ns, int64_t span_ns)
{
    const int64_t whole_ns = screen->job->end_ns > LEAST_WINDOW_NS ? screen->job->end_ns : LEAST_WINDOW_NS;
    span_ns = span_ns < LEAST_WINDOW_NS ? LEAST_WINDOW_NS : span_ns > whole_ns ? whole_ns : span_ns;
    from_ns = from_ns < 0 ? 0 : from_ns > whole_ns - span_ns ? whole_ns - span_ns : from_ns;
    screen->from_ns = from_ns;
    screen->until_ns = from_ns + span_ns;
}

static void open_row(struct ranks_screen *screen)
{
    const struct row *row = &screen->rows[screen->selected];
    if (row->rank == NO_RANK) {
        screen->folded[row->host] = !screen->folded[row->host];
        make_rows(screen);
        return;
    }
    const struct digest *digest = &screen->job->ranks[row->rank].digest;
    const char *file = digest_text(digest, digest->head->file);
    screen->open = access(file, R_OK) == 0;
    if (!screen->open)
        snprintf(screen->message, sizeof screen->message,
                 "%.200s cannot be read here: open it where it was recorded.",
                 *file ? file : "Its recording");
}

static void take_key(struct ranks_screen *screen, uint32_t key)
{
    const int64_t span_ns = screen->until_ns - screen->from_ns, middle_ns = screen->from_ns + span_ns / 2;
    screen->message[0] = '\0';
    switch (key) {
    case 'q':
    case 'Q': screen->quit = true; break;
    case 'j':
    case CODE_DOWN: move_selection(screen, 1); break;
    case 'k':
    case CODE_UP: move_selection(screen, -1); break;
    case CODE_PAGE_DOWN: move_selection(screen, 10); break;
    case CODE_PAGE_UP: move_selection(screen, -10); break;
    case 'g':
    case CODE_HOME: screen->selected = 0; break;
    case 'G':
    case CODE_END: move_selection(screen, INT32_MAX); break;
    case '+':
    case '=': set_window(screen, middle_ns - span_ns / 4, span_ns / 2); break;
    case '-':
    case '_':
        set_window(screen, middle_ns - (span_ns < INT64_MAX / 4 ? span_ns : 0),
                   span_ns < INT64_MAX / 4 ? span_ns * 2 : span_ns);
        break;
    case 'h':
    case CODE_LEFT: set_window(screen, screen->from_ns - span_ns / 4, span_ns); break;
    case 'l':
    case CODE_RIGHT: set_window(screen, screen->from_ns + span_ns / 4, span_ns); break;
    case '0': set_window(screen, 0, screen->job->end_ns); break;
    case 'v': screen->whole_verdict = !screen->whole_verdict; break;
    case 's':
        screen->order = (screen->order + 1) % ORDERS;
        if (!sort_ranks(screen))
            snprintf(screen->message, sizeof screen->message, "There is no memory to sort the ranks.");
        make_rows(screen);
        break;
    case 'z':
        screen->folded[screen->rows[screen->selected].host] ^= has_host_rows(screen);
        make_rows(screen);
        break;
    case KEY_RETURN: open_row(screen); break;
    default: break;
    }
}

/* ---- the terminal, and pictures ---- */
static void draw_picture(void *context, struct canvas *canvas)
{
    draw_screen(context, canvas);
}

static bool take_input(void *context, const struct term_input *input)
{
    struct ranks_screen *screen = context;
    if (input->kind == TERM_KEY)
        take_key(screen, input->key);
    if (input->kind == TERM_MOUSE && input->mouse.kind == MOUSE_WHEEL_UP)
        move_selection(screen, -3);
    if (input->kind == TERM_MOUSE && input->mouse.kind == MOUSE_WHEEL_DOWN)
        move_selection(screen, 3);
    return !screen->quit && !screen->open;
}

/* terminal: with one, only a theme that was asked for may leave the ground as it is. */
static struct term_picture picture_of(struct ranks_screen *screen, bool terminal)
{
    const struct tui_options *options = &screen->options;
    return (struct term_picture){
        .context = screen,
        .theme = screen->theme,
        .options = {.color = options->color,
                    .ascii = options->ascii,
                    .mouse = options->mouse,
                    .transparent = options->transparent && (options->theme || !terminal)},
        .draw = draw_picture,
        .take = take_input};
}

enum status ranks_run(struct ranks_screen *screen, const char **opened, struct error *error)
{
    const struct term_picture picture = picture_of(screen, true);
    *opened = NULL;
    screen->open = false;
    enum status status = screen->quit ? STATUS_OK : term_picture_run(&picture, error);
    if (screen->open) {
        const struct digest *digest = &screen->job->ranks[screen->rows[screen->selected].rank].digest;
        *opened = digest_text(digest, digest->head->file);
    }
    return status;
}

enum status ranks_snapshot(struct ranks_screen *screen, const char *format, int width, int height,
                           const char *keys, FILE *out, struct error *error)
{
    const struct term_picture picture = picture_of(screen, false);
    return term_picture_write(&picture, format, width, height, keys, out, error);
}
