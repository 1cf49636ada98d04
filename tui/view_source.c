#include "tui/screen.h"

#include "tui/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAIL_LINES 2
#define CONTEXT_LINES 12
#define COUNT_CELLS 8
#define SHARE_CELLS 8
#define WIDE 96 /* all columns are shown */

uint64_t source_cost(const struct source_view *view, uint32_t line)
{
    const struct tui_source_line *one = &view->source.lines[line];
    return view->by_instructions ? one->instructions : one->sectors + one->wavefronts;
}

void source_fini(struct source_view *view)
{
    free(view->source.lines);
    *view = (struct source_view){0};
}

/* ---- opening ---- */

/* The first of the lines that cost most, a few lines of context above it. */
static void find_worst(struct source_view *view)
{
    view->total = 0;
    view->worst = 0;
    for (uint32_t i = 0; i < view->source.line_count; i++) {
        view->total += source_cost(view, i);
        if (source_cost(view, i) > source_cost(view, view->worst))
            view->worst = i;
    }
    view->list.count = (int)view->source.line_count;
    view->list.selected = (int)view->worst;
    view->list.top = view->list.selected > CONTEXT_LINES ? view->list.selected - CONTEXT_LINES : 0;
}

static bool moves_nothing(const struct tui_source *source)
{
    uint64_t moved = 0;
    for (uint32_t i = 0; i < source->line_count; i++)
        moved += source->lines[i].sectors + source->lines[i].wavefronts;
    return moved == 0;
}

void source_open(struct screen *screen)
{
    const struct session *session = screen->session;
    uint32_t kernel = screen_kernel_looked_at(screen);
    struct error error = {0};
    if (kernel == NONE) {
        screen_message(screen, SEVERITY_INFO, "There is no kernel here whose source could be shown.");
        return;
    }
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct run_row *run = session_run(session, row->run);
    if (run->workload == 0 || screen->host->source == NULL) {
        screen_message(
            screen, SEVERITY_INFO,
            "Sources are kept of the bundled workloads' kernels. Of one of yours `lanescope kernel "
            "FILE.ptx` prints what each line costs.");
        return;
    }
    const struct tui_source_query query = {
        .workload = session_string(session, run->workload),
        .variant = session_string(session, run->variant),
        .params = session_string(session, run->params),
        .kernel = session_string(session, session_shape(session, row->shape)->name),
    };
    struct tui_source source = {0};
    if (screen->host->source(screen->host->context, &query, &source, &error) != STATUS_OK) {
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
        return;
    }
    source_fini(&screen->source);
    screen->source.source = source;
    screen->source.by_instructions = moves_nothing(&source);
    find_worst(&screen->source);
    screen_open(screen, &view_source);
}

/* ---- the view ---- */

/* The heads of the columns and the lines below, where there is room. */
static int head_of(struct rect inside)
{
    return inside.height >= 8 && inside.width >= 40;
}

static int tail_of(struct rect inside)
{
    return inside.height >= 6 ? TAIL_LINES : 0;
}

static void update(struct screen *screen, struct rect area)
{
    struct rect inside = view_inside(area);
    struct list *list = &screen->source.list;
    list_update(list, list->count, inside.height - tail_of(inside) - head_of(inside));
}

static const char *line_at(const char *text, uint32_t line)
{
    for (; line > 0 && *text != '\0'; line--) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

static int draw_counts(const struct source_view *view, struct canvas *canvas, int x, int y, int width,
                       uint32_t line, struct style style)
{
    const struct tui_source_line *one = &view->source.lines[line];
    const uint64_t counts[] = {one->instructions, one->sectors, one->wavefronts};
    for (int i = 0; i < 3 && width >= WIDE; i++, x += COUNT_CELLS)
        canvas_text_right(canvas, x, y, COUNT_CELLS - 1, style,
                          one->instructions > 0 ? number_short(counts[i]).text : "");
    char share[16] = "";
    if (source_cost(view, line) > 0)
        snprintf(share, sizeof share, "%.1f %%",
                 100.0 * (double)source_cost(view, line) / (double)view->total);
    canvas_text_right(canvas, x, y, SHARE_CELLS - 1, style, share);
    return x + SHARE_CELLS;
}

static void draw_line(const struct source_view *view, struct canvas *canvas, struct rect at, uint32_t line,
                      bool selected)
{
    bool worst = line == view->worst && view->total > 0;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    bool costs = source_cost(view, line) > 0;
    struct style style = STYLE(worst   ? COLOR_BAD
                               : costs ? COLOR_TITLE
                                       : COLOR_TEXT,
                               ground, worst ? ATTRIBUTE_BOLD : 0);
    const char *text = line_at(view->source.text, line);
    char shown[400];
    if (selected)
        canvas_fill(canvas, at, ' ', STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
    int x = at.width >= 40 ? draw_counts(view, canvas, at.x, at.y, at.width, line, style) : at.x;
    canvas_printf(canvas, x, at.y, 5, STYLE(COLOR_DIM, ground, 0), "%4u", line + 1);
    if (worst)
        canvas_glyph(canvas, x + 5, at.y, GLYPH_SELECTED, style);
    snprintf(shown, sizeof shown, "%.*s", (int)strcspn(text, "\n"), text);
    canvas_text(canvas, x + 7, at.y, at.x + at.width - x - 7, style, shown);
}

static void draw_head(struct canvas *canvas, struct rect line)
{
    static const char *const titles[] = {"instr", "sectors", "wavefr"};
    struct style style = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_UNDERLINE);
    int x = line.x;
    for (int i = 0; i < 3 && line.width >= WIDE; i++, x += COUNT_CELLS)
        canvas_text_right(canvas, x, line.y, COUNT_CELLS - 1, style, titles[i]);
    canvas_text_right(canvas, x, line.y, SHARE_CELLS - 1, style, "cost");
}

static void draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct source_view *view = &screen->source;
    char title[300];
    const char *base = strrchr(view->source.path, '/');
    snprintf(title, sizeof title, "%s    modelled on %s, at small size",
             area.width < 90 && base != NULL ? base + 1 : view->source.path, view->source.model);
    struct rect inside = view_frame(canvas, area, title, focus);
    int tail = tail_of(inside), head = head_of(inside);
    if (head > 0)
        draw_head(canvas, inside);
    for (int i = 0; i < inside.height - tail - head && view->list.top + i < view->list.count; i++) {
        int line = view->list.top + i;
        draw_line(view, canvas, (struct rect){inside.x, inside.y + head + i, inside.width, 1}, (uint32_t)line,
                  line == view->list.selected);
    }
    if (tail == 0)
        return;
    int y = inside.y + inside.height - tail;
    canvas_printf(canvas, inside.x, y, inside.width, STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD),
                  "line %u costs most: %s of %s %s", view->worst + 1,
                  number_short(source_cost(view, view->worst)).text, number_short(view->total).text,
                  view->by_instructions ? "warp instructions" : "sectors and wavefronts");
    canvas_text(canvas, inside.x, y + 1, inside.width, STYLE(COLOR_DIM, COLOR_NONE, 0),
                view->by_instructions
                    ? "cost: warp instructions; s: by what is moved"
                    : "cost: sectors of memory + wavefronts of shared memory; s: by instructions");
}

static bool act(struct screen *screen, enum action action)
{
    struct source_view *view = &screen->source;
    if (action != ACTION_SORT)
        return list_act(&view->list, action);
    view->by_instructions = !view->by_instructions;
    find_worst(view);
    return true;
}

static void mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    list_mouse(&screen->source.list, event, event->y - view_inside(area).y - head_of(view_inside(area)));
}

const struct view view_source = {
    .title = "Source", .update = update, .draw = draw, .act = act, .mouse = mouse};
