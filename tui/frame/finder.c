/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matches are searched again at every key in the tables: actions, the host's workloads, metrics, the
 * session's runs and kernels, the glossary's terms. matches[0...list.count - 1] are ordered by cost, then by
 * kind, then by place in the table. An index stays valid while the finder is open: tables only grow, and the
 * finder closes when the session changes.
 */
#include "tui/frame/finder.h"

#include "core/metric/metric.h"
#include "tui/frame/glossary.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LINES_MAX 10
/* Cells. The text of `about` is shown only if the line has ABOUT_FROM cells or more. */
#define NAME_LEAST 16
#define ABOUT_FROM 60

/* A candidate's texts: those shown and those searched. */
struct candidate {
    const char *name, *about, *also; /* also: searched, but not shown */
    char text[300];                  /* buffer for a name that is composed */
    struct glossary_term term;
};

/* ---- the tables ---- */

/* "zoom in"; for actions that open views the hint is the better name. */
static void name_action(enum action action, struct candidate *candidate)
{
    const struct action_info *info = action_info(action);
    candidate->about = info->help;
    candidate->also = info->hint;
    if (info->section == SECTION_VIEW && info->hint[0] != '\0') {
        candidate->name = info->hint;
        return;
    }
    size_t length = 0;
    for (; info->id[length] != '\0'; length++)
        candidate->text[length] = (char)(info->id[length] == '_' ? ' ' : tolower(info->id[length]));
    candidate->text[length] = '\0';
}

static uint32_t sheet_count(const struct tui_host *host)
{
    uint32_t count = 0;
    while (host->sheet_at && host->sheet_at(count))
        count++;
    return count;
}

/* The number of indices to look at. */
static uint32_t candidate_count(const struct screen *screen, enum found kind)
{
    switch (kind) {
    case FOUND_VIEW:
    case FOUND_ACTION: return ACTION_COUNT;
    case FOUND_SHEET: return sheet_count(screen->host);
    case FOUND_WORKLOAD: return (uint32_t)screen->host->workload_count;
    case FOUND_METRIC: return METRIC_COUNT;
    case FOUND_RUN: return session_run_count(screen->session);
    case FOUND_KERNEL: return session_kernel_count(screen->session);
    case FOUND_TERM: return glossary_count(screen->host->glossary);
    default: return 0;
    }
}

/* Returns false if there is no such candidate. */
static bool describe_candidate(const struct screen *screen, enum found kind, uint32_t index,
                               struct candidate *candidate)
{
    candidate->name = candidate->text;
    candidate->about = candidate->also = "";
    if (kind == FOUND_VIEW || kind == FOUND_ACTION) {
        enum action action = (enum action)index;
        const struct view *view = screen_view_of(screen, action);
        if (action == ACTION_NONE || action == ACTION_FIND || (view != NULL) != (kind == FOUND_VIEW))
            return false;
        name_action(action, candidate);
        if (!view)
            return true;
        candidate->name = view->title;
        size_t length = strlen(view->title); /* "lane map: the addresses ..." */
        if (strncasecmp(candidate->about, view->title, length) == 0 && candidate->about[length] == ':')
            candidate->about += length + 2;
    } else if (kind == FOUND_SHEET) {
        candidate->name = screen->host->sheet_at(index)->id;
        candidate->about = screen->host->sheet_at(index)->title;
        candidate->also = "table";
    } else if (kind == FOUND_WORKLOAD) {
        const struct tui_workload *workload = &screen->host->workloads[index];
        candidate->name = workload->name;
        candidate->about = workload->title;
        candidate->also = workload->meaning;
    } else if (kind == FOUND_METRIC) {
        const struct metric_info *info = metric_info((enum metric)index);
        candidate->name = info->title;
        candidate->about = info->meaning;
        candidate->also = info->id;
    } else if (kind == FOUND_RUN) {
        const struct run_row *run = session_run(screen->session, index);
        if (!run_is_traced(run))
            return false; /* a run that is not traced is shown with its trace run */
        candidate->about = run->clock == CLOCK_MODEL ? "model" : run_mode_text(run->mode);
        screen_run_name(screen, index, candidate->text, sizeof candidate->text);
    } else if (kind == FOUND_TERM) {
        if (!glossary_at(screen->host->glossary, index, &candidate->term))
            return false;
        candidate->name = candidate->term.term;
        candidate->about = candidate->term.meaning;
    } else {
        const struct session *session = screen->session;
        uint32_t run = session_kernel(session, index)->run;
        if (!run_is_traced(session_run(session, run)))
            return false;
        candidate->about = session_string(session, session_run(session, run)->variant);
        short_names_print_kernel(screen->naming.names, session, index, SHORT_NAME_WHOLE, candidate->text,
                                 sizeof candidate->text);
    }
    return true;
}

/* ---- how well a candidate matches ---- */

#define NOT_FOUND 1000
#define COST_ABOUT 4 /* more than any match in the name, except a guess */

static bool begins_word(const char *text, const char *at)
{
    return at == text || !isalnum((unsigned char)at[-1]) || !isalnum((unsigned char)at[0]);
}

/* 0: the text begins with the word; 1: one of the text's words begins with it; 2: the word is inside a word.
 */
static int cost_of_part(const char *word, size_t length, const char *text)
{
    int best = NOT_FOUND;
    for (const char *at = text; *at != '\0' && best > 0; at++)
        if (strncasecmp(at, word, length) == 0) {
            int cost = at == text ? 0 : begins_word(text, at) ? 1 : 2;
            best = cost < best ? cost : best;
        }
    return best;
}

/* "lnmp" in "lane map": does the name have the letters in this order, the first at the start of a word? Such
 * a match is a guess. */
static bool has_letters(const char *word, size_t length, const char *text)
{
    size_t i = 0;
    for (const char *at = text; *at != '\0' && i < length; at++)
        if (tolower((unsigned char)*at) == tolower((unsigned char)word[i]) &&
            (i > 0 || begins_word(text, at)))
            i++;
    return length > 2 && i == length;
}

static int cost_of_word(const char *word, size_t length, const struct candidate *candidate)
{
    int name = cost_of_part(word, length, candidate->name),
        also = cost_of_part(word, length, candidate->also),
        about = cost_of_part(word, length, candidate->about), best = name;
    if (also + 1 < best)
        best = also + 1;
    if (about + COST_ABOUT < best)
        best = about + COST_ABOUT;
    return best < NOT_FOUND ? best : has_letters(word, length, candidate->name) ? 3 * COST_ABOUT : NOT_FOUND;
}

/* The cost of all the typed words, in any order. */
static int cost_of(const char *typed, const struct candidate *candidate)
{
    int cost = 0;
    for (const char *word = typed + strspn(typed, " "); *word != '\0' && cost < NOT_FOUND;) {
        size_t length = strcspn(word, " ");
        cost += cost_of_word(word, length, candidate);
        word += length;
        word += strspn(word, " ");
    }
    return cost;
}

/* ---- the matches ---- */

/* Matches come in the order of kind and place, so a new one is inserted after those of equal cost. */
static void add_match(struct finder *finder, struct finder_match match)
{
    int at = finder->list.count;
    finder->found++;
    while (at > 0 && finder->matches[at - 1].cost > match.cost)
        at--;
    if (at >= FINDER_MATCHES_MAX)
        return;
    int behind = finder->list.count - at - (finder->list.count == FINDER_MATCHES_MAX);
    memmove(&finder->matches[at + 1], &finder->matches[at], (size_t)behind * sizeof match);
    finder->matches[at] = match;
    finder->list.count += finder->list.count < FINDER_MATCHES_MAX;
}

static int line_count(const struct screen *screen)
{
    int room = screen->layout.status.y - screen->layout.body.y;
    return room < LINES_MAX ? room : LINES_MAX;
}

static void find_matches(struct screen *screen)
{
    struct finder *finder = &screen->finder;
    const char *typed = screen->prompt.text;
    bool typed_any = typed[strspn(typed, " ")] != '\0';
    finder->list = (struct list){0};
    finder->found = 0;
    for (enum found kind = 0; kind < (typed_any ? FOUND_COUNT : FOUND_RUN); kind++) {
        uint32_t count = candidate_count(screen, kind);
        for (uint32_t index = 0; index < count; index++) {
            struct candidate candidate;
            if (!describe_candidate(screen, kind, index, &candidate))
                continue;
            int cost = cost_of(typed, &candidate);
            if (cost < NOT_FOUND)
                add_match(finder, (struct finder_match){kind, index, cost});
        }
    }
    list_update(&finder->list, finder->list.count, line_count(screen));
}

void finder_open(struct screen *screen)
{
    prompt_open(&screen->prompt, PROMPT_FIND, ":", "", NULL);
    find_matches(screen);
}

/* ---- choosing ---- */

/* Shows it in the view of its kind; a session without such a view has no items of the kind. */
static void show_item(struct screen *screen, enum view_item item, uint32_t index)
{
    for (enum view_id id = 0; id < VIEW_COUNT; id++)
        if (screen->views[id]->show[item])
            screen->views[id]->show[item](screen, index);
}

static void choose_match(struct screen *screen)
{
    const struct finder *finder = &screen->finder;
    screen->prompt.purpose = PROMPT_NONE;
    screen->message[0] = '\0';
    if (finder->list.count == 0)
        return;
    struct finder_match match = finder->matches[finder->list.selected];
    switch (match.kind) {
    case FOUND_VIEW:
    case FOUND_ACTION: screen_key(screen, action_info((enum action)match.index)->key[0]); break;
    case FOUND_SHEET: show_item(screen, ITEM_SHEET, match.index); break;
    case FOUND_WORKLOAD: show_item(screen, ITEM_WORKLOAD, match.index); break;
    case FOUND_METRIC: show_item(screen, ITEM_METRIC, match.index); break;
    case FOUND_RUN: show_item(screen, ITEM_RUN, match.index); break;
    case FOUND_TERM: show_item(screen, ITEM_TERM, match.index); break;
    default: screen_show_panes(screen); screen_show_kernel(screen, match.index);
    }
}

void finder_key(struct screen *screen, uint32_t key)
{
    struct list *list = &screen->finder.list;
    if (key == KEY_TAB || key == CODE_BACKTAB) {
        list_act(list, key == KEY_TAB ? ACTION_NEXT : ACTION_PREVIOUS);
        return;
    }
    if (key == CODE_UP || key == CODE_DOWN || key == CODE_PAGE_UP || key == CODE_PAGE_DOWN) {
        list_act(list, action_of_key(key));
        return;
    }
    switch (prompt_key(&screen->prompt, key)) {
    case PROMPT_CHANGED: find_matches(screen); break;
    case PROMPT_ACCEPTED: choose_match(screen); break;
    case PROMPT_CANCELLED: screen->prompt.purpose = PROMPT_NONE; break;
    case PROMPT_EDITING: break;
    }
}

static struct rect place_of(const struct screen *screen)
{
    const struct finder *finder = &screen->finder;
    struct rect status = screen->layout.status;
    int lines = finder->list.count < line_count(screen) ? finder->list.count : line_count(screen);
    return (struct rect){status.x, status.y - lines, status.width, lines};
}

void finder_mouse(struct screen *screen, const struct mouse *mouse)
{
    struct rect place = place_of(screen);
    bool inside = rect_holds(place, mouse->x, mouse->y);
    if (inside || mouse->kind == MOUSE_WHEEL_UP || mouse->kind == MOUSE_WHEEL_DOWN)
        list_mouse(&screen->finder.list, mouse, mouse->y - place.y);
    if (mouse->kind != MOUSE_DOWN)
        return;
    if (inside)
        choose_match(screen);
    else
        screen->prompt.purpose = PROMPT_NONE;
}

/* ---- drawing ---- */

/* Paints its name, then what it is about, and at the end its key, or else its kind. */
static void draw_match(const struct screen *screen, struct canvas *canvas, struct rect line, int name_cells,
                       struct finder_match match, bool selected)
{
    static const char *const kinds[FOUND_COUNT] = {
        [FOUND_SHEET] = "table", [FOUND_WORKLOAD] = "workload", [FOUND_METRIC] = "metric",
        [FOUND_RUN] = "run",     [FOUND_KERNEL] = "kernel",     [FOUND_TERM] = "term"};
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_BAR;
    struct style strong = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0),
                 dim = STYLE(COLOR_DIM, ground, 0);
    struct candidate candidate;
    char end[16];
    canvas_fill(canvas, line, ' ', strong);
    if (!describe_candidate(screen, match.kind, match.index, &candidate))
        return;
    if (kinds[match.kind])
        snprintf(end, sizeof end, "%s", kinds[match.kind]);
    else
        key_text(action_info((enum action)match.index)->key[0], end, sizeof end);
    int end_cells = text_width(end, sizeof end), room = line.width - end_cells - 4;
    int name = line.width < ABOUT_FROM ? room : name_cells;
    if (selected)
        canvas_glyph(canvas, line.x, line.y, GLYPH_SELECTED, strong);
    if (name >= NAME_LEAST || name == room)
        canvas_text(canvas, line.x + 2, line.y, name, strong, candidate.name);
    if (name < room)
        canvas_text(canvas, line.x + 3 + name, line.y, room - name - 1, dim, candidate.about);
    canvas_text(canvas, line.x + line.width - end_cells - 1, line.y, end_cells,
                kinds[match.kind] ? dim : STYLE(COLOR_FOCUS, ground, ATTRIBUTE_BOLD), end);
}

/* The cells of the widest name that is shown, at most 3 of 8 of the line. */
static int count_name_cells(const struct screen *screen, struct rect place)
{
    const struct finder *finder = &screen->finder;
    int cells = NAME_LEAST, most = place.width * 3 / 8;
    for (int line = 0; line < place.height; line++) {
        struct finder_match match = finder->matches[finder->list.top + line];
        struct candidate candidate;
        if (!describe_candidate(screen, match.kind, match.index, &candidate))
            continue;
        int name = text_width(candidate.name, most);
        cells = name > cells ? name : cells;
    }
    return cells < most ? cells : most;
}

void finder_draw(const struct screen *screen, struct canvas *canvas)
{
    const struct finder *finder = &screen->finder;
    struct rect place = place_of(screen), status = screen->layout.status;
    int name_cells = count_name_cells(screen, place);
    char text[80];
    for (int line = 0; line < place.height; line++) {
        int index = finder->list.top + line;
        draw_match(screen, canvas, (struct rect){place.x, place.y + line, place.width, 1}, name_cells,
                   finder->matches[index], index == finder->list.selected);
    }
    if (finder->found == 0)
        snprintf(text, sizeof text, "nothing matches: ESC closes");
    else
        snprintf(text, sizeof text, "%d of %u  TAB next, ENTER selects, ESC closes",
                 finder->list.selected + 1, finder->found);
    int cells = text_width(text, sizeof text), typed = text_width(screen->prompt.text, PROMPT_SIZE);
    if (typed + cells + 6 < status.width)
        canvas_text(canvas, status.x + status.width - cells - 1, status.y, cells,
                    STYLE(COLOR_DIM, COLOR_BAR, 0), text);
}
