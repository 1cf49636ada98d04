/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Help: the keys of the view below it, then all keys, from the tables of views and actions, and how to read
 * the screen. The lines are made again for each frame, since they depend on the width; `found` is the line of
 * the latest search's match, at the width of the last frame.
 */
#include "tui/frame/bars.h"
#include "tui/frame/screen.h"
#include "tui/widgets/list.h"

#include <stdio.h>
#include <string.h>

struct help {
    struct list list;
    char search[PROMPT_SIZE]; /* "": no search */
    int found;                /* -1: no line */
    int width;                /* for which the lines were made */
    int columns;              /* of lines, one after the other */
};

enum { NO_GLYPH = -1 };

struct line {
    const char *left, *right;
    bool heading;
    int glyph; /* an enum glyph before `left`; NO_GLYPH */
};

#define MARK(sign, words)              \
    {                                  \
        "", words, false, GLYPH_##sign \
    }
#define SIGN(letters, words)            \
    {                                   \
        letters, words, false, NO_GLYPH \
    }
#define HEADING(words)            \
    {                             \
        words, "", true, NO_GLYPH \
    }
static const struct line reading[] = {
    HEADING("Reading the screen"),
    SIGN("A, B, ...", "a kernel's letter, the same in every view; of more than 52 kernels some share one"),
    MARK(VERIFIED, "the result was verified; before advice: checked, and nothing found (?: not all rules "
                   "could be checked)"),
    MARK(FAILED, "the result is wrong"),
    MARK(SEPARATOR, "the result was not checked: the program is your own, or has not ended"),
    MARK(WARNING, "the rules of advice find a possible gain (s sorts by it)"),
    SIGN("~", "a time of the device model"),
    SIGN("*", "derived, by the formula shown below the panel"),
    SIGN("=", "an exact count that equals the expected one"),
    MARK(DIFFERENT, "an exact count that differs from the expected one"),
    SIGN(">=, <=", "at least, at most: a part was not counted; of a gain: an upper bound"),
    SIGN("n/a", "not available, with the reason below; never zero"),
    SIGN("#", "a number wider than its column; a wider screen shows it"),
    SIGN("expected", "follows from the access pattern by the rules of the hardware"),
    SIGN("modelled", "counted by the device model"),
    SIGN("measured", "counted or timed by the hardware"),
    SIGN("terms", "Y explains them, and : finds one by its name"),
    HEADING("Reading the bar of a run's time"),
    SIGN("K N C", "kernels; collectives, not hidden; copies, not hidden"),
    SIGN("l b c", "idle: in launch calls; between calls; in copy calls"),
    SIGN("s a m", "idle: the host waited; allocating; loading code"),
    SIGN("x h t d ?",
         "idle: in other CUDA calls; outside CUDA; tracing itself; issued, not started; cause not "
         "traced"),
    HEADING("Reading the timeline"),
    SIGN("> < = 0", "copies to the device, to the host, on the device; memory sets"),
    SIGN("2 3 ... 9 +", "on a device's row: the number of its streams busy at once; +: more than nine"),
    SIGN("full cell", "one event covers it; edges are exact to an eighth"),
    SIGN("low cell", "several events in one cell: its height is the busy time, its colour the longest"),
    SIGN("dotted cell", "a kernel that was launched and has not ended"),
    SIGN("a chart", "a counter, with its mean over the time shown; a seam where a sample begins"),
    SIGN("dashes", "a chart of so few samples that what happened within one is not known"),
};
#undef MARK
#undef SIGN
#undef HEADING

static struct help *help_state(const struct screen *screen)
{
    return screen->view_state[VIEW_HELP];
}

/* ---- the lines ---- */

/* The column in which the description of a key begins. */
static int words_at(int width, const struct line *line)
{
    int key = width >= 50 ? 15 : 9, taken = 3 + (int)strlen(line->left);
    return line->heading ? 0 : taken > key ? taken : key;
}

/* Bytes of the text for its first line, broken at a blank. */
static size_t first_line(const char *text, int width)
{
    size_t length = strlen(text), end = (size_t)(width > 8 ? width : 8);
    if (length <= end)
        return length;
    while (end > 0 && text[end] != ' ')
        end--;
    return end > 0 ? end : (size_t)width;
}

/* whole: all the text of the line and its continuation lines; NULL in continuation lines. */
struct walk {
    bool (*visit)(void *context, int index, const struct line *line, int x, const char *whole);
    void *context;
    int index, width;
};

/* Visits a line, and below it continuation lines for the words that do not fit. */
static bool tell_line(struct walk *walk, struct line line)
{
    const char *rest = line.right, *whole = line.heading ? line.left : line.right;
    int x = words_at(walk->width, &line);
    char words[200];
    for (;; whole = NULL) {
        size_t length = line.heading ? strlen(rest) : first_line(rest, walk->width - x);
        snprintf(words, sizeof words, "%.*s", (int)length, rest);
        line.right = words;
        if (!walk->visit(walk->context, walk->index++, &line, x, whole))
            return false;
        rest += length + strspn(rest + length, " ");
        if (*rest == '\0')
            return true;
        line.left = "";
        line.glyph = NO_GLYPH;
    }
}

static bool tell_words(struct walk *walk, const char *left, const char *right)
{
    return tell_line(walk, (struct line){left, right, false, NO_GLYPH});
}

static bool tell_heading(struct walk *walk, const char *words)
{
    return tell_line(walk, (struct line){words, "", true, NO_GLYPH});
}

/* "double click   what it does" */
static bool tell_mouse(struct walk *walk, const char *text)
{
    char left[16];
    const char *gap = strstr(text, "  ");
    size_t length = gap ? (size_t)(gap - text) : 0;
    snprintf(left, sizeof left, "%.*s", (int)length, text);
    return tell_words(walk, left, text + length + strspn(text + length, " "));
}

/* The view below the help. */
static const struct view *view_before(const struct screen *screen)
{
    for (int i = screen->stack_count; i-- > 1;)
        if (screen->stack[i]->opened_by == ACTION_HELP)
            return screen->stack[i - 1];
    return screen->views[screen->focus];
}

static bool is_named_before(const struct view_key *keys, const struct view_key *key)
{
    while (keys->action != key->action)
        keys++;
    return keys != key;
}

/* Visits the lines with the keys of a view. */
static bool tell_view(struct walk *walk, const struct view *view)
{
    char heading[80], name[16], words[200];
    bool go_on = true;
    snprintf(heading, sizeof heading, "%s: its own keys", view->title);
    if (!view->keys || !tell_heading(walk, heading))
        return !view->keys;
    for (const struct view_key *key = view->keys; key->action != ACTION_NONE && go_on; key++) {
        if (is_named_before(view->keys, key))
            continue;
        key_name(key, name, sizeof name);
        action_help_in(key->action, view->title, words, sizeof words);
        go_on = tell_words(walk, name, key->help ? key->help : words);
    }
    return go_on;
}

static bool tell_section(struct walk *walk, enum action_section section)
{
    bool go_on = tell_heading(walk, action_section_text(section));
    for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT && go_on; action++) {
        char keys[40];
        if (action_info(action)->section != section)
            continue;
        action_keys(action, keys, sizeof keys);
        go_on = tell_words(walk, keys, action_info(action)->help);
    }
    return go_on;
}

/* Calls the function for each line in turn until it returns false; returns the number of lines. */
static int each_line(const struct screen *screen, struct walk walk)
{
    bool go_on = tell_view(&walk, view_before(screen));
    for (enum action_section section = 0; section < SECTION_COUNT && go_on; section++)
        go_on = tell_section(&walk, section);
    go_on = go_on && tell_heading(&walk, "Mouse");
    for (const char *const *mouse = action_mouse_help(); *mouse && go_on; mouse++)
        go_on = tell_mouse(&walk, *mouse);
    for (size_t i = 0; i < sizeof reading / sizeof reading[0] && go_on; i++)
        go_on = tell_line(&walk, reading[i]);
    return walk.index;
}

static bool count_line(void *context, int index, const struct line *line, int x, const char *whole)
{
    (void)context, (void)index, (void)line, (void)x, (void)whole;
    return true;
}

/* A line is read more easily if it is not long. */
#define COLUMN_CELLS 90

static int columns_of(int width)
{
    return width >= 2 * COLUMN_CELLS ? width / COLUMN_CELLS : 1;
}

static void help_update(struct screen *screen, struct rect area)
{
    struct help *help = help_state(screen);
    struct rect inside = view_inside(area);
    help->columns = columns_of(inside.width);
    help->width = inside.width / help->columns - 2;
    list_update(&help->list, each_line(screen, (struct walk){count_line, NULL, 0, help->width}),
                inside.height * help->columns);
}

/* ---- drawing ---- */

struct painting {
    struct canvas *canvas;
    struct rect inside;
    int top, found, columns;
};

static bool paint_line(void *context, int index, const struct line *line, int words, const char *whole)
{
    (void)whole;
    struct painting *painting = context;
    const struct rect inside = painting->inside;
    int cells = inside.width / painting->columns, width = cells - 2;
    if (index < painting->top)
        return true;
    if (inside.height <= 0)
        return false;
    int column = (index - painting->top) / inside.height, left = inside.x + column * cells, x = left + 1;
    int y = inside.y + (index - painting->top) % inside.height;
    if (column >= painting->columns)
        return false;
    uint8_t ground = index == painting->found ? COLOR_SELECTED : COLOR_NONE;
    struct style strong = STYLE(line->heading ? COLOR_FOCUS : COLOR_TITLE, ground, ATTRIBUTE_BOLD);
    canvas_fill(painting->canvas, (struct rect){left, y, cells, 1}, ' ', strong);
    if (index == painting->found)
        canvas_glyph(painting->canvas, left, y, GLYPH_SELECTED, strong);
    if (line->glyph != NO_GLYPH)
        canvas_glyph(painting->canvas, x + 2, y, (enum glyph)line->glyph, strong);
    canvas_text(painting->canvas, line->heading ? x : x + 2, y, width, strong, line->left);
    canvas_text(painting->canvas, x + words, y, width - words, STYLE(COLOR_TEXT, ground, 0), line->right);
    return true;
}

static void help_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct help *help = help_state(screen);
    const struct list *list = &help->list;
    char title[PROMPT_SIZE + 100] = "Help";
    int shown = view_inside(area).height * help->columns;
    if (list->count > shown)
        snprintf(title, sizeof title, "Help  %d to %d of %d%s", list->top + 1,
                 list->top + shown < list->count ? list->top + shown : list->count, list->count,
                 area.width >= 60 ? ", j and k scroll" : "");
    if (help->search[0] != '\0')
        snprintf(title + strlen(title), sizeof title - strlen(title), "  find: %s", help->search);
    struct painting painting = {canvas, view_frame(canvas, area, title, focus), list->top,
                                help->search[0] != '\0' ? help->found : -1, help->columns};
    each_line(screen, (struct walk){paint_line, &painting, 0, help->width});
}

/* ---- moving ---- */

/* Scrolls the page; help has no selected row. */
static void scroll_to(struct list *list, int top)
{
    int last = list->count - list->height;
    list->top = top > last ? (last < 0 ? 0 : last) : top < 0 ? 0 : top;
    list->selected = list->top;
}

struct hunt {
    const char *text;
    int first, last, next, before, from; /* matches: of all lines, after `from` and before it; -1: none */
};

static bool hunt_line(void *context, int index, const struct line *line, int x, const char *whole)
{
    struct hunt *hunt = context;
    (void)x;
    if (!whole || (!strcasestr(whole, hunt->text) && strcmp(line->left, hunt->text) != 0))
        return true;
    hunt->first = hunt->first < 0 ? index : hunt->first;
    hunt->next = hunt->next < 0 && index > hunt->from ? index : hunt->next;
    hunt->before = index < hunt->from ? index : hunt->before;
    hunt->last = index;
    return true;
}

/* Finds the next line that contains the searched text, in a key or in its description; after the last match
 * comes the first. */
static void find_line(struct screen *screen, int by)
{
    struct help *help = help_state(screen);
    struct hunt hunt = {help->search, -1, -1, -1, -1, help->found};
    if (help->search[0] == '\0') {
        screen_message(screen, SEVERITY_INFO, "There is no search yet: / asks for words or a key.");
        return;
    }
    each_line(screen, (struct walk){hunt_line, &hunt, 0, help->width});
    if (hunt.first < 0) {
        screen_message(screen, SEVERITY_INFO,
                       "'%s' is not in the help; : finds views, metrics and workloads.", help->search);
        help->found = -1;
        return;
    }
    help->found =
        by > 0 ? (hunt.next >= 0 ? hunt.next : hunt.first) : (hunt.before >= 0 ? hunt.before : hunt.last);
    if (help->found < help->list.top || help->found >= help->list.top + help->list.height)
        scroll_to(&help->list, help->found - help->list.height / 3);
}

static void search_for(struct screen *screen, const char *text)
{
    struct help *help = help_state(screen);
    snprintf(help->search, sizeof help->search, "%s", text);
    help->found = help->list.top - 1;
    if (text[0] != '\0')
        find_line(screen, 1);
}

static bool help_act(struct screen *screen, enum action action)
{
    struct list *list = &help_state(screen)->list;
    int page = list->height - 1;
    switch (action) {
    case ACTION_UP: scroll_to(list, list->top - 1); return true;
    case ACTION_DOWN: scroll_to(list, list->top + 1); return true;
    case ACTION_PAGE_UP: scroll_to(list, list->top - page); return true;
    case ACTION_PAGE_DOWN: scroll_to(list, list->top + page); return true;
    case ACTION_HOME: scroll_to(list, 0); return true;
    case ACTION_END: scroll_to(list, list->count); return true;
    case ACTION_FILTER:
        prompt_open(&screen->prompt, PROMPT_NARROW, "Find (words or a key):", "", search_for);
        return true;
    case ACTION_NEXT: find_line(screen, 1); return true;
    case ACTION_PREVIOUS: find_line(screen, -1); return true;
    default: return false;
    }
}

static void help_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    (void)area;
    if (event->kind == MOUSE_WHEEL_UP || event->kind == MOUSE_WHEEL_DOWN)
        for (int i = 0; i < 3; i++)
            help_act(screen, event->kind == MOUSE_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
}

/* Scrolls to the top: the keys of the view below. */
static void help_open(struct screen *screen)
{
    if (screen_top(screen) != screen->views[VIEW_HELP])
        *help_state(screen) = (struct help){.found = -1};
    screen_open(screen, VIEW_HELP);
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "scroll", .name = "j k"},
    {.action = ACTION_FILTER, .hint = "find"},
    {.action = ACTION_NEXT, .hint = "next", .name = "n N"},
    {.action = ACTION_NONE},
};

const struct view view_help = {
    .title = "Help",
    .opened_by = ACTION_HELP,
    .state_bytes = sizeof(struct help),
    .update = help_update,
    .draw = help_draw,
    .open = help_open,
    .act = help_act,
    .mouse = help_mouse,
    .keys = keys,
};
