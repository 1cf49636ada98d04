/*
 * Help: the keys, all of them from the action table, and how to read the screen.
 */
#include "tui/frame/screen.h"
#include "tui/widgets/list.h"

#include <stdio.h>
#include <string.h>

struct line {
    const char *left, *right;
    bool heading;
};

static const struct line reading[] = {
    {"Reading the screen", "", true},
    {"A, B, ...", "a kernel's letter, the same in every view", false},
    {"triangle or !", "something to gain, by the rules of advice (s sorts by it)", false},
    {"> < = 0", "copies to the device, to the host, on it; memory sets", false},
    {"full cell", "one event covers it; edges are exact to an eighth", false},
    {"low cell", "events folded into one cell: height is the time busy, colour the longest", false},
    {"dotted cell", "a kernel that was launched and has not ended", false},
    {"2 3 ... +", "in a GPU's row: so many streams are busy at once; + more than nine", false},
    {"a chart", "a counter; beside its name the mean over the run, a seam where a sample begins", false},
    {"check or v", "the run's result was verified; a cross or X: it is wrong; a dot: not verified", false},
    {"~", "in a list: run on the device model", false},
    {"expected", "follows from the access pattern by the rules of the hardware", false},
    {"modelled", "counted by the device model", false},
    {"measured", "counted or timed by the hardware", false},
    {"*", "derived, by the formula shown below the panel", false},
    {"=", "an exact count that equals the expected one", false},
    {"n/a", "not available, with the reason below; never zero", false},
    {"#", "a number wider than its column; a wider screen shows it", false},
    {"terms", "docs/glossary.md explains them", false},
};

/* Where the words of a key begin. */
static int words_at(int width, const struct line *line)
{
    int key = width >= 50 ? 15 : 9, taken = 3 + (int)strlen(line->left);
    return line->heading ? 0 : taken > key ? taken : key;
}

/* Bytes of the text that make its first line, broken at a blank. */
static size_t first_line(const char *text, int width)
{
    size_t length = strlen(text), end = (size_t)(width > 8 ? width : 8);
    if (length <= end)
        return length;
    while (end > 0 && text[end] != ' ')
        end--;
    return end > 0 ? end : (size_t)width;
}

struct walk {
    bool (*visit)(void *context, int index, const struct line *line, int x);
    void *context;
    int index, width;
};

/* A line, and below it what of its words has no room in it. */
static bool tell_line(struct walk *walk, const char *left, const char *right, bool heading)
{
    struct line line = {left, right, heading};
    char words[200];
    int x = words_at(walk->width, &line);
    for (const char *rest = right;;) {
        size_t length = heading ? strlen(rest) : first_line(rest, walk->width - x);
        snprintf(words, sizeof words, "%.*s", (int)length, rest);
        line.right = words;
        if (!walk->visit(walk->context, walk->index++, &line, x))
            return false;
        rest += length + strspn(rest + length, " ");
        if (*rest == '\0')
            return true;
        line.left = "";
    }
}

/* "wheel   what it does" */
static bool tell_mouse(struct walk *walk, const char *text)
{
    char left[16];
    size_t length = strcspn(text, " ");
    snprintf(left, sizeof left, "%.*s", (int)length, text);
    return tell_line(walk, left, text + length + strspn(text + length, " "), false);
}

/* Calls for each line in turn until it returns false; returns how many there are. */
static int each_line(struct walk walk)
{
    bool go_on = true;
    for (enum action_section section = 0; section < SECTION_COUNT && go_on; section++) {
        go_on = tell_line(&walk, action_section_text(section), "", true);
        for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT && go_on; action++) {
            char keys[40];
            if (action_info(action)->section != section)
                continue;
            action_keys(action, keys, sizeof keys);
            go_on = tell_line(&walk, keys, action_info(action)->help, false);
        }
    }
    if (go_on)
        go_on = tell_line(&walk, "Mouse", "", true);
    for (const char *const *mouse = action_mouse_help(); *mouse != NULL && go_on; mouse++)
        go_on = tell_mouse(&walk, *mouse);
    for (size_t i = 0; i < sizeof reading / sizeof reading[0] && go_on; i++)
        go_on = tell_line(&walk, reading[i].left, reading[i].right, reading[i].heading);
    return walk.index;
}

static bool count_line(void *context, int index, const struct line *line, int x)
{
    (void)context, (void)index, (void)line, (void)x;
    return true;
}

static struct list *list_state(const struct screen *screen)
{
    return screen->view_state[VIEW_HELP];
}

static void help_update(struct screen *screen, struct rect area)
{
    struct rect inside = view_inside(area);
    list_update(list_state(screen), each_line((struct walk){count_line, NULL, 0, inside.width - 2}),
                inside.height);
}

struct painting {
    struct canvas *canvas;
    struct rect inside;
    int top;
};

static bool paint_line(void *context, int index, const struct line *line, int words)
{
    struct painting *painting = context;
    int y = painting->inside.y + index - painting->top, x = painting->inside.x + 1;
    int width = painting->inside.width - 2;
    if (index < painting->top)
        return true;
    if (y >= painting->inside.y + painting->inside.height)
        return false;
    canvas_text(painting->canvas, line->heading ? x : x + 2, y, width,
                STYLE(line->heading ? COLOR_FOCUS : COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD), line->left);
    canvas_text(painting->canvas, x + words, y, width - words, STYLE(COLOR_TEXT, COLOR_NONE, 0), line->right);
    return true;
}

static void help_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct list *list = list_state(screen);
    char title[80] = "Help";
    int shown = view_inside(area).height;
    if (list->count > shown)
        snprintf(title, sizeof title, "Help  %d to %d of %d%s", list->top + 1,
                 list->top + shown < list->count ? list->top + shown : list->count, list->count,
                 area.width >= 60 ? ", j and k scroll" : "");
    struct painting painting = {canvas, view_frame(canvas, area, title, focus), list->top};
    each_line((struct walk){paint_line, &painting, 0, painting.inside.width - 2});
}

/* Here the page moves, not a row. */
static bool help_act(struct screen *screen, enum action action)
{
    struct list *list = list_state(screen);
    int page = list->height - 1, top = list->top;
    switch (action) {
    case ACTION_UP: top--; break;
    case ACTION_DOWN: top++; break;
    case ACTION_PAGE_UP: top -= page; break;
    case ACTION_PAGE_DOWN: top += page; break;
    case ACTION_HOME: top = 0; break;
    case ACTION_END: top = list->count; break;
    default: return false;
    }
    int last = list->count - list->height;
    list->top = top > last ? (last < 0 ? 0 : last) : top < 0 ? 0 : top;
    list->selected = list->top;
    return true;
}

static void help_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    (void)area;
    if (event->kind == MOUSE_WHEEL_UP || event->kind == MOUSE_WHEEL_DOWN)
        for (int i = 0; i < 3; i++)
            help_act(screen, event->kind == MOUSE_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
}

const struct view view_help = {
    .title = "Help",
    .opened_by = ACTION_HELP,
    .state_bytes = sizeof(struct list),
    .update = help_update,
    .draw = help_draw,
    .act = help_act,
    .mouse = help_mouse,
};
