/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A group is the rows of one workload and variant, with their parameters; `all` is the group of all rows.
 * Texts point into the session's strings and are not copied.
 */
#include "tui/frame/run_names.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAMS_BYTES 300
#define NAME_LEAST 4    /* least cells of a name beside its parameters */
#define VARIANT_CELLS 5 /* cells kept for a variant: parameters leave out their names for it */

/* ---- what differs ---- */

void run_names_fini(struct run_names *names)
{
    free(names->groups);
    *names = (struct run_names){0};
}

void run_names_begin(struct run_names *names)
{
    names->count = 0;
    names->all = (struct run_names_group){0};
}

static bool is_same(const char *a, int a_length, const char *b, int b_length)
{
    return a_length == b_length && memcmp(a, b, (size_t)a_length) == 0;
}

static struct run_names_param *find_param(const struct run_names_group *group, const struct run_param *param)
{
    for (int i = 0; i < group->param_count; i++) {
        const struct run_param *first = &group->params[i].first;
        if (is_same(first->name, first->name_length, param->name, param->name_length))
            return (struct run_names_param *)&group->params[i];
    }
    return NULL;
}

static void add_row(struct run_names_group *group, const struct session *session, uint32_t params)
{
    const char *text = session_string(session, params);
    struct run_param param;
    if (group->rows > 0 && group->last_params == params) /* the same parameters again */
        return;
    group->rows++;
    group->last_params = params;
    while (run_param_next(&text, &param)) {
        struct run_names_param *known = find_param(group, &param);
        if (!known && group->param_count < RUN_NAMES_PARAMS) {
            known = &group->params[group->param_count++];
            *known = (struct run_names_param){.first = param};
        }
        if (!known)
            continue;
        known->rows++;
        known->differs = known->differs || !is_same(param.value, param.value_length, known->first.value,
                                                    known->first.value_length);
    }
}

static struct run_names_group *find_group(const struct run_names *names, const struct run_row *run)
{
    for (size_t i = names->count; i-- > 0;)
        if (names->groups[i].workload == run->workload && names->groups[i].variant == run->variant)
            return &names->groups[i];
    return NULL;
}

void run_names_add(struct run_names *names, const struct session *session, uint32_t run)
{
    const struct run_row *row = session_run(session, run);
    if (!row || row->workload == 0)
        return;
    struct run_names_group *group = find_group(names, row);
    if (!group) {
        if (!array_grow(names->groups, names->capacity, names->count, 1))
            return;
        group = &names->groups[names->count++];
        *group = (struct run_names_group){.workload = row->workload, .variant = row->variant};
    }
    add_row(group, session, row->params);
    add_row(&names->all, session, row->params);
}

/* ---- texts ---- */

enum part { ESSENTIAL, SECONDARY, COMMON };

static bool is_everywhere(const struct run_names_group *group, const struct run_names_param *param)
{
    return !param->differs && param->rows == group->rows;
}

/* In a list of one row no parameter counts as common to all rows. */
static enum part part_of(const struct run_names *names, const struct run_names_group *group,
                         const struct run_param *param)
{
    const struct run_names_param *all = find_param(&names->all, param),
                                 *own = group ? find_param(group, param) : NULL;
    if (!own || !is_everywhere(group, own))
        return ESSENTIAL;
    return names->all.rows > 1 && all && is_everywhere(&names->all, all) ? COMMON : SECONDARY;
}

/* Prints the parameters of a part, "a=1,b=2", as many as fit; returns whether all do. Values alone are
 * "2, 280": "2,280" is a number. */
static bool print_part(const struct run_names *names, const struct run_names_group *group, const char *params,
                       enum part part, bool named, int cells, char *text, size_t size_bytes)
{
    struct run_param param;
    const char *comma = named ? "," : ", ";
    size_t used = 0;
    bool all = true;
    text[0] = '\0';
    while (run_param_next(&params, &param)) {
        int length = named ? param.name_length + 1 + param.value_length : param.value_length;
        if (part_of(names, group, &param) != part)
            continue;
        int apart = used > 0 ? (int)strlen(comma) : 0;
        if ((int)used + length + apart > cells || used + (size_t)(length + apart) + 1 > size_bytes) {
            all = false;
            continue;
        }
        append_text(text, size_bytes, &used, "%s%.*s", used > 0 ? comma : "", length,
                    named ? param.name : param.value);
    }
    return all;
}

void run_names_print_essential(const struct run_names *names, const struct session *session, uint32_t run,
                               int cells, char *text, size_t size_bytes)
{
    const struct run_row *row = session_run(session, run);
    const char *params = session_string(session, row->params);
    const struct run_names_group *group = find_group(names, row);
    if (!print_part(names, group, params, ESSENTIAL, true, cells, text, size_bytes))
        print_part(names, group, params, ESSENTIAL, false, cells, text, size_bytes);
}

/* Does the list have rows of another variant of the workload? */
static bool has_variants(const struct run_names *names, const struct run_row *row)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->groups[i].workload == row->workload && names->groups[i].variant != row->variant)
            return true;
    return false;
}

typedef void cut_function(const char *text, int cells, char *out, size_t size_bytes);

/* The number of other variants of the workload that look the same after this cut. */
static int count_alike(const struct run_names *names, const struct session *session, uint32_t workload,
                       const char *variant, cut_function *cut, int cells)
{
    char own[PARAMS_BYTES], other[PARAMS_BYTES];
    int alike = 0;
    cut(variant, cells, own, sizeof own);
    for (size_t i = 0; i < names->count; i++) {
        const char *text = session_string(session, names->groups[i].variant);
        cut(text, cells, other, sizeof other);
        alike +=
            names->groups[i].workload == workload && strcmp(text, variant) != 0 && strcmp(own, other) == 0;
    }
    return alike;
}

/* Prints the variant in this many cells: its beginning, or its end if others have the same beginning and no
 * more have the same end. */
static void print_variant(const struct run_names *names, const struct session *session,
                          const struct run_row *row, int cells, char *text, size_t size_bytes)
{
    const char *variant = session_string(session, row->variant);
    if (cells < NAME_LEAST && text_width(variant, NAME_LEAST) > cells) {
        text[0] = '\0';
        return;
    }
    int alike = count_alike(names, session, row->workload, variant, text_cut, cells);
    bool front =
        alike > 0 && count_alike(names, session, row->workload, variant, text_cut_front, cells) <= alike;
    (front ? text_cut_front : text_cut)(variant, cells, text, size_bytes);
    if (strcmp(text, text_cut_mark()) == 0) /* "128-bit" in 4 cells: no part of a number is shown */
        text[0] = '\0';
}

void run_names_print(const struct run_names *names, const struct session *session, uint32_t run, int cells,
                     char *text, size_t size_bytes)
{
    const struct run_row *row = session_run(session, run);
    const char *params = session_string(session, row->params),
               *variant = session_string(session, row->variant);
    const struct run_names_group *group = find_group(names, row);
    char essential[PARAMS_BYTES], secondary[PARAMS_BYTES], values[PARAMS_BYTES];
    int least = text_width(variant, VARIANT_CELLS) + 1;
    run_names_print_essential(names, session, run, cells, essential, sizeof essential);
    if (has_variants(names, row) && text_width(essential, cells) + text_width(variant, cells) >= cells &&
        print_part(names, group, params, ESSENTIAL, false, cells - least, values, sizeof values))
        snprintf(essential, sizeof essential, "%s", values);
    int taken = text_width(variant, cells) + 1 + (int)strlen(essential) + (essential[0] != '\0');
    print_part(names, group, params, SECONDARY, true, cells - taken, secondary, sizeof secondary);
    char rest[2 * PARAMS_BYTES];
    snprintf(rest, sizeof rest, "%s%s%s", essential, essential[0] != '\0' && secondary[0] != '\0' ? "," : "",
             secondary);
    char shown[PARAMS_BYTES];
    print_variant(names, session, row, cells - text_width(rest, cells) - (rest[0] != '\0'), shown,
                  sizeof shown);
    name_join(shown, rest, cells, text, size_bytes);
}

/* Prints "offset=0..32", or "0..32"; returns false if no parameter or more than one differs. */
static bool print_swept(const struct run_names_group *group, const char *from, const char *to, bool named,
                        char *text, size_t size_bytes)
{
    struct run_param param, end;
    int differ = 0;
    while (run_param_next(&from, &param)) {
        const struct run_names_param *own = find_param(group, &param);
        char name[100];
        snprintf(name, sizeof name, "%.*s", param.name_length, param.name);
        if (!own || is_everywhere(group, own) || !run_param_find(to, name, &end))
            continue;
        differ++;
        snprintf(text, size_bytes, "%s%s%.*s..%.*s", named ? name : "", named ? "=" : "", param.value_length,
                 param.value, end.value_length, end.value);
    }
    return differ == 1;
}

void run_names_print_range(const struct run_names *names, const struct session *session, uint32_t first,
                           uint32_t last, int rows, int cells, char *text, size_t size_bytes)
{
    const struct run_row *row = session_run(session, first);
    const char *from = session_string(session, row->params),
               *to = session_string(session, session_run(session, last)->params);
    const struct run_names_group *group = find_group(names, row);
    if (!group || !print_swept(group, from, to, true, text, size_bytes) ||
        (text_width(text, cells + 1) > cells && !print_swept(group, from, to, false, text, size_bytes)))
        snprintf(text, size_bytes, "%d runs", rows);
}

void run_names_print_sweep(const struct run_names *names, const struct session *session, uint32_t first,
                           uint32_t last, int rows, int cells, char *text, size_t size_bytes)
{
    char rest[PARAMS_BYTES], variant[PARAMS_BYTES];
    const struct run_row *row = session_run(session, first);
    int whole = has_variants(names, row) ? text_width(session_string(session, row->variant), cells) + 1 : 0;
    run_names_print_range(names, session, first, last, rows, cells, rest, sizeof rest);
    if (text_width(rest, cells) + whole > cells) /* values alone */
        run_names_print_range(names, session, first, last, rows, 0, rest, sizeof rest);
    print_variant(names, session, row, cells - text_width(rest, cells) - 1, variant, sizeof variant);
    name_join(variant, rest, cells, text, size_bytes);
}

void run_names_print_common(const struct run_names *names, char *text, size_t size_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < names->all.param_count && names->all.rows > 1; i++) {
        const struct run_names_param *param = &names->all.params[i];
        int length = param->first.name_length + 1 + param->first.value_length;
        if (is_everywhere(&names->all, param) && used + (size_t)length + 2 < size_bytes)
            append_text(text, size_bytes, &used, "%s%.*s", used > 0 ? "," : "", length, param->first.name);
    }
}

void run_name_print(const struct session *session, uint32_t run, char *text, size_t size_bytes)
{
    const struct run_row *row = session_run(session, run);
    const char *variant = session_string(session, row->variant);
    snprintf(text, size_bytes, "%s%s%s", session_string(session, row->workload),
             variant[0] != '\0' ? ":" : "", variant);
}

/* Prints the name, and the run's parameters that fit beside it. */
static void print_within(const struct session *session, uint32_t run, const char *name, int cells, char *text,
                         size_t size_bytes)
{
    char params[PARAMS_BYTES];
    run_params_within(session_string(session, session_run(session, run)->params),
                      cells - text_width(name, cells) - 1, params, sizeof params);
    name_join(name, params, cells, text, size_bytes);
}

void run_name_print_within(const struct session *session, uint32_t run, int cells, char *text,
                           size_t size_bytes)
{
    char name[200];
    run_name_print(session, run, name, sizeof name);
    print_within(session, run, name, cells, text, size_bytes);
}

void run_variant_print_within(const struct session *session, uint32_t run, int cells, char *text,
                              size_t size_bytes)
{
    print_within(session, run, session_string(session, session_run(session, run)->variant), cells, text,
                 size_bytes);
}

void name_join(const char *name, const char *rest, int cells, char *text, size_t size_bytes)
{
    int width = text_width(rest, cells + 1), left = rest[0] != '\0' ? cells - width - 1 : cells;
    char shown[PARAMS_BYTES] = "";
    if (left >= NAME_LEAST || (left > 0 && text_width(name, left + 1) <= left))
        text_cut(name, left, shown, sizeof shown);
    snprintf(text, size_bytes, "%s%s%s", shown, shown[0] != '\0' && rest[0] != '\0' ? " " : "",
             width <= cells ? rest : "");
    if (text[0] == '\0')
        text_cut(rest, cells, text, size_bytes);
}

void screen_run_name(const struct screen *screen, uint32_t run, char *text, size_t size_bytes)
{
    const struct session *session = screen->session;
    if (run >= session_run_count(session)) {
        snprintf(text, size_bytes, "unknown run");
        return;
    }
    const struct run_row *row = session_run(session, run);
    const char *variant = session_string(session, row->variant),
               *params = session_string(session, row->params);
    if (row->workload == 0) {
        const struct process_row *process = session_process(session, row->process);
        const char *program = session_string(session, row->program);
        if (process->rank >= 0)
            snprintf(text, size_bytes, "%s, rank %d", program, process->rank);
        else
            snprintf(text, size_bytes, "%s, pid %d", program, process->pid);
        return;
    }
    snprintf(text, size_bytes, "%s%s%s%s%s", session_string(session, row->workload),
             variant[0] != '\0' ? ":" : "", variant, params[0] != '\0' ? " " : "", params);
}

bool screen_run_runs(const struct screen *screen, uint32_t run)
{
    return screen->state.live && run != NONE && run < session_run_count(screen->session) &&
           atomic_load_explicit(&session_run(screen->session, run)->end_ns, memory_order_relaxed) ==
               INT64_MIN;
}

enum glyph screen_run_mark(const struct run_row *run, struct style *style)
{
    int8_t verified = atomic_load_explicit(&run->verified, memory_order_relaxed);
    *style = STYLE(verified > 0    ? COLOR_GOOD
                   : verified == 0 ? COLOR_BAD
                                   : COLOR_DIM,
                   COLOR_NONE, ATTRIBUTE_BOLD);
    return verified > 0 ? GLYPH_VERIFIED : verified == 0 ? GLYPH_FAILED : GLYPH_SEPARATOR;
}
