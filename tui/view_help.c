/*
 * Help: the keys, all of them from the action table, and how to read the screen.
 */
#include "tui/screen.h"

#include <stdio.h>

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
    {"low cell", "events folded into one cell: height is the time busy", false},
    {"dotted cell", "a kernel that was launched and has not ended", false},
    {"expected", "follows from access sites by the hardware's rules", false},
    {"modelled", "counted by the device model", false},
    {"measured", "counted or timed by the hardware", false},
    {"*", "derived, by the formula shown below the panel", false},
    {"=", "an exact count that is as expected", false},
    {"n/a", "not available here, with the reason below; never zero", false},
};

/* Calls for each line in turn until it returns false; returns how many there are. */
static int each_line(bool (*visit)(void *context, int index, const struct line *line), void *context)
{
    int index = 0;
    bool go_on = true;
    for (enum action_section section = 0; section < SECTION_COUNT && go_on; section++) {
        go_on = visit(context, index++, &(struct line){action_section_text(section), "", true});
        for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT && go_on; action++) {
            char keys[40];
            if (action_info(action)->section != section)
                continue;
            action_keys(action, keys, sizeof keys);
            go_on = visit(context, index++, &(struct line){keys, action_info(action)->help, false});
        }
    }
    if (go_on)
        go_on = visit(context, index++, &(struct line){"Mouse", "", true});
    for (const char *const *mouse = action_mouse_help(); *mouse != NULL && go_on; mouse++)
        go_on = visit(context, index++, &(struct line){"", *mouse, false});
    for (size_t i = 0; i < sizeof reading / sizeof reading[0] && go_on; i++)
        go_on = visit(context, index++, &reading[i]);
    return index;
}

static bool count_line(void *context, int index, const struct line *line)
{
    (void)context, (void)index, (void)line;
    return true;
}

static void update(struct screen *screen, struct rect area)
{
    list_update(&screen->help, each_line(count_line, NULL), view_inside(area).height);
}

struct painting {
    struct canvas *canvas;
    struct rect inside;
    int top;
};

static bool paint_line(void *context, int index, const struct line *line)
{
    struct painting *painting = context;
    int y = painting->inside.y + index - painting->top, x = painting->inside.x + 1;
    int width = painting->inside.width - 2, key = width >= 50 ? 15 : 9;
    if (index < painting->top)
        return true;
    if (y >= painting->inside.y + painting->inside.height)
        return false;
    if (line->heading) {
        canvas_text(painting->canvas, x, y, width, STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD),
                    line->left);
        return true;
    }
    int taken = 2 + canvas_text(painting->canvas, x + 2, y, width - 2,
                                STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD), line->left);
    if (line->left[0] == '\0')
        key = 2;
    else if (taken + 1 > key)
        key = taken + 1;
    canvas_text(painting->canvas, x + key, y, width - key, STYLE(COLOR_TEXT, COLOR_NONE, 0), line->right);
    return true;
}

static void draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    struct painting painting = {canvas, view_frame(canvas, area, "Help", focus), screen->help.top};
    each_line(paint_line, &painting);
}

/* Here the page moves, not a row. */
static bool act(struct screen *screen, enum action action)
{
    struct list *list = &screen->help;
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

static void mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    (void)area;
    if (event->kind == MOUSE_WHEEL_UP || event->kind == MOUSE_WHEEL_DOWN)
        for (int i = 0; i < 3; i++)
            act(screen, event->kind == MOUSE_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
}

const struct view view_help = {.title = "Help", .update = update, .draw = draw, .act = act, .mouse = mouse};
