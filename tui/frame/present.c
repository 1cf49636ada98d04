/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `step` and `line` are the place in the script. Each frame plays at most one key or run. A step is entered
 * by closing all views, so that its screen does not depend on the steps before it.
 */
#include "tui/frame/present.h"

#include "tui/frame/bars.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/widgets/big_text.h"

#include <inttypes.h>
#include <string.h>

#define KEYS_PER_LINE 24
#define KEY_BACKSPACE KEY_CONTROL('h')
#define TEXT_CELLS 80 /* most cells of a line of normal letters that fills the screen */
#define STRIP_SHARE 6 /* text below a screen takes a sixth of it at most */
#define MARGIN 2
#define PAGE_HEAD 1 /* blank lines above a page of text */
#define PAGE_FOOT 4 /* lines below it: a blank one, what was said, the keys, the title */

static const struct lesson_step *step_of(const struct present *present)
{
    return &present->script->steps[present->step];
}

static const struct lesson_line *line_of(const struct present *present, uint32_t i)
{
    return &present->script->lines[step_of(present)->first + i];
}

void present_init(struct present *present, const struct lesson_script *script, FILE *written)
{
    present->script = script;
    present->written = written;
    present->playing = script != NULL;
}

/* ---- playing ---- */

/* Does the step run or open something? */
static bool step_runs(const struct present *present)
{
    for (uint32_t i = 0; i < step_of(present)->count; i++)
        if (line_of(present, i)->kind == LESSON_RUN || line_of(present, i)->kind == LESSON_OPEN)
            return true;
    return false;
}

/* Shows a recording, or with NULL the session of this screen again; the next frame takes it. */
static void open_recording(struct screen *screen, const char *path)
{
    struct error error = {0};
    if (!screen->host->open || (!path && !screen->present.opened))
        return;
    screen->present.opened = path != NULL;
    if (screen->host->open(screen->host->context, path, &error) != STATUS_OK)
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
}

/* The screen as a step finds it: the list of workloads, or the panes. */
static void reset_screen(struct screen *screen, bool to_panes)
{
    screen->prompt.purpose = PROMPT_NONE;
    screen->stack_count = 0;
    screen_show_panes(screen);
    screen->frozen = false;
    if (!to_panes && screen->host->run) {
        screen_open(screen, VIEW_WORKLOADS);
        screen_clear_filter(screen);
        screen_key(screen, action_info(ACTION_HOME)->key[0]);
    }
    screen->message[0] = '\0';
}

static void enter_step(struct screen *screen, uint32_t step)
{
    struct present *present = &screen->present;
    present->step = step;
    present->line = 0;
    present->at = 0;
    present->playing = true;
    present->guessing = false;
    present->pressing = true;
    open_recording(screen, NULL);
    reset_screen(screen, step_runs(present));
    present->pressing = false;
}

static struct present_run *find_run(struct present *present, const char *spec)
{
    for (uint32_t i = 0; i < present->run_count; i++)
        if (strcmp(present->runs[i].spec, spec) == 0)
            return &present->runs[i];
    return NULL;
}

/* Selects the last run with kernels of what was started together. */
static void show_again(struct screen *screen, const struct present_run *run)
{
    for (uint32_t i = run->end; i-- > run->first;) {
        if (!run_is_traced(session_run(screen->session, i)))
            continue;
        const struct view *top = screen_top(screen); /* the lab shows a run in place */
        if (!top || !top->show[ITEM_RUN])
            top = screen->views[VIEW_RUNS];
        top->show[ITEM_RUN](screen, i);
        return;
    }
}

bool present_takes_run(struct screen *screen, const char *spec)
{
    struct present *present = &screen->present;
    if (!present->script || !present->pressing || strlen(spec) > LESSON_LINE_MAX)
        return false;
    struct present_run *run = find_run(present, spec);
    if (run && run->end > run->first) {
        show_again(screen, run);
        return true;
    }
    if (!run && present->run_count < PRESENT_RUNS_MAX) {
        run = &present->runs[present->run_count++];
        snprintf(run->spec, sizeof run->spec, "%s", spec);
    }
    if (run)
        run->first = session_run_count(screen->session);
    present->started = run;
    return false;
}

/* When nothing runs, all that was started has its runs in the session. */
static void close_runs(struct screen *screen)
{
    struct present *present = &screen->present;
    for (uint32_t i = 0; i < present->run_count; i++)
        if (present->runs[i].end == 0)
            present->runs[i].end = session_run_count(screen->session);
}

/* Does the view on top wait for something that is counted beside the screen? */
static bool is_counting(struct screen *screen)
{
    const struct view *top = screen_top(screen);
    return top && top->work && top->work(screen);
}

/* Presses the next key of the line; false: the line has no more. */
static bool press_next(struct screen *screen, const char *keys)
{
    struct present *present = &screen->present;
    present->at += strspn(keys + present->at, " ");
    size_t length = strcspn(keys + present->at, " ");
    if (length == 0)
        return false;
    uint32_t key = key_parse(keys + present->at, length);
    present->at += length;
    present->pressing = true;
    screen_key(screen, key);
    present->pressing = false;
    return true;
}

bool present_refuses(struct screen *screen, enum action action)
{
    struct present *present = &screen->present;
    char key[16];
    if (!present->pressing || !action_writes(action))
        return false;
    const struct lesson_line *line = line_of(present, present->line);
    key_text(action_info(action)->key[0], key, sizeof key);
    present->line = step_of(present)->count;
    present->refused = true;
    screen_message(
        screen, SEVERITY_ERROR,
        "Line %u of the lesson presses %s, which writes a file (%s). The keys of a lesson may not do "
        "that, so this step ends here.",
        line->number, key, action_info(action)->hint);
    return true;
}

static void play_run(struct screen *screen, const char *spec)
{
    screen->present.pressing = true;
    if (screen_top(screen) == screen->views[VIEW_PREDICT]) /* it waits for the runs */
        screen_start(screen, spec);
    else if (!present_takes_run(screen, spec))
        screen_run(screen, spec);
    screen->present.pressing = false;
}

bool present_play(struct screen *screen)
{
    struct present *present = &screen->present;
    if (!present->script || !present->playing || present->guessing)
        return false;
    screen->host->state(screen->host->context, &screen->state);
    if (screen->state.live || screen->state.loading)
        return false;
    if (screen->session != screen->host->session(screen->host->context))
        return true; /* a frame takes it */
    if (!present->opened)
        close_runs(screen);
    if (present->started) {
        show_again(screen, present->started);
        present->started = NULL;
        return true; /* a frame makes it the subject of the keys */
    }
    if (!present->began) {
        present->began = true;
        present->began_ms = screen->clock_ms;
        enter_step(screen, 0);
    }
    for (; present->line < step_of(present)->count; present->line++, present->at = 0) {
        const struct lesson_line *line = line_of(present, present->line);
        if (line->kind == LESSON_KEYS && is_counting(screen))
            return true; /* the next key is meant for what is counted */
        if (line->kind == LESSON_KEYS && press_next(screen, line->text))
            return true;
        if (line->kind == LESSON_PREDICT) {
            present->line++;
            present->guessing = true;
            screen->views[VIEW_PREDICT]->show[ITEM_LESSON_LINE](screen,
                                                                (uint32_t)(line - present->script->lines));
            return true;
        }
        if (line->kind == LESSON_OPEN) {
            present->line++;
            open_recording(screen, line->text);
            return true;
        }
        if (line->kind == LESSON_RUN && present->opened) {
            open_recording(screen, NULL);
            return true;
        }
        if (line->kind == LESSON_RUN) {
            present->line++;
            play_run(screen, line->text);
            return true;
        }
    }
    present->playing = false;
    return true;
}

void present_guessed(struct screen *screen)
{
    screen->present.guessing = false;
}

/* ---- the user's keys ---- */

static bool is_last(const struct present *present)
{
    return present->step + 1 == present->script->step_count;
}

void present_space(const struct screen *screen, char *text, size_t size_bytes, bool *walks)
{
    const struct view *top = screen_top(screen);
    *walks = top && top->walks && !present_is_text(screen) && top->walks(screen, text, size_bytes);
    if (!*walks)
        snprintf(text, size_bytes, "%s", is_last(&screen->present) ? "" : "next step");
}

uint32_t present_key_of(const struct screen *screen, enum action action)
{
    bool turns = action == ACTION_PAGE_DOWN || action == ACTION_PAGE_UP;
    return action_info(action)->key[screen->present.script && turns];
}

static void turn_step(struct screen *screen, bool back)
{
    struct present *present = &screen->present;
    if (back && present->step > 0)
        enter_step(screen, present->step - 1);
    else if (!back && !is_last(present))
        enter_step(screen, present->step + 1);
    else
        screen_message(screen, SEVERITY_INFO, "This is the %s step of the lesson%s", back ? "first" : "last",
                       back ? "." : ": Q ends it.");
}

bool present_key(struct screen *screen, uint32_t key)
{
    bool back = key == KEY_RUBOUT || key == KEY_BACKSPACE || key == CODE_PAGE_UP;
    char text[80];
    bool walks;
    if (!screen->present.script || screen->prompt.purpose != PROMPT_NONE ||
        (screen_refuses_word(screen) && key <= KEY_RUBOUT) ||
        (key != KEY_SPACE && key != CODE_PAGE_DOWN && !back))
        return false;
    present_space(screen, text, sizeof text, &walks);
    if (key == KEY_SPACE && walks) /* the view takes it */
        return false;
    screen->asked = false; /* as for any key except q */
    turn_step(screen, back);
    return true;
}

/* ---- writing along ---- */

static void write_step(struct screen *screen, const char *title)
{
    struct present *present = &screen->present;
    const char *at = present->keys;
    fprintf(present->written, "\nstep %s\n", title);
    while (*at != '\0') {
        fputs("keys", present->written);
        for (int i = 0; i < KEYS_PER_LINE && *at != '\0'; i++) {
            size_t length = strcspn(at, " ");
            fprintf(present->written, " %.*s", (int)length, at);
            at += length + strspn(at + length, " ");
        }
        fputc('\n', present->written);
    }
    present->keys[0] = '\0';
    present->keys_used = 0;
}

static void take_step_title(struct screen *screen, const char *title)
{
    write_step(screen, title);
    reset_screen(screen, false);
    screen_message(screen, SEVERITY_INFO, "Step '%.60s' is written; the next one begins here.", title);
}

void present_end_step(struct screen *screen)
{
    if (!screen->present.written) {
        screen_message(screen, SEVERITY_INFO,
                       "Steps are written only with --write-steps FILE" LESSON_SUFFIX ".");
        return;
    }
    prompt_open(&screen->prompt, PROMPT_LINE, "Title of this step:", "", take_step_title);
}

/* The key of the user is one of the step, unless it ends the step or is typed as the title. */
static void note_key(struct screen *screen, uint32_t key)
{
    struct present *present = &screen->present;
    char name[16];
    bool title = screen->prompt.purpose == PROMPT_LINE && screen->prompt.take == take_step_title;
    if (title || (screen->prompt.purpose == PROMPT_NONE && action_of_key(key) == ACTION_STEP))
        return;
    if (screen->prompt.purpose == PROMPT_NONE)
        present->leaves_out = action_writes(action_of_key(key)); /* a lesson may not press it */
    if (present->leaves_out)
        return;
    key_text(key, name, sizeof name);
    size_t length = strlen(name);
    if (present->keys_used + length + 2 > sizeof present->keys) {
        screen_message(screen, SEVERITY_WARNING, "This step has more keys than are written: end it ($).");
        return;
    }
    present->keys_used +=
        (size_t)snprintf(present->keys + present->keys_used, sizeof present->keys - present->keys_used,
                         "%s%s", present->keys_used > 0 ? " " : "", name);
}

void present_note_key(struct screen *screen, uint32_t key)
{
    if (screen->present.written)
        note_key(screen, key);
}

void present_finish(struct screen *screen)
{
    if (screen->present.written && screen->present.keys_used > 0)
        write_step(screen, "the end of the session");
}

/* ---- drawing ---- */

bool present_is_text(const struct screen *screen)
{
    const struct present *present = &screen->present;
    if (!present->script)
        return false;
    for (uint32_t i = 0; i < step_of(present)->count; i++)
        if (line_of(present, i)->kind != LESSON_TEXT)
            return false;
    return true;
}

/* The line is a text that is shown now: what stands behind a prediction waits for the class's guess. */
static bool is_shown(const struct present *present, uint32_t i)
{
    return line_of(present, i)->kind == LESSON_TEXT && (!present->guessing || i < present->line);
}

/* The lines of text below a screen: all of the step's if they fit into a sixth of the screen. */
static int strip_lines(const struct screen *screen, int width, int height)
{
    const struct present *present = &screen->present;
    int lines = 0, most = height / STRIP_SHARE;
    if (present_is_text(screen)) /* it has a page of its own */
        return 0;
    for (uint32_t i = 0; i < step_of(present)->count; i++)
        if (is_shown(present, i))
            lines += canvas_wrapped_lines(line_of(present, i)->text, width - 2 * MARGIN);
    return lines > most ? most : lines;
}

int present_lines(const struct screen *screen, int width, int height)
{
    if (!screen->present.script || height < 14)
        return 0;
    return 1 + strip_lines(screen, width, height);
}

static void draw_foot(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    const struct present *present = &screen->present;
    char text[120];
    struct style style = STYLE(COLOR_TITLE, COLOR_BAR, ATTRIBUTE_BOLD);
    int64_t passed_s = present->began ? (screen->clock_ms - present->began_ms) / 1000 : 0;
    int64_t limit_s = (int64_t)present->script->minutes * 60;
    canvas_fill(canvas, line, ' ', style);
    int used = snprintf(text, sizeof text, "%" PRIu32 "/%" PRIu32 "  %02" PRId64 ":%02" PRId64,
                        present->step + 1, present->script->step_count, passed_s / 60, passed_s % 60);
    if (limit_s > 0 && used > 0 && (size_t)used < sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, " of %u:00", present->script->minutes);
    int cells = text_width(text, sizeof text);
    canvas_text(canvas, line.x + 2, line.y, line.width - cells - 6, style, step_of(present)->title);
    canvas_text(canvas, line.x + line.width - cells - 2, line.y, cells,
                STYLE(limit_s > 0 && passed_s > limit_s ? COLOR_BAD : COLOR_TITLE, COLOR_BAR, ATTRIBUTE_BOLD),
                text);
}

/* ---- a page of text ---- */

/* How a page is set: the largest letters in which all of it fits. */
struct present_page {
    enum big_size heading, body;
    struct rect area; /* of what is set */
    int gap;          /* lines between two texts */
};

static int body_width(const struct present_page *page)
{
    return page->body != BIG_NORMAL || page->area.width < TEXT_CELLS ? page->area.width : TEXT_CELLS;
}

/* The lines that the page takes; 0: it cannot be set so. */
static int page_lines(const struct present *present, const struct present_page *page)
{
    int lines = big_text_lines(step_of(present)->title, page->heading, page->area.width);
    bool possible = lines > 0;
    for (uint32_t i = 0; i < step_of(present)->count && possible; i++) {
        int taken = big_text_lines(line_of(present, i)->text, page->body, body_width(page));
        possible = taken > 0;
        lines += page->gap + taken;
    }
    return possible ? lines : 0;
}

static struct present_page set_page(const struct screen *screen, const struct canvas *canvas)
{
    static const struct {
        enum big_size heading, body;
    } sizes[] = {{BIG_WIDE, BIG_WIDE},   {BIG_WIDE, BIG_NARROW},   {BIG_NARROW, BIG_NARROW},
                 {BIG_WIDE, BIG_NORMAL}, {BIG_NARROW, BIG_NORMAL}, {BIG_NORMAL, BIG_NORMAL}};
    int margin = canvas->width / 20 + 1, room = canvas->height - PAGE_HEAD - PAGE_FOOT;
    struct present_page page = {.area = {margin, 0, canvas->width - 2 * margin, room}};
    int lines = 0;
    for (size_t i = canvas->ascii ? sizeof sizes / sizeof sizes[0] - 1 : 0;
         i < sizeof sizes / sizeof sizes[0] && (lines == 0 || lines > room); i++) {
        page.heading = sizes[i].heading;
        page.body = sizes[i].body;
        int least = page.heading == BIG_NORMAL ? 0 : 1;
        for (page.gap = 3 + 1; page.gap > least && (lines == 0 || lines > room);) {
            page.gap--;
            lines = page_lines(&screen->present, &page);
        }
    }
    int free = room > lines ? (room - lines) / 3 : 0;
    page.area.y = PAGE_HEAD + free;
    page.area.height = room - free;
    return page;
}

static void draw_text(struct canvas *canvas, struct present_page *page, struct style style, const char *text,
                      enum big_size size, int width)
{
    struct rect area = {page->area.x, page->area.y, width, page->area.height};
    int taken = big_text_lines(text, size, width) + page->gap;
    if (area.height > 0)
        big_text_draw(canvas, area, style, text, size);
    page->area.y += taken;
    page->area.height -= taken;
}

/* Text fills the screen, in letters as large as it allows. What was said of a key stands above the keys. */
static void draw_page(const struct screen *screen, struct canvas *canvas)
{
    const struct present *present = &screen->present;
    struct present_page page = set_page(screen, canvas);
    canvas_clear(canvas);
    draw_text(canvas, &page, STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD), step_of(present)->title,
              page.heading, page.area.width);
    uint32_t left = step_of(present)->count;
    for (uint32_t i = 0; i < step_of(present)->count; i++) {
        draw_text(canvas, &page, STYLE(COLOR_TEXT, COLOR_NONE, page.body == BIG_NORMAL ? ATTRIBUTE_BOLD : 0),
                  line_of(present, i)->text, page.body, body_width(&page));
        left -= page.area.height + page.gap >= 0;
    }
    if (left > 0)
        canvas_printf(canvas, page.area.x, canvas->height - PAGE_FOOT, page.area.width,
                      STYLE(COLOR_WARN, COLOR_NONE, 0),
                      "%" PRIu32 " more lines of this step: the screen has no room for them.", left);
    canvas_text(canvas, MARGIN, canvas->height - 3, canvas->width - 2 * MARGIN,
                STYLE(screen->message_severity == SEVERITY_INFO ? COLOR_TEXT : COLOR_WARN, COLOR_NONE, 0),
                screen->message);
    key_bar_draw(screen, canvas, (struct rect){0, canvas->height - 2, canvas->width, 1});
    draw_foot(screen, canvas, (struct rect){0, canvas->height - 1, canvas->width, 1});
}

void present_draw(const struct screen *screen, struct canvas *canvas)
{
    const struct present *present = &screen->present;
    int lines = present_lines(screen, canvas->width, canvas->height), y = canvas->height - lines;
    if (lines == 0)
        return;
    if (present_is_text(screen) && screen->prompt.purpose == PROMPT_NONE) {
        draw_page(screen, canvas);
        return;
    }
    draw_foot(screen, canvas, (struct rect){0, y++, canvas->width, 1});
    for (uint32_t i = 0; i < step_of(present)->count && y < canvas->height; i++)
        if (is_shown(present, i))
            y += canvas_wrap(canvas, (struct rect){MARGIN, y, canvas->width - 2 * MARGIN, canvas->height - y},
                             STYLE(COLOR_TEXT, COLOR_NONE, ATTRIBUTE_BOLD), line_of(present, i)->text);
}
