/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device sheet: properties and limits of the device on display, each with its provenance, and its current
 * state. For a recording: what the recording has of its device. A value that is not available is a grey n/a,
 * and the reason is shown below.
 */
#include "tui/views/view_device.h"
#include "tui/frame/screen.h"

#include "tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

#define COLUMN_CELLS 80 /* from twice these on there are two columns */
#define NOTE_LINES 3    /* a rule, and the meaning of the selected line */

enum device_line_kind { LINE_HEADING, LINE_PROPERTY, LINE_SENSOR, LINE_WORD, LINE_PROCESS };

static void add_line(struct device_view *view, enum device_line_kind kind, uint32_t index)
{
    if (view->line_count < DEVICE_LINES_MAX)
        view->lines[view->line_count++] = (struct device_line){(uint8_t)kind, (uint8_t)index};
}

static void make_lines(struct device_view *view, const struct device_health *health)
{
    view->line_count = 0;
    for (size_t i = 0; i < view->row_count; i++) {
        if (i == 0 || view->rows[i].group != view->rows[i - 1].group)
            add_line(view, LINE_HEADING, view->rows[i].group);
        add_line(view, LINE_PROPERTY, (uint32_t)i);
    }
    if (!health->available)
        return;
    add_line(view, LINE_HEADING, SHEET_GROUP_COUNT);
    for (uint32_t i = 0; i < HEALTH_COUNT; i++)
        add_line(view, LINE_SENSOR, i);
    for (uint32_t i = 0; i < HEALTH_WORD_COUNT; i++)
        add_line(view, LINE_WORD, i);
    for (uint32_t i = 0; i < health->process_count && i < HEALTH_PROCESSES_MAX && health->processes[i].pid;
         i++)
        add_line(view, LINE_PROCESS, i);
}

/* The device on display, with the driver's attributes that sessions do not keep; else the host's. */
static bool find_device(const struct screen *screen, struct device_description *device)
{
    const struct device_row *row = screen_device(screen);
    const struct device_description *hosts = screen->host->device;
    if (!row && !hosts)
        return false;
    if (!row || (hosts && !row->info.is_model &&
                 memcmp(row->info.uuid, hosts->info.uuid, sizeof row->info.uuid) == 0))
        *device = *hosts;
    else
        *device = (struct device_description){.info = row->info};
    if (row)
        device->info = row->info;
    return true;
}

static int list_height(struct rect inside)
{
    int height = inside.height - 1;
    return height > 2 * NOTE_LINES ? height - NOTE_LINES : height;
}

/* A heading cannot be selected: moves on in the direction of the move. */
static void leave_heading(struct device_view *view, int before)
{
    int selected = view->list.selected;
    if (selected < view->line_count && view->lines[selected].kind == LINE_HEADING)
        list_select(&view->list, selected < before && selected > 0 ? selected - 1 : selected + 1);
}

static void device_update(struct screen *screen, struct rect area)
{
    struct device_view *view = device_state(screen);
    view->known = find_device(screen, &view->device);
    view->row_count = view->known ? device_sheet_make(&view->device, view->rows) : 0;
    make_lines(view, &screen->health);
    struct rect inside = view_inside(area);
    view->columns = inside.width >= 2 * COLUMN_CELLS ? 2 : 1;
    view->column_height = list_height(inside);
    if (view->columns == 2 && view->line_count < 2 * view->column_height) /* equally long ones */
        view->column_height = (view->line_count + 1) / 2;
    list_update(&view->list, view->line_count, view->column_height * view->columns);
    leave_heading(view, -1);
}

/* ---- drawing ---- */

struct device_texts {
    char label[64], value[160], note[200];
    const char *brief; /* beside the value: provenance, formula or reason */
    enum provenance provenance;
    bool available;
};

static void property_texts(const struct sheet_row *row, struct device_texts *texts)
{
    snprintf(texts->label, sizeof texts->label, "%s", row->label);
    snprintf(texts->value, sizeof texts->value, "%s", row->text);
    texts->available = row->value.available;
    texts->provenance = row->value.provenance;
    texts->brief = !row->value.available ? row->value.why
                   : row->value.derived  ? row->from
                                         : provenance_text(row->value.provenance);
    if (row->value.derived && row->value.available)
        snprintf(texts->value, sizeof texts->value, "%s *", row->text);
    if (!row->value.available)
        snprintf(texts->note, sizeof texts->note, "n/a: %s", row->value.why);
    else
        snprintf(texts->note, sizeof texts->note, "%s%s%s", provenance_text(row->value.provenance),
                 row->value.derived ? ", * derived: " : ", by ", row->from);
}

/* A number or a word of NVML, of which label and value are set. */
static void sensor_note(struct device_texts *texts)
{
    texts->available = strcmp(texts->value, "n/a") != 0;
    texts->provenance = PROVENANCE_MEASURED;
    texts->brief = texts->available ? "measured" : "the driver does not report it";
    snprintf(texts->note, sizeof texts->note, "%s",
             texts->available ? "measured, by NVML, once a second"
                              : "n/a: the driver does not report it here");
}

static void sensor_texts(const struct device_health *health, enum health_number which,
                         struct device_texts *texts)
{
    snprintf(texts->label, sizeof texts->label, "%s", health_number_label(which));
    health_number_text(health, which, texts->value, sizeof texts->value);
    sensor_note(texts);
}

static void word_texts(const struct device_health *health, enum health_word which, struct device_texts *texts)
{
    snprintf(texts->label, sizeof texts->label, "%s", health_word_label(which));
    snprintf(texts->value, sizeof texts->value, "%s", health_word(health, which));
    sensor_note(texts);
}

static void process_texts(const struct health_process *process, struct device_texts *texts)
{
    char memory[NUMBER_SIZE] = "n/a";
    if (process->memory_bytes != HEALTH_UNKNOWN)
        snprintf(memory, sizeof memory, "%s", number_bytes((uint64_t)process->memory_bytes).text);
    snprintf(texts->label, sizeof texts->label, "process %u", process->pid);
    snprintf(texts->value, sizeof texts->value, "%s  %s", memory,
             process->name[0] != '\0' ? process->name : "(name not known)");
    texts->available = true;
    texts->provenance = PROVENANCE_MEASURED;
    texts->brief = "measured";
    snprintf(texts->note, sizeof texts->note, "measured, by NVML: memory that a process holds on the device");
}

static struct device_texts texts_of(const struct screen *screen, int line)
{
    const struct device_view *view = device_state(screen);
    const struct device_line *at = &view->lines[line];
    struct device_texts texts = {.brief = ""};
    switch ((enum device_line_kind)at->kind) {
    case LINE_PROPERTY: property_texts(&view->rows[at->index], &texts); break;
    case LINE_SENSOR: sensor_texts(&screen->health, (enum health_number)at->index, &texts); break;
    case LINE_WORD: word_texts(&screen->health, (enum health_word)at->index, &texts); break;
    case LINE_PROCESS: process_texts(&screen->health.processes[at->index], &texts); break;
    case LINE_HEADING:
        snprintf(texts.label, sizeof texts.label, "%s",
                 at->index < SHEET_GROUP_COUNT ? sheet_group_text((enum sheet_group)at->index) : "health");
    }
    return texts;
}

static void draw_line(const struct screen *screen, struct canvas *canvas, struct rect inside, int y, int line)
{
    const struct device_view *view = device_state(screen);
    bool heading = view->lines[line].kind == LINE_HEADING, selected = line == view->list.selected;
    struct device_texts texts = texts_of(screen, line);
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    int label_width = inside.width >= 70 ? 40 : inside.width / 2;
    int value_width = inside.width >= 96 ? 42 : inside.width - label_width - 1, value_at = label_width;
    struct style style = STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD);
    char shown[160];
    if (heading) {
        canvas_text(canvas, inside.x + 1, y, inside.width - 1, STYLE(COLOR_DIM, COLOR_NONE, ATTRIBUTE_BOLD),
                    texts.label);
        return;
    }
    canvas_fill(canvas, (struct rect){inside.x, y, inside.width, 1}, ' ', STYLE(COLOR_TEXT, ground, 0));
    text_shorten(texts.label, label_width - 4, shown, sizeof shown);
    canvas_text(canvas, inside.x + 3, y, label_width - 3, STYLE(COLOR_TEXT, ground, 0), shown);
    if (!texts.available)
        style = STYLE(COLOR_DIM, ground, 0);
    else if (texts.provenance == PROVENANCE_EXPECTED)
        style = STYLE(COLOR_TEXT, ground, 0);
    /* A long value begins further left, behind its label. */
    int needed = text_width(texts.value, sizeof texts.value) + 1,
        behind = 5 + text_width(texts.label, label_width);
    if (needed > value_width && behind < value_at) {
        int earlier = needed - value_width < value_at - behind ? needed - value_width : value_at - behind;
        value_at -= earlier;
        value_width += earlier;
    }
    text_shorten(texts.value, value_width - 1, shown, sizeof shown);
    canvas_text(canvas, inside.x + value_at, y, value_width, style, shown);
    int room = inside.width - value_at - value_width - 1;
    bool fits = room > 0 && text_width(texts.brief, room + 1) <= room;
    const char *brief = fits || !texts.available ? texts.brief : provenance_text(texts.provenance);
    if (room >= 10)
        canvas_text(canvas, inside.x + value_at + value_width, y, room, STYLE(COLOR_DIM, ground, 0), brief);
}

/* At the top: the device's state in one line, or the reason why it is not known. */
static void draw_health(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    const struct device_health *health = &screen->health;
    char text[400];
    device_health_line(health, text, sizeof text);
    struct style label = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD);
    int taken = canvas_text(canvas, line.x + 1, line.y, line.width - 1, label, "health  ");
    bool errors =
        health->available && health->ecc_uncorrected != HEALTH_UNKNOWN && health->ecc_uncorrected > 0;
    canvas_text(canvas, line.x + 1 + taken, line.y, line.width - 2 - taken,
                STYLE(errors              ? COLOR_BAD
                      : health->available ? COLOR_TITLE
                                          : COLOR_DIM,
                      COLOR_NONE, 0),
                text);
}

static void device_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct device_view *view = device_state(screen);
    const struct device_info *info = &view->device.info;
    char title[200] = "Device";
    if (view->known)
        snprintf(title, sizeof title,
                 info->is_model ? "Device  MODELLED: %s, from the table of modelled GPUs" : "Device  %s",
                 info->name);
    struct rect inside = view_frame(canvas, area, title, focus);
    if (!view->known) {
        canvas_text(canvas, inside.x + 1, inside.y, inside.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    "No device is known yet: a program reports it when it starts CUDA.");
        return;
    }
    view_frame_list(canvas, area, &view->list);
    int height = view->column_height > 0 ? view->column_height : 1, cells = inside.width / view->columns;
    draw_health(screen, canvas, (struct rect){inside.x, inside.y, inside.width, 1});
    for (int line = 0; line < view->list.height && view->list.top + line < view->line_count; line++)
        draw_line(screen, canvas,
                  (struct rect){inside.x + line / height * cells, inside.y, cells, inside.height},
                  inside.y + 1 + line % height, view->list.top + line);
    if (list_height(inside) == inside.height - 1)
        return;
    int y = inside.y + inside.height - NOTE_LINES;
    for (int x = 0; x < inside.width; x++)
        canvas_glyph(canvas, inside.x + x, y, GLYPH_HORIZONTAL, STYLE(COLOR_FRAME, COLOR_NONE, 0));
    struct device_texts texts = texts_of(screen, view->list.selected);
    char note[300];
    snprintf(note, sizeof note, "%s: %s", texts.label, texts.note);
    canvas_wrap(canvas, (struct rect){inside.x + 1, y + 1, inside.width - 2, NOTE_LINES - 1},
                STYLE(texts.available ? COLOR_TEXT : COLOR_WARN, COLOR_NONE, 0), note);
}

/* ---- moving ---- */

static bool device_act(struct screen *screen, enum action action)
{
    struct device_view *view = device_state(screen);
    int before = view->list.selected;
    if (!list_act(&view->list, action))
        return false;
    leave_heading(view, before);
    return true;
}

static void device_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct device_view *view = device_state(screen);
    struct rect inside = view_inside(area);
    bool right = view->columns == 2 && event->x >= inside.x + inside.width / 2;
    int before = view->list.selected, column = right ? 1 : 0;
    list_mouse(&view->list, event, event->y - inside.y - 1 + column * view->column_height);
    leave_heading(view, before);
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "row"},
    {.action = ACTION_OCCUPANCY},
    {.action = ACTION_ROOFLINE},
    {.action = ACTION_NONE},
};

const struct view view_device = {
    .title = "Device",
    .opened_by = ACTION_DEVICE,
    .state_bytes = sizeof(struct device_view),
    .update = device_update,
    .draw = device_draw,
    .act = device_act,
    .mouse = device_mouse,
    .keys = keys,
};
